"""A loss that is no sum over rows is warned of, once; a sum never is, and no result changes.

Promise: docs/how_to/more_data_than_memory.md
"""

import threading
import warnings
from dataclasses import dataclass

import dask
import dask.array as da
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

import dezero_dask as dd
from dezero_core import Variable, grad

from .problems import bits, linear, logistic, made, parts

W = np.array([0.1, -0.2, 0.3, 0.4])
X, Y = made()


def mean(w, x, y):
    return np.mean((x @ w - y) ** 2)


def penalized(w, x, y):
    return np.sum((x @ w - y) ** 2) + 0.01 * np.sum(w**2)


def coupled(w, x, y):
    """Couples each row to the next one."""
    z = x @ w
    return np.sum((z[1:] - z[:-1]) ** 2)


def of_a_batch(w, x, y):
    """Normalizes by the statistics of the rows that it is given."""
    z = x @ w
    return np.sum(((z - np.mean(z)) / np.std(z) - y) ** 2)


def constant(w, x, y):
    return 3.0


def fresh(loss):
    """Return a loss that was never compared before."""
    return lambda *args: loss(*args)


def hidden(function):
    """Return a function whose state is not looked at, as that of a library's function."""
    function.__module__ = "scipy"
    return function


@pytest.fixture
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def line_of(function):
    """Return the number of the one line of a function that is its body."""
    return function.__code__.co_firstlineno + 1


@pytest.mark.parametrize("loss", [mean, penalized, coupled, of_a_batch, constant])
def test_a_loss_that_is_no_sum_is_warned_of_once_at_the_line_of_the_user(loss, anywhere):
    f = dd.value_and_grad(fresh(loss))

    def called():
        return f(W, parts(X), parts(Y))

    with pytest.warns(dd.NoSumOverRowsWarning, match="<lambda> is no sum over rows") as caught:
        called()
    assert [(each.filename, each.lineno) for each in caught] == [(__file__, line_of(called))]
    for remedy in ("mean=True", "penalty=", "check=False"):
        assert remedy in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            f(2 * W, parts(X), parts(Y))


def test_the_message_has_both_numbers():
    with pytest.warns(dd.NoSumOverRowsWarning, match="partition 0 its value is 2, .* rows is 4"):
        dd.grad(lambda w, x: np.mean(w * x))(1.0, [np.full(4, 2.0), np.ones(2)])


def as_scipy(loss, params, *data):
    return dd.as_scipy(loss, params, *data).fun(params)


@pytest.mark.parametrize("make", [dd.value_and_grad, dd.grad, dd.hessian, dd.hvp, as_scipy])
def test_each_derivative_compares(make):
    vector = [W] if make is dd.hvp else []
    for loss in (penalized, linear):
        data = parts(X), parts(Y), *vector
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            as_scipy(fresh(loss), W, *data) if make is as_scipy else make(fresh(loss))(W, *data)
        assert len(caught) == (loss is penalized)


def numbered(folder):
    for number, (x, y) in enumerate(zip(parts(X), parts(Y), strict=True)):
        np.savez(folder / f"{number}.npz", x=x, y=y)
    return lambda number: tuple(np.load(folder / f"{number}.npz")[name] for name in "xy")


@pytest.mark.parametrize("form", ["arrays", "dask arrays", "delayed", "files", "futures"])
@pytest.mark.parametrize("loss", [mean, penalized, linear])
def test_data_of_each_form_are_compared(form, loss, tmp_path, request):
    options = {}
    if form == "arrays":
        data = parts(X), parts(Y)
    elif form == "dask arrays":
        data = da.from_array(X, chunks=(10, 4)), da.from_array(Y, chunks=10)
    elif form == "delayed":
        data = [[dask.delayed(np.copy)(part) for part in parts(each)] for each in (X, Y)]
    elif form == "files":
        data, options = [numbered(tmp_path)], {"partitions": 9}
    else:
        client = request.getfixturevalue("client")
        data = client.scatter(parts(X)), client.scatter(parts(Y))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dd.value_and_grad(fresh(loss), **options)(W, *data)
    assert [each.category for each in caught] == [dd.NoSumOverRowsWarning] * (loss is not linear)


