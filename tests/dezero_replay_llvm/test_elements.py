"""Elements of arrays, and writes into parts of them, as machine code.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_tools.functional import grad, hessian, value_and_grad

from dezero_replay import compiled

from .machine_code import MACHINES, differing, kernel, width

X = np.random.default_rng(0).normal(size=(7, 9))


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def put_apart(x):
    """Elements in any order, of which one is used twice."""
    y = x * 0.0
    y[0, 1] = x[2, 3] * x[1, 1]
    y[-1, -1] = x[2, 3] - y[0, 1]
    y[0, 1] += x[0, 0]
    return y


def overlapping(x):
    u = x * 2.0
    for _ in range(3):
        u[1:] += x[:-1]
        u[:, :-2] -= x[:, 2:]
    return u


def shifted(x):
    """What is written is read elsewhere in the same array."""
    u = x * 2.0
    u[1:] = u[:-1]
    u[:, 1:] = u[:, :-1] * u[:, 1:]
    return u


def twice_used(x):
    u = x * 2.0
    s = u[:, 1:] + x[:, 1:]
    u[:, 1:] = s
    return s * 3.0, u


def read_before_and_after(x):
    u = np.sqrt(abs(x))
    before = u[2] * x[2]
    first = u[0, 0]
    u[2] = 1.5
    u[0] = first * before
    return before, u[2] * 2.0, u.T * first, first + u[0, 3]


def kept(x):
    """The array that is written into is a result itself, as it was before."""
    u = x + 1.0
    v = u.copy()
    v[0] = 3.0
    w = v.copy()
    w[:, 0] = u[:, 1]
    return u, v, w


def through_views(x):
    u = x * 2.0
    u.T[1:][::2] *= x.T[1::2]
    u.reshape(-1)[5:].reshape(-1)[::3] -= 1.0
    return u


def strided(x):
    u = np.zeros_like(x)
    u[::2, ::3] = x[::2, ::3]
    u[1::2, ::-2] = -1.0
    return u + x


def broadcast(x):
    u = x * 2.0
    u[1:3] = x[0]
    u[:, 4] = 2
    return u * 2.0


def of_integers(x):
    u = (x > 0.0) * 1
    u[1] = u[0] + u[2]
    return u, u[1, 1] * x[1, 1]


def of_another_dtype(x):
    u = x * 2.0
    before = u.view(np.int64)[0, 0] + 1
    u[0, 0] = 3.0
    return before, u.view(np.int64)[0, 0] + 1, u * 2.0


FUNCTIONS = [
    *(put_apart, overlapping, shifted, twice_used, read_before_and_after, kept, through_views),
    *(strided, broadcast, of_integers, of_another_dtype),
]


def arrays_of(result):
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("machine", MACHINES, ids=width)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("shape", [(7, 9), (6, 33), (40, 130)])
def test_writes_into_parts_of_arrays_have_the_bits_of_numpy(function, shape, machine):
    generator = np.random.default_rng(1)
    run = kernel(function, generator.normal(size=shape), machine=machine)
    for _ in range(3):
        x = generator.normal(size=shape)
        for found, expected in zip(run(x), arrays_of(function(x)), strict=True):
            assert differing(found, expected) == ""
        assert run.status == 0


@pytest.mark.parametrize("machine", MACHINES, ids=width)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 9, 31, 64, 1000])
def test_an_element_that_is_written_anew_is_computed_once(n, machine):
    def f(x):
        u = x * 2.0
        s = u[1:] + x[1:]
        u[1:] = s
        return u, s + 1.0

    x = np.arange(1.0, n + 2.0)
    run = kernel(f, x, machine=machine)
    for found, expected in zip(run(x), f(x), strict=True):
        assert differing(found, expected) == ""


@pytest.mark.parametrize("machine", MACHINES[:1], ids=width)
def test_a_write_takes_over_the_memory_of_an_array_that_dies(machine):
    run = kernel(overlapping, X, machine=machine)
    assert run.code.scratch_bytes == 0  # all in the result
    run = kernel(lambda x: (x * 2.0, overlapping(x)[0] * 1.5), X, machine=machine)
    assert run.code.scratch_bytes < 2 * X.nbytes


@pytest.mark.parametrize("n", [2, 10])
def test_a_gradient_by_indices_is_one_piece_of_machine_code(n):
    def f(x):
        return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(n - 1))

    x = np.linspace(-1.0, 2.0, n)
    for function in (value_and_grad(f), grad(f)):
        step = compiled(function, executor="llvm", wait=True)
        for k in range(6):
            found, expected = step(x * k), function(x * k)
            for a, b in zip(
                *(y if isinstance(y, tuple) else (y,) for y in (found, expected)), strict=True
            ):
                assert differing(a, b) == ""
        assert "NumPy: " not in step.explain()


def test_a_hessian_by_indices_has_the_bits_of_numpy():
    step = compiled(hessian(rosenbrock), executor="llvm", wait=True)
    for n in range(6):
        x = np.array([0.3 * n, -0.7])
        assert differing(step(x), hessian(rosenbrock)(x)) == ""


def test_an_element_that_the_caller_gets_is_a_number_of_its_own():
    def f(x):
        y = np.exp(x) * 2.0
        e = y[0]
        y[0] = 5.0
        return e, y, x[1], y[1] * 2.0

    step = compiled(f, executor="llvm", wait=True)
    x = np.linspace(0.0, 1.0, 5)
    for _ in range(5):
        found, expected = step(x), f(x)
        for a, b in zip(found, expected, strict=True):
            assert type(a) is type(b)
            np.testing.assert_allclose(a, b, rtol=1e-14)


def test_threads_write_parts_as_one_thread_does():
    def f(x):
        u = x * 2.0
        u[1:] += x[:-1]
        u[:, :-2] -= x[:, 2:]
        return u

    x = np.random.default_rng(0).normal(size=(700, 501))
    step = compiled(f, executor="llvm", wait=True, threads=4)
    for _ in range(4):
        assert differing(step(x), f(x)) == ""


def test_positions_stay_with_numpy():
    def f(x):
        u = x * 2.0 + 1.0
        u[[0, 2]] = 3.0
        return u[[1, 1]] * x[0] - 1.0

    step = compiled(f, executor="llvm", wait=True)
    for _ in range(4):
        assert differing(step(X), f(X)) == ""
    assert "NumPy: " in step.explain()
