"""Arrays that are put together of parts, as machine code: functions of them go box by box.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.passes import loops
from dezero_tools.functional import value_and_grad

from dezero_replay import compiled

from .machine_code import MACHINES, differing, kernel, native, width

X = np.random.default_rng(0).normal(size=(40, 33))


class Recipe:
    """A random function of arrays of one shape: parts, views, writes, and functions of these."""

    def __init__(self, seed, shape, count=12):
        generator = self.generator = np.random.default_rng(seed)
        self.shape = shape
        makers = [self.roll, self.pad, self.concatenate, self.written, self.rewritten]
        makers += [self.stack, self.extreme, self.in_place] + 6 * [self.elementwise]
        self.steps = [makers[generator.integers(len(makers))]() for _ in range(count)]

    def __call__(self, *arrays):
        pool = list(arrays)
        for step in self.steps:
            pool.append(step(pool))
        return arrays[0] - arrays[1], *pool[-3:]

    def any(self):
        """Return what picks one of the arrays, the latest ones more often."""
        n = int(self.generator.integers(1, 5))
        return lambda pool: pool[-min(n, len(pool))]

    def span(self, n):
        a, b = sorted(self.generator.integers(0, n + 1, 2).tolist())
        return a, b

    def index(self):
        """Return an index of a part: whole axes, spans, elements, and what is left out."""
        found = []
        for n in self.shape:
            a, b = self.span(n)
            kinds = [slice(None), slice(a, b), slice(a, b), a - n if a < n else 0, slice(1, -1)]
            found.append(kinds[self.generator.integers(len(kinds))])
        return tuple(found[: self.generator.integers(1, len(found) + 1)])

    def roll(self):
        x, count = self.any(), len(self.shape)
        shift = self.generator.integers(-50, 50, 2).tolist()
        axes = self.generator.integers(0, count, 2).tolist()
        ways = [(shift[0], axes[0]), (tuple(shift), tuple(axes)), (1, -1), (-1, 0)]
        by, axis = ways[self.generator.integers(4)]
        return lambda pool: np.roll(x(pool), by, axis)

    def pad(self):
        x, spans = self.any(), [self.span(n) for n in self.shape]
        inside = tuple(slice(a, b) for a, b in spans)
        around = [(a, n - b) for (a, b), n in zip(spans, self.shape, strict=True)]
        if self.generator.integers(2):
            return lambda pool: np.pad(x(pool)[inside] * 2, around)
        return lambda pool: np.pad(x(pool)[inside], around, constant_values=3)

    def concatenate(self):
        x, y, axis = self.any(), self.any(), int(self.generator.integers(len(self.shape)))
        k = int(self.generator.integers(0, self.shape[axis] + 1))
        before = (slice(None),) * axis
        a, b = (*before, slice(k)), (*before, slice(k, None))
        return lambda pool: np.concatenate([x(pool)[a], -y(pool)[b]], axis)

    def written(self):
        x, y, first, second = self.any(), self.any(), self.index(), self.index()

        def step(pool):
            z = np.zeros(self.shape, x(pool).dtype)
            z[first] = x(pool)[first]
            z[second] = y(pool)[second]
            return z

        return step

    def rewritten(self):
        """A part is read elsewhere in the array than where it is written."""
        x = self.any()

        def step(pool):
            z = np.full(self.shape, 2, x(pool).dtype)
            z[1:] = x(pool)[:-1] * 2
            return z + z

        return step

    def stack(self):
        x, y = self.any(), self.any()
        half = self.shape[0] // 2
        return lambda pool: np.stack([x(pool)[:half], y(pool)[half:]]).reshape(self.shape) - y(pool)

    def extreme(self):
        """An array that is broadcast."""
        x, y, axis = self.any(), self.any(), int(self.generator.integers(len(self.shape)))
        return lambda pool: np.minimum(x(pool), np.max(y(pool), axis=axis, keepdims=True))

    def in_place(self):
        x, y, index = self.any(), self.any(), self.index()

        def step(pool):
            z = x(pool).copy()
            z[index] += y(pool)[index]
            return z

        return step

    def elementwise(self):
        x, y, z = self.any(), self.any(), self.any()
        ways = [
            lambda pool: x(pool) + y(pool),
            lambda pool: x(pool) - y(pool) - z(pool),
            lambda pool: np.minimum(abs(np.maximum(x(pool), -3) * 2), 7) + z(pool),
            lambda pool: np.where(x(pool) > y(pool), z(pool), x(pool)),
            lambda pool: np.minimum(-x(pool), 4) * 2 + y(pool),
        ]
        return ways[self.generator.integers(len(ways))]


def inputs(seed, shape, dtype, order="C"):
    normal = np.random.default_rng(seed).normal(0, 3, (2, *shape))
    return [np.asarray(x.astype(dtype), order=order) for x in normal]


SHAPES = [(40, 33), (1500,), (6, 14, 17), (4, 5)]


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_of_parts_have_the_bits_of_numpy(seed):
    shape = SHAPES[seed % len(SHAPES)]
    dtype = [np.float64, np.float32, np.int64][seed % 3]
    arrays = inputs(seed, shape, dtype, "CF"[seed % 5 == 0])
    recipe, machine = Recipe(seed, shape), MACHINES[seed % len(MACHINES)]
    program = native(recipe, *arrays, machine=machine)
    for n in range(3):
        given = inputs(1000 * n + seed, shape, dtype, "CF"[seed % 5 == 0])
        with np.errstate(all="ignore"):
            expected = recipe(*given)
        for found, right in zip(program.run(*given), expected, strict=True):
            assert differing(found, right) == ""


@pytest.mark.parametrize("seed", range(24))
def test_random_loops_over_parts_have_the_bits_of_numpy(seed):
    shape, dtype = SHAPES[seed % 3], [np.float64, np.float32][seed % 2]
    recipe = Recipe(seed, shape, 6)

    def f(u, v):
        kept = []
        for _ in range(12):
            found = recipe(u, v)
            u, v = found[-1] * 0.25, found[-2] + u
            v = np.maximum(np.minimum(v, 9.0), -9.0)
            kept.append(v[0])
        return u, v, *kept

    step = compiled(f, executor="llvm", wait=True)
    for n in range(5):
        given = inputs(1000 * n + seed, shape, dtype)
        for found, right in zip(step(*given), f(*given), strict=True):
            assert differing(found, right) == ""


def diffused(u):
    inside = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
    return u + np.pad(0.2 * inside, 1)


def around(u):
    rolled = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
    return u + 0.2 * (rolled - 4.0 * u)


@pytest.mark.parametrize("function", [diffused, around], ids=lambda f: f.__name__)
def test_nothing_is_stored_between_parts_and_a_function_of_them(function):
    run = kernel(function, X, machine=MACHINES[0])
    (found,) = run(X)
    assert differing(found, function(X)) == ""
    assert run.code.scratch_bytes == 0


@pytest.mark.parametrize("function", [diffused, around], ids=lambda f: f.__name__)
@pytest.mark.parametrize("rounds", [1, 2, 12])
def test_gradients_of_a_heat_equation_have_the_bits_of_numpy(function, rounds):
    def f(u):
        for _ in range(rounds):
            u = function(u)
        return np.max(u * u)

    slope = value_and_grad(f)
    step = compiled(slope, executor="llvm", wait=True, audit=2)
    for n in range(1, 8):
        for found, right in zip(step(X * n), slope(X * n), strict=True):
            assert differing(found, right) == ""


def test_a_function_of_padding_warns_as_numpy_does():
    """The quotient of two numbers that are known is not computed while it is compiled."""
    step = compiled(lambda x: 1.0 / np.pad(x, 1) + x[0, 0], executor="llvm", wait=True)
    for _ in range(4):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            found = step(X * X + 1.0)
    assert np.isinf(found[0]).all()


def test_more_parts_than_it_cuts_functions_into_are_stored():
    def f(x):
        y = np.stack([x[n] for n in range(39, -1, -1)])
        z = np.concatenate([y[:, n : n + 1] for n in range(32, -1, -1)], axis=1)
        return y + z, y * 2.0

    run = kernel(f, X, machine=MACHINES[0])
    for found, right in zip(run(X), f(X), strict=True):
        assert differing(found, right) == ""


def test_parts_that_would_cut_a_function_into_too_many_boxes_are_stored():
    def f(x):
        y = x * 3.0
        columns = np.concatenate([x[:, n : n + 2] for n in range(0, 33, 2)], axis=1)
        rows = np.concatenate([y[n : n + 2] for n in range(0, 40, 2)])
        return columns + rows

    run = kernel(f, X, machine=MACHINES[0])
    assert differing(run(X)[0], f(X)) == ""
    assert len(run.code.region.steps) < 100


def test_writes_that_would_cut_an_array_into_too_many_boxes_are_right(monkeypatch):
    monkeypatch.setattr(loops, "LEAST_SAVED", 10**9)  # each is a call of its own

    def f(x):
        y = np.zeros(100_000)
        for n in range(40):
            y[n * 1000 : n * 1000 + 300 + n] = x[: 300 + n]
        return y * 2.0 + 1.0

    x = np.linspace(0.0, 1.0, 400)
    step = compiled(f, executor="llvm", wait=True, audit=None)
    for n in range(4):
        assert differing(step(n * x), f(n * x)) == ""
    assert "native: " in step.explain()


def test_two_functions_of_what_is_rolled_twice_are_computed_again():
    def f(x):
        y = x * 2.0 + 1.0
        return np.roll(y, 1, axis=0) * 3.0 + np.roll(y, 5, axis=1)

    run = kernel(f, X, machine=MACHINES[0])
    assert differing(run(X)[0], f(X)) == ""
    assert run.code.scratch_bytes == 0


def test_a_region_of_guards_alone_decides_as_numpy_does():
    def f(x):
        return np.sort(x, axis=None) if np.sum(np.sin(x) * 2.0) > 0.0 else np.sort(x)

    step = compiled(f, executor="llvm", wait=True, audit=None)
    for n in range(6):
        x = np.abs(X) if n % 3 else -np.abs(X)
        assert differing(step(x), f(x)) == ""
    assert step.stats["replayed"] > 0


def test_an_array_of_parts_and_a_function_of_it_are_results_both():
    def f(x):
        y = np.roll(x, 3, 1)
        z = y * 2.0 + np.pad(x[1:], ((0, 1), (0, 0)))
        return y, z, z.T + z.T, np.max(z), y[3:5]

    run = native(f, X, machine=MACHINES[0])
    for found, right in zip(run.run(X), f(X), strict=True):
        assert differing(found, right) == ""


@pytest.mark.parametrize("machine", MACHINES, ids=width)
def test_what_is_rolled_is_computed_again_in_place_of_being_stored(machine):
    def f(x):
        y = x * 3.0
        return np.roll(y, 1, 0) - np.roll(y, 2, 1) + y

    run = kernel(f, X, machine=machine)
    assert differing(run(X)[0], f(X)) == ""
    assert run.code.scratch_bytes == 0


def test_a_transposed_part_is_not_taken_for_the_part():
    x = X[:33, :33].copy()

    def f(x):
        y = x * 3.0
        return np.concatenate([y.T[:5], y[5:]]) + np.roll(y, 1, 0)

    (found,) = kernel(f, x, machine=MACHINES[0])(x)
    assert differing(found, f(x)) == ""


def test_writes_at_places_that_are_no_boxes_are_right():
    def f(x):
        y, z, w = np.zeros((40, 33)), np.ones((40, 33)), np.zeros((40, 33))
        y[None, 3:] = x[None, :-3]
        z[::2] = x[1::2]
        for n in range(40):
            w[n] = x[39 - n]
        return y + z, y - w, np.clip(np.pad(x, 1), -1.0, 1.0) * 2.0

    step = compiled(f, executor="llvm", wait=True)
    for n in range(1, 6):
        for found, right in zip(step(X * n), f(X * n), strict=True):
            assert differing(found, right) == ""


def test_arrays_of_another_dtype_are_converted_as_they_are_put_together():
    def f(x):
        whole = np.concatenate([x, x * 2], axis=1, dtype=np.float64)
        return whole * 0.1, np.stack([x[3:], x[:-3]], dtype=np.float64) + 0.1

    x = X.astype(np.float32)
    run = native(f, x, machine=MACHINES[0])
    for found, right in zip(run.run(x), f(x), strict=True):
        assert differing(found, right) == ""


def test_audits_compare_programs_of_parts(monkeypatch):
    """What `difference` is given: each result, and how large its terms are."""
    from dezero_replay_llvm import native as module

    seen, compare = [], module.difference

    def difference(region, values, expected, sizes):
        seen.extend((np.shape(x), np.shape(size)) for x, size in zip(values, sizes, strict=True))
        return compare(region, values, expected, sizes)

    monkeypatch.setattr(module, "difference", difference)

    def f(x):
        y = np.pad(np.exp(x), 1, constant_values=1)
        z = np.roll(y, 1, 0)
        return np.concatenate([z, y * 2.0]), np.stack([z, y])

    step = compiled(f, executor="llvm", wait=True, audit=1)
    for _ in range(4):
        step(X)
    assert seen[:2] == [((84, 35), (84, 35)), ((2, 42, 35), (2, 42, 35))]


def test_what_a_carried_array_was_is_read_before_it_is_written_into():
    def f(u, a):
        kept = []
        for _ in range(12):
            w = a * 2.0
            z = u + 1.0
            u = u.copy()
            u[:20] = w
            a = a + z[20:]
            kept.append(z)
        return u, a, *kept

    step = compiled(f, executor="llvm", wait=True)
    for n in range(1, 6):
        given = X * n, X[:20] / n
        for found, right in zip(step(*given), f(*given), strict=True):
            assert differing(found, right) == ""
