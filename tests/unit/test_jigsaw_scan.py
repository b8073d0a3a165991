"""Scans of fragments: every one found, straight, and named if it cannot be read."""

import io
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, TiffImagePlugin
from scipy.ndimage import gaussian_filter

import dovetail
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.source import Source
from dovetail.jigsaw.cutting import built_in, cut, listed
from dovetail.jigsaw.formats import PNG, ZIP
from dovetail.jigsaw.images import Pixels, png_bytes
from dovetail.jigsaw.puzzle import Jigsaw, Making, Reading
from dovetail.jigsaw.scan import seams as scan_seams
from dovetail.jigsaw.scan.draw import OUTLINE, draw_sheets
from dovetail.jigsaw.scan.making import GROUNDS, laid_out, make
from dovetail.jigsaw.scan.puzzle import Place, Scanned
from dovetail.jigsaw.scan.reading import looks_like_scan, pages, read_scans

LIGHT, DARK = GROUNDS["light"], GROUNDS["dark"]


@cache
def pieces(height: int = 56, width: int = 56, count: int = 6) -> Pixels:
    """Parts of a photograph, no two from the same place."""
    whole = built_in("coffee")[40:360, 60:560]
    return cut(whole, height, width)[:count]


@cache
def laid(ground: tuple[int, ...], noise: float = 3.0, shadow: float = 0.4) -> tuple[Pixels, list[Place]]:
    sheets, places = laid_out(pieces(), np.random.default_rng(5), ground=ground, noise=noise, shadow=shadow)
    return sheets[0], places


def read(sheet: Pixels, **settings: object) -> Scanned:
    return read_scans([("sheet", sheet)], Reading(**settings))  # type: ignore[arg-type]


def refused(sheet: Pixels, says: str, error: type[Exception] = BadInput, **settings: object) -> None:
    with pytest.raises(error) as caught:
        read(sheet, **settings)
    assert says in str(caught.value) and len(str(caught.value)) < 400, str(caught.value)


def straight(fragments: Pixels, colour: int, apart: int = 30) -> Pixels:
    """Fragments in one row, as they are, on an even ground."""
    count, height, width = fragments.shape[:3]
    sheet = np.full((height + 2 * apart, count * (width + apart) + apart, 3), colour, np.uint8)
    for number, fragment in enumerate(fragments):
        left = apart + number * (width + apart) + 3 * (number % 2)
        sheet[apart : apart + height, left : left + width] = fragment
    return sheet


@pytest.mark.parametrize("ground", [LIGHT, DARK], ids=["light", "dark"])
def test_fragments_are_found_to_a_fraction_of_a_pixel(ground: tuple[int, ...]) -> None:
    sheet, places = laid(ground)
    found = read(sheet)
    assert (found.count, found.height, found.width, found.rows) == (6, 56, 56, None)
    for seen, lay in zip(found.places, places, strict=True):
        assert abs(seen.row - lay.row) < 0.35 and abs(seen.col - lay.col) < 0.35
        assert abs(seen.angle - lay.angle) < 0.6


def test_what_is_straightened_is_the_fragment_to_its_rim() -> None:
    sheet, _ = laid(DARK, noise=0.0)
    ours, theirs = read(sheet).array.astype(float), pieces().astype(float)
    light = ours.mean(axis=(1, 2, 3), keepdims=True) / theirs.mean(axis=(1, 2, 3), keepdims=True)
    off = np.abs(ours - light * theirs).mean(axis=(0, 3))
    assert off[4:-4, 4:-4].mean() < 3
    rim = np.concatenate([off[0], off[-1], off[:, 0], off[:, -1]])
    assert rim.mean() < 8  # the ground is some 100 levels away


def test_fragments_that_lie_straight_keep_their_pixels() -> None:
    found = read(straight(pieces(), 30))
    assert np.array_equal(found.array, pieces())
    assert all(abs(place.angle) < 0.05 for place in found.places)


def test_a_rim_like_the_ground_is_not_cut_off() -> None:
    worn = pieces().copy()
    worn[2, :, :14] = 240  # as light as the ground
    worn[3, :9] = 240
    worn[4, 20:30] = 240  # in two parts
    found = read(straight(worn, 240))
    assert np.array_equal(found.array, worn)


