"""Tile files as people have them: recognised by content, read and written without loss, or refused in words."""

import json
import random
from dataclasses import replace

import pytest

from dovetail.core.errors import BadInput, BadUsage, DovetailError
from dovetail.core.kind import Format
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.source import Source
from dovetail.tiles.boards import Tile
from dovetail.tiles.bucas import link_to
from dovetail.tiles.format_renaming import renaming
from dovetail.tiles.format_solutions import ORDERS, laid_boards, read_solutions
from dovetail.tiles.formats import TERRACOTTA_CSV, TILE_FORMATS
from dovetail.tiles.puzzle import EQUAL, SIGNED, Pin, Reading, Tiles, TilesKind, grey_frame
from unit.test_diagnosis import every_rule, planted

FORMATS = {form.name: form for form in TILE_FORMATS}
FOUR = "0 1 1 0\n0 0 2 1\n1 2 0 0\n2 0 0 2\n"  # solved as it lies, by rows
four: tuple[Tile, ...] = ((0, 1, 1, 0), (0, 0, 2, 1), (1, 2, 0, 0), (2, 0, 0, 2))


def source(text: str) -> Source:
    return Source("it", text.encode())


def recognised(text: str) -> Format:
    """The one format whose file this is."""
    found = [form for form in TILE_FORMATS if form.detect(source(text))]
    assert len(found) == 1, [form.name for form in found]
    return found[0]


def read(text: str, **given: object) -> Tiles:
    (puzzle,) = recognised(text).read(source(text), Reading(**given))  # type: ignore[arg-type]
    assert isinstance(puzzle, Tiles)
    return puzzle


def refusal(text: str, form: str = "pieces", **given: object) -> str:
    with pytest.raises(DovetailError) as refused:
        FORMATS[form].read(source(text), Reading(**given))  # type: ignore[arg-type]
    return str(refused.value)


def fits_a_link(puzzle: Tiles) -> bool:
    return (
        puzzle.match == EQUAL
        and puzzle.rotate
        and not puzzle.pins
        and not puzzle.distinct
        and (puzzle.frame is None or puzzle.rim == 0)
    )


@pytest.mark.parametrize("seed", range(12))
def test_every_puzzle_survives_every_format_that_can_hold_it(seed: int) -> None:
    seen = 0
    for puzzle, _ in every_rule(seed):
        for form in TILE_FORMATS:
            if form.name == "bucas" and not fits_a_link(puzzle):
                with pytest.raises(BadUsage, match="a bucas link cannot hold this puzzle: it "):
                    form.write(puzzle)
                continue
            text = form.write(puzzle).decode()
            assert recognised(text) is form
            assert read(text) == puzzle, text
            seen += 1
    assert seen >= 3 * 16


def test_what_a_link_lacks_is_said() -> None:
    puzzle = Tiles(2, 2, four, frame=grey_frame(2, 2))
    write = FORMATS["bucas"].write
    assert write(puzzle) == (
        b"https://e2.bucas.name/#puzzle=Dovetail&board_w=2&board_h=2&board_edges=abbaaacbbcaacaac\n"
    )
    for other, lack in (
        (replace(puzzle, match=SIGNED), "heads and tails"),
        (replace(puzzle, rotate=False), "must not be turned"),
        (replace(puzzle, pins=(Pin(0, 0, 0),)), "hints"),
        (replace(puzzle, distinct=True), "alike"),
        (replace(puzzle, frame=(1,) * 8), "its rim has the colour 0"),
        (replace(puzzle, frame=None), "here the rim is free"),
        (replace(puzzle, tiles=((26, 1, 1, 0), *four[1:])), "colours 0 to 25"),
        (replace(puzzle, tiles=((0, 0, 0, 0), *four[1:])), "looks like an empty cell"),
        (replace(puzzle, tiles=((1, 1, 1, 1),) * 4), "a rim that no tile shows"),
    ):
        with pytest.raises(BadUsage, match=lack):
            write(other)


def test_lists_and_tables_hold_whole_sets_and_the_json_any() -> None:
    puzzle = Tiles(2, 2, four[:3], frame=grey_frame(2, 2))
    for name in ("pieces", "csv"):
        with pytest.raises(BadUsage, match="1 are missing"):
            FORMATS[name].write(puzzle)
    for name in ("bucas", "boards-json"):
        assert read(FORMATS[name].write(puzzle).decode()) == puzzle


