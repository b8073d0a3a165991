"""Monte-Carlo tree search over rules (Kiarostami et al. 2021, 3.2 and 3.3): standard, optimized or reliable by flags.

Rules are four kernels on a state that only they understand:

    moves(state, out) → how many moves there are, written to ``out``; 0 when the play is over
    play(state, move) → whether the move can still lead to a solution (True where the rules do not look so far)
    back(state, played) → the state after the first ``played`` moves of this play
    value(state) → how much of the goal is reached when the play is over, 1.0 for a solution (equation 6)

A kernel of the caller's own calls ``search`` with its rules, so that numba compiles one for the other.
"""

from collections import namedtuple

import numpy as np

from ..kernel import generic
from .chance import draw
from .tree import NONE, back_up, expand, kill, uct

SPENT, SOLVED, EXHAUSTED, FULL = 0, 1, 2, 3  # why a search paused

# exploration: the constant of UCT. reliable: dead ends are pruned, plays go back at them. backtracks: how often a play
# may go back, times the visits of the node it began at.
Manner = namedtuple("Manner", ["exploration", "reliable", "backtracks"])


@generic
def search(moves, play, back, value, state, tree, manner, room, chance, best, rollouts):
    """So many rollouts; resumable. Returns (why it ended, rollouts made). The state holds the play it ended with.

    ``room`` [steps, moves]: moves still to try at each step of a play. ``best`` [1]: the highest value so far. A
    rollout that improves it ends the call, so that the caller can take the play from the state.
    """
    made = 0
    while made < rollouts:
        if tree.dead[0]:
            return EXHAUSTED, made
        back(state, 0)
        node, depth = np.int64(0), 0
        while tree.first[node] != NONE:  # selection
            child = uct(tree, node, manner.exploration)
            if child == NONE:
                break
            if not play(state, tree.move[child]) and manner.reliable:
                kill(tree, child)
                child = NONE
                break
            node = child
            depth += 1
        if tree.first[node] != NONE:  # it ran into a dead child: begin again from the root
            if tree.count[node] and uct(tree, node, manner.exploration) == NONE:
                kill(tree, node)
            continue
        number = moves(state, room[depth])  # expansion
        if number and not expand(tree, node, room[depth], number):
            return FULL, made
        over = np.int64(0)
        if number:
            over = _roll_out(moves, play, back, state, manner, room, chance, depth, tree.visits[node] + 1)
        if over < 0:  # everything below was tried
            kill(tree, node)
            made += 1
            continue
        worth = value(state)  # simulation, eq. 6
        made += 1
        back_up(tree, node, worth)
        if number == 0 and worth < 1.0:
            kill(tree, node)
        if worth > best[0]:
            best[0] = worth
            return SOLVED if worth >= 1.0 else SPENT, made
    return SPENT, made


@generic
def _roll_out(moves, play, back, state, manner, room, chance, floor, patience):
    """Random moves until the play is over. Returns -1 if there is provably no way on from ``floor``, else 0.

    Reliable: a move that fails is taken back and another one tried, up to ``patience`` × backtracks times.
    """
    depth = floor
    patience *= manner.backtracks
    left = room[:, room.shape[1] - 1]  # how many moves are still to try at a step
    left[depth] = moves(state, room[depth])
    while True:
        if left[depth] == 0:
            if depth == floor:
                return -1
            depth -= 1
            back(state, depth)
            continue
        number = left[depth]
        pick = draw(chance, number)
        move = room[depth, pick]
        room[depth, pick] = room[depth, number - 1]
        left[depth] = number - 1
        if not play(state, move):
            if not manner.reliable:
                return 0
            patience -= 1
            if patience < 0:
                return 0
            back(state, depth)
            continue
        depth += 1
        number = moves(state, room[depth])
        left[depth] = number
        if number == 0:
            return 0
