"""Bodies of operations that become one instruction, and what is compared of them."""

import numpy as np
import pytest

from dezero_core import Function, Variable
from dezero_replay import compiled
from tests.replayed import same, several


class Shifted(Function):
    """An opaque body, which writes into a plain array, with an option of any kind."""

    def __init__(self, option):
        self.option = option

    def forward(self, x):
        y = np.zeros(x.shape)
        y[...] = x
        return y + np.size(self.option)

    def backward(self, gy):
        return gy


@pytest.mark.parametrize(
    "option",
    [
        lambda: {"mode": "edge", "axis": (0, 1)},
        lambda: [1, {"value": np.arange(3.0)}],
        lambda: (slice(1, 2), np.dtype(float), None, 2.5),
    ],
)
def test_options_that_are_made_anew_are_compared_by_what_is_in_them(option):
    step = same(lambda x: Shifted(option())(Variable(x)), several((3,)))
    assert step.stats["recorded"] == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, [1]),
        ([1, 2], [1]),
        (0.0, -0.0),
        (np.ones(2), np.ones(3)),
        (np.ones(2), 1),
        (object(), object()),
    ],
)
def test_an_operation_with_another_option_each_time_is_not_replayed(first, second):
    options = iter([first, second] * 6)
    step = compiled(lambda x: Shifted(next(options))(Variable(x)), audit=None)
    for _ in range(2):
        step(np.ones(3))
    assert not step.programs
    (key,) = step.keys
    assert key.single[1].differs(key.single[0]).endswith("differ in a call of Shifted.forward")


def test_joining_and_padding_are_replayed():
    same(lambda x, y: np.hstack([Variable(x), Variable(y)]), several((3,), (2,)))
    same(lambda x: np.pad(Variable(x), 1, mode="edge"), several((3,)))


NODES = np.arange(3.0)


class Quadrature(Function):
    """Takes numbers out of an array of its module, and writes one into a plain array."""

    def forward(self, x):
        y = np.zeros(x.shape)
        np.copyto(y, NODES)
        return sum(x * node for node in NODES.tolist()) + y

    def backward(self, gy):
        return gy * float(NODES.sum())


def test_a_body_that_takes_numbers_out_of_an_array_of_its_module_is_opaque():
    def f(x):
        v = Variable(x)
        np.sum(Quadrature()(v) ** 2).backward()
        return v.grad

    step = same(f, several((3,)))
    assert "opaque Quadrature.forward" in step.explain()
    NODES[1] = 5.0
    assert (step(np.ones(3)) == f(np.ones(3))).all()
    NODES[1] = 1.0
