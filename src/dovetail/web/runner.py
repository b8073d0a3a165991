"""The queue and who works on it: several jobs at once, each in a process of its own, and a desk for short requests."""

import asyncio
import contextlib
import sqlite3
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from .channel import Message
from .hub import Hub
from .limits import Limits
from .problems import Problem
from .processes import Gone, Process, ask
from .store import ENDED, Store

LOOK_S = 0.2  # between two looks at memory and time
SAVE_S = 1.0  # between two notes of progress in the store
STOP_S = 20.0  # for a job to end with its best, once it was asked to
PRUNE_S = 60.0
DESK = 2  # short requests at once, beside the jobs
NICE = 10  # jobs give way to whoever waits at the page


@dataclass(eq=False)
class Running:
    """A job that has a worker."""

    job: str
    worker: Process
    deadline: float  # when it must be over, by the monotonic clock; moves while it is paused
    time_s: float | None
    paused_at: float | None = None
    saved: float = 0.0
    stopping: bool = False
    measure: str | None = None  # what the points in the store count
    unsaved: bool = False  # progress that the store does not have yet
    seen: dict[str, Any] = field(default_factory=dict)


class Runner:
    """All in one event loop; what takes long is in the processes."""

    def __init__(self, store: Store, hub: Hub, limits: Limits, jobs: int) -> None:
        self.store, self.hub, self.limits, self.slots = store, hub, limits, jobs
        self._queue: deque[str] = deque()
        self._running: dict[str, Running] = {}
        self._starting: set[str] = set()  # taken from the queue, their worker not there yet
        self._idle: list[Process] = []
        self._desk_idle: list[Process] = []
        self._desk = asyncio.Semaphore(DESK)
        self._submitting = asyncio.Semaphore(DESK - 1)  # a burst of jobs leaves room for somebody at the page
        self._desk_waiting = 0
        self._workers: set[Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ending = False
        hub.on_watch = self._watch

    # life

    async def start(self) -> None:
        """Take up what was waiting, and keep an eye on everything."""
        self._queue.extend(self.store.recover())
        self.store.prune()
        self._spawn(self._guard())
        self._spawn(self._pruning())
        self._spawn(self._warm())
        self._fill()

    async def end(self) -> None:
        """Running jobs are marked, workers end; queued jobs wait for the next start."""
        self._ending = True
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in [*self._workers]))
        self._queue.extend(self.store.recover())  # marks what ran
        self.hub.close()

    # what visitors ask for

    async def ask(self, verb: str, said: dict[str, Any], *parts: bytes) -> Message:
        """A short request, at a desk worker."""
        if self._desk_waiting >= self.limits.waiting:
            raise Problem("busy", "too many requests are waiting; try again in a moment")
        self._desk_waiting += 1
        try:
            async with self._submitting if verb == "prepare" else contextlib.nullcontext(), self._desk:
                worker = await self._take(self._desk_idle, nice=0)
                try:
                    return await ask(worker, {"do": verb, **said}, parts, self.limits.desk_s)
                finally:
                    self._keep(worker, self._desk_idle)
        finally:
            self._desk_waiting -= 1

    def submit(self, job: str) -> None:
        """Into the queue."""
        self._queue.append(job)
        self._fill()

    @property
    def waiting(self) -> int:
        """Jobs in the queue."""
        return len(self._queue)

    def place(self, job: str) -> int | None:
        """How many are before it, and itself."""
        return self._queue.index(job) + 1 if job in self._queue else None

    async def pause(self, job: str) -> None:
        """After its current slice of work."""
        run = self._of(job)
        if run.paused_at is not None or run.stopping:
            raise Problem("conflict", "this job is paused or stopping already")
        if sum(one.paused_at is not None for one in self._running.values()) >= self.limits.paused:
            raise Problem("busy", f"{self.limits.paused} jobs are paused already; resume or stop one of them first")
        await self._send(run, {"do": "pause"})

    async def resume(self, job: str) -> None:
        """Go on."""
        run = self._of(job)
        if run.paused_at is None:
            raise Problem("conflict", "this job is not paused")
        await self._send(run, {"do": "resume"})

    async def stop(self, job: str) -> None:
        """End it with its best so far."""
        run = self._of(job)
        if not run.stopping:
            run.stopping = True
            run.deadline = time.monotonic() + STOP_S + self.limits.finish_s
            await self._send(run, {"do": "stop"})

    async def more(self, job: str, seconds: float) -> float:
        """Raise its time; returns what it is then."""
        run = self._of(job)
        if run.time_s is None:
            raise Problem("conflict", "this job is bounded by steps, not by time")
        if run.stopping:
            raise Problem("conflict", "this job is stopping already")
        self.limits.refuse_time(run.time_s + seconds)
        run.time_s += seconds
        run.deadline += seconds
        self.store.change(job, time_s=run.time_s)
        await self._send(run, {"do": "more", "seconds": seconds, "time_s": run.time_s})
        self._tell(job)
        return run.time_s

    async def cancel(self, job: str) -> None:
        """End it at once, whatever it has."""
        if job in self._queue:
            self._queue.remove(job)
            self._tell_waiting()
        elif job in self._running:
            self._running[job].worker.kill("cancelled", "cancelled")
        elif job not in self._starting:
            raise Problem("conflict", "this job has ended already")
        self._ended(job, "cancelled", words="cancelled")

    async def remove(self, job: str) -> None:
        """End it if it runs, and forget it."""
        if self.store.job(job)["state"] not in ENDED:
            await self.cancel(job)
        while job in self._running or job in self._starting:  # its last words must find it still there
            await asyncio.sleep(0.01)
        self.store.remove(job)

    # how jobs run

    def _of(self, job: str) -> Running:
        if job in self._running and self.store.job(job)["state"] not in ENDED:
            return self._running[job]
        state = self.store.job(job)["state"]
        raise Problem("conflict", f"this job is {state}, and that can be done to running jobs only")

    def _fill(self) -> None:
        """Start what may start. Paused jobs keep their process, not their turn."""
        active = len(self._starting) + sum(one.paused_at is None for one in self._running.values())
        while self._queue and active < self.slots and not self._ending:
            job = self._queue.popleft()
            self._starting.add(job)
            self._spawn(self._run(job))
            active += 1
            self._tell_waiting()

    async def _run(self, job: str) -> None:
        """One job from its start to its end, which is always noted."""
        worker = None
        try:
            asked = self.store.job(job)
            worker = await self._take(self._idle, NICE)
            if self.store.job(job)["state"] != "queued":  # cancelled or removed meanwhile
                return
            span = self.limits.warm_up_s + (asked["time_s"] or self.limits.time_s) + self.limits.finish_s
            run = Running(job, worker, time.monotonic() + span, asked["time_s"])
            self._running[job] = run
            self._starting.discard(job)
            self.store.change(job, state="running", started=time.time())
            self._tell(job)
            said = {"do": "solve", **asked["request"], "watched": self.hub.is_watched(job)}
            await worker.send(said, self.store.input(asked["input"]))
            while self._heard(run, *await worker.receive()):
                pass
            worker.done += 1
        except Gone as gone:
            if gone.code == "stopped" and self.store.job(job)["report"] is not None:  # only its explanation took long
                self._ended(job, "done")
            else:
                self._ended(job, "interrupted" if gone.code == "stopped" else "failed", words=str(gone))
        except Problem as problem:
            self._ended(job, "failed", words=problem.sentence)
        except sqlite3.Error as error:  # a full disk, say
            if worker is not None:
                worker.kill()
            with contextlib.suppress(sqlite3.Error):
                self._ended(job, "failed", words=f"what it found could not be kept: {error}")
        except TimeoutError:
            self._ended(job, "failed", words="no worker could be started")
        finally:
            self._starting.discard(job)
            self._running.pop(job, None)
            self.hub.frames.pop(job, None)
            if worker is not None:
                self._keep(worker, self._idle)
            self._fill()

    def _heard(self, run: Running, said: dict[str, Any], parts: list[bytes]) -> bool:
        """Note and pass on what a worker says of its job; False when that was the last."""
        job = run.job
        match said["event"]:
            case "progress":
                run.seen, run.unsaved = said["progress"], True
                if time.monotonic() - run.saved >= SAVE_S:
                    self._save(run)
                self.hub.tell(job, "progress", run.seen)
            case "frame":
                self.hub.frames[job] = (said["form"], parts[0])
                self.hub.tell(job, "frame", {"form": said["form"], "bytes": len(parts[0])})
            case "best":
                self.store.change(job, solution=said["solution"])
            case "paused":
                run.paused_at = time.monotonic()
                self._state(job, "paused")
                self._fill()
            case "resumed":
                if run.paused_at is not None:
                    run.deadline += time.monotonic() - run.paused_at
                    run.paused_at = None
                self._state(job, "running")
            case "answer" | "done":
                self._save(run)
                for (name, form), data in zip(said["pictures"], parts, strict=True):
                    self.store.keep_picture(job, name, form, data)
                found = {key: said[key] for key in ("words", "passes", "report", "solution")}
                if said["event"] == "answer":
                    self.store.change(job, **found)
                    self._tell(job)
                    return True
                self._ended(job, "failed" if said["failed"] else "done", **found)
                return False
            case "step":
                self.store.keep_picture(job, f"step {said['number']}", said["form"], parts[0])
            case "error":
                self._ended(job, "failed", words=said["sentence"])
                return False
        return True

    def _save(self, run: Running) -> None:
        if run.unsaved:
            run.saved = time.monotonic()
            if run.seen["best_name"] != run.measure:  # a solver that now counts something else: a plot shows one thing
                run.measure = run.seen["best_name"]
                self.store.drop_points(run.job)
            self.store.change(run.job, progress=run.seen)
            self.store.add_point(run.job, run.seen["at_s"], run.seen["steps"], run.seen["best"])
            run.unsaved = False

    def _state(self, job: str, state: str) -> None:
        if self.store.job(job)["state"] not in ENDED:
            self.store.change(job, state=state)
            self._tell(job)

    def _ended(self, job: str, state: str, **values: Any) -> None:
        """Once and for all: what comes after does not change it."""
        if self.store.job(job)["state"] not in ENDED:
            self.store.change(job, state=state, ended=time.time(), **values)
            self._tell(job)

    def _tell(self, job: str) -> None:
        self.hub.tell(job, "job", {})  # each stream looks up how the job is when it tells it

    def _tell_waiting(self) -> None:
        """Their places in the queue have changed."""
        for job in self._queue:
            self._tell(job)

    def _watch(self, job: str, on: bool) -> None:
        if job in self._running:
            self._spawn(self._send(self._running[job], {"do": "watch", "on": on}))

    async def _send(self, run: Running, said: dict[str, Any]) -> None:
        with contextlib.suppress(Gone):  # the one who waits for its answers hears of it
            await run.worker.send(said)

    # processes

    async def _take(self, where: list[Process], nice: int) -> Process:
        """One that is ready, else a new one."""
        while where:
            if (worker := where.pop()).alive:
                return worker
            self._workers.discard(worker)
        return await self._new(nice)

    async def _new(self, nice: int) -> Process:
        worker = await Process.start(self.limits, nice)
        self._workers.add(worker)
        return worker

    def _keep(self, worker: Process, where: list[Process]) -> None:
        if not worker.worn(self.limits) and not self._ending:
            where.append(worker)
            return
        worker.kill()
        if not self._ending:  # else all of them are waited for together
            self._workers.discard(worker)
            self._spawn(worker.end())

    async def _warm(self) -> None:
        """Have some of each ready before the first visitor asks."""
        with contextlib.suppress(Gone, TimeoutError):  # then it is tried again when one is needed
            for where, nice in ((self._desk_idle, 0), (self._idle, NICE), (self._desk_idle, 0)):
                where.append(await self._new(nice))

    async def _guard(self) -> None:
        """Hold processes to their memory, and jobs to their time."""
        while True:
            await asyncio.sleep(LOOK_S)
            for worker in self._workers:
                if worker.alive and worker.held_mb() > self.limits.memory_mb:
                    worker.kill(
                        "memory", f"this takes more than the {self.limits.memory_mb:g} MB of memory it may take"
                    )
            for run in self._running.values():
                if run.paused_at is None and time.monotonic() > run.deadline:
                    run.worker.kill("stopped", "it did not end by itself; the best it had shown by then is kept")

    async def _pruning(self) -> None:
        while True:
            await asyncio.sleep(PRUNE_S)
            self.store.prune()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
