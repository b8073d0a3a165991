"""Monte-Carlo tree search over rules (Kiarostami et al. 2021, 3.2 and 3.3): standard, optimized or reliable by flags.

Rules are kernels on a state that only they understand:

    moves(state, out) → how many moves there are, written to ``out``; 0 when the play is over
    play(state, move) → whether the move can still lead to a solution (True where the rules do not look so far)
    back(state, played) → the state after the first ``played`` moves of this play
    value(state) → how much of the goal is reached when the play is over, 1.0 for a solution (equation 6)

and for games, besides:

    score(state) → what a game for points counts when the play is over
    key(state) → 64 bits for the position, the same for two states only if the same can still be reached from them
        (where the moves are limited, they are part of it)
    welcome(state, move) → how welcome a move is in a random play, from 0 (only if nothing else is left) to 1

A kernel of the caller's own calls ``search`` or ``search_game`` with its rules: numba compiles one for the other.
"""

from collections import namedtuple

import numpy as np

from ..kernel import generic, kernel
from .chance import draw
from .tree import NONE, back_up, buried, bury, expand, gone, kill, passed, select, stands_for

SPENT, SOLVED, EXHAUSTED, FULL = 0, 1, 2, 3  # why a search paused
UNKNOWN = -1  # how many moves are left to try, before they are listed
CHOICES = 8  # random moves drawn until one is welcome
FINE = 1024  # steps of a weight

# exploration, deviation, top: see ``select``. reliable: dead ends are pruned, plays go back at them. backtracks: how
# often a play may go back, times the visits of the node it began at. fast: the state is taken back, not built anew at
# every step. accurate: random moves are weighed, and validated: none is played that cannot lead to a solution while
# there is another. ordered: children are tried in order of weight. shared: positions met again share what is known.
# points: it is the score that counts. onward: a play goes on to its end where no solution can be reached any more.
# late: visits of a node before it is expanded.
Manner = namedtuple(
    "Manner",
    [
        "exploration", "reliable", "backtracks", "fast", "accurate", "ordered", "shared", "points", "onward", "late",
        "deviation", "top",
    ],
    defaults=(True, False, False, False, False, False, 0, -1.0, 0.0),
)  # fmt: skip


@kernel
def even(state, move):
    """The weight of a move in games that prefer none."""
    return 1.0


@kernel
def _no_key(state):
    return np.uint64(0)


@kernel
def _no_score(state):
    return 0.0


@generic
def search(moves, play, back, value, state, tree, manner, room, chance, best, rollouts):
    """So many rollouts; see ``search_game``. For rules that neither weigh moves nor recognise positions."""
    return search_game(
        moves, play, back, value, _no_score, _no_key, even, state, tree, manner, room, chance, best, rollouts
    )


@generic
def search_game(moves, play, back, value, score, key, welcome, state, tree, manner, room, chance, best, rollouts):
    """So many rollouts; resumable. Returns (why it ended, rollouts made). The state holds the play it ended with.

    ``room`` [steps, moves + 2]: moves still to try at each step of a play; its last columns say how many they are, and
    which one was played (only used if not fast). ``best`` [1]: the highest value so far. A rollout that improves it
    ends the call, so that the caller can take the play from the state.
    """
    made = 0
    while made < rollouts:
        node, depth = np.int64(tree.root[0]), tree.root[1]
        if tree.dead[node]:
            return EXHAUSTED, made
        back(state, depth)
        lost = False
        while tree.first[node] != NONE:  # selection
            child = select(tree, node, manner.exploration, manner.deviation, manner.top)
            if child == NONE:
                kill(tree, node)
                lost = True
                break
            possible = play(state, tree.move[child]) or not manner.reliable
            if possible and manner.shared:
                if tree.twin[child] == child and tree.visits[child] == 0:
                    position = key(state)
                    tree.twin[child] = stands_for(tree, child, position)
                    possible = not (manner.reliable and buried(tree, position))
                # a position that this walk has passed leads nowhere new
                possible = possible and not gone(tree, child) and not passed(tree, node, tree.twin[child])
            if not possible:
                tree.parent[child] = node
                kill(tree, child)
                lost = True
                break
            if not manner.fast:
                room[depth, room.shape[1] - 2] = tree.move[child]
            child = np.int64(tree.twin[child])
            tree.parent[child] = node  # back_up and kill go the way that this walk came
            node = child
            depth += 1
        if lost:  # it ran into a dead end: begin again from the root
            continue
        number = moves(state, room[depth])
        if number and tree.visits[node] >= manner.late:  # expansion
            if manner.ordered:
                _sort(welcome, state, room[depth], number)
            if not expand(tree, node, room[depth], number):
                return FULL, made
        made += 1
        if number and not _roll_out(
            moves, play, back, value, key, welcome, state, tree, manner, room, chance, depth, number, tree.visits[node]
        ):
            kill(tree, node)  # everything below was tried
            continue
        reached = value(state)  # simulation, eq. 6
        worth = score(state) if manner.points else reached
        back_up(tree, node, worth)
        if number == 0 and reached < 1.0:
            kill(tree, node)
        if worth > best[0]:
            best[0] = worth
            return SOLVED if reached >= 1.0 else SPENT, made
    return SPENT, made


