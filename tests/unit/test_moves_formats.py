"""Games as people have them: ids of Simon Tatham's collection by name, address, JSON, shape; their solving moves."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from dovetail.core import registry
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.kind import Format
from dovetail.core.puzzle import Moves, Puzzle
from dovetail.core.source import Source
from dovetail.grids.formats import tatham
from dovetail.moves import formats
from dovetail.moves.games.fifteen import Fifteen
from dovetail.moves.games.flood import Flood
from dovetail.moves.games.samegame import SCORE, SameGame
from dovetail.tiles.formats import TERRACOTTA_CSV, TILE_FORMATS
from unit.test_imports import HEAVY, loaded_by

FORMATS: dict[str, tuple[Format, ...]] = {
    "samegame": formats.SAMEGAME_FORMATS,
    "flood": formats.FLOOD_FORMATS,
    "fifteen": formats.FIFTEEN_FORMATS,
}
BLOCKS = SameGame(2, 3, (0, 1, 0, 1, 4, 2))
POOL = Flood(2, 3, (0, 1, 2, 2, 1, 0), 3, 4)
TRAY = Fifteen(2, 3, (1, 0, 3, 4, 2, 5))
# width before height
IDS: list[tuple[str, str, Puzzle]] = [
    ("samegame", "3x2c4s2:0,1,0,1,4,2", BLOCKS),
    ("samegame", "2x1c3s1:1,1", SameGame(1, 2, (1, 1), least=1)),
    ("flood", "3x2c3:012210,4", POOL),
    ("flood", "1x2c10:90,0", Flood(2, 1, (9, 0), 10)),
    ("fifteen", "3x2:1,0,3,4,2,5", TRAY),
    ("fifteen", "2x2:0,3,1,2", Fifteen(2, 2, (0, 3, 1, 2))),
]


def source(text: str) -> Source:
    return Source("it", text.encode())


def claims(text: str) -> list[tuple[str, str]]:
    """Every format of every kind that takes a text for its own, those of other families, too."""
    others = {kind: registry.kind(kind).formats() for kind in registry.kind_names() if kind not in FORMATS}
    everything = {**others, "terracotta": (TERRACOTTA_CSV,), "tiles": TILE_FORMATS, **FORMATS}
    return [(kind, form.name) for kind, of in everything.items() for form in of if form.detect(source(text))]


def form(kind: str) -> Format:
    return next(form for form in FORMATS[kind] if form.name == "tatham")


def test_importing_the_formats_loads_nothing_heavy() -> None:
    assert not loaded_by("import dovetail.moves.formats") & HEAVY


@pytest.mark.parametrize(("game", "identity", "puzzle"), IDS)
def test_ids_are_read_and_written(game: str, identity: str, puzzle: Puzzle) -> None:
    assert formats.game_of(identity) == game
    assert formats.read(identity) == puzzle
    assert formats.game_id(puzzle) == identity
    assert tatham.game_of(identity) is None, "the logic grids leave it alone"
    assert claims(identity) == [(puzzle.kind, "tatham")]
    parameters, _, description = identity.partition(":")
    named = json.dumps({"game": game, "params": "9x9", "full_params": parameters, "desc": description, "solve": None})
    for text in (f"{game} {identity}", f"{game}:{identity}", formats.address(puzzle), named):
        assert formats.game_of(text) == game
        assert formats.read(text) == puzzle
        assert claims(text) == [(puzzle.kind, "tatham")]
    many = source(f"{identity}\n\n{named}\n")
    settings = SimpleNamespace(goal="auto", blank="first")
    assert form(puzzle.kind).read(many, settings) == [puzzle, puzzle]
    assert form(puzzle.kind).write(puzzle) == f"{identity}\n".encode()


@pytest.mark.parametrize(
    ("text", "puzzle"),
    [
        ("3x2c4s2r:0,1,0,1,4,2", BLOCKS),
        ("samegame 2:1,1,1,1", SameGame(2, 2, (1, 1, 1, 1))),
        ("3x2c3m5:012210,4", POOL),
        ("3x2:012210,4", Flood(2, 3, POOL.cells, 6, 4)),
        ("3x2:012219,4", Flood(2, 3, (0, 1, 2, 2, 1, 9), 10, 4)),
        ("flood 2c3:0120,7", Flood(2, 2, (0, 1, 2, 0), 3, 7)),
        ("fifteen 2:0,3,1,2", Fifteen(2, 2, (0, 3, 1, 2))),
    ],
)
def test_what_an_id_may_leave_out_or_add(text: str, puzzle: Puzzle) -> None:
    assert formats.read(text) == puzzle


def test_boards_for_points_are_read_by_a_setting() -> None:
    (puzzle,) = form("samegame").read(source("3x2c4s2:0,1,0,1,4,2"), SimpleNamespace(goal=SCORE))
    assert puzzle == SameGame(2, 3, BLOCKS.cells, SCORE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3x2c4s2:0,1,0,1,4", "the text ends after 5 of 6 numbers"),
        ("3x2c4s2:0,1,0,1,4,2,2", "the text holds more than 6 numbers"),
        ("3x2c4s2:0,1,,1,4,2", "position 13: a number is needed here, not ''"),
        ("3x2c3s2:0,1,0,1,4,2", "row 2, column 2: the colour 4, and the parameters say that there are 3"),
        ("3x2c4s3:0,1,0,1,4,2", "not (n - 3)²"),
        ("3x2c3:01221,4", "the text ends after 5 of 6 cells"),
        ("3x2c3:0122100,4", "the text holds more than 6 cells"),
        ("flood 3x2c3:01221a,4", "position 18: 'a' means nothing here"),
        ("3x2c3:012213,4", "row 2, column 3: a colour is a number from 0 to 2, not 3"),
        ("flood 3x2c3:012210", "the text ends before the most moves"),
        ("flood 3x2c3:012210,4,", "the text goes on after the most moves"),
        ("flood 3x2c3:012210,x", "a number is needed here, not 'x'"),
        ("flood 3x2s3:012210,4", "'3x2s3' are no parameters of the game flood"),
        ("flood 0x2c3:012210,4", "the number of columns is a whole number, 1 or more, not '0'"),
        ("fifteen 2x2:0,1,2,2", "row 2, column 2: 2 is already in row 2, column 1"),
        ("fifteen 2x2:0,1,2,4", "row 2, column 2: a tile is a number from 1 to 3"),
        ("2x2:0,1,2,4", "could be of many games; write its name before it (samegame, flood, fifteen)"),
        ("nothing", "is no game id"),
        ('{"game": "flood", "params": "2x2"}', "has game (one of samegame, flood, fifteen), params and desc"),
        ('{"game": ["flood"], "params": "2x2", "desc": "0110,3"}', "has game (one of"),
        ('{"game"', "this is not valid JSON"),
    ],
)
def test_broken_ids_are_refused_in_words(text: str, says: str) -> None:
    with pytest.raises(BadInput) as caught:
        formats.read(text)
    assert says in str(caught.value)


def test_the_line_is_named() -> None:
    with pytest.raises(BadInput, match="it, line 3: the text holds more than 6 cells"):
        form("flood").read(source("3x2c3:012210,4\n\n3x2c3:0122100,4\n"), None)
    with pytest.raises(BadInput, match="this is an id of the game fifteen, not flood"):
        form("flood").read(source("fifteen 2x2:0,3,1,2"), None)


@pytest.mark.parametrize(
    ("puzzle", "says"),
    [
        (Flood(1, 2, (0, 1), 2), "the game flood has 3 colours or more, not 2"),
        (Flood(1, 1, (0,), 3), "the game flood has two cells or more"),
        (Fifteen(2, 2, (0, 3, 1, 2), blank_first=True), "the gap belongs last"),
        (SameGame(1, 2, (1, 1), SCORE), "played for points"),
    ],
)
def test_what_a_game_has_no_words_for(puzzle: Puzzle, says: str) -> None:
    with pytest.raises(BadUsage, match=says):
        formats.game_id(puzzle)
    assert formats.links(puzzle) == {}


def test_links_open_the_game() -> None:
    page = "https://www.chiark.greenend.org.uk/~sgtatham/puzzles/js/flood.html#3x2c3:012210,4"
    assert formats.links(POOL) == {"tatham": page}
    assert formats.read(page) == POOL


def solutions(text: str, puzzle: Any) -> Any:
    return formats.read_solutions(source(text), puzzle)


def test_solving_moves_of_flood() -> None:
    wanted = [Moves(("2", "1", "0"))]
    assert solutions("S2,1,0\n", POOL) == wanted
    entry = {"game": "flood", "params": "3x2c3", "desc": "012210,4", "solve": "S2,1,0"}
    assert solutions(json.dumps(entry), POOL) == wanted
    assert solutions("S2,1,0\nS1\n", POOL) == [*wanted, Moves(("1",))]
    for text in ("2,1,0", "nothing", '{"solve": null}', '{"shape": "moves"}', "{", ""):
        assert solutions(text, POOL) is None
    assert formats.read_solutions(Source("it", b"\xff\0"), POOL) is None
    with pytest.raises(BadInput, match="it: a solving move of flood is S and colours with commas between them"):
        solutions("S2;1", POOL)
    with pytest.raises(BadInput, match="the solving move of the game fifteen does not say its moves"):
        solutions('{"solve": "S"}', TRAY)
