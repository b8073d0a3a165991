"""The assembler: what users get. Our own method, in four steps.

1. ``candidates.py``: for every edge the few that may face it, with the log odds that they do; ``grid.py``: who cannot,
   by the grid that compression left; ``loops.py``: which of them close squares of four.
2. ``joining.py``: islands of pieces join, the surest contact first.
3. ``growing.py``: the largest island is laid, and the other pieces around it.
4. ``annealing.py``: blocks of pieces change places where seams are in doubt, on two boards at once; the better one is
   where both go on from, until a round brings nothing.

``hints/solving.py`` does all that around what a person knows of the answer; ``confidence/`` says how sure it is.

The total that is made large is the log odds of all seams laid. It is the same for pieces of known orientation and of
unknown, for one face or two, with or without a frame: where nobody knows how many pieces a picture has, a piece is
laid if its seams together are likelier right than wrong.
"""

import math
import os
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..core.errors import Refused
from ..core.memory import MB
from ..core.puzzle import EMPTY, Placement, Puzzle
from ..core.settings import setting
from ..core.solver import Budget, Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..workers import Inline, workers
from .driving import Following, driven
from .gapped import Gapped
from .hints.told import Pin, Told, all_told
from .puzzle import Jigsaw
from .strips.puzzle import Strips

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from .assembly import Assembly
    from .boards import Boards
    from .candidates import Found
    from .resuming import Rounds

SLICE = 40_000  # moves between two glances at the clock
HOT, COLD = (6.0, 8.0), 0.5  # nats: what a move may lose at first, on either board, and in the end
SQUARES_HOT, SQUARES_COLD = (8.0, 16.0), 1.5  # the same where squares move, each side of which has several seams
SQUARE_MOVES = 2  # for one move of a piece: they are quicker
SPLIT = 4  # rounds that squares make of one: what moved as a square is mended by pieces, and the other way round
AUTO, PIXELS, NETWORK, BOTH = "auto", "pixels", "network", "both"  # what judges seams


@dataclass(frozen=True)
class Effort:
    """How much is annealed."""

    moves: int  # a doubtful piece, a round
    most: int  # moves a round
    patience: int  # rounds without much gain after which it stops
    rounds: int  # at most
    worth: float = 5e-4  # of the total: what is much

    def split(self, parts: int) -> "Effort":
        """The same in several rounds for every one."""
        return replace(
            self,
            moves=self.moves // parts,
            most=self.most // parts,
            rounds=self.rounds * parts,
            worth=self.worth / parts,
        )


EFFORTS = {"fast": Effort(250, 3_000_000, 2, 1), "best": Effort(5000, 6_000_000, 3, 1_000_000)}


@dataclass(frozen=True)
class Settings:
    """How long to go on, and on how many threads."""

    effort: str = setting(
        "best", "fast: one short round of annealing; best: until nothing improves", choices=("fast", "best")
    )
    seams: str = setting(
        AUTO,
        "what judges seams: pixels; a network, which sees across gaps; both; auto: both if there are gaps, else pixels",
        choices=(AUTO, PIXELS, NETWORK, BOTH),
    )
    grid: bool = setting(True, "use the grid that JPEG compression left in the pieces, if it did")
    workers: int = setting(0, "threads; 0: one a core. The answer does not depend on it", least=0, most=256)
    starts: int = setting(1, "assemblies with random numbers of their own; the likeliest is taken", least=1, most=256)


