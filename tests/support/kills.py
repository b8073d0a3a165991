"""Runs of the real command line that are killed again and again, taken up, and compared with one that was not.

For tests, with a few kills, and for benchmarks/kills.py, with hundreds.
"""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.checkpoint import loaded
from dovetail.core.errors import BadInput
from dovetail.core.puzzle import Puzzle
from dovetail.core.state import unpacked
from support.command import gone
from support.registered import SOLVERS, samples_for, solver, steps

SABOTAGE = Path(__file__).parent / "sabotage"
EVERY_S = 0.05
LONGEST_S = 300.0
Made: TypeAlias = tuple[str, Mapping[str, Any], Mapping[str, Any]]  # a kind, how it is made, what is changed then
HOWS = ("moment", "moment", "moment", "write", "rename", "renamed")


@dataclass(frozen=True)
class Case:
    """A command that takes a second or a few."""

    family: str
    solver: str
    verb: str
    puzzle: str | Made
    steps: int
    settings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """To tell it from others."""
        return f"{self.family} {self.solver} {self.verb}"

    @property
    def of(self) -> str:
        """Its puzzle in a word."""
        return self.puzzle if isinstance(self.puzzle, str) and len(self.puzzle) < 40 else "made"

    def written(self, folder: Path) -> None:
        """Its puzzle as a file."""
        (folder / "puzzle.json").write_text(json.dumps(self._made().to_json()))

    def _made(self) -> Puzzle:
        if isinstance(self.puzzle, str):
            return pipeline.read(self.puzzle)
        kind, how, change = self.puzzle
        puzzle, _ = pipeline.make(kind, 1, how)
        return dataclasses.replace(puzzle, **change)  # type: ignore[type-var]

    def command(self, *more: object) -> list[str]:
        """The whole of it."""
        given = [part for pair in self.settings for part in ("--set", pair)]
        if self.verb == "solve":
            given += ["--seed", "5", "--solution", "solution.json"]
        return [
            sys.executable, "-m", "dovetail", self.verb, "puzzle.json", "--solver", self.solver, "--steps",
            str(self.steps), *given, "--json", "--quiet", *map(str, more),
        ]  # fmt: skip


TILES: Made = ("tiles", {"width": 9, "height": 9, "colours": 5}, {})
POINTS: Made = ("samegame", {"width": 15, "height": 15, "random": True}, {"target": 0})
LEVEL = """\
############
#@         #
# $ $ $ $  #
#          #
#  $ $ $ $ #
#          #
##### ######
#    .   . #
# . .   .. #
#   .    . #
#          #
############
"""
SIZED = [
    Case("jigsaw", "assembler", "solve", "astronaut", 2_000_000),
    Case("jigsaw", "genetic", "solve", "coffee", 12, ("exact=true", "population=400")),
    Case("jigsaw", "deep", "solve", "gapped-5x5", 3_000_000),
    Case("tiles", "depth-first", "solve", TILES, 25_000_000),
    Case("tiles", "depth-first", "count", TILES, 25_000_000),
    Case("tiles", "partial", "solve", "tiles-16x16", 8_000_000),
    Case("grids", "depth-first", "solve", "numberlink-10x10", 100_000, ("ahead=false", "prove=true")),
    Case("grids", "depth-first", "count", "." * 81, 150_000),
    Case("grids", "digits", "count", "." * 81, 800_000),
    Case("grids", "mcts-standard", "solve", "slitherlink-10x10-hard", 2000, ("rollouts=0",)),
    Case("grids", "mcts-optimized", "solve", "calcudoku-hard", 600, ("rollouts=0",)),
    Case("grids", "mcts-reliable", "solve", "calcudoku-hard", 6000, ("accurate=false", "ahead=false")),
    Case("moves", "nested", "solve", POINTS, 15_000),
    Case("moves", "push", "solve", LEVEL, 40_000, ("search=pushes", "weight=1")),
    Case("moves", "mcts-standard", "solve", "fifteen-4x4", 400, ("rollouts=0",)),
    Case("moves", "mcts-optimized", "solve", "flood-12x12", 40_000, ("rollouts=0",)),
    Case("moves", "mcts-reliable", "solve", "sokoban-cellar", 1200),
    Case("moves", "mcts-single", "solve", POINTS, 6000),
    Case("moves", "learnt-expectimax", "solve", "2048-start", 800),
    Case("moves", "mcts-chance", "solve", "2048-start", 60_000),
    Case("moves", "ida-star", "solve", ("fifteen", {"width": 5, "height": 4, "shuffle": 2000}, {}), 25_000_000),
]


def cases() -> list[Case]:
    """Of every registered solver that can be taken up, with each of its verbs; those without a size take a sample."""
    found = []
    for family, name in SOLVERS:
        chosen = solver(family, name)
        if not chosen.resumes(chosen.settings_type()):
            continue
        for verb in ("solve", "count") if chosen.can_count() else ("solve",):
            sized = [case for case in SIZED if (case.family, case.solver, case.verb) == (family, name, verb)]
            found.append(sized[0] if sized else _of_sample(family, name, verb))
    return found


