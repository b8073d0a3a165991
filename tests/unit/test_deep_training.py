"""The network that reads gapped puzzles, how it is taught, and what is shipped of it; at toy size, on a CPU."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.settings import fill
from dovetail.core.state import State, packed, unpacked
from dovetail.jigsaw.cutting import built_in
from dovetail.jigsaw.deep import curve, exporting, states, train
from dovetail.jigsaw.deep.data import Puzzles, Shape, cut, decoded, whole
from dovetail.jigsaw.deep.reader import DOWN, LEFT, RIGHT, UP, Reader, Sizes, board_cells, centred, tables
from dovetail.jigsaw.deep.rivals import rivals, scores, told_apart
from dovetail.jigsaw.deep.tables import Tables, score
from dovetail.jigsaw.deep.teaching import RECIPES, Training, losses
from dovetail.jigsaw.gapped_cutting import cut_gapped
from support.command import dovetail

TINY = Sizes(channels=(4, 8, 8, 8), blocks=(1, 1, 1, 1), rim=4, width=16, layers=2, heads=2)
SMALL = {"size": "small", "patches": "36", "device": "cpu"}


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parts of a photograph, as files."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("pictures")
    photo = built_in("chelsea")
    for number in range(3):
        Image.fromarray(photo[: 200 + 20 * number, 60 * number : 60 * number + 250]).save(folder / f"{number}.png")
    return folder


def tiny(seed: int = 0) -> Reader:
    torch.manual_seed(seed)
    network = Reader(TINY)
    network.eval()
    return network


def read(network: Reader, patches: torch.Tensor, shape: Shape):  # type: ignore[no-untyped-def]
    with torch.no_grad():
        tokens = network.encoder(centred(patches.flatten(0, 1))).view(*patches.shape[:2], 5, -1)
        about = torch.tensor([shape.rows, shape.cols, shape.gap], dtype=torch.float32)
        return network(tokens, board_cells(shape.rows, shape.cols), about)


def test_a_shuffled_puzzle_gives_shuffled_logits() -> None:
    network, shape = tiny(), Shape(2, 3, 4)
    patches = torch.rand(1, 6, 3, 40, 40)
    order = torch.tensor([3, 0, 5, 1, 4, 2])
    plain, mixed = read(network, patches, shape), read(network, patches[:, order], shape)
    for name in ("flat_right", "flat_down", "right", "down"):
        pairs = getattr(plain, name)[:, order][:, :, order]
        assert torch.allclose(getattr(mixed, name), pairs, atol=1e-3), name
    assert torch.allclose(mixed.ends, plain.ends[:, :, order], atol=1e-4)
    assert torch.allclose(mixed.place, plain.place[:, order], atol=1e-4)


def test_losses_know_who_lies_beside_whom() -> None:
    shape = Shape(2, 3, 4)
    said = read(tiny(), torch.rand(2, 6, 3, 40, 40), shape)
    right, down = torch.full((6, 6), -20.0), torch.full((6, 6), -20.0)
    for first, second in ((0, 1), (1, 2), (3, 4), (4, 5)):
        right[first, second] = 20.0
    for first, second in ((0, 3), (1, 4), (2, 5)):
        down[first, second] = 20.0
    sure = {"flat_right": right, "right": right, "flat_down": down, "down": down, "place": 40.0 * torch.eye(6)}
    known = said._replace(ends=torch.zeros_like(said.ends), **{k: v.expand(2, 6, 6) for k, v in sure.items()})
    parts = losses(known, shape)
    assert all(parts[name] < 1e-3 for name in ("flat", "context", "place"))
    assert all(parts[f"{name} right"] == 1.0 for name in ("flat", "context", "place"))
    turned = losses(known._replace(right=known.right.mT), shape)
    assert turned["context right"] == 0.5
    assert turned["context"] > 1


def test_tables_of_a_sure_reading_prefer_the_true_board() -> None:
    shape = Shape(2, 2, 4)
    said = read(tiny(), torch.rand(1, 4, 3, 40, 40), shape)
    ends = torch.full_like(said.ends, -5.0)
    ends[:, RIGHT, [1, 3]] = ends[:, LEFT, [0, 2]] = 5.0
    about = torch.tensor([2.0, 2.0, 4.0])
    right, down, place = tables(said._replace(ends=ends), board_cells(2, 2), about)
    assert right.shape == down.shape == place.shape == (1, 4, 4)
    assert (place[0, 1, [1, 3]] - place[0, 1, [0, 2]]).min() > 3  # nothing lies right of patch 1
    assert torch.all(torch.diagonal(right[0]) < -1000)


def test_cutting_agrees_with_the_package() -> None:
    photo = built_in("astronaut")[100:324, 100:324]
    pictures = torch.from_numpy(photo.transpose(2, 0, 1)[None].copy())
    for shape in (Shape(3, 3, 4), Shape(2, 3, 20), Shape(5, 5, 20)):
        ours = whole(pictures, shape)[0].numpy().transpose(0, 2, 3, 1)
        theirs = cut_gapped(photo, shape.rows, shape.cols, 40, shape.gap) / 255
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).mean() < 0.02  # another filter


def test_puzzles_are_cut_from_somewhere_else_each_time() -> None:
    board = torch.arange(84 * 84, dtype=torch.float32).view(1, 1, 84, 84).expand(1, 3, 84, 84)
    patches = cut(board, Shape(2, 2, 4))
    assert [int(patch[0, 0, 0]) for patch in patches[0]] == [0, 44, 44 * 84, 44 * 84 + 44]
    pictures = torch.randint(0, 256, (5, 3, 224, 224), dtype=torch.uint8)
    first, same = (Puzzles(pictures, seed=3).draw(Shape(2, 3, 8), 4) for _ in range(2))
    assert torch.equal(first, same)
    assert first.shape == (4, 6, 3, 40, 40)
    assert 0 <= float(first.min()) < float(first.max()) <= 1
    assert not torch.equal(first, Puzzles(pictures, seed=4).draw(Shape(2, 3, 8), 4))


def test_it_learns_who_lies_beside_whom() -> None:
    """Pictures of one slope each: a few dozen steps are enough to tell what lies right of what."""
    torch.manual_seed(0)
    down, across = torch.meshgrid(torch.linspace(0, 1, 224), torch.linspace(0, 1, 224), indexing="ij")
    slopes = torch.stack([across, down, 1 - across])
    pictures = (255 * slopes[None] * torch.linspace(0.8, 1, 8).view(8, 1, 1, 1)).byte()
    recipe = replace(
        RECIPES["near"], sizes=TINY, shapes=(Shape(2, 2, 4),), judged=(Shape(2, 2, 4),), patches=64, rate=1e-2
    )
    work = Training(recipe, "cpu", seed=1)
    before = work.judged(pictures, Shape(2, 2, 4))
    lines = [*work.run(pictures, None, 60)]
    after = work.judged(pictures, Shape(2, 2, 4))
    assert [line["step"] for line in lines] == [*range(1, 61)]
    assert after["context"] < before["context"] / 2
    assert after["context right"] > 0.9


def test_what_is_cut_short_comes_to_the_same_network() -> None:
    """After any step, with dropout, whose random numbers are torch's own."""
    recipe = replace(
        RECIPES["far"],
        sizes=replace(TINY, dropout=0.2),
        shapes=(Shape(2, 2, 4), Shape(2, 3, 4)),
        patches=24,
        boards=0.1,
    )
    pictures = torch.randint(0, 256, (5, 3, 224, 224), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))

    def taught(*cuts: int) -> bytes:
        state = None
        for steps in (*cuts, 4):
            work = Training(recipe, "cpu", seed=3)
            if state is not None:
                work.take_up(unpacked(state))
            for line in work.run(pictures, None, 4):
                if line["step"] == steps:
                    break
            state = packed({**work.state(), "seconds": 0.0})
        assert state is not None
        return state

    def gone_on(state: State) -> None:
        work = Training(recipe, "cpu", seed=3)
        work.take_up(state)
        next(work.run(pictures, None, 5))

    whole = taught()
    assert taught(1) == taught(2, 3) == whole
    changes: tuple[State, ...] = (
        {"step": -1}, {"seconds": "1"}, {"moments": []}, {"chance": {}}, {"own": {"cpu": np.zeros(9, np.uint8)}},
        {"network": {}}, {"average": dict.fromkeys(unpacked(whole)["average"], np.zeros(2))},
    )  # fmt: skip
    for change in changes:
        with pytest.raises(BadInput):
            gone_on({**unpacked(whole), **change})


