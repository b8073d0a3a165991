"""The best order of strips, proved: as many paths as there are pages, through every strip once, in one of its poses.

Every strip must have a follower, or end a page. The bound of ``assignment.py`` rules out most pairs: those that
would cost more than an order already in hand leaves to win. What is left is solved by OR-Tools' CP-SAT, which knows
circuits as they stand, on a thread of its own; with one worker it is repeatable.
"""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.solver import Clock
from .assignment import assigned

FINE = 1000  # whole numbers to a nat
FORBIDDEN = 1e7  # nats
FEW = 1200  # pairs that are solved for at once
LOOK_S = 0.05  # between two looks at the clock
HOLE = -0.5  # nats: what a place is worth where a lost strip may have been

Numbers = NDArray[np.float64]
Paths = list[list[int]]


@dataclass(frozen=True)
class Links:
    """What it is worth, in nats, to lie beside each other; poses are counted strip by strip."""

    right: Numbers  # [poses, poses]
    start: Numbers  # [poses]: at the left rim of a page
    end: Numbers  # [poses]: at its right rim
    turns: int  # poses of a strip
    holes: int = 0  # links that may be replaced by a lost strip

    @property
    def strips(self) -> int:
        """How many there are."""
        return len(self.start) // self.turns

    @property
    def gain(self) -> Numbers:
        """The same as one table; the rim of pages is the last row and column."""
        count = len(self.start)
        table = np.full((count + 1, count + 1), -FORBIDDEN)
        table[:count, :count], table[-1, :-1], table[:-1, -1] = self.right, self.start, self.end
        own = np.repeat(np.arange(self.strips), self.turns)
        table[:count, :count][own[:, None] == own[None, :]] = -FORBIDDEN
        return table

    def lost(self, path: list[int]) -> list[int]:
        """Before which places of a page, its end included, strips are likeliest lost; no more than are."""
        gain = self.gain
        worth = [gain[pair] for pair in zip([-1, *path], [*path, -1], strict=True)]
        poor = [place for place in np.argsort(worth, kind="stable").tolist() if worth[place] < HOLE]
        return sorted(poor[: self.holes])


@dataclass(frozen=True)
class Order:
    """Poses from left to right, page by page, and how good that is."""

    pages: Paths
    total: float
    proved: bool = False
    conflicts: int = 0
    pairs: int = 0  # that were looked at in the end


def ordered(
    links: Links, pages: int, most: int, clock: Clock, seed: int, to_beat: float = -np.inf
) -> Generator[Order, None, Order]:
    """The best order with at most so many strips a page, or the best so far when the clock runs out.

    That no page is too long is rarely an issue, and makes the search harder: it is asked for only if it is one, and
    if without it there is an order better than ``to_beat``.
    """
    gain = links.gain
    best = Order(*_greedy(links, gain, pages))
    yield best
    found = yield from _searched(links, gain, pages, None, best, clock, seed)
    if max(map(len, found.pages)) <= most or (found.proved and found.total <= to_beat):
        return found
    evened = _evened(found.pages, most)
    start = Order(evened, total(gain, evened, links.holes), False, found.conflicts)
    return (yield from _searched(links, gain, pages, most, start, clock, seed))


def _searched(
    links: Links, gain: Numbers, pages: int, most: int | None, best: Order, clock: Clock, seed: int
) -> Generator[Order, None, Order]:
    """Better and better orders, until none can be."""
    dear, bound = _dearer(links, gain, pages)
    conflicts = best.conflicts
    while True:
        open_ = dear <= -bound - best.total + 1e-6
        wanted = open_
        if (count := int(open_.sum())) > FEW:
            wanted = dear <= np.partition(dear[open_], FEW)[FEW]
        wanted = wanted | _used(best.pages, len(gain))
        if clock.expired or not clock.allowance(1):
            return Order(best.pages, best.total, False, conflicts, count)
        search = _Search(links, gain, pages, most, wanted, best, seed, clock.allowance(1 << 40))
        for better in search.run(clock):
            if better.total > best.total:
                best = Order(better.pages, better.total, False, conflicts, count)
            yield best
        conflicts += search.conflicts
        clock.spend(search.conflicts)
        if not search.proved:
            return Order(best.pages, best.total, False, conflicts, count)
        if not (open_ & (dear <= -bound - best.total + 1e-6) & ~wanted).any():
            return Order(best.pages, best.total, True, conflicts, int(wanted.sum()))