@generic
def _roll_out(moves, play, back, value, key, welcome, state, tree, manner, room, chance, floor, number, visits):
    """Random moves until the play is over. False if there is provably no way on from step ``floor``.

    Accurate: a move that fails is taken back and another one tried. Reliable: if there is no other, the move before it
    is taken back too, and so on, up to (``visits`` + 1) × backtracks times (not accurate: so many moves may fail).
    """
    depth = floor
    patience = (visits + 1) * manner.backtracks
    careful = manner.reliable or (manner.accurate and not manner.points)
    left = room[:, room.shape[1] - 1]  # how many moves are still to try at a step
    left[depth] = number
    while True:
        if left[depth] == UNKNOWN:
            left[depth] = moves(state, room[depth])
            if left[depth] == 0:  # the play is over
                if not (careful and manner.reliable and manner.accurate) or value(state) >= 1.0:
                    return True
                if manner.shared:
                    bury(tree, key(state))
                patience -= 1
                if patience < 0:
                    return True
                depth -= 1
                back(state, depth)
        number = left[depth]
        if number == 0:  # whatever is played here fails
            if manner.reliable and manner.shared:
                bury(tree, key(state))
            if manner.reliable and depth == floor:
                return False
            patience -= manner.accurate
            if manner.reliable and patience >= 0:
                depth -= 1
                back(state, depth)
            else:
                careful = False
                left[depth] = UNKNOWN
            continue
        pick = _pick(welcome, state, room[depth], number, chance) if manner.accurate else draw(chance, number)
        move = room[depth, pick]
        room[depth, pick] = room[depth, number - 1]
        left[depth] = number - 1
        possible = _play(play, back, state, manner, room, depth, move)
        if possible and careful and manner.reliable and manner.shared:
            possible = not buried(tree, key(state))
        if possible or (manner.onward and not careful):
            depth += 1
            left[depth] = UNKNOWN
            continue
        if not careful:
            return True
        if manner.reliable and not manner.accurate:
            patience -= 1
            if patience < 0 and not manner.onward:
                return True
            careful = patience >= 0
        back(state, depth)
        if not careful:
            left[depth] = UNKNOWN


@generic
def _play(play, back, state, manner, room, depth, move):
    """A move. The plain search builds the state before it anew, from the beginning (3.3.3)."""
    begin = depth
    if not manner.fast:
        back(state, 0)
        begin = 0
    possible = True
    for step in range(begin, depth + 1):
        possible = play(state, move if step == depth else room[step, room.shape[1] - 2])
    if not manner.fast:
        room[depth, room.shape[1] - 2] = move
    return possible


@generic
def _pick(welcome, state, moves, number, chance):
    """The place of a random move among those left, more likely a welcome one."""
    pick = draw(chance, number)
    for _ in range(CHOICES):
        weight = welcome(state, moves[pick])
        if weight >= 1.0 or draw(chance, FINE) < weight * FINE:
            break
        pick = draw(chance, number)
    return pick


@generic
def _sort(welcome, state, moves, number):
    """The most welcome moves first, else as they come."""
    for i in range(1, number):
        move, weight = moves[i], welcome(state, moves[i])
        j = i
        while j > 0 and welcome(state, moves[j - 1]) < weight:
            moves[j] = moves[j - 1]
            j -= 1
        moves[j] = move
