"""Puzzles of class AB played step by step: other moves, the same state (Kiarostami et al. 2021, 3.1.2 and 3.1.3).

X^t are the variables, an event E^t is the one a move sets, the transitions T^t are what propagation makes of it, V^t
the constraints it is validated by, and the goal G that all hold. What makes it a play is which moves there are: a line
is drawn on from its end, a path from its number, a row is filled along. In every state some move is right, if any is.
"""

import numpy as np

from ...kernel import kernel
from ...search.mcts import search
from .bits import ONE, lowest, single
from .graphs import EITHER, ON
from .plays import back, make_move, value
from .propagate import LOOP, PATHS, RUNS


@kernel
def _of_kind(structure, kind):
    """The constraint of that kind."""
    for c in range(len(structure.kind)):
        if structure.kind[c] == kind:
            return np.int64(c)
    return np.int64(-1)


@kernel
def _draw_on(play, out, c, terminals):
    """The open edges at the end of a line, at the end that has fewest; all open edges if there is no line yet.

    ``terminals``: where the labels of terminals begin in the data, or -1; a terminal without an edge is an end too.
    """
    structure, dom = play.structure, play.state.dom
    begin, at, data = structure.scope_at[c], structure.data_at[c], structure.data
    edges, vertices = data[at], data[at + 1]
    first, lists = at + 2 + 2 * edges, at + 2 + 2 * edges + vertices + 1
    chosen, fewest = np.int64(-1), np.int64(1) << np.int64(40)
    for v in range(vertices):
        on, open_ = 0, 0
        for k in range(data[first + v], data[first + v + 1]):
            domain = dom[structure.scope[begin + data[lists + k]]]
            on += domain == ON
            open_ += domain == EITHER
        terminal = terminals >= 0 and data[terminals + v] > 0
        if open_ and open_ < fewest and (on == 1 or (terminal and on == 0)):
            chosen, fewest = np.int64(v), np.int64(open_)
    number = 0
    if chosen >= 0:
        for k in range(data[first + chosen], data[first + chosen + 1]):
            variable = structure.scope[begin + data[lists + k]]
            if dom[variable] == EITHER:
                out[number] = np.int64(variable) * 64 + 1
                number += 1
        return number
    for e in range(edges):
        variable = structure.scope[begin + e]
        if dom[variable] == EITHER:
            out[number] = np.int64(variable) * 64 + 1
            number += 1
    return number


@kernel
def loop_moves(play, out):
    """Slitherlink: draw the line on."""
    return _draw_on(play, out, _of_kind(play.structure, LOOP), np.int64(-1))


@kernel
def path_moves(play, out):
    """Numberlink: draw a path on."""
    structure = play.structure
    c = _of_kind(structure, PATHS)
    at = structure.data_at[c]
    edges, vertices = structure.data[at], structure.data[at + 1]
    return _draw_on(play, out, c, at + 2 + 4 * edges + vertices + 1)


@kernel
def line_moves(play, out):
    """Nonogram: fill the next cell of the line that has fewest open ones."""
    structure, dom = play.structure, play.state.dom
    chosen, fewest = np.int64(-1), np.int64(1) << np.int64(40)
    for c in range(len(structure.kind)):
        if structure.kind[c] != RUNS:
            continue
        open_, first = np.int64(0), np.int64(-1)
        for i in range(structure.scope_at[c], structure.scope_at[c + 1]):
            variable = structure.scope[i]
            if not single(dom[variable]):
                open_ += 1
                first = np.int64(variable) if first < 0 else first
        if open_ and open_ < fewest:
            chosen, fewest = first, open_
    number = 0
    if chosen >= 0:
        domain = dom[chosen]
        while domain:
            out[number] = chosen * 64 + lowest(domain)
            domain &= domain - ONE
            number += 1
    return number


@kernel
def search_loop(play, tree, manner, room, chance, best, rollouts):
    """The tree search over the drawing of a loop."""
    return search(loop_moves, make_move, back, value, play, tree, manner, room, chance, best, rollouts)


@kernel
def search_paths(play, tree, manner, room, chance, best, rollouts):
    """The tree search over the drawing of paths."""
    return search(path_moves, make_move, back, value, play, tree, manner, room, chance, best, rollouts)


@kernel
def search_lines(play, tree, manner, room, chance, best, rollouts):
    """The tree search over the filling of lines."""
    return search(line_moves, make_move, back, value, play, tree, manner, room, chance, best, rollouts)
