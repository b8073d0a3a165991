"""Scans and photographs of fragments: rectangles of one size, apart on a plain ground, each turned by some degrees.

1. ``ground.py``: the ground, its colour and its light, and what stands out from it.
2. ``finding.py``: which of that are fragments, and about where they lie.
3. ``fitting.py``: their rectangles, to a fraction of a pixel; all of one size, over all sheets.
4. ``straightening.py``: each of them cut out and straightened.

A fragment that is turned by less than 45 degrees is taken to be upright, unless pieces may be turned. Nothing is left
out silently: what cannot be read as a fragment is named, and read past only if the user says how many there are.
"""

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from ...core import limits
from ...core.errors import BadInput, BadUsage
from .. import notes
from ..cutting import listed, piece_size
from ..images import Pixels, enriched, frames, open_picture, richest
from ..puzzle import MOST_PIECES, Jigsaw, Reading
from . import finding
from .finding import Looked, Seen
from .fitting import Fitted, fitted, fitted_to_size
from .ground import reduced, times_smaller
from .puzzle import Place, Scanned
from .straightening import light_of, snapped, straightened

GLANCE = 600_000  # pixels of a sheet when it is only asked whether it is a scan
MOST_SHEETS = limits.SCAN_SHEETS  # more pictures than that are pieces, not sheets
TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")  # how files of several pages begin
LARGE, USUAL = 180, 110  # pixels of a fragment's side at the scale of finding: too many, and enough
BLURRED = 0.6  # how clear edges must be closer by, against how clear they were from further away
AROUND = 0.6  # the least share of a sheet's rim that is ground: some fragments may be cut off there
STRAIGHT = 0.3  # degrees by which most fragments are turned at least if nobody laid them in rows
LEAST_SIDE = 12  # pixels of a fragment at the scale of finding
MOST_NAMED = 2  # things that are no fragments, spelled out
CLUSTER = 0.2  # the logarithm of how many times larger than another a fragment may seem
FULL = 0.84  # the least share of the smallest rectangles around them that fragments cover, most of them
SHADOW = 0.3  # the share of a side by which a shadow may make a fragment seem larger


class Odd(NamedTuple):
    """Something that is no fragment of the usual size."""

    why: str
    place: Place


def looks_like_scan(pixels: Pixels) -> bool:
    """Whether a picture shows rectangles of about one size on a plain ground that surrounds them all."""
    if min(pixels.shape[:2]) < 3 * LEAST_SIDE:
        return False
    levels = reduced(pixels, times_smaller([pixels], GLANCE))
    if np.ptp(levels) < 8:
        return False
    look = finding.looked_at(levels)
    seen = [thing for thing in look.seen if not thing.at_rim]
    if len(seen) < 2 or finding.share_of_ground(levels, look.ground) < AROUND:
        return False
    heights, widths = (np.array([sorted(thing.extent)[axis] for thing in seen]) for axis in (0, 1))
    height, width = float(np.median(heights)), float(np.median(widths))
    alike = (np.abs(heights / height - 1) < 0.25) & (np.abs(widths / width - 1) < 0.25)
    full = np.array([thing.area / (thing.extent[0] * thing.extent[1]) for thing in seen])
    inside = int(look.out.sum()) - sum(thing.area for thing in look.seen if thing.at_rim)
    covered = sum(thing.area for thing, own in zip(seen, alike, strict=True) if own) / max(1, inside)
    if np.median([abs(thing.angle) for thing in seen]) < STRAIGHT and in_even_rows(pixels):
        return False
    return bool(
        height >= LEAST_SIDE and width < 6 * height and alike.mean() > 0.7 and alike.sum() >= 2
        and np.median(full) > 0.85 and covered > 0.7
    )  # fmt: skip


def in_even_rows(pixels: Pixels) -> bool:
    """Whether what lies straight lies in rows and columns too: then those are the frame (``detecting.py``)."""
    from .. import detecting

    tiles = detecting.found(pixels)
    return tiles is not None and tiles.sure