def test_specks_are_no_fragments() -> None:
    sheet, _ = laid(LIGHT)
    dusty = sheet.copy()
    dusty[3:7, 60:65] = 0
    dusty[-6:-3, 10:16] = (200, 0, 0)
    assert read(dusty).count == 6


def test_what_is_no_fragment_is_named_and_left_out_only_if_that_is_said() -> None:
    whole = straight(pieces(), 30)
    cut_off = whole[:, 56:]
    refused(cut_off, "is cut off by the rim of the sheet; scan it again, or set pieces=5 to leave that out")
    left = read(cut_off, pieces=5)
    assert left.count == 5 and len(left.left_out) == 1 and "1 other" in left.found_out[0]
    refused(whole, "pieces is set to 7, but 6 fragments are found (56x56 pixels)", BadUsage, pieces=7)
    touching = whole.copy()
    touching[30:86, 86:119] = touching[30:86, 30:63]
    refused(touching, "do some touch?")
    small = whole.copy()
    small[62:86, 30:86] = 30
    refused(small, "at row 46, column 58 is about ")


def test_other_shapes_are_refused() -> None:
    rows, cols = np.mgrid[:56, :56]
    round_ones = pieces().copy()
    round_ones[:, (rows - 27.5) ** 2 + (cols - 27.5) ** 2 > 27.5**2] = 30
    sheet = straight(round_ones, 30)
    assert not looks_like_scan(sheet)
    refused(sheet, "rectang")
    refused(np.full((200, 200, 3), 9, np.uint8), "shows 0 rectangular fragments")


def test_scans_are_recognised_and_other_pictures_are_not() -> None:
    assert looks_like_scan(laid(LIGHT)[0]) and looks_like_scan(laid(DARK)[0])
    tiles = np.random.default_rng(0).permutation(cut(built_in("coffee"), 40, 40)).reshape(10, 15, 40, 40, 3)
    scrambled = tiles.swapaxes(1, 2).reshape(400, 600, 3)
    noise = np.random.default_rng(1).integers(0, 256, (200, 200, 3), np.uint8)
    for other in (built_in("coffee"), built_in("moon"), scrambled, noise, np.zeros((90, 90, 1), np.uint8)):
        assert not looks_like_scan(other)


def test_straight_fragments_in_even_rows_are_no_scan() -> None:
    rows = cut(built_in("chelsea")[:280, :440], 40, 40).reshape(7, 11, 40, 40, 3)
    sheet = np.full((7 * 46 + 6, 11 * 46 + 6, 3), 250, np.uint8)
    for row, col in np.ndindex(7, 11):
        sheet[6 + 46 * row : 46 + 46 * row, 6 + 46 * col : 46 + 46 * col] = rows[row, col]
    (puzzle,) = PNG.read(Source("sheet.png", png_bytes(sheet, {})), Reading())
    assert not isinstance(puzzle, Scanned) and puzzle.size == "7x11"
    assert np.array_equal(read(sheet).array, rows.reshape(-1, 40, 40, 3)), "as a scan it is read as well"


def test_settings_decide() -> None:
    sheet, _ = laid(LIGHT)
    source = Source("sheet.png", png_bytes(sheet, {}))
    (puzzle,) = PNG.read(source, Reading(rows=2, rotate=True))
    assert isinstance(puzzle, Scanned) and puzzle.size == "2x3" and puzzle.rotate
    with pytest.raises(BadInput):
        PNG.read(source, Reading(scan=False))
    refused(sheet, "spacing is for pieces in even rows", BadUsage, spacing=3)
    refused(sheet, "a scan shows one side", BadUsage, sides=2)
    refused(sheet, "piece is set to 99, but the fragments found are of 56x56 pixels", BadUsage, piece="99")
    trimmed = read(sheet, piece="54", mixed=True)
    assert trimmed.width == 54 and trimmed.mixed


