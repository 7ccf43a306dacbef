"""A recording keeps of a call that came before its numbers alone, and loses nothing by that.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest
from dezero_tools.functional import value_and_grad

from ..replayed import same

X = np.linspace(-1.0, 1.0, 70)


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.0, -0.0), (1, 1.0), (1, True), (1.0, 1 + 0j), (np.nan, 1.0), (2**61, 2**62), (-(2**62), 3)],
)
def test_constants_that_are_nearly_alike_stay_apart(a, b):
    def function(x):
        for i in range(60):
            x = np.copysign(1.0, x * (a if i % 3 else b)) * np.abs(x) ** 0.99
        return x

    def of_complex(x):
        for i in range(60):
            x = (x * (a if i % 3 else b)) / (1.0 + np.abs(x))
        return x

    same(of_complex if complex in (type(a), type(b)) else function, [(X,)] * 4)


def test_positions_slices_and_axes_of_each_round_are_kept():
    def function(x):
        x, found = x.reshape(7, 10), []
        for i in range(48):
            part = x[i % 7, i % 3 : 8 : 1 + i % 2]
            found.append(np.sum(part) + np.sum(x, axis=i % 2)[i % 7] + x[(i % 7, ...)][-1 - i % 10])
        return np.stack(found)

    same(function, [(X,), (2.0 * X,), (3.0 * X,)])


def test_results_that_come_from_far_before_and_several_at_once_are_the_right_ones():
    def function(x):
        kept = []
        for i in range(50):
            whole, part = np.divmod(x + i, 3.0)
            kept.append(part)
            x = np.tanh(whole - kept[i // 2]) + kept[0]
        return sum(kept[::7]), x

    same(function, [(X,), (2.0 * X,), (3.0 * X,)])


def test_gradients_by_arrays_that_differ_in_layout_alone_are_kept_apart():
    def loss(x):
        for i in range(40):
            x = np.tanh(x.reshape(7, 10) if i % 2 else x.reshape(10, 7).T)
        return np.sum(x * x)

    same(value_and_grad(loss), [(X,), (2.0 * X,), (3.0 * X,)])


@pytest.mark.parametrize("which", [[-1], [-2], [-3], [-2, -1], [0], [0, -1], [7, 8, 9]])
def test_what_some_rounds_have_made_is_of_these_rounds(which):
    def function(x):
        kept = []
        for i in range(50):
            x = np.tanh(x) * 0.9
            kept.append((x + i) * 2.0)
        return [kept[n] for n in which]

    same(function, [(X,), (2.0 * X,), (3.0 * X,)])
