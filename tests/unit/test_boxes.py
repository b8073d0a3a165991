"""Boards of boxes in one, two and three dimensions: rules, checker, generator, drawing, and what is refused."""

from collections import Counter
from dataclasses import replace
from itertools import islice, permutations
from typing import Any

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import EMPTY, Moves, Placement
from dovetail.picture import MISTAKE, Line, Picture, Polygon, Text
from dovetail.tiles.boxes import Boxes, BoxesKind, Making, box_layout
from dovetail.tiles.boxes_draw import draw_boxes
from dovetail.tiles.draw import GREY, HOLE, look
from dovetail.tiles.solids import FRAMES
from dovetail.tiles.solids_checking import drawable
from support.mutations import mutations
from support.naive_solids import boards, places, shown, sides

KIND = BoxesKind()
SHAPES = [(1,), (5,), (3, 4), (1, 3), (2, 3, 4), (3, 1, 1)]
SQUARE = {"lengths": [2, 2], "pieces": [[1, 2, 3, 4]] * 4}


def made(shape: str, colours: int = 4, frame: str = "coloured", seed: int = 0) -> tuple[Boxes, Placement]:
    return KIND.make(Making(shape, colours, frame), seed)


def plain(shape: tuple[int, ...]) -> Boxes:
    """All faces alike."""
    layout = box_layout(shape)
    return Boxes(shape, ((1,) * len(layout.opposite),) * len(layout.cells))


def in_order(puzzle: Boxes, order: tuple[int, ...]) -> Placement:
    return Placement.from_flat(order, (0,) * len(order), puzzle.shape[-1])


@pytest.mark.parametrize("shape", SHAPES)
def test_neighbours_are_what_a_slow_twin_says(shape: tuple[int, ...]) -> None:
    puzzle = plain(shape)
    layout, board = puzzle.layout, places(puzzle)
    for cell, place in enumerate(board):
        for face, (beyond, back) in enumerate(sides(puzzle, place)):
            assert layout.beyond[cell][face] == (board.index(beyond) if beyond in board else None)
            assert layout.opposite[face] == back
    assert len(layout.rim) + 2 * len(layout.seams) == len(board) * 2 * len(shape)


def test_cells_and_faces_have_names() -> None:
    cube, row = plain((2, 3, 4)), plain((5,))
    assert cube.where(23) == "layer 2, row 3, column 4"
    assert cube.face_names == ("front", "back", "north", "south", "west", "east")
    assert cube.layout.beyond[0] == (None, 12, None, 4, None, 1), "front to east"
    assert plain((3, 4)).where(4) == "row 2, column 1"
    assert (row.where(4), row.face_names, row.size) == ("column 5", ("west", "east"), "5")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("shape", ["1", "6", "3x4", "2x3x3"])
def test_planted_boards_pass_the_checker_and_no_mutation_does(shape: str, frame: str) -> None:
    puzzle, answer = made(shape, 5, frame, seed=2)
    verdict = KIND.check(puzzle, answer, answer)
    assert verdict.solved and verdict.scores["as_planted"] == 1
    assert verdict.scores["matched"] == verdict.scores["seams"] == len(puzzle.layout.seams)
    board = shown(puzzle, answer)
    for what, mutated in mutations(answer):
        assert isinstance(mutated, Placement)
        verdict = KIND.check(puzzle, mutated)
        if verdict.solved:
            assert verdict.valid and shown(puzzle, mutated) == board, what
    assert not any(map(any, answer.turns))


@pytest.mark.parametrize(("shape", "colours"), [("4", 2), ("2x3", 2), ("1x2x3", 3), ("2x2", 1)])
@pytest.mark.parametrize("frame", FRAMES)
def test_solved_are_exactly_the_boards_a_slow_twin_finds(shape: str, colours: int, frame: str) -> None:
    puzzle, _ = made(shape, colours, frame, seed=4)
    right = set(boards(puzzle))
    seen = set()
    for order in permutations(range(len(puzzle.pieces))):
        placement = in_order(puzzle, order)
        solved = KIND.check(puzzle, placement).solved
        assert solved is (shown(puzzle, placement) in right)
        if solved:
            seen.add(shown(puzzle, placement))
    assert seen == right != set()


