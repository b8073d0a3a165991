"""Valid input, garbled the way its structure allows: bytes, texts, JSON trees, PNG chunks, ZIP archives."""

import io
import json
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Way: TypeAlias = Callable[[random.Random, bytes, Sequence[bytes]], bytes]

MOST_BYTES = 200_000  # of a garbled input; larger ones teach nothing new and take longer
PNG = b"\x89PNG\r\n\x1a\n"
NUMBERS = (
    "0", "-1", "1", "2", "00", "64", "65", "99", "255", "256", "1000", "4096", "65535", "65536", "2147483647",
    "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "999999999", "1e999", "-1e999", "NaN",
    "Infinity", "1e5", "0.5", "-0", "9" * 400, "9" * 5000, "٣", "²", "½", "１２", "0x10", "1_0",
)  # fmt: skip
ODD = ("\0", "\ufeff", "\u2028", "\x85", "\x1f", "\x0c", "\r", "\t", "٣", "²", "é", "\U0001f9e9", "\u202e", "%00", "\\",
       "'", '"', "<", "&", "../", ":", "/", ",", ";", "#", "x", "=", "\n", " ", "z", "Z", "-", "+", "{", "[", "(",
       "*")  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 3, 1.5, -0.0, 1e308, float("nan"), float("inf"), 10**30, 2**31, 2**63, "", "x",
    "1", "\0", "\ud800", "é" * 50, "x" * 2000, "\n", [], {}, [[]], [None], [0] * 50, {"": 0}, "../../etc/passwd",
    "/dev/zero",
)  # fmt: skip


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A few changes, one after the other."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(_ways(data))(rng, data, others)
    return data[:MOST_BYTES]


def _ways(data: bytes) -> Sequence[Way]:
    if data.startswith(PNG):
        return (*BYTES, _png, _png, _png, _png, _png, _png)
    if data.startswith(b"PK"):
        return (*BYTES, _zip, _zip, _zip, _zip, _zip, _zip)
    if b"\0" in data:
        return BYTES
    if data[:1] in (b"{", b"["):
        return (*BYTES, *TEXTS, *[_json] * 12)
    return (*BYTES, *TEXTS, *TEXTS)


def _spot(rng: random.Random, data: bytes) -> tuple[int, int]:
    """A stretch, mostly a short one."""
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((0, 1, 1, 2, 4, 16, len(data))))


