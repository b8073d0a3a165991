"""Puzzles as answer set programs, the usual encodings, for clingo."""

import importlib
from typing import Any

from compare_tools_shapes import Answer, Json, around, edges, givens, options, placement, seams, units

SUDOKU = """
1 { x(C,V) : V = 1..n } 1 :- cell(C).
:- unit(U), V = 1..n, not 1 { x(C,V) : in(U,C) } 1.
:- given(C,V), not x(C,V).
#show x/2.
"""
NONOGRAM = """
1 { start(L,I,P) : P = 0..S-N } 1 :- run(L,I,N), size(L,S).
:- start(L,I,P), start(L,I+1,Q), run(L,I,N), Q <= P+N.
on(L,P..P+N-1) :- start(L,I,P), run(L,I,N).
:- on(row(R),C), not on(col(C),R).
:- on(col(C),R), not on(row(R),C).
x(R,C) :- on(row(R),C).
#show x/2.
"""
SLITHERLINK = """
{ x(E) } :- edge(E,P,Q).
at(P,E) :- edge(E,P,Q).
at(Q,E) :- edge(E,P,Q).
:- clue(C,N), not N { x(E) : around(C,E) } N.
:- at(P,_), N = (1;3;4), N = #count { E : at(P,E), x(E) }.
1 { first(E) : edge(E,_,_) } 1.
:- first(E), not x(E).
:- first(E), x(F), F < E.
reached(E) :- first(E).
reached(F) :- reached(E), at(P,E), at(P,F), x(F).
:- x(E), not reached(E).
#show x/1.
"""
NUMBERLINK = """
{ x(E) } :- edge(E,P,Q).
at(P,E) :- edge(E,P,Q).
at(Q,E) :- edge(E,P,Q).
:- label(P,_), not 1 { x(E) : at(P,E) } 1.
:- at(P,_), not label(P,_), N = (1;3;4), N = #count { E : at(P,E), x(E) }.
of(P,L) :- first(P,L).
of(Q,L) :- of(P,L), at(P,E), x(E), at(Q,E).
:- of(P,L), of(P,M), L < M.
:- label(P,L), not of(P,L).
:- x(E), at(P,E), not of(P,_).
#show x/1.
"""
TILES = """
1 { x(O) : option(O,C,_) } 1 :- cell(C).
1 { x(O) : option(O,_,T) } 1 :- tile(T).
shows(C,S,K) :- x(O), option(O,C,_), side(O,S,K).
:- seam(A,B,S,R), shows(A,S,K), not shows(B,R,K).
#show x/1.
"""


def _first(program: str, facts: list[str]) -> list[tuple[int, ...]] | None:
    """The numbers of the shown atoms of the first answer set."""
    control: Any = importlib.import_module("clingo").Control(["--warn=none"])
    control.add("base", [], program + " ".join(facts))
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        for model in handle:
            return [tuple(argument.number for argument in atom.arguments) for atom in model.symbols(shown=True)]
    return None


def sudoku(puzzle: Json) -> Answer:
    """A number for every cell."""
    facts = [f"cell(0..{puzzle['n'] ** 2 - 1}). #const n={puzzle['n']}."]
    for number, unit in enumerate(units(puzzle)):
        facts += [f"unit({number}).", *(f"in({number},{cell})." for cell in unit)]
    facts += [f"given({cell},{value})." for cell, value in enumerate(givens(puzzle)) if value]
    found = _first(SUDOKU, facts)
    return None if found is None else {"values": [value for _, value in sorted(found)]}


def nonogram(puzzle: Json) -> Answer:
    """A start for every run."""
    high, wide = len(puzzle["rows"]), len(puzzle["cols"])
    facts = []
    for name, lines, size in (("row", puzzle["rows"], wide), ("col", puzzle["cols"], high)):
        for number, runs in enumerate(lines):
            facts.append(f"size({name}({number}),{size}).")
            facts += [f"run({name}({number}),{i},{length})." for i, length in enumerate(runs)]
    found = _first(NONOGRAM, facts)
    black = set(found or ())
    return None if found is None else {"values": [int(divmod(i, wide) in black) for i in range(high * wide)]}


def slitherlink(puzzle: Json) -> Answer:
    """Lines that hang together, two or none at every point."""
    clues = puzzle["clues"]
    rows, cols = len(clues), len(clues[0])
    lines = edges(rows + 1, cols + 1)
    facts = [f"edge({number},{p},{q})." for number, (p, q) in enumerate(lines)]
    for row in range(rows):
        for col in range(cols):
            if clues[row][col] is not None:
                facts.append(f"clue({row * cols + col},{clues[row][col]}).")
                facts += [f"around({row * cols + col},{edge})." for edge in around(rows, cols, row, col)]
    return _lines(_first(SLITHERLINK, facts), len(lines))


def numberlink(puzzle: Json) -> Answer:
    """Lines that lead from number to number."""
    labels = puzzle["labels"]
    rows, cols = len(labels), len(labels[0])
    lines = edges(rows, cols)
    facts = [f"edge({number},{p},{q})." for number, (p, q) in enumerate(lines)]
    seen = set()
    for point in range(rows * cols):
        if label := labels[point // cols][point % cols]:
            facts.append(f"label({point},{label}).")
            facts += [] if label in seen else [f"first({point},{label})."]
            seen.add(label)
    return _lines(_first(NUMBERLINK, facts), len(lines))


def _lines(found: list[tuple[int, ...]] | None, count: int) -> Answer:
    drawn = {edge for (edge,) in found or ()}
    return None if found is None else {"values": [int(edge in drawn) for edge in range(count)]}


def tiles(puzzle: Json) -> Answer:
    """A tile for every cell, a cell for every tile."""
    every = options(puzzle)
    facts = [f"cell(0..{puzzle['rows'] * puzzle['cols'] - 1}). tile(0..{len(puzzle['tiles']) - 1})."]
    for number, option in enumerate(every):
        facts.append(f"option({number},{option.cell},{option.tile}).")
        facts += [f"side({number},{side},{colour})." for side, colour in enumerate(option.sides)]
    facts += [f"seam({a},{b},{side},{other})." for a, b, side, other in seams(puzzle)]
    found = _first(TILES, facts)
    return None if found is None else placement(puzzle, [every[number] for (number,) in found])
