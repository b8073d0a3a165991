"""Teaching the paper's P and V (Paumard et al. 2020, 3.3): on boards made up for it, then on those that the search met.

Each board is asked for several patches and not for one: the same mean, with less noise, for little more work.
"""

import math
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from ...core.puzzle import EMPTY
from ...core.state import State, fields
from . import states
from .data import Shape
from .game import Play, new_game, orders
from .paper import BOARDS, PATCHES, PaperJudge, PaperNetworks, PaperSizes, rendered
from .paper_boards import JUDGED, LEARNT, Boards, Crops, Mix, Sample, aim, seen
from .planning import Planning, Playing, finished
from .rendering import ImageJudge

WARM = 300  # steps until the learning rate is what it should be


@dataclass(frozen=True)
class Lesson:
    """Everything that decides what is learnt."""

    setting: Shape
    sizes: PaperSizes = field(default_factory=PaperSizes)
    puzzles: int = 512  # in a batch; each has two boards
    asked: int = 4  # patches that P is asked for on each board
    hints: int = 0  # patches that lie there at least
    central: bool = False  # the patch in the middle always lies there
    mix: Mix = LEARNT
    rate: float = 1e-3
    decay: float = 0.02
    value: float = 4.0  # the weight of V's squared errors beside P's cross-entropy
    least: float = 0.72  # as of ``Puzzles``
    colours: float = 0.25
    seed: int = 1
    bfloat16: bool = False  # on a CPU too, which is quicker where it has instructions for that


def sampled(boards: Boards, lesson: Lesson) -> Sample:
    """A batch: of each puzzle a board without mistakes and one with some."""
    count, cells = lesson.puzzles, lesson.setting.cells
    right, order, number = boards.right(count, lesson.hints, cells)
    wrong = boards.wrong(count, lesson.hints, cells, lesson.mix)
    following = number[:, None] + torch.arange(lesson.asked, device=order.device)
    asked = torch.where(following < cells, order.gather(1, following.clamp(max=cells - 1)), EMPTY)
    puzzles = torch.arange(count, device=order.device)
    aims = torch.cat([aim(number, cells), torch.zeros(count, device=order.device)])
    return Sample(puzzles.repeat(2), torch.cat([right, wrong]), aims, asked, asked)


def losses(networks: PaperNetworks, patches: Tensor, given: Sample) -> dict[str, Tensor]:
    """Categorical cross-entropy of P and squared error of V, and how often each is right."""
    extractor = networks.policy.extractor
    drawn = rendered(patches, given.puzzles, given.laid, networks.setting)
    features = extractor(drawn.contiguous(memory_format=torch.channels_last), BOARDS)
    values = networks.value.judged(features)
    number, most = given.asked.shape
    shown = patches[given.puzzles[:number, None], given.asked.clamp(min=0)].flatten(0, 1)
    known = networks.policy.patch(extractor(shown.contiguous(memory_format=torch.channels_last), PATCHES))
    said = networks.policy.joined(
        networks.policy.board(features[:number]).repeat_interleave(most, 0), known.to(features.dtype)
    )
    there = given.asked != EMPTY
    weights = (there / there.sum(1, keepdim=True).clamp(min=1)).flatten()  # every board counts as much
    cells = given.cells.clamp(min=0).flatten()
    errors = F.cross_entropy(said, cells, reduction="none")
    total = weights.sum().clamp(min=1e-6)
    return {
        "policy": (errors * weights).sum() / total,
        "value": F.mse_loss(values, given.aims),
        "policy right": ((said.argmax(1) == cells) * weights).sum() / total,
        "value right": ((values >= 0.5) == (given.aims > 0)).float().mean(),
    }


