"""Ways in which an array may lie in memory: each function returns an equal array."""

import numpy as np

LAYOUTS = (
    lambda a: a,
    np.asfortranarray,
    lambda a: np.flip(np.flip(a).copy()),
    lambda a: np.swapaxes(np.swapaxes(a, 0, -1).copy(), 0, -1),
)
