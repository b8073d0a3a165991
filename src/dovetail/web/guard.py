"""Who may talk to the server: hosts, origins, the token, sizes; and the headers that bound what a browser may do.

Plain ASGI, so that event streams pass through it unbuffered.
"""

import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import urlsplit

from ..core.errors import BadUsage
from .limits import Limits
from .problems import Problem

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

COOKIE = "dovetail_token"
SHORTEST_TOKEN = 16  # characters; shorter ones can be guessed
SAFE = ("GET", "HEAD", "OPTIONS")
OPEN = ("/api/session",)  # without a token, since it takes one
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "geolocation=(), microphone=(), camera=(self)",
    "cache-control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def refuse_open(host: str, token: str | None) -> None:
    """Others are let in only with a token, and not with one that can be guessed."""
    if token is not None and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable()):
        raise BadUsage(f"a token has {SHORTEST_TOKEN} or more plain characters")
    if token is None and not is_loopback(host):
        raise BadUsage(f"{host} is reached from other machines: give a --token, or leave --host at 127.0.0.1")


class Guard:
    """Around the whole application."""

    def __init__(self, app: Any, limits: Limits, token: str | None) -> None:
        self.app, self.limits, self.token = app, limits, token
        self.closing: Callable[[], None] = lambda: None  # called before the server waits for open streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the size of the body watched and headers added."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        began = False

        async def guarded_send(message: MutableMapping[str, Any]) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                own = {key.lower() for key, _ in message["headers"]}
                more = [(key.encode(), value.encode()) for key, value in HEADERS.items() if key.encode() not in own]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        taken = 0

        async def guarded_receive() -> MutableMapping[str, Any]:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            self.limits.refuse_bytes(taken)
            return message

        try:
            self._refuse(scope, headers)
            await self.app(scope, guarded_receive, guarded_send)
        except Problem as problem:
            if not began:
                await _answer(problem, guarded_send)

    def _refuse(self, scope: Scope, headers: dict[str, str]) -> None:
        host = headers.get("host", "")
        if self.token is None and not is_loopback(_name_of(host)):  # a page elsewhere whose name was made to lead here
            raise Problem("foreign_host", "this server answers to loopback addresses only")
        if scope["method"] not in SAFE:
            origin = headers.get("origin")
            if origin is not None and urlsplit(origin).netloc != host:
                raise Problem("foreign_origin", "pages of other sites cannot use this server")
            if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
                raise Problem("foreign_origin", "pages of other sites cannot use this server")
        length = headers.get("content-length", "0")
        if length.isdecimal():
            self.limits.refuse_bytes(int(length))
        path = scope["path"]
        asked = path == "/api" or path.startswith("/api/")  # the page itself has no secrets, and asks for the token
        if self.token is not None and asked and path not in OPEN and not self._knows(headers):
            raise Problem("token_needed", "this server asks for its token, as 'Authorization: Bearer TOKEN'")

    def _knows(self, headers: dict[str, str]) -> bool:
        assert self.token is not None
        given = []
        scheme, _, value = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            given.append(value.strip())
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
            given += [] if cookie is None else [cookie.value]
        except CookieError:
            pass
        return any(same_token(one, self.token) for one in given)


def same_token(given: str, token: str) -> bool:
    """Compared in a time that does not tell how much of it is right."""
    return hmac.compare_digest(given.encode(), token.encode())


def _name_of(host: str) -> str:
    """Without the port."""
    return host[: host.rfind("]") + 1] if host.startswith("[") else host.split(":")[0]


async def _answer(problem: Problem, send: Send) -> None:
    body = json.dumps(problem.to_json()).encode()
    kind = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": problem.status, "headers": kind})
    await send({"type": "http.response.body", "body": body})
