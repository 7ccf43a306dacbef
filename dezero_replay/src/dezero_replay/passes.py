"""Passes over a graph of calls: each gives a shorter or faster list that computes the same bits.

Most are rules that look at one call after another, on one way through the list; two look at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from math import prod
from typing import Any

import numpy as np

from .aliasing import FRESH, VIEW, escaping, relation
from .bodies import OpaqueBackward, OpaqueForward
from .constants import folded, typed_literals
from .finite import with_quick_guards
from .forms import canonical
from .graph import Graph, Rewriting
from .tape import Guard, Instruction, Method, Region, Value, as_array, same, written


def with_opaque(
    instructions: Iterable[Instruction], failed: frozenset[Region]
) -> list[Instruction]:
    """Return the instructions with each body in `failed` as one instruction."""
    found: list[Instruction] = []
    done: set[int] = set()
    for each in instructions:
        region = each.region
        if region is None or not runs_as_it_is(region, failed):
            found.append(each)
        elif id(region) not in done:
            done.add(id(region))
            found.append(region.opaque)  # type: ignore[arg-type]
    return [_of_instance(each, failed) for each in found]


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


def without_copies(rewriting: Rewriting, each: Instruction) -> Any:
    """Leave out copies, which nobody writes into, and calls that only return their argument."""
    if len(each.outputs) != 1 or not each.args or type(each.args[0]) is not Value:
        return each
    (x, *_), (y,) = each.args, each.outputs
    if each.call is written and _is_there(rewriting, each):
        if y.number in rewriting.escaping and not _moves(rewriting, x):
            return each
        rewriting.known[y.number] = x
        return None
    if each.call is not same and not (x.kind is y.kind and x.strides == y.strides):
        return each
    is_copy = _is_copy(each)
    if not (is_copy or each.call is same or each.call is as_array):
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


def _is_copy(each: Instruction) -> bool:
    return each.call is np.copy or (type(each.call) is Method and each.call.name == "copy")


def _moves(rewriting: Rewriting, x: Value) -> bool:
    """Return whether the caller can have an array itself in place of a copy: nobody else has it."""
    chain = [x]
    while True:
        x = chain[-1]
        maker = rewriting.makers.get(x.number)
        if maker is None or x.number in rewriting.escaping or x.shape is None:
            return False
        how = relation(maker)
        if how == FRESH:
            break
        if how != VIEW or prod(x.shape) != prod(maker.args[0].shape or ()):
            return False
        chain.append(maker.args[0])
    rewriting.escaping.update(value.number for value in chain)
    return True


def without_repetitions(rewriting: Rewriting, each: Instruction) -> Any:
    """Make equal calls once: elimination of common subexpressions."""
    if type(each.call) in (OpaqueForward, OpaqueBackward):
        return each
    key = _key(each)
    before = rewriting.seen.get(key) if key is not None else None
    if before is None:
        if key is not None:
            rewriting.seen[key] = each.outputs
        return each
    if any(value.number in rewriting.escaping for value in each.outputs):
        return each  # eager code has two arrays
    for y, x in zip(each.outputs, before, strict=True):
        rewriting.known[y.number] = x
    return None


def _key(each: Instruction) -> Any:
    """Return a key that calls share only if their results are equal; None if there is none."""
    args = each.args
    is_plain = not (each.kwargs or each.errors or type(each) is Guard)
    try:
        if is_plain and 0 < len(args) <= 2 and type(args[0]) is type(args[-1]) is Value:
            hash(each.call)
            return each.call, type(each.call), args
        key: list[Any] = [each.call, type(each.call), type(each)]
        for x in each.args:
            key.append(x if type(x) is Value else _hashable(x))
        if each.kwargs:
            key.append(_hashable(each.kwargs))
        if each.errors:
            key.append(_hashable(each.errors))
        if type(each) is Guard:
            key.append(_hashable(each.expected))
        made = tuple(key)
        hash(made)
    except TypeError:
        return None
    return made


def _hashable(tree: Any) -> Any:
    """Return nested arguments in a form that is equal only for the same bits."""
    if type(tree) is Value:
        return tree
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(_hashable, tree))
    if isinstance(tree, dict):
        return dict, tuple((key, _hashable(x)) for key, x in sorted(tree.items()))
    if isinstance(tree, slice):
        return slice, _hashable((tree.start, tree.stop, tree.step))
    if isinstance(tree, float):
        return type(tree), tree.hex()
    if isinstance(tree, complex):
        return type(tree), tree.real.hex(), tree.imag.hex()
    return type(tree), tree


def without_dead(graph: Graph) -> Graph:
    """Leave out calls whose results nobody reads, but no guard and no drawing of numbers."""
    needed = {value.number for value in graph.wanted}
    found = []
    for each in reversed(graph.instructions):
        is_needed = type(each) is Guard or draws(each)
        for value in each.outputs:
            is_needed = is_needed or value.number in needed
        if is_needed:
            for value in each.reads():
                needed.add(value.number)
            found.append(each)
    return graph.changed(found[::-1])


def draws(each: Instruction) -> bool:
    """Return whether a call draws random numbers."""
    return type(each.call) is OpaqueForward and each.call.draws


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

_OF_WHOLE = (with_quick_guards, without_dead)


def simplified(graph: Graph, passes: tuple[Callable[..., Any], ...] = PASSES) -> Graph:
    """Return a graph that computes the same bits, after some passes."""
    rules = tuple(each for each in passes if each not in _OF_WHOLE)
    rewriting = Rewriting(graph, escaping(graph.instructions, graph.wanted))
    for each in graph.instructions:
        rewriting.take(each, rules)
    found = rewriting.graph()
    for whole in _OF_WHOLE:
        if whole in passes:
            found = whole(found)
    return found
