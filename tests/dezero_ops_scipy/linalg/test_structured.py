"""toeplitz, circulant and block_diag: by hand, stacks, numbers, types, errors.

Promise: docs/how_to/use_scipy.md
"""

import numpy as np
import pytest
import scipy.linalg
from dezero_ops_scipy.linalg import block_diag, circulant, toeplitz

from dezero_core import Variable, grad

from .matrix_truths import STACKS, assert_single, drawn


def test_the_gradient_of_toeplitz_is_by_hand():
    c, r = Variable(np.array([1.0, 2.0])), Variable(np.array([9.0, 5.0, 6.0]))
    y = toeplitz(c, r)
    np.testing.assert_array_equal(y.data, [[1.0, 5.0, 6.0], [2.0, 1.0, 5.0]])
    y.grad = np.array([[1.0, 10.0, 100.0], [1000.0, 2.0, 20.0]])
    y.backward()
    np.testing.assert_array_equal(c.grad, [3.0, 1000.0])
    np.testing.assert_array_equal(r.grad, [0.0, 30.0, 100.0])


def test_toeplitz_of_a_complex_column_is_hermitian_and_so_is_its_gradient():
    c = Variable(np.array([1.0, 2.0 + 1.0j]))
    y = toeplitz(c)
    np.testing.assert_array_equal(y.data, [[1.0, 2.0 - 1.0j], [2.0 + 1.0j, 1.0]])
    (g,) = grad(np.sum(np.real(y * np.array([[0.0, 3.0 + 1.0j], [5.0, 0.0]]))), [c])
    # Of Re((3 + i) (a - ib) + 5 (a + ib)) = 8 a + b.
    np.testing.assert_array_equal(g, [0.0, 8.0 + 1.0j])


def test_the_gradient_of_circulant_goes_on_at_the_other_side():
    c = Variable(np.array([1.0, 2.0, 3.0]))
    y = circulant(c)
    np.testing.assert_array_equal(y.data, scipy.linalg.circulant(c.data))
    y.grad = np.arange(9.0).reshape(3, 3)
    y.backward()
    np.testing.assert_array_equal(c.grad, [0.0 + 4.0 + 8.0, 3.0 + 7.0 + 2.0, 6.0 + 1.0 + 5.0])


@pytest.mark.parametrize("shapes", [((4,), (6,)), ((6,), (4,)), ((1,), (3,)), ((3,), (1,))])
def test_toeplitz_and_its_gradient_are_adjoint_maps_of_any_shape(shapes):
    c, r = (Variable(drawn(*shape)) for shape in shapes)
    y = toeplitz(c, r)
    np.testing.assert_array_equal(y.data, scipy.linalg.toeplitz(c.data, r.data))
    w = drawn(*y.shape)
    gc, gr = grad(np.sum(w * y), [c, r], create_graph=True)
    assert np.sum(w * y.data) == pytest.approx(np.sum(gc.data * c.data) + np.sum(gr.data * r.data))
    v = Variable(w)
    (gc,) = grad(np.sum(v * toeplitz(c, r)), [c], create_graph=True)
    (gv,) = grad(np.sum(gc * np.arange(1.0, 1.0 + len(c.data))), [v])
    np.testing.assert_array_equal(
        gv, scipy.linalg.toeplitz(np.arange(1.0, 1.0 + len(c.data)), np.zeros(shapes[1]))
    )


def test_empty_columns_and_rows_have_gradients_without_elements():
    for m, n in ((0, 3), (2, 0), (0, 0)):
        c, r = Variable(np.ones(m)), Variable(np.ones(n))
        y = toeplitz(c, r)
        assert y.shape == (m, n)
        gc, gr = grad(y, [c, r], grad_outputs=np.zeros((m, n)))
        np.testing.assert_array_equal(gc, np.zeros(m))
        np.testing.assert_array_equal(gr, np.zeros(n))


def test_stacks_of_columns_and_numbers_become_matrices():
    c, r = drawn(2, 1, 3), drawn(4, 2)
    y = toeplitz(Variable(c), Variable(r))
    assert y.shape == (2, 4, 3, 2)
    np.testing.assert_array_equal(y.data[1, 2], scipy.linalg.toeplitz(c[1, 0], r[2]))
    x = Variable(c)
    np.testing.assert_array_equal(circulant(x).data[1, 0], scipy.linalg.circulant(c[1, 0]))
    np.sum(circulant(x)).backward()
    np.testing.assert_array_equal(x.grad, np.full((2, 1, 3), 3.0))
    for function in (toeplitz, circulant):
        x = Variable(np.array(2.0))
        y = function(x)
        y.backward()
        np.testing.assert_array_equal([y.data[0, 0], x.grad], [2.0, 1.0])


def test_the_gradients_of_block_diag_are_those_where_the_blocks_stand():
    blocks = [drawn(2, 3), np.array(4.0), drawn(3), np.zeros((2, 0)), drawn(1, 1) + 1j]
    x = [Variable(block) for block in blocks]
    y = block_diag(*x)
    np.testing.assert_array_equal(y.data, scipy.linalg.block_diag(*blocks))
    g = np.arange(56.0).reshape(7, 8)
    gradients = grad(np.sum(np.real(y) * g), x)
    expected = [g[:2, :3], g[2, 3], g[3, 4:7], np.zeros((2, 0)), g[6:, 7:]]
    for got, truth, block in zip(gradients, expected, blocks, strict=True):
        np.testing.assert_array_equal(got, truth)
        assert (got.shape, got.dtype) == (block.shape, block.dtype)


@STACKS
def test_block_diag_of_stacks_shares_a_block_among_them():
    x, stack = Variable(drawn(2, 2)), Variable(drawn(3, 1, 2))
    y = block_diag(x, stack)
    np.testing.assert_array_equal(y.data, scipy.linalg.block_diag(x.data, stack.data))
    np.sum(y).backward()
    np.testing.assert_array_equal(x.grad, np.full((2, 2), 3.0))
    np.testing.assert_array_equal(stack.grad, np.ones((3, 1, 2)))


def test_blocks_may_be_lists_and_integers_are_constants():
    y = block_diag(Variable(np.array([1.0])), [[2.0, 3.0]], 4)
    np.testing.assert_array_equal(y.data, scipy.linalg.block_diag([1.0], [[2.0, 3.0]], 4))
    for y in (toeplitz(Variable(np.arange(3))), block_diag(Variable(np.arange(3)))):
        assert (y.dtype.kind, y.creator) == ("i", None)


def test_structured_matrices_of_float32_stay_float32():
    for function in (toeplitz, circulant, block_diag):
        assert_single(function, drawn(3))


def test_shapes_that_fit_no_structure_are_errors():
    with pytest.raises(ValueError, match="broadcast"):
        toeplitz(Variable(np.ones((2, 3))), np.ones((3, 3)))
    with pytest.raises(ValueError, match=r"broadcast|dimension"):
        block_diag(Variable(np.ones((2, 2, 2))), np.ones((3, 2, 2)))
