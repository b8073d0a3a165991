"""Explanations: every step sound, nothing in it to spare, together the whole answer; hints, difficulty, pictures."""

from dataclasses import replace

import pytest

from dovetail.core.errors import BadInput, BadUsage
from dovetail.grids.explaining import explain, hint, sound
from dovetail.grids.kind import GridKind, GridPuzzle
from dovetail.grids.model import AllDifferent, Clause, Count, Loop, Model, Sum
from dovetail.grids.puzzles.lightup import Lightup, LightupKind
from dovetail.grids.puzzles.slitherlink import Slitherlink, SlitherlinkKind
from dovetail.grids.puzzles.sudoku import Sudoku, SudokuKind, boxes
from dovetail.grids.reasons import WHOLE_BOARD, given, opened
from dovetail.grids.step_pictures import FACT, SCOPE, TARGET, picture_of
from dovetail.grids.steps import GUESS, Explanation, Fact, Step, step
from dovetail.picture import Polygon
from support.model_bank import BANK, brute_answers, brute_count

LATIN = (AllDifferent((0, 1), "row 1"), AllDifferent((2, 3), "row 2"), AllDifferent((0, 2)), AllDifferent((1, 3)))
NAMES = ("row 1, column 1", "row 1, column 2", "row 2, column 1", "row 2, column 2")
ANSWERED = [name for name, model in BANK.items() if brute_count(model)]
# small enough to try all values of the variables that a step is about
TRIED = [name for name in ANSWERED if len(BANK[name].domains) <= 12]


def sudoku(line: str, box_rows: int, box_cols: int) -> Sudoku:
    return Sudoku(box_rows * box_cols, tuple(int(c) for c in line), boxes(box_rows, box_cols))


FOUR = sudoku("0030040221000000", 2, 2)
NINE = sudoku("530070000600195000098000060800060003400803001700020006060000280000419005000080079", 3, 3)
LIT = Lightup(4, 4, (-1, -1, -1, 5, -1, 2, -1, -1, -1, -1, 0, -1, 1, -1, -1, -1))
LOOP = Slitherlink(3, 3, (2, 3, -1, 2, -1, -1, -1, 2, 3))


def replayed(model: Model, explanation: Explanation) -> dict[int, int]:
    """What is known in the end; every step must rest on what is known before it."""
    known = given(model)
    for taken in explanation.steps:
        assert taken.variable not in known
        assert all(known[variable] == value for variable, value in taken.facts)
        known[taken.variable] = taken.value
    return known


def without_one(taken: Step) -> list[Step]:
    """The step with one constraint or one fact fewer, in all ways."""
    fewer = [replace(taken, constraints=tuple(c for c in taken.constraints if c != gone)) for gone in taken.constraints]
    return fewer + [replace(taken, facts=tuple(f for f in taken.facts if f != gone)) for gone in taken.facts]


def forced_by_trial(model: Model, taken: Step) -> bool:
    """Whether the step holds, by trying all values of the variables that its constraints are about."""
    constraints = tuple(model.constraints[number] for number in taken.constraints)
    about = {taken.variable, *(variable for constraint in constraints for variable in constraint.scope)}
    domains = [domain if v in about else domain[:1] for v, domain in enumerate(opened(model).domains)]
    for variable, value in taken.facts:
        domains[variable] = (value,)
    domains[taken.variable] = tuple(value for value in domains[taken.variable] if value != taken.value)
    return not brute_answers(Model(tuple(domains), constraints, model.shown))


@pytest.mark.parametrize("name", BANK)
def test_steps_say_what_all_answers_share(name: str) -> None:
    model = BANK[name]
    answers = brute_answers(model)
    if not answers:
        with pytest.raises(BadInput, match="the puzzle has no answer: "):
            explain(model)
        return
    explanation = explain(model)
    shared = {
        variable: values[0]
        for variable in range(model.answers)
        if len(set(values := [a[variable] for a in answers])) == 1
    }
    assert replayed(model, explanation) == shared
    assert explanation.unforced == tuple(variable for variable in range(model.answers) if variable not in shared)


