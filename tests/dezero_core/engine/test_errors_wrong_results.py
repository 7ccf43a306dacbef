"""Functions that break their contract: who, which rule, what was got, for which input.

Promise: docs/how_to/write_an_operation.md
"""

import sys

import numpy as np
import pytest

from dezero_core import (
    DezeroError,
    Function,
    GradientError,
    Variable,
    VariableTypeError,
    grad,
    hookimpl,
    register,
    unregister,
)


def function_whose_backward_returns(gradients, name="Wrong"):
    """Return a class; `gradients` is called with the output's gradient."""

    class Wrong(Function):
        def forward(self, x0, x1):
            return x0 * x1

        def backward(self, gy):
            return gradients(gy)

    Wrong.__name__ = name
    return Wrong


def operands():
    """Return inputs of the shapes (3,) and (2, 3), with gradients from before."""
    x0, x1 = Variable(np.ones(3)), Variable(np.ones((2, 3)))
    x0.grad, x1.grad = np.full(3, 5.0), None
    return x0, x1


WRONG_GRADIENTS = {
    "too few": (lambda gy: gy, 1, "returned 1 gradients for 2 inputs"),
    "too few in a tuple": (lambda gy: (gy,), 1, "returned 1 gradients for 2 inputs"),
    "none at all": (lambda gy: (), 0, "returned 0 gradients for 2 inputs"),
    "too many": (lambda gy: (gy, gy, gy), 2, "returned 3 gradients for 2 inputs"),
    "no return": (lambda gy: None, 0, "returned None for input 0"),
    "a list": (lambda gy: [gy, gy], 0, "return a tuple of 2 gradients"),
    "shape of nothing": (
        lambda gy: (np.ones(7), gy),
        0,
        r"shape (7,) for input 0 of shape (3,); expected (3,) or the output shape (2, 3)",
    ),
    "shape of nothing, second": (
        lambda gy: (gy, np.ones((3, 2))),
        1,
        r"shape (3, 2) for input 1 of shape (2, 3); expected (2, 3)",
    ),
    "broadcastable": (lambda gy: (gy, np.ones(3)), 1, "shape (3,) for input 1 of shape (2, 3)"),
    "beyond the output": (
        lambda gy: (np.ones((4, 2, 3)), gy),
        0,
        "shape (4, 2, 3) for input 0 of shape (3,)",
    ),
    "0-d": (lambda gy: (np.array(1.0), gy), 0, "shape () for input 0 of shape (3,)"),
    "a number": (lambda gy: (1.0, gy), 0, "<class 'float'> for input 0"),
    "a list inside": (lambda gy: (gy, [1.0]), 1, "<class 'list'> for input 1"),
    "a text": (lambda gy: ("gradient", gy), 0, "<class 'str'> for input 0"),
    "a class": (lambda gy: (gy, np.ndarray), 1, "for input 1"),
    "a mask": (lambda gy: (gy, np.ma.array(np.ones((2, 3)))), 1, "MaskedArray'> for input 1"),
    "a matrix": (lambda gy: (gy, np.ones((2, 3)).view(np.matrix)), 1, "matrix'> for input 1"),
    "objects": (lambda gy: (np.array([None] * 3), gy), 0, "an array of object for input 0"),
    "texts": (lambda gy: (gy, np.full((2, 3), "a")), 1, "an array of <U1 for input 1"),
}


@pytest.mark.parametrize("case", WRONG_GRADIENTS)
def test_a_wrong_gradient_is_refused_with_function_rule_and_input(case):
    gradients, index, message = WRONG_GRADIENTS[case]
    function = function_whose_backward_returns(gradients)
    x0, x1 = operands()
    y = function()(x0, x1)
    with pytest.raises(GradientError) as caught:
        y.backward()
    error = caught.value
    assert str(error).startswith("Wrong.backward")
    assert message in str(error)
    assert (error.function, error.index) == (function, index)
    assert isinstance(error, (DezeroError, ValueError))
    np.testing.assert_array_equal(x0.grad, np.full(3, 5.0))
    assert (x1.grad, y.grad) == (None, None)
    with pytest.raises(GradientError):
        grad(y, [x0, x1])


