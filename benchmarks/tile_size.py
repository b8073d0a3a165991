"""How often the tiles of a shuffled picture are found from the picture alone, by their size.

    python benchmarks/tile_size.py SET … [--pictures 20] [--table]

A SET is a folder of pictures. Each is cut to tiles of eleven sizes and shuffled; each shuffled picture is looked at as
it is, and saved as a JPEG (quality 75, 85 or 95 in turn). One look is right if size and grid are, and if it is sure:
else a user would be asked. Every picture is looked at uncut as well, which must not be sure of anything. Appends a row
for every picture of a set to benchmarks/results/tile-size.jsonl; ``--table`` only sums up the rows that are there.
"""

import argparse
import datetime
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from dovetail.core.report import machine
from dovetail.jigsaw import detecting
from dovetail.jigsaw.cutting import cut
from dovetail.jigsaw.images import Pixels, eight_bits, open_picture

RESULTS = Path(__file__).parent / "results" / "tile-size.jsonl"
SIZES = (  # width, height
    (16, 16), (20, 20), (28, 28), (33, 33), (40, 40), (50, 50), (64, 64), (16, 40), (28, 20), (64, 32), (25, 60),
)  # fmt: skip
QUALITIES = (75, 85, 95)


def shuffled(pixels: Pixels, width: int, height: int, seed: int) -> Pixels:
    """The tiles of a picture in another order; what does not fill a tile is cut away."""
    rows, cols = pixels.shape[0] // height, pixels.shape[1] // width
    tiles = cut(pixels, height, width)[np.random.default_rng(seed).permutation(rows * cols)]
    return tiles.reshape(rows, cols, height, width, -1).swapaxes(1, 2).reshape(rows * height, cols * width, -1)


def as_jpeg(pixels: Pixels, quality: int) -> Pixels:
    """What is left after compression."""
    file = io.BytesIO()
    Image.fromarray(eight_bits(pixels)).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


def look(pixels: Pixels, width: int, height: int) -> str:
    """``right``, ``unsure`` of what is right, ``asks`` if its best guess is wrong and it says so, or ``wrong``."""
    tiles = detecting.found(pixels)
    if tiles is None:
        return "asks"
    wanted = tuple(
        detecting.Axis(0, side, 0, length // side)
        for side, length in zip((height, width), pixels.shape[:2], strict=True)
    )
    right = (tiles.down, tiles.across) == wanted
    return ("right" if right else "wrong") if tiles.sure else ("unsure" if right else "asks")


def looks(pixels: Pixels, number: int) -> Iterator[tuple[str, str]]:
    """All that is seen of one picture: what was looked at, and how that went."""
    tiles = detecting.found(pixels)
    yield "uncut", "wrong" if tiles is not None and tiles.sure else "right"
    for at, (width, height) in enumerate(SIZES):
        sheet, quality = shuffled(pixels, width, height, 100 * number + at), QUALITIES[(number + at) % len(QUALITIES)]
        yield f"{width}x{height}", look(sheet, width, height)
        yield f"{width}x{height} JPEG {quality}", look(as_jpeg(sheet, quality), width, height)


def table() -> None:
    """Sums over all rows."""
    counts: dict[str, dict[str, int]] = {}
    for line in RESULTS.read_text().splitlines():
        row = json.loads(line)
        for what, how in row["looks"].items():
            size, _, quality = what.partition(" ")
            for key in (f"{size}{' JPEG' if quality else ''}", f"{row['set']}{' JPEG' if quality else ''}"):
                if not (size == "uncut" and key == row["set"]):
                    count = counts.setdefault(key, {})
                    count[how] = count.get(how, 0) + 1
    for key, count in counts.items():
        print(f"{key:24} {count.get('right', 0):4} of {sum(count.values()):4}  {count}")


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    for folder in asked.sets:
        for number, path in enumerate(sorted(folder.iterdir())[: asked.pictures]):
            begin = time.perf_counter()
            seen = dict(looks(open_picture(path.read_bytes(), str(path)).pixels, number))
            when = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            seconds = round((time.perf_counter() - begin) / len(seen), 3)
            row = {"set": folder.name, "picture": path.stem, "looks": seen, "s": seconds, "when": when}
            with RESULTS.open("a") as file:
                file.write(json.dumps({**row, "machine": machine()}) + "\n")
    table()


if __name__ == "__main__":
    main()
