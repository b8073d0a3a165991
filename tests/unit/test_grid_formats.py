"""Logic puzzles as people have them: links, game ids, texts; read exactly, written exactly, or refused in words."""

import json

import pytest

from dovetail import pipeline
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.kind import Format
from dovetail.core.puzzle import Assignment, Puzzle
from dovetail.core.source import Source
from dovetail.grids import formats
from dovetail.grids.formats import janko, nonogram_text, pzpr, sudoku_text, tatham
from dovetail.grids.puzzles import calcudoku, sudoku
from dovetail.grids.puzzles.calcudoku import Calcudoku
from dovetail.grids.puzzles.kakuro import Kakuro
from dovetail.grids.puzzles.lightup import Lightup
from dovetail.grids.puzzles.nonogram import Nonogram
from dovetail.grids.puzzles.numberlink import Numberlink
from dovetail.grids.puzzles.slitherlink import Slitherlink
from dovetail.grids.puzzles.sudoku import Sudoku, boxes
from dovetail.tiles.formats import TERRACOTTA_CSV, TILE_FORMATS
from unit.test_imports import HEAVY, loaded_by

FORMATS: dict[str, tuple[Format, ...]] = {
    "sudoku": formats.SUDOKU_FORMATS,
    "kakuro": formats.KAKURO_FORMATS,
    "calcudoku": formats.CALCUDOKU_FORMATS,
    "lightup": formats.LIGHTUP_FORMATS,
    "slitherlink": formats.SLITHERLINK_FORMATS,
    "numberlink": formats.NUMBERLINK_FORMATS,
    "nonogram": formats.NONOGRAM_FORMATS,
}
NINE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def blank(n: int, **given: int) -> tuple[int, ...]:
    """Givens by cell: ``c5=3`` is a 3 in cell 5."""
    return tuple(given.get(f"c{cell}", 0) for cell in range(n * n))


def source(text: str) -> Source:
    return Source("it", text.encode())


def claims(text: str) -> list[tuple[str, str]]:
    """Every format of every kind that takes a text for its own."""
    return [(kind, form.name) for kind, of in FORMATS.items() for form in of if form.detect(source(text))]


def read(text: str) -> list[Puzzle]:
    """By the one format that recognises it."""
    ((kind, name),) = claims(text)
    return next(form for form in FORMATS[kind] if form.name == name).read(source(text), None)


