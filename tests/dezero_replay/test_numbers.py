"""A program of single numbers runs on floats, with the bits and warnings of NumPy.

Promise: docs/how_replay_works.md
"""

import itertools
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from dezero_replay.errors import GuardError
from dezero_replay.executors.elements import NotOfNumbers
from dezero_replay.executors.numbers import NumbersExecutor
from dezero_replay.executors.numpy_executor import of_arrays
from dezero_replay.passes.graph import Graph
from dezero_replay.tape import recorded
from dezero_replay.tape.instructions import Method

from dezero_replay import compiled
from tests.replayed import bits, same

from ..lowering import graph_of, lowered, same_bits

NUMBERS = [0.0, -0.0, 1.0, -2.5, 5e-324, 1e300, -1e-300, np.inf, -np.inf, np.nan]


def of(value, shape=()):
    return np.full(shape, value)


def of_numbers(graph):
    """Return a graph as arithmetic of floats; None if it is not of numbers."""
    try:
        return NumbersExecutor().lower(graph)
    except NotOfNumbers:
        return None


def is_of_numbers(function, *arrays):
    return ".item()" in lowered(function, *arrays).source


def test_a_program_of_single_numbers_is_arithmetic_of_floats():
    def f(x, y):
        return 100.0 * (y - x**2) ** 2 + (x - 1.0) ** 2

    program = lowered(f, of(0.5), of(2.0))
    assert "add(" not in program.source
    assert same_bits(program.run(of(0.25), of(-3.0)), [f(of(0.25), of(-3.0))])
    assert program.planned_bytes == 0


FUNCTIONS = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * y * 1.0,
    "quotient": lambda x, y: x / y,
    "vanishing": lambda x, y: x * 0.0 + 1.0 / (1.0 + y * y),
    "signs": lambda x, y: -x + abs(y) - (+y),
    "powers": lambda x, y: x**2 + y**-1 + np.square(x) * np.reciprocal(y),
    "root": lambda x, y: np.sqrt(x) - y**0.5,
    "chosen": lambda x, y: np.where(x < y, x, -y),
    "shapes": lambda x, y: x.reshape(1, 1).T.copy().sum() + np.broadcast_to(y, (1, 1, 1))[0, 0],
    "sums": lambda x, y: np.sum(x) + y.sum(axis=None, keepdims=True).reshape(()) + x.max(),
    "scalars": lambda x, y: (x * y)[...] * 2.0 + np.float64(3.0)[None][0] * (x + y)[()],
    "kept": lambda x, y: -(x * 0.0).sum() * y,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_floats_give_the_bits_and_the_warnings_of_numpy(name, shape):
    f = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        graph = graph_of(f, of(0.5, shape), of(2.0, shape))
    program = of_numbers(graph)
    assert program is not None
    for a, b in itertools.product(NUMBERS, NUMBERS):
        x, y = of(a, shape), of(b, shape)
        with warnings.catch_warnings(record=True) as expected:
            warnings.simplefilter("always")
            result = f(x, y)
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always")
            found = program.run(x, y)
        assert same_bits(found, [result]), (a, b, found, result)
        assert {str(w.message) for w in got} == {str(w.message) for w in expected}, (a, b)


def test_an_infinity_that_vanishes_is_warned_of():
    def f(x):
        return 1.0 / (x * x)

    with pytest.warns(RuntimeWarning, match="overflow"):
        (found,) = lowered(f, of(2.0)).run(of(1e200))
    assert found == 0.0


def test_errors_of_floating_point_that_raise_do_so():
    def f(x, y):
        return x * y

    program = lowered(f, of(2.0), of(3.0))
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        program.run(of(1e200), of(1e200))
    with np.errstate(under="raise"), pytest.raises(FloatingPointError, match="underflow"):
        program.run(of(1e-200), of(1e-200))
    seen = []
    with np.errstate(under="call", call=lambda *kind: seen.append(kind)):
        program.run(of(1e-200), of(1e-200))
    assert seen
    with np.errstate(all="ignore"):
        assert program.run(of(1e200), of(1e200))[0] == np.inf
        assert program.run(of(2.0), of(3.0))[0] == 6.0


def test_guards_are_looked_at():
    def f(x):
        return x * 2.0 if x > 0.0 else -x

    program = lowered(f, of(1.0))
    assert program.run(of(3.0)) == [6.0]
    with pytest.raises(GuardError):
        program.run(of(-3.0))
    with pytest.raises(GuardError):
        program.run(of(np.nan))


