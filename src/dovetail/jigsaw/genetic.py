"""The genetic solver: D. Sholomon, O. David, N. Netanyahu, "A genetic algorithm-based solver for very large jigsaw
puzzles" (2013), algorithms 1 and 2.

Where the paper leaves room, or where its letter cannot be meant:

* Its roulette wheel turns in proportion to fitness, but fitness is a dissimilarity, the less the better. Here the wheel
  goes by rank: a slot is ``(1 - rank / population) ** pressure``.
* Mutation at a rate of 5 % cannot be meant a placement: of 432 pieces some twenty would lie wrong in every child, and
  none would ever be right. Here 5 % is the expected number of mutations a child; ``mutate=placement`` is the letter.
* It has one population. With ``islands`` there are several, and the best of each go ashore on the next now and then.
* It runs 100 generations whatever happens. Here a population that has converged stops, unless ``exact`` is set.
"""

import os
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ..core.memory import MB
from ..core.puzzle import Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Budget, Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..workers import workers
from .driving import driven
from .gapped import Gapped
from .puzzle import Jigsaw
from .strips.puzzle import Strips

if TYPE_CHECKING:
    from .islands import Islands
    from .population import Population

PATIENCE = 25  # generations without a better board after which there will be none
SETTLED, SETTLED_FOR = 0.995, 5  # agreement of the parents after which so many generations are enough


@dataclass(frozen=True)
class Settings:
    """The paper's, but for what the module text says."""

    measure: str = setting(
        "lab",
        "how seams are judged: the paper's L*a*b* distance, Pomeranz's prediction, Gallagher's MGC, or MGC with a term "
        "along the edge",
        choices=("lab", "prediction", "mgc", "mgc+"),
    )
    relative: bool = setting(False, "judge a seam by how it compares with its best rivals")
    population: int = setting(1000, "chromosomes", least=2, most=100_000)
    generations: int = setting(100, "generations, at most", least=1, most=100_000)
    exact: bool = setting(False, "run all generations, even when the population has converged")
    elite: int = setting(4, "best chromosomes that live on", least=1)
    mutation: float = setting(0.05, "mutation rate", least=0, most=1)
    mutate: str = setting(
        "child", "what the rate counts: mutations a child, or a placement", choices=("child", "placement")
    )
    pressure: float = setting(
        10.0, "of selection: 0 takes all alike, 1 the best twice as often as the average", least=0
    )
    workers: int = setting(0, "threads; 0: one a core. The answer does not depend on it", least=0, most=256)
    islands: int = setting(
        1, "populations side by side, each on a worker of a cluster if there is one", least=1, most=256
    )
    migrate: int = setting(10, "generations after which the elite of every island goes ashore on the next", least=1)


