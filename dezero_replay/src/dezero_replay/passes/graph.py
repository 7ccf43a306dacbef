"""A graph of calls, as passes rewrite it and executors get it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from ..tape.instructions import Guard, Instruction, Value, replaced


@dataclass(eq=False)
class Graph:
    """Calls in the order in which they run, with what goes in and what comes out."""

    instructions: list[Instruction]
    inputs: list[Value]
    #: The results. The caller keeps them.
    wanted: list[Value]
    #: Number of a Value -> the array that it is in every run.
    constants: dict[int, Any]
    #: Positions in `wanted` of those that the caller copies into an array at once: a number will do
    #: in place of an array of one element.
    copied: Collection[int] = ()

    def changed(self, instructions: list[Instruction]) -> Graph:
        """Return the same with other instructions."""
        return replace(self, instructions=instructions)


def renamed(each: Instruction, known: dict[int, Value]) -> Instruction:
    """Return an instruction with other Values in place of those that `known` has by number."""

    def of(value: Value) -> Value:
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
        #: Number of a Value -> the Value that stands for it.
        self.known: dict[int, Value] = {}
        #: Key of a call -> its outputs.
        self.seen: dict[Any, tuple[Value, ...]] = {}
        self.literals: dict[Any, Value] = {}
        #: Number of a Value -> the instruction that makes it, if that was kept.
        self.makers: dict[int, Instruction] = {}
        #: The constants of the graph, and those that rules have added.
        self.constants = dict(graph.constants)
        self._graph = graph
        self._found: list[Instruction] = []
        outputs = [value.number for each in graph.instructions for value in each.outputs]
        self._numbers = min([0, *graph.constants, *outputs])

    def value(self, content: Any) -> Value:
        """Return a new Value like an array or number. Its number is below 0."""
        self._numbers -= 1
        return Value(self._numbers, content)

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

    def graph(self) -> Graph:
        """Return the graph of the instructions that were added."""
        graph = self._graph
        wanted = [self.known.get(value.number, value) for value in graph.wanted]
        return Graph(self._found, graph.inputs, wanted, self.constants, graph.copied)
