"""The arrays of a recording behave as ndarrays in the bodies of operations.

Promise: docs/how_replay_works.md
"""

import copy
import math
import pickle

import numpy as np
import pytest
from dezero_replay.guards.surroundings import Surroundings
from dezero_replay.tape.recorded import Recorded
from dezero_replay.tape.tape import Tape

from dezero_core import Variable
from dezero_replay import ReplayWarning, compiled
from tests.replayed import bits, same, several


def test_functions_that_write_are_not_constants_of_the_recording():
    def f(x):
        y = np.zeros_like(x)
        np.copyto(y, x)
        np.put(y, [1], x[0])
        np.place(y, x > 0.5, [7.0])
        np.putmask(y, x < -0.5, -7.0)
        square = np.outer(y, x)
        np.fill_diagonal(square, x.sum())
        np.put_along_axis(square, np.array([[0]]), x.max(), axis=1)
        return y, square

    same(f, several((4,), calls=20))


def test_a_mask_of_one_element_is_no_index():
    table = np.arange(6.0).reshape(3, 2)
    calls = [(np.array([n % 2 - 0.5]),) for n in range(12)]
    same(lambda x: table[:1][x > 0].sum(), calls, replayed=False)
    same(lambda x: table[(x > 0).sum()], calls, replayed=False)


def test_a_number_of_an_array_is_no_view_of_it():
    def f(x):
        y = x * 2.0
        first = y[0]
        y[0] = 5.0
        return first, y[0], y[1] + first

    same(f, several((3,)))


def test_where_and_order_are_kept():
    def f(x):
        mask = x > 0
        return (
            np.add(x, 1.0, where=mask, out=np.zeros_like(x)),
            np.sum(x, where=mask),
            x.max(initial=0.5, where=mask),
            x.reshape((3, 2), order="F"),
            np.ravel(x, order="F"),
            x.copy(order="F"),
        )

    same(f, several((2, 3), calls=12))


def test_the_error_state_of_a_body_is_its_own():
    def f(x):
        with np.errstate(divide="ignore"):
            y = 1.0 / x
        return y, np.log1p(x)

    step = compiled(f)
    for _ in range(4):
        step(np.array([1.0, 2.0]))
    step(np.array([0.0, 2.0]))
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in log1p"):
        step(np.array([-1.0, 2.0]))


def test_arrays_of_one_element_and_without_dimensions_keep_their_types():
    def f(x):
        y = x * 2.0
        return y, y + y, np.sum(Variable(x) ** 2).data, x.sum(), -x, x**2, x**3, x**0.5, x**-1

    for x in (np.array(2.0), np.array([2.0]), np.array(2.0, np.float32), np.array([[-0.0]])):
        with np.errstate(divide="ignore"):
            same(f, [(np.asarray(x + n),) for n in range(6)])


def test_the_layout_of_an_array_is_part_of_the_key():
    calls = [(x,) for n in range(4) for x in (np.ones((2, 3)) * n, np.ones((3, 2)).T * n)]
    same(lambda x: (np.exp(x).strides[0] * x, x.copy().flags.f_contiguous), calls)


def test_facts_of_an_array_are_facts():
    def f(x):
        assert isinstance(x, np.ndarray)
        assert len(x) == x.shape[0] == np.shape(x)[0]
        assert x.dtype == float
        return x.reshape(x.size) * x.ndim, [row.sum() for row in x], 3.0 in x

    same(f, several((3, 2)))


def test_integers_and_booleans_of_an_array_are_guarded():
    def f(x, n):
        rows = x[: n[0]]
        return rows.sum(axis=0) / len(rows), x[int(n[1])], "many" if n[0] > 2 else "few"

    calls = [(x, np.array([n % 3 + 1, n % 2])) for n, (x,) in enumerate(several((4, 2), calls=40))]
    same(f, calls, replayed=False)


@pytest.mark.parametrize(
    "take",
    [
        *(lambda x: complex(x[0]), lambda x: round(x[0], 1), lambda x: math.trunc(x[0])),
        *(lambda x: math.floor(x[0]), lambda x: math.ceil(x[0]), lambda x: float(x[1])),
        *(lambda x: int(x[1]), lambda x: x[0].item(), lambda x: x.item(1), lambda x: round(x[1])),
        *(lambda x: math.sqrt(x[0] ** 2), lambda x: x.item(0) + x[1].item() * 2),
    ],
)
def test_a_number_that_is_taken_out_is_taken_out_anew_at_each_call(take):
    step = same(lambda x: (take(x), x * take(x), x[0] + take(x)), several((2,), calls=9))
    assert step.stats["recorded"] == 2


