"""A program of small arrays runs on floats, element by element, with the bits of NumPy.

Promise: docs/how_replay_works.md
"""

import warnings

import numpy as np
import pytest
from dezero_replay.errors import GuardError
from dezero_replay.executors.elements import NotOfNumbers
from dezero_replay.executors.numbers import NumbersExecutor
from dezero_replay.executors.sums import text_of_sum
from dezero_tools.functional import grad, hessian, hvp, value_and_grad

from dezero_replay import compiled
from tests.replayed import same, several

from ..lowering import graph_of, lowered, same_bits

SPECIAL = np.array([0.0, -0.0, 1.0, -2.5, 5e-324, 1e300, -1e-300, np.inf, -np.inf, np.nan])


def is_of_numbers(step):
    return "add(" not in step.program.source() and ".tolist()" in step.program.source()


def rosenbrock(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))


@pytest.mark.parametrize("n", [2, 3, 10])
def test_gradients_by_indices_are_arithmetic_of_floats(n):
    for function in (value_and_grad(rosenbrock), grad(rosenbrock)):
        assert is_of_numbers(same(function, several((n,), calls=12)))
    step = same(lambda x, v: hvp(rosenbrock)(x, v), several((n,), (n,), calls=12))
    assert is_of_numbers(step)


def test_a_hessian_of_two_numbers_is_arithmetic_of_floats():
    assert is_of_numbers(same(hessian(rosenbrock), several((2,), calls=12)))


FUNCTIONS = {
    "elementwise": lambda x, y: (x + y) * x - abs(y) / (y * y + 1.0),
    "one": lambda x, y: np.sqrt(abs(x)) + np.square(y) - np.negative(x) * np.reciprocal(2.0 + y),
    "rows": lambda x, y: x[0] * y[1] + x[:, ::2][1, 0],
    "turned": lambda x, y: x.T[1] * y[:, 0] - x.reshape(-1)[1] + y.ravel()[2],
    "broadcast": lambda x, y: x * y[:1] + x[:, 1:2] + np.broadcast_to(y[0, 0], (2, 3)),
    "chosen": lambda x, y: np.where(x < y, x, -y) * ((x > 0.0) & (y > 0.0)).any(),
    "joined": lambda x, y: np.concatenate([x[0], y[1]])[1:4] * np.stack([x[:, 0], y[:, 0]])[1, 0],
    "sums": lambda x, y: x.sum(axis=0) * y.sum(axis=1)[0] + np.sum(x * y, keepdims=True)[0],
    "mean": lambda x, y: np.mean(x * y, axis=1)[:, None] + np.mean(y),
    "all": lambda x, y: np.where((x > y).all(axis=0), x[0], 1.0) + (x == x).any() * 1.0,
    "positions": lambda x, y: x[:, [2, 0]] * y[[0, 1], [1, 2]],
    "ones": lambda x, y: (x * np.ones(3)) / np.ones((2, 3)) + 1.0 * y,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("turned", [False, True])
def test_floats_give_the_bits_and_the_warnings_of_numpy(name, turned):
    f, rng = FUNCTIONS[name], np.random.default_rng(0)

    def drawn(special):
        numbers = rng.choice(SPECIAL, (2, 2, 3)) if special else rng.normal(size=(2, 2, 3))
        return [np.asfortranarray(x) if turned else x for x in numbers]

    with np.errstate(all="ignore"):
        program = lowered(f, *drawn(False))
    if not turned and name != "positions":  # the result may have another layout than floats give
        assert ".tolist()" in program.source, program.source
    for n in range(60):
        x, y = drawn(n % 2)
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            result = f(x, y)
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always")
            found = program.run(x, y)
        assert same_bits(found, [result]), (x, y, found, result)
        assert {str(w.message) for w in got} == {str(w.message) for w in expected}, (x, y)


def test_numbers_are_written_into_parts_of_arrays():
    def f(x):
        y = x * 2.0
        y[1:] += x[:-1]
        y[0] = y[1] * y[2]
        y.T[2:][...] -= 1.0
        z = y.copy()
        z[:2] = 3.0
        return y, z, y[::-1] * z

    assert is_of_numbers(same(f, several((4,), calls=12)))


def test_results_and_arguments_are_arrays_of_their_own():
    def f(x):
        x *= 2.0
        return x + 1.0, x[:2] * 1.5

    step = same(f, several((3,), calls=12))
    x = np.ones(3)
    first, _ = step(x)
    second, _ = step(x)
    assert x.tolist() == [4.0] * 3
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.exp(x),
        lambda x: x @ x,
        lambda x: x.max() * x,
        lambda x: x.cumsum() + 1.0,
        lambda x: np.maximum(x, 0.0) * 2.0,
        lambda x: x**3,
        lambda x: x[x > 0.0].sum() * x,
        lambda x: x[:2],
        lambda x: (x * 2.0)[::2] if x[0] > 9.0 else x.reshape(2, 2).T * 2.0,
        lambda x: x * 1j,
        lambda x: x.astype(np.float32) * 2.0,
        lambda x: np.sum(np.concatenate([x, x, x])) * x,
        lambda x: np.sum(x[:2, None] * np.ones((1, 50)), axis=1),
        lambda x: x[::-1].sum() * x,
        lambda x: np.broadcast_to(x[:1], (3,)).sum() + x,
    ],
)
def test_other_programs_have_numpys_bits_as_well(f):
    for x in several((4,), calls=4):
        assert same_bits(lowered(f, *x).run(*x), [f(*x)])


