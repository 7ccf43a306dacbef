"""Nested containers: flattened in order, and put together in the same form."""

from collections import OrderedDict, defaultdict, namedtuple

import pytest
from dezero_tools.functional.trees import leaves_of, like, mapped, matched

Pair = namedtuple("Pair", "a b")

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
]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_a_tree_made_of_its_leaves_is_equal_to_the_tree(tree):
    again = like(tree, leaves_of(tree))
    assert again == tree
    assert type(again) is type(tree)


def test_leaves_of_a_tree_are_in_the_written_order():
    assert leaves_of({"b": 1.0, "a": (2.0, [3.0])}) == [1.0, 2.0, 3.0]


def test_a_function_is_applied_to_each_leaf_of_a_tree():
    assert mapped(lambda x: -x, {"b": 1.0, "a": (2.0, [3.0])}) == {"b": -1.0, "a": (-2.0, [-3.0])}


def test_leaves_of_two_trees_are_matched_by_keys_and_no_key_is_left_out():
    form = {"w": 0.0, "none": None, "b": (0.0,)}
    assert matched(form, {"b": (2.0,), "w": 1.0, "none": None}) == [1.0, 2.0]
