"""Large triangular matrices: solutions by substitution, and what is nearly a triangle."""

import numpy as np
import pytest
from dezero_ops_math.linalg import cholesky, det, inv, qr, slogdet, solve
from dezero_tools.functional import grad as grad_of
from dezero_tools.functional import vmap
from dezero_tools.testing.array_types import registered
from dezero_tools.testing.oracles import slope
from dezero_tools.testing.strict import StrictArray

from dezero_core import Variable, grad, no_grad
from dezero_core.extend import ARRAY_TYPES, ArrayType

RNG = np.random.default_rng(3)
#: A number of rows that is no multiple of any size of a block.
N = 150
DTYPES = "fdFD"


def numbers(*shape, dtype="d"):
    x = RNG.uniform(-1.0, 1.0, shape)
    return (x + 1j * RNG.uniform(-1.0, 1.0, shape) if dtype in "FD" else x).astype(dtype)


def lower_triangle(n, dtype="d", lead=()):
    return np.tril(numbers(*lead, n, n, dtype=dtype) / 8, -1) + np.eye(n, dtype=dtype) * 1.5


#: How the same triangle may lie in memory, and which triangle it is.
FORMS = {
    "lower": lambda a: a,
    "lower, by columns": np.asfortranarray,
    "upper, a transpose": np.transpose,
    "upper": lambda a: a.T.copy(),
    "every second element": lambda a: np.repeat(np.repeat(a, 2, 0), 2, 1)[::2, ::2],
}


def substitution(a, b):
    """Return the solution in extended precision, row by row."""
    wide = np.clongdouble if np.iscomplexobj(a) else np.longdouble
    a, b = a.astype(wide), b.astype(wide)
    if a[-1, 0] == 0.0:  # an upper triangle, read backwards
        return substitution_of_lower(a[::-1, ::-1], b[::-1])[::-1]
    return substitution_of_lower(a, b)


def substitution_of_lower(a, b):
    x = np.zeros_like(b)
    for i in range(len(a)):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return x


def close(got, truth, dtype):
    limit = 100.0 * float(np.finfo(dtype).eps) * float(np.max(np.abs(truth)))
    assert got.dtype == np.dtype(dtype)
    np.testing.assert_allclose(got.astype(truth.dtype), truth, rtol=0.0, atol=limit)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [(), (1,), (3,)], ids=["vector", "column", "matrix"])
@pytest.mark.parametrize("n", [128, N])
def test_a_system_of_a_large_triangle_has_the_solution_and_gradients_of_substitution(
    form, dtype, columns, n
):
    a, b = form(lower_triangle(n, dtype)), numbers(n, *columns, dtype=dtype)
    weights = numbers(n, *columns, dtype=dtype)
    of_a, of_b = Variable(a), Variable(b)
    x = solve(of_a, of_b)
    np.sum(np.real(weights * x)).backward()
    truth = substitution(a, b)
    of_rows = substitution(a.T, weights)
    close(x.data, truth, dtype)
    close(of_b.grad, np.conj(of_rows), dtype)
    outer = of_rows[:, None] * truth if columns == () else of_rows @ truth.T
    close(of_a.grad, -np.conj(outer), dtype)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", [(N,), (N, 2), (2, N, 2)])
def test_each_triangle_of_a_stack_has_its_own_solution(upper, shape):
    a, b = lower_triangle(N, lead=(2,)), numbers(*shape)
    a = np.swapaxes(a, -1, -2) if upper else a
    x = solve(Variable(a), b)
    each = b if b.ndim == 3 else [b, b]
    for got, matrix, right in zip(x.data, a, each, strict=True):
        close(got, substitution(matrix, right), "d")


def test_one_triangle_has_a_solution_for_each_right_hand_side_of_a_stack():
    a, b = Variable(lower_triangle(N)), numbers(2, N, 3)
    x = solve(a, b)
    weights = numbers(2, N, 3)
    np.sum(weights * x).backward()
    truth = 0.0
    for got, right, weight in zip(x.data, b, weights, strict=True):
        close(got, substitution(a.data, right), "d")
        truth = truth - substitution(a.data.T, weight) @ substitution(a.data, right).T
    close(a.grad, truth, "d")