@pytest.mark.parametrize("name", ANSWERED)
def test_no_step_can_spare_anything(name: str) -> None:
    model = BANK[name]
    for taken in explain(model).steps:
        assert sound(model, taken)
        assert not any(sound(model, fewer) for fewer in without_one(taken))


@pytest.mark.parametrize("name", TRIED)
def test_sound_is_what_trying_all_values_finds(name: str) -> None:
    model = BANK[name]
    for taken in explain(model).steps:
        assert forced_by_trial(model, taken)
        assert not any(forced_by_trial(model, fewer) for fewer in without_one(taken))


def test_the_bank_has_steps_to_try() -> None:
    assert sum(len(explain(BANK[name]).steps) for name in TRIED) > 30


@pytest.mark.parametrize("puzzle", [FOUR, NINE, LIT, LOOP], ids=["sudoku-4", "sudoku-9", "lightup", "slitherlink"])
def test_puzzles_are_explained_to_the_end(puzzle: GridPuzzle) -> None:
    model = puzzle.model()
    explanation = explain(model)
    assert not explanation.unforced
    assert set(replayed(model, explanation)) == set(range(model.answers))
    for taken in explanation.steps:
        assert sound(model, taken)
        assert not any(sound(model, fewer) for fewer in without_one(taken))


def test_explanations_are_repeatable() -> None:
    assert explain(NINE.model()) == explain(NINE.model())


def test_a_step_with_the_wrong_value_is_not_sound() -> None:
    model = FOUR.model()
    taken = explain(model).steps[0]
    assert not sound(model, replace(taken, value=taken.value % 4 + 1))


def test_one_constraint_comes_before_two() -> None:
    """The last of a row is said before what takes a row and a column, and it rests on the row alone."""
    model = Model(((1, 2), (2,), (1, 2), (1, 2)), LATIN, names=NAMES)
    first = explain(model).steps[0]
    assert (first.constraints, first.facts, first.cost) in [((0,), ((1, 2),), (1, 1)), ((3,), ((1, 2),), (1, 1))]


def test_where_else_could_it_be() -> None:
    """A hidden single: the box and the lines that keep the others out, not what is left after eight other values."""
    givens = [0] * 81
    for row, col in ((1, 3), (3, 1), (6, 2)):
        givens[row * 9 + col] = 7
    givens[2 * 9] = 4
    puzzle = Sudoku(9, tuple(givens), boxes(3, 3))
    found = hint(puzzle.model(), {})
    assert (found.variable, found.value) in {(0, 7)}
    assert {puzzle.model().constraints[number].about for number in found.constraints} == {
        "row 2", "column 2", "column 3", "the box at row 1, column 1",
    }  # fmt: skip
    assert found.cost == (4, 4)


def test_the_loop_is_the_last_thing_to_look_at() -> None:
    """Corners and clues weigh less than the rule about the whole board; without them the rule itself is the reason."""
    steps = explain(LOOP.model()).steps
    constraints = LOOP.model().constraints
    with_loop = [s for s in steps if any(isinstance(constraints[number], Loop) for number in s.constraints)]
    assert with_loop
    assert all(s.cost[0] >= WHOLE_BOARD for s in with_loop)
    bare = Model(((0, 1),) * 4, (Loop((0, 1, 2, 3), ((0, 1), (1, 2), (2, 3), (3, 0)), "the loop"),))
    assert [s.cost[0] for s in explain(bare).steps] == [WHOLE_BOARD] * 4