def lines(*texts: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Runs of black, as ``1 2`` for each line."""
    return tuple(tuple((int(length), 1) for length in text.split()) for text in texts)


PLUS = Nonogram(lines("1", "3", "1"), lines("1", "3", "1"))
FOURS = Nonogram(lines("1 2", "4"), lines("2", "1", "2", "2"))
# from the description of the encoding, by hand
ADDRESSES: list[tuple[str, Puzzle]] = [
    ("sudoku/4/4/1l2k3h", Sudoku(4, blank(4, c0=1, c7=2, c13=3), boxes(2, 2))),
    ("sudoku/6/6/6zu", Sudoku(6, blank(6, c0=6), boxes(2, 3))),
    ("sudoku/16/16/-10zzzzzzzzzzzzta", Sudoku(16, blank(16, c0=16, c255=10), boxes(4, 4))),
    ("kakuro/2/2/n3443", Kakuro(3, 3, ((0, 0), (3, 0), (4, 0), (0, 4), None, None, (0, 3), None, None))),
    ("kakuro/4/1/n-5-9A", Kakuro(2, 5, ((0, 0), (0, 0), (5, 0), (0, 0), (9, 0), (0, 20), *[None] * 4))),
    ("kakuro/4/1/k-hl-3-4", Kakuro(2, 5, (*[(0, 0)] * 3, (3, 0), (0, 0), (0, 4), None, (0, 17), None, None))),
    ("kakuro/3/1/k.k---/", Kakuro(2, 4, (*[(0, 0)] * 5, None, (0, 0), None))),
    ("slither/2/2/dc", Slitherlink(2, 2, (3, -1, -1, 2))),
    ("slither/3/2/0dgd", Slitherlink(2, 3, (0, 3, -1, -1, -1, 3))),
    ("akari/3/2/.bge", Lightup(2, 3, (5, 1, -1, -1, -1, 4))),
    ("akari/3/1/9./", Lightup(1, 3, (4, -1, 5))),
    ("numlin/3/2/1-10g1-10g", Numberlink(2, 3, (1, 16, 0, 1, 16, 0))),
    ("arukone/2/2/1212", Numberlink(2, 2, (1, 2, 1, 2), fill=True)),
    ("nonogram/3/3/1g3g1g1g3g1g", PLUS),
    ("nonogram/4/2/2122214g", FOURS),
]
ROWS = tuple(cell // 4 for cell in range(16))
DOMINOES = tuple(
    sudoku.Cage(total, (cell, cell + 4))
    for total, cell in zip((3, 7, 3, 7, 7, 3, 7, 3), (0, 1, 2, 3, 8, 9, 10, 11), strict=True)
)
KEEN = Calcudoku(3, (calcudoku.Cage("+", 6, (0, 1, 2)), calcudoku.Cage("-", 1, (3, 4)),
                     calcudoku.Cage("*", 2, (5, 8)), calcudoku.Cage("/", 3, (6, 7))))  # fmt: skip
GIVEN = Calcudoku(3, (calcudoku.Cage("+", 6, (0, 1, 2)), calcudoku.Cage("-", 1, (3, 4)), calcudoku.Cage("=", 3, (5,)),
                      calcudoku.Cage("/", 3, (6, 7)), calcudoku.Cage("=", 1, (8,))))  # fmt: skip
IDS: list[tuple[str, str, Puzzle]] = [
    ("solo", "2x2:1f2_3g", Sudoku(4, blank(4, c0=1, c7=2, c8=3), boxes(2, 2))),
    ("solo", "2x3:1zi", Sudoku(6, blank(6, c0=1), boxes(2, 3))),
    ("solo", "3x2:zi1", Sudoku(6, blank(6, c35=1), boxes(3, 2))),
    ("solo", "4j:p,l____________", Sudoku(4, blank(4), ROWS)),
    ("solo", "2x2x:o4", Sudoku(4, blank(4, c15=4), boxes(2, 2), diagonals=True)),
    ("solo", "2x2k:p,____________abbba,3_7_3_7d7_3_7_3d", Sudoku(4, blank(4), boxes(2, 2), cages=DOMINOES)),
    ("keen", "3:ca_5a,a6s1m2d3", KEEN),
    ("keen", "3:ca_7,a6s1a3d3a1", GIVEN),
    ("lightup", "3x2:B1c4", Lightup(2, 3, (5, 1, -1, -1, -1, 4))),
    ("loopy", "3x3t0:3c0c2", Slitherlink(3, 3, (3, -1, -1, -1, 0, -1, -1, -1, 2))),
    ("pattern", "4x2:2/1/2/2/1.2/4", FOURS),
    ("pattern", "2x1:1//1", Nonogram(lines("1"), lines("1", ""))),
]


def test_importing_the_formats_loads_nothing_heavy() -> None:
    assert not loaded_by("import dovetail.grids.formats") & HEAVY


@pytest.mark.parametrize(("body", "puzzle"), ADDRESSES)
def test_addresses_are_read_and_written_to_the_letter(body: str, puzzle: Puzzle) -> None:
    address = f"https://puzz.link/p?{body}"
    assert pzpr.read(address) == puzzle
    assert pzpr.address(puzzle) == address
    assert claims(address) == [(puzzle.kind, "pzpr")]


@pytest.mark.parametrize(
    "address",
    [
        "http://pzv.jp/p.html?slither/2/2/dc",
        "https://pzprxs.vercel.app/p?slither/2/2/dc/",
        "p?slither//2/2/dc",
        "?m+slitherlink/2/2/dc",
        "https://puzz.link/p?slither_edit/2/2/dc",
        "https://puzz.link/p?slither/2/2/d2",  # a clue in the last cell without the cells behind the board
    ],
)
def test_other_spellings_of_an_address(address: str) -> None:
    assert pzpr.read(address) == Slitherlink(2, 2, (3, -1, -1, 2))
    assert pzpr.address(pzpr.read(address)) == "https://puzz.link/p?slither/2/2/dc"


def test_flags_of_an_address() -> None:
    assert pzpr.read("p?arukone/e/2/2/1212") == Numberlink(2, 2, (1, 2, 1, 2))
    with pytest.raises(BadInput, match="the flag 'x'"):
        pzpr.read("p?slither/x/2/2/dc")


def test_old_kakuro_addresses_have_zeros_for_no_sum() -> None:
    assert pzpr.read("p?kakuro/4/1/k0hl0304") == pzpr.read("p?kakuro/4/1/k-hl-3-4")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("p?sudoku/9/9/g1g", "position 17: the text ends after 3 of 81 cells"),
        ("p?sudoku/4/4/1l2k3h4", "more than 16 cells"),
        ("p?sudoku/4/4/1l2k3!", "position 19: '!' means nothing here"),
        ("p?sudoku/4/9/zz", "a square, not 9x4"),
        ("p?sudoku/8/8/zzzj", "the boxes of a sudoku are not known"),
        ("p?sudoku/4/4/.u", "row 1, column 1: a number is 1 or more"),
        ("p?sudoku/4/4/g0t", "row 1, column 2: a number is 1 or more, not 0"),
        ("p?sudoku/4/4/g5t", "row 1, column 2: 5"),
        ("p?sudoku/0/4/g", "the number of columns"),
        ("p?sudoku/4", "ends before its cells"),
        ("p?slither/2/2/d", "after 3 of 4 cells"),
        ("p?slither/2/2/dcg", "more than 4 cells"),
        ("p?slither/2/2/dF", "position 16: 'F'"),
        ("p?numlin/2/2/1-1", "position 15: after '-' a number of 2 digits is missing"),
        ("p?numlin/2/1/1g", "only once"),
        ("p?kakuro/2/2/n344", "3 of 4 sums on the top and left edges"),
        ("p?kakuro/2/2/n34434", "more than 4 sums on the top"),
        ("p?kakuro/2/2/3", "in the middle of a black cell"),
        ("p?kakuro/2/2/3!", "position 15: '!'"),
        ("p?nonogram/3/3/1g3g", "after 4 of 12 places for clues"),
        ("p?nonogram/1/1/.1", "column 1: a nonogram tells"),
        ("p?heyawake/6/6/aaa", "no puzz.link address of a kind that is read"),
    ],
)
def test_broken_addresses_are_refused_with_the_place(address: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        pzpr.read(address)
    assert words in str(caught.value)


@pytest.mark.parametrize(("game", "identity", "puzzle"), IDS)
def test_game_ids_are_read_and_written_to_the_letter(game: str, identity: str, puzzle: Puzzle) -> None:
    assert tatham.game_of(identity) == game
    assert tatham.read(identity) == puzzle
    assert tatham.game_id(puzzle) == identity
    assert claims(identity) == [(puzzle.kind, "tatham")]
    params, _, desc = identity.partition(":")
    named = json.dumps({"game": game, "params": params, "desc": desc})
    for text in (f"{game} {identity}", f"{game}:{identity}", f"{game}: {identity}", tatham.address(puzzle), named):
        assert read(text) == [puzzle]


@pytest.mark.parametrize(
    ("identity", "game"),
    [
        ("3x3kda:zzzc,", "solo"),  # cut, but no other game looks like this
        ("3x3db:a5_", "solo"),
        ("7x7b20s4d0:a1f", "lightup"),
        ("7x7:a1fBc0", "lightup"),
        ("5x5t3de:3a2", "loopy"),
        ("4dx:_a_7a4_ca,d2a5", "keen"),
        ("10x10:1.3/6/1", "pattern"),
        ("5x5:a1b2", None),
        ("3x3#12345", None),
        ("12:30", None),
        ("tents 4x4:abc", None),
    ],
)
def test_games_are_told_apart_by_the_shape_of_their_ids(identity: str, game: str | None) -> None:
    assert tatham.game_of(identity) == game


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("solo 3x3:a5_", "position 13: the text ends after 2 of 81 cells"),
        ("solo 2x2:p,aa", "goes on after the givens"),
        ("solo 4j:p", "ends before the regions"),
        ("solo 4j:p,l____", "of 24 places for a line"),
        ("solo 4j:p,l_____________", "go on after all 24 places"),
        ("solo 2x2k:p,____________abbba", "ends before the sums of the cages"),
        ("solo 2x2k:p,____________abbba,3_7_3e7_3_7_3d", "row 1, column 4: a cage without a sum"),
        ("solo 2x2k:p,____________abbba,3_7_3_7_7c7_3_7_3d", "row 2, column 1: a sum that is not in the first"),
        ("solo 2x2:1f2=3g", "position 13: '=' means nothing here"),
        ("solo 2:abc!x2", "position 11: '!' means nothing here"),
        ("keen 3:ca_5a,a6s1m2", "after 3 of 4 clues"),
        ("keen 3:ca_5a,a6s1m2d3a1", "more than 4 clues"),
        ("keen 3:ca_5a,a6s1n", "a clue is a, s, m or d"),
        ("lightup 3x2:B1b4", "after 5 of 6 cells"),
        ("lightup 3x2:B1c9", "'9' means nothing here"),
        ("loopy 3x3t1:3c0c2", "the grid type t1 is not read"),
        ("pattern 4x2:2/1/2/2/1.2", "after 5 of 6 columns and rows"),
        ("pattern 4x2:2/1/2/2/1..2/4", "row 1: its runs"),
        ("pattern 4x2:2/1/2/2/1.2/4,a", "goes on after the clues"),
        ("pattern 3t0:1", "are no parameters of the game pattern"),
        ("3x3#12345", "is no game id"),
        ("5x5:a1b2", "could be of many games"),
        ('{"game": "tents", "params": "4x4", "desc": "a"}', "an object of the collection has game"),
    ],
)
def test_broken_game_ids_are_refused_with_the_place(text: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        tatham.read(text)
    assert words in str(caught.value)


def test_an_id_of_another_game_is_refused() -> None:
    with pytest.raises(BadInput, match="an id of the game loopy, not solo"):
        tatham.read("loopy 3x3t0:3c0c2", "solo")


def test_solving_moves() -> None:
    puzzles = {game: puzzle for game, _, puzzle in reversed(IDS)}
    filled = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, None)
    move = "S" + ",".join(str(value or 0) for value in filled)
    assert tatham.solution(puzzles["solo"], move) == Assignment(filled)
    assert tatham.solution(KEEN, "S123231312") == Assignment((1, 2, 3, 2, 3, 1, 3, 1, 2))
    assert tatham.solution(puzzles["lightup"], "S;L2,0;I0,1") == Assignment((1, 0, 0))
    assert tatham.solution(FOURS, "S10111111") == Assignment((1, 0, 1, 1, 1, 1, 1, 1))


def test_lines_of_a_solving_move_of_loopy_are_numbered_around_the_cells() -> None:
    puzzle = Slitherlink(3, 3, (-1,) * 9)
    found = tatham.solution(puzzle, "S0y1y2y3n4y5y").values
    assert [line for line, value in enumerate(found) if value == 1] == [0, 1, 3, 13, 14]
    assert [line for line, value in enumerate(found) if value == 0] == [12]
    assert found.count(None) == 18


@pytest.mark.parametrize(
    ("game", "move", "words"),
    [
        ("solo", "S1,2,3", "gives 3 values, and the puzzle has 16"),
        ("solo", "S1,x", "numbers with commas"),
        ("keen", "S12", "gives 2 values"),
        ("lightup", "S;L0,0", "row 1, column 1: there is no white cell"),
        ("lightup", "S;Q1", "parts like L3,4"),
        ("loopy", "S99y", "names the line 99"),
        ("loopy", "S0z", "parts like 12y"),
        ("pattern", "S012", "0 or 1 for every cell"),
        ("pattern", "1", "begins with S"),
    ],
)
def test_broken_solving_moves(game: str, move: str, words: str) -> None:
    puzzle = next(puzzle for name, _, puzzle in IDS if name == game)
    with pytest.raises(BadInput) as caught:
        tatham.solution(puzzle, move)
    assert words in str(caught.value)


GRIDS = [
    "\n".join(NINE[start : start + 9] for start in range(0, 81, 9)),
    "\n".join(" ".join(NINE[start : start + 9].replace(".", "0")) for start in range(0, 81, 9)),
    "\n".join(NINE[start : start + 9].replace(".", "_") for start in range(0, 81, 9)) + "\n",
    # as many programs write it
    " *-----------*\n |53.|.7.|...|\n |6..|195|...|\n |.98|...|.6.|\n |---+---+---|\n |8..|.6.|..3|\n |4..|8.3|..1|\n"
    " |7..|.2.|..6|\n |---+---+---|\n |.6.|...|28.|\n |...|419|..5|\n |...|.8.|.79|\n *-----------*\n",
    "530 070 000\n600 195 000\n098 000 060\n\n800 060 003\n400 803 001\n700 020 006\n\n060 000 280\n000 419 005\n"
    "000 080 079",
]


@pytest.mark.parametrize("text", GRIDS)
def test_grids_of_many_shapes(text: str) -> None:
    assert claims(text) == [("sudoku", "grid")]
    (found,) = read(text)
    assert isinstance(found, Sudoku)
    assert sudoku_text.write_line(found) == NINE


def test_lines_of_sudokus() -> None:
    text = f"# two of them\n{NINE}\n{NINE.replace('.', '0')},rated 1.2\n"
    assert claims(text) == [("sudoku", "line")]
    one, other = read(text)
    assert one == other
    assert read("12.." + "." * 12) == [Sudoku(4, blank(4, c0=1, c1=2), boxes(2, 2))]
    assert read("6" + "." * 35) == [Sudoku(6, blank(6, c0=6), boxes(2, 3))]


@pytest.mark.parametrize(
    ("first", "rest", "value"),
    [("G", ".", 16), ("g9", ".", 16), ("PA", "0", 16), ("F0", ".", 16), ("9G0", ".", 9)],
)
def test_letters_of_large_sudokus(first: str, rest: str, value: int) -> None:
    """1 to G, A to P where letters stand alone, 0 to F where 0 is no blank."""
    (found,) = read(first + rest * (256 - len(first)))
    assert isinstance(found, Sudoku)
    assert found.givens[0] == value


def test_the_lines_of_a_grid_show_its_boxes() -> None:
    wide = Sudoku(6, blank(6, c0=1, c35=6), boxes(2, 3))
    tall = Sudoku(6, blank(6, c0=1, c35=6), boxes(3, 2))
    for puzzle in (wide, tall, Sudoku(16, blank(16, c0=16), boxes(4, 4)), Sudoku(12, blank(12, c5=12), boxes(3, 4))):
        assert read(sudoku_text.write_grid(puzzle)) == [puzzle]
    assert read(sudoku_text.write_grid(tall) + "\n\n" + sudoku_text.write_grid(wide)) == [tall, wide]
    with pytest.raises(BadUsage, match="write a grid"):
        sudoku_text.write_line(tall)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NINE[:70], "it: a sudoku on one line has 16, 36, 81, 256 or 625 characters, not 70"),
        (f"{NINE}\n{NINE[:-1]}", "it, line 2: a sudoku on one line"),
        (NINE[:80] + "x", "it: row 9, column 9: 'x' is neither a blank nor one of 1 to 9"),
        ("5" + NINE[1:9] + "5" + NINE[10:], "two givens clash"),
        (GRIDS[0][:-1], "row 9 has 8 cells, and there are 9 rows"),
        (GRIDS[0].replace("\n6", "\n6."), "row 2 has 10 cells"),
        (GRIDS[0].replace("\n4", "\n---\n4"), "leave 4 and 5 rows to its boxes"),
        ("1 2|3 4\n" * 3, "not 3"),
        ("1 2 | 3 4\n3 4 | 1 two\n2 1 | 4 3\n4 3 | 2 1", "'two' is neither a blank nor a number"),
    ],
)
def test_broken_sudoku_texts(text: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        formats.SUDOKU_FORMATS[0].read(source(text), None)
    assert words in str(caught.value)


def test_filled_sudokus_are_solutions_even_if_wrong() -> None:
    puzzle = Sudoku(4, blank(4), boxes(2, 2))
    values = (1,) * 15 + (None,)
    for text in ("1" * 15 + ".", "11|11\n11|11\n--+--\n11|11\n11|1.", "S" + "1," * 15 + "0"):
        assert formats.read_solutions(source(text), puzzle) == [Assignment(values)]
    with pytest.raises(BadInput, match="of 9 rows does not fit a sudoku of 4"):
        formats.read_solutions(source(NINE), puzzle)
    assert formats.read_solutions(source("nothing of the sort"), puzzle) is None
    assert formats.read_solutions(Source("it", b"\xff\0"), puzzle) is None


NON = """catalogue "mine"
color r #ff0000
color b #0000ff
width 2
height 2

rows
1r,1b

columns
1r
1b
goal "rb00"
"""


def test_non_files() -> None:
    coloured = Nonogram((((1, 1), (1, 2)), ()), (((1, 1),), ((1, 2),)), ("#ff0000", "#0000ff"))
    assert claims(NON) == [("nonogram", "non")]
    assert read(NON) == [coloured]
    assert formats.read_solutions(source(NON), coloured) == [Assignment((1, 2, 0, 0))]
    assert read(nonogram_text.write_non(coloured)) == [coloured]
    assert nonogram_text.write_non(PLUS) == "width 3\nheight 3\n\nrows\n1\n3\n1\n\ncolumns\n1\n3\n1"
    assert read(f"{nonogram_text.write_non(PLUS)}\n====\n{NON}") == [PLUS, coloured]
    (unnamed,) = read(NON.replace("color r #ff0000\ncolor b #0000ff\n", ""))
    assert isinstance(unnamed, Nonogram)
    assert unnamed.rows[0] == ((1, 2), (1, 1)), "letters without colours are numbered by the alphabet"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('1b\ngoal "rb00"\n', "", "the file ends after"),
        ("1r,1b", "1r,x", "row 1: a run is a number"),
        ("1r,1b", "1r,1", "some runs have no colour"),
        ("1r,1b", "1r,1g", "the colour 'g' is used but not given"),
        ("#ff0000", "red", "a colour is a letter and a value"),
        ("width 2\n", "width two\n", "the number of columns"),
        ("width 2\nheight 2\n", "height 2\n", "width must be given before columns"),
        ("rows\n1r,1b\n\n", "", "there are no rows"),
        ("rb00", "rx00", "the goal has 'x'"),
    ],
)
def test_broken_non_files(old: str, new: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        nonogram_text.read_non(source(NON.replace(old, new)))
    assert words in str(caught.value)


def test_lists_of_a_nonogram() -> None:
    assert nonogram_text.write_list(FOURS) == "1 2\n4\n\n2\n1\n2\n2"
    for text in ("1 2\n4\n\n2\n1\n2\n2\n", "1 2\n4\n&\n2\n1\n2\n2", "1,2\n4\n  \n\n2\n1\n2\n2"):
        assert read(text) == [FOURS]
    assert read("1\n\n1\n0") == [Nonogram(lines("1"), lines("1", ""))]
    assert claims("1 2\n4\n\n2\n1\n2\n1\n") == [], "as many cells by rows as by columns"
    with pytest.raises(BadInput, match="column 1: a run is a number"):
        nonogram_text.read_list(source("1 2\n\nx"))
    with pytest.raises(BadInput, match="a list has the rows, a blank line"):
        nonogram_text.read_list(source("1 2\n4"))


def test_problems_by_name() -> None:
    board = ((0, 0), (3, 0), (4, 0), (0, 4), None, None, (0, 3), None, None)
    kakuro, paths = Kakuro(3, 3, board), Numberlink(2, 3, (1, 2, 0, 1, 2, 0))
    assert janko.problem(kakuro) == "3 3\n- 3, 4,\n,4 0 0\n,3 0 0"
    assert janko.problem(paths) == "2 3\n1 2 -\n1 2 -"
    for puzzle in (kakuro, paths):
        assert claims(janko.write(puzzle)) == [(puzzle.kind, "janko")]
        entry = {"problem": janko.problem(puzzle)}
        assert read(json.dumps({"a": entry, "b": {**entry, "source": "mine"}})) == [puzzle, puzzle]
    sums = json.dumps({"a": {"problem": janko.problem(kakuro), "solution": "3 3\n- - -\n- 1 3\n- 2 -"}})
    assert formats.read_solutions(source(sums), kakuro) == [Assignment((1, 3, 2, None))]
    links = json.dumps({"a": {"problem": janko.problem(paths), "solution": "2 3\ns s -\nn n -"}})
    assert formats.read_solutions(source(links), paths) == [Assignment((0, 0, 0, 0, 1, 1, 0))]


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        ("2 3\ns s -\nn - -", "row 1, column 2 and row 2, column 2: only one of them"),
        ("2 3\ns s e\nn n -", "a path leaves the board"),
        ("2 3\ns s\nn n", "row 1 has 2 cells, not 3"),
        ("2 2\ns s\nn n", "does not fit a puzzle of 2x3"),
        ("3 3\ns s -\nn n -", "there are 2 lines for 3 rows"),
        ("2\n-", "the first line gives rows and columns"),
    ],
)
def test_broken_solutions_of_problems(solution: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        janko.solution(Numberlink(2, 3, (1, 2, 0, 1, 2, 0)), solution)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "problem", "words"),
    [
        ("kakuro", "2 2\n- 3;\n,4 0", "it, a: row 1, column 2: a cell is 0, - or sums"),
        ("numberlink", "1 2\n1 x", "it, a: row 1, column 2: a cell is - or a number"),
        ("numberlink", "1 2\n1 0", "row 1, column 2: a cell is - or a number"),
    ],
)
def test_broken_problems(kind: str, problem: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        janko.read(source(json.dumps({"a": {"problem": problem}})), kind)
    assert words in str(caught.value)
    for text in ("[]", "{", '{"a": {"problem": 3}}', '{"a": {"problem": "", "solution": 3}}', "{}"):
        with pytest.raises(BadInput):
            janko.read(source(text), kind)
        assert not claims(text)


def test_one_puzzle_a_line_and_which_line_is_wrong() -> None:
    (form,) = (form for form in formats.SLITHERLINK_FORMATS if form.name == "pzpr")
    good = "https://puzz.link/p?slither/2/2/dc"
    assert form.read(source(f"{good}\n\n{good}\n"), None) == [Slitherlink(2, 2, (3, -1, -1, 2))] * 2
    for second, words in (("p?slither/2/2/d", "it, line 2: position 16"), ("p?akari/2/2/j", "a lightup puzzle, not")):
        with pytest.raises(BadInput) as caught:
            form.read(source(f"{good}\n{second}"), None)
        assert words in str(caught.value)


X, CAGED = Sudoku(4, blank(4), boxes(2, 2), diagonals=True), Sudoku(4, blank(4), boxes(2, 2), cages=DOMINOES[:2])
APART = tuple((cell // 4 + cell % 2) % 4 for cell in range(16))
RED = Nonogram(lines("1"), lines("1"), ("#ff0000",))


@pytest.mark.parametrize(
    ("name", "puzzle"),
    [
        ("pzpr", X),
        ("pzpr", CAGED),
        ("pzpr", Sudoku(6, blank(6), boxes(3, 2))),
        ("pzpr", Sudoku(4, blank(4), ROWS)),
        ("line", X),
        ("grid", CAGED),
        ("line", Sudoku(4, blank(4), ROWS)),
        ("line", Sudoku(16, blank(16), boxes(4, 4))),
        ("tatham", CAGED),
        ("tatham", Sudoku(4, blank(4), APART)),
        ("tatham", Sudoku(2, blank(2), (0, 0, 1, 1), diagonals=True)),
        ("pzpr", Kakuro(1, 2, ((0, 3), None))),
        ("tatham", Calcudoku(2, (calcudoku.Cage("+", 6, (0, 1, 2, 3)),))),
        ("tatham", Lightup(1, 2, (-1, -1))),
        ("tatham", Slitherlink(2, 3, (-1,) * 6)),
        ("janko", Numberlink(1, 2, (1, 1), fill=True)),
        ("pzpr", RED),
        ("tatham", RED),
        ("list", RED),
    ],
)
def test_what_a_format_has_no_words_for_is_refused(name: str, puzzle: Puzzle) -> None:
    (form,) = (form for form in FORMATS[puzzle.kind] if form.name == name)
    with pytest.raises(BadUsage):
        form.write(puzzle)


def test_links_to_the_players_that_know_a_puzzle() -> None:
    puzzle = Slitherlink(3, 3, (3, -1, -1, -1, 0, -1, -1, -1, 2))
    assert formats.links(puzzle) == {
        "puzz.link": "https://puzz.link/p?slither/3/3/dgagc",
        "tatham": "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/loopy.html#3x3t0:3c0c2",
    }
    assert not formats.links(CAGED)


OTHERS = [
    "0 1 1 0\n0 0 2 1\n1 2 0 0\n2 0 0 2\n",
    "2 2\n0 1 1 0\n0 0 2 1\n\n1 2 0 0\n2 0 0 2\n",
    "tile,TL,TR,BL,BR\n1,0,1,2,3\n",
    "https://e2.bucas.name/#puzzle=x&board_w=2&board_h=2&board_edges=abcdabcdabcdabcd",
    '{"kind": "tiles"}\n{"kind": "tiles"}',
    "hello, world",
    "",
    "1234567812345678",
    "https://example.org/?a=b",
]


@pytest.mark.parametrize("text", OTHERS)
def test_texts_of_others_are_not_claimed(text: str) -> None:
    assert not claims(text)


def test_our_texts_are_not_taken_for_tiles() -> None:
    texts = [f"https://puzz.link/p?{body}" for body, _ in ADDRESSES] + [identity for _, identity, _ in IDS] + GRIDS
    for text in [*texts, NINE, NON, nonogram_text.write_list(FOURS), janko.write(Numberlink(1, 2, (1, 1)))]:
        assert not any(form.detect(source(text)) for form in (TERRACOTTA_CSV, *TILE_FORMATS)), text


def test_unreadable_bytes_are_never_claimed() -> None:
    for data in (b"\xff\xfe\0", b"\0" * 81, bytes(range(256))):
        assert not any(form.detect(Source("it", data)) for of in FORMATS.values() for form in of)


def test_a_slitherlink_whose_loop_passes_through_every_point() -> None:
    puzzle = pzpr.read("p?slither/f/3/3/gdk")
    assert isinstance(puzzle, Slitherlink)
    assert puzzle.full
    assert pzpr.read(pzpr.address(puzzle)) == puzzle
    with pytest.raises(BadUsage, match="every point"):
        tatham.game_id(puzzle)
    solved = pipeline.solve(puzzle)
    assert solved.verdict.solved
    values = solved.solution.values  # type: ignore[union-attr]
    assert values.count(1) == 16, "as many lines as points"
