"""The errors a user can cause. Each is one sentence that says what is wrong and, where it helps, what to do."""


class DovetailError(Exception):
    """Anything the user can put right; the command line prints it as one sentence and ends with status 2."""


class BadInput(DovetailError):
    """The puzzle, the solution or a file around them is not what it should be."""


class BadUsage(DovetailError):
    """The request itself makes no sense: unknown names, settings out of range, impossible budgets."""


class Refused(DovetailError):
    """A solver was asked for a puzzle it does not accept; the message is its reason."""