def test_numbers_are_written_in_place_and_as_a_whole():
    def f(x, y):
        z = x * 2.0
        z += y
        z *= 3.0
        z[...] = z - 1.0
        np.add(z, x, out=z)
        return z, np.float64(0.0) + y

    arrays = of(1.5, (1,)), of(-0.5, (1,))
    program = lowered(f, *arrays)
    assert ".item()" in program.source
    assert same_bits(program.run(*arrays), list(f(*arrays)))


def test_results_are_new_arrays():
    def f(x):
        y = x * 2.0
        return y, y.copy(), y

    x = of(1.0, (1,))
    step = compiled(f)
    for _ in range(3):
        step(x)
    assert ".item()" in step.program.source()
    first, second = step(x), step(x)
    assert first[0] is first[2]
    assert not np.shares_memory(first[0], first[1])
    assert not np.shares_memory(first[0], second[0])


def written_by(x, how):
    """Return an array of one element into which something was written."""
    y = x[None] * 2.0
    if how == "sort":
        y.sort()
    elif how == "mod":
        y %= 2.0
    elif how == "put":
        np.put(y, [0], 3.0)
    elif how == "mask":
        y[y > 0.0] = 4.0
    elif how == "bool":
        y[...] = x > 0.0
    else:
        np.cumsum(y * 1.0, out=y)
    return y + 1.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.exp(x),
        lambda x: x**3,
        lambda x: np.maximum(x, 0.0),
        lambda x: x.astype(np.float32) * 2.0,
        lambda x: x * 1j,
        lambda x: x * np.ones(3),
        lambda x: (x > 0.0) & (x < 9.0),
        lambda x: x[None],
        lambda x: np.stack([x, x]) @ np.ones(2),
        lambda x: (x * 2.0).reshape(1, 1),
        lambda x: np.add(x, x, dtype=np.float32),
        lambda x: np.divmod(x, 2.0)[0],
        lambda x: x * np.float64(np.inf),
        lambda x: ((x > 0.0) + (x < 9.0)) * x,
        lambda x: np.where(x > 0.0, x > 1.0, x),
        lambda x: np.where(x > 0.0, True, x),
        lambda x: ((x > 0.0) + True) * x,
        lambda x: np.sqrt(x > 0.0) * x,
        lambda x: x.sum(initial=2.0),
        lambda x: np.add.accumulate(x[None]).sum(),
        lambda x: x * (x > 0.0).sum(),
        lambda x: np.logical_xor.reduce(x[None]) * x,
        lambda x: np.mean(x[None].astype(np.float32)) + x,
        lambda x: written_by(x, "sort"),
        lambda x: written_by(x, "mod"),
        lambda x: written_by(x, "put"),
        lambda x: written_by(x, "mask"),
        lambda x: written_by(x, "bool"),
        lambda x: written_by(x, "cumsum"),
        lambda x: x * (3 if int(x) == 1 else 2),
        lambda x: (x > 0.0) * 1.0 + x,
        lambda x: x * np.float32(2.0),
        lambda x: np.subtract.reduce(x[None], axis=0) + 1.0,
        lambda x: np.add.reduce(x[None], axis=0, dtype=float) + 1.0,
        lambda x: np.subtract.reduce(x[None], axis=0, dtype=None, keepdims=False) + 1.0,
        lambda x: np.add.reduce(x[None], axis=0, where=x[None] > 9.0) + 1.0,
        lambda x: np.multiply(x, 3.0, out=x[None] * 2.0) + 1.0,
    ],
)
def test_other_programs_are_numpys(f):
    x = of(1.5)
    graph = graph_of(f, x)
    program = of_numbers(graph)
    if program is not None:  # it is one of numbers after all: with results of its own
        assert same_bits(program.run(x), [f(x)])
        assert not np.shares_memory(program.run(x)[0], x)
    assert same_bits(lowered(f, x).run(x), [f(x)])


@pytest.mark.parametrize("f", [lambda x: [x * 2.0, x[None]], lambda x: [y := x * 2.0, y[None]]])
def test_results_that_share_memory_in_eager_code_are_numpys(f):
    x = of(1.5, (1,))
    assert of_numbers(graph_of(f, x)) is None
    first, second = lowered(f, x).run(x)
    assert np.shares_memory(first, second) or np.shares_memory(second, x)


def test_warnings_that_numpy_gives_for_small_numbers_and_in_guards_are_given():
    program = lowered(lambda x: x * x if x * x else x, of(2.0))
    with np.errstate(under="warn"), pytest.warns(RuntimeWarning, match="underflow"):
        program.run(of(1e-160))
    program = lowered(lambda x: -x if x * x else x, of(2.0))
    with pytest.warns(RuntimeWarning, match="overflow"):
        program.run(of(1e200))


def test_inputs_that_are_no_float64_are_numpys():
    for x in (np.float32(2.0), np.array(2), np.ones(65), np.array(2.0, ">f8"), np.array(1j)):
        x = np.asarray(x)
        assert not is_of_numbers(lambda x: x * 2.0, x)


