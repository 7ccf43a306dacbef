"""A graph of calls, as passes rewrite it and executors get it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np

from ..tape.instructions import Guard, Instruction, Template, Value, replaced


@dataclass(eq=False)
class Graph:
    """Calls in the order in which they run, with what goes in and what comes out."""

    instructions: Sequence[Instruction]
    inputs: list[Value]
    #: The results. The caller keeps them.
    wanted: list[Value]
    #: Number of a Value -> the array that it is in every run.
    constants: dict[int, Any]
    #: Positions in `wanted` of those that the caller copies into an array at once: a number will do
    #: in place of an array of one element.
    copied: Collection[int] = ()
    #: Numbers for new Values: each below 0, and never given twice.
    numbers: Iterator[int] = field(default_factory=lambda: count(-1, -1))

    def like(self, value: Value) -> Value:
        """Return a new Value of the form of another one."""
        return value.renumbered(next(self.numbers))

    def changed(self, instructions: Sequence[Instruction]) -> Graph:
        """Return the same with other instructions."""
        return replace(self, instructions=instructions)


def inlined(graph: Graph, each: Instruction, again: bool = True) -> list[Instruction]:
    """Return the calls of a template in place of a call of it; else the instruction alone.

    If it is put somewhere `again`, its Values are new ones.
    """
    if type(each.call) is not Template:
        return [each]
    template, found = each.call, []
    pairs = [*zip(template.inputs, each.args, strict=True)]
    pairs += zip(template.wanted, each.outputs, strict=True)
    known = {value.number: x for value, x in pairs}
    for one in template.instructions:
        for y in one.outputs:
            if y.number not in known:
                known[y.number] = graph.like(y) if again else y
        made = renamed(one, known)
        made.outputs = tuple([known[y.number] for y in one.outputs])
        made.where = each.where
        found.append(made)
    return found


def renamed(each: Instruction, known: Mapping[int, Value | int]) -> Instruction:
    """Return an instruction with others in place of the Values that `known` has by number."""

    def of(value: Value) -> Value | int:
        return known.get(value.number, value)

    args, kwargs = replaced(each.args, of), replaced(each.kwargs, of)
    if type(each) is Guard:
        return Guard(each.call, args[0], each.expected, each.region, each.where)
    return each.changed(each.call, args, kwargs)


class Rewriting:
    """One way through the instructions of a graph, on which rules rewrite them.

    A rule takes the rewriting and an instruction. It returns the instruction, another one, a list
    of several, or None if the instruction can go: `known` then has a Value for each output.
    """

    def __init__(self, graph: Graph, escaping: set[int]) -> None:
        #: Numbers of Values whose memory the caller gets: no other Value may stand for one.
        self.escaping = escaping
        #: Number of a Value -> the Value that stands for it, or the number that it is.
        self.known: dict[int, Any] = {}
        #: Key of a call -> its outputs.
        self.seen: dict[Any, tuple[Value, ...]] = {}
        self.literals: dict[Any, Value] = {}
        #: Number of a Value -> the instruction that makes it, if that was kept.
        self.makers: dict[int, Instruction] = {}
        #: The constants of the graph, and those that rules have added.
        self.constants = dict(graph.constants)
        self.graph = graph
        self._found: list[Instruction] = []

    def value(self, content: Any) -> Value:
        """Return a new Value like an array or number. Its number is below 0."""
        return Value(next(self.graph.numbers), content)

    def constant(self, content: Any) -> Value:
        """Return a Value that is the same in every run."""
        value = self.value(content)
        self.constants[value.number] = content
        return value

    def take(self, each: Instruction, rules: tuple[Callable[..., Any], ...]) -> None:
        """Let an instruction go through rules, and add the result of the last one."""
        if self.known:
            each = renamed(each, self.known)
        for number, rule in enumerate(rules):
            made = rule(self, each)
            if made is None:
                return
            if type(made) is list:
                for one in made:
                    self.take(one, rules[number + 1 :])
                return
            each = made
        self._found.append(each)
        for value in each.outputs:
            self.makers[value.number] = each

    def rewritten(self) -> Graph:
        """Return the graph of the instructions that were added."""
        wanted = [self.known.get(value.number, value) for value in self.graph.wanted]
        made: Any = {"instructions": self._found, "constants": self.constants}
        return replace(self.graph, wanted=wanted, **made)


def hashable(tree: Any) -> Any:
    """Return nested arguments in a form that is equal only for the same bits."""
    if type(tree) is Value:
        return Value, tree.number
    if isinstance(tree, (tuple, list)):
        return type(tree), tuple(map(hashable, tree))
    if isinstance(tree, dict):
        return dict, hashable(sorted(tree.items()))
    if isinstance(tree, slice):
        return slice, hashable((tree.start, tree.stop, tree.step))
    if isinstance(tree, (float, complex)):
        return type(tree), tree.real.hex(), tree.imag.hex()
    return type(tree), tree


def are_zeros(array: Any) -> bool:
    """Return whether all elements of an array, or number, are 0 and none is -0.0."""
    if np.asarray(array).dtype.kind not in "biufc" or np.any(array):
        return False
    return not (np.signbit(np.real(array)).any() or np.signbit(np.imag(array)).any())
