"""Nonograms: what is refused, the checker against counting, the model against the checker, generator, pictures."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Assignment
from dovetail.grids.engine import answers, grade
from dovetail.grids.model import holds
from dovetail.grids.puzzles import nonogram_making
from dovetail.grids.puzzles.nonogram import Line, Making, Nonogram, NonogramKind, nonogram_of
from dovetail.picture import MISTAKE

KIND = NonogramKind()
TWO = ("#FF0000", "#0000ff")


def black(*lengths: int) -> Line:
    return tuple((length, 1) for length in lengths)


@pytest.mark.parametrize(
    ("rows", "cols", "colours", "message"),
    [
        ((), (black(1),), TWO, "1 to 100 rows and columns, not 0x1"),
        ((black(1),), (black(1),), (), "1 to 63 colours, not 0"),
        ((black(1),), (black(1),), ("red",), "colour 1 is written like #ff8000, not 'red'"),
        ((black(1), black(0)), (black(1),), TWO, "row 2: run 1 has a length of 1 or more, not 0"),
        ((black(1),), (((1, 3),),), TWO, "column 1: run 1 has colour 3; there are colours 1 to 2"),
        ((black(1, 1),), (black(1), black(1)), TWO, "row 1: its runs need 3 cells, but it has 2"),
        ((black(1),), (black(2),), TWO, "column 1: its runs need 2 cells, but it has 1"),
    ],
)
def test_malformed_puzzles_are_refused(
    rows: tuple[Line, ...], cols: tuple[Line, ...], colours: tuple[str, ...], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        Nonogram(rows, cols, colours)


def test_runs_of_different_colours_may_touch() -> None:
    puzzle = Nonogram((((1, 1), (1, 2)),), (black(1), ((1, 2),)), TWO)
    assert answers(puzzle.model()) == [(1, 2)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"cols": [[1]]}, "a nonogram needs a list 'rows' of lists of runs"),
        ({"rows": [[1]], "cols": 3}, "a nonogram needs a list 'cols' of lists of runs"),
        ({"rows": [[1], 2], "cols": [[1]]}, "row 2 is not a list of runs"),
        ({"rows": [[1]], "cols": [[1, "2"]]}, "column 1: run 2 is not a length or a list of length and colour"),
        ({"rows": [[[1, 2, 3]]], "cols": [[1]]}, "row 1: run 1 is not a length or a list of length and colour"),
        ({"rows": [[True]], "cols": [[1]]}, "row 1: run 1 is not a length or a list of length and colour"),
        ({"rows": [[1]], "cols": [[1]], "colours": "#000000"}, "'colours' of a nonogram is a list of texts"),
    ],
)
def test_malformed_files_are_refused_with_the_place(data: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        KIND.decode(data)
    assert message in str(caught.value)


def runs_by_counting(line: list[int]) -> Line:
    """Cell by cell: a run starts where the colour changes, and 0 is no colour."""
    runs: list[tuple[int, int]] = []
    for at, colour in enumerate(line):
        if colour and at and line[at - 1] == colour:
            runs[-1] = (runs[-1][0] + 1, colour)
        elif colour:
            runs.append((1, colour))
    return tuple(runs)


def solved_by_counting(puzzle: Nonogram, values: tuple[int, ...]) -> bool:
    width = len(puzzle.cols)
    rows = [[*values[start : start + width]] for start in range(0, len(values), width)]
    cols = [[row[col] for row in rows] for col in range(width)]
    return (tuple(map(runs_by_counting, rows)), tuple(map(runs_by_counting, cols))) == (puzzle.rows, puzzle.cols)


@pytest.mark.parametrize(
    ("rows", "cols", "colours"), [(1, 6, 1), (3, 3, 1), (2, 5, 1), (2, 3, 2), (1, 5, 2), (3, 2, 2)]
)
def test_checker_and_model_agree_with_counting_on_every_answer(rows: int, cols: int, colours: int) -> None:
    rng, solved = random.Random(rows), 0
    for _ in range(4):
        picture = [[rng.randrange(colours + 1) for _ in range(cols)] for _ in range(rows)]
        puzzle = nonogram_of(picture, TWO[:colours])
        constraints = puzzle.model().constraints
        for values in product(range(colours + 1), repeat=rows * cols):
            expected = solved_by_counting(puzzle, values)
            assert KIND.check(puzzle, Assignment(values)).solved is expected
            assert all(holds(constraint, values) for constraint in constraints) is expected
            solved += expected
    assert solved >= 4


def test_verdicts_name_the_place() -> None:
    puzzle = nonogram_of([[1, 0, 1], [0, 0, 0]], TWO[:1])
    assert KIND.check(puzzle, Assignment((1, 0, 1, 0, 0, 0))).passes
    verdict = KIND.check(puzzle, Assignment((1, 1, 1, 0, 0, 0)))
    assert verdict.valid
    assert verdict.violations == ("row 1 has run 3 instead of runs 1 1", "column 2 has run 1 instead of no run")
    assert KIND.check(puzzle, Assignment((1, None, 1, 0, 0, 0))).violations == ("1 of 6 values are still open",)
    illegal = KIND.check(puzzle, Assignment((1, 0, 2, 0, 0, 0)))
    assert not illegal.valid
    assert "row 1, column 3: a cell has a colour from 0 to 1, not 2" in illegal.violations
    coloured = nonogram_of([[1, 2, 2]], TWO)
    spoken = KIND.check(coloured, Assignment((1, 1, 2))).violations
    assert "row 1 has runs 2 of colour 1, 1 of colour 2 instead of runs 1 of colour 1, 2 of colour 2" in spoken


def test_clues_that_contradict_each_other_are_a_puzzle_without_an_answer() -> None:
    assert answers(Nonogram((black(1), black(1)), (black(1), ())).model()) == []


@pytest.mark.parametrize("name", KIND.samples())
def test_samples_have_one_answer(name: str) -> None:
    puzzle = KIND.samples()[name]()
    assert isinstance(puzzle, Nonogram)
    (answer,) = answers(puzzle.model(), 2)
    assert KIND.check(puzzle, Assignment(answer)).passes
    assert KIND.decode(puzzle.encode()) == puzzle


@pytest.mark.parametrize(
    "settings",
    [
        Making(),
        Making(width=7, height=12, colours=3),
        Making(width=8, difficulty="easy"),
        Making(difficulty="medium"),
    ],
)
def test_made_puzzles_are_unique_and_as_asked(settings: Making) -> None:
    puzzle, answer = KIND.make(settings, seed=2)
    assert (len(puzzle.rows), len(puzzle.cols)) == (settings.height or settings.width, settings.width)
    assert len(puzzle.colours) == settings.colours
    assert answers(puzzle.model(), 2) == [answer.values]
    assert KIND.check(puzzle, answer).passes
    if settings.difficulty:
        assert grade(puzzle.model()) == ("easy", "medium").index(settings.difficulty)


def test_a_size_that_is_never_hard() -> None:
    with pytest.raises(BadUsage, match="none of 60 random pictures of 3x3 cells came out hard"):
        KIND.make(Making(width=3, difficulty="hard"), seed=1)


def drawn_file(folder: Path, *boxes: tuple[tuple[int, int, int, int], str]) -> str:
    image = Image.new("RGBA", (80, 40), (0, 0, 0, 0))  # transparent: white paper
    for box, colour in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=colour)
    image.save(folder / "picture.png")
    return str(folder / "picture.png")


def test_a_picture_file_in_black(tmp_path: Path) -> None:
    path = drawn_file(tmp_path, ((10, 10, 49, 29), "black"))
    puzzle, answer = KIND.make(Making(width=8, image=path), seed=1)
    assert puzzle.size == "4x8", "the height follows from the width"
    assert puzzle == nonogram_of([[0] * 8, [0, 1, 1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 1, 0, 0, 0], [0] * 8])
    assert KIND.check(puzzle, answer).passes
    with pytest.raises(BadUsage, match="in 4x8 cells is a puzzle that is easy, not hard"):
        KIND.make(Making(width=8, image=path, difficulty="hard"), seed=1)


def test_a_picture_file_in_colours(tmp_path: Path) -> None:
    path = drawn_file(tmp_path, ((0, 0, 39, 39), "#C00000"), ((60, 10, 79, 19), "#000080"))
    puzzle, answer = KIND.make(Making(width=8, height=4, colours=2, image=path), seed=1)
    assert puzzle.colours == ("#c00000", "#000080")
    assert answer.values == (*(1, 1, 1, 1, 0, 0, 0, 0), *(1, 1, 1, 1, 0, 0, 2, 2), *(1, 1, 1, 1, 0, 0, 0, 0) * 2)


def test_an_ambiguous_picture_is_changed_in_few_cells(tmp_path: Path) -> None:
    path = drawn_file(tmp_path, ((0, 0, 9, 9), "black"), ((10, 10, 19, 19), "black"), ((50, 10, 79, 29), "black"))
    before = nonogram_making.reduced(path, 8, 4, 1)[0].ravel().tolist()
    assert len(answers(nonogram_of([before[start : start + 8] for start in range(0, 32, 8)]).model(), 3)) > 1
    puzzle, answer = KIND.make(Making(width=8, image=path), seed=1)
    assert answers(puzzle.model(), 2) == [answer.values]
    assert 1 <= sum(a != b for a, b in zip(before, answer.values, strict=True)) <= 3


def test_pictures_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="there is no picture"):
        KIND.make(Making(image=str(tmp_path / "none.png")), seed=1)
    (tmp_path / "junk.png").write_bytes(b"\x89PNG\r\n\x1a\njunk")
    with pytest.raises(BadInput, match="no picture that can be read here"):
        KIND.make(Making(image=str(tmp_path / "junk.png")), seed=1)
    for colours in (1, 3):
        with pytest.raises(BadInput, match="the picture has one colour only"):
            KIND.make(Making(image=drawn_file(tmp_path), colours=colours), seed=1)
    monkeypatch.setattr(nonogram_making, "EFFORT", 0)
    path = drawn_file(tmp_path, ((0, 0, 9, 9), "black"), ((10, 10, 19, 19), "black"))
    with pytest.raises(BadUsage, match="in 4x8 cells could not be made a puzzle with one answer"):
        KIND.make(Making(width=8, image=path), seed=1)


def test_pictures_show_mistakes_and_marks() -> None:
    puzzle = nonogram_of([[1, 0, 2], [1, 0, 0]], TWO)
    for values, wrong in (
        (None, False),
        ((1, 0, 2, 1, 0, 0), False),
        ((1, 0, 2, 1, 0, 1), True),
        ((1, 0, 2, 9, 0, 0), True),
        ((1, 0, None, 1, 0, None), False),
    ):
        drawn = KIND.draw(puzzle, None if values is None else Assignment(values))
        assert (MISTAKE in drawn.svg().decode()) is wrong, values
        assert drawn.png()
    assert KIND.draw_marked(puzzle, None, {4: "#ABCDEF"}).svg().decode().count("#ABCDEF") == 1
