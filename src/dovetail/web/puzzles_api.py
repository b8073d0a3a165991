"""Routes about puzzles: what there is, recognise, generate, check. All work is done by workers."""

import asyncio
import contextlib
import json
import secrets
import threading
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from starlette.requests import ClientDisconnect

from .. import __version__, listing
from ..core import registry
from ..core.kind import Kind
from .limits import Limits
from .models import Check, Checked, Generate, Given, Recognised, Word
from .problems import Problem
from .runner import Runner
from .store import Store

MEDIA = {"svg": "image/svg+xml", "png": "image/png", "webp": "image/webp"}
THUMBNAIL_PX = 240  # the longer side, in the gallery
LASTING = {"cache-control": "private, max-age=86400"}  # of what never changes
PICTURE_HEADERS = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"}
Form = Annotated[Literal["svg", "png"] | None, Query(description="the lighter one if none is named")]
PICTURE: dict[int | str, dict[str, Any]] = {200: {"content": {media: {} for media in MEDIA.values()}}}
_loading = threading.Lock()
SURPRISES = (
    "sudoku",
    "kakuro",
    "slitherlink",
    "lightup",
    "nonogram",
    "tiles",
    "samegame",
    "flood",
    "fifteen",
    "jigsaw",
)


def picture_response(form: str, data: bytes, lasting: bool = False) -> Response:
    """A picture that can do nothing, wherever it is opened."""
    return Response(data, media_type=MEDIA[form], headers={**PICTURE_HEADERS, **(LASTING if lasting else {})})


def input_of(given: Given, store: Store) -> tuple[str, bytes]:
    """The id and bytes of what a request is about."""
    if (given.input is None) == (given.text is None):
        raise Problem("invalid_request", "give either 'input' or 'text'")
    if given.input is not None:
        return given.input, store.input(given.input)
    assert given.text is not None
    data = given.text.encode(errors="replace")
    return store.keep_input(data), data


def listed(what: str) -> bytes:
    """Kinds or solvers as JSON. The first call loads them all: not in the event loop, and before anybody asks."""
    with _loading:
        return _listed(what)


@cache
def _listed(what: str) -> bytes:
    rows = listing.rows(what)
    if what == "kinds":
        rows = [{**row, **_shown(registry.kind(row["kind"]))} for row in rows]
    return json.dumps(rows).encode()


def _shown(kind: Kind) -> dict[str, Any]:
    """What the gallery adds: a sample to begin with, a picture of it, and whether more of its sort can be made."""
    picture = f"/api/kinds/{kind.name}/picture?version={__version__}"
    makes, explains = type(kind).make is not Kind.make, kind.can_explain()
    return {"demo": _demo(kind), "picture": picture, "makes": makes, "explains": explains}


def _demo(kind: Kind) -> str | None:
    return kind.demo or next(iter(kind.samples()), None)


async def thumbnail(kind: str, store: Store, runner: Runner) -> tuple[str, bytes]:
    """A small picture of a kind's sample, drawn once."""
    name = _demo(registry.kind(kind))
    if name is None:
        raise Problem("not_found", f"there is no built-in {kind} puzzle to show")
    kept = store.picture(f"kind {__version__}", kind)
    if kept is None:
        answer, (data, *_) = await runner.ask("draw", {"most_px": THUMBNAIL_PX}, name.encode())
        kept = (answer["form"], data)
        store.keep_picture(f"kind {__version__}", kind, *kept)
    return kept


async def draw_gallery(store: Store, runner: Runner) -> None:
    """All of them one after the other, before anybody asks, and leaving room for whoever does."""
    await asyncio.to_thread(listed, "kinds")
    for kind in registry.kind_names():
        with contextlib.suppress(Problem):  # then it is tried again when it is asked for
            await thumbnail(kind, store, runner)