@pytest.mark.parametrize(
    ("leave", "said"),
    [
        (lambda x: {x[0]: 1.0}[x[0]], "takes a value out of an array"),
        (lambda x: str(x), "writes a value into a text"),
        (lambda x: repr(x), "writes a value into a text"),
        (lambda x: f"{x[0] * 2.0:.1f}", "takes a value out of an array|writes a value into a text"),
        (lambda x: x.base is None, r"takes a value out of an array by \.base"),
        (lambda x: x.flat[1], r"takes a value out of an array by \.flat"),
        (lambda x: x.tolist(), r"takes a value out of an array by \.tolist\(\)"),
        (lambda x: pickle.loads(pickle.dumps(x)), "calls _pickle.dumps, which a replay would not"),
        (lambda x: x.ctypes.data > 0, r"takes a value out of an array by \.ctypes"),
    ],
)
def test_a_value_or_memory_that_is_taken_out_is_eagers_and_ends_the_recording(leave, said):
    step = compiled(lambda x: (leave(x), x * 2.0))
    with pytest.warns(ReplayWarning, match=said):
        step(np.ones(2))
    for n in range(3):
        x = np.array([1.25, 2.5]) + n
        found, y = step(x)
        assert type(found) is type(leave(x))
        assert np.all(found == leave(x))
        assert bits(y) == bits(x * 2.0)


class Own:
    """Has names that only a recording array has."""

    value, content, root, tape = 2.0, 3.0, 4.0, 5.0


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x * (2.0 if hasattr(x, "value") else 3.0),
        lambda x: x * (2.0 if hasattr(x, "content") else 3.0),
        lambda x: x * getattr(x, "tape", 7.0),
        lambda x: x * len([name for name in dir(x) if name in ("value", "root", "T")]),
        lambda x: x * getattr(Own if x is None else x, "root", 1.5),
        lambda x: x * (2.0 if hasattr(x, "__array_interface__") else 3.0),
        lambda x: x * (2.0 if hasattr(x, "__dict__") else 3.0),
        lambda x: x * len(x.__doc__),
        lambda x: x * len(x.__class__.__name__),
        lambda x: x * x.__array_priority__,
    ],
)
def test_attributes_that_only_a_recording_array_has_are_none(f):
    same(f, several((3,)), replayed=False, quiet=True)


def test_an_attribute_that_an_array_has_not_cannot_be_set():
    def f(x):
        y = x * 2.0
        y.content = 3.0
        return y

    step = compiled(f, quiet=True)
    for _ in range(4):
        with pytest.raises(AttributeError, match="object has no attribute 'content'"):
            step(np.ones(3))


def test_flags_that_are_set_are_set_in_each_call():
    def of_a_result(x):
        y = x * 2.0
        y.flags.writeable = False
        return y

    def of_an_argument(x):
        x.flags.writeable = False
        return x

    def by_a_method(x):
        y = x * 2.0
        y.setflags(write=False)
        return y

    for f in (of_a_result, of_an_argument, by_a_method):
        step = compiled(f, quiet=True)
        for _ in range(6):
            assert not step(np.ones(3)).flags.writeable


def test_an_attribute_that_is_set_is_set_and_ends_the_recording():
    def f(x):
        y = x * 2.0
        y.shape = (2, 2)
        return y

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="setting .shape"):
        assert step(np.ones(4)).shape == (2, 2)


def test_copies_and_views_are_recorded():
    def f(x):
        y = copy.copy(x)
        z = copy.deepcopy(x)
        y[0], z[1] = 7.0, 8.0
        return y, z, x.view(), x.view(np.int64), x.view(np.ndarray) * 2.0, x[...] + 1.0

    same(f, several((3,)))


def test_results_are_written_into_arrays_that_are_given():
    def f(x):
        y, z = x * 2.0, x * 3.0
        np.cumsum(x, out=y)
        x.cumsum(out=z)
        total = np.zeros_like(x)
        np.add.at(total, [0, 1], x[:2])
        return y, z, total

    same(f, several((3,)))


def test_two_arrays_that_are_written_by_one_call_end_the_recording():
    def f(x):
        y, z = np.empty_like(x), np.empty_like(x)
        np.modf(x, out=(y, z))
        return y, z

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="np.modf has several results"):
        assert bits(step(np.array([1.5, 2.25]))) == bits(f(np.array([1.5, 2.25])))


def test_operators_with_a_variable_are_the_variables():
    w = Variable(np.ones(3))

    def f(x):
        total = x.sum()
        total += w
        several = np.multiply(x, w), np.maximum(x, w), np.dot(x, w), np.sum(w) * x[0]
        return x + w, x - w, w / x, w - x[0], total, x > w.data, *several

    same(f, several((3,)))


def test_a_variable_is_not_added_in_place_to_an_array_that_records_either():
    def f(x):
        x += Variable(np.ones(3))
        return x

    for function in (f, compiled(f)):
        with pytest.raises(TypeError, match="takes no out="):
            function(np.ones(3))


def test_numbers_of_numpy_are_updated_as_numbers_are():
    def f(x):
        total = x.sum()
        total += 1.0
        total -= x[0]
        quotient, rest = divmod(total, 2.0)
        return total, quotient, rest, divmod(7.0, x), 7 // total, total[...]

    same(f, several((3,)))


def test_calls_with_several_results_and_shapes_that_depend_on_data_are_guarded():
    def f(x):
        values, counts = np.unique(np.sign(x), return_counts=True)
        place = np.nonzero(x > 0)
        found = np.linalg.slogdet(np.outer(x, x) + np.eye(3))
        return values, counts, x[place], found.sign, found.logabsdet, np.split(x, [1])

    same(f, several((3,), calls=60))


