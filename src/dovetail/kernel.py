"""``@kernel``: how every hot loop is compiled — cached on disk, without the GIL, C arithmetic, no bounds checks."""

import gc
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba

# nobody calls kernels by their address, as C would
OPTIONS: Any = {"nogil": True, "boundscheck": False, "error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile for flat arrays. Under NUMBA_DISABLE_JIT the plain function comes back."""
    compiled = numba.njit(**OPTIONS)(function)
    if hasattr(compiled, "enable_caching"):
        # where no folder can be written to, it is compiled anew in every process, which takes a second or two
        with suppress(RuntimeError):
            compiled.enable_caching()
        _take_plain_numbers(compiled)
        _compile_undisturbed(compiled)
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


def _compile_undisturbed(compiled: Any) -> None:
    """Look for garbage less often meanwhile: of the millions of objects made little is, and it takes a seventh."""
    compile_ = compiled.compile

    def undisturbed(signature: Any) -> Any:
        with _SELDOM_SWEPT:
            return compile_(signature)

    compiled.compile = undisturbed


class _SeldomSwept:
    """As long as any thread is inside, Python looks for garbage only after so many new objects."""

    OBJECTS = 100_000

    def __init__(self) -> None:
        self.lock, self.inside, self.before = threading.Lock(), 0, gc.get_threshold()

    def __enter__(self) -> None:
        with self.lock:
            if not self.inside:
                self.before = gc.get_threshold()
                if self.before[0]:  # 0: somebody wants it never
                    gc.set_threshold(max(self.OBJECTS, self.before[0]), *self.before[1:])
            self.inside += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.inside -= 1
            if not self.inside:
                gc.set_threshold(*self.before)


_SELDOM_SWEPT = _SeldomSwept()


def generic(function: Callable[..., Any]) -> Any:
    """Compile a hot loop that is given other kernels as arguments (the rules of a game, say).

    It becomes part of each kernel that calls it, line by line: handed over as values, kernels could not be cached.
    """
    return numba.njit(**OPTIONS, inline="always")(function)


@kernel
def overwrite(into: Any, values: Any) -> None:
    """``into[:] = values``, for rows of one length.

    By itself numba adds what to say if they differ, and that takes longer to compile than most kernels do.
    """
    for i in range(len(values)):
        into[i] = values[i]
