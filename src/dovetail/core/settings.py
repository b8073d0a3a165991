"""Settings declared once as a dataclass: defaults, limits and help in one place, read from ``--set key=value``."""

import dataclasses
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from .errors import BadUsage

S = TypeVar("S")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


@dataclasses.dataclass(frozen=True)
class NoSettings:
    """For kinds and solvers that have nothing to set."""


def setting(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """Declare one setting as a dataclass field."""
    return dataclasses.field(default=default, metadata={"help": help, "least": least, "most": most, "choices": choices})


def fill(cls: type[S], given: Mapping[str, Any]) -> S:
    """Build ``cls`` from texts (command line) or values (Python), refusing what it does not declare."""
    fields = {f.name: f for f in _fields(cls)}
    types = typing.get_type_hints(cls)
    for key in given:
        if key not in fields:
            raise BadUsage(unknown_setting(key, fields))
    return cls(**{key: _convert(fields[key], types[key], value) for key, value in given.items()})


def unknown_setting(key: str, known: typing.Iterable[str]) -> str:
    """The sentence for a key nobody declares."""
    names = ", ".join(known)
    return f"unknown setting {key!r}" + (f"; settings here: {names}" if names else "; there is nothing to set here")


def names(cls: type[Any]) -> list[str]:
    """The keys a settings class declares."""
    return [f.name for f in _fields(cls)]


def describe(cls: type[Any]) -> list[dict[str, Any]]:
    """Name, default and help of every setting, for ``dovetail list`` and the docs."""
    return [
        {"name": f.name, "default": f.default, "help": f.metadata["help"], "choices": f.metadata["choices"]}
        for f in _fields(cls)
    ]


def _fields(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls)


def _convert(field: dataclasses.Field[Any], type_: Any, value: Any) -> Any:
    """One value, turned into its declared type and held against its limits."""
    name, meta = field.name, field.metadata
    optional = type(None) in typing.get_args(type_)
    if optional and (value is None or value == ""):
        return None
    base = next(t for t in (*typing.get_args(type_), type_) if t is not type(None))
    converted = _parse(name, base, value)
    if meta["choices"] and converted not in meta["choices"]:
        raise BadUsage(f"{name} is one of {', '.join(meta['choices'])}, not {value!r}")
    if meta["least"] is not None and not converted >= meta["least"]:
        raise BadUsage(f"{name} must be at least {meta['least']}, not {value}")
    if meta["most"] is not None and not converted <= meta["most"]:
        raise BadUsage(f"{name} must be at most {meta['most']}, not {value}")
    return converted


def _parse(name: str, base: Any, value: Any) -> Any:
    if base is bool:
        text = str(value).lower()
        if text in _TRUE or text in _FALSE:
            return text in _TRUE
        raise BadUsage(f"{name} is true or false, not {value!r}")
    if base in (int, float) and isinstance(value, bool):
        raise BadUsage(f"{name} is a number, not {value!r}")
    try:
        # 1e6 is a fine way to write a whole number on a command line
        if base is int and isinstance(value, str) and "e" in value.lower() and float(value).is_integer():
            return int(float(value))
        if base is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
        return base(value)
    except (TypeError, ValueError, OverflowError):
        what = {int: "a whole number", float: "a number"}.get(base, "a text")
        raise BadUsage(f"{name} is {what}, not {value!r}") from None
