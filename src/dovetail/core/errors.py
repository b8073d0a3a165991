"""The errors a user can cause. Each is one sentence that says what is wrong and, where it helps, what to do."""

from .limits import SENTENCE_CHARACTERS


class DovetailError(Exception):
    """Anything the user can put right; the command line prints it as one sentence and ends with status 2."""

    def __init__(self, sentence: str) -> None:
        super().__init__(_on_one_line(sentence))


def _on_one_line(sentence: str) -> str:
    """The sentence, whatever text of a user's it cites: what cannot be printed is escaped, and the middle of too much
    is left out."""
    sentence = _without_middle(sentence)
    if sentence.isprintable():
        return sentence
    printable = (each if each.isprintable() else ascii(each)[1:-1] for each in " ".join(sentence.split()))
    return _without_middle("".join(printable))


def _without_middle(sentence: str) -> str:
    half = SENTENCE_CHARACTERS // 2 - 2
    return sentence if len(sentence) <= SENTENCE_CHARACTERS else f"{sentence[:half]} … {sentence[-half:]}"


class BadInput(DovetailError):
    """The puzzle, the solution or a file around them is not what it should be."""


class BadUsage(DovetailError):
    """The request itself makes no sense: unknown names, settings out of range, impossible budgets."""


class Refused(DovetailError):
    """A solver was asked for a puzzle it does not accept; the message is its reason."""
