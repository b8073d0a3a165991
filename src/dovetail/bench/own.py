"""Benchmarks on anyone's pictures: ``dovetail bench KIND --set images=FOLDER …`` needs no suite file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import registry, settings
from ..core.errors import BadUsage
from ..core.files import check_writable
from ..core.settings import setting
from ..core.solver import Budget
from .columns import BAGS, GAPPED, USUAL
from .pictures import BUILT_IN
from .suites import Case, Suite

SMALL = {"gapped": GAPPED}  # kinds of puzzles that are solved sooner than a process begins, and what their tables show


@dataclass(frozen=True)
class Asked:
    """What can be set beside the settings of the kind's generator and of the solver."""

    images: str = setting(
        "", "a folder or TAR archive of pictures, or one picture, or built-in: and names with commas between them"
    )
    first: int | None = setting(None, "only so many of them, by name", least=1)
    group: int = setting(1, "so many pictures in one bag", least=1)
    type: str | None = setting(None, "1: the pieces lie upright, 2: they are turned", choices=("1", "2"))
    solver: str = setting(registry.AUTO, "the solver")
    seeds: int = setting(1, "puzzles made of each picture", least=1)
    time: float | None = setting(None, "seconds for each, as for solve", least=0)
    steps: int | None = setting(None, "steps for each, as for solve", least=0)
    together: bool | None = setting(
        None, f"all pictures in one process, as usual for {', '.join(SMALL)}; else one for each and every step"
    )
    results: str | None = setting(None, "append the raw rows to this file")


def suite(kind: str, given: Mapping[str, Any]) -> Suite:
    """A suite of one case; every setting that nobody would take is refused now."""
    if not given.get("images"):
        raise BadUsage("bench takes settings together with images=FOLDER, for pictures of your own")
    own, making = settings.names(Asked), settings.names(registry.kind(kind).making_type)
    asked = settings.fill(Asked, {key: value for key, value in given.items() if key in own})
    make = {key: value for key, value in given.items() if key in making and key not in own}
    if "image" in make:
        raise BadUsage("bench takes images=FOLDER, and image not beside it")
    if asked.type is not None:
        if "rotate" in make:
            raise BadUsage("type and rotate say the same: set one of them")
        make["rotate"] = "true" if asked.type == "2" else "false"
    rest = {key: value for key, value in given.items() if key not in (*own, *making)}
    _check_solver(kind, asked.solver, rest, making)
    Budget(asked.time, asked.steps)
    results = None if asked.results is None else Path(asked.results)
    if results is not None:
        check_writable(results)
    pictures = asked.images if asked.images.startswith(BUILT_IN) else Path(asked.images).resolve().name
    bags = [f"bags of {asked.group}"] if asked.group > 1 else []
    name = ", ".join([pictures, *bags, asked.solver, *(f"{k}={v}" for k, v in {**make, **rest}.items())])
    case = Case(
        name, solver=asked.solver, seeds=asked.seeds, time_s=asked.time, steps=asked.steps, set=rest,
        images=asked.images, first=asked.first, group=asked.group, kind=kind, make=make,
        together=kind in SMALL if asked.together is None else asked.together,
    )  # fmt: skip
    title = f"{registry.kind(kind).title}: pictures of your own"
    return Suite(kind, title, None, None, (case,), results, BAGS if asked.group > 1 else SMALL.get(kind, USUAL))


def _check_solver(kind: str, name: str, given: Mapping[str, Any], making: list[str]) -> None:
    """Some solver of that name must take these settings; with ``auto``, some solver at all."""
    offered = registry.solvers(registry.kind(kind).family)
    named = [solver for solver in offered if name in (registry.AUTO, solver.name)]
    if not named:
        own = ", ".join([registry.AUTO, *(solver.name for solver in offered)])
        raise BadUsage(f"unknown solver {name!r} for {kind} puzzles; these are there: {own}")
    known = [key for solver in named for key in settings.names(solver.settings_type)]
    for key in given:
        if key not in known:
            raise BadUsage(settings.unknown_setting(key, dict.fromkeys([*settings.names(Asked), *making, *known])))
    if len(named) == 1:
        settings.fill(named[0].settings_type, given)
