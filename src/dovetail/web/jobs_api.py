"""Routes about jobs: submit, steer, and take the answer away."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse

from .hub import Hub
from .limits import Limits
from .models import Board, Job, JobId, Jobs, Links, MoreTime, Points, State, Steps, Submit, Word
from .problems import Problem
from .puzzles_api import PICTURE, Form, input_of, picture_response
from .runner import Runner
from .store import ENDED, Store

FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


def shown_by(runner: Runner) -> Callable[[dict[str, Any]], Job]:
    """How a job of the store is shown: without what is long, with its place in the queue."""

    def shown(row: dict[str, Any]) -> Job:
        row = {"has_report": row.get("report") is not None, "has_solution": row.get("solution") is not None, **row}
        return Job(place=runner.place(row["id"]), **{name: row[name] for name in Job.model_fields if name in row})

    return shown


def routes(store: Store, hub: Hub, runner: Runner, limits: Limits) -> APIRouter:
    """All of them."""
    router = APIRouter(prefix="/api/jobs", tags=["jobs"])
    shown = shown_by(runner)

    def ended_with(job: str, what: str) -> Any:
        row = store.job(job)
        if row[what] is None:
            raise Problem("not_found", f"this job is {row['state']} and has no {what}")
        return row[what]

    async def enqueue(input_: str, data: bytes, asked: dict[str, Any]) -> Job:
        limits.refuse_queue(runner.waiting)
        if asked["time_s"] is None and asked["steps"] is None:
            asked["time_s"] = min(limits.default_time_s, limits.time_s)
        limits.refuse_time(asked["time_s"] or 0.0)
        about, _ = await runner.ask("prepare", asked, data)
        limits.refuse_queue(runner.waiting)
        job = store.add(input_, asked, about)
        runner.submit(job)
        return shown(store.job(job))

    @router.post("", status_code=201)
    async def submit(asked: Submit) -> Job:
        """Into the queue; whatever can be refused is refused now."""
        return await enqueue(*input_of(asked, store), asked.model_dump(exclude={"input", "text"}))

    @router.get("")
    async def jobs(
        most: Annotated[int, Query(ge=1, le=200)] = 50,
        before: Annotated[int | None, Query(ge=0, lt=2**62, description="only jobs with a smaller number")] = None,
        state: State | None = None,
    ) -> Jobs:
        """The latest first."""
        return Jobs(jobs=[shown(row) for row in store.jobs(most, before, state)])

    @router.get("/{job}")
    async def one(job: JobId) -> Job:
        """How a job is doing."""
        return shown(store.job(job))

    @router.delete("/{job}", status_code=204)
    async def delete(job: JobId) -> None:
        """End it if it runs, and forget it."""
        await runner.remove(job)

    @router.post("/{job}/pause", status_code=202)
    async def pause(job: JobId) -> Job:
        """After its current slice of work; the time it is paused does not count."""
        await runner.pause(job)
        return shown(store.job(job))

    @router.post("/{job}/resume", status_code=202)
    async def resume(job: JobId) -> Job:
        """Go on where it was paused."""
        await runner.resume(job)
        return shown(store.job(job))

    @router.post("/{job}/stop", status_code=202)
    async def stop(job: JobId) -> Job:
        """End it with the best so far, checked."""
        await runner.stop(job)
        return shown(store.job(job))

    @router.post("/{job}/more-time")
    async def more_time(job: JobId, asked: MoreTime) -> Job:
        """Raise its time."""
        await runner.more(job, asked.seconds)
        return shown(store.job(job))

    @router.post("/{job}/cancel")
    async def cancel(job: JobId) -> Job:
        """End it at once, whatever it has."""
        await runner.cancel(job)
        return shown(store.job(job))

    @router.post("/{job}/again", status_code=201)
    async def again(job: JobId) -> Job:
        """The same once more, as a new job."""
        row = store.job(job)
        return await enqueue(row["input"], store.input(row["input"]), row["request"])

    @router.get("/{job}/report")
    async def report(job: JobId) -> dict[str, Any]:
        """The report, as ``dovetail solve --json`` prints it."""
        return dict(ended_with(job, "report"))

    @router.get("/{job}/solution")
    async def solution(job: JobId) -> JSONResponse:
        """The solution file; of a job that still runs or was cut short, the best it has shown."""
        found = ended_with(job, "solution")
        return JSONResponse(found, headers={"content-disposition": 'attachment; filename="solution.json"'})

    @router.get("/{job}/progress")
    async def progress(job: JobId) -> Points:
        """Score over time."""
        store.job(job)
        return Points(points=store.points(job))

    @router.get("/{job}/frame", responses=PICTURE)
    async def frame(job: JobId) -> Response:
        """The board as it was last drawn, while the job runs and somebody follows it with ``board``."""
        store.job(job)
        if job not in hub.frames:
            raise Problem("not_found", "no board has been drawn; follow the job with board=true while it runs")
        return picture_response(*hub.frames[job])

    @router.get("/{job}/picture", responses=PICTURE)
    async def picture(
        job: JobId, what: Literal["puzzle", "answer", "confidence"] = "answer", form: Form = None
    ) -> Response:
        """The puzzle as given, the answer, or how sure it is of every part."""
        row = store.job(job)
        kept = store.picture(job, what, form)
        if kept is None:
            if what == "confidence" or (what == "answer" and row["solution"] is None):
                raise Problem("not_found", f"this job is {row['state']} and has no such picture of its {what}")
            said = {**row["request"], "form": form, "solution": row["solution"] if what == "answer" else None}
            answer, (data, *_) = await runner.ask("draw", said, store.input(row["input"]))
            kept = (answer["form"], data)
            if row["state"] in ENDED or what == "puzzle":
                store.keep_picture(job, what, *kept)
        return picture_response(*kept)

    @router.get("/{job}/steps")
    async def steps(job: JobId) -> Steps:
        """How the answer comes about: the moves of a play, or the steps of an explanation; none of all else."""
        row = store.job(job)
        explained = (row["report"] or {}).get("explanation")
        if explained is not None:
            texts = [step["text"] for step in explained["steps"]]
            return Steps(sort="explanation", texts=texts, difficulty=explained["difficulty"])
        if (row["solution"] or {}).get("shape") == "moves":
            return Steps(sort="moves", texts=[str(move) for move in row["solution"]["moves"]])
        return Steps(sort=None, texts=[])

    @router.get("/{job}/steps/{number}", responses=PICTURE)
    async def step(job: JobId, number: Annotated[int, Path(ge=0, le=10**6)]) -> Response:
        """A picture of how things stand after so many steps; of none, the puzzle as given."""
        row, known = store.job(job), await steps(job)
        if number > len(known.texts) or (number and known.sort is None):
            raise Problem("not_found", f"this answer has {len(known.texts)} steps, and no step {number}")
        if number == 0:
            return await picture(job, "puzzle")
        if known.sort == "explanation":
            kept = store.picture(job, f"step {number}")
            if kept is None:
                raise Problem("not_found", "of so long an explanation only the first steps are kept as pictures")
            return picture_response(*kept, lasting=True)
        played = {**row["solution"], "moves": row["solution"]["moves"][:number]}
        answer, (data, *_) = await runner.ask("draw", {**row["request"], "solution": played}, store.input(row["input"]))
        return picture_response(answer["form"], data, lasting=row["state"] in ENDED)

    @router.get("/{job}/board")
    async def board(job: JobId) -> Board:
        """Where the pieces lie in the picture of the answer, and what can be told of them before solving again."""
        row = store.job(job)
        if row["solution"] is None:
            raise Problem("not_found", f"this job is {row['state']} and has no solution")
        said = {**row["request"], "solution": row["solution"]}
        answer, _ = await runner.ask("board", said, store.input(row["input"]))
        return Board(**answer)

    @router.get("/{job}/puzzle", response_class=Response, responses=FILE)
    async def puzzle(job: JobId, format: Word = "json") -> Response:
        """The puzzle in one of its kind's formats."""
        row = store.job(job)
        _, (data, *_) = await runner.ask("convert", {**row["request"], "format": format}, store.input(row["input"]))
        named = {"content-disposition": 'attachment; filename="puzzle"'}
        return Response(data, media_type="application/octet-stream", headers=named)

    @router.get("/{job}/links")
    async def links(job: JobId) -> Links:
        """Links for players on the web: puzz.link and game ids of the puzzle, viewers of the solution."""
        row = store.job(job)
        answer, _ = await runner.ask("convert", row["request"], store.input(row["input"]))
        return Links(puzzle=answer["links"], solution=(row["report"] or {}).get("links", {}))

    return router
