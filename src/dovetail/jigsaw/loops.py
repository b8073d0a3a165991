"""Squares of four: a pair of edges is likelier right if two more pieces close a loop with it.

Where pieces show little, as in a clear sky, the right neighbour of an edge is one of many that fit about as well; but
only of the right ones do the neighbours fit each other (Gallagher 2012 and Son, Hays and Cooper 2014 build on such
loops). For every pair the best square on either side of it is looked for, and a small network makes new odds of what it
finds; with those, it looks again. Twins in plain Python: tests/support/naive_assembly.py.
"""

import numpy as np

from ..kernel import kernel
from .comparing import network
from .poses import UNIT, between, spun

NAMED = 10  # candidates of an edge that take part in squares
INPUTS = 9  # of the network
LEAST = np.float32(-24.0)  # nats: of three seams, all of them the worst
CLIP = np.float32(20.0)  # of a comparison with a rival
MORE, LESS = np.float32(0.5), np.float32(0.15)  # what the better and the worse side of a pair count among rivals


@kernel
def squares(edges, weights, begin, end, worst, closed):
    """For every pair, on either side of it: the most that the three other seams of a square weigh. [edges, most, 2]

    Beside our edge lies our piece's next one, which a third piece faces; beside the other, its piece's previous one,
    which a fourth faces; and those two pieces face each other. An edge is turned as a pose is. Lists are sorted.
    """
    named = min(NAMED, edges.shape[1])
    for edge in range(begin, end):
        for k in range(edges.shape[1]):
            other = edges[edge, k]
            if other < 0:
                break
            for hand in range(2):
                way = 1 - 2 * hand
                ours, theirs = spun(edge, way), spun(other, -way)
                best = 3 * worst
                for i in range(named):
                    third, one = edges[ours, i], weights[ours, i]
                    if third < 0 or one + weights[theirs, 0] - worst <= best:  # what is best weighs -worst
                        break
                    if third >> 2 == other >> 2:
                        continue
                    for j in range(named):
                        fourth, two = edges[theirs, j], one + weights[theirs, j]
                        if fourth < 0 or two - worst <= best:
                            break
                        if fourth >> 2 != edge >> 2 and fourth >> 2 != third >> 2:
                            two += between(edges, weights, spun(third, way), spun(fourth, -way), worst)
                            best = max(best, two)
                closed[edge, k, hand] = best


@kernel
def score(weights, closed, edge, k, looped):
    """What rivals are compared by, in nats: the odds so far, with squares or without."""
    value = np.float32(weights[edge, k]) / np.float32(UNIT)
    if looped:
        one, two = closed[edge, k, 0] / np.float32(UNIT), closed[edge, k, 1] / np.float32(UNIT)
        value += MORE * max(one, two, LEAST) + LESS * max(min(one, two), LEAST)
    return value


@kernel
def leaders(edges, weights, closed):
    """Of every edge, without squares and with them: the best candidate, its score, and that of the next. [edges, 2]"""
    first = np.full((edges.shape[0], 2), -1, np.int32)
    best = np.full((edges.shape[0], 2), np.float32(-60), np.float32)  # that of no rival
    second = best.copy()
    for edge in range(edges.shape[0]):
        for looped in range(2):
            for k in range(edges.shape[1]):
                if edges[edge, k] < 0:
                    break
                value = score(weights, closed, edge, k, looped)
                if value > best[edge, looped]:
                    second[edge, looped] = best[edge, looped]
                    best[edge, looped], first[edge, looped] = value, edges[edge, k]
                elif value > second[edge, looped]:
                    second[edge, looped] = value
    return first, best, second


@kernel
def standing(edges, start, weights, closed, first, best, second, edge, k, inputs):
    """What the network is told of a pair: first odds and present ones, squares, rivals, the puzzle's size. [INPUTS]"""
    other = edges[edge, k]
    one, two = closed[edge, k, 0] / np.float32(UNIT), closed[edge, k, 1] / np.float32(UNIT)
    inputs[0] = np.float32(start[edge, k]) / np.float32(UNIT)
    inputs[1] = np.float32(weights[edge, k]) / np.float32(UNIT)
    inputs[2], inputs[3] = max(one, two, LEAST), max(min(one, two), LEAST)
    for looped in range(2):
        value = score(weights, closed, edge, k, looped)
        mine = second[edge, looped] if first[edge, looped] == other else best[edge, looped]
        theirs = second[other, looped] if first[other, looped] == edge else best[other, looped]
        inputs[4 + 2 * looped] = min(max(value - np.float32(0.5) * (mine + theirs), -CLIP), CLIP)
        inputs[5 + 2 * looped] = min(max(value - max(mine, theirs), -CLIP), CLIP)
    inputs[8] = np.log(np.float32(len(edges)))  # the more edges there are, the more squares close by chance


@kernel
def reconsider(edges, start, weights, closed, first, best, second, begin, end, into, bias, out, shift, odds):
    """New log odds of every pair, in nats, by a network. [edges, most]"""
    inputs, sums = np.empty(INPUTS, np.float32), np.empty(bias.shape[0], np.float32)
    for edge in range(begin, end):
        for k in range(edges.shape[1]):
            if edges[edge, k] < 0:
                break
            standing(edges, start, weights, closed, first, best, second, edge, k, inputs)
            odds[edge, k] = network(inputs, into, bias, out, shift, sums)


@kernel
def settle(edges, odds, worst, weights):
    """A pair weighs the mean of what both of its edges say of it, within limits. [edges, most]"""
    most = edges.shape[1]
    for edge in range(edges.shape[0]):
        for k in range(most):
            other = edges[edge, k]
            if other < 0:
                weights[edge, k] = worst
                continue
            mean = odds[edge, k]
            for m in range(most):
                if edges[other, m] == edge:
                    mean = np.float32(0.5) * (odds[edge, k] + odds[other, m])
            weights[edge, k] = np.int32(min(max(np.rint(UNIT * mean), worst), -worst))


@kernel
def resort(edges, start, weights):
    """Sort lists by weight, heaviest first; those of equal weight stay as they are."""
    for edge in range(edges.shape[0]):
        for k in range(1, edges.shape[1]):
            if edges[edge, k] < 0:
                break
            other, was, weight, at = edges[edge, k], start[edge, k], weights[edge, k], k
            while at > 0 and weights[edge, at - 1] < weight:
                edges[edge, at], start[edge, at] = edges[edge, at - 1], start[edge, at - 1]
                weights[edge, at] = weights[edge, at - 1]
                at -= 1
            edges[edge, at], start[edge, at], weights[edge, at] = other, was, weight
