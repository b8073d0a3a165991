"""Why a puzzle cannot have a solution, in the words of whoever designs one.

Everything here is counting or looking at single tiles: what it finds is certainly wrong, and what it lets pass may
still have no solution.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..core.errors import BadInput
from .boards import Tile
from .puzzle import EQUAL, SIDES, Pin, Tiles, frame_sides

MOST_NAMED = 6  # tiles named in one sentence
CORNERS = ("top left", "top right", "bottom right", "bottom left")  # by the first of their two sides: W, N, E, S


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong, and the tiles it is wrong with (from 0), where it is a matter of a few."""

    tiles: tuple[int, ...]
    sentence: str


def faults(puzzle: Tiles) -> Iterator[Fault]:
    """All that is certainly wrong; nothing if the puzzle may have a solution.

    A board with tiles missing has none anyway: of that, only what contradicts itself is told.
    """
    if puzzle.distinct:
        yield from _alike(puzzle)
    if not puzzle.missing:
        yield from _misfits(puzzle)
        yield from _rim_tiles(puzzle)
        yield from _strangers(puzzle)
        yield from _unpaired(puzzle)
        yield from _empty_rim(puzzle)
    yield from _impossible_pins(puzzle)


def refuse_broken(puzzle: Tiles, line_of: Callable[[int], int] | None = None, name: str = "", doubt: str = "") -> None:
    """Raise BadInput with the first fault. With the lines its tiles stand on it is a list, and a list must be whole.

    ``doubt`` ends a sentence about the rim: the fault may lie in what was assumed of it.
    """
    if puzzle.missing and line_of is not None:
        cells = puzzle.rows * puzzle.cols
        raise BadInput(_at(name, "") + f"a {puzzle.size} board takes {cells} tiles, but {len(puzzle.tiles)} are given")
    for fault in faults(puzzle):
        lines = [] if line_of is None else [str(line_of(tile)) for tile in fault.tiles[:MOST_NAMED]]
        where = f"line{'s' if len(lines) > 1 else ''} {_list(lines)}" if lines else ""
        raise BadInput(_at(name, where) + fault.sentence + (doubt if "rim" in fault.sentence else ""))


def _at(name: str, where: str) -> str:
    place = ", ".join(filter(None, (name, where)))
    return f"{place}: " if place else ""


