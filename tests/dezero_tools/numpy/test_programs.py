"""Programs as people write them for autograd, with another import: the same values and gradients.

The oracles are autograd itself, and a step into the imaginary direction, which needs no difference.

Promise: docs/coming_from/autograd.md
"""

from types import SimpleNamespace

import autograd
import autograd.numpy
import dezero_tools.numpy as np
import numpy
import pytest
from dezero_tools.functional import grad, hessian, value_and_grad

RANDOM = numpy.random.default_rng(3)
INPUTS = RANDOM.normal(size=(12, 2))
LABELS = INPUTS @ [1.0, -2.0] > 0.3
TIMES = numpy.linspace(0.0, 1.0, 8)


def logistic_regression(np, parameters):
    """Labels by a plane through a design matrix, with weight decay."""
    design = np.c_[INPUTS, np.ones(len(INPUTS))]
    scores = np.dot(design, parameters)
    right = np.where(LABELS, scores, -scores)
    return np.sum(np.log(1.0 + np.exp(-right))) + 0.1 * np.sum(parameters[:-1] ** 2)


def falling_ball(np, parameters):
    """A ball with drag, by steps of a state that is a new array each time."""
    angle, drag = parameters
    state = np.array([0.0, 0.0, 3.0 * np.cos(angle), 3.0 * np.sin(angle)])
    heights = []
    for _ in TIMES:
        x, y, u, v = state
        speed = np.sqrt(u**2 + v**2)
        state = np.array([x + 0.1 * u, y + 0.1 * v, u - 0.1 * drag * speed * u, v - 0.1])
        heights.append(state[1])
    return np.sum(np.array(heights) ** 2) - state[0]


def gaussian_process(np, parameters):
    """The likelihood of a process, whose covariance is written element by element."""
    length, noise = np.exp(parameters[0]), np.exp(parameters[1])
    rows = [[np.exp(-((s - t) ** 2) / length) for t in TIMES] for s in TIMES]
    covariance = np.array(rows) + noise * np.eye(len(TIMES))
    values = np.sin(3.0 * TIMES)
    fit = np.dot(values, np.linalg.solve(covariance, values))
    return 0.5 * fit + 0.5 * np.log(np.linalg.det(covariance))


def mixture(np, parameters):
    """The likelihood of numbers under two bell curves, whose parameters are unpacked lists."""
    share = 1.0 / (1.0 + np.exp(-parameters[0]))
    weights = np.array([share, 1.0 - share])
    centres = np.full(2, parameters[1]) + np.array([-1.0, 1.0])
    widths = np.exp(np.r_[parameters[2], 0.5])
    distances = (INPUTS[:, :1] - centres) / widths
    return -np.sum(np.log(np.sum(weights / widths * np.exp(-0.5 * distances**2), axis=1)))


PROGRAMS = {
    logistic_regression: [0.5, -1.0, 0.2],
    falling_ball: [0.9, 0.1],
    gaussian_process: [-1.0, -2.0],
    mixture: [0.3, 0.1, -0.2],
}
ALL = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


@ALL
def test_a_program_for_autograd_has_the_gradient_that_autograd_computes(program):
    at = numpy.array(PROGRAMS[program])
    value, gradient = value_and_grad(lambda x: program(np, x))(at)
    theirs = autograd.value_and_grad(lambda x: program(_autograd_numpy(), x))(at)
    numpy.testing.assert_allclose(value, theirs[0], rtol=1e-12)
    numpy.testing.assert_allclose(gradient, theirs[1], rtol=1e-10, atol=1e-12)


def _autograd_numpy():
    """Return autograd's namespace; its ``full`` and ``r_`` do not record."""
    ours = {name: getattr(autograd.numpy, name) for name in dir(autograd.numpy)}
    ours["full"] = lambda n, x: x * numpy.ones(n)
    ours["r_"] = _Listed()
    return SimpleNamespace(**ours)


class _Listed:
    def __getitem__(self, key):
        return autograd.numpy.array(key)


@ALL
def test_a_program_for_autograd_has_the_gradient_of_a_complex_step(program):
    at = numpy.array(PROGRAMS[program])
    steps = [program(numpy, at + 1e-30j * unit).imag / 1e-30 for unit in numpy.eye(len(at))]
    gradient = grad(lambda x: program(np, x))(at)
    numpy.testing.assert_allclose(gradient, steps, rtol=1e-10, atol=1e-12)


@ALL
def test_a_program_for_autograd_has_the_hessian_that_autograd_computes(program):
    at = numpy.array(PROGRAMS[program])
    found = hessian(lambda x: program(np, x))(at)
    theirs = autograd.hessian(lambda x: program(_autograd_numpy(), x))(at)
    numpy.testing.assert_allclose(found, theirs, rtol=1e-8, atol=1e-10)


@ALL
def test_a_program_for_autograd_gives_plain_numbers_for_plain_arrays(program):
    at = numpy.array(PROGRAMS[program])
    value = program(np, at)
    assert type(value) is type(program(numpy, at))
    assert value == program(numpy, at)
