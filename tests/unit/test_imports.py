"""Imports run one way, families never import each other, solvers share no code with checkers, start-up stays light."""

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import dovetail
from dovetail.core import registry
from dovetail.core.puzzle import Puzzle

SOURCE = Path(dovetail.__file__).parent
FAMILIES = ("jigsaw", "tiles", "grids", "moves")
# from the ground up: a module imports only from storeys below its own, or from its own package
STOREYS = (
    ("core",),
    ("picture", "kernel", "workers"),
    ("search", "cluster"),
    FAMILIES,
    ("reading",),
    ("pipeline",),
    ("terminal",),
    ("batch", "bench", "film"),
    ("answers",),
    ("listing", "showcase", "stopping", "options"),
    ("web",),
    ("lab",),
    ("cli",),
    ("__main__",),
)
STOREY = {part: height for height, parts in enumerate(STOREYS) for part in parts}


def modules() -> dict[str, Path]:
    """Every module by its dotted name below dovetail."""
    return {".".join(p.relative_to(SOURCE).with_suffix("").parts): p for p in SOURCE.rglob("*.py")}


def imported(name: str, path: Path) -> set[str]:
    """The dotted names below dovetail that a module imports, wherever in the file."""
    found = set()
    package = ["dovetail", *name.split(".")[:-1]]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{start}.{alias.name}" for alias in node.names}
    return {f.removeprefix("dovetail.") for f in found if f.startswith("dovetail.")} - {"__version__"}


def test_imports_run_one_way() -> None:
    wrong = []
    for name, path in modules().items():
        own = name.split(".")[0]
        if name == "__init__":  # the public calls, looked up lazily in the pipeline
            continue
        assert own in STOREY, f"{own} has no storey in the house; see docs/architecture.md"
        for other in imported(name, path):
            part = other.split(".")[0]
            if part != own and STOREY[part] >= STOREY[own]:
                wrong.append(f"{name} imports {other}")
    assert not wrong


def test_the_rule_sees_a_wrong_import(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("from ..pipeline import solve\ndef f():\n    from ..moves import rules\n    import dovetail.cli\n")
    assert imported("tiles.bad", path) == {"pipeline.solve", "moves.rules", "cli"}


def test_solvers_share_no_code_with_checkers() -> None:
    """What a solver's module imports from a module that holds a Kind is data: puzzle classes, aliases, constants."""
    kind_modules = {type(kind).__module__ for kind in registry.kinds()}
    solver_modules = {type(s).__module__ for family in registry.families() for s in registry.solvers(family)}
    assert kind_modules and solver_modules
    everything = modules()

    def reached(module: str, seen: set[str]) -> None:
        """The modules of the family a solver uses, stopping at kinds."""
        if module in seen:
            return
        seen.add(module)
        name = module.removeprefix("dovetail.")
        for other in imported(name, everything[name]):
            target = f"dovetail.{other.rsplit('.', 1)[0]}"
            if target in kind_modules:
                value = getattr(importlib.import_module(target), other.rsplit(".", 1)[1])
                assert not inspect.isfunction(value), f"{module} uses {other}, which the checker may use too"
                assert not inspect.isclass(value) or issubclass(value, Puzzle | tuple), f"{module} uses {other}"
            elif target.split(".")[1] in FAMILIES and target.removeprefix("dovetail.") in everything:
                reached(target, seen)

    for module in solver_modules & {f"dovetail.{name}" for name in everything}:
        reached(module, set())


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after running this."""
    script = f"import sys, json\n{code}\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


HEAVY = {
    "numpy",
    "numba",
    "onnx",
    "onnxruntime",
    "PIL",
    "scipy",
    "skimage",
    "torch",
    "ortools",
    "pysat",
    "shapely",
    "clarabel",
    "fastapi",
    "uvicorn",
    "dask",
    "distributed",
}


def test_importing_dovetail_loads_nothing_heavy() -> None:
    assert not loaded_by("import dovetail; dovetail.__version__") & (HEAVY | {"typer", "rich", "hypothesis"})


def test_the_registry_loads_nothing_heavy() -> None:
    """What every command does first: all kinds and all solvers, and whose puzzle a name is."""
    code = "from dovetail.core import registry\nregistry.solver_names()\nregistry.sample('tiles-6x6')"
    assert not loaded_by(code) & HEAVY


def test_help_loads_nothing_heavy() -> None:
    code = (
        "sys.argv = ['dovetail', '--help']\nfrom dovetail.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0"
    )
    assert not loaded_by(code) & HEAVY


def test_reading_and_checking_load_no_compiler() -> None:
    for name in ("terracotta-3x4", "tiles-6x6"):
        code = f"import dovetail\np = dovetail.read({name!r})\ndovetail.draw(p)"
        assert not loaded_by(code) & {"numba", "onnx", "onnxruntime", "ortools", "pysat"}
