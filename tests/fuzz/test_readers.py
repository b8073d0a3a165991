"""A little hostile input for every reader: garbled samples, the same ones every time. The long job is elsewhere."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.core import registry
from fuzz import mutating, oracle, targets

SLOW = {"scans": 4, "training state": 2, "anything": 60}  # examples; of all others
MANY = 40
NAMES = targets.names()


@pytest.fixture(scope="module")
def watch() -> Iterator[oracle.Watch]:
    with oracle.Watch() as watch:
        yield watch


def test_every_kind_and_format_is_a_target() -> None:
    wanted = {f"{kind.name} {form}" for kind in registry.kinds() for form in ("json", "solution")}
    wanted |= {f"{kind.name} {form.name}" for kind in registry.kinds() for form in kind.formats()}
    assert wanted <= {*NAMES}
    assert len({*NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_garbled_input_is_read_or_refused(name: str, watch: oracle.Watch) -> None:
    target = targets.named(name)
    assert target.seeds

    @settings(max_examples=SLOW.get(name, MANY), derandomize=True, deadline=None, database=None)
    @given(st.integers(0, 2**64))
    def tried(seed: int) -> None:
        rng = random.Random(seed)
        found = oracle.judged(target, mutating.mutated(rng, rng.choice(target.seeds), target.seeds), watch)
        assert found is None, found

    tried()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("network weights", "values of 2048")])
def test_what_is_garbled_is_valid_before(name: str, watch: oracle.Watch) -> None:
    """Otherwise all of it would be refused at the door."""
    target = targets.named(name)
    if name in ("typed", "anything") or name.endswith(" solution"):  # these have bad ones among them on purpose
        assert any(_reads(target, data) for data in target.seeds)
    else:
        for data in target.seeds:
            assert oracle.judged(target, data, watch) is None


def _reads(target: oracle.Target, data: bytes) -> bool:
    try:
        target.call(data)
    except Exception:
        return False
    return True
