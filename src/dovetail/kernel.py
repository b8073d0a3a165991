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
    return compiled


def generic(function: Callable[..., Any]) -> Any:
    """Compile a hot loop that is given other kernels as arguments (the rules of a game, say).

    It becomes part of each kernel that calls it, line by line: handed over as values, kernels could not be cached.
    """
    return numba.njit(nogil=True, boundscheck=False, error_model="numpy", inline="always")(function)