class Teaching:
    """P and V, their average over the last steps, and what moves them."""

    def __init__(self, lesson: Lesson, device: str) -> None:
        torch.manual_seed(lesson.seed)
        self.lesson, self.device = lesson, device
        self.networks = PaperNetworks(lesson.setting, lesson.sizes).to(device, memory_format=torch.channels_last)
        self.average = deepcopy(self.networks).eval().requires_grad_(False)
        kinds: tuple[list[nn.Parameter], list[nn.Parameter]] = ([], [])
        for weight in self.networks.parameters():
            kinds[weight.ndim < 2].append(weight)
        self.optimizer = torch.optim.AdamW(
            [{"params": kinds[0], "weight_decay": lesson.decay}, {"params": kinds[1], "weight_decay": 0.0}],
            lr=lesson.rate, fused=device == "cuda",
        )  # fmt: skip
        self.step = 0
        self.seconds = 0.0
        self.epoch = 0  # of fine-tuning
        self._drawn: tuple[Crops, Boards] | None = None
        self._chance: Any = None  # where its random numbers were, in an earlier run

    def run(
        self, pictures: Tensor, *, seconds: float, steps: int | None = None, every: int = 100
    ) -> Iterator[dict[str, float]]:
        """Learn until the time or the steps are over; every so many steps a line for the curve, the mean of ten."""
        lesson = self.lesson
        crops, boards = self._drawing(pictures)
        self.networks.train()
        begun, begun_with = time.monotonic(), self.seconds
        warm = min(WARM, max(1, steps // 10)) if steps else WARM
        sums: dict[str, Any] = {}
        counted = 0
        while True:
            self.seconds = begun_with + time.monotonic() - begun
            done = max(self.seconds / seconds, self.step / steps if steps else 0.0)
            if done >= 1.0:
                return
            rate = lesson.rate * min(1.0, (self.step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * done)) + 1e-6
            patches = crops.draw(lesson.setting, lesson.puzzles)
            parts = self._learn(patches, sampled(boards, lesson), rate, 0.999)
            if self.step % max(1, every // 10) == 0:
                for name, part in parts.items():
                    sums[name] = sums.get(name, 0.0) + part
                counted += 1
            if self.step % every == 0 and counted:
                line = {name: round(float(part) / counted, 4) for name, part in sums.items()}
                yield {"step": self.step, "seconds": round(self.seconds, 1), "rate": rate, **line}
                sums, counted = {}, 0

    def _drawing(self, pictures: Tensor) -> tuple[Crops, Boards]:
        """Puzzles and boards that go on where those of an earlier run ended."""
        if self._drawn is None:
            lesson = self.lesson
            crops = Crops(pictures, lesson.seed, lesson.least, lesson.colours)
            boards = Boards(lesson.setting, pictures.device, lesson.seed, lesson.central)
            if self._chance is not None:
                kept = fields(self._chance, ("crops", "boards"))
                crops.take_up(kept["crops"])
                states.set_chance(boards.generator, kept["boards"])
            self._drawn = crops, boards
        return self._drawn

    def fine_tune(
        self, crops: Crops, *, visits: int = 100, puzzles: int = 500, passes: int = 4, rate: float = 1e-4
    ) -> dict[str, float]:
        """An epoch of 3.3.4: play puzzles, and learn on the boards that the search chose; what it then was like.

        P learns where patches belong, even if something else lies there, V equation 3. As many boards made up as before
        go with them, so that nothing is forgotten; normalisations stay as they are.
        """
        lesson = self.lesson
        self.epoch += 1
        seed = lesson.seed + 1000 * self.epoch
        test = shuffled(crops.draw(lesson.setting, puzzles), lesson.setting, seed)
        planning = Planning(visits=visits, batch=max(256, puzzles))
        met = collected(test, playing(test, PaperJudge(self.average, test.patches), planning, seed))
        boards = Boards(lesson.setting, self.device, seed, lesson.central)
        self.networks.train()
        for module in self.networks.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
        last: dict[str, Tensor] = {}
        chance = torch.Generator(self.device).manual_seed(seed)
        for _ in range(passes):
            for some in torch.randperm(len(met.laid), generator=chance, device=self.device).split(2 * lesson.puzzles):
                part = Sample(*(column[some] for column in met))
                fresh = crops.draw(lesson.setting, lesson.puzzles)
                last = self._learn(test.patches, part, rate, 0.99)
                self._learn(fresh, sampled(boards, lesson), rate, 0.99)
        right = (met.aims > 0).float().mean()
        return {"epoch": self.epoch, "boards": len(met.laid), "without mistakes": round(float(right), 4),
                **{name: round(float(part), 4) for name, part in last.items()}}  # fmt: skip

    def _learn(self, patches: Tensor, given: Sample, rate: float, keep: float) -> dict[str, Tensor]:
        """One step."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda" or self.lesson.bfloat16):
            parts = losses(self.networks, patches, given)
        self.optimizer.zero_grad(set_to_none=True)
        (parts["policy"] + self.lesson.value * parts["value"]).backward()
        nn.utils.clip_grad_norm_(self.networks.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        self._follow(min(keep, (1 + self.step) / (10 + self.step)))
        return {name: part.detach() for name, part in parts.items()}

    @torch.no_grad()
    def _follow(self, keep: float) -> None:
        """Move the average a little towards the networks. (Not by state_dict: there, the extractor is in twice.)"""
        pairs = [*zip(self.average.parameters(), self.networks.parameters(), strict=True)]
        pairs += [(a, b) for a, b in zip(self.average.buffers(), self.networks.buffers(), strict=True)
                  if a.is_floating_point()]  # fmt: skip
        torch._foreach_lerp_([a for a, _ in pairs], [b for _, b in pairs], 1 - keep)

    def state(self) -> State:
        """Everything needed to go on, between two steps or epochs."""
        drawn = self._drawn
        chance = drawn and {"crops": drawn[0].state(), "boards": states.chance(drawn[1].generator)}
        return {
            "networks": states.weights(self.networks), "average": states.weights(self.average),
            "moments": states.moments(self.optimizer), "step": self.step, "seconds": self.seconds, "epoch": self.epoch,
            "own": states.own(self.device), "chance": chance or self._chance,
        }  # fmt: skip

    def take_up(self, state: Any) -> None:
        """Go on from there."""
        names = ("networks", "average", "moments", "step", "seconds", "epoch", "own", "chance")
        values = fields(state, names)
        states.set_weights(self.networks, values["networks"])
        states.set_weights(self.average, values["average"])
        states.set_moments(self.optimizer, values["moments"])
        self.step, self.epoch = states.number(values["step"]), states.number(values["epoch"])
        self.seconds, self._chance = states.seconds(values["seconds"]), values["chance"]
        states.set_own(self.device, values["own"])


class Test(NamedTuple):
    """Puzzles as they are played."""

    setting: Shape
    patches: Tensor  # [puzzles, n, 3, patch, patch] of -1 … 1, shuffled
    solutions: NDArray[np.int32]  # [puzzles, cells]: the patch of each cell


def shuffled(patches: Tensor, setting: Shape, seed: int) -> Test:
    """Puzzles from patches that come row by row; the permutations depend on the seed and a puzzle's number alone."""
    count = setting.cells
    orders = np.stack([np.random.default_rng([seed, puzzle]).permutation(count) for puzzle in range(len(patches))])
    where = torch.from_numpy(orders).to(patches.device)
    mixed = patches[torch.arange(len(patches), device=patches.device)[:, None], where]
    return Test(setting, mixed, orders.argsort(axis=1).astype(np.int32))


def playing(test: Test, judge: ImageJudge, planning: Planning, seed: int = 0, central: bool = False,
            puzzles: Sequence[int] | None = None) -> Playing:  # fmt: skip
    """Plays of these puzzles before the first move; with the central patch as a hint, if wanted."""
    setting, plays = test.setting, []
    middle = setting.rows // 2 * setting.cols + setting.cols // 2
    for puzzle in puzzles or range(len(test.patches)):
        solution = tuple(test.solutions[puzzle].tolist())
        hints = {solution[middle]: middle} if central else {}
        plays += [Play(puzzle, order, hints, solution)
                  for order in orders(setting.cells, planning.orders, seed + puzzle, hints)]  # fmt: skip
    return Playing(new_game(setting.rows, setting.cols, plays, (), planning.judging), planning, judge)


def collected(test: Test, plays: Playing) -> Sample:
    """Play to the end, and say of all boards on the way what P and V should have said."""
    puzzles = np.unique(plays.game.puzzle)
    laid, following = [], []
    for attempts in finished(plays):
        for attempt, order in enumerate(attempts.orders):
            laid.append(attempts.states(attempt))
            following.append(np.append(order[order != EMPTY], EMPTY))
    times = len(laid) // len(puzzles)
    whose = np.repeat(puzzles, [sum(map(len, laid[at : at + times])) for at in range(0, len(laid), times)])
    boards, patches = np.concatenate(laid), np.concatenate(following)
    solutions = test.solutions[whose]
    mistake = ((boards != EMPTY) & (boards != solutions)).any(axis=1)
    cells = (solutions == patches[:, None]).argmax(axis=1)

    def there(numbers: NDArray[Any]) -> Tensor:
        return torch.from_numpy(numbers).to(test.patches.device)

    without = aim(there((boards != EMPTY).sum(axis=1)), test.setting.cells)
    aims = torch.where(there(mistake), 0.0, without)
    whose, boards, patches, cells = (there(numbers.astype(np.int64)) for numbers in (whose, boards, patches, cells))
    return Sample(whose, boards, aims, patches[:, None], cells[:, None])


@torch.inference_mode()
def policy_right(networks: PaperNetworks, patches: Tensor, boards: Boards, placed: int, times: int) -> dict[str, float]:
    """How often P is right on boards of so many patches: among all cells, and among the empty ones.

    ``patches`` come row by row; every puzzle has ``times`` boards, one patch is asked of each.
    """
    all_cells = empty = 0.0
    laid, order, _ = boards.right(len(patches) * times, placed, placed)
    aims = order[:, placed]
    for some in torch.arange(len(laid), device=laid.device).split(1024):
        drawn = rendered(patches, some % len(patches), laid[some], networks.setting)
        shown = patches[some % len(patches), aims[some]]
        with torch.autocast(patches.device.type, torch.bfloat16, enabled=patches.is_cuda):
            said = networks.policy(drawn, shown)
        all_cells += float((said.argmax(1) == aims[some]).sum())
        empty += float((said.masked_fill(laid[some] != EMPTY, -torch.inf).argmax(1) == aims[some]).sum())
    return {"all cells": all_cells / len(laid), "empty cells": empty / len(laid)}


@torch.inference_mode()
def value_right(
    networks: PaperNetworks, patches: Tensor, boards: Boards, placed: int, mix: Mix, times: int
) -> dict[str, float]:
    """How often V is right on boards of so many patches, half of them without a mistake.

    *nearer*: what it says is nearer to what it should say of a board without mistakes (eq. 3) if there are none, and
    nearer to 0 if there are; *half*: it says 0.5 or more if there are none. A board with nothing on it but a hint has
    no mistakes: counted as the paper does, 0.5.
    """
    if placed <= int(boards.middle is not None):
        return {"nearer": 0.5, "half": 0.5}
    count = len(patches) * times
    right = boards.right(count, placed, placed)[0]
    sums = {"nearer": 0.0, "half": 0.0}
    for laid, without in ((right, True), (boards.wrong(count, placed, placed, mix), False)):
        for some in torch.arange(count, device=laid.device).split(1024):
            drawn = rendered(patches, some % len(patches), laid[some], networks.setting)
            with torch.autocast(patches.device.type, torch.bfloat16, enabled=patches.is_cuda):
                said = networks.value(drawn)
            limit = float(aim(torch.tensor(placed), networks.setting.cells)) / 2
            sums["nearer"] += float(((said >= limit) == without).sum())
            sums["half"] += float(((said >= 0.5) == without).sum())
    return {name: total / (2 * count) for name, total in sums.items()}


def judged(networks: PaperNetworks, pictures: Tensor, lesson: Lesson) -> dict[str, float]:
    """How often P and V are right about unseen pictures, whatever the number of patches that lie there."""
    setting = networks.setting
    patches, boards = seen(pictures, setting), Boards(setting, pictures.device, lesson.seed, lesson.central)
    low, cells = max(lesson.hints, int(lesson.central)), setting.cells
    policy = [policy_right(networks, patches, boards, placed, 1)["all cells"] for placed in range(low, cells)]
    chance = JUDGED["by chance"]
    value = [value_right(networks, patches, boards, placed, chance, 1)["nearer"] for placed in range(low, cells + 1)]
    return {"policy right": round(float(np.mean(policy)), 4), "value right": round(float(np.mean(value)), 4)}
