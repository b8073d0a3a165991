"""Two lists of the same tiles, their colours numbered differently: which colour is which.

Viewers number the motifs of Eternity II in several orders, so a board found on the web seldom has the numbers of the
piece list at hand. Colours are told apart by what stands beside them; where that leaves a choice, it is tried.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from .boards import Tile

Classes: TypeAlias = dict[int, int]  # colour → class of the colours that look alike so far
RIM = 0  # the one colour that is the same in every numbering


def renaming(theirs: Sequence[Tile], ours: Sequence[Tile], turning: bool) -> dict[int, int] | None:
    """Their colour → our colour, so that both lists hold the same tiles, the rim's 0 being 0; None if there is none."""
    return _refine(_start(theirs), _start(ours), theirs, ours, turning)


def renamed(tile: Tile, names: Mapping[int, int]) -> Tile:
    """The tile with other numbers for its colours."""
    north, east, south, west = tile
    return names[north], names[east], names[south], names[west]


def unturned(tile: Tile, turning: bool) -> Tile:
    """One tile to stand for all the ways it can lie."""
    if not turning:
        return tile
    n, e, s, w = tile
    return min(tile, (e, s, w, n), (s, w, n, e), (w, n, e, s))


def _start(tiles: Iterable[Tile]) -> Classes:
    return {colour: int(colour != RIM) for tile in tiles for colour in tile}


def _refine(
    a: Classes, b: Classes, theirs: Sequence[Tile], ours: Sequence[Tile], turning: bool
) -> dict[int, int] | None:
    """Split the classes until nothing tells their members apart, then try the choices that are left."""
    number = 0
    while len({*a.values()}) > number:
        number = len({*a.values()})
        seen, wanted = _surroundings(a, theirs, turning), _surroundings(b, ours, turning)
        if Counter(seen.values()) != Counter(wanted.values()):
            return None
        rank = {what: i for i, what in enumerate(sorted({*seen.values()}))}
        a = {colour: rank[what] for colour, what in seen.items()}
        b = {colour: rank[what] for colour, what in wanted.items()}
    sizes = Counter(a.values())
    several = [colour for colour in sorted(a) if sizes[a[colour]] > 1]
    if not several:
        back = {group: colour for colour, group in b.items()}
        names = {colour: back[group] for colour, group in a.items()}
        same = Counter(unturned(renamed(tile, names), turning) for tile in theirs) == Counter(
            unturned(tile, turning) for tile in ours
        )
        return names if same else None
    first = min(several, key=lambda colour: sizes[a[colour]])
    for candidate in sorted(colour for colour in b if b[colour] == a[first]):
        names_or_none = _refine({**a, first: -1}, {**b, candidate: -1}, theirs, ours, turning)
        if names_or_none is not None:
            return names_or_none
    return None


def _surroundings(classes: Classes, tiles: Sequence[Tile], turning: bool) -> dict[int, Any]:
    """For each colour its class, and the classes around the tile from every side that shows it."""
    around: dict[int, list[Any]] = {colour: [] for colour in classes}
    for tile in tiles:
        groups = tuple(classes[colour] for colour in tile)
        for side, colour in enumerate(tile):
            around[colour].append((*groups[side:], *groups[:side]) if turning else (side, *groups))
    return {colour: (classes[colour], tuple(sorted(beside))) for colour, beside in around.items()}
