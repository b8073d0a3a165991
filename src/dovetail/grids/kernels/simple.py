"""What one constraint rules out, given the domains of its variables: the simple kinds.

Every function narrows domains with ``keep`` and returns False when the constraint cannot be met. It need not reach its
own fixed point: a domain it changes queues the constraint again.
"""

import numpy as np

from ...kernel import kernel
from .bits import ALL, NONE, bit, single, size
from .state import keep


@kernel
def all_different(structure, state, c):
    """Values that are taken go; a value with one place left takes it, where all values are needed."""
    scope, dom = structure.scope, state.dom
    begin, end = structure.scope_at[c], structure.scope_at[c + 1]
    again = True
    while again:  # cheaper than one call a single
        again = False
        taken = NONE
        for i in range(begin, end):
            domain = dom[scope[i]]
            if single(domain):
                if taken & domain:
                    return False
                taken |= domain
        for i in range(begin, end):
            domain = dom[scope[i]]
            if not single(domain) and domain & taken:
                if not keep(structure, state, scope[i], ~taken):
                    return False
                again = again or single(dom[scope[i]])
    once, twice = NONE, NONE
    for i in range(begin, end):
        domain = dom[scope[i]]
        twice |= once & domain
        once |= domain
    values = size(once)
    if values < end - begin:
        return False
    if values == end - begin:
        only = once & ~twice
        if only:
            for i in range(begin, end):
                here = dom[scope[i]] & only
                if here and not single(dom[scope[i]]) and not (single(here) and keep(structure, state, scope[i], here)):
                    return False
    return _pairs(structure, state, begin, end)


@kernel
def _pairs(structure, state, begin, end):
    """Two places that share the same two values leave them to nobody else."""
    scope, dom = structure.scope, state.dom
    for i in range(begin, end - 1):
        pair = dom[scope[i]]
        if size(pair) != 2:
            continue
        for j in range(i + 1, end):
            if dom[scope[j]] == pair:
                for k in range(begin, end):
                    if k not in (i, j) and not keep(structure, state, scope[k], ~pair):
                        return False
                break
    return True


@kernel
def count(structure, state, c):
    """Data: value, least, most, and a number that is not allowed (or a negative one)."""
    scope, dom = structure.scope, state.dom
    begin, end, at = structure.scope_at[c], structure.scope_at[c + 1], structure.data_at[c]
    wanted = bit(structure.data[at])
    least, most, hole = structure.data[at + 1], structure.data[at + 2], structure.data[at + 3]
    sure, open_ = 0, 0
    for i in range(begin, end):
        domain = dom[scope[i]]
        if domain == wanted:
            sure += 1
        elif domain & wanted:
            open_ += 1
    if sure > most or sure + open_ < least or (open_ == 0 and sure == hole):
        return False
    if open_ == 0:
        return True
    if sure == most or (open_ == 1 and sure + 1 == hole):
        allowed = ~wanted
    elif sure + open_ == least or (open_ == 1 and sure == hole):
        allowed = wanted
    else:
        return True
    for i in range(begin, end):
        domain = dom[scope[i]]
        if domain & wanted and domain != wanted and not keep(structure, state, scope[i], allowed):
            return False
    return True


@kernel
def clause(structure, state, c):
    """Data: a value and 0 or 1 (wanted) for every variable. The last literal that can hold must."""
    begin, end, at = structure.scope_at[c], structure.scope_at[c + 1], structure.data_at[c]
    last = np.int64(-1)
    for i in range(end - begin):
        value = bit(structure.data[at + 2 * i])
        domain = state.dom[structure.scope[begin + i]]
        allowed = value if structure.data[at + 2 * i + 1] else ~value
        if domain & allowed:
            if domain & ~allowed == NONE:
                return True
            if last >= 0:
                return True
            last = np.int64(i)
    if last < 0:
        return False
    value = bit(structure.data[at + 2 * last])
    return keep(structure, state, structure.scope[begin + last], value if structure.data[at + 2 * last + 1] else ~value)


@kernel
def table(structure, state, c):
    """Data: the rows one after the other. A value that no possible row has goes."""
    begin, end, at = structure.scope_at[c], structure.scope_at[c + 1], structure.data_at[c]
    width = end - begin
    rows = (structure.data_at[c + 1] - at) // width
    seen = state.work
    for i in range(width):
        seen[i] = 0
    for row in range(rows):
        base = at + row * width
        possible = True
        for i in range(width):
            if not state.dom[structure.scope[begin + i]] >> np.uint64(structure.data[base + i]) & np.uint64(1):
                possible = False
                break
        if possible:
            for i in range(width):
                seen[i] |= np.int64(1) << structure.data[base + i]
    for i in range(width):
        if not keep(structure, state, structure.scope[begin + i], np.uint64(seen[i]) & ALL):
            return False
    return True
