"""Jobs that last: SQLite in WAL mode holds inputs, jobs, progress, results and pictures.

What is committed survives the server being killed. Pruned by age, number and size, oldest first.
"""

import fcntl
import hashlib
import json
import os
import secrets
import sqlite3
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..core.errors import BadUsage
from ..core.files import reason
from .limits import Limits
from .problems import Problem

VERSION = 1
MOST_OVER = 1.25  # times what may be kept, between two prunings
MOST_POINTS = 400  # of a job's plot; of more, every other one goes
ENDED = ("done", "failed", "cancelled", "interrupted")
JSON_COLUMNS = ("request", "progress", "report", "solution")
CUT_SHORT = "the server ended while this job ran; the best it had shown by then is kept"
SCHEMA = """
CREATE TABLE inputs (id TEXT PRIMARY KEY, data BLOB NOT NULL, created REAL NOT NULL);
CREATE TABLE jobs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, input TEXT NOT NULL REFERENCES inputs (id),
  state TEXT NOT NULL, created REAL NOT NULL, started REAL, ended REAL,
  kind TEXT NOT NULL, size TEXT NOT NULL, digest TEXT NOT NULL, solver TEXT NOT NULL, why TEXT NOT NULL,
  time_s REAL, request TEXT NOT NULL, progress TEXT, words TEXT, passes INTEGER, report TEXT, solution TEXT
);
CREATE TABLE points (
  job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, at_s REAL NOT NULL, steps REAL, best REAL
);
CREATE INDEX points_of ON points (job);
CREATE TABLE pictures (
  owner TEXT NOT NULL, name TEXT NOT NULL, form TEXT NOT NULL, data BLOB NOT NULL, PRIMARY KEY (owner, name, form)
);
"""


