"""P and V as Paumard et al. 2020 describe them (3.3.3): networks that look at a board in the making as one picture.

A wide residual network, the *extractor*, sees boards and single patches alike. P asks, of a board and the patch that
comes next: in which cell does it belong? V asks, of a board: is it right so far? What the paper leaves open:

- Boards are mostly empty and patches never: the extractor has one set of weights for both, but normalises each by
  statistics of its own.
- Averaging what the extractor saw over the whole picture would throw away where it was. Its last map is squeezed to few
  channels and taken as it is.
- V *borrows* the extractor of P: both learn it, together. So a board in the search is looked at once for both, and its
  next patch is never looked at again after the first time.
- A perceptron begins with a normalisation of its input, without which six layers are slow to begin learning.
- V ends in a sigmoid, so that its values lie between 0 and 1 and no two good boards are cut off at the same 1.

The paper saw no gain in telling networks which cells are empty; they are not told. A search lays nothing into full
cells, whatever P says of them.
"""

import io
import logging
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

from ...core.errors import BadInput
from ...core.files import write_atomically
from ...core.puzzle import EMPTY
from .data import Shape
from .rendering import Canvas, ImageJudge

STRIDE = 16  # pixels of a picture to one of the extractor's last map
BOARDS, PATCHES = range(2)  # what the extractor looks at


@dataclass(frozen=True)
class PaperSizes:
    """How large the networks are; a wide residual network of 16 layers, 4 times as wide, unless told otherwise."""

    stem: int = 32
    channels: tuple[int, ...] = (64, 128, 256)  # at a quarter, an eighth and a sixteenth of the picture's size
    blocks: int = 2  # for each of these
    squeeze: int = 64  # channels of the last map that perceptrons see
    width: int = 512  # of a fully connected layer
    layers: int = 6  # of them for each input