def is_scan(pictures: Sequence[tuple[str, Pixels]], settings: Reading) -> bool:
    """As set; else as it looks, if nothing is set that only other sheets have."""
    if settings.scan is not None:
        return settings.scan
    others = (settings.piece, settings.spacing, settings.margin, settings.gap, settings.hints)
    if settings.sides == 2 or any(one is not None for one in others):
        return False
    return len(pictures) <= MOST_SHEETS and all(looks_like_scan(pixels) for _, pixels in pictures)


def pages(data: bytes, name: str, first: Pixels) -> list[tuple[str, Pixels]]:
    """All pages of a file, with names; of anything but a TIFF file, the one there is."""
    if data[:4] not in TIFF:
        return [(name, first)]
    count = min(frames(data), MOST_SHEETS + 1)
    names = [f"page {number + 1} of {name}" for number in range(count)] if count > 1 else [name]
    others = [open_picture(data, page, number).pixels for number, page in enumerate(names) if number]
    return [*zip(names, [first, *others], strict=True)]


def read_scans(pictures: Sequence[tuple[str, Pixels]], settings: Reading) -> Scanned:
    """One puzzle of the fragments on all these sheets, numbered sheet by sheet, row by row, from left to right."""
    if settings.sides == 2:
        raise BadUsage("a scan shows one side of its fragments; sides=2 is for sheets of rows and for folders")
    for key in ("spacing", "margin"):
        if getattr(settings, key) is not None:
            raise BadUsage(f"{key} is for pieces in even rows; in a scan fragments are looked for (scan=false: not)")
    channels = richest({pixels.shape[2] for _, pixels in pictures})
    depth = max(8 * pixels.dtype.itemsize for _, pixels in pictures)
    sheets = [enriched(pixels, channels, depth) for _, pixels in pictures]
    times = times_smaller(sheets)
    looks = [finding.looked_at(reduced(sheet, times)) for sheet in sheets]
    if (large := min(_usual_size(looks, bool(settings.rotate)))) > LARGE:
        times *= math.ceil(large / USUAL)
        looks = [finding.looked_at(reduced(sheet, times)) for sheet in sheets]
    _refuse_other_shapes(looks)
    fits, odd, size = _found(looks, sheets, times, bool(settings.rotate))
    fits, size = _sharpened(fits, size, sheets, times, max(look.ground.noise for look in looks))
    names = [name for name, _ in pictures]
    _refuse_odd(fits, odd, settings, names, size)
    whole = _common_size(size, settings)
    places = _in_order(snapped([fit.place for fit in fits], whole))
    colours = channels - (channels + 1) % 2
    by_program = all(place.angle == 0 for place in places)
    lights = [None if by_program else light_of(look.ground, colours, times) for look in looks]
    pieces = np.stack([straightened(sheets[at.sheet], at, whole, lights[at.sheet])[:, :, :colours] for at in places])
    numbers: Pixels = np.rint(pieces * (1 if depth == 8 else 257)).astype(np.uint8 if depth == 8 else np.uint16)
    flags = notes.flags(settings)
    plain = listed(numbers, notes.frame(settings, len(places), flags), **flags)
    own = {one.name: getattr(plain, one.name) for one in fields(Jigsaw)}
    return Scanned(
        **own | {"found_out": (_in_words(places, odd, len(sheets)),)},
        sheets=tuple(sheets), places=tuple(places), left_out=tuple(one.place for one in odd),
    )  # fmt: skip


