"""From a network in torch to a file that onnxruntime runs: tables out, weights in few bytes, batch norms folded in."""

import hashlib
import json
import logging
import warnings
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from ...core.errors import BadInput
from .reader import PATCH, Block, Reader, Sizes, board_cells, centred, tables

MOST_BYTES = 15_000_000  # of a file that is shipped
FEW = 4096  # numbers of a weight that is not worth packing
EPSILON = 1e-5  # of a batch norm


class Shipped(nn.Module):
    """A reader as solvers use it: one puzzle in, its tables out."""

    def __init__(self, reader: Reader) -> None:
        super().__init__()
        self.reader = deepcopy(reader).cpu().float().eval()
        _fold(self.reader.encoder)

    def forward(self, patches: Tensor, cells: Tensor, shape: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """[n, 3, 40, 40] of 0 … 1, [m, 2], [3] → [n, n], [n, n], [n, m], and the flat sides [n, 4, width]

        Whoever asks for the sides alone pays for the encoder alone, however many patches there are.
        """
        tokens = self.reader.encoder(centred(patches))[None]
        right, down, place = tables(self.reader(tokens, cells, shape), cells, shape)
        sides = self.reader.flat_sides(tokens)[0]
        return right[0].clamp(min=-60), down[0].clamp(min=-60), place[0].clamp(min=-60), sides


def _fold(module: nn.Module) -> None:
    """Make every batch norm part of the convolution before it."""
    for child in module.modules():
        if isinstance(child, Block):
            child.first = fuse_conv_bn_eval(child.first, child.first_norm)
            child.second = fuse_conv_bn_eval(child.second, child.second_norm)
            child.first_norm = child.second_norm = nn.Identity()
        elif isinstance(child, nn.Sequential):
            for at in range(1, len(child)):
                norm, before = child[at], child[at - 1]
                if isinstance(norm, nn.BatchNorm2d) and isinstance(before, nn.Conv2d):
                    child[at - 1] = fuse_conv_bn_eval(before, norm)
                    child[at] = nn.Identity()


def exported(reader: Reader, path: Path) -> None:
    """Write the network; its large weights as bytes, with a scale for each output."""
    import onnx

    network = Shipped(reader).eval()
    some = torch.rand(6, 3, PATCH, PATCH)
    given = (some, board_cells(2, 3), torch.tensor([2.0, 3.0, 4.0]))
    count, cells = torch.export.Dim("n", min=2, max=1024), torch.export.Dim("m", min=2, max=1024)
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it tells which packages it does not need
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own insides
        program = torch.onnx.export(
            network, given, dynamo=True, verbose=False, optimize=False, input_names=["patches", "cells", "shape"],
            output_names=["right", "down", "place", "sides"], dynamic_shapes=({0: count}, {0: cells}, None),
        )  # fmt: skip
    assert program is not None
    model = packed(program.model_proto)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name} has {path.stat().st_size} bytes, more than {MOST_BYTES}")


def packed(model: Any) -> Any:
    """The same network, its large weights as 8-bit numbers times a scale for each output channel.

    They become floats again when the file is loaded, so that it runs as fast as ever.
    """
    from onnx import TensorProto, helper, numpy_helper

    graph = model.graph
    before = []
    large = [one for one in graph.initializer
             if one.data_type == TensorProto.FLOAT and np.prod(one.dims) > FEW and len(one.dims) > 1]  # fmt: skip
    for one in large:
        weights = numpy_helper.to_array(one)
        scale = np.maximum(np.abs(weights).max(axis=tuple(range(1, weights.ndim)), keepdims=True), 1e-12) / 127.0
        short = np.rint(weights / scale).astype(np.int8)
        graph.initializer.remove(one)
        graph.initializer.append(numpy_helper.from_array(short, one.name + ".bytes"))
        graph.initializer.append(numpy_helper.from_array(scale.astype(np.float32), one.name + ".scale"))
        before.append(helper.make_node("Cast", [one.name + ".bytes"], [one.name + ".floats"], to=TensorProto.FLOAT))
        before.append(helper.make_node("Mul", [one.name + ".floats", one.name + ".scale"], [one.name]))
    nodes = [*before, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]
    for node in graph.node:
        del node.metadata_props[:]  # where in our source it came from: not the user's business
        node.doc_string = ""
    return model


def unpacked(path: Path) -> Reader:
    """The network in a file that ``exported`` wrote, to go on teaching it; its card says how large it is.

    What a batch norm did is now done by the convolution before it, so the norms are set to do nothing. They would do
    something as soon as they looked at a batch: only what comes after the encoder can be taught further.
    """
    from onnx import load, numpy_helper

    try:
        told = json.loads(path.with_suffix(".json").read_text("utf-8"))["recipe"]["sizes"]
        sizes: dict[str, Any] = {key: tuple(x) if isinstance(x, list) else x for key, x in told.items()}
        reader = Reader(Sizes(**sizes))
        raw = {one.name.removeprefix("reader."): numpy_helper.to_array(one) for one in load(path).graph.initializer}
        state = reader.state_dict()
        for name, value in state.items():
            if name in raw:
                state[name] = torch.from_numpy(raw[name].copy())
            elif f"{name}.bytes" in raw:
                state[name] = torch.from_numpy(raw[f"{name}.bytes"] * raw[f"{name}.scale"])
            elif not name.endswith("num_batches_tracked"):
                bias = raw[_folded_into(name) + ".bias"]
                neutral: dict[str, Any] = {
                    "bias": bias,
                    "weight": 1.0,
                    "running_mean": 0.0,
                    "running_var": 1.0 - EPSILON,
                }
                state[name] = value.new_tensor(np.broadcast_to(neutral[name.rpartition(".")[2]], len(value)))
        reader.load_state_dict(state)
    except Exception as error:  # protobuf, torch and the file system have many words for a file that is something else
        raise BadInput(f"{path} and its card are no network that can be taught further: {str(error)[:150]}") from error
    return reader.eval()


def _folded_into(name: str) -> str:
    """Of a number of a batch norm: the convolution that it was made part of."""
    norm = name.rpartition(".")[0]
    if norm.endswith("_norm"):
        return norm.removesuffix("_norm")
    place, _, at = norm.rpartition(".")
    return f"{place}.{int(at) - 1}" if at.isdigit() else norm


def write_card(path: Path, about: Mapping[str, Any]) -> None:
    """The card beside a network: what it is, and the SHA-256 without which it is not run."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    card = {"sha256": digest, "patch": PATCH, **about}
    path.with_suffix(".json").write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", "utf-8")
