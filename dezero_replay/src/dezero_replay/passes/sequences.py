"""The instructions of a graph as numbers: their kinds, and where their operands are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Template, Through, Value
from ..tape.rows import bits, is_number, key_of, operands, rebuilt, rows_of
from .graph import Graph
from .rounds import Linear, Loop

OUTPUTS = 64
"""A place is the position of an instruction times this, plus the position among its results."""

LEAVES = Value, Linear
"""Types of the parts of arguments that may differ from round to round, beside numbers."""

_SMALL = 4096
"""Bytes of constants that are compared."""

_NOWHERE = -(2**62)
"""In place of a place: no instruction makes or reads the Value."""

INT, FLOAT, INT_OF_BODY, FLOAT_OF_BODY = range(4)
"""Types of the numbers among the arguments, and among those in the body of a loop."""


class Sequence:
    """Instructions with arrays that have their kinds, operands, and numbers among the arguments.

    Calls of one kind have the same function, and operands and results of the same forms; their
    operands and numbers may be others.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[Any, int] = {}
        self._constants: dict[Any, int] = {}
        #: Template -> its kind, and the numbers in it with their types.
        self._templates: dict[Template, Any] = {}
        self.rows = rows = rows_of(graph.instructions)
        facts = [self._facts(model) for model in rows.models()]
        self._which = which = np.unique(rows.kinds, return_inverse=True)[1]

        def of_each(numbers: list[int]) -> Any:
            return np.array(numbers, np.int64)[which]

        self.kinds = of_each([kind for kind, *_ in facts])
        #: For each instruction, where its operands and numbers begin among those of all.
        read = of_each([len(operands(model)) for model in rows.models()])
        self.first_operand = np.concatenate([[0], np.cumsum(read)])
        #: The numbers among the arguments; of a float, its bits.
        self.bits, self.first_literal = _beside([literals for _, literals, _ in facts], which)
        self.types = _beside([types for *_, types in facts], which)[0]
        numbers, firsts = rows.numbers, rows.firsts
        position = np.repeat(np.arange(len(rows)), np.diff(firsts))
        place = np.arange(len(numbers)) - firsts[position] - read[position]
        made = of_each([len(each.outputs) for each in rows.models()])
        #: The numbers of the operands of all instructions.
        self.operands = numbers[place < 0]
        is_made, is_literal = (place >= 0) & (place < made[position]), place >= made[position]
        self._made, self._first_made = numbers[is_made], np.cumsum(made) - made
        # Those of the calls in templates and loops are the same in all calls of a kind.
        own = np.diff(firsts) - read - made
        before = np.repeat(np.diff(self.first_literal) - own, np.diff(self.first_literal))
        within = np.arange(len(self.bits)) - np.repeat(
            self.first_literal[:-1], np.diff(self.first_literal)
        )
        self.bits[within >= before] = numbers[is_literal]
        is_made &= made[position] < OUTPUTS  # else no run has it, and it is as good as given
        #: For the number of a Value, the place where it is made, or `_NOWHERE`.
        values = numbers[~is_literal]
        self._lowest = int(values.min(initial=0))
        self._places = np.full(int(values.max(initial=0)) - self._lowest + 1, _NOWHERE)
        self._places[numbers[is_made] - self._lowest] = (position * OUTPUTS + place)[is_made]
        self._given = 0
        places = self._places[self.operands - self._lowest]
        for number in np.unique(self.operands[places == _NOWHERE]).tolist():
            self._places[number - self._lowest] = self._outside(number)
        self.places = self._places[self.operands - self._lowest]

    def place_of(self, x: Value) -> int:
        """Return the place where a Value is made; small constants that are equal have one."""
        at = x.number - self._lowest
        if not 0 <= at < len(self._places):
            return _NOWHERE
        return int(self._places[at])

    def of_kinds(self, fact: Callable[[Instruction], Any]) -> Any:
        """Return for each instruction a fact about its model."""
        return np.array([fact(model) for model in self.rows.models()])[self._which]

    def made_at(self, place: int) -> Value:
        """Return the Value that is made at a place."""
        position, n = divmod(place, OUTPUTS)
        number = self.numbers_at(place, np.zeros(1, np.int64)).item()
        return self.rows.value(number, self.rows.model(position).outputs[n])

    def numbers_at(self, place: int, steps: Any) -> Any:
        """Return the numbers of what is made at a place, some instructions further."""
        position, n = divmod(place, OUTPUTS)
        return self._made[self._first_made[position + steps] + n]

    def _outside(self, number: int) -> int:
        """Return a place for what is there before, below 0."""
        self._given -= 1
        constant = self.graph.constants.get(number)
        if isinstance(constant, (np.ndarray, np.generic)) and constant.nbytes <= _SMALL:
            key = constant.tobytes(), Value(number, constant).form
            return self._constants.setdefault(key, self._given)
        return self._given

    def _number(self, key: Any) -> int:
        return self._known.setdefault(key, len(self._known))

    def _form(self, x: Value) -> int:
        return self._number(x.form)

    def _facts(self, model: Instruction) -> Any:
        """Return the kind of an instruction, and the numbers among its arguments with types."""
        self._literals, self._types = list[int](), list[int]()
        if type(model.call) is not Template or len(model.outputs) >= OUTPUTS:
            return self._number(self._kind_of(model)), self._literals, self._types
        found = self._templates.get(model.call)
        if found is None:
            kind = self._number((Template, self._kind_of_calls(model.call)))
            found = self._templates[model.call] = kind, self._literals, self._types
        return found

    def _kind_of(self, each: Instruction) -> Any:
        """Return the kind of an instruction, and note its numbers."""
        call: Any = type(each.call), each.call
        if type(each.call) is Loop:
            call = self._kind_of_loop(each.call)
        elif type(each.call) is Through:
            call = self._key(each.call, self._form)
        arguments = tuple([self._key(x, self._form) for x in each.args])
        named = self._key(each.kwargs, self._form) if each.kwargs else None
        if len(each.outputs) >= OUTPUTS:
            return each  # it is like no other one
        outputs = tuple(map(self._form, each.outputs))
        return call, arguments, named, outputs, each.several, _others(each)

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

    def _key(self, tree: Any, of_value: Callable[[Any], Any]) -> Any:
        """Return a key of nested arguments that leaves out the numbers, which it notes."""

        def leaf(x: Any) -> Any:
            if type(x) is Value:
                return Value, of_value(x)
            if type(x) is Linear:
                self._literal(x.start, INT)
                return Linear, tuple([step for _, step in x.steps])
            if not is_number(x):
                return None
            self._literal(x, INT if type(x) is int else FLOAT)
            return type(x)

        return key_of(tree, leaf)

    def _literal(self, x: int | float, kind: int) -> None:
        self._literals.append(bits(x))
        self._types.append(kind)


def with_numbers(
    instructions: Iterable[Instruction], leaf: Callable[[Any], Any]
) -> list[Instruction]:
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
            call = rebuilt(call, inside, LEAVES)
        args, kwargs = (rebuilt(x, inside, LEAVES) for x in (each.args, each.kwargs))
        made.append(each if type(each) is Guard else each.changed(call, args, kwargs))
    return made


def _others(each: Instruction) -> Any:
    """Return the other facts that two calls of one kind have to share."""
    errors = tuple(sorted(each.errors.items())) if each.errors else None
    return (errors, each.region is None, repr(each.expected)) if type(each) is Guard else errors


def _beside(rows: list[list[int]], which: Any) -> tuple[Any, Any]:
    """Return some rows, one behind the other, and where each begins, and the last one ends."""
    lengths, whole = (
        [len(row) for row in rows],
        np.array([x for row in rows for x in row], np.int64),
    )
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])[which]
    lengths = np.array(lengths, np.int64)[which]
    firsts = np.concatenate([[0], np.cumsum(lengths)])
    return whole[np.arange(firsts[-1]) + np.repeat(starts - firsts[:-1], lengths)], firsts
