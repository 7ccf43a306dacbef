"""Reductions over lazy arrays take the general way: right also where ndarrays take a short one."""

import numpy as np
import pytest
from dezero_tools.testing.strict import STRICT, StrictArray

import dezero_ops_math
from dezero_core import Variable, VariableTypeError, grad

inf, nan = np.inf, np.nan
DATA = {
    "plain": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    "equal": [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]],
    "zeros": [[0.0, 2.0, 3.0], [0.0, 0.0, 4.0]],
    "infinite": [[inf, 1.0, 2.0], [inf, inf, 0.0]],
    "negative infinite": [[-inf, -inf, -inf], [0.0, -inf, inf]],
    "nan": [[nan, 1.0, 2.0], [nan, nan, nan]],
    "infinite and nan": [[0.0, 0.0, 0.0], [0.0, inf, nan]],
    "far": [[1e200, 1e200, 1e-300], [1e-320, 1.0, 2.0]],
    "wide": np.tile([[0.0, 2.0, 0.5], [inf, 1.0, nan]], (10, 15)),
}
NAMES = (
    "log_softmax logsumexp softmax max min nanmax nanmin ptp mean nanmean median nanmedian "
    "cumprod nancumprod nanprod prod nanstd std cumsum nancumsum nansum sum nanvar var"
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.usefixtures("strict_arrays"),
]


def derivatives(function, data, make):
    """Return result, gradient and second derivative at `data`, which `make` makes an array."""
    x = Variable(make(data))
    y = function(x)
    (gx,) = grad(y, [x], True, [Variable(make(np.linspace(1.0, 2.0, y.size).reshape(y.shape)))])
    (gxx,) = grad(np.sum(gx), [x]) if gx.creator else (make(np.zeros(x.shape)),)
    found = (y.data, gx.data, gxx)
    return [STRICT.to_numpy(z) if isinstance(z, StrictArray) else z for z in found]


def assert_same_over_strict_arrays(function, data):
    data = np.array(data)
    pairs = zip(
        derivatives(function, data, StrictArray), derivatives(function, data, np.array), strict=True
    )
    for got, expected in pairs:
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("name", NAMES.split())
def test_derivatives_over_lazy_arrays_are_those_of_ndarrays(name, axis, data):
    function = getattr(dezero_ops_math, name)
    assert_same_over_strict_arrays(lambda x: function(x, axis=axis), data)


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
@pytest.mark.parametrize("method", ["linear", "hazen", "weibull", "higher", "inverted_cdf"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_gradients_of_quantiles_of_lazy_arrays_are_those_of_ndarrays(name, method, data):
    function = getattr(dezero_ops_math, name)
    assert_same_over_strict_arrays(lambda x: function(x, [0.3, 0.5, 1.0], 1, method=method), data)


def test_the_loss_of_a_classifier_takes_lazy_rows_but_no_lazy_labels():
    x = Variable(StrictArray(DATA["plain"]))
    loss = dezero_ops_math.softmax_cross_entropy(x, [0, 2])
    assert isinstance(loss.data, StrictArray)
    with pytest.raises(VariableTypeError, match="a label needs values, and this strict array"):
        dezero_ops_math.softmax_cross_entropy(x, StrictArray([0, 2]))


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_derivatives_of_the_loss_over_lazy_rows_are_those_of_ndarrays(data):
    labels = np.arange(len(data)) % 3
    assert_same_over_strict_arrays(lambda x: dezero_ops_math.softmax_cross_entropy(x, labels), data)


def test_an_infinite_gradient_of_a_median_does_not_reach_the_neighbour_without_weight():
    a = Variable(np.array([[1.0, 1.0, 1.0], [2.0, 3.0, nan]]))
    y = dezero_ops_math.nanmedian(a, axis=1)
    (ga,) = grad(y, [a], grad_outputs=[np.array([inf, 1.0])])
    np.testing.assert_array_equal(ga, [[inf, inf, inf], [0.5, 0.5, 0.0]])