@pytest.mark.parametrize("loss", [mean, penalized])
def test_the_comparison_can_be_switched_off(loss, no_warning):
    f = dd.value_and_grad(fresh(loss), check=False)
    assert f(W, parts(X), parts(Y))[0] > 0
    assert dd.as_scipy(fresh(loss), W, parts(X), parts(Y), check=False).fun(W) > 0


def test_a_loss_without_its_comparison_still_has_its_nans_told():
    with pytest.warns(dd.NanInPartitionWarning):
        dd.value_and_grad(lambda w, x: np.mean(w * x), check=False)(1.0, [np.full(2, np.nan)])


@pytest.mark.parametrize("check", [None, True])
@pytest.mark.parametrize("penalty", [0.0, 2.0])
def test_a_mean_that_is_said_to_be_one_is_compared_as_a_mean(check, penalty, no_warning):
    def loss(w, x, y):
        return mean(w, x, y) + penalty * np.sum(w**2)  # the same in each partition: it stays right

    cuts = [31, 70]
    f = dd.value_and_grad(loss, mean=True, check=check)
    value, _ = f(W, np.split(X, cuts), np.split(Y, cuts))
    assert value == pytest.approx(loss(W, X, Y))


def test_a_sum_that_is_said_to_be_a_mean_is_warned_of():
    f = dd.value_and_grad(fresh(linear), mean=True, check=True)
    with pytest.warns(dd.NoSumOverRowsWarning, match="is no mean over rows.*leave mean=True out"):
        f(W, parts(X), parts(Y))


