"""``@kernel``: how every hot loop is compiled — cached on disk, without the GIL, C arithmetic, no bounds checks."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Any:
    """Compile for flat arrays. Under NUMBA_DISABLE_JIT the plain function comes back."""
    compiled = numba.njit(nogil=True, boundscheck=False, error_model="numpy")(function)
    if hasattr(compiled, "enable_caching"):
        # where no folder can be written to, it is compiled anew in every process, which takes a second or two
        with suppress(RuntimeError):
            compiled.enable_caching()
        _take_plain_numbers(compiled)
    return compiled


def _take_plain_numbers(compiled: Any) -> None:
    """Compile once for all whole numbers that other kernels hand over.

    For a constant numba would compile for that very number, and again for the next one; for what comes out of an array
    of 32 bits once more. They are handed over as 64 bits. What is linked together is optimised together, constants and
    all, so that nothing is lost.
    """
    types: Any = numba.types
    template = compiled.get_call_template

    def plain(kind: Any) -> Any:
        kind = types.unliteral(kind)
        return types.int64 if isinstance(kind, types.Integer) and kind.signed else kind

    def for_plain(args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return template(tuple(map(plain, args)), {name: plain(kind) for name, kind in keywords.items()})

    compiled.get_call_template = for_plain


def generic(function: Callable[..., Any]) -> Any:
    """Compile a hot loop that is given other kernels as arguments (the rules of a game, say).

    It becomes part of each kernel that calls it, line by line: handed over as values, kernels could not be cached.
    """
    return numba.njit(nogil=True, boundscheck=False, error_model="numpy", inline="always")(function)
