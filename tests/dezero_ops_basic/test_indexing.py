"""``x[...]``, iteration and ``in``; the contract has every kind of index.

Promise: docs/reference/operators.rst
"""

from array import array

import numpy as np
import pytest

from dezero_core import Variable, grad
from dezero_ops_basic import getitem


def variable(*numbers):
    return Variable(np.array(numbers))


def test_an_element_that_an_index_picks_twice_gets_the_sum_of_gradients():
    x = variable(1.0, 2.0, 3.0)
    y = x[[0, 0, 2]] * np.array([10.0, 1.0, 5.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [11.0, 0.0, 5.0])


def test_an_element_that_negative_and_positive_indices_pick_gets_the_sum_of_gradients():
    x = variable(1.0, 2.0, 3.0)
    x[np.array([-1, 2])].backward()
    np.testing.assert_array_equal(x.grad, [0.0, 0.0, 2.0])


def test_indexing_has_a_second_derivative_through_the_picked_elements():
    x = variable(1.0, 2.0, 3.0)
    y = x[[0, 0, 2]] ** 3.0
    first = grad(y, x, create_graph=True)
    np.testing.assert_allclose(first.data, [6.0, 0.0, 27.0], rtol=1e-15)
    np.testing.assert_allclose(grad(first, x), [12.0, 0.0, 18.0], rtol=1e-15)


@pytest.mark.parametrize("kind", [np.array, list, lambda index: Variable(np.array(index))])
def test_an_index_array_that_is_changed_after_forward_changes_no_gradient(kind):
    index = kind([0, 1, 1])
    x = variable(1.0, 2.0, 3.0)
    y, z = x[index], x[(index,)]
    values = index.data if isinstance(index, Variable) else index
    values[0] = values[1] = values[2] = 2
    for picked in (y, z):
        x.cleargrad()
        picked.backward()
        np.testing.assert_array_equal(x.grad, [1.0, 2.0, 0.0])


def test_a_mask_as_index_that_is_changed_after_forward_changes_no_gradient():
    x = variable(1.0, 2.0, 3.0)
    mask = x > 1.5
    y = x[mask]
    mask[:] = True
    y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0, 1.0])


@pytest.mark.parametrize("index", [3, -4, [0, 3], (0, 0), np.ones(2, bool)], ids=repr)
def test_an_index_out_of_range_is_numpys_error_with_a_note(index):
    with pytest.raises(IndexError) as caught:
        variable(1.0, 2.0, 3.0)[index]
    assert type(caught.value) is IndexError
    (note,) = caught.value.__notes__
    assert "GetItem" in note
    assert "float64[3]" in note
    assert "test_indexing.py" in note


@pytest.mark.parametrize(
    "index", [1.0, "a", np.array([0.0]), Variable(np.array(1.0)), {}], ids=repr
)
def test_an_index_that_is_no_integer_is_numpys_error(index):
    with pytest.raises(IndexError):
        variable(1.0, 2.0, 3.0)[index]


def test_iteration_over_a_variable_goes_through_the_first_axis():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]]))
    rows = list(x)
    assert [type(row) for row in rows] == [Variable, Variable]
    np.testing.assert_array_equal([row.data for row in rows], x.data)
    (rows[0] * rows[1]).backward()
    np.testing.assert_array_equal(x.grad, [[3.0, 4.0], [1.0, 2.0]])


def test_a_variable_unpacks_along_its_first_axis():
    a, b = variable(2.0, 3.0)
    assert (a.item(), b.item()) == (2.0, 3.0)
    assert list(Variable(np.zeros((0, 2)))) == []


def test_a_variable_of_no_dimensions_is_not_iterated_over():
    """At once, not at the first step: iter() already says so."""
    with pytest.raises(TypeError, match=r"use x\.item\(\)"):
        iter(Variable(np.array(1.0)))


def test_the_operator_in_compares_elements_of_a_variable():
    x = variable(1.0, 2.0)
    assert 2.0 in x
    assert 3.0 not in x
    assert Variable(np.array(1.0)) in x


def test_the_operator_in_takes_variables_of_several_dimensions():
    assert 4 in Variable(np.array([[1, 2], [3, 4]]))


def test_getitem_of_an_array_gives_an_element_of_the_array():
    y = getitem(np.array([1.0, 2.0]), 1)
    assert (type(y), y) == (np.float64, 2.0)


@pytest.mark.parametrize("index", [((0, 0, 1),), (array("q", [0, 0, 1]),), array("q", [0, 0, 1])])
def test_gradients_add_up_at_repeated_positions_in_every_form_of_index(index):
    x = variable(1.0, 2.0, 3.0)
    x[index].backward()
    np.testing.assert_array_equal(x.grad, [2.0, 1.0, 0.0])


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "index",
    [
        RNG.permutation(40),
        RNG.permutation(40) - 20,
        RNG.integers(-40, 40, 50),
        (RNG.permutation(40)[:, None], RNG.permutation(30)),
        (slice(None), RNG.integers(0, 30, 60)),
        RNG.random((40, 30)) < 0.9,
    ],
    ids=["permutation", "negative", "repeated", "grid", "columns", "mask"],
)
def test_gradients_of_many_picked_elements_add_up_where_each_was_picked(index):
    x = Variable(RNG.normal(size=(40, 30)))
    y = x[index]
    weights = RNG.normal(size=y.shape)
    expected = np.zeros(x.shape)
    np.add.at(expected, index, weights)
    np.testing.assert_allclose(grad(y, x, grad_outputs=weights), expected, 1e-14, 1e-14)
    first = grad(y * y * y, x, create_graph=True)
    counts = np.zeros(x.shape)
    np.add.at(counts, index, 1.0)
    np.testing.assert_allclose(grad(first, x), 6.0 * x.data * counts, 1e-14, 1e-14)
