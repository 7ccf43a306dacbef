"""Gradients that place values among zeros are recorded, with the bits of eager code.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_replay.executors.executors import NumPyExecutor
from dezero_replay.passes.passes import without_dead
from dezero_replay.passes.placing import joined
from dezero_replay.tape.instructions import Value
from dezero_tools.functional import grad, hvp, value_and_grad

import dezero_ops_math as ops
from dezero_core import Function, Variable
from dezero_core.extend import new_zeros
from dezero_replay import compiled
from tests.replayed import same, several

from ..lowering import calls, graph_of, lowered, same_bits

A, B = np.array([2, 0, 2]), np.array([[True, False, True, False]] * 3)


def is_recorded(step):
    """Return whether no body runs as it is."""
    text = "\n".join(program.source() for program in step.programs)
    return bool(text) and "opaque" not in text


ORDINARY = {
    "an element": lambda x: x[1, 2] * x[0, 0],
    "rows": lambda x: np.sum(x[1:] * x[:-1]),
    "the same twice": lambda x: np.sum(x[A] ** 2),
    "a mask": lambda x: np.sum(x[B] ** 2),
    "pairs": lambda x: np.sum(x[A, A] ** 3),
    "diagonal": lambda x: np.sum(np.diagonal(x, 1) ** 2),
    "trace": lambda x: np.trace(x) ** 2,
    "pad": lambda x: np.sum(np.pad(x, 1, "reflect") ** 2),
    "stack": lambda x: np.sum(np.stack([x, x * 2.0], 1)[:, 0] ** 2),
    "roll": lambda x: np.sum(np.roll(x, 1, 0) * x),
    "take": lambda x: np.sum(np.take(x, [3, 0, 3], 1) ** 2),
    "take along an axis": lambda x: np.sum(np.take_along_axis(x, np.array([[1], [0], [1]]), 1)),
    "repeat": lambda x: np.sum(np.repeat(x, [1, 0, 2], 0) ** 2),
    "cumsum": lambda x: np.sum(np.cumsum(x, 1) ** 2),
    "sort": lambda x: np.sum(np.sort(x, 1) * np.arange(4.0)),
    "partition": lambda x: np.sum(np.partition(x, 2, 1)[:, 2]),
    "where": lambda x: np.sum(np.where(x > 0.0, x**2, -x)),
    "diff": lambda x: np.sum(np.diff(x, 2) ** 2),
    "gradient": lambda x: np.sum(ops.gradient(x, 0.5, axis=1) ** 2),
    "split": lambda x: np.sum(np.split(x, [2, 1], 1)[2] ** 2),
    "delete": lambda x: np.sum(np.delete(x, [1], 0) ** 2),
    "insert": lambda x: np.sum(np.insert(x, 1, 2.0, 0) ** 2),
    "rfft": lambda x: np.sum(np.fft.rfft(x, 6).real ** 2),
    "interp": lambda x: np.sum(np.interp(x, [-1.0, 0.0, 2.0], [1.0, 4.0, 2.0])),
    "sinc": lambda x: np.sum(np.sinc(x)),
}


@pytest.mark.parametrize("name", ORDINARY)
def test_the_gradient_of_an_ordinary_operation_is_recorded(name):
    step = same(value_and_grad(ORDINARY[name]), several((3, 4)))
    assert is_recorded(step), step.explain()


def test_positions_that_are_arguments_are_followed():
    generator = np.random.default_rng(5)
    calls = [(np.ones(4) * n, generator.integers(0, 4, 3)) for n in range(1, 12)]
    step = same(grad(lambda x, at: np.sum(x[at] * np.arange(3.0))), calls)
    assert is_recorded(step)


def test_a_body_that_writes_into_new_zeros_is_recorded():
    class Shifted(Function):
        def forward(self, x):
            y = new_zeros(x, (len(x) + 1,))
            y[1:] = x
            y[:1] -= 3.0
            return y

        def backward(self, gy):
            return gy[1:]

    step = same(lambda x: Shifted()(Variable(x)) ** 2, several((3,)))
    assert is_recorded(step)


def test_zeros_of_one_form_are_one_constant():
    def f(x):
        return sum(x[i] ** 2 for i in range(len(x)))

    step = same(grad(f), several((6,)))
    program = step.program
    zeros = [x for x in program.tape.constants.values() if np.shape(x) == (6,) and not np.any(x)]
    assert len(zeros) == 1


def test_zeros_of_an_outer_recording_are_not_changed_by_writes_into_them():
    def f(x):
        y, z = np.zeros_like(x), np.zeros_like(x)
        y[1] = x[0]
        z[0] = x[1]
        return y, z, np.zeros_like(x)

    same(f, several((3,)))


def test_a_part_of_complex_numbers_that_is_set_is_written():
    def f(x):
        y = np.zeros_like(x)
        y.real = np.ones(3)
        y.imag = x.real * 2.0
        z = x * 2.0
        z.imag = 0.0
        return y * x, z

    same(f, [(x + 1j * y,) for (x, y) in several((3,), (3,))])


def test_hvps_of_indices_are_recorded():
    def f(x):
        return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(3))

    step = same(lambda x, v: hvp(f)(x, v), several((4,), (4,)))
    assert is_recorded(step)


def test_a_form_of_zeros_is_set_on_no_array_that_a_recording_has_made():
    def f(x):
        y = np.zeros_like(x)
        y.shape = (3, 1)
        return y + x

    step = compiled(f, quiet=True)
    for n in range(6):
        assert step(np.ones(3) * n).shape == (3, 3)


# Sums of arrays that are zeros but for a part.


def placed(x, index, value):
    y = np.zeros_like(x)
    y[index] = value
    return y


PLACES = [
    *((0, 1), (2, 3), (0, 1), (-1, -1), (slice(1, 3), slice(None, -1)), (slice(None, 2),)),
    *((slice(None, None, 2), 1), (Ellipsis, 0), slice(None), (slice(1, None), slice(1, None))),
    *(([0, 2], [1, 1]), (1, [3, 0]), (slice(None, None, -1), 2), (None, 2), (slice(0, 0),)),
]
NUMBERS = [0.0, -0.0, -0.0, 1.5, -1.5, 1e300, np.inf, -np.inf, np.nan]


def adds_whole_arrays(each):
    return each.call is np.add and type(each.args[1]) is Value and each.args[1].shape == (3, 4)


def sum_of_parts(seed):
    """Return a random sum of arrays, of which most are zeros but for a part; and its arguments."""
    rng = np.random.default_rng(seed)
    dtype = ["f8", "f8", "f4", "c16"][seed % 4]
    places = [PLACES[rng.integers(len(PLACES))] for _ in range(rng.integers(2, 7))]
    if seed % 3 == 0:
        places = places[:2] * 3
    kinds = rng.choice(["part"] * 6 + ["whole", "clean"], len(places)).tolist()
    firsts = (rng.random(len(places)) < 0.3).tolist()

    def f(x, *parts):
        total = None
        for place, kind, is_first, part in zip(places, kinds, firsts, parts, strict=True):
            if kind == "part":
                term = placed(x, place, part[place] if seed % 5 else -part[place])
            else:
                term = part * 1.0 if kind == "whole" else np.square(part)
            if total is not None:
                term = term + total if is_first else total + term
            total = term
        return total

    def arguments():
        shape = (len(places) + 1, 3, 4)
        found = rng.choice(NUMBERS[: 4 + 5 * (seed % 2)], shape)
        if dtype == "c16":
            found = found + 1j * rng.choice(NUMBERS[:4], shape)
        return list(found.astype(dtype))

    return f, [arguments() for _ in range(4)]


@pytest.mark.parametrize("first", range(0, 300, 60))
def test_sums_of_parts_have_the_bits_of_sums_of_whole_arrays(first):
    fewer = 0
    for seed in range(first, first + 60):
        f, arguments = sum_of_parts(seed)
        with np.errstate(all="ignore"):
            graphs = [graph_of(f, *arguments[0], without=joined)]
            graphs.append(without_dead(joined(graphs[0])))
            graphs.append(without_dead(joined(graphs[1], meeting=True)))
            for graph in graphs:
                program = NumPyExecutor().lower(graph)
                for xs in arguments:
                    found, expected = program.run(*xs[1:]), f(*xs)
                    assert same_bits(found, [expected]), f"seed {seed}: {program.source}"
        sums = [sum(adds_whole_arrays(each) for each in graph.instructions) for graph in graphs]
        assert sums[0] > 0
        fewer += sums[0] - sums[-1]
    assert fewer > 60


def test_parts_of_an_array_are_written_into_one_array():
    def f(x):
        return x[0] * x[1] + x[1] * x[2] + x[3]

    graph = graph_of(grad(f), np.arange(4.0))
    assert calls(graph).count("written") == 4
    assert [each.outputs[0].shape for each in graph.instructions if each.call is np.add].count(
        (4,)
    ) == 1


def met(f, *arrays):
    """Return a function as NumPy runs it, with parts that meet in one array."""
    return NumPyExecutor().lower(without_dead(joined(graph_of(f, *arrays), meeting=True)))


def test_where_all_parts_meet_a_negative_zero_stays_one():
    def f(x, a, b):
        return placed(x, slice(0, 3), a) + placed(x, slice(1, 4), b)

    program = met(f, np.ones(4), np.ones(3), np.ones(3))
    (found,) = program.run(np.full(3, -0.0), np.full(3, -0.0))
    assert np.signbit(found).tolist() == [False, True, True, False]


def test_parts_that_have_no_negative_zero_are_placed_as_they_are():
    def f(x):
        a, b = np.zeros(400), np.zeros(400)
        a[:5] = np.exp(x[:5])
        b[5:10] = np.exp(x[5:10])
        return a + b

    step = same(f, [(np.linspace(0.1, n, 70),) for n in range(1, 5)])
    assert "add(" not in str(step.program)


def test_a_part_that_is_added_is_added_where_it_lies():
    def f(x, a, b):
        return placed(x, slice(0, 90), a) + placed(x, slice(10, 100), b)

    program = met(f, np.ones(100), np.ones(90), np.ones(90))
    assert "= add(w6, x1, w6)" in program.source, program.source
    a, b = np.random.default_rng(0).normal(size=(2, 90))
    assert same_bits(program.run(a, b), [f(np.ones(100), a, b)])
    assert same_bits(program.run(a, b), [f(np.ones(100), a, b)])


def test_a_part_that_is_read_later_keeps_its_numbers():
    def f(x):
        u = x * 2.0
        v = u[10:]
        w = v + x[10:]
        u[10:] = w
        return u, v + 1.0, w * 2.0

    xs = np.random.default_rng(0).normal(size=100)
    assert same_bits(lowered(f, xs).run(xs), list(f(xs)))


def test_a_sum_that_is_written_elsewhere_is_not_made_where_the_operand_lies():
    def f(x):
        u = x * 2.0
        v = u[10:] + x[10:]
        u[:-10] = v
        return u

    xs = np.random.default_rng(0).normal(size=100)
    assert same_bits(lowered(f, xs).run(xs), [f(xs)])


def test_a_constant_part_is_one_of_the_parts():
    def f(x):
        return 3.0 * x[0] + x[1] ** 2 + x[3] ** 2

    for make in (grad, value_and_grad):
        step = same(make(f), several((8,)))
        adding = [x for x in step.program.source().splitlines() if "add(" in x and "[8]" in x]
        assert len(adding) <= 1


def test_views_of_a_view_are_written_into():
    def f(x):
        u = x * 2.0
        u[1:][::2] += x[1::2]
        u.T[0] = 5.0
        u[1] *= 3.0
        return u

    same(f, several((8, 70)))


@pytest.mark.parametrize("pick", [lambda x: x > 0.5, lambda x: np.argmax(x), lambda x: x.argsort()])
def test_parts_at_places_that_are_computed_stay_whole_arrays(pick):
    def loss(x):
        place = pick(np.asarray(getattr(x, "data", x)))
        return np.sum(x[place] ** 2) + x[0] * x[1] + np.sum(x[place] * 3.0)

    x = np.linspace(-1.0, 2.0, 70)
    same(value_and_grad(loss), [(x,), (x,), (x[::-1].copy(),), (x,)])
