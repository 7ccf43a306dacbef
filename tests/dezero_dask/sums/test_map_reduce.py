"""Values and gradients are those of the sum over all rows, and their bits are always the same.

Promise: docs/how_to/more_data_than_memory.md
"""

import dask
import dask.array as da
import numpy as np
import pytest
from dezero_dask.sums import scheduling
from dezero_tools.functional.trees import leaves_of
from distributed import Client, Future

import dezero_dask as dd
from dezero_core import Variable
from dezero_tools import functional

from ..conftest import local_cluster
from .problems import CASES, bits, linear, logistic, made, parts


@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient_are_those_by_hand_wherever_tasks_run(name, anywhere):
    loss, by_hand, params = CASES[name]
    x, y = made()
    value, gradient = dd.value_and_grad(loss)(params, parts(x), parts(y))
    expected, slopes = by_hand(params, x, y)
    assert value.shape == ()
    assert np.allclose(value, expected, rtol=1e-13)
    assert type(gradient) is type(params)
    for leaf, other in zip(leaves_of(gradient), leaves_of(slopes), strict=True):
        assert type(leaf) is np.ndarray
        assert np.allclose(leaf, other, rtol=1e-12)


def test_bits_are_the_same_with_one_two_and_three_workers_and_without_any():
    loss, _, params = CASES["logistic"]
    x, y = made(1000)
    data = parts(x, 70), parts(y, 70)
    with dask.config.set(scheduler="synchronous"):
        expected = bits(dd.value_and_grad(loss)(params, *data))
    assert bits(dd.value_and_grad(loss)(params, *data)) == expected
    with local_cluster(3) as cluster, Client(cluster) as client:
        f = dd.value_and_grad(loss)
        for workers in (3, 2, 1):
            client.retire_workers(sorted(client.nthreads())[workers:])
            assert len(client.nthreads()) == workers
            assert bits(f(params, *data)) == expected
            assert bits(dd.value_and_grad(loss)(params, *data)) == expected


@pytest.mark.parametrize("n", [1, 2, 8, 9, 64, 65, 130])
def test_the_sum_is_right_for_any_number_of_partitions(n):
    x, y = made(130)
    loss, by_hand, params = CASES["linear"]
    value, gradient = dd.value_and_grad(loss)(params, parts(x, n), parts(y, n))
    expected, slope = by_hand(params, x, y)
    assert np.allclose(value, expected)
    assert np.allclose(gradient, slope)


def test_the_order_of_the_sum_is_a_tree_of_sixteens():
    x = [np.array([value]) for value in np.random.default_rng(5).random(40)]
    first, second, third = (sum_in_order(x[start : start + 16]) for start in (0, 16, 32))
    value, _ = dd.value_and_grad(lambda w, x: np.sum(w * x))(np.array(1.0), x)
    assert value == (first + second) + third
    assert value != sum_in_order(x)


def sum_in_order(arrays):
    total = arrays[0][0]
    for array in arrays[1:]:
        total = total + array[0]
    return total


def test_the_type_of_the_loss_and_of_parameters_is_kept(anywhere):
    x = [np.ones((2, 3), np.float32), np.ones((1, 3), np.float32)]
    params = {"w": np.ones(3, np.float32), "b": np.ones(2), "none": None}
    f = dd.value_and_grad(lambda p, x: np.sum(x @ p["w"]))
    value, gradient = f(params, x)
    assert value.dtype == np.float32
    assert gradient["w"].dtype == np.float32
    assert gradient["b"].dtype == np.float64
    assert gradient["b"].tolist() == [0.0, 0.0]
    assert gradient["none"] is None


def test_values_of_several_types_are_added_in_the_widest(anywhere):
    """As where the partitions are of several dtypes, and the loss is of the dtype of its data."""

    def loss(w, x):
        return np.sum(w.astype(x.dtype) * x)

    x = [np.array([0.5], np.float32), np.array([1 / 3]), np.array([0.25], np.float32)]
    value, gradient = dd.value_and_grad(loss, check=False)(np.array(1.0), x)
    assert (value.dtype, value) == (np.float64, 0.5 + 1 / 3 + 0.25)
    assert gradient == value


def test_a_complex_parameter_has_a_complex_gradient():
    x = [np.array([1.0, 2.0]), np.array([3.0])]
    value, gradient = dd.value_and_grad(lambda z, x: np.sum(np.abs(z * x) ** 2))(1.0 + 2.0j, x)
    assert value == pytest.approx(70)
    assert gradient == pytest.approx(2 * 14 * (1 + 2j))


