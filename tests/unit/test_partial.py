"""The solver of best scores: what it claims is what the checker says, and it ends, and it leaves the hints alone."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from dovetail import pipeline
from dovetail.core.puzzle import Placement, Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Progress
from dovetail.tiles.breaks import BreakSearch, scan_order
from dovetail.tiles.oriented import oriented
from dovetail.tiles.partial import Partial, Settings
from dovetail.tiles.plan import plan
from dovetail.tiles.puzzle import SIGNED, Pin, Tiles, grey_frame
from dovetail.tiles.terracotta import Terracotta
from support.naive_tiles import arrows, dealt, tree

# of every rule, too large to be finished in a few steps
EVERY_RULE: dict[str, Tiles | Terracotta] = {
    "grey rim": dealt(8, 8, 1, frame="grey", colours=6),
    "coloured frame": dealt(6, 7, 1, frame="coloured", colours=5),
    "free rim": dealt(7, 6, 1, colours=6),
    "no turning": dealt(7, 7, 1, rotate=False, colours=5),
    "no turning, grey": dealt(6, 8, 1, rotate=False, frame="grey", colours=4),
    "signed": dealt(6, 6, 1, match=SIGNED, colours=3),
    "signed, grey": dealt(6, 6, 1, match=SIGNED, frame="grey", colours=3),
    "hints": dealt(7, 7, 1, frame="grey", colours=5, pins=6),
    "repeated": dealt(6, 6, 1, colours=2),
    "one row": dealt(1, 9, 1, colours=4),
    "corner arrows": arrows(6, 6, 1),
}
each_rule = pytest.mark.parametrize("rule", EVERY_RULE)
# an inner tile that matches nothing at all
UNSOLVABLE = Tiles(
    3, 3,
    ((0, 1, 2, 0), (0, 1, 2, 0), (0, 1, 2, 0), (0, 1, 2, 0), (0, 2, 3, 1), (0, 2, 3, 1), (0, 2, 3, 1), (0, 2, 3, 1),
     (7, 8, 9, 9)),
    frame=grey_frame(3, 3),
)  # fmt: skip


def run(
    puzzle: Puzzle, steps: int | None, seed: int = 0, solver: Partial | None = None, **given: Any
) -> tuple[Outcome, list[Progress]]:
    events: list[Progress] = []
    work = (solver or Partial()).solve(puzzle, Settings(**given), Clock(Budget(steps=steps)), seed)
    while True:
        try:
            events.append(next(work))
        except StopIteration as end:
            return end.value, events


def score(puzzle: Puzzle, placement: object) -> dict[str, float]:
    assert isinstance(placement, Placement)
    verdict = pipeline.check(puzzle, placement)
    assert verdict.valid
    assert not [fault for fault in verdict.violations if "disagree" not in fault and " more" not in fault]
    return dict(verdict.scores)


@each_rule
@pytest.mark.parametrize("seed", [0, 1])
def test_breaks_are_what_the_checker_says(rule: str, seed: int) -> None:
    puzzle = EVERY_RULE[rule]
    outcome, events = run(puzzle, 300_000, seed)
    scores = score(puzzle, outcome.solution)
    assert scores["placed"] == puzzle.rows * puzzle.cols
    assert outcome.counters["breaks"] == scores["seams"] - scores["matched"]
    assert (outcome.status == "complete") == (scores["seams"] == scores["matched"])
    assert outcome.counters["placements"] <= 300_000
    if events:
        assert events[-1].best == scores["matched"]


@each_rule
def test_more_steps_are_never_worse(rule: str) -> None:
    """And in the end better than a board that was only filled."""
    counts = [run(EVERY_RULE[rule], steps)[0].counters["breaks"] for steps in (0, 1000, 500_000)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] < counts[0] or counts[0] == 0


@each_rule
def test_same_seed_same_result(rule: str) -> None:
    puzzle = EVERY_RULE[rule]
    for parallel in (1, 2):
        runs = [run(puzzle, 200_000, 5, parallel=parallel, restart=30_000)[0] for _ in range(2)]
        assert runs[0] == runs[1]
    with ThreadPoolExecutor(1) as pool:  # whoever does the work
        assert run(puzzle, 200_000, 5, Partial(pool), parallel=2, restart=30_000)[0] == runs[0]


def test_another_seed_is_another_run() -> None:
    boards = {run(EVERY_RULE["grey rim"], 20_000, seed)[0].solution for seed in range(3)}
    assert len(boards) == 3


def test_a_budget_in_steps_is_kept_whatever_the_number_of_starts() -> None:
    for parallel in (1, 2, 3):
        for steps in (1, 2, 1001):
            assert run(EVERY_RULE["grey rim"], steps, parallel=parallel)[0].counters["placements"] == steps


def test_progress_shows_boards_that_score_as_claimed() -> None:
    shown = 0
    for rule, puzzle in EVERY_RULE.items():
        _, events = run(puzzle, 5_000_000, parallel=2 if rule == "hints" else 1, restart=100_000)
        claims = [event.best for event in events]
        assert claims == sorted(claims)
        for event in events:
            assert event.unit == "placements"
            if event.solution is not None:
                scores = score(puzzle, event.solution)
                assert (event.best, event.goal) == (scores["matched"], scores["seams"])
                shown += 1
    assert shown > len(EVERY_RULE) // 2


def test_hints_are_never_moved() -> None:
    for seed in range(4):
        puzzle = dealt(6, 6, seed, frame="grey", colours=4, pins=1 + 3 * seed)
        outcome, _ = run(puzzle, 300_000, seed, restart=50_000)
        assert isinstance(outcome.solution, Placement)
        for pin in puzzle.pins:
            assert outcome.solution.pieces[pin.row][pin.col] == pin.tile
            turns = outcome.solution.turns[pin.row][pin.col]
            assert puzzle.turned(puzzle.tiles[pin.tile], turns) == puzzle.turned(puzzle.tiles[pin.tile], pin.turns)


def test_an_unsolvable_board_ends_with_all_tiles_laid() -> None:
    assert not tree(UNSOLVABLE, range(9)).boards
    outcome, _ = run(UNSOLVABLE, None)
    assert outcome.status == "partial"
    assert outcome.counters["breaks"] == 4
    assert score(UNSOLVABLE, outcome.solution) == {"matched": 8, "seams": 12, "placed": 9}


def test_small_boards_come_to_an_end() -> None:
    """Without any budget: solved, or nothing is left to try."""
    for seed in range(3):
        for frame in ("free", "grey", "coloured"):
            puzzle = dealt(3, 3, seed, frame=frame, colours=4)
            outcome, _ = run(puzzle, None, seed)
            assert outcome.status in ("complete", "partial")
            assert (outcome.counters["breaks"] == 0) == (outcome.status == "complete")


def test_a_board_of_one_tile() -> None:
    outcome, _ = run(Tiles(1, 1, ((1, 2, 3, 4),), frame=(4, 1, 2, 3)), None)
    assert outcome.status == "complete"
    assert outcome.solution == Placement(((0,),), ((3,),))


def test_a_board_that_is_all_hints() -> None:
    puzzle = dealt(2, 3, 1, pins=6)
    solver = Partial()
    solver.warm_up(puzzle, Settings())
    assert run(puzzle, None, solver=solver)[0].status == "complete"


def test_a_tile_that_fits_nowhere_is_no_solution() -> None:
    puzzle = Tiles(2, 2, ((0, 1, 1, 0),) * 3 + ((1, 1, 1, 1),), frame=grey_frame(2, 2))
    outcome, _ = run(puzzle, 1000)
    assert isinstance(outcome.solution, Placement)
    assert not pipeline.check(puzzle, outcome.solution).solved
    assert outcome.status != "complete"


def test_hints_that_contradict_cost_their_seam() -> None:
    tiles = ((1, 1, 1, 1), (2, 2, 2, 2), (1, 3, 1, 3), (2, 3, 2, 3))
    puzzle = Tiles(2, 2, tiles, pins=(Pin(0, 0, 0), Pin(0, 1, 1)))
    outcome, _ = run(puzzle, None)
    assert outcome.status == "partial"
    assert outcome.counters["breaks"] == 1
    assert score(puzzle, outcome.solution)["matched"] == 3


def test_the_last_rows_are_filled_by_columns() -> None:
    tiles = oriented(dealt(6, 3, 0))
    assert scan_order(tiles)[:6] == [0, 1, 2, 3, 4, 5]
    assert scan_order(tiles)[6:] == [6, 9, 12, 15, 7, 10, 13, 16, 8, 11, 14, 17]
    wide = scan_order(oriented(dealt(3, 6, 0)))
    assert wide[:6] == [0, 6, 12, 1, 7, 13]
    assert sorted(wide) == list(range(18))


@each_rule
def test_every_scan_knows_only_north_and_west(rule: str) -> None:
    tiles = oriented(EVERY_RULE[rule])
    assert plan(tiles, scan_order(tiles)).scan


@each_rule
def test_schedules_and_quotas_make_sense(rule: str) -> None:
    """Breaks are allowed more and more, up to the aim and only after the quotas' end; quotas grow and can be met."""
    tiles = oriented(EVERY_RULE[rule])
    search = BreakSearch(tiles, (3,), restart=20_000, depleted=0.3)
    for _ in range(12):
        cap, quota = search._cap.astype(int), search._quota.astype(int)
        if search.over:
            break
        assert (np.diff(cap) >= 0).all()
        assert cap.max() <= max(search._target, 0)
        assert search._target <= search._most
        assert (np.diff(quota) >= 0).all()
        assert quota.max() <= search._weights_in_all
        if not search._loose:
            assert not cap[: search._end].any() or search._target == 0
        search.advance(20_000)
    assert search.restarts >= 1 or search.breaks == 0 or search.over


