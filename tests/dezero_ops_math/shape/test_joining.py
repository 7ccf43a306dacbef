"""concatenate, stack and their kin: shares of the gradient, and what does not fit."""

import numpy as np
import pytest

from dezero_core import Variable, grad, load_plugins, no_grad
from dezero_ops_math import block, column_stack, concatenate, dstack, hstack, stack, vstack

JOINS = [concatenate, stack, vstack, hstack, dstack, column_stack, block]


def variable(*numbers, dtype=float):
    return Variable(np.array(numbers, dtype))


def test_concat_gives_each_array_its_own_part_of_the_gradient():
    x, y = variable(1.0, 2.0), variable(3.0)
    z = np.concat([x, np.ones(2), y])
    z.grad = np.array([10.0, 20.0, 30.0, 40.0, 50.0])
    z.backward()
    np.testing.assert_array_equal(z.data, [1.0, 2.0, 1.0, 1.0, 3.0])
    np.testing.assert_array_equal(x.grad, [10.0, 20.0])
    np.testing.assert_array_equal(y.grad, [50.0])


@pytest.mark.parametrize("join", JOINS)
def test_an_array_that_is_joined_twice_gets_the_sum_of_gradients(join):
    x = Variable(np.ones((2, 2)))
    z = join([x, np.zeros((2, 2)), x])
    z.grad = join([np.full((2, 2), 1.0), np.full((2, 2), 2.0), np.full((2, 2), 4.0)]).data
    z.backward()
    np.testing.assert_array_equal(x.grad, np.full((2, 2), 5.0))


@pytest.mark.parametrize("join", JOINS)
def test_gradients_of_joined_arrays_share_no_memory(join):
    x, y = Variable(np.ones((2, 2))), Variable(np.ones((2, 2)))
    z = join([x, y])
    z.grad = np.ones(z.shape)
    z.backward()
    assert not np.shares_memory(x.grad, y.grad)
    assert not np.shares_memory(x.grad, z.grad)


@pytest.mark.parametrize("join", [concatenate, stack, vstack, hstack, dstack, column_stack])
def test_joining_functions_take_a_variable_as_its_rows(join):
    data = np.arange(12.0).reshape(2, 2, 3)
    x = Variable(data)
    of_numpy = getattr(np, join.__name__)
    for y in (join(x), of_numpy(x)):
        np.testing.assert_array_equal(y.data, of_numpy(data), strict=True)
    y.grad = of_numpy(10.0 * data)
    y.backward()
    np.testing.assert_array_equal(x.grad, 10.0 * data)


@pytest.fixture
def without_operators():
    load_plugins(only=("math",))
    yield
    load_plugins()


@pytest.mark.usefixtures("without_operators")
def test_joining_the_rows_of_a_variable_needs_no_indexing():
    x = Variable(np.arange(6.0).reshape(2, 3))
    stack(x, axis=1).backward()
    np.testing.assert_array_equal(x.grad, np.ones((2, 3)))


@pytest.mark.parametrize("join", [concatenate, stack, vstack, hstack])
def test_gradients_of_joined_arrays_have_the_dtypes_of_the_inputs(join):
    x, y, z = (variable(1.0, 2.0, dtype=dtype) for dtype in ("f4", "f8", "c16"))
    n = variable(1, 2, dtype=int)
    joined = join([x, y, z, n])
    assert joined.dtype == np.complex128
    joined.grad = np.full(joined.shape, 2.0 + 3.0j)
    joined.backward()
    np.testing.assert_array_equal(x.grad, np.array([2.0, 2.0], "f4"), strict=True)
    np.testing.assert_array_equal(y.grad, np.array([2.0, 2.0]), strict=True)
    np.testing.assert_array_equal(z.grad, np.array([2.0 + 3.0j] * 2), strict=True)
    assert n.grad is None


@pytest.mark.parametrize("join", [concatenate, stack, vstack, hstack])
def test_joining_functions_take_dtype_and_casting_like_numpy(join):
    x = variable(1.5, 2.5)
    y = join([x, x], dtype="f4")
    assert y.dtype == np.float32
    y.backward()
    np.testing.assert_array_equal(x.grad, np.array([2.0, 2.0]), strict=True)
    assert join([x, x], dtype=int, casting="unsafe").creator is None
    with pytest.raises(TypeError, match="Cannot cast") as caught:
        join([x, x], dtype=int)
    assert "float64[2]" in caught.value.__notes__[0]


def test_joining_functions_take_numbers_like_numpy():
    x = Variable(np.array(1.0, np.float32))
    y = np.stack([x, 2.0])
    assert y.dtype == np.stack([x.data, 2.0]).dtype
    np.testing.assert_array_equal(hstack([x, 2.0, 3]).data, [1.0, 2.0, 3.0])


def test_the_third_derivative_of_a_join_is_right():
    """Of the sum of [x**4, x**2] squared, which is x**8 + x**4."""
    x = Variable(np.array(1.5))
    y = np.sum(np.stack([x**4.0, x**2.0]) ** 2.0)
    for factor in (8.0 * 1.5**7 + 4.0 * 1.5**3, 56.0 * 1.5**6 + 12.0 * 1.5**2):
        y = grad(y, x, create_graph=True)
        np.testing.assert_allclose(y.data, factor, rtol=1e-14)
    np.testing.assert_allclose(grad(y, x), 336.0 * 1.5**5 + 24.0 * 1.5, rtol=1e-14)


