"""Products of matrices: of all small sizes, of all layouts, and beside BLAS.

Promise: docs/accuracy.md
"""

import numpy as np
import pytest

from ..attack.lengths import LONG
from .machine_code import FLOATS, MACHINES, native, width

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)
dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)

CLOSE = {"d": 1e-12, "f": 1e-5}

LAYOUTS = {
    "in C's order": lambda x: np.ascontiguousarray(x),
    "in Fortran's order": lambda x: np.asfortranarray(x),
    "with strides": lambda x: np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "one row for all": lambda x: np.broadcast_to(x[:1], x.shape),
    "one column for all": lambda x: np.broadcast_to(x[:, :1], x.shape),
}


def matrices(rows, depth, columns, dtype, seed=0):
    rng = np.random.default_rng([rows, depth, columns, seed])
    return rng.normal(size=(rows, depth)).astype(dtype), rng.normal(size=(depth, columns)).astype(
        dtype
    )


def check(function, *arrays, machine):
    """Compare products with those of numbers of twice as many digits, and with BLAS."""
    program = native(function, *arrays, machine=machine)
    assert program.codes, [why for _, why in program.partition.reasons]
    exact = function(*(x.astype(np.longdouble) for x in arrays))
    for found, eager, right in zip(program.run(*arrays), function(*arrays), exact, strict=True):
        assert (found.dtype, found.shape, found.strides) == (
            eager.dtype,
            eager.shape,
            eager.strides,
        )
        close = CLOSE[found.dtype.char] * max(1.0, float(np.abs(right).max()))
        assert np.abs(found - right).max() <= close
        assert np.abs(found - eager).max() <= close


@machines
@dtypes
@pytest.mark.parametrize("rows", range(1, 19))
def test_products_of_all_small_sizes_are_right(rows, dtype, machine):
    """Many in one program: each size of the result, with another common axis for each."""
    sizes = range(1, 19) if LONG else sorted({1, 2, 5, 8, 13, 17, 18, rows})
    depths = [1 + (7 * rows + 5 * columns) % 18 for columns in sizes]
    left = [matrices(rows, depth, 1, dtype)[0] for depth in depths]
    right = [
        matrices(1, depth, columns, dtype)[1] for depth, columns in zip(depths, sizes, strict=True)
    ]

    def function(*arrays):
        half = len(arrays) // 2
        return [a @ b for a, b in zip(arrays[:half], arrays[half:], strict=True)]

    check(function, *left, *right, machine=machine)


@machines
@dtypes
@pytest.mark.parametrize("first", LAYOUTS)
def test_products_of_matrices_of_all_layouts_are_right(first, dtype, machine):
    a, b = matrices(11, 6, 21, dtype)
    laid = [LAYOUTS[first](a), *(layout(b) for layout in LAYOUTS.values())]

    def function(a, *others):
        return [product for b in others for product in (a @ b, b.T @ a.T)]

    check(function, *laid, machine=machine)


@machines
@dtypes
@pytest.mark.parametrize(
    "size", [(1, 70, 1), (33, 40, 50), (64, 64, 64), (100, 3, 7), (2, 300, 97)], ids=str
)
def test_products_of_larger_matrices_are_right(size, dtype, machine):
    a, b = matrices(*size, dtype)
    check(lambda a, b: [a @ b, b.T @ a.T, (a @ b).T @ a], a, b, machine=machine)


@machines
@dtypes
@pytest.mark.parametrize("form", ["in C's order", "in Fortran's order"])
def test_products_whose_columns_are_cut_into_strips_are_right(form, dtype, machine):
    """Of as many vectors as two to five strips have, and of one column less or more."""
    columns = [n + more for n in (32, 48, 64, 96, 192) for more in (-1, 0, 1)]
    a = matrices(10, 7, 1, dtype)[0]
    others = [LAYOUTS[form](matrices(10, 7, n, dtype)[1]) for n in columns]
    check(lambda a, *others: [a @ b for b in others], a, *others, machine=machine)


@machines
@pytest.mark.parametrize("form", ["in C's order", "in Fortran's order"])
def test_the_code_of_a_product_does_not_grow_with_its_columns(form, machine):
    def lines(columns):
        a, b = matrices(64, 10, columns, np.float32)
        program = native(lambda a, b: a @ b, a, LAYOUTS[form](b), machine=machine)
        return len(program.text("llvm").splitlines())

    assert lines(1536) == lines(768) < 2 * lines(192)


@machines
@dtypes
def test_products_go_on_into_other_calls(dtype, machine):
    rng = np.random.default_rng(1)
    x, w, v = (rng.normal(size=shape).astype(dtype) for shape in [(20, 7), (7, 9), (9, 3)])

    def function(x, w, v):
        h = np.maximum(x @ w + 0.5, 0)
        y = h @ v
        g = y / y.shape[0]
        gh = (g @ v.T) * (h > 0)
        return [
            y,
            x.T @ gh,
            gh.sum(0),
            h.T @ g,
            (x[1:5, ::2] @ w[::2]) * 2,
            (x @ w)[::3].T @ x[::3],
        ]

    check(function, x, w, v, machine=machine)


@machines
@dtypes
def test_a_product_with_a_common_axis_of_one_is_exact(dtype, machine):
    a, b = matrices(9, 1, 35, dtype)
    program = native(lambda a, b: [a @ b, b.T @ a.T], a, b, machine=machine)
    for found, expected in zip(program.run(a, b), (a * b, (a * b).T), strict=True):
        assert np.array_equal(found, expected)


@machines
@dtypes
def test_nan_and_infinity_are_where_blas_has_them(dtype, machine):
    a, b = matrices(10, 5, 19, dtype)
    program = native(lambda a, b: [a @ b, -a], a, b, machine=machine)
    for number in (np.nan, np.inf, -np.inf):
        for place in [(0, 0), (9, 4), (8, 2)]:
            given = a.copy()
            given[place] = number
            with np.errstate(all="ignore"):
                found, expected = program.run(given, b)[0], given @ b
            assert np.array_equal(np.isnan(found), np.isnan(expected))
            assert np.allclose(found, expected, rtol=1e-4, atol=1e-4, equal_nan=True)
