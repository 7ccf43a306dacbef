"""The instructions of a graph as numbers: their kinds, and where their operands are made."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..tape.classes import is_a
from ..tape.instructions import Guard, Instruction, Template, Through, Value
from ..tape.nested import NESTED, mapped
from .graph import Graph
from .rounds import Linear, Loop

OUTPUTS = 64
"""A place is the position of an instruction times this, plus the position among its results."""

_LARGEST = 2**62

_SMALL = 4096
"""Bytes of constants that are compared."""

INT, FLOAT, INT_OF_BODY, FLOAT_OF_BODY = range(4)
"""Types of the numbers among the arguments, and among those in the body of a loop."""


class Sequence:
    """Instructions with arrays that have their kinds, operands, and numbers among the arguments.

    Calls of one kind have the same function, and operands and results of the same forms; their
    operands and numbers may be others.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        #: Number of a Value -> the place where it is made; below 0 if it is there before.
        self._places: dict[int, int] = {}
        #: Number of a Value -> the number of its form.
        self._forms: dict[int, int] = {}
        self._known: dict[Any, int] = {}
        self._constants: dict[Any, int] = {}
        #: The operands of all instructions, and their numbers; and for each instruction, where its
        #: own begin.
        self.operands: list[Value] = []
        self.literals: list[int | float] = []
        self.first_operand, self.first_literal = [0], [0]
        self._types = types = list[int]()
        #: Template -> its kind, its numbers, the types of these, and the forms of its results.
        self._templates: dict[Template, Any] = {}
        kinds, places, made = list[int](), list[int](), self._places
        for position, each in enumerate(graph.instructions):
            is_call = type(each.call) is Template and len(each.outputs) < OUTPUTS
            kinds.append(self._of_template(each) if is_call else self._number(self._kind_of(each)))
            places += map(self.place_of, self.operands[len(places) :])
            if len(each.outputs) < OUTPUTS:  # else no run has it, and it is as good as given
                for place, y in enumerate(each.outputs, position * OUTPUTS):
                    made[y.number] = place
            self.first_operand.append(len(self.operands))
            self.first_literal.append(len(self.literals))
        self.kinds = np.array(kinds, np.int64)
        self.places, self.types = np.array(places, np.int64), np.array(types, np.int8)
        #: The numbers among the arguments; of a float, its bits.
        self.bits = np.array([_bits(x) for x in self.literals], np.int64)

    def place_of(self, x: Value) -> int:
        """Return the place where a Value is made; small constants that are equal have one."""
        place = self._places.get(x.number)
        if place is None:
            place = self._places[x.number] = -1 - len(self._places)
            constant = self.graph.constants.get(x.number)
            if isinstance(constant, (np.ndarray, np.generic)) and constant.nbytes <= _SMALL:
                key = constant.tobytes(), self._form(x)
                place = self._places[x.number] = self._constants.setdefault(key, place)
        return place

    def _number(self, key: Any) -> int:
        return self._known.setdefault(key, len(self._known))

    def _form(self, x: Value) -> int:
        found = self._forms.get(x.number)
        if found is None:
            found = self._forms[x.number] = self._number(x.form)
        return found

    def _of_template(self, each: Instruction) -> int:
        """Return the number of the kind of a call of a template, and note what `_kind_of` notes.

        All of that is the same for each call, also the forms of operands and results.
        """
        template = each.call
        found = self._templates.get(template)
        if found is None:
            first = len(self._types)
            kind = self._number((Template, self._kind_of_calls(template)))
            found = (
                kind,
                self.literals[first:],
                self._types[first:],
                tuple(map(self._form, template.wanted)),
            )
            self._templates[template] = found
        else:
            self.literals += found[1]
            self._types += found[2]
        self.operands += each.args
        for y, form in zip(each.outputs, found[3], strict=True):
            self._forms[y.number] = form
        return found[0]

    def _kind_of(self, each: Instruction) -> Any:
        """Return the kind of an instruction, and note its operands and numbers."""
        call: Any = type(each.call), each.call
        if type(each.call) is Loop:
            call = self._kind_of_loop(each.call)
        elif type(each.call) is Through:
            call = self._key(each.call, self._operand)
        arguments = tuple([self._key(x, self._operand) for x in each.args])
        named = self._key(each.kwargs, self._operand) if each.kwargs else None
        if len(each.outputs) >= OUTPUTS:
            return each  # it is like no other one
        outputs = tuple(map(self._form, each.outputs))
        return call, arguments, named, outputs, each.several, _others(each)

    def _operand(self, x: Any) -> Any:
        self.operands.append(x)
        return self._form(x)

    def _kind_of_loop(self, loop: Loop) -> Any:
        """Return a key that loops share if they differ in operands and numbers alone."""
        first = len(self._types)
        kind = self._kind_of_calls(loop.body)
        for n in range(first, len(self._types)):
            self._types[n] |= INT_OF_BODY
        return loop.rounds, loop.carried, loop.collected, kind

    def _kind_of_calls(self, calls: Graph | Template) -> Any:
        names: dict[int, Any] = {}
        for value in calls.inputs:
            names[value.number] = len(names), self._form(value)

        def leaf(x: Any) -> Any:
            return names.get(x.number, x.number)  # a constant has its number

        found = []
        for each in calls.instructions:
            inner = self._kind_of_loop(each.call) if type(each.call) is Loop else each.call
            if type(each.call) is Through:
                inner = self._key(each.call, leaf)
            arguments = self._key(each.args, leaf), self._key(each.kwargs, leaf)
            found.append((type(each.call), inner, arguments, _others(each)))
            for y in each.outputs:
                names[y.number] = len(names), self._form(y)
        return tuple(found), tuple([leaf(value) for value in calls.wanted])

    def _key(self, tree: Any, leaf: Callable[[Any], Any]) -> Any:
        """Return a key of nested arguments that leaves out the numbers, which it notes."""
        kind = type(tree)
        if kind is Value:
            return leaf(tree)
        if kind is Linear:
            self._literal(tree.start, INT)
            return kind, tuple([step for _, step in tree.steps])
        if kind is float or (kind is int and -_LARGEST < tree < _LARGEST):
            self._literal(tree, INT if kind is int else FLOAT)
            return kind
        if kind is tuple or kind is list:
            return kind, tuple([self._key(x, leaf) for x in tree])
        if is_a(tree, NESTED):
            return kind, tuple([self._key(x, leaf) for x in parts_of(tree)])
        try:
            hash(tree)
        except TypeError:
            return kind, id(tree)
        return kind, tree

    def _literal(self, x: int | float, kind: int) -> None:
        self.literals.append(x)
        self._types.append(kind)


