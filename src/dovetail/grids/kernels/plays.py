"""A model as rules of the tree search: a play gives its variables values, one after the other.

Two ways to play, by ``accurate`` (3.3.4): a move is validated by propagation, so that only values that can still be
right are ever tried; or it is not, and constraints are counted as they fill up. Two ways to go back, by ``fast``
(3.3.3): changes of one shared state are taken back; or the state is built anew from the root.
"""

from collections import namedtuple

import numpy as np

from ...kernel import kernel
from ...search.mcts import search
from .bits import ONE, lowest, single
from .propagate import next_variable, propagate
from .satisfied import satisfied
from .state import TRAIL, forget, keep, undo

# flags
ACCURATE, FAST, DURING = 0, 1, 2
# notes: moves played, constraints satisfied, variables of the answer, constraints that count (implied ones do not)
PLAYED, SATISFIED, SHOWN, COUNTED = 0, 1, 2, 3

# structure, state: the compiled model. flags, notes: see above. root [variables]: the domains at the root. order
# [variables]: which variable is decided when, where that is known before (3.3.1). mark, moves [steps]: the trail
# before each move, and the moves. values [variables]: what is assigned, -1 if nothing (not accurate: as played;
# accurate: as ``value`` last filled it in). open, met [constraints]: variables not yet assigned; whether it is met.
Play = namedtuple(
    "Play", ["structure", "state", "flags", "notes", "root", "order", "mark", "moves", "values", "open", "met"]
)


@kernel
def moves(play, out):
    """The values of the next variable, in order."""
    v = _next(play)
    if v < 0:
        return 0
    domain = play.state.dom[v] if play.flags[ACCURATE] else play.root[v]
    number = 0
    while domain:
        out[number] = v * 64 + lowest(domain)
        domain &= domain - ONE
        number += 1
    return number


@kernel
def _next(play):
    if play.flags[ACCURATE]:
        if play.flags[DURING]:
            return next_variable(play.state, play.notes[SHOWN])
        for v in play.order:
            if not single(play.state.dom[v]):
                return np.int64(v)
        return np.int64(-1)
    # without propagation the domains stay as they are: what comes next is known before
    return np.int64(play.order[play.notes[PLAYED]]) if play.notes[PLAYED] < len(play.order) else np.int64(-1)


@kernel
def make_move(play, move):
    """Give a variable a value; accurate: and see whether it can be right."""
    v, value = move >> 6, move & 63
    step = play.notes[PLAYED]
    play.mark[step] = play.state.tally[TRAIL]
    play.moves[step] = move
    play.notes[PLAYED] = step + 1
    if play.flags[ACCURATE]:
        return keep(play.structure, play.state, v, ONE << np.uint64(value)) and propagate(play.structure, play.state)
    play.values[v] = value
    if play.flags[FAST]:
        _count(play, v, -1)
    return True


@kernel
def _count(play, v, change):
    """Constraints whose last variable was just assigned, or is about to be taken back."""
    structure, notes = play.structure, play.notes
    for place in range(structure.near_at[v], structure.near_at[v + 1]):
        c = structure.near[place]
        if c >= notes[COUNTED]:
            continue
        if change > 0 and play.met[c]:
            play.met[c] = 0
            notes[SATISFIED] -= 1
        play.open[c] += change
        if change < 0 and play.open[c] == 0 and satisfied(structure, play.values, c, play.state.work):
            play.met[c] = 1
            notes[SATISFIED] += 1


@kernel
def back(play, played):
    """To the state after so many moves."""
    notes, state = play.notes, play.state
    if played >= notes[PLAYED]:
        return
    if play.flags[ACCURATE] and play.flags[FAST]:
        undo(state, play.mark[played])
        notes[PLAYED] = played
    elif play.flags[ACCURATE]:
        forget(state)
        state.tally[TRAIL] = 0
        for v in range(len(state.dom)):
            state.dom[v] = play.root[v]
        notes[PLAYED] = 0
        for step in range(played):
            make_move(play, play.moves[step])
    else:
        while notes[PLAYED] > played:
            notes[PLAYED] -= 1
            v = play.moves[notes[PLAYED]] >> 6
            if play.flags[FAST]:
                _count(play, v, 1)
            play.values[v] = -1


@kernel
def value(play):
    """Constraints satisfied, of all (equation 6). Accurate: a play that failed is filled up with what was possible."""
    constraints = play.notes[COUNTED]
    if play.flags[ACCURATE]:
        for v in range(len(play.values)):
            play.values[v] = lowest(play.state.dom[v])
    if constraints == 0:
        return 1.0
    if play.flags[FAST] and not play.flags[ACCURATE]:
        return play.notes[SATISFIED] / constraints
    number = 0
    for c in range(constraints):
        number += satisfied(play.structure, play.values, c, play.state.work)
    return number / constraints


@kernel
def begin(play):
    """Before the first move: count what the givens satisfy already, where counting goes along."""
    if play.flags[ACCURATE]:
        return
    structure = play.structure
    play.notes[SATISFIED] = 0
    for v in range(len(play.values)):
        play.values[v] = lowest(play.root[v]) if single(play.root[v]) else -1
    for c in range(play.notes[COUNTED]):
        play.met[c], play.open[c] = 0, 0
        for i in range(structure.scope_at[c], structure.scope_at[c + 1]):
            play.open[c] += play.values[structure.scope[i]] < 0
        if play.open[c] == 0 and satisfied(structure, play.values, c, play.state.work):
            play.met[c] = 1
            play.notes[SATISFIED] += 1


@kernel
def search_model(play, tree, manner, room, chance, best, rollouts):
    """The tree search over a model, variable by variable."""
    return search(moves, make_move, back, value, play, tree, manner, room, chance, best, rollouts)
