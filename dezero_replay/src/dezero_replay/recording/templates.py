"""Templates of bodies: a body of a kind that was recorded before runs on arrays, as in eager code.

The calls of a body depend on its class, its attributes, and the forms of its operands, unless it
looks at values; then there is a guard, and no template.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..tape.classes import is_a
from ..tape.errstate import of_errors
from ..tape.instructions import Instruction, Region, Template, Value
from ..tape.nested import ATOMS, has_any
from ..tape.recorded import Recorded, contents
from ..tape.tape import Mark, Tape

_ARRAYS = (np.ndarray, np.generic)

_SMALL = 128
"""Bytes of an array that is no recording one, and still a part of a key: its values are in it."""

_MOST = 8
"""A body with more results is no template: rounds of a loop may take one each, as of np.stack."""


class Asked(NamedTuple):
    """A body that is to run: its key, None if it has none, and the arrays among its operands."""

    key: Any
    recorded: list[Recorded]
    values: list[Value]


NOTHING = Asked(None, [], [])


class Known(NamedTuple):
    """A template, and how the results of its body are made recording arrays."""

    template: Template
    region: Region
    #: Of each result, None if there is none.
    forms: list[Any]
    #: Of each result that is a view: the position of the operand, and the calls that lead to it.
    views: list[tuple[int, list[Any]] | None]
    is_tuple: bool
    #: Line of the user's -> the kind of the calls there.
    kinds: dict[str, int]


class Templates:
    """The templates of one recording, by keys that bodies share which make the same calls."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._known: dict[Any, Known] = {}
        self._regions: set[Region | None] = set()
        #: The number of each form; and of the form of a Value, by its number.
        self._forms: dict[Any, int] = {}
        self._form_of: dict[int, int] = {}

    def __contains__(self, key: Any) -> bool:
        return key is not None and key in self._known

    def region(self, key: Any) -> Region:
        """Return the region of a template."""
        return self._known[key].region

    def of_forward(self, function: Any, attributes: dict[str, Any], xs: Sequence[Any]) -> Asked:
        """Ask for ``forward``."""
        return self._asked(type(function), attributes, xs)

    def of_backward(self, function: Any, first: Region | None, operands: Sequence[Any]) -> Asked:
        """Ask for ``backward``, by the region of ``forward``: without a key, if that has none."""
        if first not in self._regions:
            return NOTHING
        return self._asked(first, {"needs_grad": function.needs_grad}, operands)

    def _asked(self, what: Any, attributes: dict[str, Any], operands: Sequence[Any]) -> Asked:
        """Ask for a body; without a key, if it may depend on more than a key can tell."""
        recorded, values = list[Recorded](), list[Value]()
        forms, constants, fixed = self._form_of, self._tape.constants, self._tape.fixed
        try:
            parts = [what, *[(name, _key_of(x)) for name, x in attributes.items()]]
            for x in operands:
                if type(x) is not Recorded:
                    parts.append(_key_of(x))
                    continue
                value = x.value
                number = value.number
                if number in fixed:
                    return NOTHING  # it may decide without a guard
                if number in constants:  # it, too; so the template is for this one alone
                    parts.append(("constant", number))
                else:
                    parts.append(forms[number] if number in forms else self._form(value))
                recorded.append(x)
                values.append(value)
        except _NoKeyError:
            return NOTHING
        if not values or of_errors() is not self._tape.usual_errors:
            return NOTHING
        numbers = [value.number for value in values]
        if len(set(numbers)) < len(numbers):  # one array in two places
            parts.append(tuple(map(numbers.index, numbers)))
        return Asked(tuple(parts), recorded, values)

    def _form(self, value: Value) -> int:
        """Return the number of the form of a Value."""
        found = self._forms.setdefault(value.form, len(self._forms))
        self._form_of[value.number] = found
        return found

    def noted(self, asked: Asked, body: Any, given: Any, where: str) -> Any:
        """Run a body on arrays, and note it as a call of its template.

        Return its results as recording arrays; None if they have other forms.
        """
        known, tape, found = self._known[asked.key], self._tape, body(*contents(given))
        results = found if isinstance(found, tuple) else (found,)
        arrays = [y if y is None or type(y) is np.ndarray else np.asarray(y) for y in results]
        if [y if y is None else _form_of(y) for y in arrays] != known.forms:
            return None
        made: list[Any] = []
        outputs: list[Value] = []
        for array, view in zip(arrays, known.views, strict=True):
            if array is None:
                made.append(None)
                continue
            outputs.append(tape.like(known.template.wanted[len(outputs)]))
            made.append(_with_view(Recorded(tape, array, outputs[-1]), view, asked.recorded))
        values = *asked.values, *outputs
        kind = known.kinds.get(where)
        if kind is None:
            kind = known.kinds[where] = self._kind(known, asked.values, outputs, where)
        tape.instructions.add(kind, [x.number for x in values])
        return tuple(made) if known.is_tuple else made[0]

    def learn(self, asked: Asked, mark: Mark, region: Region, found: Any) -> None:
        """Make a template of the calls since a mark, if it is sure that the key tells them all.

        The body is recorded, and no guard is in it.
        """
        if asked.key is None:
            return
        tape, recorded = self._tape, asked.recorded
        calls = tape.instructions[mark.instructions :]
        results = found if isinstance(found, tuple) else (found,)
        arrays = [x for x in results if x is not None]
        if not calls or len(arrays) > _MOST or not all(type(x) is Recorded for x in arrays):
            return
        inputs, wanted = [x.value for x in recorded], [x._value for x in arrays]
        there = {value.number for value in inputs} | tape.constants.keys()
        for each in calls:
            is_own = each.region is region and not each.errors
            if not (is_own and there.issuperset([x.number for x in each.reads()])):
                return
            there.update(value.number for value in each.outputs)
        views = [None if x is None else _view_of(x, recorded) for x in results]
        if NotImplemented in views:
            return
        template = Template(calls, inputs, wanted)
        forms = [None if x is None else _form_of(x.content) for x in results]
        self._regions.add(region)
        known = Known(template, region, forms, views, isinstance(found, tuple), {})
        self._known[asked.key] = known
        kind = known.kinds[region.where] = self._kind(known, inputs, wanted, region.where)
        tape.instructions.forget(mark.instructions)
        tape.instructions.add(kind, [x.number for x in (*inputs, *wanted)])

    def _kind(self, known: Known, inputs: list[Value], wanted: list[Value], where: str) -> int:
        """Return the number of the kind of the calls of a template at a line."""
        args, outputs = tuple(inputs), tuple(wanted)
        call = Instruction(known.template, args, {}, outputs, True, known.region, where)
        return self._tape.instructions.kind(call)


