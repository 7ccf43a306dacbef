"""The numbers in a picture: the same for every version of Python, and as short as they can be.

Promise: docs/how_to/draw_a_graph.md
"""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from dezero_tools.drawing import layout, svg
from dezero_tools.drawing.graph import PictureEdge, PictureGraph, PictureNode
from hypothesis import given, settings
from hypothesis import strategies as st

from dezero_core import Variable
from dezero_tools import draw

# A place that should be 0 came out as -1e-15, and was written as -0.
TITLES = {"a": "aaaaaaaa", "b": "bbbbbbbb", "c": "cccc", "d": "dd"}
EDGES = [("b", "c"), ("a", "c"), ("c", "d"), ("a", "d"), ("a", "b")]


def picture(edges, titles):
    nodes = tuple(PictureNode(key, "operation", title) for key, title in titles.items())
    return svg.svg_of(PictureGraph(nodes, tuple(PictureEdge(*ends, "") for ends in edges), (), ()))


def numbers(written):
    places = ("x", "y", "width", "height", "viewBox", "transform", "d")
    for element in ElementTree.fromstring(written).iter():
        for place in places:
            yield from re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", element.get(place, ""))


@st.composite
def graphs(draw):
    keys = "abcdefgh"[: draw(st.integers(2, 8))]
    pairs = [(a, b) for a in keys for b in keys if a < b]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1, max_size=12))
    return edges, {key: key * draw(st.integers(1, 20)) for key in keys}


def assert_short(written):
    found = list(numbers(written))
    assert found
    assert [number for number in found if not re.fullmatch(r"-?\d+(\.[1-9])?", number)] == []
    assert "-0" not in found


def test_a_coordinate_near_zero_is_written_as_0():
    assert_short(picture(EDGES, TITLES))


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_a_coordinate_has_at_most_one_decimal_and_is_never_minus_0(graph):
    assert_short(picture(*graph))


def backwards(values):
    return sum(list(values)[::-1])


@pytest.mark.parametrize("sum_", [math.fsum, backwards])  # from Python 3.12 on it is near to fsum
def test_a_picture_does_not_depend_on_how_sum_rounds(monkeypatch, sum_):
    x = Variable(np.array([1.0, 2.0, 3.0]), name="x")
    y = np.sum(np.tanh(Variable(np.array(0.5), name="w") * x) ** 2)
    before = draw(y, dot=False).svg
    monkeypatch.setattr(layout, "sum", sum_, raising=False)
    monkeypatch.setattr(svg, "sum", sum_, raising=False)
    assert draw(y, dot=False).svg == before
