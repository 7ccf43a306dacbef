"""NumPy's functions and Variables: differentiable by a plugin, or refused; nothing else.

Promise: docs/how_to/differences_from_numpy.md
"""

import numpy as np
import pytest

from dezero_core import (
    Function,
    MissingOperationError,
    Variable,
    VariableTypeError,
    hookimpl,
    plugins,
    unregister,
)


@pytest.fixture
def x():
    return Variable(np.array([1.0, 2.0]))


CONVERSIONS = {
    "asarray": lambda x: np.asarray(x),
    "array": lambda x: np.array(x),
    "array of a list": lambda x: np.array([x, x]),
    "array of a nested list": lambda x: np.array([[x], [x]]),
    "array of a list with a number": lambda x: np.array([1.0, x]),
    "array of objects": lambda x: np.array(x, dtype=object),
    "array of a list of objects": lambda x: np.array([x, x], dtype=object),
    "array of floats": lambda x: np.array(x, dtype=float),
    "without copy": lambda x: np.array(x, copy=None),
    "asanyarray": lambda x: np.asanyarray(x),
    "ascontiguousarray": lambda x: np.ascontiguousarray(x),
    "stack by hand": lambda x: np.array([*[x] * 3, np.ones(x.shape)]),
    "method of an array": lambda x: np.ones(2).dot(x),
    "masked": lambda x: np.ma.masked_array(x),
}


@pytest.mark.parametrize("conversion", CONVERSIONS)
@pytest.mark.parametrize("shape", [(), (2,), (2, 2)])
def test_a_variable_is_never_converted_to_an_ndarray_without_being_asked(conversion, shape):
    with pytest.raises(TypeError) as caught:
        CONVERSIONS[conversion](Variable(np.ones(shape)))
    if isinstance(caught.value, VariableTypeError):
        assert "x.data" in str(caught.value)


def test_elements_of_a_variable_are_not_assigned_to_an_array(x):
    a = np.zeros(2)
    with pytest.raises(VariableTypeError):
        a[:] = x
    np.testing.assert_array_equal(a, [0.0, 0.0])


def test_the_refusal_to_become_an_ndarray_names_the_data_attribute():
    with pytest.raises(TypeError, match=r"x\.data"):
        np.array([Variable(np.ones(2)), Variable(np.ones(2))])


@pytest.mark.parametrize("make", [lambda x: np.array([x, x]), lambda x: np.full((2, 2), x)])
def test_the_refusal_to_become_an_ndarray_says_what_keeps_the_gradient(x, make):
    with pytest.raises(VariableTypeError) as caught:
        make(x)
    assert "np.stack([x, y]) in place of np.array([x, y])" in str(caught.value)
    assert "np.broadcast_to(x, shape) in place of np.full(shape, x)" in str(caught.value)


#: No plugin is likely ever to provide these.
NOBODYS_UFUNCS = [np.nextafter, np.ldexp, np.gcd, np.isnat]


@pytest.mark.parametrize("ufunc", NOBODYS_UFUNCS, ids=lambda f: f.__name__)
def test_a_ufunc_that_nobody_provides_is_refused_by_name(x, ufunc):
    with pytest.raises(MissingOperationError, match=rf"np\.{ufunc.__name__}") as caught:
        ufunc(*[x] * ufunc.nin)
    assert caught.value.operation == ufunc.__name__
    # The rule takes every function of NumPy for one of the package that has most of them. Once that
    # is loaded, nobody is said to have it.
    distribution = "dezero-ops-math"
    loaded = distribution in {p.distribution for p in plugins() if p.state == "loaded"}
    assert caught.value.distribution == (None if loaded else distribution)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: np.histogram(x), "histogram"),
        (lambda x: np.corrcoef(x), "corrcoef"),
        (lambda x: np.packbits(x), "packbits"),
        (lambda x: np.array_equiv(x, x), "array_equiv"),
        (lambda x: np.array_equiv(np.ones(2), x), "array_equiv"),
        (lambda x: np.linalg.matrix_rank(x), "linalg.matrix_rank"),
        (lambda x: np.fft.fftshift(x, axes=0), "fft.fftshift"),
        (lambda x: np.busday_count(x, x), "busday_count"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_array_function_that_nobody_provides_is_refused_by_name(x, core_alone, function, name):
    with pytest.raises(MissingOperationError, match=rf"np\.{name}") as caught:
        function(x)
    assert caught.value.operation == name


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "outer"])
def test_a_method_of_a_ufunc_is_refused_by_name(x, operators, method):
    """Also where the ufunc itself is provided."""
    others = {"outer": [x], "reduceat": [[0]]}.get(method, [])
    with pytest.raises(TypeError, match=rf"np\.add\.{method}"):
        getattr(np.add, method)(x, *others)


