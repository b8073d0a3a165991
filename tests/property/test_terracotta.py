"""What holds for every Terracotta puzzle, tried on many."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import pipeline
from dovetail.core.puzzle import Placement
from dovetail.core.solver import Budget
from dovetail.core.source import Source
from dovetail.tiles.boards import oriented_board
from dovetail.tiles.depth_first import Settings, searches
from dovetail.tiles.engine import TileSearch
from dovetail.tiles.terracotta import Making, Terracotta, TerracottaKind, standard, turned

KIND = TerracottaKind()
tiles = st.tuples(*[st.integers(0, 3)] * 4)
boards = st.tuples(st.integers(1, 4), st.integers(1, 4))
calm = settings(deadline=None, max_examples=60)


@given(tiles)
def test_four_turns_are_none(tile: tuple[int, int, int, int]) -> None:
    assert turned(tile, 4) == tile
    assert turned(turned(tile, 1), 3) == tile
    assert turned(tile, 2) == turned(turned(tile))


@calm
@given(st.data(), boards)
def test_every_format_is_a_round_trip(data: st.DataObject, size: tuple[int, int]) -> None:
    rows, cols = size
    puzzle = Terracotta(rows, cols, tuple(data.draw(st.lists(tiles, min_size=rows * cols, max_size=rows * cols))))
    for form in ("json", "csv"):
        assert pipeline.read(Source("memory", pipeline.convert(puzzle, form))) == puzzle


@calm
@given(boards, st.booleans(), st.integers(0, 10**6))
def test_planted_answers_are_right_and_found(size: tuple[int, int], repeats: bool, seed: int) -> None:
    puzzle, planted = KIND.make(Making(*size, repeats), seed)
    assert KIND.check(puzzle, planted, planted).scores["as_planted"] == 1.0
    assert KIND.check(puzzle, planted).solved
    answer = pipeline.solve(puzzle, time_s=20, seed=seed)
    assert answer.outcome.status == "complete"
    assert answer.verdict.solved


@calm
@given(boards, st.integers(0, 10**6), st.data())
def test_checker_agrees_with_the_vertex_form(size: tuple[int, int], seed: int, data: st.DataObject) -> None:
    """Seam by seam, as the checker looks, or vertex by vertex: four tiles around a point agree."""
    rows, cols = size
    puzzle, planted = KIND.make(Making(rows, cols, True), seed)
    turns = [list(row) for row in planted.turns]
    r, c = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, cols - 1))
    turns[r][c] = data.draw(st.integers(0, 3))
    solution = Placement(planted.pieces, tuple(map(tuple, turns)))
    seen: dict[tuple[int, int], set[int]] = {}
    for r, row in enumerate(oriented_board(puzzle, solution)):
        for c, tile in enumerate(row):
            assert tile is not None
            for arrow, corner in zip(tile, ((r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)), strict=True):
                seen.setdefault(corner, set()).add(arrow)
    assert KIND.check(puzzle, solution).solved == all(len(arrows) == 1 for arrows in seen.values())


@calm
@given(st.lists(st.integers(1, 3000), min_size=1, max_size=30), st.integers(0, 100))
def test_slicing_never_changes_the_path(slices: list[int], seed: int) -> None:
    def search() -> TileSearch:
        (start,) = searches(standard(), Settings(restart=500), seed)
        return start

    def make(search: TileSearch, placements: int) -> None:
        while placements and not search.ended:
            placements -= search.advance(placements)

    whole, sliced = search(), search()
    make(whole, sum(slices))
    for part in slices:
        make(sliced, part)
    assert (whole.placements, whole.restarts, whole.best) == (sliced.placements, sliced.restarts, sliced.best)
    assert (whole.best_board() == sliced.best_board()).all()


@calm
@given(boards, st.integers(0, 10**6))
def test_counts_are_orbits_of_solutions(size: tuple[int, int], seed: int) -> None:
    """Solutions tell alike tiles apart, so a turn of the board is always another; boards that look alike are fewer."""
    rows, cols = (min(n, 3) for n in size)
    puzzle, _ = KIND.make(Making(rows, cols, True), seed)
    turns = 4 if rows == cols else 2
    job = pipeline.Job(puzzle, "depth-first", Budget(), seed=0)
    list(job.counting(None))
    report = job.report()
    assert report.run is not None
    counters = report.run.outcome.counters
    assert report.run.outcome.status == "complete"
    if rows * cols > 1:
        assert counters["solutions_with_rotations"] == turns * counters["solutions"]
    assert 1 <= counters["distinct_boards"] <= counters["solutions"]
