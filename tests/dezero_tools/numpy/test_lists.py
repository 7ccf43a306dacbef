"""Lists of Variables in `dezero_tools.numpy`: values as NumPy's of the same numbers, gradients.

Promise: docs/coming_from/autograd.md
"""

import dezero_tools.numpy as np
import numpy
import pytest

from dezero_core import Variable, VariableTypeError, grad


def variable(*numbers, dtype=float):
    return Variable(numpy.array(numbers, dtype))


def number(value, dtype=float):
    return Variable(numpy.array(value, dtype))


def values(x):
    """Return nested lists with the numbers of Variables in their place."""
    return [values(item) for item in x] if isinstance(x, list) else getattr(x, "data", x)


X, Y, V, W = number(2.0), number(-3.0), variable(1.0, 4.0), variable(0.5, 6.0)

NESTED = {
    "of numbers": lambda x, v: [x, -3.0 * x, x],
    "with a constant": lambda x, v: [x, 1.0, 3],
    "with an array": lambda x, v: [x * v, numpy.array([7.0, 8.0])],
    "of rows": lambda x, v: [[x, 1], [2.0, x]],
    "of vectors": lambda x, v: [v, x * v],
    "of vectors and lists": lambda x, v: [v, [x, 5.0], [1.0, 2.0]],
    "of tuples": lambda x, v: (v, (x, 5.0)),
    "of one": lambda x, v: [[[x]]],
}


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("make", ["array", "asarray"])
def test_an_array_of_lists_with_variables_has_the_value_of_numpy_and_a_gradient(make, nested):
    x, v = number(2.0), variable(1.0, 4.0)
    y = getattr(np, make)(nested(x, v))
    expected = numpy.array(nested(x.data, v.data))
    numpy.testing.assert_array_equal(y.data, expected, strict=True)
    weights = numpy.arange(1.0, y.size + 1.0).reshape(y.shape)
    slope = numpy.array(nested(x.data + 1.0, v.data)) - expected  # it is linear in x
    numpy.testing.assert_allclose(grad(np.sum(y * weights), x), numpy.sum(slope * weights))


def test_an_array_of_a_variable_is_a_copy_in_the_same_graph():
    x = variable(1.0, 2.0)
    y = np.array(x)
    assert y is not x
    assert not numpy.shares_memory(y.data, x.data)
    numpy.testing.assert_array_equal(grad(y, x), [1.0, 1.0])
    assert np.asarray(x) is np.array(x, copy=None) is np.array(x, copy=False) is x


def test_dtype_and_ndmin_of_an_array_with_variables_are_as_in_numpy():
    y = np.array([X, 1.0], numpy.float32, ndmin=3)
    expected = numpy.array([2.0, 1.0], numpy.float32, ndmin=3)
    numpy.testing.assert_array_equal(y.data, expected, strict=True)
    numpy.testing.assert_array_equal(grad(y, X), 1.0)
    assert np.asarray(V, float) is V
    assert np.asarray(V, dtype=complex).dtype == complex
    assert np.array(V, ndmin=2).shape == (1, 2)
    assert np.array(V, ndmin=1).shape == (2,)


@pytest.mark.parametrize(
    "call",
    [
        lambda: np.array([X, 1.0], copy=False),
        lambda: np.asarray([X], copy=False),
        lambda: np.asarray(V, numpy.float32, copy=False),
    ],
)
def test_an_array_that_needs_a_copy_is_numpys_error_where_copies_are_forbidden(call):
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        call()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: np.array([X], order="F"), r"np\.array .*order="),
        (lambda: np.array(X, subok=True, order="C"), "subok=, order="),
        (lambda: np.asarray(X, None, "C"), r"np\.asarray .*'C'"),
        (lambda: np.full(2, X, order="C"), r"np\.full .*order="),
        (lambda: np.full(2, X, None, "C"), r"np\.full .*'C'"),
    ],
)
def test_options_of_memory_are_refused_by_name_with_a_variable(call, named):
    with pytest.raises(VariableTypeError, match=named):
        call()


