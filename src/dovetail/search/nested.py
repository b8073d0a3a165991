"""Nested rollout policy adaptation (Rosin 2011) over rules, for plays with many points.

A play is drawn move by move with the weights of a policy. A level makes so many runs of the level below with its own
policy, keeps the best play it saw, and after each of them makes the moves of that play likelier. Level 0 is a play.

Rules are those of ``mcts`` (moves, play, back, value) and three kernels more:

    score(state) → what is to become as large as possible, of a play that is over
    code(state, move) → which weight of the policy the move has, of a move that ``moves`` has just listed
    weigh(state, move) → how likely the move is before anything is learnt, more than 0 (Cazenave 2020: exp of a bias)

A kernel of the caller's own calls ``search`` with its rules, so that numba compiles one for the other.
"""

from collections import namedtuple

import numpy as np

from ..kernel import generic, kernel, overwrite
from .chance import draw

SPENT, SOLVED = 0, 1  # why a search paused
SMALL, LARGE = 1e-150, 1e150  # of a weight
SPAN = 1 << 53

# runs: of the level below, in one run of a level. alpha: how much likelier a move becomes. plays: drawn with one policy
# before it changes (stabilised). repeats: a level ends when its best play came again so often; 0: never.
Manner = namedtuple("Manner", ["runs", "alpha", "plays", "repeats"])

# Slots are the play at hand, the best of each level from 1, and the best of all. weights [levels, codes]: exp of each
# level's policy. best, length [slots]: points and moves of a play; path, pick [slots, steps]: its moves, and which of
# those there were each is; begin [slots, steps + 1]: where those lie in codes, odds [slots, moves of a whole play]:
# their weights' numbers, and what ``weigh`` said. sums [moves of a whole play]; out: moves of a step.
# counts [slots, 2]: runs a level has made, and how often its best score came again; of the last slot, how often all
# began anew.
Nest = namedtuple(
    "Nest", ["weights", "best", "length", "path", "pick", "begin", "codes", "odds", "sums", "out", "counts"]
)


def nest(levels: int, codes: int, steps: int, widest: int) -> Nest:
    """Room for so many levels over a game with these limits; nothing is learnt yet."""
    slots, whole = levels + 2, steps * widest
    return Nest(
        np.ones((levels, codes)),
        np.full(slots, -np.inf),
        np.zeros(slots, np.int64),
        np.zeros((slots, steps), np.int64),
        np.zeros((slots, steps), np.int64),
        np.zeros((slots, steps + 1), np.int64),
        np.zeros((slots, whole), np.int32),
        np.zeros((slots, whole)),
        np.zeros(whole),
        np.zeros(widest, np.int64),
        np.zeros((slots, 2), np.int64),
    )


@kernel
def even(state, move):
    """``weigh`` of a game that knows nothing of its moves."""
    return 1.0


@generic
def search(moves, play, back, value, score, code, weigh, state, nest, manner, chance, playouts):
    """So many plays; resumable. Returns (why it ended, plays made). The best of all is in the last slot."""
    made = 0
    while made < playouts:
        _roll_out(moves, play, back, code, weigh, state, nest, chance)
        nest.best[0] = score(state)
        made += 1
        champion = len(nest.best) - 1
        if nest.best[0] > nest.best[champion]:
            copy_play(nest, 0, champion)
        if value(state) >= 1.0:
            return SOLVED, made
        learn(nest, manner)
    return SPENT, made


@generic
def _roll_out(moves, play, back, code, weigh, state, nest, chance):
    """A play by the policy of level 1, into slot 0; it ends where the goal is out of reach."""
    weights, codes, odds, out, sums = nest.weights[0], nest.codes[0], nest.odds[0], nest.out, nest.sums
    back(state, 0)
    step, at = 0, 0
    while True:
        number = moves(state, out)
        if number == 0:
            break
        total = 0.0
        for i in range(number):
            codes[at + i] = code(state, out[i])
            odds[at + i] = weigh(state, out[i])
            total += weights[codes[at + i]] * odds[at + i]
            sums[i] = total
        aim = draw(chance, SPAN) / SPAN * total
        pick = 0
        while pick < number - 1 and sums[pick] <= aim:
            pick += 1
        nest.begin[0, step] = at
        nest.pick[0, step] = pick
        nest.path[0, step] = out[pick]
        at += number
        step += 1
        if not play(state, out[pick]):
            break
    nest.begin[0, step] = at
    nest.length[0] = step


@kernel
def learn(nest, manner):
    """A play is over: the levels adapt, those that are done hand their best play up, and begin anew below."""
    levels = len(nest.weights)
    level = 1
    while True:
        nest.counts[level, 0] += 1
        _take(nest, level - 1, level)
        if level > 1 or nest.counts[level, 0] % manner.plays == 0:
            _adapt(nest, level, manner.alpha)
        full = nest.counts[level, 0] >= manner.runs * (manner.plays if level == 1 else 1)
        if not full and (manner.repeats == 0 or nest.counts[level, 1] < manner.repeats):
            break
        if level == levels:
            nest.weights[levels - 1, :] = 1.0
            _forget(nest, level)
            nest.counts[levels + 1, 0] += 1
            break
        level += 1
    for below in range(level - 1, 0, -1):
        overwrite(nest.weights[below - 1], nest.weights[below])
        _forget(nest, below)


@kernel
def _forget(nest, level):
    nest.best[level] = -np.inf
    nest.counts[level, :] = 0


@kernel
def _take(nest, slot, level):
    """The level's best play, if it is no worse; of equals the last."""
    if nest.best[slot] < nest.best[level]:
        return
    nest.counts[level, 1] = nest.counts[level, 1] + 1 if nest.best[slot] == nest.best[level] else 0
    copy_play(nest, slot, level)


@kernel
def copy_play(nest, slot, to):
    """From one slot to another."""
    steps = nest.length[slot]
    nest.best[to] = nest.best[slot]
    nest.length[to] = steps
    overwrite(nest.begin[to, : steps + 1], nest.begin[slot, : steps + 1])
    overwrite(nest.pick[to, :steps], nest.pick[slot, :steps])
    overwrite(nest.path[to, :steps], nest.path[slot, :steps])
    end = nest.begin[slot, steps]
    overwrite(nest.codes[to, :end], nest.codes[slot, :end])
    overwrite(nest.odds[to, :end], nest.odds[slot, :end])


@kernel
def _adapt(nest, level, alpha):
    """Make the moves of the level's best play likelier, and those beside them less so, by how likely they were."""
    weights, codes, odds, sums = nest.weights[level - 1], nest.codes[level], nest.odds[level], nest.sums
    steps = nest.length[level]
    for step in range(steps):
        begin, end = nest.begin[level, step], nest.begin[level, step + 1]
        total = 0.0
        for i in range(begin, end):
            sums[i] = weights[codes[i]] * odds[i]
            total += sums[i]
        for i in range(begin, end):
            sums[i] *= -alpha / total
        sums[begin + nest.pick[level, step]] += alpha
    for i in range(nest.begin[level, steps]):
        x = sums[i]
        # most moves were unlikely, and change little: there a series is as good, and far quicker
        factor = 1 + x * (1 + x * (1 / 2 + x * (1 / 6 + x / 24))) if abs(x) < 0.05 else np.exp(x)
        # there is room left at both ends for the odds
        weights[codes[i]] = min(max(weights[codes[i]] * factor, SMALL), LARGE)
