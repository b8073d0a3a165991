"""What alphazzle_studies.py does with the time it has: networks are taught, puzzles played, rows kept."""

import datetime
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from alphazzle_numbers import EIGHT, SIX, TEN, Taught
from numpy.typing import NDArray
from torch import Tensor

from dovetail.core.report import machine
from dovetail.jigsaw.deep import states
from dovetail.jigsaw.deep.data import Shape
from dovetail.jigsaw.deep.paper import PaperJudge, PaperNetworks, PaperSizes, read_networks, write_networks
from dovetail.jigsaw.deep.paper_boards import JUDGED, Boards, seen
from dovetail.jigsaw.deep.paper_training import Lesson, Teaching, Test, playing, policy_right, shuffled, value_right
from dovetail.jigsaw.deep.planning import Attempts, Planning, finished

AT_ONCE = 1000  # plays
SEED = 7  # of permutations, orders and boards: the same for every row
NORMAL = Shape(3, 3, 4)


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    setting: Shape = NORMAL
    sizes: PaperSizes = field(default_factory=PaperSizes)
    batch: int = 512  # puzzles to a step
    bfloat16: bool = False  # as of ``Lesson``
    learn: float = 0.3  # of the whole time
    steps: int | None = None
    visits: int = 1000
    puzzles: int = 500  # in the rows that matter most,
    some: int = 200  # in others,
    few: int = 100  # in those with many orders,
    rare: tuple[int, int] = (50, 20)  # and of 10,000 and 100,000 visits
    times: int = 4  # boards of a puzzle and number of patches
    orders: tuple[int, ...] = tuple(TEN)
    larger: tuple[Shape, ...] = (Shape(4, 4, 4), Shape(5, 5, 4))
    large: int = 30  # puzzles of each of these
    epochs: int = 20
    tuned: int = 500  # puzzles of an epoch
    tuning: int = 100  # visits
    reserve: float = 200.0  # seconds that tuning leaves to others
    manners: tuple[tuple[int, float], ...] = tuple(EIGHT)[:-1]  # a million visits take too long
    taught: tuple[tuple[Taught, int], ...] = tuple(SIX)
    apart: float = 60.0  # seconds to teach networks for one line of tables 6, 7 and 11
    asked: int = 500  # pictures of which these are asked


TINY = Shape(2, 2, 2, patch=16)
TOY = Plan(
    setting=TINY, sizes=PaperSizes(8, (8, 16, 16), 1, 8, 32), batch=24, steps=12, visits=12, puzzles=6, some=4, few=3,
    rare=(2, 2), times=1, orders=(1, 2), larger=(Shape(2, 3, 2, patch=16),), large=2, epochs=1, tuned=6, tuning=4,
    reserve=0.0, manners=((4, 1.0), (12, 0.1)), apart=0.5,
    taught=((Taught(TINY), 0), (Taught(TINY, 2), 2), (Taught(TINY, 1, True), 1)),
)  # fmt: skip


class TimeOver(Exception):
    """What is left of the time is not enough."""


