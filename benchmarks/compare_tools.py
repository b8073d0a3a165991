"""Dovetail beside the tools people would use instead, on the same puzzles in the same run: rows for
benchmarks/results/tools.jsonl, which compare_tools_page.py makes docs/tools.md of.

    python benchmarks/compare_tools.py [--python OTHER/bin/python] [--only TEXT] [--rounds 2] [--most N] [--limit 60]

Every tool works in a fresh process on all puzzles of a set, one after the other, and all tools again in the next round;
of a puzzle the shorter time counts, since the other met somebody else's work. All answers are judged by our checker. A
tool that is not installed is said to be missing, in one line. --python names an interpreter that has the other tools,
best in an environment of its own: `pip install clingo cpmpy dokusan exact multi-puzzle-solver pulp py-sudoku pychoco
scipy z3-solver`. With $DOVETAIL_DATA, lists that we may not ship are run too (benchmarks/README.md).
"""

import argparse
import datetime
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compare_tools_work import OTHERS, OURS, takes

from dovetail import pipeline, reading
from dovetail.bench import commands, data
from dovetail.core.errors import BadUsage
from dovetail.core.puzzle import SHAPES, Puzzle
from dovetail.core.registry import kind as kind_named
from dovetail.core.report import machine

RESULTS = Path(__file__).parent / "results" / "tools.jsonl"
WORK = Path(__file__).parent / "compare_tools_work.py"
FIRST = "Dovetail"  # what all are compared with
START_S = 30.0  # for starting and compiling, on top of the limit of a set


