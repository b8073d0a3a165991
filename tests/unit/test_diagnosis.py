"""A broken puzzle is named as such, in words; one that has a solution never is."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Placement
from dovetail.tiles.boards import Tile
from dovetail.tiles.diagnosis import faults, refuse_broken
from dovetail.tiles.puzzle import EQUAL, SIGNED, Pin, Tiles, TilesKind, frame_sides, grey_frame

FRAMES = ("free", "grey", "coloured", "shared")  # shared: the rim's colour is also found inside


def planted(
    rng: random.Random, rows: int, cols: int, colours: int, match: str = EQUAL, rotate: bool = True, frame: str = "grey"
) -> tuple[Tiles, Placement]:
    """A puzzle with its answer: a board coloured edge by edge, its tiles then turned and shuffled."""
    sign = 1 if match == EQUAL else -1
    cells = [[[0, 0, 0, 0] for _ in range(cols)] for _ in range(rows)]
    for r in range(rows):
        for c in range(cols):
            for r2, c2, side in ((r, c + 1, 1), (r + 1, c, 2)):
                if r2 < rows and c2 < cols:
                    colour = rng.randint(1, colours) * rng.choice((1, sign))
                    cells[r][c][side], cells[r2][c2][(side + 2) % 4] = colour, sign * colour
    for r, c, side in frame_sides(rows, cols):
        cells[r][c][side] = {"grey": 0, "shared": 1}.get(frame, rng.randint(1, colours) * rng.choice((1, sign)))
    rim = tuple(cells[r][c][side] for r, c, side in frame_sides(rows, cols))
    order = rng.sample(range(rows * cols), rows * cols)
    turns = [rng.randrange(4) if rotate else 0 for _ in order]
    tiles: list[Tile] = [(0, 0, 0, 0)] * len(order)
    for cell, (piece, turn) in enumerate(zip(order, turns, strict=True)):
        sides = cells[cell // cols][cell % cols]
        n, e, s, w = (sides[(side - turn) % 4] for side in range(4))
        tiles[piece] = (n, e, s, w)
    pinned = rng.sample(range(rows * cols), rng.randint(0, 2) if rows * cols > 1 else 0)
    pins = tuple(Pin(cell // cols, cell % cols, order[cell], turns[cell]) for cell in pinned)
    puzzle = Tiles(rows, cols, tuple(tiles), rotate, match, None if frame == "free" else rim, pins)
    ways = [min(puzzle.turned(tile, turn) for turn in range(4 if rotate else 1)) for tile in tiles]
    puzzle = replace(puzzle, distinct=len({*ways}) == len(tiles) and rng.random() < 0.5)
    return puzzle, Placement.from_flat(order, turns, cols)


def every_rule(seed: int) -> list[tuple[Tiles, Placement]]:
    """A planted puzzle of each combination of rules, in all sorts of sizes."""
    rng = random.Random(seed)
    return [
        planted(rng, rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 9), match, rotate, frame)
        for match in (EQUAL, SIGNED)
        for rotate in (True, False)
        for frame in FRAMES
    ]


def sentence(puzzle: Tiles) -> str:
    """What the first fault is called."""
    with pytest.raises(BadInput) as refused:
        refuse_broken(puzzle)
    return str(refused.value)


def with_tile(puzzle: Tiles, number: int, tile: Tile) -> Tiles:
    return replace(puzzle, tiles=(*puzzle.tiles[:number], tile, *puzzle.tiles[number + 1 :]))


def with_side(puzzle: Tiles, number: int, change: Callable[[int], int]) -> Tiles:
    """One side of one tile has another colour, and it is not the rim's."""
    tile = [*puzzle.tiles[number]]
    side = next(side for side, colour in enumerate(tile) if colour != puzzle.grey)
    tile[side] = change(tile[side])
    return with_tile(puzzle, number, (tile[0], tile[1], tile[2], tile[3]))


@pytest.mark.parametrize("seed", range(40))
def test_a_puzzle_with_a_solution_is_never_called_broken(seed: int) -> None:
    for puzzle, solution in every_rule(seed):
        verdict = TilesKind().check(puzzle, solution)
        assert verdict.passes, verdict.violations
        assert not [*faults(puzzle)], puzzle


@pytest.mark.parametrize("match", [EQUAL, SIGNED])
@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize("frame", ["grey", "coloured", "shared"])
def test_with_a_frame_one_wrong_side_is_always_noticed(match: str, rotate: bool, frame: str) -> None:
    rng = random.Random(7)
    for _ in range(20):
        puzzle, _ = planted(rng, 4, 3, 5, match, rotate, frame)
        for number in range(12):
            assert [*faults(replace(with_side(puzzle, number, lambda _: 99), distinct=False))]


def test_a_colour_that_occurs_once_names_its_tile_and_line() -> None:
    puzzle, _ = planted(random.Random(1), 4, 4, 3)
    broken = with_side(replace(puzzle, pins=()), 6, lambda _: 77)
    with pytest.raises(BadInput) as refused:
        refuse_broken(broken, lambda tile: tile + 12, "list.txt")
    assert str(refused.value) == ("list.txt, line 18: tile 7 is the only one with colour 77, which finds no partner")
    assert "an odd number, so that one finds no partner" in " ".join(fault.sentence for fault in faults(broken))


