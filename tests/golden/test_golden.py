"""Golden playthroughs: for every kind a text of what it does. A kind without one fails.

After a deliberate change, ``pytest tests/golden --update-golden`` records them anew; read the difference.
"""

import hashlib
import json
from pathlib import Path

import pytest

from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.kind import Kind
from dovetail.core.puzzle import Puzzle, canonical_json
from support.registered import KINDS, steps

FOLDER = Path(__file__).parent
STEPS = 2_000_000
MOST_TEXT = 20_000  # characters that are written out
# their arithmetic rounds, and another processor may round otherwise: how they get there is not recorded
ROUNDING = ("linear", "linear-guided", "semidefinite", "deep")


def playthrough(kind: Kind) -> str:
    """What the kind does with its samples and its generator, as text."""
    lines = [f"kind {kind.name}, family {kind.family}, rules version {kind.rules_version}", f"rules: {kind.rules}"]
    for name, build in kind.samples().items():
        lines += ["", f"== sample {name}", *_played(build())]
    puzzle, planted = kind.make(kind.making_type(), seed=0)
    lines += ["", "== made with seed 0", _puzzle_line(puzzle), f"truth: {canonical_json(planted.encode())}"]
    return "\n".join(lines) + "\n"


def _played(puzzle: Puzzle) -> list[str]:
    lines = [_puzzle_line(puzzle), f"encoded: {_shortened(canonical_json(puzzle.encode()))}", _drawn(puzzle, None)]
    for solver in registry.solvers(registry.kind(puzzle.kind).family):
        if not solver.accepts(puzzle).accepted:
            continue
        budget = steps(solver.name, STEPS)
        answer = pipeline.solve(puzzle, solver=solver.name, time_s=None, steps=budget, seed=0)
        assert answer.solution is not None
        lines.append(f"solver {solver.name}, seed 0, {budget} steps: {answer.outcome.status}")
        if solver.name in ROUNDING or puzzle.kind == "gapped":  # whoever solves these asks a network
            lines.append(f"  solved: {answer.verdict.solved}")
            continue
        lines += [
            f"  counters: {json.dumps(answer.outcome.counters)}",
            f"  solution: {canonical_json(answer.solution.encode())}",
            f"  verdict: {canonical_json(answer.verdict.to_json())}",
            f"  {_drawn(puzzle, answer.solution)}",
        ]
    return lines


def _shortened(text: str) -> str:
    """Pixels are not for reading."""
    return (
        text
        if len(text) <= MOST_TEXT
        else f"{len(text)} characters, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"
    )


def _puzzle_line(puzzle: Puzzle) -> str:
    return f"puzzle: {puzzle.kind} {puzzle.size}, digest {puzzle.digest}"


def _drawn(puzzle: Puzzle, solution: object) -> str:
    svg = pipeline.draw(puzzle, solution).svg()  # type: ignore[arg-type]
    return f"drawn: {svg.count(b'<')} elements, SVG {hashlib.sha256(svg).hexdigest()[:16]}"


@pytest.mark.parametrize("name", KINDS)
def test_playthrough(name: str, request: pytest.FixtureRequest) -> None:
    path = FOLDER / f"{name}.txt"
    played = playthrough(registry.kind(name))
    if request.config.getoption("--update-golden"):
        path.write_text(played)
    assert path.exists(), f"{name} has no golden playthrough; record it with: pytest tests/golden --update-golden"
    assert played == path.read_text()


def test_no_playthrough_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} <= set(KINDS)
