"""Inverses, solutions, Cholesky factors and determinants of small matrices, by LAPACK.

Promise: docs/how_replay_works.md
"""

import ctypes
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from dezero_replay import compiled
from dezero_replay_llvm import lapack, machine

from .machine_code import FLOATS, MACHINES, native
from .test_rounds import SMALL, rounds_of, same

MACHINE = MACHINES[0]
CLOSE = {"d": 1e-12, "f": 1e-4}
dtypes = pytest.mark.parametrize("dtype", FLOATS, ids=str)
sizes = pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 17, 32, 64])


def matrix(n, dtype, seed=0):
    """Return a positive definite matrix of a small condition, which rows were exchanged in."""
    a = np.random.default_rng([n, seed]).normal(size=(n, n))
    return (a @ a.T / n + np.eye(n)).astype(dtype)


def check(function, *arrays):
    """Compare a function that is native as a whole with NumPy."""
    program = native(function, *arrays, machine=MACHINE)
    assert not program.partition.reasons
    found, expected = program.run(*arrays), function(*arrays)
    for a, b in zip(found, expected, strict=True):
        assert (type(a), a.dtype, a.shape, a.strides) == (type(b), b.dtype, b.shape, b.strides)
        np.testing.assert_allclose(a, b, rtol=CLOSE[a.dtype.char], atol=CLOSE[a.dtype.char])


@sizes
@dtypes
def test_an_inverse_and_what_follows_is_native(n, dtype):
    a = matrix(n, dtype)[::-1].copy()  # rows are exchanged
    check(lambda a: [np.linalg.inv(a), np.linalg.inv(a.T) * 2.0, np.linalg.inv(a) @ a], a)


@sizes
@dtypes
def test_a_solution_is_native(n, dtype):
    a, b = matrix(n, dtype)[::-1].copy(), matrix(n, dtype, 1)
    solve = np.linalg.solve
    check(lambda a, b: [solve(a, b), solve(a.T, b[:, :1]), solve(a, b[0]), solve(a, b.T)], a, b)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 17, 24])
@dtypes
def test_a_factor_of_cholesky_is_native(n, dtype):
    a = matrix(n, dtype)
    check(lambda a: [np.linalg.cholesky(a), np.linalg.cholesky(a.T) @ a], a)


@sizes
@dtypes
def test_a_determinant_has_its_sign(n, dtype):
    a = matrix(n, dtype)
    check(lambda a: [np.linalg.det(a), np.linalg.det(a[::-1]) * 2.0, np.linalg.det(-a)], a)


@sizes
@dtypes
def test_sign_and_logarithm_of_a_determinant_are_native(n, dtype):
    a = matrix(n, dtype)

    def function(a):
        (sign, log), (other, _) = np.linalg.slogdet(a), np.linalg.slogdet(-a[::-1])
        return [sign, log, other, log * 2.0]

    check(function, a)


def stepped(function, *arguments):
    step = compiled(function, executor="llvm", wait=True)
    for _ in range(4):
        step(*arguments)
    assert step.stats["replayed"] > 0
    assert "native: " in step.explain()
    return step


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (lambda a: np.linalg.inv(a) * 2.0, np.ones((3, 3))),
        (lambda a: np.linalg.solve(a, a[0]) * 2.0, np.zeros((3, 3))),
        (lambda a: np.linalg.cholesky(a) * 2.0, -np.eye(3)),
    ],
)
def test_an_error_is_that_of_numpy_and_the_next_call_is_native_again(function, wrong):
    step, right = stepped(function, matrix(3, float)), matrix(3, float)
    for _ in range(3):
        with pytest.raises(np.linalg.LinAlgError) as eager:
            function(wrong)
        with pytest.raises(np.linalg.LinAlgError) as found:
            step(wrong)
        assert str(found.value) == str(eager.value)
        np.testing.assert_allclose(step(right), function(right), rtol=1e-12, atol=1e-12)


