"""Fifty small jobs at once through the REST API, and how long people wait meanwhile: rows for results/web.jsonl.

    python benchmarks/web_load.py [JOBS]

Starts ``dovetail serve`` on a free port and a folder of its own, once with everything compiled before. Every answer is
checked again here, against the puzzle as this process reads it. Two visitors come meanwhile: one that makes the calls
of the page, and a browser (playwright, chromium) in which somebody clicks about; each in a process of its own, so that
what they wait for is the server and not us.
"""

import datetime
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

import dovetail
from dovetail.core.puzzle import solution_from_json
from dovetail.core.report import machine

RESULTS = Path(__file__).parent / "results" / "web.jsonl"
PUZZLES = (
    "sudoku-9x9", "kakuro-6x6", "calcudoku-4x4", "lightup-easy", "slitherlink-7x7", "numberlink-7x7", "nonogram-dove",
    "tiles-6x6", "scramble-squares", "terracotta-3x4", "tangram", "drive-ya-nuts", "fifteen-3x3", "flood-small",
    "sokoban-first", "jigsaw-small",
)  # fmt: skip
LOOK_S = 0.05  # between two interactions of somebody at the page
ENDED = ("done", "failed", "cancelled", "interrupted")
CARDS = "() => document.querySelectorAll('.cards button').length > 0"
PICTURES = (
    "() => [...document.querySelectorAll('.cards img')].length && [...document.images].every(one => one.complete)"
)
# what is clicked on, and what shows that the page has answered; each leads to where the next is
CLICKS = {
    "open a puzzle": ('.cards button[data-kind="lightup"]', "#ready:not([hidden]) #go:not(:disabled)"),
    "back to the start": ("#home", "#start:not([hidden]) .cards button"),
    "open a job": ("#jobs a", "#job:not([hidden]) #steer button"),
    "home again": ("#home", "#start:not([hidden]) #jobs a"),
}
CLICKED = """async ([press, there]) => {
  const late = performance.now() + 20000;
  const frame = () => {
    if (performance.now() > late) throw new Error(`${press} leads nowhere`);
    return new Promise(requestAnimationFrame);
  };
  while (!document.querySelector(press)) await frame();
  const begin = performance.now();
  document.querySelector(press).click();
  while (!document.querySelector(there)) await frame();
  await frame();
  return performance.now() - begin;
}"""


