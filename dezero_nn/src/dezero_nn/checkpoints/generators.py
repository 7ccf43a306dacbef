"""The random generators that layers have, as parts of a checkpoint."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..layers.layer import Layer, found_in

KINDS = (np.random.Generator, np.random.RandomState)


def generators_of(layer: Layer) -> dict[str, Any]:
    """Return the generators in the attributes of a layer and of those in it, by their name.

    Returns: names are as in `Layer.variables`; one that several layers share is there once.
    """
    return dict(found_in(layer, KINDS))
