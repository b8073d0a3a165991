"""The hot loops of the solver `flood-search`: a lower bound of the moves to go, and positions a layer at a time."""

from collections import namedtuple

import numpy as np

from ..kernel import kernel
from .rules.flood import NONE, ONE, hashed, lowest

FREE = -1  # of a place in the table

# One layer: positions after so many moves. owned, reach [room, words]: as in the rules. rank [room]: how far each is
# from the end, about. parent, move [room]: which position of the layer before it was made from, and how. table: where
# a position is, by its hash; a power of two. used [1]: positions in use.
Layer = namedtuple("Layer", ["owned", "reach", "rank", "parent", "move", "table", "used"])


@kernel
def bound(state, owned, reach, first, most):
    """(A lower bound of the moves to go, about how far it is); more than ``most`` is not counted on.

    A colour whose areas are all in reach is played at once: it must be played some time, and nothing is lost if that is
    now. Where there is none, no move can win more than all colours at once would. (After A. Puchert's solver.) The
    sets are carried on to the end; ``first`` [words] is room to work.
    """
    moves, far, words = 0, 0, len(owned)
    while moves <= most:
        left, ended = False, False
        for colour in range(len(state.same)):
            outside, beyond = NONE, NONE
            for w in range(words):
                rest = state.same[colour, w] & ~owned[w]
                outside |= rest
                beyond |= rest & ~reach[w]
            left = left or outside != NONE
            if outside != NONE and beyond == NONE:
                ended = True
                moves += 1
                for w in range(words):
                    far += moves * _win(state, owned, reach, w, state.same[colour, w] & ~owned[w])
        if not left:
            break
        if not ended:
            moves += 1
            for w in range(words):
                first[w] = reach[w] & ~owned[w]
            for w in range(words):
                far += moves * _win(state, owned, reach, w, first[w])
    return moves, far


@kernel
def _win(state, owned, reach, w, won):
    """Add areas, given as one word, to a position; returns how many."""
    number = 0
    owned[w] |= won
    while won:
        area = w * 64 + lowest(won)
        won &= won - ONE
        number += 1
        for v in range(len(reach)):
            reach[v] |= state.near[area, v]
    return number


@kernel
def expand(state, layer, begin, end, after, most, spare):
    """Play all that makes sense in some positions of a layer, if ``most`` moves can then be enough.

    Returns (where it stopped: before ``end`` if the next layer is full, the flooded position of the next layer or
    FREE). ``spare`` [3, words] is room to work.
    """
    words, colours = state.near.shape[1], len(state.same)
    for at in range(begin, end):
        if after.used[0] + colours > len(after.rank):
            return at, FREE
        owned, reach = layer.owned[at], layer.reach[at]
        only = _ending(state, owned, reach)
        for colour in range(colours):
            if only >= 0 and colour != only:
                continue
            place = after.used[0]
            new, wide, won = after.owned[place], after.reach[place], 0
            for w in range(words):
                new[w], wide[w] = owned[w], reach[w]
            for w in range(words):
                won += _win(state, new, wide, w, state.same[colour, w] & reach[w] & ~owned[w])
            if won == 0:
                continue
            slot = _slot(after, new)
            if slot == FREE:  # it is there already
                continue
            for w in range(words):
                spare[0, w], spare[1, w] = new[w], wide[w]
            further, far = bound(state, spare[0], spare[1], spare[2], most - 1)
            if further > most - 1:
                continue
            after.table[slot], after.rank[place] = place, far
            after.parent[place], after.move[place] = at, colour
            after.used[0] = place + 1
            if further == 0:
                return at, place
    return end, FREE


@kernel
def _ending(state, owned, reach):
    """A colour whose areas are all in reach, so that to play it now is never wrong; -1 if there is none."""
    for colour in range(len(state.same)):
        outside, beyond = NONE, NONE
        for w in range(len(owned)):
            rest = state.same[colour, w] & ~owned[w]
            outside |= rest
            beyond |= rest & ~reach[w]
        if outside != NONE and beyond == NONE:
            return colour
    return -1


@kernel
def _slot(layer, owned):
    """Where in the table a position belongs; FREE if it is there already."""
    mask = np.uint64(len(layer.table) - 1)
    slot = hashed(owned, ONE) & mask
    while layer.table[slot] != FREE:
        other, same = layer.owned[layer.table[slot]], True
        for w in range(len(owned)):
            if other[w] != owned[w]:
                same = False
                break
        if same:
            return np.int64(FREE)
        slot = (slot + ONE) & mask
    return np.int64(slot)
