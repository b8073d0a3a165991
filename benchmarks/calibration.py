"""How sure the assembler is, and how often it is right then: fits jigsaw/confidence/chances.json, and judges it.

    python benchmarks/calibration.py learn FOLDER --keep FILE      collects examples, fits, writes chances.json
    python benchmarks/calibration.py judge FOLDER --keep FOLDER    appends rows to benchmarks/results/calibration.jsonl
    python benchmarks/calibration.py table                         prints what all rows say

FOLDER is where the sets of pictures are. It learns from pictures that come with scikit-image, from the set of 540
pieces, and from parts of those pictures of the sets of 5,015, 10,375 and 22,755 pieces that no other network of the
assembler learned from; upright and turned, with both efforts, without a frame, with pieces missing, foreign, of two
sides, in mixed bags, and with gaps. It is judged on the sets of 432, 805, 2,360 and 3,300 pieces, from which it
never learned.

A seam is right if the original has it, a piece if it lies beside its own neighbours on at least half of the sides where
it touches a piece. What looks exactly alike counts as the same piece.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dovetail.core.puzzle import EMPTY, Placement
from dovetail.core.report import machine
from dovetail.core.solver import Budget, Clock
from dovetail.jigsaw import assembler, learnt_seams
from dovetail.jigsaw.assembly import Assembly
from dovetail.jigsaw.candidates import found
from dovetail.jigsaw.confidence import judging as confidence
from dovetail.jigsaw.cutting import BUILT_IN, bagged, built_in, cut
from dovetail.jigsaw.gapped import Gapped, Making
from dovetail.jigsaw.gapped_cutting import made
from dovetail.jigsaw.images import Pixels, open_picture
from dovetail.jigsaw.likeness import _pairs
from dovetail.jigsaw.poses import Fits
from dovetail.jigsaw.puzzle import Jigsaw
from dovetail.jigsaw.scores import contents_of, original_of
from dovetail.workers import workers

PIECE = 28  # pixels
HIDDEN = {"seams": 10, "pieces": 6}  # numbers between inputs and chances
RIDGE = {"seams": 2e-4, "pieces": 1e-3}
USUAL = "540 "  # lessons that are like what people have: pictures nearly all of which is right
SPOILED_SHARE = 0.06  # of the pieces of some answers: mistakes that are plain to see are learned from, too
LEFT_OUT = ("hubble", "moon")  # noise and stars: most of their pieces fit anywhere, as those of no other picture do
BINS = 20  # of chances
DIGITS = 5  # of a number of the file
MODEL = Path(confidence.__file__).with_name("chances.json")
RESULTS = Path(__file__).parent / "results" / "calibration.jsonl"
JUDGED = (
    ("432 pieces", "mit-cho-432"),
    ("805 pieces", "pomeranz-805"),
    ("2360 pieces", "pomeranz-2360"),
    ("3300 pieces", "pomeranz-3300"),
)

Numbers: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]


class Laid(NamedTuple):
    """A board as the assembler left it, and all it knew of it."""

    fits: Fits
    placement: Placement
    others: list[Placement]
    learnt: bool
    seconds: float


def assembled(puzzle: Jigsaw, efforts: Sequence[str], seed: int = 0) -> Iterator[Laid]:
    """The answers of the assembler to one puzzle, an effort after the other."""
    gap = puzzle.gap if isinstance(puzzle, Gapped) else 0
    with workers(None, os.cpu_count() or 1) as pool:
        pairs = learnt_seams.paired(puzzle, pool, False, True, 0) if gap else None
        known = finished(found(puzzle, pool, not gap, pairs))
        for effort in efforts:
            begin = time.perf_counter()
            assembly = Assembly(puzzle, known.fits, known.means, seed, len(assembler.HOT))
            outcome = finished(assembler.annealed(assembly, assembler.EFFORTS[effort], Clock(Budget(120)), pool))
            assert isinstance(outcome.solution, Placement)
            yield Laid(known.fits, outcome.solution, assembly.apart(), bool(gap), time.perf_counter() - begin)


def finished(work: Any) -> Any:
    """What a generator returns."""
    while True:
        try:
            next(work)
        except StopIteration as ended:
            return ended.value


def right_seams(puzzle: Jigsaw, placement: Placement, truth: Placement) -> tuple[Numbers, Numbers]:
    """1 for the seams that the original has, 0 for others, NaN where there is none: to the right, and below."""
    contents = contents_of(puzzle)
    kept = np.isin(*(_pairs(puzzle, board, contents) for board in (_board(placement), original_of(puzzle, truth))))
    pieces, grids, at = np.array(placement.pieces), [], 0
    for one, other in (confidence.ACROSS_SEAM, confidence.DOWN_SEAM):
        both = (pieces[one] != EMPTY) & (pieces[other] != EMPTY)
        grid = np.full(both.shape, np.nan)
        grid[both] = kept[at : at + both.sum()]
        at += both.sum()
        grids.append(grid)
    return grids[0], grids[1]


def _board(placement: Placement) -> Any:
    """As the checker has it, with all its empty lines."""
    from dovetail.jigsaw.board import Board

    pieces, turns = np.array(placement.pieces, np.int64), np.array(placement.turns, np.int64)
    return Board(pieces, np.where(pieces == EMPTY, 0, turns))


def right_pieces(right: Numbers, down: Numbers) -> Numbers:
    """1 for pieces most of whose seams are right, 0 for others, NaN for those without a seam."""
    seams = confidence.around(right, down)
    number = (~np.isnan(seams)).sum(axis=0)
    return np.where(number > 0, 2 * np.nansum(seams, axis=0) >= number, np.nan)


# what is learned from


def part_of(pixels: Pixels, rows: int, cols: int, rng: np.random.Generator) -> Pixels:
    """A random part of a picture in pieces, or all of it if it is smaller. [rows, cols, 1, PIECE, PIECE, channels]"""
    rows, cols = min(rows, pixels.shape[0] // PIECE), min(cols, pixels.shape[1] // PIECE)
    top, left = (
        PIECE * int(rng.integers(0, whole // PIECE - part + 1))
        for whole, part in zip(pixels.shape, (rows, cols), strict=False)
    )
    part = pixels[top : top + PIECE * rows, left : left + PIECE * cols]
    return cut(part, PIECE, PIECE).reshape(rows, cols, 1, PIECE, PIECE, -1)


def lessons(folder: Path) -> Iterator[tuple[str, Jigsaw, Placement, Sequence[str]]]:
    """Puzzles to learn from, with the efforts they are solved with."""
    rng = np.random.default_rng(0)
    for number, path in enumerate(sorted((folder / "mcgill-540").iterdir())):
        pixels = open_picture(path.read_bytes(), path.name).pixels
        for rotate in (False, True):
            efforts = ("fast", "best") if (number + rotate) % 2 else ("fast",)
            rows, cols = (int(side) for side in rng.integers(3, 11, 2))
            small = bagged([part_of(pixels, rows, cols, rng)], np.random.default_rng(number), rotate=rotate)
            yield f"540 {path.stem}", *small, ("fast",)
            yield f"540 {path.stem}", *bagged([part_of(pixels, 99, 99, rng)], rng, rotate=rotate), efforts
    for name in BUILT_IN:
        if name in LEFT_OUT:
            continue
        for rotate in (False, True):
            whole = part_of(built_in(name), 99, 99, rng)
            yield name, *bagged([whole], rng, rotate=rotate), ("fast", "best") if rotate else ("fast",)
    unseen = [
        path
        for which, name in enumerate(("sholomon-5015", "sholomon-10375", "sholomon-22755"))
        for path in sorted((folder / name).iterdir())[1 - which % 2 :: 2]
    ]
    pictures = [open_picture(path.read_bytes(), path.name).pixels for path in unseen]
    for number, pixels in enumerate(pictures * 2):
        part = part_of(pixels, 18, 24, rng)
        other = part_of(pictures[(number + 7) % len(pictures)], 18, 24, rng)
        how: dict[str, Any] = {
            0: {}, 1: {"rotate": True}, 2: {"frame": False}, 3: {"missing": 0.1, "frame": False},
            4: {"strange": other.reshape(-1, *other.shape[2:])[:40], "frame": False, "rotate": True}, 5: {},
            6: {"missing": 0.1}, 7: {},
        }[number % 8]  # fmt: skip
        bag = [part]
        if number % 8 == 5:
            bag = [np.concatenate([part, other[: len(part), : part.shape[1]][:, ::-1]], axis=2)]
        if number % 8 == 7:
            bag = [part[:12, :14], other[:12, :14]]
        yield f"part {number}", *bagged(bag, rng, **how), ("fast", "best") if number % 2 else ("best",)
    for number, pixels in enumerate(pictures[::4]):
        gapped, truth = made(pixels, Making(grid="12x12", gap=(2, 4, 8)[number % 3], patch=40), number)
        yield f"gapped {number}", gapped, truth, ("best",)


def collected(folder: Path, kept: Path) -> dict[str, Any]:
    """Examples of all lessons; what is kept in a file is not reckoned again."""
    if kept.exists():
        return dict(np.load(kept))
    parts: list[dict[str, Any]] = []
    begin = time.monotonic()
    for name, puzzle, truth, efforts in lessons(folder):
        for laid in assembled(puzzle, efforts):
            worse = spoiled(laid.placement, len(parts))
            spoilt = laid._replace(placement=worse, others=[worse] if len(parts) % 2 else laid.others)
            parts.append({**examples(puzzle, truth, laid), "group": name})
            if name.startswith(USUAL):
                parts.append({**examples(puzzle, truth, spoilt), "group": f"spoiled {name}"})
            print(f"{name}: {parts[-1]['right'].mean():.4f}, {time.monotonic() - begin:.0f} s", flush=True)
    every = {
        "inputs": np.concatenate([part["inputs"] for part in parts]),
        "right": np.concatenate([part["right"] for part in parts]),
        "cells": np.concatenate([part["cells"] for part in parts]),
        "shapes": np.array([part["shape"] for part in parts]),
        "counts": np.array([len(part["right"]) for part in parts]),
        "groups": np.array([part["group"] for part in parts]),
    }
    np.savez_compressed(kept, **every)
    return every


def spoiled(placement: Placement, seed: int) -> Placement:
    """The same with some pieces exchanged: mistakes that are plain to see, which the assembler does not make."""
    rng = np.random.default_rng(seed)
    pieces, turns = np.array(placement.pieces), np.array(placement.turns)
    cells = rng.permutation(np.flatnonzero(pieces != EMPTY))[: 2 * max(1, round(SPOILED_SHARE * pieces.size / 2))]
    one, other = cells[::2], cells[1::2]
    for grid in (pieces.ravel(), turns.ravel()):
        grid[one[: len(other)]], grid[other] = grid[other], grid[one[: len(other)]]
    return Placement.from_flat(pieces.ravel().tolist(), turns.ravel().tolist(), pieces.shape[1])


def examples(puzzle: Jigsaw, truth: Placement, laid: Laid) -> dict[str, Any]:
    """What is told of every seam of an answer, whether it is right, and where it is (below: after all to the right)."""
    board = confidence.poses_of(laid.fits, laid.placement)
    others = [confidence.poses_of(laid.fits, other) for other in laid.others]
    told = confidence.seam_inputs(laid.fits, board, others, laid.learnt)
    truths = right_seams(puzzle, laid.placement, truth)
    inputs, right, cells = [], [], []
    for number, (inputs_of, truth_of) in enumerate(zip(told, truths, strict=True)):
        there = ~np.isnan(truth_of)
        inputs.append(inputs_of[there])
        right.append(truth_of[there])
        rows, cols = np.nonzero(there)
        cells.append(number * board.size + rows * board.shape[1] + cols)
    parts = (np.concatenate(each) for each in (inputs, right, cells))
    return {**dict(zip(("inputs", "right", "cells"), parts, strict=True)), "shape": board.shape}


# fitting


def fitted(inputs: Numbers, right: Numbers, hidden: int, ridge: float, weights: Numbers) -> dict[str, Any]:
    """A network with one hidden layer whose chances explain the examples best, by L-BFGS."""
    from scipy.optimize import minimize

    mean, scale = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    told, wide = (inputs - mean) / scale, inputs.shape[1]
    shapes = ((wide, hidden), (hidden,), (hidden,), (1,))
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    weights = weights / weights.sum()

    def parts(flat: Numbers) -> list[Numbers]:
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), shapes, strict=True)]

    def loss(flat: Numbers) -> tuple[float, Numbers]:
        into, bias, out, shift = parts(flat)
        middle = np.tanh(told @ into + bias)
        logits = middle @ out + shift
        value = float((weights * (np.logaddexp(0, logits) - right * logits)).sum())
        back = weights * (1 / (1 + np.exp(-logits)) - right)
        inner = np.outer(back, out) * (1 - middle**2)
        slopes = [told.T @ inner, inner.sum(axis=0), middle.T @ back, back.sum(keepdims=True)]
        slopes[0] = slopes[0] + 2 * ridge * into
        slopes[2] = slopes[2] + 2 * ridge * out
        return value + ridge * float((into**2).sum() + (out**2).sum()), np.concatenate(
            [each.ravel() for each in slopes]
        )

    start = np.random.default_rng(0).normal(0, 0.3, ends[-1])
    into, bias, out, shift = parts(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 150}).x)
    rounded = {"mean": mean, "scale": scale, "into": into, "bias": bias, "out": out}
    return {
        **{name: np.array([float(f"{v:.{DIGITS}g}") for v in part.ravel()]).reshape(part.shape).tolist()
           for name, part in rounded.items()},
        "shift": float(f"{shift[0]:.{DIGITS}g}"),
    }  # fmt: skip


def learn(folder: Path, kept: Path) -> None:
    """Fit both networks and write them."""
    every = collected(folder, kept)
    weights = shares(every["counts"])
    seams = fitted(every["inputs"], every["right"], HIDDEN["seams"], RIDGE["seams"], weights)
    usual = np.repeat(np.char.startswith(every["groups"], USUAL), every["counts"])
    settle(seams, every["inputs"][usual], every["right"][usual], weights[usual])
    model = {"from": " ".join((__doc__ or "").split("\n\n")[2].split()), "seams": seams}
    chances = confidence.chances_of(
        (every["inputs"] - seams["mean"]) / seams["scale"],
        *(np.array(seams[name]) for name in ("into", "bias", "out")), seams["shift"],
    )  # fmt: skip
    told, right, numbers = [], [], []
    ends = np.cumsum(every["counts"])
    for shape, begin, end in zip(every["shapes"], ends - every["counts"], ends, strict=True):
        grids = [
            (on_board(values[begin:end], every["cells"][begin:end], shape)) for values in (chances, every["right"])
        ]
        there = ~np.isnan(truth := right_pieces(*grids[1]))
        told.append(confidence.piece_inputs(confidence.around(*grids[0]))[there])
        right.append(truth[there])
        numbers.append(int(there.sum()))
    weights = shares(np.array(numbers))
    of_pieces, right_ones = np.concatenate(told), np.concatenate(right)
    model["pieces"] = fitted(of_pieces, right_ones, HIDDEN["pieces"], RIDGE["pieces"], weights)
    usual = np.repeat(np.char.startswith(every["groups"], USUAL), numbers)
    settle(model["pieces"], of_pieces[usual], right_ones[usual], weights[usual])
    MODEL.write_text(json.dumps(model) + "\n")
    print(f"{len(chances)} seams, {sum(numbers)} pieces; Brier score {brier(chances, every['right']):.4f}")


def settle(network: dict[str, Any], inputs: Numbers, right: Numbers, weights: Numbers) -> None:
    """Stretch and shift the logits so that chances are right on usual answers: what is hard was learned from more."""
    from scipy.optimize import minimize

    into, bias, out = (np.array(network[name]) for name in ("into", "bias", "out"))
    logits = np.tanh((inputs - network["mean"]) / network["scale"] @ into + bias) @ out + network["shift"]

    def loss(line: Numbers) -> float:
        values = line[0] * logits + line[1]
        return float((weights * (np.logaddexp(0, values) - right * values)).sum() / weights.sum())

    stretch, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x.tolist()
    network["out"] = [float(f"{stretch * each:.{DIGITS}g}") for each in network["out"]]
    network["shift"] = float(f"{stretch * network['shift'] + shift:.{DIGITS}g}")


def shares(counts: NDArray[np.int64]) -> Numbers:
    """Weights of examples: answers to larger puzzles count more, but less than they are larger."""
    return np.concatenate([np.full(count, count**-0.5) for count in counts.tolist()])


def on_board(values: Numbers, cells: NDArray[np.int64], shape: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """What is known of seams, as boards."""
    rows, cols = shape.tolist()
    grids = np.full((2, rows, cols), np.nan)
    grids.ravel()[cells] = values
    return grids[0, :, :-1], grids[1, :-1]


def brier(chances: Numbers, right: Numbers) -> float:
    """The mean square of what a chance is off by."""
    return float(((chances - right) ** 2).mean())


# judging


def judge(folder: Path, kept: Path, only: str) -> None:
    """A row for every answer: how many seams and pieces were given which chance, and how many of them are right.

    What is told of the seams of an answer is kept in a folder, so that another network is judged without solving again.
    """
    kept.mkdir(exist_ok=True)
    for case, name in JUDGED:
        for number, path in enumerate(sorted((folder / name).iterdir())):
            for rotate in (False, True):
                if only in f"{case}, {'type 2' if rotate else 'type 1'}":
                    for effort, example in _answers(path, number, rotate, kept / f"{name}-{path.stem}-{1 + rotate}"):
                        row = {
                            "suite": "calibration", "case": case, "image": path.stem, "rotate": rotate,
                            "effort": effort, "when": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
                            **judged(example), "machine": machine(),
                        }  # fmt: skip
                        with RESULTS.open("a") as file:
                            file.write(json.dumps(row) + "\n")


def _answers(path: Path, number: int, rotate: bool, kept: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is known of the answers to one picture, with either effort."""
    efforts = ("fast", "best")
    names = {effort: kept.with_name(f"{kept.name}-{effort}.npz") for effort in efforts}
    if not all(name.exists() for name in names.values()):
        pixels = open_picture(path.read_bytes(), path.name).pixels
        whole = part_of(pixels, 999, 999, np.random.default_rng(0))
        puzzle, truth = bagged([whole], np.random.default_rng(number), rotate=rotate)
        for effort, laid in zip(efforts, assembled(puzzle, efforts), strict=True):
            np.savez_compressed(names[effort], **examples(puzzle, truth, laid), anneal_s=laid.seconds)
            print(names[effort].stem, flush=True)
    for effort, name in names.items():
        yield effort, dict(np.load(name))


