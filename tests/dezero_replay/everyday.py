"""Programs that people write, about numbers, Parameters, results and state; see `constructs`, too.

Each is a maker: it returns the function and its state. ``arguments(number, state)`` gives the
arguments of a call, ``change(number, state)`` changes something before it.
"""

import math
import random
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from dezero_tools.functional import grad, value_and_grad

from dezero_core import Parameter, Variable

PROGRAMS = {}


def everyday(arguments=None, change=None):
    """Note a maker as one of the programs."""

    def note(make):
        name = make.__name__.replace("_", " ")
        PROGRAMS[name] = make, arguments, change
        return make

    return note


def row(number, *others):
    """Return an array, and other arguments, that differ in each call."""
    return (np.arange(1.0, 5.0) + number, *others)


# Floats and scalars of NumPy.


def of_numbers(number, state):
    return row(number, 0.1 * number, np.float64(number / 3), np.float32(number), 2 - number)


@everyday(of_numbers)
def numbers_are_arguments():
    def step(x, rate, double, single, n):
        return x * rate + double - single * x**2 + n

    return step, None


@everyday(lambda n, state: row(n, complex(n, 1), np.int8(n), np.bool_(n % 2), np.complex64(n)))
def scalars_of_other_types_are_arguments():
    def step(x, z, small, flag, single):
        return x * z + small, np.where(flag, x, 2 * x), single * x

    return step, None


@everyday(change=lambda n, state: state.update(rate=0.5**n, decay=np.float64(n), k=n))
def captured_numbers_change():
    state = {}

    def step(x):
        return x * state["rate"] + state["decay"] * np.sin(x) + state["k"]

    return step, state


@everyday(lambda n, state: row(n, 1.5 * n + 0.1))
def a_float_is_differentiated():
    def loss(a, x):
        return np.sum(np.sin(a * x)) + a**2

    def step(x, a):
        value, slope = value_and_grad(loss)(a, x)
        return value, slope, grad(lambda b: b * np.exp(-b))(a)

    return step, None


@everyday(lambda n, state: row(n, np.float64(n), np.float32(n)))
def scalars_of_numpy_are_differentiated():
    return (lambda x, a, b: grad(lambda a, b: np.sum(a * x) * b, argnums=(0, 1))(a, b)), None


@everyday()
def numbers_are_results():
    def step(x):
        total = np.sum(x * x)
        return float(total), int(total), total.item(), total, x[0], math.sqrt(total), round(total)

    return step, None


@everyday()
def a_loss_is_a_float():
    w = Parameter(np.ones(4))

    def step(x):
        loss = np.sum((w * x - 1.0) ** 2)
        w.cleargrad()
        loss.backward()
        w.data -= 0.001 * w.grad
        return float(loss.data), loss.item()

    return step, w


@everyday()
def integers_count():
    state = {"t": 0, "seen": np.int64(5)}

    class Model:
        calls = 0

    model, count = Model(), 0

    def step(x):
        nonlocal count
        count += 1
        model.calls += 2
        state["t"] += 1
        state["seen"] += len(x)
        return x / (1 - 0.9 ** state["t"]), count * x, model.calls

    return step, (state, model)


@everyday()
def a_schedule_is_computed_from_a_counter():
    w, opt = Parameter(np.ones(4)), {"t": 0, "rate": 0.1}

    def step(x):
        opt["t"] += 1
        opt["rate"] = 0.1 * math.cos(opt["t"] / 50) * 0.99 ** opt["t"]
        loss = np.sum((w * x) ** 2)
        w.cleargrad()
        loss.backward()
        w.data -= opt["rate"] * 0.001 * w.grad
        return loss

    return step, (w, opt)


# Variables and Parameters among the arguments.


def descended(params, loss, rate=0.001):
    """Clear the gradients, compute them anew, and descend."""
    for p in params:
        p.cleargrad()
    loss.backward()
    for p in params:
        p.data -= rate * p.grad
    return loss


@everyday(lambda n, state: row(n, state))
def a_parameter_is_an_argument():
    return (lambda x, w: descended([w], np.sum((w * x) ** 2))), Parameter(np.ones(4))


@everyday(lambda n, state: row(n, state))
def parameters_are_in_a_dict():
    def step(x, p):
        return descended(p.values(), np.sum((np.tanh(p["w"] @ x) + p["b"]) ** 2))

    return step, {"w": Parameter(np.ones((2, 4))), "b": Parameter(np.zeros(2))}


@everyday(lambda n, state: row(n, state))
def parameters_are_in_nested_lists():
    def step(x, layers):
        y = x
        for w, (b, _) in layers:
            y = np.tanh(y @ w + b)
        return descended([p for w, (b, _) in layers for p in (w, b)], np.sum(y**2))

    return step, [[Parameter(np.eye(4)), (Parameter(np.zeros(4)), None)] for _ in range(2)]


@dataclass
class Layer:
    w: Parameter
    b: Parameter
    name: str = "layer"
    rate: float = 0.01


