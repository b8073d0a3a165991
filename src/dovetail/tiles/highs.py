"""Linear programs for HiGHS, through scipy, so that they can be stopped.

HiGHS lets other threads run while it works, but scipy has no way to interrupt it. A program that may take longer than
the time between two looks at the clock is therefore solved in a process of its own, which is killed when nobody wants
its answer any more; the answer is the same in either place.
"""

import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeAlias, TypeVar

from ..core.solver import Clock, Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LOOK_S = 0.05  # between two looks at the clock
SMALL = 6_000  # entries of a matrix up to which a program is solved at once, in a twentieth of a second or so
METHODS = {
    "ipm": ("highs-ipm", {}),  # interior point, then crossover to a vertex
    "centre": ("highs-ipm", {"run_crossover": "off"}),  # interior point alone: somewhere within the optimal face
    "simplex": ("highs-ds", {}),
}
T = TypeVar("T")
CHILD = "from dovetail.tiles.highs import serve; serve()"


@dataclass(frozen=True)
class LinearProgram:
    """Maximise ``objective`` · x where ``equal`` x = ``rhs``, ``below`` x <= ``limits`` and 0 <= x <= ``upper``."""

    objective: "Floats"  # [variables]
    equal: Any  # [rows, variables] scipy.sparse
    rhs: "Floats"  # [rows]
    below: Any = None  # [cuts, variables] scipy.sparse
    limits: "Floats | None" = None  # [cuts]
    upper: "Floats | None" = None  # [variables]
    method: str = "ipm"

    @property
    def entries(self) -> int:
        """Of both matrices."""
        return int(self.equal.nnz) + (0 if self.below is None else int(self.below.nnz))


@dataclass(frozen=True)
class Optimum:
    """What came out. ``unclear``: HiGHS gave up for numerical reasons, which proves nothing."""

    status: Literal["optimal", "infeasible", "unclear"]
    x: "Floats | None" = None  # [variables]
    duals: "Floats | None" = None  # [rows] by how much the minimum of −objective changes with each right-hand side


def watched(
    work: Generator[None, None, T], clock: Clock, say: Callable[[], Progress]
) -> Generator[Progress, None, T | None]:
    """The result of work that lets us say something now and then; None if the clock ran out meanwhile."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
        if clock.expired:
            return None
        yield say()


def run(program: LinearProgram) -> Optimum:
    """Solve here and now."""
    import warnings

    import numpy as np
    from scipy.optimize import OptimizeWarning, linprog

    method, options = METHODS[program.method]
    bounds: Any = (0, None)
    if program.upper is not None:
        bounds = np.stack([np.zeros_like(program.upper), program.upper], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimizeWarning)  # scipy passes run_crossover on, but calls it unknown
        found = linprog(
            -program.objective,
            A_ub=program.below,
            b_ub=program.limits,
            A_eq=program.equal,
            b_eq=program.rhs,
            bounds=bounds,
            method=method,
            options=options,
        )
    if found.status == 0:
        return Optimum("optimal", np.asarray(found.x), np.asarray(found.eqlin.marginals))
    return Optimum("infeasible" if found.status == 2 else "unclear")


@dataclass
class Highs:
    """Solves one program after another; its process, should one be needed, lives as long as the ``with`` block."""

    small: int = SMALL
    _child: "subprocess.Popen[bytes] | None" = field(default=None, init=False)
    _pool: ThreadPoolExecutor | None = field(default=None, init=False)

    def __enter__(self) -> "Highs":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def solve(self, program: LinearProgram, clock: Clock) -> Generator[None, None, Optimum | None]:
        """Yields while it waits, at least ten times a second; None if the clock ran out."""
        if program.entries <= self.small:
            return None if clock.expired else run(program)
        waiting = None
        while not clock.expired:
            waiting = waiting or self._submit(program)
            if wait([waiting], timeout=LOOK_S).done:
                answer = waiting.result()
                if isinstance(answer, Exception):
                    raise answer
                return answer
            yield
        self.stop()
        return None

    def stop(self) -> None:
        """End the process at once, whatever it is doing."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        if self._pool is not None:
            self._pool.shutdown()
        if self._child is not None:
            for pipe in (self._child.stdin, self._child.stdout):
                assert pipe is not None
                pipe.close()
        self._child = self._pool = None

    def _submit(self, program: LinearProgram) -> "Future[Optimum | Exception]":
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-c", CHILD],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # a Ctrl-C is for us; we tell the child
            )
            self._pool = ThreadPoolExecutor(1, "highs")
        assert self._pool is not None
        return self._pool.submit(_ask, self._child, program)


def _ask(child: "subprocess.Popen[bytes]", program: LinearProgram) -> Optimum | Exception:
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        _send(child.stdin, _packed(program))
        answer = _receive(child.stdout)
    except (EOFError, OSError):
        return RuntimeError("the process that solves the linear programs has ended")
    if "error" in answer:
        return RuntimeError(str(answer["error"]))
    status: Any = str(answer["status"])
    return Optimum(status, answer.get("x"), answer.get("duals"))


def serve(inlet: BinaryIO | None = None, outlet: BinaryIO | None = None) -> None:
    """What the process does: programs in, optima out, until the pipe closes."""
    inlet, outlet = inlet or sys.stdin.buffer, outlet or sys.stdout.buffer
    threading.Thread(target=_leave_with_parent, args=(os.getppid(),), daemon=True).start()
    while True:
        try:
            program = _unpacked(_receive(inlet))
        except EOFError:
            return
        try:
            found = run(program)
            answer: dict[str, Any] = {"status": found.status, "x": found.x, "duals": found.duals}
        except Exception as error:  # for the parent to raise
            answer = {"error": f"{type(error).__name__}: {error}"}
        _send(outlet, answer)


def _packed(program: LinearProgram) -> dict[str, Any]:
    """As plain arrays."""
    data = {name: getattr(program, name) for name in ("objective", "rhs", "limits", "upper", "method")}
    for name in ("equal", "below"):
        matrix = getattr(program, name)
        if matrix is not None:
            data |= {f"{name}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr", "shape")}
    return data


def _unpacked(data: "dict[str, NDArray[Any]]") -> LinearProgram:
    from scipy.sparse import csr_array

    def matrix(name: str) -> Any:
        if f"{name}_data" not in data:
            return None
        parts = tuple(data[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
        return csr_array(parts, shape=tuple(data[f"{name}_shape"].tolist()))

    return LinearProgram(
        data["objective"], matrix("equal"), data["rhs"], matrix("below"), data.get("limits"), data.get("upper"),
        str(data["method"]),
    )  # fmt: skip


def _send(pipe: Any, data: dict[str, Any]) -> None:
    """A message: its length, then its arrays; what is None is left out."""
    import numpy as np

    body = io.BytesIO()
    np.savez(body, **{name: value for name, value in data.items() if value is not None})
    pipe.write(len(body.getvalue()).to_bytes(8, "little"))
    pipe.write(body.getvalue())
    pipe.flush()


def _receive(pipe: Any) -> "dict[str, NDArray[Any]]":
    """A message; EOFError if the pipe closes before its end."""
    import numpy as np

    size = int.from_bytes(pipe.read(8), "little")
    body = pipe.read(size)
    if not size or len(body) < size:
        raise EOFError
    with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _leave_with_parent(parent: int) -> None:
    """A parent that was killed cannot tell us, and a large program would go on for long."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
