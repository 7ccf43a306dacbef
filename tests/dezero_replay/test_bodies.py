"""Bodies of operations that become one instruction, and what is compared of them.

Promise: docs/how_replay_works.md
"""

from types import SimpleNamespace

import numpy as np
import pytest

from dezero_core import Function, Parameter, Variable
from dezero_ops_math import logsumexp
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits, same, several


class Shifted(Function):
    """An opaque body, which makes a list of an array, with an option of any kind."""

    def __init__(self, option):
        self.option = option

    def forward(self, x):
        return np.array(x.tolist()) + len(repr(self.option))

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
    assert "Shifted.forward" in step.explain()


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
def test_an_operation_with_another_option_each_time_has_a_program_for_each(first, second):
    kept = SimpleNamespace()

    def f(x):
        return Shifted(kept.option)(Variable(x))

    step = compiled(f, audit=None)
    for n in range(12):
        kept.option = (first, second)[n % 2]
        assert bits(step(np.full(3, float(n)))) == bits(f(np.full(3, float(n))))
    assert step.stats["replayed"] >= 8


@pytest.mark.parametrize(("first", "second"), [({"a": 1}, {"a": 1.0}), ([1, 2], [1])])
def test_recordings_of_another_option_differ_in_the_call_of_the_operation(first, second):
    kept = SimpleNamespace()
    step = compiled(lambda x: Shifted(kept.option)(Variable(x)), audit=None)
    for kept.option in (first, second):
        step(np.ones(3))
    assert not step.programs
    (key,) = step.keys
    assert key.single[1].differs(key.single[0]).endswith("in a call of Shifted.forward")


def test_joining_and_padding_are_replayed():
    same(lambda x, y: np.hstack([Variable(x), Variable(y)]), several((3,), (2,)))
    same(lambda x: np.pad(Variable(x), 1, mode="edge"), several((3,)))


NODES = np.arange(3.0)


class Quadrature(Function):
    """Takes numbers out of an array of its module."""

    def forward(self, x):
        return sum(x * node for node in NODES.tolist()) + NODES

    def backward(self, gy):
        return gy * float(NODES.sum())


def test_a_body_that_takes_numbers_out_of_an_array_of_its_module_is_opaque():
    def f(x):
        v = Variable(x)
        np.sum(Quadrature()(v) ** 2).backward()
        return v.grad

    step = same(f, several((3,)))
    assert "Quadrature.forward of tests" in step.explain()
    assert "takes a value out of an array by .tolist()" in step.explain()
    NODES[1] = 5.0
    assert (step(np.ones(3)) == f(np.ones(3))).all()
    NODES[1] = 1.0


class Sometimes(Function):
    """Gives its second input a gradient, if the first one is positive."""

    def forward(self, x, w):
        return np.array((x + w).tolist())

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
        return np.array((gy * float(self.option)).tolist())


def test_options_of_an_opaque_backward_are_compared_too():
    kept = SimpleNamespace()

    def f(x):
        v = Variable(x)
        np.sum(OfOption(kept.option)(v)).backward()
        return v.grad

    step = compiled(f, audit=None)
    for kept.option in ("2.0", "3.0"):
        assert step(np.ones(1))[0] == float(kept.option)
    one, other = step.keys[0].single
    assert other.differs(one).endswith("in a call of OfOption.backward")
    for kept.option in ("2.0", "3.0") * 4:
        assert step(np.ones(1))[0] == float(kept.option)
    assert step.stats["replayed"] > 0


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


def test_a_body_that_asks_for_the_memory_of_an_array_is_opaque():
    def f(x):
        v = Variable(x)
        y = OtherWay()(v)
        np.sum(y * y).backward()
        return y, v.grad

    step = same(f, several((50,)))
    assert "reads .__array_interface__ of an array" in step.explain()


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
        return y * 2.0, z * 3.0

    same(f, several((4,)))


def test_a_view_of_what_was_written_is_returned_as_a_view():
    def f(x):
        z = Variable(x)[1:].data
        x += 1.0
        return z

    step = compiled(f, quiet=True)
    for _ in range(6):
        x = np.arange(4.0)
        z = step(x)
        assert z.tolist() == [2.0, 3.0, 4.0]
        x[1] = 9.0
        assert z[0] == 9.0


class View(Function):
    def forward(self, x):
        return x[x.astype(int).tolist()[0] :]

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
        assert (step(np.ones(3)) == [4.0, 4.0]).all()
    x = np.array([1.0, 2.0, 3.0])
    assert (step(x) == [6.0, 8.0]).all()
    assert (x == [2.0, 3.0, 4.0]).all()
    assert step.stats["eager"] == 2


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
        kept = SimpleNamespace()
        step = compiled(lambda x: kept.function(x))
        for n in range(2):
            kept.function = make(n)
            step(np.ones((2, 2)))
        one, other = step.keys[0].single
        return other.differs(one).rpartition(" in ")[2]

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
        *("a call of exp", "a call of cumsum", "the results", "the number of NumPy calls"),
    ]


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
