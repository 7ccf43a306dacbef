"""Nested containers: flattened in order, and put together in the same form.

Promise: docs/how_to/use_scipy.md
"""

from collections import OrderedDict, defaultdict, namedtuple
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pytest
from dezero_tools.functional import grad, tree_map
from dezero_tools.functional.trees import has_variable, leaves_of, like, matched, paths_of
from dezero_tools.testing.strict import StrictArray

from dezero_core import Function, Variable

Pair = namedtuple("Pair", "a b")


@dataclass
class Layer:
    w: Any
    b: Any = None
    kind: ClassVar[str] = "dense"


@dataclass
class Longer(Layer):
    more: Any = ()


@dataclass(frozen=True)
class Frozen:
    w: Any
    more: Any = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slotted:
    w: Any
    b: Any


@dataclass
class Checked:
    """Takes positive numbers alone, which gradients need not be, and turns them into arrays."""

    w: Any
    scale: InitVar[float]
    scaled: Any = field(init=False)
    later: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self, scale):
        if not np.all(np.asarray(self.w) > 0.0):
            raise ValueError
        self.scaled = scale * self.w
        self.calls = 1


TREES = [
    1.0,
    (),
    [],
    {},
    (1.0,),
    [1.0, (2.0, [])],
    {"b": 1.0, "a": {"c": [2.0, 3.0]}},
    Pair(1.0, Pair(2.0, [3.0])),
    OrderedDict(b=1.0, a=2.0),
    defaultdict(list, a=[1.0]),
    {"nothing": None, "a": 1.0},
    Layer(1.0),
    Layer({"a": [1.0]}, Layer(2.0, Pair(3.0, None))),
    Frozen(1.0, [Frozen(2.0)]),
    [Slotted(w=1.0, b=Slotted(w=2.0, b=3.0))],
    Checked(1.0, 3.0),
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_a_tree_made_of_its_leaves_is_equal_to_the_tree(tree):
    again = like(tree, leaves_of(tree))
    assert again == tree
    assert type(again) is type(tree)


def test_leaves_of_a_tree_are_in_the_written_order():
    assert leaves_of({"b": 1.0, "a": (2.0, [3.0])}) == [1.0, 2.0, 3.0]


def test_a_function_is_applied_to_each_leaf_of_a_tree():
    assert tree_map(lambda x: -x, {"b": 1.0, "a": (2.0, [3.0])}) == {"b": -1.0, "a": (-2.0, [-3.0])}


def test_a_function_gets_the_same_leaf_of_each_tree():
    tree = {"b": 1.0, "a": Layer(2.0, [3.0]), "none": None}
    other = {"none": None, "a": Layer(20.0, (30.0,)), "b": 10.0}
    found = tree_map(lambda *leaves: sum(leaves), tree, other, tree)
    assert found == {"b": 12.0, "a": Layer(24.0, [36.0]), "none": None}
    assert list(found) == ["b", "a", "none"]
    assert tree_map(lambda a, b: (a, b), (), []) == ()
    assert tree_map(max, Pair(1.0, [2.0]), Pair(3.0, (1.0,))) == Pair(3.0, [2.0])


def test_gradients_go_through_a_function_of_leaves():
    """By hand: the gradient of the sum of a b is b by a, and a by b."""

    def loss(p, q):
        return np.sum(sum(leaves_of(tree_map(lambda a, b: np.sum(a * b), p, q))))

    p, q = {"x": np.array([1.0, 2.0]), "y": 3.0}, {"y": 5.0, "x": np.array([6.0, 7.0])}
    by_p, by_q = grad(loss, (0, 1))(p, q)
    np.testing.assert_array_equal(by_p["x"], q["x"])
    np.testing.assert_array_equal(by_q["x"], p["x"])
    assert (by_p["y"], by_q["y"]) == (5.0, 3.0)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"w": [1.0]}, r"tree\['w'\]\[1\] is a leaf only in the first tree"),
        ({"w": [1.0, 2.0, 3.0]}, r"tree\['w'\]\[2\] is a leaf only in the other"),
        ({"w": [1.0, 2.0], "b": 3.0}, r"tree\['b'\] is a leaf only in the other"),
        ({"w": [1.0, None]}, r"tree\['w'\]\[1\] is a leaf only in the first tree"),
        ({"w": [1.0, {"a": 2.0}]}, r"tree\['w'\]\[1\] is a leaf only in the first tree"),
        ({"v": [1.0, 2.0]}, r"tree\['w'\]\[0\] is a leaf only in the first tree"),
        ({"w": {0: 1.0, 1: 2.0}}, "expected a sequence of 2, got"),
        ({"w": Pair(1.0, 2.0)}, r"tree\['w'\]\[0\] is a leaf only in the first tree"),
        (1.0, r"tree\['w'\]\[0\] is a leaf only in the first tree"),
    ],
)
def test_trees_of_another_form_are_refused_with_the_path_of_a_leaf(other, said):
    calls = []
    with pytest.raises(ValueError, match=said):
        tree_map(lambda *leaves: calls.append(leaves), {"w": [1.0, 2.0]}, other)
    assert not calls


