"""Slow, obvious twins: planning with P and V in nested objects (Paumard et al. 2020, 3.2), and P and V from tables."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from dovetail.jigsaw.deep.tables import Tables

Path = tuple[int, ...]
Judged = tuple[Sequence[float], float]  # priors for the moves there are, value


@dataclass
class Node:
    path: Path
    prior: float = 1.0
    children: list["Node"] = field(default_factory=list)
    values: list[float] = field(default_factory=list)  # all that were backed up through here
    waiting: int = 0
    done: bool = False  # everything below has been looked at

    def told(self) -> object:
        """All that is known here and below, to be compared."""
        mean = sum(self.values) / len(self.values) if self.values else 0.0
        return [
            list(self.path),
            round(self.prior, 9),
            len(self.values),
            round(mean, 9),
            [c.told() for c in self.children],
        ]


@dataclass
class Twin:
    """One tree. ``moves`` and ``judge`` are functions of the path."""

    moves: Callable[[Path], list[int]]
    judge: Callable[[Path], Judged]
    rule: str = "puct"
    c: float = 1.0
    w: float = 0.0
    top: float = 0.0
    d: float = 0.0
    parent_first: bool = False
    exhaust: bool = False
    root: Node = field(default_factory=lambda: Node(()))

    def worth(self, parent: Node, child: Node) -> float:
        values = child.values + [0.0] * child.waiting  # virtual loss
        total, visits = len(parent.values) + parent.waiting, len(values)
        mean = sum(values) / visits if visits else 0.0
        highest = max(child.values, default=0.0)
        if self.rule == "puct":
            if not visits and self.parent_first:
                mean = sum(parent.values) / len(parent.values)
            used = (1 - self.top) * mean + self.top * highest if child.values else mean
            return used + self.c * child.prior * math.sqrt(total) / (1 + visits)
        if not visits:
            return math.inf
        exploring = self.c * math.sqrt(math.log(total) / visits)
        if not child.values:
            return mean + exploring
        if self.rule == "uct":
            return mean + exploring
        if self.rule == "mixed":
            return (1 - self.top) * mean + self.top * highest + exploring
        scatter = sum(value**2 for value in values) - visits * mean**2 + self.d
        return mean + exploring + self.w * highest + math.sqrt(max(0.0, scatter) / visits)

    def leaf(self) -> list[Node]:
        """The way to a leaf."""
        way = [self.root]
        while way[-1].children:
            open_ones = [child for child in way[-1].children if not child.done]
            way.append(max(open_ones, key=lambda child: (round(self.worth(way[-1], child), 12), child.prior)))
        return way

    def back_up(self, way: list[Node], value: float) -> None:
        for node in way:
            node.values.append(value)

    def grow(self, way: list[Node]) -> None:
        leaf = way[-1]
        moves, (priors, value) = self.moves(leaf.path), self.judge(leaf.path)
        for move, prior in zip(moves, priors, strict=True):
            leaf.children.append(Node((*leaf.path, move), prior / sum(priors)))
        self.back_up(way, value)
        if self.exhaust and not moves:
            leaf.done = True
            for node in reversed(way[:-1]):
                node.done = all(child.done for child in node.children)

    def visit(self, visits: int) -> None:
        for _ in range(visits):
            if self.root.done:
                return
            way = self.leaf()
            if way[-1].values:  # over: it is worth what it was
                self.back_up(way, way[-1].values[0])
            else:
                self.grow(way)

    def visit_with(self, visits: int, each: int) -> None:
        """In rounds of up to ``each`` leaves that wait for each other."""
        while visits:
            ways: list[list[Node]] = []
            while visits and len(ways) < each and not self.root.done:
                way = self.leaf()
                if way[-1].values:
                    self.back_up(way, way[-1].values[0])
                elif way[-1].waiting:
                    break
                else:
                    for node in way:
                        node.waiting += 1
                    ways.append(way)
                visits -= 1
            for way in ways:
                for node in way:
                    node.waiting -= 1
                self.grow(way)
            if self.root.done:
                return

    def move(self, by: str, keep: bool) -> None:
        if not self.root.children:
            return

        def known(child: Node) -> float:
            if by == "best":
                return max(child.values)
            return sum(child.values) / len(child.values) if by == "value" else len(child.values)

        visited = [child for child in self.root.children if child.values]
        if visited:
            chosen = max(visited, key=lambda child: (round(known(child), 12), child.prior))
        else:
            chosen = max(self.root.children, key=lambda child: child.prior)
        self.root = chosen if keep else Node(chosen.path, chosen.prior)


def board_score(tables: Tables, board: Sequence[int], cols: int) -> float:
    total = 0.0
    for cell, patch in enumerate(board):
        if patch < 0:
            continue
        total += float(tables.place[patch, cell])
        if (cell + 1) % cols and board[cell + 1] >= 0:
            total += float(tables.right[patch, board[cell + 1]])
        if cell + cols < len(board) and board[cell + cols] >= 0:
            total += float(tables.down[patch, board[cell + cols]])
    return total


def odds(table: Sequence[Sequence[float]]) -> list[list[float]]:
    """Each pair against the mean likelihood of its patches' other pairs, seen from both."""
    numbers = range(len(table))

    def mean(scores: list[float]) -> float:
        return math.log(sum(map(math.exp, scores)) / len(scores))

    ahead = [mean([table[i][k] for k in numbers if k != i]) for i in numbers]
    back = [mean([table[k][j] for k in numbers if k != j]) for j in numbers]
    return [[table[i][j] - (ahead[i] + back[j]) / 2 if i != j else 0.0 for j in numbers] for i in numbers]


def support(tables: Tables, board: Sequence[int], cols: int, patch: int, cell: int) -> float:
    """What speaks for a patch in a cell: the score of the board with it less that without it, by odds."""
    right, down = (np.array(odds(table.tolist()), np.float32) for table in tables[:2])
    by_odds = Tables(right, down, tables.place)
    with_it = [patch if at == cell else other for at, other in enumerate(board)]
    return board_score(by_odds, with_it, cols) - board_score(by_odds, board, cols)


def policy(tables: Tables, board: Sequence[int], cols: int, patch: int, temperature: float) -> list[float]:
    """For the empty cells in order."""
    weights = [
        math.exp(support(tables, board, cols, patch, cell) / temperature)
        for cell, other in enumerate(board)
        if other < 0
    ]
    return [weight / sum(weights) for weight in weights]


def filled(tables: Tables, board: Sequence[int], cols: int, patches: Sequence[int], polish: int) -> list[int]:
    """All further patches laid, then swaps of what lies in cells that were empty."""
    laid, free = [*board], [cell for cell, patch in enumerate(board) if patch < 0]
    for patch in patches:
        empty = [cell for cell in free if laid[cell] < 0]
        best = max(empty, key=lambda cell: round(support(tables, laid, cols, patch, cell), 6))
        laid[best] = patch
    return polished(tables, laid, cols, free, polish)


def polished(tables: Tables, board: Sequence[int], cols: int, free: Sequence[int], polish: int) -> list[int]:
    """With swaps of what lies in these cells, while they are for the better."""
    laid = [*board]
    for _ in range(polish):
        before = [*laid]
        for i in range(1, len(free)):
            for j in range(i):
                swapped = [*laid]
                swapped[free[i]], swapped[free[j]] = laid[free[j]], laid[free[i]]
                if board_score(tables, swapped, cols) > board_score(tables, laid, cols) + 1e-5:
                    laid = swapped
        if laid == before:
            break
    return laid
