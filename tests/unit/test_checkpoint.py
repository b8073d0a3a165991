"""The checkpoint file and what it holds: round trips, damage, strangers, newer formats, locks, trouble, the clock."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core import checkpoint
from dovetail.core.checkpoint import FORMAT, MAGIC, Checkpoint, loaded, parsed
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.solver import Budget, Clock, Outcome, Progress, Run
from dovetail.core.state import ARRAY, CODES, Misfit, packed, restore, taken, unpacked, within

KEPT = Path("kept")
OF = {"puzzle": "p", "solver": "s", "seed": 1, "verb": "solve", "limit": None, "settings": {"a": 1.5}, "version": "1"}

arrays = st.builds(
    lambda code, shape, seed: np.random.default_rng(seed).integers(0, 2, shape).astype(code),
    st.sampled_from(sorted(CODES)), st.lists(st.integers(0, 3), min_size=0, max_size=3), st.integers(0, 9),
)  # fmt: skip
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
states = st.dictionaries(
    st.text().filter(lambda name: name != ARRAY),
    st.recursive(plain | arrays, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner)),
    max_size=4,
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, dict):
        return isinstance(other, dict) and [*one] == [*other] and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


@settings(max_examples=50, deadline=None)
@given(states)
def test_what_is_packed_comes_back(state: dict[str, Any]) -> None:
    assert same(unpacked(packed(state)), state)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200) | states.map(packed).flatmap(lambda data: st.builds(
    lambda at, byte: data[:at] + bytes([byte]) + data[at + 1 :], st.integers(0, len(data) - 1), st.integers(0, 255)
)))  # fmt: skip
def test_other_bytes_are_refused_or_are_a_state(data: bytes) -> None:
    try:
        assert isinstance(unpacked(data), dict)
    except BadInput as error:
        assert str(error) == "what was saved is damaged"


@pytest.mark.parametrize("value", [np.array([None]), np.array(["text"]), np.array([1j])])
def test_only_numbers_are_saved(value: Any) -> None:
    with pytest.raises(TypeError):
        packed({"a": value})


def test_nothing_too_deep_is_packed_or_unpacked() -> None:
    deep: Any = 0
    for _ in range(100):
        deep = [deep]
    with pytest.raises(ValueError, match="deeply"):
        packed({"a": deep})
    text = json.dumps({"a": deep}).encode()
    with pytest.raises(BadInput):
        unpacked(len(text).to_bytes(8, "little") + text)


class Part:
    kept = ("number", "share", "array", "rng", "pair")

    def __init__(self) -> None:
        self.number, self.share, self.pair = 3, 0.5, (1, 2)
        self.array, self.rng = np.arange(3), np.random.default_rng(1)


def test_a_part_is_restored_as_it_was() -> None:
    one, other = Part(), Part()
    one.number, one.share, one.pair, one.array = 4, 0.25, (5, 6), np.arange(4)
    one.rng.random(5)
    restore(other, Part.kept, unpacked(packed(taken(one, Part.kept))))
    assert (other.number, other.share, other.pair, other.array.tolist()) == (4, 0.25, (5, 6), [0, 1, 2, 3])
    assert other.rng.random() == one.rng.random()


@pytest.mark.parametrize(
    ("name", "value"),
    [("number", "3"), ("number", True), ("share", [1]), ("array", [1, 2, 3]), ("array", np.zeros(3)),
     ("array", np.zeros((3, 1), np.int64)), ("rng", {"bit_generator": "PCG64"}), ("rng", 7)],
)  # fmt: skip
def test_what_does_not_fit_a_part_is_refused(name: str, value: Any) -> None:
    with pytest.raises(Misfit):
        restore(Part(), Part.kept, {**taken(Part(), Part.kept), name: value})
    with pytest.raises(Misfit):
        restore(Part(), Part.kept, {"number": 3})


def test_numbers_out_of_bounds_are_refused() -> None:
    within([], 1, 0, "nothing")
    within([1, 2], 1, 2, "numbers")
    for wrong in ([0, 1], [3], [float("nan")]):
        with pytest.raises(Misfit, match="numbers"):
            within(wrong, 1, 2, "numbers")


class Counting:
    """A run of so many steps, one a glance, that can be taken up; it counts what it was asked for."""

    def __init__(self, end: int = 5, status: Any = "complete") -> None:
        self.end, self.status, self.made = end, status, 0

    def __call__(self, clock: Clock) -> Run:
        at = 0 if clock.kept is None else int(clock.kept["at"])
        clock.keep(lambda: {"at": at, "board": np.arange(at)})
        while at < self.end and not clock.expired:
            at += 1
            self.made += 1
            clock.spend(1)
            yield Progress(at, "steps", at)
        return Outcome(self.status if at == self.end else "out_of_budget", None, {"at": at, "steps": clock.steps})


def drive(
    run: Callable[[Clock], Run],
    clock: Clock | None = None,
    most: int | None = None,
    of: Any = OF,
    trouble: Callable[[str], None] = lambda sentence: pytest.fail(sentence),
) -> Outcome | None:
    """Under a checkpoint that is saved at every glance; cut off after so many of them."""
    kept = Checkpoint(KEPT, 1e-9, trouble)
    with kept.held(of):
        driven, number = kept.driven(run, clock or Clock(Budget())), 0
        while number != most:
            try:
                next(driven)
            except StopIteration as ended:
                assert isinstance(ended.value, Outcome)
                assert KEPT.exists(), "it stays until whoever asked has the answer"
                kept.done()
                return ended.value
            number += 1
            kept._took_s = 0  # whatever saving takes
        driven.close()
    return None


def test_a_run_goes_on_where_it_was_cut_off_and_leaves_nothing_at_its_end() -> None:
    run = Counting()
    assert drive(run, most=3) is None
    outcome = drive(run)
    assert outcome is not None
    assert (outcome.status, dict(outcome.counters)) == ("complete", {"at": 5, "steps": 5})
    assert run.made == 6, "of three glances, two were saved"
    assert not [*Path().iterdir()]


def test_cut_off_before_it_was_saved_it_begins_anew() -> None:
    assert drive(Counting(), most=1) is None
    assert unpacked(loaded(KEPT)[1])["solver"] is None
    outcome = drive(Counting())
    assert outcome is not None and outcome.counters["steps"] == 5


def test_unfinished_it_is_kept_and_says_the_same_again_or_goes_on_with_more() -> None:
    for _ in range(2):
        outcome = drive(Counting(), Clock(Budget(steps=3)))
        assert outcome is not None
        assert (outcome.status, dict(outcome.counters)) == ("out_of_budget", {"at": 3, "steps": 3})
        assert [path.name for path in Path().iterdir()] == ["kept"]
    outcome = drive(Counting(), Clock(Budget(steps=4)))
    assert outcome is not None and outcome.counters["at"] == 4
    assert drive(Counting(end=4, status="partial"), Clock(Budget(steps=9))) is not None
    assert KEPT.exists(), "with a higher limit there is more to do"


def test_time_and_steps_are_counted_on() -> None:
    now = [0.0]

    def clock() -> Clock:
        return Clock(Budget(wall_s=100, steps=50), lambda: now[0])

    first = clock()
    now[0] = 40.0
    drive(Counting(9), first, most=4)
    now[0] = 1000.0
    second = clock()
    drive(Counting(9), second, most=1)
    assert second.steps == 4
    assert second.elapsed_s == 40.0
    now[0] += 61
    assert second.expired


def written(change: Callable[[bytes], bytes] = lambda data: data) -> bytes:
    drive(Counting(), most=3)
    data = change(KEPT.read_bytes())
    KEPT.write_bytes(data)
    return data


def refused(data: bytes, *, of: Any = OF) -> str:
    """Why the checkpoint is refused; it is still there."""
    with pytest.raises((BadInput, BadUsage)) as why:
        drive(Counting(), of=of)
    assert KEPT.read_bytes() == data, "what is refused is never written over"
    assert [path.name for path in Path().iterdir()] == ["kept"]
    return str(why.value)


def test_damage_anywhere_is_noticed() -> None:
    whole = written()
    for at in range(len(whole)):
        changed = whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :]
        with pytest.raises(BadInput, match=r"damaged|no checkpoint|newer"):
            parsed(changed, "kept")
    for length in range(len(whole)):
        with pytest.raises(BadInput, match=r"damaged|no checkpoint"):
            parsed(whole[:length], "kept")
    with pytest.raises(BadInput, match="damaged"):
        parsed(whole + b"\0", "kept")
    assert refused(written(lambda data: data[:-1])) == "the checkpoint kept is damaged; remove it to begin anew"


@pytest.mark.parametrize("data", [b"", b"x", MAGIC, MAGIC + b"[]\n", MAGIC + b"{}\n", MAGIC + b"[" * 10**5 + b"\n"])
def test_what_is_no_checkpoint_is_refused(data: bytes) -> None:
    KEPT.write_bytes(data)
    assert ("no checkpoint of Dovetail's" if not data.startswith(MAGIC) else "is damaged") in refused(data)


def test_a_newer_format_is_refused() -> None:
    data = written(lambda data: data.replace(b'"format": %d' % FORMAT, b'"format": %d' % (FORMAT + 1)))
    assert "was saved by a newer Dovetail" in refused(data)


@pytest.mark.parametrize("key", OF)
def test_a_checkpoint_of_another_run_is_refused(key: str) -> None:
    data = written()
    assert checkpoint.NAMES[key] in refused(data, of={**OF, key: "other"})


@pytest.mark.parametrize(
    "state",
    [{}, {"clock": {"steps": 1, "elapsed_s": 0}}, {"clock": 3, "solver": None},
     {"clock": {"steps": "1", "elapsed_s": 0}, "solver": None},
     {"clock": {"steps": 1, "elapsed_s": -1}, "solver": None},
     {"clock": {"steps": 1, "elapsed_s": float("nan")}, "solver": None},
     {"clock": {"steps": 1, "elapsed_s": 0}, "solver": [1]}],
)  # fmt: skip
def test_a_whole_file_with_a_wrong_state_is_refused(state: dict[str, Any]) -> None:
    kept = Checkpoint(KEPT)
    with kept.held(OF):
        kept.save(state)
    assert "does not fit" in refused(KEPT.read_bytes())


def test_one_run_at_a_time() -> None:
    drive(Counting(), most=3)
    with Checkpoint(KEPT).held(OF):
        assert refused(KEPT.read_bytes()) == "another run is using the checkpoint kept"
    assert drive(Counting()) is not None


def test_a_save_of_another_run_is_not_cut_off() -> None:
    """Two that begin at the same time write beside the same place: the second does not touch what the first writes."""
    first, second = Checkpoint(KEPT), Checkpoint(KEPT)
    part = KEPT.with_name(".kept.part")
    with first.held(OF), second.held(OF):
        handle = os.open(part, os.O_RDWR | os.O_CREAT)
        os.write(handle, b"half")
        checkpoint._lock(handle, KEPT)
        with pytest.raises(BadUsage, match="another run"):
            second.save({"clock": {}, "solver": None})
        assert part.read_bytes() == b"half"
        os.close(handle)


def test_what_cannot_be_saved_is_told_once_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    drive(Counting(), most=3)
    before, told = KEPT.read_bytes(), list[str]()

    def full(handle: int, data: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    outcome = drive(Counting(), Clock(Budget(steps=4)), trouble=told.append)
    assert outcome is not None and outcome.counters["at"] == 4
    assert len(told) == 1
    assert told[0].lower() == "the checkpoint kept could not be saved: no space left on device; the last one is kept"
    assert KEPT.read_bytes() == before
    assert [path.name for path in Path().iterdir()] == ["kept"]


def test_saving_takes_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("dovetail.core.checkpoint.time.monotonic", lambda: now[0])
    kept = Checkpoint(KEPT, 1.0)

    def slow(clock: Clock) -> Run:
        def where() -> dict[str, Any]:
            now[0] += 5.0
            return {}

        clock.keep(where)
        for _ in range(1000):
            now[0] += 1.0
            yield Progress(0, "", 0)
        return Outcome("complete")

    with kept.held(OF):
        for _ in kept.driven(slow, Clock(Budget(), lambda: 0.0)):
            pass
    assert 5 <= kept.saves <= 12, "a hundred seconds after one that took five"


@pytest.mark.parametrize("every_s", [0.0, -1.0, float("nan")])
def test_never_is_no_interval(every_s: float) -> None:
    with pytest.raises(BadUsage, match="every so many seconds"):
        Checkpoint(KEPT, every_s)


def test_a_folder_that_is_not_there_is_said_before_any_work() -> None:
    run = Counting()
    kept = Checkpoint(Path("nowhere") / "kept")
    with pytest.raises(BadUsage, match="there is no folder nowhere"), kept.held(OF):
        run(Clock(Budget()))
    assert not run.made
