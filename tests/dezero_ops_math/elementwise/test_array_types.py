"""Functions of elements over arrays of another type: zeros, infinities, ties and branch cuts."""

import numpy as np
import pytest
from dezero_ops_math.arguments import as_operand
from dezero_tools.testing.strict import STRICT, StrictArray

import dezero_ops_math
from dezero_core import Variable, grad

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.3, -2.0, 1e-200, 1e200, 5e-324, np.inf, -np.inf, np.nan, 709.0]
PARTS = [0.0, -0.0, 1.0, -2.5, np.inf, np.nan]
COMPLEX = [complex(a, b) for a in PARTS for b in PARTS]

pytestmark = [
    pytest.mark.usefixtures("strict_arrays"),
    pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning"),
]


def gradients(function, arrays, make, gradient=1.0):
    """Return the gradients of a function at `arrays`, which `make` makes, as ndarrays."""
    xs = [Variable(make(array)) for array in arrays]
    y = function(*xs)
    gys = make(np.full(y.shape, gradient, y.dtype))
    return [STRICT.to_numpy(g) if make is StrictArray else g for g in grad(y, xs, grad_outputs=gys)]


def assert_equal_over_both(function, *arrays, gradient=1.0):
    for got, expected in zip(
        gradients(function, arrays, StrictArray, gradient),
        gradients(function, arrays, np.array, gradient),
        strict=True,
    ):
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("name", ["sinc", "arctan", "arcsinh", "relu", "sigmoid", "nan_to_num"])
def test_gradients_of_one_operand_are_those_of_ndarrays_at_the_limits(name):
    assert_equal_over_both(getattr(dezero_ops_math, name), np.array(SPECIAL))


@pytest.mark.parametrize(
    "name", ["maximum", "minimum", "fmax", "fmin", "hypot", "arctan2", "logaddexp", "logaddexp2"]
)
def test_gradients_of_two_operands_are_those_of_ndarrays_at_the_limits(name):
    function = getattr(dezero_ops_math, name)
    assert_equal_over_both(function, np.array(SPECIAL)[:, None], np.array(SPECIAL))
    assert_equal_over_both(lambda x: function(x, 0.5), np.array(SPECIAL))
    assert_equal_over_both(lambda x: function(0.5, x), np.array(SPECIAL))


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (None, 1.0)])
def test_gradients_of_clip_are_those_of_ndarrays_in_any_order_of_bounds(bounds):
    assert_equal_over_both(lambda x: dezero_ops_math.clip(x, *bounds), np.array(SPECIAL))


@pytest.mark.parametrize(
    ("name", "gradient"),
    [("arcsinh", 1.0), ("arcsinh", np.inf), ("angle", 1.0), ("angle", np.inf), ("nan_to_num", 1.0)],
)
def test_gradients_of_complex_numbers_are_those_of_ndarrays_on_branch_cuts(name, gradient):
    function = getattr(dezero_ops_math, name)
    assert_equal_over_both(function, np.array(COMPLEX), gradient=gradient)


def test_relu_of_complex_numbers_is_refused():
    with pytest.raises(TypeError, match="takes real numbers"):
        dezero_ops_math.relu(Variable(StrictArray([1.0j])))


def test_a_list_of_arrays_of_another_type_is_stacked():
    stacked = as_operand([StrictArray(1.0), 3.0])
    assert type(stacked) is StrictArray
    np.testing.assert_array_equal(STRICT.to_numpy(stacked), [1.0, 3.0])
