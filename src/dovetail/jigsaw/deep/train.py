"""What ``dovetail train`` does: pictures in, a network out, with its card, its curve, and a state to go on from.

In the folder: ``NAME.pt`` to go on from (written every few minutes and at the end, however that comes), ``NAME.jsonl``
the curve as numbers, ``NAME.png`` as a picture, and at the end ``NAME.onnx`` with ``NAME.json``, its card.
"""

import json
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import BadUsage
from ...core.files import make_folder, write_atomically
from ...core.settings import fill, setting
from ...core.solver import Progress

if TYPE_CHECKING:
    from .teaching import Recipe, Training

NETWORKS = ("near", "far", "paper")
FULL, SMALL = "full", "small"
JUDGE_S, SAVE_S = 60.0, 120.0  # between two looks at unseen pictures, and between two checkpoints
GLANCE = 200  # unseen pictures looked at while it learns; all of them at the end


@dataclass(frozen=True)
class Settings:
    """What may be other than in the recipe of a network."""

    size: str = setting(FULL, "small: a network for trying things out, on a CPU too", choices=(FULL, SMALL))
    patches: int | None = setting(None, "patches in a batch, instead of the recipe's", least=4, most=1_000_000)
    rate: float | None = setting(None, "learning rate, instead of the recipe's", least=1e-7, most=1)
    begin: str | None = setting(None, "a state NAME.pt or a network NAME.onnx to begin from, instead of chance")
    boards: float | None = setting(None, "weight of whole boards against nearly right ones", least=0, most=100)
    encoder: bool | None = setting(None, "false: only what comes after the encoder learns (always so from .onnx)")
    device: str = setting("auto", "where: a GPU if there is one", choices=("auto", "cuda", "cpu"))


def training(
    name: str, places: list[str], out: Path, judge: str | None = None, *,
    seconds: float | None = None, steps: int | None = None, seed: int = 0, given: Mapping[str, Any] | None = None,
) -> Generator[Progress, None, None]:  # fmt: skip
    """Learn, or go on learning if the folder holds a state; yields how it goes."""
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
    from .teaching import RECIPES, Training

    if name == paper_train.NAME:
        yield from paper_train.training(places, out, judge, seconds, steps, seed, given or {})
        return
    settings = fill(Settings, given or {})
    device = settings.device if settings.device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.backends.cudnn.benchmark = True
    recipe, network = _recipe(RECIPES[name], settings), None
    if settings.begin and settings.begin.endswith(".onnx"):
        from .exporting import unpacked

        network = unpacked(Path(settings.begin))
        recipe = replace(recipe, sizes=replace(network.sizes, dropout=recipe.sizes.dropout), encoder=False)
    if seconds is None and steps is None:
        seconds = recipe.seconds
    work = Training(recipe, device, seed)
    state = out / f"{name}.pt"
    if state.exists():
        work.load(state)
    elif network is not None:
        work.adopt(network)
    elif settings.begin:
        work.load(Path(settings.begin), afresh=True)
    make_folder(out, parents=True)
    learn = torch.from_numpy(decoded(places)).to(device)
    unseen = learn[:0] if judge is None else torch.from_numpy(decoded([judge])).to(device)
    try:
        yield from _learnt(name, work, learn, unseen, out, seconds, steps)
    finally:  # however it ends, nothing is lost
        work.save(state)
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
    name: str, work: "Training", learn: Any, unseen: Any, out: Path, seconds: float | None, steps: int | None
) -> Iterator[Progress]:
    """The lessons; every line is kept, and now and then unseen pictures are looked at."""
    judged_at = saved_at = time.monotonic()
    best = 0.0
    with (out / f"{name}.jsonl").open("a", encoding="utf-8") as lines:
        for line in work.run(learn, seconds, steps):
            now = time.monotonic()
            if len(unseen) and now - judged_at > JUDGE_S:
                said = work.judged(unseen[:GLANCE], work.recipe.judged[0])
                line |= {f"judged {key}": value for key, value in said.items()}
                best, judged_at = max(best, said["context right"]), now
            if now - saved_at > SAVE_S:
                work.save(out / f"{name}.pt")
                saved_at = now
            lines.write(json.dumps(line) + "\n")
            lines.flush()
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
