"""How sure the assembler is: chances, words, pieces nobody can tell apart, and the picture of all that."""

import io
import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import dovetail
from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.confidence import SURE, Confidence, Interchangeable
from dovetail.core.errors import BadUsage, Refused
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw import candidates
from dovetail.jigsaw.assembler import Assembler, Settings
from dovetail.jigsaw.confidence import judging as confidence
from dovetail.jigsaw.confidence.draw import BLUE, RED, YELLOW, colour_of
from dovetail.jigsaw.confidence.interchangeable import interchangeable
from dovetail.jigsaw.confidence.words import in_words
from dovetail.jigsaw.cutting import bagged, built_in, cut, listed
from dovetail.jigsaw.hints.told import Group, Lies
from dovetail.jigsaw.images import Pixels
from dovetail.jigsaw.poses import VOID, Fits
from dovetail.jigsaw.puzzle import Jigsaw, JigsawKind
from dovetail.workers import Inline
from support.command import dovetail as command
from support.jigsaws import finished, noise

DOCS = Path(dovetail.__file__).parents[2] / "docs"


def part(name: str, rows: int, cols: int, top: int = 40, left: int = 120) -> Pixels:
    pixels = built_in(name)[top : top + 28 * rows, left : left + 28 * cols]
    return cut(pixels, 28, 28).reshape(rows, cols, 1, 28, 28, -1)


PUZZLE, TRUTH = bagged([part("coffee", 6, 8)], np.random.default_rng(0))


@cache
def fits() -> Fits:
    """Not as long as tests are collected, which every process does: it has kernels to compile."""
    return finished(candidates.found(PUZZLE, Inline())).fits


def judged(placement: Placement, *others: Placement) -> Confidence:
    return confidence.judged(fits(), placement, others, False)


def exchanged(one: tuple[int, int], other: tuple[int, int]) -> Placement:
    pieces = np.array(TRUTH.pieces)
    pieces[one], pieces[other] = pieces[other], pieces[one]
    return Placement.from_flat(pieces.ravel().tolist(), [0] * pieces.size, pieces.shape[1])


def solved(puzzle: Jigsaw, steps: int) -> tuple[Confidence, Placement]:
    outcome = finished(Assembler().solve(puzzle, Settings(effort="fast", workers=1), Clock(Budget(steps=steps)), 0))
    assert isinstance(outcome.solution, Placement) and outcome.confidence is not None
    return outcome.confidence, outcome.solution


def numbers(chances: object) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    return np.array(chances, float)


# chances


def test_what_is_right_and_clear_is_sure() -> None:
    sure = judged(TRUTH, TRUTH)
    right, down, pieces = (numbers(each) for each in (sure.right, sure.down, sure.pieces))
    assert right.shape == down.shape == pieces.shape == (6, 8)
    assert np.isnan(right[:, -1]).all() and np.isnan(down[-1]).all() and not np.isnan(pieces).any()
    assert (right[:, :-1] >= SURE).mean() > 0.9 and (down[:-1] >= SURE).mean() > 0.9 and (pieces >= SURE).all()
    assert sure.words == "sure of all 48 pieces"


def test_pieces_that_changed_places_are_not() -> None:
    wrong = exchanged((2, 2), (4, 6))
    pieces = numbers(judged(wrong, wrong).pieces)
    assert pieces[2, 2] < 0.5 and pieces[4, 6] < 0.5
    assert (pieces >= SURE).sum() >= 48 - 2 - 8, "nor are those beside them, perhaps"
    right = numbers(judged(wrong, wrong).right)
    assert (right[2, 1:3] < 0.5).all() and (right[4, 5:7] < 0.5).all()


def test_boards_that_disagree_cast_doubt() -> None:
    wrong = exchanged((2, 2), (4, 6))
    alone, together = (numbers(judged(wrong, other).right) for other in (wrong, TRUTH))
    assert together[2, 1] <= alone[2, 1]


