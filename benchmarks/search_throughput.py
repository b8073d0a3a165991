"""How many simulations a second the planning tree search makes, and what evaluating leaves in batches gains.

    python benchmarks/search_throughput.py [--rounds N]

All on one core, 3×3 puzzles, PUCT, 1,000 visits a move, played to the end; the median of the rounds is kept:

- compiled, constant: P and V cost next to nothing, so that this is the speed of the tree; one puzzle. First move: only
  that, where a visit comes to a new position nearly every time; later it meets whole boards again.
- compiled, tables: P and V read from tables.
- called, constant: a Python function judges batches of leaves of 256 puzzles, in no time.
- network, one by one; in batches; in batches of one puzzle: a small network of matrix products judges every leaf as it
  comes, 256 leaves of 256 puzzles at a time, or 16 leaves of one puzzle at a time, which wait for each other (virtual
  loss).

Appends a row to benchmarks/results/search-throughput.jsonl.
"""

import argparse
import datetime
import json
import os
import statistics
import time
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # one core, whatever multiplies matrices
os.environ.setdefault("MKL_NUM_THREADS", "1")

import numpy as np

from dovetail.core.report import machine
from dovetail.jigsaw.deep.game import Game, Judging, Play, new_game
from dovetail.jigsaw.deep.game_kernels import COMPILED
from dovetail.jigsaw.deep.tables import Tables
from dovetail.search.planning import PER_MOVE, Evaluator, Planner
from dovetail.search.puct import Leaves

RESULTS = Path(__file__).parent / "results" / "search-throughput.jsonl"
SIDE, MANY = 3, 256
CELLS = SIDE * SIDE


class Network:
    """A perceptron over boards, a number for each patch and cell: most of a call with one board is its fixed cost."""

    def __init__(self, game: Game, width: int = 64) -> None:
        chance = np.random.default_rng(0)
        sizes = (CELLS * CELLS, width, width, CELLS + 1)
        self.layers = [chance.normal(size=pair).astype(np.float32) / pair[0] ** 0.5 for pair in pairwise(sizes)]
        self.game = game

    def __call__(self, found: Leaves) -> tuple[np.ndarray, np.ndarray]:
        """Priors and values."""
        laid = self.game.boards(found.tree, found.path, found.played)
        x = (laid[:, :, None] == np.arange(CELLS)).reshape(len(laid), -1).astype(np.float32)
        for layer in self.layers[:-1]:
            x = np.maximum(x @ layer, 0)
        x = x @ self.layers[-1]
        return np.exp(x[:, :CELLS]), 1 / (1 + np.exp(-x[:, CELLS]))


def constant(found: Leaves) -> tuple[np.ndarray, np.ndarray]:
    """Nothing is better than anything else."""
    return np.ones((len(found.tree), CELLS)), np.ones(len(found.tree))


def start(plays: int, judging: Judging) -> Planner:
    """Puzzles before their first move."""
    chance = np.random.default_rng(1)
    tables = Tables(*chance.normal(size=(3, CELLS, CELLS)).astype(np.float32))
    game = new_game(SIDE, SIDE, [Play(0, tuple(range(CELLS)))] * plays, [tables], judging)
    return Planner(game, COMPILED, plays, CELLS, CELLS)


def rate(
    plays: int, judging: Judging, evaluator: Evaluator | None = None, batch: int = 1, each: int = 1, moves: int = CELLS
) -> float:
    """Simulations a second over whole plays, or their first moves."""
    planner = start(plays, judging)
    if isinstance(evaluator, type):
        evaluator = evaluator(planner.game)
    begin = time.perf_counter()
    for _ in range(moves):
        if evaluator is None:
            planner.visit(PER_MOVE)
        else:
            planner.visit_with(evaluator, PER_MOVE, batch, each)
        planner.move()
    return planner.visits / (time.perf_counter() - begin)


CASES = {
    "compiled_constant_per_s": lambda: rate(1, Judging(False, False, False)),
    "compiled_constant_first_move_per_s": lambda: rate(1, Judging(False, False, False), moves=1),
    "compiled_tables_per_s": lambda: rate(1, Judging()),
    "called_constant_per_s": lambda: rate(MANY, Judging(), constant, MANY),
    "called_constant_first_move_per_s": lambda: rate(MANY, Judging(), constant, MANY, moves=1),
    "network_one_by_one_per_s": lambda: rate(1, Judging(), Network, moves=2),
    "network_in_batches_per_s": lambda: rate(MANY, Judging(), Network, MANY, moves=2),
    "network_in_batches_of_one_puzzle_per_s": lambda: rate(1, Judging(), Network, 16, 16, moves=2),
}


def measure(rounds: int) -> dict[str, object]:
    """All cases by turns; the first turn compiles and does not count."""
    rates: dict[str, list[float]] = {name: [] for name in CASES}
    for turn in range(rounds + 1):
        for name, case in CASES.items():
            if turn:
                rates[name].append(case())
            else:
                case()
    medians = {name: statistics.median(each) for name, each in rates.items()}
    alone = medians["network_one_by_one_per_s"]
    return {
        "visits_a_move": PER_MOVE,
        "rounds": rounds,
        **{name: round(median) for name, median in medians.items()},
        "batches_to_one_by_one": round(medians["network_in_batches_per_s"] / alone, 2),
        "batches_of_one_puzzle_to_one_by_one": round(medians["network_in_batches_of_one_puzzle_per_s"] / alone, 2),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    row = {"suite": "search-throughput", "when": when, **measure(parser.parse_args().rounds), "machine": machine()}
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps({key: row[key] for key in row if key != "machine"}, indent=1))