def test_a_penalty_that_is_zero_at_the_start_is_found_later():
    rows = []
    count = hidden(lambda x: rows.append(len(x)))

    def loss(w, x, y):
        count(x)
        return penalized(w, x, y)

    f = dd.value_and_grad(loss, replay=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            f(0 * W, parts(X), parts(Y))
    assert sum(rows) == 3 * 90 + 2 * 10
    with pytest.warns(dd.NoSumOverRowsWarning):
        f(W, parts(X), parts(Y))


def test_a_loss_is_warned_of_once_whether_parameters_were_zero_or_not():
    f = dd.value_and_grad(fresh(mean))
    with pytest.warns(dd.NoSumOverRowsWarning):
        f(0 * W, parts(X), parts(Y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(W, parts(X), parts(Y))


def test_a_loss_that_was_compared_is_not_compared_again_where_parameters_are_zero():
    calls = []
    count = hidden(lambda: calls.append(1))

    def loss(w, x, y):
        count()
        return linear(w, x, y)

    for factor in (1, 0, 0, 1):
        dd.value_and_grad(loss, replay=False)(factor * W, [X], [Y])
    assert len(calls) == 4 + 3


@pytest.mark.parametrize("kind", ["in memory", "lazy"])
def test_the_comparison_takes_two_evaluations_of_the_first_partition_with_two_rows(kind):
    rows, cuts = [], [1, 2, 5]
    count = hidden(lambda x: rows.append(len(x)))

    def loss(w, x):
        count(x)
        return np.sum(w * x)

    data = np.split(X[:20, 0], cuts)
    if kind == "lazy":
        data = [dask.delayed(part) for part in data]
    with dask.config.set(scheduler="synchronous"):
        f = dd.value_and_grad(loss, replay=False)
        for _ in range(3):
            f(2.0, data)
        dd.hvp(loss, replay=False)(2.0, data, 1.0)
    # Lazy ones are counted in the steps: the first two have one row, the third step compares.
    assert sum(rows) == 4 * 20 + 2 * 3


def test_partitions_of_one_row_are_never_compared(no_warning):
    calls = []
    count = hidden(lambda: calls.append(1))

    def loss(w, x):
        count()
        return np.mean(w * x)

    for data in (parts(X[:5, 0], 5), [dask.delayed(part) for part in parts(X[:5, 0], 5)]):
        f = dd.value_and_grad(loss, replay=False)
        assert f(2.0, data)[0] == pytest.approx(2 * np.sum(X[:5, 0]))
    assert len(calls) == 10


def test_some_of_the_partitions_are_compared_as_well():
    f = dd.value_and_grad(fresh(mean))
    with pytest.warns(dd.NoSumOverRowsWarning, match="for partition 4 "):
        f.partition(4)(W, parts(X), parts(Y))
    g = dd.value_and_grad(fresh(penalized))
    with pytest.warns(dd.NoSumOverRowsWarning):
        g.draw(2, np.random.default_rng(0))(W, parts(X), parts(Y))


def test_value_gradient_and_hessian_of_one_problem_warn_once_where_scipy_was_called():
    problem = dd.as_scipy(fresh(penalized), W, parts(X), parts(Y))
    options = {"jac": problem.jac, "hess": problem.hess, "method": "trust-exact"}
    with pytest.warns(dd.NoSumOverRowsWarning) as caught:
        minimize(problem.fun, problem.x0, **options)
    assert [each.filename for each in caught] == [__file__]
    problem.hessp(W, W)


@dataclass
class Mean:
    """Cannot be hashed."""

    power: int

    def __call__(self, w, x):
        return np.mean((w * x) ** self.power)


def test_a_loss_that_cannot_be_hashed_is_compared():
    with pytest.warns(dd.NoSumOverRowsWarning):
        dd.value_and_grad(Mean(2))(2.0, [np.ones(3)])


def single(w, x):
    return np.sum((x.astype(np.float32) @ w - np.float32(1)) ** 2)


def one_after_another(w, x):
    return np.cumsum((x[:, 0] * w[0]).astype(np.float32), dtype=np.float32)[-1]


SUMS = {
    "of large numbers that cancel": (lambda w, x: np.sum(x @ w), (1e8 * X, W)),
    "with a residual of nothing but rounding": (
        lambda w, x: np.sum((x[:, :4] @ w - x[:, 4]) ** 2),
        (np.column_stack([X, X @ W]), W),
    ),
    "of float32": (single, (np.repeat(X, 1000, axis=0).astype(np.float32), W.astype(np.float32))),
    "of terms that cancel": (
        lambda w, x: w * np.sum(x),
        (np.tile([1e5 / 3, 0.7 - 1e5 / 3, 1e5 / 7, 0.1 - 1e5 / 7], 7), np.array(1.0)),
    ),
    "of float32 in float64": (one_after_another, (np.full((200_000, 1), 0.1), np.ones(1))),
    "of data in float32": (
        lambda w, x: np.sum(w) * np.cumsum(x, dtype=np.float32)[-1],
        (np.full(200_000, 0.1, np.float32), W),
    ),
    "of float32, one after another": (
        one_after_another,
        (np.full((200_000, 1), 0.1, np.float32), np.ones(1, np.float32)),
    ),
    "of float16": (lambda w, x: np.sum(x * w), (np.ones((90, 4), np.float16), W.astype("e"))),
    "of float32 inside of float64": (
        lambda w, x: np.sum((x.astype("f") @ w.astype("f")) ** 2).astype("d"),
        (X[:100], W),
    ),
    "of residuals that cancel, of parameters that are zero": (
        lambda w, x: np.sum(x[:, 0] - x[:, 1:] @ w),
        (
            np.column_stack([X[:90, 0] - np.repeat(X[:90, 0].reshape(2, 45).mean(1), 45), X[:90]]),
            0 * W,
        ),
    ),
    "of whole numbers": (lambda w, x: np.sum(x @ w), (np.arange(40).reshape(10, 4), W)),
    "of truths": (lambda w, x: np.sum(np.where(x, w, 0.0)), (X > 0, W)),
    "of a complex parameter": (lambda w, x: np.sum(np.abs(x @ w) ** 2), (X, W * (1 + 2j))),
    "of a sparse matrix": (lambda w, x: np.sum(w * x.sum(axis=0)), (csr_array(X), W)),
    "counts": (lambda w, x: np.sum(x @ w > 0), (X, W)),
    "of one number in an array": (lambda w, x: np.sum(x @ w, keepdims=True)[None], (X, W)),
    "that is zero": (lambda w, x: 0.0 * np.sum(x @ w), (X, W)),
    "of few rows": (lambda w, x: np.sum(np.exp(x @ w)), (X[:2], W)),
}


@pytest.mark.parametrize("name", SUMS)
def test_a_sum_is_not_warned_of(name, no_warning):
    loss, (x, w) = SUMS[name]
    for scale in (1, 2):
        dd.value_and_grad(fresh(loss))(scale * w if scale == 2 and w.dtype != "e" else w, [x])


def test_a_residual_of_nothing_but_rounding_is_not_warned_of_for_any_data(no_warning):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, w = rng.standard_normal((101, 37)), rng.standard_normal(37)
        dd.value_and_grad(fresh(linear))(w, [x], [x @ w])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mean_of_many_rows_is_warned_of(dtype):
    x = np.ones((6_000_000, 1), dtype)
    with pytest.warns(dd.NoSumOverRowsWarning):
        dd.value_and_grad(lambda w, x: np.mean(x @ w))(np.ones(1, dtype), [x])


def of_a_certain_length(w, x):
    if len(x) != 4:
        raise ValueError("four rows")
    return np.mean(w * x)


def infinite(w, x):
    return np.mean(w * x) * (np.inf if len(x) == 4 else 1.0)


def infinite_in_halves(w, x):
    return np.mean(w * x) * (1.0 if len(x) == 4 else np.inf)


CALLS = []


@hidden
def number_of_the_call():
    CALLS.append(1)
    return len(CALLS)


def one_of_time(w, x):
    return np.sum(w * x) * (1 + number_of_the_call() % 7)


def in_place(w, x):
    x -= np.mean(x)
    return np.mean(w * x)


def many_in_halves(w, x):
    return np.mean(w * x) if len(x) == 4 else w * x


@pytest.mark.parametrize(
    "loss",
    [of_a_certain_length, infinite, infinite_in_halves, one_of_time, in_place, many_in_halves],
)
def test_a_loss_of_which_it_cannot_be_told_is_not_warned_of(loss, no_warning):
    value, _ = dd.value_and_grad(fresh(loss), replay=False)(2.0, [np.arange(1.0, 5.0)])
    assert value == value


def test_the_comparison_brings_no_warning_of_numpy():
    def loss(w, x):
        return np.sum(w * x) / (len(x) - 2.0)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dd.value_and_grad(loss)(2.0, [np.arange(1.0, 5.0)])
    assert caught == []


def test_the_comparison_writes_into_no_data():
    x = np.arange(1.0, 5.0)
    with dask.config.set(scheduler="synchronous"):
        for expected in (0.0, 0.0):
            f = dd.value_and_grad(fresh(in_place), replay=False)
            assert f(2.0, [x])[0] == expected
    assert x.tolist() == [-1.5, -0.5, 0.5, 1.5]


def test_a_bound_method_is_warned_of_once():
    model = Model()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            dd.value_and_grad(model.mean)(W, [X], [Y])
    assert len(caught) == 1


class Model:
    def mean(self, w, x, y):
        return mean(w, x, y)


def test_a_mean_of_tables_is_warned_of():
    """A table has no dtype, and takes slices of its rows."""

    class Table:
        def __init__(self, rows):
            self.rows, self.shape = rows, rows.shape

        def __getitem__(self, rows):
            return Table(self.rows[rows])

    with pytest.warns(dd.NoSumOverRowsWarning):
        dd.value_and_grad(lambda w, x: np.mean(x.rows @ w))(W, [Table(X)])


def test_a_mean_with_a_derivative_inside_is_warned_of():
    def loss(w, x):
        z = Variable(x)
        slope = grad(np.sum((z @ w) ** 2), z, create_graph=True)
        return np.mean(slope**2)

    with pytest.warns(dd.NoSumOverRowsWarning):
        dd.value_and_grad(loss)(W, [X])


@pytest.mark.parametrize("make", [dd.value_and_grad, dd.grad, dd.hessian])
@pytest.mark.parametrize("loss", [linear, penalized])
@pytest.mark.filterwarnings("ignore::dezero_dask.NoSumOverRowsWarning")
def test_bits_are_those_without_a_comparison(make, loss, anywhere):
    found = []
    for check in (None, False):
        f = make(fresh(loss), check=check)
        found.append([bits(f(factor * W, parts(X), parts(Y))) for factor in (0, 1, 2)])
    assert found[0] == found[1]


def test_a_loss_that_cannot_be_pickled_is_compared_in_threads(no_warning):
    lock = threading.Lock()

    def loss(params, x, y):
        with lock:
            return logistic(params, x, y)

    dd.value_and_grad(loss)({"w": W, "b": 0.0}, parts(X), parts(Y))
