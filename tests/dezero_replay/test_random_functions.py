"""Random functions of arrays and state: views, writes, branches, gradients, numbers that change.

``make test-long`` goes on for a hundred times as long, from another seed each time.

Promise: docs/how_replay_works.md
"""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Parameter, Variable
from dezero_replay import compiled

from ..attack.lengths import name_of, seeds
from ..replayed import bits, state_of

SHAPES = [(3,), (2, 3), (3, 3), (4,), (), (70,)]
CALLS = 9
CHANGES = {5: 3.5, 7: 1.5}
"""Before these calls a number that the function reads is set."""


class Values:
    """The arrays that a random function has so far; steps pick among them by numbers below 1."""

    def __init__(self, state, *arrays):
        self.state, self.all, self.results = state, list(arrays), []

    def pick(self, r, shape=None):
        found = [x for x in self.all if shape is None or x.shape == shape]
        return found[int(r * len(found))] if found else None

    def pair(self, a, b):
        x = self.pick(a)
        y = self.pick(b, x.shape)
        return x, y

    def add(self, x):
        self.all.append(x)


def arithmetic(v, a, b, c):
    x, y = v.pair(a, b)
    v.add([x + y, x - y, x * y, np.maximum(x, y), x / (y * y + 1.0)][int(c * 5)])


def with_number(v, a, b, c):
    x = v.pick(a)
    v.add([x + 1.0, x * 2.0, 1.0 - x, x**2, x * -0.0][int(c * 5)])


def of_one(v, a, b, c):
    v.add([np.tanh, np.exp, np.abs, np.square, np.negative][int(c * 5)](v.pick(a) * 0.5))


def view(v, a, b, c):
    x = v.pick(a)
    if x.ndim:
        v.add(
            [x[1:] if len(x) > 1 else x[:], x.T, x.reshape(-1), x[::-1], x[None, ...]][int(c * 5)]
        )


def write(v, a, b, c):
    x, y = v.pair(a, b)
    if not x.ndim:
        return
    if c < 0.2:
        x += y * 0.5
    elif c < 0.4:
        x[0] = c
    elif c < 0.5:
        x[x > 2] = 0.25
    elif c < 0.6:
        np.copyto(x, y * 0.9)
    elif c < 0.8:
        np.add(x, y, out=x)
    elif c < 0.9:
        x[...] = y
    else:
        x[-1] *= 0.5


def summed(v, a, b, c):
    x = v.pick(a)
    v.add(np.sum(x, axis=0) * 1.0 if x.ndim > 1 else x * (x.sum() if c < 0.5 else x.mean()))


def chosen(v, a, b, c):
    x, y = v.pair(a, b)
    v.add(np.where(x > y, x, y * 0.1) if c < 0.5 else x * (y > 0))


def branched(v, a, b, c):
    x = v.pick(a)
    v.add(x * 3.0 if x.sum() > c * 2 else x - 1.0)


def indexed(v, a, b, c):
    x = v.pick(a)
    if x.ndim:
        v.add(x[[0, -1]] if c < 0.5 else x[x > c] * 2.0)


def differentiated(v, a, b, c):
    x = v.pick(a)
    if c < 0.5:
        w = Variable(x * 1.0)
        y = np.sum(np.tanh(w) * w * v.state.w.data.sum())
        y.backward()
        v.add(w.grad)
    elif x.shape == (3,):
        if c < 0.8:
            v.state.w.cleargrad()
        np.sum(v.state.w * v.state.v * x).backward()
        v.add(v.state.w.grad)


def updated(v, a, b, c):
    x, state = v.pick(a), v.state
    if x.shape != (3,):
        return
    if c < 0.3:
        state.w.data = state.w.data * 0.5 + x * 0.1
    elif c < 0.5:
        state.v.data += 0.01 * x
    elif c < 0.6:
        state.w.data = x
    elif c < 0.7:
        state.w.data, state.v.data = state.v.data, state.w.data
    elif c < 0.8:
        state.w.grad = x * 2.0
    else:
        state.v.data[1:] = c


def numbered(v, a, b, c):
    x, state = v.pick(a), v.state
    if c < 0.3:
        state.n += 1
    elif c < 0.5:
        v.add(x * state.n)
    elif c < 0.7:
        v.add(x * state.k)
    elif c < 0.8:
        v.add(x * state.table["a"] + len(state.table))
    else:
        v.add(x + 1.0 if state.k > 2 else x * 0.5)


def with_captured(v, a, b, c):
    x, plain = v.pick(a), v.state.plain
    if x.shape == (3,):
        v.add(x * plain if c < 0.4 else x - plain[0] if c < 0.7 else np.where(plain > 0, x, -plain))


def returned(v, a, b, c):
    v.results.append(v.pick(a))


STEPS = [
    *(arithmetic, arithmetic, with_number, of_one, view, view, write, write, summed, chosen),
    *(branched, indexed, differentiated, differentiated, updated, updated, numbered, numbered),
    *(with_captured, returned),
]


def function_of(seed):
    """Return a random function of state and two arrays."""
    rng = np.random.default_rng(seed)
    plan = [(STEPS[rng.integers(len(STEPS))], *rng.random(3)) for _ in range(rng.integers(3, 15))]

    def function(state, x, y):
        values = Values(state, x, y)
        for step, a, b, c in plan:
            step(values, a, b, c)
        return [*values.results, values.all[-1]]

    return function


def new_state():
    return SimpleNamespace(
        w=Parameter(np.arange(3.0)),
        v=Parameter(np.ones(3)),
        plain=np.array([1.0, -2.0, 0.5]),
        table={"a": 2.0},
        n=1,
        k=2.5,
    )


def outcome(function, *args):
    """Return the bits of a result, or the type of an error."""
    try:
        return bits(function(*args))
    except (ValueError, IndexError, TypeError) as error:
        return type(error)


def check(seed):
    """Call a random function eagerly and compiled, as its state changes in between."""
    rng = np.random.default_rng([seed, 1])
    function, mine, others = function_of(seed), new_state(), new_state()
    step = compiled(lambda x, y: function(others, x, y), audit=[None, "geometric", 1][seed % 3])
    shape = SHAPES[rng.integers(len(SHAPES))]
    for call in range(CALLS):
        for state in (mine, others):
            state.k = CHANGES.get(call, state.k)
            state.plain[0] += call in CHANGES
        arrays = [np.asarray(rng.normal(size=shape)) for _ in range(2)]
        if call == 6:
            arrays[1] = arrays[0][...]
        copies = [x.copy() for x in arrays]
        if call == 6:
            copies[1] = copies[0][...]
        expected, got = outcome(function, mine, *arrays), outcome(step, *copies)
        assert got == expected, f"seed {seed}, call {call}"
        if isinstance(expected, type):
            break
        assert bits(copies) == bits(arrays), f"seed {seed}, arguments of call {call}"
        assert bits(state_of(others)) == bits(state_of(mine)), f"seed {seed}, state, call {call}"
    return step.stats["replayed"]


@pytest.mark.parametrize("chunk", seeds(2, 50), ids=name_of)
def test_random_functions_give_eager_bits_and_effects(chunk):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of replay, and of the mean of nothing
        replayed = sum(map(check, chunk))
    assert replayed > len(chunk)
