"""One colour for a plugin, to be told from others and to be written on in black.

Promise: docs/how_to/draw_a_graph.md
"""

import numpy as np
import pytest
from dezero_tools.drawing.graph import NO_PLUGIN, PALETTE, colour_of, graph_of

from dezero_core import Function, Variable, hookimpl


def luminance(colour):
    """Return the relative luminance that WCAG 2 defines."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", [*PALETTE, NO_PLUGIN])
def test_black_text_is_read_well_on_every_colour(colour):
    """WCAG 2 asks for a contrast of 7 at its highest level."""
    assert (luminance(colour) + 0.05) / 0.05 >= 7.0


class Triple(Function):
    def forward(self, x):
        return x * 3.0


class Plugin:
    """A plugin with one operation."""

    def __init__(self, operation, function_class):
        self.operation, self.function_class = operation, function_class

    @hookimpl
    def dezero_register_ops(self, register):
        register(self.operation, lambda x: self.function_class()(x), self.function_class)


def test_the_colour_of_a_plugin_depends_on_its_name_alone(registered):
    def legend():
        graph = graph_of(np.exp(Variable(np.array(1.0))) * 2.0)
        return {plugin.partition(" (")[0]: colour for plugin, colour in graph.legend}

    before = legend()
    for index in range(2 * len(PALETTE)):
        registered(Plugin(f"operation_{index}", type("Another", (Triple,), {})), f"other-{index}")
    assert legend() == before == {"basic": "#77aadd", "math": "#ee8866"}


def test_the_plugins_of_this_project_with_operations_have_different_colours():
    assert len(set(map(colour_of, ("basic", "math", "nn", "tools")))) == 4


def test_boxes_name_their_plugins_where_two_in_a_drawing_share_a_colour(registered):
    names = map("other-{}".format, range(99))
    name = next(name for name in names if colour_of(name) == colour_of("math"))
    registered(Plugin("triple", Triple), name)
    graph = graph_of(Triple()(np.exp(Variable(np.array(1.0)))) * 2.0)
    mul, triple, exp = (node for node in graph.nodes if node.kind == "operation")
    assert (mul.title, triple.title, exp.title) == ("Mul", "Triple", "Exp")
    assert (triple.colour, mul.lines) == (exp.colour, ())
    for node, plugin in ((triple, name), (exp, "math")):
        (line,) = node.lines
        assert line.startswith(plugin)
        assert line in dict(graph.legend)