def test_a_mean_is_weighted_by_rows(anywhere):
    x, y = made(50)
    loss, by_hand, params = CASES["logistic"]

    def mean(params, x, y):
        return loss(params, x, y) / len(x)

    cuts = [3, 20, 21]
    value, gradient = dd.value_and_grad(mean, mean=True)(
        params, np.split(x, cuts), np.split(y, cuts)
    )
    expected, slopes = by_hand(params, x, y)
    assert np.allclose(value, expected / 50)
    assert np.allclose(gradient["w"], slopes["w"] / 50)
    assert np.allclose(gradient["b"], slopes["b"] / 50)


@pytest.mark.parametrize("n", [1, 3])
def test_results_are_the_callers_own(n, anywhere):
    x, y = made()
    value, gradient = dd.value_and_grad(linear)(np.ones(4), parts(x, n), parts(y, n))
    for array in (value, gradient):
        assert array.flags.aligned
        assert array.flags.writeable


def test_a_loss_of_nothing_but_a_number_has_a_gradient_of_zeros():
    f = dd.value_and_grad(lambda w, x: 3.0, check=False)
    assert f(2.0, [np.ones(2), np.ones(2)]) == (6, 0)
    value, gradient = f(2.0, [np.ones(2)])
    assert (value.shape, value, gradient) == ((), 3, 0)


def test_a_mean_of_whole_numbers_is_exact():
    x = [np.full(7, 3.0), np.full(42, 3.0)]
    f = dd.value_and_grad(lambda w, x: np.mean(w * x), mean=True)
    assert f(1.0, x) == (3, 3)


def test_keys_of_the_users_own_graph_are_not_mixed_up_with_numbers_of_partitions():
    from dask.delayed import Delayed

    x = [Delayed(number, {number: (np.full, 30, number + 10.5)}) for number in (1, 0, 2)]
    f = dd.value_and_grad(lambda w, x: np.sum(w * x))
    assert f(1.0, x)[0] == 30 * (11.5 + 10.5 + 12.5)
    assert [f.partition(n)(1.0, x)[0] for n in range(3)] == [345, 315, 375]


def test_a_loss_that_is_compiled_already_is_taken_as_it_is(client):
    from dezero_replay import compiled

    x, y = made()
    f = dd.value_and_grad(compiled(linear, quiet=True))
    value, _ = f(np.ones(4), parts(x), parts(y))
    assert value == pytest.approx(np.sum((x @ np.ones(4) - y) ** 2))


def test_what_was_recorded_is_kept_for_other_data():
    x, y = made()
    f = dd.value_and_grad(linear)
    with dask.config.set(scheduler="synchronous"):
        f(np.ones(4), parts(x), parts(y))
        kernel = f._kernel
        f(np.ones(4), parts(2 * x), parts(y))
    assert f._kernel is kernel
    assert kernel._derivative.stats["recorded"] == 2


def test_the_gradient_alone_and_the_product_with_the_hessian(anywhere):
    x, y = made()
    loss, by_hand, params = CASES["linear"]
    assert np.allclose(dd.grad(loss)(params, parts(x), parts(y)), by_hand(params, x, y)[1])
    vector = np.array([1.0, 2.0, 3.0, 4.0])
    product = dd.hvp(loss)(params, parts(x), parts(y), vector)
    assert np.allclose(product, 2 * x.T @ (x @ vector))


def test_a_product_takes_its_vector_in_the_form_of_the_parameters():
    x, y = made()
    _, _, params = CASES["logistic"]
    vector = {"b": 2.0, "w": np.arange(4.0)}
    product = dd.hvp(logistic, mean=True, check=False)(params, parts(x), parts(y), vector)
    expected = functional.hvp(logistic)(params, x, y, {"w": vector["w"], "b": vector["b"]})
    z = x @ params["w"] + params["b"]
    weights = np.exp(-z) / (1 + np.exp(-z)) ** 2 * (x @ vector["w"] + vector["b"])
    assert np.allclose(product["w"], x.T @ weights / 9)
    assert np.allclose(product["b"], np.sum(weights) / 9)
    assert np.allclose(product["w"], expected["w"] / 9)


def test_a_number_that_the_loss_reads_is_read_anew_in_each_step(anywhere):
    factor = 1.0

    def loss(w, x):
        return factor * np.sum(w * x)

    f = dd.value_and_grad(loss)
    x = [np.ones(2), np.ones(3)]
    for factor in (1.0, 1.0, 1.0, 2.0, 3.0):
        assert f(1.0, x)[0] == 5 * factor


@pytest.mark.parametrize("replay", [True, False])
def test_a_loss_may_hold_variables(replay):
    factor = Variable(np.array(2.0))
    f = dd.value_and_grad(lambda w, x: np.sum(x * w) * factor, replay=replay)
    for _ in range(3):
        value, gradient = f(3.0, [np.ones(2), np.ones(3)])
        assert (type(value), type(gradient)) == (np.ndarray, np.ndarray)
        assert (value, gradient) == (30, 10)
    factor.data = np.array(4.0)
    assert f(3.0, [np.ones(2), np.ones(3)]) == (60, 20)


