"""Graphs that are too large to be drawn: a part of them, and how much there is.

Promise: docs/how_to/draw_a_graph.md
"""

from xml.etree import ElementTree

import numpy as np
import pytest

from dezero_core import Variable
from dezero_tools import draw, to_dot, to_mermaid


@pytest.fixture(scope="module")
def large():
    """A graph of 100,001 nodes, deeper than Python's stack."""
    x = Variable(np.array(0.5), "x")
    y = x
    for _ in range(25_000):
        y = np.sin(y) * x
        y.name = "y"
    return y


NOTE = "Drawn are the 200 nodes nearest to the output, of 100,001."


@pytest.mark.usefixtures("without_dot")
def test_a_large_graph_is_drawn_in_part_with_a_note_in_every_format(large):
    svg = ElementTree.fromstring(draw(large).svg)
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert NOTE in texts
    counts = [text.partition(" (")[0] for text in texts if text.startswith("25,000 ")]
    assert sorted(counts) == ["25,000 Mul of basic", "25,000 Sin of math"]
    # y, Mul, its input, Sin and x are the first five, then come 48 times four, and three more.
    assert (texts.count("Sin"), texts.count("Mul")) == (1 + 48, 1 + 48 + 1)
    assert NOTE in to_dot(large)
    assert "Drawn are the 200 nodes" in to_mermaid(large)


def test_a_drawing_for_mermaid_stays_within_the_limits_of_mermaid(large):
    """Its settings maxTextSize and maxEdges are 50,000 and 500 unless the page says otherwise."""
    text = to_mermaid(large, limit=10_000)
    assert text.count("-->") <= 500
    assert text.count("-->") > 150
    assert len(text) < 50_000
    wide = to_mermaid([Variable(np.array(1.0), "<" * 40) for _ in range(300)], limit=300)
    assert 25_000 < len(wide) < 50_000
    many = [Variable(np.array(float(i))) for i in range(30)]
    dense = to_mermaid([np.stack(many[i:] + many[:i]) for i in range(30)])
    assert 0 < dense.count("-->") <= 500
