"""Which nodes and edges there are, and what stands in them.

Promise: docs/how_to/draw_a_graph.md
"""

from types import SimpleNamespace

import numpy as np
import pytest
from dezero_tools.drawing.graph import graph_of, shown

from dezero_core import Function, Variable, VariableTypeError, hookimpl
from dezero_tools import DrawingError, checked


def variable(*values, name=None):
    return Variable(np.array(values if len(values) != 1 else values[0]), name)


def arrows(y, **options):
    """Return the edges as ``"x -0> Mul"``, by the first line of each node."""
    graph = graph_of(y, **options)
    text = {node.key: node.text[0] for node in graph.nodes}
    return sorted(
        f"{text[source]} -{label}> {text[target]}" for source, target, label in graph.edges
    )


def texts(y, kind, **options):
    return sorted(node.text for node in graph_of(y, **options).nodes if node.kind == kind)


class Double(Function):
    saves = ()

    def forward(self, x):
        return x * 2.0

    def backward(self, gy):
        return gy * 2.0


class Halves(Function):
    saves = ()

    def forward(self, x):
        return x[:1], x[1:]

    def backward(self, g0, g1):
        return np.concatenate([g0, g1])


def test_a_drawn_variable_without_a_graph_is_a_single_node():
    (node,) = graph_of(variable(1.0, 2.0, name="x")).nodes
    assert (node.kind, node.text, node.output) == ("variable", ("x", "float64 (2,)"), True)


def test_drawn_variables_have_name_dtype_and_shape_and_operations_their_name():
    x, w = Variable(np.ones((2, 3), np.float32), "x"), Variable(np.ones((3, 4), np.float32), "w")
    y = x @ w
    y.name = "y"
    assert arrows(y) == ["MatMul -> y", "w -1> MatMul", "x -0> MatMul"]
    assert texts(y, "variable") == [
        ("w", "float32 (3, 4)"),
        ("x", "float32 (2, 3)"),
        ("y", "float32 (2, 4)"),
    ]
    assert [node.output for node in graph_of(y).nodes] == [True, False, False, False]


def test_an_input_used_twice_in_an_operation_is_drawn_with_one_arrow():
    x = variable(3.0, name="x")
    assert arrows(x * x) == ["Mul -> float64 ()", "x -0, 1> Mul"]


def test_a_variable_that_two_operations_share_is_drawn_as_one_node():
    x = variable(3.0, name="x")
    shared = Double()(x)
    shared.name = "shared"
    y = Double()(shared) + Double()(shared)
    assert arrows(y) == [
        "Add -> float64 ()",
        *["Double -> float64 ()"] * 2,
        "Double -> shared",
        "float64 () -0> Add",
        "float64 () -1> Add",
        *["shared -> Double"] * 2,
        "x -> Double",
    ]
    del shared, x
    assert texts(y, "variable") == [("float64 ()",)] * 5
    assert len(texts(y, "operation")) == 4


def test_a_dead_input_is_drawn_as_one_node_for_all_its_uses():
    x = variable(3.0, name="x")
    y = Double()(x) + Double()(x)
    del x
    assert len(texts(y, "variable")) == 4


def test_several_outputs_are_drawn_with_numbers_and_without_unused_outputs():
    x = variable(1.0, 2.0, 3.0, name="x")
    first, rest = Halves()(x)
    first.name, rest.name = "first", "rest"
    assert arrows(Double()(rest)) == [
        "Double -> float64 (2,)",
        "Halves -1> rest",
        "rest -> Double",
        "x -> Halves",
    ]
    assert arrows([first, rest]) == ["Halves -0> first", "Halves -1> rest", "x -> Halves"]
    assert arrows((first, first)) == ["Halves -0> first", "x -> Halves"]


def test_dead_outputs_of_one_operation_are_drawn_as_separate_nodes():
    first, rest = Halves()(variable(1.0, 2.0, 3.0))
    y = Double()(first) + Double()(rest)
    del first, rest
    shapes = [shape for (shape,) in texts(y, "variable")]
    # first and what was made of it; rest, what was made of that, and the sum; the input
    assert shapes == ["float64 (1,)"] * 2 + ["float64 (2,)"] * 3 + ["float64 (3,)"]


def test_the_gradient_of_a_gradient_is_drawn_with_its_own_graph():
    x = variable(2.0, name="x")
    y = x**3
    y.backward(create_graph=True)
    drawn = arrows(x.grad)
    assert any(arrow.startswith("x -") for arrow in drawn)
    names = {text[0] for text in texts(x.grad, "operation")}
    assert {"Pow", "Mul"} <= names


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (2.0, ("2.0",)),
        (2, ("2",)),
        (1 / 3, ("0.3333",)),
        (np.float32(0.5), ("0.5", "float32")),
        (np.arange(6.0).reshape(2, 3), ("float64 (2, 3)",)),
        (Variable(np.array([1, 2, 3]), "n"), ("n", "int64 (3,)")),
        (Variable(np.array(7)), ("7", "int64")),
    ],
)
def test_constants_are_drawn_with_their_value_if_the_value_is_short(constant, text):
    class Times(Function):
        def forward(self, x, c):
            return x * c

    y = Times()(variable(1.0, 2.0, 3.0), constant)
    assert texts(y, "constant", constants=True) == [text]
    assert texts(y, "constant") == []


