"""Cuts for explanations: a loop among others must cross the border around it.

Say S are the vertices of a closed loop in an answer that is none. In Loop all edges that are on hang together, so if an
edge within S is on and one outside is, some edge that crosses the border of S is on. In Paths every edge that is on
hangs together with a terminal, and S holds none: if an edge within S is on, some edge that crosses is on.

Reasons are looked for with most constraints and facts switched off, where a board has no end of small loops. Forbidding
loops one by one (``lazy_cuts``, best where all constraints are on) took hundreds of rounds there, these cuts take few.
"""

from collections.abc import Collection, Sequence

from .clauses import Clauses
from .lazy_cuts import closed_loops
from .model import Loop, Paths


def crossings(rule: Loop | Paths, literals: Sequence[int], true: Collection[int], assumed: Collection[int]) -> Clauses:
    """Clauses that the rule implies and an answer breaks; none if the answer meets it.

    ``literals`` say of each edge that it is on, ``true`` are those that hold in the answer, which is right already at
    every vertex. An edge that is ``assumed`` makes the strongest cut, since it stays on.
    """
    loops = closed_loops(rule.ends, [literal in true for literal in literals])
    if isinstance(rule, Loop) and len(loops) < 2:
        return []
    lines = [place for place, literal in enumerate(literals) if literal in true]
    lines.sort(key=lambda place: literals[place] not in assumed)
    clauses: Clauses = []
    for loop in loops:
        inside = {vertex for place in loop for vertex in rule.ends[place]}
        border = [on for on, (a, b) in zip(literals, rule.ends, strict=True) if (a in inside) != (b in inside)]
        if isinstance(rule, Loop):
            outside = next(place for place in lines if rule.ends[place][0] not in inside)
            border.append(-literals[outside])
        firm = [place for place in loop if literals[place] in assumed][:1]
        clauses += [[-literals[place], *border] for place in firm or loop]
    return clauses
