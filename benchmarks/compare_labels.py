"""Our difficulty beside Simon Tatham's own labels: rows for benchmarks/results/labels.jsonl.

    python benchmarks/compare_labels.py FILE PARAMS …

FILE holds JSON lines of game ids (see docs/logic.md); of each PARAMS (say 3x3dt) all puzzles are explained, every step
is checked by an engine of its own, and the hardest step gives the difficulty.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path

from dovetail.grids.explaining import explain, sound
from dovetail.grids.formats import tatham

RESULTS = Path(__file__).parent / "results" / "labels.jsonl"


def main(file: str, labels: list[str]) -> None:
    """One row a label."""
    entries = [json.loads(line) for line in Path(file).read_text().splitlines()]
    for label in labels:
        words: Counter[str] = Counter()
        steps = unsound = 0
        worst_s = 0.0
        for entry in (entry for entry in entries if entry["params"] == label):
            model = tatham.read(json.dumps(entry)).model()
            begin = time.perf_counter()
            explanation = explain(model)
            worst_s = max(worst_s, time.perf_counter() - begin)
            words[explanation.difficulty] += 1
            steps += len(explanation.steps)
            unsound += sum(not sound(model, step) for step in explanation.steps)
        row = {"game": entries[0]["game"], "params": label, "difficulty": dict(words), "steps": steps}
        row |= {"unsound": unsound, "worst_s": round(worst_s, 3)}
        with RESULTS.open("a") as results:
            results.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