@pytest.mark.parametrize("case", WRONG_GRADIENTS)
def test_a_wrong_gradient_is_refused_under_create_graph(case, operators):
    function = function_whose_backward_returns(WRONG_GRADIENTS[case][0])
    x0, x1 = operands()
    with pytest.raises((GradientError, VariableTypeError)) as caught:
        function()(x0, x1).backward(create_graph=True)
    assert x1.grad is None
    if isinstance(caught.value, GradientError):
        assert caught.value.function is function
        assert "Wrong.backward" in str(caught.value)


@pytest.mark.parametrize(
    "gradients",
    [
        lambda gy: (gy, gy),
        lambda gy: (gy.sum(axis=0), gy),
        lambda gy: (gy.astype(int), gy.astype(np.float32)),
        lambda gy: (gy.sum(axis=0) > 0, gy),
        lambda gy: (Variable(gy), Variable(gy)),
    ],
    ids=["of the output", "of the input", "integer and single", "boolean", "variables"],
)
def test_gradients_in_the_shape_of_input_or_output_and_any_dtype_are_accepted(gradients):
    x0, x1 = operands()
    x0.cleargrad()
    function_whose_backward_returns(gradients)()(x0, x1).backward()
    assert (x0.grad.dtype, x1.grad.dtype) == (float, float)
    np.testing.assert_array_equal(x1.grad, np.ones((2, 3)))
    np.testing.assert_array_equal(np.minimum(x0.grad, 1.0), np.ones(3))


def test_a_numpy_scalar_is_accepted_as_the_gradient_of_a_0d_input():
    x = Variable(np.array(2.0))
    function_whose_backward_returns(lambda gy: (np.float64(3.0), None))()(x, 1.0).backward()
    assert (type(x.grad), x.grad.shape, x.grad.item()) == (np.ndarray, (), 3.0)


def test_an_error_of_a_function_without_backward_says_to_define_backward():
    class Cube(Function):
        def forward(self, x):
            return x**3

    x = Variable(np.array(2.0))
    y = Cube()(x)
    assert y.data == 8.0
    with pytest.raises(GradientError, match=r"Cube.*define backward\(self, \*gys\)") as caught:
        y.backward()
    assert (caught.value.function, caught.value.index) == (Cube, 0)
    assert isinstance(caught.value, NotImplementedError)
    assert x.grad is None


@pytest.mark.parametrize(
    ("result", "got"),
    [
        (None, "NoneType"),
        ("text", "<U4"),
        ([np.ones(2)], "list"),
        (np.array([None]), "object"),
        (object(), "object"),
        (Variable(np.ones(2)), "Variable"),
        ((np.ones(2), None), "NoneType"),
        ((), "tuple"),
    ],
    ids=[
        "None",
        "text",
        "list",
        "objects",
        "object",
        "variable",
        "inside",
        "()",
    ],
)
def test_a_wrong_result_of_forward_is_refused_with_function_and_result(result, got):
    class Rubbish(Function):
        def forward(self, x):
            return result

    with pytest.raises(VariableTypeError) as caught:
        Rubbish()(Variable(np.ones(2)))
    assert str(caught.value).startswith("Rubbish.forward")
    assert got in str(caught.value)


@pytest.mark.parametrize(
    "result",
    [
        np.ma.masked_array([1.0, 2.0], mask=[True, False]),
        np.ma.masked_array([1.0, 2.0]),
        np.ma.masked_array([1.0, 2.0]).sum(keepdims=True),
    ],
    ids=["with a mask", "without", "sum"],
)
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a tuple"])
@pytest.mark.parametrize("number", [1, 2], ids=["of one", "of two"])
def test_a_masked_result_of_forward_is_refused_and_not_stripped_of_its_mask(result, inside, number):
    class Masked(Function):
        def forward(self, *xs):
            return (xs[0], result) if inside else result

    with pytest.raises(VariableTypeError, match=r"must return an ndarray.*MaskedArray") as caught:
        Masked()(*[Variable(np.ones(2))] * number)
    assert caught.value.got is np.ma.MaskedArray
    (note,) = caught.value.__notes__
    assert f"in Masked.forward of module {__name__}, given float64[2]" in note