@pytest.mark.parametrize("frame", FRAMES)
def test_colours_are_dealt_evenly(frame: str) -> None:
    puzzle, answer = made("3x4x5", 7, frame)
    board, layout = shown(puzzle, answer), puzzle.layout
    faces = [(cell, face) for cell, face, _, _ in layout.seams] + ([] if frame == "grey" else [*layout.rim])
    count = Counter(board[cell][face] for cell, face in faces)
    assert sorted(count) == [1, 2, 3, 4, 5, 6, 7]
    assert max(count.values()) - min(count.values()) <= 1
    assert puzzle.rim == (0 if frame == "grey" else None)
    assert puzzle.frame is None or puzzle.frame == tuple(board[cell][face] for cell, face in layout.rim)


def test_samples_have_one_solution() -> None:
    for build in KIND.samples().values():
        puzzle = build()
        assert isinstance(puzzle, Boxes)
        assert len([*islice(boards(puzzle), 2)]) == 1


def test_verdicts_name_the_place() -> None:
    puzzle = Boxes((1, 2, 2), ((0, 0, 1, 1, 2, 2),) * 3 + ((0, 0, 1, 3, 4, 2),), (0,) * 16)
    verdict = KIND.check(puzzle, in_order(puzzle, (0, 1, 2, 3)))
    assert verdict.valid and not verdict.solved
    assert "layer 1, row 1, column 1: the north face shows 1, and the frame wants 0" in verdict.violations
    assert verdict.violations[-1] == (
        "layer 1, row 2, column 1: the east face shows 2, and meets 4 of the piece at layer 1, row 2, column 2"
    )
    assert (verdict.scores["matched"], verdict.scores["seams"]) == (3, 4)


@pytest.mark.parametrize(
    ("pieces", "turns", "says"),
    [
        (((0, 1), (2, 3), (4, 5)), ((0, 0),) * 3, "grid of 3x2, and this puzzle takes one of 2x2"),
        (((0, 1), (2, 4)), ((0, 0),) * 2, "row 2, column 2: there is no piece 4 (pieces are 0 to 3)"),
        (((0, 1), (2, -2)), ((0, 0),) * 2, "there is no piece -2"),
        (((0, 1), (2, 0)), ((0, 0),) * 2, "row 2, column 2: piece 0 already lies at row 1, column 1"),
        (((0, 1), (2, 3)), ((0, 0), (0, 1)), "row 2, column 2: pieces are not turned, and this one has 1"),
    ],
)
def test_meaningless_placements(pieces: Any, turns: Any, says: str) -> None:
    puzzle, solution = plain((2, 2)), Placement(pieces, turns)
    verdict = KIND.check(puzzle, solution)
    assert not verdict.valid and not verdict.solved
    assert says in verdict.violations[0]
    with pytest.raises(BadInput, match="cannot draw this solution"):
        KIND.draw(puzzle, solution)


def test_holes_are_told_and_other_shapes_refused() -> None:
    puzzle = plain((2, 2))
    verdict = KIND.check(puzzle, in_order(puzzle, (0, EMPTY, 2, EMPTY)))
    assert verdict.valid and verdict.violations == ("2 cells are empty",)
    assert verdict.scores == {"matched": 1, "seams": 4, "placed": 2}
    with pytest.raises(BadInput, match="placement"):
        KIND.check(puzzle, Moves(()))
    with pytest.raises(BadInput, match="truth"):
        KIND.check(puzzle, in_order(puzzle, (0, 1, 2, 3)), Moves(()))