RAGGED = [[X, V], [[X, 1.0], [2.0]], [[X], 1.0], [V, variable(1.0, 2.0, 3.0)]]


@pytest.mark.parametrize("nested", RAGGED, ids=["number", "rows", "depths", "vectors"])
@pytest.mark.parametrize("function", ["array", "asarray", "exp", "sum"])
def test_lists_of_unequal_lengths_are_numpys_error(function, nested):
    with pytest.raises(ValueError) as expected:  # noqa: PT011 (NumPy's, whatever it says)
        numpy.array(values(nested))
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        getattr(np, function)(nested)
    assert str(caught.value) == str(expected.value)


def test_an_array_filled_with_a_variable_sums_its_gradient():
    for shape, value in ((3, X), ((2, 3), X), ((3, 2), V), ((2, 2), [X, 1.0])):
        y = np.full(shape, value)
        expected = numpy.full(shape, values(value))
        numpy.testing.assert_array_equal(y.data, expected, strict=True)
    numpy.testing.assert_array_equal(grad(np.full((2, 3), X), X), 6.0)
    numpy.testing.assert_array_equal(grad(np.full((3, 2), V), V), [3.0, 3.0])
    assert np.full(2, X, numpy.float32).dtype == numpy.float32
    assert np.full(2, X, float).dtype == float
    with pytest.raises(ValueError, match="broadcast"):
        np.full((2, 3), V)


KEYS = {
    "numbers and vectors": (X, 1.0, V, W),
    "a slice": (V, slice(0, 2), W),
    "a slice of another length": (V, slice(0, 3), X),
    "steps of a slice": (slice(0.0, 1.0, 3j), V),
    "a list": (V, [X, 5.0], [1, 2]),
    "a string": ("0,2", V, W),
    "a string of three numbers": ("0,2,0", V, [1.0, 2.0]),
    "matrices": (Variable(numpy.ones((2, 2))), Variable(numpy.zeros((2, 2)))),
    "one": V,
}
#: Columns of these would have different lengths.
ONLY_OF_R = {"numbers and vectors", "a slice of another length", "steps of a slice"}


@pytest.mark.parametrize("name", ["r_", "c_"])
@pytest.mark.parametrize("kind", KEYS)
def test_r_and_c_join_variables_as_numpy_joins_their_numbers(name, kind):
    key = KEYS[kind]
    data = tuple(map(values, key)) if isinstance(key, tuple) else values(key)
    if name == "c_" and kind in ONLY_OF_R:
        for join, items in ((numpy.c_, data), (np.c_, key)):
            with pytest.raises(ValueError, match="dimensions except for the concatenation axis"):
                join[items]
        return
    y = getattr(np, name)[key]
    numpy.testing.assert_array_equal(y.data, getattr(numpy, name)[data], strict=True)


def test_the_gradient_of_r_and_c_goes_back_to_each_place():
    x, v = number(2.0), variable(1.0, 4.0)
    y = np.r_[v, x, 0:2, [x, 3.0]]
    assert repr(np.r_) == "np.r_"
    y.grad = numpy.array([1.0, 10.0, 100.0, 0.0, 0.0, 1000.0, 0.0])
    y.backward()
    numpy.testing.assert_array_equal(v.grad, [1.0, 10.0])
    numpy.testing.assert_array_equal(x.grad, 1100.0)
    v.cleargrad()
    y = np.c_[v, [5.0, 6.0], v]
    y.grad = numpy.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    y.backward()
    numpy.testing.assert_array_equal(v.grad, [4.0, 40.0])


def test_r_of_a_low_precision_variable_and_numbers_keeps_the_precision_as_in_numpy():
    x = variable(1.0, 2.0, dtype=numpy.float32)
    assert np.r_[x, 1.0, 2].dtype == numpy.r_[x.data, 1.0, 2].dtype == numpy.float32


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_r_refuses_to_make_a_matrix_of_a_variable():
    with pytest.raises(VariableTypeError, match=r"np\.r_ .*no matrix, as 'r' says"):
        np.r_["r", V]