def test_a_constant_that_was_not_saved_is_drawn_with_shape_and_dtype():
    class Plus(Function):
        saves = ()

        def forward(self, x, c):
            return x + c

    x = variable(1.0, 2.0)
    assert texts(Plus()(x, 2.0), "constant", constants=True) == [("a number",)]
    array = np.ones(2, np.float32)
    assert texts(Plus()(x, array), "constant", constants=True) == [("float32 (2,)",)]


def test_a_variable_without_a_gradient_is_drawn_as_one_constant_for_all_its_uses():
    class Times(Function):
        def forward(self, x, c):
            return x * c

    c, x = Variable(np.array(2), "c"), variable(1.0, name="x")
    y = Times()(Times()(x, c), c)
    assert texts(y, "constant", constants=True) == [("c", "2", "int64")]
    assert arrows(y, constants=True).count("c -1> Times") == 2
    assert texts([c, y], "constant", constants=True) == []
    assert arrows([c, y], constants=True).count("c -1> Times") == 2
    assert len(graph_of(y, limit=2, constants=True).nodes) == 2


def test_a_graph_is_drawn_with_the_shapes_of_its_calculation():
    x = variable(1.0, 2.0, name="x")
    y = Double()(x)
    x.data = np.ones((5, 5))
    assert texts(y, "variable") == [("float64 (2,)",), ("x", "float64 (2,)")]
    assert texts(x, "variable") == [("x", "float64 (5, 5)")]


@pytest.mark.parametrize(("data", "text"), [(None, "no data"), ([1.0], "list")])
def test_a_variable_without_an_array_is_drawn_with_a_remark(data, text):
    x = variable(1.0)
    x.data = data
    assert texts(x, "variable") == [(text,)]


def test_the_name_of_a_drawn_variable_may_be_any_object():
    assert texts(variable(1.0, name=("a", 1)), "variable") == [("('a', 1)", "float64 ()")]


def test_the_drawing_of_a_graph_ends_at_an_unchained_variable():
    x = variable(1.0, 2.0, name="x")
    middle = Double()(x)
    y = Double()(middle)
    middle.unchain()
    assert arrows(y) == ["Double -> float64 (2,)", "float64 (2,) -> Double"]
    first, rest = Halves()(x)
    first.name, rest.name = "first", "rest"
    z = Double()(first) * Double()(rest)
    first.unchain()
    cut = arrows(z)
    assert "Halves -1> rest" in cut
    assert "Halves -0> first" not in cut


def test_a_freed_graph_is_drawn_with_a_remark():
    y = Double()(variable(1.0, name="x"))
    y.backward(free_graph=True)
    assert texts(y, "operation") == [("Double", "graph freed")]
    assert arrows(y) == ["Double -> float64 ()"]


def test_a_creator_set_by_hand_is_drawn_although_the_creator_computed_no_result():
    x, y = variable(1.0, name="x"), variable(2.0, name="y")
    y.set_creator(Double())
    assert arrows(y) == ["Double -> y"]
    assert texts(Double()(y), "variable") == [("float64 ()",), ("unknown shape",)]
    z = Double()(x)
    z.name = "z"
    x.set_creator(z.creator)
    assert arrows([x, z]) == ["Double -> x", "Double -> z", "x -> Double"]


def test_operations_are_drawn_in_the_colour_of_their_plugin_with_a_legend():
    graph = graph_of(np.sin(Double()(variable(1.0))) * 2.0)
    colour = {node.title: node.colour for node in graph.nodes if node.kind == "operation"}
    legend = [(plugin.partition(" (")[0], colour) for plugin, colour in graph.legend]
    assert legend == [
        ("basic", colour["Mul"]),
        ("math", colour["Sin"]),
        (f"module {__name__}", colour["Double"]),
    ]
    assert len(set(colour.values())) == 3
    (mul,) = [node for node in graph.nodes if node.title == "Mul"]
    assert mul.tip.startswith("Mul of plugin 'basic' (dezero-ops-basic ")


def test_the_legend_of_a_drawing_names_a_plugin_registered_by_hand(registered):
    class Triple(Double):
        pass

    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("triple", lambda x: Triple()(x), Triple)

    registered(Plugin(), "by-hand")
    graph = graph_of(Triple()(variable(1.0)))
    ((label, colour),) = graph.legend
    assert label.startswith("by-hand")
    assert colour not in ("#ffffff", "#dddddd")


