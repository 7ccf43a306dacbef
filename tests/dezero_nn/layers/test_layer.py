"""Layer: which parameters it finds, under which names, and how it is shown."""

import numpy as np
import pytest
from dezero_nn.layers import Layer, Linear, State

from dezero_core import Parameter, Variable


class Plain(Layer):
    """A layer with the attributes that it is given, which calls no super().__init__()."""

    def __init__(self, **attributes):
        vars(self).update(attributes)


def parameter(value=0.0):
    return Parameter(np.array(value))


def names(layer):
    return [name for name, _ in layer.variables()]


def test_parameters_and_states_are_found_in_the_order_of_the_attributes():
    layer = Plain(b=parameter(), other=Variable(np.array(1.0)), a=State(np.array(0.0)), n=3)
    assert names(layer) == ["b", "a"]
    assert list(layer.params()) == [layer.b]


def test_names_are_paths_of_attributes_positions_and_keys():
    inner = Plain(W=parameter())
    layer = Plain(
        l1=inner,
        several=[Plain(W=parameter()), (parameter(), "text")],
        by_name={"x": parameter(), 3: [Plain(b=parameter())]},
    )
    assert names(layer) == [
        "l1/W",
        "several/0/W",
        "several/1/0",
        "by_name/x",
        "by_name/3/0/b",
    ]


def test_many_lists_in_a_list_are_all_looked_into():
    layer = Plain(rows=[[parameter()] for _ in range(50)])
    assert len(names(layer)) == 50


def test_what_is_shared_is_found_once():
    shared = Plain(W=parameter())
    layer = Plain(first=shared, again=shared, weights=[shared.W])
    assert names(layer) == ["first/W"]


def test_layers_in_a_circle_are_found_once():
    outer, inner = Plain(W=parameter()), Plain(b=parameter())
    outer.inner, inner.outer = inner, outer
    circle = [parameter()]
    circle.append(circle)
    outer.circle = circle
    assert names(outer) == ["W", "inner/b", "circle/0"]
    lines = ["W: 1", "circle/0: 1", "inner: Plain(", "  b: 1", "  outer: Plain(...)", ")"]
    assert repr(outer) == "\n".join(["Plain(", *(f"  {line}" for line in lines), ")"])


def test_a_parameter_that_is_replaced_is_found_in_place_of_the_old_one():
    layer = Plain(W=parameter())
    layer.W = new = parameter(1.0)
    assert list(layer.params()) == [new]


def test_a_layer_may_get_attributes_while_its_parameters_are_gone_through():
    layer = Plain(a=parameter(), b=parameter())
    for number, _ in enumerate(layer.params()):
        setattr(layer, f"extra{number}", number)
    assert layer.extra1 == 1


def test_cleargrads_clears_the_gradients_of_parameters():
    layer = Plain(W=parameter(), inner=Plain(b=parameter()))
    for each in layer.params():
        each.grad = np.array(1.0)
    layer.cleargrads()
    assert [each.grad for each in layer.params()] == [None, None]


def test_a_layer_without_forward_says_so():
    with pytest.raises(NotImplementedError, match="Plain defines no forward"):
        Plain()(np.ones(2))


def test_repr_shows_the_layers_in_a_layer_with_the_shapes_of_parameters():
    layer = Plain(
        l1=Linear(3, in_size=2),
        rest=[Linear(1), np.tanh],
        mean=State(np.zeros((1, 4))),
        factor=parameter(),
    )
    assert repr(layer) == (
        "Plain(\n"
        "  mean: 1x4\n"
        "  factor: 1\n"
        "  l1: Linear(W: 2x3, b: 3)\n"
        "  rest/0: Linear(W: not known yet, b: 1)\n"
        ")"
    )


def test_repr_shows_a_shared_layer_once_under_the_name_of_its_weights():
    shared = Linear(1, in_size=1)
    layer = Plain(a=shared, b=[shared], c=shared.W)
    assert repr(layer).splitlines() == ["Plain(", "  c: 1x1", "  a: Linear(W: 1x1, b: 1)", ")"]
    assert [name for name, _ in layer.variables()] == ["a/W", "a/b"]


def test_repr_shows_a_layer_without_parameters():
    assert repr(Plain()) == "Plain()"