def test_lines_are_named_with_the_fault() -> None:
    puzzle, _ = planted(random.Random(1), 4, 4, 30)
    doubled = replace(with_tile(puzzle, 11, puzzle.turned(puzzle.tiles[4], 1)), distinct=True, pins=())
    with pytest.raises(BadInput) as refused:
        refuse_broken(doubled, lambda tile: tile + 2, "list.txt")
    assert str(refused.value) == (
        "list.txt, lines 6 and 13: tiles 5 and 12 are alike, and this puzzle allows no two alike tiles"
    )
    # tiles that must not be turned are alike only as they lie
    fixed, _ = planted(random.Random(1), 4, 4, 30, rotate=False, frame="free")
    turned = replace(with_tile(fixed, 11, fixed.turned(fixed.tiles[4], 1)), distinct=True, pins=())
    assert not [fault for fault in faults(turned) if "alike" in fault.sentence]


def test_signed_halves_must_balance() -> None:
    puzzle, _ = planted(random.Random(3), 3, 3, 1, SIGNED, frame="coloured")
    broken = with_side(replace(puzzle, pins=(), distinct=False), 4, lambda colour: -colour)
    assert any("its partner" in fault.sentence for fault in faults(broken))


def test_a_free_rim_is_left_to_the_solvers() -> None:
    assert not [*faults(Tiles(2, 2, ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16))))]


def test_rim_tiles_are_counted() -> None:
    inner, border, corner = (1, 1, 1, 1), (0, 1, 1, 1), (0, 1, 1, 0)
    frame = grey_frame(3, 3)
    assert not [*faults(Tiles(3, 3, (corner,) * 4 + (border,) * 4 + (inner,), frame=frame))]
    assert sentence(Tiles(3, 3, (corner,) * 3 + (border,) * 4 + (inner,) * 2, frame=frame)) == (
        "a 3x3 board takes 4 corner tiles, with the rim on two sides, and there are 3 (tiles 1, 2 and 3)"
    )
    assert sentence(Tiles(3, 3, (corner,) * 4 + (border,) * 3 + (inner,) * 2, frame=frame)) == (
        "a 3x3 board takes 4 border tiles, with the rim on one side, and there are 3 (tiles 5, 6 and 7)"
    )
    opposite = (0, 1, 0, 1)
    assert sentence(Tiles(3, 3, (corner,) * 3 + (opposite,) + (border,) * 4 + (inner,), frame=frame)) == (
        "tile 4 has the rim's colour 0 on opposite sides"
    )
    three = (0, 0, 0, 1)
    assert sentence(Tiles(3, 3, (corner,) * 3 + (border,) * 3 + (three, inner, inner), frame=frame)) == (
        "tile 7 has the rim's colour 0 on 3 sides"
    )


def test_tiles_that_are_not_turned_have_each_their_corner() -> None:
    puzzle, _ = planted(random.Random(2), 3, 4, 2, rotate=False)
    puzzle = replace(puzzle, pins=(), distinct=False)
    top_left = next(n for n, tile in enumerate(puzzle.tiles) if tile[0] == 0 == tile[3])
    turned = with_tile(puzzle, top_left, puzzle.turned(puzzle.tiles[top_left], 2))
    assert sentence(turned) == (
        "a 3x4 board takes 1 tile for the top left corner, with the rim north and west, and there is none"
    )


def test_a_rim_colour_that_is_too_rare() -> None:
    assert sentence(Tiles(1, 2, ((0, 1, 0, 0), (0, 1, 0, 1)), frame=grey_frame(1, 2))) == (
        "the rim takes 6 sides of colour 0, and the tiles have 5"
    )


def test_a_frame_that_no_tile_can_meet() -> None:
    # each colour is there often enough, but no tile has 1 and 2 beside each other
    tiles = ((1, 3, 1, 3), (2, 3, 2, 3), (1, 3, 1, 3), (2, 3, 2, 3))
    assert sentence(Tiles(2, 2, tiles, frame=(1, 1, 1, 1, 2, 2, 2, 2))) == (
        "no tile fits row 1, column 1, where the frame wants 1 north and 2 west"
    )


def test_hints_that_contradict() -> None:
    puzzle, solution = planted(random.Random(5), 3, 3, 4)
    puzzle = replace(puzzle, distinct=False)

    def pinned(row: int, col: int, turn: int = 0, at: tuple[int, int] | None = None) -> Pin:
        place = at or (row, col)
        return Pin(*place, solution.pieces[row][col], (solution.turns[row][col] + turn) % 4)

    assert not [*faults(replace(puzzle, pins=(pinned(0, 0), pinned(0, 1), pinned(1, 1))))]
    assert "where the frame wants 0" in sentence(replace(puzzle, pins=(pinned(0, 0, 1),)))
    assert sentence(replace(puzzle, pins=(pinned(0, 0, at=(1, 1)),))).startswith("the hint at row 2, column 2 (tile ")
    assert "the rim's colour north, inside the board" in sentence(replace(puzzle, pins=(pinned(0, 0, at=(1, 1)),)))
    tiles = ((1, 2, 1, 1), (1, 1, 1, 2))
    apart = Tiles(1, 2, tiles, pins=(Pin(0, 0, 0, 2), Pin(0, 1, 1)))
    assert sentence(apart) == "the hint at row 1, column 1 (tile 1) disagrees with the hint beside it"
    below = Tiles(2, 1, tiles, pins=(Pin(0, 0, 0, 3), Pin(1, 0, 1)))
    assert sentence(below) == "the hint at row 1, column 1 (tile 1) disagrees with the hint below it"


def test_missing_tiles_break_a_list_but_not_a_board() -> None:
    puzzle, _ = planted(random.Random(5), 3, 3, 4)
    puzzle = replace(puzzle, tiles=puzzle.tiles[:-2], pins=(), distinct=False)
    refuse_broken(puzzle)
    with pytest.raises(BadInput, match=r"^list\.txt: a 3x3 board takes 9 tiles, but 7 are given$"):
        refuse_broken(puzzle, lambda tile: tile + 1, "list.txt")