def test_several_sheets(tmp_path: Path) -> None:
    settings = Making(image="coffee", piece="100", scan=True, sheet=14, noise=2.0, brightness=0.05, ground="blue")
    puzzle, truth = make(settings, 3)
    assert isinstance(puzzle, Scanned) and [place.sheet for place in puzzle.places] == [0] * 14 + [1] * 10
    with pytest.raises(BadUsage, match="these are 2 sheets"):
        PNG.write(puzzle)
    packed = ZIP.write(puzzle)
    (again,) = ZIP.read(Source("sheets.zip", packed), Reading())
    assert again.digest == puzzle.digest
    zipfile.ZipFile(io.BytesIO(packed)).extractall(tmp_path)
    assert ZIP.read(Source("folder", folder=tmp_path), Reading())[0].digest == puzzle.digest
    images = [Image.open(path) for path in sorted(tmp_path.iterdir())]
    tiff = io.BytesIO()
    images[0].save(tiff, "TIFF", save_all=True, append_images=images[1:])
    assert PNG.read(Source("pages.tif", tiff.getvalue()), Reading())[0].digest == puzzle.digest
    answer = dovetail.solve(puzzle, effort="fast")
    assert answer.solution is not None
    assert dovetail.check(puzzle, answer.solution, truth).scores["neighbour"] > 0.9


def test_a_damaged_second_page_is_said_in_one_sentence() -> None:
    page = Image.new("RGB", (300, 200), (20, 20, 20))
    tiff = io.BytesIO()
    page.save(tiff, "TIFF", save_all=True, append_images=[page], compression="tiff_lzw")
    data, image = bytearray(tiff.getvalue()), TiffImagePlugin.TiffImageFile(io.BytesIO(tiff.getvalue()))
    image.seek(1)
    begin = image.tag_v2[273][0]  # where its first lines are
    data[begin : begin + 300] = b"\xff" * 300
    with pytest.raises(BadInput, match=r"cannot read page 2 of pages.tif: it is a (damaged|truncated) TIFF file"):
        pages(bytes(data), "pages.tif", np.asarray(page))
    assert [name for name, _ in pages(tiff.getvalue(), "pages.tif", np.asarray(page))] == [
        "page 1 of pages.tif",
        "page 2 of pages.tif",
    ]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (Making(scan=True, ground="pink"), "ground is one of dark, grey, light, blue, or a colour like"),
        (Making(scan=True, back="coffee", piece="100"), "fragments on a sheet show one side"),
    ],
)
def test_what_cannot_be_made(settings: Making, says: str) -> None:
    with pytest.raises(BadUsage, match=says):
        make(settings, 0)


def test_oblong_fragments_may_lie_crosswise_if_that_is_said() -> None:
    oblong = pieces(40, 64, 6)
    crosswise = [np.rot90(fragment, number % 2) for number, fragment in enumerate(oblong)]
    sheet = np.full((130, 6 * 100 + 40, 3), 20, np.uint8)
    for number, fragment in enumerate(crosswise):
        left = 30 + 100 * number
        sheet[30 : 30 + fragment.shape[0], left : left + fragment.shape[1]] = fragment
    refused(sheet, "lies crosswise (set rotate=true")
    found = read(sheet, rotate=True)
    assert (found.height, found.width, found.turns) == (40, 64, (0, 2))
    for seen, fragment in zip(found.array, oblong, strict=True):
        off = min(np.abs(seen.astype(int) - np.rot90(fragment, turn)).mean() for turn in (0, 2))
        assert off < 4


def test_alpha_and_16_bits() -> None:
    sheet, _ = laid(DARK)
    deep = (sheet[:, :, :1].astype(np.uint16) * 257).copy()
    assert read(deep).depth == 16 and read(deep).channels == 1
    alpha = np.zeros((*straight(pieces(), 0).shape[:2], 4), np.uint8)
    alpha[:, :, :3] = straight(pieces(), 255)
    alpha[:, :, 3] = np.where((alpha[:, :, :3] != 255).any(axis=2), 255, 0)
    found = read(alpha)
    assert found.channels == 3 and np.abs(found.array.astype(int) - pieces()).mean() < 1


def test_a_large_sheet_is_looked_at_reduced() -> None:
    sheet, places = laid(DARK)
    large = np.asarray(Image.fromarray(sheet[:, :, 1]).resize((sheet.shape[1] * 8, sheet.shape[0] * 8)))
    found = read(large[:, :, None])
    assert found.count == 6 and abs(found.width - 8 * 56) < 4
    for seen, lay in zip(found.places, places, strict=True):
        assert abs(seen.row - (8 * lay.row + 3.5)) < 3 and abs(seen.angle - lay.angle) < 0.6


