"""Constraints that a small machine can check by reading the values one by one: sums, products, lines of runs."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

from .model import Product, Runs, Sum, compares

Step: TypeAlias = Callable[[int, int], int | None]  # from a state, by a value, to a state or nowhere


class Machine:
    """Reads a value for each place in turn; only states that can be reached and may still accept are kept.

    ``layers[place][state]`` says for each value that may come next which state follows.
    """

    def __init__(
        self, domains: Sequence[Collection[int]], start: int, step: Step, accepts: Callable[[int], bool]
    ) -> None:
        self.start = start
        forward: list[dict[int, dict[int, int]]] = []
        states = {start}
        for domain in domains:
            moves = {state: {v: after for v in domain if (after := step(state, v)) is not None} for state in states}
            forward.append(moves)
            states = {after for edges in moves.values() for after in edges.values()}
        self.final = alive = {state for state in states if accepts(state)}
        self.layers: list[dict[int, dict[int, int]]] = []
        for moves in reversed(forward):
            kept = {s: {v: after for v, after in edges.items() if after in alive} for s, edges in moves.items()}
            self.layers.append({state: edges for state, edges in kept.items() if edges})
            alive = set(self.layers[-1])
        self.layers.reverse()
        self.possible = bool(alive)

    def rows(self, fits: Callable[[tuple[int, ...]], bool] = lambda row: True) -> Iterator[tuple[int, ...]]:
        """What it accepts, as far as every beginning fits."""
        waiting: list[tuple[tuple[int, ...], int]] = [((), self.start)] if self.possible else []
        while waiting:
            row, state = waiting.pop()
            if len(row) == len(self.layers):
                yield row
                continue
            for value, after in self.layers[len(row)][state].items():
                if fits(longer := (*row, value)):
                    waiting.append((longer, after))


def adding_up(constraint: Sum | Product, domains: Sequence[Collection[int]]) -> Machine:
    """Keeps the sum or product so far; above ``total`` all are alike."""
    compare, total, most = constraint.compare, constraint.total, constraint.total + 1

    def add(so_far: int, value: int) -> int | None:
        return min(so_far + value, most)

    def multiply(so_far: int, value: int) -> int | None:
        after = min(so_far * value, most)
        never = compare == "=" and total > 0 and (after == 0 or total % after)
        return None if never else after

    start, step = (0, add) if isinstance(constraint, Sum) else (1, multiply)
    return Machine(domains, start, step, lambda reached: compares(reached, compare, total))


def reading_runs(constraint: Runs, domains: Sequence[Collection[int]]) -> Machine:
    """Keeps how many cells of the pattern were read: all runs in a row, with a 0 between two of the same colour."""
    pattern: list[int] = []
    between = {0}  # where a run may begin: a 0 more does no harm
    for run, (length, colour) in enumerate(constraint.runs):
        if run and constraint.runs[run - 1][1] == colour:
            pattern.append(0)
            between.add(len(pattern))
        pattern += [colour] * length
        between.add(len(pattern))
    wanted = [*pattern, None]

    def step(read: int, value: int) -> int | None:
        if value == wanted[read]:
            return read + 1
        return read if value == 0 and read in between else None

    proper = all(length > 0 and colour > 0 for length, colour in constraint.runs)
    return Machine(domains, 0, step, lambda read: proper and read == len(pattern))