@pytest.mark.parametrize(
    ("join", "arrays"),
    [
        (concatenate, [np.ones((2, 3)), np.ones((2, 2))]),
        (concatenate, [np.ones(2), np.ones((1, 2))]),
        (concatenate, [np.array(1.0)]),
        (stack, [np.ones(2), np.ones(3)]),
        (vstack, [np.ones(2), np.ones(3)]),
        (hstack, [np.ones(2), np.ones((2, 2))]),
        (dstack, [np.ones(2), np.ones(3)]),
        (column_stack, [np.ones(2), np.ones(3)]),
        (block, [[np.ones(2)], [np.ones(3)]]),
        (block, [[np.ones(2)], np.ones(2)]),
        (block, [[np.ones(2)], []]),
        *((join, []) for join in JOINS),
    ],
)
def test_joining_wrong_shapes_is_numpys_error_with_a_note(join, arrays):
    with pytest.raises(ValueError) as expected:  # noqa: PT011 (NumPy's, whatever it says)
        getattr(np, join.__name__)(arrays)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        join(arrays)
    assert type(caught.value) is type(expected.value)
    assert str(caught.value) == str(expected.value)
    assert type(join([Variable(np.ones(2))]).creator).__name__ in caught.value.__notes__[0]


def test_bad_input_of_joining_functions_changes_no_gradient():
    x = variable(1.0, 2.0)
    x.grad = np.array([7.0, 7.0])
    with pytest.raises(ValueError, match="dimension"):
        np.concatenate([x, np.ones((2, 2))])
    np.testing.assert_array_equal(x.grad, [7.0, 7.0])
    with no_grad():
        assert np.concatenate([x, x]).creator is None


@pytest.mark.parametrize("join", [np.concatenate, np.stack])
def test_joining_functions_refuse_out_by_name(join):
    x, out = variable(1.0, 2.0), np.zeros(4)
    with pytest.raises(TypeError, match=rf"np\.{join.__name__}.*out="):
        join([x, x], out=out)
    with pytest.raises(TypeError, match="out="):
        join([x.data, x.data], out=Variable(out))
    np.testing.assert_array_equal(out, np.zeros(4))


@pytest.mark.parametrize("join", JOINS)
def test_joining_functions_refuse_objects_that_are_no_arrays(join):
    x = variable(1.0, 2.0)
    with pytest.raises(TypeError, match="is not supported"):
        join([x, None])
    with pytest.raises(TypeError, match="is not supported"):
        join([x, "12"])


def test_a_block_matrix_refuses_a_tuple_with_what_to_write():
    with pytest.raises(TypeError, match=r"^block takes nested lists.* a tuple\. Write a list\."):
        np.block([variable(1.0, 2.0), (1.0, 2.0)])


@pytest.mark.parametrize("join", [concatenate, stack, vstack, hstack, dstack, column_stack])
def test_joining_functions_take_lists_and_tuples_of_numbers_as_numpy_does(join):
    x = variable(1.0, 2.0)
    of_numpy = getattr(np, join.__name__)
    for arrays in ([x, [3.0, 4.0]], ((3, 4), x)):
        y = of_numpy(arrays)
        values = [x.data if item is x else item for item in arrays]
        np.testing.assert_array_equal(y.data, of_numpy(values), strict=True)
        y.backward()
    np.testing.assert_array_equal(x.grad, [2.0, 2.0])


@pytest.mark.parametrize("join", [concatenate, stack, vstack, hstack, dstack, column_stack])
def test_a_list_of_variables_and_numbers_that_is_joined_keeps_their_gradients(join):
    x, a = variable(1.0, 2.0), Variable(np.array(3.0))
    y = join([x, [a, 4.0]])
    of_numpy = getattr(np, join.__name__)
    np.testing.assert_array_equal(y.data, of_numpy([[1.0, 2.0], [3.0, 4.0]]), strict=True)
    y.grad = of_numpy([[1.0, 2.0], [10.0, 20.0]])
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 2.0])
    np.testing.assert_array_equal(a.grad, 10.0)


def test_a_list_of_rows_of_unequal_length_that_is_joined_is_numpys_error():
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.concatenate([variable(1.0, 2.0), [[1.0, 2.0], [3.0]]])


def test_joining_functions_refuse_a_variable_as_axis():
    x = variable(1.0, 2.0)
    for join in (concatenate, stack):
        with pytest.raises(TypeError, match="'axis'"):
            join([x, x], Variable(np.array(0)))


def test_the_gradient_of_a_block_matrix_goes_back_to_the_blocks():
    """Rows of different divisions, numbers and vectors in it, and deeper than its arrays."""
    a, b = Variable(np.ones((2, 3))), Variable(np.ones((2, 1)))
    row, number = Variable(np.ones(1)), Variable(np.array(1.0))
    z = np.block([[a, b], [number, row, np.zeros(2)]])
    z.grad = np.arange(12.0).reshape(3, 4)
    z.backward()
    np.testing.assert_array_equal(a.grad, [[0.0, 1.0, 2.0], [4.0, 5.0, 6.0]])
    np.testing.assert_array_equal(b.grad, [[3.0], [7.0]])
    np.testing.assert_array_equal(number.grad, np.array(8.0), strict=True)
    np.testing.assert_array_equal(row.grad, [9.0])
    z = np.block([[[row]], [[number]]])
    assert z.shape == (2, 1, 1)
    row.cleargrad()
    z.backward()
    np.testing.assert_array_equal(row.grad, [1.0])
