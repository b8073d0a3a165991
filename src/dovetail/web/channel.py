"""How server and workers talk: one JSON object and some bytes a message.

No pickle, so that neither must trust the other. A message is the length of its JSON, its JSON (with the lengths of what
follows), and what follows.
"""

import json
import math
import struct
from typing import IO, Any

Message = tuple[dict[str, Any], list[bytes]]
LENGTH = struct.Struct(">I")
LONGEST = 2**30  # of one part; nothing honest comes near


def packed(said: dict[str, Any], *parts: bytes) -> bytes:
    """As bytes."""
    head = json.dumps({**finite(said), "parts": [len(part) for part in parts]}, allow_nan=False).encode()
    return b"".join([LENGTH.pack(len(head)), head, *parts])


def received(stream: IO[bytes]) -> Message | None:
    """The next message of a blocking stream; None at its end."""
    first = _exactly(stream, LENGTH.size)
    head = None if first is None else _exactly(stream, LENGTH.unpack(first)[0])
    if head is None:
        return None
    said = json.loads(head)
    parts = []
    for length in said.pop("parts"):
        part = _exactly(stream, length)
        if part is None:
            return None
        parts.append(part)
    return said, parts


def finite(value: Any) -> Any:
    """The same with null where a number is none: JSON has no infinity, and browsers read no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    return finite(float(value))  # numpy's numbers


def _exactly(stream: IO[bytes], length: int) -> bytes | None:
    if length > LONGEST:
        return None
    data = stream.read(length)
    return data if len(data) == length else None
