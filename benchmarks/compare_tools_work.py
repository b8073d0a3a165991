"""One tool on one file of puzzles, in a process of its own; compare_tools.py starts it, in a Python that has the tool.

python benchmarks/compare_tools_work.py TOOL PUZZLES.jsonl

The first line printed says which versions, or what is missing; then a line a puzzle: seconds and answer. What is
imported (of ours: compiled) is apart; making the tool's model of a puzzle counts as solving. A first puzzle that takes
less than AGAIN_S is solved again, and that counts: some tools load more when they begin.
"""

import contextlib
import importlib
import importlib.metadata
import json
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import compare_tools_answer_sets as answer_sets
import compare_tools_packages as packages
import compare_tools_plain as plain
import compare_tools_programs as programs
from compare_tools_shapes import Answer, Json

Timed = tuple[float, Answer]
AGAIN_S = 5.0


def _cpmpy(back_end: str) -> Mapping[str, Callable[[Json], Answer]]:
    return {
        "sudoku": partial(packages.cpmpy_sudoku, back_end=back_end),
        "tiles": partial(packages.cpmpy_tiles, back_end=back_end),
    }


# name: distributions, modules to import beforehand, and by kind what solves it
OTHERS: dict[str, tuple[tuple[str, ...], tuple[str, ...], Mapping[str, Callable[[Json], Answer]]]] = {
    "clingo": (
        ("clingo",), ("clingo",),
        {
            "sudoku": answer_sets.sudoku, "nonogram": answer_sets.nonogram, "slitherlink": answer_sets.slitherlink,
            "numberlink": answer_sets.numberlink, "tiles": answer_sets.tiles,
        },
    ),
    "multi-puzzle-solver": (
        ("multi-puzzle-solver", "ortools"), ("puzzle_solver",),
        {
            "sudoku": packages.multi_sudoku, "nonogram": packages.multi_nonogram,
            "slitherlink": packages.multi_slitherlink,
        },
    ),
    "CPMpy, OR-Tools": (("cpmpy", "ortools"), ("cpmpy", "ortools.sat.python.cp_model"), _cpmpy("ortools")),
    "CPMpy, Z3": (("cpmpy", "z3-solver"), ("cpmpy", "z3"), _cpmpy("z3")),
    "CPMpy, Exact": (("cpmpy", "exact"), ("cpmpy", "exact"), _cpmpy("exact")),
    "CPMpy, Choco": (("cpmpy", "pychoco"), ("cpmpy", "pychoco"), _cpmpy("choco")),
    "MILP (HiGHS in SciPy)": (
        ("scipy",), ("scipy.optimize", "scipy.sparse"), {"sudoku": programs.sudoku, "tiles": programs.tiles},
    ),
    "MILP (CBC in PuLP)": (("pulp",), ("pulp",), {"sudoku": programs.sudoku_pulp}),
    "py-sudoku": (("py-sudoku",), ("sudoku",), {"sudoku": packages.py_sudoku}),
    "dokusan": (("dokusan",), ("dokusan.solvers",), {"sudoku": packages.dokusan}),
    "plain Python (Norvig)": ((), (), {"sudoku": plain.sudoku}),
}  # fmt: skip

NINE_ONLY = ("dokusan",)
GRIDS = ("sudoku", "nonogram", "slitherlink", "numberlink")
# name: solver, its settings, distributions besides ours, and the kinds it is run on
OURS: dict[str, tuple[str, dict[str, Any], tuple[str, ...], tuple[str, ...]]] = {
    "Dovetail": ("auto", {}, (), (*GRIDS, "tiles")),
    "Dovetail, one answer proved": ("depth-first", {"prove": True}, (), ("sudoku", "nonogram", "slitherlink")),
    "CP-SAT, our model": ("cp-sat", {}, ("ortools",), (*GRIDS, "tiles")),
    "Z3, our model": ("z3", {}, ("z3-solver",), GRIDS),
}


def takes(tool: str, puzzle: Json) -> bool:
    """Whether a tool is run on puzzles like this one."""
    kinds = OURS[tool][3] if tool in OURS else OTHERS[tool][2]
    return puzzle["kind"] in kinds and not (tool in NINE_ONLY and puzzle["n"] != 9)


def ours(tool: str, limit_s: float) -> Callable[[Json], Timed]:
    """A solver of the registry; compiling is apart."""
    from dovetail import pipeline
    from dovetail.core.solver import Budget
    from dovetail.core.source import Source

    solver, settings, _, _ = OURS[tool]

    def solve(data: Json) -> Timed:
        puzzle = pipeline.read(Source("puzzle.json", json.dumps(data).encode()))
        begin = time.perf_counter()
        job = pipeline.Job(puzzle, solver, Budget(limit_s), 0, settings)
        job.warm_up()
        for _ in job:
            pass
        seconds = time.perf_counter() - begin - job.seconds.warm_up
        solution = job.answer.solution
        return seconds, None if solution is None else solution.encode()

    return solve


def others(tool: str, kind: str) -> Callable[[Json], Timed]:
    """Somebody else's."""
    solver = OTHERS[tool][2][kind]

    def solve(data: Json) -> Timed:
        begin = time.perf_counter()
        answer = solver(data)
        return time.perf_counter() - begin, answer

    return solve


def versions(tool: str) -> dict[str, str]:
    """Of what it is made of."""
    if tool in OURS:
        from dovetail import __version__

        found = {name: importlib.metadata.version(name) for name in OURS[tool][2]}
        return {"dovetail": __version__, **found}
    return {name: importlib.metadata.version(name) for name in OTHERS[tool][0]} or {"python": sys.version.split()[0]}


def main(tool: str, file: str, limit_s: float) -> None:
    """All puzzles of a file."""
    try:
        for module in () if tool in OURS else OTHERS[tool][1]:
            importlib.import_module(module)
        print(json.dumps({"versions": versions(tool)}), flush=True)
    except ImportError as error:  # of a module, or of a distribution
        print(json.dumps({"missing": error.name or str(error)}), flush=True)
        return
    puzzles = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    solve = ours(tool, limit_s) if tool in OURS else others(tool, puzzles[0]["kind"])
    for number, puzzle in enumerate(puzzles):
        said = solved(solve, puzzle)
        if number == 0 and said["seconds"] < AGAIN_S:
            said = solved(solve, puzzle)
        print(json.dumps(said), flush=True)


def solved(solve: Callable[[Json], Timed], puzzle: Json) -> Json:
    """What is to be said of one puzzle; whatever a tool does there, the next puzzle is another matter."""
    begin = time.perf_counter()
    try:
        with contextlib.redirect_stdout(sys.stderr):  # some tools chat
            seconds, answer = solve(puzzle)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return {"seconds": time.perf_counter() - begin, "answer": None, "error": why[:200]}
    return {"seconds": seconds, "answer": answer}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 60.0)