def test_json_survives_a_round_trip() -> None:
    for shape in ("5", "2x3", "2x2x2"):
        for frame in FRAMES:
            puzzle, _ = made(shape, 3, frame)
            assert KIND.decode(puzzle.encode()) == puzzle
    grey, _ = made("3x3x3", 3, "grey")
    assert grey.encode()["frame"] == 0, "one colour everywhere is one number"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"lengths": None}, "needs a list 'lengths'"),
        ({"lengths": [2, True]}, "needs a list 'lengths'"),
        ({"lengths": []}, "has 1 to 3 lengths, not 0"),
        ({"lengths": [1, 1, 2, 2]}, "has 1 to 3 lengths, not 4"),
        ({"lengths": [2, 0]}, "are 1 to 64, not 0"),
        ({"lengths": [2, 10**400]}, "are 1 to 64, not 10000"),
        ({"lengths": [64, 64, 2]}, "at most 4096 cells, not 8192"),
        ({"lengths": [2, 3]}, "of 2x3 takes 6 pieces, but 4 are given"),
        ({"lengths": [4]}, "piece 1 has not 2 colours"),
        ({"pieces": {}}, "needs a list 'pieces'"),
        ({"pieces": [[1, 2, 3, 4]] * 3 + [4]}, "piece 4 is not a list of colours"),
        ({"pieces": [[1, 2, 3, 4], [1, 2, 3, "4"]]}, "piece 2 is not a list of colours"),
        ({"pieces": [[1, 2, 3, 4]] * 3 + [[1, 2, 3, -4]]}, "piece 4 has not 4 colours between 0 and 1000000"),
        ({"pieces": [[1, 2, 3]] * 4}, "piece 1 has not 4 colours"),
        ({"frame": "grey"}, "'frame' is not a list of colours"),
        ({"frame": [1, 2]}, "of 2x2 has 8 colours, but 2 are given"),
        ({"frame": -1}, "of the north face at row 1, column 1"),
        ({"frame": [1, 2, 3, 10**7, 5, 6, 7, 8]}, "of the east face at row 1, column 2"),
    ],
)
def test_broken_json_is_refused_with_the_place(change: dict[str, Any], says: str) -> None:
    assert KIND.decode(SQUARE).shape == (2, 2)
    with pytest.raises(BadInput, match=says) as refused:
        KIND.decode({**SQUARE, **change})
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("shape", ["", "x", "4x", "4xfour", "4,4", "-3", "2.5x2", "99999", "4x" * 300])
def test_shapes_that_are_none(shape: str) -> None:
    with pytest.raises(BadUsage, match="shape is one to three lengths"):
        made(shape)
    with pytest.raises(BadInput, match="1 to 3 lengths, not 4"):
        made("2x2x2x2")


def test_shapes_may_be_written_with_a_cross() -> None:
    assert made("2×3×4") == made("2x3X4")


def marks(picture: Picture) -> list[Line]:
    return [shape for shape in picture.shapes if isinstance(shape, Line) and shape.stroke == MISTAKE]


def painted(picture: Picture, colour: str) -> int:
    return sum(isinstance(shape, Polygon) and shape.fill == colour for shape in picture.shapes)


def words(picture: Picture) -> Counter[str]:
    return Counter(shape.text for shape in picture.shapes if isinstance(shape, Text))


