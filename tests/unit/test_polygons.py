"""The kind `polygons`: reading, checking, making and drawing."""

import json

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import Locations
from dovetail.core.settings import NoSettings
from dovetail.core.source import Source
from dovetail.tiles.polygons import Making, Polygons, PolygonsKind
from dovetail.tiles.polygons_format import DISSECTION
from dovetail.tiles.polygons_making import silhouette, taken_apart

KIND = PolygonsKind()
SQUARE = ((0, 0), (2, 0), (2, 2), (0, 2))
LOWER, UPPER = ((0, 0), (2, 0), (2, 2)), ((0, 0), (2, 2), (0, 2))  # its halves, in place
HALVES = Polygons((LOWER, tuple((x + 5, y + 1) for x, y in UPPER)), (SQUARE,))
RIGHT = Locations(((0.0, 0.0), (-5.0, -1.0)))
# four bars around a hole of side 1
RING = (
    ((0, 0), (2, 0), (2, 1), (0, 1)),
    ((2, 0), (3, 0), (3, 2), (2, 2)),
    ((1, 2), (3, 2), (3, 3), (1, 3)),
    ((0, 1), (1, 1), (1, 3), (0, 3)),
)


def source(data: object) -> Source:
    return Source("file", json.dumps(data).encode())


def test_whole_and_broken_numbers_make_the_same_puzzle() -> None:
    again = Polygons(
        (LOWER, tuple((x + 5.0, y + 1.0) for x, y in UPPER)), (tuple((x + 0.0, -0.0 + y) for x, y in SQUARE),)
    )
    assert again == HALVES
    assert again.digest == HALVES.digest
    assert KIND.decode(HALVES.encode()) == HALVES
    assert HALVES.size == "2 pieces"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"pieces": []}, "needs a list 'pieces'"),
        ({"pieces": [[[0, 0], [1, 0], [1]]]}, "corner 3 of piece 1"),
        ({"pieces": [[[0, 0], [1, 0], [True, 1]]]}, "corner 3 of piece 1"),
        ({"pieces": [[[0, 0], [1, 0], [1e999, 1]]]}, "corner 3 of piece 1"),
        ({"pieces": [[[0, 0], [1, 0]]]}, "piece 1 has 2 corners"),
        ({"pieces": [[[0, 0], [2, 2], [2, 0], [0, 2]]]}, "piece 1 is no simple polygon"),
        ({"pieces": [[[0, 0], [1, 1], [2, 2]]]}, "piece 1 is no simple polygon: it has no area"),
        ({"pieces": [[list(point) for point in LOWER]]}, "an area of 2 together, and the frame has 4"),
        ({"frame": 3}, "needs a list 'frame'"),
        ({"frame": [[[0, 0], [3, 0], [3, 3], [0, 3]], [[2, 2], [5, 2], [5, 5], [2, 5]]]}, "rings 1 and 2"),
    ],
)
def test_what_cannot_be_is_refused_with_the_place(change: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        KIND.decode({**HALVES.encode(), **change})


def test_the_right_locations_solve_and_wrong_ones_are_named() -> None:
    verdict = KIND.check(HALVES, RIGHT)
    assert verdict.solved and verdict.violations == ()
    assert verdict.scores == pytest.approx({"covered": 1.0, "overlap": 0.0})
    far = KIND.check(HALVES, Locations(((0.0, 0.0), (1e300, 0.0))))
    assert far.violations == (
        "piece 2 lies outside the frame with 100.00% of its area",
        "50.00% of the frame is not covered",
    )
    across = KIND.check(HALVES, Locations(((0.0, 0.0), (-4.0, -2.0))))  # one to the right, one down
    assert across.valid and not across.solved
    assert "pieces 1 and 2 overlap by 50.00%" in across.violations
    assert across.scores == pytest.approx({"covered": 0.5, "overlap": 0.25})


@pytest.mark.parametrize(("off", "solved"), [(1e-8, True), (1e-5, False)])
def test_a_millionth_of_the_area_is_forgiven(off: float, solved: bool) -> None:
    assert KIND.check(HALVES, Locations(((0.0, 0.0), (-5.0 + off, -1.0)))).solved is solved


def test_a_solution_of_another_size_is_not_valid() -> None:
    assert not KIND.check(HALVES, Locations(((0.0, 0.0),))).valid
    assert KIND.draw(HALVES, Locations(((0.0, 0.0),))).svg().count(b"<text") == 1
    with pytest.raises(BadInput, match="it places 3 of 2"):
        KIND.draw(HALVES, Locations(((0.0, 0.0),) * 3))
    with pytest.raises(BadInput, match="out of sight"):
        KIND.draw(HALVES, Locations(((0.0, 0.0), (1e300, 0.0))))


def test_the_hole_of_a_frame_is_not_to_be_covered() -> None:
    puzzle, answer = taken_apart(RING)
    assert sorted(len(ring) for ring in puzzle.frame) == [4, 4]
    assert KIND.check(puzzle, answer).solved
    turned = Polygons(puzzle.pieces, tuple(ring[::-1] for ring in puzzle.frame[::-1]))
    assert KIND.check(turned, answer).solved, "neither order nor direction of the rings matters"
    assert not KIND.check(puzzle, Locations((*answer.at[:3], (answer.at[3][0] + 1, answer.at[3][1])))).solved
    assert KIND.draw(puzzle, answer).svg() != KIND.draw(puzzle).svg()


def test_silhouettes_that_touch_themselves_are_rings_that_pass_no_corner_twice() -> None:
    corner_to_corner = silhouette((((0, 0), (1, 0), (1, 1), (0, 1)), ((1, 1), (2, 1), (2, 2), (1, 2))))
    assert sorted(map(len, corner_to_corner)) == [4, 4]
    assert all(len(set(ring)) == len(ring) for ring in corner_to_corner)
    edge_in_edge = silhouette((((0, 0), (4, 0), (4, 1), (0, 1)), ((1, 1), (2, 1), (2, 2), (1, 2))))
    assert [len(ring) for ring in edge_in_edge] == [8]


def test_parts_of_a_square_that_change_places_are_another_solution() -> None:
    """GEOS lost a quarter of the area here when it united the pieces."""
    puzzle, answer = KIND.make(Making(pieces=12, style="cuts"), 1)
    other = tuple(
        (x + (4 if max(px for px, _ in piece) + x <= 4 else -4), y)
        for piece, (x, y) in zip(puzzle.pieces, answer.at, strict=True)
    )
    assert KIND.check(puzzle, Locations(other)).solved


@pytest.mark.parametrize(("style", "pieces"), [("tangram", 7), ("tangram", 21), ("cuts", 2), ("cuts", 25)])
def test_makes_puzzles_that_their_answer_solves(style: str, pieces: int) -> None:
    for seed in range(5):
        puzzle, answer = KIND.make(Making(pieces=pieces, style=style), seed)
        assert len(puzzle.pieces) == pieces
        assert KIND.decode(puzzle.encode()) == puzzle
        assert KIND.check(puzzle, answer).solved
        assert len(set(answer.at)) > 1, "the pieces are not listed as they lie"


def test_tangrams_are_made_of_whole_sets() -> None:
    with pytest.raises(BadUsage, match="sets of 7"):
        KIND.make(Making(pieces=8), 0)


def test_dissections_are_read_with_their_pieces_moved_apart() -> None:
    polygon = {"a": [list(p) for p in LOWER], "b": [list(p) for p in (*UPPER, UPPER[0])]}
    file = source({"one": {"has_overwrap": False, "polygon": polygon}, "two": {"polygon": polygon}})
    assert DISSECTION.detect(file)
    one, two = DISSECTION.read(file, NoSettings())
    assert isinstance(one, Polygons) and one == two
    assert one.pieces[0] != LOWER
    shown = KIND.boards(file, NoSettings())
    assert [laid.puzzle for laid in shown] == [one, two]
    for laid in shown:
        assert laid.solution is not None and KIND.check(laid.puzzle, laid.solution).solved
    written = Source("own", DISSECTION.write(HALVES))
    assert DISSECTION.read(written, NoSettings()) == [HALVES]
    assert KIND.boards(written, NoSettings()) == []


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (
            {"has_overwrap": True, "polygon": {"a": [[0, 0], [1, 0], [0, 1]]}},
            "file, 'it': its polygons overlap in the file",
        ),
        ({"polygon": {"a": [[0, 0], [2, 0], [0, 2]], "b": [[0, 0], [1, 0], [0, 1]]}}, "polygons 1 and 2 overlap"),
        ({"polygon": {"a": [[0, 0], [2, 2], [2, 0], [0, 2]]}}, "polygon 1 is not simple"),
        ({"polygon": {"a": [[0, 0], ["x", 2]]}}, "corner 2 of polygon 'a'"),
        ({"polygon": []}, "'polygon' is not an object"),
    ],
)
def test_dissections_that_show_no_silhouette_are_refused(item: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        DISSECTION.read(source({"it": item}), NoSettings())


@pytest.mark.parametrize("data", [{}, [], {"kind": "polygons", "polygon": 1}, {"a": 1}, {"a": {"polygons": {}}}])
def test_other_json_is_no_dissection(data: object) -> None:
    assert not DISSECTION.detect(source(data))
    with pytest.raises(BadInput):
        DISSECTION.read(source(data), NoSettings())