@everyday(lambda n, state: row(n, state))
def parameters_are_in_a_dataclass():
    def step(x, layer):
        return descended([layer.w, layer.b], np.sum((layer.w * x + layer.b) ** 2), layer.rate)

    return step, Layer(Parameter(np.ones(4)), Parameter(np.zeros(4)))


@everyday(lambda n, state: row(n, Parameter(np.ones(4) * n), Variable(np.arange(4.0))))
def variables_are_new_in_each_call():
    def step(x, w, v):
        loss = np.sum(w * x * v)
        loss.backward()
        v.data = w.grad * 2
        return loss.data, w.grad

    return step, None


# Results.


@everyday()
def one_variable_is_returned_twice():
    w = Parameter(np.ones(4))

    def step(x):
        loss = descended([w], np.sum((w * x) ** 2))
        return loss, loss, {"loss": loss}

    return step, w


@everyday(lambda n, state: row(n, state))
def arguments_are_returned():
    def step(x, given):
        y = x * 2
        return y, x, [y, x], given, given["a"]

    return step, {"a": np.ones(2), "b": "text"}


Pair = namedtuple("Pair", "a b")


@everyday()
def results_are_nested():
    return (lambda x: {"a": [x * 2, (Pair(x + 1, None), "text")], "b": Box(x[:2])}), None


@dataclass(frozen=True)
class Box:
    x: object
    kind: str = "box"


# State in plain arrays.


@everyday()
def momentum_is_written_with_plain_arrays():
    class Momentum:
        def __init__(self):
            self.p = {"w": np.ones(4), "b": np.zeros(4)}
            self.v = {k: np.zeros(4) for k in self.p}

        def step(self, x):
            loss, g = value_and_grad(lambda p: np.sum((p["w"] * x + p["b"]) ** 2))(self.p)
            for k in self.p:
                self.v[k] *= 0.9
                self.v[k] -= 0.001 * g[k]
                self.p[k] += self.v[k]
            return loss

    model = Momentum()
    return (lambda x: model.step(x)), model


@everyday()
def adam_is_written_with_plain_arrays():
    p, m, v, state = np.ones(4), np.zeros(4), np.zeros(4), {"t": 0}

    def step(x):
        g = grad(lambda p: np.sum((p * x - 1) ** 2))(p)
        state["t"] += 1
        m[:] = 0.9 * m + 0.1 * g
        v[...] = 0.999 * v + 0.001 * g**2
        rate = 0.01 * math.sqrt(1 - 0.999 ** state["t"]) / (1 - 0.9 ** state["t"])
        p[:] -= rate * m / (np.sqrt(v) + 1e-8)
        return float(np.sum(p))

    return step, (p, m, v, state)


@everyday(lambda n, state: row(n, state))
def state_goes_through_the_arguments():
    def step(x, state):
        state["m"] = 0.9 * state["m"] + x
        state["t"] += 1
        state["last"] = float(x[0])
        return state["m"] / state["t"]

    return step, {"m": np.zeros(4), "t": 0, "last": 0.0}


@everyday(lambda n, state: row(n, state))
def a_list_among_the_arguments_grows():
    def step(x, state):
        state["history"].append(float(x[0]))
        return x * 2

    return step, {"history": []}


@everyday()
def losses_are_kept_in_a_list():
    losses, best = [], {"loss": math.inf}
    w = Parameter(np.ones(4))

    def step(x):
        loss = descended([w], np.sum((w * x) ** 2))
        losses.append(loss.item())
        best["loss"] = min(best["loss"], 1e300)
        return loss

    return step, (losses, best, w)


# Random numbers.

DRAWS = {
    "normal": lambda rng, x: rng.normal(size=x.shape),
    "random": lambda rng, x: rng.random() * x,
    "integers": lambda rng, x: rng.integers(0, 5, 3),
    "permutation": lambda rng, x: x[rng.permutation(4)],
    "choice": lambda rng, x: rng.choice(x, 2),
    "uniform": lambda rng, x: rng.uniform(1.0, 2.0),
    "a mask": lambda rng, x: x * (rng.random(4) > 0.5) / 0.5,
    "several": lambda rng, x: rng.normal() + rng.poisson(2.0, 4) * rng.standard_normal(4),
    "np.random.rand": lambda rng, x: np.random.rand(*x.shape) + np.random.randn(),
    "np.random.permutation": lambda rng, x: x[np.random.permutation(4)],
    "random.random": lambda rng, x: random.random() * x + random.uniform(0.0, 2.0),
    "random.gauss": lambda rng, x: random.gauss(0.0, 1.0) * x,
    "random.randint": lambda rng, x: random.randint(0, 9) * x,
    "all in turn": lambda rng, x: rng.random() * random.random() * np.random.random() * x,
}


def drawing(name):
    """Return a maker of a program that draws."""

    def make():
        rng = np.random.default_rng(3)
        return (lambda x: DRAWS[name](rng, x) + x[0]), rng

    return make
