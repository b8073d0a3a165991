"""Single loops and paths between terminals, over edges that are on (1), off (0) or open.

Data of both: edges, vertices, then for every edge its two ends, then for every vertex where its list of edges begins
(vertices + 1 numbers), then those lists. Paths add the label of every terminal (0: no terminal) and 1 if no
path passes beside itself.
"""

import numpy as np

from ...kernel import kernel
from .bits import ALL, NONE, ONE, bit, single
from .state import keep

OFF, ON, EITHER = np.uint64(1), np.uint64(2), np.uint64(3)


@kernel
def _walk(structure, state, begin, ends, first, lists, start, seen):
    """Along the lines from a vertex to the other end of its path, or once around: (where it ends, its lines).

    Marks its vertices in work[seen:]. No vertex has more than two lines, or it might never end.
    """
    data, dom, scope, work = structure.data, state.dom, structure.scope, state.work
    here, came, length = start, np.int64(-1), np.int64(0)
    while True:
        work[seen + here] = 1
        moved = False
        for k in range(data[first + here], data[first + here + 1]):
            edge = data[lists + k]
            if edge != came and dom[scope[begin + edge]] == ON:
                here = data[ends + 2 * edge] + data[ends + 2 * edge + 1] - here
                came = edge
                length += 1
                moved = True
                break
        if not moved or here == start:
            return here, length


@kernel
def loop(structure, state, c):
    """Degrees 0 or 2; no closed loop beside other lines; all lines in one piece of what is still possible."""
    begin, at = structure.scope_at[c], structure.data_at[c]
    edges, vertices = structure.data[at], structure.data[at + 1]
    ends, first, lists = at + 2, at + 2 + 2 * edges, at + 2 + 2 * edges + vertices + 1
    data, dom, scope, work = structure.data, state.dom, structure.scope, state.work
    lines, changed = np.int64(0), False
    for v in range(vertices):
        on, open_ = 0, 0
        for k in range(data[first + v], data[first + v + 1]):
            domain = dom[scope[begin + data[lists + k]]]
            on += domain == ON
            open_ += domain == EITHER
        lines += on
        work[v] = on
        if on > 2 or (on == 1 and open_ == 0):
            return False
        if open_ and (on == 2 or on + open_ == 1 or (on == 1 and open_ == 1)):
            changed = True
            for k in range(data[first + v], data[first + v + 1]):
                variable = scope[begin + data[lists + k]]
                if dom[variable] == EITHER and not keep(structure, state, variable, ON if on == 1 else OFF):
                    return False
    if changed:  # which queues this constraint again
        return True
    lines //= 2
    if lines == 0:
        for e in range(edges):
            if dom[scope[begin + e]] == EITHER:
                return True
        return False

    # walk every open path from one end to the other: work[vertices + v] = the other end of v's path
    far, seen = vertices, 2 * vertices
    for v in range(vertices):
        work[seen + v] = 0
    walked, paths = np.int64(0), np.int64(0)
    for v in range(vertices):
        if work[v] != 1 or work[seen + v]:
            continue
        paths += 1
        here, length = _walk(structure, state, begin, ends, first, lists, np.int64(v), seen)
        walked += length
        work[far + v] = here
        work[far + here] = v
    if walked < lines:  # the rest is closed: right only if it is one loop and everything
        if paths:
            return False
        start = np.int64(0)
        while work[start] == 0:
            start += 1
        if _walk(structure, state, begin, ends, first, lists, start, seen)[1] < lines:
            return False
        for e in range(edges):
            if dom[scope[begin + e]] == EITHER and not keep(structure, state, scope[begin + e], OFF):
                return False
        return True
    if paths > 1:
        for e in range(edges):
            if dom[scope[begin + e]] == EITHER:
                a, b = data[ends + 2 * e], data[ends + 2 * e + 1]
                if (
                    work[a] == 1
                    and work[b] == 1
                    and work[far + a] == b
                    and not keep(structure, state, scope[begin + e], OFF)
                ):
                    return False
        return _in_one_piece(structure, state, begin, edges, vertices, ends, first, lists)
    return True


@kernel
def _in_one_piece(structure, state, begin, edges, vertices, ends, first, lists):
    """Every line can still be reached from every other; what cannot be reached is off."""
    data, dom, scope, work = structure.data, state.dom, structure.scope, state.work
    seen, waiting = 2 * vertices, 3 * vertices
    for v in range(vertices):
        work[seen + v] = 0
    start = np.int64(0)
    while work[start] == 0:
        start += 1
    work[waiting], number = start, np.int64(1)
    work[seen + start] = 1
    while number:
        number -= 1
        here = work[waiting + number]
        for k in range(data[first + here], data[first + here + 1]):
            edge = data[lists + k]
            if dom[scope[begin + edge]] != OFF:
                other = data[ends + 2 * edge] + data[ends + 2 * edge + 1] - here
                if not work[seen + other]:
                    work[seen + other] = 1
                    work[waiting + number] = other
                    number += 1
    for v in range(vertices):
        if work[v] and not work[seen + v]:
            return False
    for e in range(edges):
        if (
            dom[scope[begin + e]] == EITHER
            and not work[seen + data[ends + 2 * e]]
            and not keep(structure, state, scope[begin + e], OFF)
        ):
            return False
    return True


