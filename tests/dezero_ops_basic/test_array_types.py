"""Operators over arrays of another type than ndarray: as the kit checks them, and at the limits.

Promise: docs/array_types.md
"""

import numpy as np
import pytest
from dezero_tools.testing.strict import STRICT, StrictArray

from dezero_core import Variable, VariableTypeError, grad
from dezero_core.extend import operations_of
from dezero_ops_basic import less, sum_to
from tests.array_types import on_the_page, over_strict_arrays

pytestmark = pytest.mark.usefixtures("strict_arrays")

OPERATIONS = {operation.name: operation for operation in operations_of("basic")}
ON_THE_PAGE = on_the_page()


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_right_over_strict_arrays_or_refuses_them_with_the_reason_on_the_page(name):
    assert over_strict_arrays(OPERATIONS[name]) == ON_THE_PAGE[name]


def numbers(x):
    return STRICT.to_numpy(x.data if isinstance(x, Variable) else x)


@pytest.mark.parametrize("wrap", [Variable, lambda array: array])
def test_a_comparison_is_of_the_type_of_its_operands_also_beside_an_ndarray(wrap):
    x, other = wrap(StrictArray([1.0, 2.0])), Variable(np.array([2.0, 1.0]))
    for got, expected in ((less(x, other), [True, False]), (less(other, x), [False, True])):
        assert type(got) is StrictArray
        np.testing.assert_array_equal(numbers(got), expected)


@pytest.mark.parametrize("wrap", [Variable, lambda array: array])
def test_a_lazy_array_is_no_index(wrap):
    x, index = Variable(np.array([1.0, 2.0])), wrap(StrictArray([0, 1]))
    with pytest.raises(VariableTypeError, match="an index needs values, and this strict array"):
        x[index]
    with pytest.raises(VariableTypeError, match="an index needs values"):
        x[0, index]


def test_a_lazy_array_is_not_looked_through():
    with pytest.raises(VariableTypeError, match="`in` needs values, and this strict array"):
        assert 1.0 in Variable(StrictArray([1.0, 2.0]))


def test_elements_that_are_picked_twice_are_added_up():
    x = Variable(StrictArray([1.0, 2.0, 3.0]))
    x[[0, 2, 0]].backward()
    np.testing.assert_array_equal(numbers(x.grad), [2.0, 0.0, 1.0])


def test_a_number_is_summed_to_an_array():
    assert sum_to(2.5, ()) == 2.5


SPECIAL = [0.0, -0.0, 1.0, -2.0, 1e200, 5e-324, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0, 3.0, -1.5, 1e-20, 1e17, np.nan])
@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")
def test_derivatives_of_powers_are_those_of_ndarrays_at_the_limits(exponent):
    found = []
    for make in (StrictArray, np.array):
        x, c = Variable(make(SPECIAL)), Variable(make(exponent))
        first = grad((x**c), [x, c], grad_outputs=make(np.ones(9)), create_graph=True)
        found.append([*first, *(grad(g, x, grad_outputs=make(np.ones(g.shape))) for g in first)])
    for of_strict, of_numpy in zip(*found, strict=True):
        expected = of_numpy.data if isinstance(of_numpy, Variable) else of_numpy
        np.testing.assert_allclose(numbers(of_strict), expected, rtol=1e-14)