def _found(
    looks: Sequence[Looked], sheets: Sequence[Pixels], times: int, rotate: bool
) -> tuple[list[Fitted], list[Odd], tuple[float, float]]:
    """Fragments with their rectangles and what is none, in pixels of the sheets; and the usual height and width."""
    size = _usual_size(looks, rotate)
    begun: list[tuple[Looked, Seen, Place]] = []
    odd: list[Odd] = []
    for number, look in enumerate(looks):
        for thing in _lying(finding.merged(look.seen, size, look.out.shape), size, rotate):
            place = Place(number, *thing.centre, thing.angle, *thing.extent)
            if why := _why_not(thing, size):
                odd.append(Odd(why, _enlarged(place, times)))
            else:
                begun.append((look, thing, _begun(thing, look, size, number)))
    levels = [reduced(sheet, times) for sheet in sheets]
    free = [fitted(levels[place.sheet], place, look.ground.noise) for look, _, place in begun]
    size = _agreed(free, size)
    fits: list[Fitted] = []
    for (look, thing, _), loose in zip(begun, free, strict=True):
        start = loose.place._replace(height=size[0], width=size[1])
        fit = fitted_to_size(levels[start.sheet], start, look.ground.noise)
        if why := _misfit(fit, loose, look, thing):
            odd.append(Odd(why, _enlarged(loose.place, times)))
        else:
            fits.append(fit._replace(place=_enlarged(fit.place, times)))
    return fits, odd, (size[0] * times, size[1] * times)


def _sharpened(
    fits: list[Fitted], size: tuple[float, float], sheets: Sequence[Pixels], times: int, noise: float
) -> tuple[list[Fitted], tuple[float, float]]:
    """Fits made on reduced sheets, made again on less reduced ones, as long as edges are as clear there."""
    while times > 1 and fits:
        times //= 2
        closer = [_closer(sheets[fit.place.sheet], fit.place, times, 2 * noise, free=True) for fit in fits]
        agreed = _agreed(closer, size)
        closer = [
            _closer(sheets[fit.place.sheet], fit.place._replace(height=agreed[0], width=agreed[1]), times, 2 * noise)
            for fit in fits
        ]
        if np.median([fit.clear for fit in closer]) < BLURRED * np.median([fit.clear for fit in fits]):
            break
        fits = [near if near.clear > BLURRED * far.clear else far for near, far in zip(closer, fits, strict=True)]
        size = agreed
    return fits, size


def _closer(sheet: Pixels, place: Place, times: int, noise: float, *, free: bool = False) -> Fitted:
    """One fragment fitted again on the part of a sheet around it, so many times reduced."""
    part = _box(place, sheet.shape)
    top, left = part[0].start, part[1].start
    levels = reduced(sheet[part], times)
    start = Place(
        place.sheet, (place.row - top + 0.5) / times - 0.5, (place.col - left + 0.5) / times - 0.5, place.angle,
        place.height / times, place.width / times,
    )  # fmt: skip
    fit = fitted(levels, start, noise, free=True) if free else fitted_to_size(levels, start, noise)
    near = _enlarged(fit.place, times)
    return fit._replace(place=near._replace(row=near.row + top, col=near.col + left))


def _usual_size(looks: Sequence[Looked], rotate: bool) -> tuple[float, float]:
    """Height and width that most things agree on, at the scale of finding."""
    things = [(look, finding.turned_long(thing) if rotate else thing) for look in looks for thing in look.seen]
    inner = [(look, thing) for look, thing in things if not thing.at_rim]
    things = inner if len(inner) > 1 else things
    if not things:
        return 0.0, 0.0
    extents = np.array([thing.extent for _, thing in things])
    ratios = np.abs(np.log(extents[:, None] / extents)).max(axis=2)
    weights = (ratios < CLUSTER) * extents.prod(axis=1)  # large things count more: specks may be many
    chosen = ratios[weights.sum(axis=1).argmax()] < CLUSTER
    things = [one for one, own in zip(things, chosen, strict=True) if own]
    lengths = []
    for axis in (0, 1):
        sides = [finding.sides_of(thing, look.difference, look.sure, across=bool(axis)) for look, thing in things]
        seen = float(np.median([thing.extent[axis] for _, thing in things]))
        lengths.append(finding.usual_length(sides, max(2.0, seen / (1 + SHADOW) - 4), seen + 4) or seen)
    return lengths[0], lengths[1]


def _lying(things: Sequence[Seen], size: tuple[float, float], rotate: bool) -> list[Seen]:
    """The long side across, if fragments may be turned by a quarter."""
    if not rotate or max(size) < (1 + finding.ALIKE) * min(size):
        return list(things)
    return [finding.turned_long(thing) for thing in things]


