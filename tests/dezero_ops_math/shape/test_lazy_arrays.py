"""Over arrays without values elements go to places that nobody knows yet, with their gradients.

The samples of these operations keep away from ties, and have conditions and positions of NumPy's.
"""

import numpy as np
import pytest
from dezero_tools.testing.array_types import registered
from dezero_tools.testing.strict import StrictArray

from dezero_core import Variable, grad
from dezero_ops_math import shape

RNG = np.random.default_rng(3)
TABLE, LINE = RNG.random((4, 5)), RNG.random(6)
TIES = np.array([2.0, 1.0, 2.0, 2.0, 0.5, 1.0])
KNOTS = np.array([0.0, 0.25, 0.25, 1.0])
WITH_ENDS = np.array([-0.5, 0.0, 0.1, 0.25, 1.0, 1.5])


def numbers(condition):
    return condition.astype(int)


#: Name -> a calculation with a Variable and a function that makes arrays of its type, and the data.
CASES = {
    "where": (lambda x, made: np.where(x > 0.5, x * x, made(TABLE)), TABLE),
    "where, of ndarrays": (lambda x, _: np.where(x > 0.5, TABLE, 2.0) * x, TABLE),
    "select": (lambda x, _: np.select([x > 0.5, x > 0.2], [x * x, x * x * x]), TABLE),
    "select, default": (lambda x, _: shape.select([TABLE > 0.5], [TABLE], x * x), TABLE),
    "choose": (lambda x, _: np.choose(numbers(x > 0.5), [x * x, x * x * x]), TABLE),
    "choose a row": (lambda x, _: shape.choose([1, 0, 3, 1, 1], x * x), TABLE),
    "take": (lambda x, _: np.take(x * x, np.argsort(x)), LINE),
    "take twice": (lambda x, _: np.take(x * x, numbers(x > 0.5)), TABLE),
    "take rows": (lambda x, _: np.take(x * x, np.argsort(x[:, 0]) - 7, 0, mode="wrap"), TABLE),
    "take of an ndarray": (lambda x, _: np.take(Variable(LINE), np.argsort(x)) * x, LINE),
    "take_along_axis": (lambda x, _: np.take_along_axis(x * x, np.argsort(x, 1), 1), TABLE),
    "greatest": (
        lambda x, _: np.take_along_axis(x * x, np.argmax(x, 0, keepdims=True), 0),
        TABLE,
    ),
    "flattened": (lambda x, _: np.take_along_axis(x * x, np.argsort(x, None), None), TABLE),
    "complex": (lambda x, _: np.take_along_axis(x * x, np.argsort(x.real), 0), LINE * (1 + 2j)),
    "compress": (lambda x, _: np.compress(x > 0.5, x * x), LINE),
    "extract": (lambda x, _: np.extract(x > 0.5, x * x), TABLE),
    "delete": (lambda x, _: np.delete(x * x, np.argmax(x)), LINE),
    "delete every second": (lambda x, _: np.delete(x * x, slice(None, None, 2)), LINE),
    "sort": (lambda x, _: np.sort(x) ** 2, TIES),
    "sort with nan": (lambda x, _: np.sort(x), np.array([2.0, np.nan, 1.0, np.nan])),
    "sort columns": (lambda x, _: np.sort(x, 0) ** 2, np.round(4 * TABLE)),
    "partition": (lambda x, _: np.partition(x, 3) ** 2, TIES),
    "partition all": (lambda x, _: np.partition(x, 7, None) ** 2, np.round(4 * TABLE)),
    "interp at points": (lambda x, _: np.interp(x, KNOTS, LINE[:4]), WITH_ENDS),
    "interp, ends": (lambda x, _: np.interp(x, KNOTS, LINE[:4], 1.0, 2.0), WITH_ENDS),
    "interp between": (lambda x, _: np.interp(WITH_ENDS, x, LINE[:4]), KNOTS),
    "interp of values": (lambda x, _: np.interp(WITH_ENDS, KNOTS, x * x), LINE[:4]),
    "interp, period": (lambda x, _: np.interp(x, x, x * x, period=0.7), LINE),
    "even spacing": (lambda x, made: np.gradient(x * x, made(np.arange(6.0))), LINE),
    "spacing": (lambda x, made: np.gradient(x * x, made(np.arange(6.0) ** 2), edge_order=2), LINE),
    "parts that overlap": (lambda x, _: np.concatenate(np.split(x * x, [4, -5, 2])), LINE),
    "repeat": (lambda x, _: np.repeat(x * x, [2, 0, 3, 1], 0), TABLE),
    "no difference": (lambda x, _: np.diff(x * x), LINE[:1]),
    "meshgrid": (lambda x, _: np.multiply(*np.meshgrid(x * x, LINE)), LINE),
    "broadcast_arrays": (lambda x, _: np.add(*np.broadcast_arrays(x * x, Variable(LINE))), LINE),
}


def derived(function, array, made):
    """Return the values, the gradient and, if there is one, the second gradient."""
    x = Variable(made(array))
    y = function(x, made)
    weights = np.random.default_rng(0).uniform(0.5, 1.0, y.shape).astype(y.dtype)
    gx = grad(y, x, True, Variable(made(weights)))
    found = [y.data, grad(y, x, grad_outputs=made(weights)), gx.data]
    if gx.creator is not None:
        found.append(grad(gx, x, grad_outputs=made(array)))
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("bits", [32, 64])
def test_elements_and_gradients_find_their_places_without_values(name, bits):
    function, array = CASES[name]
    array = array.astype(f"{array.dtype.kind}{bits // 8 * (1 + (array.dtype.kind == 'c'))}")
    with registered("strict"):
        truth = derived(function, array, np.asarray)
        got = derived(function, array, StrictArray)
    for right, y in zip(truth, got, strict=True):
        assert isinstance(y, StrictArray)
        assert y.dtype == right.dtype
        np.testing.assert_allclose(y._values, right, rtol=1e-12 if bits == 64 else 1e-5)


def test_outputs_for_ndarrays_are_of_the_type_beside_them():
    with registered("strict"):
        x, y = Variable(StrictArray(LINE)), Variable(LINE)
        for found in (np.meshgrid(x, y), np.broadcast_arrays(y, 2, x), np.atleast_2d(y, x)):
            assert all(isinstance(z.data, StrictArray) for z in found)
        assert found[0].dtype == y.dtype