def test_what_is_told_of_a_seam_is_what_the_lists_say() -> None:
    board = confidence.poses_of(fits(), TRUTH)
    right, down = confidence.seam_inputs(fits(), board, [board], False)
    assert right.shape == (6, 7, confidence.SEAM_INPUTS) and down.shape == (5, 8, confidence.SEAM_INPUTS)
    for row, col, side, inputs in ((2, 3, 1, right[2, 3]), (0, 0, 2, down[0, 0]), (4, 7, 2, down[4, 7])):
        other = board[row, col + 1] if side == 1 else board[row + 1, col]
        ours = 4 * (board[row, col] // 4) + side
        theirs = 4 * (other // 4) + (side + 2) % 4
        pairs = dict(zip(fits().edges[ours].tolist(), fits().weights[ours].tolist(), strict=True))
        back = dict(zip(fits().edges[theirs].tolist(), fits().weights[theirs].tolist(), strict=True))
        own = pairs[int(theirs)] / 64
        rivals = [
            max(w for e, w in each.items() if e not in (VOID, mine)) / 64
            for each, mine in ((pairs, theirs), (back, ours))
        ]
        expected = [own, own - max(rivals), own - min(rivals)]
        assert inputs[:3] == pytest.approx(np.clip(expected, -confidence.CLIP, confidence.CLIP))
        assert inputs[11] == 1, "the other board agrees"


def test_what_is_told_by_a_person_is_sure() -> None:
    wrong = exchanged((2, 2), (4, 6))
    one, other = wrong.pieces[2][2], wrong.pieces[2][3]
    group = Group({one: Lies(2, 2, 0), other: Lies(2, 3, 0)}, True, {})
    sure = confidence.judged(fits(), wrong, [wrong], False, [group])
    assert sure.pieces[2][2] == sure.pieces[2][3] == sure.right[2][2] == 1


SORTS = {
    "turned": bagged([part("coffee", 4, 5)], np.random.default_rng(1), rotate=True)[0],
    "no frame, holes": bagged([part("coffee", 5, 5)], np.random.default_rng(1), missing=0.1, frame=False)[0],
    "mixed": bagged([part("coffee", 4, 4), part("chelsea", 4, 4)], np.random.default_rng(1))[0],
    "noise": noise((3, 4), (6, 6), 1),
    "flat": listed(np.zeros((6, 4, 4, 3), np.uint8), (2, 3)),
    "two pieces": noise((1, 2), (6, 6), 3),
    "two sides": listed(noise((6, 2), (6, 6), 3).array.reshape(-1, 2, 6, 6, 3), (2, 3)),
}


@pytest.mark.parametrize("name", SORTS)
def test_every_sort_of_puzzle_has_chances_where_something_lies(name: str) -> None:
    sure, solution = solved(SORTS[name], 3000)
    laid = np.array(solution.pieces) != EMPTY
    pieces, right, down = (numbers(each) for each in (sure.pieces, sure.right, sure.down))
    assert np.array_equal(~np.isnan(pieces), laid)
    assert np.array_equal(~np.isnan(right[:, :-1]), laid[:, :-1] & laid[:, 1:])
    assert np.array_equal(~np.isnan(down[:-1]), laid[:-1] & laid[1:])
    chances = np.concatenate([each[~np.isnan(each)] for each in (pieces, right, down)])
    assert ((chances >= 0) & (chances <= 1)).all()
    assert JigsawKind().draw_confidence(SORTS[name], solution, sure).png().startswith(b"\x89PNG")
    told = sure.to_json()
    assert told["words"] == sure.words and len(told["pieces"]) == len(solution.pieces)


# words


def test_regions_are_named() -> None:
    chances = np.full((9, 12), 0.99)
    assert in_words(chances, ()) == "sure of all 108 pieces"
    chances[0:2, 9:12] = 0.3
    chances[8, 0] = 0.6
    assert in_words(chances, ()) == (
        "sure of 101 of 108 pieces, all of rows 3–8; less so of 6 at the upper right (rows 1–2, columns 10–12) "
        "and 1 more at row 9, column 1"
    )
    chances[4, 4:8] = np.nan
    alike = (
        Interchangeable((1, 2, 3), "alike"),
        Interchangeable((4, 5), "featureless"),
        Interchangeable((6, 7), "alike"),
    )
    assert in_words(chances, alike).endswith("; interchangeable: 5 exactly alike and 2 with too little to see")
    assert in_words(chances, ()).startswith("sure of 97 of 104 pieces, all of rows 3–8")
    assert in_words(np.full((3, 3), 0.2), ()) == "sure of none of the 9 pieces"
    most = np.full((9, 9), 0.2)
    most[0] = 0.95
    assert in_words(most, ()) == "sure of 9 of 81 pieces; less so of 72 all over the board"
    few = np.full((9, 9), 0.95)
    few[4, 3:6] = 0.1
    assert in_words(few, ()).endswith("less so of 3 in the middle (row 5, columns 4–6)")
    few[3:7, 8] = 0.1
    assert "at the right (rows 4–7, column 9)" in in_words(few, ())


# pieces nobody can tell apart


def test_pieces_that_look_alike_are_named() -> None:
    puzzle = SORTS["flat"]
    fits = finished(candidates.found(puzzle, Inline())).fits
    groups = interchangeable(fits, np.arange(6).reshape(2, 3) * 4, np.full((2, 3), 0.9))
    assert groups == (Interchangeable((0, 1, 2, 3, 4, 5), "alike"),)


def test_pieces_that_show_nothing_are_named() -> None:
    """A noisy picture with a corner that shows noise alone."""
    pixels = np.array(built_in("coffee")[40:208, 120:344])
    pixels[:84, :84] = 128
    pixels = np.clip(pixels + np.random.default_rng(0).normal(0, 5, pixels.shape), 0, 255).astype(np.uint8)
    puzzle, truth = bagged([cut(pixels, 28, 28).reshape(6, 8, 1, 28, 28, 3)], np.random.default_rng(0))
    sure, _ = solved(puzzle, 20_000)
    corner = {piece for row in truth.pieces[:3] for piece in row[:3]}
    named = {piece for group in sure.interchangeable for piece in group.pieces}
    assert len(named & corner) >= 4 and len(named - corner) <= 2
    assert "with too little to see" in sure.words


# the picture


def test_colours_say_how_sure_seams_are() -> None:
    assert [colour_of(chance) for chance in (1, SURE, 0.89, 0.5, 0.49, 0)] == [BLUE, BLUE, YELLOW, YELLOW, RED, RED]
    grid = ((0.95, 0.7, 0.2, None),) * 2
    sure = Confidence(((0.95, 0.95, 0.2, 0.2),) * 2, grid, (grid[0], (None,) * 4), "")
    puzzle = listed(np.zeros((8, 40, 40, 3), np.uint8), (2, 4))
    placement = Placement.from_flat(list(range(8)), [0] * 8, 4)
    image = np.array(Image.open(io.BytesIO(JigsawKind().draw_confidence(puzzle, placement, sure).png())))
    scale = image.shape[1] // 160
    assert image.shape[1] >= 640 and image.shape[0] > 80 * scale
    for col, colour in ((1, BLUE), (2, YELLOW), (3, RED)):
        assert tuple(image[20 * scale, 40 * scale * col]) == colour
        assert tuple(image[40 * scale, 40 * scale * col - 20 * scale]) == colour
    assert image[10 * scale, 10 * scale].sum() == 0 and image[10 * scale, 150 * scale].sum() > 300, "a veil"


def test_the_command_line_draws_and_reports_it(tmp_path: Path) -> None:
    (tmp_path / "puzzle.json").write_bytes(pipeline.convert(PUZZLE, "json"))
    file, picture = tmp_path / "puzzle.json", tmp_path / "sure.svg"
    result = command("solve", file, "--confidence", picture, "--json", "--set", "effort=fast")
    assert result.status == 0 and b"<svg" in picture.read_bytes()
    told = result.report["confidence"]
    assert told["sure_pieces"] == 1 and 0.9 < told["sure_seams"] <= 1
    assert told["right"][0][-1] is None and len(told["down"]) == 6
    shown = command("solve", file, "--set", "effort=fast")
    assert "\n  sure of all 48 pieces\n" in shown.out
    refused = command("solve", file, "--solver", "genetic", "--confidence", picture)
    assert refused.is_one_sentence() and "genetic does not say how sure it is" in refused.err
    assert command("solve", file, "--confidence", tmp_path / "sure.jpg").is_one_sentence()
    with pytest.raises(BadUsage, match="no picture of how sure"):
        registry.kind("terracotta").draw_confidence(PUZZLE, TRUTH, judged(TRUTH))
    with pytest.raises(Refused, match="these do: assembler"):
        pipeline.refuse_unsure(PUZZLE, "genetic")


# the pages


@pytest.mark.parametrize("page", ["steering.md", "confidence.md"])
def test_what_a_page_says_a_command_prints_is_what_it_prints(page: str, tmp_path: Path) -> None:
    """Files that a page shows with ``cat`` are written; seconds are of the day, and so is how long it went on."""

    def masked(text: str) -> str:
        text = "".join(line for line in text.splitlines(keepends=True) if not re.search(r", \d+ s$", line))
        text = re.sub(r"in \d+\.\d+ s", "in … s", text)
        # on which of two boards the doubtful pieces differ hangs on how a processor rounds
        text = re.sub(r"sure of \d+ of 216 pieces, .*", "sure of … of 216 pieces, …", text)
        return re.sub(r"moves [\d.]+ ?[kMG]?, log odds [\d.]+ ?k?,", "moves …, log odds …,", text)

    transcripts = "".join(re.findall(r"```\n(\$ .*?)```", (DOCS / page).read_text(), re.DOTALL))
    found = re.findall(r"^\$ (\S+) (.*)\n((?:(?!\$ ).*\n)*)", transcripts, re.MULTILINE)
    assert len(found) >= 2
    for program, rest, said in found:
        if program == "cat":
            (tmp_path / rest).write_text(said)
        else:
            result = command(*shlex.split(rest))
            assert masked(result.err + result.out) == masked(said), rest


def test_the_python_example_runs() -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```", (DOCS / "steering.md").read_text(), re.MULTILINE | re.DOTALL)
    known: dict[str, object] = {}
    exec(compile(example, "steering.md", "exec"), known)
    answer = known["answer"]
    assert isinstance(answer, pipeline.Answer) and answer.solution is not None
    assert isinstance(known["puzzle"], Jigsaw) and answer.solution.pieces[6][0] == 142  # type: ignore[union-attr]
    assert replace(known["puzzle"]).hinted is None
