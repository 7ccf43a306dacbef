"""The graph of an operation keeps what its backward reads, and no more.

Promise: docs/tutorial/memory.md
"""

import ast
import inspect
import textwrap

import pytest
from dezero_tools.testing import sample_of

from dezero_core import Function, ops

CLASSES = {op.function_class for op in ops() if op.function_class is not None}


def arrays_read(method):
    """Return which of inputs and outputs a method mentions, but for the shape of one of them."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(method)))
    of_a_shape = [
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "shape"
        and isinstance(node.value, ast.Subscript)
    ]
    mentioned = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {each.attr for each in mentioned if each not in of_a_shape} & {"inputs", "outputs"}


@pytest.mark.parametrize(
    "function_class",
    sorted(CLASSES, key=lambda cls: cls.__qualname__),
    ids=lambda cls: cls.__name__,
)
def test_the_graph_of_an_operation_keeps_only_arrays_that_backward_reads(function_class):
    bases = function_class.__mro__[: function_class.__mro__.index(Function)]
    methods = {}
    for base in reversed(bases):
        methods |= {name: getattr(m, "__func__", m) for name, m in vars(base).items()}
    for name in (
        "forward",
        "__call__",
        "_node_for_backward",
        "_operator",
    ):  # but for the first, the core's
        methods.pop(name, None)
    read = set().union(*(arrays_read(m) for m in methods.values() if inspect.isfunction(m)))
    saved = {name.removeprefix("other ") for name in function_class.saves}
    assert saved == read


def test_at_least_one_operation_is_loaded():
    """Otherwise the test above would pass by collecting nothing."""
    assert CLASSES


def test_every_operation_has_a_sample_with_calls():
    without = [op.name for op in ops() if not sample_of(op).calls]
    assert without == []
