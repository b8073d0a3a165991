"""Boards of hexagons: rules, checker, generator, drawing, and what is refused."""

import math
from collections import Counter
from itertools import islice, permutations, product
from typing import Any

import pytest

from dovetail.core.errors import BadInput
from dovetail.core.puzzle import EMPTY, Placement
from dovetail.picture import MISTAKE, Line, Picture, Polygon, Text
from dovetail.tiles.draw import GREY, HOLE, look
from dovetail.tiles.hexagons import SIDES, Hexagons, HexagonsKind, Making, hexagon_layout
from dovetail.tiles.hexagons_draw import draw_hexagons
from dovetail.tiles.solids import FRAMES
from dovetail.tiles.solids_checking import drawable
from support.mutations import mutations
from support.naive_solids import boards, distinct, places, shown, sides, turned_board

KIND = HexagonsKind()
SEVEN = {"side": 2, "pieces": [[1, 2, 3, 4, 5, 6]] * 7}
LISTED = (1, 2, 3, 4, 5, 6)


def made(
    side: int, colours: int = 4, frame: str = "coloured", seed: int = 0, rotate: bool = True
) -> tuple[Hexagons, Placement]:
    return KIND.make(Making(side, colours, rotate, frame), seed)


def on_grid(side: int, pieces: tuple[int, ...], turns: tuple[int, ...]) -> Placement:
    layout = hexagon_layout(side)
    grid, turned = [[EMPTY] * layout.cols for _ in range(layout.rows)], [[0] * layout.cols for _ in range(layout.rows)]
    for (r, c), piece, turn in zip(layout.cells, pieces, turns, strict=True):
        grid[r][c], turned[r][c] = piece, turn
    return Placement(tuple(map(tuple, grid)), tuple(map(tuple, turned)))


@pytest.mark.parametrize("side", [1, 2, 3, 5])
def test_neighbours_are_what_a_slow_twin_says(side: int) -> None:
    layout = hexagon_layout(side)
    puzzle = Hexagons(side, (LISTED,) * len(layout.cells))
    board = places(puzzle)
    assert [*layout.cells] == board
    assert len(board) == 3 * side * (side - 1) + 1
    for cell, place in enumerate(board):
        for face, (beyond, back) in enumerate(sides(puzzle, place)):
            assert layout.beyond[cell][face] == (board.index(beyond) if beyond in board else None)
            assert layout.opposite[face] == back
    assert len(layout.rim) == 6 * (2 * side - 1)


def test_turns_are_counter_clockwise_and_cells_counted_along_their_row() -> None:
    puzzle = Hexagons(2, (LISTED,) * 7)
    assert puzzle.turned(LISTED, 1) == (6, 1, 2, 3, 4, 5), "what was east is north-east"
    assert [puzzle.turned(LISTED, turn)[turn] for turn in puzzle.turns] == [1] * 6
    assert [puzzle.where(cell) for cell in (0, 1, 2, 4, 5, 6)] == [
        "row 1, cell 1", "row 1, cell 2", "row 2, cell 1", "row 2, cell 3", "row 3, cell 1", "row 3, cell 2",
    ]  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("rotate", [True, False])
@pytest.mark.parametrize("side", [1, 2, 3])
def test_planted_boards_pass_the_checker_and_no_mutation_does(side: int, rotate: bool, frame: str) -> None:
    puzzle, answer = made(side, 5, frame, seed=2, rotate=rotate)
    verdict = KIND.check(puzzle, answer, answer)
    assert verdict.solved and verdict.scores["as_planted"] == 1
    assert verdict.scores["matched"] == verdict.scores["seams"] == len(puzzle.layout.seams)
    assert rotate or not any(map(any, answer.turns))
    board = shown(puzzle, answer)
    for what, mutated in mutations(answer):
        assert isinstance(mutated, Placement)
        verdict = KIND.check(puzzle, mutated)
        if verdict.solved and not (side == 1 and frame == "none"):
            assert verdict.valid and shown(puzzle, mutated) == board, what


@pytest.mark.parametrize("frame", FRAMES)
def test_solved_are_exactly_the_boards_a_slow_twin_finds(frame: str) -> None:
    """Of seven pieces that are not turned, in every order; and of one, however it is turned."""
    puzzle, _ = made(2, 2, frame, seed=1, rotate=False)
    right = set(boards(puzzle))
    seen = set()
    for order in permutations(range(7)):
        placement = on_grid(2, order, (0,) * 7)
        solved = KIND.check(puzzle, placement).solved
        assert solved is (shown(puzzle, placement) in right)
        if solved:
            seen.add(shown(puzzle, placement))
    assert seen == right != set()
    one, _ = made(1, 3, frame)
    turned = [on_grid(1, (0,), (turn,)) for turn in range(6)]
    assert {shown(one, p) for p in turned if KIND.check(one, p).solved} == set(boards(one))


