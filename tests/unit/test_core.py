"""Budget and Clock, settings, files, registry: the small parts of core."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import pytest

from dovetail.core import registry, settings
from dovetail.core.errors import BadInput, BadUsage, DovetailError
from dovetail.core.files import check_writable, write_atomically
from dovetail.core.puzzle import Locations
from dovetail.core.settings import setting
from dovetail.core.solver import Budget, Clock


class Watch:
    """A clock that a test sets by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_clock_runs_out_of_time() -> None:
    watch = Watch()
    clock = Clock(Budget(wall_s=2), watch)
    seen = []
    for watch.now in (100.0, 101.99, 102.01):
        seen.append(clock.expired)
    assert seen == [False, False, True]
    assert clock.elapsed_s == pytest.approx(2.01)


def test_clock_runs_out_of_steps() -> None:
    clock = Clock(Budget(steps=10))
    assert clock.allowance(7) == 7
    clock.spend(7)
    assert clock.allowance(7) == 3
    before = clock.expired
    clock.spend(3)
    assert clock.allowance(7) == 0
    assert (before, clock.expired) == (False, True)


def test_clock_without_limits_runs_until_cancelled() -> None:
    clock = Clock(Budget())
    clock.spend(10**15)
    assert clock.allowance(10**15) == 10**15
    before = clock.expired
    clock.cancel()
    assert (before, clock.expired) == (False, True)


@dataclass(frozen=True)
class Some:
    whole: int = setting(1, "a whole number", least=0, most=10**9)
    real: float = setting(0.5, "a number", least=0)
    word: str = setting("a", "a word", choices=("a", "b"))
    flag: bool = setting(False, "a flag")
    maybe: int | None = setting(None, "perhaps a number")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Some()),
        ({"whole": "7", "real": "1e-3", "word": "b", "flag": "yes", "maybe": "3"}, Some(7, 1e-3, "b", True, 3)),
        ({"whole": 7, "real": 2, "word": "b", "flag": True, "maybe": None}, Some(7, 2.0, "b", True, None)),
        ({"whole": "1e6", "flag": "OFF", "maybe": ""}, Some(whole=10**6)),
        ({"whole": 3.0}, Some(whole=3)),
    ],
)
def test_settings_are_filled(given: dict[str, object], expected: Some) -> None:
    assert settings.fill(Some, given) == expected


@pytest.mark.parametrize(
    "given",
    [
        {"whole": "x"}, {"whole": "1.5"}, {"whole": 1.5}, {"whole": True}, {"whole": -1}, {"whole": 10**10},
        {"whole": None}, {"real": "nan"}, {"real": "x"}, {"word": "c"}, {"flag": "maybe"}, {"maybe": "x"}, {"other": 1},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BadUsage, match=next(iter(given))):
        settings.fill(Some, given)


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"before")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(BadUsage, match="no space left on device"):
        write_atomically(path, b"after")
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["file"], "no temporary file is left"


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 251 + ".png")
    check_writable(path)
    write_atomically(path, b"data")
    assert path.read_bytes() == b"data"


def test_writing_keeps_links_modes_and_devices(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"")
    target.chmod(0o640)
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    check_writable(Path(os.devnull))
    write_atomically(Path(os.devnull), b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode), "a device is written to, not replaced"


def test_a_registry_entry_that_is_not_what_it_says_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.KINDS, "odd", "dovetail.tiles.terracotta:Terracotta")
    registry.kind.cache_clear()
    with pytest.raises(DovetailError, match="odd is not a Kind"):
        registry.kind("odd")
    registry.kind.cache_clear()


@pytest.mark.parametrize(
    "at", [None, 3, [[1]], [[1, 2, 3]], [["1", 2]], [[True, 0]], [[float("nan"), 0]], [[10**400, 0]]]
)
def test_locations_are_points(at: object) -> None:
    with pytest.raises(BadInput, match="not a list of points"):
        Locations.decode({"at": at})
    assert Locations.decode({"at": [[1, -0.5]]}) == Locations(((1.0, -0.5),))
