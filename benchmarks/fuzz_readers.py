"""Fuzz every reader, each in processes of its own, and append a row for each to ``benchmarks/results/fuzz.jsonl``.

``python benchmarks/fuzz_readers.py [TARGET …] --seconds 60 --jobs 2``. Where atheris can be imported, coverage leads
the way (``pip install atheris`` into an environment of its own and name its site-packages in PYTHONPATH); ``--plain``
goes without. What was found, and the bytes that did it, are left in ``--keep FOLDER``. tests/fuzz: what is looked for.
"""

import argparse
import datetime
import json
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dovetail

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

SILENT_S = 300.0  # without a word, after which a process hangs where no Python can end it
RESTARTS = 20  # of a process that died


def fuzzed(target: str, asked: argparse.Namespace) -> dict[str, Any]:
    """The row of one target; a process that dies is a finding, and the rest of its share is done by another."""
    row: dict[str, Any] = {"target": target, "engine": "", "executions": 0, "seconds": 0.0, "findings": []}
    for number in range(RESTARTS):
        executions, seconds = asked.executions - row["executions"], asked.seconds - row["seconds"]
        if executions <= 0 or seconds <= 0:
            break
        with tempfile.TemporaryDirectory(prefix="dovetail-fuzz-") as name:
            folder = Path(name)
            said, ended = _ran(target, executions, seconds, asked, number, folder)
            row["engine"] = said.get("engine", row["engine"])
            row["executions"] += said.get("executions", 0)
            row["seconds"] = round(row["seconds"] + said.get("seconds", seconds), 1)
            known = {found["what"] for found in row["findings"]}
            fresh = [found for found in said.get("findings", []) if found["what"] not in known]
            row["findings"] += fresh + ([{"what": ended, "detail": ""}] if ended else [])
            if fresh or ended:
                _keep(folder, asked.keep / target.replace(" ", "-") / str(number), said, ended)
            if not ended:
                break
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return {**row, "when": now, "version": dovetail.__version__}


def _ran(
    target: str, executions: int, seconds: float, asked: argparse.Namespace, number: int, folder: Path
) -> tuple[dict[str, Any], str]:
    """What a process said last, and how it ended, if that was not as it should."""
    command = [sys.executable, "-m", "fuzz.job", target, executions, seconds, asked.seed + number, folder]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [*map(str, command), *(["--plain"] if asked.plain else [])],
            stdout=log,
            stderr=log,
            cwd=HERE.parent / "tests",
        )
        ended, heard = "", time.monotonic()
        while process.poll() is None:
            time.sleep(0.5)
            said = folder / "said"
            if said.exists() and time.time() - said.stat().st_mtime < SILENT_S:
                heard = time.monotonic()
            if time.monotonic() - heard > SILENT_S:
                process.kill()
                ended = "hangs in compiled code"
        if process.wait() and not ended:
            ended = f"dies with {process.returncode}"
    words = json.loads((folder / "said").read_text()) if (folder / "said").exists() else {}
    return words, ended


def _keep(folder: Path, to: Path, said: dict[str, Any], ended: str) -> None:
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    (to / "said.json").write_text(json.dumps({**said, "ended": ended}, indent=1))
    for path in [*folder.glob("finding-*"), folder / "log", *([folder / "in-hand"] if ended else [])]:
        if path.exists():
            shutil.copy(path, to)


def main() -> None:
    """See the module text."""
    from fuzz import targets

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--executions", type=int, default=10**9, help="of every target, at most")
    parser.add_argument("--seconds", type=float, default=60.0, help="for every target")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "dovetail-findings")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "fuzz.jsonl")
    asked = parser.parse_args()
    known = targets.names()
    if unknown := [name for name in asked.targets if name not in known]:
        parser.error(f"there is no target {unknown[0]!r}; targets: {', '.join(known)}")
    total, found = 0, 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for row in pool.map(lambda name: fuzzed(name, asked), asked.targets or known):
            with asked.out.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n")
            total, found = total + row["executions"], found + len(row["findings"])
            print(f"{row['target']}: {row['executions']:,} in {row['seconds']} s by {row['engine']}", flush=True)
            for one in row["findings"]:
                print(f"    {one['what']}: {one['detail'][:200]}", flush=True)
    print(f"{total:,} executions, {found} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
