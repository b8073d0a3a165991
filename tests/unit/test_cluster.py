"""Work elsewhere: a dask cluster of two worker processes, one of which dies; and processes of our own that do."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from dovetail import cluster, pipeline, workers
from dovetail.bench import runner, suites
from dovetail.core import registry
from dovetail.core.checkpoint import Checkpoint
from dovetail.core.errors import DovetailError
from dovetail.core.puzzle import Puzzle
from dovetail.core.solver import Budget, Clock
from dovetail.terminal import Display
from support.command import dovetail

# for every solver with parts: a puzzle, settings, steps
SPREAD: dict[tuple[str, str], tuple[str, dict[str, Any], int]] = {
    ("tiles", "depth-first"): ("tiles-6x6", {"parallel": 3, "restart": 5000}, 400_000),
    ("tiles", "partial"): ("tiles-6x6", {"parallel": 3, "restart": 30_000}, 1_000_000),
    ("moves", "nested"): ("samegame-score", {"workers": 2, "runs": 5}, 300),
    ("moves", "mcts-standard"): ("sokoban-first", {"workers": 3, "rollouts": 0}, 300),
    ("moves", "mcts-optimized"): ("sokoban-first", {"workers": 3, "rollouts": 0}, 300),
    ("moves", "mcts-reliable"): ("fifteen-3x3", {"workers": 2}, 600),
    ("moves", "mcts-single"): ("samegame-score", {"workers": 2}, 100),
    ("jigsaw", "assembler"): ("jigsaw-turned", {"starts": 3, "effort": "fast"}, 30_000),
    ("jigsaw", "genetic"): ("jigsaw-small", {"islands": 3, "migrate": 3, "population": 30, "generations": 8}, 7),
}
each_spread_solver = pytest.mark.parametrize("which", SPREAD, ids=lambda which: "-".join(which))


def answered(which: tuple[str, str], executor: Any) -> Any:
    sample, given, steps = SPREAD[which]
    puzzle = registry.sample(sample)
    assert puzzle is not None
    job = pipeline.Job(puzzle, which[1], Budget(None, steps), 5, given, executor=executor)
    for _ in job:
        pass
    assert not job.failure
    return job.answer.outcome


@pytest.fixture(autouse=True)
def _short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are many, in rounds short and long."""
    from dovetail.tiles.breaks import BreakSearch

    monkeypatch.setattr(BreakSearch, "chunk", 10_000)


def test_every_solver_with_parts_is_tried_here() -> None:
    known = {(s.family, s.name) for family in registry.families() for s in registry.solvers(family) if s.spread_by}
    assert known == set(SPREAD)


