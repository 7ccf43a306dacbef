"""What a notebook shows of a Variable.

Promise: docs/how_to/draw_a_graph.md
"""

from html.parser import HTMLParser

import numpy as np
import pytest

from dezero_core import Variable


class Rows(HTMLParser):
    """Collects the rows of a table: title and cell."""

    def __init__(self, html):
        super().__init__()
        self.texts = []
        self.feed(html)
        self.rows = dict(zip(self.texts[::2], self.texts[1::2], strict=True))

    def handle_data(self, data):
        self.texts.append(data)


def rows(variable):
    return Rows(variable._repr_html_()).rows


def test_a_notebook_shows_name_value_shape_dtype_and_gradient_of_a_variable():
    x = Variable(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), "weights")
    assert rows(x) == {
        "name": "weights",
        "value": "[[1. 2.]\n [3. 4.]]",
        "shape": "(2, 2)",
        "dtype": "float32",
        "gradient": "None",
    }
    (x * x).sum().backward()
    assert rows(x)["gradient"] == "[[2. 4.]\n [6. 8.]]"


def test_a_notebook_shows_no_row_for_a_missing_name_of_a_variable():
    assert list(rows(Variable(np.array(2.0)))) == ["value", "shape", "dtype", "gradient"]


def test_a_notebook_shows_the_value_of_a_gradient_that_is_a_variable():
    x = Variable(np.array(3.0))
    (x * x).backward(create_graph=True)
    assert rows(x)["gradient"] == "6.0"


def test_a_notebook_shortens_large_arrays_like_numpy():
    x = Variable(np.zeros(10**6))
    assert rows(x)["value"] == "[0. 0. 0. ... 0. 0. 0.]"
    x.grad = np.ones(10**6)
    assert rows(x)["gradient"] == "[1. 1. 1. ... 1. 1. 1.]"


@pytest.mark.parametrize("data", [None, [1.0]])
def test_a_notebook_shows_a_variable_whose_data_is_no_array(data):
    x = Variable(np.array(1.0))
    x.data = data
    assert rows(x) == {"value": str(data), "gradient": "None"}


def test_arrays_in_a_notebook_stand_in_columns_on_the_colour_of_the_table():
    """Whatever style the page has for the element: of JupyterLab it is a white box."""
    html = Variable(np.eye(2))._repr_html_()
    style = '<pre style="margin:0;font-family:monospace;background:none">'
    assert html.count(style) == html.count("<pre") == 2