def test_answers_that_are_no_arrays_are_guarded():
    def f(x):
        return x * 2.0 if np.array_equal(x, np.abs(x)) else x * 3.0, x.flags.c_contiguous

    same(f, several((1,), calls=40))
    step = compiled(lambda x: x * np.iterable(np.nditer(x)))
    with pytest.warns(ReplayWarning):
        step(np.ones(3))


def test_a_view_of_which_nothing_is_known_is_not_written_into():
    def f(x):
        y = x * 2.0
        rows = np.split(y, 3)
        rows[0][...] = 5.0
        return y

    step = compiled(f)
    with pytest.warns(ReplayWarning, match="by way of a view"):
        assert bits(step(np.ones(3))) == bits(f(np.ones(3)))


def test_an_array_that_an_old_recording_left_behind_is_an_array():
    tape = Tape()
    old = Recorded(tape, np.full(3, 2.0), tape.value(np.full(3, 2.0)))
    tape.open = False
    step = compiled(lambda x: (np.add(x, old), old + x, x - old, np.sum(old)), quiet=True)
    for n in range(6):
        found = step(np.full(3, float(n)))
        assert bits(list(found)) == bits(
            [np.full(3, n + 2.0), np.full(3, n + 2.0), np.full(3, n - 2.0), np.float64(6.0)]
        )


def test_an_array_that_an_old_recording_left_behind_is_written_into_and_read_as_an_array():
    tape = Tape()
    Surroundings(tape, ())
    content, plain = np.full(3, 2.0), np.zeros(3)
    old = Recorded(tape, content, tape.value(content))
    with tape.kept():
        part = old[1:]
    tape.open = False
    np.add(old, 1.0, out=plain)
    assert plain.tolist() == [3.0, 3.0, 3.0]
    plain += old
    plain[:2] = part
    old[0] = 7.0
    part *= 2.0
    assert plain.tolist() == [2.0, 2.0, 5.0]
    assert (content.tolist(), part.tolist()) == ([7.0, 4.0, 4.0], [4.0, 4.0])


def test_a_gradient_that_goes_through_thousands_of_sums_is_recorded_without_recursion():
    def f(x):
        x = Variable(x)
        y = x * 0.5
        for n in range(2_000):
            y = y + x * (n % 7)
        y.backward()
        return x.grad

    same(f, several((3,), calls=4))


def test_thousands_of_views_of_an_array_are_recorded_without_recursion():
    def f(x):
        y = view = x * 2.0
        for _ in range(1_000):
            view = view[::-1].reshape(3)
        y[0] = 7.0
        z = view + 1.0
        view[1:] *= 3.0
        return y, z, view * y

    same(f, several((3,), calls=4))


OF_ONE_SHAPE = {
    "solve": lambda x: np.linalg.solve(x @ x.T + np.eye(3), x),
    "svd": lambda x: np.linalg.svd(x, compute_uv=False),
    "slogdet": lambda x: list(np.linalg.slogdet(x @ x.T + np.eye(3))),
    "eigh": lambda x: np.linalg.eigh(x @ x.T)[0],
    "rfft": lambda x: np.fft.rfft(x, 6),
    "ifftn": lambda x: np.fft.ifftn(x).real,
    "pad": lambda x: np.pad(x, ((1, 0), (2, 1)), "wrap"),
    "repeat": lambda x: np.repeat(x, [1, 0, 2], axis=0),
    "take": lambda x: np.take(x, np.argsort(x[0]), axis=1),
    "tile": lambda x: np.tile(x, (2, 1)),
    "diff": lambda x: np.diff(x, n=2, prepend=0.0),
    "trapezoid": lambda x: np.trapezoid(x, dx=0.5),
    "split": lambda x: np.split(x, [1], axis=1),
    "gradient": lambda x: np.gradient(x, axis=0),
    "median": lambda x: np.median(x, axis=0),
}


@pytest.mark.parametrize("name", OF_ONE_SHAPE)
def test_results_whose_shape_follows_from_the_arguments_need_no_guard(name):
    step = same(OF_ONE_SHAPE[name], several((3, 4)))
    assert ".shape" not in step.program.source()


OF_MANY_SHAPES = {
    "where": lambda x: np.where(x[0] > 0.0)[0],
    "nonzero": lambda x: np.nonzero(x[0] > 0.0)[0],
    "repeat": lambda x: np.repeat(x, (x[0, :3] > 0.0).astype(int), axis=0),
    "delete": lambda x: np.delete(x, x[0] > 0.0, axis=1),
    "eigvals": lambda x: np.linalg.eigvals(x[:, :3]),
    "unique": lambda x: np.unique(x > 0.0),
}


@pytest.mark.parametrize("name", OF_MANY_SHAPES)
def test_results_whose_shape_or_dtype_follows_from_values_are_looked_at(name):
    step = same(OF_MANY_SHAPES[name], several((3, 4), calls=30), replayed=False)
    assert ".shape" in step.program.source()
