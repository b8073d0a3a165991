"""The studies of Paumard et al. 2020 (Alphazzle), tables 2 to 12, with networks that our code teaches.

    python benchmarks/alphazzle_studies.py --pictures a.npy b.npy --judge val.npy --out FOLDER --seconds 1500
    python benchmarks/alphazzle_studies.py --export FOLDER/paper-half.pt --out FOLDER

The first, on a GPU, teaches P and V, then goes through the tables, the most important ones first, and appends a row to
FOLDER/rows.jsonl for each of theirs; what is there already is not done again, so that a run can go on where the last
one ended. Pictures are folders, archives, or arrays as `dovetail.jigsaw.deep.data.decoded` makes them. `--toy` is the
same in small, for a CPU. alphazzle_page.py shows rows as tables. The second command writes P.onnx and V.onnx.

The paper's museum pictures cannot be had: every row names its pictures. What the paper calls the best of N attempts is
the best in truth; ours is given so (`best`), and as V chooses it (`chosen`), which is all that a solver can know.
"""

import argparse
import json
import time
import traceback
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch
from alphazzle_numbers import EIGHT, ELEVEN, NINE, SEVEN, SIX, TEN, TWELVE, Taught
from alphazzle_work import SEED, TOY, Plan, Played, Studies, TimeOver, begin_with, device_name, mean, right, said
from torch import Tensor

from dovetail.jigsaw.deep import states
from dovetail.jigsaw.deep.data import Shape, decoded
from dovetail.jigsaw.deep.game import Judging
from dovetail.jigsaw.deep.paper import (
    PaperJudge,
    PaperSizes,
    exported,
    read_networks,
    write_networks,
)
from dovetail.jigsaw.deep.paper_boards import Crops
from dovetail.jigsaw.deep.paper_training import Teaching
from dovetail.jigsaw.deep.planning import Planning

# the tables


def table_2(studies: Studies) -> None:
    """P and V by themselves."""
    if studies.todo(2, "P and V"):
        work, begun = studies.main(), time.monotonic()
        ours = right(work.average, studies.judge, Taught(studies.plan.setting), studies.plan.times)
        about = {"steps": work.step, "taught_s": round(work.seconds, 1), "boards_each": studies.plan.times}
        means = {letter: mean(numbers) / 100 for letter, numbers in zip("PV", SEVEN[0], strict=True)}
        paper = {"P": 69.91, "V": 88.46, "P, mean of table 7": means["P"], "V, mean of table 7": means["V"]}
        studies.keep(2, "P and V", paper, ours, begun, len(studies.judge), **about)


def table_3(studies: Studies) -> None:
    """Who rewards: V, or the truth."""
    paper = {"predicted": (55.63, 58.93, 14.55), "ground truth": (78.14, 79.92, 70.55)}
    for name, numbers in paper.items():
        if studies.todo(3, name, 5):
            planning = Planning(visits=studies.plan.visits, judging=Judging(truth=name != "predicted"))
            played = studies.play(studies.judged("paper", studies.main().average), planning, studies.plan.puzzles)
            says = dict(zip(("patch", "neighbour", "puzzle"), numbers, strict=True))
            keep_played(studies, 3, name, says, played.scores()["chosen"], played, planning)


def table_4(studies: Studies) -> None:
    """With and without search."""
    paper = {"search": (55.63, 14.55), "policy": (42.0, 6.0), "value": (44.0, 8.6)}
    for way, numbers in paper.items():
        name = {"search": "MCTS", "policy": "greedy P", "value": "greedy V"}[way]
        if studies.todo(4, name):
            planning = Planning(visits=studies.plan.visits, way=way)
            played = studies.play(studies.judged("paper", studies.main().average), planning, studies.plan.puzzles)
            keep_played(studies, 4, name, _two(numbers), played.scores()["chosen"], played, planning)