def _flip(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    garbled = bytearray(data or b"\0")
    garbled[rng.randrange(len(garbled))] ^= 1 << rng.randrange(8)
    return bytes(garbled)


def _overwrite(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _spot(rng, data)
    return data[:start] + rng.randbytes(min(end - start, 64)) + data[end:]


def _cut(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _spot(rng, data)
    return data[:start] if rng.random() < 0.4 else data[:start] + data[end:]


def _repeat(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _spot(rng, data)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 20)) + data[end:]


def _splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = rng.choice(others) if others else data
    start, end = _spot(rng, other)
    here = rng.randrange(len(data) + 1)
    return data[:here] + other[start:end] + (data[here:] if rng.random() < 0.7 else b"")


def _nothing(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    here = rng.randrange(len(data) + 1)
    return data[:here] + b"\0" * rng.choice((1, 4, 100)) + data[here:]


def _blow_up(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A number of 16 or 32 bits, where some binary format may have a length."""
    number = struct.pack(rng.choice("<>") + rng.choice("HIi"), rng.choice((0, 1, 255, 32767)))
    if rng.random() < 0.6:
        number = rng.choice((b"\xff\xff", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\x00\x01\0\0"))
    here = rng.randrange(len(data) + 1)
    return data[:here] + number + data[here + len(number) :]


BYTES: Sequence[Way] = (_flip, _overwrite, _cut, _repeat, _splice, _nothing, _blow_up)


def _number(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    found = [*re.finditer(rb"-?[0-9]+(\.[0-9]+)?", data[:20_000])]
    if not found:
        return data + rng.choice(NUMBERS).encode()
    at = rng.choice(found)
    return data[: at.start()] + rng.choice(NUMBERS).encode() + data[at.end() :]


def _odd(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    here = rng.randrange(len(data) + 1)
    text = rng.choice(ODD).encode() * rng.choice((1, 1, 1, 3, 3000))
    return data[:here] + text + data[here + rng.choice((0, 1)) :]


def _lines(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    mark = rng.choice((b"\n", b"/", b",", b" ", b":", b";"))
    parts = data.split(mark)
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(4):
        case 0:
            parts[one], parts[other] = parts[other], parts[one]
        case 1:
            parts[one : one + 1] = [parts[one]] * rng.choice((2, 2, 3, 70))
        case 2:
            del parts[one]
        case _:
            parts[one] = b""
    return mark.join(parts)


TEXTS: Sequence[Way] = (_number, _number, _number, _odd, _odd, _lines, _lines)


def _json(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A change of the tree that a JSON text is; of many objects, one a line, the first."""
    first, _, rest = data.partition(b"\n")
    try:
        tree = json.loads(first)
    except (ValueError, RecursionError):
        return _number(rng, data, others)
    places: list[tuple[Any, Any]] = []
    _walk(tree, places)
    if not places:
        return json.dumps(rng.choice(VALUES)).encode()
    inside, key = rng.choice(places)
    match rng.randrange(8):
        case 0 if isinstance(inside, dict):
            del inside[key]
        case 0:
            inside.append(rng.choice(VALUES))
        case 1:
            other, there = rng.choice(places)
            inside[key] = other[there] if not _within(other[there], inside) else None
        case 2:
            inside[key] = [inside[key]]
        case 3 if isinstance(inside, dict):
            inside[rng.choice(("", "x" * 300, "\0", "kind", "shape", "rows", f"{key}s"))] = rng.choice(VALUES)
        case 4 if isinstance(inside[key], int):
            inside[key] += rng.choice((-1, 1, 2, 10, 10**6))
        case 5:
            return _twice_or_deep(rng, json.dumps(tree), str(key)) + b"\n" + rest
        case _:
            inside[key] = rng.choice(VALUES)
    return json.dumps(tree).encode() + b"\n" * bool(rest) + rest


def _twice_or_deep(rng: random.Random, text: str, key: str) -> bytes:
    """What a tree cannot say: a key twice, or nesting without end."""
    if rng.random() < 0.5:
        twice = "{" + f"{json.dumps(key)}: {json.dumps(rng.choice(VALUES))}, "
        return text.replace("{", twice, 1).encode()
    deep = rng.choice((50, 900, 3000, 60_000))
    opening = rng.choice(("[", '{"a":'))
    return (text[:-1] + f', "deep": {opening * deep}' + ("]" * deep if opening == "[" else "")).encode() + b"}"


def _walk(tree: Any, places: list[tuple[Any, Any]]) -> None:
    if len(places) > 2000:
        return
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    for key in keys:
        places.append((tree, key))
        _walk(tree[key], places)


def _within(tree: Any, part: Any) -> bool:
    """Whether putting the first into the second would close a circle."""
    below: list[tuple[Any, Any]] = []
    _walk(tree, below)
    return tree is part or any(inside[key] is part for inside, key in below)


def _png(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A change of one chunk, with a check sum that is right again."""
    chunks, at = [], len(PNG)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    if not chunks:
        return _flip(rng, data, others)
    one = rng.randrange(len(chunks))
    name, body = chunks[one]
    match rng.randrange(6):
        case 0:
            chunks.insert(rng.randrange(len(chunks) + 1), chunks[one])
        case 1:
            del chunks[one]
        case 2:
            chunks[one] = rng.choice((b"IHDR", b"IDAT", b"tEXt", b"zTXt", b"iTXt", b"PLTE", b"tRNS", b"acTL")), body
        case 3 | 4 if name in (b"tEXt", b"zTXt", b"iTXt") and b"\0" in body:
            key, _, text = body.partition(b"\0")
            chunks[one] = name, key + b"\0" + mutated(rng, text, others)
        case 4 if name == b"IHDR" and len(body) == 13:
            size = struct.pack(">II", *(rng.choice((0, 1, 2, 7, 64, 30_000, 2**31 - 1)) for _ in range(2)))
            chunks[0] = name, size + (body[8:] if rng.random() < 0.7 else rng.randbytes(5))
        case _:
            chunks[one] = name, rng.choice(BYTES)(rng, body, others)
    packed = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    return PNG + b"".join(packed)


def _zip(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """An archive with one file changed, added, renamed or lost."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = [(info.filename, archive.read(info)) for info in archive.infolist() if info.file_size < 10**6]
    except Exception:
        return _flip(rng, data, others)
    if not files:
        return _flip(rng, data, others)
    one = rng.randrange(len(files))
    name, body = files[one]
    odd = rng.choice(("../../x.png", "/etc/passwd", "a/../b.png", "\0.png", "x" * 300, "", "dovetail.json", "C:\\x.png",
                      "٣.png", "1-front.png", "1-back.png", ".hidden", "a/", "\n.png", "\u202epng.exe"))  # fmt: skip
    match rng.randrange(5):
        case 0:
            files[one] = odd, body
        case 1:
            files.append((odd, rng.choice(others) if others else body))
        case 2:
            del files[one]
        case _:
            files[one] = name, mutated(rng, body, others)
    packed = io.BytesIO()
    with zipfile.ZipFile(
        packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    ) as archive:
        for entry, body in {zipfile.ZipInfo(name).filename or "x": body for name, body in files}.items():
            archive.writestr(zipfile.ZipInfo(entry), body)
    return packed.getvalue()
