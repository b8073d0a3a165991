"""What holds for every logic puzzle and every format: what is written is the puzzle, to the letter; nothing crashes."""

from itertools import accumulate, pairwise
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Puzzle
from dovetail.core.source import Source
from dovetail.grids import formats
from dovetail.grids.formats import pzpr, tatham
from dovetail.grids.formats.tatham_games import GAMES
from dovetail.grids.model import runs_of
from dovetail.grids.puzzles import calcudoku, sudoku
from dovetail.grids.puzzles.calcudoku import Calcudoku
from dovetail.grids.puzzles.kakuro import Clue, Kakuro
from dovetail.grids.puzzles.lightup import Lightup
from dovetail.grids.puzzles.nonogram import Nonogram
from dovetail.grids.puzzles.numberlink import Numberlink
from dovetail.grids.puzzles.slitherlink import Slitherlink
from dovetail.grids.puzzles.sudoku import Sudoku, boxes

FORMATS = {
    "sudoku": formats.SUDOKU_FORMATS,
    "kakuro": formats.KAKURO_FORMATS,
    "calcudoku": formats.CALCUDOKU_FORMATS,
    "lightup": formats.LIGHTUP_FORMATS,
    "slitherlink": formats.SLITHERLINK_FORMATS,
    "numberlink": formats.NUMBERLINK_FORMATS,
    "nonogram": formats.NONOGRAM_FORMATS,
}
T = TypeVar("T")
calm = settings(deadline=None, max_examples=80)
sides = st.integers(1, 12)
BOXES = ((2, 2), (2, 3), (3, 2), (3, 3), (2, 4), (4, 2), (3, 4), (4, 4), (5, 5))


def cells(draw: st.DrawFn, count: int, values: st.SearchStrategy[T]) -> tuple[T, ...]:
    return tuple(draw(st.lists(values, min_size=count, max_size=count)))


def snake(draw: st.DrawFn, n: int, pieces: st.SearchStrategy[int]) -> list[tuple[int, ...]]:
    """The cells of an n × n board along a winding path, cut into pieces: each hangs together."""
    path = [row * n + (col if row % 2 else n - 1 - col) for row in range(n) for col in range(n)]
    lengths = draw(st.lists(pieces, min_size=n * n, max_size=n * n))
    cuts = [0, *(cut for cut in accumulate(lengths) if cut < n * n), n * n]
    return [tuple(sorted(path[start:end])) for start, end in pairwise(cuts)]


