"""Functions and an observer that the tests of observers share."""

import sys

import numpy as np

from dezero_core import (
    Function,
    Variable,
)
from dezero_tools import Observer


class Square(Function):
    def forward(self, x):
        return x * x

    def backward(self, gy):
        return Product()(self.inputs[0].data, gy) if isinstance(gy, Variable) else 2.0 * gy * self.x

    @property
    def x(self):
        return self.inputs[0].data


class Product(Function):
    """Twice the product: the gradient of the square, as a Function of its own."""

    def forward(self, x, gy):
        return 2.0 * x * gy

    def backward(self, g):
        x, gy = (each.data for each in self.inputs)
        return 2.0 * g * gy, 2.0 * g * x


class Inverse(Function):
    def forward(self, x):
        with np.errstate(all="ignore"):
            return 1.0 / x

    def backward(self, gy):
        with np.errstate(all="ignore"):
            return -gy / self.inputs[0].data ** 2


class Root(Function):
    saves = ("outputs",)

    def forward(self, x):
        return np.sqrt(x)

    def backward(self, gy):
        with np.errstate(all="ignore"):
            return gy / (2.0 * self.outputs[0]().data)


class Halves(Function):
    """Two results, one of them of integers."""

    def forward(self, x):
        return x / 2.0, np.arange(3)

    def backward(self, gy, gn):
        return gy / 2.0


class Seen(Observer):
    """Notes what it is shown."""

    def __init__(self):
        self.calls, self.nodes, self.events = [], [], []

    def start(self):
        self.events.append("start")

    def stop(self):
        self.events.append("stop")

    def before(self, call):
        assert call.outputs == ()
        self.events.append(f"before {call.operation}.{call.method}")

    def after(self, call):
        self.calls.append(call)
        self.events.append(f"after {call.operation}.{call.method}")

    def recorded(self, function):
        self.nodes.append(function)


def line_here(offset=0):
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno + offset}"