@pytest.mark.parametrize("form", ["lower", "upper, a transpose"])
def test_rows_of_very_different_size_cost_a_triangle_no_digits(form):
    """A decomposition exchanges rows of a lower triangle, and loses two digits here."""
    a = lower_triangle(N) / 1.5 * 10.0 ** (0.1 * np.arange(N))[:, None]
    b = np.asarray(a.astype(np.longdouble) @ RNG.integers(1, 9, N), float)
    if form != "lower":
        a, b = a[::-1, ::-1], b[::-1]
    x = solve(a, Variable(b))
    np.testing.assert_allclose(x.data, substitution(a, b), rtol=0.0, atol=3e-14)
    columns = np.diag(a)  # the same numbers, which belong to columns of the inverse
    truth = substitution(a, np.diag(columns))
    np.testing.assert_allclose(inv(Variable(a)).data * columns, truth, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("place", [(0, -1), (0, 1), (3, 140), (40, 45), (N - 2, N - 1)])
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("value", [1e-3, np.nan])
def test_one_element_beyond_a_triangle_counts_wherever_it_is(place, upper, value):
    a, b = lower_triangle(N), numbers(N)
    a[place] = value
    a = a.T if upper else a
    x = solve(Variable(a), b)
    np.testing.assert_allclose(x.data, np.linalg.solve(a, b), rtol=1e-12)
    inverse = inv(Variable(a)).data
    np.testing.assert_allclose(inverse, np.linalg.inv(a), rtol=0.0, atol=1e-12)


def test_a_stack_in_which_one_matrix_is_no_triangle_is_solved_as_it_is():
    a, b = lower_triangle(N, lead=(3,)), numbers(N)
    a[1] = a[1].T
    x = solve(Variable(a), b)
    np.testing.assert_allclose(np.einsum("kij,kj->ki", a, x.data), [b] * 3, atol=1e-13)


@pytest.mark.parametrize("graph", [False, True])
def test_a_factor_that_was_changed_after_cholesky_is_solved_as_it_is_now(graph):
    a, b = numbers(N, N), numbers(N)
    factor = cholesky(Variable(a @ a.T + N * np.eye(N)))
    factor.data[3, 100] = 5.0
    if graph:
        x = solve(factor, b)
    else:
        with no_grad():
            x = solve(factor, b)
    np.testing.assert_allclose(factor.data @ x.data, b, atol=1e-13)


@pytest.mark.parametrize("zero", [0, 70, N - 1])
@pytest.mark.parametrize("function", [lambda a: solve(a, np.ones(N)), inv])
@pytest.mark.parametrize("upper", [False, True])
def test_a_zero_on_the_diagonal_of_a_large_triangle_is_numpys_error(zero, function, upper):
    a = lower_triangle(N)
    a[zero, zero] = 0.0
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix") as caught:
        function(Variable(a.T if upper else a))
    assert ".forward" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (lower_triangle(N)[:-1], numbers(N)),
        (lower_triangle(N), numbers(N - 1)),
        (lower_triangle(N), numbers(N - 1, 2)),
        (lower_triangle(N), np.float64(2.0)),
        (lower_triangle(N), 2.0),
        (2.0, numbers(N)),
        (lower_triangle(N, lead=(2,)), numbers(3, N, 1)),
        (lower_triangle(N).astype(np.longdouble), numbers(N)),
    ],
)
def test_bad_arguments_with_a_large_triangle_are_numpys_error(a, b):
    with pytest.raises((ValueError, TypeError)) as numpys:
        np.linalg.solve(a, b)
    with pytest.raises(numpys.type) as caught:
        solve(Variable(a) if isinstance(a, np.ndarray) else a, Variable(np.asarray(b)))
    assert str(caught.value) == str(numpys.value)


DTYPES_OF_TWO = ["f d", "d F", "l d", "d l", "? d", "d f", "l l", ">d >d"]


@pytest.mark.parametrize("dtypes", DTYPES_OF_TWO)
def test_a_triangle_and_a_right_hand_side_of_any_dtypes_have_numpys_result(dtypes):
    of_a, of_b = dtypes.split()
    a, b = 2 * np.tri(N, dtype=of_a), np.ones(N).astype(of_b)
    x = solve(Variable(a), Variable(b))
    expected = np.linalg.solve(a, b)
    assert x.dtype == expected.dtype
    np.testing.assert_allclose(x.data, expected, atol=1e-6)
    assert inv(Variable(a)).dtype == np.linalg.inv(a).dtype


