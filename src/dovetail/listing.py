"""What there is: kinds, solvers and suites, straight from the registry."""

from typing import Any

from .core import registry, settings
from .core.errors import BadUsage


def rows(what: str) -> list[dict[str, Any]]:
    """One row an entry."""
    if what == "kinds":
        return [
            {
                "kind": kind.name,
                "family": kind.family,
                "class": kind.puzzle_class,
                "title": kind.title,
                "rules": kind.rules,
                "rules_version": kind.rules_version,
                "solution": kind.solution_shape,
                "samples": [*kind.samples()],
                "formats": ["json", *(f.name for f in kind.formats())],
                "solvers": [s.name for s in registry.solvers(kind.family)],
                "read_settings": settings.describe(kind.reading_type),
                "make_settings": settings.describe(kind.making_type),
            }
            for kind in registry.kinds()
        ]
    if what == "solvers":
        return [
            {
                "solver": solver.name,
                "family": solver.family,
                "title": solver.title,
                "accepts": solver.accepts_text,
                "status": solver.status,
                "counts": solver.can_count(),
                "settings": settings.describe(solver.settings_type),
            }
            for family in registry.families()
            for solver in registry.solvers(family)
        ]
    if what == "suites":
        from .bench import suites

        return [{"suite": suite.name, "title": suite.title, "cases": len(suite.cases)} for suite in suites.load_all()]
    raise BadUsage(f"there are kinds, solvers and suites to list, not {what!r}")


def table(rows: list[dict[str, Any]]) -> str:
    """The rows for a person: a line each, settings below."""
    lines = []
    for row in rows:
        head, *others = row.items()
        lines.append(f"{head[1]}: {row['title']}")
        for key, value in others:
            if key == "title" or value in ([], None):
                continue
            if key.endswith("settings"):
                use = {"read_settings": "reading: ", "make_settings": "making: "}.get(key, "")
                lines += [f"    {use}--set {s['name']}={_default(s)}: {_help(s)}" for s in value]
            else:
                text = ", ".join(value) if isinstance(value, list) else value
                lines.append(f"    {key.replace('_', ' ')}: {text}")
    return "\n".join(lines)


def classes() -> str:
    """Which kinds are of which class: table 1 of Kiarostami et al. 2021, for the kinds there are."""
    marks = {"A": "X", "B": "   X", "AB": "X  X  X", "C": "          X"}
    named = [kind for kind in registry.kinds() if kind.puzzle_class is not None]
    width = max((len(kind.name) for kind in named), default=0)
    lines = [f"{kind.name:{width}}  {marks[kind.puzzle_class or 'A']}" for kind in named]
    return "\n".join(["", "classes (Kiarostami et al. 2021, table 1)", f"{'':{width}}  A  B  AB C", *lines])


def _default(described: dict[str, Any]) -> str:
    default = described["default"]
    return "…" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def _help(described: dict[str, Any]) -> str:
    choices = f" ({', '.join(described['choices'])})" if described["choices"] else ""
    return f"{described['help']}{choices}"