def test_turned_pieces_are_judged_as_a_slow_twin_does() -> None:
    """Three pieces stay as they lie in a solution, the other four are turned in every way."""
    puzzle = Hexagons(2, ((1, 1, 1, 2, 2, 2),) * 7)
    right = set(boards(puzzle))
    assert right, "two colours on three sides each can be laid"
    board = sorted(right)[0]
    start = [next(t for t in range(6) if puzzle.turned(puzzle.pieces[0], t) == face) for face in board]
    for more in product(range(6), repeat=4):
        turns = (*start[:3], *((a + b) % 6 for a, b in zip(start[3:], more, strict=True)))
        placement = on_grid(2, tuple(range(7)), turns)
        assert KIND.check(puzzle, placement).solved is (shown(puzzle, placement) in right)


def test_without_a_frame_the_whole_board_may_be_turned() -> None:
    puzzle, answer = made(3, 5, "none")
    board = shown(puzzle, answer)
    for _ in range(6):
        board = turned_board(puzzle, board)
        bare = Hexagons(3, board)
        assert KIND.check(bare, on_grid(3, tuple(range(19)), (0,) * 19)).solved
    assert board == shown(puzzle, answer)


def test_drive_ya_nuts_has_one_solution() -> None:
    puzzle = KIND.samples()["drive-ya-nuts"]()
    assert isinstance(puzzle, Hexagons)
    found = [*boards(puzzle)]
    assert len(found) == 6 and distinct(puzzle, found) == 1
    assert all(sorted(piece) == [1, 2, 3, 4, 5, 6] for piece in puzzle.pieces)


def test_the_framed_sample_has_one_solution() -> None:
    puzzle = KIND.samples()["hexagons-19"]()
    assert isinstance(puzzle, Hexagons)
    assert len([*islice(boards(puzzle), 2)]) == 1


@pytest.mark.parametrize("frame", FRAMES)
def test_colours_are_dealt_evenly(frame: str) -> None:
    puzzle, answer = made(5, 7, frame)
    board, layout = shown(puzzle, answer), puzzle.layout
    faces = [(cell, face) for cell, face, _, _ in layout.seams] + ([] if frame == "grey" else [*layout.rim])
    count = Counter(board[cell][face] for cell, face in faces)
    assert sorted(count) == [1, 2, 3, 4, 5, 6, 7]
    assert max(count.values()) - min(count.values()) <= 1
    assert puzzle.frame is None or puzzle.frame == tuple(board[cell][face] for cell, face in layout.rim)
    assert len({turn for row in answer.turns for turn in row}) == 6, "pieces are turned in every way"


def test_verdicts_name_the_place() -> None:
    puzzle = Hexagons(2, ((1,) * 6,) * 6 + ((1, 1, 2, 1, 1, 3),), True, (1,) * 18)
    verdict = KIND.check(puzzle, on_grid(2, tuple(range(7)), (0,) * 7))
    assert verdict.valid and verdict.violations == (
        "row 3, cell 2: the south-east side shows 3, and the frame wants 1",
        "row 2, cell 2: the south-east side shows 1, and meets 2 of the piece at row 3, cell 2",
    )
    assert (verdict.scores["matched"], verdict.scores["seams"]) == (11, 12)


@pytest.mark.parametrize(
    ("pieces", "turn", "rotate", "says"),
    [
        (((-1, 0, 1), (2, 3, 4), (5, 6, 7)), 0, True, "row 3, column 3 of the grid is no cell of the board"),
        (((-1, 0, 1), (2, 3, 4), (5, 7, -1)), 0, True, "row 3, cell 2: there is no piece 7"),
        (((-1, 0, 1), (2, 3, 4), (5, 0, -1)), 0, True, "row 3, cell 2: piece 0 already lies at row 1, cell 1"),
        (((-1, 0, 1), (2, 3, 4), (5, 6, -1)), 6, True, "row 2, cell 1: turns are 0 to 5, and this one has 6"),
        (((-1, 0, 1), (2, 3, 4), (5, 6, -1)), 1, False, "row 2, cell 1: pieces are not turned, and this one has 1"),
        (((0, 1, 2, 3, 4, 5, 6),), 0, True, "grid of 1x7, and this puzzle takes one of 3x3"),
    ],
)
def test_meaningless_placements(pieces: Any, turn: int, rotate: bool, says: str) -> None:
    puzzle = Hexagons(2, (LISTED,) * 7, rotate)
    turns = tuple(tuple(turn if piece == 2 else 0 for piece in row) for row in pieces)
    verdict = KIND.check(puzzle, Placement(pieces, turns))
    assert not verdict.valid and not verdict.solved
    assert says in verdict.violations[0]
    with pytest.raises(BadInput, match="cannot draw this solution"):
        KIND.draw(puzzle, Placement(pieces, turns))


