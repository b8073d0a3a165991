"""One job in a worker: driven slice by slice, paused, stopped or given more time between two of them.

Progress goes out at most ten times a second. The board is drawn only while somebody watches, and drawing takes no more
than a fifth of the time.
"""

import dataclasses
import queue
import time
from typing import TYPE_CHECKING, Any

from .. import answers, pipeline
from ..core.kind import Explained
from ..core.puzzle import Solution, solution_to_json
from ..core.solver import Progress
from . import requests

if TYPE_CHECKING:
    from .worker import Worker

EVERY_S = 0.1  # between two messages of progress, and two frames
BEST_EVERY_S = 1.0  # between two of the best so far for the store
DRAWING_SHARE = 0.2


class Solving:
    """From a request to a checked answer."""

    def __init__(self, worker: "Worker", asked: dict[str, Any], data: bytes) -> None:
        self.worker, self.explain = worker, bool(asked.get("explain"))
        self.watched = bool(asked.get("watched"))
        begin = time.perf_counter()
        self.job = requests.job_of(data, asked, worker.limits)
        self.job.seconds.read = time.perf_counter() - begin
        self.paused_s = 0.0
        self._begin = time.monotonic()
        self._said_s = self._best_s = self._drawn_s = 0.0
        self._drawing_s = 0.0  # that the last frame took
        self._best: float | None = None
        self._unsaid: Solution | None = None  # the best so far that the server does not have yet
        self._last: Solution | None = None  # what the last frame showed
        self._rate_from = (0.0, 0)

    def run(self) -> None:
        """All of it; the last message is ``done``."""
        job = self.job
        self.worker.say("warming", solver=job.solver.name, why=job.why)
        job.warm_up()
        self._begin = time.monotonic()
        self.worker.say("solving")
        for event in job:
            self._obey()
            self._tell(event)
        job.seconds.solve = max(0.0, job.seconds.solve - self.paused_s)
        self._finish(job.answer)

    @property
    def elapsed_s(self) -> float:
        """Seconds of solving, without those it was paused."""
        return time.monotonic() - self._begin - self.paused_s

    def _obey(self) -> None:
        """Do what the server said meanwhile; while paused, wait for what it says next."""
        waiting_since: float | None = None
        while True:
            try:
                said, _ = self.worker.inbox.get(block=waiting_since is not None)
            except queue.Empty:
                return
            match said["do"]:
                case "pause" if waiting_since is None:
                    waiting_since = time.monotonic()
                    self.worker.say("paused")
                case "watch":
                    self.watched = said["on"]
                case "more":
                    self._more(said["seconds"])
                    self.job.budget = dataclasses.replace(self.job.budget, wall_s=said["time_s"])
                case "stop":
                    self.job.cancel()
            if waiting_since is not None and said["do"] in ("resume", "stop"):
                waited = time.monotonic() - waiting_since
                waiting_since = None
                self.paused_s += waited
                self._more(waited)  # the clock ran on
                self.worker.say("resumed")

    def _more(self, seconds: float) -> None:
        clock = self.job.clock
        assert clock is not None
        if clock.budget.wall_s is not None:
            clock.budget = dataclasses.replace(clock.budget, wall_s=clock.budget.wall_s + seconds)

    def _tell(self, event: Progress) -> None:
        now = time.monotonic()
        if event.solution is not None and (self._best is None or event.best > self._best):
            self._best, self._unsaid = event.best, event.solution
        if self._unsaid is not None and now - self._best_s >= BEST_EVERY_S:
            self.worker.say("best", solution=solution_to_json(self._unsaid, self.job.puzzle))
            self._unsaid, self._best_s = None, now
        if now - self._said_s >= EVERY_S:
            self._said_s = now
            self.worker.say("progress", progress=self._progress(event))
        if self.watched and now - self._drawn_s >= max(EVERY_S, self._drawing_s / DRAWING_SHARE):
            self._show(event)

    def _progress(self, event: Progress) -> dict[str, Any]:
        """As JSON types, with the rate since the last time."""
        at_s = self.elapsed_s
        from_s, steps = self._rate_from
        rate = (event.steps - steps) / (at_s - from_s) if at_s > from_s else None
        self._rate_from = (at_s, event.steps)
        return {
            "at_s": round(at_s, 3), "steps": event.steps, "unit": event.unit, "rate": rate, "best": event.best,
            "goal": event.goal, "best_name": event.best_name, "details": dict(event.details),
        }  # fmt: skip

    def _show(self, event: Progress) -> None:
        """The board as it is now, if it is another than the last one shown."""
        from .worker import picture_of

        begin = time.monotonic()
        if event.view is not None:
            drawing = event.view()
        elif event.solution is not None and event.solution != self._last:
            self._last = event.solution
            drawing = pipeline.draw(self.job.puzzle, event.solution)
        else:
            return
        form, data = picture_of(drawing)
        self._drawn_s = time.monotonic()
        self._drawing_s = self._drawn_s - begin
        self.worker.say("frame", data, form=form)

    def _finish(self, answer: pipeline.Answer) -> None:
        """Verdict, report, solution, pictures."""
        from .worker import picture_of

        puzzle, solution, sure = self.job.puzzle, answer.solution, answer.outcome.confidence
        pictures: dict[str, tuple[str, bytes]] = {}
        begin = time.perf_counter()
        if solution is not None:
            pictures["answer"] = picture_of(pipeline.draw(puzzle, solution))
            if sure is not None:
                pictures["confidence"] = picture_of(pipeline.draw_confidence(puzzle, solution, sure))
        answer.report.seconds.draw = time.perf_counter() - begin
        words, *_ = answers.describe(answer, ["nothing"]).split("\n")
        more = [*([] if sure is None else [sure.words]), *answer.verdict.violations[:3], *answer.verdict.remarks]
        said = {
            "words": answer.failure or ". ".join([words, *more]),
            "passes": answer.passes,
            "failed": bool(answer.failure),
            "solution": None if solution is None else solution_to_json(solution, puzzle),
            "pictures": [[name, form] for name, (form, _) in pictures.items()],
        }
        drawn = [data for _, data in pictures.values()]
        if self.explain and answer.passes:
            # explaining may take longer than solving: should it be cut short, the answer is there
            self.worker.say("answer", *drawn, **said, report=answer.report.to_json())
            explained = pipeline.explain(puzzle)
            self._show_steps(explained)
            steps = [{"text": step.text, **step.data} for step in explained.steps]
            answer.report.explanation = {"difficulty": explained.difficulty, "steps": steps}
        self.worker.say("done", *drawn, **said, report=answer.report.to_json())

    def _show_steps(self, explained: Explained) -> None:
        """A picture of every step, as far as there is room for them."""
        from .worker import picture_of

        room = self.worker.limits.step_bytes
        for number, step in enumerate(explained.steps, start=1):
            form, data = picture_of(step.draw())
            room -= len(data)
            if room < 0:
                return
            self.worker.say("step", data, number=number, form=form)
