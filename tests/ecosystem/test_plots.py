"""matplotlib draws Variables, or says what to give it."""

import matplotlib
import numpy as np
import pytest

from dezero_core import Variable, VariableTypeError

matplotlib.use("Agg")

from matplotlib import pyplot as plt


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


@pytest.fixture
def x():
    return Variable(np.array([1.0, 2.0, 3.0]))


def test_a_line_is_plotted_through_an_input_and_a_result(axes, x):
    (line,) = axes.plot(x, np.exp(x))
    np.testing.assert_array_equal(line.get_xdata(), x.data)
    np.testing.assert_array_equal(line.get_ydata(), np.exp(x.data))


def test_plotting_leaves_the_graph_as_it_is(axes, x):
    y = np.exp(x)
    axes.plot(y)
    np.sum(y).backward()
    np.testing.assert_array_equal(x.grad, np.exp(x.data))


def test_a_histogram_and_boxes_are_drawn_of_a_result(axes, x):
    counts, _, _ = axes.hist(np.exp(x), bins=2)
    np.testing.assert_array_equal(counts, [2.0, 1.0])
    assert len(axes.boxplot(np.exp(x))["boxes"]) == 1


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("scatter", lambda x: (x, np.exp(x))),
        ("bar", lambda x: (x, np.exp(x))),
        ("fill_between", lambda x: (x, np.exp(x))),
        ("imshow", lambda x: (np.outer(x, x),)),
    ],
)
def test_where_matplotlib_asks_for_an_array_it_is_named_with_x_data(axes, x, name, of):
    with pytest.raises(VariableTypeError, match=rf"matplotlib\.pyplot\.{name} takes.*x\.data"):
        getattr(plt, name)(*of(x))
    with pytest.raises(VariableTypeError, match=rf"matplotlib\.axes\.Axes\.{name} takes.*x\.data"):
        getattr(axes, name)(*of(x))
    getattr(axes, name)(*(value.data for value in of(x)))
