"""The game of Paumard et al. 2020, 3.1.3: patches come one by one, and each is laid into any empty cell of the board.

A play is told by the cells chosen so far. The patches come in an order that is fixed before it begins; which order it
is makes some plays easier than others, and so a puzzle may be played in several. A board is their dictionary of
positions: the patch of each cell row by row, EMPTY (-1) where there is none. Patches that are known to lie in a cell,
hints, lie there from the beginning. A play is over when no patch or no cell is left.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadInput
from ...core.puzzle import EMPTY
from .tables import Tables, checked

MOST_CELLS = 1 << 10


class Judging(NamedTuple):
    """What is asked of P and V (table 9 deactivates them in turn), and who says how a play went."""

    policy: bool = True  # P; if not, all cells are equally likely
    during: bool = True  # V of boards in the making; if not, all are worth 1
    at_end: bool = True  # V of boards that are done; if not, all are worth 1
    truth: bool = False  # a play that is over is worth 1 if it is the solution, else 0: for studies only
    temperature: float = 1.0  # of P, where it is read from tables
    polish: int = 10  # where V is read from tables: how often two patches each may change places on a board filled up


class Play(NamedTuple):
    """A puzzle, by its number, and the order in which its patches come; hints are left out of it."""

    puzzle: int
    order: tuple[int, ...]
    hints: Mapping[int, int] = MappingProxyType({})  # cells of patches that are known
    solution: tuple[int, ...] | None = None  # the board as it should be; needed by Judging.truth alone


class Game(NamedTuple):
    """Plays of puzzles of one shape as the kernels see them."""

    rows: int
    cols: int
    order: NDArray[np.int32]  # [plays, steps]
    length: NDArray[np.int32]  # [plays]: steps until it is over
    start: NDArray[np.int32]  # [plays, cells]: the board before the first step
    solution: NDArray[np.int32]  # [plays, cells], or [plays, 0] where nobody knows
    puzzle: NDArray[np.int32]  # [plays]: whose tables count
    right: NDArray[np.float32]  # [puzzles, n, n], as in Tables; none where images are judged
    down: NDArray[np.float32]
    place: NDArray[np.float32]  # [puzzles, n, cells]
    right_odds: NDArray[np.float32]  # [puzzles, n, n]: how much likelier a pair is than its patches' others; see odds
    down_odds: NDArray[np.float32]
    scale: NDArray[np.float64]  # [puzzles, 2]: the score of a board by chance, and how much more one could have at most
    judging: Judging
    board: NDArray[np.int32]  # [cells]: room
    best: NDArray[np.float64]  # [plays]: the highest value of any whole board that was looked at
    best_board: NDArray[np.int32]  # [plays, cells]

    @property
    def steps(self) -> int:
        """Of the longest play."""
        return int(self.order.shape[1])

    @property
    def cells(self) -> int:
        """Of the board."""
        return self.rows * self.cols

    def boards(self, plays: Any, paths: Any, played: Any) -> NDArray[np.int32]:
        """The boards [number, cells] after the first ``played`` cells of each path, in these plays."""
        laid: NDArray[np.int32] = self.start[plays].copy()
        steps = np.arange(self.steps)
        which, step = np.nonzero(steps < np.asarray(played)[:, None])
        laid[which, np.asarray(paths)[which, step]] = self.order[plays][which, step]
        return laid


def new_game(
    rows: int, cols: int, plays: Sequence[Play], tables: Sequence[Tables] = (), judging: Judging | None = None
) -> Game:
    """Checked, and as arrays. ``tables``: one for each puzzle, or none where a play is judged by its pictures."""
    cells = rows * cols
    if not (rows >= 1 and cols >= 1 and cells <= MOST_CELLS):
        raise BadInput(f"a board has 1 to {MOST_CELLS} cells, not {rows}x{cols}")
    if not plays:
        raise BadInput("a game needs a play")
    judging = _typed(judging or Judging())
    tables = [checked(table, rows, cols) for table in tables]
    length = [min(len(play.order), cells - len(play.hints)) for play in plays]
    order = np.full((len(plays), max(1, *length)), EMPTY, np.int32)
    start = np.full((len(plays), cells), EMPTY, np.int32)
    solution = np.full((len(plays), cells if judging.truth else 0), EMPTY, np.int32)
    for number, play in enumerate(plays):
        _check(play, cells, tables)
        order[number, : length[number]] = play.order[: length[number]]
        for patch, cell in play.hints.items():
            start[number, cell] = patch
        if judging.truth:
            if play.solution is None:
                raise BadInput("a play judged by the truth needs its solution")
            solution[number] = _board(play.solution, cells)
    right, down, place = _stacked(tables, cells)
    right_odds, down_odds, _ = _stacked(
        [Tables(_odds(table.right), _odds(table.down), table.place) for table in tables], cells
    )
    return Game(
        rows, cols, order, np.array(length, np.int32), start, solution,
        np.array([play.puzzle for play in plays], np.int32), right, down, place, right_odds, down_odds,
        np.array([scale(table, rows, cols) for table in tables]).reshape(-1, 2), judging,
        np.zeros(cells, np.int32), np.full(len(plays), -np.inf), start.copy(),
    )  # fmt: skip


def _typed(judging: Judging) -> Judging:
    """As the kernels are compiled for."""
    if not 0 < judging.temperature < np.inf:
        raise BadInput(f"a temperature is more than 0, not {judging.temperature}")
    kinds = (type(it) for it in Judging())
    return Judging._make(kind(it) for kind, it in zip(kinds, judging, strict=True))


def _stacked(
    tables: Sequence[Tables], cells: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """All puzzles' tables one upon the other; puzzles of fewer patches leave the rest empty."""
    most = max((table.count for table in tables), default=0)
    shapes = ((most, most), (most, most), (most, cells))
    right, down, place = (np.zeros((len(tables), *shape), np.float32) for shape in shapes)
    for number, table in enumerate(tables):
        for stack, part in zip((right, down, place), table, strict=True):
            stack[number, : table.count, : part.shape[1]] = part
    return right, down, place