def test_parameters_of_any_size_arrive(client):
    x = [np.ones((2, 1)), np.full((3, 1), 2.0)]
    f = dd.value_and_grad(lambda w, x: np.sum(x) * np.sum(w))
    for size in (1, 3_000, 200_000):
        value, gradient = f(np.full(size, 0.5), x)
        assert value == 4 * size
        assert np.array_equal(gradient, np.full(size, 8.0))


@pytest.mark.parametrize(
    ("size", "count", "sent"),
    [(1, 3, "as it is"), (3_000, 3, "as it is"), (3_000, 90, "key"), (200_000, 2, "Future")],
)
def test_what_is_large_is_sent_once_a_step(size, count, sent, client, monkeypatch):
    held, graphs = np.ones(size), []

    def seen(graph, *others, computed=scheduling.computed):
        graphs.append(graph)
        return computed(graph, *others)

    monkeypatch.setattr(scheduling, "computed", seen)
    x = [np.ones(2)] * count
    dd.value_and_grad(lambda w, x: np.sum(x * np.sum(w)) + np.sum(x * held[0]))(held, x)
    tasks = [x for x in graphs[0].values() if isinstance(x, tuple) and len(x) == 5]
    assert len(tasks) == count
    kinds = {"key": str, "Future": Future}
    for _, (_, function), parameters, *_ in tasks:
        assert type(function) is kinds.get(sent, bytes)
        assert type(parameters) is kinds.get(sent, list)


@pytest.mark.parametrize("size", [1, 3_000, 200_000])
def test_a_loss_that_holds_arrays_of_any_size_arrives(size, anywhere):
    held = np.full(size, 0.5)
    f = dd.value_and_grad(lambda w, x: np.sum(w * x) * np.sum(held))
    assert f(2.0, [np.ones(2), np.ones(3)]) == (5 * size, 2.5 * size)


def test_keys_of_a_step_are_never_used_again(client):
    values = iter(range(100))

    class Counter:
        """Is another number on each reading."""

        def __reduce__(self):
            return float, (next(values),)

    counter = Counter()
    f = dd.value_and_grad(lambda w, x: np.sum(w * x) * float(str(counter)))
    x = [np.ones(2)]
    found = {float(f(1.0, x)[0]) for _ in range(4)}
    assert len(found) == 4


def test_the_function_looks_like_the_loss_and_can_be_pickled():
    import pickle

    f = dd.value_and_grad(linear, mean=True, check=False)
    assert f.__name__ == "linear"
    assert repr(f).startswith("<map-reduce value_and_grad of <function linear")
    x, y = made()
    again = pickle.loads(pickle.dumps(dd.hvp(np.sum, mean=True)))
    assert repr(again) == "<map-reduce hvp of <function sum at" + repr(again)[35:]
    w = np.ones(4)
    assert bits(f(w, parts(x), parts(y))) == bits(f(w, da.from_array(x, (10, 4)), parts(y)))


def test_a_step_can_be_taken_within_a_task(client):
    x, y = made()
    params = np.ones(4)

    def whole(x, y):
        import numpy

        import dezero_dask

        def loss(w, x, y):
            return numpy.sum((x @ w - y) ** 2)

        f = dezero_dask.value_and_grad(loss)
        return f(params, x, y)[0]

    future = client.submit(whole, parts(x), parts(y))
    assert np.allclose(future.result(timeout=30), np.sum((x @ params - y) ** 2))


def test_other_than_functions_and_wrong_options_are_refused():
    with pytest.raises(TypeError, match="takes a function"):
        dd.value_and_grad(np.ones(2))
    with pytest.raises(TypeError, match="penalty is a function of the parameters"):
        dd.value_and_grad(linear, penalty=0.1)
    for partitions in (0, 2.0, True):
        with pytest.raises(ValueError, match="partitions is a number from 1 on"):
            dd.hvp(linear, partitions=partitions)
    with pytest.raises(TypeError, match="other"):
        dd.grad(linear, other=1)
    with pytest.raises(TypeError, match="takes data after its parameters"):
        dd.value_and_grad(linear)(np.ones(2))
    with pytest.raises(TypeError, match="a vector as its last argument"):
        dd.hvp(linear)(np.ones(2), [np.ones(2)])
    with pytest.raises(ValueError, match=r"needs arrays of shapes \[\(4,\)\], got \[\(3,\)\]"):
        dd.hvp(linear)(np.ones(4), [np.ones((2, 4))], [np.ones(2)], np.ones(3))
