"""The arguments of a function in the graph, and other Variables that it has computed with."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from dezero_core import Function, Variable
from dezero_core.extend import INEXACT, Array, variable_at


class Argument(Function):
    """The identity: gives an argument a node of its own, by which the function is differentiated.

    The caller's Variable cannot be that node: the function may return it unchanged, or, in a nested
    call, reach it through its closure, and that use must not count.
    """

    saves = ()
    #: Whether nobody can ask for a gradient by this argument any more: the argument was an array,
    #: and the call of the function has ended.
    ended = False

    def forward(self, x: Array) -> Array:
        return x

    def backward(self, gy: Array) -> Array:
        return gy


def depends_on_others(outputs: Sequence[Any]) -> bool:
    """Return whether somebody may ask for a gradient of `outputs` by more than the arguments.

    This is so if they were computed from a Variable that somebody else holds: a closure, an object,
    a module. One that the function makes for itself, as in ``x * Variable(np.array(2.0))``, is held
    by the graph alone and does not count. The arguments of the function were no Variables.
    """
    returned = [y for y in outputs if isinstance(y, Variable)]
    nodes = nodes_behind(returned)
    others = _others(returned, nodes)
    if not others:
        return False
    in_graph = Counter(id(x) for node in nodes if node._saves_inputs for x in node.inputs)
    for which in map(id, returned):
        in_graph[which] += 3  # in `returned`, in `outputs`, and in the tree of results
    return any(count > _ALONE + in_graph[which] for which, count in _references(others))


def nodes_behind(outputs: Sequence[Variable]) -> list[Function]:
    """Return the Functions of a graph, each after the Functions that computed its inputs."""
    found: set[Any] = {None}
    waiting = [y.creator for y in outputs]
    while waiting:
        node = waiting.pop()
        if node not in found and type(node._edges) is tuple:
            found.add(node)
            waiting += [edge.creator for edge in node._edges if edge is not None]
    return sorted(found - {None}, key=attrgetter("generation"))


def _others(outputs: Sequence[Variable], nodes: Sequence[Function]) -> set[Variable]:
    """Return the living Variables of a graph that depend on no argument."""
    inputs = (y for y in outputs if y.creator is None and y.data is not None)
    found: set[Any] = {y for y in inputs if y.dtype.kind in INEXACT}
    # Nodes that depend on an argument of this call, or of another call that has ended, such as a
    # `jvp` that the function uses.
    of_arguments: set[Any] = set()
    for node in nodes:
        edges = [edge for edge in node._edges if edge is not None]
        creators = [edge.creator for edge in edges]
        if (type(node) is Argument and node.ended) or not of_arguments.isdisjoint(creators):
            of_arguments.add(node)
        if not of_arguments.issuperset(creators):
            found.update(variable_at(e) for e in edges if e.creator not in of_arguments)
    found.update(y for y in outputs if y.creator in nodes and y.creator not in of_arguments)
    return found - {None}


def _references(objects: set[Any]) -> Iterator[tuple[int, int]]:
    """Yield the identity of each object, and the number of references to it."""
    for each in objects:
        yield id(each), sys.getrefcount(each)


#: The number of references to an object that only the set refers to. Of a Variable it is the same,
#: but the first one loads the plugins, and their warnings would name this line.
((_, _ALONE),) = _references({object()})
