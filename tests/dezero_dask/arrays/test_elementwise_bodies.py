"""What the bodies of elementwise Functions keep, and what a trial of them finds out.

Promise: docs/dask_operations.md
"""

import pickle

import dask.array as da
import numpy as np
import pytest
from dezero_dask.arrays.array_type import without_computing
from dezero_dask.arrays.elementwise_bodies import DetachedFunction

import dezero_dask as dd
from dezero_core import Function, Variable
from tests.weighted import Weighted

X = np.arange(-6.0, 6.0).reshape(4, 3) + 0.5


def chunked(x=X, chunks=2):
    return da.from_array(x, chunks=chunks)


class Bent(Function):
    """Has the slope 2 above zero and 3 below; derived classes keep the slope in some way."""

    elementwise = True

    def forward(self, x):
        self.keep(np.where(x > 0, 2.0, 3.0), x)
        return np.where(x > 0, 2.0 * x, 3.0 * x)

    def keep(self, slope, x):
        self.slope = slope

    def backward(self, gy):
        return gy * self.slope


class BentWithDefault(Bent):
    def __init__(self):
        self.slope = 1.0


class BentInTuple(Bent):
    def keep(self, slope, x):
        self.both = slope, 1.0


class BentInDict(Bent):
    def __init__(self):
        self.cache = {"list": []}

    def keep(self, slope, x):
        self.cache["slope"] = slope
        self.cache["list"].append(slope)


class BentWithFlag(Bent):
    def keep(self, slope, x):
        self.some = bool((x < 0).any())


class BentWithLength(Bent):
    def keep(self, slope, x):
        self.length = len(x)


class BentInStack(Bent):
    def keep(self, slope, x):
        self.stacked = np.stack([slope, -slope])


class BentWithRule(Bent):
    def keep(self, slope, x):
        self.rule = lambda gy: gy * slope


class BentSometimes(Bent):
    def keep(self, slope, x):
        if (x < 0).any():
            self.slopes = [slope]
        self.slopes = [1.0] if x.size == 1 else {1.0: np.nan}


class BentAtRandom(Bent):
    def __init__(self, draws):
        self.draws = draws


class BentInPlace(Bent):
    def __init__(self):
        self.buffer = np.zeros(1)

    def keep(self, slope, x):
        self.buffer[0] = 1.0


def gradient_of(function, x=None, chunks=2):
    v = Variable(chunked(X if x is None else x, chunks))
    with without_computing():
        y = function(v)
        y.backward()
    return y.to_numpy(), v.grad.compute()


@pytest.mark.parametrize("cls", [Bent, BentWithDefault])
def test_an_array_that_forward_keeps_is_that_of_each_chunk(cls):
    y, gradient = gradient_of(cls())
    np.testing.assert_array_equal(y, np.where(X > 0, 2 * X, 3 * X))
    np.testing.assert_array_equal(gradient, np.where(X > 0, 2.0, 3.0))


@pytest.mark.parametrize("value", [-2.5, 2.5])
def test_of_an_array_without_dimensions_forward_keeps_its_own_value_too(value):
    _, gradient = gradient_of(Bent(), np.array(value), ())
    assert gradient == (2.0 if value > 0 else 3.0)


def test_a_second_call_does_not_see_what_the_first_one_kept():
    function, v = Bent(), Variable(chunked())
    first, w = function(v), Variable(chunked(-X[:1]))
    second = function(w)
    first.backward()
    second.backward()
    np.testing.assert_array_equal(v.grad.compute(), np.where(X > 0, 2.0, 3.0))
    np.testing.assert_array_equal(w.grad.compute(), np.where(-X[:1] > 0, 2.0, 3.0))


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        *((BentInTuple, "both"), (BentInDict, "cache"), (BentWithFlag, "some")),
        *((BentWithLength, "length"), (BentInStack, "stacked"), (BentWithRule, "rule")),
        (BentSometimes, "slopes"),
    ],
)
def test_what_depends_on_the_values_of_a_chunk_and_is_no_such_array_is_refused(cls, name):
    function = cls()
    before = repr(vars(function))
    with pytest.raises(dd.LazyArrayError, match=f"it keeps '{name}', which depends on"):
        gradient_of(function)
    assert repr(vars(function)).startswith(before[:-1])


