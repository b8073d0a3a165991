"""Teaching the reader: which patch lies beside which, and where each belongs."""

import math
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...core.state import State, fields
from . import states
from .data import Puzzles, Shape, whole
from .reader import DOWN, LEFT, RIGHT, UP, Reader, Reading, Sizes, board_cells, centred, tables
from .rivals import rivals, told_apart

WARM = 300  # steps until the learning rate is what it should be
EVERY = 10  # steps between two glances
RIVALS = 8  # boards that the true one is compared with


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what is learnt, but the pictures."""

    shapes: tuple[Shape, ...]
    judged: tuple[Shape, ...]  # boards of whole pictures, to see how well it learns
    sizes: Sizes = field(default_factory=Sizes)
    patches: int = 3600  # in a batch, whatever the board: the encoder always sees as many
    rate: float = 1e-3
    decay: float = 0.05
    flat: float = 1.0  # weights of the losses; that of pairs in context is 1
    place: float = 0.5
    boards: float = 0.0  # of whole boards among their rivals
    encoder: bool = True  # whether the encoder learns, or only what comes after it
    least: float = 0.72  # of a picture's side in a crop
    colours: float = 0.25
    seconds: float = 600.0  # on one H200


# Pairs decide where gaps are narrow: there the rims alone know most. Where they are wide, places and context do, and
# the network would learn its pictures by heart, so it is held back more.
RECIPES = {
    "near": Recipe(
        shapes=(
            Shape(3, 3, 4, 3), Shape(4, 4, 4, 5), Shape(5, 5, 4, 6), Shape(6, 6, 4, 6),
            Shape(3, 3, 2), Shape(4, 4, 6), Shape(5, 5, 2), Shape(6, 6, 1), Shape(4, 4, 0), Shape(5, 5, 8),
            Shape(2, 2, 4, 0.5), Shape(3, 4, 4, 0.5), Shape(5, 4, 4, 0.5), Shape(5, 6, 4, 0.5),
        ),
        judged=(Shape(6, 6, 4), Shape(5, 5, 4), Shape(4, 4, 4), Shape(3, 3, 4)),
    ),
    "far": Recipe(
        shapes=(
            Shape(3, 3, 20, 8), Shape(4, 4, 20, 2), Shape(5, 5, 20, 8), Shape(6, 6, 20), Shape(3, 3, 10),
            Shape(5, 5, 10), Shape(4, 4, 14), Shape(3, 3, 26), Shape(3, 4, 20, 0.5), Shape(5, 4, 16, 0.5),
        ),
        judged=(Shape(5, 5, 20), Shape(3, 3, 20)),
        sizes=Sizes(dropout=0.1), rate=7e-4, decay=0.1, flat=0.5, place=1.0, least=0.65, colours=0.4, seconds=770.0,
    ),
}  # fmt: skip


def losses(said: Reading, shape: Shape) -> dict[str, Tensor]:
    """Cross-entropies; the patches are in order, so cell k holds patch k."""
    rows, cols = shape.rows, shape.cols
    n = rows * cols
    b, device = len(said.right), said.right.device
    at = torch.arange(n, device=device)
    nothing = torch.full_like(at, n)
    beside = {
        RIGHT: torch.where(at % cols < cols - 1, at + 1, nothing),
        LEFT: torch.where(at % cols > 0, at - 1, nothing),
        DOWN: torch.where(at < n - cols, at + cols, nothing),
        UP: torch.where(at >= cols, at - cols, nothing),
    }
    flat = {RIGHT: said.flat_right, LEFT: said.flat_right.mT, DOWN: said.flat_down, UP: said.flat_down.mT}
    context = {RIGHT: said.right, LEFT: said.right.mT, DOWN: said.down, UP: said.down.mT}
    out: dict[str, list[Tensor]] = {name: [] for name in ("flat", "context", "flat right", "context right")}
    for side, target in beside.items():
        inner = target < n
        logits, aim = flat[side][:, inner].flatten(0, 1), target[inner].repeat(b)
        out["flat"].append(F.cross_entropy(logits, aim))
        out["flat right"].append((logits.argmax(1) == aim).float().mean())
        logits = torch.cat([context[side], said.ends[:, side, :, None]], 2).flatten(0, 1)
        aim = target.repeat(b)
        out["context"].append(F.cross_entropy(logits, aim))
        out["context right"].append((logits.argmax(1) == aim).float().mean())
    means = {name: torch.stack(parts).mean() for name, parts in out.items()}
    aim = at.repeat(b)
    means["place"] = (
        F.cross_entropy(said.place.flatten(0, 1), aim) + F.cross_entropy(said.place.mT.flatten(0, 1), aim)
    ) / 2
    means["place right"] = (said.place.argmax(2) == at).float().mean()
    return means


class Training:
    """A network, its average over the last steps, and what moves it."""

    def __init__(self, recipe: Recipe, device: str, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.recipe, self.device, self.seed = recipe, device, seed
        self.network = Reader(recipe.sizes).to(device)
        self.network.encoder = self.network.encoder.to(memory_format=torch.channels_last)
        self.average = deepcopy(self.network).eval()
        kinds: tuple[list[nn.Parameter], list[nn.Parameter]] = ([], [])
        self.network.encoder.requires_grad_(recipe.encoder)
        for weight in self.network.parameters():
            if weight.requires_grad:
                kinds[weight.ndim < 2].append(weight)
        self.optimizer = torch.optim.AdamW(
            [{"params": kinds[0], "weight_decay": recipe.decay}, {"params": kinds[1], "weight_decay": 0.0}],
            lr=recipe.rate, betas=(0.9, 0.98), fused=device == "cuda",
        )  # fmt: skip
        self.step = 0
        self.seconds = 0.0  # of earlier runs, when one is resumed
        self._puzzles: Puzzles | None = None
        self._chance: State | None = None  # where its random numbers were, in an earlier run

    def read(self, network: Reader, encoder: Any, patches: Tensor, shape: Shape) -> Reading:
        """A batch of puzzles, in half precision on a GPU."""
        b, n = patches.shape[:2]
        flat = centred(patches.flatten(0, 1)).contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            with torch.set_grad_enabled(torch.is_grad_enabled() and self.recipe.encoder):
                tokens = encoder(flat).view(b, n, 5, -1)
            return network(tokens, *self._about(shape))

    def _about(self, shape: Shape) -> tuple[Tensor, Tensor]:
        """Cells and shape of a board, as the network takes them."""
        about = torch.tensor([shape.rows, shape.cols, shape.gap], dtype=torch.float32, device=self.device)
        return board_cells(shape.rows, shape.cols).to(self.device), about

    def _boards(self, said: Reading, shape: Shape, generator: torch.Generator) -> dict[str, Tensor]:
        """How well the tables tell the true board from its rivals."""
        pairs_and_places = tables(said, *self._about(shape))
        others = rivals(*(table.detach() for table in pairs_and_places), shape, RIVALS, generator)
        loss, right = told_apart(*pairs_and_places, others, shape.cols)
        return {"boards": loss, "boards right": right}

    def run(self, pictures: Tensor, seconds: float | None, steps: int | None) -> Iterator[dict[str, float]]:
        """Learn until the time or the steps are over; a line for the curve after every step, or every ten."""
        recipe, network = self.recipe, self.network
        puzzles = self._drawing(pictures)
        weights = np.array([shape.weight for shape in recipe.shapes])
        encoder = torch.compile(network.encoder) if self.device == "cuda" else network.encoder
        network.train()
        network.encoder.train(recipe.encoder)
        begun, begun_with = time.monotonic(), self.seconds
        warm = min(WARM, max(1, steps // 10)) if steps else WARM
        while True:
            self.seconds = begun_with + time.monotonic() - begun
            done = max(self.seconds / seconds if seconds else 0.0, self.step / steps if steps else 0.0)
            if done >= 1.0:
                return
            rate = recipe.rate * min(1.0, (self.step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * done)) + 1e-6
            for group in self.optimizer.param_groups:
                group["lr"] = rate
            shape = recipe.shapes[puzzles.rng.choice(len(weights), p=weights / weights.sum())]
            patches = puzzles.draw(shape, max(1, recipe.patches // (shape.rows * shape.cols)))
            said = self.read(network, encoder, patches, shape)
            parts = losses(said, shape)
            loss = recipe.flat * parts["flat"] + parts["context"] + recipe.place * parts["place"]
            if recipe.boards:
                parts |= self._boards(said, shape, puzzles.generator)
                loss = loss + recipe.boards * parts["boards"]
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            self.optimizer.step()
            self.step += 1
            self._follow(min(0.999, (1 + self.step) / (10 + self.step)))
            if self.step % EVERY == 0 or self.device == "cpu":  # a glance waits for the GPU, so not at every step
                shown = {name: round(float(part.detach()), 4) for name, part in parts.items()}
                yield {"step": self.step, "seconds": round(self.seconds, 1), "rate": rate, **shown}

    def _drawing(self, pictures: Tensor) -> Puzzles:
        """Puzzles that go on where those of an earlier run ended."""
        if self._puzzles is None:
            self._puzzles = Puzzles(pictures, self.seed, self.recipe.least, self.recipe.colours)
            if self._chance is not None:
                self._puzzles.take_up(self._chance)
        return self._puzzles

    @torch.no_grad()
    def _follow(self, keep: float) -> None:
        """Move the average a little towards the network."""
        mine, new = list(self.average.state_dict().values()), list(self.network.state_dict().values())
        pairs = [(a, b) for a, b in zip(mine, new, strict=True) if a.is_floating_point()]
        torch._foreach_lerp_([a for a, _ in pairs], [b for _, b in pairs], 1 - keep)

    @torch.no_grad()
    def judged(self, pictures: Tensor, shape: Shape) -> dict[str, float]:
        """How right the average is about whole pictures."""
        size = max(1, self.recipe.patches // (shape.rows * shape.cols))
        sums: dict[str, float] = {}
        for part in pictures.split(size):
            said = self.read(self.average, self.average.encoder, whole(part, shape), shape)
            for name, value in losses(said, shape).items():
                sums[name] = sums.get(name, 0.0) + float(value) * len(part) / len(pictures)
        return {name: round(value, 4) for name, value in sums.items()}

    def state(self) -> State:
        """Everything needed to go on, between two steps."""
        return {
            "network": states.weights(self.network), "average": states.weights(self.average),
            "moments": states.moments(self.optimizer),
            "step": self.step, "seconds": self.seconds, "own": states.own(self.device),
            "chance": self._puzzles.state() if self._puzzles else self._chance,
        }  # fmt: skip

    def take_up(self, state: Any, *, afresh: bool = False) -> None:
        """Go on from there; or begin afresh, but with its average in place of chance."""
        values = fields(state, ("network", "average", "moments", "step", "seconds", "own", "chance"))
        states.set_weights(self.average, values["average"])
        states.set_weights(self.network, values["average" if afresh else "network"])
        if not afresh:
            states.set_moments(self.optimizer, values["moments"])
            self.step, self.seconds = states.number(values["step"]), states.seconds(values["seconds"])
            states.set_own(self.device, values["own"])
            self._chance = values["chance"]

    def adopt(self, network: Reader) -> None:
        """Begin from a network, not from chance."""
        for mine in (self.network, self.average):
            mine.load_state_dict(network.state_dict())