@each_spread_solver
def test_the_number_of_workers_changes_nothing(which: tuple[str, str]) -> None:
    alone = answered(which, None)
    for number in (1, 2, 4):
        with ThreadPoolExecutor(number) as pool:
            assert answered(which, pool) == alone, number


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A dask cluster of two workers, each a process."""
    distributed = pytest.importorskip("distributed")
    folder = str(tmp_path_factory.mktemp("dask"))
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "host": "127.0.0.1", "local_directory": folder}
    with distributed.LocalCluster(n_workers=2, silence_logs=50, **options) as found:
        yield found


@pytest.fixture(scope="module")
def far(there: Any) -> Iterator[cluster.Cluster]:
    with cluster.connected(there.scheduler_address) as executor:
        assert isinstance(executor, cluster.Cluster)
        assert executor.width == 2
        yield executor


def test_the_same_answers_on_a_cluster(far: cluster.Cluster) -> None:
    for which in SPREAD:
        assert answered(which, far) == answered(which, None), which


@pytest.fixture(scope="module")
def many_boards() -> Puzzle:
    return pipeline.generate("tiles", seed=2, width=6, height=6, colours=4)[0]


@pytest.fixture(scope="module")
def exactly(many_boards: Puzzle) -> dict[str, float]:
    """Counted by one worker."""
    return counted(many_boards, None)


def counted(puzzle: Puzzle, executor: Any, at_first: Any = None) -> dict[str, float]:
    job = pipeline.Job(puzzle, "depth-first", Budget(), 0, {}, executor=executor)
    job.warm_up()
    for event in job.counting(None):
        if at_first is not None and event.steps:
            at_first()
            at_first = None
    assert at_first is None or executor is None
    outcome = job.answer.outcome
    assert outcome.status == "complete"
    return dict(outcome.counters)


def test_nothing_is_lost_or_doubled_when_a_worker_dies(
    far: cluster.Cluster, many_boards: Puzzle, exactly: dict[str, float]
) -> None:
    pids = far.everywhere(os.getpid)
    assert counted(many_boards, far, lambda: os.kill(next(iter(pids.values())), signal.SIGKILL)) == exactly
    assert exactly["solutions"] == 1184
    for _ in range(300):  # it is replaced
        if len(far.threads) == 2 and set(far.threads) != set(pids):
            break
        time.sleep(0.1)
    else:
        pytest.fail("the dead worker was not replaced")


def test_a_count_begun_here_is_taken_up_there(
    far: cluster.Cluster, many_boards: Puzzle, exactly: dict[str, float], tmp_path: Path
) -> None:
    def counted_on(executor: Any, cut_short: bool) -> pipeline.Answer:
        saved = Checkpoint(tmp_path / "count")
        job = pipeline.Job(many_boards, "depth-first", Budget(), 0, {"parallel": 2}, saved, executor)
        for _ in job.counting(None):
            if cut_short:
                job.cancel()
        return job.answer

    begun = counted_on(None, cut_short=True).outcome
    assert begun.status == "out_of_budget" and 0 < begun.counters["placements"] < exactly["placements"]
    assert counted_on(far, cut_short=False).outcome.counters == exactly


def test_commands_take_an_address(there: Any, far: cluster.Cluster, tmp_path: Path) -> None:
    address = there.scheduler_address
    found = dovetail("count", "terracotta-3x4", "--cluster", address, "--json")
    assert found.status == 0, found.err
    alone = dovetail("count", "terracotta-3x4", "--json")
    assert found.report["outcome"] == alone.report["outcome"]
    several = tmp_path / "several.jsonl"
    lines = [json.dumps(pipeline.generate("tiles", seed=seed, width=4, height=4)[0].to_json()) for seed in range(3)]
    several.write_text("\n".join(lines))
    result = dovetail("solve", several, "--cluster", address, "--json", "--quiet")
    assert result.status == 0, result.err
    digests = [json.loads(line)["puzzle"]["digest"] for line in result.out.splitlines()]
    assert digests == [pipeline.generate("tiles", seed=seed, width=4, height=4)[0].digest for seed in range(3)]


def test_a_suite_is_spread(far: cluster.Cluster, tmp_path: Path) -> None:
    cases = (
        suites.Case("small", puzzle="terracotta-3x4", seeds=2),
        suites.Case("bad", "terracotta-3x4", solver="none"),
    )
    suite = suites.Suite("tiny", "Tiny", None, None, cases, tmp_path / "tiny.jsonl")
    rows = [*runner.run(suite, None, Display(True), executor=far)]
    assert sorted((row["case"], row["seed"], row["result"]) for row in rows) == [
        ("bad", 0, "refused"), ("small", 0, "solved"), ("small", 1, "solved"),
    ]  # fmt: skip
    assert all(row["cluster"] for row in rows)
    assert len((tmp_path / "tiny.jsonl").read_text().splitlines()) == 3


def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nobody to begin with is a sentence; and when all have gone, the clock still ends the run."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "ANSWER_S", 1.0)
    monkeypatch.setattr(workers, "GRACE_S", 0.2)
    options = {"dashboard_address": ":0", "host": "127.0.0.1", "local_directory": str(tmp_path)}
    with distributed.LocalCluster(n_workers=0, silence_logs=50, **options) as empty:
        result = dovetail("count", "terracotta-3x4", "--cluster", empty.scheduler_address)
        assert result.status == 2 and result.is_one_sentence() and "has no workers" in result.err
        client = distributed.Client(empty, set_as_default=False)
        lonely = cluster.Cluster(client, empty.scheduler_address)
        puzzle = registry.sample("tiles-6x6")
        assert puzzle is not None
        for verb in ("solve", "count"):
            job = pipeline.Job(puzzle, "depth-first", Budget(0.5), 0, {"parallel": 2}, executor=lonely)
            for _ in job if verb == "solve" else job.counting(None):
                pass
            assert job.answer.outcome.status == "out_of_budget", job.failure
        client.close()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--cluster", "tcp://127.0.0.1:9"), "no dask scheduler answers at 'tcp://127.0.0.1:9'"),
        (("--cluster", "nonsense://"), "no dask scheduler answers at 'nonsense://'"),
        (("--cluster", "local:none"), "local: goes before a number of processes, 1 to 256, not 'none'"),
        (("--cluster", "local:1"), "depth-first has one part only with parallel=1; add --set parallel=4, say"),
        (("--cluster", "local:1", "--set", "algorithm=1"), "the paper's algorithms run on one machine"),
        (("--cluster", "local:1", "--solver", "sat"), "sat works in one process, and has no parts to run on a cluster"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 0.5)
    result = dovetail("solve", "terracotta-3x4", *arguments)
    assert result.status == 2 and result.is_one_sentence(), result.err
    assert says in result.err


def test_without_the_extra_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = dovetail("count", "terracotta-3x4", "--cluster", "tcp://127.0.0.1:9")
    assert result.status == 2 and result.is_one_sentence()
    assert "pip install 'dovetail[cluster]'" in result.err


def fatal_once(marker: str) -> str:
    """The first to come here dies."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def fatal() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_processes_that_die_are_replaced_and_their_work_is_done_again(tmp_path: Path) -> None:
    with workers.Processes(1) as pool:
        assert pool.submit(fatal_once, str(tmp_path / "marker")).result(timeout=120) == "done"
        with pytest.raises(DovetailError, match="ended its worker 3 times over"):
            pool.submit(fatal).result(timeout=120)
        with pytest.raises(ZeroDivisionError):
            pool.submit(divmod, 1, 0).result(timeout=120)


def test_what_never_comes_stays_as_it_was_once_the_clock_has_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures import Future

    monkeypatch.setattr(workers, "GRACE_S", 0.05)
    never: Future[str] = Future()
    come: Future[str] = Future()
    come.set_result("new")
    clock = Clock(Budget(0.05))
    assert workers.collected({never: "old", come: "old too"}, clock) == ["old", "new"]
    assert never.cancelled()