@dataclass(frozen=True)
class Set:
    """Puzzles that are alike: newly made ones with the seeds 0, 1, …, or evenly spread lines of a list."""

    name: str
    kind: str
    count: int
    make: dict[str, Any] = field(default_factory=dict)
    file: str = ""  # a list, one puzzle a line

    def puzzles(self, most: int) -> list[Puzzle]:
        """Made or read, not more than so many."""
        count = min(self.count, most)
        if not self.file:
            return [pipeline.make(self.kind, seed, self.make)[0] for seed in range(count)]
        lines = [line for line in Path(data.located(self.file)).read_text().splitlines() if line and line[0] != "#"]
        chosen = [lines[number * len(lines) // count] for number in range(count)]
        return [reading.read_all(line, self.kind)[0][0] for line in chosen]


SETS = (
    Set("sudoku 9x9, easy", "sudoku", 10, {"difficulty": "easy"}),
    Set("sudoku 9x9, medium", "sudoku", 10, {"difficulty": "medium"}),
    Set("sudoku 9x9, 17 clues", "sudoku", 30, file="$DOVETAIL_DATA/logic/sudoku/puzzles2_17_clue.txt"),
    Set("sudoku 9x9, the forum's hardest", "sudoku", 30,
        file="$DOVETAIL_DATA/logic/sudoku/puzzles5_forum_hardest_1905_11+.txt"),
    Set("sudoku 16x16, medium", "sudoku", 3, {"n": 16}),
    Set("nonogram 10x10", "nonogram", 10),
    Set("nonogram 25x25", "nonogram", 5, {"width": 25}),
    Set("slitherlink 7x7", "slitherlink", 5),
    Set("slitherlink 12x12", "slitherlink", 3, {"rows": 12, "cols": 12}),
    Set("numberlink 8x8", "numberlink", 5, {"rows": 8, "cols": 8}),
    Set("tiles 4x4, 4 colours", "tiles", 5, {"width": 4, "height": 4, "colours": 4}),
    Set("tiles 5x5, 5 colours", "tiles", 5, {"width": 5, "height": 5, "colours": 5}),
    Set("tiles 6x6, 6 colours", "tiles", 3, {"width": 6, "height": 6, "colours": 6}),
)  # fmt: skip


@dataclass
class Tried:
    """What a tool did with a set: of every puzzle a word, and the shortest seconds of those it solved."""

    words: list[str]
    seconds: list[float]
    versions: dict[str, str]
    error: str = ""

    @property
    def done(self) -> bool:
        """Whether another round can say more."""
        return "unfinished" in self.words or not self.seconds


def tried(tool: str, puzzles: list[Puzzle], file: Path, python: str, limit_s: float) -> Tried | str:
    """One process; or which module is missing."""
    who = sys.executable if tool in OURS else python
    ended = commands.finished([who, str(WORK), tool, str(file), str(limit_s)], commands.Limits(limit_s + START_S))
    said = [json.loads(line) for line in ended.out.splitlines() if line.startswith("{") and line.endswith("}")]
    if not said:
        return Tried(["crashed"] * len(puzzles), [], {}, ended.err.strip()[-200:])
    if "missing" in said[0]:
        return str(said[0]["missing"])
    versions, answers = said[0]["versions"], said[1:]
    left = "unfinished" if ended.status is None else "crashed"
    words, seconds, errors = [], [], []
    for number, puzzle in enumerate(puzzles):
        answer = answers[number] if number < len(answers) else None
        words.append(left if answer is None else judged(puzzle, answer))
        if words[-1] == "solved" and answer is not None:
            seconds.append(answer["seconds"])
        errors += [answer["error"]] if answer and "error" in answer else []
    return Tried(words, seconds, versions, errors[0] if errors else "")


def judged(puzzle: Puzzle, answer: dict[str, Any]) -> str:
    """By our checker; a tool that says there is no answer to a puzzle that has one is not solved."""
    if answer["answer"] is None:
        return "crashed" if "error" in answer else "not solved"
    shape = SHAPES[kind_named(puzzle.kind).solution_shape]
    return "solved" if pipeline.check(puzzle, shape.decode(answer["answer"])).solved else "wrong"


def compared(
    chosen: Set, puzzles: list[Puzzle], tools: list[str], python: str, rounds: int, limit_s: float
) -> Iterator[dict[str, Any]]:
    """The rows of a set, a tool each."""
    best: dict[str, Tried] = {}
    with tempfile.TemporaryDirectory(prefix="dovetail-tools-") as folder:
        file = Path(folder) / "puzzles.jsonl"
        file.write_bytes(b"".join(pipeline.convert(puzzle, "json").strip() + b"\n" for puzzle in puzzles))
        for number in range(rounds):
            for tool in tools:
                if not takes(tool, puzzles[0].to_json()) or (number and (tool not in best or best[tool].done)):
                    continue
                found = tried(tool, puzzles, file, python, limit_s)
                if isinstance(found, str):
                    print(f"{tool}: {found} is not installed", file=sys.stderr)
                elif tool not in best:
                    best[tool] = found
                elif found.words == best[tool].words:
                    best[tool].seconds = [min(pair) for pair in zip(best[tool].seconds, found.seconds, strict=True)]
    ours = _median(best[FIRST]) if FIRST in best else None
    for tool, result in best.items():
        median = _median(result)
        yield {
            "set": chosen.name,
            "tool": tool,
            "versions": result.versions,
            "puzzles": len(puzzles),
            **{word: result.words.count(word) for word in ("solved", "wrong", "not solved", "crashed", "unfinished")},
            "median_s": median,
            "max_s": max(result.seconds) if len(result.seconds) == len(puzzles) else None,
            "times_ours": median / ours if median and ours else None,
            **({"error": result.error} if result.error else {}),
        }


def _median(result: Tried) -> float | None:
    """Over all puzzles of the set, those that it did not solve taken as endless; so None if they are half of it."""
    every = sorted(result.seconds) + [float("inf")] * (len(result.words) - len(result.seconds))
    median = statistics.median(every)
    return None if median == float("inf") else median


def main() -> None:
    """Append the rows, and say them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the other tools")
    parser.add_argument("--only", default="", help="only sets whose name holds this text")
    parser.add_argument("--tools", nargs="+", choices=[*OURS, *OTHERS], default=[*OURS, *OTHERS])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--most", type=int, default=1000, help="puzzles of a set, for a quick look")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a tool may spend on a set")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    if not given.out.parent.is_dir():
        parser.error(f"there is no folder {given.out.parent}")
    if shutil.which(given.python) is None:
        parser.error(f"there is no interpreter {given.python}")
    sets = [each for each in SETS if given.only in each.name]
    if not sets:
        parser.error(f"no set has {given.only!r} in its name; sets: {', '.join(each.name for each in SETS)}")
    begun = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    stamp = {"run": begun, "rounds": given.rounds, "limit_s": given.limit, "machine": machine()}
    for chosen in sets:
        try:
            puzzles = chosen.puzzles(given.most)
            rows = [*compared(chosen, puzzles, given.tools, given.python, given.rounds, given.limit)]
        except (BadUsage, FileNotFoundError) as error:
            print(f"{chosen.name}: left out: {error}", file=sys.stderr)
            continue
        with given.out.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**row, **stamp}) + "\n" for row in rows)
        for row in rows:
            middle = "–" if row["median_s"] is None else f"{row['median_s']:.4f} s"
            print(f"{row['set']}: {row['tool']}: {row['solved']}/{row['puzzles']}, {middle}", flush=True)


if __name__ == "__main__":
    main()
