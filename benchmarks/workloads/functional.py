"""Small derivatives of functions of arrays, as ``grad(f)(x)``: mostly the cost of calls.

The gradient of ``np.sin`` at a number, and its second derivative; the value and the gradient of a
sum of 10 elements; Rosenbrock's function of an array ``x``, by ``x[0]`` and ``x[1]``; the Hessian
of the extended Rosenbrock function times a vector; five layers ``tanh(x @ weight)`` of 64 numbers
for 32 rows, along a vector. *By backward* is the same gradient by ``backward()`` of a new leaf,
where a library has leaves.
"""

from __future__ import annotations

import numpy as np

from workloads import Case
from workloads.rosenbrock import by_hand as rosenbrock_by_hand
from workloads.rosenbrock import rosenbrock

LEFT_OUT = dict.fromkeys(("mygrad", "dezero_book"), "has no derivatives of functions")
ROUNDS: dict[str, int] = {}

LAYERS, ROWS, SIZE = 5, 32, 64

ALONG = "derivative along a vector"
BY_BACKWARD = ("gradient", "value and gradient")


def extended_rosenbrock(lib):
    """Return the function of an array: the sum over all pairs of neighbours."""
    return lambda x: lib.xp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def diagonals(x):
    """Return the diagonal of the Hessian of that function, and the one beside it."""
    diagonal = np.full_like(x, 200.0)
    diagonal[0] = 0.0
    diagonal[:-1] += 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    return diagonal, -400.0 * x[:-1]


def product_by_hand(parameters, vectors):
    (diagonal, beside), (v,) = diagonals(*parameters), vectors
    product = diagonal * v
    product[:-1] += beside * v[1:]
    product[1:] += beside * v[:-1]
    return [product]


def along_by_hand(weights):
    """Return the derivative of the layers along a vector."""

    def along(x, v):
        for weight in weights:
            x, v = np.tanh(x @ weight), v @ weight
            v *= 1.0 - x * x
        return [v]

    return along


def small_functions(lib):
    """Yield the name and the derivative of each, the function, what is by hand, and the inputs."""
    yield "sin", "gradient", lib.xp.sin, lambda x: [np.cos(x)], [0.7]
    yield "sin", "second derivative", lib.xp.sin, lambda x: [-np.sin(x)], [0.7]

    def sum_by_hand(x):
        return [np.sum(x), np.ones_like(x)]

    x = np.linspace(0.1, 1.0, 10)
    yield "sum of 10", "value and gradient", lib.xp.sum, sum_by_hand, [x]

    def of_array(x):
        return rosenbrock(x[0], x[1])

    def of_array_by_hand(x):
        return [np.stack(rosenbrock_by_hand(x[0], x[1])[1])]

    yield "Rosenbrock", "gradient", of_array, of_array_by_hand, [np.array([0.5, 1.5])]

    random = np.random.default_rng(0)
    weights = [random.normal(0.0, SIZE**-0.5, (SIZE, SIZE)) for _ in range(LAYERS)]
    constants = [lib.constant(weight) for weight in weights]

    def layers(x):
        for weight in constants:
            x = lib.xp.tanh(x @ weight)
        return x

    along = along_by_hand(weights)
    yield "layers", ALONG, layers, along, list(random.normal(size=(2, ROWS, SIZE)))


def cases(lib):
    for name, derivative, f, by_hand, arrays in small_functions(lib):
        inputs, expected = [lib.constant(array) for array in arrays], by_hand(*arrays)
        step = lib.differentiated(derivative, f, *inputs, by_hand=by_hand)
        yield Case(f"{name}, {derivative}", lambda s=step, xs=inputs: s(*xs), expected)
        if derivative in BY_BACKWARD and hasattr(lib, "backward"):
            inputs = [lib.constant(np.asarray(array)) for array in arrays]
            step = lib.gradients_of(f)
            yield Case(f"{name}, by backward", lambda s=step, xs=inputs: s(*xs), expected[-1:])
    for size in (10, 1_000):
        x, v = [np.linspace(0.1, 1.0, size)], [np.ones(size)]
        step = lib.hvp(extended_rosenbrock(lib), x, v, by_hand=product_by_hand)
        yield Case(f"Hessian times vector, {size:,} parameters", step, product_by_hand(x, v))
