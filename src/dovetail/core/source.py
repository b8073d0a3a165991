"""What a reader reads: bytes with a name. Where they came from is the pipeline's business."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import limits
from .errors import BadInput

MAX_BYTES = limits.INPUT_BYTES


@dataclass(frozen=True)
class Source:
    """One input. ``folder`` is set instead of ``data`` when the user named a directory."""

    name: str
    data: bytes = b""
    folder: Path | None = None

    @cached_property
    def is_text(self) -> bool:
        """Whether the bytes are UTF-8 text; a NUL is in no text."""
        if self.folder is not None or b"\0" in self.data:
            return False
        try:
            self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return False
        return True

    @cached_property
    def text(self) -> str:
        """The input as text, or one clear sentence."""
        if self.folder is not None:
            raise BadInput(f"{self.name} is a folder; a file is needed here")
        if not self.is_text:
            raise BadInput(f"{self.name} is not a text file")
        return self.data.decode("utf-8-sig")
