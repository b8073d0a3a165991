"""Why the answer is the answer: one value after the other, each with a smallest set of reasons, cheap steps first."""

from collections.abc import Mapping

from ..core.errors import BadInput, BadUsage
from .clauses import TRUE
from .crossings import crossings
from .encoding import Encoding
from .model import Loop, Model, Paths
from .reasons import Reasons, given, opened
from .step_search import StepSearch
from .steps import Explanation, Step, constraints_in_words, facts_in_words, value_name, variable_name


def explain(model: Model) -> Explanation:
    """Every value that all answers share, step by step."""
    with Reasons(model) as reasons:
        search = _begun(model, reasons, {})
        steps = []
        while search.open:
            steps.append(search.cheapest())
            search.learn(steps[-1].variable)
        return Explanation(tuple(steps), search.unforced)


def hint(model: Model, facts: Mapping[int, int]) -> Step:
    """The cheapest next step when these values are known, by variable; a value that is wrong is named."""
    for variable, value in facts.items():
        if not 0 <= variable < model.answers:
            raise BadInput(f"there is no variable {variable + 1}: the answer has {model.answers}")
        if value not in model.domains[variable]:
            raise BadInput(f"{_said(model, variable, value)} is wrong")
    with Reasons(model) as reasons:
        search = _begun(model, reasons, facts)
        if not search.open:
            raise BadUsage("there is no next step: every value that follows is known")
        return search.cheapest()


def sound(model: Model, taken: Step) -> bool:
    """Whether the constraints and facts of a step force its value, asked of a fresh engine that knows no others."""
    from pysat.solvers import Cadical153

    domains = list(opened(model).domains)
    for variable, value in taken.facts:
        domains[variable] = (value,)
    domains[taken.variable] = tuple(value for value in domains[taken.variable] if value != taken.value)
    alone = Model(tuple(domains), tuple(model.constraints[number] for number in taken.constraints), model.shown)
    encoding = Encoding(alone, standalone=True)
    rules = [rule for rule in alone.constraints if isinstance(rule, Loop | Paths)]
    edges = [[encoding.on(edge) for edge in rule.scope[: len(rule.ends)]] for rule in rules]
    with Cadical153(bootstrap_with=encoding.clauses()) as engine:
        while engine.solve():
            true = set(engine.get_model())
            cuts = [cut for rule, on in zip(rules, edges, strict=True) for cut in crossings(rule, on, true, {TRUE})]
            if not cuts:
                return False
            engine.append_formula(cuts)
    return True


def _begun(model: Model, reasons: Reasons, facts: Mapping[int, int]) -> StepSearch:
    known = {**given(model), **facts}
    literals = [reasons.literal(variable, value) for variable, value in known.items()]
    answer = reasons.answer([*literals, *reasons.switches])
    if answer is None:
        raise BadInput(_what_is_wrong(model, reasons, facts))
    return StepSearch(model, reasons, known, answer)


def _what_is_wrong(model: Model, reasons: Reasons, facts: Mapping[int, int]) -> str:
    """Why there is no answer: the puzzle has none, or some of the facts are wrong, or do not go together."""
    givens = {reasons.literal(variable, value): (variable, value) for variable, value in given(model).items()}
    rules = [*givens, *reasons.switches]
    core = reasons.minimal([], rules)
    if core is not None:
        empty = [variable for variable, domain in enumerate(model.domains) if not domain]
        if empty:
            return f"the puzzle has no answer: no value is left for {variable_name(model, empty[0])}"
        names, several = constraints_in_words(model, [n for n, s in enumerate(reasons.switches) if s in core])
        resting = [fact for literal, fact in givens.items() if literal in core]
        because = f", given {facts_in_words(model, resting)}" if resting else ""
        return f"the puzzle has no answer: {names} cannot be met{' together' if several else ''}{because}"
    literals = {reasons.literal(variable, value): (variable, value) for variable, value in facts.items()}
    wrong = [fact for literal, fact in literals.items() if not reasons.possible([literal, *rules])]
    if wrong:
        return " and ".join(_said(model, *fact) for fact in wrong) + (" is wrong" if len(wrong) == 1 else " are wrong")
    together = reasons.minimal(rules, [*literals])
    assert together is not None, "the puzzle has answers, but none with these facts"
    clash = sorted(literals[literal] for literal in together)
    return f"these values do not go together: {facts_in_words(model, clash)}"


def _said(model: Model, variable: int, value: int) -> str:
    return f"{variable_name(model, variable)} = {value_name(model, value)}"