def test_no_right_hand_sides_and_no_large_matrices_are_solved():
    assert solve(Variable(lower_triangle(N)), np.ones((N, 0))).shape == (N, 0)
    assert solve(Variable(np.ones((0, N, N))), np.ones(N)).shape == (0, N)
    assert inv(Variable(np.ones((0, N, N)))).shape == (0, N, N)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
def test_inverses_and_determinants_of_a_large_triangle_have_its_gradients(dtype, upper):
    a = lower_triangle(N, dtype)
    a = a.T if upper else a
    truth = substitution(a, np.eye(N, dtype=dtype))
    x = Variable(a)
    y = inv(x)
    close(y.data, truth, dtype)
    assert not np.triu(y.data.T if upper else y.data, 1).any()
    x = Variable(a)
    np.real(slogdet(x).logabsdet).backward()
    close(x.grad, np.conj(truth).T, dtype)
    x = Variable(a / 1.5)
    np.real(det(x)).backward()
    close(x.grad, np.conj(truth).T * 1.5, dtype)


def test_the_gradient_of_qr_of_a_large_matrix_is_that_of_its_determinant():
    a = numbers(N, N) + 10.0 * np.eye(N)  # its inverse is small: errors are not amplified
    x = Variable(a)
    np.sum(np.log(np.abs(np.diagonal(qr(x).R)))).backward()
    np.testing.assert_allclose(x.grad, np.linalg.inv(a).T, rtol=0.0, atol=1e-12)


def test_the_second_derivative_of_a_system_of_a_large_triangle_is_right():
    a, b, d = lower_triangle(N), numbers(N), np.tril(numbers(N, N)) / 8
    weights = numbers(N)

    def loss(a):
        return np.sum(weights * np.linalg.solve(a, b) ** 2)

    x = Variable(a)
    along = np.sum(grad(loss(x), x, create_graph=True) * d)
    truth, _ = slope(lambda h: np.sum(grad(loss(v := Variable(a + h * d)), v) * d))
    assert np.sum(grad(along, x) * d) == pytest.approx(truth, rel=1e-8, abs=0.0)


def test_a_map_over_large_triangles_is_right():
    a, b = lower_triangle(N, lead=(2,)), numbers(2, N)

    def loss(a, b):
        return np.sum(np.sin(np.linalg.solve(a, b)))

    of_a, of_b = vmap(grad_of(loss, (0, 1)))(a, b)
    for index in range(2):
        alone = grad_of(loss, (0, 1))(a[index], b[index])
        np.testing.assert_allclose(of_a[index], alone[0], rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(of_b[index], alone[1], rtol=0.0, atol=1e-13)


def test_a_large_triangle_without_values_is_solved_by_numpys_functions():
    a, b = lower_triangle(N), numbers(N)
    with registered("strict"):
        of_a = Variable(StrictArray(a))
        x = solve(of_a, Variable(StrictArray(b)))
        np.sum(x).backward()
        inverse = inv(of_a)
    np.testing.assert_allclose(x.data._values, substitution(a, b).astype(float), atol=1e-13)
    expected = -np.outer(substitution(a.T, np.ones(N)), substitution(a, b)).astype(float)
    np.testing.assert_allclose(of_a.grad._values, expected, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(inverse.data._values @ a, np.eye(N), rtol=0.0, atol=1e-13)


class Named:
    """An array of another library, which knows functions of NumPy by their names, and no others."""

    def __init__(self, values):
        self.values = np.asarray(values)

    shape, ndim, size, dtype = (
        property(lambda self, name=name: getattr(self.values, name))
        for name in ("shape", "ndim", "size", "dtype")
    )

    def __array_function__(self, function, types, args, kwargs):
        if function not in (np.linalg.solve, np.linalg.inv):
            return NotImplemented
        return Named(function(*(x.values for x in args)))


def test_a_large_triangle_of_another_library_is_solved_by_what_it_knows(monkeypatch):
    monkeypatch.setitem(ARRAY_TYPES, "named", ArrayType("named", Named))
    a, b = lower_triangle(N), numbers(N)
    x, inverse = solve(Variable(Named(a)), Variable(Named(b))), inv(Variable(Named(a)))
    assert type(x.data) is Named
    np.testing.assert_array_equal(x.data.values, np.linalg.solve(a, b))
    np.testing.assert_array_equal(inverse.data.values, np.linalg.inv(a))