def parts_of(tree: Any) -> Any:
    """Return the items of a tuple, list, dict or slice; the keys of a dict, too."""
    if isinstance(tree, slice):
        return tree.start, tree.stop, tree.step
    return (tuple(tree), *tree.values()) if isinstance(tree, dict) else tree


def rebuilt(tree: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return nested arguments with ``leaf(x)`` for each operand and number, in a fixed order."""
    kind = type(tree)
    if kind in (Value, Linear, float) or (kind is int and -_LARGEST < tree < _LARGEST):
        return leaf(tree)
    return mapped(lambda x: rebuilt(x, leaf), tree) if is_a(tree, NESTED) else tree


def with_numbers(instructions: list[Instruction], leaf: Callable[[Any], Any]) -> list[Instruction]:
    """Return calls with ``leaf(x)`` for each number in them, in the order of a `Sequence`."""

    def inside(x: Any) -> Any:
        return x if type(x) is Value else leaf(x)

    made = []
    for each in instructions:
        call = each.call
        if type(call) is Loop:
            body = call.body
            call = replace(call, body=body.changed(with_numbers(body.instructions, leaf)))
        elif type(call) is Through:
            call = rebuilt(call, inside)
        args, kwargs = rebuilt(each.args, inside), rebuilt(each.kwargs, inside)
        made.append(each if type(each) is Guard else each.changed(call, args, kwargs))
    return made


def _others(each: Instruction) -> Any:
    """Return the other facts that two calls of one kind have to share."""
    errors = tuple(sorted(each.errors.items())) if each.errors else None
    return (errors, each.region is None, repr(each.expected)) if type(each) is Guard else errors


def _bits(x: int | float) -> int:
    return int(struct.unpack("q", struct.pack("d", x))[0]) if type(x) is float else int(x)
