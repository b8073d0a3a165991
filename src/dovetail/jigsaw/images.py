"""Pictures into numbers and back: anything that Pillow opens, held in memory, or refused in one sentence."""

import io
import struct
import warnings
import zlib
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
# Pillow keeps the upper byte of 16-bit colour, which comes first in a PNG; what the numbers are to be taken for so that
# it keeps the other one, or, where two numbers of two bytes are as long as four of one, all of them
_OTHERWISE = {"RGB;16B": "RGB;16L", "RGBA;16B": "RGBA;16L", "LA;16B": "RGBA"}
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

    An alpha channel that is opaque everywhere is dropped. Grey of more than 8 bits comes as 16 bits, and so does colour
    in a PNG.
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
            pixels = _deep_colour(data, image)
            return OpenPicture(_numbers(image, name) if pixels is None else pixels, text, image.mode == "F")
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
    """A PNG of these numbers with these texts in it; the same numbers give the same bytes."""
    height, width, channels = pixels.shape
    if height * width > MOST_PIXELS:
        raise BadUsage(f"a picture may have at most {MOST_PIXELS:,} pixels, and this one would be {width}x{height}")
    info = PngImagePlugin.PngInfo()
    for key, value in text.items():
        info.add_text(key, value)
    packed = io.BytesIO()
    if pixels.dtype != np.uint8 and channels != 1:
        _write_deep(pixels, info, packed)
        return packed.getvalue()
    image = Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels)
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


def eight_bits(pixels: Pixels) -> NDArray[np.uint8]:
    """The upper eight bits, for those who have no use for more."""
    return (pixels if pixels.dtype == np.uint8 else pixels >> 8).astype(np.uint8, copy=False)


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


def _deep_colour(data: bytes, upper: Image.Image) -> Pixels | None:
    """All bits of a PNG of 16-bit colour, or grey with alpha, whose upper bytes Pillow has read; else None."""
    image = _opened(data)
    if not isinstance(image, PngImagePlugin.PngImageFile) or len(image.tile) != 1 or frames(data) > 1:
        return None
    tile = image.tile[0]
    kept = _OTHERWISE.get(tile.args) if isinstance(tile.args, str) else None
    if kept is None or "transparency" in image.info:  # a colour that shows nothing: Pillow knows which
        return None
    image.tile = [tile._replace(args=kept)]
    image.load()
    ImageOps.exif_transpose(image, in_place=True)
    read = np.asarray(image)
    whole = kept == image.mode
    both = read.reshape(*read.shape[:2], 2, 2) if whole else np.stack([np.asarray(upper), read], axis=-1)
    pixels: Pixels = both.view(">u2")[..., 0].astype(np.uint16)
    return pixels[:, :, :-1] if pixels.shape[2] % 2 == 0 and pixels[:, :, -1].min() == 65535 else pixels


def _write_deep(pixels: Pixels, info: PngImagePlugin.PngInfo, file: io.BytesIO) -> None:
    """What Pillow cannot: a PNG of 16-bit colour, or grey with alpha. Of every line, what it has more than the last."""
    height, width, channels = pixels.shape
    lines = np.ascontiguousarray(pixels, ">u2").view(np.uint8).reshape(height, -1)
    filtered = np.full((height, 1 + lines.shape[1]), 2, np.uint8)  # filter 2, "up"
    filtered[:, 1:] = np.diff(lines, axis=0, prepend=np.zeros_like(lines[:1]))
    head = struct.pack(">IIBBBBB", width, height, 16, {2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    texts = [(name, content) for name, content, *_ in info.chunks]
    file.write(b"\x89PNG\r\n\x1a\n")
    for name, content in ((b"IHDR", head), *texts, (b"IDAT", zlib.compress(filtered.tobytes())), (b"IEND", b"")):
        file.write(struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content)))


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
