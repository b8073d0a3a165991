"""Who follows which jobs: every follower gets every change of state, and of progress and frames the latest.

A slow follower never holds up a job: what it has not taken yet is replaced, not queued.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .limits import Limits
from .problems import Problem

REPLACED = ("progress", "frame")
Heard = tuple[str, str, dict[str, Any]]  # a job, an event, what it says


@dataclass(eq=False)
class Follower:
    """One event stream, of one job or of several."""

    jobs: tuple[str, ...]
    watches: bool  # the boards, too
    waiting: list[Heard] = field(default_factory=list)
    bell: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, job: str, event: str, said: dict[str, Any]) -> None:
        """Add what is new; older progress than that is not worth sending any more."""
        if event in REPLACED:
            self.waiting = [one for one in self.waiting if one[:2] != (job, event)]
        self.waiting.append((job, event, said))
        self.bell.set()

    async def next(self, within_s: float) -> list[Heard]:
        """All that is new, in order; nothing if nothing comes in time."""
        try:
            await asyncio.wait_for(self.bell.wait(), within_s)
        except TimeoutError:
            return []
        self.bell.clear()
        taken, self.waiting = self.waiting, []
        return taken


class Hub:
    """All followers; whoever starts jobs is told when one begins or ceases to be watched."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._followers: set[Follower] = set()
        self.frames: dict[str, tuple[str, bytes]] = {}  # the latest of each running job
        self.on_watch: Callable[[str, bool], None] = lambda job, on: None

    def refuse_full(self) -> None:
        """So many streams, and no more."""
        if len(self._followers) >= self._limits.followers:
            raise Problem("busy", f"{self._limits.followers} streams are open already; close one of them first")

    def follow(self, jobs: tuple[str, ...], watches: bool) -> Follower:
        """From now on."""
        follower = Follower(jobs, watches)
        self._change(jobs, lambda: self._followers.add(follower))
        return follower

    def leave(self, follower: Follower) -> None:
        """No more."""
        self._change(follower.jobs, lambda: self._followers.discard(follower))

    def _change(self, jobs: tuple[str, ...], change: Callable[[], None]) -> None:
        before = {job: self.is_watched(job) for job in jobs}
        change()
        for job, watched in before.items():
            if self.is_watched(job) != watched:
                self.on_watch(job, not watched)

    def is_watched(self, job: str) -> bool:
        """Whether anybody would see a board."""
        return any(follower.watches and job in follower.jobs for follower in self._followers)

    def tell(self, job: str, event: str, said: dict[str, Any]) -> None:
        """All who follow it."""
        for follower in self._followers:
            if job in follower.jobs and (event != "frame" or follower.watches):
                follower.tell(job, event, said)

    def close(self) -> None:
        """End all streams."""
        for follower in self._followers:
            follower.tell("", "end", {})
