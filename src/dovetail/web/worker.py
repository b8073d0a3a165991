"""A worker process: ``python -m dovetail.web.worker``. Reads, makes, checks, draws and solves for the server.

It listens on standard input and answers on what was standard output, one message at a time (channel.py). It lives in
an empty folder and ends when its server does. Whatever a hostile upload does to it, the server lets it go and starts
another.
"""

import dataclasses
import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from ..core.errors import DovetailError
from . import requests
from .channel import Message, packed, received
from .limits import Limits, refuse_paths
from .problems import Problem, code_of, shortened

SLACK = 4 * 2**30  # bytes of memory that is only reserved, never used: stacks of threads, compiled code
MOST_SVG = 400_000  # bytes; a picture of more shapes than that is sent as pixels
MOST_SMALL = 40_000  # bytes of a picture that can stand in the gallery as it is


def main() -> None:
    """Serve until the server hangs up."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints must not get between messages
    said, _ = received(sys.stdin.buffer) or sys.exit(0)
    limits = Limits(**said["limits"])
    _bound_memory(limits)
    _give_way(said["nice"])
    inbox: queue.Queue[Message] = queue.Queue()
    worker = Worker(limits, answers, inbox)
    threading.Thread(target=_listen, args=(sys.stdin.buffer, worker), daemon=True).start()
    from ..core import registry

    registry.solver_names()  # so that the first request finds everything loaded
    worker.say("ready")
    while True:
        worker.serve(*inbox.get())


class Worker:
    """Does one thing at a time."""

    def __init__(self, limits: Limits, answers: IO[bytes], inbox: "queue.Queue[Message]") -> None:
        self.limits, self._answers, self.inbox = limits, answers, inbox
        self.stop: Callable[[], None] | None = None  # what ends the running job; safe from another thread

    def say(self, event: str, *parts: bytes, **said: Any) -> None:
        """Tell the server."""
        message = memoryview(packed({"event": event, **said}, *parts))
        while len(message):
            message = message[self._answers.write(message) :]

    def serve(self, asked: dict[str, Any], parts: list[bytes]) -> None:
        """One request, answered by exactly one ``done`` or ``error``."""
        verb = asked.pop("do")
        try:
            if verb == "solve":
                from .solving import Solving

                job = Solving(self, asked, parts[0])
                self.stop = job.job.cancel
                job.run()
            elif verb in VERBS:
                answer, pictures = VERBS[verb](self, asked, parts)
                self.say("done", *pictures, **answer)
            # anything else was meant for a job that has just ended
        except Problem as problem:
            self.say("error", code=problem.code, sentence=problem.sentence)
        except DovetailError as error:
            self.say("error", code=code_of(error), sentence=shortened(str(error)))
        except MemoryError:
            self.say("error", code="memory", sentence=f"this takes more than {self.limits.memory_mb:g} MB of memory")
        except RecursionError:
            self.say("error", code="bad_input", sentence="this is nested too deeply")
        except Exception as error:
            if os.environ.get("DOVETAIL_DEBUG"):
                import traceback

                traceback.print_exc()
            self.say("error", code="internal", sentence=f"internal error, please report it: {type(error).__name__}")
        finally:
            self.stop = None


def _read(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    puzzles, _ = requests.puzzles_of(parts[0], asked, worker.limits)
    said = requests.described(puzzles, asked.get("number") or 1, parts[0])
    return {**said, "settings": asked.get("settings") or {}}, []


def _prepare(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    job = requests.job_of(parts[0], asked, worker.limits)
    puzzle = job.puzzle
    return {
        "kind": puzzle.kind, "size": puzzle.size, "digest": puzzle.digest, "solver": job.solver.name, "why": job.why,
    }, []  # fmt: skip


def _make(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    from .. import pipeline, reading
    from ..core.puzzle import solution_to_json

    refuse_paths(asked["settings"])
    puzzle, answer = pipeline.make(asked["kind"], asked["seed"], asked["settings"])
    worker.limits.refuse_pieces(puzzle)
    truth = reading.to_json_bytes(solution_to_json(answer, puzzle))
    return requests.described([puzzle]), [reading.to_json_bytes(puzzle.to_json()), truth]


def _check(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    from .. import answers, pipeline

    puzzle, _ = requests.puzzle_of(parts[0], asked, worker.limits)
    truth = None if asked.get("truth") is None else requests.solution_of(asked["truth"], puzzle)
    if asked.get("solution") is None:
        report = pipeline.known(puzzle)
    else:
        report = pipeline.checked(puzzle, requests.solution_of(asked["solution"], puzzle), truth)
    return {"report": report.to_json(), "words": answers.describe_check(report)}, []


def _draw(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    from .. import pipeline

    puzzle, _ = requests.puzzle_of(parts[0], asked, worker.limits)
    solution = None if asked.get("solution") is None else requests.solution_of(asked["solution"], puzzle)
    drawing = pipeline.draw(puzzle, solution)
    form, data = picture_of(drawing, asked.get("form"))
    if asked.get("most_px") and len(data) > MOST_SMALL:
        form, data = "webp", _small(drawing, asked["most_px"])
    return {"form": form}, [data]


def _board(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    from ..core import registry

    puzzle, _ = requests.puzzle_of(parts[0], {**asked, "hints": None}, worker.limits)
    solution = requests.solution_of(asked["solution"], puzzle)
    cells = registry.kind(puzzle.kind).cells(puzzle, solution)
    shown = None if cells is None else dataclasses.asdict(cells)
    return {"cells": shown, "hints": requests.hints_taken(puzzle, solution)}, []


def _convert(worker: Worker, asked: dict[str, Any], parts: list[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    from .. import pipeline

    puzzle, _ = requests.puzzle_of(parts[0], asked, worker.limits)
    if asked.get("format") is None:
        return {"links": requests.puzzle_links(puzzle)}, []
    return {}, [pipeline.convert(puzzle, asked["format"])]


VERBS = {
    "read": _read, "prepare": _prepare, "make": _make, "check": _check, "draw": _draw, "board": _board,
    "convert": _convert,
}  # fmt: skip


def picture_of(drawing: Any, form: str | None = None) -> tuple[str, bytes]:
    """In the form asked for, else as vectors where these are the lighter."""
    if form == "png":
        return "png", drawing.png()
    vectors: bytes = drawing.svg()
    if form is None and (len(vectors) > MOST_SVG or b"<image " in vectors[:2000]):
        return "png", drawing.png()
    return "svg", vectors


def _small(drawing: Any, most_px: int) -> bytes:
    """A thumbnail."""
    import io

    from PIL import Image

    image = Image.open(io.BytesIO(drawing.png())).convert("RGB")
    image.thumbnail((most_px, most_px), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.save(file, "WEBP", quality=85)
    return file.getvalue()


def _listen(stream: IO[bytes], worker: Worker) -> None:
    """Messages may come while work is done; stopping does not wait for its next slice. Without a server, we end."""
    while (message := received(stream)) is not None:
        if message[0]["do"] == "stop" and worker.stop is not None:
            worker.stop()
        worker.inbox.put(message)
    os._exit(0)


def _bound_memory(limits: Limits) -> None:
    """A bound that no sudden allocation gets past; the server looks at what is really held (runner.py)."""
    try:
        import resource

        most = int(limits.memory_mb * 2**20) + SLACK
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # a system without: the server still looks
        return


def _give_way(nice: int) -> None:
    """So much behind the server. A worker is a session of its own, and Linux may count nice within sessions only."""
    os.nice(nice)
    try:
        servers = int(Path(f"/proc/{os.getppid()}/autogroup").read_text().split()[-1])
        Path("/proc/self/autogroup").write_text(str(min(19, servers + nice)))
    except (OSError, ValueError, IndexError):  # a system without such groups, where nice is enough
        return


def settings_of(limits: Limits, nice: int) -> dict[str, Any]:
    """What a worker is told first."""
    return {"limits": dataclasses.asdict(limits), "nice": nice}


if __name__ == "__main__":
    main()
