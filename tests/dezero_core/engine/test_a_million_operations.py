"""A chain and a fan-out of a million operations: forward, backward, release.

Promise: docs/engine.md
"""

import gc
import weakref

import numpy as np
import pytest

from dezero_core import Function, Variable

MILLION = 1_000_000


class Increment(Function):
    saves = ()

    def forward(self, x):
        return x + 1.0

    def backward(self, gy):
        return gy


class Total(Function):
    """The sum of any number of inputs."""

    saves = ()

    def forward(self, *xs):
        return np.array(sum(xs))

    def backward(self, gy):
        return (gy,) * len(self.needs_grad)


@pytest.fixture
def quiet_collector():
    """Do not walk through millions of objects again and again while they are made."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_a_chain_of_a_million_operations_is_differentiated_and_freed(quiet_collector):
    x = y = Variable(np.array(0.0))
    for _ in range(MILLION):
        y = Increment()(y)
    assert (y.item(), y.generation) == (MILLION, MILLION)
    y.backward()
    assert x.grad == 1.0
    last, creator = weakref.ref(y), y.creator
    first = creator
    del y
    assert last() is None
    while first._edges[0].creator is not None:
        first = first._edges[0].creator
    first = weakref.ref(first)
    assert first() is not None
    del creator
    assert first() is None, "freed without recursion and without the collector"


def test_a_fan_out_of_a_million_operations_is_differentiated_and_freed(quiet_collector):
    x = Variable(np.array(1.0))
    branches = [Increment()(x) for _ in range(MILLION)]
    y = Total()(*branches)
    assert (y.item(), y.generation) == (2.0 * MILLION, 2)
    some = [weakref.ref(branches[index].creator) for index in (0, MILLION // 2, MILLION - 1)]
    del branches
    y.backward()
    assert x.grad == MILLION
    del y
    assert [reference() for reference in some] == [None] * 3
