"""What requests and answers of the API look like; FastAPI makes the OpenAPI description from these."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Plain = str | int | float | bool | None
Word = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
InputId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
JobId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
Settings = Annotated[dict[Word, Plain], Field(max_length=64)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
State = Literal["queued", "running", "paused", "done", "failed", "cancelled", "interrupted"]


class Strict(BaseModel):
    """What nobody asked for is refused, not ignored."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Given(Strict):
    """A puzzle: an input that was read before, or a text, link or built-in name."""

    input: InputId | None = Field(None, description="what POST /api/read or /api/generate returned")
    text: str | None = Field(
        None,
        min_length=1,
        description="the text of a puzzle, a link, or a built-in name",
        examples=["sudoku-9x9", "https://puzz.link/p?slither/5/5/cbcbcddad"],
    )
    kind: Word | None = Field(None, examples=[None, "sudoku"], description="kind of puzzle; recognised when not given")
    settings: Settings = Field(default_factory=dict, description="settings of reader and solver, by name")
    number: int = Field(1, ge=1, le=10**6, description="which puzzle of an input that holds many")


class Submit(Given):
    """A job."""

    solver: Word = "auto"
    time_s: float | None = Field(None, ge=0, le=10**9, description="seconds of solving; 60 unless steps are given")
    steps: int | None = Field(None, ge=0, lt=2**53, description="steps of the solver; makes a run repeatable")
    seed: Seed = 0
    hints: dict[str, Any] | None = Field(None, description="what is known of the answer (docs/steering.md)")
    explain: bool = Field(False, description="say step by step why the answer is the answer (logic grids)")


class Generate(Strict):
    """Surprise me; or a kind, a seed and the generator's settings."""

    kind: Word | None = None
    seed: Seed | None = None
    settings: Settings = Field(default_factory=dict)
    truth: bool = Field(False, description="whether to return the planted answer, too")


class Check(Given):
    """A solution to be judged; without one, what is known of the puzzle."""

    solution: dict[str, Any] | str | None = None
    truth: dict[str, Any] | None = Field(None, description="the planted answer, for scores that need it")


class MoreTime(Strict):
    """Seconds on top of what a job has."""

    seconds: float = Field(gt=0, le=10**6)


class Session(Strict):
    """The token, for browsers, which keep it as a cookie."""

    token: str = Field(max_length=4096)


class Told(BaseModel):
    """Every error, whatever its status."""

    code: str
    message: str


class Failure(BaseModel):
    """The one shape of errors."""

    error: Told


class Recognised(BaseModel):
    """What an input holds, and what can be done with it."""

    input: str
    kind: str
    title: str
    family: str
    size: str
    digest: str
    puzzles: int
    sizes: list[str]
    facts: dict[str, Any]
    explains: bool
    picture: bool = Field(description="whether the input is made of pixels, so that piece size and such may be told")
    settings: dict[str, Any] = Field(default_factory=dict, description="what it was read with")
    solvers: list[dict[str, Any]]
    read_settings: list[dict[str, Any]]
    suggested: dict[str, Any]
    seed: int | None = None
    truth: dict[str, Any] | None = None


class Job(BaseModel):
    """A job as lists show it; report, solution and pictures have addresses of their own."""

    id: str
    number: int
    state: State
    kind: str
    size: str
    digest: str
    solver: str
    why: str
    input: str
    request: dict[str, Any]
    time_s: float | None
    created: float
    started: float | None
    ended: float | None
    place: int | None = Field(None, description="in the queue")
    progress: dict[str, Any] | None
    words: str | None = Field(None, description="how it ended, in plain words")
    passes: bool | None = Field(None, description="whether the checker's verdict counts as solved")
    has_report: bool
    has_solution: bool


class Jobs(BaseModel):
    """The latest first."""

    jobs: list[Job]


class Points(BaseModel):
    """Score over time."""

    points: list[dict[str, Any]]


class Steps(BaseModel):
    """How an answer comes about."""

    sort: Literal["moves", "explanation"] | None
    texts: list[str]
    difficulty: str | None = None


class Board(BaseModel):
    """Where pieces lie in the picture of an answer, in its pixels; and which sorts of hints its kind takes."""

    cells: dict[str, int] | None
    hints: list[str]


class Checked(BaseModel):
    """A verdict, as a report and in words."""

    report: dict[str, Any]
    words: str


class Links(BaseModel):
    """For players on the web: the puzzle, and the solution where a viewer can show it."""

    puzzle: dict[str, str]
    solution: dict[str, str]
