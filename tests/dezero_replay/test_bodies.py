"""Bodies of operations that become one instruction, and what is compared of them.

Promise: docs/how_replay_works.md
"""

from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_ops_math import logsumexp
from dezero_replay import ReplayWarning, compiled
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


class OfNdarrays(Shifted):
    arrays = "numpy: it is compiled for ndarrays"


def test_an_operation_of_ndarrays_alone_is_replayed_with_its_gradient():
    def gradient(x):
        x = Variable(x)
        y = np.sum(OfNdarrays(1)(np.sin(x)) * x)
        y.backward()
        return y, x.grad

    same(gradient, several((3,)))


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


class Sometimes(Function):
    """Gives its second input a gradient, if the first one is positive."""

    def forward(self, x, w):
        y = np.zeros(x.shape)
        y[...] = x + w
        return y

    def backward(self, gy):
        return gy, gy if self.inputs[0].data.sum() > 0.0 else None


def test_an_opaque_body_that_gives_other_inputs_a_gradient_has_a_program_of_its_own():
    def step(w, x):
        v = Variable(x)
        w.cleargrad()
        np.sum(Sometimes()(v, w) * 2.0).backward()
        return v.grad, w.grad is None

    found = same(step, several((1,), calls=40), lambda: Parameter(np.ones(1)))
    assert len(found.programs) >= 2


class OfOption(Function):
    """Only its backward is opaque, and has an option."""

    def __init__(self, option):
        self.option = option

    def forward(self, x):
        return x * 2.0

    def backward(self, gy):
        gx = np.zeros(gy.shape)
        gx[...] = gy * self.option
        return gx


def test_options_of_an_opaque_backward_are_compared_too():
    options = iter([2.0, 3.0] * 3)

    def f(x):
        v = Variable(x)
        np.sum(OfOption(next(options))(v)).backward()
        return v.grad

    step = compiled(f)
    assert [step(np.ones(1))[0] for _ in range(2)] == [2.0, 3.0]
    one, other = step.keys[0].single
    assert other.differs(one).endswith("differ in a call of OfOption.backward")


class Nested(Function):
    def forward(self, x):
        return (np.exp(Variable(x)) * 2.0).data

    def backward(self, gy):
        x = Variable(self.inputs[0].data)
        np.sum(np.exp(x)).backward()
        return gy * 2.0 * x.grad


def test_bodies_that_apply_operations_are_recorded():
    def f(x):
        v = Variable(x)
        np.sum(Nested()(v) ** 2).backward()
        return v.grad

    same(f, several((3,)))


class OtherWay(Function):
    """Comes to other bits for arrays without an interface for C."""

    def forward(self, x):
        return x / 3.0 if hasattr(x, "__array_interface__") else x * (1.0 / 3.0)

    def backward(self, gy):
        return gy / 3.0


def test_a_body_that_comes_to_other_bits_on_recording_arrays_is_opaque():
    step = same(lambda x: OtherWay()(Variable(x)), several((50,)))
    assert "on recording arrays the body comes to other bits" in step.explain()


class Overflowing(Function):
    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        return gy * np.exp(self.inputs[0].data)


def test_errors_of_floating_point_in_a_body_are_warned_of_once():
    step = compiled(lambda x: Overflowing()(Variable(x)))
    for _ in range(5):
        with pytest.warns(RuntimeWarning, match="overflow") as caught:
            step(np.array([1e3]))
        assert len(caught) == 1


def test_a_view_that_a_body_gives_follows_what_is_written_into_the_array():
    def f(x):
        y = Variable(x).reshape(2, 2).data
        z = Variable(x)[1:].data
        x += 1.0
        return y * 2.0, z * 3.0, z

    same(f, several((4,)))


class View(Function):
    def forward(self, x):
        np.copyto(np.zeros(x.shape), x)
        return x[1:]

    def backward(self, gy):
        return gy


