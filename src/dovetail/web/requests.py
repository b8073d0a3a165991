"""What a visitor asks for, from bytes to puzzles, by the same readers as the command line. Runs in workers only.

Never a path: bytes become a Source, a short text may be the name of a built-in puzzle, and settings name no files.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

from .. import pipeline, reading
from ..core import registry, settings
from ..core.errors import BadInput, BadUsage
from ..core.puzzle import EMPTY, Placement, Puzzle, Solution, solution_from_json, solution_to_json
from ..core.solver import Budget
from ..core.source import Source
from .limits import Limits, pixels_of, refuse_paths

UPLOAD = "the upload"
LONGEST_NAME = 64  # of a built-in puzzle
MOST_LISTED = 20  # puzzles of one input that are described


def puzzles_of(data: bytes, asked: dict[str, Any], limits: Limits) -> tuple[list[Puzzle], dict[str, Any]]:
    """All puzzles of an input, and the settings that reading had no use for."""
    given = asked.get("settings") or {}
    refuse_paths(given)
    refuse_paths(asked.get("kind"))
    limits.refuse_bytes(len(data))
    limits.refuse_pixels(data)
    puzzles, rest = reading.read_all(_named(data), asked.get("kind"), given)
    for puzzle in puzzles:
        limits.refuse_pieces(puzzle)
    return puzzles, rest


def puzzle_of(data: bytes, asked: dict[str, Any], limits: Limits) -> tuple[Puzzle, dict[str, Any]]:
    """The one that is asked for, by its number if there are many; with the hints that were given."""
    puzzles, rest = puzzles_of(data, asked, limits)
    number = asked.get("number") or 1
    if number > len(puzzles):
        raise BadUsage(f"this input holds {len(puzzles)} puzzles, and number {number} is asked for")
    puzzle = puzzles[number - 1]
    if asked.get("hints") is not None:
        refuse_paths(asked["hints"])
        puzzle = registry.kind(puzzle.kind).with_hints(puzzle, asked["hints"], Path())
    return puzzle, rest


def job_of(data: bytes, asked: dict[str, Any], limits: Limits) -> pipeline.Job:
    """A job that is ready to run; refusals come from here."""
    puzzle, rest = puzzle_of(data, asked, limits)
    budget = Budget(asked.get("time_s"), asked.get("steps"), limits.memory_mb)
    return pipeline.Job(puzzle, asked.get("solver") or registry.AUTO, budget, asked.get("seed") or 0, rest)


def described(puzzles: list[Puzzle], number: int = 1, data: bytes = b"") -> dict[str, Any]:
    """What was recognised: kind and size, who can solve it, and what can be set."""
    if number > len(puzzles):
        raise BadUsage(f"this input holds {len(puzzles)} puzzles, and number {number} is asked for")
    first = puzzles[number - 1]
    kind = registry.kind(first.kind)
    fits = [(solver, solver.accepts(first)) for solver in registry.solvers(kind.family)]
    accepting = sorted((pair for pair in fits if pair[1].accepted), key=lambda pair: -pair[1].preference)
    return {
        "kind": kind.name, "title": kind.title, "family": kind.family, "size": first.size, "digest": first.digest,
        "puzzles": len(puzzles), "sizes": [puzzle.size for puzzle in puzzles[:MOST_LISTED]],
        "facts": kind.facts(first), "explains": kind.can_explain(), "picture": _is_picture(data),
        "solvers": [
            {"solver": solver.name, "why": fit.why, "settings": settings.describe(solver.settings_type)}
            for solver, fit in accepting
        ],
        "read_settings": settings.describe(kind.reading_type),
        "suggested": {"solver": accepting[0][0].name if accepting else None, "time_s": pipeline.DEFAULT_TIME_S},
    }  # fmt: skip


def _is_picture(data: bytes) -> bool:
    """Pixels, or an archive of them: then people may know better how large the pieces are."""
    return data.startswith(b"PK\x03\x04") or pixels_of(data) > 0


def hints_taken(puzzle: Puzzle, solution: Solution) -> list[str]:
    """Which sorts of hints about this answer would be taken: each is tried with one that says nothing new."""
    if not isinstance(solution, Placement):
        return []
    rows = enumerate(solution.pieces, start=1)
    laid = [(piece, row, col) for row, line in rows for col, piece in enumerate(line, start=1) if piece != EMPTY]
    if len(laid) < 2:
        return []
    (one, row, col), *_, (other, *_) = laid  # the first and the last, which are no neighbours
    tried: dict[str, Any] = {
        "pins": {"piece": one, "row": row, "column": col},
        "apart": {"pieces": [one, other]},
        "neighbours": {"pieces": [one, laid[1][0]]},
        "locked": {"answer": solution_to_json(solution, puzzle), "pieces": [one]},
    }
    taken = []
    for sort, hint in tried.items():
        with contextlib.suppress(BadInput, BadUsage):
            registry.kind(puzzle.kind).with_hints(puzzle, {sort: [hint]}, Path())
            taken.append(sort)
    return taken


def solution_of(given: Any, puzzle: Puzzle) -> Solution:
    """A solution as JSON, or as a text or link that its kind reads."""
    if isinstance(given, str):
        source = Source("the solution", given.encode())
        if '"shape"' not in given:
            found = registry.kind(puzzle.kind).read_solutions(source, puzzle)
            if found is not None:
                if len(found) != 1:
                    raise BadInput(f"this text holds {len(found)} solutions, and one is needed here")
                return found[0]
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            raise BadInput(f"this is no solution of a {puzzle.kind} puzzle that can be read here") from None
    return solution_from_json(given, puzzle)


def puzzle_links(puzzle: Puzzle) -> dict[str, str]:
    """The puzzle itself as links and game ids for players on the web, by format; empty where there is none."""
    links = {}
    for form in registry.kind(puzzle.kind).formats():
        if form.name in ("pzpr", "tatham", "bucas"):
            try:
                links[form.name] = form.write(puzzle).decode().strip()
            except (BadInput, BadUsage, UnicodeDecodeError):
                continue  # not every puzzle can be written in every format of its kind
    return links


def _named(data: bytes) -> str | Source:
    """A built-in name, which is no path even if a file is called so; else bytes."""
    if len(data) <= LONGEST_NAME:
        text = data.decode(errors="replace").strip()
        if registry.sample(text) is not None:
            return text
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Source(UPLOAD, data)
    return Source(reading.LITERAL if "\0" not in text and len(text) < 4096 else UPLOAD, data)