def test_pieces_as_they_are_found() -> None:
    plain = Tiles(2, 2, four, frame=grey_frame(2, 2))
    assert read(FOUR) == plain
    assert read("2 2\n" + FOUR) == plain, "Owen's header"
    assert read("0\r\n" + FOUR.replace("\n", "  \r\n") + "\r\n") == plain, "Heule's header and line ends"
    assert read(FOUR.replace("\n", "\n# another\n# and what of it\n")) == plain
    assert read("# four tiles\n\n" + FOUR.replace(" ", ",\t").replace("\n", " # a tile\n")) == plain
    assert read("\ufeff" + FOUR) == plain
    assert read(FOUR, rim="none") == replace(plain, frame=None)
    assert read(FOUR, rim="none", width=4) == Tiles(1, 4, four)
    assert read(FOUR, distinct=True, pins="2:1:3 1:2:2:0").pins == (Pin(0, 1, 1), Pin(1, 0, 2))
    signed = read("0 1 -2 0\n1 2 0 0\n-1 0 2 1\n0 0 0 0")
    assert (signed.match, signed.frame, signed.size) == (SIGNED, None, "2x2")


def test_the_board_follows_from_the_rim() -> None:
    puzzle, _ = planted(random.Random(4), 3, 7, 4)
    lines = [" ".join(map(str, tile)) for tile in puzzle.tiles]
    assert read("\n".join(lines)) == replace(puzzle, pins=(), distinct=False)
    row, _ = planted(random.Random(4), 1, 5, 4)
    found = read("\n".join(" ".join(map(str, tile)) for tile in row.tiles))
    assert (found.rows, found.cols, found.rim) == (1, 5, 0)


def test_a_colour_0_all_over_the_tiles_is_no_rim() -> None:
    assert read("0 1 0 1\n0 0 0 0\n0 1 0 1\n0 0 0 0\n").frame is None


def test_rules_in_comments_are_written_only_where_they_are_needed() -> None:
    plain = Tiles(2, 2, four, frame=grey_frame(2, 2))
    write = FORMATS["pieces"].write
    assert write(plain).decode() == "2 2\n" + FOUR
    ruled = replace(plain, rotate=False, pins=(Pin(1, 0, 2),), distinct=True)
    assert write(ruled).decode() == "2 2\n# rotate false\n# distinct true\n# pin 2 1 3 0\n" + FOUR
    assert "# frame none\n" in write(replace(plain, frame=None)).decode()
    assert "# frame 1 0 1 0 1 0 2 0\n" in write(replace(plain, frame=(1, 0, 1, 0, 1, 0, 2, 0))).decode()
    assert "# rim 3\n" in write(replace(plain, frame=grey_frame(2, 2, 3))).decode()
    assert "# match signed\n" in write(replace(plain, match=SIGNED)).decode()
    assert "# match equal\n" in write(Tiles(1, 1, ((-1, 1, 1, 1),))).decode()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0 1 1 0\n0 1 1\n", "it, line 2: a tile is four whole numbers, north, east, south and west, not '0 1 1'"),
        (FOUR + "1 2 3 4 5\n", "it, line 5: a tile is four whole numbers"),
        (FOUR.replace("2", "x"), "it, line 2: a tile is four"),
        ("1 2 3 99999999999999\n", "it, line 1: a tile is four"),
        ("3 2\n" + FOUR, "it: a 2x3 board takes 6 tiles, but 4 are given"),
        ("1 2\n" + FOUR, "it: a 2x1 board takes 2 tiles, but 4 are given"),
        ("0 0\n" + FOUR, "it: a board has 1 to 64 rows and columns, not 0x0"),
        ("1 2 3 4\n" * 5, "it: 5 tiles do not make a square; give the board's columns with --set width=…"),
        ("# only talk\n", "it holds no tiles"),
        ("# rotate maybe\n" + FOUR, "it, line 1: '# rotate maybe' does not say true or false"),
        ("# pin 1 2\n" + FOUR, "it, line 1: '# pin 1 2' does not give row, column, tile and turns"),
        ("# rim 1 2\n" + FOUR, "it, line 1: '# rim 1 2' does not give a colour or none"),
        ("# board 3 4\n" + FOUR, "it, line 1: '# board 3 4' does not give a board"),
        ("# frame 1 2 3\n" + FOUR, "it: the frame of a 2x2 board has 8 colours"),
        ("# pin 9 9 1 0\n" + FOUR, "it: the hint at row 9, column 9 lies outside the 2x2 board"),
        ("0 1 1 1\n" + FOUR[8:], "it, lines 2, 3 and 4: a 2x2 board takes 4 corner tiles, with the rim on two"),
        ("0 1 0 1\n" + FOUR[8:], "it, line 1: tile 1 has the rim's colour 0 on opposite sides; if 0 is a colour like"),
        ("0 5 1 0\n" + FOUR[8:], "it, line 1: tile 1 is the only one with colour 5"),
    ],
)  # fmt: skip
def test_a_broken_list_is_named_with_its_line(text: str, complaint: str) -> None:
    assert refusal(text).startswith(complaint)