def test_sheets_are_drawn_with_numbers_and_outlines() -> None:
    sheet, places = laid(LIGHT)
    found = read(sheet)
    drawn = draw_sheets(found).pixels
    assert drawn.shape == sheet.shape
    orange = (drawn == OUTLINE).all(axis=2)
    row, col = places[0].outside(-56 / 2 - 1.2, 0)
    assert orange[round(row) - 2 : round(row) + 3, round(col) - 2 : round(col) + 3].any()
    inner = places[0].outside(-20, -20)
    assert np.array_equal(drawn[round(inner[0]), round(inner[1])], sheet[round(inner[0]), round(inner[1])])
    assert dovetail.draw(found).png() == draw_sheets(found).png()


# seams


def worn(noise: float) -> Pixels:
    """Six neighbours in two rows, some lighter than others, with noise."""
    rng = np.random.default_rng(2)
    fragments = cut(built_in("chelsea")[60:180, 150:330], 60, 60) * rng.uniform(0.9, 1.1, (6, 1, 1, 1))
    return np.clip(np.rint(fragments + rng.normal(0, noise, fragments.shape)), 0, 255).astype(np.uint8)


def overexposed_in_places() -> Jigsaw:
    """The same, with blue that is cut off at half of one fragment's rim, and red and green at a part of another's."""
    fragments = worn(0.0)
    fragments[0, :, 25:, 2] = 255
    fragments[1, :22, :, :2] = 255
    return listed(fragments, (2, 3))


def left_of(channels: list[int], look: scan_seams.Scale, inverse: str, edge: int) -> scan_seams.Reals:
    """The inverse of what may differ in these channels, with nothing in the others."""
    form: scan_seams.Reals = getattr(look, inverse)[edge, 7 - sum(1 << channel for channel in channels)]
    return form


@pytest.mark.parametrize("puzzle", [listed(worn(3.0), (2, 3)), overexposed_in_places()], ids=["noisy", "overexposed"])
def test_pairs_are_measured_as_by_hand(puzzle: Jigsaw) -> None:
    """The light that two fragments differ by, and the factor, are found by trying many."""
    looks = scan_seams.prepared(puzzle)[1]
    ours, theirs = np.array([1, 5], np.int32), np.array([3, 7, 23], np.int32)
    measured = scan_seams.measures(looks, ours, theirs)
    for a, one in enumerate(ours):
        for b, other in enumerate(theirs):
            expected = by_hand(looks, int(one), int(other))
            assert measured[a, b] == pytest.approx(np.log(np.array(expected) + scan_seams.LEAST), abs=0.02)


def by_hand(looks: list[scan_seams.Scale], one: int, other: int) -> list[float]:
    """All measures of a pair, before logarithms are taken."""
    found, of_light, share = [], 0.0, 0.0
    for scale, look in enumerate(looks):
        ours, theirs = look.rims[one], look.rims[other][::-1]
        bright = [np.array([[bits >> k & 1 for k in range(3)] for bits in look.over[edge]]) for edge in (one, other)]
        bright[1] = bright[1][::-1]
        either = bright[0] | bright[1]
        known = [[k for k in range(3) if not row[k]] for row in either]

        def form(
            name: str, channels: list[int], look: scan_seams.Scale = look, pair: tuple[int, int] = (one, other)
        ) -> scan_seams.Reals:
            return (left_of(channels, look, name, pair[0]) + left_of(channels, look, name, pair[1])) / 2

        lights = np.linspace(-0.8, 0.8, 3201)
        costs = (lights / scan_seams.LIGHT) ** 2
        for at, channels in enumerate(known):
            rests = (ours[at] - theirs[at])[None] - lights[:, None]
            costs = costs + np.einsum("li,ij,lj->l", rests, form("across", channels), rests)
            for k in set(range(3)) - set(channels):
                lighter, darker = (ours, theirs) if bright[0][at, k] else (theirs, ours)
                if bright[0][at, k] != bright[1][at, k]:
                    beyond = max(0.0, lighter[at, k] - darker[at, k] - scan_seams.SLACK)
                    costs = costs + beyond**2 * form("across", [k])[k, k]
        found.append(costs.min() / len(ours))
        if scale < scan_seams.ALONG:
            steps, changed = np.diff(ours - theirs, axis=0), 0.0
            for at, step in enumerate(steps):
                both = [k for k in known[at] if k in known[at + 1]]
                changed += step @ form("along", both) @ step
            found.append(changed / len(steps))
        levels, others = look.levels[one], look.levels[other][::-1]
        factors = np.exp(np.linspace(-1.5, 1.5, 6001))
        costs = np.zeros(len(factors))
        for at, channels in enumerate(known):
            rests = levels[at] / np.sqrt(factors)[:, None] - others[at] * np.sqrt(factors)[:, None]
            costs += np.einsum("li,ij,lj->l", rests, form("factors", channels), rests)
        found.append(costs.min() / len(levels))
        if scale == scan_seams.OF_LIGHT:
            of_light = (np.log(factors[costs.argmin()]) / scan_seams.LIGHT) ** 2
            share = float(either.mean())
    return [*found, of_light, share]


