import numpy as np
import pytest

from dezero_core import Variable
from dezero_replay import compiled
from tests.replayed import same, several


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