def test_training_goes_on_and_ships(pictures: Path, tmp_path: Path) -> None:
    """One command, cut off and taken up again; what it writes is what the solver runs."""
    import onnxruntime

    from dovetail.jigsaw.deep import networks

    out = tmp_path / "new"
    lessons = train.training("near", [str(pictures)], out, str(pictures), steps=4, given=SMALL)
    assert next(lessons).steps == 1
    lessons.close()  # as Ctrl-C would
    with (out / "near.jsonl").open("a") as lines:  # as a kill would leave it
        lines.write('{"step": 2, "seconds": 1}\n{"step": 3, "sec')
    with pytest.raises(BadInput, match="is of another seed"):
        next(train.training("near", [str(pictures)], out, steps=4, seed=1, given=SMALL))
    with pytest.raises(BadInput, match="is of another recipe"):
        next(train.training("near", [str(pictures)], out, steps=4, given={**SMALL, "rate": "0.1"}))
    events = [*train.training("near", [str(pictures)], out, str(pictures), steps=4, given=SMALL)]
    assert [event.steps for event in events] == [2, 3, 4]
    written = {path.name for path in out.iterdir()}
    assert written == {"near.checkpoint", "near.jsonl", "near.png", "near.onnx", "near.json"}
    assert [json.loads(line)["step"] for line in (out / "near.jsonl").read_text().splitlines()] == [1, 2, 3, 4]
    card = json.loads((out / "near.json").read_text())
    assert card["recipe"]["steps"] == 4
    assert card["scores"]["3x3, gap 4"]["pictures"] == 3
    assert networks.card("near", out).high == 8
    session = networks.session("near", 1, out)
    assert isinstance(session, onnxruntime.InferenceSession)

    work = Training(train._recipe(RECIPES["near"], fill(train.Settings, SMALL)), "cpu")
    work.take_up(states.read(out / "near.checkpoint"))
    patches, cells, about = torch.rand(12, 3, 40, 40), board_cells(3, 4), torch.tensor([3.0, 4.0, 4.0])
    with torch.no_grad():
        expected = exporting.Shipped(work.average)(patches, cells, about)
    given = {"patches": patches.numpy(), "cells": cells.numpy(), "shape": about.numpy()}
    apart = ~np.eye(12, dtype=bool)
    for name, one, other in zip(networks.OUTPUTS, expected[:3], session.run(networks.OUTPUTS, given), strict=True):
        where = slice(None) if name == "place" else apart
        assert np.abs(one.numpy() - other)[where].max() < 0.2, name  # bytes in place of floats
        assert np.corrcoef(one.numpy()[where].ravel(), other[where].ravel())[0, 1] > 0.99
    (sides,) = session.run(["sides"], given)
    logits = read(work.average, patches[None], Shape(3, 4, 4))
    assert np.allclose((sides[:, RIGHT] @ sides[:, LEFT].T)[apart], logits.flat_right[0].numpy()[apart], atol=0.2)
    assert np.allclose((sides[:, DOWN] @ sides[:, UP].T)[apart], logits.flat_down[0].numpy()[apart], atol=0.2)