def _begun(thing: Seen, look: Looked, size: tuple[float, float], sheet: int) -> Place:
    """A rectangle of the usual size where the edges of a thing are."""
    down, _ = finding.middle(finding.sides_of(thing, look.difference, look.sure, across=False), size[0])
    aside, _ = finding.middle(finding.sides_of(thing, look.difference, look.sure, across=True), size[1])
    row, col = Place(sheet, *thing.centre, thing.angle, *size).outside(down, aside)
    return Place(sheet, float(row), float(col), thing.angle, *size)


def _why_not(thing: Seen, size: tuple[float, float]) -> str:
    """What keeps a thing from being a fragment of this size at first sight; nothing if it may be one."""
    height, width = thing.extent
    least = [(1 - SHADOW) * side - 2 for side in size]
    if thing.at_rim and (height < least[0] or width < least[1]):
        return "is cut off by the rim of the sheet"
    if min(height, width) < LEAST_SIDE:
        return "is smaller than any fragment that is read"
    most = [(1 + SHADOW) * side + 6 for side in size]
    if all(low <= seen <= high for low, seen, high in zip(least, thing.extent, most, strict=True)):
        return ""
    if all(low <= seen <= high for low, seen, high in zip(least, (width, height), most, strict=True)):
        return "lies crosswise (set rotate=true if fragments may be turned)"
    if height > most[0] or width > most[1]:
        return "is too large for one: do some touch?"
    return f"is about {width:.0f}x{height:.0f} pixels"


def _agreed(fits: Sequence[Fitted], size: tuple[float, float]) -> tuple[float, float]:
    """Height and width as fitted where both ends are seen: their median."""
    lengths = []
    for axis, (one, other) in enumerate(((0, 1), (2, 3))):
        clear = [
            (fit.place.height, fit.place.width)[axis]
            for fit in fits
            if min(fit.seen[one], fit.seen[other]) > 0.6 and fit.off_px < 0.5
        ]
        near = [length for length in clear if abs(length / size[axis] - 1) < finding.ALIKE]
        lengths.append(float(np.median(near)) if near else size[axis])
    return lengths[0], lengths[1]


def _misfit(fit: Fitted, loose: Fitted, look: Looked, thing: Seen) -> str:
    """Why a fitted rectangle is no fragment; nothing if it is."""
    place = fit.place
    box = _box(place, look.out.shape)
    own = np.isin(look.labels[box], thing.parts)
    rows, cols = np.nonzero(own)
    down, aside = place.inside(rows + box[0].start, cols + box[1].start)
    inside = (abs(down) < place.height / 2 - 1) & (abs(aside) < place.width / 2 - 1)
    shown = inside.sum() / max(1.0, (place.height - 2) * (place.width - 2))
    beyond = (abs(down) > place.height / 2 + 2) | (abs(aside) > place.width / 2 + 2)
    fringe = (look.sure[box][own] & beyond).sum() / (place.height * place.width)
    ratios = loose.place.height / place.height, loose.place.width / place.width
    corners = [place.outside(down * place.height / 2, aside * place.width / 2) for down in (-1, 1) for aside in (-1, 1)]
    last = look.out.shape[0] - 1, look.out.shape[1] - 1
    if any(at < -1.5 or at > most + 1.5 for corner in corners for at, most in zip(corner, last, strict=True)):
        return "is cut off by the rim of the sheet"
    if min(loose.seen) > 0.7 and max(abs(ratio - 1) for ratio in ratios) > finding.ALIKE:
        return f"is about {loose.place.width:.0f}x{loose.place.height:.0f} pixels"
    hidden = shown < finding.RECTANGLE and sum(fit.seen) < finding.SIDES
    if fringe > finding.FRINGE or hidden or fit.clear < finding.CLEAR:
        return "is no rectangle of that size"
    return ""