def test_settings_that_contradict_the_file_or_make_no_sense() -> None:
    assert refusal("2 2\n" + FOUR, width=4) == "width cannot be set here: it says it already"
    assert refusal("0\n" + FOUR, rim="none") == "rim cannot be set here: it says it already"
    assert refusal(FOUR, rim="grey") == "rim is a colour or none, not 'grey'"
    assert refusal(FOUR, pins="1:2") == "a hint is row:column:tile:turns, as in 9:8:139:0, not '1:2'"
    assert refusal(FOUR, height=3) == "it: 4 tiles do not make a board with a side of 3"
    own = FORMATS["boards-json"].write(Tiles(2, 2, four)).decode()
    assert refusal(own, "boards-json", rotate=False) == "rotate cannot be set here: it says it already"
    assert read("2 2\n" + FOUR, width=2) == read(FOUR)


def test_comments_in_plain_words_are_left_alone() -> None:
    assert read("# frame pieces come first\n# match the colours well\n# rotated by hand\n" + FOUR) == read(FOUR)


def test_tables_of_numbers_colours_and_halves() -> None:
    assert read("ID,Top,Right,Bottom,Left\n1,0,1,1,0\n2,0,0,2,1\n3,1,2,0,0\n4,2,0,0,2\n") == read(FOUR)
    assert read("W;S;E;N\n0;1;1;0\n1;2;0;0\n0;0;2;1\n2;0;0;2\n") == read(FOUR)
    named = read("Up,Right,Down,Left\nred,green,red,blue\n")
    assert (named.tiles, named.match, named.frame) == (((1, 2, 1, 3),), EQUAL, None)
    halves = read("Top,Right,Bottom,Left\r\nhat/top,hat/bottom,star/bottom,hat/top\r\n")
    assert (halves.tiles, halves.match) == (((1, -1, 2, 1),), SIGNED)
    assert not TERRACOTTA_CSV.detect(source("Top,Right,Bottom,Left\n1,2,3,4\n"))


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("1,2,3", "it, line 2: a tile needs a colour in each of four columns, not '1,2,3'"),
        ("1,,3,4", "it, line 2: a tile needs a colour in each of four"),
        ("a/x,a/y,a/z,b/x", "it, line 2: 'a' has a third half 'z' beside x and y"),
        ("a/x,a/y,b/z,red", "it, line 2: 'red' is not named like the other sides"),
    ],
)
def test_a_broken_table_is_named_with_its_line(row: str, complaint: str) -> None:
    assert refusal("Top,Right,Bottom,Left\n" + row + "\n", "csv").startswith(complaint)


LINK = "board_w=2&board_h=2&board_edges=abbaaacbbcaacaac"


def test_links_from_anywhere() -> None:
    puzzle = read(FOUR)
    for text in (
        f"https://e2.bucas.name/#puzzle=Mine&{LINK}&motifs_order=jef",
        f"http://localhost:8000/viewer?x=1#{LINK}",
        f"puzzle=Mine&{LINK}",
        f"My best so far:\n  <https://e2.bucas.name/#puzzle=Mine&{LINK}>\n",
        "#board_edges=abbaaacbbcaacaac",
    ):
        assert read(text) == puzzle
        (laid,) = laid_boards(source(text), Reading())
        assert laid.puzzle == puzzle
        assert laid.solution is not None
        assert TilesKind().check(puzzle, laid.solution).passes
    two = f"{LINK}\n{LINK}\n"
    assert recognised(two).read(source(two), Reading()) == [puzzle, puzzle]