def test_what_may_differ_is_asked_by_itself_for_channels_that_are_left() -> None:
    products = np.array([[[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]])
    found = scan_seams.forms(products, 0.0)[0]
    assert found[0] == pytest.approx(np.linalg.inv(products[0]))
    assert found[0b100][:2, :2] == pytest.approx(1.5 * np.linalg.inv(products[0, :2, :2]))
    assert not found[0b100][2].any() and not found[0b100][:, 2].any() and not found[0b111].any()
    assert found[0b011] == pytest.approx(np.diag([0, 0, 3 / 2.0]))


def test_what_is_as_light_as_can_be_is_seen_through_noise() -> None:
    """Blue of one half; and what is white all over is compared as it is."""
    rng = np.random.default_rng(3)
    levels = rng.uniform(40, 200, (4, 60, 60, 3))
    levels[1, :, :30, 2] = 250.0
    levels[2] = 250.0
    noisy = levels + rng.normal(0, 2, levels.shape)
    over = scan_seams.overexposed(np.clip(noisy, 0, 255))
    assert over[1, 5:-5, 3:27, 2].mean() > 0.9 and over[2].mean() > 0.9
    assert not over[0].any() and not over[3].any() and not over[1, ..., :2].any() and not over[1, :, 33:].any()
    looks = scan_seams.prepared(listed(np.clip(np.rint(noisy), 0, 255).astype(np.uint8), (2, 2)))[0]
    assert set(looks[3].over[4 * 1]) == {0, 0b100}
    assert not looks[3].over[4 * 2 : 4 * 3].any()


def test_a_neighbour_is_found_by_the_channels_that_are_not_overexposed() -> None:
    """Blue is cut off in every second fragment."""
    fragments = cut(gaussian_filter(built_in("chelsea")[60:180, 150:330], (2, 2, 0)), 60, 60).astype(float)
    fragments[::2, ..., 2] = 255
    beside = found_pairs(listed(np.rint(fragments).astype(np.uint8), (2, 3)))
    for left, right in ((0, 1), (1, 2), (3, 4), (4, 5)):
        assert beside(4 * left + 1) == 4 * right + 3


def found_pairs(puzzle: Jigsaw) -> Callable[[int], int]:
    work = scan_seams.paired(puzzle)
    while True:
        try:
            next(work)
        except StopIteration as ended:
            edges = ended.value.edges
            return lambda edge: int(edges[edge, 0])


def test_true_neighbours_come_first_turned_or_not() -> None:
    upright = found_pairs(listed(worn(4.0), (2, 3)))
    for left, right in ((0, 1), (1, 2), (3, 4), (4, 5)):
        assert upright(4 * left + 1) == 4 * right + 3
    lying = worn(4.0)
    lying[1] = np.rot90(lying[1], 1)  # its eastern side is the northern one now
    turned = found_pairs(listed(lying, (2, 3), rotate=True))
    assert turned(4 * 1 + 0) == 4 * 2 + 3
    smooth = listed(np.rint(gaussian_filter(worn(0.0), (0, 3, 3, 0))).astype(np.uint8), (2, 3))
    assert found_pairs(smooth)(4 * 3 + 1) == 4 * 4 + 3
