"""Writes into Variables: values, gradients, and what is refused.

Promise: docs/how_to/write_into_arrays.md
"""

import operator
import threading

import numpy as np
import pytest
from dezero_ops_basic.in_place import write_by
from dezero_ops_basic.writing import SetItem

import dezero_ops_basic
from dezero_core import (
    Function,
    GraphError,
    Parameter,
    Variable,
    VariableTypeError,
    grad,
    no_grad,
)

from ..layouts import LAYOUTS


def variable(*values):
    return Variable(np.array(values))


def computed(*values):
    """Return a Variable, and another one that is computed from it and has the same values."""
    x = variable(*values)
    return x, x * 1.0


def test_a_write_gives_the_gradient_to_the_new_value_and_none_to_the_old_one():
    x, y = computed(1.0, 2.0, 3.0)
    v = Variable(np.array(5.0))
    y[1] = v * 2.0
    (y * np.array([1.0, 10.0, 100.0])).backward()
    np.testing.assert_array_equal(y.data, [1.0, 10.0, 3.0])
    np.testing.assert_array_equal(x.grad, [1.0, 0.0, 100.0])
    assert v.grad == 20.0


def test_an_augmented_write_keeps_the_gradient_of_the_old_value():
    x, y = computed(1.0, 2.0, 3.0)
    y[1:] *= x[:-1]
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 2.0, 6.0])
    np.testing.assert_array_equal(x.grad, [1.0 + 2.0, 1.0 + 3.0, 2.0])


def test_what_was_computed_before_a_write_differentiates_by_the_old_value_to_any_order():
    x, y = computed(1.0, 2.0, 3.0)
    z = y * y * y
    y[0] = 10.0
    (first,) = grad(z, [x], create_graph=True)
    (second,) = grad(first, [x])
    np.testing.assert_array_equal(first.data, [3.0, 12.0, 27.0])
    np.testing.assert_array_equal(second, [6.0, 12.0, 18.0])


def test_an_input_that_is_written_into_is_a_result_from_then_on():
    x = variable(1.0, 2.0, 3.0)
    before = x * x
    x[0] = 10.0
    after = x * x
    (before + after).backward()
    assert (x.grad, x.generation) == (None, 1)
    np.testing.assert_array_equal(after.data, [100.0, 4.0, 9.0])


def test_the_gradient_of_the_value_before_goes_to_the_variable_that_was_copied():
    x = variable(1.0, 2.0, 3.0)
    y = +x
    y[0] = y[1] * y[2]
    y.backward()
    np.testing.assert_array_equal(x.grad, [0.0, 1.0 + 3.0, 1.0 + 2.0])


def test_a_view_keeps_its_values_and_its_gradient():
    x, y = computed(1.0, 2.0, 3.0)
    view = y[1:]
    y[1] = 7.0
    (view * 10.0).backward()
    np.testing.assert_array_equal(view.data, [2.0, 3.0])
    np.testing.assert_array_equal(x.grad, [0.0, 10.0, 10.0])


@pytest.mark.parametrize("written", [0.5, np.array([1.0]), [2.0]], ids=repr)
def test_the_array_that_was_given_to_a_variable_does_not_change(written):
    array = np.array([1.0, 2.0])
    x = Variable(array)
    x[1:] = written
    np.testing.assert_array_equal(array, [1.0, 2.0])


def test_a_variable_written_into_itself_is_as_in_numpy():
    x, y = computed(1.0, 2.0, 3.0)
    y[1:] = y[:-1]
    y[...] = y
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0, 1.0, 2.0])
    np.testing.assert_array_equal(x.grad, [2.0, 1.0, 0.0])


def test_a_variable_without_axes_can_be_written_into():
    x = Variable(np.array(3.0))
    y = x * 2.0
    y[()] = y * y
    y[...] = y + 1.0
    y.backward()
    assert (y.item(), x.grad) == (37.0, 24.0)
    with pytest.raises(IndexError, match="too many indices"):
        y[0] = 1.0