def test_two_loops_side_by_side_are_no_answer() -> None:
    """A line at the left and one at the right force those that join them: only the loop as a whole says so."""
    ends = ((0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7), (0, 4), (1, 5), (2, 6), (3, 7))
    model = Model(((0, 1),) * 6 + ((1,), (0, 1), (0, 1), (1,)), (Loop(tuple(range(10)), ends, "the loop"),))
    explanation = explain(model)
    assert replayed(model, explanation) == dict(enumerate((1, 1, 1, 1, 1, 1, 1, 0, 0, 1)))
    assert all(sound(model, taken) for taken in explanation.steps)
    assert not any(sound(model, fewer) for taken in explanation.steps for fewer in without_one(taken))


def test_words_for_numbers() -> None:
    model = Model(((1, 2, 3), (2,), (3,), (1, 2, 3)), (AllDifferent((0, 1, 2), "row 1"),), names=NAMES)
    assert explain(model).steps[0].text == (
        "Row 1, column 1 is 1: row 1 leaves no other choice, given row 1, column 2 = 2; row 2, column 1 = 3."
    )


def test_words_for_values_with_words() -> None:
    about = "the clue 2 in row 1, column 1"
    model = Model(
        ((0, 1), (0,), (0, 1)),
        (Count((0, 1, 2), 1, "=", 2, about),),
        names=NAMES[:3],
        words=((0, "no bulb"), (1, "a bulb")),
    )
    assert explain(model).steps[0].text == (
        "Row 1, column 1: a bulb; the clue 2 in row 1, column 1 leaves no other choice, "
        "given row 1, column 2 = no bulb."
    )


def test_words_without_names_and_facts() -> None:
    model = Model(((1, 2), (1, 2)), (Sum((0, 1), "=", 2), Sum((0, 1), "<", 9)))
    assert explain(model).steps[0].text == "Variable 1 is 1: constraint 1 leaves no other choice."


def test_many_facts_are_counted_and_many_constraints_cut_short() -> None:
    constraints = tuple(AllDifferent((0, 1), f"rule {number}") for number in range(8))
    model = Model(((0, 1),) * 8, constraints)
    taken = step(model, 0, 1, range(8), [(variable, 0) for variable in range(1, 8)])
    assert taken.text == (
        "Variable 1 is 1: rule 0 and rule 1 and rule 2 and rule 3 and rule 4 and 3 more constraints leave no other "
        "choice, given 7 values known there."
    )


def test_two_constraints_of_one_name_are_named_once() -> None:
    rules = (AllDifferent((0, 1), "the cage 4"), Sum((0, 1), "=", 4, "the cage 4"))
    taken = explain(Model(((1, 2, 3), (2, 3, 4)), rules)).steps[0]
    assert "the cage 4 leaves no other choice" in taken.text


def test_a_hint_is_the_next_step() -> None:
    model = NINE.model()
    steps = explain(model).steps
    assert hint(model, {}) == steps[0]
    known = {taken.variable: taken.value for taken in steps[:-1]}
    last = hint(model, known)
    assert (last.variable, last.value) == (steps[-1].variable, steps[-1].value)


def test_a_hint_rests_on_what_was_found() -> None:
    """With several answers, a value that is put down decides others."""
    model = Model(((1, 2),) * 4, LATIN, names=NAMES)
    assert explain(model) == Explanation((), (0, 1, 2, 3))
    found = hint(model, {0: 1})
    assert (found.variable, found.value, found.facts) in [(1, 2, ((0, 1),)), (2, 2, ((0, 1),))]


def test_a_wrong_fact_is_named() -> None:
    model = FOUR.model()
    right = {taken.variable: taken.value for taken in explain(model).steps}
    with pytest.raises(BadInput, match=rf"^row 1, column 2 = {right[0]} is wrong$"):
        hint(model, {0: right[0], 1: right[0], 3: right[3]})


def test_wrong_facts_are_all_named() -> None:
    model = Model(((1, 2),) * 2 + ((1,), (1, 2)), LATIN, names=NAMES)
    with pytest.raises(BadInput, match=r"^row 1, column 1 = 1 and row 1, column 2 = 2 are wrong$"):
        hint(model, {0: 1, 1: 2})