class _NoKeyError(Exception):
    """A body may depend on more than a key can tell."""


def _key_of(x: Any) -> Any:
    kind = type(x)
    if kind in ATOMS:
        return kind, repr(x) if kind in (float, complex) else x
    if kind is tuple or kind is list:
        return kind, tuple([_key_of(item) for item in x])
    if kind is dict:
        return kind, tuple(x), tuple([_key_of(item) for item in x.values()])
    if kind is slice:
        return kind, _key_of(x.start), _key_of(x.stop), _key_of(x.step)
    if is_a(x, _ARRAYS) and x.nbytes <= _SMALL and not x.dtype.hasobject:
        return kind, x.dtype, x.shape, x.strides, x.tobytes()
    if is_a(x, np.dtype) or x is np._NoValue:
        return x
    raise _NoKeyError


def _form_of(array: Any) -> Any:
    return array.shape, array.dtype, array.strides


def _view_of(x: Recorded, recorded: list[Recorded]) -> Any:
    """Return of which operand a result is a view, and by which calls; None if it is none."""
    calls: list[Any] = []
    while x._base is not None:
        if has_any(x._view[1:], Value):
            return NotImplemented
        calls.insert(0, x._view)
        x = x._base
        for n, operand in enumerate(recorded):
            if operand is x:
                return n, calls
    return NotImplemented if calls else None


def _with_view(made: Recorded, view: Any, recorded: list[Recorded]) -> Recorded:
    """Return a result, which is noted as a view of an operand."""
    if view is None:
        return made
    n, calls = view
    base = recorded[n]
    for call, args, kwargs in calls[:-1]:
        # Between the operand and the result: only a write asks for it, which makes it anew.
        between = Recorded(base.tape, None, base.tape.value(None))
        between.is_view_of(base, call, args, kwargs)
        base = between
    made.is_view_of(base, *calls[-1])
    return made
