"""What a run says: the JSON object of ``--json``."""

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .puzzle import Puzzle, Verdict
from .solver import Budget, Outcome


@dataclass
class Seconds:
    """Where the time went. ``warm_up`` is compiling and loading, kept apart from solving."""

    read: float = 0.0
    warm_up: float = 0.0
    solve: float = 0.0
    check: float = 0.0
    draw: float = 0.0


@dataclass(frozen=True)
class RunRecord:
    """Which solver ran how, and how it ended."""

    solver: str
    parameters: Mapping[str, Any]
    seed: int
    budget: Budget
    outcome: Outcome


@dataclass
class Report:
    """One puzzle: how it was worked on, and what the checker thinks of the result."""

    version: str
    puzzle: Puzzle
    run: RunRecord | None  # None when a solution was only checked
    verdict: Verdict | None  # None when solutions were only counted, or nothing was tried
    seconds: Seconds = field(default_factory=Seconds)
    links: Mapping[str, str] = field(default_factory=dict)  # viewer → where it shows the solution
    facts: Mapping[str, float | str] = field(default_factory=dict)  # of a puzzle that was only looked at
    explanation: Mapping[str, Any] | None = None  # difficulty and steps, where they were asked for
    hints: Any = None  # what was told about the answer, as it was given

    def to_json(self) -> dict[str, Any]:
        """Exactly the contract of docs/architecture.md."""
        return {
            "version": self.version,
            "puzzle": {"kind": self.puzzle.kind, "digest": self.puzzle.digest, "size": self.puzzle.size},
            **self._run_json(),
            "verdict": None if self.verdict is None else self.verdict.to_json(),
            **({"hints": self.hints} if self.hints is not None else {}),
            **self._confidence_json(),
            **({"links": dict(self.links)} if self.links else {}),
            **({"facts": dict(self.facts)} if self.facts else {}),
            **({"explanation": self.explanation} if self.explanation is not None else {}),
            "seconds": {name: round(value, 6) for name, value in vars(self.seconds).items()},
            "machine": machine(),
        }

    def _confidence_json(self) -> dict[str, Any]:
        sure = None if self.run is None else self.run.outcome.confidence
        return {} if sure is None else {"confidence": sure.to_json()}

    def _run_json(self) -> dict[str, Any]:
        run = self.run
        if run is None:
            return {"solver": None, "budget": None, "outcome": None}
        return {
            "solver": {"name": run.solver, "parameters": dict(run.parameters), "seed": run.seed},
            "budget": {
                "wall_s": run.budget.wall_s,
                "steps": run.budget.steps,
                **({} if run.budget.memory_mb is None else {"memory_mb": run.budget.memory_mb}),
            },
            "outcome": {"status": run.outcome.status, "counters": dict(run.outcome.counters)},
        }


@cache
def machine() -> dict[str, Any]:
    """What the numbers were measured on."""
    return {
        "system": platform.system(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