def outcome(function, a):
    """Return the result of a function, or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function(a).tolist()
        except np.linalg.LinAlgError as error:
            found = error
    return repr(found), [str(each.message) for each in caught]


def test_a_logarithm_of_no_determinant_is_that_of_numpy():
    def function(a):
        return np.linalg.slogdet(a)[1] + 1.0

    step = stepped(function, matrix(3, float))
    for wrong in (np.zeros((3, 3)), np.ones((3, 3)), np.eye(3) * 1e-300):
        assert np.isclose(step(wrong), function(wrong), rtol=1e-12)


@pytest.mark.parametrize("call", [np.linalg.det, np.linalg.inv, np.linalg.cholesky])
def test_results_errors_and_warnings_of_degenerate_matrices_are_those_of_numpy(call):
    def function(a):
        return call(a) * 0.5

    step, large = stepped(function, matrix(3, float)), np.eye(3) * 1e200
    one = np.eye(3)
    one[1, 0] = np.nan
    infinite = np.where(np.isnan(one), np.inf, one)
    for wrong in (np.zeros((3, 3)), np.ones((3, 3)), one, infinite, large, 1e-200 * one, -one):
        assert outcome(step, wrong) == outcome(function, wrong)


def test_a_warning_after_a_call_of_lapacks_is_that_of_numpy():
    def function(a, b):
        return np.linalg.inv(a) / b

    step = stepped(function, matrix(3, float), np.ones(3))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert np.isinf(step(matrix(3, float), np.zeros(3))).all()


def test_a_warning_before_a_call_of_lapacks_is_not_lost():
    def function(a, b):
        return [1.0 / b, np.linalg.solve(a, a[0]) + 1.0]

    step = stepped(function, matrix(3, float), np.ones(3))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        step(matrix(3, float), np.array([1.0, 0.0, 1.0]))


def test_a_program_that_draws_random_numbers_leaves_errors_to_numpy():
    rng = np.random.default_rng(0)

    def function(a):
        return np.linalg.inv(a) * 2.0 + rng.normal(size=3)

    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(4):
        step(matrix(3, float))
    with pytest.raises(np.linalg.LinAlgError):
        step(np.ones((3, 3)))


@pytest.mark.parametrize(
    ("function", "a"),
    [
        (np.linalg.inv, np.stack([np.eye(3), np.eye(3)])),
        (np.linalg.det, np.eye(65) * 1.5),
        (np.linalg.inv, np.eye(3, dtype=int) * 2),
        (lambda a: np.linalg.cholesky(a, upper=True), np.eye(3) * 2.0),
    ],
)
def test_other_matrices_are_numpys(function, a):
    step = compiled(lambda a: [function(a), a * 2.0 + 1.0], executor="llvm", wait=True, audit=None)
    for _ in range(3):
        found = step(a)
    assert np.array_equal(found[0], function(a))
    assert "  NumPy: " in step.explain() or "NumPy runs the program" in step.explain()


def test_a_system_without_right_hand_sides_is_numpys():
    arrays = matrix(3, np.float64), np.ones((3, 0))
    program = native(lambda a, b: [np.linalg.solve(a, b), a * 2.0], *arrays, machine=MACHINE)
    assert "its result is empty" in str(program.partition.reasons)
    empty, doubled = program.run(*arrays)
    assert empty.shape == (3, 0)
    np.testing.assert_array_equal(doubled, 2.0 * arrays[0])


def test_without_scipy_these_calls_are_numpys(monkeypatch):
    lapack.is_there.cache_clear()
    monkeypatch.setattr(lapack, "find_spec", lambda name: None)
    program = native(lambda a: np.linalg.inv(a) * 2.0 + 1.0, matrix(3, float), machine=MACHINE)
    lapack.is_there.cache_clear()
    (why,) = {why for _, why in program.partition.reasons if "SciPy" in why}
    assert why == "SciPy, which has LAPACK's functions, is not installed"


class OfWideNumbers(dict):
    """A table of functions, each of which takes whole numbers of 64 bits."""

    name = b"void (long *, double *)"

    def __missing__(self, key):
        made = ctypes.PYFUNCTYPE(ctypes.py_object, *3 * [ctypes.c_void_p])
        return made(("PyCapsule_New", ctypes.pythonapi))(1, ctypes.c_char_p(self.name), None)


@pytest.mark.parametrize("module", [np, SimpleNamespace(__pyx_capi__=OfWideNumbers())])
def test_functions_of_lapacks_that_take_other_numbers_are_not_called(monkeypatch, module):
    lapack.is_there.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(lapack, "import_module", lambda name: module)
        assert not lapack.is_there()
    lapack.is_there.cache_clear()
    assert lapack.is_there()


@dtypes
def test_an_audit_lets_rounding_grow_with_the_condition(dtype):
    a = np.vander(np.linspace(0.5, 1.0, 5)).astype(dtype)
    b = a.T @ a + np.eye(5, dtype=dtype) * dtype.type(1e-4)

    def function(a, b):
        found = [np.linalg.inv(a), np.linalg.solve(a, a[0] * 2.0), np.linalg.det(a)]
        return [*found, np.linalg.cholesky(b), *np.linalg.slogdet(a)]

    step = compiled(function, executor="llvm", wait=True, audit=1)
    for _ in range(4):
        step(a, b)
    assert "native: " in step.explain()
    assert "came to other numbers" not in step.explain()
    assert "  NumPy: " not in step.explain()


def test_small_systems_are_solved_in_a_loop():
    def function(a, x):
        for n in range(50):
            s = a @ a.T + np.eye(4) * (n + 1.0)
            x = np.linalg.solve(s, x) + np.linalg.inv(s) @ x + np.linalg.slogdet(s)[1]
        return x

    assert rounds_of(same(function, SMALL, SMALL[0])) in ([49], [50])


def test_a_logarithm_is_numpys_on_a_machine_without_one(monkeypatch):
    usual = machine.Machine.has
    monkeypatch.setattr(
        machine.Machine, "has", lambda self, name: name != "log" and usual(self, name)
    )
    a = np.random.default_rng(0).random((4, 4)) + 4.0 * np.eye(4)
    step = same(lambda a: np.linalg.slogdet(a * 2.0)[1] + np.sin(a), a)
    assert "the vector library of this machine has no log" in step.explain()
