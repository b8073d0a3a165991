"""What can go wrong in a request, in one shape: a status, a code for programs and a sentence for people."""

from typing import Any

from ..core.errors import BadInput, BadUsage, DovetailError, Refused

LONGEST = 400  # characters of a sentence
STATUS = {
    "bad_input": 422, "bad_usage": 422, "refused": 422, "invalid_request": 422, "too_large": 413, "not_found": 404,
    "not_allowed": 405, "conflict": 409, "queue_full": 429, "busy": 429, "memory": 422, "time": 422, "crashed": 422,
    "token_needed": 401, "foreign_host": 403, "foreign_origin": 403, "store": 503, "ending": 503, "internal": 500,
}  # fmt: skip


class Problem(Exception):
    """Raised anywhere below the API, shown by it; never with a traceback."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code, self.status = code, STATUS[code]
        self.sentence = shortened(sentence)

    def to_json(self) -> dict[str, Any]:
        """The one JSON shape of all errors."""
        return {"error": {"code": self.code, "message": self.sentence}}


def code_of(error: DovetailError) -> str:
    """Which sort of error of ours it is."""
    for kind, code in ((Refused, "refused"), (BadUsage, "bad_usage"), (BadInput, "bad_input")):
        if isinstance(error, kind):
            return code
    return "bad_input"


def shortened(sentence: str) -> str:
    """On one line, and not longer than a person reads."""
    flat = " ".join(sentence.split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