def test_an_aim_only_ever_tightens() -> None:
    search = BreakSearch(oriented(EVERY_RULE["grey rim"]), (0,))
    first = search._target
    assert first > 2
    search.aim(2)
    assert search._cap.max() <= 2
    search.aim(first)
    assert search._target == 2
    search.aim(-1)  # somebody has a full solution
    assert search.over
    assert search.advance(1000) == 0


def test_starts_hear_of_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every round all starts look for less than the best of all, so no work goes into what is known."""
    aims: list[int] = []
    monkeypatch.setattr(BreakSearch, "aim", lambda _, breaks: aims.append(breaks))
    outcome, events = run(EVERY_RULE["grey rim"], 8_000_000, parallel=2, restart=2_000_000)
    assert len(events) >= 2
    assert aims[-2:] == [outcome.counters["breaks"] - 1] * 2


@pytest.mark.parametrize("depleted", [0.0, 0.18, 0.9])
def test_depleted_colours_are_a_share_of_the_inner_ones(depleted: float) -> None:
    search = BreakSearch(oriented(dealt(8, 8, 2, frame="grey", colours=10)), (1,), depleted=depleted)
    inner = search._tables.inner
    assert search._colour_weight.sum() == round(inner.sum() * depleted)
    assert not search._colour_weight[~inner].any()
    assert not inner[0], "the grey of the rim is no colour to use up"
    assert (search._quota.max() > 0) == (depleted > 0)


def test_boards_of_256_tiles_score_well_at_once() -> None:
    """Eternity II's size and colours: better than nine seams in ten after a few seconds' work."""
    puzzle, _ = pipeline.generate(
        "tiles", 3, width=16, height=16, colours=17, border_colours=5, distinct=True, hints=1
    )  # fmt: skip
    outcome, _ = run(puzzle, 20_000_000, parallel=2)
    scores = score(puzzle, outcome.solution)
    assert scores["seams"] == 480
    assert scores["matched"] > 432


def test_refuses_what_is_not_there() -> None:
    assert not Partial().accepts(Tiles(2, 2, ((1, 1, 1, 1),) * 3)).accepted
    assert Partial().accepts(EVERY_RULE["corner arrows"]).accepted
