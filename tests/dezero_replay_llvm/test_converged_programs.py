"""Programs that are trained until nothing changes any more keep their machine code.

At an optimum the terms of a gradient cancel each other, and what is left is rounding, which machine
code does in another order than NumPy. The audits allow that.

Promise: docs/how_to/make_it_faster.md
"""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter
from dezero_ops_math import linear, relu
from dezero_replay import compiled


def data_of(dtype):
    """Return the points, and what is to be fitted there."""
    random = np.random.default_rng(0)
    x, u = random.normal(size=(60, 5)), np.linspace(-1.0, 1.0, 60).reshape(-1, 1)
    noise = 0.1 * random.normal(size=(60, 1))
    plane = x @ random.normal(size=(5, 1)) + 0.5
    signs = np.sign(plane)
    signs[::7] *= -1.0  # no plane divides them
    data = {
        "x": x,
        "plane": plane,
        "noisy": plane + noise,
        "signs": signs,
        "classes": np.eye(3)[random.integers(0, 3, 60)],
        "u": u,
        "powers": u ** np.arange(5.0),
        "curve": np.sin(3.0 * u) + noise,
    }
    return SimpleNamespace(**{name: values.astype(dtype) for name, values in data.items()})


def least_squares(data, w, b):
    return np.mean((data.x @ w + b - data.noisy) ** 2)


def exact_least_squares(data, w, b):
    return np.mean((data.x @ w + b - data.plane) ** 2)


def logistic_regression(data, w, b):
    return np.mean(np.log(1.0 + np.exp(-data.signs * (data.x @ w + b))))


def tanh_network(data, w, b, w2, b2):
    error = np.tanh(data.u @ w + b) @ w2 + b2 - data.curve
    return np.mean(error**2) + 0.01 * sum(np.sum(p**2) for p in (w, b, w2, b2))


def rosenbrock(data, x, y):
    return 100.0 * (y - x**2) ** 2 + (1.0 - x) ** 2


def polynomial_fit(data, w):
    return np.mean((data.powers @ w - data.curve) ** 2)


def softmax_regression(data, w, b):
    y = data.x @ w + b
    y = y - np.max(y, axis=1, keepdims=True)
    logarithms = y - np.log(np.sum(np.exp(y), axis=1, keepdims=True))
    return -np.mean(np.sum(data.classes * logarithms, axis=1))


def ridge_regression(data, w, b):
    return np.mean((data.x @ w + b - data.noisy) ** 2) + 0.1 * np.sum(w * w)


def huber_regression(data, w, b):
    error = np.abs(data.x @ w + b - data.noisy)
    return np.mean(np.where(error < 0.1, 0.5 * error**2, 0.1 * (error - 0.05)))


class Descent:
    """Takes a step against the gradient."""

    def __init__(self, rate):
        self.rate = rate

    def start(self, parameters):
        """Make what is kept between the steps."""

    def update(self, parameters):
        for p in parameters:
            p.data -= self.rate * p.grad


def zeros_like(parameters):
    return [Parameter(np.zeros_like(p.data)) for p in parameters]


class Momentum(Descent):
    """Goes on with a part of the last step."""

    def start(self, parameters):
        self.speeds = zeros_like(parameters)

    def update(self, parameters):
        for p, v in zip(parameters, self.speeds, strict=True):
            v.data = 0.9 * v.data - self.rate * p.grad
            p.data += v.data


class Adam(Descent):
    """Divides the mean of the gradients by the root of the mean of their squares."""

    def start(self, parameters):
        self.means, self.squares = zeros_like(parameters), zeros_like(parameters)
        self.steps = 0

    def update(self, parameters):
        self.steps += 1
        rate = self.rate * (1.0 - 0.999**self.steps) ** 0.5 / (1.0 - 0.9**self.steps)
        for p, m, v in zip(parameters, self.means, self.squares, strict=True):
            m.data = 0.9 * m.data + 0.1 * p.grad
            v.data = 0.999 * v.data + 0.001 * p.grad**2
            p.data -= rate * m.data / (np.sqrt(v.data) + 1e-8)


PLANE, PLANES = [(5, 1), (1,)], [(5, 3), (3,)]

PROGRAMS = {
    "least squares": (least_squares, PLANE, Descent(0.2), 1000),
    "logistic regression": (logistic_regression, PLANE, Descent(2.0), 2000),
    "tanh network": (tanh_network, [(1, 6), (6,), (6, 1), (1,)], Descent(0.2), 10_000),
    "rosenbrock": (rosenbrock, [(), ()], Descent(1e-3), 50_000),
    "polynomial": (polynomial_fit, [(5, 1)], Descent(0.4), 5000),
    "softmax regression": (softmax_regression, PLANES, Descent(1.0), 2000),
    "momentum": (exact_least_squares, PLANE, Momentum(0.05), 1000),
    "adam": (logistic_regression, PLANE, Adam(0.02), 3000),
    "ridge": (ridge_regression, PLANE, Descent(0.2), 1000),
    "huber": (huber_regression, PLANE, Descent(1.0), 3000),
}

REST = {np.float64: 1e-8, np.float32: 1e-5}
"""How long the gradient is at the end, as a part of that at the beginning."""


def length(parameters):
    """Return the length of the gradient."""
    return np.sqrt(sum(np.sum(p.grad.astype(float) ** 2) for p in parameters))


def machine_code(step):
    """Return the lines of the report about each piece of machine code."""
    lines = step.explain().splitlines()
    return [line for line in lines if line.strip().startswith("native: ")]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_has_converged_keeps_its_machine_code(name, dtype):
    loss, shapes, optimizer, steps = PROGRAMS[name]
    data, random = data_of(dtype), np.random.default_rng(1)
    parameters = [Parameter(random.normal(size=shape).astype(dtype)) for shape in shapes]
    optimizer.start(parameters)

    def train():
        y = loss(data, *parameters)
        for p in parameters:
            p.cleargrad()
        y.backward()
        optimizer.update(parameters)
        return y

    step = compiled(train, executor="llvm", wait=True, audit=steps // 100)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")  # an error within an audit would be taken for one of NumPy
        for number in range(steps):
            step()
            if number == 0:
                at_first = length(parameters)
            if number == 5:
                made, programs = machine_code(step), step.programs
    assert [str(each.message) for each in caught] == []
    assert all(p.dtype == dtype for p in parameters)
    assert length(parameters) <= REST[dtype] * at_first
    assert step.stats["audits"] >= 95
    assert made
    assert machine_code(step) == made
    assert step.programs == programs


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_network_with_relu_keeps_its_machine_code(dtype):
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 5)).astype(dtype)
    t = (x @ random.normal(size=(5, 1)) + 0.5).astype(dtype)
    shapes = [(5, 20), (20,), (20, 1), (1,)]
    w, b, w2, b2 = ps = [Parameter(0.3 * random.normal(size=s).astype(dtype)) for s in shapes]

    def train():
        loss = np.mean((linear(relu(linear(x, w, b)), w2, b2) - t) ** 2)
        for p in ps:
            p.cleargrad()
        loss.backward()
        for p in ps:
            p.data -= 0.05 * p.grad
        return loss

    step = compiled(train, executor="llvm", wait=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3000):
            step()
    assert [str(each.message) for each in caught] == []
    assert "NumPy runs the program" not in step.explain()
