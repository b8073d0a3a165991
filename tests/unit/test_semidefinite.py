"""The solver `semidefinite`: pieces at unknown locations, and answers that are never wrong."""

import threading
import time
from itertools import combinations

import numpy as np
import pytest

from dovetail.core.errors import Refused
from dovetail.core.kind import Kind
from dovetail.core.puzzle import EMPTY, Locations, Placement, Puzzle
from dovetail.core.solver import Budget, Clock, Outcome, Progress, Run
from dovetail.tiles.planting import plant_tiles
from dovetail.tiles.polygons import Making, Polygons, PolygonsKind
from dovetail.tiles.polygons_making import make
from dovetail.tiles.puzzle import Making as MakingTiles
from dovetail.tiles.puzzle import Pin, Tiles, TilesKind
from dovetail.tiles.semidefinite import Semidefinite, Settings
from dovetail.tiles.snapping import agrees, edges_of, fills, on_cells, snapped

SOLVER = Semidefinite()
KINDS: dict[str, Kind] = {"polygons": PolygonsKind(), "tiles": TilesKind()}
# two pieces of the frame's area that cannot fill it: a bar is too long
TOO_LONG = Polygons(
    (((0, 0), (4, 0), (4, 0.5), (0, 0.5)), ((0, 0), (2, 0), (2, 1), (0, 1))), (((0, 0), (2, 0), (2, 2), (0, 2)),)
)


def run(puzzle: Puzzle, seed: int = 0, steps: int | None = None, **settings: object) -> tuple[Outcome, list[Progress]]:
    chosen = Settings(**settings)  # type: ignore[arg-type]
    SOLVER.check_settings(puzzle, chosen)
    return drive(SOLVER.solve(puzzle, chosen, Clock(Budget(wall_s=60, steps=steps)), seed))


def drive(going: Run) -> tuple[Outcome, list[Progress]]:
    """To the end; signs of life between programs, which depend on the machine, are left out."""
    events: list[Progress] = []
    while True:
        try:
            event = next(going)
        except StopIteration as end:
            return end.value, events
        if event.view is not None:
            events.append(event)


def threads_end() -> bool:
    """Whether programs that were stopped end soon."""
    own = [thread for thread in threading.enumerate() if thread.name == "semidefinite"]
    for thread in own:
        thread.join(5)
    return not any(thread.is_alive() for thread in own)


def solved(puzzle: Puzzle, outcome: Outcome) -> bool:
    assert outcome.solution is not None
    return bool(KINDS[puzzle.kind].check(puzzle, outcome.solution).solved)


def square_tiles(seed: int, side: int, colours: int, frame: str = "grey", **more: bool | int) -> Tiles:
    making = MakingTiles(width=side, height=side, colours=colours, rotate=False, frame=frame, **more)  # type: ignore[arg-type]
    return plant_tiles(making, seed)[0]


@pytest.mark.parametrize("name", ["tangram", "tangram-runner", "cut-square"])
def test_solves_the_samples(name: str) -> None:
    puzzle = KINDS["polygons"].samples()[name]()
    outcome, events = run(puzzle)
    assert outcome.status == "complete"
    assert solved(puzzle, outcome)
    assert events[-1].best == len(events[-1].solution.at)  # type: ignore[union-attr]
    view = events[0].view
    assert view is not None
    drawing = view()
    assert drawing.png().startswith(b"\x89PNG")
    assert drawing.svg().count(b"fill-opacity") == events[-1].goal


def test_solves_silhouettes_grown_at_random() -> None:
    for seed in range(30, 32):
        puzzle, _ = make(Making(), seed)
        outcome, _ = run(puzzle)
        assert outcome.status == "complete"
        assert solved(puzzle, outcome)


@pytest.mark.parametrize("frame", ["grey", "coloured"])
@pytest.mark.parametrize("signed", [False, True])
def test_solves_tiles_as_if_they_could_lie_anywhere(frame: str, signed: bool) -> None:
    puzzle = square_tiles(2, 4, 4, frame, signed=signed, hints=1)
    outcome, _ = run(puzzle)
    assert outcome.status == "complete"
    assert solved(puzzle, outcome)


def test_the_papers_own_functions_solve_the_square() -> None:
    puzzle = KINDS["polygons"].samples()["tangram"]()
    outcome, _ = run(puzzle, basis="exponential")
    assert outcome.status == "complete"
    assert solved(puzzle, outcome)


def test_wrong_locations_of_rank_one_are_not_called_complete() -> None:
    """With K = 1 there are not enough equations: the matrices have rank one, and the pieces lie across each other."""
    wrong = 0
    for seed in range(4):
        puzzle, _ = make(Making(), seed)
        outcome, events = run(puzzle, degree=1, most_degree=1)
        assert outcome.status == "partial"
        assert not solved(puzzle, outcome)
        assert len(events) == outcome.counters["programs"]
        wrong += int(outcome.counters["wrong"])
    assert wrong > 0


