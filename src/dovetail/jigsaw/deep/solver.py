"""The solver `deep`: pictures with gaps, whose seams are gone.

A network looks at all patches once and says how well they lie beside each other and in which cell (``networks.py``).
From then on the best board is searched for in these tables: all boards or patient annealing (``arranging.py``), or the
tree search of the Alphazzle paper (``planning.py``), in which P and V are looked up in the same tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import Refused
from ...core.puzzle import EMPTY, Placement, Puzzle
from ...core.settings import setting
from ...core.solver import Budget, Clock, Fit, Outcome, Progress, Run, Solver, Status
from ..driving import Following
from ..gapped import Gapped
from ..hints.told import all_told
from ..puzzle import Jigsaw

if TYPE_CHECKING:
    from .networks import Card
    from .tables import Tables

MOST_CELLS = 144
AUTO, PIXELS = "auto", "pixels"
ANNEALING, TREE = "annealing", "tree"


@dataclass(frozen=True)
class Settings:
    """What looks at the patches, and how boards are searched for."""

    search: str = setting(
        ANNEALING, "annealing (all boards where they are few), or tree: tree search", choices=(ANNEALING, TREE)
    )
    model: str = setting(
        AUTO, "the network; auto: the one for this gap; pixels: facing pixels, no network; or a file .onnx of yours"
    )
    mirrored: bool = setting(True, "show the network the puzzle in a mirror too, and take the mean")
    visits: int = setting(1000, "tree: visits a move", least=1, most=1_000_000)
    orders: int = setting(4, "tree: orders in which the patches are laid; the best board counts", least=1, most=64)
    threads: int = setting(0, "threads of the network; 0: one a core", least=0, most=256)


class Deep(Solver):
    """See the module text."""

    name = "deep"
    family = "jigsaw"
    title = "a network judges all pairs and places of the patches, a search finds the best board"
    accepts_text = (
        f"puzzles with gaps and upright jigsaws of square pieces, in a known frame of up to {MOST_CELLS} cells"
    )
    settings_type = Settings

    def accepts(self, puzzle: Puzzle) -> Fit:
        """Square patches, upright, in a frame; plain jigsaws for those who ask for it by name."""
        if not isinstance(puzzle, Jigsaw):
            return Fit(False, f"it puts pictures together, and this is a {puzzle.kind} puzzle")
        if puzzle.rows is None or puzzle.cols is None:
            return Fit(False, "its frame is not known, and the deep solver needs rows and columns")
        if puzzle.rotate or puzzle.sides != 1:
            return Fit(False, "its pieces may be turned or turned over, and the deep solver takes upright ones")
        if puzzle.foreign:
            return Fit(False, "some of its pieces may belong to no picture, and the deep solver lays them all")
        if puzzle.hinted and (puzzle.hinted.neighbours or puzzle.hinted.apart):
            return Fit(False, "it has hints about neighbours, and the deep solver keeps to pins only")
        if puzzle.height != puzzle.width:
            return Fit(False, f"its pieces are {puzzle.width}x{puzzle.height}, and the deep solver takes square ones")
        if puzzle.rows * puzzle.cols > MOST_CELLS:
            return Fit(
                False, f"it has {puzzle.rows * puzzle.cols} cells, and the deep solver takes {MOST_CELLS} at most"
            )
        if not isinstance(puzzle, Gapped):
            return Fit(True, "it is asked for: where pieces touch, the assembler knows more", 0.1)
        return Fit(True, "there are gaps between the patches, which networks see across", 1.0)

    def check_settings(self, puzzle: Puzzle, settings: Settings) -> None:
        """A network must be there."""
        assert isinstance(puzzle, Jigsaw)
        _card(puzzle, settings)

    def resumes(self, settings: Settings) -> bool:
        """Always."""
        return True

    def memory_mb(self, puzzle: Puzzle, settings: Settings) -> float:
        """A network that sees all patches at once, on every pair of sides of them."""
        assert isinstance(puzzle, Jigsaw)
        return 345 + 1.5 * puzzle.count

    def warm_up(self, puzzle: Puzzle, settings: Settings) -> None:
        """Load the network, and compile on a few patches of noise: enough that they are annealed, and few."""
        assert isinstance(puzzle, Jigsaw)
        if card := _card(puzzle, settings):
            from .networks import session

            session(card.name, settings.threads, card.folder)
        import numpy as np

        noise = np.random.default_rng(0).integers(0, 255, (12, 4, 4, 3), np.uint8)
        without = replace(settings, model=PIXELS, visits=2, orders=1)
        for rows, cols in ((2, 2), (3, 4)):
            small = Gapped(4, 4, 3, 8, noise[: rows * cols].tobytes(), rows, cols)
            for _ in self.solve(small, without, Clock(Budget(steps=2000)), seed=0):
                pass

    def solve(self, puzzle: Puzzle, settings: Settings, clock: Clock, seed: int) -> Run:
        """Look at the patches, then search."""
        from ...core.state import fields
        from . import networks
        from .tables import pixel_tables

        assert isinstance(puzzle, Jigsaw)
        frame = Frame.of(puzzle)
        kept = None if clock.kept is None else fields(clock.kept, ("tables", "search"))
        if clock.expired and kept is None:
            return Outcome("out_of_budget", frame.placement(frame.completed([EMPTY] * frame.cells)), {})
        card = _card(puzzle, settings)
        if kept is not None:
            tables = _tables(kept["tables"], frame)
        elif card:
            tables = networks.read(puzzle, card, settings.mirrored, settings.threads)
        else:
            tables = pixel_tables(puzzle.array, frame.rows, frame.cols)
        following = Following(kept and kept["search"])
        clock.keep(lambda: {"tables": tables._asdict(), "search": following.state()})
        if settings.search == TREE:
            outcome = yield from _planned(frame, tables, settings, clock, seed, following)
        else:
            outcome = yield from _arranged(frame, tables, card.temper if card else 1.0, clock, seed, following)
        return replace(outcome, counters={**outcome.counters, "networks": int(card is not None)})


@dataclass(frozen=True)
class Frame:
    """What is known of a puzzle apart from its pixels."""

    rows: int
    cols: int
    count: int  # patches
    hints: dict[int, int]  # the cells of patches for which they are known

    @classmethod
    def of(cls, puzzle: Jigsaw) -> "Frame":
        """Of a puzzle whose frame is known."""
        assert puzzle.rows is not None
        assert puzzle.cols is not None
        hints = {pin.piece: pin.row * puzzle.cols + pin.col for pin in all_told(puzzle).pins}
        return cls(puzzle.rows, puzzle.cols, puzzle.count, hints)

    @property
    def cells(self) -> int:
        """Of the board."""
        return self.rows * self.cols

    def completed(self, board: Sequence[int]) -> list[int]:
        """A board on which every patch lies somewhere: those that are left fill the first empty cells."""
        whole = [*board]
        for patch, cell in self.hints.items():
            whole[cell] = patch
        left = iter(sorted(set(range(self.count)) - {*whole}))
        return [next(left, EMPTY) if patch == EMPTY else patch for patch in whole]

    def placement(self, board: Sequence[int]) -> Placement:
        """A board as an answer."""
        return Placement.from_flat(board, [0] * self.cells, self.cols)


def _card(puzzle: Jigsaw, settings: Settings) -> "Card | None":
    """The network that is to be asked; None if pixels are."""
    from . import networks

    if settings.model == PIXELS:
        return None
    if settings.model.endswith(".onnx"):
        path = Path(settings.model)
        return networks.card(path.stem, path.parent)
    if settings.model != AUTO:
        names = [card.name for card in networks.cards()]
        if settings.model not in names:
            there = ", ".join([AUTO, PIXELS, *names])
            raise Refused(f"there is no network {settings.model[:40]!r}; model is a file .onnx, or one of {there}")
        return networks.card(settings.model)
    if (chosen := networks.chosen(networks.relative_gap(puzzle))) is None:
        raise Refused("no network came with this installation; set model to a file .onnx, or to pixels")
    return chosen


def _tables(kept: Any, frame: Frame) -> "Tables":
    """What a network said, in an earlier run, of as many patches."""
    import numpy as np

    from ...core.state import Misfit, fields
    from .tables import Tables, checked

    values = fields(kept, Tables._fields)
    if not all(isinstance(table, np.ndarray) and table.dtype == np.float32 for table in values.values()):
        raise Misfit("tables")
    tables = checked(Tables(**values), frame.rows, frame.cols)
    if tables.count != frame.count:
        raise Misfit("tables")
    return tables


def _arranged(frame: Frame, tables: "Tables", temper: float, clock: Clock, seed: int, following: Following) -> Run:
    """The best board there is, or the best that patience finds."""
    from .arranging import arranging

    work = arranging(tables, frame.rows, frame.cols, clock, frame.hints, seed, temper=temper, following=following)
    while True:
        try:
            best = next(work)
        except StopIteration as ended:
            found = ended.value
            break
        shown = frame.placement(best.board.tolist())
        yield Progress(best.steps, "steps", best.score, None, "score", solution=shown)
    counters = {"steps": found.steps, "score": round(found.score, 2) + 0.0, "proved": int(found.proved)}
    if found.margin is not None:
        counters["margin"] = round(found.margin, 2)
    if found.sure is not None:
        counters |= {"sure": round(float(found.sure.mean()), 3), "least_sure": round(float(found.sure.min()), 3)}
    status: Status = "complete" if found.finished else "out_of_budget"
    return Outcome(status, frame.placement(found.board.tolist()), counters)


def _planned(frame: Frame, tables: "Tables", settings: Settings, clock: Clock, seed: int, following: Following) -> Run:
    """The board that tree search plays, of several orders the one that V values most."""
    from .game import Play, linked_orders, new_game
    from .planning import STRONG, Playing
    from .tables import score

    planning = replace(STRONG, visits=settings.visits, orders=settings.orders)
    orders = linked_orders(tables, planning.orders, seed, frame.hints)
    plays = [Play(0, order, frame.hints) for order in orders]
    playing = Playing(new_game(frame.rows, frame.cols, plays, [tables], planning.judging), planning)

    if following.kept is not None:
        playing.take_up(following.kept)
        clock.spend(playing.visits - clock.steps)
    following.follow(playing.state)

    def best() -> list[int]:
        """Of the boards as they are now."""
        boards = [frame.completed(board) for board in playing.boards.tolist()]
        return max(boards, key=lambda board: score(tables, board, frame.cols))

    while not playing.over and not clock.expired:
        before, allowed = playing.visits, clock.allowance(planning.visits * planning.orders)
        if allowed < planning.visits * planning.orders:
            following.freeze()
        playing.planning = replace(planning, visits=max(1, allowed // planning.orders))
        playing.advance()
        clock.spend(playing.visits - before)
        board = best()
        total = score(tables, board, frame.cols)
        yield Progress(playing.visits, "visits", total, None, "score", solution=frame.placement(board))
    over = playing.over
    board = playing.boards[playing.values().argmax()].tolist() if over else best()
    counters = {"visits": playing.visits, "score": round(score(tables, board, frame.cols), 2) + 0.0}
    return Outcome("complete" if over else "out_of_budget", frame.placement(board), counters)
