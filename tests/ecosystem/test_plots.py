"""matplotlib draws Variables: a picture is an end, and no gradient goes on there.

Promise: docs/how_to/differences_from_numpy.md
"""

import matplotlib
import numpy as np
import pytest

from dezero_core import MissingOperationError, Variable

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
        ("errorbar", lambda x: (x, np.exp(x), x)),
        ("fill_between", lambda x: (x, np.exp(x))),
        ("axhline", lambda x: (x[0],)),
        ("plot", lambda x: ([x[0], x[1] ** 2],)),
        ("hist", lambda x: ([x[0], x[1] ** 2],)),
        ("imshow", lambda x: (np.outer(x, x),)),
        ("pcolormesh", lambda x: (x, x, np.outer(x, x))),
        ("contour", lambda x: (x, x, np.outer(x, x))),
        ("bar", lambda x: (x, np.exp(x), x / 4.0)),
        ("barh", lambda x: (x, np.exp(x))),
        ("hist2d", lambda x: (x, np.exp(x))),
    ],
)
def test_every_kind_of_picture_is_drawn_of_variables(axes, x, name, of):
    getattr(plt, name)(*of(x))
    getattr(axes, name)(*of(x))
    axes.figure.canvas.draw()


def test_the_bars_of_variables_have_their_values(axes, x):
    heights = [bar.get_height() for bar in axes.bar(x, np.exp(x))]
    np.testing.assert_array_equal(heights, np.exp(x.data))


def test_a_function_of_the_user_that_matplotlib_calls_is_refused_as_elsewhere(axes, x):
    axes.xaxis.set_major_formatter(lambda value, position: np.histogram(x))
    with pytest.raises(MissingOperationError, match=r"write np\.histogram\(x\.data\)"):
        axes.figure.canvas.draw()


def test_a_scatter_plot_has_the_values_of_variables(axes, x):
    points = axes.scatter(x, np.exp(x))
    np.testing.assert_array_equal(points.get_offsets()[:, 1], np.exp(x.data))