def test_piece_numbers_order_the_tiles_of_a_link() -> None:
    text = f"{LINK}&board_pieces=004003002001"
    (laid,) = laid_boards(source(text), Reading())
    assert laid.puzzle == Tiles(2, 2, four[::-1], frame=grey_frame(2, 2)) == read(text)
    assert laid.solution is not None
    assert TilesKind().check(laid.puzzle, laid.solution).passes
    assert read(f"{LINK}&board_pieces=004004002001") == read(FOUR), "not a list of pieces"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("board_edges=abbaaac", "it: board_edges is not four letters from a to z for each cell"),
        ("board_edges=abbAaacb", "it: board_edges is not four letters"),
        ("board_edges=abbaaacb", "it: 2 cells do not make a square board"),
        (LINK.replace("w=2", "w=3"), "it: 4 cells do not make a board 3 wide and 2 high"),
        (LINK.replace("w=2", "w=two"), "it: board_w is not a whole number"),
        ("board_edges=" + "a" * 16, "it: the board is empty"),
        ("nothing", "it holds no link with board_edges"),
        ("board_edges=abacaacb&board_w=2&board_h=1", "it: the rim takes 6 sides of colour 0"),
    ],
)
def test_a_broken_link_is_refused(text: str, complaint: str) -> None:
    assert refusal(text, "bucas").startswith(complaint)


def test_boards_and_cards_in_json() -> None:
    clue = json.dumps({"width": 2, "height": 2, "solutionURDL": four})
    assert read(clue) == read(FOUR)
    records = [{"name": "one", "score": 4, "board_edges": "abbaaacbbcaacaac", "board_pieces": None}] * 2
    text = json.dumps(records)
    assert recognised(text).read(source(text), Reading()) == [read(FOUR)] * 2
    assert [laid.name for laid in laid_boards(source(text), Reading())] == ["it, board 1 (one)", "it, board 2 (one)"]
    cards = {"source": "somewhere", "cat": {"cards": [[1, -1, 2, -2]] * 4}, "dog": {"cards": [[1, 1, 1, -1]]}}
    text = json.dumps(cards)
    cat, dog = recognised(text).read(source(text), Reading())
    assert cat == Tiles(2, 2, ((1, -1, 2, -2),) * 4, match=SIGNED)
    assert dog.size == "1x1"
    assert laid_boards(source(text), Reading()) == []


@pytest.mark.parametrize(
    "data",
    [
        {"width": 3, "height": 2, "solutionURDL": four},
        {"width": "2", "height": 2, "solutionURDL": four},
        {"solutionURDL": [[1, 2, 3]]},
        {"solutionURDL": 7},
        {"board_edges": 7},
        {"width": 2, "height": 2, "tilesURDL": "none"},
        {"tilesURDL": four},
        {"cat": {"cards": [[1, 2, 3, "4"]]}},
        {"cat": {"cards": [[1, 2, 3, 4]] * 3}},
    ],
)
def test_broken_json_is_refused(data: object) -> None:
    assert refusal(json.dumps(data), "boards-json").startswith("it")


def test_json_of_others_is_left_to_them() -> None:
    for text in (
        '{"cards": ',
        '["board_edges"]',
        '{"a": {"b": 1}}',
        "[" * 10**5 + '"board_edges"',
        "x" * 10**6,
        "",
        "Dear reader,\n1 2 3 4",
    ):
        assert not any(form.detect(source(text)) for form in TILE_FORMATS), text
    assert refusal("nothing", "boards-json") == "it is not a JSON file of boards or tiles"


def renumbered(rng: random.Random, solution: Placement, puzzle: Tiles) -> str:
    """A link to the board with its colours in another order."""
    letters = [0, *rng.sample(range(1, 23), 22)]
    tiles = tuple((letters[n], letters[e], letters[s], letters[w]) for n, e, s, w in puzzle.tiles)
    return link_to(replace(puzzle, tiles=tiles, distinct=False), solution)


@pytest.mark.parametrize("seed", range(10))
def test_boards_with_other_letters_are_laid_with_the_puzzles_tiles(seed: int) -> None:
    rng = random.Random(seed)
    puzzle, solution = planted(rng, rng.randint(2, 8), rng.randint(2, 8), rng.randint(2, 20))
    (found,) = read_solutions(source(renumbered(rng, solution, puzzle)), replace(puzzle, pins=())) or []
    verdict = TilesKind().check(replace(puzzle, pins=()), found)
    assert verdict.passes, verdict.violations