class Assembler(Solver):
    """See the module text."""

    name = "assembler"
    family = "jigsaw"
    title = "islands joined by the odds of their seams, doubts annealed by moving blocks"
    accepts_text = "all jigsaws: turned, two-sided, without a frame, with missing or foreign pieces, several in one bag"
    status = "thoroughly tested"
    tells_confidence = True
    settings_type = Settings
    spread_by = "starts"

    def accepts(self, puzzle: Puzzle) -> Fit:
        """All picture jigsaws; those with gaps for want of better."""
        if not isinstance(puzzle, Jigsaw):
            return Fit(False, f"it puts pictures together, and this is a {puzzle.kind} puzzle")
        if isinstance(puzzle, Strips):
            return Fit(False, "it is shredded paper, which the solver strips puts in order")
        if not isinstance(puzzle, Gapped):
            return Fit(True, "it takes every picture jigsaw", 0.9)
        if puzzle.gap:
            return Fit(True, "a network looks across the gaps for it, and no board is too large", 0.2)
        return Fit(True, "its patches touch, which is what it is made for", 0.2)

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """A network sees square pieces of one side."""
        if settings.seams in (NETWORK, BOTH):
            from .learnt_seams import why_not

            assert isinstance(puzzle, Jigsaw)
            if why := why_not(puzzle):
                raise Refused(f"seams cannot be judged by {settings.seams}: {why}")

    def resumes(self, settings: Settings) -> bool:
        """One start."""
        return settings.starts == 1

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """Grows with the number of pieces, not with its square: of every edge the best few are kept."""
        from .grid_seams import SMALLEST

        assert isinstance(puzzle, Jigsaw)
        edges = 4 * puzzle.sides * puzzle.count
        blocks = min(400, 0.045 * edges)  # compared at a time: 8 million numbers in several arrays (candidates.py)
        kept = edges * (48 * max(puzzle.height, puzzle.width) + 5000) / MB  # four rims in colour, 48 candidates
        # later, on a grid: 192 candidates in several numbers, and what the edge adds to the sums of the network
        looked_at = edges * 23_500 / MB if min(puzzle.height, puzzle.width) >= SMALLEST else 0.0
        networks = 190
        return 200 + networks + max(blocks + kept, looked_at) + 2 * len(puzzle.pixels) / MB

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Compile on a few pieces in all colours, with a frame and without, and on some that lie on a grid."""
        import numpy as np

        from .assembly import Assembly
        from .candidates import found
        from .driving import done

        squares = np.random.default_rng(0).integers(0, 255, (6, 3, 3, 3), np.uint8)
        pixels = squares.repeat(8, axis=1).repeat(8, axis=2).tobytes()
        assert isinstance(puzzle, Jigsaw)
        if _seams(puzzle, settings) != PIXELS:
            from .deep import networks

            if card := networks.chosen(networks.relative_gap(puzzle)):
                networks.session(card.name, settings.workers)
        for rows, cols in ((2, 3), (None, None)):
            small = Jigsaw(24, 24, 3, 8, pixels, rows, cols)
            if all_told(puzzle):
                small = replace(small, hinted=Told((Pin(5, 0, 0, 0, "the first cell"),)))
            for _ in self.solve(
                small, replace(settings, effort="fast", seams=PIXELS, starts=1), Clock(Budget()), seed=0
            ):
                pass
        if settings.grid and not _gap(puzzle):
            known = done(found(on_a_grid(), Inline(), True, threads=settings.workers))
            Assembly(on_a_grid(), known.fits, known.means, 0, 1).cut((2, 2)).anneal(0, 1, 1.0, 1.0)

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Find candidates, join, grow, anneal; several times over, if there are several starts."""
        assert isinstance(puzzle, Jigsaw)
        if self.executor is None and settings.starts == 1:
            return self._assemble(puzzle, settings, clock, seed)
        from .starts import far, near

        if self.executor is not None:
            return far(self.executor, puzzle, settings, clock, seed)
        return near(self._assemble, puzzle, settings, clock, seed)

    def _assemble(self, puzzle: Jigsaw, settings: Settings, clock: Clock, seed: int) -> Run:
        from .assembly import Assembly
        from .confidence.judging import judged
        from .resuming import Keeping

        threads, learnt = settings.workers or os.cpu_count() or 1, _seams(puzzle, settings) != PIXELS
        keeping = Keeping(clock, puzzle)
        with workers(None, threads) as pool:
            known = keeping.known or (yield from _known(puzzle, settings, clock, pool))
            if known is None:
                return Outcome("out_of_budget", as_given(puzzle), {"moves": 0})
            keeping.know(known)
            effort, told = EFFORTS[settings.effort], all_told(puzzle)
            if told:
                from .hints.solving import hinted

                outcome, assembly, groups = yield from hinted(puzzle, told, seed, effort, clock, pool, keeping)
            else:
                assembly, groups = Assembly(puzzle, known.fits, known.means, seed, len(HOT)), ()
                if keeping.kept is None:
                    yield from assembly.begun()
                outcome = yield from annealed(assembly, effort, clock, pool, following=keeping)
            assert isinstance(outcome.solution, Placement)
            sure = judged(known.fits, outcome.solution, assembly.apart(), learnt, groups)
            asked = {**({"networks": 1} if learnt else {}), **({"worn": 1} if known.worn else {})}
            counters = {**outcome.counters, "on_grid": int(known.on_grid), **asked}
            return replace(outcome, counters=counters, confidence=sure)


def _known(
    puzzle: Jigsaw, settings: Settings, clock: Clock, pool: "Executor"
) -> Generator[Progress, None, "Found | None"]:
    """What edges say; None if the clock ran out before."""
    from .candidates import found

    edges = 4 * puzzle.sides * puzzle.count

    def comparing(share: float) -> Progress:
        return Progress(0, "moves", round(share * edges), edges, "edges compared")

    use_grid = settings.grid and not _gap(puzzle)  # beyond a gap a grid goes on elsewhere
    pairs, seams = None, _seams(puzzle, settings)
    if seams != PIXELS:
        from . import learnt_seams

        pairs = learnt_seams.paired(puzzle, pool, use_grid, seams == BOTH, settings.workers)
    return (yield from driven(found(puzzle, pool, use_grid, pairs, settings.workers), clock, comparing))