def index_of(rng, shape):
    """Return an index that picks elements twice, laid out in some way, and what it picks."""
    picked = tuple(rng.integers(1, 4, rng.integers(1, 4)))
    rows = rng.integers(0, shape[0], picked)
    kinds = [rows]
    if len(shape) > 1:
        kinds.append((rows, rng.integers(0, shape[1], picked[-1:])))
        kinds.append((slice(None), rng.integers(0, shape[1], picked)))
        kinds.append((rows, slice(None, None, -1)))
    index = kinds[rng.integers(len(kinds))]
    parts = index if isinstance(index, tuple) else (index,)
    laid_out = tuple(LAYOUTS[rng.integers(4)](p) if isinstance(p, np.ndarray) else p for p in parts)
    picks = np.arange(np.prod(shape)).reshape(shape)[index]
    return laid_out, np.ascontiguousarray(picks)


@pytest.mark.parametrize("seed", range(8))
def test_of_repeated_positions_the_last_value_counts_however_arrays_lie_in_memory(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        shape = [(3,), (3, 2), (3, 3, 2), (2, 3, 4)][rng.integers(4)]
        index, picks = index_of(rng, shape)
        lengths = tuple(n if rng.random() < 0.8 else 1 for n in picks.shape)
        v = Variable(LAYOUTS[rng.integers(4)](rng.normal(size=lengths)))
        x = Variable(LAYOUTS[rng.integers(4)](rng.normal(size=shape)))
        weight = rng.normal(size=shape)
        y = x * 1.0
        y[index] = v
        (y * weight).backward()
        expected, source = x.data.ravel().copy(), np.full(x.size, -1)
        numbers = np.broadcast_to(np.arange(v.size).reshape(lengths), picks.shape)
        for at, number in zip(picks.ravel(), numbers.ravel(), strict=True):
            expected[at], source[at] = v.data.ravel()[number], number
        gv = np.zeros(v.size)
        np.add.at(gv, source[source >= 0], weight.ravel()[source >= 0])
        np.testing.assert_array_equal(y.data.ravel(), expected)
        np.testing.assert_allclose(v.grad.ravel(), gv, 1e-13, 1e-14)
        np.testing.assert_array_equal(x.grad.ravel(), np.where(source < 0, weight.ravel(), 0.0))


@pytest.mark.parametrize("seen", [False, True])
def test_of_positions_that_are_broadcast_the_last_value_counts_however_values_lie(seen):
    """NumPy goes through the values by columns: so of the element 0, 1 it keeps another one."""
    i, j = [[[0, 0, 1]], [[0, 2, 2]]], [[[0, 1, 1], [1, 0, 1]]]
    v = Variable(np.asfortranarray(np.arange(1.0, 13.0).reshape(2, 2, 3)))
    out = Variable(np.zeros((3, 2)))
    held = out.data if seen else None
    out[i, j] = v
    out.backward()
    np.testing.assert_array_equal(out.data, [[7.0, 10.0], [0.0, 6.0], [11.0, 12.0]])
    np.testing.assert_array_equal(np.flatnonzero(v.grad) + 1, [6, 7, 10, 11, 12])
    assert held is None or not held.any()


def test_np_add_at_adds_as_often_as_an_element_is_picked_and_an_augmented_write_once():
    x, y = computed(1.0, 2.0, 3.0)
    v = variable(10.0, 20.0)
    np.add.at(y, [0, 0], v)
    np.subtract.at(y, [2, 2], 1.0)
    y[[1, 1]] += 1.0
    (y * np.array([1.0, 2.0, 3.0])).backward()
    np.testing.assert_array_equal(y.data, [31.0, 3.0, 1.0])
    np.testing.assert_array_equal(x.grad, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(v.grad, [1.0, 1.0])


@pytest.mark.parametrize("seen", [False, True])
def test_np_add_at_adds_values_that_are_broadcast_where_numpys_own_sum_is_wrong(seen):
    _, y = computed(1.0, 2.0)
    v, held = variable(1.0, 2.0, 4.0), y.data if seen else None
    np.add.at(y, [[0, 0, 0], [-1, 0, 0]], v)
    y.backward()
    np.testing.assert_array_equal(y.data, [1.0 + 7.0 + 6.0, 2.0 + 1.0])
    np.testing.assert_array_equal(v.grad, [2.0, 2.0, 2.0])
    assert held is None or held.tolist() == [1.0, 2.0]


def test_values_with_more_axes_than_an_index_picks_do_not_end_the_process():
    x, y = computed(1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match=r"they have more axes"):
        np.add.at(y, slice(0, 2), np.ones((1, 1, 2)))
    np.testing.assert_array_equal(y.data, x.data)


WRITTEN = {
    "add_at": ([0, 0], 2.0),
    "copyto": (np.array([7.0, 8.0, 9.0]), "same_kind", np.array([True, False, True])),
    "place": ([True, False, True], [4.0]),
    "put": ([2], 4.0),
    "putmask": ([True, False, True], [4.0, 5.0, 6.0]),
    "subtract_at": ([0, 0], 2.0),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_of_arrays_alone_a_function_writes_into_the_array_as_numpys_does(name):
    ours, theirs = np.arange(3.0), np.arange(3.0)
    getattr(dezero_ops_basic, name)(ours, *WRITTEN[name])
    function = {"add_at": np.add.at, "subtract_at": np.subtract.at}.get(name)
    (function or getattr(np, name))(theirs, *WRITTEN[name])
    np.testing.assert_array_equal(ours, theirs)


def test_setitem_returns_a_new_variable_and_leaves_the_old_one():
    x = variable(1.0, 2.0)
    y = dezero_ops_basic.setitem(x, 0, 5.0)
    np.testing.assert_array_equal(x.data, [1.0, 2.0])
    np.testing.assert_array_equal(y.data, [5.0, 2.0])


# What is refused, and changes nothing.


REFUSED = {
    "an index out of range": (lambda x: x.__setitem__(5, 1.0), IndexError, "out of bounds"),
    "another shape": (lambda x: x.__setitem__(slice(2), np.ones(3)), ValueError, "broadcast"),
    "another shape, by positions": (
        lambda x: x.__setitem__([0, 1], np.ones(3)),
        ValueError,
        "broadcast",
    ),
    "a complex number": (lambda x: x.__setitem__(0, 1j), VariableTypeError, "np.real"),
    "a mask of another shape": (
        lambda x: x.__setitem__(np.array([True, False]), 1.0),
        IndexError,
        "boolean index did not match",
    ),
    "a text": (lambda x: x.__setitem__(0, "1"), VariableTypeError, "'str'"),
    "a copy of another shape": (
        lambda x: np.copyto(x, np.ones((2, 3))),
        ValueError,
        r"cannot copy values of shape \(2, 3\)",
    ),
    "a list with Variables": (
        lambda x: x.__setitem__(slice(2), [x[0], x[1]]),
        VariableTypeError,
        r"np\.stack",
    ),
}


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "seen"])
@pytest.mark.parametrize("what", REFUSED)
def test_a_write_that_is_refused_changes_nothing(what, alone):
    write, error, text = REFUSED[what]
    x, y = computed(1.0, 2.0, 3.0)
    seen = None if alone else y.data
    edge = y._edge
    with pytest.raises(error, match=text):
        write(y)
    assert (y._edge, y.generation) == (edge, 1)
    np.testing.assert_array_equal(y.data, [1.0, 2.0, 3.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0, 1.0])
    del seen


HALVES = {
    "a text among numbers": (
        lambda x: x.__setitem__(..., np.array([7.0, "a"], object)),
        ValueError,
    ),
    "a warning": (lambda x: x.__setitem__(..., np.array([7.0, 1e300])), RuntimeWarning),
    "a sum": (lambda x: np.add.at(x, ..., np.array([7.0, 3e38], "f4")), RuntimeWarning),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("what", HALVES)
def test_an_error_in_the_middle_of_a_write_in_place_changes_nothing(what):
    write, error = HALVES[what]
    x = Variable(np.array([1.0, 3e38], np.float32))
    with pytest.raises(error) as caught:
        write(x)
    assert "of plugin 'basic'" in caught.value.__notes__[0]
    np.testing.assert_array_equal(x.data, np.array([1.0, 3e38], np.float32))
    assert (x.creator, x.grad) == (None, None)


def test_a_write_that_nobody_would_see_is_refused():
    _, y = computed(1.0, 2.0)
    with pytest.raises(GraphError, match=r"Write y\[0, 1\] = v"):
        y[:][0] = 5.0
    holders = {"y": y}, [y]
    holders[0]["y"][0], holders[1][0][1] = 6.0, 7.0
    (z := y * 1.0)[0] = 8.0
    np.testing.assert_array_equal([y.data, z.data], [[6.0, 7.0], [8.0, 7.0]])


def test_a_write_by_a_call_is_seen_by_the_one_who_has_the_variable():
    def filled(out):
        [out.__setitem__(i, float(i)) for i in range(2)]
        return out

    np.testing.assert_array_equal(filled(Variable(np.ones(2))).data, [0.0, 1.0])
    operator.setitem(y := variable(1.0), 0, 5.0)
    assert y.item() == 5.0


def test_an_error_of_numpy_in_a_write_names_the_operation_and_the_line():
    _, y = computed(1.0, 2.0)
    with pytest.raises(IndexError) as caught:
        y[5] = 1.0
    (note,) = caught.value.__notes__
    assert note.startswith("in SetItem.forward of plugin 'basic'")
    assert "test_writing.py" in note


def test_a_value_with_a_gradient_is_refused_in_integers_and_a_number_is_converted():
    n = Variable(np.arange(3))
    with pytest.raises(VariableTypeError, match=r"x\.astype\(float64\).*v\.data"):
        n[0] = variable(1.0)[0]
    n[0], n[1] = 7, 2.7
    np.testing.assert_array_equal(n.data, [7, 2, 2])
    assert n.creator is None


def test_a_parameter_is_refused_with_the_ways_out():
    p = Parameter(np.ones(2))
    with pytest.raises(GraphError, match=r"is a Parameter.*x\.data\[i\] = v.*np\.copy") as caught:
        p[0] = 2.0
    assert caught.value.variable is p
    with no_grad():
        p[0] = 3.0
    assert (p.data.tolist(), type(p), p.generation) == ([3.0, 1.0], Parameter, 0)
    (p * p).backward()
    np.testing.assert_array_equal(p.grad, [6.0, 2.0])


def test_a_variable_with_a_gradient_is_refused_until_it_is_cleared():
    x = variable(1.0, 2.0)
    (x * x).backward()
    with pytest.raises(GraphError, match=r"x\.cleargrad\(\) first"):
        x[0] = 5.0
    np.testing.assert_array_equal(x.data, [1.0, 2.0])
    x.cleargrad()
    x[0] = 5.0
    np.testing.assert_array_equal(x.data, [5.0, 2.0])


def test_under_no_grad_an_input_stays_an_input_and_a_graph_is_refused():
    x, y = computed(1.0, 2.0)
    z = x * x
    with no_grad():
        x[0] = 5.0
        with pytest.raises(GraphError, match=r"under no_grad\(\), switched on at .*test_writing"):
            y[0] = 5.0
        result = x * 2.0
        result[0] = 1.0
    (z + x * x).backward()
    np.testing.assert_array_equal(x.grad, [2.0 + 10.0, 8.0])
    np.testing.assert_array_equal(result.data, [1.0, 4.0])


def test_a_write_into_a_variable_whose_graph_was_freed_is_named_by_backward():
    _, y = computed(1.0, 2.0)
    (y * y).backward(free_graph=True)
    y[0] = 5.0
    with pytest.raises(GraphError, match=r"free_graph=True"):
        y.backward()


class WritesBackward(Function):
    def forward(self, x):
        return x * 2.0

    def backward(self, gy):
        gy[0] = 0.0
        return gy


def test_a_write_while_a_backward_pass_runs_is_refused():
    y = WritesBackward()(variable(1.0, 2.0))
    with pytest.raises(GraphError, match="while a backward pass runs"):
        y.backward(create_graph=True)


@pytest.mark.parametrize(
    "write",
    [
        lambda a, v: np.add.at(a, [0], v),
        lambda a, v: np.put(a, [0], v),
        lambda a, v: np.copyto(a, v),
        lambda a, v: np.copyto(a, v, where=a < 1.0),
        lambda a, v: np.fill_diagonal(a.reshape(1, 1), v),
        lambda a, v: a.__setitem__(slice(None), v),
    ],
)
def test_an_array_cannot_hold_the_graph_and_the_error_says_to_fill_a_variable(write):
    v = variable(1.0) * 2.0
    with pytest.raises(VariableTypeError, match=r"Variable\(np\.zeros\(n\)\)"):
        write(np.zeros(1), v)


# Other parts of the graph.


def test_an_output_that_was_unchained_and_written_into_gets_no_gradient_of_the_old_value():
    _, y = computed(1.0, 2.0)
    z = y * y
    y.unchain()
    y[0] = 5.0
    z.backward()
    assert y.grad is None


def test_retain_grad_keeps_the_gradient_of_the_written_value():
    _, y = computed(1.0, 2.0)
    y[0] = 5.0
    (y * y).backward(retain_grad=True)
    np.testing.assert_array_equal(y.grad, [10.0, 4.0])


def test_one_of_several_outputs_can_be_written_into():
    class Both(Function):
        def forward(self, x):
            return x + 1.0, x * 2.0

        def backward(self, g0, g1):
            return g0 + 2.0 * g1

    x = variable(1.0, 2.0)
    first, second = Both()(x)
    second[0] = first[1]
    (first + second).backward()
    np.testing.assert_array_equal(x.grad, [1.0, 1.0 + 1.0 + 2.0])
    assert second.creator.inputs[0].creator is first.creator


THREADS = {
    "x[i] = v": lambda out, i, v: out.__setitem__(i, v),
    "np.copyto": lambda out, i, v: np.copyto(out, v, where=np.arange(len(out)) == i),
}


@pytest.mark.parametrize("way", THREADS)
def test_writes_of_several_threads_into_one_variable_are_all_there_with_their_gradients(
    way, many_switches
):
    count = 400
    weights, out = Variable(np.ones(count)), Variable(np.zeros(count)) * 1.0

    def work(first):
        for i in range(first, count, 4):
            THREADS[way](out, i, weights[i] * float(i))

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(out.data, np.arange(float(count)))
    out.backward()
    np.testing.assert_array_equal(weights.grad, np.arange(float(count)))


def test_a_write_of_another_thread_in_between_waits_and_computes_upon_the_result():
    _, y = computed(1.0, 2.0)
    other = threading.Thread(target=lambda: y.__setitem__(0, 50.0))
    seen = y.data  # so that each write copies

    def meddle(x, index, value):
        result = dezero_ops_basic.setitem(x, index, value)
        other.start()
        other.join(0.05)
        assert other.is_alive()
        return result

    write_by(meddle, SetItem, y, 1, 60.0)
    other.join()
    np.testing.assert_array_equal(y.data, [50.0, 60.0])
    np.testing.assert_array_equal(seen, [1.0, 2.0])
