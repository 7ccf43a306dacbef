"""The losses that are measured, and their gradients derived by hand with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

COLUMNS, HIDDEN = 64, 128

Params = dict[str, Any]


def network(params: Params, x: Any, y: Any) -> Any:
    """Return the logistic loss of a network with one hidden layer, a sum over rows."""
    z = np.tanh(x @ params["w"] + params["b"]) @ params["v"]
    return np.sum(np.logaddexp(0.0, z) - y * z)


def network_by_hand(params: Params, x: Any, y: Any) -> tuple[Any, Params]:
    """Return the loss of the network and its gradient."""
    hidden = x @ params["w"]
    hidden += params["b"]
    np.tanh(hidden, out=hidden)
    z = hidden @ params["v"]
    value = np.sum(np.logaddexp(0.0, z) - y * z)
    slope = 1.0 / (1.0 + np.exp(-z)) - y
    of_v = slope @ hidden
    np.multiply(hidden, hidden, out=hidden)
    np.subtract(1.0, hidden, out=hidden)
    hidden *= params["v"]
    hidden *= slope[:, None]
    return value, {"w": x.T @ hidden, "b": hidden.sum(axis=0), "v": of_v}


def network_params() -> Params:
    """Return the parameters at which the network is measured."""
    random = np.random.default_rng(1)
    return {
        "w": 0.1 * random.standard_normal((COLUMNS, HIDDEN)),
        "b": np.zeros(HIDDEN),
        "v": 0.1 * random.standard_normal(HIDDEN),
    }


def rows_of(number: int, rows: int, columns: int = COLUMNS) -> Any:
    """Return the inputs of a partition."""
    return np.random.default_rng((2, number)).standard_normal((rows, columns))


def labels_of(number: int, rows: int) -> Any:
    """Return the labels of a partition, 0.0 or 1.0."""
    return np.random.default_rng((3, number)).integers(0, 2, rows).astype(float)


def logistic(w: Any, x: Any, y: Any) -> Any:
    """Return the logistic loss, a sum over rows."""
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


def logistic_by_hand(w: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Return the logistic loss and its gradient."""
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z), (1.0 / (1.0 + np.exp(-z)) - y) @ x


def logistic_of_dask_glm(w: Any, x: Any, y: Any) -> Any:
    """Return the logistic loss by the formula of dask-glm, which overflows where z is large."""
    z = x @ w
    return np.sum(z + np.log1p(np.exp(-z))) - y @ z


def added(partials: Any) -> tuple[Any, Any]:
    """Return the sum of values and gradients of partitions."""
    (value, total), *others = partials
    for more, gradient in others:
        value = value + more
        if isinstance(total, dict):
            total = {name: total[name] + gradient[name] for name in total}
        else:
            total = total + gradient
    return value, total
