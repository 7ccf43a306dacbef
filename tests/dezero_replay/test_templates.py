"""Bodies of one kind are noted once; what a body may depend on makes another kind of it.

Promise: docs/how_replay_works.md
"""

import itertools

import numpy as np
import pytest
from dezero_replay.passes import loops
from dezero_replay.recording import templates as forms
from dezero_replay.tape.instructions import Template
from dezero_tools.functional import value_and_grad

from dezero_core import Function, Variable
from dezero_replay import compiled

from ..replayed import bits, same
from .guards_of_programs import HIDDEN, hidden

X, Y = np.linspace(-1.0, 1.5, 4), np.linspace(0.5, 2.0, 4)
SQUARE = np.arange(9.0).reshape(3, 3) - 3.7


def ours(cls):
    """Return a Function of a test as one of ours: of others, no body is taken as known."""
    cls.__module__ = "dezero_nn.of_a_test"
    return cls


def templates(step):
    """Return the templates of a program, one for each body that was noted as a call of it."""
    return [x.call for x in step.program.tape.instructions if type(x.call) is Template]


# What is noted once.


def test_bodies_of_one_kind_are_noted_once():
    def f(x, w):
        for _ in range(10):
            x = np.tanh(x * w)
        return np.sum(x)

    step = same(value_and_grad(f, (0, 1)), [(X, Y), (Y, X), (X + 1.0, Y)])
    # Ten times Mul and Tanh, forth and back; and the sum.
    assert len(templates(step)) >= 40
    assert len(set(templates(step))) <= 6


def test_calls_of_a_template_have_their_own_lines():
    def f(x):
        x = np.tanh(x)
        x = x * 2.0
        return np.tanh(x)

    step = same(lambda x: f(Variable(x)).data, [(X,), (Y,), (X,)])
    first = f.__code__.co_firstlineno
    lines = [line for line in str(step.program).splitlines() if "Tanh of math" in line]
    assert [f".py:{first + n}" in line for n, line in zip((1, 3), lines, strict=True)] == [True] * 2
    assert len(set(templates(step))) < len(templates(step))


# What makes another kind of body: the template of the first one would be wrong for a later one.


@ours
class Scaled(Function):
    """A number times an array."""

    def __init__(self, number):
        self.number = number

    def forward(self, x):
        return x * self.number

    def backward(self, gy):
        return gy * self.number


@ours
class ByFact(Function):
    """The sum of an array, times a number that depends on its form."""

    fact = staticmethod(len)

    def forward(self, x):
        return np.sum(x) * float(self.fact(x))

    def backward(self, gy):
        return np.broadcast_to(gy * float(self.fact(self.inputs[0].data)), self.inputs[0].shape)


@ours
class ByDtype(ByFact):
    fact = staticmethod(lambda x: 2.0 if x.dtype.kind == "f" else 3.0)


@ours
class ByStrides(ByFact):
    fact = staticmethod(lambda x: 2.0 if x.strides[0] < x.strides[1] else 3.0)


@ours
class ByKind(Function):
    def forward(self, x, y):
        return x * y * (2.0 if isinstance(y, np.generic) else 3.0)


@ours
class Product(Function):
    def forward(self, x, y):
        return x * y

    def backward(self, gy):
        x, y = (each.data for each in self.inputs)
        wanted = self.needs_grad
        return gy * y if wanted[0] else None, gy * x * 1.0 if wanted[1] else None


@ours
class Judged(Product):
    """A product whose first gradient is another one if the second is wanted, too."""

    def backward(self, gy):
        gx, other = super().backward(gy)
        return (gx, other * 5.0) if self.needs_grad[1] else (gx * 3.0, gy)


@ours
class Branch(Function):
    """Doubles an array if there is something in another one, else it is three times as large."""

    def forward(self, x, y):
        return x * 2.0 if y else x * 3.0


def variable(x):
    """Return a Variable: itself, where a gradient is taken."""
    return x if isinstance(x, Variable) else Variable(x)


def classes(x):
    return np.sin(variable(x)) + np.cos(variable(x)) + np.sin(variable(x + 1.0))


def numbers(x):
    made = [Scaled(number)(variable(x)) for number in (0.0, -0.0, 1.5, 2.5)]
    return np.stack([1.0 / each for each in made[:2]]), made[2] + made[3]


def numbers_of_other_types(x):
    x = variable(x)
    return [Scaled(number)(x) for number in (1, True, 1.0, np.float32(1.0))]


def axes(x):
    x = variable(np.outer(x, x + 1.0))
    return np.sum(x, axis=0) + 2.0 * np.sum(x, axis=1)


