"""Results of loops in machine code share memory with each other as in eager code.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay import compiled

from .test_rounds import flat


@pytest.mark.parametrize("which", ["the last two", "a list and the last", "two of a third"])
def test_results_that_share_memory_in_eager_code_share_it(which):
    def function(x):
        found = []
        for _ in range(30):
            z = np.sin(x) * 1.1
            found.append(z)
            x, t = z.T, z[::-1]
        return {
            "the last two": (z, x),
            "a list and the last": (found[-1], found, x),
            "two of a third": (t, x),
        }[which]

    x = np.random.default_rng(0).random((12, 12))
    step = compiled(function, executor="llvm", wait=True, audit=None)
    for _ in range(4):
        first, *_, last = step(x)
        assert np.shares_memory(first, last)
        first[...] = 7.0
        assert (last == 7.0).all()


def a_list_and_views_of_its_items(x):
    rows, views = [], []
    for i in range(40):
        y = x[i] * 2.0
        rows.append(y)
        views.append(y[1:])
    return rows, views


def elements_of_the_last(x):
    rows, z = [], x
    for i in range(40):
        z = x * (i + 1.0)
        rows.append(z[i])
    return rows, z


def rows_of_an_argument(x):
    rows, s = [], x[0]
    for i in range(40):
        rows.append(x[i])
        s = s * 0.5 + np.sin(x[i])
    return rows, s


def two_views_of_the_last(x):
    s = x
    for i in range(40):
        s = np.sin(s)
        row, column = s[i], s[:, 0]
    return row, column


def views_of_the_round_before(x):
    views, y = [], x[0]
    for i in range(40):
        views.append(y[::-1])
        y = y * 0.5 + x[i]
    return views, y


def two_views_in_two_lists(x):
    one, two = [], []
    for i in range(40):
        y = np.cos(x[i])
        one.append(y.reshape(5, 8))
        two.append(y.reshape(5, 8).T)
    return one, two


def rows_of_a_list_of_another_loop(x):
    first, second = [], []
    for i in range(40):
        first.append(x[i] * 2.0)
    s = x[0]
    for i in range(40):
        second.append(first[i][:3])
        s = s * 0.5 + first[i]
    return first, second, s


def arguments_that_change_places(x):
    a, b, s = x[0], x[1], x[2]
    for i in range(40):
        a, b, s = b, a, np.sin(s) + x[i]
    return a, b, s


def a_view_of_a_view_in_each_round(x):
    a, s = x[0], x[1]
    for i in range(40):
        a = a[::-1]
        s = np.sin(s) + a + x[i]
    return a, s


def arrays_that_change_places(x):
    a, b = x[0], x[1]
    for i in range(40):
        a, b = np.sin(b) + x[i], a
    return a, b


def arrays_of_numbers(x):
    found = []
    for i in range(60):
        found.append(np.add(x[i % 40, 0], x[i % 40, 1], out=np.zeros(())))
    return found


SHARING = [
    *(a_list_and_views_of_its_items, elements_of_the_last, rows_of_an_argument),
    *(two_views_of_the_last, views_of_the_round_before, two_views_in_two_lists),
    *(rows_of_a_list_of_another_loop, arguments_that_change_places, arrays_that_change_places),
    *(arrays_of_numbers, a_view_of_a_view_in_each_round),
]


@pytest.mark.parametrize("executor", ["numpy", "llvm"])
@pytest.mark.parametrize("function", SHARING, ids=lambda each: each.__name__)
def test_who_writes_into_a_result_writes_into_the_same_others_as_in_eager_code(function, executor):
    step = compiled(function, executor=executor, wait=True, audit=None)
    for call in range(4):
        x, given = (np.random.default_rng(call).random((40, 40)) for _ in range(2))
        expected, found = flat(function(x)), flat(step(given))
        assert [type(each) for each in found] == [type(each) for each in expected]
        for n, (mine, others) in enumerate(zip(found, expected, strict=True)):
            mine += 1.0 + n
            others += 1.0 + n
        for mine, others in zip([*found, given], [*expected, x], strict=True):
            assert np.allclose(mine, others, rtol=1e-12, atol=0.0)
    assert step.stats["replayed"] == 2
