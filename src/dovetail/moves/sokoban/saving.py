"""Positions that were seen, as they are saved, and taken up again: each must follow from the one that it names."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.state import Misfit, State, fields, within
from .sealed import KNOWN, Corrals
from .table import LOST, Pool, pool, rehash

NODE_FIELDS = ("boxes", "player", "parent", "move", "depth", "estimate", "cell", "rank", "first", "link")
CHUNK = 1 << 16  # nodes looked at together


def pool_state(full: Pool) -> State:
    """What ``pool_from`` takes."""
    used, there = int(full.used[0]), np.flatnonzero(full.keys)
    nodes = {name: getattr(full, name)[:used].copy() for name in NODE_FIELDS}
    return {**nodes, "room": len(full.player), "keys": full.keys[there], "nodes": full.nodes[there]}


def pool_from(state: Any, fresh: Pool, most: int) -> Pool:
    """The pool that was saved, where ``fresh`` holds the first position only; it has grown to ``most`` at most."""
    saved = fields(state, (*NODE_FIELDS, "room", "keys", "nodes"))
    room = len(fresh.player)
    while room < most and type(saved["room"]) is int and room < saved["room"]:
        room = min(most, 2 * room)
    if room != saved["room"]:
        raise Misfit("room")
    new, used = pool(fresh.boxes.shape[1], room), np.size(saved["player"])
    for name in NODE_FIELDS:
        into = getattr(new, name)
        if used > room or not _fits(saved[name], into, (used, *into.shape[1:])):
            raise Misfit(name)
        into[:used] = saved[name]
    keys, nodes = saved["keys"], saved["nodes"]
    if not _fits(keys, new.keys, np.shape(keys)) or not _fits(nodes, new.nodes, np.shape(keys)) or keys.ndim != 1:
        raise Misfit("keys")
    if 2 * len(keys) > len(new.keys):
        raise Misfit("keys")
    within(nodes, LOST, used - 1, "nodes")
    if (new.boxes[0] != fresh.boxes[0]).any() or new.player[0] != fresh.player[0]:
        raise Misfit("first position")
    rehash(keys, nodes, new.keys, new.nodes)
    new.used[:] = used, len(keys)
    return new


def check_nodes(full: Pool, pushed: NDArray[np.int64] | None, wide: int, cells: int) -> None:
    """Every position is another one's with one box moved, as its move says; none stands where another does.

    ``pushed`` [squares, 4]: where a box comes to by one push, where moves are single pushes; else they are
    ``wide`` * from + to. ``cells``: of features.
    """
    used, squares = int(full.used[0]), wide if pushed is None else len(pushed)
    parent = full.parent[:used].astype(np.int64)
    within(full.boxes[:used], 0, squares - 1, "boxes")
    within(full.player[:used], 0, squares - 1, "player")
    within(full.move[:used], 0, (wide * wide if pushed is None else 4 * squares) - 1, "moves")
    within(full.cell[:used], 0, cells - 1, "features")
    within(full.depth[:used], 0, 2**29, "depth")
    within(full.estimate[:used], 0, 2**29, "estimates")
    if parent[0] != -1 or (parent[1:] < 0).any() or (parent[1:] >= np.arange(1, used)).any():
        raise Misfit("parents")
    for begin in range(1, used, CHUNK):
        some = slice(begin, min(used, begin + CHUNK))
        before, after = full.boxes[parent[some]].astype(np.int64), full.boxes[some].astype(np.int64)
        move = full.move[some].astype(np.int64)
        old, new = np.divmod(move, wide) if pushed is None else (move // 4, pushed[move // 4, move % 4])
        here, there = before == old[:, None], before == new[:, None]
        told = (np.where(here, new[:, None], before) == after).all(axis=1) & here.any(axis=1)
        # a box may come back to where it was, with the player on another side of it
        if not (told & (~there.any(axis=1) | (old == new))).all():
            raise Misfit("moves")
        if (after == full.player[some, None]).any():
            raise Misfit("player")


def check_heaps(full: Pool, roots: Any) -> None:
    """No node is in two places of the heaps, so that their links never go in a circle."""
    used = int(full.used[0])
    for links in (full.first[:used], full.link[:used], roots):
        within(links, -1, used - 1, "heaps")
    seen = np.zeros(used, np.bool_)
    todo = roots[roots >= 0]
    while len(todo):
        if seen[todo].any() or len(np.unique(todo)) < len(todo):
            raise Misfit("heaps")
        seen[todo] = True
        todo = np.concatenate([full.first[todo], full.link[todo]])
        todo = todo[todo >= 0]


def corrals_state(known: Corrals) -> State:
    """What is remembered of corrals."""
    there = np.flatnonzero(known.known)
    return {"known": known.known[there], "sealed": known.sealed[there]}


def take_corrals(known: Corrals, state: Any) -> None:
    """The way back."""
    saved = fields(state, ("known", "sealed"))
    keys, sealed = saved["known"], saved["sealed"]
    if (
        not _fits(keys, known.known, np.shape(keys))
        or not _fits(sealed, known.sealed, np.shape(keys))
        or keys.ndim != 1
    ):
        raise Misfit("corrals")
    places = (keys >> np.uint64(20)).astype(np.int64) & (KNOWN - 1)
    known.known[places], known.sealed[places] = keys, sealed


def _fits(values: Any, like: Any, shape: tuple[int, ...]) -> bool:
    return isinstance(values, np.ndarray) and values.dtype == like.dtype and values.shape == shape
