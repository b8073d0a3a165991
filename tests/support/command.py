"""The command line, called in this process or in one of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest import mock

import typer.main

from dovetail import cli

# what the options are, typer would find out anew for every command: more work than most of them do
_described = cache(typer.main.get_command)


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        return json.loads(self.out)

    def is_one_sentence(self) -> bool:
        """What the contract asks of status 2: one line on standard error, no traceback, nothing on standard output."""
        lines = self.err.strip().splitlines()
        clear = len(lines) == 1 and lines[0].startswith("dovetail: ") and "internal error" not in self.err
        return clear and not self.out


def dovetail(*args: object, stdin: bytes = b"") -> Result:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with (
        mock.patch.object(typer.main, "get_command", _described),
        mock.patch.object(sys, "argv", ["dovetail", *map(str, args)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.main()
        except SystemExit as end:
            assert isinstance(end.code, int)
            status = end.code
    return Result(status, out.getvalue(), err.getvalue())


def start(*args: object, **options: Any) -> "subprocess.Popen[str]":
    """Begin a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "dovetail", *map(str, args)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def gone(group: int) -> bool:
    """Whether no process of the group is left (a moment is allowed for the last to end)."""
    for _ in range(50):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