CALLS = {
    "exp": lambda np, x, v: np.exp([x, 1.0]),
    "a keyword": lambda np, x, v: np.sum(a=[x, 2.0 * x]),
    "an axis": lambda np, x, v: np.sum([v, [x, 1.0]], axis=0),
    "two lists": lambda np, x, v: np.maximum([x, 1.0], [0.0, x]),
    "dot": lambda np, x, v: np.dot([x, 1.0], v),
    "where": lambda np, x, v: np.where([True, False], [x, 2.0], v),
    "norm": lambda np, x, v: np.linalg.norm([x, 3.0]),
    "det": lambda np, x, v: np.linalg.det([[x, 1.0], [2.0, x]]),
    "fft": lambda np, x, v: np.abs(np.fft.fft([x, 1.0, x])),
    "items": lambda np, x, v: np.concatenate([[x, 1.0, x], v]),
    "items of a tuple": lambda np, x, v: np.stack(([x, 1.0], v)),
    "items of hstack": lambda np, x, v: np.hstack([[x], v]),
    "items of vstack": lambda np, x, v: np.vstack([[x, 1.0], numpy.ones((2, 2))]),
    "items of dstack": lambda np, x, v: np.dstack([[x, 1.0], numpy.ones((1, 2, 2))]),
    "items of column_stack": lambda np, x, v: np.column_stack([[x, 1.0], numpy.ones((2, 2))]),
    "select": lambda np, x, v: np.select([v > 2.0, v > 0.0], [[x, x], 3.0 * x]),
    "choose": lambda np, x, v: np.choose([0, 1], [[x, x], 3.0 * x]),
    "multi_dot": lambda np, x, v: np.linalg.multi_dot([[x, 1.0], [[x, 0.0], [1.0, x]], v]),
    "block": lambda np, x, v: np.block([[x, v], [np.array([[x, 2.0 * x, 1.0]])]]),
    "meshgrid": lambda np, x, v: np.meshgrid([x, 1.0], v)[0],
    "einsum": lambda np, x, v: np.einsum("i,i", [x, 1.0], v),
    "polyval": lambda np, x, v: np.polyval([x, 1.0, x], v),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_functions_of_lists_have_the_value_of_numpy_and_the_gradient_of_the_stacked_list(call):
    x, v = number(2.0), variable(1.5, 4.0)
    y = call(np, x, v)
    numpy.testing.assert_allclose(y.data, call(numpy, x.data, v.data), rtol=1e-15)
    step = 1e-6
    ends = [numpy.sum(call(numpy, x.data + h, v.data)) for h in (step, -step)]
    numpy.testing.assert_allclose(grad(np.sum(y), x), (ends[0] - ends[1]) / (2.0 * step), rtol=1e-7)


def test_the_second_derivative_through_lists_is_right():
    """Of (x**2)**2 + 9 it is 12 x**2."""
    x = number(2.0)
    y = np.sum(np.array([x * x, 3.0]) ** 2.0)
    first = grad(y, x, create_graph=True)
    numpy.testing.assert_allclose(grad(first, x), 48.0, rtol=1e-14)


def test_a_list_of_integer_variables_is_stacked_where_an_array_is_made():
    n = number(3, int)
    y = np.array([n, 4])
    numpy.testing.assert_array_equal(y.data, numpy.array([3, 4]), strict=True)
    assert y.creator is None


def test_an_integer_variable_in_a_list_is_no_reason_to_stack_what_may_be_a_shape():
    seen = []

    def reshape(a, shape):
        seen.append(shape)

    function = type(np.exp)(reshape)
    shape = [number(1, int), 2]
    function(V, shape)
    assert seen[0] is shape