def total(gain: Numbers, paths: Paths, holes: int = 0) -> float:
    """What an order is worth, if the poorest links are holes."""
    worth = [gain[pair] for path in paths for pair in zip([-1, *path], [*path, -1], strict=True)]
    gained = sorted((HOLE - each for each in worth if each < HOLE), reverse=True)
    return float(sum(worth) + sum(gained[:holes]))


def _dearer(links: Links, gain: Numbers, pages: int) -> tuple[Numbers, float]:
    """By how much each pair makes any order worse than the bound, at least; and the bound, as a cost."""
    strips, turns = links.strips, links.turns
    if links.holes:  # as if there were enough
        gain = np.where(gain > -FORBIDDEN / 2, np.maximum(gain, HOLE), gain)
    grid = gain[:-1, :-1].reshape(strips, turns, strips, turns)
    costs = np.full((strips + pages, strips + pages), FORBIDDEN)
    costs[:strips, :strips] = -grid.max(axis=(1, 3))
    costs[strips:, :strips] = -gain[-1, :-1].reshape(strips, turns).max(axis=1)
    costs[:strips, strips:] = -gain[:-1, -1].reshape(strips, turns).max(axis=1)[:, np.newaxis]
    chosen, rows, cols = assigned(costs)
    bound = float(costs[np.arange(len(costs)), chosen].sum())
    prices = [np.append(np.repeat(each[:strips], turns), each[strips:].max()) for each in (rows, cols)]
    return -gain - prices[0][:, np.newaxis] - prices[1], bound


def _greedy(links: Links, gain: Numbers, pages: int) -> tuple[Paths, float]:
    """The best links first, as far as they go together; what is left in pieces is joined as it comes."""
    strips, turns = links.strips, links.turns
    pose = np.full(strips, -1)
    follower, leader = np.full(strips, -1), np.full(strips, -1)
    chain = np.arange(strips)
    worth = gain[:-1, :-1]
    joined = 0
    for flat in np.argsort(-worth, axis=None, kind="stable")[: 40 * len(worth)]:
        first, second = divmod(int(flat), len(worth))
        (a, s), (b, t) = divmod(first, turns), divmod(second, turns)
        if joined == strips - pages or worth[first, second] < -FORBIDDEN / 2:
            break
        if (
            follower[a] >= 0
            or leader[b] >= 0
            or chain[a] == chain[b]
            or pose[a] not in (-1, s)
            or pose[b] not in (-1, t)
        ):
            continue
        pose[a], pose[b], follower[a], leader[b] = s, t, b, a
        chain[chain == chain[b]] = chain[a]
        joined += 1
    pose = np.maximum(pose, 0)
    chains = []
    for strip in np.flatnonzero(leader < 0).tolist():
        path = []
        while strip >= 0:
            path.append(int(strip * turns + pose[strip]))
            strip = int(follower[strip])
        chains.append(path)
    chains.sort(key=len, reverse=True)
    paths = [[pose for path in chains[page::pages] for pose in path] for page in range(pages)]
    return paths, total(gain, paths, links.holes)


def _evened(paths: Paths, most: int) -> Paths:
    """What is too much of the long ones goes to the short ones, whatever that costs."""
    kept, loose = [path[:most] for path in paths], [pose for path in paths for pose in path[most:]]
    for path in kept:
        room = most - len(path)
        path += loose[:room]
        del loose[:room]
    return kept


def _used(paths: Paths, size: int) -> NDArray[np.bool_]:
    used = np.zeros((size, size), np.bool_)
    for path in paths:
        used[[-1, *path], [*path, -1]] = True
    return used


