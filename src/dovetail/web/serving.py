"""``dovetail serve``: refuse what is unsafe, start, say where, and end cleanly."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

from ..core.errors import BadUsage
from ..core.files import reason

END_S = 5  # for open streams to close


def default_folder() -> Path:
    """Where jobs are kept unless a folder is named."""
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "share") / "dovetail" / "web"


def serve(host: str, port: int, token: str | None, jobs: int | None, folder: Path | None) -> None:
    """Until Ctrl-C or SIGTERM."""
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError:
        raise BadUsage("dovetail serve needs the extra 'web': pip install 'dovetail[web]'") from None
    from .guard import refuse_open

    refuse_open(host, token)
    if jobs is None:
        jobs = max(1, os.cpu_count() or 1)
    if not 1 <= jobs <= 256:
        raise BadUsage(f"--jobs must be 1 to 256, not {jobs}")
    bound = _bound(host, port)
    from .api import application

    try:
        app = application(folder or default_folder(), token=token, jobs=jobs)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=END_S, limit_concurrency=500, lifespan="on", ws="none",
        )  # fmt: skip
        _server(config, bound).run(sockets=[bound])
    except KeyboardInterrupt:  # uvicorn has ended everything, and passes on what it was ended by
        print("dovetail: ended", file=sys.stderr)
    finally:
        bound.close()


def _bound(host: str, port: int) -> socket.socket:
    """Bound before anything else is loaded, so that a port that is taken is one sentence."""
    if not 0 <= port <= 65535:
        raise BadUsage(f"--port is a number from 0 to 65535, not {port}")
    try:
        found = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(
            family, kind, protocol
        )  # asyncio spares 40 ms an answer only where it is told that it is TCP
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        raise BadUsage(f"cannot listen on {host} port {port}: {reason(error)}") from None
    return bound


def _server(config: Any, bound: socket.socket) -> Any:
    """Uvicorn's, which says where it is once it answers."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            host, port = bound.getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            print(f"dovetail: http://{shown}:{port}/ (Ctrl-C ends it)", file=sys.stderr, flush=True)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            config.app.closing()
            await super().shutdown(sockets)

    return Server(config)