def _list(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _named(tiles: list[int]) -> str:
    """Tiles as people count them, if they are few."""
    if len(tiles) > MOST_NAMED:
        return f"{len(tiles)} tiles"
    return f"tile{'s' if len(tiles) > 1 else ''} {_list([str(tile + 1) for tile in tiles])}"


def _few(tiles: list[int]) -> tuple[int, ...]:
    return tuple(tiles) if len(tiles) <= MOST_NAMED else ()


def _alike(puzzle: Tiles) -> Iterator[Fault]:
    """Two tiles that look the same, in a puzzle that says it has none."""
    first: dict[Tile, int] = {}
    for number, tile in enumerate(puzzle.tiles):
        key = min(puzzle.turned(tile, turns) for turns in range(4 if puzzle.rotate else 1))
        if key in first:
            pair = [first[key], number]
            yield Fault(tuple(pair), f"{_named(pair)} are alike, and this puzzle allows no two alike tiles")
        else:
            first[key] = number


def _misfits(puzzle: Tiles) -> Iterator[Fault]:
    """Tiles with more of a grey rim than any place of the board has."""
    if puzzle.grey is None or min(puzzle.rows, puzzle.cols) < 2:
        return
    for number, tile in enumerate(puzzle.tiles):
        if tile.count(puzzle.grey) > 2:
            yield Fault(
                (number,), f"tile {number + 1} has the rim's colour {puzzle.grey} on {tile.count(puzzle.grey)} sides"
            )
        elif any(tile[side] == puzzle.grey == tile[side + 2] for side in (0, 1)):
            yield Fault((number,), f"tile {number + 1} has the rim's colour {puzzle.grey} on opposite sides")


def _rim_tiles(puzzle: Tiles) -> Iterator[Fault]:
    """Too many or too few tiles for the corners and borders of a grey rim."""
    grey = puzzle.grey
    if grey is None or min(puzzle.rows, puzzle.cols) < 2:
        return
    found: dict[tuple[int, ...], list[int]] = {}
    for number, tile in enumerate(puzzle.tiles):
        found.setdefault(tuple(side for side in range(4) if tile[side] == grey), []).append(number)
    corners = [(0, 3), (0, 1), (1, 2), (2, 3)]
    along = [puzzle.cols - 2, puzzle.rows - 2] * 2
    if puzzle.rotate:
        yield from _counted(
            puzzle, [n for key in corners for n in found.get(key, [])], 4, "corner tiles, with the rim on two sides"
        )
        borders = [n for side in range(4) for n in found.get((side,), [])]
        yield from _counted(puzzle, borders, sum(along), "border tiles, with the rim on one side")
        return
    for key, corner in zip(corners, CORNERS, strict=True):
        sides = " and ".join(SIDES[side] for side in key)
        yield from _counted(puzzle, found.get(key, []), 1, f"tile for the {corner} corner, with the rim {sides}")
    for side, wanted in enumerate(along):
        yield from _counted(puzzle, found.get((side,), []), wanted, f"border tiles with the rim {SIDES[side]}")


def _counted(puzzle: Tiles, tiles: list[int], wanted: int, what: str) -> Iterator[Fault]:
    if len(tiles) != wanted:
        tiles = sorted(tiles)
        have = f"there are {len(tiles)}" if tiles else "there is none"
        named = f" ({_named(tiles)})" if 0 < len(tiles) <= MOST_NAMED else ""
        yield Fault(_few(tiles), f"a {puzzle.size} board takes {wanted} {what}, and {have}{named}")


def _strangers(puzzle: Tiles) -> Iterator[Fault]:
    """Tiles with a colour that no other tile has and the frame does not want."""
    if puzzle.frame is None or puzzle.match != EQUAL or len(puzzle.tiles) == 1:
        return
    having: dict[int, set[int]] = {}
    for number, tile in enumerate(puzzle.tiles):
        for colour in tile:
            having.setdefault(colour, set()).add(number)
    for colour, tiles in sorted(having.items()):
        if len(tiles) == 1 and colour not in puzzle.frame:
            (only,) = tiles
            yield Fault((only,), f"tile {only + 1} is the only one with colour {colour}, which finds no partner")


def _unpaired(puzzle: Tiles) -> Iterator[Fault]:
    """Colours that cannot all find a partner: inside the board every side touches another.

    A free rim may take whatever finds none, so there it is for a solver to prove that there is no solution.
    """
    if puzzle.frame is None:
        return
    inside = Counter(colour for tile in puzzle.tiles for colour in tile)
    for colour, wanted in Counter(puzzle.frame).items():
        if inside[colour] < wanted:
            yield Fault((), f"the rim takes {wanted} sides of colour {colour}, and the tiles have {inside[colour]}")
            return
        inside[colour] -= wanted
    rarest_first = sorted(inside, key=lambda colour: (inside[colour], colour))
    odd = [colour for colour in rarest_first if _left_over(puzzle, inside, colour)]
    for colour in odd:
        having = [number for number, tile in enumerate(puzzle.tiles) if colour in tile]
        rim = " apart from the rim" if colour in puzzle.frame else ""
        if puzzle.match == EQUAL or colour == 0:
            why = f"colour {colour} is on {inside[colour]} sides{rim}, an odd number, so that one finds no partner"
        else:
            why = f"colour {colour} is on {inside[colour]} sides{rim}, its partner {-colour} on {inside[-colour]}"
        yield Fault(_few(having), f"{why} ({_named(having)})" if having and len(having) <= MOST_NAMED else why)


def _left_over(puzzle: Tiles, inside: Counter[int], colour: int) -> int:
    """How many sides of a colour stay alone when as many as possible are paired."""
    if puzzle.match == EQUAL or colour == 0:
        return inside[colour] % 2
    return max(0, inside[colour] - inside[-colour])


def _wanted(puzzle: Tiles) -> dict[tuple[int, int], dict[int, int]]:
    """What each cell along the rim must show, side by side."""
    wanted: dict[tuple[int, int], dict[int, int]] = {}
    for colour, (row, col, side) in zip(puzzle.frame or (), frame_sides(puzzle.rows, puzzle.cols), strict=False):
        wanted.setdefault((row, col), {})[side] = colour
    return wanted


def _empty_rim(puzzle: Tiles) -> Iterator[Fault]:
    """Places along the rim where no tile shows what the frame wants."""
    turns = range(4 if puzzle.rotate else 1)
    ways = {puzzle.turned(tile, turn) for tile in puzzle.tiles for turn in turns}
    known: dict[tuple[tuple[int, int], ...], bool] = {}
    for (row, col), sides in _wanted(puzzle).items():
        key = tuple(sorted(sides.items()))
        if key not in known:
            known[key] = any(all(way[side] == colour for side, colour in key) for way in ways)
            if not known[key]:
                shown = " and ".join(f"{colour} {SIDES[side]}" for side, colour in key)
                yield Fault((), f"no tile fits row {row + 1}, column {col + 1}, where the frame wants {shown}")


def _impossible_pins(puzzle: Tiles) -> Iterator[Fault]:
    """Hints that break the frame, turn the rim's colour inwards, or disagree where they touch."""
    wanted = _wanted(puzzle)
    laid = {(pin.row, pin.col): puzzle.turned(puzzle.tiles[pin.tile], pin.turns) for pin in puzzle.pins}
    names = {(pin.row, pin.col): pin for pin in puzzle.pins}
    for cell, tile in laid.items():
        pin = names[cell]
        for side, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
            beside = (cell[0] + down, cell[1] + right)
            colour = wanted.get(cell, {}).get(side)
            if colour is not None:
                if tile[side] != colour:
                    yield _pin_fault(pin, f"shows {tile[side]} {SIDES[side]}, where the frame wants {colour}")
            elif 0 <= beside[0] < puzzle.rows and 0 <= beside[1] < puzzle.cols:
                if tile[side] == puzzle.grey:
                    yield _pin_fault(pin, f"shows the rim's colour {SIDES[side]}, inside the board")
                elif beside in laid and side in (1, 2):
                    other = laid[beside][(side + 2) % 4]
                    if tile[side] != (other if puzzle.match == EQUAL else -other):
                        yield _pin_fault(
                            pin, f"disagrees with the hint {'beside' if side == 1 else 'below'} it", names[beside].tile
                        )


def _pin_fault(pin: Pin, what: str, *others: int) -> Fault:
    return Fault(
        (pin.tile, *others), f"the hint at row {pin.row + 1}, column {pin.col + 1} (tile {pin.tile + 1}) {what}"
    )
