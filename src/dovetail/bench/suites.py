"""A suite is a TOML file in ``benchmarks/suites``: cases, each a puzzle, a solver, settings, a budget and seeds.

A case can have a folder (or TAR archive) of pictures in place of a puzzle: every picture is made into one. Or a file
of many puzzles. Or a script, where a table is not made by runs of one solver: it appends its rows itself.

``benchmarks/headlines.toml`` says which suite makes which table of which paper.
"""

import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.errors import BadInput, BadUsage
from . import columns

FOLDER = Path("benchmarks") / "suites"
DATA = "$DOVETAIL_DATA"  # where the user has benchmark sets; see data.py
MADE = "made"  # in place of a file of puzzles: the generator's, with the seeds 0, 1, …


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    puzzle: str = ""
    solver: str = "auto"
    seeds: int = 1
    time_s: float | None = None
    steps: int | None = None
    memory_mb: float | None = None  # that a run may hold
    set: dict[str, Any] = field(default_factory=dict)
    paper: str = ""  # what the literature reports for it
    bar: str = ""  # what we want to reach
    verb: str = "solve"  # or count
    images: str = ""  # a folder or TAR archive of pictures, or one, or ``built-in:`` and names, to be cut into puzzles
    first: int | None = None  # only so many of them, by name
    group: int = 1  # so many pictures after each other go into one bag; of the last ones, too few for a bag, none
    together: bool = False  # all pictures in one process: for puzzles that take less time than to start one
    kind: str = ""  # what `dovetail make` makes, of a picture or by itself
    make: dict[str, Any] = field(default_factory=dict)  # and its settings
    batch: str = ""  # a file of many puzzles, or MADE, solved in one process; kind says what they are, first how many
    match: str = ""  # only those whose line holds this text
    sizes: tuple[str, ...] = ()  # only those of these sizes
    script: tuple[str, ...] = ()  # a script below the checkout and its arguments, in place of all of that


@dataclass(frozen=True)
class Suite:
    """A table."""

    name: str
    title: str
    rate: str | None  # the counter that is shown per second
    best: str | None  # the counter, or the checker's score, that says how far a run got
    cases: tuple[Case, ...]
    results: Path | None  # where rows are appended, None where they are only shown
    shown: tuple[str, ...] = columns.USUAL  # of the table of set averages
    data: dict[str, str] = field(default_factory=dict)  # paths below $DOVETAIL_DATA, and their SHA-256


def load_all() -> list[Suite]:
    """Every suite of the checkout we are in."""
    return [load(path.stem) for path in sorted(folder().glob("*.toml"))]


def listed() -> list[dict[str, Any]]:
    """Of every suite its name, its title, the tables of papers it makes, how many rows there are, and whether it can
    run or what it misses."""
    from .data import missing

    entries = []
    made = tables_made()
    for suite in load_all():
        kept = suite.results or folder().parent / "results" / f"{suite.name}.jsonl"  # a script knows where
        rows = kept.read_bytes().count(b"\n") if kept.exists() else 0
        makes = made.get(suite.name, {})
        title = "; ".join([suite.title, *(f"makes {', '.join(each)} of {paper}" for paper, each in makes.items())])
        state = missing(suite) or script_misses(suite.cases) or "can run"
        entries.append({"name": suite.name, "title": title, "tables": makes, "rows": rows, "state": state})
    return entries


def tables_made() -> dict[str, dict[str, list[str]]]:
    """By suite and paper the tables and figures that it makes, as the headlines tell."""
    path = folder().parent / "headlines.toml"
    told = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    made: dict[str, dict[str, list[str]]] = {}
    for paper in told.get("paper", []):
        for table, names in paper.get("made_by", {}).items():
            for name in names:
                made.setdefault(name, {}).setdefault(paper["name"], []).append(table)
    return made


def script_misses(cases: Iterable[Case]) -> str | None:
    """One line on what the scripts of these cases miss below $DOVETAIL_DATA, and where to put it; None if nothing."""
    wanted = [word for case in cases for word in case.script if word.startswith(f"{DATA}/")]
    gone = [word.removeprefix(f"{DATA}/") for word in wanted if not Path(os.path.expandvars(word)).exists()]
    if not gone:
        return None
    there = os.environ.get(DATA[1:])
    if there is None:
        return f"set {DATA[1:]} to the folder of benchmark sets, with {', '.join(gone)} in it"
    return f"put {', '.join(gone)} into {there}"