def _of_sample(family: str, name: str, verb: str) -> Case:
    puzzle = samples_for(solver(family, name))[-1]
    sample = next(
        sample for sample, made in registry.kind(puzzle.kind).samples().items() if made().digest == puzzle.digest
    )
    return Case(family, name, verb, sample, steps(name, 200_000))


@dataclass
class Tally:
    """What came of it."""

    kills: int = 0
    by_how: dict[str, int] = field(default_factory=dict)
    resumed: int = 0  # runs that began with something saved of the solver
    ended: int = 0  # times it came to its end after kills
    same: int = 0  # and that was the end of the run that nobody disturbed
    orphans: int = 0
    leftovers: int = 0


def begin(command: list[str], folder: Path, sabotage: str = "") -> "subprocess.Popen[str]":
    """A process in a group of its own."""
    path = os.pathsep.join(filter(None, [str(SABOTAGE) if sabotage else "", os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "SABOTAGE": sabotage, "PYTHONPATH": path}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def told(process: "subprocess.Popen[str]", folder: Path) -> dict[str, Any]:
    """What a run says when it has ended."""
    out, err = process.communicate(timeout=LONGEST_S)
    return said(process, out, err, folder)


def said(process: "subprocess.Popen[str]", out: str, err: str, folder: Path) -> dict[str, Any]:
    """Its report without times, its status, and its solution file."""
    assert process.returncode in (0, 1), f"{process.args!r}: {process.returncode}: {err}"
    report = json.loads(out)
    for timed in ("seconds", "machine"):
        del report[timed]
    solution = folder / "solution.json"
    return {
        "status": process.returncode, "report": report, "solution": solution.read_text() if solution.exists() else None,
    }  # fmt: skip


def undisturbed(case: Case, folder: Path) -> tuple[dict[str, Any], tuple[float, float, float]]:
    """What the run says that nobody disturbs; and its moments: nearly at once, solving begins, it ends."""
    folder.mkdir()
    case.written(folder)
    start = time.monotonic()
    process = begin(case.command(), folder)
    out, err = process.communicate(timeout=LONGEST_S)
    took_s = time.monotonic() - start
    return said(process, out, err, folder), (0.05, took_s - json.loads(out)["seconds"]["solve"], took_s)


def saved(path: Path) -> bool:
    """Whether a checkpoint is there, whole, and holds something of the solver."""
    try:
        return unpacked(loaded(path)[1])["solver"] is not None
    except BadInput:
        assert not path.exists(), "what is there is always whole"
        return False


def tried(case: Case, folder: Path, kills: int, seed: int) -> Tally:
    """Kill the command so often, at random; each time it comes to its end, compare, and begin anew."""
    random, tally = Random(f"{case.name} {seed}"), Tally()
    expected, takes_s = undisturbed(case, folder / "undisturbed")
    while tally.kills < kills or not tally.ended:
        place = folder / f"killed-{tally.ended}"
        place.mkdir()
        case.written(place)
        result = None
        while result is None:
            how = random.choice(HOWS) if tally.kills < kills else ""
            result = _attempt(case, place, how, random, takes_s, tally)
        tally.ended += 1
        tally.same += result == expected and _repeated(case, place, expected)
        tally.leftovers += len({path.name for path in place.iterdir()} - {"puzzle.json", "solution.json", "kept"})
    return tally


def _attempt(
    case: Case, place: Path, how: str, random: Random, takes_s: tuple[float, ...], tally: Tally
) -> dict[str, Any] | None:
    """Run it until it is killed, or comes to its end: then what it says."""
    tally.resumed += saved(place / "kept")
    sabotage = f"{how}:{random.randint(1, 3)}" if how not in ("", "moment") else ""
    process = begin(case.command("--checkpoint", "kept", "--checkpoint-every", EVERY_S), place, sabotage)
    if how == "moment":
        try:
            process.wait(
                random.uniform(*random.choice((takes_s[:2], takes_s[1:], takes_s[1:])))
            )  # it says too little to fill a pipe
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    out, err = process.communicate(timeout=LONGEST_S)
    if process.returncode == -signal.SIGKILL:
        tally.kills += 1
        tally.by_how[how] = tally.by_how.get(how, 0) + 1
        tally.orphans += not gone(process.pid)
        return None
    tally.orphans += not gone(process.pid)
    return said(process, out, err, place)


def _repeated(case: Case, place: Path, expected: dict[str, Any]) -> bool:
    """Where something is left to go on with, the same command says the same again: nothing is counted twice."""
    kept = place / "kept"
    finished = expected["report"]["outcome"]["status"] in ("complete", "proved_none")
    if kept.exists() == finished:
        return False
    return finished or told(begin(case.command("--checkpoint", "kept"), place), place) == expected
