"""Who is let in and what is used up: tokens, tight limits, and what ``dovetail serve`` refuses."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from dovetail.core.errors import BadUsage
from dovetail.web import serving
from dovetail.web.api import application
from dovetail.web.limits import Limits
from support.web import LONG

TOKEN = "0123456789abcdef"


@contextmanager
def client(folder: Path, **options: Any) -> Iterator[httpx.Client]:
    """A server in a thread of ours, since limits are not for the command line to set."""
    server = uvicorn.Server(uvicorn.Config(application(folder, **options), port=0, log_level="error", ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as running:
            yield running
    finally:
        server.should_exit = True
        thread.join()


def ended(running: httpx.Client, job: str) -> dict[str, Any]:
    for _ in range(600):
        found: dict[str, Any] = running.get(f"/api/jobs/{job}").json()
        if found["ended"]:
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def test_a_token_opens_the_server(tmp_path: Path) -> None:
    with client(tmp_path, token=TOKEN) as running:
        assert running.get("/").status_code == 200
        for headers in (
            {},
            {"authorization": "Bearer wrong"},
            {"cookie": "dovetail_token=wrong"},
            {"cookie": "\x01=;"},
        ):
            for path in ("/api/kinds", "/api/openapi.json", "/api/jobs"):
                answer = running.get(path, headers=headers)
                assert answer.status_code == 401 and answer.json()["error"]["code"] == "token_needed"
        assert running.get("/api/limits", headers={"authorization": f"Bearer {TOKEN}"}).is_success
        assert running.get(
            "/api/limits", headers={"authorization": f"Bearer {TOKEN}", "host": "name.example"}
        ).is_success
        assert running.post("/api/session", json={"token": "wrong"}).status_code == 401
        assert running.get("/api/limits").status_code == 401
        answer = running.post("/api/session", json={"token": TOKEN})
        cookie = answer.headers["set-cookie"].lower()
        assert answer.status_code == 204 and "httponly" in cookie and "samesite=strict" in cookie
        assert running.get("/api/limits").is_success


def test_tight_limits(tmp_path: Path) -> None:
    limits = Limits(queue=1, memory_mb=70, followers=0, pieces=256, time_s=100)
    with client(tmp_path, limits=limits, jobs=1) as running:
        jobs = [running.post("/api/jobs", json=LONG).json()["id"] for _ in range(2)]
        full = running.post("/api/jobs", json=LONG)
        assert full.status_code == 429 and full.json()["error"]["code"] == "queue_full"
        refused = running.get(f"/api/jobs/{jobs[0]}/events")
        assert refused.status_code == 429 and refused.json()["error"]["code"] == "busy"
        for job in jobs:
            assert running.delete(f"/api/jobs/{job}").status_code == 204
        # compiled code: loading the compiler alone takes more than that, and a solver that knows it is not begun
        foreseen = running.post("/api/jobs", json={"text": "terracotta"})
        assert foreseen.status_code == 422 and "70 MB" in foreseen.json()["error"]["message"]
        fat = running.post("/api/jobs", json={"text": "terracotta", "solver": "partial"}).json()["id"]
        found = ended(running, fat)
        assert found["state"] == "failed" and "70 MB of memory" in found["words"]
        many = running.post("/api/read?kind=tiles&set=width=20&set=height=20", content=b"0 0 1 1\n" * 400)
        assert many.status_code == 413 and "256 pieces" in many.json()["error"]["message"]


def test_a_request_that_takes_too_long(tmp_path: Path) -> None:
    with client(tmp_path, limits=Limits(desk_s=0.001), jobs=1) as running:
        answer = running.post("/api/read", content=b"tiles-16x16")
        assert answer.status_code == 422 and answer.json()["error"]["code"] == "time"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"host": "0.0.0.0"}, "--token"),
        ({"host": "0.0.0.0", "token": "short"}, "16 or more"),
        ({"jobs": 0}, "--jobs"),
        ({"port": 99999}, "--port"),
        ({"host": "no.such.host.invalid", "token": TOKEN}, "cannot listen"),
    ],
)
def test_what_serve_refuses(options: dict[str, Any], words: str, tmp_path: Path) -> None:
    given = {"host": "127.0.0.1", "port": 0, "token": None, "jobs": 1, "folder": tmp_path, **options}
    with pytest.raises(BadUsage, match=words):
        serving.serve(**given)


def test_serve_without_its_extra_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(BadUsage, match="extra 'web'"):
        serving.serve("127.0.0.1", 0, None, 1, tmp_path)


def test_a_refusal_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dovetail", "serve", "--folder", str(tmp_path), "--host", "0.0.0.0"]
    over = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert over.returncode == 2 and "--token" in over.stderr and over.stderr.count("\n") == 1