def test_a_puzzle_without_solution_is_given_up_and_not_called_proved() -> None:
    outcome, _ = run(TOO_LONG, most_degree=4)
    assert outcome.status == "partial"
    assert isinstance(outcome.solution, Locations)
    assert len(outcome.solution.at) == 2


def test_the_same_seed_and_steps_give_the_same_outcome() -> None:
    puzzle, _ = make(Making(pieces=14), 1)
    first, again = (run(puzzle, seed=4, steps=3, degree=3)[0] for _ in range(2))
    assert first == again
    assert first.counters["programs"] == 3


def test_stops_soon_and_leaves_no_thread_behind() -> None:
    puzzle = square_tiles(0, 8, 8, "coloured")
    clock = Clock(Budget(wall_s=60))
    going = SOLVER.solve(puzzle, Settings(degree=3), clock, 0)
    next(going)
    clock.cancel()
    begin = time.monotonic()
    outcome, _ = drive(going)
    assert time.monotonic() - begin < 2.0  # far less, if nobody else wants the machine
    assert outcome.status == "out_of_budget"
    assert threads_end()


def test_an_abandoned_run_stops_its_program() -> None:
    going = SOLVER.solve(square_tiles(0, 8, 8, "coloured"), Settings(degree=3), Clock(Budget()), 0)
    next(going)
    going.close()
    assert threads_end()


def test_refuses_what_it_cannot_express() -> None:
    turned = plant_tiles(MakingTiles(width=3, height=3, colours=3), 0)[0]
    assert "turned" in SOLVER.accepts(turned).why
    assert "no frame" in SOLVER.accepts(square_tiles(0, 3, 3, "none")).why
    assert "100 are the most" in SOLVER.accepts(square_tiles(0, 11, 8)).why
    assert "100 are the most" in SOLVER.accepts(make(Making(pieces=105), 0)[0]).why
    many = make(Making(pieces=21), 0)[0]
    with pytest.raises(Refused, match="beyond floating point"):
        SOLVER.check_settings(many, Settings(basis="exponential"))
    with pytest.raises(Refused, match="above most_degree"):
        SOLVER.check_settings(many, Settings(degree=4, most_degree=3))


def test_tiles_are_taken_to_the_cells_they_are_near() -> None:
    puzzle = square_tiles(0, 2, 2)
    near = np.array([(0.1, 0.0), (1.0, 0.1), (1.0, 1.05), (0.4, 0.6)])
    assert on_cells(puzzle, near).pieces == ((0, 1), (EMPTY, 2))
    assert on_cells(puzzle, np.array([(0.1, 0), (0.0, 0), (5, 5), (-1, 0)])).pieces == ((1, EMPTY), (EMPTY, EMPTY))


@pytest.mark.parametrize(("frame", "signed"), [("grey", False), ("coloured", False), ("coloured", True)])
def test_its_own_test_of_boards_agrees_with_the_checker(frame: str, signed: bool) -> None:
    making = MakingTiles(width=3, height=3, colours=2, rotate=False, frame=frame, signed=signed, hints=1)
    for seed in range(6):
        puzzle, answer = plant_tiles(making, seed)
        assert agrees(puzzle, answer)
        for one, other in combinations(range(9), 2):
            flat = [piece for row in answer.pieces for piece in row]
            flat[one], flat[other] = flat[other], flat[one]
            board = Placement.from_flat(flat, [0] * 9, 3)
            assert agrees(puzzle, board) == KINDS["tiles"].check(puzzle, board).solved


def test_a_colour_kept_for_the_rim_agrees_with_nothing_inside() -> None:
    tiles = ((0, 0, 1, 0), (0, 0, 1, 0), (1, 0, 0, 0), (1, 0, 0, 0))
    puzzle = Tiles(2, 2, tiles, rotate=False, frame=(0,) * 8, pins=(Pin(0, 0, 0),))
    board = Placement(((0, 1), (2, 3)), ((0, 0), (0, 0)))
    assert puzzle.grey is None and agrees(puzzle, board), "there is more of it than the rim takes"
    kept = Tiles(1, 2, ((0, 0, 0, 1), (0, 1, 0, 0)), rotate=False, frame=(0, 0, 1, 0, 0, 1))
    assert (
        agrees(kept, Placement(((0, 1),), ((0, 0),)))
        == KINDS["tiles"].check(kept, Placement(((0, 1),), ((0, 0),))).solved
    )


def test_snapping_needs_no_edge_within_reach() -> None:
    edges = edges_of(TOO_LONG)
    assert snapped(edges, np.array([(50.0, 50.0), (90.0, 90.0)])) is None
    assert not fills(edges, np.zeros((2, 2)))