def indices(x):
    x = variable(x)
    taken = np.take(x, [0, 1]) + 2.0 * np.take(x, [1, 2]) + x[[0, 1]] * x[[1, 3]]
    return taken + x[np.array([0, 1])] + 2.0 * x[np.array([1, 2])] + 3.0 * x[1:3] + x[2:4]


def named_arguments(x):
    x = variable(x)
    return [np.pad(x, 1, constant_values=each) for each in (1.0, 2.0)]


def shapes(x):
    return ByFact()(variable(x)) + ByFact()(variable(x[:3])) + np.mean(variable(x) ** 2.0)


def dtypes(x):
    return ByDtype()(variable(x)), ByDtype()(x.astype(np.int64)), ByDtype()(variable(x + 1.0))


def layouts(x):
    x = np.outer(x, x + 1.0)
    return ByStrides()(variable(x)) + ByStrides()(variable(x.T))


def scalars(x):
    v = variable(x)
    return ByKind()(v, x[0]) + ByKind()(v, np.sum(x, keepdims=True).reshape(()))


def one_array_in_two_places(x):
    x, y = variable(x), variable(x + 1.0)
    return Product()(x, x) + Product()(x, y) + Product()(y, x)


def wanted_gradients(x):
    x, y = variable(x), x + 1.0
    return np.sum(Product()(x, y) + Product()(Product()(x, x), y * 2.0) + Product()(y, x))


def constants(x):
    v = variable(x)
    return [Branch()(v, c) for c in (np.ones(()), np.zeros(()), np.full((), 2.0))]


def arrays_computed_of_constants(x):
    v = variable(x)
    return [Branch()(v, np.full((), 2.0) * number) for number in (1.0, 0.0, 3.0)]


def values(x):
    v = variable(x)
    return [Branch()(v, np.max(each)) for each in (x, x * 0.0, x + 1.0, x - x)]


@pytest.mark.parametrize(
    "function",
    [
        *(classes, numbers, numbers_of_other_types, axes, indices, named_arguments, shapes),
        *(dtypes, layouts),
        *(scalars, one_array_in_two_places, constants, arrays_computed_of_constants, values),
    ],
)
def test_what_a_body_depends_on_is_told_apart(function):
    with np.errstate(divide="ignore"):
        same(function, [(X,), (Y,), (X,), (Y + 1.0,)])


def total(function):
    """Return the sum of all that a function returns."""

    def summed(x):
        found = function(x)
        found = found if isinstance(found, (list, tuple)) else [found]
        return sum(np.sum(each) for each in found)

    return summed


@pytest.mark.parametrize(
    "function",
    [classes, axes, indices, shapes, layouts, one_array_in_two_places, wanted_gradients],
)
def test_gradients_of_bodies_are_told_apart(function):
    same(value_and_grad(total(function)), [(X,), (Y,), (X,), (Y + 1.0,)])


def test_a_gradient_that_nobody_wants_is_told_apart():
    def f(x, y):
        a, b = Variable(x), Variable(y)
        found = []
        for product in (Product, Judged):
            z = np.sum(product()(a, y) + product()(a, b) + product()(a, y + 1.0) * product()(b, a))
            z.backward()
            found += a.grad, b.grad
        return found

    same(f, [(X, Y), (Y, X), (X, Y)])


def test_bodies_within_another_state_of_errors_are_told_apart():
    def f(x):
        v = Variable(x)
        y = 1.0 / (v + 10.0)
        with np.errstate(divide="ignore"):
            z = 1.0 / (v - v)
        return y, z

    same(f, [(X,), (Y,), (X,)])


# What has no template.


def test_a_body_whose_forward_keeps_an_array_for_backward_is_right():
    @ours
    class Kept(Function):
        def forward(self, x):
            self.kept = x > 0.5
            return x * 2.0

        def backward(self, gy):
            return gy * self.kept

    def f(x):
        y = Kept()(x)
        return np.sum(y * Kept()(y + 0.1))

    same(value_and_grad(f), [(X,), (Y,), (X - 0.4,), (Y - 1.0,)])


def test_a_view_that_a_body_returns_sees_what_is_written_into_its_base():
    def f(x):
        x, found = x.copy(), []
        for n in range(4):
            seen = np.transpose(Variable(x))
            row = Variable(x)[1]
            x[1, 0] = x[0, 0] * n
            found += [np.sum(seen.data * SQUARE), np.sum(row.data)]
        return found

    same(f, [(SQUARE,), (SQUARE + 1.0,), (SQUARE,)])