def test_an_element_that_nobody_reads_is_warned_of():
    def f(x):
        y = x * 1e200
        return y[0] + x

    program = lowered(f, np.ones(3))
    assert ".tolist()" in program.source
    with pytest.warns(RuntimeWarning, match="overflow"):
        program.run(np.array([1.0, 1e200, 1.0]))


def test_guards_on_elements_are_looked_at():
    def f(x):
        return x * 2.0 if x[1] > 0.0 else -x

    program = lowered(f, np.ones(3))
    assert same_bits(program.run(np.arange(3.0)), [np.arange(3.0) * 2.0])
    with pytest.raises(GuardError):
        program.run(-np.ones(3))


def test_a_list_is_written_and_an_argument_is_returned_behind_a_guard():
    def f(x):
        y = x * 1.0
        y[:2] = [5.0, 6.0]
        return y

    assert is_of_numbers(same(f, several((3,))))
    step = compiled(lambda x: x if not np.isfinite(x).all() else x * 2.0, audit=None)
    for value in (1.0, 1.0, 1.0, np.nan, 1.0, np.inf, 2.0, np.nan, 1.0):
        x = np.array([1.0, value])
        assert step(x).tolist() == (x * 2.0).tolist() or not np.isfinite(value)
        assert (step(x) is x) == (not np.isfinite(value))


def test_names_of_elements_are_none_of_other_values():
    def f(x):
        for _ in range(3):
            x = np.concatenate([x[1:] * x[:1], x[:1] + x[2:3] ** 1])
        return x[0] * x[2] + x[1]

    assert is_of_numbers(same(value_and_grad(f), several((3,), calls=8)))
    x = np.array([0.1, 0.2, 0.7])  # the sum of a mean is a value that a pass has made
    program = lowered(lambda x: x[0] * np.mean(x) - x, x)
    assert ".tolist()" in program.source
    assert same_bits(program.run(x), [x[0] * np.mean(x) - x])


def test_arrays_with_many_elements_for_each_call_are_numpys():
    x = np.ones(40)
    assert ".tolist()" not in lowered(lambda x: x * 2.0 + 1.0, x).source
    with pytest.raises(NotOfNumbers):
        NumbersExecutor().lower(graph_of(lambda x: x * 2.0 + 1.0, x))


def test_a_long_program_of_arrays_is_numpys():
    def f(x):
        for _ in range(4_000):
            x = x * 0.5 + 1.0
        return x

    assert ".tolist()" not in lowered(f, np.ones(8)).source
    assert ".tolist()" in lowered(f, np.ones(2)).source


def test_sums_are_written_in_numpys_order_or_not_at_all():
    rng = np.random.default_rng(0)
    for shape in [(2,), (3,), (7,), (8,), (9,), (2, 3), (3, 2, 2), (1, 5), (4, 4)]:
        for order in ("C", "F"):
            for axis in (None, 0, -1):
                numbers = np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(-9, 9, shape))
                x = np.array(numbers, order=order)
                program = lowered(lambda x, axis=axis: np.sum(x, axis=axis) * 1.5, x)
                assert same_bits(program.run(x), [np.sum(x, axis=axis) * 1.5])
    assert text_of_sum((3,), (8,), (0,), False) is not None
    assert text_of_sum((64,), (8,), (0,), False) is None


def test_random_programs_of_small_arrays_have_numpys_bits():
    count = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        steps = [(int(rng.integers(9)), *map(int, rng.integers(0, 3, 2))) for _ in range(8)]

        def f(x, y, steps=steps):
            found = [x, y, x - y]
            for kind, a, b in steps:
                u, v = found[-1 - a], found[-1 - b]
                w = u * 1.0
                if kind == 0:
                    w[1:] += v[:-1]
                elif kind == 1:
                    w[a, b] = v[b, a]
                elif kind == 2:
                    w = w * v.sum(axis=0)
                elif kind == 3:
                    w = np.where(u > v, u, v)
                elif kind == 4:
                    w = (u / (v * v + 1.0)).T.copy()
                elif kind == 5:
                    w[:, b] = v[a] * -0.0
                elif kind == 6:
                    w = w + v[::-1]
                elif kind == 7:
                    w = w * v[:1, :1]
                else:
                    w = np.stack([u[0], v[1], u[2]])
                found.append(w)
            return found[-1] + y[0, 0], np.sum(found[-2], axis=1) * x[0]

        arrays = [[rng.normal(size=(3, 3)) for _ in range(2)] for _ in range(4)]
        program = lowered(f, *arrays[0])
        count += ".tolist()" in program.source
        for xs in arrays:
            assert same_bits(program.run(*xs), list(f(*xs))), f"seed {seed}"
    assert count > 40


def test_a_program_of_small_arrays_is_entered_by_compiled():
    step = compiled(grad(lambda x: x[0] * x[1] ** 2), audit=1)
    for n in range(6):
        assert step(np.array([n, 2.0])).tolist() == [4.0, 4.0 * n]