class Genetic(Solver):
    """See the module text."""

    name = "genetic"
    family = "jigsaw"
    title = "genetic algorithm with kernel-growing crossover (Sholomon 2013)"
    accepts_text = "jigsaws of one side, known frame and orientation with no piece missing or foreign"
    status = "thoroughly tested"
    settings_type = Settings
    spread_by = "islands"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """What the paper solves: all pieces, upright, in a frame of known size."""
        if not isinstance(puzzle, Jigsaw):
            return Fit(False, f"it puts pictures together, and this is a {puzzle.kind} puzzle")
        if isinstance(puzzle, Strips):
            return Fit(False, "it is shredded paper, which the solver strips puts in order")
        if isinstance(puzzle, Gapped):
            return Fit(False, "there are gaps between its pieces, and the genetic solver compares edges that touch")
        if puzzle.rotate:
            return Fit(False, "its pieces may be turned, and the genetic solver takes pieces of known orientation")
        if puzzle.sides == 2:
            return Fit(False, "its pieces have two sides, and the genetic solver takes pieces with one")
        if puzzle.mixed:
            return Fit(False, "there may be several pictures in it, and the genetic solver puts one together")
        if puzzle.foreign:
            return Fit(False, "some of its pieces may be foreign, and the genetic solver lays all of them")
        if puzzle.hinted:
            return Fit(False, "it has hints, and the genetic solver keeps to none")
        if puzzle.rows is None:
            return Fit(False, "the size of its frame is not known; say it with --set rows=… --set cols=…")
        if puzzle.missing:
            lost = f"{puzzle.missing} piece{'s are' if puzzle.missing > 1 else ' is'} missing"
            return Fit(False, f"{lost}, and the genetic solver needs all of them")
        return Fit(True, "all pieces are there, upright, and the size of the frame is known", 0.5)

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """All pairs of pieces, and two generations."""
        assert isinstance(puzzle, Jigsaw)
        seams = 4 * 2 * puzzle.count**2  # bytes: four sides, two each
        boards = 2 * settings.population * puzzle.count * (2 + 4)  # which piece, and where
        return 180 + (seams + boards + 2 * len(puzzle.pixels)) / MB

    def resumes(self, settings: Settings) -> bool:
        """One population; seams are measured again, since they are larger than all else and quickly measured."""
        return settings.islands == 1

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile on four pieces of nothing."""
        nothing = Jigsaw(4, 4, 1, 8, bytes(4 * 4 * 4), 2, 2)
        for _ in self.solve(nothing, replace(settings, population=5, generations=1), Clock(Budget()), seed=0):
            pass

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Measure all seams, then breed until nothing changes any more, or as long as asked."""
        from .population import Population
        from .seams import measured

        assert isinstance(puzzle, Jigsaw)
        assert puzzle.rows is not None
        assert puzzle.cols is not None
        if self.executor is not None:
            from .islands import Islands, far

            bred = yield from _bred(
                Islands(puzzle, settings, seed, far(puzzle, settings, self.executor)), settings, clock
            )
            return bred or _nothing(puzzle)
        threads = settings.workers or os.cpu_count() or 1
        kept = clock.kept
        if kept is not None:
            clock.keep(lambda: dict(kept))  # until seams are measured again
        with workers(None, threads) as pool:
            measuring = measured(puzzle, settings.measure, settings.relative, pool)
            seams = yield from driven(measuring, clock, partial(_preparing, "sides measured", 4 * puzzle.count))
            if seams is None and kept is None:
                return _nothing(puzzle)
            population: Population | Islands
            if settings.islands > 1:
                from .islands import Islands, near

                assert seams is not None
                population = Islands(puzzle, settings, seed, near(seams, puzzle, settings, pool, threads))
            else:
                population = Population(seams, puzzle.rows, puzzle.cols, settings, seed, pool, threads)
                if kept is not None:
                    population.take_up(dict(kept))
                    return (yield from _evolve(population, settings, clock))
            return (yield from _bred(population, settings, clock)) or _nothing(puzzle)


def _bred(
    population: "Population | Islands", settings: Settings, clock: Clock
) -> Generator[Progress, None, Outcome | None]:
    """Random chromosomes, and what they come to; None if there was no time for them."""
    if (yield from driven(population.begin(), clock, partial(_preparing, "chromosomes", settings.population))):
        return (yield from _evolve(population, settings, clock))
    return None


def _nothing(puzzle: Jigsaw) -> Outcome:
    """The pieces as they are given."""
    assert puzzle.cols is not None
    as_given = Placement.from_flat(range(puzzle.count), [0] * puzzle.count, puzzle.cols)
    return Outcome("out_of_budget", as_given, {"generations": 0})


def _evolve(population: "Population | Islands", settings: Settings, clock: Clock) -> Run:
    """Algorithm 1."""

    def glance(share: float = 0.0, best: Placement | None = None) -> Progress:
        number, total = population.number, population.total * population.unit
        details = {"fitness": total, "agreement": population.agreement}
        return Progress(number, "generations", number + share, settings.generations, "generation", details, best)

    from .population import Population

    if isinstance(population, Population):
        clock.keep(population.state)
    status: Status = "complete"
    yield glance(best=population.placement())
    while population.number < settings.generations and (
        settings.exact or not _converged(population.totals, population.agreement)
    ):
        most = clock.allowance(settings.generations - population.number)
        if not (yield from driven(population.breed(most), clock, glance)):
            status = "out_of_budget"
            break
        clock.spend(population.number - clock.steps)
        yield glance(best=population.placement())
    counters = {
        "generations": population.number,
        "fitness": population.total * population.unit,
        "agreement": population.agreement,
    }
    return Outcome(status, population.placement(), counters)


def _converged(totals: list[int], agreement: float) -> bool:
    """The best stays as it is, and the parents agree on nearly everything or have had time enough to."""
    patience = SETTLED_FOR if agreement >= SETTLED else PATIENCE
    return len(totals) > patience and totals[-1 - patience] == totals[-1]


def _preparing(what: str, number: int, share: float) -> Progress:
    return Progress(0, "generations", round(share * number), number, what)