def test_json_survives_a_round_trip() -> None:
    for frame, rotate in product(FRAMES, (True, False)):
        puzzle, _ = made(2, 3, frame, rotate=rotate)
        assert KIND.decode(puzzle.encode()) == puzzle
    assert made(2, 3, "grey")[0].encode()["frame"] == 0, "one colour everywhere is one number"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"side": None}, "needs a whole number 'side'"),
        ({"side": True}, "needs a whole number 'side'"),
        ({"side": 0}, "a side of 1 to 37 cells, not 0"),
        ({"side": 10**400}, "a side of 1 to 37 cells, not 1000"),
        ({"side": 3}, "of side 3 takes 19 pieces, but 7 are given"),
        ({"rotate": 1}, "'rotate' is true or false, not '1'"),
        ({"pieces": "none"}, "needs a list 'pieces'"),
        ({"pieces": [[1, 2, 3, 4, 5, 6]] * 6 + [[1, 2, 3, 4, 5]]}, "piece 7 has not 6 colours"),
        ({"pieces": [[1, 2, 3, 4, 5, None]] * 7}, "piece 1 is not a list of colours"),
        ({"frame": [1] * 17}, "of side 2 has 18 colours, but 17 are given"),
        ({"frame": {}}, "'frame' is not a list of colours"),
        ({"frame": [0] * 17 + [-1]}, "of the south-east side at row 3, cell 2"),
    ],
)
def test_broken_json_is_refused_with_the_place(change: dict[str, Any], says: str) -> None:
    assert KIND.decode(SEVEN).side == 2
    with pytest.raises(BadInput, match=says) as refused:
        KIND.decode({**SEVEN, **change})
    assert len(str(refused.value)) < 400


def marks(picture: Picture) -> list[Line]:
    return [shape for shape in picture.shapes if isinstance(shape, Line) and shape.stroke == MISTAKE]


def painted(picture: Picture, colour: str) -> int:
    return sum(isinstance(shape, Polygon) and shape.fill == colour for shape in picture.shapes)


def words(picture: Picture) -> Counter[str]:
    return Counter(shape.text for shape in picture.shapes if isinstance(shape, Text))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_solved_board_shows_every_colour_and_no_marks(frame: str) -> None:
    puzzle, answer = made(3, 9, frame, seed=1)
    picture = draw_hexagons(puzzle, drawable(puzzle, answer))
    assert not marks(picture)
    expected = Counter(str(colour) for piece in puzzle.pieces for colour in piece if colour != puzzle.grey)
    assert words(draw_hexagons(puzzle, None)) == expected
    if frame == "coloured":
        expected.update(map(str, puzzle.frame or ()))
    assert words(picture) == expected


def test_sides_lie_where_they_are_named() -> None:
    """East is right, and sides go round counter-clockwise; every number stands on its colour."""
    picture = draw_hexagons(Hexagons(1, (LISTED,)), [LISTED])
    for side, name in enumerate(SIDES):
        number = next(s for s in picture.shapes if isinstance(s, Text) and s.text == str(side + 1))
        x, y = number.at[0] - picture.width / 2, picture.height / 2 - number.at[1]
        angle, far = side * math.pi / 3, math.hypot(x, y)
        assert far > 0.2 and math.isclose(x, far * math.cos(angle), abs_tol=1e-9), name
        assert math.isclose(y, far * math.sin(angle), abs_tol=1e-9), name
        under = picture.shapes[picture.shapes.index(number) - 1]
        assert isinstance(under, Polygon) and under.fill == look(side + 1).fill


def test_every_mistake_is_marked_where_it_is() -> None:
    puzzle = Hexagons(2, ((1,) * 6,) * 6 + ((1, 1, 2, 1, 1, 3),), True, (1,) * 18)
    picture = draw_hexagons(puzzle, [*puzzle.pieces])
    (one, other) = marks(picture)
    (ax, ay), (bx, by) = ([sum(p[i] for p in line.points) / 2 for i in (0, 1)] for line in (one, other))
    # the middles of two opposite sides of one piece are a piece's width apart, north-west to south-east
    assert math.isclose(math.hypot(bx - ax, by - ay), 1) and (bx > ax and by > ay)


def test_neighbours_share_their_edge() -> None:
    """The two triangles of a seam meet in the same two corners, and are of one colour."""
    puzzle, answer = made(3, 9, "coloured")
    board = drawable(puzzle, answer)
    picture = draw_hexagons(puzzle, board)
    bases = Counter(
        (frozenset((round(x, 6), round(y, 6)) for x, y in shape.points[:2]), shape.fill)
        for shape in picture.shapes
        if isinstance(shape, Polygon) and shape.fill is not None
    )
    assert set(bases.values()) == {2}, "a piece and its neighbour, or a piece and the frame"
    assert len(bases) == len(puzzle.layout.seams) + len(puzzle.layout.rim)


def test_holes_and_grey_are_shown() -> None:
    puzzle, answer = made(3, 4, "grey")
    board = drawable(puzzle, answer)
    whole = draw_hexagons(puzzle, board)
    assert painted(whole, GREY) == 2 * len(puzzle.layout.rim) and not painted(whole, HOLE)
    board[9] = None
    assert painted(draw_hexagons(puzzle, board), HOLE) == 1


def test_huge_boards_drop_numbers_and_stay_within_bounds() -> None:
    for side, numbered in ((22, True), (37, False)):
        puzzle, answer = made(side, 30)
        for picture in (draw_hexagons(puzzle, drawable(puzzle, answer)), draw_hexagons(puzzle, None)):
            assert max(picture.width, picture.height) * picture.scale <= 4000.001
            assert bool(words(picture)) is numbered
