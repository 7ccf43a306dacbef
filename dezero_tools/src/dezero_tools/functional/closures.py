"""The arguments of a function in the graph, and other Variables that it has computed with."""

from __future__ import annotations

import sys
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from dezero_core import Function, Variable
from dezero_core.extend import INEXACT, Array, Leaf, leading, variable_at


class Argument(Function):
    """The identity: gives a Variable a node of its own, by which a function is differentiated.

    The caller's Variable cannot be that node: the function may return it unchanged, or, in a nested
    call, reach it through its closure, and that use must not count.
    """

    saves = ()
    linear = True

    def forward(self, x: Array) -> Array:
        return x

    def backward(self, gy: Array) -> Array:
        return gy


class PrivateArgument(Argument):
    """The same for a Variable in place of an array: nobody else can ask for a gradient by it.

    It lives on after the call, for products.
    """


def with_old_values(inputs: Sequence[Variable], edges: Sequence[Any]) -> list[Variable]:
    """Return the Variables that a function was given, which were at some edges.

    Where the function has written into one, ``x[i] = v``, that is another one by now: in its place
    there is a new one, which gets the gradient of the old value.
    """
    found = list(inputs)
    for index, (x, edge) in enumerate(zip(inputs, edges, strict=True)):
        if edge is not None and x.creator is not edge.creator:
            old = found[index] = Variable(x.data)
            old._edge = edge
            old.generation = edge.creator.generation + 1 if edge.creator else 0
            setattr(*leading(edge, weakref.ref(old)))
            if type(edge) is Leaf:
                edge.array = weakref.ref(old.data)  # else it would not be the edge of `old`
    return found


def depends_on_others(outputs: Sequence[Any], inputs: Sequence[Variable]) -> bool:
    """Return whether somebody may ask for a gradient of `outputs` by more than `inputs`.

    This is so if they were computed from a Variable that somebody else holds: a closure, an object,
    a module. One that the function makes for itself, as in ``x * Variable(np.array(2.0))``, is held
    by the graph alone and does not count.
    """
    if not _ends_elsewhere(outputs, inputs):
        return False
    returned = [y for y in outputs if isinstance(y, Variable)]
    nodes = nodes_behind(returned)
    others = _others(returned, nodes, inputs)
    if not others:
        return False
    in_graph = Counter(id(x) for node in nodes if node._saves_inputs for x in node.inputs)
    for which in map(id, returned):
        in_graph[which] += 3  # in `returned`, in `outputs`, and in the tree of results
    return any(count > _ALONE + in_graph[which] for which, count in _references(others))


def _ends_elsewhere(outputs: Sequence[Variable], inputs: Sequence[Variable]) -> bool:
    """Return whether a graph ends at more than `inputs`: nearly none does, so nobody else looks."""
    waiting: list[Any] = []
    for y in outputs:
        if isinstance(y, Variable):
            if y.generation:
                waiting.append(y._edge.creator)
            elif not any(y is x for x in inputs):
                return True
    known: set[Any] = {None, *map(attrgetter("_edge"), inputs)}
    while waiting:
        edges = waiting.pop()._edges
        if type(edges) is not tuple:
            return True
        for edge in edges:
            if edge not in known:
                creator = edge.creator
                if creator is None:
                    return True
                if creator not in known:
                    known.add(creator)
                    waiting.append(creator)
    return False


def nodes_behind(outputs: Sequence[Variable]) -> list[Function]:
    """Return the Functions of a graph, each after the Functions that computed its inputs."""
    found: dict[Any, None] = {}  # in the order of discovery, which is the same in each call
    waiting = [y.creator for y in outputs]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found and type(node._edges) is tuple:
            found[node] = None
            waiting += [edge.creator for edge in node._edges if edge is not None]
    return sorted(found, key=attrgetter("generation"))


def _others(
    outputs: Sequence[Variable], nodes: Sequence[Function], inputs: Sequence[Variable]
) -> set[Variable]:
    """Return the living Variables of a graph that depend on no argument.

    Arguments are also those of another call, of a `jvp` that the function uses.
    """
    ours = {id(x) for x in inputs}
    found: set[Any] = {y for y in outputs if y.creator is None and y.data is not None}
    of_arguments: set[Any] = set()
    for node in nodes:
        edges = [edge for edge in node._edges if edge is not None]
        others = [edge for edge in edges if edge.creator not in of_arguments]
        variables = [variable_at(edge) for edge in others]
        if (
            isinstance(node, PrivateArgument)
            or len(others) < len(edges)
            or not ours.isdisjoint(map(id, variables))
        ):
            of_arguments.add(node)
        found.update(variables)
    found.update(y for y in outputs if y.creator in nodes and y.creator not in of_arguments)
    living = [x for x in found if x is not None and id(x) not in ours]
    return {x for x in living if x.dtype.kind in INEXACT}


def _references(objects: set[Any]) -> Iterator[tuple[int, int]]:
    """Yield the identity of each object, and the number of references to it."""
    for each in objects:
        yield id(each), sys.getrefcount(each)


#: The number of references to an object that only the set refers to. Of a Variable it is the same,
#: but the first one loads the plugins, and their warnings would name this line.
((_, _ALONE),) = _references({object()})