@st.composite
def sudokus(draw: st.DrawFn) -> Sudoku:
    """Givens of a filled board that suits the boxes; regions along a path, with diagonals and cages, have none."""
    box_rows, box_cols = draw(st.sampled_from(BOXES))
    n = box_rows * box_cols
    if draw(st.booleans()):
        shift = draw(st.integers(0, n - 1))
        filled = [
            (row % box_rows * box_cols + row // box_rows + col + shift) % n + 1 for row in range(n) for col in range(n)
        ]
        kept = cells(draw, n * n, st.booleans())
        givens = tuple(value if keep else 0 for value, keep in zip(filled, kept, strict=True))
        return Sudoku(n, givens, boxes(box_rows, box_cols))
    regions = boxes(box_rows, box_cols)
    if draw(st.booleans()):
        number = {cell: region for region, of in enumerate(snake(draw, n, st.just(n))) for cell in of}
        regions = tuple(number[cell] for cell in range(n * n))
    cages = []
    if n <= 9 and draw(st.booleans()):
        for of in snake(draw, n, st.sampled_from([2, 3, 4])):
            count = len(of)
            total = draw(st.integers(count * (count + 1) // 2, count * (2 * n + 1 - count) // 2))
            cages.append(sudoku.Cage(total, of))
    return Sudoku(n, (0,) * (n * n), regions, draw(st.booleans()), tuple(cages))


@st.composite
def kakuros(draw: st.DrawFn) -> Kakuro:
    """Black cells anywhere; where a run begins, its least sum, its largest, or none."""
    rows, cols = draw(st.integers(2, 8)), draw(st.integers(2, 8))
    edge = draw(st.booleans())  # a black top row and left column, as puzz.link has it
    white = [
        colour and not (edge and (cell < cols or cell % cols == 0))
        for cell, colour in enumerate(cells(draw, rows * cols, st.booleans()))
    ]
    white[-1] = True

    def total(cell: int, step: int, room: int) -> int:
        length = next((k for k in range(room) if not white[cell + (k + 1) * step]), room)
        if not length:
            return 0
        return draw(st.sampled_from([0, length * (length + 1) // 2, length * (19 - length) // 2]))

    board: list[Clue | None] = [
        None if white[cell] else (total(cell, cols, rows - 1 - cell // cols), total(cell, 1, cols - 1 - cell % cols))
        for cell in range(rows * cols)
    ]
    return Kakuro(rows, cols, tuple(board))


@st.composite
def calcudokus(draw: st.DrawFn) -> Calcudoku:
    """Cages along a path, with clues in range; givens are those of a latin square."""
    n = draw(st.integers(2, 9))
    cages = []
    for of in snake(draw, n, st.integers(1, 4)):
        given = (of[0] // n + of[0]) % n + 1
        ranges = {"+": (len(of), len(of) * n), "*": (1, n ** len(of))} if len(of) > 1 else {"=": (given, given)}
        ranges |= {"-": (1, n - 1), "/": (2, n)} if len(of) == 2 else {}
        operation = draw(st.sampled_from([*ranges]))
        cages.append(calcudoku.Cage(operation, draw(st.integers(*ranges[operation])), of))
    return Calcudoku(n, tuple(cages))


@st.composite
def lightups(draw: st.DrawFn) -> Lightup:
    rows, cols = draw(sides), draw(sides)
    board = cells(draw, rows * cols - 1, st.sampled_from([-1, -1, -1, 0, 1, 2, 3, 4, 5]))
    return Lightup(rows, cols, (*board, -1) if draw(st.booleans()) else (-1, *board))


@st.composite
def slitherlinks(draw: st.DrawFn) -> Slitherlink:
    rows, cols = draw(sides), draw(sides)
    return Slitherlink(rows, cols, cells(draw, rows * cols, st.sampled_from([-1, -1, -1, 0, 1, 2, 3])))


@st.composite
def numberlinks(draw: st.DrawFn) -> Numberlink:
    rows, cols = draw(sides), draw(st.integers(2, 12))
    ends = draw(st.permutations(range(rows * cols)))[: 2 * draw(st.integers(1, min(30, rows * cols // 2)))]
    label = {cell: index // 2 + 1 for index, cell in enumerate(ends)}
    return Numberlink(rows, cols, tuple(label.get(cell, 0) for cell in range(rows * cols)), draw(st.booleans()))


@st.composite
def nonograms(draw: st.DrawFn) -> Nonogram:
    """Of a picture."""
    rows, cols = draw(sides), draw(sides)
    colours = draw(st.sampled_from([("#000000",), ("#ff0000",), ("#000000", "#00ff00", "#0000ff")]))
    picture = cells(draw, rows * cols, st.integers(0, len(colours)))
    return Nonogram(
        tuple(tuple(runs_of(picture[row * cols : (row + 1) * cols])) for row in range(rows)),
        tuple(tuple(runs_of(picture[col::cols])) for col in range(cols)),
        colours,
    )


puzzles: st.SearchStrategy[Puzzle] = st.one_of(
    sudokus(), kakuros(), calcudokus(), lightups(), slitherlinks(), numberlinks(), nonograms()
)


@calm
@given(puzzles)
def test_what_a_format_writes_is_the_puzzle_and_is_recognised(puzzle: Puzzle) -> None:
    for form in FORMATS[puzzle.kind]:
        try:
            written = form.write(puzzle)
        except BadUsage:
            continue
        source = Source("it", written)
        assert form.detect(source) or not _lengths(puzzle), form.name
        (again,) = form.read(source, None)
        assert again == puzzle
        assert form.write(again) == written, "text, puzzle, text: the same text"


def _lengths(puzzle: Puzzle) -> list[int]:
    """Of the runs of a nonogram: an empty one is no puzzle that a list could be told by."""
    return [length for line in puzzle.rows for length, _ in line] if isinstance(puzzle, Nonogram) else [1]


@calm
@given(puzzles)
def test_no_other_kind_takes_it_for_its_own(puzzle: Puzzle) -> None:
    for form in FORMATS[puzzle.kind]:
        try:
            source = Source("it", form.write(puzzle))
        except BadUsage:
            continue
        others = {kind: [other.name for other in of if other.detect(source)] for kind, of in FORMATS.items()}
        assert {kind for kind, names in others.items() if names} <= {puzzle.kind}


@calm
@given(puzzles, st.data())
def test_an_address_that_is_cut_is_never_another_puzzle(puzzle: Puzzle, data: st.DataObject) -> None:
    try:
        address = pzpr.address(puzzle).removesuffix("/")
    except BadUsage:
        return
    cut = address[: data.draw(st.integers(0, len(address) - 1))]
    try:
        found = pzpr.read(cut)
    except BadInput as error:
        assert str(error)
    else:
        raise AssertionError(f"{cut} was read as {found}")


@calm
@given(puzzles, st.data())
def test_garbled_texts_are_read_or_refused(puzzle: Puzzle, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMATS[puzzle.kind]))
    try:
        written = form.write(puzzle).decode()
    except BadUsage:
        return
    place = data.draw(st.integers(0, len(written)))
    garbled = written[:place] + data.draw(st.text(max_size=4)) + written[place + data.draw(st.integers(0, 4)) :]
    source = Source("it", garbled.encode(errors="replace"))
    for other in FORMATS[puzzle.kind]:
        other.detect(source)
        try:
            assert other.read(source, None) is not None
        except BadInput as error:
            assert str(error) and "\n" not in str(error)


@calm
@given(
    st.text(), st.sampled_from(["p?sudoku/9/9/", "https://puzz.link/p?kakuro/", "solo 3x3:", "3x3t0:", "keen 4:", "{"])
)
def test_no_text_makes_recognition_fail(text: str, start: str) -> None:
    for candidate in (text, start + text):
        source = Source("it", candidate.encode(errors="replace"))
        for of in FORMATS.values():
            for form in of:
                assert form.detect(source) in (True, False)
        assert tatham.game_of(candidate) is None or tatham.game_of(candidate) in GAMES