def load(name: str) -> Suite:
    """The suite of that name, or in that file."""
    path = Path(name) if name.endswith(".toml") else folder() / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in folder().glob("*.toml")))
        raise BadUsage(f"there is no suite {name!r}; suites: {known}")
    try:
        data = tomllib.loads(path.read_text())
        cases = tuple(_sound(Case(**{**case, **_tuples(case)})) for case in data["case"])
        scripts = {bool(case.script) for case in cases}
        if len(scripts) > 1:
            raise TypeError("either all of its cases are scripts, or none")
        results = None if True in scripts else _results(path)
        shown = _columns(data.get("columns", list(columns.USUAL)))
        return Suite(path.stem, data["title"], data.get("rate"), data.get("best"), cases, results, shown, _data(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadInput(f"{path} is not a suite: {error}") from None


def _results(path: Path) -> Path:
    """Where the rows of a suite go: to benchmarks/results; those of a suite kept elsewhere, beside it."""
    shipped = path.parent.name == FOLDER.name
    return path.parent.parent / "results" / f"{path.stem}.jsonl" if shipped else path.with_suffix(".jsonl")


def _tuples(case: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """What is a list in TOML."""
    for key in ("sizes", "script"):
        if not isinstance(case.get(key, []), list):
            raise TypeError(f"in case {case.get('name')!r}, {key} is a list")
    return {key: tuple(case.get(key, ())) for key in ("sizes", "script")}


def _sound(case: Case) -> Case:
    """The types that TOML does not check."""
    texts = (case.name, case.puzzle, case.solver, case.paper, case.bar, case.verb, case.images, case.kind, case.batch)
    if not all(isinstance(text, str) for text in (*texts, case.match, *case.sizes, *case.script)):
        raise TypeError(f"in case {case.name!r}, all but numbers and tables are texts")
    if not isinstance(case.set, dict) or not isinstance(case.make, dict):
        raise TypeError(f"in case {case.name!r}, set and make are tables")
    if bool(case.puzzle) + bool(case.images) + bool(case.batch) + bool(case.script) != 1:
        raise TypeError(
            f"case {case.name!r} has a puzzle, or images to be cut into puzzles, or a batch of puzzles, or a script"
        )
    if case.batch in ("", MADE) and (case.match or case.sizes):
        raise TypeError(f"in case {case.name!r}, match and sizes choose from a file of puzzles")
    if case.batch == MADE and not (case.kind and case.first):
        raise TypeError(f"in case {case.name!r}, puzzles to be made have a kind, and first says how many")
    cut = (case.make and case.batch != MADE) or (case.first is not None and not case.batch) or case.group != 1
    if (bool(case.images) != bool(case.kind) and not case.batch) or (not case.images and cut):
        raise TypeError(
            f"in case {case.name!r}, images come with the kind to make of them; first, group and make need both"
        )
    if case.verb not in ("solve", "count"):
        raise TypeError(f"in case {case.name!r}, verb is solve or count")
    if case.images and case.verb != "solve":
        raise TypeError(f"in case {case.name!r}, puzzles cut from pictures are solved, not counted")
    if not (case.first is None or (isinstance(case.first, int) and case.first >= 1)):
        raise TypeError(f"in case {case.name!r}, first is a number of pictures")
    if not (type(case.group) is int and case.group >= 1):
        raise TypeError(f"in case {case.name!r}, group is a number of pictures")
    if type(case.together) is not bool or (case.together and not case.images):
        raise TypeError(f"in case {case.name!r}, together is true or false, and for images")
    if not all(isinstance(number, int) and number >= 0 for number in (case.seeds, case.steps or 0)):
        raise TypeError(f"in case {case.name!r}, seeds and steps are whole numbers")
    for name in ("time_s", "memory_mb"):
        number = getattr(case, name)
        if not (number is None or (isinstance(number, int | float) and number >= 0)):
            raise TypeError(f"in case {case.name!r}, {name} is a number")
    return case


def _data(told: dict[str, Any]) -> dict[str, str]:
    """Digests by path."""
    listed = told.get("data", {})
    if not (isinstance(listed, dict) and all(re.fullmatch("[0-9a-f]{64}", str(value)) for value in listed.values())):
        raise TypeError("data is a table of paths and SHA-256 digests")
    return listed


def _columns(names: object) -> tuple[str, ...]:
    """Of a table of set averages; every one must be known."""
    if not (isinstance(names, list) and names and all(isinstance(name, str) for name in names)):
        raise TypeError("columns is a list of names")
    for name in names:
        if name not in columns.SHOWN:
            raise TypeError(f"there is no column {name!r}; columns: {', '.join(columns.SHOWN)}")
    return tuple(names)


def folder() -> Path:
    """``benchmarks/suites`` here or above."""
    here = Path.cwd()
    for place in (here, *here.parents):
        if (place / FOLDER).is_dir():
            return place / FOLDER
    raise BadUsage(f"there is no folder {FOLDER} here; run this inside a checkout, or name a suite's .toml file")