def _check(play: Play, cells: int, tables: Sequence[Tables]) -> None:
    laid = [*play.hints, *play.order]
    if len(set(laid)) != len(laid) or min(laid, default=0) < 0:
        raise BadInput("a play lays each patch once: its order and its hints may not share one")
    known = [*play.hints.values()]
    if len(set(known)) != len(known) or not all(0 <= cell < cells for cell in known):
        raise BadInput(f"hints name different cells, from 0 to {cells - 1}")
    if tables and not (0 <= play.puzzle < len(tables) and max(laid, default=0) < tables[play.puzzle].count):
        raise BadInput("a play lays patches that its tables do not know")


def _board(solution: Iterable[int], cells: int) -> NDArray[np.int32]:
    board = np.asarray([*solution], np.int32)
    if board.shape != (cells,):
        raise BadInput(f"the solution of a board of {cells} cells names a patch for each, not {len(board)}")
    return board


def _odds(pairs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores of pairs against the mean likelihood of all that either patch could be paired with instead.

    By these a cell with three neighbours can be compared with one that has none. They rank whole boards almost as the
    scores do, but not quite: it is scores that count there.
    """
    count = len(pairs)
    if count < 2:
        return np.zeros_like(pairs)
    apart = ~np.eye(count, dtype=bool)
    scores = np.where(apart, pairs.astype(np.float64), -np.inf)
    means = []
    for axis in (0, 1):
        highest = scores.max(axis=axis, keepdims=True)
        means.append(highest + np.log(np.exp(scores - highest).sum(axis=axis, keepdims=True) / (count - 1)))
    return np.where(apart, pairs - (means[0] + means[1]) / 2, 0.0).astype(np.float32)


def scale(tables: Tables, rows: int, cols: int) -> tuple[float, float]:
    """The mean score of all boards, and how far above it lies what none can exceed.

    No board exceeds the sum of each patch's best neighbours and place, the least good left out where a patch at the rim
    has none; nor the same seen from the neighbours.
    """
    count, low, high = tables.count, 0.0, 0.0
    for table, pairs in ((tables.right, rows * (cols - 1)), (tables.down, (rows - 1) * cols)):
        pairs = min(pairs, count - 1)
        if pairs <= 0:
            continue
        beside = np.where(np.eye(count, dtype=bool), -np.inf, table.astype(np.float64))
        low += pairs * float(table[~np.eye(count, dtype=bool)].mean(dtype=np.float64))
        high += min(float(np.sort(beside.max(axis=axis))[-pairs:].sum()) for axis in (0, 1))
    low += count * float(tables.place.mean(dtype=np.float64))
    high += float(tables.place.max(axis=1).sum(dtype=np.float64))
    return low, max(high - low, 1e-9)


def orders(count: int, number: int, seed: int, hints: Mapping[int, int] | None = None) -> list[tuple[int, ...]]:
    """So many orders of the patches that are no hints: as they lie first, then by chance."""
    free = np.array([patch for patch in range(count) if patch not in (hints or {})], np.int64)
    chance = np.random.default_rng(seed)
    return [tuple((chance.permutation(free) if attempt else free).tolist()) for attempt in range(number)]


def central_hint(solution: Sequence[int], rows: int, cols: int) -> dict[int, int]:
    """The patch of the central cell (of four, the lower right one) is known: for studies, from the truth."""
    cell = rows // 2 * cols + cols // 2
    return {} if solution[cell] == EMPTY else {solution[cell]: cell}


def some_hints(solution: Sequence[int], number: int, seed: int) -> dict[int, int]:
    """So many patches are known, by chance: for studies, from the truth."""
    known = [cell for cell, patch in enumerate(solution) if patch != EMPTY]
    if not 0 <= number <= len(known):
        raise BadInput(f"of {len(known)} patches, 0 to {len(known)} can be known, not {number}")
    chosen = np.random.default_rng(seed).choice(known, number, replace=False).tolist() if number else []
    return {solution[cell]: cell for cell in sorted(chosen)}


def linked_orders(
    tables: Tables, number: int, seed: int, hints: Mapping[int, int] | None = None
) -> list[tuple[int, ...]]:
    """Orders in which each patch is the one best linked to those before it, so that it is known where it goes.

    The first order begins at the strongest link of all, others with another patch each, by chance; hints count as laid.
    """
    links = np.maximum(_links(tables.right), _links(tables.down))
    links = np.maximum(links, links.T)
    given = [*(hints or {})]
    free = [patch for patch in range(tables.count) if patch not in given]
    if not free:
        return [()] * number
    strongest = max(free, key=lambda patch: links[patch].max())
    others = [patch for patch in np.random.default_rng(seed).permutation(free).tolist() if patch != strongest]
    firsts = [strongest, *others]
    return [_linked(links, free, given, firsts[attempt % len(firsts)]) for attempt in range(number)]


def _links(pairs: NDArray[np.float32]) -> NDArray[np.float64]:
    """By how much each pair is better than the best that its patches could do with others."""
    count = len(pairs)
    if count < 3:
        return np.zeros((count, count))
    scores = np.where(np.eye(count, dtype=bool), -np.inf, pairs.astype(np.float64))
    rivals = np.full_like(scores, -np.inf)
    for axis in (0, 1):
        ranked = np.sort(scores, axis=axis)
        best, second = np.take(ranked, [-1], axis), np.take(ranked, [-2], axis)
        rivals = np.maximum(rivals, np.where(scores == best, second, best))
    return scores - rivals


def _linked(links: NDArray[np.float64], free: Sequence[int], given: Sequence[int], first: int) -> tuple[int, ...]:
    laid, order, rest = [*given, first], [first], [patch for patch in free if patch != first]
    while rest:
        following = max(rest, key=lambda patch: links[patch, laid].max())
        rest.remove(following)
        laid.append(following)
        order.append(following)
    return tuple(order)
