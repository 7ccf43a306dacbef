"""Bodies of operations that change something beyond themselves: once in each call.

Promise: docs/how_replay_works.md
"""

from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Variable
from dezero_replay import compiled
from tests.replayed import bits, same, several


def counters():
    return SimpleNamespace(
        array=np.zeros(2), items=[], named={}, number=0, other=0, nested=SimpleNamespace(number=0)
    )


def in_array(kept, index):
    kept.array[index] += 1.0


def in_list(kept, index):
    kept.items.append(index)


def in_dict(kept, index):
    kept.named[len(kept.named)] = index


def in_number(kept, index):
    kept.nested.number += 1


def by_taking_away(kept, index):
    name = ("number", "other")[index]
    if name in kept.__dict__:
        delattr(kept, name)
    else:
        setattr(kept, name, 1)


class Counting(Function):
    """Changes something beyond itself, in both directions."""

    def __init__(self, kept, count):
        self.kept, self.count = kept, count

    def forward(self, x):
        self.count(self.kept, 0)
        return x * 2.0

    def backward(self, gy):
        self.count(self.kept, 1)
        return gy * 2.0


@pytest.mark.parametrize("count", [in_array, in_list, in_dict, in_number, by_taking_away])
def test_a_body_that_changes_what_it_reaches_does_so_once_in_each_call(count):
    def step(kept, x):
        v = Variable(x)
        np.sum(Counting(kept, count)(v)).backward()
        return v.grad

    same(step, several((3,), calls=9), counters, replayed=False)


class CountingAndRaising(Counting):
    """Raises an error, after it has changed something."""

    def forward(self, x):
        self.count(self.kept, 0)
        if x[0] < 0.0:
            raise ValueError
        return x * 2.0


def branching(kept, x):
    y = Counting(kept, in_list)(Variable(x)).data
    return y * 2.0 if y.sum() > 0.0 else y * 3.0


def raising(kept, x):
    y = Counting(kept, in_list)(Variable(x)).data
    return np.linalg.inv(y + np.abs(y))


def raising_within(kept, x):
    return CountingAndRaising(kept, in_list)(Variable(x)).data


def with_a_list_of_its_own(kept, x):
    return CountingOwn(kept.items)(Variable(x)).data


class CountingOwn(Function):
    """Changes a list that is an attribute of it."""

    def __init__(self, items):
        self.items = items

    def forward(self, x):
        self.items.append(1)
        return x * 2.0


@pytest.mark.parametrize("f", [branching, raising, raising_within, with_a_list_of_its_own])
@pytest.mark.parametrize("audit", [None, "geometric"])
def test_a_body_that_changes_something_does_so_once_where_the_call_goes_another_way(f, audit):
    mine, others = counters(), counters()
    step = compiled(lambda x: f(others, x), audit=audit, quiet=True)
    for sign in [-1.0, *[1.0] * 5, *[-1.0] * 4, 1.0]:
        results = []
        for call in (lambda x: f(mine, x), step):
            try:
                results.append(bits(call(sign * np.eye(2))))
            except (ValueError, np.linalg.LinAlgError) as error:
                results.append(repr(error))
        assert results[0] == results[1]
        assert mine.items == others.items


class CountingBack(Counting):
    def forward(self, x):
        return x * 2.0


def test_a_backward_that_changes_what_it_reaches_does_so_once_in_each_call():
    def step(kept, x):
        v = Variable(x)
        np.sum(CountingBack(kept, in_list)(v)).backward()
        return v.grad

    same(step, several((3,), calls=9), counters, replayed=False)


class WritesAtLast(Function):
    """Cannot be followed, since it makes a list; then it writes into its input."""

    def __init__(self, in_place):
        self.in_place = in_place

    def forward(self, x):
        y = np.array(x.tolist())
        if self.in_place:
            x += 1.0
        else:
            x[0] = x[0] + 1.0
        return y


@pytest.mark.parametrize("in_place", [False, True])
def test_a_body_that_writes_into_its_input_at_last_does_so_once_in_each_call(in_place):
    """Also in audits, in which the program and eager code would both write."""
    run = compiled(lambda x: WritesAtLast(in_place)(Variable(x)).data, quiet=True, audit=1)
    for n in range(6):
        x, y = np.arange(3.0) + n, np.arange(3.0) + n
        assert bits(run(x)) == bits(WritesAtLast(in_place)(Variable(y)).data)
        assert bits(x) == bits(y)