def test_what_is_written_into_a_view_that_a_body_returns_is_in_its_base():
    @ours
    class Inner(Function):
        def forward(self, x):
            return x.T[1:, :2]

    def f(x):
        x = x.copy()
        for n in range(4):
            inner = Inner()(Variable(x)).data
            inner[0, 1] = float(n)
            inner *= 1.5
        return x

    same(f, [(SQUARE,), (SQUARE + 1.0,), (SQUARE,)])


def test_a_body_that_is_given_a_large_constant_is_no_call_of_a_template():
    def f(x):
        y = x = Variable(x)
        for _ in range(3):
            y = np.tanh(y)
        y.backward()  # of ones, as many as there are elements
        return x.grad

    x = np.linspace(-1.0, 1.0, 40)
    same(f, [(x,), (2.0 * x,), (x,)])


@ours
class OfNdarrays(Function):
    """Refuses what is no ndarray."""

    def forward(self, x):
        if type(x) is not np.ndarray:
            raise ValueError("this is no ndarray")
        return x * 2.0

    def backward(self, gy):
        return gy * 2.0


def test_a_body_that_refuses_recording_arrays_runs_as_it_is():
    step = same(lambda x: OfNdarrays()(Variable(x) * 2.0).data, [(X,), (Y,), (X,)])
    assert "raises 'this is no ndarray' on recording arrays" in step.explain()


@ours
class Seven(Function):
    """Returns a number of Python's."""

    def forward(self, x):
        return 7.0

    def backward(self, gy):
        return None


def test_a_body_that_returns_a_number_of_python_stays_eager():
    def f(x):
        return Seven()(Variable(x)).data + Seven()(Variable(2.0 * x)).data

    step = same(f, [(X,), (Y,), (X,)], replayed=False)
    assert "Seven.forward" in step.explain()


@pytest.mark.parametrize("often", [2, 3, 5, 7])
def test_a_body_whose_results_have_another_form_is_recorded_by_itself(often, monkeypatch):
    usual, calls = forms._form_of, itertools.count()

    def sometimes_unlike(array):
        return usual(array) if next(calls) % often else "unlike"

    monkeypatch.setattr(forms, "_form_of", sometimes_unlike)

    def f(x):
        return np.sum(np.tanh(np.tanh(np.tanh(x))))

    same(value_and_grad(f), [(X,), (Y,), (X,)])


def test_functions_of_the_user_are_right_if_what_they_read_changes_within_a_call():
    state = {"rate": 1.0}

    class Mine(Function):
        def forward(self, x):
            return x * state["rate"]

        def backward(self, gy):
            return gy * state["rate"]

    def f(x):
        for rate in (2.0, 3.0, 5.0):
            state["rate"] = rate
            x = Mine()(x)
        return np.sum(x)

    same(value_and_grad(f), [(X,), (Y,), (X,)])


def test_functions_of_the_user_are_right():
    class Mine(Function):
        def __init__(self, number):
            self.number = number

        def forward(self, x):
            return x * self.number if x.sum() > 0 else x - self.number

        def backward(self, gy):
            return gy * self.number

    def f(x):
        return np.sum(Mine(2.0)(x) * Mine(3.0)(x - 1.0) * Mine(2.0)(x + 1.0))

    same(value_and_grad(f), [(X,), (Y,), (X,), (Y,), (-X,), (-X,), (-X,)])


def test_recordings_that_differ_within_bodies_are_told_apart():
    def f(x):
        x = Variable(x)
        for _ in range(5):
            x = Scaled(float(hidden()))(x)
        return x

    step = compiled(f, audit=None)
    for HIDDEN["number"] in (8, 7, 8, 8):
        assert bits(step(X)) == bits(f(X))
    HIDDEN["number"] = 8


def test_many_results_of_one_call_behind_a_loop_are_right(monkeypatch):
    monkeypatch.setattr(loops, "_SHORT", 0)

    def f(x):
        for _ in range(60):
            x = np.sin(x) * 2.0
        total = 0.0
        for part in np.split(x, 70):
            total = total + np.sum(np.cos(part) * 2.0)
        return total

    step = same(f, [(np.linspace(0.0, n, 140),) for n in (1.0, 2.0, 3.0)])
    assert " in range(" in str(step.program)


def test_additions_in_a_backward_pass_have_the_line_that_began_it():
    def f(x):
        v = Variable(x)
        y = v * 2.0
        z = np.sum(np.sin(y) * np.cos(y) + y)
        z.backward()
        w = np.tanh(x) + v.grad
        return w + np.exp(x)

    step = same(f, [(X,), (Y,), (X,)])
    first = f.__code__.co_firstlineno
    sums = [
        line for line in str(step.program).splitlines() if " add(" in line and "Add" not in line
    ]
    for n in (4, 5, 6):
        assert any(f".py:{first + n}" in line for line in sums), sums