@pytest.mark.parametrize(
    "view", [lambda x: View()(Variable(x)).data, lambda x: np.split(x, [1])[1]]
)
def test_a_view_of_which_the_way_is_not_known_is_not_read_after_a_write(view):
    def f(x):
        y = view(x)
        x += 1.0
        return y * 2.0

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="a view of it is used"):
        assert (step(np.ones(3)) == 4.0).all()
    assert (step(np.full(3, 2.0)) == 6.0).all()


def test_draws_behind_a_guard_that_fails_are_drawn_again_from_the_same_state():
    class Noise(Function):
        def __init__(self, random):
            self.random = random

        def forward(self, x):
            return x + self.random.normal(size=x.shape)

        def backward(self, gy):
            return gy

    def step(state, x):
        y = Noise(state.random)(x * state.w)
        y = y * 2.0 if x[0] > 0.0 else y * 3.0
        return logsumexp(y) + logsumexp(x * state.w)

    def make():
        return SimpleNamespace(w=Parameter(np.ones(2)), random=np.random.default_rng(3))

    calls = [*several((2,), calls=40), *[(np.full(2, -np.inf),), (np.ones(2),)] * 3]
    with np.errstate(all="ignore"):
        same(step, calls, make)


FLAG = np.array([1.0])


class Asking(Function):
    def forward(self, x):
        return x * 2.0 if FLAG else x * 3.0

    def backward(self, gy):
        return gy


def test_a_body_that_asks_an_array_of_its_module_follows_it():
    step = compiled(lambda x: Asking()(Variable(x)).data)
    for flag, factor in ((1.0, 2.0), (0.0, 3.0), (1.0, 2.0)):
        FLAG[0] = flag
        for _ in range(4):
            assert (step(np.ones(2)) == factor).all()
    assert step.stats["replayed"] > 0


def test_recordings_that_differ_say_in_which_way():
    def differing(make):
        values = iter([make(n) for n in range(2)])
        step = compiled(lambda x: next(values)(x))
        step(np.ones((2, 2)))
        step(np.ones((2, 2)))
        one, other = step.keys[0].single
        return other.differs(one).rpartition("differ in ")[2]

    found = [
        differing(lambda n: lambda x: x * (2, 2.0)[n]),
        differing(lambda n: lambda x: x.sum(keepdims=bool(n))),
        differing(lambda n: lambda x: (x * 2.0, [x * 2.0])[n]),
        differing(lambda n: lambda x: x[n:] * 1.0),
        differing(lambda n: lambda x: np.exp(x) if n else np.sin(x)),
        differing(lambda n: lambda x: x.cumsum(axis=n) * 1.0),
        differing(lambda n: lambda x: [x * 2.0, x * 3.0][:: 1 - 2 * n]),
        differing(lambda n: lambda x: np.exp(x) if n else np.exp(np.sin(x))),
    ]
    assert found == [
        *("a call of mul", "a call of sum", "the form of the result", "a call of getitem"),
        *("a call of exp", "a call of cumsum", "the results", "the number of calls"),
    ]


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


class CountingBack(Counting):
    def forward(self, x):
        return x * 2.0


def test_a_backward_that_changes_what_it_reaches_does_so_once_in_each_call():
    def step(kept, x):
        v = Variable(x)
        np.sum(CountingBack(kept, in_list)(v)).backward()
        return v.grad

    same(step, several((3,), calls=9), counters, replayed=False)


def test_the_results_of_a_body_are_the_arrays_that_it_has_computed_while_recording():
    step = same(lambda x: [np.exp(x * 2.0) + x], several((3,)))
    tape = step.program.tape.instructions
    assert [each.call.__name__ for each in tape] == ["mul", "exp", "add"]


class Twice(Function):
    """Gives one array twice, and a view of it."""

    def forward(self, x):
        y = x * 2.0
        return y, y, y.reshape(-1)

    def backward(self, gy, gz, gview):
        return 2.0 * (gy + gz + gview.reshape(gy.shape))


def test_results_of_a_body_that_are_one_array_stay_so():
    def step(x):
        y, z, view = Twice()(Variable(x))
        return [y + z, y is z, np.exp(y).data, view * 3.0]

    same(step, several((2, 3)))