def test_a_namedtuple_with_other_fields_is_of_another_form():
    swapped = namedtuple("Swapped", "b a")
    with pytest.raises(ValueError, match=r"a Pair with the fields \['a', 'b'\], got Swapped"):
        tree_map(max, Pair(1.0, 2.0), swapped(1.0, 2.0))
    with pytest.raises(ValueError, match="a Pair with the fields"):
        matched(Pair(1.0, 2.0), swapped(1.0, 2.0))
    assert matched(Pair(1.0, 2.0), (3.0, 4.0)) == [3.0, 4.0]


def test_an_error_of_a_function_of_leaves_has_a_note_with_the_path():
    weights, steps = {"a": [1.0, np.ones(3)], "b": 1.0}, {"a": [1.0, np.ones(2)], "b": 1.0}
    with pytest.raises(ValueError, match="broadcast") as caught:
        tree_map(np.subtract, weights, steps)
    assert caught.value.__notes__[-1] == "in tree_map, at tree['a'][1]"


def test_leaves_of_two_trees_are_matched_by_keys_and_no_key_is_left_out():
    form = {"w": 0.0, "none": None, "b": (0.0,)}
    assert matched(form, {"b": (2.0,), "w": 1.0, "none": None}) == [1.0, 2.0]


def test_the_fields_of_a_dataclass_are_branches_in_their_order():
    tree = Longer({"a": 1.0}, more=[Slotted(b=2.0, w=3.0), None])
    assert leaves_of(tree) == [1.0, 3.0, 2.0]
    assert list(paths_of(tree, "p")) == ["p.w['a']", "p.more[0].w", "p.more[0].b"]


def test_a_field_without_a_value_is_no_branch_until_it_has_one():
    tree = Checked(1.0, 3.0)
    assert list(paths_of(tree, "p")) == ["p.w", "p.scaled"]
    assert not hasattr(like(tree, [4.0, 5.0]), "later")
    tree.later = 2.0
    assert leaves_of(tree) == [1.0, 3.0, 2.0]


def test_a_dataclass_is_made_of_other_leaves_without_its_own_methods():
    made = like(Checked(1.0, 3.0), [Variable(np.array(-1.0)), "any"])
    assert type(made) is Checked
    assert (made.w.item(), made.scaled) == (-1.0, "any")
    assert set(vars(made)) == {"w", "scaled"}
    assert like(Layer(1.0), [2.0]).kind == "dense"


def test_a_value_computed_from_the_old_leaves_is_not_in_the_new_dataclass():
    @dataclass
    class Deviation:
        log: float

        @cached_property
        def value(self):
            return np.exp(self.log)

    one = Deviation(0.0)
    assert one.value == 1.0
    assert like(one, [1.0]).value == np.e


@dataclass(eq=False, init=False)
class Weight(Variable):
    decay: float = 0.1


@dataclass(eq=False)
class Scale(Function):
    factor: float = 2.0


@dataclass(eq=False, init=False)
class Length(np.ndarray):
    unit: str = "m"


@dataclass(eq=False, init=False)
class StrictLength(StrictArray):
    unit: str = "m"


@pytest.mark.parametrize(
    "leaf",
    [
        Weight(np.array(1.0)),
        Scale(),
        np.array([1.0, 2.0]).view(Length),
        StrictLength(1.0),
        Layer,
    ],
    ids=lambda leaf: type(leaf).__name__,
)
@pytest.mark.usefixtures("strict_arrays")
def test_a_dataclass_that_is_an_array_a_variable_a_function_or_a_class_is_a_leaf(leaf):
    tree = Layer([leaf])
    (found,) = leaves_of(tree)
    assert found is leaf
    assert list(paths_of(tree, "p")) == ["p.w[0]"]
    assert like(tree, [1.0]) == Layer([1.0])
    (found,) = matched(Layer([0.0]), tree)
    assert found is leaf


def test_leaves_of_dataclasses_are_matched_by_the_names_of_the_fields():
    form, other = Layer(0.0, [0.0]), Slotted(b=[2.0], w=1.0)
    assert matched(form, other) == [1.0, 2.0]
    for wrong in (Frozen(1.0), {"w": 1.0, "b": [2.0]}, (1.0, [2.0]), 1.0, None):
        with pytest.raises(ValueError, match=r"a Layer with the fields \['w', 'b'\], got"):
            matched(form, wrong)
    for wrong in ({"w": 0.0, "b": [0.0]}, (0.0, [0.0])):
        with pytest.raises(ValueError, match="expected a"):
            matched(wrong, form)


def test_a_leaf_is_looked_for_also_in_trees_that_contain_themselves_or_are_deep():
    tree = Layer([1.0])
    tree.b = {"up": tree}
    assert not has_variable(tree)
    tree.b["more"] = Variable(np.array(1.0))
    assert has_variable(tree)
    for _ in range(10_000):
        tree = Layer(tree)
    assert has_variable(tree)
    assert not has_variable({"none": None, "class": Layer, "arrays": (1.0, np.ones(2))})
