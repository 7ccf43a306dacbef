"""What has no derivative: NumPy's own results and errors, with Variables anywhere inside."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_math import elementwise

NAN, INF = np.nan, np.inf
EDGES = np.array([0.0, -0.0, 1.0, -INF, INF, NAN, -NAN, 5e-324])
OF_ONE = "flatnonzero argwhere nonzero logical_not isnan isinf isfinite signbit isposinf isneginf"
PARTS = np.array([1.0, 1.0j, complex(NAN, 0.0), complex(0.0, -INF)])


def variable(*numbers):
    return Variable(np.array(numbers))


def assert_same(got, expected):
    assert type(got) is type(expected)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", [*OF_ONE.split(), "iscomplex", "isreal", "isrealobj"])
def test_plain_functions_of_inf_nan_and_signed_zeros_answer_like_numpy(name):
    function = getattr(np, name)
    assert_same(function(Variable(EDGES)), function(EDGES))
    assert_same(getattr(elementwise, name)(EDGES), function(EDGES))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "iscomplex", "isreal", "nonzero"])
def test_plain_functions_look_at_both_parts_of_complex_numbers(name):
    function = getattr(np, name)
    assert_same(function(Variable(PARTS)), function(PARTS))


def test_plain_functions_of_one_number_answer_with_a_scalar_like_numpy():
    for x in np.array(2.0), np.array(NAN):
        assert_same(np.isnan(Variable(x)), np.isnan(x))
        assert_same(np.iscomplexobj(Variable(x)), np.iscomplexobj(x))
        assert_same(np.isclose(Variable(x), 2.0), np.isclose(x, 2.0))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logical_functions_take_nan_and_negative_numbers_as_true(name):
    function = getattr(np, name)
    for other in 0.0, 1.0, True:
        assert_same(function(Variable(EDGES), other), function(EDGES, other))
        assert_same(function(other, Variable(EDGES)), function(other, EDGES))


def test_isclose_and_allclose_with_equal_nan_take_nan_as_equal():
    x, y = variable(1.0, NAN), variable(1.0, NAN)
    for function in np.array_equal, np.allclose:
        assert (function(x, y), function(x, y, equal_nan=True)) == (False, True)
    assert_same(np.isclose(x, y, equal_nan=True), np.array([True, True]))
    assert (np.array_equal(x, x), np.array_equal(x, x, equal_nan=True)) == (False, True)


def test_isclose_and_allclose_take_variables_as_tolerances():
    x = variable(1.0, 2.0)
    assert_same(np.isclose(x, 1.5, 0.0, variable(0.5, 0.4)), np.array([True, False]))


def test_array_equal_and_array_equiv_differ_for_arrays_that_broadcast():
    x = Variable(np.full((2, 2), 3.0))
    assert not np.array_equal(x, variable(3.0, 3.0))
    assert np.array_equiv(x, variable(3.0, 3.0))
    assert not np.array_equiv(x, variable(3.0, 3.0, 3.0))


def test_plain_functions_take_variables_in_lists_and_tuples():
    one, two = Variable(np.array(1.0)), Variable(np.array(2.0))
    assert_same(elementwise.isin(one, [(two, one)]), np.array(True))
    assert_same(elementwise.isfinite((one, [two][0])), np.array([True, True]))
    assert elementwise.array_equal(a1=[one, two], a2=(1.0, 2.0))


def test_searchsorted_takes_variables_as_every_argument():
    x = variable(3.0, 1.0, 2.0)
    order = Variable(np.argsort(x.data))
    for got in (
        np.searchsorted(x, variable(2.0, 9.0), "right", order),
        x.searchsorted(variable(2.0, 9.0), side="right", sorter=order),
        np.searchsorted(np.array([1.0, 2.0, 3.0]), variable(2.0, 9.0), side="right"),
    ):
        assert_same(got, np.array([2, 3]))
    assert_same(np.digitize(2.0, variable(1.0, 2.0, 3.0), right=True), np.intp(1))
    assert_same(np.isin(x, variable(1.0), invert=True), np.array([True, False, True]))
    assert_same(x.nonzero()[0], np.arange(3))


def test_functions_that_find_dtypes_take_variables():
    x = Variable(np.zeros(2, np.float32))
    assert np.result_type(x, 1.0) == np.float32
    assert np.result_type(np.int64, x) == np.float64
    assert np.can_cast(x, np.float16, "same_kind")
    assert not np.can_cast(x, np.float16)


@pytest.mark.parametrize(
    ("call", "error", "message", "note"),
    [
        (
            lambda x: np.logical_and(x, np.ones(3)),
            ValueError,
            "broadcast",
            "logical_and of plugin",
        ),
        (lambda x: np.allclose(x, b=np.ones(3)), ValueError, "broadcast", "float64[2], float64[3]"),
        (lambda x: np.digitize(x, [0, 2, 1]), ValueError, "monotonic", "float64[2], [0, 2, 1]"),
        (lambda x: np.searchsorted(x, 1.0, "middle"), ValueError, "side", "1.0, 'middle'"),
        (lambda x: x.searchsorted(1.0, sorter=[1.5]), TypeError, "sorter", "[1.5]"),
        (lambda x: np.isneginf(Variable(x.data * 1j)), TypeError, "ambiguous", "complex128[2]"),
        (lambda x: np.signbit(Variable(x.data * 1j)), TypeError, "not supported", "signbit"),
        (lambda x: np.can_cast(x, "nonsense"), TypeError, "nonsense", "can_cast"),
        (lambda x: np.isposinf(x, out=np.zeros(2, bool)), TypeError, "takes no out=", "isposinf"),
        (lambda x: np.isneginf(x, np.zeros(2, bool)), TypeError, "takes no out=", "isneginf"),
    ],
)
def test_errors_of_plain_functions_are_numpys_with_a_note(call, error, message, note):
    x = variable(1.0, 2.0)
    with pytest.raises(error, match=message) as caught:
        call(x)
    assert type(caught.value).__mro__[0] in (error, caught.type)
    (line,) = caught.value.__notes__
    assert note in line
    assert f"called at {__file__}" in line


def test_plain_functions_record_nothing():
    x = variable(1.0, 2.0)
    y = x * x
    np.isclose(y, x)
    np.nonzero(y)
    y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])
