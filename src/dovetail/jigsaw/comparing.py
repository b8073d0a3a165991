"""The hot loops of ``candidates.py``: the best of a row, eight measures of a pair, and the odds of a pair.

Flat arrays in, flat arrays out. Twins in plain Python: tests/support/naive_assembly.py.
"""

import numpy as np

from ..kernel import kernel, overwrite
from .poses import behind

MEASURES = 8  # across, along, prediction, distance, and the distances of four means
JUDGED = 9  # the eight, after the sum of the first two
INPUTS = 25  # of the network, without a grid
# what is noise, a pair: below, all fit about equally well
FLOORS = np.array([1.5, 1.5, 1.5, 20.0, 0.3, 0.05, 0.05, 0.01, 0.01], np.float32)
# where colours are not rounded to 8 bits, a sixteenth of a step is told from none: all are squares but for roots
FINE_FLOORS = (FLOORS / np.array([256, 256, 256, 4, 256, 256, 256, 256, 256])).astype(np.float32)
CLIP = np.float32(4.0)  # of a comparison with a rival, in natural logarithms


@kernel
def kept(block, ours, theirs, span, number, listed, least):
    """Of each row of a block the edges with the least values, and these, least first.

    Its own piece's only if several look alike. [edges, most] twice
    """
    most = listed.shape[1]
    for i in range(block.shape[0]):
        best, values = listed[ours[i]], least[ours[i]]
        piece = ours[i] // span
        held = 0
        bound = np.float32(np.inf)
        for j in range(block.shape[1]):
            value = block[i, j]
            if value >= bound or (theirs[j] // span == piece and number[piece] == 1):
                continue
            at = held if held < most else most - 1
            held = min(held + 1, most)
            while at > 0 and values[at - 1] > value:
                values[at] = values[at - 1]
                best[at] = best[at - 1]
                at -= 1
            values[at] = value
            best[at] = theirs[j]
            if held == most:
                bound = values[most - 1]
        best[held:] = -1
        values[held:] = np.inf


@kernel
def measure(listed, first, last, lengths, rims, values):
    """Eight measures of every pair listed; those of each piece about the other are added. [edges, most, MEASURES]"""
    for edge in range(first, last):
        length = lengths[edge & 1]
        for k in range(listed.shape[1]):
            other = listed[edge, k]
            if other < 0:
                values[edge, k] = np.inf
                continue
            out = values[edge, k]
            out[0] = quadratic(rims.colours[other], rims.beyond[edge], rims.across[edge], length) + quadratic(
                rims.colours[edge], rims.beyond[other], rims.across[other], length
            )
            out[1] = changes(rims.colours[other], rims.colours[edge], rims.along[edge], length) + changes(
                rims.colours[edge], rims.colours[other], rims.along[other], length
            )
            predicted = np.float32(0)
            apart = np.float32(0)
            for x in range(length):
                y = length - 1 - x
                for band in range(3):
                    here, there = rims.lab[edge, x, band], rims.lab[other, y, band]
                    predicted += np.sqrt(abs(rims.continued[edge, x, band] - there))
                    predicted += np.sqrt(abs(rims.continued[other, y, band] - here))
                    apart += (here - there) ** 2
            out[2] = predicted
            out[3] = apart / np.float32(4096)  # of 64 steps a unit
            out[4] = distance(rims.near[edge], rims.near[other])
            out[5] = distance(rims.near_on[edge], rims.near_on[other])
            out[6] = distance(rims.whole[edge], rims.whole[other])
            out[7] = distance(rims.whole_on[edge], rims.whole_on[other])


@kernel
def quadratic(rim, centres, inverse, length):
    """Gallagher 2012: the Mahalanobis distance of a neighbour's rim from where ours leads."""
    sums = np.float32(0)
    for x in range(length):
        y = length - 1 - x
        a, b, c = rim[y, 0] - centres[x, 0], rim[y, 1] - centres[x, 1], rim[y, 2] - centres[x, 2]
        sums += inverse[0] * a * a + inverse[1] * b * b + inverse[2] * c * c
        sums += np.float32(2) * (inverse[3] * a * b + inverse[4] * a * c + inverse[5] * b * c)
    return sums


@kernel
def changes(rim, ours, inverse, length):
    """The same of the changes along the rims."""
    sums = np.float32(0)
    for x in range(length - 1):
        y = length - 1 - x
        a = rim[y - 1, 0] - rim[y, 0] - ours[x + 1, 0] + ours[x, 0]
        b = rim[y - 1, 1] - rim[y, 1] - ours[x + 1, 1] + ours[x, 1]
        c = rim[y - 1, 2] - rim[y, 2] - ours[x + 1, 2] + ours[x, 2]
        sums += inverse[0] * a * a + inverse[1] * b * b + inverse[2] * c * c
        sums += np.float32(2) * (inverse[3] * a * b + inverse[4] * a * c + inverse[5] * b * c)
    return sums


@kernel
def distance(ours, theirs):
    """The squared distance of colours, one read against the other."""
    sums = np.float32(0)
    last = ours.shape[0] - 1
    for x in range(last + 1):
        for band in range(3):
            sums += (ours[x, band] - theirs[last - x, band]) ** 2
    return sums


@kernel
def logarithm(values, judged, floors):
    """Of one measure of a pair, noise added."""
    value = values[0] + values[1] if judged == 0 else values[judged - 1]
    return np.log(value + floors[judged])


@kernel
def rivals(listed, values, told, floors):
    """For every edge and measure: the best candidate, its logarithm, and that of the second best. [edges, JUDGED]

    Who does not agree about the grid is no rival, or less of one.
    """
    edges, most = listed.shape
    first = np.full((edges, JUDGED), -1, np.int32)
    least = np.full((edges, JUDGED), np.inf, np.float32)
    second = np.full((edges, JUDGED), np.inf, np.float32)
    for edge in range(edges):
        for k in range(most):
            if listed[edge, k] < 0:
                break
            against = -min(told[edge, k, 0], np.float32(0)) if told.shape[2] else np.float32(0)
            for judged in range(JUDGED):
                value = logarithm(values[edge, k], judged, floors) + against
                if value < least[edge, judged]:
                    second[edge, judged] = least[edge, judged]
                    least[edge, judged] = value
                    first[edge, judged] = listed[edge, k]
                elif value < second[edge, judged]:
                    second[edge, judged] = value
        for judged in range(JUDGED):  # the only candidate has no rival
            if second[edge, judged] == np.inf:
                second[edge, judged] = least[edge, judged]
    return first, least, second


@kernel
def standing(listed, values, told, floors, first, least, second, edge, k, inputs):
    """What the network is told of a pair: how it stands against its rivals. [INPUTS, and what the grid tells]

    For each measure the comparison with the best rival of either edge, mean and larger; and the measures themselves,
    with the noise of the pictures that it was taught on.
    """
    other, at = listed[edge, k], 0
    for judged in range(JUDGED):
        value = logarithm(values[edge, k], judged, floors)
        mine = second[edge, judged] if first[edge, judged] == other else least[edge, judged]
        theirs = second[other, judged] if first[other, judged] == edge else least[other, judged]
        inputs[at] = min(max(value - np.float32(0.5) * (mine + theirs), -CLIP), CLIP)
        inputs[at + 1] = min(max(value - min(mine, theirs), -CLIP), CLIP)
        at += 2
        if judged != 1 and judged != 2:  # those two are in the sum
            inputs[at] = logarithm(values[edge, k], judged, FLOORS)
            at += 1
    overwrite(inputs[at:], told[edge, k])


@kernel
def network(inputs, into, bias, out, shift, sums):
    """What a network of one hidden layer says. ``x / (1 + |x|)`` bends, which is the same on every machine."""
    overwrite(sums, bias)
    for i in range(inputs.shape[0]):
        for j in range(bias.shape[0]):
            sums[j] += inputs[i] * into[i, j]
    value = np.float32(shift)
    for j in range(bias.shape[0]):
        value += out[j] * sums[j] / (np.float32(1) + abs(sums[j]))
    return value


@kernel
def judge(
    listed, values, told, floors, first, least, second, begin, end, into, bias, out, shift, unit, worst, best, weights
):
    """The log odds of every pair, by a network. [edges, most]"""
    inputs, sums = np.empty(into.shape[0], np.float32), np.empty(bias.shape[0], np.float32)
    for edge in range(begin, end):
        for k in range(listed.shape[1]):
            if listed[edge, k] < 0:
                weights[edge, k] = worst
                continue
            standing(listed, values, told, floors, first, least, second, edge, k, inputs)
            odds = network(inputs, into, bias, out, shift, sums)
            weights[edge, k] = np.int32(min(max(np.rint(unit * odds), worst), best))


@kernel
def gather(listed, weights, double, worst, kept_edges, kept_weights):
    """The likeliest of the pairs that either edge lists, likeliest first. [edges, kept]

    Pieces with two faces touch on both: the odds are added up.
    """
    held = np.zeros(listed.shape[0], np.int32)
    half = worst // 2
    for edge in range(listed.shape[0]):
        for k in range(listed.shape[1]):
            other = listed[edge, k]
            if other < 0:
                break
            weight = weights[edge, k]
            if not double:
                insert(kept_edges, kept_weights, held, edge, other, weight)
                insert(kept_edges, kept_weights, held, other, edge, weight)
                continue
            back, back_other = behind(edge), behind(other)
            more = half
            for m in range(listed.shape[1]):
                if listed[back, m] == back_other:
                    more = weights[back, m]
                elif listed[back_other, m] == back:
                    more = weights[back_other, m]
            weight += more
            insert(kept_edges, kept_weights, held, edge, other, weight)
            insert(kept_edges, kept_weights, held, other, edge, weight)
            insert(kept_edges, kept_weights, held, back, back_other, weight)
            insert(kept_edges, kept_weights, held, back_other, back, weight)


@kernel
def insert(edges, weights, held, edge, other, weight):
    """Into a list that is sorted, unless it is there or too light."""
    most, number = edges.shape[1], held[edge]
    for k in range(number):
        if edges[edge, k] == other:
            return
    if number == most and weight <= weights[edge, most - 1]:
        return
    at = min(number, most - 1)
    held[edge] = min(number + 1, most)
    while at > 0 and weights[edge, at - 1] < weight:
        edges[edge, at], weights[edge, at] = edges[edge, at - 1], weights[edge, at - 1]
        at -= 1
    edges[edge, at], weights[edge, at] = other, weight


@kernel
def mutual(edges, weights):
    """Drop what only one of the two edges lists, so that a seam weighs the same from either."""
    count, most = edges.shape
    both = np.zeros(edges.shape, np.bool_)
    for edge in range(count):
        for k in range(most):
            other = edges[edge, k]
            if other < 0:
                break
            for m in range(most):
                if edges[other, m] == edge:
                    both[edge, k] = True
                    break
    for edge in range(count):
        left = 0
        for k in range(most):
            if both[edge, k]:
                edges[edge, left], weights[edge, left] = edges[edge, k], weights[edge, k]
                left += 1
        edges[edge, left:] = -1
