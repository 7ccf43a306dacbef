"""Products of vectors, of matrices and vectors, and of stacks, by each of NumPy's functions.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from .machine_code import FLOATS, MACHINES, native, width
from .test_products import CLOSE, LAYOUTS

machines = pytest.mark.parametrize("machine", MACHINES, ids=width)
dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)

SHAPES = [
    *[((n,), (n,)) for n in (1, 2, 3, 7, 8, 33, 64, 150, 1_000)],
    *[((m, n), (n,)) for m, n in [(1, 1), (4, 4), (3, 9), (17, 33), (2, 200), (40, 1)]],
    *[((n,), (n, m)) for m, n in [(1, 1), (4, 4), (3, 9), (17, 33), (2, 200), (40, 1)]],
    *[((4, n, n), (4, n, n)) for n in (1, 2, 4, 5, 17)],
    ((2, 3, 4, 5), (5, 6)),
    ((4, 5), (2, 3, 5, 6)),
    ((3, 1, 4, 5), (2, 5, 6)),
    ((2, 3, 4, 5), (3, 5, 1)),
    ((5,), (3, 5, 2)),
    ((2, 3, 5), (5,)),
    ((1, 1, 3), (7, 3, 2)),
    ((6, 1, 9), (9, 20)),
]


def check(function, a, b, machine):
    """Compare a product with one of numbers of twice as many digits."""
    program = native(lambda a, b: function(a, b), a, b, machine=machine)
    assert program.codes, program.report()
    assert not program.partition.reasons
    (found,) = program.run(a, b)
    eager, exact = function(a, b), function(a.astype(np.longdouble), b.astype(np.longdouble))
    assert type(found) is type(eager)
    assert (found.dtype, found.shape, found.strides) == (eager.dtype, eager.shape, eager.strides)
    terms = function(np.abs(a).astype(np.longdouble), np.abs(b).astype(np.longdouble))
    assert (np.abs(found - exact) <= CLOSE[found.dtype.char] * terms).all()


def pairs(shape, other, dtype):
    rng = np.random.default_rng([*shape, 0, *other])
    return rng.normal(size=shape).astype(dtype), rng.normal(size=other).astype(dtype)


@machines
@dtypes
@pytest.mark.parametrize(("shape", "other"), SHAPES, ids=str)
def test_matmul_of_all_forms_is_right(shape, other, dtype, machine):
    check(np.matmul, *pairs(shape, other, dtype), machine)


@machines
@dtypes
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("shape", "other"), [((9,), (9, 21)), ((21, 9), (9,))], ids=str)
def test_a_matrix_of_any_layout_is_multiplied_by_a_vector(shape, other, layout, dtype, machine):
    a, b = (
        LAYOUTS[layout](x) if x.ndim == 2 else np.repeat(x, 2)[::2]
        for x in pairs(shape, other, dtype)
    )
    check(np.matmul, a, b, machine)


@machines
def test_a_stack_of_parts_or_of_transposed_matrices_is_multiplied_by_a_matrix(machine):
    stack, b = pairs((5, 6, 7), (7, 8), np.dtype(float))
    square, _ = pairs((5, 7, 7), (1,), np.dtype(float))
    for a in (stack[:, :4], stack[::2], stack[:, ::-1], square.transpose(0, 2, 1)):
        check(np.matmul, a, b, machine)
    check(np.matmul, stack, np.broadcast_to(b[:, :1], b.shape), machine)


@dtypes
@pytest.mark.parametrize(
    ("function", "shape", "other"),
    [
        (np.dot, (7,), (7,)),
        (np.dot, (3, 7), (7,)),
        (np.dot, (7,), (7, 3)),
        (np.dot, (5, 7), (7, 3)),
        (np.dot, (2, 5, 7), (7, 3)),
        (np.dot, (2, 5, 7), (7,)),
        (np.inner, (7,), (7,)),
        (np.inner, (3, 7), (5, 7)),
        (np.inner, (2, 3, 7), (5, 7)),
        (np.inner, (3, 7), (7,)),
        (np.inner, (7,), (5, 7)),
        (np.vdot, (7,), (7,)),
    ],
)
def test_each_function_of_numpy_that_multiplies_has_machine_code(function, shape, other, dtype):
    check(function, *pairs(shape, other, dtype), MACHINES[0])


@dtypes
def test_an_outer_product_is_one_loop_with_what_follows(dtype):
    a, b = pairs((4,), (9,), dtype)
    program = native(lambda a, b: np.outer(a, b) + 1.0, a, b, machine=MACHINES[0])
    assert not program.partition.reasons
    assert len(program.codes[0].schedule.nests) == 1
    assert np.array_equal(program.run(a, b)[0], np.outer(a, b) + dtype.type(1.0))


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        (np.dot, np.ones((2, 3, 4)), np.ones((2, 4, 3))),
        (np.inner, np.ones((2, 4)), np.ones((2, 3, 4))),
        (np.vdot, np.ones((3, 4)), np.ones((3, 4))),
        (np.outer, np.ones((3, 4)), np.ones(3)),
        (np.outer, np.arange(4), np.arange(3)),
        (np.dot, np.arange(4), np.arange(4)),
        (np.dot, np.arange(4.0), np.arange(4.0, dtype=np.float32)),
    ],
)
def test_products_of_other_forms_are_numpys(function, a, b):
    def both(a, b):
        return function(a, b), a * 2.0 + 1.0

    program = native(both, a, b, machine=MACHINES[0])
    assert [name for name, _ in program.partition.reasons]
    assert np.array_equal(program.run(a, b)[0], function(a, b))


@dtypes
def test_an_audit_knows_the_size_of_the_terms_of_each_product(dtype):
    half = np.random.default_rng(0).normal(size=200).astype(dtype)
    a, sign = np.concatenate([half, -np.sort(half)]), np.ones(400, dtype)

    def function(a, sign):
        return [np.dot(a, sign), np.inner(a, sign), np.vdot(a, sign), a @ sign]

    program = native(function, a, sign, machine=MACHINES[0])
    assert not program.partition.reasons
    program.audited(a, sign)
    assert not program.partition.reasons
