"""A quadrature from 0 to infinity, for integrands that fall like an exponential."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

_STEPS = np.linspace(-3.4, 4.1, 96)
_NODES = np.exp(_STEPS - np.exp(-_STEPS))
_WEIGHTS = _NODES * (1.0 + np.exp(-_STEPS))


def nodes_and_weights() -> Iterator[tuple[float, float]]:
    """Yield points ``u > 0`` at which to evaluate a function, and their weights, up to a factor.

    It is the trapezoidal rule in ``t``, with ``u = exp(t - exp(-t))``, whose error falls
    exponentially in the number of nodes. The integrand should have fallen to ``exp(-50)`` or so
    at ``u = 50``. All uses are quotients of two integrals, so the step is left out.

    Notes
    -----
    Source: Takahasi and Mori 1974; NIST DLMF 3.5(ii).
    """
    yield from zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True)