def test_a_board_with_holes_is_read_in_the_known_orders() -> None:
    puzzle, solution = planted(random.Random(3), 5, 5, 22)
    puzzle = replace(puzzle, pins=(), distinct=False)
    pieces = tuple((EMPTY, *row[1:]) for row in solution.pieces)
    holed = Placement(pieces, tuple((0, *row[1:]) for row in solution.turns))
    for letters in ("abcdefghijklmnopqrstuvw", *ORDERS.values()):
        assert sorted(letters) == sorted("abcdefghijklmnopqrstuvw")
        assert letters[0] == "a"
        link = link_to(puzzle, holed)
        head, edges = link.rsplit("=", 1)
        text = f"{head}={''.join(letters[ord(letter) - ord('a')] for letter in edges)}"
        (found,) = read_solutions(source(text), puzzle) or []
        verdict = TilesKind().check(puzzle, found)
        assert verdict.scores["placed"] == 20
        assert verdict.scores["matched"] == verdict.scores["seams"] - 4 - 5


def test_tiles_that_are_not_the_puzzles_are_refused() -> None:
    puzzle, _ = planted(random.Random(3), 2, 2, 1)
    other, solution = planted(random.Random(4), 2, 2, 7)
    with pytest.raises(BadInput, match=r"^it: this board is not laid with the puzzle's tiles, .* row \d, column \d$"):
        read_solutions(source(link_to(other, solution)), puzzle)
    wide, _ = planted(random.Random(3), 2, 3, 3)
    with pytest.raises(BadInput, match=r"^it: the board is 2x2, the puzzle's 2x3$"):
        read_solutions(source(link_to(other, solution)), wide)
    assert read_solutions(source(FOUR), puzzle) is None, "a list of tiles is no board"


def test_a_renaming_keeps_the_rim_and_is_found_only_if_there_is_one() -> None:
    ours = [(0, 1, 2, 0), (3, 1, 2, 3)]
    assert renaming([(0, 5, 6, 0), (7, 5, 6, 7)], ours, turning=True) == {0: 0, 5: 1, 6: 2, 7: 3}
    assert renaming([(5, 0, 0, 6), (7, 5, 6, 7)], ours, turning=True) is None, "a mirror image"
    assert renaming([(5, 6, 0, 0), (7, 5, 6, 7)], ours, turning=True) == {0: 0, 5: 1, 6: 2, 7: 3}
    assert renaming([(5, 6, 0, 0), (7, 5, 6, 7)], ours, turning=False) is None
    assert renaming([(3, 1, 2, 3), (0, 1, 2, 0)], [(0, 1, 2, 0), (0, 1, 2, 0)], turning=True) is None
    # nothing tells these colours apart, so that one has to be chosen
    ring = [(1, 2, 1, 2), (2, 3, 2, 3), (3, 1, 3, 1)]
    found = renaming(ring, [(7, 8, 7, 8), (8, 9, 8, 9), (9, 7, 9, 7)], turning=True)
    assert found is not None
    assert sorted(found.values()) == [7, 8, 9]


def test_owens_solutions() -> None:
    """His pieces go south, east, north, west; r turns the piece as it lies: shown[k] = piece[(k + r) mod 4]."""
    rng = random.Random(6)
    puzzle, solution = planted(rng, 3, 5, 4)
    pieces, places = [""] * 15, [""] * 15
    for y, row in enumerate(solution.pieces):
        for x, number in enumerate(row):
            n, e, s, w = puzzle.turned(puzzle.tiles[number], solution.turns[y][x])
            r = rng.randrange(4)
            north, east, south, west = (((n, e, s, w) * 2)[4 - r + k] for k in range(4))
            pieces[number] = f"{south} {east} {north} {west}"
            places[number] = f"{x} {y} {r}"
    his = read("5 3\n" + "\n".join(pieces))
    (found,) = read_solutions(source("5 3\n" + "\n".join(places) + "\n"), his) or []
    assert TilesKind().check(his, found).passes
    for text, complaint in (
        ("4 3\n" + "\n".join(places), "it: the board is 3x4, the puzzle's 3x5"),
        ("5 3\n" + "\n".join(places[1:]), "it: 14 pieces are laid, and the puzzle has 15"),
        ("5 3\n" + "\n".join([*places[1:], "5 0 0"]), "it, piece 15: 5 0 0 is not a column"),
        ("5 3\n" + "\n".join([*places[:14], places[0]]), "it, piece 15: another piece already lies at"),
    ):
        with pytest.raises(BadInput) as refused:
            read_solutions(source(text), his)
        assert str(refused.value).startswith(complaint)
