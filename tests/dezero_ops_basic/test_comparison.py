"""Comparisons give plain arrays; equality is elementwise, hashing by identity.

Promise: docs/reference/operators.rst
"""

import operator

import numpy as np
import pytest

from dezero_core import Variable
from dezero_ops_basic import equal, less

COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
each = pytest.mark.parametrize("compare", COMPARISONS, ids=lambda function: function.__name__)


def variable(*numbers):
    return Variable(np.array(numbers if len(numbers) > 1 else numbers[0]))


@each
@pytest.mark.parametrize("numbers", [(1.0, 2.0, np.nan), (2.0,), (1, 2, 3), (True, False, True)])
def test_comparison_gives_a_plain_boolean_array(compare, numbers):
    x, other = variable(*numbers), np.array(2.0)
    for got, expected in (
        (compare(x, 2.0), compare(x.data, 2.0)),
        (compare(2.0, x), compare(2.0, x.data)),
        (compare(x, Variable(other)), compare(x.data, other)),
        (compare(other, x), compare(other, x.data)),
    ):
        assert (type(got), got.dtype, got.shape) == (np.ndarray, np.dtype(bool), x.shape)
        np.testing.assert_array_equal(got, expected)


def test_equality_of_variables_is_elementwise_also_with_scalars():
    x = variable(1.0, 2.0)
    np.testing.assert_array_equal(x == 1.0, [True, False])
    np.testing.assert_array_equal(operator.eq(1.0, x), [True, False])
    np.testing.assert_array_equal(x != np.float64(1.0), [False, True])
    np.testing.assert_array_equal(x == variable(1.0, 3.0), [True, False])
    np.testing.assert_array_equal(equal(1.0, 1.0), True)


def test_equality_of_a_variable_with_an_object_that_is_no_number_is_false():
    for other in (None, "one"):
        got = variable(1.0, 2.0) == other
        assert type(got) is np.ndarray
        np.testing.assert_array_equal(got, [False, False])


@each
def test_a_comparison_of_shapes_that_do_not_broadcast_is_numpys_error(compare):
    with pytest.raises(ValueError, match="could not be broadcast") as caught:
        compare(variable(1.0, 2.0), np.ones(3))
    (note,) = caught.value.__notes__
    assert note.startswith(("in less", "in greater", "in equal", "in not_equal"))
    assert " of plugin 'basic' (dezero-ops-basic " in note
    assert ", given float64[2], float64[3], called at " in note
    assert note.partition("called at ")[2].startswith(__file__)


@pytest.mark.parametrize("compare", COMPARISONS[:4], ids=lambda function: function.__name__)
@pytest.mark.parametrize("other", [None, "one", {}])
def test_an_order_comparison_with_an_object_that_is_no_number_is_a_type_error(compare, other):
    with pytest.raises(TypeError):
        compare(variable(1.0, 2.0), other)


def test_variables_hash_by_identity():
    """So a Variable is a key, found again whatever has become of its data."""
    x, y = variable(1.0, 2.0), variable(1.0, 2.0)
    gradients = {x: "of x", y: "of y"}
    x.data = np.zeros(2)
    assert (gradients[x], gradients[y]) == ("of x", "of y")
    assert {x, y, x} == {y, x}
    assert len({x, y, x}) == 2
    assert hash(x) != hash(y)


def test_a_comparison_of_single_numbers_can_be_a_condition():
    x = variable(3.0)
    assert x > 2.0
    assert not x < 2.0
    assert operator.lt(0.0, x)


def test_a_comparison_of_several_numbers_cannot_be_a_condition():
    with pytest.raises(ValueError, match="ambiguous"):
        bool(variable(1.0, 2.0) > 1.5)


def test_a_comparison_is_not_recorded_and_leaves_the_graph_of_its_operands():
    x = variable(1.0, 2.0)
    y = x * x
    mask = less(y, 2.0)
    assert type(mask) is np.ndarray
    y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 4.0])