def test_a_matrix_as_result_of_forward_is_refused():
    class Matrix(Function):
        def forward(self, x):
            return x.view(np.matrix)

    with pytest.raises(VariableTypeError, match=r"Matrix.forward.*must return an ndarray.*matrix"):
        Matrix()(Variable(np.ones((2, 2))))


class Plugin:
    def __init__(self, function_class):
        self.function_class = function_class

    @hookimpl
    def dezero_register_ops(self, register):
        register("wrong", lambda x0, x1: self.function_class()(x0, x1), self.function_class)


@pytest.mark.parametrize(
    "gradients", [lambda gy: gy, lambda gy: (np.ones(7), gy), lambda gy: (1.0, gy)]
)
def test_an_error_of_a_wrong_function_names_its_plugin(gradients):
    function = function_whose_backward_returns(gradients)
    plugin = Plugin(function)
    register(plugin, name="wrong-ops")
    try:
        with pytest.raises(GradientError, match="plugin 'wrong-ops'"):
            function()(*operands()).backward()
    finally:
        unregister(plugin)


def test_an_error_of_a_wrong_function_of_no_plugin_names_its_module():
    function = function_whose_backward_returns(lambda gy: gy)
    with pytest.raises(GradientError, match=function.__module__):
        function()(*operands()).backward()


def line_here(offset=0):
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno + offset}"


def check_note(error, method, given, where):
    """The one note on an error says of whom it is, with what, and called from where."""
    (note,) = error.__notes__
    assert note.startswith(f"in {method} of plugin 'wrong-ops' ({__name__}), given {given}, called")
    assert note.partition(" called at ")[2].partition(";")[0] == where


@pytest.mark.parametrize("case", WRONG_GRADIENTS)
def test_the_note_on_a_wrong_gradient_names_function_arrays_and_calling_line(case, registered):
    function = function_whose_backward_returns(WRONG_GRADIENTS[case][0])
    registered(Plugin(function), "wrong-ops")
    xs = operands()
    y = function()(*xs)
    with pytest.raises(GradientError) as caught:
        y.backward()
    check_note(caught.value, "Wrong.backward", "float64[2, 3]", line_here(-1))
    with pytest.raises(GradientError) as caught:
        grad(y, xs)
    check_note(caught.value, "Wrong.backward", "float64[2, 3]", line_here(-1))


class Hides(Function):
    """Puts an array aside."""

    def forward(self, x0, x1):
        self.kept = x0
        return x0 * x1

    def backward(self, gy):
        return gy, gy


class Loses(Hides):
    """Computes no graph."""

    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        return np.ones(gy.shape), gy


@pytest.mark.parametrize("function", [Hides, Loses])
def test_the_note_on_a_lost_graph_names_function_arrays_and_calling_line(function, registered):
    registered(Plugin(function), "wrong-ops")
    y = function()(*operands())
    with pytest.raises(GradientError, match=f"{function.__name__}.* 'wrong-ops'") as caught:
        y.backward(create_graph=True)
    where = line_here(-1)
    check_note(caught.value, f"{function.__name__}.backward", "float64[2, 3]", where)


RUBBISH = [None, "text", [np.ones(2)], (np.ones(2), None), np.array([None])]


@pytest.mark.parametrize("result", RUBBISH, ids=["None", "text", "list", "inside", "objects"])
def test_the_note_on_a_wrong_result_names_function_arrays_and_calling_line(result, registered):
    class Rubbish(Function):
        def forward(self, x0, x1):
            return result

    registered(Plugin(Rubbish), "wrong-ops")
    xs = operands()
    with pytest.raises(VariableTypeError) as caught:
        Rubbish()(*xs)
    check_note(caught.value, "Rubbish.forward", "float64[3], float64[2, 3]", line_here(-1))