def test_facts_that_clash_are_named_together() -> None:
    model = Model(((1, 2),) * 4, LATIN, names=NAMES)
    with pytest.raises(BadInput, match=r"^these values do not go together: row 1, column 1 and row 1, column 2 = 1$"):
        hint(model, {0: 1, 1: 1})


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({0: 9}, "row 1, column 1 = 9 is wrong"),
        ({7: 1}, "there is no variable 8: the answer has 4"),
        ({-1: 1}, "there is no variable 0: the answer has 4"),
    ],
)
def test_facts_that_cannot_be(facts: dict[int, int], sentence: str) -> None:
    with pytest.raises(BadInput, match=f"^{sentence}$"):
        hint(Model(((1, 2),) * 4, LATIN, names=NAMES), facts)


def test_nothing_is_left_to_hint_at() -> None:
    with pytest.raises(BadUsage, match="no next step"):
        hint(Model(((1, 2),) * 4, LATIN), {0: 1, 1: 2, 2: 2, 3: 1})


def test_why_there_is_no_answer() -> None:
    model = Model(((1,), (1,), (1, 2), (1, 2)), LATIN, names=NAMES)
    with pytest.raises(
        BadInput,
        match=r"^the puzzle has no answer: row 1 cannot be met, given row 1, column 1 and row 1, column 2 = 1$",
    ):
        explain(model)
    never = (Clause((0,), (1,), (True,), "this"), Clause((0,), (1,), (False,), "that"))
    with pytest.raises(BadInput, match=r"^the puzzle has no answer: this and that cannot be met together$"):
        explain(Model(((0, 1),), never))
    with pytest.raises(BadInput, match=r"^the puzzle has no answer: no value is left for variable 2$"):
        explain(Model(((0, 1), ()), ()))


def made(*costs: int) -> Explanation:
    return Explanation(tuple(Step(0, 0, (), (), (cost, 0), "") for cost in costs))


@pytest.mark.parametrize(
    ("costs", "word"),
    [
        ((), "easy"),
        ((1, 3, 2), "easy"),
        ((4, 1), "medium"),
        ((6,), "medium"),
        ((7,), "hard"),
        ((9,), "hard"),
        ((10,), GUESS),
    ],
)
def test_difficulty_is_that_of_the_hardest_step(costs: tuple[int, ...], word: str) -> None:
    assert made(*costs).difficulty == word


def test_several_answers_need_a_guess() -> None:
    assert replace(made(1), unforced=(3,)).difficulty == GUESS


def test_the_hardest_step() -> None:
    explanation = made(1, 5, 2)
    assert explanation.hardest == explanation.steps[1]
    assert made().hardest is None


@pytest.mark.parametrize(
    ("kind", "puzzle"),
    [(SudokuKind(), FOUR), (LightupKind(), LIT), (SlitherlinkKind(), LOOP)],
    ids=["sudoku", "lightup", "slitherlink"],
)
def test_pictures_of_steps(kind: GridKind, puzzle: GridPuzzle) -> None:
    """Every step can be drawn: the new value in one colour, its facts in another."""
    known: dict[int, int] = {}
    for taken in explain(puzzle.model()).steps:
        svg = picture_of(kind, puzzle, taken, known).svg().decode()
        assert svg.count(TARGET) == 1
        assert svg.count(FACT) == len(taken.facts)
        known[taken.variable] = taken.value


def test_a_picture_marks_where_to_look() -> None:
    taken = next(s for s in explain(FOUR.model()).steps if s.constraints == (0,))
    facts: set[Fact] = set(taken.facts)
    picture = picture_of(SudokuKind(), FOUR, taken, {})
    fills = [shape.fill for shape in picture.shapes if isinstance(shape, Polygon)]
    assert (fills.count(TARGET), fills.count(FACT), fills.count(SCOPE)) == (1, len(facts), 3 - len(facts))