def _box(place: Place, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """The part of a sheet around a place."""
    reach = math.hypot(place.height, place.width) / 2 + 0.2 * max(place.height, place.width)
    return (
        slice(max(0, math.floor(place.row - reach)), min(shape[0], math.ceil(place.row + reach) + 1)),
        slice(max(0, math.floor(place.col - reach)), min(shape[1], math.ceil(place.col + reach) + 1)),
    )


def _enlarged(place: Place, times: int) -> Place:
    """In pixels of the sheet itself."""
    row, col = ((at + 0.5) * times - 0.5 for at in (place.row, place.col))
    return Place(place.sheet, row, col, place.angle, place.height * times, place.width * times)


def _refuse_other_shapes(looks: Sequence[Looked]) -> None:
    """Pieces with knobs, round ones: their smallest rectangles are not full."""
    full = [thing.area / (thing.extent[0] * thing.extent[1]) for look in looks for thing in look.seen]
    if len(full) > 1 and np.median(full) < FULL:
        raise BadInput(
            f"most of the {len(full)} things that lie on it are no rectangles; rectangular fragments of one size, "
            "apart on a plain ground, are what is read from scans"
        )


def _refuse_odd(
    fits: Sequence[Fitted], odd: Sequence[Odd], settings: Reading, names: Sequence[str], size: tuple[float, float]
) -> None:
    """Nothing is left out, unless the user says how many fragments there are."""
    if not 2 <= len(fits) <= MOST_PIECES:
        seen = _named(odd, names) if odd else "nothing else stands out from the ground"
        count = f"{len(fits)} rectangular fragment{'s' * (len(fits) != 1)}"
        raise BadInput(f"as a scan it shows {count} of one size: {seen}")
    if settings.pieces is not None:
        if settings.pieces != len(fits):
            raise BadUsage(f"pieces is set to {settings.pieces}, but {len(fits)} fragments are found ({_large(size)})")
        return
    if odd:
        raise BadInput(
            f"beside {len(fits)} fragments ({_large(size)}) there is something else: {_named(odd, names)}; "
            f"scan it again, or set pieces={len(fits)} to leave that out"
        )


def _in_words(places: Sequence[Place], odd: Sequence[Odd], sheets: int) -> str:
    most = max(abs(place.angle) for place in places)
    where = "a scan" if sheets == 1 else f"{sheets} scans"
    left = f", and {len(odd)} other thing{'s' * (len(odd) > 1)} left out" if odd else ""
    return f"{len(places)} fragments on {where}, turned by up to {most:.1f} degrees{left}"


def _large(size: tuple[float, float]) -> str:
    return f"{size[1]:.0f}x{size[0]:.0f} pixels"


def _named(odd: Sequence[Odd], names: Sequence[str]) -> str:
    where = [
        f"what lies at row {one.place.row:.0f}, column {one.place.col:.0f}"
        + f" of {names[one.place.sheet]}" * (len(names) > 1) + f" {one.why}"
        for one in odd[:MOST_NAMED]
    ]  # fmt: skip
    more = [f"and {len(odd) - MOST_NAMED} more"] * (len(odd) > MOST_NAMED)
    return ", ".join([*where, *more])


def _common_size(size: tuple[float, float], settings: Reading) -> tuple[int, int]:
    """Whole rows and columns of pixels that every fragment has."""
    whole = math.floor(size[0] + 0.35), math.floor(size[1] + 0.35)
    if settings.piece is None:
        return whole
    wanted = piece_size(settings.piece)
    if max(abs(wanted[axis] - size[axis]) for axis in (0, 1)) > 4:
        raise BadUsage(f"piece is set to {settings.piece}, but the fragments found are of {_large(size)}")
    return wanted


def _in_order(places: Sequence[Place]) -> list[Place]:
    """Sheet by sheet, row by row, from left to right; rows need not be straight."""
    lines: list[list[Place]] = []
    for place in sorted(places, key=lambda one: (one.sheet, one.row)):
        line = lines[-1] if lines else []
        if (
            not line
            or line[0].sheet != place.sheet
            or place.row > np.mean([one.row for one in line]) + place.height / 2
        ):
            lines.append(line := [])
        line.append(place)
    return [place for line in lines for place in sorted(line, key=lambda one: one.col)]
