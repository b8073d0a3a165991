"""Every call of the REST API, good and bad, on a real server."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

import dovetail
from dovetail import pipeline
from dovetail.core import registry
from dovetail.core.puzzle import Moves
from support.web import LONG, SMALL, Server, serving

UNKNOWN = "0" * 16


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web"), "--jobs", "2") as running:
        yield running


@pytest.fixture(scope="module")
def solved(server: Server) -> str:
    job = server.submit(**SMALL)
    assert server.wait(job)["passes"] is True
    return job


def refused(answer: httpx.Response, status: int, code: str, words: str = "") -> None:
    """One shape for all errors, one sentence, no traceback."""
    assert answer.status_code == status, answer.text
    said = answer.json()
    assert set(said) == {"error"} and set(said["error"]) == {"code", "message"}
    assert said["error"]["code"] == code and words in said["error"]["message"], said
    assert 0 < len(said["error"]["message"]) <= 400 and "Traceback" not in answer.text


def test_what_there_is_comes_from_the_registry(server: Server) -> None:
    kinds = server.client.get("/api/kinds").json()
    assert [kind["kind"] for kind in kinds] == registry.kind_names()
    assert {row["solver"] for row in server.client.get("/api/solvers").json()} | {"auto"} == set(
        registry.solver_names()
    )
    picture = server.client.get(next(kind for kind in kinds if kind["kind"] == "sudoku")["picture"])
    assert picture.headers["content-type"] == "image/svg+xml" and b"<svg" in picture.content
    assert "sandbox" in picture.headers["content-security-policy"]
    refused(server.client.get("/api/kinds/none/picture"), 404, "not_found")
    assert server.client.get("/api/limits").json()["upload_bytes"] > 0


def test_the_page_and_its_headers(server: Server) -> None:
    files = {f"/{file.name}" for file in (Path(dovetail.__file__).parent / "web" / "static").iterdir()} - {"/page.html"}
    assert {"/main.js", "/page.css", "/mark.svg"} <= files
    medias = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    for path, media in [("/", "text/html"), *((file, medias[Path(file).suffix]) for file in sorted(files))]:
        answer = server.client.get(path)
        assert answer.status_code == 200 and answer.headers["content-type"].startswith(media)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer" and "server" not in answer.headers
        # nothing is fetched from elsewhere: no address of another site is loaded, only named
        shown = answer.text.replace("https://puzz.link/p?slither", "").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://\w|//\w+\.\w+/", shown), path
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", answer.text), path
        assert not re.search(r"<script(?! type=\"module\" src=\"/)| style=|<style| on\w+=\"", answer.text), path


@pytest.mark.parametrize(
    "path", ["/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd", "/static/main.js", "/main.js/../x", "/page.html"]
)
def test_no_path_leads_out(server: Server, path: str) -> None:
    answer = server.client.send(server.client.build_request("GET", httpx.URL(str(server.client.base_url) + path[1:])))
    assert answer.status_code == 404 and "error" in answer.json()


def test_the_description(server: Server) -> None:
    said = server.client.get("/api/openapi.json").json()
    assert {"/api/jobs", "/api/jobs/{job}/events", "/api/read", "/api/check"} <= set(said["paths"])
    assert server.client.get("/api").json()["openapi"] == "/api/openapi.json"


@pytest.mark.parametrize(
    ("body", "kind", "size"),
    [
        (b"sudoku-9x9", "sudoku", "9x9"),
        (b"https://puzz.link/p?slither/5/5/cbcbcddad", "slitherlink", "5x5"),
        (b" tiles-6x6\n", "tiles", "6x6"),
    ],
)
def test_a_puzzle_is_recognised_by_its_bytes(server: Server, body: bytes, kind: str, size: str) -> None:
    answer = server.client.post("/api/read", content=body, headers={"content-type": "image/png"})  # it is no picture
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["kind"], found["size"], found["puzzles"]) == (kind, size, 1)
    assert found["suggested"]["solver"] == found["solvers"][0]["solver"]
    drawn = server.client.post("/api/draw?form=png", json={"input": found["input"]})
    assert drawn.content.startswith(b"\x89PNG")


def zipped(name: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, b"x")
    return file.getvalue()


@pytest.mark.parametrize(
    "body",
    [
        b"\x89PNG\r\n\x1a\n cut off", b"\x00\x01\x02", b'{"kind": "nothing"}', b"[" * 100_000, b"/etc/passwd",
        b"../../etc/passwd", b"file:///etc/passwd", zipped("../../outside.png"), b'{"kind": "tiles", "rows": 1e999}',
    ],
)  # fmt: skip
def test_hostile_uploads_are_one_sentence(server: Server, body: bytes) -> None:
    answer = server.client.post("/api/read", content=body)
    refused(answer, 422, "bad_input")
    assert "root:" not in answer.text


def test_bad_uploads(server: Server) -> None:
    refused(server.client.post("/api/read", content=b"  "), 422, "bad_input", "empty")
    refused(server.client.post("/api/read?kind=none", content=b"sudoku-9x9"), 422, "bad_usage", "unknown kind")
    refused(server.client.post("/api/read?kind=../x", content=b"sudoku-9x9"), 422, "invalid_request", "kind")
    refused(server.client.post("/api/read?set=x", content=b"sudoku-9x9"), 422, "invalid_request", "key=value")
    over = server.client.get("/api/limits").json()["upload_bytes"] + 1
    refused(server.client.post("/api/read", content=b"x" * over), 413, "too_large", "MiB")
    refused(server.client.post("/api/read", content=(b"x" * 2**20 for _ in range(over // 2**20 + 1))), 413, "too_large")


def test_from_submitting_to_the_answer(server: Server, solved: str) -> None:
    at = f"/api/jobs/{solved}"
    assert server.job(solved)["words"].startswith("solved: sudoku 9x9 by sat")
    report = server.client.get(f"{at}/report").json()
    assert report["verdict"]["solved"] is True and report["solver"]["name"] == "sat"
    solution = server.client.get(f"{at}/solution").json()
    assert solution["puzzle"] == dovetail.read("sudoku-9x9").digest
    checked = server.client.post("/api/check", json={"text": "sudoku-9x9", "solution": solution}).json()
    assert checked["report"]["verdict"]["solved"] is True and checked["words"].startswith("solved")
    for query, start in (("", b"<svg"), ("?form=png", b"\x89PNG"), ("?what=puzzle", b"<svg"), ("?form=svg", b"<svg")):
        assert server.client.get(f"{at}/picture{query}").content.startswith(start)
    assert server.client.get(f"{at}/links").json()["puzzle"]["pzpr"].startswith("https://puzz.link/p?sudoku/9/9/")
    assert json.loads(server.client.get(f"{at}/puzzle").content)["kind"] == "sudoku"
    assert len(server.client.get(f"{at}/puzzle?format=line").content.strip()) == 81
    assert "points" in server.client.get(f"{at}/progress").json()
    assert solved in [job["id"] for job in server.client.get("/api/jobs?state=done").json()["jobs"]]
    again = server.client.post(f"{at}/again").json()["id"]
    assert again != solved and server.wait(again)["passes"]
    assert server.client.delete(f"/api/jobs/{again}").status_code == 204
    refused(server.client.get(f"/api/jobs/{again}"), 404, "not_found")


def foreign(picture: bytes) -> bytes:
    """The same without the notes by which we know our own."""
    file = io.BytesIO()
    Image.open(io.BytesIO(picture)).save(file, "PNG")
    return file.getvalue()


def test_described_again_with_other_settings(server: Server) -> None:
    puzzle, _ = dovetail.generate("jigsaw", image="chelsea", piece="75x100")
    found = server.client.post("/api/read", content=foreign(pipeline.convert(puzzle, "png"))).json()
    assert found["picture"] and found["size"] == "3x6"
    asked = {"input": found["input"], "settings": {"rotate": "true"}}
    other = server.client.post("/api/describe", json=asked).json()
    assert (other["input"], other["settings"]) == (found["input"], {"rotate": "true"})
    assert other["facts"]["orientation"] == "not known" and found["facts"]["orientation"] == "known"
    refused(server.client.post("/api/describe", json={"text": "sudoku-9x9", "number": 2}), 422, "bad_usage", "number 2")
    assert server.client.post("/api/describe", json={"text": "sudoku-9x9"}).json()["picture"] is False


def test_steps_of_an_explanation_as_pictures(server: Server) -> None:
    job = server.submit(text="calcudoku-4x4", solver="sat", explain=True)
    server.wait(job)
    found = server.client.get(f"/api/jobs/{job}/steps").json()
    steps = server.client.get(f"/api/jobs/{job}/report").json()["explanation"]["steps"]
    assert found["sort"] == "explanation" and found["texts"] == [step["text"] for step in steps] and found["difficulty"]
    shown = [server.client.get(f"/api/jobs/{job}/steps/{number}").content for number in range(len(steps) + 1)]
    assert all(picture.startswith(b"<svg") for picture in shown) and len({*shown}) == len(shown)
    refused(server.client.get(f"/api/jobs/{job}/steps/{len(steps) + 1}"), 404, "not_found", "no step")
    assert server.client.get(f"/api/jobs/{job}/board").json() == {"cells": None, "hints": []}


def test_a_play_move_by_move(server: Server) -> None:
    job = server.submit(text="flood-small", solver="flood-search")
    server.wait(job)
    moves = server.client.get(f"/api/jobs/{job}/solution").json()["moves"]
    assert server.client.get(f"/api/jobs/{job}/steps").json() == {"sort": "moves", "texts": moves, "difficulty": None}
    for number in (0, 1, len(moves)):
        puzzle = dovetail.read("flood-small")
        drawn = dovetail.draw(puzzle, Moves(tuple(moves[:number])) if number else None).svg()
        assert server.client.get(f"/api/jobs/{job}/steps/{number}").content == drawn


def test_where_pieces_lie_and_which_hints_are_taken(server: Server) -> None:
    job = server.submit(text="gapped-3x3", time_s=10)
    server.wait(job)
    found = server.client.get(f"/api/jobs/{job}/board").json()
    assert found["hints"] == ["pins", "locked"]
    cells = found["cells"]
    assert (cells["rows"], cells["cols"], cells["left"], cells["top"], cells["step_x"]) == (3, 3, 0, 0, 44)
    drawn = Image.open(io.BytesIO(server.client.get(f"/api/jobs/{job}/picture?form=png").content))
    assert drawn.size == (2 * cells["step_x"] + cells["width"], 2 * cells["step_y"] + cells["height"])
    solution = server.client.get(f"/api/jobs/{job}/solution").json()
    pin = {"piece": solution["pieces"][0][0], "row": 2, "column": 2}
    again = server.submit(text="gapped-3x3", time_s=10, hints={"pins": [pin]})
    assert server.wait(again)["passes"]
    assert server.client.get(f"/api/jobs/{again}/solution").json()["pieces"][1][1] == pin["piece"]
    hints = {"pins": [pin, {**pin, "row": 1}]}
    asked = {"text": "gapped-3x3", "hints": hints}
    refused(server.client.post("/api/jobs", json=asked), 422, "bad_input", "contradict")


def test_what_an_ended_job_refuses(server: Server, solved: str) -> None:
    for verb in ("pause", "resume", "stop", "cancel"):
        refused(server.client.post(f"/api/jobs/{solved}/{verb}"), 409, "conflict")
    refused(server.client.post(f"/api/jobs/{solved}/more-time", json={"seconds": 5}), 409, "conflict")
    refused(server.client.get(f"/api/jobs/{solved}/picture?what=confidence"), 404, "not_found")
    refused(server.client.get(f"/api/jobs/{solved}/frame"), 404, "not_found")
    refused(server.client.get(f"/api/jobs/{solved}/puzzle?format=none"), 422, "bad_usage")


@pytest.mark.parametrize("path", ["", "/report", "/solution", "/picture", "/links", "/progress", "/events", "/frame"])
def test_there_is_no_such_job(server: Server, path: str) -> None:
    refused(server.client.get(f"/api/jobs/{UNKNOWN}{path}"), 404, "not_found", "no such job")
    refused(server.client.get(f"/api/jobs/..%2f..{path}"), 404, "not_found")


@pytest.mark.parametrize(
    ("asked", "status", "code", "words"),
    [
        ({}, 422, "invalid_request", "either"),
        ({"text": "sudoku-9x9", "input": "0" * 64}, 422, "invalid_request", "either"),
        ({"input": "0" * 64}, 404, "not_found", "no such input"),
        ({"text": "sudoku-9x9", "solver": "none"}, 422, "bad_usage", "unknown solver"),
        ({"text": "sudoku-9x9", "solver": "assembler"}, 422, "refused", "does not solve"),
        ({"text": "sudoku-9x9", "time_s": -1}, 422, "invalid_request", "time_s"),
        ({"text": "sudoku-9x9", "time_s": 10**7}, 413, "too_large", "at most"),
        ({"text": "sudoku-9x9", "seed": -1}, 422, "invalid_request", "seed"),
        ({"text": "sudoku-9x9", "more": 1}, 422, "invalid_request", "more"),
        ({"text": "sudoku-9x9", "number": 2}, 422, "bad_usage", "number 2"),
        ({"text": "sudoku-9x9", "settings": {"none": 1}}, 422, "bad_usage", "unknown setting"),
        ({"text": "gapped-3x3", "settings": {"model": "/etc/passwd"}}, 422, "bad_usage", "cannot name files"),
        ({"text": "jigsaw-small", "hints": {"lock": "../solution.json"}}, 422, "bad_usage", "cannot name files"),
        ({"text": "/etc/passwd"}, 422, "bad_input", ""),
    ],
)
def test_what_is_not_taken_into_the_queue(server: Server, asked: Any, status: int, code: str, words: str) -> None:
    refused(server.client.post("/api/jobs", json=asked), status, code, words)


def test_not_even_json(server: Server) -> None:
    sent = {"content": b"{", "headers": {"content-type": "application/json"}}
    refused(server.client.post("/api/jobs", **sent), 422, "invalid_request")  # type: ignore[arg-type]
    refused(server.client.put("/api/jobs"), 405, "not_allowed")
    refused(server.client.get("/api/none"), 404, "not_found")


def test_generating(server: Server) -> None:
    asked = {"kind": "fifteen", "seed": 5, "settings": {"width": 3, "height": 3}, "truth": True}
    one, two = (server.client.post("/api/generate", json=asked).json() for _ in range(2))
    assert one == two and one["size"] == "3x3"
    checked = server.client.post("/api/check", json={"input": one["input"], "solution": one["truth"]}).json()
    assert checked["report"]["verdict"]["solved"] is True
    assert server.client.post("/api/generate", json={}).json()["seed"] >= 0
    refused(server.client.post("/api/generate", json={"kind": "none"}), 422, "bad_usage", "unknown kind")
    asked = {"kind": "jigsaw", "settings": {"image": "/etc/passwd"}}
    refused(server.client.post("/api/generate", json=asked), 422, "bad_usage", "cannot name files")
    asked = {"kind": "jigsaw", "settings": {"image": "passwd"}}
    refused(server.client.post("/api/generate", json=asked), 422, "bad_usage", "no picture")


def test_checking(server: Server) -> None:
    assert server.client.post("/api/check", json={"text": "tiles-6x6"}).json()["report"]["verdict"] is None
    for solution in ({}, {"shape": "moves", "moves": [1]}, "no solution", '{"shape":', "/etc/passwd"):
        asked = {"text": "sudoku-9x9", "solution": solution}
        refused(server.client.post("/api/check", json=asked), 422, "bad_input")


def test_many_puzzles_in_one_input(server: Server) -> None:
    line = "." * 80
    found = server.client.post("/api/read", content=f"1{line}\n2{line}\n".encode()).json()
    assert found["puzzles"] == 2 and found["sizes"] == ["9x9", "9x9"]
    job = server.submit(input=found["input"], number=2, solver="sat")
    assert server.wait(job)["passes"] and server.client.get(f"/api/jobs/{job}/solution").json()["values"][0] == 2


def test_a_page_elsewhere_gets_nowhere(server: Server) -> None:
    host = server.client.base_url.netloc.decode()
    assert server.client.post("/api/read", content=b"tiles-6x6", headers={"origin": f"http://{host}"}).is_success
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        refused(server.client.post("/api/jobs", json=LONG, headers=headers), 403, "foreign_origin")
    refused(server.client.get("/api/jobs", headers={"host": "evil.example"}), 403, "foreign_host")