def judged(example: dict[str, Any]) -> dict[str, Any]:
    """Numbers and right ones by chance, and the mean of squares."""
    begin = time.perf_counter()
    chances = confidence.network("seams", example["inputs"])
    boards = on_board(chances, example["cells"], example["shape"])
    rows, cols = example["shape"].tolist()
    pieces = confidence.piece_chances(np.zeros((rows, cols), np.int64), *boards)
    seconds = time.perf_counter() - begin
    right = right_pieces(*on_board(example["right"], example["cells"], example["shape"]))
    return {
        "seams": _binned(chances, example["right"]), "pieces": _binned(pieces.ravel(), right.ravel()),
        "network_s": round(seconds, 4), "anneal_s": round(float(example["anneal_s"]), 4),
    }  # fmt: skip


def _binned(chances: Numbers, right: Numbers) -> dict[str, Any]:
    there = ~np.isnan(chances) & ~np.isnan(right)
    chances, right = chances[there], right[there]
    at = np.minimum((chances * BINS).astype(np.int64), BINS - 1)
    return {
        "number": np.bincount(at, minlength=BINS).tolist(),
        "right": np.bincount(at, weights=right, minlength=BINS).astype(int).tolist(),
        "chances": np.bincount(at, weights=chances, minlength=BINS).round(3).tolist(),
        "brier": round(brier(chances, right), 6),
    }


