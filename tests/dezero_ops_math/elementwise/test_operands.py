"""What functions of one and two real or complex numbers take, and what they refuse."""

import numpy as np
import pytest

import dezero_ops_math
from dezero_core import Variable

ONE = [
    "arccos",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctanh",
    "cbrt",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log10",
    "log1p",
    "log2",
    "rad2deg",
    "radians",
    "reciprocal",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "tan",
    "tanh",
]
TWO = ["arctan2", "hypot", "logaddexp", "logaddexp2"]
REAL_ONLY = ["cbrt", "deg2rad", "degrees", "rad2deg", "radians"]


@pytest.mark.parametrize("name", [*ONE, *TWO])
@pytest.mark.parametrize("operand", [None, "1", ["1"]], ids=repr)
def test_elementwise_functions_refuse_an_operand_that_is_no_array(name, operand):
    operands = [operand] if name in ONE else [Variable(np.array(1.0)), operand]
    with pytest.raises(TypeError, match="is not supported: a"):
        getattr(dezero_ops_math, name)(*operands)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("number", [0.5, np.float32(0.5), np.array(0.5)], ids=repr)
def test_elementwise_functions_of_a_number_give_the_number_of_numpy(name, number):
    y = getattr(dezero_ops_math, name)(number)
    np.testing.assert_array_equal(y, getattr(np, name)(number), strict=True)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("number", [2, 2.0, np.int64(2), np.array([2, 3])], ids=repr)
def test_elementwise_functions_of_two_operands_take_a_number_on_either_side(name, number):
    function, array = getattr(dezero_ops_math, name), np.array([0.5, 1.5])
    for order in (1, -1):
        x = Variable(array)
        y = function(*[x, number][::order])
        y.backward()
        np.testing.assert_array_equal(y.data, getattr(np, name)(*[array, number][::order]))
        both = [Variable(array), Variable(np.asarray(number, float))]
        function(*both[::order]).backward()
        np.testing.assert_array_equal(x.grad, both[0].grad)


@pytest.mark.parametrize("name", [*REAL_ONLY, "arctan2", "hypot", "logaddexp", "logaddexp2"])
def test_elementwise_functions_without_a_complex_form_refuse_complex_numbers(name):
    operands = [Variable(np.array([1j, 2j]))] * (1 if name in ONE else 2)
    with pytest.raises(TypeError, match=name) as caught:
        getattr(dezero_ops_math, name)(*operands)
    assert "complex128[2]" in caught.value.__notes__[0]
    assert operands[0].grad is None


@pytest.mark.parametrize("name", [name for name in ONE if name != "sinc"])
def test_elementwise_functions_refuse_out_by_name(name):
    with pytest.raises(TypeError, match=rf"np\.{name} .* takes no out="):
        getattr(np, name)(Variable(np.array([0.5])), out=np.zeros(1))
