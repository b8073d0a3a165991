"""Edge matching as logic, shared by the exact solvers: one set of variables and constraints for every rule.

A variable says that a seam has a value, that an oriented tile lies on a cell (a *laying*), or that a class of alike
tiles is on a cell. Variables are numbered from 1, in an order shuffled by the seed: some published puzzles list their
tiles as they lie in the solution, and an engine that tries variables in order would just read it off.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .oriented import EAST, SOUTH, Oriented

Laying: TypeAlias = tuple[int, int]  # cell, oriented tile


@dataclass(frozen=True)
class Exactly:
    """So many of these variables are true."""

    count: int
    variables: list[int]


Constraint: TypeAlias = list[int] | Exactly  # a list is a clause, a negative number a variable that is false


class Encoding:
    """The layings that frame, hints and neighbours leave, and what must hold between them."""

    def __init__(self, puzzle: Oriented, seed: int) -> None:
        self.puzzle = puzzle
        self.variables = 0
        self.laying: dict[int, Laying] = {}  # variable → what it lays
        self._weight: dict[Laying, int] = {}
        order = np.random.default_rng(seed).permutation(len(puzzle.sides))
        self._tiles = [order[self._fits(cell)[order]] for cell in range(puzzle.cells)]
        self._prune()
        if puzzle.symmetry > 1:
            self._break_symmetry()
        self._seams: dict[tuple[int, int], dict[int, int]] = {}  # cell and side → value → variable

    @property
    def hopeless(self) -> bool:
        """Whether a cell has no tile or a class too few cells, so that there is nothing to search."""
        reach = np.zeros(len(self.puzzle.stock), dtype=np.int64)
        for tiles in self._tiles:
            reach[np.unique(self.puzzle.class_of[tiles])] += 1
        return any(not len(tiles) for tiles in self._tiles) or bool((reach < self.puzzle.stock).any())

    def weight(self, board: NDArray[np.int64]) -> int:
        """How many boards this one stands for, being the one that symmetry breaking kept."""
        return prod(self._weight.get((cell, int(tile)), 1) for cell, tile in enumerate(board))

    def turns_to_itself(self, board: NDArray[np.int64]) -> int:
        """How many of the turns that keep the puzzle, none included, leave the board looking the same."""
        layings = first = frozenset(enumerate(board.tolist()))
        same = 1
        for _ in range(self.puzzle.symmetry - 1):
            layings = frozenset(map(self._turned, layings))
            same += layings == first
        return same

    def board(self, true: list[int]) -> NDArray[np.int64]:
        """The oriented tiles on the cells, from the variables that are true."""
        board = np.full(self.puzzle.cells, -1, dtype=np.int64)
        for variable in true:
            if variable in self.laying:
                cell, tile = self.laying[variable]
                board[cell] = tile
        return board

    def new(self) -> int:
        """One more variable."""
        self.variables += 1
        return self.variables

    def constraints(self) -> Iterator[Constraint]:
        """All that must hold, bit by bit, so that whoever takes them can look at the clock."""
        yield from self._seam_constraints()
        places: defaultdict[int, list[int]] = defaultdict(list)  # class → where it may be, in the shuffled order too
        for cell in range(self.puzzle.cells):
            yield from self._cell_constraints(cell, places)
        for kind, variables in places.items():
            yield Exactly(int(self.puzzle.stock[kind]), variables)

    def _seam_constraints(self) -> Iterator[Constraint]:
        sides = self.puzzle.sides
        for cell in range(self.puzzle.cells):
            for side in (EAST, SOUTH):
                if (beyond := self.puzzle.neighbour(cell, side)) is not None:
                    # after pruning, both sides of a seam offer the same values
                    values = {int(value): self.new() for value in np.unique(sides[self._tiles[cell], side])}
                    self._seams[cell, side] = self._seams[beyond, (side + 2) % 4] = values
                    yield Exactly(1, list(values.values()))

    def _cell_constraints(self, cell: int, places: defaultdict[int, list[int]]) -> Iterator[Constraint]:
        """Exactly one class, in an orientation that its seams show; a seam's value comes from some laying."""
        seams = [(side, self._seams[cell, side]) for side in range(4) if (cell, side) in self._seams]
        sides = self.puzzle.sides
        by_class: defaultdict[int, list[tuple[int, list[int]]]] = defaultdict(list)
        shown_by: defaultdict[int, list[int]] = defaultdict(list)  # seam variable → layings
        for tile in self._tiles[cell].tolist():
            variable = self.new()
            self.laying[variable] = cell, tile
            shown = [values[int(sides[tile, side])] for side, values in seams]
            by_class[int(self.puzzle.class_of[tile])].append((variable, shown))
            for seam in shown:
                shown_by[seam].append(variable)
                yield [-variable, seam]
        here = []
        for kind, layings in by_class.items():
            present = layings[0][0] if len(layings) == 1 else self.new()
            here.append(present)
            places[kind].append(present)
            if len(layings) > 1:
                yield from _one_of(present, layings)
            possible = {seam for _, shown in layings for seam in shown}
            yield from ([-present, -seam] for seam in shown_by if seam not in possible)
        yield Exactly(1, here)
        yield from ([-seam, *layings] for seam, layings in shown_by.items())

    def _fits(self, cell: int) -> NDArray[np.bool_]:
        """What the cell can hold; a hint that contradicts the frame leaves nothing."""
        demanded = self.puzzle.demands[cell]
        shown: NDArray[np.bool_] = ((demanded < 0) | (self.puzzle.sides == demanded)).all(axis=1)
        return self.puzzle.fits(cell) & shown

    def _prune(self) -> None:
        """Drop layings that no laying of a neighbour agrees with, until all have one."""
        sides = self.puzzle.sides
        waiting = set(range(self.puzzle.cells))
        while waiting:
            cell = waiting.pop()
            around = [(s, n) for s in range(4) if (n := self.puzzle.neighbour(cell, s)) is not None]
            kept = self._tiles[cell]
            for side, beyond in around:
                kept = kept[np.isin(sides[kept, side], sides[self._tiles[beyond], (side + 2) % 4])]
            if len(kept) < len(self._tiles[cell]):
                self._tiles[cell] = kept
                waiting |= {n for _, n in around}

    def _break_symmetry(self) -> None:
        """Of a tile that is there once, keep one laying of each set that turning the board maps to one another."""
        layings: defaultdict[int, list[Laying]] = defaultdict(list)
        for cell, tiles in enumerate(self._tiles):
            for tile in tiles.tolist():
                if self.puzzle.stock[kind := int(self.puzzle.class_of[tile])] == 1:
                    layings[kind].append((cell, tile))
        if not layings:
            return
        dropped: set[Laying] = set()
        for laying in min(layings.values(), key=len):
            if laying not in dropped:
                orbit = self._orbit(laying)
                self._weight[laying] = len(orbit)
                dropped |= orbit - {laying}
        for cell, tiles in enumerate(self._tiles):
            self._tiles[cell] = tiles[[(cell, tile) not in dropped for tile in tiles.tolist()]]
        self._prune()

    def _orbit(self, laying: Laying) -> set[Laying]:
        """Where the turns of the board that keep the puzzle take a laying."""
        orbit = {laying}
        while (laying := self._turned(laying)) not in orbit:
            orbit.add(laying)
        return orbit

    def _turned(self, laying: Laying) -> Laying:
        """A laying after the smallest turn of the board that keeps the puzzle, counter-clockwise."""
        cell, tile = laying
        if self.puzzle.symmetry == 4:
            row, col = divmod(cell, self.puzzle.cols)
            return (self.puzzle.rows - 1 - col) * self.puzzle.cols + row, int(self.puzzle.turn[tile])
        return self.puzzle.cells - 1 - cell, int(self.puzzle.turn[self.puzzle.turn[tile]])


def _one_of(present: int, layings: list[tuple[int, list[int]]]) -> Iterator[Constraint]:
    """A class lies in one of its orientations; seams tell them apart, except those that differ along a free rim."""
    yield [-present, *(variable for variable, _ in layings)]
    alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for variable, shown in layings:
        yield [-variable, present]
        alike[tuple(shown)].append(variable)
    for variables in alike.values():
        yield from ([-one, -other] for one, other in combinations(variables, 2))
