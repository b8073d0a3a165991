"""Pictures into numbers and back: anything that Pillow opens, held in memory, or refused in one sentence."""

import io
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, PngImagePlugin, UnidentifiedImageError

from ..core import limits
from ..core.errors import BadInput, BadUsage, DovetailError

Pixels: TypeAlias = NDArray[np.uint8 | np.uint16]  # [..., channels], in the order of ``puzzle.CHANNELS``

MOST_PIXELS = limits.PICTURE_PIXELS
NOTE = "dovetail"  # the key in a PNG's text under which our own files say what they are

_ELSEWHERE = {"BUFR", "EPS", "GRIB", "HDF5", "MPEG", "WMF"}  # Pillow would need another program, or a plug-in
_GREY = ("1", "L", "LA", "La")
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_CONVERTED = (*_GREY, "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "LAB", "HSV")


@dataclass(frozen=True)
class OpenPicture:
    """A picture as numbers, and the texts that a PNG carries beside them."""

    pixels: Pixels  # [height, width, channels]
    text: Mapping[str, str] = field(default_factory=dict)
    fractions: bool = False  # its grey values were, and what they mean was told from the largest of them

    @property
    def size(self) -> str:
        """Width by height, as people say it."""
        return f"{self.pixels.shape[1]}x{self.pixels.shape[0]}"


def open_picture(data: bytes, name: str, frame: int = 0) -> OpenPicture:
    """Decode a picture, upright, its first frame or another; raises BadInput, and lets no warning of Pillow's out.

    An alpha channel that is opaque everywhere is dropped. Grey of more than 8 bits comes as 16 bits.
    """
    form: str | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = _opened(data)
            form = image.format
            image.seek(frame)
            if image.width * image.height > MOST_PIXELS or max(image.size) > limits.PICTURE_SIDE:
                raise Image.DecompressionBombError
            image.load()
            _opened(data).verify()  # the check sums of a PNG, which loading does not look at
            text = dict(image.text) if isinstance(image, PngImagePlugin.PngImageFile) else {}
            ImageOps.exif_transpose(image, in_place=True)
            return OpenPicture(_numbers(image, name), text, image.mode == "F")
    except DovetailError:
        raise
    except Image.DecompressionBombError:
        most = f"{MOST_PIXELS:,} pixels, and {limits.PICTURE_SIDE:,} along a side"
        raise BadInput(f"cannot read {name}: a picture may have at most {most}") from None
    except UnidentifiedImageError:
        raise BadInput(f"cannot read {name}: it is no picture that can be read here, or a damaged one") from None
    except MemoryError:
        raise BadInput(f"cannot read {name}: the picture does not fit into memory") from None
    except Exception as error:  # decoders raise nearly everything on hostile bytes
        how = "truncated" if "truncated" in str(error) else "damaged"
        what = f"{form} file" if form else "picture"
        raise BadInput(f"cannot read {name}: it is a {how} {what}") from None


def frames(data: bytes) -> int:
    """How many pictures a file says it holds; 1 if it cannot tell."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return int(getattr(_opened(data), "n_frames", 1))
    except Exception:  # counting reads the file from picture to picture, and may trip over anything in it
        return 1


def identified(data: bytes, suffix: str) -> bool:
    """Whether Pillow knows these bytes for a picture; one without a signature must be called so by its ``suffix``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            form = _opened(data).format
    except Exception:  # whatever a decoder trips over, it is not a picture for us
        return False
    unsigned = {name for name, (_, accept) in Image.OPEN.items() if accept is None}
    return form not in unsigned or Image.EXTENSION.get(suffix.lower()) == form


def png_bytes(pixels: Pixels, text: Mapping[str, str]) -> bytes:
    """A PNG of these numbers with these texts in it."""
    height, width, channels = pixels.shape
    if height * width > MOST_PIXELS:
        raise BadUsage(f"a picture may have at most {MOST_PIXELS:,} pixels, and this one would be {width}x{height}")
    if pixels.dtype != np.uint8 and channels != 1:
        raise BadUsage("PNG files of 16-bit colour cannot be written here; Dovetail's own JSON holds such pieces")
    image = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels)
    info = PngImagePlugin.PngInfo()
    for key, value in text.items():
        info.add_text(key, value)
    packed = io.BytesIO()
    image.save(packed, "PNG", pnginfo=info)
    return packed.getvalue()


def holds(channels: int, other: int) -> bool:
    """Whether pixels of ``channels`` can show everything that pixels of ``other`` channels do."""
    return (channels > 2 or other < 3) and (channels % 2 == 0 or other % 2 == 1)


def richest(channels: Collection[int]) -> int:
    """The fewest channels that hold all of these."""
    return min(count for count in _MODES if all(holds(count, other) for other in channels))


def enriched(pixels: Pixels, channels: int, depth: int) -> Pixels:
    """The same look with these channels and bits, which must hold it."""
    if depth == 16 and pixels.dtype == np.uint8:
        pixels = pixels.astype(np.uint16) * 257
    colours, alpha = pixels[..., : 3 if pixels.shape[-1] > 2 else 1], pixels[..., -1:]
    if pixels.shape[-1] % 2:
        alpha = np.full_like(alpha, np.iinfo(pixels.dtype).max)
    if channels > 2:
        colours = np.broadcast_to(colours, (*colours.shape[:-1], 3))
    return colours if channels % 2 else np.concatenate([colours, alpha], axis=-1)


def _opened(data: bytes) -> Image.Image:
    Image.init()
    return Image.open(io.BytesIO(data), formats=[form for form in Image.ID if form not in _ELSEWHERE])


def _numbers(image: Image.Image, name: str) -> Pixels:
    """The nearest of grey, grey and alpha, RGB, RGB and alpha in 8 bits, or grey in 16."""
    if image.mode.startswith("I") or image.mode == "F":
        return _deep(np.asarray(image), name)[:, :, np.newaxis]
    if image.mode not in _CONVERTED:
        raise BadInput(f"cannot read {name}: pixels of mode {image.mode} are not read here")
    alpha = image.has_transparency_data and image.mode not in ("CMYK", "YCbCr", "LAB", "HSV", "RGBX")
    mode = _MODES[(1 if image.mode in _GREY else 3) + alpha]
    pixels = np.asarray(image if image.mode == mode else image.convert(mode))
    if pixels.ndim == 2:
        pixels = pixels[:, :, np.newaxis]
    return pixels[:, :, :-1] if alpha and pixels[:, :, -1].min() == 255 else pixels


def _deep(grey: NDArray[Any], name: str) -> Pixels:
    """Grey of more than 8 bits. Fractions are taken for shares of white up to 1, for 8-bit numbers up to 255.

    A grey value that counts as transparent is not looked for: alpha of 16 bits has no place here.
    """
    if grey.dtype.itemsize == 2:
        return grey.astype(np.uint16)
    if not (np.isfinite(grey).all() and grey.min() >= 0 and grey.max() <= 65535):
        raise BadInput(f"cannot read {name}: its grey values are not all between 0 and 65535")
    if grey.dtype.kind == "i":
        return grey.astype(np.uint16)
    if grey.max() <= 1:
        return np.rint(grey.astype(np.float64) * 65535).astype(np.uint16)
    rounded: Pixels = np.rint(grey).astype(np.uint8 if grey.max() <= 255 else np.uint16)
    return rounded
