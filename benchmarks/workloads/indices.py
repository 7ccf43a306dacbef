"""Functions that take the numbers of an array by their indices, and their derivatives.

Rosenbrock's function by ``x[0]`` and ``x[1]``, with its gradient; and the extended Rosenbrock
function of 10 parameters, in a loop over ``x[i]`` and ``x[i + 1]``, with its Hessian, and with the
Hessian times a vector.
"""

from __future__ import annotations

import numpy as np
import programs

from workloads.functional import product_by_hand
from workloads.jacobians import hessian_by_hand
from workloads.rosenbrock import by_hand as rosenbrock_by_hand
from workloads.rosenbrock import rosenbrock

LEFT_OUT = programs.LEFT_OUT
ROUNDS: dict[str, int] = {}

PARAMETERS, FEW = 10, 3


def of_two(x):
    return rosenbrock(x[0], x[1])


def of_two_by_hand(size, x):
    value, gradients = rosenbrock_by_hand(x[0], x[1])
    return [value, np.stack(gradients)]


def extended(size):
    """Return the extended function of an array of a size."""

    def f(x):
        total = 0.0
        for i in range(size - 1):
            total = total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
        return total

    return f


def array(size):
    return [np.linspace(0.1, 1.0, size)]


def array_and_vector(size):
    return [*array(size), np.ones(size)]


def programs_by_name():
    """Yield the programs that are measured."""
    yield programs.Program(
        lambda lib, size: lib.value_and_gradients(of_two, 1),
        of_two_by_hand,
        lambda size: [np.array([0.5, 1.5])],
        *(2, 2, "Rosenbrock"),
    )
    yield programs.Program(
        lambda lib, size: lib.DERIVATIVES["Hessian"](extended(size)),
        lambda size, x: hessian_by_hand(x),
        array,
        *(PARAMETERS, FEW, "Hessian"),
    )
    yield programs.Program(
        lambda lib, size: lib.hessian_product(extended(size)),
        lambda size, x, v: product_by_hand([x], [v]),
        array_and_vector,
        *(PARAMETERS, FEW, "Hessian times vector"),
    )


def cases(lib):
    for program in programs_by_name():
        yield from program.cases(lib)