def table_5(studies: Studies) -> None:
    """All together: tuned networks, moves by Q, ten orders; without and with the central patch as a hint."""
    most = ten(studies)
    for tuned, central in product((True, False), (False, True)):
        name = f"{'tuned' if tuned else 'not tuned'}, {most} orders, Q{', central hint' if central else ''}"
        if studies.todo(5, name, 5):
            work = tuned_networks(studies, go_on=False) if tuned else studies.main()
            who = studies.judged("tuned" if tuned else "paper", work.average)
            planning = Planning(visits=studies.plan.visits, decision="value", orders=most)
            played = studies.play(who, planning, studies.plan.few, central)
            paper = {"patch": 75.12, "neighbour": 77.54, "puzzle": 51.49}
            ours = played.scores(most)
            about = {"epochs": work.epoch, "one order": played.scores(1)["chosen"]}
            keep_played(studies, 5, name, paper, ours, played, planning, **about)


def table_8(studies: Studies) -> None:
    """Visits and C."""
    plan = studies.plan
    for visits, exploration in plan.manners:
        name = f"{visits:,} visits, C = {exploration:g}"
        if studies.todo(8, name, 5):
            each = max(1, visits // 1000)  # many visits wait for each other in one tree
            puzzles = plan.some if visits <= plan.visits else plan.rare[visits > 10 * plan.visits]
            planning = Planning(visits=visits, exploration=exploration, each=each)
            played = studies.play(studies.judged("paper", studies.main().average), planning, puzzles)
            patch, puzzle, seconds = EIGHT.get((visits, exploration), (None, None, None))
            paper = {"patch": patch, "puzzle": puzzle, "seconds": seconds}
            keep_played(studies, 8, name, paper, played.scores()["chosen"], played, planning)


def table_9(studies: Studies) -> None:
    """P and V deactivated in turn."""
    for numbers, (policy, at_end, during) in zip(NINE, product((True, False), repeat=3), strict=True):
        on = [word for word, is_on in (("P", policy), ("V at the end", at_end), ("V on the way", during)) if is_on]
        name = ", ".join(on) or "none"
        if studies.todo(9, name, 5):
            planning = Planning(visits=studies.plan.visits, judging=Judging(policy, during, at_end))
            played = studies.play(studies.judged("paper", studies.main().average), planning, studies.plan.some)
            keep_played(studies, 9, name, _two(numbers), played.scores()["chosen"], played, planning)


def table_10(studies: Studies) -> None:
    """How many orders: all of them are the first ones of the most."""
    wanted = {number: f"{number} order{'s' * (number > 1)}" for number in studies.plan.orders}
    if any(studies.todo(10, name, 5) for name in wanted.values()):
        planning = Planning(visits=studies.plan.visits, orders=max(wanted))
        played = studies.play(studies.judged("paper", studies.main().average), planning, studies.plan.few)
        for number, name in wanted.items():
            if studies.todo(10, name):
                best, best_puzzle, worst, worst_puzzle = TEN.get(number, (None,) * 4)
                paper = {"best": _two((best, best_puzzle)), "worst": _two((worst, worst_puzzle))}
                keep_played(studies, 10, name, paper, played.scores(number), played, planning)


def table_11(studies: Studies) -> None:
    """Moves by N or by Q; with a hint."""
    for central, orders in ((False, 1), (False, ten(studies)), (True, ten(studies))):
        _table_11(studies, studies.plan.setting, studies.plan.few, central, orders)


def table_11_larger(studies: Studies) -> None:
    """The same on larger boards, with networks of their own."""
    for setting in studies.plan.larger:
        _table_11(studies, setting, studies.plan.large, False, ten(studies))


def _table_11(studies: Studies, setting: Shape, puzzles: int, central: bool, orders: int) -> None:
    names = {letter: eleven(setting, central, orders, letter) for letter in "NQ"}
    if not any(studies.todo(11, name, 5) for name in names.values()):
        return
    known = "paper" if setting == studies.plan.setting else f"paper-{setting.rows}x{setting.cols}"
    who = studies.judged(known, networks_for(studies, Taught(setting)).average)
    numbers = ELEVEN.get((setting.rows, central, orders), (None,) * 4)
    for (letter, name), theirs in zip(names.items(), (numbers[:2], numbers[2:]), strict=True):
        if studies.todo(11, name, 5):
            planning = Planning(
                visits=studies.plan.visits, decision="visits" if letter == "N" else "value", orders=orders
            )
            played = studies.play(who, planning, puzzles, central)
            keep_played(studies, 11, name, _two(theirs), played.scores(orders), played, planning)


def eleven(setting: Shape, central: bool, orders: int, letter: str) -> str:
    """What a row of table 11 is called."""
    return f"{setting.rows}×{setting.cols}{', central hint' * central}, {orders} order{'s' * (orders > 1)}, {letter}"


def ten(studies: Studies) -> int:
    """Orders, if there is a row with so many."""
    return 10 if 10 in studies.plan.orders else max(studies.plan.orders)


def table_12(studies: Studies) -> None:
    """Fine-tuning, epoch by epoch."""
    if studies.todo(12, "0 epochs", 5):
        planning = Planning(visits=studies.plan.visits)
        played = studies.play(studies.judged("paper", studies.main().average), planning, studies.plan.some)
        paper, ours = {"puzzle": TWELVE[0]}, played.scores()["chosen"]
        keep_played(studies, 12, "0 epochs", paper, ours, played, planning)
    tuned_networks(studies)


def tuned_networks(studies: Studies, go_on: bool = True) -> Teaching:
    """The networks of the last epoch there was time for; the rows of table 12 on the way."""
    plan, state = studies.plan, studies.out / "tuned.checkpoint"
    work = Teaching(studies.lesson(Taught(plan.setting)), studies.device)
    half, curve = studies.out / "tuned-half.pt", studies.out / "tuned.jsonl"
    if state.exists() or half.exists():
        if state.exists():
            work.take_up(states.read(state))
        else:
            begin_with(work, half)
            work.epoch = json.loads(curve.read_text().splitlines()[-1])["epoch"]
        if not go_on:
            return work
    else:
        studies.main()
        begin_with(work, studies.out / "paper-half.pt")
    crops = Crops(studies.learn, SEED + work.step, work.lesson.least, work.lesson.colours)
    epoch_s = 0.0
    while work.epoch < plan.epochs and studies.left > plan.reserve + epoch_s:
        begun = time.monotonic()
        line = work.fine_tune(crops, visits=plan.tuning, puzzles=plan.tuned)
        epoch_s = time.monotonic() - begun
        with curve.open("a") as file:
            print(json.dumps(line), file=file, flush=True)
        said(line | {"seconds": round(epoch_s, 1)})
        name = f"{work.epoch} epoch{'s' * (work.epoch > 1)}"
        if work.epoch in TWELVE or work.epoch == plan.epochs:
            states.write(state, work.state())
        if (work.epoch in TWELVE or work.epoch == plan.epochs) and studies.todo(12, name):
            planning = Planning(visits=plan.visits)
            test, _ = studies.judged("paper", work.average)
            played = studies.play((test, PaperJudge(work.average, test.patches)), planning, plan.some)
            paper, ours = {"puzzle": TWELVE.get(work.epoch)}, played.scores()["chosen"]
            keep_played(studies, 12, name, paper, ours, played, planning)
    states.write(state, work.state())
    write_networks(work.average, half)
    return work


def table_6(studies: Studies, apart: bool = True) -> None:
    """Networks for other boards, gaps, patches and hints; or only the lines that need no networks of their own."""
    for taught, judged in studies.plan.taught:
        if not apart and taught != Taught(studies.plan.setting):
            continue
        setting = taught.setting
        hints = (f"{taught.hints} (central)", f"{judged} (central)") if taught.central else (taught.hints, judged)
        name = (f"{setting.patch} px, {setting.rows}×{setting.cols}, gap {setting.gap}, hints {hints[0]}, "
                f"judged with {hints[1]}")  # fmt: skip
        if studies.todo(6, name):
            work, begun = networks_for(studies, taught), time.monotonic()
            pictures = studies.asked()
            ours = right(work.average, pictures, taught, 1, judged)
            about = {"steps": work.step, "taught_s": round(work.seconds, 1), "batch": work.lesson.puzzles}
            studies.keep(6, name, SIX.get((taught, judged)), ours, begun, len(pictures), **about)


def table_7(studies: Studies, apart: bool = True) -> None:
    """The same networks for every number of patches."""
    kinds = sorted({taught.hints for taught, _ in studies.plan.taught
                    if taught.setting == studies.plan.setting and not taught.central})  # fmt: skip
    for hints in kinds:
        if hints > 0 and not apart:
            continue
        name = f"hints {hints}"
        if studies.todo(7, name):
            taught = Taught(studies.plan.setting, hints)
            work, begun = networks_for(studies, taught), time.monotonic()
            pictures = studies.asked()
            ours = right(work.average, pictures, taught, studies.plan.times)
            paper = dict(zip(("P by patches", "V by patches"), SEVEN.get(hints, (None, None)), strict=True))
            about = {"steps": work.step, "taught_s": round(work.seconds, 1)}
            studies.keep(7, name, paper, ours, begun, len(pictures), **about)


def networks_for(studies: Studies, taught: Taught) -> Teaching:
    """The networks of a line of tables 6 and 7; the first line's are those of all other tables."""
    if taught == Taught(studies.plan.setting):
        return studies.main()
    setting = taught.setting
    hints = "central" if taught.central else taught.hints
    name = f"{setting.patch}px-{setting.rows}x{setting.cols}-gap{setting.gap}-hints-{hints}"
    return studies.teach(name, taught, studies.plan.apart)


def keep_played(
    studies: Studies, table: int, name: str, paper: Any, ours: Any, played: Played, planning: Planning, **about: Any
) -> None:
    """A row of a table that came of playing."""
    about |= {"visits": planning.visits, "orders": planning.orders, "each": planning.each}
    begun = time.monotonic() - played.seconds
    studies.keep(table, name, paper, ours, begun, len(played.attempts), boards_seen=played.evaluated, **about)


def _two(numbers: Any) -> dict[str, float | None]:
    return dict(zip(("patch", "puzzle"), numbers, strict=True))


ORDER = (  # the most important first; 5 needs what 12 learns
    (2, table_2), (3, table_3), (4, table_4), (9, table_9), (10, table_10), (11, table_11),
    (7, partial(table_7, apart=False)), (6, partial(table_6, apart=False)), (12, table_12), (5, table_5),
    (8, table_8), (7, table_7), (11, table_11_larger), (6, table_6),
)  # fmt: skip
TABLES = sorted({number for number, _ in ORDER})


def run(studies: Studies, tables: list[int]) -> None:
    """In order of importance; a table that fails, or has no time, does not keep others from having theirs."""
    failed = []
    for number, table in ORDER:
        if number not in tables:
            continue
        try:
            table(studies)
        except TimeOver:
            said({"table": number, "not finished": "no time left", "left": round(studies.left)})
        except Exception:
            failed.append(number)
            traceback.print_exc()
    if failed:
        raise SystemExit(f"these tables failed: {', '.join(map(str, failed))}")


def changed(plan: Plan, changes: dict[str, Any]) -> Plan:
    """A plan with what was written for some of its parts."""
    changes = dict(changes)
    if "sizes" in changes:
        sizes = asdict(plan.sizes) | changes["sizes"]
        changes["sizes"] = PaperSizes(**sizes | {"channels": tuple(sizes["channels"])})
    return replace(plan, **changes)


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", nargs="+", default=[])
    parser.add_argument("--judge", nargs="+", default=[])
    parser.add_argument("--images", default="gapped/val.tar", help="what rows call the pictures that judge")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--tables", type=int, nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--rows", nargs="+", default=[""], help="only those whose names have one of these in them")
    parser.add_argument(
        "--plan", type=json.loads, default={}, help='changes, e.g. {"learn": 0.4, "sizes": {"stem": 48}}'
    )
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--export", type=Path)
    given = parser.parse_args()
    if given.out is None or not (given.export or (given.pictures and given.judge)):
        parser.error("say --out, and --pictures and --judge; or --export and --out")
    given.out.mkdir(parents=True, exist_ok=True)
    if given.export:
        networks = read_networks(given.export)
        exported(networks.policy, networks.setting, given.out / "P.onnx")
        exported(networks.value, networks.setting, given.out / "V.onnx")
        return
    plan = changed(TOY if given.toy else Plan(), given.plan)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if given.toy:
        torch.set_num_threads(1)  # more only wait for each other
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True

    def pictures(names: list[str]) -> Tensor:
        arrays = [np.load(name) if name.endswith(".npy") else decoded([name]) for name in names]
        return torch.from_numpy(np.concatenate(arrays)).to(device)

    learn, judge = pictures(given.pictures), pictures(given.judge)
    said({"pictures": len(learn), "judge": len(judge), "device": device_name(device)})
    run(Studies(plan, learn, judge, given.out, given.seconds, given.images, given.rows), given.tables)


if __name__ == "__main__":
    main()
