"""What ``dovetail train`` does: pictures in, a network out, with its card, its curve, and a state to go on from.

In the folder: ``NAME.checkpoint`` to go on from (saved every few minutes, when it is stopped, and at the end),
``NAME.jsonl`` the curve as numbers, ``NAME.png`` as a picture, at the end ``NAME.onnx`` with its card ``NAME.json``.
What is cut short and taken up again comes to the same network, for a number of steps and on a CPU.
"""

import json
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import BadUsage
from ...core.files import make_folder, write_atomically
from ...core.settings import fill, setting
from ...core.solver import Progress
from .following import FULL, GLANCE, SMALL, device_for, followed, kept, mend

if TYPE_CHECKING:
    from .teaching import Recipe, Training

NETWORKS = ("near", "far", "paper")


@dataclass(frozen=True)
class Settings:
    """What may be other than in the recipe of a network."""

    size: str = setting(FULL, "small: a network for trying things out, on a CPU too", choices=(FULL, SMALL))
    patches: int | None = setting(None, "patches in a batch, instead of the recipe's", least=4, most=1_000_000)
    rate: float | None = setting(None, "learning rate, instead of the recipe's", least=1e-7, most=1)
    begin: str | None = setting(None, "a NAME.checkpoint or a network NAME.onnx to begin from, instead of chance")
    boards: float | None = setting(None, "weight of whole boards against nearly right ones", least=0, most=100)
    encoder: bool | None = setting(None, "false: only what comes after the encoder learns (always so from .onnx)")
    device: str = setting("auto", "where: a GPU if there is one", choices=("auto", "cuda", "cpu"))


def training(
    name: str, places: list[str], out: Path, judge: str | None = None, *,
    seconds: float | None = None, steps: int | None = None, seed: int = 0, given: Mapping[str, Any] | None = None,
    trouble: Callable[[str], None] = warnings.warn,
) -> Generator[Progress, None, None]:  # fmt: skip
    """Learn, or go on learning if the folder holds a checkpoint; yields how it goes. ``trouble``: if saving fails."""
    if (seconds is not None and not seconds > 0) or (steps is not None and steps < 1):
        raise BadUsage("training takes some time and some steps: --time is above 0, and --steps at least 1")
    if name not in NETWORKS:
        raise BadUsage(f"there is no recipe for a network {name[:40]!r}; recipes: {', '.join(NETWORKS)}")
    try:
        import torch
    except ImportError:
        raise BadUsage("training needs torch, which is not installed: pip install 'dovetail[train]'") from None
    from . import paper_train
    from .data import decoded
    from .states import read
    from .teaching import RECIPES, Training

    if name == paper_train.NAME:
        yield from paper_train.training(places, out, judge, seconds, steps, seed, given or {}, trouble)
        return
    settings = fill(Settings, given or {})
    device = device_for(settings.device)
    if device == "cuda":
        torch.backends.cudnn.benchmark = True
    recipe, network = _recipe(RECIPES[name], settings), None
    if settings.begin and settings.begin.endswith(".onnx"):
        from .exporting import unpacked

        network = unpacked(Path(settings.begin))
        recipe = replace(recipe, sizes=replace(network.sizes, dropout=recipe.sizes.dropout), encoder=False)
    if seconds is None and steps is None:
        seconds = recipe.seconds
    pictures = decoded(places)
    make_folder(out, parents=True)
    with kept(out / f"{name}.checkpoint", name, asdict(recipe), seed, pictures, trouble) as checkpoint:
        work = Training(recipe, device, seed)
        if (state := checkpoint.kept()) is not None:
            work.take_up(state)
        elif network is not None:
            work.adopt(network)
        elif settings.begin:
            work.take_up(read(Path(settings.begin)), afresh=True)
        learn = torch.from_numpy(pictures).to(device)
        unseen = learn[:0] if judge is None else torch.from_numpy(decoded([judge])).to(device)

        def save() -> None:
            checkpoint.save(work.state())

        save()
        mend(out / f"{name}.jsonl", work.step)
        try:
            yield from _learnt(name, work, learn, unseen, out, seconds, steps, save)
        except GeneratorExit:  # stopped between two steps; whatever else ends it does so within one
            save()
            raise
        save()
        _written(name, work, len(learn), unseen, out, seed)


def _recipe(recipe: "Recipe", settings: Settings) -> "Recipe":
    if settings.size == SMALL:
        sizes = replace(recipe.sizes, channels=(8, 16, 24, 32), blocks=(1, 1, 1, 1), rim=8, width=32, layers=1, heads=2)
        recipe = replace(recipe, sizes=sizes, patches=360)
    changed = {
        key: value for key in ("patches", "rate", "boards", "encoder") if (value := getattr(settings, key)) is not None
    }
    return replace(recipe, **changed)


def _learnt(
    name: str, work: "Training", learn: Any, unseen: Any, out: Path, seconds: float | None, steps: int | None,
    save: Callable[[], None],
) -> Iterator[Progress]:  # fmt: skip
    """The lessons; every line is kept, and now and then unseen pictures are looked at."""

    def judge() -> dict[str, float]:
        return work.judged(unseen[:GLANCE], work.recipe.judged[0])

    lines = work.run(learn, seconds, steps)
    for line in followed(lines, out / f"{name}.jsonl", judge if len(unseen) else None, save):
        shown = {key: line[key] for key in ("flat right", "place right")}
        yield Progress(int(line["step"]), "steps", line["context right"], 1.0, "pairs right", shown)


def _written(name: str, work: "Training", count: int, unseen: Any, out: Path, seed: int) -> None:
    """The network as solvers take it, its card and its curve."""
    from .curve import drawn
    from .exporting import exported, write_card

    recipe, scores = work.recipe, {}
    for shape in recipe.judged if len(unseen) else ():
        said = work.judged(unseen, shape)
        scores[str(shape)] = {
            "pairs right": said["context right"], "places right": said["place right"], "pictures": len(unseen),
        }  # fmt: skip
    path = out / f"{name}.onnx"
    exported(work.average, path)
    gaps = [shape.gap for shape in recipe.shapes]
    boards = {key: [str(shape) for shape in getattr(recipe, key)] for key in ("shapes", "judged")}
    write_card(
        path,
        {
            "gaps": [min(gaps), max(gaps)],
            "data": f"{count} pictures of the trainer's own",
            "licence": "whatever the licences of these pictures allow",
            "recipe": {"network": name, "seed": seed, "steps": work.step, **asdict(recipe), **boards},
            "seconds": round(work.seconds, 1),
            "scores": scores,
        },
    )
    lines = [json.loads(line) for line in (out / f"{name}.jsonl").read_text("utf-8").splitlines()]
    write_atomically(out / f"{name}.png", drawn(name, lines).png())
