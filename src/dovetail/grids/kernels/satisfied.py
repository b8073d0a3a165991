"""Whether a constraint is met by a value for each of its variables: what tree search scores plays by (equation 6)."""

import numpy as np

from ...kernel import kernel
from . import arithmetic
from .propagate import ALL_DIFFERENT, ARITHMETIC, CLAUSE, COUNTS, LOOP, RUNS, TABLE


@kernel
def satisfied(structure, values, c, work):
    """See the module text; ``work`` is scratch."""
    scope = structure.scope[structure.scope_at[c] : structure.scope_at[c + 1]]
    data = structure.data[structure.data_at[c] : structure.data_at[c + 1]]
    kind = structure.kind[c]
    if kind == ALL_DIFFERENT:
        seen = np.uint64(0)
        for v in scope:
            bit = np.uint64(1) << np.uint64(values[v])
            if seen & bit:
                return False
            seen |= bit
        return True
    if kind == ARITHMETIC:
        return _arithmetic(scope, data, values)
    if kind == COUNTS:
        number = 0
        for v in scope:
            number += values[v] == data[0]
        return data[1] <= number <= data[2] and number != data[3]
    if kind == CLAUSE:
        for i in range(len(scope)):
            if (values[scope[i]] == data[2 * i]) == (data[2 * i + 1] != 0):
                return True
        return False
    if kind == TABLE:
        width = len(scope)
        for row in range(len(data) // width):
            same = True
            for i in range(width):
                if values[scope[i]] != data[row * width + i]:
                    same = False
                    break
            if same:
                return True
        return False
    if kind == RUNS:
        return _runs(scope, data, values)
    if kind == LOOP:
        return _loop(scope, data, values, work)
    return _paths(scope, data, values, work)


@kernel
def _arithmetic(scope, data, values):
    operation, least, most, hole = data[0], data[1], data[2], data[3]
    result = np.int64(1) if operation == arithmetic.PRODUCT else np.int64(0)
    if operation == arithmetic.SUM:
        for v in scope:
            result += values[v]
    elif operation == arithmetic.PRODUCT:
        for v in scope:
            result = min(result * values[v], arithmetic.FAR)
    else:
        a, b = np.int64(values[scope[0]]), np.int64(values[scope[1]])
        larger, smaller = max(a, b), min(a, b)
        result = larger - (smaller if operation == arithmetic.DIFFERENCE else data[5] * smaller)
    return least <= result <= most and result != hole


@kernel
def _runs(scope, data, values):
    run, length, before = 0, np.int64(0), np.int64(0)
    number = len(data) // 2
    for i in range(len(scope) + 1):
        value = np.int64(values[scope[i]]) if i < len(scope) else np.int64(0)
        if value != before and before:
            if run >= number or data[2 * run] != length or data[2 * run + 1] != before:
                return False
            run += 1
            length = np.int64(0)
        if value:
            length += 1
        before = value
    return run == number


@kernel
def _walk(scope, data, values, start):
    """Along lines from a vertex, never back: (the vertex where it ends or closes, the edges walked)."""
    edges, vertices = data[0], data[1]
    ends, first, lists = 2, 2 + 2 * edges, 2 + 2 * edges + vertices + 1
    here, came, length = np.int64(start), np.int64(-1), np.int64(0)
    while True:
        moved = False
        for k in range(data[first + here], data[first + here + 1]):
            edge = data[lists + k]
            if edge != came and values[scope[edge]] == 1:
                here = data[ends + 2 * edge] + data[ends + 2 * edge + 1] - here
                came = edge
                length += 1
                moved = True
                break
        if not moved or here == start or length > edges:
            return here, length


@kernel
def _degrees(scope, data, values, work):
    """Lines at every vertex, into ``work``; returns all lines."""
    edges, vertices = data[0], data[1]
    lines = np.int64(0)
    for v in range(vertices):
        work[v] = 0
    for e in range(edges):
        if values[scope[e]] == 1:
            lines += 1
            work[data[2 + 2 * e]] += 1
            work[data[2 + 2 * e + 1]] += 1
    return lines


@kernel
def _loop(scope, data, values, work):
    lines = _degrees(scope, data, values, work)
    start = np.int64(-1)
    for v in range(data[1]):
        if work[v] not in (0, 2):
            return False
        if work[v]:
            start = np.int64(v)
    return start >= 0 and _walk(scope, data, values, start) == (start, lines)


@kernel
def _paths(scope, data, values, work):
    edges, vertices = data[0], data[1]
    terminals = 2 + 4 * edges + vertices + 1
    lines = _degrees(scope, data, values, work)
    direct = data[terminals + vertices]
    for e in range(edges):
        a, b = values[scope[edges + data[2 + 2 * e]]], values[scope[edges + data[2 + 2 * e + 1]]]
        if a != b if values[scope[e]] == 1 else direct and a and a == b:
            return False
    walked = np.int64(0)
    for v in range(vertices):
        label = values[scope[edges + v]]
        terminal = data[terminals + v]
        if terminal:
            if work[v] != 1 or label != terminal:
                return False
            walked += _walk(scope, data, values, v)[1]
        elif work[v] != (2 if label else 0):
            return False
    return walked == 2 * lines  # every path was walked from both ends, and nothing else is there