def main(jobs: int) -> None:
    """Measure and append a row."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        command = [sys.executable, "-m", "dovetail", "serve", "--port", "0", "--folder", folder]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            address = server.stderr.readline().split()[1]
            ready_s = time.perf_counter() - begin
            row = _measured(address, jobs)
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
    row = {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "ready_s": round(ready_s, 3), **row,
        "load": round(os.getloadavg()[0], 2), "group_nice": _group_nice(), "machine": machine(),
    }  # fmt: skip
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps(row, indent=1))


def _measured(address: str, jobs: int) -> dict[str, Any]:
    with httpx.Client(base_url=address, timeout=120) as client:
        views = _said(_started("--look", address))
        _all(client, PUZZLES)  # whatever is compiled is compiled now
        visitors = {name: _started(option, address) for name, option in (("calls", "--visit"), ("browser", "--browse"))}
        for visitor in visitors.values():
            assert visitor.stdout is not None
            visitor.stdout.readline()
        begin = time.perf_counter()
        answers = _all(client, tuple(PUZZLES[number % len(PUZZLES)] for number in range(jobs)))
        seconds = time.perf_counter() - begin
        waits = {name: _said(visitor) for name, visitor in visitors.items()}
    return {
        **views, "jobs": jobs, "right": sum(answers), "seconds": round(seconds, 2),
        **{name: _summed_up(each) for name, each in waits.items()},
    }  # fmt: skip


def _started(option: str, address: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, __file__, option, address], stdin=-1, stdout=-1, text=True)


def _said(visitor: "subprocess.Popen[str]") -> dict[str, Any]:
    """What it says once it is told to end."""
    return dict(json.loads(visitor.communicate("")[0].splitlines()[-1]))


def _summed_up(waits: dict[str, list[float]]) -> dict[str, Any]:
    everything = sorted(wait for each in waits.values() for wait in each)
    return {
        "interactions": len(everything), "median_ms": round(1000 * statistics.median(everything), 1),
        "p95_ms": round(1000 * everything[int(0.95 * len(everything))], 1), "most_ms": round(1000 * everything[-1], 1),
        "by_sort": {
            name: {"median_ms": round(1000 * statistics.median(each), 1), "most_ms": round(1000 * max(each), 1)}
            for name, each in waits.items()
        },
    }  # fmt: skip


def _all(client: httpx.Client, names: tuple[str, ...]) -> list[bool]:
    """Submit all at once, wait for all, and say of each whether it is right."""
    with ThreadPoolExecutor(len(names)) as pool:
        submitted = [*pool.map(lambda name: _submit(client, name), names)]
    right = []
    for name, job in zip(names, submitted, strict=True):
        while (state := client.get(f"/api/jobs/{job}").json())["state"] not in ENDED:
            time.sleep(0.05)
        if not state["passes"]:
            print(name, state["words"], file=sys.stderr)
            right.append(False)
            continue
        puzzle = dovetail.read(name)
        solution = solution_from_json(client.get(f"/api/jobs/{job}/solution").json(), puzzle)
        right.append(dovetail.check(puzzle, solution).passes)
    return right


def _submit(client: httpx.Client, name: str) -> str:
    answer = client.post("/api/jobs", json={"text": name, "time_s": 60})
    answer.raise_for_status()
    return str(answer.json()["id"])


def _visit(address: str) -> None:
    """Somebody who clicks about until standard input ends, and then says how long each click took."""
    waits: dict[str, list[float]] = {}
    over = _told_to_end()
    print("here", flush=True)
    with httpx.Client(base_url=address, timeout=120) as client:
        while not over.wait(LOOK_S):
            latest = client.get("/api/jobs?most=1").json()["jobs"][0]["id"]
            calls = (
                ("page", "GET", "/"), ("kinds", "GET", "/api/kinds"), ("jobs", "GET", "/api/jobs"),
                ("job", "GET", f"/api/jobs/{latest}"), ("read", "POST", "/api/read"),
            )  # fmt: skip
            for name, method, path in calls:
                begin = time.perf_counter()
                client.request(method, path, content=b"lightup-easy" if name == "read" else None).raise_for_status()
                waits.setdefault(name, []).append(time.perf_counter() - begin)
    print(json.dumps(waits))


def _told_to_end() -> threading.Event:
    """Set when standard input ends."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    return over


def _group_nice() -> int:
    """How this session is preferred to others by Linux's scheduler: not 0 if somebody measures on a busy machine."""
    try:
        return int(Path("/proc/self/autogroup").read_text().split()[-1])
    except (OSError, ValueError):
        return 0


def _keep_together() -> None:
    """The browser leaves our session; it keeps its place in the queue for a core all the same."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            with suppress(OSError):
                Path(f"/proc/{pid}/autogroup").write_text(str(_group_nice()))


@contextmanager
def _browser(address: str) -> Iterator[Any]:
    """A page of its own, nothing cached."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    assert path is not None, "this needs chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        browser.new_page().goto("about:blank")  # what a browser does first of all is not ours
        _keep_together()
        yield browser.new_page(viewport={"width": 1280, "height": 900})
        browser.close()


def _look(address: str) -> None:
    """How long the start page takes, by the browser's own clock: cards to click on, then all their pictures."""
    with _browser(address) as page:
        views: dict[str, list[float]] = {"view_s": [], "pictures_s": []}
        for _ in range(5):
            page.goto(address)
            for name, there in (("view_s", CARDS), ("pictures_s", PICTURES)):
                page.wait_for_function(there)
                views[name].append(page.evaluate("() => performance.now()") / 1000)
    row = {f"first_{name}": round(first, 3) for name, (first, *_) in views.items()}
    row |= {f"again_{name}": round(statistics.median(rest), 3) for name, (_, *rest) in views.items()}
    print(json.dumps(row))


def _browse(address: str) -> None:
    """Somebody at the page who opens puzzles and jobs until standard input ends: from the click to the new view."""
    waits: dict[str, list[float]] = {}
    over = _told_to_end()
    with _browser(address) as page:
        page.goto(address)
        page.wait_for_function(PICTURES)
        print("here", flush=True)
        while not over.is_set():
            for name, (press, there) in CLICKS.items():
                waits.setdefault(name, []).append(page.evaluate(CLICKED, [press, there]) / 1000)
                page.wait_for_timeout(1000 * LOOK_S)
    print(json.dumps(waits))


if __name__ == "__main__":
    others = {"--visit": _visit, "--browse": _browse, "--look": _look}
    if sys.argv[1:2] and sys.argv[1] in others:
        others[sys.argv[1]](sys.argv[2])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
