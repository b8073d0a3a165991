"""Networks that come with the package: cards, checksums, what they are shown, the mirror."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dovetail.core.errors import BadInput
from dovetail.jigsaw.deep import networks
from dovetail.jigsaw.gapped import Gapped
from support.networks import SHARP, network, write


def puzzle_of(patches: NDArray[np.uint8 | np.uint16], rows: int, cols: int, gap: int = 4) -> Gapped:
    channels, depth = patches.shape[3], 8 * patches.itemsize
    return Gapped(patches.shape[1], patches.shape[2], channels, depth, patches.tobytes(), rows, cols, gap=gap)


def noise(count: int, side: int = 40, channels: int = 3) -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (count, side, side, channels), np.uint8)


def test_tables_are_what_the_network_says(tmp_path: Path) -> None:
    write(tmp_path, "plain")
    patches = noise(6)
    tables = networks.read(puzzle_of(patches, 2, 3), networks.card("plain", tmp_path), False, 1)
    colours = patches / 255
    expected = -SHARP * np.abs(colours[:, :, -1].mean((1, 2))[:, None] - colours[:, :, 0].mean((1, 2)))
    assert np.allclose(tables.right, expected, atol=1e-4)
    expected = -SHARP * np.abs(colours[:, -1].mean((1, 2))[:, None] - colours[:, 0].mean((1, 2)))
    assert np.allclose(tables.down, expected, atol=1e-4)
    rows, cols = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    assert np.allclose(tables.place, colours.mean((1, 2, 3))[:, None] * rows + cols + 4, atol=1e-4)


def test_the_mirror_shows_the_same_puzzle_the_other_way_round(tmp_path: Path) -> None:
    """This network says the same of pairs in the mirror, but likes high columns: the mean likes none."""
    write(tmp_path, "mirrored")
    puzzle, card = puzzle_of(noise(6), 2, 3), networks.card("mirrored", tmp_path)
    once, twice = (networks.read(puzzle, card, mirrored, 1) for mirrored in (False, True))
    assert np.allclose(once.right, twice.right, atol=1e-4)
    assert np.allclose(once.down, twice.down, atol=1e-4)
    assert not np.allclose(once.place[:, 0], once.place[:, 2], atol=0.5)
    assert np.allclose(twice.place[:, 0], twice.place[:, 2], atol=1e-4)


def test_patches_of_any_size_and_colours_are_shown_in_rgb_at_40_pixels() -> None:
    ramp = np.linspace(0, 255, 80).astype(np.uint8)
    grey = np.broadcast_to(ramp[None, None, :, None], (2, 80, 80, 1)).copy()
    seen = networks.seen(puzzle_of(grey, 1, 2))
    assert seen.shape == (2, 3, 40, 40)
    assert seen.dtype == np.float32
    assert np.allclose(seen[0, 1, 20, 5:35], ramp.reshape(40, 2).mean(1)[5:35] / 255, atol=0.01)
    deep = noise(2).astype(np.uint16) * 257
    assert np.allclose(networks.seen(puzzle_of(deep, 1, 2)), noise(2).transpose(0, 3, 1, 2) / 255, atol=1e-6)
    with_alpha = noise(2, channels=4)
    assert np.allclose(networks.seen(puzzle_of(with_alpha, 1, 2))[:, 2], with_alpha[..., 2] / 255, atol=1e-6)
    assert networks.relative_gap(puzzle_of(grey, 1, 2, gap=6)) == 3


def test_the_network_for_a_gap(tmp_path: Path) -> None:
    assert networks.chosen(4, tmp_path) is None
    for name, gaps in (("any", [0, 30]), ("narrow", [2, 6]), ("wide", [10, 25])):
        write(tmp_path, name, gaps=gaps)
    found = [networks.chosen(gap, tmp_path) for gap in (0, 4, 8, 20, 99)]
    assert [card.name for card in found if card] == ["any", "narrow", "any", "wide", "any"]


def test_how_far_a_network_is_to_be_trusted(tmp_path: Path) -> None:
    write(tmp_path, "frank")
    write(tmp_path, "boastful", temper=0.1)
    assert [networks.card(name, tmp_path).temper for name in ("frank", "boastful")] == [1.0, 0.1]


def test_a_file_that_is_not_the_one_on_its_card_is_not_run(tmp_path: Path) -> None:
    write(tmp_path, "changed", sha256="0" * 64)
    with pytest.raises(BadInput, match="not the one on its card") as error:
        networks.session("changed", 1, tmp_path)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("card", "why"),
    [
        ({"sha256": None}, "'sha256'"),
        ({"gaps": 4}, "'gaps'"),
        ({"gaps": [8, 4]}, "'gaps'"),
        ({"gaps": ["a", "b"]}, "'gaps'"),
        ({"patch": 32}, "32 pixels"),
        ({"temper": 0}, "'temper'"),
        ({"temper": "much"}, "'temper'"),
        ({"licence": None}, "'licence'"),
    ],
)
def test_cards_that_do_not_say_enough(tmp_path: Path, card: dict[str, object], why: str) -> None:
    write(tmp_path, "poor", b"", **card)
    with pytest.raises(BadInput, match=why):
        networks.card("poor", tmp_path)


def test_files_that_are_missing_or_broken(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nobody\.json"):
        networks.card("nobody", tmp_path)
    write(tmp_path, "gone")
    (tmp_path / "gone.onnx").unlink()
    with pytest.raises(BadInput, match=r"gone\.onnx"):
        networks.session("gone", 1, tmp_path)
    write(tmp_path, "rubbish", b"no network")
    with pytest.raises(BadInput, match="does not load"):
        networks.session("rubbish", 1, tmp_path)
    (tmp_path / "rubbish.json").write_text("{")
    with pytest.raises(BadInput, match="cannot be read"):
        networks.card("rubbish", tmp_path)


def test_a_network_with_other_outputs(tmp_path: Path) -> None:
    write(tmp_path, "other", network(("right", "down")))
    with pytest.raises(BadInput, match="to right, down, place"):
        networks.session("other", 1, tmp_path)


def test_a_network_that_says_too_little(tmp_path: Path) -> None:
    write(tmp_path, "little", network(wrong=True))
    with pytest.raises(BadInput, match="the network little fails"):
        networks.read(puzzle_of(noise(4), 2, 2), networks.card("little", tmp_path), True, 1)


def test_what_comes_with_the_package_is_in_order() -> None:
    """Every network loads, is small enough, and says something of a puzzle of its own gap."""
    for card in networks.cards():
        assert (networks.shipped() / f"{card.name}.onnx").is_file()
        assert len((networks.shipped() / f"{card.name}.onnx").read_bytes()) <= 15_000_000
        tables = networks.read(puzzle_of(noise(4), 2, 2, gap=round(card.low)), card, threads=1)
        assert tables.right.shape == (4, 4)
