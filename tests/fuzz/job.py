"""One target for so many executions or seconds, in a process of its own: ``python -m fuzz.job TARGET … FOLDER``.

With atheris, where it is installed, coverage of our own code leads the way and some of the changes are libFuzzer's;
else ours alone. Counts and findings go to a file as they come, the input in hand to another: a process that dies tells.
"""

import argparse
import importlib.util
import json
import mmap
import os
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

from .oracle import Finding, Target, Watch, judged

IN_HAND = 1 << 20  # bytes kept of it
SAID_EVERY_S = 5.0
MOST_MB = 8192  # that the process may hold, whatever it does
MOST_CORPUS = 400  # inputs that a run without atheris goes on from


class Job:
    """Counts, keeps findings, and ends the process when its share is done."""

    def __init__(
        self, target: Target, executions: int, seconds: float, folder: Path, watch: Watch, engine: str
    ) -> None:
        self.target, self.executions, self.seconds, self.watch, self.engine = target, executions, seconds, watch, engine
        self.folder, self.done, self.begin = folder, 0, time.monotonic()
        self.findings: dict[str, Finding] = {}
        self._said = self.begin
        path = folder / "in-hand"
        path.write_bytes(bytes(IN_HAND))
        with path.open("r+b") as file:
            self._hand = mmap.mmap(file.fileno(), IN_HAND)

    def once(self, data: bytes) -> None:
        """One execution."""
        self._hand[:4] = len(data).to_bytes(4, "big")
        self._hand[4 : 4 + len(data)] = data
        found = judged(self.target, data, self.watch)
        self.done += 1
        if found is not None and found.what not in self.findings:
            self.findings[found.what] = found
            (self.folder / f"finding-{len(self.findings)}").write_bytes(data)
        if self.done % 64 == 0 or found is not None:
            now = time.monotonic()
            over = self.done >= self.executions or now - self.begin >= self.seconds
            if over or now - self._said > SAID_EVERY_S:
                self._said = now
                self.say(over)
            if over:
                os._exit(0)  # libFuzzer has no other end

    def say(self, over: bool) -> None:
        """What there is to say so far."""
        said = {
            "target": self.target.name, "engine": self.engine, "executions": self.done, "over": over,
            "seconds": round(time.monotonic() - self.begin, 1),
            "findings": [{"what": f.what, "detail": f.detail} for f in self.findings.values()],
        }  # fmt: skip
        (self.folder / "said.new").write_text(json.dumps(said))
        (self.folder / "said.new").replace(self.folder / "said")


def without_kernels(root: Path) -> list[str]:
    """Our modules that numba compiles nothing of: only their byte code may be changed to tell of coverage."""
    found = []
    for path in sorted(root.rglob("*.py")):
        if "@kernel" not in path.read_text() and path.name != "kernel.py":
            found.append(".".join((root.name, *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__"))
    return found


def main() -> None:
    """See the module text."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("executions", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plain", action="store_true", help="without atheris")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MB << 20, MOST_MB << 20))
    folder: Path = asked.folder.resolve()
    led = importlib.util.find_spec("atheris") is not None and not asked.plain
    if led:
        import atheris

        spec = importlib.util.find_spec("dovetail")
        assert spec is not None and spec.origin is not None
        with atheris.instrument_imports(include=without_kernels(Path(spec.origin).parent)):
            from . import targets
    else:
        from . import targets
    from .mutating import mutated

    os.chdir(targets.room())
    target = targets.named(asked.target)
    with Watch() as watch:
        job = Job(target, asked.executions, asked.seconds, folder, watch, "atheris" if led else "plain")
        for data in target.seeds:
            job.once(data)
        if not led:
            _plainly(job, random.Random(asked.seed))

        def change(data: bytes, most: int, seed: int) -> bytes:
            rng = random.Random(seed)
            if rng.random() < 0.3:
                return bytes(atheris.Mutate(data, most))
            return mutated(rng, data, target.seeds)[:most]

        corpus = folder / "corpus"
        corpus.mkdir()
        for number, data in enumerate(target.seeds):
            (corpus / f"seed-{number}").write_bytes(data)
        flags = [
            f"-seed={asked.seed + 1}", "-timeout=100000", "-rss_limit_mb=0", "-malloc_limit_mb=0", "-max_len=200000",
            "-len_control=0", "-verbosity=0", "-detect_leaks=0", str(corpus),
        ]  # fmt: skip
        options: dict[str, Any] = {"custom_mutator": change}
        atheris.Setup([sys.argv[0], *flags], job.once, **options)
        atheris.Fuzz()


def _plainly(job: Job, rng: random.Random) -> None:
    """Seeds and what became of them, garbled again and again."""
    from .mutating import mutated

    corpus = [*job.target.seeds]
    while True:
        data = mutated(rng, rng.choice(corpus), job.target.seeds)
        job.once(data)
        if rng.random() < 0.01:
            corpus[len(job.target.seeds) + rng.randrange(MOST_CORPUS) :] = [data]


if __name__ == "__main__":
    main()
