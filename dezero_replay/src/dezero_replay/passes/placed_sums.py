"""Sums of arrays of which some are zeros but for a part, as gradients of ``x[0]`` are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import Instruction, Value, replaced, written
from ..tape.nested import has_any
from .aliasing import is_packed
from .graph import Graph, Rewriting, are_zeros, hashable
from .rounds import Linear

_WITHOUT_NEGATIVE_ZERO = {np.exp, np.square, np.absolute}

_LARGER = 2
"""A constant that is so many times larger than the part of it that is not 0.0 is placed."""

_LARGEST = 2**26
"""The most elements of an array of which it is found out where parts of it meet."""


@dataclass(eq=False)
class Term:
    """An array that is added: a whole one, or `part` at an index among zeros."""

    value: Value
    #: Whether it is the first operand of its addition.
    is_first: bool
    zeros: Value | None = None
    part: Any = None
    #: The index on the tape, and as NumPy takes it.
    index: Any = None
    place: Any = None

    @cached_property
    def key(self) -> Any:
        """A key that is equal for equal places alone."""
        return hashable(self.index)

    def picked(self, array: Any) -> Any:
        """Return the elements of an array where the part is."""
        return array[self.place]


@dataclass(eq=False)
class Sum:
    """Additions of which each adds a term to the result of the one before."""

    additions: list[Instruction] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)


class Reading:
    """Finds the sums in a graph that have placed terms."""

    def __init__(self, graph: Graph, rewriting: Rewriting) -> None:
        self._constants, self._rewriting = graph.constants, rewriting
        self._zeros: dict[int, bool] = {}
        self._makers: dict[int, Instruction] = {}
        self._reads = Counter(x.number for each in graph.instructions for x in each.reads())
        self._reads.update(value.number for value in graph.wanted)
        sums: dict[int, Sum] = {}
        for each in graph.instructions:
            self._makers.update((value.number, each) for value in each.outputs)
            if not _is_addition(each):
                continue
            a, b = each.args
            single = [x for x in (a, b) if x.number in sums and self._reads[x.number] == 1]
            found = sums.pop(single[0].number) if single else Sum([], [self._term(a, True)])
            is_first = single[:1] == [b]
            found.terms.append(self._term(a if is_first else b, is_first))
            found.additions.append(each)
            sums[each.outputs[0].number] = found
        self.sums = [each for each in sums.values() if any(x.zeros for x in each.terms)]

    def is_clean(self, x: Value) -> bool:
        """Return whether no element is -0.0, for certain."""
        maker = self._makers.get(x.number)
        return x.dtype.kind == "f" and maker is not None and maker.call in _WITHOUT_NEGATIVE_ZERO

    def _term(self, x: Value, is_first: bool) -> Term:
        maker = self._makers.get(x.number)
        whole = Term(x, is_first)
        if x.number in self._constants:
            return self._of_constant(whole, self._constants[x.number])
        if maker is None or maker.call is not written or self._reads[x.number] > 1:
            return whole
        zeros, index, part = maker.args
        if not self._are_zeros(zeros) or type(part) is not Value or part.dtype != x.dtype:
            return whole
        if has_any(index, Linear):
            return whole
        try:
            place = replaced(index, lambda value: self._constants[value.number])
        except KeyError:  # positions that are known in each run
            return whole
        like = np.empty(x.shape, x.dtype)[place]
        if like.shape != part.shape or not (_is_plain(part) and _is_in_order(like)):
            return whole
        return Term(x, is_first, zeros, part, index, place)

    def _of_constant(self, whole: Term, array: Any) -> Term:
        """Return a constant as a part at the place of all that is not 0.0, if that is small."""
        axes = np.nonzero((array != 0) | np.signbit(array.real) | np.signbit(array.imag))
        if not axes[0].size:
            return whole
        ends = [(int(at.min()), int(at.max()) + 1) for at in axes]
        place = tuple([a if b == a + 1 else slice(a, b) for a, b in ends])
        part = array[place]
        if _LARGER * part.size > array.size:
            return whole
        zeros = self._rewriting.constant(np.zeros(array.shape, array.dtype))
        value = self._rewriting.constant(part.copy())
        return Term(whole.value, whole.is_first, zeros, value, place, place)

    def _are_zeros(self, x: Value) -> bool:
        constant = self._constants.get(x.number)
        if constant is None:
            return False
        if x.number not in self._zeros:
            self._zeros[x.number] = are_zeros(constant)
        return self._zeros[x.number]


def _is_addition(each: Instruction) -> bool:
    """Return whether a call adds two arrays of one form, in the order of their axes."""
    if each.call is not np.add or each.kwargs or each.errors or len(each.args) != 2:
        return False
    y = each.outputs[0]
    if y.kind is not np.ndarray or not y.shape or y.dtype.kind not in "fc":
        return False
    forms = [(x.shape, x.dtype, x.strides) for x in each.args if type(x) is Value]
    is_alike = forms == [(y.shape, y.dtype, y.strides)] * 2
    return is_alike and 0 < prod(y.shape) <= _LARGEST and is_packed(y)


def _is_plain(x: Value) -> bool:
    """Return whether the sum of an array and another in order is in order, too."""
    return not x.shape or is_packed(x) or not any(x.strides)


def _is_in_order(array: Any) -> bool:
    strides = [s for s, n in zip(array.strides, array.shape, strict=True) if n != 1]
    return all(s > 0 for s in strides) and strides == sorted(strides, reverse=True)