@pytest.mark.parametrize(
    "write",
    [
        lambda a, x: np.add(a, x, out=a),
        lambda a, x: np.add(x, x, out=a),
        lambda a, x: np.sin(x, a),
        lambda a, x: np.add(a, a, out=x),
        lambda a, x: a.__iadd__(x),
        lambda a, x: a.__imul__(x),
    ],
    ids=["array", "of two", "positional", "into a variable", "+=", "*="],
)
@pytest.mark.parametrize("loaded", [True, False], ids=["operators", "core alone"])
def test_out_of_a_ufunc_and_in_place_operators_write_nothing_into_an_array(
    x, request, write, loaded
):
    request.getfixturevalue("operators" if loaded else "core_alone")
    a = np.array([10.0, 20.0])
    with pytest.raises(TypeError, match=r"out=.*a = a \+ x"):
        write(a, x)
    np.testing.assert_array_equal(a, [10.0, 20.0])
    np.testing.assert_array_equal(x.data, [1.0, 2.0])


@pytest.mark.parametrize("keyword", [{"where": np.array([True, False])}, {"dtype": np.float32}])
def test_a_keyword_of_numpy_that_a_plugin_does_not_know_is_refused_by_name(x, operators, keyword):
    (name,) = keyword
    with pytest.raises(TypeError, match=name):
        np.sin(x, **keyword)


def test_a_ufunc_that_a_plugin_provides_is_differentiable(x, operators):
    y = np.sin(x)
    assert type(y) is Variable
    y.backward()
    np.testing.assert_allclose(x.grad, np.cos([1.0, 2.0]), rtol=1e-15)


@pytest.mark.parametrize(
    "other",
    [np.array([3.0, 4.0]), np.float64(3.0), 3.0, 3],
    ids=["array", "scalar", "float", "int"],
)
def test_an_operator_with_a_variable_on_the_right_works_with_anything_on_the_left(
    x, operators, other
):
    y = other * x
    assert type(y) is Variable
    y.backward()
    np.testing.assert_array_equal(y.data, other * np.array([1.0, 2.0]))
    np.testing.assert_array_equal(x.grad, other * np.ones(2))


class Roll(Function):
    saves = ()

    def __init__(self, shift):
        self.shift = shift

    def forward(self, x):
        return np.roll(x, self.shift)

    def backward(self, gy):
        return Roll(-self.shift).of(gy)


def roll(a, shift, axis=None):
    assert axis is None
    return Roll(shift)(a)


class RollPlugin:
    @hookimpl
    def dezero_register_ops(self, register):
        register("test roll", roll, Roll, numpy=np.roll)


@pytest.fixture
def np_roll(core_alone, registered):
    registered(RollPlugin(), "roll")


def test_an_array_function_that_a_plugin_provides_is_differentiable(np_roll):
    x = Variable(np.array([1.0, 2.0, 3.0]))
    for y in (np.roll(x, 1), np.roll(x, shift=1), np.roll(shift=1, a=x)):
        np.testing.assert_array_equal(y.data, [3.0, 1.0, 2.0])
        x.cleargrad()
        y.grad = np.array([10.0, 20.0, 30.0])
        y.backward()
        np.testing.assert_array_equal(x.grad, [20.0, 30.0, 10.0])


def test_an_array_function_is_refused_after_its_plugin_is_unregistered(np_roll):
    x = Variable(np.array([1.0, 2.0, 3.0]))
    np.roll(x, 1)
    unregister("roll")
    with pytest.raises(MissingOperationError, match=r"np\.roll"):
        np.roll(x, 1)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_shape_ndim_and_size_are_answered_without_a_plugin(core_alone, shape):
    x = Variable(np.ones(shape))
    assert (np.shape(x), np.ndim(x), np.size(x)) == (shape, len(shape), int(np.prod(shape)))


def test_the_size_along_an_axis_is_answered_without_a_plugin(core_alone):
    x = Variable(np.ones((2, 3)))
    assert (np.size(x, 0), np.size(x, axis=1)) == (2, 3)


def test_without_plugins_variable_has_neither_operators_nor_array_priority(core_alone):
    assert not hasattr(Variable, "__array_priority__")
    x, y = Variable(np.ones(2)), Variable(np.ones(2))
    for operation in (lambda: x + y, lambda: np.ones(2) + x, lambda: np.sin(x), lambda: -x):
        with pytest.raises(MissingOperationError, match="dezero-ops-"):
            operation()
    assert [x == x, x == y, x != y] == [True, False, True]


def test_a_keyword_of_a_ufunc_reaches_a_function_with_that_parameter(core_alone, registered):
    """Of generalized ufuncs ``axis`` has a meaning."""
    seen = []

    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("own", lambda x0, x1, axis=-1: seen.append(axis), numpy=np.vecdot)

    registered(Plugin(), "own")
    x = Variable(np.ones(2))
    np.vecdot(x, x, axis=0)
    assert seen == [0]
    with pytest.raises(VariableTypeError, match=r"np\.vecdot .* takes no dtype=") as caught:
        np.vecdot(x, x, axis=0, dtype=float)
    assert caught.value.got == ("dtype",)
