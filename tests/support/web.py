"""A real server in a process of its own, for the tests of the web."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

# plain Python: nothing is compiled, it never ends by itself within a test, and it shows itself ten times a second
LONG = {"text": "terracotta", "solver": "depth-first", "settings": {"algorithm": "1"}, "time_s": 60}
SMALL = {"text": "sudoku-9x9", "solver": "sat"}  # solved at once, and nothing is compiled either


class Server:
    """One ``dovetail serve``."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "dovetail", "serve", "--port", "0", "--folder", str(folder), *options]
        environment = {key: value for key, value in os.environ.items() if key != "DOVETAIL_TOKEN"}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert "http://" in line, line + self.process.stderr.read()
        self.client = httpx.Client(base_url=line.split()[1], timeout=60)

    def end(self, how: int = signal.SIGINT) -> str:
        """What it said at its end."""
        self.client.close()
        self.process.send_signal(how)
        _, said = self.process.communicate(timeout=20)
        return said

    def submit(self, **asked: Any) -> str:
        answer = self.client.post("/api/jobs", json=asked)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def job(self, job: str) -> dict[str, Any]:
        return dict(self.client.get(f"/api/jobs/{job}").json())

    def wait(self, job: str, *states: str, within_s: float = 60) -> dict[str, Any]:
        """Until it is in one of these states; without any, until it has ended."""
        wanted = states or ("done", "failed", "cancelled", "interrupted")
        end = time.monotonic() + within_s
        while (found := self.job(job))["state"] not in wanted:
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """Up, and down again whatever happens."""
    server = Server(folder, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end()
