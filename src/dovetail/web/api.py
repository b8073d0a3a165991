"""The application: routes under /api with an OpenAPI description, the page, and every error in one shape."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from starlette.exceptions import HTTPException

from .. import __version__
from . import events_api, jobs_api, puzzles_api
from .guard import COOKIE, Guard, same_token
from .hub import Hub
from .limits import Limits
from .models import Failure, Session
from .problems import Problem
from .runner import Runner
from .store import Store

STATIC = Path(__file__).parent / "static"
MEDIA = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
OTHERS = {404: "not_found", 405: "not_allowed", 413: "too_large"}
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure}
    for status in (400, 401, 403, 404, 405, 409, 413, 422, 429, 500, 503)  # any route can meet its guard
}


def application(folder: Path, *, limits: Limits | None = None, token: str | None = None, jobs: int = 2) -> Guard:
    """Everything behind one ASGI callable. The folder is locked as long as it lives."""
    limits = limits or Limits()
    store = Store(folder, limits)
    hub = Hub(limits)
    runner = Runner(store, hub, limits, jobs)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await runner.start()
        loading = asyncio.create_task(puzzles_api.draw_gallery(store, runner))
        try:
            yield
        finally:
            loading.cancel()
            await asyncio.gather(loading, return_exceptions=True)
            await runner.end()
            store.close()

    app = FastAPI(
        title="Dovetail", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
        openapi_url="/api/openapi.json", responses=ERRORS, redirect_slashes=False,
        description="Puts pieces together: give it a puzzle, get a checked solution and a picture of it.",
    )  # fmt: skip
    _show_errors(app)
    app.include_router(puzzles_api.routes(store, runner, limits))
    app.include_router(jobs_api.routes(store, hub, runner, limits))
    app.include_router(events_api.routes(store, hub, jobs_api.shown_by(runner)))
    _add_page(app, token)
    guard = Guard(app, limits, token)
    guard.closing = hub.close
    return guard


def _add_page(app: FastAPI, token: str | None) -> None:
    @app.get("/api", tags=["server"])
    async def api() -> dict[str, str]:
        """Where the description is."""
        return {"name": "dovetail", "version": __version__, "openapi": "/api/openapi.json"}

    @app.post("/api/session", tags=["server"], status_code=204)
    async def session(asked: Session, response: Response) -> None:
        """For browsers: exchange the token for a cookie that scripts cannot read."""
        if token is None or not same_token(asked.token, token):
            raise Problem("token_needed", "this is not the token" if token else "this server asks for no token")
        response.set_cookie(COOKIE, token, httponly=True, samesite="strict", path="/")

    for file in sorted(STATIC.iterdir()):  # what there is when we start; no path of a visitor is ever opened
        if file.suffix in MEDIA:
            path = "/" if file.name == "page.html" else f"/{file.name}"
            app.add_api_route(path, _file(file), include_in_schema=False, response_class=FileResponse)


def _file(file: Path) -> Any:
    async def answer() -> FileResponse:
        return FileResponse(file, media_type=MEDIA[file.suffix])

    return answer


def _show_errors(app: FastAPI) -> None:
    """One shape for all; what we did not foresee says so, and nothing else."""

    def response(problem: Problem, status: int | None = None) -> JSONResponse:
        return JSONResponse(problem.to_json(), status_code=status or problem.status)

    @app.exception_handler(Problem)
    async def problem_met(_: Request, problem: Problem) -> JSONResponse:
        return response(problem)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return response(Problem("invalid_request", f"{where}: {first['msg']}" if where else str(first["msg"])))

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> JSONResponse:
        code = OTHERS.get(error.status_code, "invalid_request")
        return response(Problem(code, str(error.detail)), error.status_code)

    @app.exception_handler(sqlite3.Error)
    async def not_kept(_: Request, error: sqlite3.Error) -> JSONResponse:
        return response(Problem("store", f"jobs cannot be kept or read just now: {error}"))

    @app.exception_handler(Exception)
    async def unforeseen(_: Request, error: Exception) -> JSONResponse:
        return response(Problem("internal", f"internal error, please report it: {type(error).__name__}"))
