"""Points in rows and columns, and the edges between neighbours: what slitherlink and numberlink draw their lines on."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache


@dataclass(frozen=True)
class Lattice:
    """``rows × cols`` points in reading order.

    The edges are counted along the rows first, from each point to the one at its right, then between the rows, from
    each point to the one below.
    """

    rows: int
    cols: int

    def right(self, row: int, col: int) -> int:
        """The edge from a point to the next in its row."""
        return row * (self.cols - 1) + col

    def down(self, row: int, col: int) -> int:
        """The edge from a point to the next in its column."""
        return self.rows * (self.cols - 1) + row * self.cols + col

    @cached_property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """The two points of every edge."""
        cols = self.cols
        along = [(r * cols + c, r * cols + c + 1) for r in range(self.rows) for c in range(cols - 1)]
        between = [(r * cols + c, (r + 1) * cols + c) for r in range(self.rows - 1) for c in range(cols)]
        return (*along, *between)

    @cached_property
    def at(self) -> tuple[tuple[int, ...], ...]:
        """The two to four edges that meet in every point."""
        found: list[list[int]] = [[] for _ in range(self.rows * self.cols)]
        for edge, (a, b) in enumerate(self.ends):
            found[a].append(edge)
            found[b].append(edge)
        return tuple(tuple(edges) for edges in found)

    def pieces(self, edges: Iterable[int]) -> list[list[int]]:
        """Edges that hang together, the longest piece first."""
        unseen, found = set(edges), []
        for start in sorted(unseen):
            if start not in unseen:
                continue
            unseen.discard(start)
            piece = [start]
            for edge in piece:  # grows while it is walked
                for point in self.ends[edge]:
                    for other in self.at[point]:
                        if other in unseen:
                            unseen.discard(other)
                            piece.append(other)
            found.append(piece)
        return sorted(found, key=len, reverse=True)


@lru_cache(maxsize=64)
def lattice(rows: int, cols: int) -> Lattice:
    """The same lattice for all boards of one size: what it works out is kept."""
    return Lattice(rows, cols)


def even_rows(edges: int, visited: bool = False) -> tuple[tuple[int, ...], ...]:
    """All ways to draw two of the edges that meet in a point or, unless it must be visited, none."""
    pairs = [(a, b) for a in range(edges) for b in range(a + 1, edges)]
    two = tuple(tuple(int(i in pair) for i in range(edges)) for pair in pairs)
    return two if visited else ((0,) * edges, *two)
