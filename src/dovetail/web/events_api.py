"""Following jobs: one stream of server-sent events for one job, or for several at once.

Browsers hold few connections to one server, so a page that shows several jobs follows them by one stream.
"""

import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from .hub import Hub
from .models import Job, JobId
from .problems import Problem
from .store import ENDED, Store

BEAT_S = 15.0  # a stream with nothing to say says that it is there
MOST_FOLLOWED = 16  # jobs by one stream
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}


def routes(store: Store, hub: Hub, shown: Callable[[dict[str, Any]], Job]) -> APIRouter:
    """Both of them."""
    router = APIRouter(prefix="/api", tags=["jobs"])

    def followed(jobs: tuple[str, ...], board: bool) -> StreamingResponse:
        for job in jobs:
            store.job(job)
        hub.refuse_full()
        return StreamingResponse(_stream(jobs, board), media_type="text/event-stream")

    @router.get("/jobs/{job}/events", response_class=StreamingResponse, responses=STREAM)
    async def follow(job: JobId, board: bool = False) -> StreamingResponse:
        """Follow a job: server-sent events ``job`` (first and at every change of state), ``progress`` and ``frame``.

        With ``board``, the board is drawn while you follow; each ``frame`` event says that a new one can be fetched.
        The stream ends after the ``job`` event of a job that has ended.
        """
        return followed((job,), board)

    @router.get("/events", response_class=StreamingResponse, responses=STREAM)
    async def follow_several(
        job: Annotated[list[JobId], Query(min_length=1, max_length=MOST_FOLLOWED, description="may be repeated")],
        board: bool = False,
    ) -> StreamingResponse:
        """Follow several jobs at once; ``id`` says which one an event is about. Ends when all of them have."""
        return followed(tuple(dict.fromkeys(job)), board)

    async def _stream(jobs: tuple[str, ...], board: bool) -> AsyncIterator[str]:
        number, open_ = 0, set(jobs)

        def event(job: str, name: str, said: dict[str, Any]) -> str:
            nonlocal number
            number += 1
            if name == "job":
                try:
                    now = shown(store.job(job))
                    said = now.model_dump()
                    if now.state in ENDED:
                        open_.discard(job)
                except Problem:
                    name = "removed"
                    open_.discard(job)
            return f"id: {number}\nevent: {name}\ndata: {json.dumps({'id': job, **said})}\n\n"

        # only here: a visitor who leaves before the first word would else be followed for ever
        follower = hub.follow(jobs, board)
        try:
            for job in jobs:
                yield event(job, "job", {})
            while open_:
                heard = await follower.next(BEAT_S)
                if not heard:
                    yield ": still here\n\n"
                for job, name, said in heard:
                    if name == "end":
                        return
                    if job in open_:
                        yield event(job, name, said)
        finally:
            hub.leave(follower)

    return router
