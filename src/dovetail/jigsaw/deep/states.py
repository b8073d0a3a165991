"""What a training is made of, as plain data for its checkpoint: weights, what moves them, random numbers; no pickle."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ...core.checkpoint import Checkpoint, loaded
from ...core.errors import BadUsage
from ...core.state import Misfit, State, fields, unpacked

MOMENTS = ("step", "exp_avg", "exp_avg_sq")  # of AdamW, for every weight


def weights(network: nn.Module) -> State:
    """All numbers of a network."""
    return {name: _array(tensor) for name, tensor in network.state_dict().items()}


def set_weights(network: nn.Module, state: Any) -> None:
    """The way back."""
    there = network.state_dict()
    values = fields(state, there)
    network.load_state_dict({name: _tensor(name, values[name], like) for name, like in there.items()})


def moments(optimizer: torch.optim.Optimizer) -> list[State]:
    """What an optimizer knows of each weight; nothing before its first step."""
    known = optimizer.state_dict()["state"]
    count = sum(len(group["params"]) for group in optimizer.param_groups)
    return [{name: _array(tensor) for name, tensor in known.get(at, {}).items()} for at in range(count)]


def set_moments(optimizer: torch.optim.Optimizer, state: Any) -> None:
    """The way back."""
    likes = [weight for group in optimizer.param_groups for weight in group["params"]]
    if not isinstance(state, list) or len(state) != len(likes):
        raise Misfit("moments")
    known: dict[int, dict[str, Tensor]] = {}
    for at, (one, like) in enumerate(zip(state, likes, strict=True)):
        if one:
            step, *others = fields(one, MOMENTS).items()
            known[at] = {"step": _tensor(*step, torch.zeros((), dtype=torch.float32))}
            known[at] |= {name: _tensor(name, value, like) for name, value in others}
    optimizer.load_state_dict({"state": known, "param_groups": optimizer.state_dict()["param_groups"]})


def chance(generator: torch.Generator) -> Any:
    """Where random numbers are."""
    return _array(generator.get_state())


def set_chance(generator: torch.Generator, state: Any) -> None:
    """The way back."""
    try:
        generator.set_state(_tensor("random numbers", state, generator.get_state()))
    except RuntimeError:
        raise Misfit("random numbers") from None


def own(device: str) -> State:
    """Where torch's own random numbers are, which dropout takes."""
    return {name: chance(generator) for name, generator in _own(device).items()}


def set_own(device: str, state: Any) -> None:
    """The way back, on the same sort of device."""
    there = _own(device)
    for name, value in fields(state, there).items():
        set_chance(there[name], value)


def _own(device: str) -> dict[str, torch.Generator]:
    return {"cpu": torch.default_generator} | ({"cuda": torch.cuda.default_generators[0]} if device == "cuda" else {})


def number(value: Any) -> int:
    """Of steps or epochs."""
    if type(value) is not int or value < 0:
        raise Misfit("steps")
    return value


def seconds(value: Any) -> float:
    """That it took so far."""
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise Misfit("seconds")
    return float(value)


def write(path: Path, state: State) -> None:
    """A state into a file, whatever run it is of."""
    checkpoint = Checkpoint(path, trouble=_refuse)
    with checkpoint.held({}):
        checkpoint.save(state)


def read(path: Path) -> State:
    """The way back."""
    return unpacked(loaded(path)[1])


def _refuse(sentence: str) -> None:
    raise BadUsage(sentence)


def _array(tensor: Tensor) -> Any:
    return tensor.detach().cpu().numpy().copy()


def _tensor(name: str, value: Any, like: Tensor) -> Tensor:
    if not isinstance(value, np.ndarray):
        raise Misfit(name)
    given = torch.from_numpy(value)
    if given.dtype != like.dtype or given.shape != like.shape:
        raise Misfit(name)
    return given.to(like.device)
