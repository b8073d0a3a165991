"""Sums, products, differences and quotients: bounds for long scopes, every combination looked at for short ones.

Data: operation, least, most, a result that is not allowed (or -FAR), whether all variables differ, the factor of a
quotient (its result is larger − factor × smaller), then for every position the positions before it that must differ
from it, as bits (other constraints of the model say so: a cage knows its rows and columns).
"""

import numpy as np

from ...kernel import kernel
from .bits import NONE, ONE, between, bit, highest, lowest, single, size
from .state import keep

SUM, PRODUCT, DIFFERENCE, QUOTIENT = 0, 1, 2, 3
HEAD = 6  # data before the bits of the positions
MANY = 4000  # combinations of values that are looked at one by one
SUBSETS = 10  # values up to which all sets of different values are looked at
FAR = np.int64(1) << np.int64(40)  # beyond any result that matters; keeps products from overflowing


@kernel
def arithmetic(structure, state, c):
    """See the module text."""
    begin, end, at = structure.scope_at[c], structure.scope_at[c + 1], structure.data_at[c]
    operation = structure.data[at]
    if operation == SUM and not _sum_bounds(structure, state, begin, end, at):
        return False
    if operation == PRODUCT and not _product_bounds(structure, state, begin, end, at):
        return False
    combinations = np.int64(1)
    for i in range(begin, end):
        combinations *= size(state.dom[structure.scope[i]])
        if combinations > MANY:
            if operation == SUM and structure.data[at + 4]:
                return _different_sum(structure, state, begin, end, at)
            return True
    return _every_combination(structure, state, begin, end, at)


@kernel
def _sum_bounds(structure, state, begin, end, at):
    least, most = structure.data[at + 1], structure.data[at + 2]
    low, high = np.int64(0), np.int64(0)
    for i in range(begin, end):
        domain = state.dom[structure.scope[i]]
        low += lowest(domain)
        high += highest(domain)
    if low > most or high < least:
        return False
    if low >= least and high <= most:
        return True
    for i in range(begin, end):
        domain = state.dom[structure.scope[i]]
        down, up = lowest(domain), highest(domain)
        if down != up and not keep(
            structure, state, structure.scope[i], between(least - (high - up), most - (low - down))
        ):
            return False
    return True


@kernel
def _product_bounds(structure, state, begin, end, at):
    least, most = structure.data[at + 1], structure.data[at + 2]
    low, high = np.int64(1), np.int64(1)
    for i in range(begin, end):
        domain = state.dom[structure.scope[i]]
        low = min(low * lowest(domain), FAR)
        high = min(high * highest(domain), FAR)
    if low > most or high < least:
        return False
    if least == most and least > 0:
        for i in range(begin, end):
            domain = state.dom[structure.scope[i]]
            if single(domain):
                continue
            divides = NONE
            while domain:
                value = lowest(domain)
                domain &= domain - ONE
                if value and least % value == 0:
                    divides |= bit(value)
            if not keep(structure, state, structure.scope[i], divides):
                return False
    return True


@kernel
def _different_sum(structure, state, begin, end, at):
    """All variables differ: look at every set of values, not at every order of them."""
    number = end - begin
    union = NONE
    for i in range(begin, end):
        union |= state.dom[structure.scope[i]]
    values = size(union)
    if values > SUBSETS or values < number:
        return values >= number
    value = state.work
    domain = union
    for k in range(values):
        value[k] = lowest(domain)
        domain &= domain - ONE
    some, every = NONE, union
    for chosen in range(1 << values):
        total, members, taken = np.int64(0), 0, NONE
        for k in range(values):
            if chosen >> k & 1:
                total += value[k]
                members += 1
                taken |= bit(value[k])
        if members != number or not _allowed(structure, at, total):
            continue
        possible = True
        for i in range(begin, end):
            if not state.dom[structure.scope[i]] & taken:
                possible = False
                break
        if possible:
            some |= taken
            every &= taken
    if not some:
        return False
    for i in range(begin, end):
        if not keep(structure, state, structure.scope[i], some):
            return False
    while every:  # a value that every set needs, and that has one place, takes it
        needed = every & (~every + ONE)
        every &= every - ONE
        place = np.int64(-1)
        for i in range(begin, end):
            if state.dom[structure.scope[i]] & needed:
                place = np.int64(-1 if place >= 0 else i)
                if place < 0:
                    break
        if place >= 0 and not keep(structure, state, structure.scope[place], needed):
            return False
    return True


@kernel
def _allowed(structure, at, result):
    return structure.data[at + 1] <= result <= structure.data[at + 2] and result != structure.data[at + 3]


@kernel
def _result(operation, factor, number, state):
    """Of the values chosen, in work[number:2 * number]."""
    work = state.work
    if operation == SUM:
        total = np.int64(0)
        for i in range(number):
            total += work[number + i]
        return total
    if operation == PRODUCT:
        total = np.int64(1)
        for i in range(number):
            total = min(total * work[number + i], FAR)
        return total
    a, b = max(work[number], work[number + 1]), min(work[number], work[number + 1])
    return a - b if operation == DIFFERENCE else a - factor * b


@kernel
def _every_combination(structure, state, begin, end, at):
    """Depth-first over the values of the scope; a value that is in no combination goes."""
    number = end - begin
    operation = structure.data[at]
    work, dom, scope = state.work, state.dom, structure.scope
    # work: values still to try [number], chosen [number], seen [number]
    for i in range(number):
        work[2 * number + i] = 0
    depth = 0
    work[0] = np.int64(dom[scope[begin]])
    while depth >= 0:
        left = np.uint64(work[depth])
        if not left:
            depth -= 1
            continue
        value = lowest(left)
        work[depth] = np.int64(left & (left - ONE))
        others = structure.data[at + HEAD + depth]
        clash = False
        for other in range(depth):
            if others >> other & 1 and work[number + other] == value:
                clash = True
                break
        if clash:
            continue
        work[number + depth] = value
        if depth + 1 < number:
            depth += 1
            work[depth] = np.int64(dom[scope[begin + depth]])
            continue
        if _allowed(structure, at, _result(operation, structure.data[at + 5], number, state)):
            for i in range(number):
                work[2 * number + i] |= np.int64(bit(work[number + i]))
    for i in range(number):
        if not keep(structure, state, scope[begin + i], np.uint64(work[2 * number + i])):
            return False
    return True
