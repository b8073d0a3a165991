"""How many solutions a tile puzzle has and how large a search will be, before any search.

Brendan Owen's estimate: lay the tiles of each type (corner, border, inner) on the cells of their type at random; the
number of boards times the chance that all seams match is the number of solutions to expect. Following the same chance
cell by cell along a fill order gives the width of the search tree at every depth.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import exp, lgamma, log, log10

import numpy as np
from numpy.typing import NDArray

from ..core.puzzle import Puzzle
from .oriented import Oriented, oriented
from .plan import ORDERS, Plan, plan
from .puzzle import SIGNED, Tiles

UNLIKELY = 1e-12  # the chance of sides that never match: schedules divide by it


IN_REACH = 3e10  # placements that a complete search makes in ten minutes or so


@dataclass(frozen=True)
class Profile:
    """Along a fill order, at each depth: what a cell offers on the average."""

    fitting: NDArray[np.float64]  # [n] tiles that fit all known sides
    north: NDArray[np.float64]  # [n] chance that a tile fits its north side; 1 where that is not known
    west: NDArray[np.float64]  # [n] and its west side
    chance: NDArray[np.float64]  # [n] that it fits all known sides

    @property
    def log_width(self) -> NDArray[np.float64]:
        """[n] natural log of the number of partial boards to expect after each placement."""
        width: NDArray[np.float64] = np.cumsum(np.log(np.maximum(self.fitting, 1e-300)))
        return width


def profile(tiles: Oriented, order: Plan) -> Profile:
    """Owen's chances, followed along a fill order.

    Tiles that fit the same cells are one type (corner, border, inner); what is left of a type shrinks as its cells are
    filled. The chance that a side fits is that two sides, drawn from what the two cells can hold, are alike.
    """
    kind_of, masks = tiles.cell_kinds
    # a class's type: the kinds of cells it has an orientation for
    member = np.zeros((len(tiles.stock), len(masks)), dtype=bool)
    for number, mask in enumerate(masks):
        member[tiles.class_of[mask], number] = True
    _, type_of = np.unique(member, axis=0, return_inverse=True)
    stock = tiles.free_stock.astype(float)
    whole = np.bincount(type_of, weights=stock)
    left = whole.copy()
    # how many (tile, orientation) pairs of each type a kind of cell takes, and how its sides are coloured
    offer = np.zeros((len(masks), len(whole)))
    shares = np.zeros((len(masks), 4, tiles.colours))
    for number, mask in enumerate(masks):
        weight = stock[tiles.class_of] * mask
        offer[number] = np.bincount(type_of[tiles.class_of], weights=weight, minlength=len(whole))
        for side in range(4):
            drawn = np.bincount(tiles.sides[:, side], weights=weight, minlength=tiles.colours)
            shares[number, side] = drawn / max(drawn.sum(), 1e-300)
    likeness = np.stack([shares[:, side] @ shares[:, (side + 2) % 4].T for side in range(4)], axis=1)
    np.maximum(likeness, UNLIKELY, out=likeness)  # [kinds, 4, kinds]
    fitting, north, west, chance = (np.ones(len(order.cells)) for _ in range(4))
    for depth, cell in enumerate(order.cells):
        kind = kind_of[cell]
        offered = offer[kind] * np.divide(left, whole, out=np.zeros_like(whole), where=whole > 0)
        for side in order.reads[depth]:
            beyond = tiles.neighbour(int(cell), side)
            assert beyond is not None
            alike = likeness[kind, side, kind_of[beyond]]
            chance[depth] *= alike
            if side == 0:
                north[depth] = alike
            elif side == 3:
                west[depth] = alike
        fitting[depth] = offered.sum() * chance[depth]
        left -= offered / max(offered.sum(), 1e-300)
        np.maximum(left, 1e-9, out=left)
    return Profile(fitting, north, west, chance)


def best_order(tiles: Oriented) -> str:
    """The fill order whose tree should be smallest: along the shorter side, or with hints perhaps from them."""
    if not tiles.pinned:
        return "auto"
    return min(("auto", "constrained"), key=lambda order: _log_tree(tiles, order))


def _log_tree(tiles: Oriented, order: str) -> float:
    """Natural log of all placements of a complete search."""
    width = profile(tiles, plan(tiles, ORDERS[order](tiles))).log_width
    return float(np.logaddexp.reduce(width)) if len(width) else 0.0


@lru_cache(maxsize=64)
def _widths(puzzle: Puzzle) -> tuple[float, float]:
    """Natural logs: of the boards to expect in the end, and of all placements of a search along the best order."""
    tiles = oriented(puzzle)
    order = best_order(tiles)
    width = profile(tiles, plan(tiles, ORDERS[order](tiles))).log_width
    return (float(width[-1]) if len(width) else 0.0), _log_tree(tiles, order)


def effort(puzzle: Puzzle) -> float:
    """Placements to expect until the first solution: the whole tree, or its share of it if there are many solutions."""
    placements = _widths(puzzle)[1] - max(log_solutions(puzzle) * log(10), 0.0)
    tiles = oriented(puzzle)
    return max(1.0, float(tiles.cells - len(tiles.pinned)), exp(min(placements, 700.0)))


def log_solutions(puzzle: Puzzle) -> float:
    """log₁₀ of the number of boards to expect of such tiles, turned boards counted apart; a planted one comes on top.

    With a grey rim, turnable tiles and equal colours, Owen's chance is exact for tiles whose sides are dealt at random;
    for other rules it is the product of the chances along a scan.
    """
    boards = _grey_solutions(puzzle) if isinstance(puzzle, Tiles) else None
    return (_widths(puzzle)[0] if boards is None else boards) / log(10)


def _grey_solutions(puzzle: Tiles) -> float | None:
    """Natural log. Sides come in three kinds that never mix: along the rim (left meets right), inwards, and inner.

    Of all ways to deal the sides of each kind to their places, those count that pair equal ones: along the rim 1 of
    n!/∏(left_c!); between inner tiles, (N!/∏ inner_c!) ways of which m!/∏((inner_c − inward_c)/2)! pair up.
    """
    if puzzle.grey is None or not puzzle.rotate or puzzle.match == SIGNED or min(puzzle.rows, puzzle.cols) < 3:
        return None
    left, right, inward, inner = Counter[int](), Counter[int](), Counter[int](), Counter[int]()
    for tile in puzzle.tiles:
        outside = [side for side in range(4) if tile[side] == puzzle.grey]
        if not outside:
            inner.update(tile)
            continue
        # seen from the rim with the centre ahead: the first grey side clockwise, and the last
        first = next(side for side in outside if tile[side - 1] != puzzle.grey)
        last = next(side for side in outside if tile[(side + 1) % 4] != puzzle.grey)
        right[tile[(last + 1) % 4]] += 1
        left[tile[first - 1]] += 1
        if len(outside) == 1:
            inward[tile[(first + 2) % 4]] += 1
    rest = {colour: inner[colour] - inward[colour] for colour in {*inner, *inward}}
    if left != right or any(n < 0 or n % 2 for n in rest.values()):
        return None
    free = Counter(tile.count(puzzle.grey) for tile in puzzle.tiles)
    free.subtract(puzzle.tiles[pin.tile].count(puzzle.grey) for pin in puzzle.pins)
    boards = sum(log_factorial(n) for n in free.values()) + free[0] * log(4)
    rim = -log_factorial(left.total()) + sum(log_factorial(n) for n in left.values())
    middle = log_factorial(sum(rest.values()) / 2) - sum(log_factorial(n / 2) for n in rest.values())
    middle += sum(log_factorial(n) for n in inner.values()) - log_factorial(inner.total())
    return boards + rim + middle


def log_factorial(n: float) -> float:
    """ln n!"""
    return lgamma(n + 1)


def hardest_colours(tiles: int) -> float:
    """Owen's I = (P!·4^P)^(1/2P): with so many colours, P inner tiles that turn have about one solution by chance.

    With fewer colours solutions abound, with more the search dies early: in between, puzzles are hardest.
    """
    return exp((log_factorial(tiles) + tiles * log(4)) / (2 * tiles))


def facts(puzzle: Puzzle) -> dict[str, float | str]:
    """What can be said of a puzzle before any search."""
    found: dict[str, float | str] = {}
    if isinstance(puzzle, Tiles):
        found["tiles"] = len(puzzle.tiles)
        sides = {abs(colour) if puzzle.match == SIGNED else colour for tile in puzzle.tiles for colour in tile}
        found["colours"] = len(sides - {puzzle.grey})
        found["hints"] = len(puzzle.pins)
        inner = sum(puzzle.grey not in tile for tile in puzzle.tiles)
        if puzzle.grey is not None and puzzle.rotate and inner:
            found["inner_colours_when_hardest"] = round(hardest_colours(inner), 1)
        if puzzle.missing:
            found["missing"] = puzzle.missing
            return found
    expected = log_solutions(puzzle)
    found["solutions_to_expect_log10"] = round(expected, 2)
    found["placements_to_expect"] = float(f"{effort(puzzle):.2g}")
    found["difficulty"] = difficulty(puzzle)
    return found


def difficulty(puzzle: Puzzle) -> str:
    """A word for it, from the placements to expect at some 50 million a second."""
    exponent = log10(max(1.0, effort(puzzle)))
    words = (
        (7, "easy: under a second"),
        (9.5, "moderate: up to a minute"),
        (11.5, "hard: hours"),
        (14, "very hard: weeks"),
    )
    return next((word for limit, word in words if exponent <= limit), "out of reach of a complete search")
