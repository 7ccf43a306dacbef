"""The pass over sums of arrays that are zeros but for a part, as gradients of ``x[0]`` are.

Eager code adds up whole arrays. Here the parts are added into one array. The bits are those of the
sum of whole arrays: there, the sum of -0.0 and a zero beside the other parts is 0.0.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..tape.instructions import Instruction, Value, written
from .graph import Graph, Rewriting
from .placed_sums import Reading, Sum, Term

_GROWTH = 2
"""An array of at most so many times the elements of the parts is made positive at once."""

_LARGE = 1024
"""The least elements of an array for which the time in memory counts, and not that of calls."""


def joined(graph: Graph, meeting: bool = False) -> Graph:
    """Add the parts of arrays that are zeros elsewhere into one array, in place of the arrays.

    Parts that have elements in common stay, unless `meeting` is true, and the parts are much
    smaller than the array, or that is small: whole arrays are added faster than views, by NumPy,
    and by machine code that cuts large arrays into boxes.
    """
    rewriting = Rewriting(graph, set())
    reading = Reading(graph, rewriting)
    if not reading.sums:
        return graph
    writers: dict[int, tuple[Any, int]] = {}
    for each in reading.sums:
        writer = _writer(each, rewriting, reading.is_clean, meeting)
        if writer is not None:
            writers |= {id(add): (writer, n) for n, add in enumerate(each.additions, 1)}
    found: list[Instruction] = []
    for instruction in graph.instructions:
        writer, n = writers.get(id(instruction), (None, 0))
        found += [instruction] if writer is None else writer.addition(n)
    return replace(graph, instructions=found, constants=rewriting.constants)


def _writer(of: Sum, rewriting: Rewriting, is_clean: Any, meeting: bool) -> Any:
    """Return the writer of a sum; None if the sum stays as it is."""
    terms = of.terms
    placed = [term for term in terms if term.zeros is not None]
    if terms[0].zeros is not None and terms[1].zeros is None:  # the order of two does not matter
        terms[:2] = terms[1::-1]
    base = None if terms[0].zeros is not None else terms[0].value
    if len(placed) < (1 if base is not None and is_clean(base) else 2):
        return None
    if len(placed) == len(terms) and _are_apart(placed):
        return _Apart(of, rewriting, is_clean)
    if not meeting or _are_large(placed):
        return None
    return _Meeting(of, placed, rewriting, is_clean)


def _are_large(terms: list[Term]) -> bool:
    """Return whether parts that are added have about as many elements as a large array."""
    size = prod(terms[0].value.shape)
    return size >= _LARGE and sum(prod(term.part.shape) for term in terms) >= size


def _are_apart(terms: list[Term]) -> bool:
    """Return whether parts at different places have no element in common."""
    taken = np.zeros(terms[0].value.shape, bool)
    seen: dict[Any, Any] = {}
    for term in terms:
        if term.key not in seen:
            if term.picked(taken).any():
                return False
            taken[term.place] = True
            seen[term.key] = term
    return True


class _Adding:
    """Writes additions of parts into an array."""

    def __init__(self, of: Sum, rewriting: Rewriting, is_clean: Any) -> None:
        self._of, self._rewriting, self._is_clean = of, rewriting, is_clean
        self._like = of.terms[0].value
        self._found: list[Instruction] = []
        self._each: Instruction = of.additions[0]

    def addition(self, n: int) -> list[Instruction]:
        """Return the calls in the place of an addition: of the term with this number."""
        self._each, self._found = self._of.additions[n - 1], []
        for number in (0, 1) if n == 1 else (n,):
            self._add(number)
        return self._found

    def _add(self, number: int) -> None:
        """Find the calls that add the term with a number."""

    def _sum(self, a: Value, b: Value) -> Value:
        """Add two arrays; the result is laid out in the order of its axes."""
        shape, dtype = np.broadcast_shapes(a.shape, b.shape), a.dtype
        value = self._rewriting.value(np.empty(shape, dtype) if shape else dtype.type(0))
        self._found.append(self._each.changed(np.add, (a, b), {}, (value,)))
        return value

    def _with(self, term: Term, before: Value) -> Value:
        """Return the sum of what was there and a part."""
        return self._sum(term.part, before) if term.is_first else self._sum(before, term.part)

    def _positive(self, x: Value) -> Value:
        """Return an array with 0.0 in place of -0.0."""
        if self._is_clean(x):
            return x
        return self._sum(x, self._zero)

    @cached_property
    def _zero(self) -> Value:
        return self._rewriting.constant(np.zeros((), self._like.dtype))

    def _array_after(self, number: int) -> Value:
        """Return the Value of the array after a term; after the last one it is the result."""
        last = self._of.additions[-1].outputs[0]
        is_last = number == len(self._of.terms) - 1
        return last if is_last else self._rewriting.value(np.empty(last.shape, last.dtype))

    def _written(self, x: Value, term: Term, part: Value, y: Value) -> Value:
        self._found.append(self._each.changed(written, (x, term.index, part), {}, (y,)))
        return y


class _Apart(_Adding):
    """Parts that are at the same place are added; then each sum is written to its place."""

    def __init__(self, of: Sum, rewriting: Rewriting, is_clean: Any) -> None:
        super().__init__(of, rewriting, is_clean)
        #: Key of a place -> the number of its last term.
        self._last = {term.key: number for number, term in enumerate(of.terms)}
        self._sums: dict[Any, Value] = {}
        self._array: Value = of.terms[0].zeros  # type: ignore[assignment]
        sizes = {term.key: prod(term.part.shape) for term in of.terms}
        #: Whether -0.0 becomes 0.0 in the end, in the whole array, and not in each part.
        self._at_once = prod(self._like.shape) <= _GROWTH * sum(sizes.values())

    def _add(self, number: int) -> None:
        term, is_last = self._of.terms[number], number == len(self._of.terms) - 1
        before = self._sums.get(term.key)
        total = self._sums[term.key] = term.part if before is None else self._with(term, before)
        if self._last[term.key] != number:
            return
        y = self._array_after(number)
        if len(self._last) == 1:  # no other term has zeros there
            self._written(self._array, term, total, y)
        elif not self._at_once:
            self._array = self._written(self._array, term, self._positive(total), y)
        else:
            whole = self._rewriting.value(np.empty(y.shape, y.dtype)) if is_last else y
            self._array = self._written(self._array, term, total, whole)
            if is_last:
                args = (whole, self._zero)
                self._found.append(self._each.changed(np.add, args, {}, (y,)))


class _Meeting(_Adding):
    """Each part is added to what is at its place, in an array that begins with zeros.

    Where all terms have parts, and in no other place, the sum may be -0.0: so the array begins with
    -0.0 there, which is neutral.
    """

    def __init__(self, of: Sum, placed: list[Term], rewriting: Rewriting, is_clean: Any) -> None:
        super().__init__(of, rewriting, is_clean)
        everywhere = _everywhere(placed)
        self._begin = np.zeros(self._like.shape, self._like.dtype)
        if everywhere is not None:
            self._begin[everywhere] = -self._begin[everywhere]
        self._is_zero = everywhere is None
        #: Where nothing was added to the zeros so far.
        self._untouched = np.ones(self._like.shape, bool)
        self._array: Value | None = None

    def _add(self, number: int) -> None:
        term = self._of.terms[number]
        if self._array is None:
            self._array = self._first(term)
            if term.zeros is None:
                return
        if term.zeros is None:
            self._untouched[...] = False
            args = (term.value, self._array) if term.is_first else (self._array, term.value)
            self._array = self._array_after(number)
            self._found.append(self._each.changed(np.add, args, {}, (self._array,)))
            return
        if self._is_zero and term.picked(self._untouched).all():
            total = self._positive(term.part)
        else:
            total = self._with(term, self._element(term))
        self._untouched[term.place] = False
        self._array = self._written(self._array, term, total, self._array_after(number))

    def _first(self, term: Term) -> Value:
        """Return the array to which the terms are added: the first one, if that is a whole one."""
        if term.zeros is not None:
            return term.zeros if self._is_zero else self._begun(np.positive, self._begin)
        self._untouched[...] = False
        if self._is_clean(term.value):
            return term.value
        begin = np.zeros((), self._like.dtype) if self._is_zero else self._begin
        return self._begun(np.add, begin, term.value)

    def _begun(self, ufunc: Any, begin: Any, *others: Value) -> Value:
        value = self._rewriting.value(self._begin)
        args = (*others, self._rewriting.constant(begin))
        self._found.append(self._each.changed(ufunc, args, {}, (value,)))
        return value

    def _element(self, term: Term) -> Value:
        value = self._rewriting.value(term.picked(self._begin))
        args = (self._array, term.index)
        self._found.append(self._each.changed(operator.getitem, args, {}, (value,)))
        return value


def _everywhere(terms: list[Term]) -> Any:
    """Return where all terms have parts, as a mask; None if there is no such place."""
    common = np.ones(terms[0].value.shape, bool)
    for term in terms:
        own = np.zeros(common.shape, bool)
        own[term.place] = True
        common &= own
        if not common.any():
            return None
    return common
