"""The checker of polygons: exact geometry of polygons by shapely. No solver uses this module."""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING

from ..core.errors import BadInput
from ..core.puzzle import Locations, Verdict, named
from .polygons import Polygons, Ring

if TYPE_CHECKING:
    from shapely import Geometry, Polygon

TOLERANCE = 1e-6  # of the frame's area: what may lie outside, lie double, or stay uncovered
DIGITS = 6  # of a score: what is forgiven is not seen in it
FAR = 1e8  # a piece moved farther than this lies outside every frame


def frame_area(rings: Sequence[Ring]) -> "Geometry":
    """The points inside an odd number of rings."""
    import shapely

    return reduce(shapely.symmetric_difference, (shapely.Polygon(ring) for ring in rings))


def refuse_broken(puzzle: Polygons) -> None:
    """Refuse rings that cross themselves or each other, and pieces whose areas do not add up to the frame's."""
    import shapely

    for what, rings in (("piece", puzzle.pieces), ("ring", puzzle.frame)):
        for number, ring in enumerate(rings, start=1):
            if not (polygon := shapely.Polygon(ring)).is_valid or polygon.area == 0:
                raise BadInput(f"{what} {number} is no simple polygon: {_reason(polygon)}")
    frame = frame_area(puzzle.frame).area
    areas = [shapely.Polygon(ring) for ring in puzzle.frame]
    for i, one in enumerate(areas):
        for j, other in enumerate(areas[:i]):
            shared = one.intersection(other).area
            apart_or_within = min(shared, min(one.area, other.area) - shared) <= TOLERANCE * frame
            if not apart_or_within or one.boundary.intersection(other.boundary).length > TOLERANCE * one.length:
                raise BadInput(f"rings {j + 1} and {i + 1} of the frame cross or run along each other")
    pieces = sum(shapely.Polygon(piece).area for piece in puzzle.pieces)
    if abs(pieces - frame) > TOLERANCE * frame:
        raise BadInput(f"the pieces cover an area of {pieces:.9g} together, and the frame has {frame:.9g}")


def judge(puzzle: Polygons, solution: Locations) -> Verdict:
    """Every piece inside the frame, no two overlapping, and nothing left uncovered, within TOLERANCE."""
    import shapely

    refuse_broken(puzzle)
    if len(solution.at) != len(puzzle.pieces):
        wrong = f"the solution places {len(solution.at)} pieces, and the puzzle has {len(puzzle.pieces)}"
        return Verdict(False, False, (wrong,))
    frame = frame_area(puzzle.frame)
    least = TOLERANCE * frame.area
    laid = [_moved(piece, at) for piece, at in zip(puzzle.pieces, solution.at, strict=True)]
    violations = [
        f"piece {number} lies outside the frame with {out / polygon.area:.2%} of its area"
        for number, polygon in enumerate(laid, start=1)
        if (out := polygon.difference(frame).area) > least
    ]
    overlap, tree = 0.0, shapely.STRtree(laid)
    for i, j in sorted((int(i), int(j)) for i, j in tree.query(laid, predicate="intersects").T if i < j):
        shared = laid[i].intersection(laid[j]).area
        overlap += shared
        if shared > least:
            violations.append(f"pieces {i + 1} and {j + 1} overlap by {shared / min(laid[i].area, laid[j].area):.2%}")
    covered = _covered(frame, laid, overlap)
    if frame.area - covered > least:
        violations.append(f"{(frame.area - covered) / frame.area:.2%} of the frame is not covered")
    scores = {"covered": round(min(1.0, covered / frame.area), DIGITS), "overlap": round(overlap / frame.area, DIGITS)}
    return Verdict(True, not violations, named(violations), scores)


def _covered(frame: "Geometry", laid: Sequence["Polygon"], overlap: float) -> float:
    """The area of the frame that is covered.

    It is at least what the pieces cover one by one, less their overlaps. That is all where they do not overlap, and it
    takes two polygons at a time: of many that meet edge to edge, GEOS may lose some when it unites them.
    """
    rest = frame
    for polygon in laid:
        rest = rest.difference(polygon)
    one_by_one = sum(float(polygon.intersection(frame).area) for polygon in laid)
    return max(float(frame.area - rest.area), one_by_one - overlap)


def _moved(piece: Ring, at: tuple[float, float]) -> "Polygon":
    import shapely

    dx, dy = (max(-FAR, min(FAR, value)) for value in at)
    return shapely.Polygon([(x + dx, y + dy) for x, y in piece])


def _reason(polygon: "Polygon") -> str:
    import shapely

    if polygon.area == 0:
        return "it has no area"
    return str(shapely.is_valid_reason(polygon)).partition("[")[0].strip().lower()