class Constants(Function):
    """Keeps what is the same for all operands."""

    elementwise = True

    def __init__(self):
        self.calls, self.names = [], {"a"}

    def forward(self, x):
        self.limits = {"high": np.finfo(x.dtype).max, "none": float("nan")}
        self.steps = (1, np.array([1.0, np.nan]), [x.dtype])
        self.scale = np.array(2.0)
        self.calls.append(1)
        return x * 2.0

    def backward(self, gy):
        assert self.steps[0] == len(self.calls) == 1
        return gy * self.scale


def test_what_is_the_same_for_all_operands_may_be_kept():
    _, gradient = gradient_of(Constants())
    np.testing.assert_array_equal(gradient, np.full_like(X, 2.0))


@pytest.mark.parametrize("draws", [np.random.default_rng(0), np.random.RandomState(0)])
def test_random_numbers_that_each_task_would_draw_are_refused(draws):
    with pytest.raises(dd.LazyArrayError, match="'draws' draws random numbers"):
        gradient_of(BentAtRandom(draws))


def test_an_array_that_is_an_attribute_is_not_written_into():
    with pytest.raises(ValueError, match="read-only"):
        gradient_of(BentInPlace())


def test_an_attribute_that_would_be_broadcast_is_refused():
    for weights in (np.ones(3), np.ones((4, 3)), np.ones((1, 1, 1))):
        with pytest.raises(dd.LazyArrayError, match=r"not elementwise.*as operands"):
            gradient_of(Weighted(weights))
    with pytest.raises(dd.LazyArrayError, match=r"'weights' is one.*Give it as an operand"):
        gradient_of(Weighted(chunked()))
    for weights in (3.0, np.array(3.0), np.array([[3.0]])):
        np.testing.assert_array_equal(gradient_of(Weighted(weights))[1], np.full_like(X, 3.0))


class Sums(Function):
    elementwise = True

    def forward(self, x):
        return np.sum(x)


class Misspelt(Function):
    elementwise = True

    def forward(self, x):
        return x.summ()


def test_a_body_that_is_wrongly_declared_or_fails_says_so_at_the_call():
    with pytest.raises(dd.LazyArrayError, match=r"one element gives an array of shape \(\)"):
        Sums()(Variable(chunked()))
    with pytest.raises(AttributeError, match="summ"):
        Misspelt()(Variable(chunked()))


class Checks(Function):
    elementwise = True

    def __init__(self, refused):
        self.refused = refused

    def forward(self, x):
        if np.isin(x, self.refused).any():
            raise ValueError("a value of no use")
        return x * 2.0

    def backward(self, gy):
        return gy * 2.0


def test_a_body_may_refuse_the_value_that_a_trial_begins_with():
    np.testing.assert_array_equal(gradient_of(Checks((1.0, 0.0)))[1], np.full_like(X, 2.0))
    with pytest.raises(ValueError, match="of no use"):
        Checks((1.0, 0.0, -1.0, 2.0, 0.5))(Variable(chunked()))


class Peeks(Function):
    """Asks for all values in a part of its body that is not declared elementwise."""

    elementwise = True

    def forward(self, x):
        raise dd.LazyArrayError("refused", got="x")


def test_a_refusal_within_a_trial_is_not_tried_again():
    with pytest.raises(dd.LazyArrayError, match="refused"):
        Peeks()(Variable(chunked()))


def test_a_class_that_arrives_in_a_task_is_prepared_there():
    class Fresh(Bent):
        pass

    assert not Fresh._prepared
    DetachedFunction(Fresh()).function()
    assert Fresh._prepared


def test_a_function_without_its_graph_keeps_its_attributes_on_the_way_to_a_task():
    arrived = pickle.loads(pickle.dumps(DetachedFunction(Checks((1.0, 0.0)))))
    assert (type(arrived.function()), arrived.function().refused) == (Checks, (1.0, 0.0))