def test_a_shipped_network_can_be_taught_further(pictures: Path, tmp_path: Path) -> None:
    """From the bytes of the file back to the same network; then only what comes after the encoder moves."""
    first, second = tmp_path / "first", tmp_path / "second"
    assert [*train.training("near", [str(pictures)], first, steps=1, given=SMALL)]
    again = exporting.unpacked(first / "near.onnx")
    patches, cells, about = torch.rand(6, 3, 40, 40), board_cells(2, 3), torch.tensor([2.0, 3.0, 4.0])
    from dovetail.jigsaw.deep import networks

    given = {"patches": patches.numpy(), "cells": cells.numpy(), "shape": about.numpy()}
    (expected,) = networks.session("near", 1, first).run(["place"], given)
    with torch.no_grad():
        assert np.allclose(exporting.Shipped(again)(patches, cells, about)[2].numpy(), expected, atol=1e-3)
    more = {**SMALL, "begin": str(first / "near.onnx"), "boards": "1"}
    lessons = train.training("near", [str(pictures)], second, steps=3, given=more)
    assert [next(lessons).steps, next(lessons).steps] == [1, 2]
    lessons.close()
    line = json.loads((second / "near.jsonl").read_text().splitlines()[-1])
    assert 0 <= line["boards right"] <= 1 and line["boards"] > 0
    saved = states.read(second / "near.checkpoint")["average"]
    taught = {name: torch.from_numpy(value) for name, value in saved.items()}
    moved = {name: not torch.allclose(value, again.state_dict()[name], atol=1e-4)
             for name, value in taught.items() if value.is_floating_point()}  # fmt: skip
    assert not any(change for name, change in moved.items() if name.startswith("encoder."))
    assert any(moved.values())
    with pytest.raises(BadInput, match="no network that can be taught further"):
        exporting.unpacked(tmp_path / "none.onnx")
    (first / "near.onnx").write_bytes(b"no network")
    with pytest.raises(BadInput, match="no network that can be taught further"):
        exporting.unpacked(first / "near.onnx")


