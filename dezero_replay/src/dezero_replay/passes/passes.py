"""Passes over a graph of calls: each gives a shorter or faster list that computes the same bits.

Most are rules that look at one call after another, on one way through the list; two look at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import (
    Draw,
    Guard,
    Instruction,
    Method,
    Region,
    Value,
    as_array,
    same,
    written,
)
from ..tape.opaque import OpaqueBackward, OpaqueForward
from .aliasing import FRESH, VIEW, escaping, relation
from .constants import folded, typed_literals
from .finite import with_quick_guards
from .forms import canonical
from .graph import Graph, Rewriting


def with_opaque(
    instructions: Iterable[Instruction], failed: frozenset[Region]
) -> list[Instruction]:
    """Return the instructions with each body in `failed` as one instruction."""
    found = [
        region.opaque if (region := each.region) and runs_as_it_is(region, failed) else each
        for each in instructions
    ]
    return [_of_instance(each, failed) for each in dict.fromkeys(found)]  # type: ignore[arg-type]


def runs_as_it_is(region: Region, failed: frozenset[Region]) -> bool:
    """Return whether a body is one instruction: ``backward`` also if its ``forward`` is.

    The other way round ``forward`` stays recorded, since ``backward`` takes recorded arrays.
    """
    return region in failed or region.first in failed


def _of_instance(each: Instruction, failed: frozenset[Region]) -> Instruction:
    """Let an opaque ``backward`` run on the instance of its opaque ``forward``, if there is one."""
    if type(each.call) is not OpaqueBackward:
        return each
    first = each.region.first  # type: ignore[union-attr]
    instance, changing, *others = each.args
    runs = first in failed or first.is_opaque
    args = (instance, {}, *others) if runs else (None, changing, *others)
    return each.changed(each.call, args, each.kwargs)


_COPIES = (np.copy, Method("copy"))


def without_copies(rewriting: Rewriting, each: Instruction) -> Any:
    """Leave out copies, which nobody writes into, and calls that only return their argument."""
    if len(each.outputs) != 1 or not each.args or type(each.args[0]) is not Value:
        return each
    x, (y,), call = each.args[0], each.outputs, each.call
    is_alike = x.kind is y.kind and x.strides == y.strides
    is_copy = call in _COPIES and is_alike if call is not written else _is_there(rewriting, each)
    if not (is_copy or call is same or (call is as_array and is_alike)):
        return each
    if is_copy and y.number in rewriting.escaping and not _moves(rewriting, x):
        return each
    rewriting.known[y.number] = x
    return None


def _is_there(rewriting: Rewriting, each: Instruction) -> bool:
    """Return whether a call is ``x[index] = x[index]``, the last step of ``x[index] += y``."""
    x, index, value = each.args
    maker = rewriting.makers.get(value.number) if type(value) is Value else None
    if maker is None or maker.call is not operator.getitem or maker.args[0] is not x:
        return False
    return bool(_hashable(maker.args[1]) == _hashable(index))


def _moves(rewriting: Rewriting, x: Value) -> bool:
    """Return whether the caller can have an array itself in place of a copy: nobody else has it."""
    chain: list[Value] = []
    while True:
        chain.append(x)
        maker = rewriting.makers.get(x.number)
        if maker is None or x.number in rewriting.escaping or x.shape is None:
            return False
        how, size = relation(maker), prod(x.shape)
        if how == FRESH:
            rewriting.escaping.update(value.number for value in chain)
            return True
        if how != VIEW or size != prod(maker.args[0].shape or ()):
            return False
        x = maker.args[0]


def without_repetitions(rewriting: Rewriting, each: Instruction) -> Any:
    """Make equal calls once: elimination of common subexpressions."""
    key = None if type(each.call) in (OpaqueForward, OpaqueBackward, Draw) else _key(each)
    if key is None:
        return each
    if key not in rewriting.seen:
        rewriting.seen[key] = each.outputs
        return each
    if any(value.number in rewriting.escaping for value in each.outputs):
        return each  # eager code has two arrays
    for y, x in zip(each.outputs, rewriting.seen[key], strict=True):
        rewriting.known[y.number] = x
    return None


def _key(each: Instruction) -> Any:
    """Return a key that calls share only if their results are equal; None if there is none."""
    more: Any = each.kwargs or each.errors or type(each) is Guard
    if more:
        more = _hashable((each.kwargs, each.errors, getattr(each, "expected", None)))
    key = each.call, type(each.call), type(each), tuple(map(_hashable, each.args)), more
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _hashable(tree: Any) -> Any:
    """Return nested arguments in a form that is equal only for the same bits."""
    if type(tree) is Value:
        return tree
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(_hashable, tree))
    if isinstance(tree, dict):
        return dict, _hashable(sorted(tree.items()))
    if isinstance(tree, slice):
        return slice, _hashable((tree.start, tree.stop, tree.step))
    if isinstance(tree, (float, complex)):
        return type(tree), tree.real.hex(), tree.imag.hex()
    return type(tree), tree


def without_dead(graph: Graph) -> Graph:
    """Leave out calls whose results nobody reads, but no guard and no drawing of numbers."""
    needed = {value.number for value in graph.wanted}
    found = []
    for each in reversed(graph.instructions):
        is_needed = not needed.isdisjoint([value.number for value in each.outputs])
        if is_needed or type(each) is Guard or draws(each):
            needed.update([value.number for value in each.reads()])
            found.append(each)
    return graph.changed(found[::-1])


def draws(each: Instruction) -> bool:
    """Return whether a call draws random numbers."""
    return type(each.call) is Draw or (type(each.call) is OpaqueForward and each.call.draws)


#: Passes that make two recordings of one way comparable.
EARLY: tuple[Callable[..., Any], ...] = (without_copies, without_repetitions, without_dead)

#: Passes that make a graph fast.
PASSES: tuple[Callable[..., Any], ...] = (
    without_copies,
    folded,
    canonical,
    typed_literals,
    without_repetitions,
    with_quick_guards,
    without_dead,
)


def simplified(graph: Graph, passes: tuple[Callable[..., Any], ...] = PASSES) -> Graph:
    """Return a graph that computes the same bits, after some passes."""
    whole = [each for each in (with_quick_guards, without_dead) if each in passes]
    rules = tuple(each for each in passes if each not in whole)
    rewriting = Rewriting(graph, escaping(graph.instructions, graph.wanted))
    for each in graph.instructions:
        rewriting.take(each, rules)
    found = rewriting.graph()
    for of_whole in whole:
        found = of_whole(found)
    return found