class Convolution(nn.Module):
    """A convolution and the normalisation of what comes out, which has statistics of its own for boards and patches."""

    def __init__(self, before: int, after: int, size: int = 3, stride: int = 1) -> None:
        super().__init__()
        self.weights = nn.Conv2d(before, after, size, stride, size // 2, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(after) for _ in (BOARDS, PATCHES))
        self.both: nn.ModuleList | None = None  # each norm in one with the convolution

    def forward(self, x: Tensor, sort: int) -> Tensor:
        """[b, before, h, w] → [b, after, h / stride, w / stride]"""
        return self.norms[sort](self.weights(x)) if self.both is None else self.both[sort](x)

    def fold(self) -> None:
        """For use only: quicker, and the same."""
        self.both = nn.ModuleList(fuse_conv_bn_eval(self.weights, norm) for norm in self.norms)


class WideBlock(nn.Module):
    """Two convolutions and a way around them; the first may halve the picture."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first, self.second = Convolution(before, after, stride=stride), Convolution(after, after)
        for norm in self.second.norms:
            nn.init.zeros_(norm.weight)
        self.pool = nn.AvgPool2d(stride) if stride > 1 else nn.Identity()
        self.around = Convolution(before, after, 1) if stride > 1 or before != after else None

    def forward(self, x: Tensor, sort: int) -> Tensor:
        """[b, before, h, w] → [b, after, h / stride, w / stride]"""
        y = self.second(F.relu(self.first(x, sort)), sort)
        return F.relu(y + (x if self.around is None else self.around(self.pool(x), sort)))


class Extractor(nn.Module):
    """What a picture shows, and where."""

    def __init__(self, sizes: PaperSizes) -> None:
        super().__init__()
        self.squeezed = sizes.squeeze
        self.stem = Convolution(3, sizes.stem, stride=2)
        before = (sizes.stem, *sizes.channels)
        self.blocks = nn.ModuleList(
            WideBlock(before[stage + (block > 0)], after, 1 if block else 2)
            for stage, after in enumerate(sizes.channels)
            for block in range(sizes.blocks)
        )
        self.squeeze = nn.Conv2d(before[-1], sizes.squeeze, 1)

    def forward(self, pictures: Tensor, sort: int) -> Tensor:
        """Boards or patches [b, 3, h, w] → [b, features]; zeros fill them up to a multiple of 16 pixels."""
        down, right = (-int(length) % STRIDE for length in pictures.shape[2:])
        x = F.relu(self.stem(F.pad(pictures, (0, right, 0, down)), sort))
        for block in self.blocks:
            x = block(x, sort)
        return self.squeeze(x).flatten(1)

    def features(self, height: int, width: int) -> int:
        """How many numbers it gives for a picture of this size."""
        return self.squeezed * -(-height // STRIDE) * -(-width // STRIDE)


def _perceptron(features: int, sizes: PaperSizes) -> nn.Sequential:
    parts: list[nn.Module] = [nn.LayerNorm(features)]
    for before in (features, *[sizes.width] * (sizes.layers - 1)):
        parts += [nn.Linear(before, sizes.width), nn.ReLU()]
        nn.init.kaiming_normal_(parts[-2].weight, nonlinearity="relu")
    return nn.Sequential(*parts)


class PolicyNetwork(nn.Module):
    """P: in which cell does a patch belong, given a board?"""

    def __init__(self, extractor: Extractor, setting: Shape, sizes: PaperSizes) -> None:
        super().__init__()
        self.extractor = extractor
        self.board = _perceptron(extractor.features(*setting.pixels), sizes)
        self.patch = _perceptron(extractor.features(setting.patch, setting.patch), sizes)
        self.together = nn.Sequential(
            nn.Linear(2 * sizes.width, sizes.width), nn.ReLU(), nn.Linear(sizes.width, setting.cells)
        )

    def joined(self, board: Tensor, patch: Tensor) -> Tensor:
        """From what the extractor and then a perceptron made of each: logits. [b, width] twice → [b, cells]"""
        return self.together(torch.cat([board, patch], 1)).float()

    def forward(self, boards: Tensor, patches: Tensor) -> Tensor:
        """[b, 3, h, w], [b, 3, patch, patch] → logits [b, cells]"""
        return self.joined(self.board(self.extractor(boards, BOARDS)), self.patch(self.extractor(patches, PATCHES)))


class ValueNetwork(nn.Module):
    """V: what can be hoped for from here? 0 where there is a mistake, and 0.5 … 1 where there is none."""

    def __init__(self, extractor: Extractor, setting: Shape, sizes: PaperSizes) -> None:
        super().__init__()
        self.extractor = extractor
        self.board = _perceptron(extractor.features(*setting.pixels), sizes)
        self.last = nn.Linear(sizes.width, 1)

    def judged(self, features: Tensor) -> Tensor:
        """From what the extractor saw. [b, features] → [b]"""
        return self.last(self.board(features)).float()[:, 0].sigmoid()

    def forward(self, boards: Tensor) -> Tensor:
        """[b, 3, h, w] → [b]"""
        return self.judged(self.extractor(boards, BOARDS))


class PaperNetworks(nn.Module):
    """P and V of one setting, with one extractor."""

    def __init__(self, setting: Shape, sizes: PaperSizes | None = None) -> None:
        super().__init__()
        self.setting, self.sizes = setting, sizes or PaperSizes()
        extractor = Extractor(self.sizes)
        self.policy = PolicyNetwork(extractor, setting, self.sizes)
        self.value = ValueNetwork(extractor, setting, self.sizes)


def coloured(patches: Tensor) -> Tensor:
    """Bytes, or numbers of 0 … 1, as the networks see them: -1 … 1."""
    return patches.float() / 127.5 - 1.0 if patches.dtype == torch.uint8 else patches * 2.0 - 1.0


def rendered(patches: Tensor, puzzles: Tensor, laid: Tensor, setting: Shape) -> Tensor:
    """Boards as pictures, drawn where the patches are: zeros in the gaps and where nothing lies.

    ``patches`` [puzzles, n, 3, patch, patch] of -1 … 1, ``puzzles`` [b]: whose board it is, ``laid`` [b, cells]: the
    patch of each cell, or EMPTY. [b, 3, h, w]
    """
    rows, cols, side, step = setting.rows, setting.cols, setting.patch, setting.patch + setting.gap
    shown = patches[puzzles[:, None], laid.clamp(min=0)] * (laid != EMPTY)[:, :, None, None, None]
    board = patches.new_zeros(len(laid), 3, rows, step, cols, step)
    board[:, :, :, :side, :, :side] = shown.unflatten(1, (rows, cols)).permute(0, 3, 1, 4, 2, 5)
    height, width = setting.pixels
    return board.view(len(laid), 3, rows * step, cols * step)[:, :, :height, :width]


class Memory:
    """Rows of numbers by name, so that nothing is computed twice."""

    def __init__(self, width: int) -> None:
        self.where: dict[bytes, int] = {}
        self.rows = np.zeros((1 << 10, width), np.float32)
        self.used = 0

    def find(self, names: Sequence[bytes]) -> NDArray[np.int64]:
        """The row of each, -1 where there is none."""
        return np.fromiter((self.where.get(name, -1) for name in names), np.int64, len(names))

    def add(self, names: Iterable[bytes], rows: NDArray[np.float32]) -> None:
        """Keep these."""
        while self.used + len(rows) > len(self.rows):
            self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        self.rows[self.used : self.used + len(rows)] = rows
        self.where.update(zip(names, range(self.used, self.used + len(rows)), strict=True))
        self.used += len(rows)


class _Names:
    """A canvas that draws nothing here: boards are only named, and drawn where the networks run."""

    def __init__(self, batch: int, cells: int) -> None:
        self.batch = batch
        self.boards = np.zeros((0, 1 + cells), np.int32)

    def draw(self, puzzles: NDArray[Any], laid: NDArray[Any]) -> NDArray[np.int32]:
        """Puzzle and patches of each board. [number, 1 + cells]"""
        return np.concatenate([puzzles[:, None], laid], axis=1, dtype=np.int32)

    def draw_next(self, puzzles: NDArray[Any], patches: NDArray[Any]) -> NDArray[np.int32]:
        """[number]"""
        return patches.astype(np.int32)


class PaperJudge(ImageJudge):
    """P and V for the leaves of many plays at once, on the device. ``evaluated`` counts the boards that were looked at.

    What was said of a board is remembered, for other plays and for other searches with the same networks.
    """

    def __init__(self, networks: PaperNetworks, patches: Tensor, batch: int = 4096) -> None:
        """``patches`` [puzzles, n, 3, patch, patch] of -1 … 1, in the order in which plays number them."""
        self.setting, self.evaluated = networks.setting, 0
        names = cast(Canvas, _Names(batch, self.setting.cells))
        super().__init__(names, cast(Any, self._priors), cast(Any, self._values))
        self._type = torch.float16 if patches.is_cuda else torch.float32
        self._networks = folded(networks).to(self._type)
        self._patches = patches.to(self._type)
        self._said_first, self._said_value = Memory(self.setting.cells), Memory(1)
        with torch.inference_mode():
            policy = self._networks.policy
            parts = [policy.patch(policy.extractor(part, PATCHES)) for part in self._patches.flatten(0, 1).split(batch)]
            self._known = torch.cat(parts).unflatten(0, patches.shape[:2])  # [puzzles, n, width]

    def _priors(self, boards: NDArray[np.int32], following: NDArray[np.int32]) -> NDArray[np.float32]:
        asked = np.concatenate([boards, following[:, None]], axis=1)
        names = _names(asked)
        at = self._said_first.find(names)
        new = np.flatnonzero(at < 0)
        if len(new):
            priors, values = self._look(boards[new], following[new])
            assert priors is not None
            self._said_first.add([names[i] for i in new], priors)
            self._said_value.add(_names(boards[new]), values)
            at = self._said_first.find(names)
        return self._said_first.rows[at]

    def _values(self, boards: NDArray[np.int32]) -> NDArray[np.float32]:
        names = _names(boards)
        at = self._said_value.find(names)
        new = np.flatnonzero(at < 0)
        if len(new):
            self._said_value.add([names[i] for i in new], self._look(boards[new])[1])
            at = self._said_value.find(names)
        return self._said_value.rows[at, 0]

    @torch.inference_mode()
    def _look(
        self, boards: NDArray[np.int32], following: NDArray[np.int32] | None = None
    ) -> tuple[NDArray[np.float32] | None, NDArray[np.float32]]:
        """Both networks at once: probabilities [b, cells], if a patch follows, and values [b, 1]."""
        self.evaluated += len(boards)
        policy, value, device = self._networks.policy, self._networks.value, self._patches.device
        named = torch.from_numpy(boards).to(device).long()
        drawn = rendered(self._patches, named[:, 0], named[:, 1:], self.setting)
        with torch.backends.cudnn.flags(
            enabled=True, benchmark=False
        ):  # batches are of any size: nothing to try out for each
            features = policy.extractor(drawn.contiguous(memory_format=torch.channels_last), BOARDS)
        values = value.judged(features)[:, None]
        if following is None:
            return None, values.cpu().numpy()
        known = self._known[named[:, 0], torch.from_numpy(following).to(device).long()]
        said = torch.cat([policy.joined(policy.board(features), known).softmax(1), values], 1).cpu().numpy()
        return said[:, :-1], said[:, -1:]


def _names(numbers: NDArray[np.int32]) -> list[bytes]:
    """Each row as bytes."""
    whole = np.ascontiguousarray(numbers)
    return cast(list[bytes], whole.view(f"V{whole.shape[1] * whole.itemsize}").ravel().tolist())


def folded(networks: PaperNetworks) -> PaperNetworks:
    """The same networks for use only, normalisations made part of the convolutions before them."""
    same = PaperNetworks(networks.setting, networks.sizes)
    same.load_state_dict(networks.state_dict())
    same = same.to(next(networks.parameters()).device).eval().requires_grad_(False)
    for module in same.modules():
        if isinstance(module, Convolution):
            module.fold()
    return same.to(memory_format=torch.channels_last)


def write_networks(networks: PaperNetworks, path: Path) -> None:
    """What is needed to use them, in half precision; the extractor, which both have, once."""
    half = {name: weight.half() if weight.is_floating_point() else weight
            for name, weight in networks.state_dict().items() if not name.startswith("value.extractor.")}  # fmt: skip
    file = io.BytesIO()
    torch.save({"setting": asdict(networks.setting), "sizes": asdict(networks.sizes), "weights": half}, file)
    write_atomically(path, file.getvalue())


def read_networks(path: Path) -> PaperNetworks:
    """The networks of such a file."""
    try:
        kept = torch.load(path, map_location="cpu", weights_only=True)
        networks = PaperNetworks(Shape(**kept["setting"]), PaperSizes(**kept["sizes"]))
        weights = kept["weights"]
        own = {name: weight for name, weight in weights.items() if name.startswith("policy.extractor.")}
        networks.load_state_dict(weights | {f"value.{name.removeprefix('policy.')}": own[name] for name in own})
    except Exception as error:  # torch has many words for a file it cannot use
        raise BadInput(f"{path} holds no P and V: {str(error)[:150]}") from error
    return networks.eval()


def exported(network: PolicyNetwork | ValueNetwork, setting: Shape, path: Path) -> None:
    """P or V as an ONNX file, its weights in few bytes.

    Inputs ``boards`` [b, 3, h, w] and, for P, ``patches`` [b, 3, patch, patch], of -1 … 1; output ``cells`` [b, cells],
    logits, or ``value`` [b].
    """
    import onnx

    from .exporting import packed

    network = network.eval()
    inputs: dict[str, Tensor] = {"boards": torch.zeros(2, 3, *setting.pixels)}
    if isinstance(network, PolicyNetwork):
        inputs["patches"] = torch.zeros(2, 3, setting.patch, setting.patch)
    output = "cells" if isinstance(network, PolicyNetwork) else "value"
    some = torch.export.Dim("b", min=1, max=1 << 16)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it tells which packages it does not need
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own insides
        program = torch.onnx.export(
            network, tuple(inputs.values()), input_names=list(inputs), output_names=[output], dynamo=True,
            verbose=False, dynamic_shapes=tuple({0: some} for _ in inputs), optimize=True,
        )  # fmt: skip
    assert program is not None
    model = packed(program.model_proto)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