def test_an_approximate_operation_is_drawn_with_its_method():
    class Rough(Double):
        approximate = "central differences"

    rough, exact = (graph_of(cls()(variable(1.0))).nodes[1] for cls in (Rough, Double))
    assert (rough.approximate, rough.lines) == (True, ("approximate: central differences",))
    assert (exact.approximate, exact.lines) == (False, ())


def test_a_private_operation_is_drawn_without_its_underscore():
    private = type("_Private", (Double,), {})
    graph = graph_of(private()(variable(1.0)))
    assert (graph.nodes[1].title, graph.nodes[1].tip[:11]) == ("Private", "Private of ")
    assert texts(type("_", (Double,), {})()(variable(1.0)), "operation") == [("_",)]
    y = private()(private()(variable(1.0)))
    assert graph_of(y, limit=1).notes[1].startswith("2 Private of ")


def test_the_tip_of_a_drawn_operation_has_the_line_of_its_call():
    with checked():
        y = Double()(variable(1.0))
    line = test_the_tip_of_a_drawn_operation_has_the_line_of_its_call.__code__.co_firstlineno + 2
    where = f"{__file__}:{line}"
    assert graph_of(y).nodes[1].tip == f"Double of module {__name__}, called at {where}"


def test_an_attribute_of_a_drawn_operation_is_not_taken_for_a_line():
    y = Double()(variable(1.0))
    y.creator.where = True
    assert graph_of(y).nodes[1].tip == f"Double of module {__name__}"


def test_nodes_beyond_the_limit_of_a_drawing_are_counted_and_not_drawn():
    x = variable(1.0, name="x")
    y = x
    for _ in range(10):
        y = Double()(y)
    graph = graph_of(y, limit=4)
    assert [node.text for node in graph.nodes] == [
        ("float64 ()",),
        ("Double",),
        ("float64 ()",),
        ("Double", "… 1 more input"),
    ]
    assert len(graph.edges) == 3
    assert graph.notes == (
        "Drawn are the 4 nodes nearest to the output, of 21.",
        f"10 Double of module {__name__}",
    )
    assert graph_of(y, limit=3).nodes[-1].text == ("float64 ()", "… computed")
    assert graph_of(y, limit=21).notes == ()
    assert len(graph_of(y, limit=21).nodes) == 21


def test_a_limited_drawing_has_the_nearest_nodes_and_not_one_long_branch():
    left = right = variable(1.0)
    for _ in range(5):
        left, right = np.sin(left), np.cos(right)
    names = [text[0] for text in texts(left * right, "operation", limit=10)]
    assert names == ["Cos", "Cos", "Mul", "Sin", "Sin"]


def test_constants_and_inputs_beyond_the_limit_of_a_drawing_are_not_drawn():
    y = np.stack([variable(float(i)) * 2.0 for i in range(50)])
    graph = graph_of(y, limit=5)
    assert len(graph.nodes) == 5
    assert graph.nodes[1].text == ("Stack", "… 48 more inputs")


def test_the_note_of_a_limited_drawing_counts_the_most_frequent_operations():
    y = variable(1.0)
    for index in range(12):
        y = type(f"Kind{index}", (Double,), {})()(y)
        y = Double()(y)
    notes = graph_of(y, limit=3).notes
    assert notes[1] == f"12 Double of module {__name__}"
    assert len(notes) == 10
    assert notes[-1] == "5 of 5 other kinds"


@pytest.mark.parametrize(
    ("wrong", "got"),
    [
        (1.5, "<class 'float'>"),
        (np.ones(3), "<class 'numpy.ndarray'>"),
        ([variable(1.0), 2], "a list with <class 'int'> in it"),
        ([], "an empty list"),
        ((), "an empty tuple"),
        (SimpleNamespace(), "<class 'types.SimpleNamespace'>"),
    ],
)
def test_a_picture_of_an_object_that_is_no_variable_is_refused_with_its_type(wrong, got):
    with pytest.raises(VariableTypeError, match="Variable") as caught:
        graph_of(wrong)
    assert f"got {got}" in str(caught.value)
    assert isinstance(caught.value.got, type)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "10", None])
def test_a_limit_of_a_drawing_that_is_no_positive_number_is_refused(limit):
    with pytest.raises(DrawingError, match="1 or more") as caught:
        graph_of(variable(1.0), limit)
    assert caught.value.limit == limit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", "x"),
        ("a b", "a b"),
        ("a\nb", "a\\nb"),
        ("\x00", "\\x00"),
        ("\u202e", "\\u202e"),
        ("\ud800", "\\ud800"),
        ("é😀", "é😀"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 39 + "…"),
        ("\n" * 30, "\\n" * 19 + "\\…"),
    ],
)
def test_texts_in_a_picture_are_short_and_invisible_characters_are_escaped(text, expected):
    assert shown(text) == expected