@kernel
def paths(structure, state, c):
    """Degrees and labels along edges, no closed loop, and every label's terminals within reach of each other."""
    begin, at = structure.scope_at[c], structure.data_at[c]
    edges, vertices = structure.data[at], structure.data[at + 1]
    ends, first, lists = at + 2, at + 2 + 2 * edges, at + 2 + 2 * edges + vertices + 1
    terminals = lists + 2 * edges
    label = begin + edges
    direct = structure.data[terminals + vertices]
    data, dom, scope = structure.data, state.dom, structure.scope
    for v in range(vertices):
        terminal = data[terminals + v]
        if terminal and not keep(structure, state, scope[label + v], bit(terminal)):
            return False
        if not _degree(structure, state, begin, label, first, lists, v, terminal):
            return False
    for e in range(edges):
        a, b = scope[label + data[ends + 2 * e]], scope[label + data[ends + 2 * e + 1]]
        domain = dom[scope[begin + e]]
        if domain == ON:
            both = dom[a] & dom[b] & ~ONE
            if not (keep(structure, state, a, both) and keep(structure, state, b, both)):
                return False
        elif domain == EITHER and not dom[a] & dom[b] & ~ONE:
            if not keep(structure, state, scope[begin + e], OFF):
                return False
        elif direct and domain == EITHER and dom[a] == dom[b] and single(dom[a]) and dom[a] != ONE:
            if not keep(structure, state, scope[begin + e], ON):
                return False
        elif direct and domain == OFF:
            if single(dom[a]) and dom[a] != ONE and not keep(structure, state, b, ~dom[a]):
                return False
            if single(dom[b]) and dom[b] != ONE and not keep(structure, state, a, ~dom[b]):
                return False
    return _no_loop(structure, state, begin, edges, vertices, ends, first, lists) and _within_reach(
        structure, state, begin, label, vertices, ends, first, lists, terminals
    )


@kernel
def _degree(structure, state, begin, label, first, lists, v, terminal):
    """A terminal has one edge; others two and a label, or none and the label 0."""
    data, dom, scope = structure.data, state.dom, structure.scope
    on, open_ = 0, 0
    for k in range(data[first + v], data[first + v + 1]):
        domain = dom[scope[begin + data[lists + k]]]
        on += domain == ON
        open_ += domain == EITHER
    own = scope[label + v]
    if terminal:
        least, most = 1, 1
    else:
        if (on or on + open_ < 2) and not keep(structure, state, own, ~ONE if on else ONE):
            return False
        domain = dom[own]
        least, most = 0 if domain & ONE else 2, 0 if domain == ONE else 2
    if on > most or on + open_ < least:
        return False
    if open_ == 0 or (on < most and on + open_ > least):
        return open_ > 0 or on in (least, most)
    wanted = OFF if on == most else ON
    for k in range(data[first + v], data[first + v + 1]):
        variable = scope[begin + data[lists + k]]
        if dom[variable] == EITHER and not keep(structure, state, variable, wanted):
            return False
    return True


@kernel
def _no_loop(structure, state, begin, edges, vertices, ends, first, lists):
    """The two ends of a piece of path are never joined, and no piece is closed."""
    data, dom, scope, work = structure.data, state.dom, structure.scope, state.work
    far, seen = np.int64(0), vertices
    lines, walked = np.int64(0), np.int64(0)
    for v in range(vertices):
        work[far + v] = -1
        work[seen + v] = 0
    degree = 2 * vertices
    for v in range(vertices):
        on = 0
        for k in range(data[first + v], data[first + v + 1]):
            on += dom[scope[begin + data[lists + k]]] == ON
        if on > 2:  # an edge switched on just now: a walk might never end
            return False
        work[degree + v] = on
        lines += on
    lines //= 2
    for v in range(vertices):
        if work[degree + v] != 1 or work[seen + v]:
            continue
        here, length = _walk(structure, state, begin, ends, first, lists, np.int64(v), seen)
        walked += length
        work[far + v] = here
        work[far + here] = v
    if walked < lines:
        return False
    for e in range(edges):
        if (
            dom[scope[begin + e]] == EITHER
            and work[far + data[ends + 2 * e]] == data[ends + 2 * e + 1]
            and not keep(structure, state, scope[begin + e], OFF)
        ):
            return False
    return True


@kernel
def _within_reach(structure, state, begin, label, vertices, ends, first, lists, terminals):
    """A vertex keeps a label only if the label's first terminal reaches it; it must reach the second."""
    data, dom, scope, work = structure.data, state.dom, structure.scope, state.work
    seen, waiting = np.int64(0), vertices
    done = NONE
    for start in range(vertices):
        own = data[terminals + start]
        if own == 0 or done & bit(own):
            continue
        done |= bit(own)
        for v in range(vertices):
            work[seen + v] = 0
        work[waiting], number = start, np.int64(1)
        work[seen + start] = 1
        while number:
            number -= 1
            here = work[waiting + number]
            if here != start and data[terminals + here]:
                continue  # paths end here
            for k in range(data[first + here], data[first + here + 1]):
                edge = data[lists + k]
                if dom[scope[begin + edge]] == OFF:
                    continue
                other = data[ends + 2 * edge] + data[ends + 2 * edge + 1] - here
                if not work[seen + other] and dom[scope[label + other]] & bit(own):
                    work[seen + other] = 1
                    work[waiting + number] = other
                    number += 1
        for v in range(vertices):
            if not work[seen + v] and not keep(structure, state, scope[label + v], ALL & ~bit(own)):
                return False
    return True