class _Search:
    """One model, and its search beside the clock."""

    def __init__(
        self, links: Links, gain: Numbers, pages: int, most: int | None, wanted: NDArray[np.bool_], hint: Order,
        seed: int, conflicts: int,
    ) -> None:  # fmt: skip
        from ortools.sat.python import cp_model

        self.links, self.gain, self.pages = links, gain, pages
        self.model, self.solver = cp_model.CpModel(), cp_model.CpSolver()
        self.conflicts, self.proved = 0, False
        self.arcs = self._arcs(wanted & (gain > -FORBIDDEN / 2), _used(hint.pages, len(gain)))
        if most is not None:
            self._limit(most)
        parameters = self.solver.parameters
        parameters.num_workers, parameters.random_seed, parameters.linearization_level = 1, seed % 2**31, 2
        parameters.max_number_of_conflicts = conflicts

    def _arcs(self, wanted: NDArray[np.bool_], hinted: NDArray[np.bool_]) -> dict[tuple[int, int], Any]:
        """Node 0 is the rim of pages; a pose that is not taken has an arc to itself."""
        model, links = self.model, self.links
        rim = len(wanted) - 1
        arcs, circuit = {}, []
        for first, second in np.argwhere(wanted).tolist():
            literal = model.new_bool_var("")
            model.add_hint(literal, bool(hinted[first, second]))
            arcs[first, second] = literal
            circuit.append(((first + 1) % (rim + 1), (second + 1) % (rim + 1), literal))
        if links.turns > 1:
            for strip in range(links.strips):
                taken = []
                for pose in range(strip * links.turns, (strip + 1) * links.turns):
                    idle = model.new_bool_var("")
                    circuit.append((pose + 1, pose + 1, idle))
                    taken.append(~idle)
                model.add_exactly_one(taken)
        if self.pages == 1:
            model.add_circuit(circuit)
        else:
            model.add_multiple_circuit(circuit)
            model.add(sum(literal for (first, _), literal in arcs.items() if first == rim) == self.pages)
        worth = [round(FINE * self.gain[pair]) for pair in arcs]
        objective = [w * literal for w, literal in zip(worth, arcs.values(), strict=True)]
        if links.holes:
            lost = []
            for w, literal in zip(worth, arcs.values(), strict=True):
                if w < FINE * HOLE:
                    hole = model.new_bool_var("")
                    model.add_implication(hole, literal)
                    objective.append((round(FINE * HOLE) - w) * hole)
                    lost.append(hole)
            model.add(sum(lost) <= links.holes)
        model.maximize(sum(objective))
        return arcs

    def _limit(self, most: int) -> None:
        """Strips are numbered along a page."""
        rim, turns = len(self.gain) - 1, self.links.turns
        number = [self.model.new_int_var(0, most - 1, "") for _ in range(self.links.strips)]
        for (first, second), literal in self.arcs.items():
            if rim not in (first, second):
                later, before = number[second // turns], number[first // turns]
                self.model.add(later >= before + 1).only_enforce_if(literal)

    def run(self, clock: Clock) -> Generator[Order, None, None]:
        """Orders as they are found."""
        from ortools.sat.python import cp_model

        found: list[Order] = []

        class Seen(cp_model.CpSolverSolutionCallback):
            def on_solution_callback(seen) -> None:
                found.append(self._order([pair for pair, literal in self.arcs.items() if seen.boolean_value(literal)]))

        with ThreadPoolExecutor(1, "strips") as pool:
            running = pool.submit(self.solver.solve, self.model, Seen())
            try:
                while wait([running], timeout=LOOK_S).not_done and not clock.expired:
                    if found:
                        yield found[-1]
            finally:
                while wait([running], timeout=LOOK_S / 10).not_done:
                    self.solver.stop_search()  # again, should the search only be starting
        self.conflicts = self.solver.num_conflicts
        self.proved = running.result() == cp_model.OPTIMAL
        if found:
            yield found[-1]

    def _order(self, pairs: list[tuple[int, int]]) -> Order:
        rim = len(self.gain) - 1
        follower = {first: second for first, second in pairs if first != rim}
        paths = []
        for first, pose in pairs:
            if first == rim:
                path = []
                while pose != rim:
                    path.append(pose)
                    pose = follower[pose]
                paths.append(path)
        return Order(paths, total(self.gain, paths, self.links.holes))
