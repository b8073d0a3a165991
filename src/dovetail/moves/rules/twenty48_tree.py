"""2048, handed to the tree search with chance nodes."""

from ...kernel import kernel
from ...search.chance_tree import search
from .twenty48 import back, happen, key, moves, score, try_move, value


@kernel
def search_chance(state, tree, manner, room, chance, rollouts):
    """So many rollouts."""
    search(moves, try_move, happen, back, key, value, score, state, tree, manner, room, chance, rollouts)
