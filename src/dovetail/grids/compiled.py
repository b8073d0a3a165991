"""A model as flat arrays. The constraints are compiled once for all models that share them."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from .kernels import arithmetic, propagate
from .kernels.state import TALLIES, State, Structure
from .model import (
    AllDifferent,
    Clause,
    Compare,
    Constraint,
    Count,
    Difference,
    Loop,
    Model,
    Paths,
    Product,
    Quotient,
    Runs,
    Sum,
    Table,
)

FAR = int(arithmetic.FAR)
OPERATIONS = {Sum: 0, Product: 1, Difference: 2, Quotient: 3}
KEPT = 64  # structures kept for the next model that shares them


def compiled(model: Model) -> tuple[Structure, State]:
    """The structure, shared, and a state of its own with the domains of this model. Implied constraints come last."""
    rules = (*model.constraints, *model.implied) if model.implied else model.constraints
    structure, work = _structure(rules, len(model.domains))
    return structure, fresh_state(model, structure, work)


def fresh_state(model: Model, structure: Structure, work: int) -> State:
    """A state at the root, before anything was propagated."""
    variables, constraints = len(model.domains), len(structure.kind)
    values = sum(map(len, model.domains))
    dom = np.array([_bits(domain) for domain in model.domains], np.uint64)
    return State(
        dom,
        np.zeros(values + 1, np.int32),  # a domain loses a value with every entry
        np.zeros(values + 1, np.uint64),
        np.zeros((2, max(1, constraints)), np.int32),
        np.zeros(constraints, np.uint8),
        np.zeros(TALLIES, np.int64),
        np.zeros(variables, np.float64),
        np.zeros(max(1, work), np.int64),
        np.zeros(variables, np.uint64),
        np.zeros(values + 1, np.int32),
    )


@lru_cache(maxsize=KEPT)
def _structure(constraints: tuple[Constraint, ...], variables: int) -> tuple[Structure, int]:
    """The arrays of ``Structure``, and how many numbers of scratch its constraints need."""
    differ = _must_differ(constraints)
    near: list[list[int]] = [[] for _ in range(variables)]
    kinds, lengths, data_lengths, late = [], [], [], []
    scopes: list[int] = []
    data: list[int] = []
    work = 0
    for number, constraint in enumerate(constraints):
        kind, numbers, scratch = _flat(constraint, differ)
        for variable in dict.fromkeys(constraint.scope):
            near[variable].append(number)
        kinds.append(kind)
        scopes += constraint.scope
        lengths.append(len(constraint.scope))
        data += numbers
        data_lengths.append(len(numbers))
        late.append(isinstance(constraint, Loop | Paths | Runs))
        work = max(work, scratch)
    near_flat = [number for numbers in near for number in numbers]
    structure = Structure(
        np.array(kinds, np.uint8),
        _starts(lengths),
        np.array(scopes, np.int32),
        _starts(data_lengths),
        np.array(data, np.int64),
        _starts(map(len, near)),
        np.array(near_flat, np.int32),
        np.array(late, np.uint8),
    )
    return structure, work


def _starts(lengths: Iterable[int]) -> Any:
    return np.concatenate(([0], np.cumsum(np.fromiter(lengths, np.int64)))).astype(np.int32)


def _bits(domain: Iterable[int]) -> int:
    return sum(1 << value for value in set(domain))


def _must_differ(constraints: tuple[Constraint, ...]) -> dict[int, set[int]]:
    """For every variable those that differ from it, by some AllDifferent of the model."""
    differ: dict[int, set[int]] = {}
    for constraint in constraints:
        if isinstance(constraint, AllDifferent):
            for variable in constraint.scope:
                differ.setdefault(variable, set()).update(constraint.scope)
    return differ


def _bounds(compare: Compare, total: int) -> tuple[int, int, int]:
    """A comparison as least, most, and a result that is not allowed (-FAR: none)."""
    match compare:
        case "=":
            return total, total, -FAR
        case "!=":
            return -FAR, FAR, total
        case "<":
            return -FAR, total - 1, -FAR
        case "<=":
            return -FAR, total, -FAR
        case ">":
            return total + 1, FAR, -FAR
        case ">=":
            return total, FAR, -FAR


def _flat(constraint: Constraint, differ: dict[int, set[int]]) -> tuple[int, list[int], int]:
    """Kind, data and scratch of a constraint, as its kernel wants them."""
    scope = constraint.scope
    match constraint:
        case AllDifferent():
            return propagate.ALL_DIFFERENT, [], 0
        case Sum() | Product() | Difference() | Quotient():
            return propagate.ARITHMETIC, _arithmetic(constraint, differ), 3 * len(scope) + 64
        case Count():
            return propagate.COUNTS, [constraint.value, *_bounds(constraint.compare, constraint.total)], 0
        case Clause():
            literals = zip(constraint.values, constraint.wanted, strict=True)
            return propagate.CLAUSE, [number for value, want in literals for number in (value, int(want))], 0
        case Table():
            return propagate.TABLE, [value for row in constraint.rows for value in row], len(scope)
        case Runs():
            numbers = [number for run in constraint.runs for number in run]
            return propagate.RUNS, numbers, 2 * (len(scope) + 1) * (len(constraint.runs) + 1) + len(scope)
        case Loop():
            vertices = 1 + max((v for ends in constraint.ends for v in ends), default=-1)
            return propagate.LOOP, _graph(constraint.ends, vertices), 5 * vertices
        case Paths():
            vertices = len(constraint.terminals)
            graph = _graph(constraint.ends, vertices)
            return propagate.PATHS, [*graph, *constraint.terminals, int(constraint.direct)], 3 * vertices


def _arithmetic(constraint: Sum | Product | Difference | Quotient, differ: dict[int, set[int]]) -> list[int]:
    scope = constraint.scope
    before = [
        sum(1 << j for j in range(i) if j < 62 and scope[j] in differ.get(variable, ()) and scope[j] != variable)
        for i, variable in enumerate(scope)
    ]
    every = all(bits == (1 << i) - 1 for i, bits in enumerate(before))
    if isinstance(constraint, Quotient):  # larger − total × smaller compares with 0
        bounds, factor = _bounds(constraint.compare, 0), constraint.total
    else:
        bounds, factor = _bounds(constraint.compare, constraint.total), 0
    return [OPERATIONS[type(constraint)], *bounds, int(every), factor, *before]


def _graph(ends: tuple[tuple[int, int], ...], vertices: int) -> list[int]:
    """Edges, vertices, the ends of the edges, and the edges of every vertex."""
    of: list[list[int]] = [[] for _ in range(vertices)]
    for edge, (a, b) in enumerate(ends):
        of[a].append(edge)
        of[b].append(edge)
    firsts = [0]
    for edges in of:
        firsts.append(firsts[-1] + len(edges))
    return [len(ends), vertices, *(v for pair in ends for v in pair), *firsts, *(e for edges in of for e in edges)]