def table() -> str:
    """What the latest rows of every answer say, as Markdown."""
    latest = {}
    for line in RESULTS.read_text().splitlines():
        row = json.loads(line)
        latest[row["case"], row["image"], row["rotate"], row["effort"]] = row
    rows = list(latest.values())
    cases = {
        **{case: [row for row in rows if row["case"] == case] for case, _ in JUDGED},
        "upright": [row for row in rows if not row["rotate"]], "turned": [row for row in rows if row["rotate"]],
        "fast": [row for row in rows if row["effort"] == "fast"],
        "best": [row for row in rows if row["effort"] == "best"], "all": rows,
    }  # fmt: skip
    lines = [
        "| answers | number | seams | seams right % | marked 0.9 or more % | of these right % "
        "| marked 0.5 to 0.6 | of these right % | Brier score | pieces marked 0.9 or more, right % |",
        "| --- |" + " --- |" * 9,
    ]
    for name, some in cases.items():
        if some:
            lines.append(_line(name, some))
    lines += ["", "| chance | seams | right % | pieces | right % |", "| --- | --- | --- | --- | --- |"]
    seams, pieces = (_sums(rows, what) for what in ("seams", "pieces"))
    for low in range(0, BINS, BINS // 10):
        part = slice(low, low + BINS // 10)
        cells = [f"{low / BINS:.1f}–{(low + BINS // 10) / BINS:.1f}"]
        for number, right in (seams, pieces):
            cells += [str(number[part].sum()), _percent(right[part].sum(), number[part].sum())]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _line(name: str, rows: list[dict[str, Any]]) -> str:
    number, right = _sums(rows, "seams")
    pieces, right_of_pieces = _sums(rows, "pieces")
    sure, even = slice(BINS * 9 // 10, BINS), slice(BINS // 2, BINS * 6 // 10)
    squares = sum(row["seams"]["brier"] * sum(row["seams"]["number"]) for row in rows) / number.sum()
    cells = [
        name, str(len(rows)), str(number.sum()), _percent(right.sum(), number.sum()),
        _percent(number[sure].sum(), number.sum()), _percent(right[sure].sum(), number[sure].sum()),
        str(number[even].sum()), _percent(right[even].sum(), number[even].sum()), f"{squares:.4f}",
        _percent(right_of_pieces[sure].sum(), pieces[sure].sum()),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _sums(rows: list[dict[str, Any]], what: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return tuple(np.sum([row[what][name] for row in rows], axis=0) for name in ("number", "right"))  # type: ignore[return-value]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else "–"


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=("learn", "judge", "table"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument(
        "--keep", type=Path, default=Path("calibration"), help="where examples are kept: a file, to judge a folder"
    )
    parser.add_argument(
        "--only", default="", help="judge only the cases whose name contains this, as in '805 pieces, type 1'"
    )
    given = parser.parse_args()
    if given.what == "table":
        print(table())
    elif given.folder is None:
        parser.error("where are the sets of pictures?")
    elif given.what == "learn":
        learn(given.folder, given.keep)
    else:
        judge(given.folder, given.keep, given.only)


if __name__ == "__main__":
    main()