class Studies:
    """Networks, puzzles, and the rows so far."""

    def __init__(self, plan: Plan, learn: Tensor, judge: Tensor, out: Path, seconds: float, images: str,
                 only: Sequence[str] = ("",)) -> None:  # fmt: skip
        self.plan, self.learn, self.judge, self.out, self.images = plan, learn, judge, out, images
        self.only = only  # rows are made if their names have one of these
        self.device = str(learn.device.type)
        self.seconds, self.begun = seconds, time.monotonic()
        self.rows = out / "rows.jsonl"
        known = [json.loads(line) for line in self.rows.read_text().splitlines()] if self.rows.exists() else []
        self.done = {(row["table"], row["row"]) for row in known}
        self.judges: dict[str, tuple[Test, PaperJudge]] = {}
        # so that no row is taken for one of the networks of other rows
        self.other = " (other sizes)" if plan.sizes != PaperSizes() else ""
        self._main: Teaching | None = None

    @property
    def left(self) -> float:
        """Seconds."""
        return self.seconds - (time.monotonic() - self.begun)

    def todo(self, table: int, row: str, needs: float = 0.0) -> bool:
        """Whether a row is still to be made; raises TimeOver when there is no time to make it."""
        if (table, row + self.other) in self.done or not any(part in row for part in self.only):
            return False
        if self.left < needs:
            raise TimeOver
        return True

    def keep(self, table: int, row: str, paper: Any, ours: Any, begun: float, puzzles: int, **about: Any) -> None:
        """Append a row."""
        row += self.other
        line = {
            "suite": "alphazzle", "table": table, "row": row, "paper": paper, "ours": ours, "puzzles": puzzles, **about,
            "images": f"{self.images}, {puzzles} spread evenly" if puzzles < len(self.judge) else self.images,
            "seconds": round(time.monotonic() - begun, 2),
            "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": machine() | {"torch": torch.__version__, "device": device_name(self.device)},
        }  # fmt: skip
        if self.other:
            line["sizes"] = asdict(self.plan.sizes)
        with self.rows.open("a") as file:
            print(json.dumps(line, ensure_ascii=False), file=file, flush=True)
        self.done.add((table, row))
        said({"table": table, "row": row, "ours": ours, "paper": paper, "left": round(self.left)})

    # teaching

    def lesson(self, taught: Taught) -> Lesson:
        """As many pixels to a step, whatever the board."""
        (high, wide), (own_high, own_wide) = taught.setting.pixels, self.plan.setting.pixels
        batch = max(8, round(self.plan.batch * own_high * own_wide / (high * wide)))
        return Lesson(
            taught.setting, self.plan.sizes, batch, hints=taught.hints, central=taught.central,
            bfloat16=self.plan.bfloat16,
        )  # fmt: skip

    def teach(self, name: str, taught: Taught, seconds: float) -> Teaching:
        """Networks from the folder, or taught now."""
        work = Teaching(self.lesson(taught), self.device)
        state = self.out / f"{name}.checkpoint"
        if state.exists():
            work.take_up(states.read(state))
        elif (half := self.out / f"{name}-half.pt").exists():  # brought from another machine: not to be taught further
            begin_with(work, half)
            work.seconds = seconds
            curve = self.out / f"{name}.jsonl"
            if lines := curve.read_text().splitlines() if curve.exists() else []:
                work.step = json.loads(lines[-1])["step"]
        begun = work.seconds
        if work.seconds < seconds and not (self.plan.steps and work.step >= self.plan.steps):
            if self.left < (seconds - work.seconds) / 2:
                raise TimeOver
            last = time.monotonic()
            with (self.out / f"{name}.jsonl").open("a") as file:
                for line in work.run(self.learn, seconds=seconds, steps=self.plan.steps):
                    print(json.dumps(line), file=file, flush=True)
                    if line["step"] % 500 == 0:
                        said(line)
                    if time.monotonic() - last > 60:
                        states.write(state, work.state())
                        last = time.monotonic()
            states.write(state, work.state())
            said({"taught": name, "steps": work.step, "seconds": round(work.seconds - begun, 1)})
        return work

    def main(self) -> Teaching:
        """The networks of most tables."""
        if self._main is None:
            meant = self.out / "learn.txt"  # a run that goes on may have less time; what was meant at first counts
            if not meant.exists():
                meant.write_text(str(self.plan.learn * self.seconds))
            self._main = self.teach("paper", Taught(self.plan.setting), float(meant.read_text()))
            write_networks(self._main.average, self.out / "paper-half.pt")
        return self._main

    def asked(self) -> Tensor:
        """Pictures of which networks of one line are asked."""
        return self.judge[spread(min(self.plan.asked, len(self.judge)), len(self.judge))]

    # playing

    def judged(self, name: str, networks: PaperNetworks) -> tuple[Test, PaperJudge]:
        """The puzzles, and who judges them; what was seen of them is remembered from table to table."""
        if name not in self.judges:
            test = shuffled(seen(self.judge, networks.setting), networks.setting, SEED)
            self.judges[name] = test, PaperJudge(networks, test.patches)
        return self.judges[name]

    def play(self, who: tuple[Test, PaperJudge], planning: Planning, puzzles: int, central: bool = False) -> "Played":
        """So many puzzles, or as many of them as there is time for."""
        test, judge = who
        puzzles = min(puzzles, len(test.patches))
        together = max(1, AT_ONCE // planning.orders)
        planning = replace(planning, batch=max(256, planning.orders * min(puzzles, together) * planning.each))
        before, begun = judge.evaluated, time.monotonic()
        attempts: list[Attempts] = []
        numbers = spread(puzzles, len(test.patches))
        for begin in range(0, puzzles, together):
            if self.left < 0:
                break
            attempts += finished(playing(test, judge, planning, SEED, central, numbers[begin : begin + together]))
        if not attempts:
            raise TimeOver
        solutions = test.solutions[numbers[: len(attempts)]]
        played = Played(attempts, solutions, test.setting.cols, judge.evaluated - before, time.monotonic() - begun)
        said({"played": len(attempts), "orders": planning.orders, "boards seen": played.evaluated,
              "boards a second": round(played.evaluated / max(played.seconds, 1e-9))})  # fmt: skip
        return played


@dataclass(frozen=True)
class Played:
    """What came out."""

    attempts: list[Attempts]
    solutions: NDArray[np.int32]
    cols: int
    evaluated: int  # boards that the networks had not seen before
    seconds: float

    def scores(self, number: int = 1) -> dict[str, dict[str, float]]:
        """Of the first so many attempts: the one that V chooses, the best and the worst in truth; in per cent."""
        found: dict[str, list[tuple[float, float, float]]] = {"chosen": [], "best": [], "worst": []}
        for attempts, solution in zip(self.attempts, self.solutions, strict=True):
            boards = attempts.boards[:number]
            right = (boards == solution).mean(axis=1)
            which = {"chosen": attempts.values[:number].argmax(), "best": right.argmax(), "worst": right.argmin()}
            for name, at in which.items():
                pairs = neighbours_right(boards[at], solution, self.cols)
                found[name].append((float(right[at]), pairs, float(right[at] == 1.0)))
        names = ("patch", "neighbour", "puzzle")
        return {
            name: dict(zip(names, (round(100 * float(mean), 2) for mean in np.mean(rows, axis=0)), strict=True))
            for name, rows in found.items() if number > 1 or name == "chosen"
        }  # fmt: skip


def spread(count: int, whole: int) -> list[int]:
    """So many numbers, evenly spread: pictures come by source, and the first ones are harder than the rest."""
    return (np.arange(count) * whole // count).tolist()


def begin_with(work: Teaching, path: Path) -> None:
    """Networks from a file in place of those by chance."""
    weights = read_networks(path).state_dict()
    work.networks.load_state_dict(weights)
    work.average.load_state_dict(weights)


def neighbours_right(board: np.ndarray, solution: np.ndarray, cols: int) -> float:
    """The share of adjacent pairs that the solution has as well, one patch right of or below the other."""
    grid, truth = board.reshape(-1, cols), solution.reshape(-1, cols)

    def pairs(grid: np.ndarray) -> set[tuple[str, int, int]]:
        across = zip(grid[:, :-1].ravel().tolist(), grid[:, 1:].ravel().tolist(), strict=True)
        down = zip(grid[:-1].ravel().tolist(), grid[1:].ravel().tolist(), strict=True)
        return {("across", *pair) for pair in across} | {("down", *pair) for pair in down}

    wanted = pairs(truth)
    return len(pairs(grid) & wanted) / max(1, len(wanted))


def right(networks: PaperNetworks, pictures: Tensor, taught: Taught, times: int, low: int = 0) -> dict[str, Any]:
    """Accuracies in per cent for each number of patches, from ``low`` on, and their means.

    The paper gives one number for V; ``value_right`` says what the two of ours are. It says little of the mistakes:
    V's are given for several sorts; those by chance are what we take for the paper's.
    """
    patches, cells = seen(pictures, taught.setting), taught.setting.cells
    boards = Boards(taught.setting, pictures.device, SEED, taught.central)
    low = max(low, int(taught.central))
    policy = [policy_right(networks, patches, boards, placed, times) for placed in range(low, cells)]
    out: dict[str, Any] = {
        "P": mean([one["all cells"] for one in policy]),
        "P empty cells": mean([one["empty cells"] for one in policy]),
        "P by patches": [mean([one["all cells"]]) for one in policy],
    }
    for name, mix in JUDGED.items():
        value = [value_right(networks, patches, boards, placed, mix, times) for placed in range(low, cells + 1)]
        first = name == "by chance"
        out["V" if first else f"V {name}"] = mean([one["nearer"] for one in value])
        out["V at 0.5" if first else f"V {name} at 0.5"] = mean([one["half"] for one in value])
        if first:
            out["V by patches"] = [mean([one["nearer"]]) for one in value]
            out["V without empty boards"] = mean([one["nearer"] for one in value[low == 0 :]])
    return out


def mean(shares: Sequence[float]) -> float:
    """In per cent."""
    return round(100 * float(np.mean(shares)), 2)


def said(line: dict[str, Any]) -> None:
    """How it goes."""
    print(json.dumps(line, ensure_ascii=False), flush=True)


def device_name(device: str) -> str:
    """As its maker calls it."""
    return torch.cuda.get_device_name() if device == "cuda" else device