def routes(store: Store, runner: Runner, limits: Limits) -> APIRouter:
    """All of them."""
    router = APIRouter(prefix="/api", tags=["puzzles"])

    @router.get("/kinds", response_model=list[dict[str, Any]])
    async def kinds() -> Response:
        """Every kind of puzzle, from the registry; ``picture`` shows the built-in puzzle named by ``demo``."""
        return Response(await asyncio.to_thread(listed, "kinds"), media_type="application/json")

    @router.get("/kinds/{kind}/picture", responses=PICTURE)
    async def kind_picture(kind: Word) -> Response:
        """A built-in puzzle of that kind, small."""
        if kind not in registry.kind_names():
            raise Problem("not_found", f"there is no kind {kind}")
        return picture_response(*await thumbnail(kind, store, runner), lasting=True)

    @router.get("/solvers", response_model=list[dict[str, Any]])
    async def solvers() -> Response:
        """Every solver and what can be set, from the registry."""
        return Response(await asyncio.to_thread(listed, "solvers"), media_type="application/json")

    @router.get("/limits")
    async def limits_() -> dict[str, int | float]:
        """What a visitor can use up."""
        return dict(vars(limits))

    @router.post(
        "/read",
        response_model_exclude_none=True,
        openapi_extra={
            "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}
        },
    )
    async def read(
        request: Request,
        kind: Word | None = None,
        set_: Annotated[
            list[str], Query(alias="set", max_length=64, description="a setting, key=value; may be repeated")
        ] = [],  # noqa: B006
    ) -> Recognised:
        """Recognise the body: a file's bytes as they are, a text, a link or a built-in name.

        What it is is told from the bytes; their name and declared type play no part.
        """
        try:
            data = await request.body()
        except ClientDisconnect:
            raise Problem("invalid_request", "the upload broke off") from None
        settings: dict[str, str] = {}
        for pair in set_:
            key, equals, value = pair.partition("=")
            if not equals or not key:
                raise Problem("invalid_request", f"set takes key=value, not {pair[:60]!r}")
            settings[key.strip().replace("-", "_")] = value.strip()
        if not data.strip():
            raise Problem("bad_input", "the upload is empty")
        answer, _ = await runner.ask("read", {"kind": kind, "settings": settings}, data)
        return Recognised(input=store.keep_input(data), **answer)

    @router.post("/describe", response_model_exclude_none=True)
    async def describe(asked: Given) -> Recognised:
        """The same of an input read before, perhaps with other settings; ``number`` says which puzzle of many."""
        name, data = input_of(asked, store)
        answer, _ = await runner.ask("read", asked.model_dump(exclude={"input", "text"}), data)
        return Recognised(input=name, **answer)

    @router.post("/generate", response_model_exclude_none=True)
    async def generate(asked: Generate) -> Recognised:
        """Make a puzzle; without a kind, whatever comes up."""
        kind = asked.kind or secrets.choice(SURPRISES)
        seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
        answer, (data, truth) = await runner.ask("make", {"kind": kind, "seed": seed, "settings": asked.settings})
        limits.refuse_bytes(len(data))
        shown = json.loads(truth) if asked.truth else None
        return Recognised(input=store.keep_input(data), seed=seed, truth=shown, **answer)

    @router.post("/check")
    async def check(asked: Check) -> Checked:
        """The independent verdict on a solution; without one, what is known of the puzzle."""
        _, data = input_of(asked, store)
        answer, _ = await runner.ask("check", asked.model_dump(exclude={"input", "text"}), data)
        return Checked(**answer)

    @router.post("/draw", responses=PICTURE)
    async def draw(asked: Check, form: Form = None) -> Response:
        """The puzzle, or a solution of it, as a picture."""
        _, data = input_of(asked, store)
        said = {**asked.model_dump(exclude={"input", "text", "truth"}), "form": form}
        answer, (picture, *_) = await runner.ask("draw", said, data)
        return picture_response(answer["form"], picture)

    return router
