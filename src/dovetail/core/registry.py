"""The one table of what Dovetail knows. A new kind or solver is one file and one line here.

Nothing is imported before it is needed. Third-party packages add to the table through the entry points
``dovetail.kinds`` and ``dovetail.solvers``.
"""

import importlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from .errors import BadUsage, DovetailError, Refused
from .kind import Kind
from .puzzle import Puzzle
from .solver import Fit, Solver

# kind → where its Kind class is
KINDS = {
    # the stricter first: lists of trays look like sudokus, and sudokus like plain piece lists of tiles
    "fifteen": "dovetail.moves.games.fifteen:FifteenKind",
    "sudoku": "dovetail.grids.puzzles.sudoku:SudokuKind",
    "kakuro": "dovetail.grids.puzzles.kakuro:KakuroKind",
    "calcudoku": "dovetail.grids.puzzles.calcudoku:CalcudokuKind",
    "lightup": "dovetail.grids.puzzles.lightup:LightupKind",
    "slitherlink": "dovetail.grids.puzzles.slitherlink:SlitherlinkKind",
    "numberlink": "dovetail.grids.puzzles.numberlink:NumberlinkKind",
    "nonogram": "dovetail.grids.puzzles.nonogram:NonogramKind",
    "samegame": "dovetail.moves.games.samegame:SameGameKind",
    "flood": "dovetail.moves.games.flood:FloodKind",
    "sokoban": "dovetail.moves.games.sokoban:SokobanKind",
    "2048": "dovetail.moves.games.twenty48:Kind2048",
    "tetris": "dovetail.moves.games.tetris:TetrisKind",
    "jigsaw": "dovetail.jigsaw.puzzle:JigsawKind",
    "gapped": "dovetail.jigsaw.gapped:GappedKind",
    "strips": "dovetail.jigsaw.strips.puzzle:StripsKind",
    "terracotta": "dovetail.tiles.terracotta:TerracottaKind",
    "polygons": "dovetail.tiles.polygons:PolygonsKind",
    "boxes": "dovetail.tiles.boxes:BoxesKind",
    "hexagons": "dovetail.tiles.hexagons:HexagonsKind",
    "tiles": "dovetail.tiles.puzzle:TilesKind",
}

# (family, solver) → where its Solver class is
SOLVERS = {
    ("jigsaw", "assembler"): "dovetail.jigsaw.assembler:Assembler",
    ("jigsaw", "genetic"): "dovetail.jigsaw.genetic:Genetic",
    ("jigsaw", "deep"): "dovetail.jigsaw.deep.solver:Deep",
    ("jigsaw", "strips"): "dovetail.jigsaw.strips.solver:StripsSolver",
    ("tiles", "depth-first"): "dovetail.tiles.depth_first:DepthFirst",
    ("tiles", "partial"): "dovetail.tiles.partial:Partial",
    ("tiles", "sat"): "dovetail.tiles.sat:Sat",
    ("tiles", "cp-sat"): "dovetail.tiles.cp_sat:CpSat",
    ("tiles", "linear"): "dovetail.tiles.linear:Linear",
    ("tiles", "linear-guided"): "dovetail.tiles.guided:LinearGuided",
    ("tiles", "semidefinite"): "dovetail.tiles.semidefinite:Semidefinite",
    ("grids", "depth-first"): "dovetail.grids.depth_first:DepthFirst",
    ("grids", "digits"): "dovetail.grids.digits_solver:Digits",
    ("grids", "sat"): "dovetail.grids.sat:Sat",
    ("grids", "cp-sat"): "dovetail.grids.cp_sat:CpSat",
    ("grids", "z3"): "dovetail.grids.z3:Z3",
    ("grids", "mcts-standard"): "dovetail.grids.mcts:MctsStandard",
    ("grids", "mcts-optimized"): "dovetail.grids.mcts:MctsOptimized",
    ("grids", "mcts-reliable"): "dovetail.grids.mcts:MctsReliable",
    ("moves", "flood-search"): "dovetail.moves.flood_search:FloodSolver",
    ("moves", "ida-star"): "dovetail.moves.ida_star:IdaStar",
    ("moves", "slide"): "dovetail.moves.slide:Slide",
    ("moves", "push"): "dovetail.moves.push:Push",
    ("moves", "nested"): "dovetail.moves.nested:Nested",
    ("moves", "mcts-standard"): "dovetail.moves.mcts:MctsStandard",
    ("moves", "mcts-optimized"): "dovetail.moves.mcts:MctsOptimized",
    ("moves", "mcts-reliable"): "dovetail.moves.mcts:MctsReliable",
    ("moves", "mcts-single"): "dovetail.moves.mcts:MctsSingle",
    ("moves", "learnt-expectimax"): "dovetail.moves.learnt:Learnt",
    ("moves", "mcts-chance"): "dovetail.moves.mcts_chance:MctsChance",
}

