"""What ``dovetail train paper`` does: the P and V of Paumard et al. 2020, from pictures to files.

In the folder: ``paper.checkpoint`` to go on from, ``paper.jsonl`` the curve as numbers, ``paper.png`` as a picture, and
at the end ``paper-P.onnx`` and ``paper-V.onnx`` with their cards. With ``epochs``, networks that learned on boards made
up for it go on with those that the search meets (3.3.4).
"""

import json
import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import BadUsage
from ...core.files import make_folder, write_atomically
from ...core.settings import fill, setting
from ...core.solver import Progress
from ..gapped import Making
from .following import FULL, GLANCE, SMALL, device_for, followed, kept, mend

if TYPE_CHECKING:
    from .paper_training import Lesson, Teaching

NAME = "paper"
SECONDS = 300.0  # on one H200, if nobody says how long


@dataclass(frozen=True)
class Settings:
    """The puzzles it learns, and how."""

    size: str = setting(FULL, "small: networks for trying things out, on a CPU too", choices=(FULL, SMALL))
    grid: str = setting("3x3", "rows and columns of the puzzles")
    patch: int = setting(40, "pixels along a side of a patch", least=8, most=256)
    gap: int = setting(4, "pixels between two neighbours", least=0, most=256)
    hints: int = setting(0, "patches that lie on every board at least", least=0, most=99)
    puzzles: int | None = setting(None, "puzzles in a batch", least=1, most=100_000)
    rate: float | None = setting(None, "learning rate", least=1e-7, most=1)
    epochs: int = setting(0, "epochs of fine-tuning afterwards, on boards that the search meets", least=0, most=1000)
    visits: int = setting(100, "visits a move in these searches", least=1, most=100_000)
    plays: int = setting(500, "puzzles played in an epoch", least=1, most=100_000)
    device: str = setting("auto", "where: a GPU if there is one", choices=("auto", "cuda", "cpu"))


def training(
    places: list[str], out: Path, judge: str | None, seconds: float | None, steps: int | None, seed: int,
    given: Mapping[str, Any], trouble: Callable[[str], None],
) -> Generator[Progress, None, None]:  # fmt: skip
    """Learn, or go on learning if the folder holds a state; yields how it goes."""
    import torch

    from .data import decoded
    from .paper_training import Teaching

    settings = fill(Settings, given)
    device = device_for(settings.device)
    lesson, pictures = _lesson(settings, seed), decoded(places)
    make_folder(out, parents=True)
    if seconds is None:
        seconds = math.inf if steps else SECONDS
    recipe = {**asdict(lesson), "visits": settings.visits, "plays": settings.plays}
    with kept(out / f"{NAME}.checkpoint", NAME, recipe, seed, pictures, trouble) as checkpoint:
        work = Teaching(lesson, device)
        if (state := checkpoint.kept()) is not None:
            work.take_up(state)
        learn = torch.from_numpy(pictures).to(device)
        unseen = learn[:0] if judge is None else torch.from_numpy(decoded([judge])).to(device)

        def save() -> None:
            checkpoint.save(work.state())

        save()
        mend(out / f"{NAME}.jsonl", work.step)
        try:
            yield from _learnt(work, learn, unseen, out, seconds, steps, save)
            yield from _tuned(work, learn, out, settings, save)
        except GeneratorExit:  # stopped between two steps; whatever else ends it does so within one
            save()
            raise
        save()
        _written(work, len(learn), unseen, out)


def _lesson(settings: Settings, seed: int) -> "Lesson":
    from .data import Shape
    from .paper import PaperSizes
    from .paper_training import Lesson

    rows, cols = Making(grid=settings.grid).size
    if settings.hints >= rows * cols:
        raise BadUsage(f"of {rows * cols} patches fewer can be hints than {settings.hints}")
    lesson = Lesson(Shape(rows, cols, settings.gap, patch=settings.patch), hints=settings.hints, seed=seed)
    if settings.size == SMALL:
        lesson = replace(lesson, sizes=PaperSizes(8, (8, 16, 16), 1, 8, 32), puzzles=24)
    changed = {key: value for key in ("puzzles", "rate") if (value := getattr(settings, key)) is not None}
    return replace(lesson, **changed)


def _learnt(
    work: "Teaching", learn: Any, unseen: Any, out: Path, seconds: float, steps: int | None, save: Callable[[], None]
) -> Generator[Progress, None, None]:
    """The lessons; every line is kept, and now and then unseen pictures are looked at."""
    from .paper_training import judged

    def judge() -> dict[str, float]:
        return judged(work.average, unseen[:GLANCE], work.lesson)

    lines = work.run(learn, seconds=seconds, steps=steps, every=100 if work.device == "cuda" else 5)
    for line in followed(lines, out / f"{NAME}.jsonl", judge if len(unseen) else None, save):
        shown = {"V right": line["value right"]}
        yield Progress(int(line["step"]), "steps", line["policy right"], 1.0, "P right", shown)


def _tuned(
    work: "Teaching", learn: Any, out: Path, settings: Settings, save: Callable[[], None]
) -> Generator[Progress, None, None]:
    """Epochs on the boards that the search meets, as many as are still missing."""
    from .paper_boards import Crops

    lesson = work.lesson
    with (out / f"{NAME}.jsonl").open("a", encoding="utf-8") as lines:
        while work.epoch < settings.epochs:
            crops = Crops(learn, lesson.seed + work.step, lesson.least, lesson.colours)
            line = work.fine_tune(crops, visits=settings.visits, puzzles=settings.plays)
            lines.write(json.dumps({"step": work.step, **line}) + "\n")
            lines.flush()
            save()
            shown = {"epoch": work.epoch, "V right": line["value right"]}
            yield Progress(work.step, "steps", line["policy right"], 1.0, "P right", shown)


def _written(work: "Teaching", count: int, unseen: Any, out: Path) -> None:
    """P and V as files for a CPU, their cards, and the curve."""
    from .curve import drawn
    from .exporting import write_card
    from .paper import exported
    from .paper_training import judged

    scores = judged(work.average, unseen, work.lesson) if len(unseen) else {}
    networks = work.average.cpu()
    recipe = {**asdict(work.lesson), "setting": str(work.lesson.setting), "steps": work.step, "epochs": work.epoch}
    for letter, network in (("P", networks.policy), ("V", networks.value)):
        path = out / f"{NAME}-{letter}.onnx"
        exported(network, work.lesson.setting, path)
        about = {
            "network": f"{letter} of Paumard et al. 2020 (Alphazzle), 3.3",
            "data": f"{count} pictures of the trainer's own",
            "licence": "whatever the licences of these pictures allow",
            "recipe": recipe, "seconds": round(work.seconds, 1), "pictures judged": len(unseen), "scores": scores,
        }  # fmt: skip
        write_card(path, about)
    lines = [json.loads(line) for line in (out / f"{NAME}.jsonl").read_text("utf-8").splitlines()]
    write_atomically(out / f"{NAME}.png", drawn("P and V", lines).png())