def _gap(puzzle: Jigsaw) -> int:
    """Pixels between two neighbours."""
    return puzzle.gap if isinstance(puzzle, Gapped) else 0


def _seams(puzzle: Jigsaw, settings: Settings) -> str:
    """What judges the seams of a puzzle."""
    return settings.seams if settings.seams != AUTO else BOTH if _gap(puzzle) else PIXELS


def annealed(
    assembly: "Assembly",
    effort: Effort,
    clock: Clock,
    pool: "Executor",
    moves: int = 0,
    following: Following | None = None,
) -> Run:
    """Rounds of annealing on all chains, each from the best board so far, until they bring nothing."""
    from .resuming import Rounds

    at, following = Rounds(assembly, moves), following or Following()
    if assembly.squares:
        effort = effort.split(SPLIT)
    if following.kept is not None:
        at.take_up(following.kept, effort.most)
        clock.spend(at.moves - clock.steps)
        following.kept = None
    following.follow(at.state)
    yield assembly.progress(at.moves, at.best, at.board)
    while at.wanted or (doubtful := assembly.doubtful):
        if not at.wanted:
            at.begin(min(effort.moves * doubtful, effort.most))
        ended = True
        for boards in at.boards():
            ended = yield from _annealed(boards, assembly, at, clock, pool, following)
            if not ended:
                following.freeze()
                break
        at.end()
        if not ended:
            return _outcome("out_of_budget", assembly, at.moves)
        at.rounds += 1
        at.vain = 0 if at.best > at.before + effort.worth * abs(at.before) else at.vain + 1
        if at.vain >= effort.patience or at.rounds >= effort.rounds:
            break
    return _outcome("complete", assembly, at.moves)


def _annealed(
    boards: "Boards", assembly: "Assembly", at: "Rounds", clock: Clock, pool: "Executor", following: Following
) -> Generator[Progress, None, bool]:
    """What is left to do on boards of squares or of pieces; whether there was time for it."""
    wanted, hots, cold = at.wanted, HOT, COLD
    if boards is not assembly:
        wanted, hots, cold = SQUARE_MOVES * at.wanted, SQUARES_HOT, SQUARES_COLD
    slices = math.ceil(wanted / SLICE)
    while at.number < slices:
        whole = min(SLICE, wanted)
        several = clock.allowance(whole)
        if clock.expired or not several:
            return False
        if several < whole:
            following.freeze()
        running = [
            pool.submit(
                boards.anneal, chain, several, *(hot * (cold / hot) ** ((at.number + k) / slices) for k in (0, 1))
            )
            for chain, hot in enumerate(hots)
        ]
        at.note(several, [future.result() for future in running])
        clock.spend(several)
        yield assembly.progress(at.moves, at.best, at.board)
    return True


def _outcome(status: Status, assembly: "Assembly", moves: int) -> Outcome:
    return Outcome(status, assembly.placement(), {"moves": moves, "log_odds": assembly.log_odds})


def on_a_grid() -> Jigsaw:
    """A few pieces of a picture that was compressed."""
    import io

    import numpy as np
    from PIL import Image

    colours = np.random.default_rng(0).integers(60, 200, (3, 3, 3), np.uint8)
    saved = io.BytesIO()
    Image.fromarray(colours).resize((96, 96), Image.Resampling.BICUBIC).save(saved, "JPEG", quality=60)
    pieces = np.array(Image.open(saved)).reshape(4, 24, 4, 24, 3).swapaxes(1, 2)
    return Jigsaw(24, 24, 3, 8, pieces.tobytes(), 4, 4)


def as_given(puzzle: Jigsaw) -> Placement:
    """The pieces as they are listed; in a frame, those that are pinned in their cells."""
    cols = puzzle.cols or math.ceil(math.sqrt(puzzle.count))
    cells = (puzzle.rows or math.ceil(puzzle.count / cols)) * cols
    pieces = [piece if piece < puzzle.count else EMPTY for piece in range(cells)]
    turns = [0] * cells
    for pin in all_told(puzzle).pins if puzzle.rows is not None else ():
        cell, other = pin.row * cols + pin.col, pieces.index(pin.piece) if pin.piece in pieces else None
        if other is not None:
            pieces[other] = pieces[cell]
        pieces[cell], turns[cell] = pin.piece, pin.turn or 0
    return Placement.from_flat(pieces, turns, cols)