AUTO = "auto"


def kind_names() -> list[str]:
    """All kinds, built in and plugged in."""
    return [*KINDS, *(entry.name for entry in _plugins("dovetail.kinds") if entry.name not in KINDS)]


@cache
def kind(name: str) -> Kind:
    """The kind of that name."""
    if name in KINDS:
        cls = _load(KINDS[name])
    elif found := [entry for entry in _plugins("dovetail.kinds") if entry.name == name]:
        cls = _load_plugin(found[0])
    else:
        raise BadUsage(f"unknown kind {name!r}; kinds: {', '.join(kind_names())}")
    loaded: Kind = _checked(cls, Kind, name)()
    return loaded


def kinds() -> Iterator[Kind]:
    """Every kind, loaded."""
    return (kind(name) for name in kind_names())


def sample(name: str) -> Puzzle | None:
    """The built-in puzzle of that name."""
    for candidate in kinds():
        if name in (samples := candidate.samples()):
            return samples[name]()
    return None


@cache
def solvers(family: str) -> tuple[Solver, ...]:
    """Every solver a family offers, in the table's order."""
    own: list[Solver] = [
        _checked(_load(where), Solver, name)() for (of, name), where in SOLVERS.items() if of == family
    ]
    for entry in _plugins("dovetail.solvers"):
        cls = _checked(_load_plugin(entry), Solver, entry.name)
        if cls.family == family:
            own.append(cls())
    return tuple(own)


def families() -> list[str]:
    """Every family that has a kind."""
    return list(dict.fromkeys(k.family for k in kinds()))


def solver_names() -> list[str]:
    """Every name ``--solver`` takes."""
    return [AUTO, *dict.fromkeys(s.name for family in families() for s in solvers(family))]


def choose(puzzle: Puzzle, name: str = AUTO) -> tuple[Solver, str]:
    """The solver for this puzzle and why: the one named, or with ``auto`` the one that suits it best."""
    offered = solvers(kind(puzzle.kind).family)
    named = [s for s in offered if name in (AUTO, s.name)]
    if not named:
        if name not in solver_names():
            raise BadUsage(f"unknown solver {name!r}; solvers: {', '.join(solver_names())}")
        own = ", ".join([AUTO, *(s.name for s in offered)])
        raise Refused(f"{name} does not solve {puzzle.kind} puzzles; these do: {own}")
    answers: list[tuple[Solver, Fit]] = [(s, s.accepts(puzzle)) for s in named]
    fits = [(s, fit) for s, fit in answers if fit.accepted]
    if not fits:
        raise Refused("; ".join(f"{s.name} refuses this puzzle: {fit.why}" for s, fit in answers))
    solver, fit = max(fits, key=lambda pair: pair[1].preference)
    return solver, fit.why


def _load(where: str) -> Any:
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)


@cache
def _plugins(group: str) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def _load_plugin(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        raise DovetailError(f"the plug-in {entry.name} ({entry.value}) does not load: {error}") from error


def _checked(cls: Any, base: type[Any], name: str) -> Any:
    """A plug-in that is not what its entry point says is named here, not somewhere deep in a run."""
    if not (isinstance(cls, type) and issubclass(cls, base) and getattr(cls, "name", None) == name):
        raise DovetailError(f"the registry entry {name} is not a {base.__name__} of that name")
    return cls
