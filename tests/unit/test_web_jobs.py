"""Jobs on a real server: followed, paused, stopped, killed, many at once; and servers that end or are killed."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import dovetail
from support.web import LONG, SMALL, Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web"), "--jobs", "2") as running:
        yield running


def workers_of(server: Server) -> set[int]:
    """The processes that a server has started."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    return {int(pid) for pid in children.read_text().split()}


def worked(pid: int) -> int:
    """How much a process has computed."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))


def gone(pids: set[int]) -> bool:
    """Whether they all end within a few seconds."""
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


def events(lines: Iterator[str]) -> Iterator[tuple[int, str, Any]]:
    """Number, name and data of each server-sent event."""
    found: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(": ")
        if key:
            found[key] = value
        elif "event" in found:
            yield int(found["id"]), found["event"], json.loads(found["data"])
            found = {}


def test_paused_resumed_given_time_and_stopped(server: Server) -> None:
    job = server.submit(**LONG)
    at = f"/api/jobs/{job}"
    server.wait(job, "running")
    assert server.client.post(f"{at}/more-time", json={"seconds": 30}).json()["time_s"] == 90
    assert server.client.post(f"{at}/more-time", json={"seconds": 10**5}).json()["error"]["code"] == "too_large"
    while not server.job(job)["progress"]:
        time.sleep(0.05)
    assert server.client.post(f"{at}/pause").status_code == 202
    server.wait(job, "paused")
    assert server.client.post(f"{at}/pause").status_code == 409
    before = server.client.get(f"{at}/progress").json()
    time.sleep(1.2)
    assert server.client.get(f"{at}/progress").json() == before
    assert server.client.post(f"{at}/resume").status_code == 202
    server.wait(job, "running")
    assert server.client.post(f"{at}/resume").status_code == 409
    assert server.client.post(f"{at}/stop").status_code == 202
    ended = server.wait(job)
    assert ended["state"] == "done" and ended["passes"] is False and ended["has_solution"]
    report = server.client.get(f"{at}/report").json()
    assert report["budget"]["wall_s"] == 90
    took = ended["ended"] - ended["started"]
    assert report["seconds"]["solve"] < took - 1.2  # what it was paused does not count
    assert server.client.get(f"{at}/picture").content.startswith(b"<svg")


def test_events_come_in_order_and_frames_while_watched(server: Server) -> None:
    job = server.submit(**LONG)
    heard = []
    with server.client.stream("GET", f"/api/jobs/{job}/events?board=true") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for number, name, said in events(stream.iter_lines()):
            heard.append((number, name, said))
            if name == "frame" and "frame" not in [one[1] for one in heard[:-1]]:
                with httpx.Client(base_url=server.client.base_url) as other:
                    assert other.get(f"/api/jobs/{job}/frame").content.startswith(b"<svg")
                    other.post(f"/api/jobs/{job}/stop")
    assert [number for number, _, _ in heard] == [*range(1, len(heard) + 1)]
    states = [said["state"] for _, name, said in heard if name == "job"]
    assert states[-1] == "done" and states == sorted(states, key=["queued", "running", "done"].index)
    assert heard[-1][1] == "job"
    steps = [said["steps"] for _, name, said in heard if name == "progress"]
    assert steps and steps == sorted(steps)
    with server.client.stream("GET", f"/api/jobs/{job}/events") as stream:  # it has ended: one event, and the end
        assert [name for _, name, _ in events(stream.iter_lines())] == ["job"]


def test_several_jobs_by_one_stream(server: Server) -> None:
    jobs = [server.submit(**SMALL), server.submit(**LONG), server.submit(**SMALL)]
    heard: list[tuple[str, str]] = []
    with server.client.stream("GET", "/api/events", params={"job": jobs, "board": True}) as stream:
        for _, name, said in events(stream.iter_lines()):
            heard.append((said["id"], said["state"] if name == "job" else name))
            if heard[-1] == (jobs[1], "frame") and (jobs[1], "frame") not in heard[:-1]:
                with httpx.Client(base_url=server.client.base_url) as other:
                    other.post(f"/api/jobs/{jobs[1]}/stop")
    assert {job for job, name in heard if name == "done"} == {*jobs}  # it ends when all of them have
    refused = server.client.get("/api/events", params={"job": [jobs[0], "0" * 16]})
    assert refused.status_code == 404
    assert server.client.get("/api/events").status_code == 422


def test_who_leaves_is_followed_no_more(server: Server) -> None:
    job = server.submit(**LONG)
    for _ in range(80):  # more than may follow at once, and each leaves in the middle
        with server.client.stream("GET", f"/api/jobs/{job}/events") as stream:
            assert stream.status_code == 200
    assert server.client.post(f"/api/jobs/{job}/cancel").is_success


def test_a_worker_that_dies_takes_only_its_job(server: Server) -> None:
    jobs = [server.submit(**LONG) for _ in range(2)]
    for job in jobs:
        server.wait(job, "running")
        while not server.job(job)["progress"]:
            time.sleep(0.05)
    before = {pid: worked(pid) for pid in workers_of(server)}
    time.sleep(0.3)
    busiest = max(before, key=lambda pid: worked(pid) - before[pid])
    os.kill(busiest, signal.SIGKILL)
    while len([job for job in jobs if server.job(job)["state"] == "running"]) == 2:
        time.sleep(0.05)
    states = {server.job(job)["state"]: job for job in jobs}
    assert set(states) == {"running", "failed"}
    assert "died" in server.job(states["failed"])["words"]
    assert server.client.post(f"/api/jobs/{states['running']}/cancel").json()["state"] == "cancelled"
    assert server.client.delete(f"/api/jobs/{states['running']}").status_code == 204
    small = server.submit(**SMALL)
    assert server.wait(small)["passes"]


def test_who_waits_hears_that_it_moves_up(server: Server) -> None:
    running = [server.submit(**LONG) for _ in range(2)]
    first, second = server.submit(**SMALL), server.submit(**SMALL)
    places = []
    with server.client.stream("GET", f"/api/jobs/{second}/events") as stream:
        for _, name, said in events(stream.iter_lines()):
            if name == "job" and said["state"] == "queued":
                places.append(said["place"])
                with httpx.Client(base_url=server.client.base_url) as other:
                    if said["place"] == 2:
                        other.post(f"/api/jobs/{first}/cancel")
                    elif said["place"] == 1:
                        other.post(f"/api/jobs/{running[0]}/cancel")
    assert places[:2] == [2, 1]
    server.client.delete(f"/api/jobs/{running[1]}")


def test_a_queue_keeps_its_order_and_lets_go(server: Server) -> None:
    running = [server.submit(**LONG) for _ in range(2)]
    waiting = [server.submit(**SMALL) for _ in range(3)]
    assert [server.job(job)["place"] for job in waiting] == [1, 2, 3]
    assert server.client.post(f"/api/jobs/{waiting[0]}/cancel").json()["state"] == "cancelled"
    assert server.job(waiting[2])["place"] == 2
    assert server.client.post(f"/api/jobs/{waiting[1]}/pause").status_code == 409
    server.wait(running[0], "running")
    while not server.job(running[0])["progress"]:
        time.sleep(0.05)
    server.client.post(f"/api/jobs/{running[0]}/pause")  # a paused job gives up its turn
    assert server.wait(waiting[2])["passes"]
    server.client.post(f"/api/jobs/{running[0]}/stop")  # and can be stopped as it is
    assert server.wait(running[0])["has_report"]
    server.client.delete(f"/api/jobs/{running[1]}")
    assert server.job(waiting[1])["passes"]


def test_twelve_at_once_are_all_right(server: Server) -> None:
    names = ["sudoku-9x9", "sudoku-x", "lightup-easy", "slitherlink-5x5"] * 3
    jobs = [server.submit(text=name, solver="sat", seed=number) for number, name in enumerate(names)]
    for name, job in zip(names, jobs, strict=True):
        ended = server.wait(job)
        assert ended["passes"] is True and ended["digest"] == dovetail.read(name).digest, ended
        assert server.client.get(f"/api/jobs/{job}/report").json()["verdict"]["solved"] is True


def test_killed_in_the_middle_and_started_again(tmp_path: Path) -> None:
    server = Server(tmp_path, "--jobs", "1")
    done = server.submit(**SMALL)
    server.wait(done)
    running, queued = server.submit(**LONG), server.submit(**SMALL)
    while not server.job(running)["has_solution"]:
        time.sleep(0.05)
    workers = workers_of(server)
    server.end(signal.SIGKILL)
    assert workers and gone(workers)
    with serving(tmp_path, "--jobs", "1") as again:
        marked = again.job(running)
        assert marked["state"] == "interrupted" and "server ended" in marked["words"] and marked["has_solution"]
        assert again.client.get(f"/api/jobs/{running}/picture").content.startswith(b"<svg")
        assert again.job(done)["passes"] and again.client.get(f"/api/jobs/{done}/report").is_success
        assert again.wait(queued)["passes"]
        again.wait(again.submit(**LONG), "running")
        workers = workers_of(again)
        assert "ended" in again.end(signal.SIGINT) and again.process.returncode == 0
    assert workers and gone(workers)