class Store:
    """One folder, one server. Everything in it is small and indexed, so calls are quick enough for an event loop."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self.limits = limits
        with ExitStack() as undone:
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._lock = undone.enter_context(open(folder / "lock", "w"))  # held as long as the store
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path = folder / "jobs.sqlite"
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
                self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
                undone.callback(self._base.close)
                self._prepare(path)
            except BlockingIOError:
                raise BadUsage(f"another server keeps its jobs in {folder}; name a folder with --folder") from None
            except OSError as error:
                raise BadUsage(f"cannot keep jobs in {folder}: {reason(error)}") from None
            except sqlite3.DatabaseError as error:
                raise BadUsage(f"cannot use {folder / 'jobs.sqlite'}: {error}") from None
            undone.pop_all()

    def _prepare(self, path: Path) -> None:
        self._base.row_factory = sqlite3.Row
        for pragma in ("auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            self._base.execute(f"PRAGMA {pragma}")
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        if version == 0:
            self._base.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
        elif version != VERSION:
            raise BadUsage(f"{path} was written by another version (schema {version}, not {VERSION}); move it away")

    def close(self) -> None:
        """Put everything into the one file and let go of it."""
        self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._base.close()
        self._lock.close()

    def recover(self) -> list[str]:
        """After a restart: what ran is marked; what waited still waits, and is returned in its order.

        What ran is not begun again by itself: it may have been what ended the server.
        """
        self._base.execute(
            "UPDATE jobs SET state='interrupted', ended=?, words=? WHERE state IN ('running', 'paused')",
            (time.time(), CUT_SHORT),
        )
        return [row["id"] for row in self._base.execute("SELECT id FROM jobs WHERE state='queued' ORDER BY number")]

    # inputs

    def keep_input(self, data: bytes) -> str:
        """Keep an upload under the hash of what it holds; the name it came with plays no part."""
        if self.size() + len(data) > MOST_OVER * self.limits.kept_bytes:
            self.prune()
            if self.size() + len(data) > MOST_OVER * self.limits.kept_bytes:
                raise Problem("store", "there is no room for another upload just now; try again in some minutes")
        name = hashlib.sha256(data).hexdigest()
        self._base.execute(
            "INSERT INTO inputs VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET created=excluded.created",
            (name, data, time.time()),
        )
        return name

    def input(self, name: str) -> bytes:
        """What was uploaded."""
        row = self._base.execute("SELECT data FROM inputs WHERE id=?", (name,)).fetchone()
        if row is None:
            raise Problem("not_found", "there is no such input; it may have been removed, send it again")
        return bytes(row["data"])

    # jobs

    def add(self, input_: str, request: dict[str, Any], about: dict[str, Any]) -> str:
        """A new job, waiting."""
        name = secrets.token_hex(8)
        self._base.execute(
            "INSERT INTO jobs (id, input, state, created, kind, size, digest, solver, why, time_s, request)"
            " VALUES (?, ?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?)",
            (name, input_, time.time(), about["kind"], about["size"], about["digest"], about["solver"], about["why"],
             request["time_s"], json.dumps(request)),
        )  # fmt: skip
        return name

    def change(self, job: str, **values: Any) -> None:
        """Set columns of a job; names come from our own code only."""
        columns = ", ".join(f"{name}=?" for name in values)
        given = [json.dumps(v) if name in JSON_COLUMNS and v is not None else v for name, v in values.items()]
        self._base.execute(f"UPDATE jobs SET {columns} WHERE id=?", (*given, job))

    def job(self, name: str) -> dict[str, Any]:
        """All of a job."""
        row = self._base.execute("SELECT * FROM jobs WHERE id=?", (name,)).fetchone()
        if row is None:
            raise Problem("not_found", "there is no such job; it may have been removed")
        return _decoded(row)

    def jobs(self, most: int, before: int | None = None, state: str | None = None) -> list[dict[str, Any]]:
        """The latest first, without what is long."""
        rows = self._base.execute(
            "SELECT number, id, input, state, created, started, ended, kind, size, digest, solver, why, time_s,"
            " request, progress, words, passes, solution IS NOT NULL AS has_solution, report IS NOT NULL AS has_report"
            " FROM jobs WHERE (?1 IS NULL OR number < ?1) AND (?2 IS NULL OR state = ?2) ORDER BY number DESC LIMIT ?3",
            (before, state, most),
        )
        return [_decoded(row) for row in rows]

    def remove(self, job: str) -> None:
        """A job and all that was kept of it."""
        self._base.execute("DELETE FROM pictures WHERE owner=?", (job,))
        self._base.execute("DELETE FROM jobs WHERE id=?", (job,))

    # progress

    def add_point(self, job: str, at_s: float, steps: float | None, best: float | None) -> None:
        """A point of the plot of score over time."""
        self._base.execute("INSERT INTO points VALUES (?, ?, ?, ?)", (job, at_s, steps, best))
        (number,) = self._base.execute("SELECT count(*) FROM points WHERE job=?", (job,)).fetchone()
        if number > MOST_POINTS:
            self._base.execute(
                "DELETE FROM points WHERE rowid IN (SELECT row FROM (SELECT rowid AS row, row_number() OVER"
                " (ORDER BY rowid DESC) AS place FROM points WHERE job=?) WHERE place % 2 = 0)",
                (job,),
            )

    def drop_points(self, job: str) -> None:
        """Begin its plot anew."""
        self._base.execute("DELETE FROM points WHERE job=?", (job,))

    def points(self, job: str) -> list[dict[str, Any]]:
        """Score over time."""
        rows = self._base.execute("SELECT at_s, steps, best FROM points WHERE job=? ORDER BY rowid", (job,))
        return [dict(row) for row in rows]

    # pictures

    def keep_picture(self, owner: str, name: str, form: str, data: bytes) -> None:
        """A picture of a job, or of a kind."""
        self._base.execute("INSERT OR REPLACE INTO pictures VALUES (?, ?, ?, ?)", (owner, name, form, data))

    def picture(self, owner: str, name: str, form: str | None = None) -> tuple[str, bytes] | None:
        """Its form and bytes; any form if none is named."""
        row = self._base.execute(
            "SELECT form, data FROM pictures WHERE owner=? AND name=? AND (?3 IS NULL OR form=?3)", (owner, name, form)
        ).fetchone()
        return None if row is None else (row["form"], bytes(row["data"]))

    # pruning

    def size(self) -> int:
        """Bytes in use, by SQLite's own count of pages."""
        counts = [self._base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count")]
        (page,) = self._base.execute("PRAGMA page_size").fetchone()
        return int((counts[0] - counts[1]) * page)

    def prune(self) -> int:
        """Remove ended jobs that are too old, too many or too large together; returns how many."""
        limits, now = self.limits, time.time()
        ended = [row["id"] for row in self._base.execute("SELECT id FROM jobs WHERE ended IS NOT NULL ORDER BY number")]
        old = self._base.execute("SELECT count(*) FROM jobs WHERE ended < ?", (now - limits.kept_days * 86400,))
        due = max(old.fetchone()[0], len(ended) - limits.kept_jobs)
        removed = 0
        for job in ended:
            if removed >= due and self.size() <= limits.kept_bytes:
                break
            self.remove(job)
            removed += 1
            self._drop_inputs(now)
        self._drop_inputs(now)
        self._base.execute("PRAGMA incremental_vacuum")
        return removed

    def _drop_inputs(self, now: float) -> None:
        """Uploads that no job uses, when they are old or room is short."""
        age = self.limits.input_hours * 3600 if self.size() <= self.limits.kept_bytes else 60.0
        self._base.execute(
            "DELETE FROM inputs WHERE created < ? AND id NOT IN (SELECT input FROM jobs)", (now - age,)
        )  # fmt: skip


def _decoded(row: sqlite3.Row) -> dict[str, Any]:
    job = dict(row)
    for name in JSON_COLUMNS:
        if isinstance(job.get(name), str):
            job[name] = json.loads(job[name])
    if job.get("passes") is not None:
        job["passes"] = bool(job["passes"])
    return job
