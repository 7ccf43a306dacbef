"""A quadrature from 0 to infinity, for integrands that fall like an exponential."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dezero_core.extend import Array

_STEPS, STEP = np.linspace(-4.3, 4.1, 108, retstep=True)
_NODES = np.exp(_STEPS - np.exp(-_STEPS))
_WEIGHTS = _NODES * (1.0 + np.exp(-_STEPS))


def nodes_and_weights() -> Iterator[tuple[float, float]]:
    """Yield points ``u > 0`` at which to evaluate a function, and their weights, up to a factor.

    It is the trapezoidal rule in ``t``, with ``u = exp(t - exp(-t))``, whose error falls
    exponentially in the number of nodes. The integrand should have fallen to ``exp(-50)`` or so
    at ``u = 50``. The factor is `STEP`, of which quotients of two integrals have no need.

    Notes
    -----
    Source: Takahasi and Mori 1974; NIST DLMF 3.5(ii).
    """
    yield from zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True)


def blocks(x: Array) -> Iterator[tuple[Array, Array]]:
    """Yield blocks of nodes and weights as arrays, along an axis before those of `x`.

    There are many in a block for a small `x`.
    """
    count = max(1, 16384 // max(1, x.size))
    shape = (-1,) + (1,) * x.ndim
    for first in range(0, len(_NODES), count):
        chosen = slice(first, first + count)
        yield _NODES[chosen].reshape(shape), _WEIGHTS[chosen].reshape(shape)
