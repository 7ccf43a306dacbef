"""An operation is the same by every way it is bound: operator, method, NumPy function."""

import operator

import numpy as np
import pytest

from dezero_core import Variable

from . import checker
from .cases import CASES, DIFFERENTIABLE, PLAIN
from .oracles import complex_step, direction
from .row import each, parametrize

#: These call no operation; the tests of dezero-ops-basic have them.
NO_CALLS = {"__iter__", "__contains__", "__array_priority__"}
OTHERS = {
    "ndarray": np.array([[2.0], [1.0]]),
    "float32 ndarray": np.array([2.0, 1.0], dtype=np.float32),
    "integer ndarray": np.array([2, 1]),
    "int8 ndarray": np.array([2, 1], dtype=np.int8),
    "ndarray of no dimensions": np.array(2.0),
    "float": 2.0,
    "int": 2,
    "bool": True,
    "NumPy float": np.float64(2.0),
    "NumPy float32": np.float32(2.0),
    "NumPy int": np.int64(2),
}
#: With 1 and 2 on either side, far from every jump of //, % and maximum.
X = np.array([[0.7, 1.3], [2.6, 1.6]])


def _method(name):
    return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def _reflected(dunder):
    return lambda x0, x1: getattr(x1, dunder)(x0)


def ways(case, reflected=True):
    """Return the ways to call an operation, beside its public function, by name."""
    functions = case.operation.numpy if case.form.numpy else ()
    found = {f"np.{function.__name__}": function for function in functions}
    for name in case.operation.methods:
        if not isinstance(vars(Variable)[name], property):
            found[name] = _method(name)
        elif not case.form.args and not case.form.kwargs:
            found[name] = operator.attrgetter(name)
    for name in case.operation.dunders:
        if hasattr(operator, name) and name not in NO_CALLS:
            found[name] = getattr(operator, name)
        elif reflected and name not in NO_CALLS:
            found[name] = _reflected(name)
    return found


def each_way(cases, reflected=True):
    return parametrize(
        ("case", "call"),
        [
            pytest.param(case, call, id=f"{case.label}-{name}")
            for case in cases
            for name, call in ways(case, reflected).items()
        ],
    )


def of_two(cases):
    return [case for case in cases if len(case.xs) == 2]


def elementwise(cases):
    return [case for case in of_two(cases) if case.elementwise]


@each_way(DIFFERENTIABLE)
def test_every_way_gives_numpys_value_and_the_right_gradient(case, call):
    subject = case.subject(case.applied(call, case.form.args))
    checker.check_forward(subject, case.xs)
    checker.check_gradient(subject, case.xs)


@each_way(PLAIN)
def test_every_way_compares_as_numpy_does(case, call):
    got = call(*[Variable(x) for x in case.xs])
    checker.assert_equals_numpy(case.subject(), got, case.xs)


@each_way(of_two(DIFFERENTIABLE), reflected=False)
@pytest.mark.parametrize("side", [0, 1])
def test_an_ndarray_on_the_other_side_is_a_constant(case, call, side):
    xs = case.xs

    def with_array(x):
        operands = [*xs[:side], x, *xs[side + 1 :]]
        return case.applied(call, case.form.args)(*operands)

    y, (gradient,) = checker.first_order(with_array, [xs[side]])
    subject = case.subject()
    checker.assert_equals_numpy(subject, y.data, xs)
    truth = complex_step(subject.analytic, xs, direction(y))[side]
    np.testing.assert_allclose(gradient, truth, rtol=checker.RTOL, atol=checker.ATOL)


@each_way(elementwise(DIFFERENTIABLE), reflected=False)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_any_operand_on_either_side_gives_numpys_value_and_dtype(case, call, other, dtype):
    """NumPy itself, with the same operands, says what the value and its dtype are."""
    x, constant = X.astype(dtype), np.asarray(other, dtype=float)
    tolerance = checker.RTOL if dtype is np.float64 else 1e-5
    for ours, analytic in (
        (lambda v: call(v, other), lambda z: case.subject().analytic(z, constant)),
        (lambda v: call(other, v), lambda z: case.subject().analytic(constant, z)),
    ):
        y, (gradient,) = checker.first_order(ours, [x])
        expected = ours(x)
        assert (type(y), y.dtype) == (Variable, expected.dtype)
        np.testing.assert_array_equal(y.data, expected)
        assert (type(gradient), gradient.dtype) == (np.ndarray, dtype)
        (truth,) = complex_step(analytic, [x], direction(y))
        np.testing.assert_allclose(gradient, truth, rtol=tolerance, atol=1e-14)


@each_way(elementwise(PLAIN), reflected=False)
@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_any_operand_on_either_side_compares_as_in_numpy(case, call, other):
    x = np.where(X > 2.0, 2.0, X)
    for got, expected in (
        (call(Variable(x), other), call(x, other)),
        (call(other, Variable(x)), call(other, x)),
    ):
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, expected, strict=True)


@each(CASES)
def test_of_arrays_alone_it_is_a_constant(case):
    """The public function takes arrays as well, and gives a Variable without a graph."""
    y = case.subject().call(*case.xs)
    if case.row.plain:
        checker.assert_equals_numpy(case.subject(), y, case.xs)
    else:
        assert (type(y), y.creator, y.generation) == (Variable, None, 0)
        checker.assert_equals_numpy(case.subject(), y.data, case.xs)