def test_a_long_program_uses_names_again():
    def chain(x, w):
        y = x
        for _ in range(2_000):
            y = y * w + w
        return y

    graph = graph_of(chain, of(1.0), of(0.5))
    program = of_numbers(graph)
    assert "r9 = " not in program.source
    assert same_bits(program.run(of(2.0), of(0.25)), [chain(of(2.0), of(0.25))])


def test_a_hundred_thousand_instructions_need_no_recursion():
    (found,) = of_numbers(graph_of_chain(100_000)).run(of(1.0), of(0.5))
    y = 1.0
    for number in range(100_000):
        y = y * 0.5 if number % 2 else y + 0.5
    assert found == y
    (found,) = of_arrays(graph_of_chain(20_000)).run(of(1.0), of(0.5))
    assert found == y


def graph_of_chain(n):
    short = graph_of(lambda x, w: x * w + w, of(1.0), of(0.5))
    multiply, add = (i for i in short.instructions if len(i.args) == 2)
    x, w = short.inputs
    instructions, value = [], x
    for number in range(n):
        source = multiply if number % 2 else add
        made = type(value)(1_000 + number, np.float64(0.0))
        instructions.append(source.changed(source.call, (value, w), {}, (made,)))
        value = made
    return Graph(instructions, [x, w], [value], {})


def test_many_results_are_looked_at_together():
    def f(x):
        return [x * n for n in range(2, 14)]

    program = lowered(f, of(1.5))
    assert "all(map(isfinite" in program.source
    assert same_bits(program.run(of(-2.5)), f(of(-2.5)))
    with np.errstate(over="ignore"):
        assert same_bits(program.run(of(1e308)), f(of(1e308)))


def test_a_number_that_is_an_argument_is_written_by_way_of_a_view():
    def f(x, y):
        z = y.reshape(1)
        z *= 2.0
        return x * 2.0 if x[()] > 0.0 else x

    program = lowered(f, of(1.5), of(2.5))
    assert program.run(of(2.0), of(3.0)) == [6.0, 4.0]


def test_a_sum_that_begins_with_zero_of_a_negative_zero_is_zero():
    def f(x):
        return np.add.reduce(x, axis=(0, 1), keepdims=True) * 1.0, x.sum(axis=0)

    x = of(-0.0, (1, 1))
    assert same_bits(lowered(f, x).run(x), list(f(x)))


def test_numbers_that_are_overwritten_are_not_computed_for_anybody():
    def f(x, y):
        z = x * 2.0
        z[...] = y
        y[...] = x * 3.0
        return z + 1.0

    step = same(f, [(of(n, (1,)), of(2.0 * n, (1,))) for n in (1.0, 2.0, 3.0, -0.0)])
    assert ".item()" in step.program.source()


def test_a_number_that_is_only_written_is_not_read():
    def f(x, y):
        y[...] = x * 3.0
        return x + 1.0

    step = same(f, [(of(n, (1,)), of(2.0 * n, (1,))) for n in (1.0, 2.0, 3.0, -0.0)])
    assert step.program.source().count(".item()") == 1


def test_numbers_that_are_inputs_meet_ufuncs():
    settings = SimpleNamespace(rate=0.0)
    step = compiled(lambda x: np.multiply(settings.rate, 2.0) * x)
    for n in range(30):
        settings.rate = n // 3 / 7
        assert step(of(3.0)) == settings.rate * 2.0 * 3.0
    assert step.stats["replayed"] > 5


def test_a_method_of_a_number_that_no_table_has_is_one_of_the_literal(monkeypatch):
    known = recorded.OF_NUMBERS - {Method("bit_length")}  # as one of a later Python
    monkeypatch.setattr(recorded, "OF_NUMBERS", known)
    settings = SimpleNamespace(count=0)
    step = compiled(lambda x: x * settings.count.bit_length(), strict=True)
    for n in range(30):
        settings.count = 1 + 3 * (n % 3)
        assert step(of(3.0)) == 3.0 * settings.count.bit_length()
    assert step.stats["replayed"] > 5


def test_of_a_number_that_varies_no_more_values_are_kept_than_decide():
    settings, x = SimpleNamespace(rate=0.0, text="a"), np.ones(3)

    def f(x):
        return x * settings.rate if settings.rate < 2.0 else x

    step = compiled(f, max_programs=200)
    for n in range(100):
        settings.rate = n / 40
        assert bits(step(x)) == bits(f(x))
    assert step.stats["recorded"] == 4  # twice as a number, and once more for each of two ways
    assert len(step.programs) == 2
    assert len(step._numbers._seen) == 1
