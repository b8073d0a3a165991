"""Puzzles with gaps: cut, written, read, told with --set, judged, drawn; who solves them and who says why not."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import dovetail as package
from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.jigsaw import draw
from dovetail.jigsaw.cutting import built_in, listed
from dovetail.jigsaw.draw import GROUND
from dovetail.jigsaw.gapped import Gapped, GappedKind, Making, with_gaps
from dovetail.jigsaw.gapped_cutting import cut_gapped, in_colour, made
from dovetail.jigsaw.gapped_draw import HINT, MISTAKE
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.puzzle import Jigsaw
from support.command import dovetail

KIND = GappedKind()


def noise(rows: int, cols: int, side: int = 8, gap: int = 2, hints: tuple[tuple[int, int], ...] = ()) -> Gapped:
    pixels = np.random.default_rng(1).integers(0, 256, (rows * cols, side, side, 3), np.uint8)
    return with_gaps(listed(pixels, (rows, cols)), gap, hints)


def row_by_row(numbers: list[int], cols: int = 2) -> Placement:
    return Placement.from_flat(numbers, [0] * len(numbers), cols)


# cutting


def naive_cut(pixels: Pixels, rows: int, cols: int, patch: int, gap: int) -> NDArray[np.uint8]:
    """By Pillow alone: the middle, scaled, then one crop a patch."""
    width, height = cols * patch + (cols - 1) * gap, rows * patch + (rows - 1) * gap
    image = Image.fromarray(pixels)
    scale = min(image.width / width, image.height / height)
    wide, high = round(width * scale), round(height * scale)
    left, top = (image.width - wide) // 2, (image.height - high) // 2
    small = image.crop((left, top, left + wide, top + high)).resize((width, height), Image.Resampling.LANCZOS)
    boxes = [(c * (patch + gap), r * (patch + gap)) for r in range(rows) for c in range(cols)]
    return np.stack([np.asarray(small.crop((x, y, x + patch, y + patch))) for x, y in boxes])


@pytest.mark.parametrize("grid", [(3, 3), (2, 5), (4, 1)])
@pytest.mark.parametrize(("patch", "gap"), [(40, 4), (16, 0), (10, 25)])
def test_patches_are_cut_from_the_scaled_middle(grid: tuple[int, int], patch: int, gap: int) -> None:
    pixels = built_in("coffee")
    assert (cut_gapped(pixels, *grid, patch, gap) == naive_cut(pixels, *grid, patch, gap)).all()


def test_the_middle_is_cut_whatever_the_sides_of_the_picture() -> None:
    """Left and right of a wide picture, above and below of a high one, are left."""
    wide = np.zeros((30, 90, 3), np.uint8)
    wide[:, 30:60] = 200
    for picture in (wide, wide.swapaxes(0, 1)):
        assert (cut_gapped(picture, 3, 3, 10, 0) == 200).all()


def test_every_picture_becomes_colour_of_8_bits() -> None:
    grey = np.array([[[0], [51], [255]]], np.uint8)
    assert in_colour(grey).tolist() == [[[0] * 3, [51] * 3, [255] * 3]]
    assert in_colour(grey.astype(np.uint16) * 257).tolist() == in_colour(grey).tolist()
    glass = np.array([[[10, 20, 30, 0], [10, 20, 30, 255]]], np.uint8)
    assert in_colour(glass).tolist() == [[[255] * 3, [10, 20, 30]]], "what is transparent lies on white"
    assert cut_gapped(glass, 1, 2, 4, 1).shape == (2, 4, 4, 3), "even of two pixels"


def test_the_truth_puts_the_picture_together_and_hints_are_of_it() -> None:
    pixels = built_in("astronaut")
    for hints, told in (("0", 0), ("centre", 1), ("4", 4), ("15", 15)):
        puzzle, truth = made(pixels, Making(grid="3x5", hints=hints), seed=2)
        order = np.array(truth.pieces).ravel()
        assert (puzzle.array[order] == cut_gapped(pixels, 3, 5, 40, 4)).all()
        assert len(puzzle.hints) == told and all(order[cell] == patch for patch, cell in puzzle.hints)
        assert sorted(order) == [*range(15)] != order.tolist()
    assert [cell for _, cell in made(pixels, Making(hints="centre"), seed=0)[0].hints] == [4]
    plain, hinted = (made(pixels, Making(hints=hints), seed=9)[0] for hints in ("0", "3"))
    assert (plain.pixels, plain.gap) == (hinted.pixels, hinted.gap), "hints do not change how it is shuffled"


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("grid=41x2", "grid is ROWSxCOLUMNS"),
        ("grid=1", "grid is ROWSxCOLUMNS"),
        ("grid=axb", "not 'axb'"),
        ("grid=4x4 hints=centre", "a grid of 4x4 has no patch in its centre"),
        ("hints=10", "a number from 0 to 9"),
        ("hints=-1", "not '-1'"),
        ("gap=-1", "gap must be at least 0"),
        ("patch=1", "patch must be at least 2"),
        ("patch=4096 grid=40x40", "larger than"),
        ("image=nowhere.png", "no picture 'nowhere.png'"),
    ],
)
def test_what_cannot_be_made_is_said(setting: str, says: str) -> None:
    given = [part for pair in setting.split() for part in ("--set", pair)]
    result = dovetail("make", "gapped", *given, "--out", "puzzle.png", "--truth", "truth.json")
    assert result.status == 2 and says in result.err and result.is_one_sentence() and len(result.err) < 400
    assert not [*Path.cwd().iterdir()]


# what a puzzle is


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rows": None, "cols": None}, "frame of a puzzle with gaps must be known"),
        ({"height": 4, "width": 16}, "are square"),
        ({"rotate": True}, "lie upright"),
        ({"gap": -1}, "0 to 4096 pixels"),
        ({"hints": ((4, 0),)}, "no patch 4"),
        ({"hints": ((0, 4),)}, "no cell 4"),
        ({"hints": ((0, 1), (0, 2))}, "two hints name the same patch"),
        ({"hints": ((0, 1), (2, 1))}, "two hints name the same cell"),
    ],
)
def test_what_cannot_be_a_puzzle_is_said(change: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        replace(noise(2, 2), **change)  # type: ignore[arg-type]


def test_equal_puzzles_have_equal_digests_and_others_do_not() -> None:
    puzzle = noise(2, 2, hints=((0, 1), (3, 2)))
    assert puzzle == noise(2, 2, hints=((3, 2), (0, 1))) and puzzle.hints == ((0, 1), (3, 2))
    others = (replace(puzzle, gap=3), replace(puzzle, hints=()), listed(puzzle.array, (2, 2)))
    assert len({each.digest for each in (puzzle, *others)}) == 4
    assert others[2] != noise(2, 2, gap=0), "a jigsaw is not a puzzle with gaps of nothing"


# files


@pytest.mark.parametrize("form", ["json", "png", "zip"])
@pytest.mark.parametrize("kind", [None, "gapped"])
def test_our_files_know_gap_and_hints(form: str, kind: str | None) -> None:
    puzzle = noise(2, 3, hints=((5, 0), (1, 4)))
    Path("file").write_bytes(pipeline.convert(puzzle, form))
    assert pipeline.read(Path("file"), kind=kind) == puzzle


def test_fewer_patches_than_cells() -> None:
    whole = noise(2, 3, hints=((1, 5),))
    puzzle = with_gaps(listed(whole.array[:4], (2, 3)), 2, whole.hints)
    Path("file.png").write_bytes(pipeline.convert(puzzle, "png"))
    assert pipeline.read("file.png") == puzzle and puzzle.missing == 2


def sheet(puzzle: Jigsaw, spacing: int) -> None:
    """Patches in rows with ``spacing`` between them, and a folder of them, as nobody but the user knows them."""
    assert puzzle.rows is not None and puzzle.cols is not None
    side = puzzle.height + spacing
    canvas = Image.new("RGB", (puzzle.cols * side - spacing, puzzle.rows * side - spacing))
    Path("folder").mkdir()
    for number, patch in enumerate(puzzle.array):
        canvas.paste(Image.fromarray(patch), (number % puzzle.cols * side, number // puzzle.cols * side))
        Image.fromarray(patch).save(f"folder/{number}.png")
    canvas.save("sheet.png")


@pytest.mark.parametrize("spacing", [0, 3])
def test_strange_sheets_and_folders_are_told_with_settings(spacing: int) -> None:
    puzzle = noise(2, 3, gap=4)
    sheet(puzzle, spacing)
    for kind in (None, "gapped"):
        for where in ("sheet.png", "folder"):
            given = {"gap": 4, "rows": 2, "cols": 3, **({"spacing": spacing} if where == "sheet.png" else {})}
            assert pipeline.read(where, kind, **given) == puzzle
            told = pipeline.read(where, kind, **given, hints="2:3:1 1:1:6")
            assert told == replace(puzzle, hints=((0, 5), (5, 0)))
    assert pipeline.read("sheet.png", piece=8, spacing=spacing) == listed(puzzle.array, (2, 3)), "no gap, a jigsaw"


@pytest.mark.parametrize(
    ("where", "given", "says"),
    [
        ("folder", "rows=2 cols=3 --kind=gapped", "does not say how wide the gaps are"),
        ("folder", "gap=4", "set rows and cols too"),
        ("folder", "gap=4 rows=2 rotate=true", "lie upright"),
        ("folder", "gap=4 rows=2 hints=3:1:1", "no cell 6"),
        ("folder", "gap=4 rows=2 hints=1:4:1", "row:column:patch"),
        ("folder", "gap=4 rows=2 hints=one", "not 'one'"),
        ("folder", "rows=2 hints=1:1:1", "set gap too"),
        ("sheet.png", "gap=4 rows=2", "does not say how large its pieces are"),
        ("sheet.png", "gap=4 rows=5 cols=5", "does not say how large its pieces are"),
        ("own.png", "gap=3", "gap cannot be set to 3: in own.png it is 2"),
        ("own.png", "hints=1:1:1", "this puzzle has others already"),
        ("own.json", "gap=2", "says it already"),
    ],
)
def test_settings_that_do_not_go_with_a_file_are_refused(where: str, given: str, says: str) -> None:
    puzzle = noise(2, 3, hints=((2, 1),))
    sheet(puzzle, 0)
    for form in ("png", "json"):
        Path(f"own.{form}").write_bytes(pipeline.convert(puzzle, form))
    pairs = [part for pair in given.split() for part in ([pair] if pair.startswith("--") else ["--set", pair])]
    result = dovetail("solve", where, *pairs)
    assert result.status == 2 and says in result.err and result.is_one_sentence() and len(result.err) < 400


def test_settings_that_agree_with_a_file_are_fine() -> None:
    puzzle = noise(2, 3, hints=((2, 1),))
    Path("own.png").write_bytes(pipeline.convert(puzzle, "png"))
    assert pipeline.read("own.png", gap=2, rows=2, hints="1:2:3") == puzzle
    Path("plain.png").write_bytes(pipeline.convert(listed(puzzle.array, (2, 3)), "png"))
    assert pipeline.read("plain.png", gap=2, hints="1:2:3") == puzzle, "a sheet of ours that said nothing of gaps"


@pytest.mark.parametrize(
    ("key", "value"),
    [("gap", None), ("gap", 2.5), ("gap", True), ("hints", 3), ("hints", [[1]]), ("hints", [[0, "1"]])],
)
def test_json_that_is_no_puzzle_is_refused(key: str, value: object) -> None:
    data = {**noise(2, 2).encode(), key: value}
    with pytest.raises(BadInput, match=key):
        KIND.decode(data)


# checker


def test_scores_are_the_papers() -> None:
    puzzle, truth = noise(2, 2), row_by_row([2, 0, 3, 1])
    right = KIND.check(puzzle, truth, truth)
    assert right.solved and set(right.scores.values()) == {1.0}
    assert [*right.scores] == [
        "patch", "neighbour", "puzzle", "patch_content", "neighbour_content", "puzzle_content",
    ]  # fmt: skip
    shifted = KIND.check(puzzle, row_by_row([3, 1, 2, 0]), truth)  # the rows change places
    assert (shifted.solved, shifted.valid) == (False, True)
    assert (shifted.scores["patch"], shifted.scores["neighbour"], shifted.scores["puzzle"]) == (0.0, 0.5, 0.0)
    swapped = KIND.check(puzzle, row_by_row([2, 0, 1, 3]), truth)
    assert (swapped.scores["patch"], swapped.scores["neighbour"]) == (0.5, 0.25), "left and right are not the same"
    unknown = KIND.check(puzzle, truth)
    assert unknown.valid and unknown.solved is None and not unknown.scores


def test_patches_that_look_alike_are_the_same_by_content() -> None:
    pixels = noise(2, 2).array.copy()
    pixels[3] = pixels[0]
    puzzle = with_gaps(listed(pixels, (2, 2)), 2)
    verdict = KIND.check(puzzle, row_by_row([3, 1, 2, 0]), row_by_row([0, 1, 2, 3]))
    assert verdict.solved and not verdict.violations
    assert verdict.scores["patch"] == 0.5 and verdict.scores["puzzle"] == 0
    assert (
        verdict.scores["patch_content"] == verdict.scores["puzzle_content"] == verdict.scores["neighbour_content"] == 1
    )
    told = KIND.check(replace(puzzle, hints=((0, 0),)), row_by_row([3, 1, 2, 0]), row_by_row([0, 1, 2, 3]))
    assert told.solved is False, "a hint names a patch, not what it shows"


def test_hints_are_to_be_kept_and_all_patches_laid() -> None:
    puzzle, truth = noise(2, 2, hints=((0, 3),)), row_by_row([3, 1, 2, 0])
    assert KIND.check(puzzle, truth).solved is None
    for board in ([0, 1, 2, 3], [3, 1, 0, 2]):
        verdict = KIND.check(puzzle, row_by_row(board))
        assert verdict.valid and verdict.solved is False
        assert verdict.violations == (f"by a hint patch 0 lies at row 2, column 2, and patch {board[3]} does",)
    left_out = KIND.check(puzzle, row_by_row([3, 1, 2, EMPTY]), truth)
    assert left_out.violations[0] == "patch 0 is not laid" and "and nothing does" in left_out.violations[1]
    assert (left_out.solved, left_out.scores["patch"], left_out.scores["puzzle"]) == (False, 0.75, 0.0)
    assert not KIND.check(puzzle, row_by_row([3, 1, 2, 2])).valid, "twice"
    with pytest.raises(BadInput, match="truth"):
        KIND.check(puzzle, truth, row_by_row([0, 1, 2, EMPTY]))


# drawing


def pixels_of(puzzle: Gapped, solution: Placement | None) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(KIND.draw(puzzle, solution).png())) as image:
        return np.asarray(image.convert("RGB"))


def test_a_board_is_drawn_with_its_gaps_open() -> None:
    puzzle = noise(2, 3, side=20, gap=5)
    shown = pixels_of(puzzle, row_by_row([5, 4, 3, 2, 1, 0], 3))
    assert shown.shape == (45, 70, 3)
    gaps = np.ones((45, 70), np.bool_)
    for cell in range(6):
        top, left = cell // 3 * 25, cell % 3 * 25
        assert (shown[top : top + 20, left : left + 20] == puzzle.array[5 - cell]).all()
        gaps[top : top + 20, left : left + 20] = False
    assert (shown[gaps] == GROUND).all()


def test_hints_are_framed_and_red_where_they_are_broken() -> None:
    puzzle = noise(2, 2, side=20, gap=5, hints=((0, 0), (1, 3)))
    shown = pixels_of(puzzle, row_by_row([0, 1, 2, 3]))
    assert (shown[0, :20] == HINT).all() and (shown[25:45, 44] == MISTAKE).all()
    assert (shown[5:15, 5:15] == puzzle.array[0, 5:15, 5:15]).all(), "what it shows stays in sight"
    assert not (shown == HINT).all(axis=2)[:, 21:].any()
    begun = pixels_of(puzzle, None)
    laid = 10  # the margin of a table
    assert (begun[laid, laid : laid + 20] == HINT).all(), "in its cell"
    assert any((begun[top : top + 20, laid : laid + 20] == puzzle.array[2]).all() for top in range(45, len(begun) - 20))


def test_what_would_be_too_large_to_draw_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "MOST_PIXELS", 600)  # 16x16 without the gaps would do
    with pytest.raises(BadInput, match="26x26 pixels is too large"):
        KIND.draw(noise(2, 2, side=8, gap=10), row_by_row([0, 1, 2, 3]))


# solvers


def test_who_solves_them_and_who_says_why_not() -> None:
    offered = {solver.name: solver for solver in registry.solvers("jigsaw")}
    plain, hinted, jigsaw = noise(2, 2), noise(2, 2, hints=((0, 0),)), listed(noise(2, 2).array, (2, 2))
    assert offered["assembler"].accepts(plain).accepted
    assert offered["assembler"].accepts(plain).preference < offered["assembler"].accepts(jigsaw).preference
    assert offered["assembler"].accepts(hinted).accepted
    for name, puzzle, why in (("genetic", plain, "gaps"), ("genetic", hinted, "gaps")):
        fit = offered[name].accepts(puzzle)
        assert not fit.accepted and why in fit.why
    assert offered["genetic"].accepts(jigsaw).accepted


def test_from_the_command_line_made_solved_filmed_and_judged() -> None:
    made_so = ("--set", "image=astronaut", "--set", "gap=2", "--seed", 4, "--out", "s.png", "--truth", "truth.json")
    result = dovetail("make", "gapped", *made_so)
    assert result.status == 0 and "gapped 3x3" in result.out and "2 pixels between two patches" in result.out
    run = ("--solver", "assembler", "--solution", "laid.json", "--film", "film.gif", "--out", "laid.png", "--json")
    solved = dovetail("solve", "s.png", *run, "--quiet")
    assert solved.status == 0 and solved.report["puzzle"]["kind"] == "gapped"
    assert solved.report["outcome"]["counters"]["on_grid"] == 0
    with Image.open("film.gif") as film, Image.open("laid.png") as laid:
        assert getattr(film, "n_frames", 1) > 1 and laid.size == (124, 124)
    judged = dovetail("check", "s.png", "laid.json", "--truth", "truth.json", "--json")
    assert judged.status == 0 and judged.report["verdict"]["scores"]["puzzle"] == 1
    assert json.loads(Path("truth.json").read_text())["kind"] == "gapped"


def test_bad_hints_of_a_user_are_bad_usage() -> None:
    with pytest.raises(BadUsage, match="a hint is row:column:patch"):
        pipeline.read(_written(noise(2, 2)), hints="0:1:1")


def _written(puzzle: Gapped) -> Path:
    Path("some.png").write_bytes(pipeline.convert(puzzle, "png"))
    return Path("some.png")


def test_what_the_page_says_a_command_prints_is_what_it_prints() -> None:
    page = (Path(package.__file__).parents[2] / "docs" / "gapped.md").read_text()
    transcripts = re.findall(r"^\$ dovetail (.*)\n((?:(?!\$ |```).*\n)*)", page, re.MULTILINE)
    assert len(transcripts) == 3
    for command, said in transcripts:
        assert dovetail(*command.split()).out == said, command
