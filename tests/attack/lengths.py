"""How long the attack goes on, and where its random numbers begin.

``make test`` runs a little of it, always the same. ``make test-long`` sets ``DEZERO_ATTACK=long``
and another seed each time, in ``DEZERO_ATTACK_SEED``; the seed stands in the name of each test.
"""

import os

LONG = os.environ.get("DEZERO_ATTACK") == "long"
SEED = int(os.environ.get("DEZERO_ATTACK_SEED", "1"))


def seeds(short, size):
    """Return ranges of `size` seeds, `short` ranges of them; a hundred times as many for long."""
    count = short * 100 if LONG else short
    first = SEED * 1_000_000
    return [range(first + n * size, first + (n + 1) * size) for n in range(count)]


def name_of(chunk):
    """Return how the name of a test says which seeds it had."""
    return f"seed {chunk[0]}"