@pytest.mark.parametrize("shape", ["5", "3x4", "3x3x3"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_solved_board_shows_every_colour_and_no_marks(shape: str, frame: str) -> None:
    puzzle, answer = made(shape, 9, frame, seed=1)
    picture = draw_boxes(puzzle, drawable(puzzle, answer))
    assert not marks(picture)
    expected = Counter(str(colour) for piece in puzzle.pieces for colour in piece if colour != puzzle.grey)
    if puzzle.frame is not None and puzzle.grey is None:
        expected.update(map(str, puzzle.frame))
    titles = [word for word in words(picture) if not word.isdecimal()]
    assert {word: n for word, n in words(picture).items() if word.isdecimal()} == expected
    layers = ["layer 1", "layer 2", "layer 3"] if shape == "3x3x3" else []
    assert titles == (["frame in front", *layers, "frame behind"] if layers and frame == "coloured" else layers)


def test_numbers_lie_on_their_colour() -> None:
    puzzle, answer = made("2x2x2", 9)
    for picture in (draw_boxes(puzzle, None), draw_boxes(puzzle, drawable(puzzle, answer))):
        for shape, word in zip(picture.shapes, picture.shapes[1:], strict=False):
            if isinstance(word, Text) and word.text.isdecimal():
                assert isinstance(shape, Polygon) and shape.fill == look(int(word.text)).fill
                assert inside(shape, word.at)


def inside(polygon: Polygon, at: tuple[float, float]) -> bool:
    """Whether a point is on the same side of all edges of a convex outline."""
    ends = zip(polygon.points, (*polygon.points[1:], polygon.points[0]), strict=True)
    turns = [(bx - ax) * (at[1] - ay) - (by - ay) * (at[0] - ax) for (ax, ay), (bx, by) in ends]
    return all(turn > 0 for turn in turns) or all(turn < 0 for turn in turns)


def test_every_mistake_is_marked_where_it_is() -> None:
    puzzle = Boxes((2, 1, 2), ((1, 1, 1, 1, 1, 1),) * 3 + ((2, 1, 1, 1, 3, 4),), (1,) * 16)
    right = draw_boxes(replace(puzzle, pieces=((1,) * 6,) * 4), [(1,) * 6] * 4)
    wrong = draw_boxes(puzzle, [*puzzle.pieces])
    assert not marks(right)
    diamonds = [line for line in marks(wrong) if len(line.points) == 4]
    edges = [line for line in marks(wrong) if len(line.points) == 2]
    assert len(diamonds) == 2, "both halves of a seam across layers"
    assert len(edges) == 2, "the seam in the layer, and the rim"
    assert len({line.points[0][0] for line in edges}) == 2 and len({line.points[0][1] for line in edges}) == 1


def test_holes_and_grey_are_shown() -> None:
    puzzle, answer = made("3x3", 4, "grey")
    board = drawable(puzzle, answer)
    whole = draw_boxes(puzzle, board)
    assert painted(whole, GREY) == 12 + 1 and not painted(whole, HOLE), "the faces and the band around the board"
    board[4] = None
    assert painted(draw_boxes(puzzle, board), HOLE) == 1


def test_huge_boards_drop_numbers_and_stay_within_bounds() -> None:
    for shape in ("64", "64x64", "16x16x16", "64x8x8"):
        puzzle, answer = made(shape, 30, "coloured")
        for picture in (draw_boxes(puzzle, drawable(puzzle, answer)), draw_boxes(puzzle, None)):
            assert max(picture.width, picture.height) * picture.scale <= 4000.001
            assert any(word.isdecimal() for word in words(picture)) is (shape == "64")


def test_grey_belongs_outside() -> None:
    """Inside it agrees with nothing, not even itself; a rim's colour of which there is more is like any other."""
    swapped = Boxes((2,), ((0, 1), (1, 0)), (0, 0))
    assert KIND.check(swapped, in_order(swapped, (0, 1))).solved
    assert KIND.check(swapped, in_order(swapped, (1, 0))).scores["matched"] == 0
    more = Boxes((3,), ((0, 0), (0, 0), (0, 1)), (0, 1))
    assert KIND.check(more, in_order(more, (0, 1, 2))).scores["matched"] == 2


def test_tips_point_to_the_layer_that_the_face_meets() -> None:
    """One cell: the frame's panels lie left and right of it, and on all three the same two colours face each other."""
    puzzle = Boxes((1, 1, 1), ((1, 2, 3, 4, 5, 6),), (1, 2, 3, 4, 5, 6))
    picture = draw_boxes(puzzle, [*puzzle.pieces])
    titles = {s.text: s.at[0] for s in picture.shapes if isinstance(s, Text) and not s.text.isdecimal()}
    assert [*titles] == ["frame in front", "layer 1", "frame behind"] == sorted(titles, key=lambda title: titles[title])

    def tips(colour: int) -> list[tuple[float, bool]]:
        """The middle of the diamond's upright edge, and whether its tip points right."""
        halves = [s.points for s in picture.shapes if isinstance(s, Polygon) and s.fill == look(colour).fill]
        return sorted((round(top[0], 6), tip[0] > top[0]) for top, tip, _ in halves)

    front, middle, behind = (round(x, 6) for x in titles.values())
    assert tips(1) == [(front, True), (middle, False)]
    assert tips(2) == [(middle, True), (behind, False)]