def test_rivals_are_nearly_right_boards() -> None:
    shape, count = Shape(3, 4, 4), 12
    generator = torch.Generator().manual_seed(0)
    right, down, place = (torch.randn(2, 12, 12, generator=generator) for _ in range(3))
    true = torch.arange(12)
    others = rivals(right, down, place, shape, 8, generator)
    assert others.shape == (2, 8, 12)
    assert torch.equal(others.sort(2).values, true.expand(2, 8, 12)), "every patch once"
    assert not (others == true).all(2).any()
    told = Tables(*(table[1].numpy() for table in (right, down, place)))
    said = scores(right, down, place, others, shape.cols)
    assert np.allclose(said[1].numpy(), [score(told, board, shape.cols) for board in others[1].numpy()], atol=1e-4)
    sure = 50 * torch.eye(count).expand(2, count, count)  # every patch belongs where it is
    near = rivals(0 * right, 0 * down, sure, shape, 8, generator)
    apart = (near != true).sum(2)
    assert int(apart.min()) == 2 and int(apart.max()) <= 6  # an exchange, or a row or column that was shifted
    loss, best = told_apart(0 * right, 0 * down, sure, near, shape.cols)
    assert best == 1.0 and loss < 1e-3


def test_bad_requests_to_train(pictures: Path, tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="no recipe for a network 'nearer'; recipes: near, far, paper"):
        next(train.training("nearer", [str(pictures)], tmp_path))
    with pytest.raises(BadUsage, match="unknown setting 'sise'"):
        next(train.training("near", [str(pictures)], tmp_path, given={"sise": "small"}))
    for nothing in ({"seconds": 0}, {"seconds": float("nan")}, {"steps": 0}):
        with pytest.raises(BadUsage, match="--time is above 0, and --steps at least 1"):
            next(train.training("near", [str(pictures)], tmp_path, **nothing))
    (tmp_path / "near.checkpoint").write_bytes(b"no network")
    with pytest.raises(BadInput, match=r"near\.checkpoint is no checkpoint of Dovetail's"):
        next(train.training("near", [str(pictures)], tmp_path, steps=1, given=SMALL))
    assert (tmp_path / "near.checkpoint").read_bytes() == b"no network"
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(BadInput, match="there is no picture to learn from"):
        decoded([empty])
    result = dovetail("train", "near", str(empty), "--out", str(tmp_path / "x"), "--steps", "1", "--set", "size=small")
    assert result.is_one_sentence()
    assert "no picture to learn from" in result.err


def test_the_curve_shows_what_is_wrong() -> None:
    lines = [{"step": step, "context right": 1 - 1 / step, "flat right": 0.5} for step in range(1, 1001)]
    picture = curve.drawn("near", lines).svg().decode()
    assert "pairs in context" in picture
    assert "pairs by their rims" in picture
    assert "places" not in picture
