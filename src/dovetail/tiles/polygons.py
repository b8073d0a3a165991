"""Polygons that fill a silhouette: tangrams and other dissections, moved without turning.

A piece is a polygon, a tuple of corners (x, y) with y upwards. The frame is a tuple of rings; a point belongs to it if
it lies inside an odd number of them, so an outline and its holes need no order. A solution says by how much each piece
is moved from where the puzzle lists it. The pieces come in the orientation they have in the answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from ..core import limits
from ..core.errors import BadInput
from ..core.kind import Drawing, Format, Kind, Laid
from ..core.puzzle import Locations, Puzzle, Solution, Verdict
from ..core.settings import NoSettings, setting
from ..core.source import Source

Point: TypeAlias = tuple[float, float]
Ring: TypeAlias = tuple[Point, ...]

MOST_PIECES, MOST_CORNERS = limits.POLYGONS_PIECES, limits.POLYGON_CORNERS
FARTHEST = limits.POLYGON_COORDINATE
STYLES = ("tangram", "cuts")


@dataclass(frozen=True)
class Polygons(Puzzle):
    """Pieces and the frame they fill, all as rings of corners; which way round a ring goes does not matter."""

    pieces: tuple[Ring, ...]
    frame: tuple[Ring, ...]
    kind: ClassVar[str] = "polygons"

    def __post_init__(self) -> None:
        for name, what in (("pieces", "piece"), ("frame", "ring")):
            rings = getattr(self, name)
            if not 1 <= len(rings) <= MOST_PIECES:
                raise BadInput(f"a polygons puzzle has 1 to {MOST_PIECES} {what}s, not {len(rings)}")
            for number, ring in enumerate(rings, start=1):
                if not 3 <= len(ring) <= MOST_CORNERS:
                    raise BadInput(f"{what} {number} has {len(ring)} corners; 3 to {MOST_CORNERS} are possible")
                if not all(-FARTHEST <= value <= FARTHEST for point in ring for value in point):
                    raise BadInput(f"{what} {number} has a coordinate beyond {FARTHEST:g}")
            # one way to write a number, so that equal puzzles have equal digests
            object.__setattr__(self, name, tuple(tuple((x + 0.0, y + 0.0) for x, y in ring) for ring in rings))

    @property
    def size(self) -> str:
        """How many pieces."""
        return f"{len(self.pieces)} piece{'s' if len(self.pieces) > 1 else ''}"

    def encode(self) -> dict[str, Any]:
        """As JSON types."""
        return {"pieces": _listed(self.pieces), "frame": _listed(self.frame)}


def _listed(rings: tuple[Ring, ...]) -> list[list[list[float]]]:
    """Whole numbers without a point."""
    return [[[int(v) if v.is_integer() else v for v in point] for point in ring] for ring in rings]


@dataclass(frozen=True)
class Making:
    """What kind of puzzle to make."""

    pieces: int = setting(7, "how many; tangrams have 7, 14, 21, …: whole sets", least=2, most=MOST_PIECES)
    style: str = setting("tangram", "tangram sets grown into a silhouette, or a square cut up", choices=STYLES)


class PolygonsKind(Kind):
    """See the module text."""

    name = "polygons"
    family = "tiles"
    title = "Tangrams: polygons that fill a silhouette"
    rules = (
        "Move every piece, without turning it, so that together they cover the silhouette: each lies inside it, and no "
        "two overlap."
    )
    solution_shape = "locations"
    demo = "tangram-runner"
    making_type = Making

    def samples(self) -> Mapping[str, Callable[[], Puzzle]]:
        """The square, a figure, and a square cut up."""
        from .polygons_samples import SAMPLES

        return SAMPLES

    def formats(self) -> tuple[Format, ...]:
        """Dissections as JSON."""
        from .polygons_format import DISSECTION

        return (DISSECTION,)

    def boards(self, source: Source, settings: NoSettings) -> list[Laid]:
        """A dissection shows its pieces in place."""
        from .polygons_format import laid

        return laid(source)

    def decode(self, data: Mapping[str, Any]) -> Polygons:
        """From Dovetail's JSON; pieces that cannot fill the frame, whatever their places, are refused."""
        from .polygons_checking import refuse_broken

        puzzle = Polygons(decode_rings(data, "pieces", "piece"), decode_rings(data, "frame", "ring"))
        refuse_broken(puzzle)
        return puzzle

    def make(self, settings: Making, seed: int) -> tuple[Polygons, Locations]:
        """A silhouette that is grown from pieces, or pieces that are cut from a square."""
        from .polygons_making import make

        return make(settings, seed)

    def check(self, puzzle: Puzzle, solution: Solution, truth: Solution | None = None) -> Verdict:
        """Every piece inside the frame, no two overlapping, all of it covered; a millionth of its area is forgiven."""
        from .polygons_checking import judge

        assert isinstance(puzzle, Polygons)
        if not isinstance(solution, Locations):
            raise BadInput(f"a polygons solution is locations, not {solution.shape}")
        return judge(puzzle, solution)

    def draw(self, puzzle: Puzzle, solution: Solution | None = None) -> Drawing:
        """The pieces in the frame, or the silhouette with the pieces beside it when there is no solution yet."""
        from .polygons_draw import draw

        assert isinstance(puzzle, Polygons)
        if solution is not None and not isinstance(solution, Locations):
            raise BadInput(f"a polygons solution is locations, not {solution.shape}")
        return draw(puzzle, solution)


def decode_rings(data: Mapping[str, Any], key: str, what: str) -> tuple[Ring, ...]:
    """A list of polygons, each a list of points [x, y]; ``what`` is one of them, in words."""
    rings = data.get(key)
    if not isinstance(rings, list) or not rings:
        raise BadInput(f"a polygons puzzle needs a list {key!r}")
    return tuple(decode_ring(ring, f"{what} {number}") for number, ring in enumerate(rings, start=1))


def decode_ring(ring: Any, what: str) -> Ring:
    """One polygon; its first corner may be repeated at the end."""
    if not isinstance(ring, list):
        raise BadInput(f"{what} is not a list of points [x, y]")
    for number, point in enumerate(ring, start=1):
        if not (
            isinstance(point, list)
            and len(point) == 2
            and all(type(v) in (int, float) and -FARTHEST <= v <= FARTHEST for v in point)
        ):
            raise BadInput(f"corner {number} of {what} is not a point [x, y] with coordinates up to {FARTHEST:g}")
    points = tuple((float(x), float(y)) for x, y in ring)
    return points[:-1] if len(points) > 3 and points[0] == points[-1] else points
