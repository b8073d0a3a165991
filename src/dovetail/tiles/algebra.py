"""The algebraic representation of edge-matching puzzles (Kovalsky, Glasner, Basri, sections 3, 4 and 6), exactly.

A piece is a set of edge elements (offset, colour, direction); the frame is piece 0, which does not move. For a family
of functions f, the signed sums of (4.6) over all elements of one type, at ``location + offset``, are 0 wherever the
puzzle is solved; with the functions of proposition 4.2, nowhere else. Everything here is whole numbers and fractions.

Vectors are lattice points in any dimension, in half cells as in ``representing``: the edge elements of unit boxes and,
in axial coordinates, of hexagons lie one direction from the centre of their piece.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from .representing import ANY, Preset

Vector: TypeAlias = tuple[int, ...]
Function: TypeAlias = Callable[[Vector], Fraction]
Matrix: TypeAlias = tuple[Vector, ...]

PRIMES = (2, 3, 5)
QUARTER: Matrix = ((0, -1), (1, 0))  # (row, col) → (−col, row): a quarter turn counter-clockwise
SIXTH: Matrix = ((0, -1), (1, 1))  # the same for a sixth, in axial coordinates


@dataclass(frozen=True)
class Element:
    """An edge: its centre relative to the piece's, its colour, and where it faces."""

    offset: Vector
    colour: int
    direction: Vector


Piece: TypeAlias = tuple[Element, ...]


@dataclass(frozen=True, order=True)
class Type:
    """(c, θ mod π): a colour and a line; ``direction`` is the one whose first coordinate that is not 0 is positive."""

    colour: int
    direction: Vector


@dataclass(frozen=True)
class Representation:
    """The frame, the pieces, and where pieces may lie.

    Pieces are moved, not turned. Of a puzzle that is ``augmented`` every piece has ``order`` copies that move as one:
    copy ρ is turned by ρ, and lies at R^ρ t where the piece is moved to t.
    """

    frame: Piece
    pieces: tuple[Piece, ...]
    locations: tuple[Vector, ...]
    rotation: Matrix = ()
    order: int = 1

    def laid(self, piece: Piece, location: Vector) -> Iterator[Element]:
        """The elements of a piece and of its copies, with their absolute places."""
        for rho in range(self.order):
            at = _turn(self.rotation, location, rho)
            for e in turned(piece, self.rotation, rho):
                yield Element(_sum(at, e.offset), e.colour, e.direction)

    def elements(self, placed: Sequence[Vector]) -> Iterator[Element]:
        """All edges of a board, those of the frame first."""
        yield from self.frame
        for piece, location in zip(self.pieces, placed, strict=True):
            yield from self.laid(piece, location)

    @cached_property
    def _anywhere(self) -> tuple[Element, ...]:
        return tuple(self.elements([self.locations[0]] * len(self.pieces)))

    @property
    def types(self) -> list[Type]:
        """All (c, θ), in order."""
        return sorted({*map(type_of, self._anywhere)})

    def equations_needed(self, type_: Type) -> int:
        """K(c, θ) of proposition 4.2: the edges of this type that face one way.

        As many face the other way, or there is no solution (A.6). The paper takes that for granted; the larger of both
        numbers proves it too, where the smaller one may not: 2 + 1 = 3 is a root for two edges against one.
        """
        facing = Counter(indicator(e, type_) for e in self._anywhere)
        return max(facing[1], facing[-1])


def type_of(element: Element) -> Type:
    """The type an edge and those it can be paired with have in common."""
    return Type(element.colour, max(element.direction, _opposite(element.direction)))


def indicator(element: Element, type_: Type) -> int:
    """s(c, θ) of (4.5)."""
    if element.colour != type_.colour:
        return 0
    return (element.direction == type_.direction) - (element.direction == _opposite(type_.direction))


def signed_sum(elements: Iterable[Element], type_: Type, function: Function) -> Fraction:
    """The sum of (4.6) over these; over those of one piece, of an exponential, it is α T^k of (4.9)."""
    return sum((s * function(e.offset) for e in elements if (s := indicator(e, type_))), Fraction(0))


def residual(puzzle: Representation, placed: Sequence[Vector], type_: Type, function: Function) -> Fraction:
    """The left side of (4.6), and of (6.4): 0 for every type and function if and only if it is solved."""
    return signed_sum(puzzle.elements(placed), type_, function)


def is_solution(puzzle: Representation, placed: Sequence[Vector]) -> bool:
    """(4.4) by its own words: for every type, the edges facing one way lie where those facing the other way lie."""
    count: Counter[tuple[Type, Vector]] = Counter()
    for e in puzzle.elements(placed):
        count[type_of(e), e.offset] += indicator(e, type_of(e))
    return not any(count.values())


def power(k: int) -> Function:
    """f(u) = T^k for T = 2^x 3^y 5^z: the k-th exponential e^{k·u} along (log 2, log 3, log 5).

    The proof of proposition 4.2 needs from e^t, with the plane taken for the complex numbers, that sums become products
    and that different places have different T: then power sums 1 … K tell the K places of a type (lemma A.1). On a
    lattice 2^x 3^y 5^z does both, by unique factorisation, in fractions, and in three dimensions as well, for which
    the paper has a conjecture only.
    """
    return lambda u: _product(Fraction(p) ** (k * x) for p, x in zip(PRIMES, u, strict=False))


def monomial(exponents: Vector) -> Function:
    """f(u) = 2^{a x} 3^{b y} 5^{c z}: the multi-index exponentials of appendix B."""
    return lambda u: _product(Fraction(p) ** (k * x) for p, k, x in zip(PRIMES, exponents, u, strict=False))


def delta(point: Vector) -> Function:
    """1 there, 0 elsewhere: every function on finitely many places is a sum of these."""
    return lambda u: Fraction(int(u == point))


def complete_system(puzzle: Representation) -> list[tuple[Type, Function]]:
    """Proposition 4.2: the powers 1 … K(c, θ) for every type."""
    return [(t, power(k)) for t in puzzle.types for k in range(1, puzzle.equations_needed(t) + 1)]


def on_locations(puzzle: Representation, equations: Iterable[tuple[Type, Function]]) -> "LocatedSystem":
    """(5.8): what every piece adds to every equation from every location, and what the frame leaves for them to add."""
    chosen = [*equations]

    def term(piece: Piece, at: Vector) -> tuple[Fraction, ...]:
        elements = [*puzzle.laid(piece, at)]
        return tuple(signed_sum(elements, t, f) for t, f in chosen)

    return LocatedSystem(
        tuple(tuple(term(piece, at) for at in puzzle.locations) for piece in puzzle.pieces),
        tuple(-signed_sum(puzzle.frame, t, f) for t, f in chosen),
    )


@dataclass(frozen=True)
class LocatedSystem:
    """``terms[piece][location][equation]``, whose sums over pieces must be ``asked[equation]``."""

    terms: tuple[tuple[tuple[Fraction, ...], ...], ...]
    asked: tuple[Fraction, ...]

    def roots(self) -> Iterator[tuple[int, ...]]:
        """Every choice of a location for each piece that satisfies all equations, two pieces at one place or not.

        The two halves of the pieces are enumerated apart and meet in a table, which takes the root of the time.
        """
        half = len(self.terms) // 2
        table: dict[tuple[Fraction, ...], list[tuple[int, ...]]] = {}
        for chosen, total in _sums(self.terms[:half], len(self.asked)):
            table.setdefault(total, []).append(chosen)
        for chosen, total in _sums(self.terms[half:], len(self.asked)):
            missing = tuple(a - b for a, b in zip(self.asked, total, strict=True))
            for first in table.get(missing, ()):
                yield (*first, *chosen)


def _sums(
    terms: Sequence[Sequence[tuple[Fraction, ...]]], equations: int
) -> Iterator[tuple[tuple[int, ...], tuple[Fraction, ...]]]:
    if not terms:
        yield (), (Fraction(0),) * equations
        return
    for chosen, total in _sums(terms[:-1], equations):
        for at, term in enumerate(terms[-1]):
            yield (*chosen, at), tuple(a + b for a, b in zip(total, term, strict=True))


def turned(piece: Piece, rotation: Matrix, times: int = 1) -> Piece:
    """The piece, or a frame, rotated about its centre."""
    for _ in range(times):
        piece = tuple(Element(_turn(rotation, e.offset), e.colour, _turn(rotation, e.direction)) for e in piece)
    return piece


def augmented(puzzle: Representation, rotation: Matrix, order: int, apart: Vector) -> Representation:
    """Section 6.3, proposition 6.1: a puzzle whose pieces may be turned, as a translation-only one of r rotated copies.

    ``apart`` moves the board so far from the origin that its copies do not touch. A piece on copy ρ of the board has
    its copy −ρ on copy 0: it lies there, turned by −ρ, and on all other boards likewise.

    Over delta functions the rows of all copies of the board are those of copy 0, rotated, and in those every turned
    piece comes up once: one row a seam and colour is enough, over all turned pieces (``linear_system``).
    """
    moved = tuple(Element(_sum(e.offset, apart), e.colour, e.direction) for e in puzzle.frame)
    frame = tuple(e for rho in range(order) for e in turned(moved, rotation, rho))
    locations = tuple(_turn(rotation, _sum(at, apart), rho) for rho in range(order) for at in puzzle.locations)
    return Representation(frame, puzzle.pieces, locations, rotation, order)


def exactly(preset: Preset, pieces: Sequence[int], locations: Iterable[Vector] | None = None) -> Representation:
    """A framed board of ``representing`` in elements: these looks as pieces, at its locations or at others."""
    faces = [tuple(d) for d in preset.directions.tolist()]
    seams = preset.edges[0].tolist()
    frame = []
    for at, row in zip(preset.points.tolist(), preset.seam_of.tolist(), strict=True):
        for direction, seam in zip(faces, row, strict=True):
            if not preset.inner[seam] and preset.frame[seam] != ANY:
                assert _sum(tuple(at), direction) == tuple(seams[seam])
                frame.append(Element(tuple(seams[seam]), int(preset.frame[seam]), _opposite(direction)))
    return Representation(
        tuple(frame),
        tuple(
            tuple(Element(d, colour, d) for d, colour in zip(faces, preset.shows[look].tolist(), strict=True))
            for look in pieces
        ),
        tuple(map(tuple, preset.points.tolist() if locations is None else locations)),
    )


def _opposite(vector: Vector) -> Vector:
    return tuple(-x for x in vector)


def _sum(one: Vector, other: Vector) -> Vector:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _turn(rotation: Matrix, vector: Vector, times: int = 1) -> Vector:
    for _ in range(times):
        vector = tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in rotation)
    return vector


def _product(factors: Iterable[Fraction]) -> Fraction:
    total = Fraction(1)
    for factor in factors:
        total *= factor
    return total
