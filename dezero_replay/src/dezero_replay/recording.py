"""One call of a function that runs eagerly and is recorded."""

from __future__ import annotations

import random
from collections.abc import Callable, Container
from contextlib import nullcontext
from dataclasses import dataclass
from types import MethodType
from typing import Any

import numpy as np
from dezero_tools.functional.trees import leaves_of, tree_map

from dezero_core import Variable
from dezero_core.extend import NUMBERS as NUMERIC
from dezero_core.extend import mode

from .arguments import Arguments
from .bodies import Bodies
from .capture import NUMBERS, Place, Reached, snapshot_of
from .escapes import kept, replace_in_holders
from .outside import may_reach_outside, watched
from .random_state import Draws
from .recorded import Recorded, contents
from .results import Replayed, without_graph
from .tape import Tape, Value, equal

_ARRAYS = (np.ndarray, np.generic)


@dataclass(eq=False, slots=True)
class Input:
    """An array or a number that each run begins with."""

    value: Value
    #: Its content in the recording. A program keeps only the form of an argument.
    content: Any
    #: ``"argument"``, ``"data"`` or ``"grad"`` of a Variable, ``"array"`` or ``"number"``.
    kind: str
    #: The number of the argument; the Variable; or the `Place` of an array or number.
    where: Any

    @property
    def identity(self) -> Any:
        """A key that the same input has in each recording."""
        of = self.where.identity if isinstance(self.where, Place) else id(self.where)
        return self.kind, self.where if self.kind == "argument" else of


@dataclass(eq=False, slots=True)
class Effect:
    """A change that a run makes at its end."""

    #: ``"write"`` into an array that is an input; ``"data"`` or ``"grad"``; ``"number"``.
    kind: str
    #: An `Input`, a Variable, or the `Place` of a number.
    target: Any
    #: The new value: a Value, an `Input` that the run began with, or None.
    value: Any

    @property
    def identity(self) -> Any:
        """A key that the same effect has in each recording."""
        target, value = self.target, self.value
        of = target.identity if isinstance(target, (Input, Place)) else id(target)
        what = value.identity if isinstance(value, Input) else type(value)
        return self.kind, of, what


@dataclass(eq=False, slots=True)
class Result:
    """A leaf of the result of a function."""

    #: ``"array"``, ``"variable"``, or ``"known"``: an object of before the call, or a constant.
    kind: str
    #: A `Value`; the object, if it is known.
    value: Any
    #: For a Variable: makes another Variable that holds an array.
    like: Replayed | None = None


class Recording:
    """A call of a function, run and recorded, of which some numbers are to be `inputs`.

    The `result` is that of eager code, without a graph.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Arguments,
        inputs: Container[Any] = (),
    ) -> None:
        self.tape = tape = Tape()
        self.reached = reached = Reached(function, arguments.objects)
        self.inputs: list[Input] = []
        self.effects: list[Effect] = []
        #: The leaves of the result.
        self.results: list[Result] = []
        #: Numbers that the call has changed, and that were no inputs.
        self.varying: list[Place] = []
        #: Whether the problem is that random numbers were drawn.
        self.drew = False
        #: Whether a Variable without data got some, as weights do whose size the first input tells.
        #: Such a call comes only once.
        self.filled = False
        self._escaped = ""
        self._by_id: dict[int, Recorded] = {}
        self._recorded: dict[int, Recorded] = {}
        self._variables = {id(each.found): each for each in reached.variables}
        if reached.too_many:
            tape.refuse(
                "the function reaches too many objects: give those that it needs as arguments"
            )
        if reached.problem:
            self._refuse(reached.problem)
            tape.open = False
            self.result = arguments.called(function)
            return
        generators = [each.found for each in reached.generators]
        draws = Draws(generators)
        before = draws.mark(), random.getstate()
        copies = [(each, each.found.copy("K")) for each in reached.arrays]
        insides = [(x, look(x.found)) for x in reached.places if (look := snapshot_of(x.found))]
        empty = [each.found for each in reached.variables if each.found.data is None]
        bodies = Bodies(tape, draws)
        given = [self._input(x, "argument", n) for n, x in enumerate(arguments.inputs)]
        self._gradients: dict[int, Any] = {}
        self.without_gradient = {
            id(each.found) for each in reached.variables if each.found.grad is None
        }
        self._numbers = [x for x in reached.numbers if x.identity in inputs and x.is_writable]
        self._arrays = [
            x for x in reached.places if _can_record(x.found) and reached.can_exchange(x)
        ]

        failed = True
        try:
            self._begin()
            self._run(function, arguments, given, bodies)
            failed = False
        finally:
            tape.open = False
            self._restore()
            if arguments.take_back():
                self._refuse(
                    "the function changes a list, dict or dataclass among its arguments: return a "
                    "new one"
                )
            del given
            self._gradients.clear()
            self._by_id.clear()
            self._recorded.clear()
            self._refuse_escaped(failed)
        self.filled = any(x.data is not None for x in empty)
        self._refuse_rebound()
        self._refuse_changed(copies, insides)
        if np.geterr() != tape.usual_errors:
            self._refuse(
                "the function sets how NumPy treats errors, and does not set that back: write with "
                "np.errstate(…)"
            )
        if self._escaped:
            self._refuse(self._escaped)
        drawn = any(getattr(each.call, "draws", False) for each in tape.instructions)
        if not drawn and before != (draws.mark(), random.getstate()):
            self.drew = not tape.problem
            self._refuse(
                "the function draws random numbers outside of an operation: give them as an "
                "argument, or draw them in a Function"
            )

    def _run(self, function: Any, arguments: Arguments, given: list[Any], bodies: Bodies) -> None:
        args, kwargs = arguments.with_inputs(given)
        names = self.reached.names
        with watched(self.tape) if may_reach_outside(names) else nullcontext():
            result = _observed(bodies, function, args, kwargs)
        self._find_effects()
        self.results = [self._result(x) for x in leaves_of(result)]
        self.result = tree_map(contents, result)

    @property
    def problem(self) -> str:
        """Why it cannot be replayed; "" if it can."""
        return self.tape.problem

    def _refuse(self, reason: str) -> None:
        self.tape.problem = self.tape.problem or reason

    def _input(self, content: Any, kind: str, where: Any) -> Recorded:
        found = self._by_id.get(id(content))
        if found is None:
            found = Recorded(self.tape, content, self.tape.value(content))
            if isinstance(content, np.ndarray):
                self._by_id[id(content)] = found
        self.inputs.append(Input(found._value, content, kind, where))
        self._recorded[id(self.inputs[-1])] = found
        return found

    def _begin(self) -> None:
        """Put recording arrays into the captured Variables, and numbers that record in place."""
        for place in self.reached.variables:
            x = place.found
            if x.generation or isinstance(x.grad, Variable):
                self._refuse(
                    f"{place} has a graph from before the call: compute {place} inside of the "
                    f"function, or use {place}.data"
                )
            self._gradients[id(x)] = x.grad
            data, grad = x.data, x.grad
            if type(data) is np.ndarray or isinstance(data, np.generic):
                x.data = self._input(data, "data", x)
            if type(grad) is np.ndarray or isinstance(grad, np.generic):
                x.grad = self._gradients[id(x)] = self._input(grad, "grad", x)
        for place in self._arrays:
            place.write(self._input(place.found, "array", place))
        for place in self._numbers:
            place.write(self._input(place.found, "number", place))

    def _restore(self) -> None:
        for place in self.reached.variables:
            release(place.found)
        for place in (*self._numbers, *self._arrays):
            if type(now := place.now()) is Recorded:
                place.write(now.content)
            holder: Any = place.parent
            while isinstance(holder.found, tuple):
                items = holder.now()
                if type(items) is not type(holder.found) or len(items) != len(holder.found):
                    break  # the call has put something else there
                if any(a is not b for a, b in zip(items, holder.found, strict=True)):
                    break
                holder.write(holder.found)
                holder = holder.parent

    def _find_effects(self) -> None:
        done = set()
        at = {(each.kind, id(each.where)): each for each in self.inputs}
        for each in self.inputs:
            recorded = self._recorded[id(each)]
            if not recorded.root._version or id(recorded) in done:
                continue
            done.add(id(recorded))
            self._refuse_overlap(recorded)
            self.effects.append(Effect("write", each, recorded.value))
        for place in self.reached.variables:
            x = place.found
            before = at.get(("data", id(x)))
            if type(x.data) is not Recorded or before is None:
                if before is not None:
                    self._rebound("data", x, x.data, str(place))
            elif x.data is not self._recorded[id(before)]:
                self._rebound("data", x, x.data, str(place))
            if x.grad is not self._gradients[id(x)]:
                self._rebound("grad", x, x.grad, str(place))
        for place in self._numbers:
            self._number_after(place, at["number", id(place)])

    def _refuse_overlap(self, target: Recorded) -> None:
        for other in self._by_id.values():
            if other is not target and np.may_share_memory(other.content, target.content):
                self._refuse(
                    "two arrays share memory, and the function writes into one: give a copy"
                )

    def _rebound(self, kind: str, x: Any, now: Any, name: str) -> None:
        if now is None:
            self.effects.append(Effect(kind, x, None))
        elif type(now) is Recorded:
            same = (each for each in self.inputs if self._recorded[id(each)] is now)
            self.effects.append(Effect(kind, x, next(same, None) or now.value))
        elif isinstance(now, _ARRAYS):
            self.effects.append(Effect(kind, x, self.tape.operand(now)))
        else:
            self._refuse(
                f".{kind} of {name} holds a {type(now).__name__} with a graph at the end of the "
                f"call: clear {name}.{kind}, or use dezero_tools.functional"
            )

    def _number_after(self, place: Place, before: Input) -> None:
        now = place.now()
        if now is None:
            self._refuse(f"the function sets {place} to another object: return that object")
        elif type(now) is not Recorded:  # it was set, perhaps to the same number
            value = self.tape.value(now)
            self.tape.constants[value.number] = now
            self.effects.append(Effect("number", place, value))
        elif now._value is not before.value:
            self.effects.append(Effect("number", place, now.value))

    def _result(self, x: Any) -> Result:
        if isinstance(x, Variable):
            if id(x) in self._variables or x.data is None:
                return Result("known", x)
            value = x.data.value if type(x.data) is Recorded else self.tape.operand(x.data)
            if x.grad is not None:
                self._refuse(
                    "a Variable of the result has a .grad: return the gradient beside the Variable"
                )
            without_graph(x)
            made = Result("variable", value, Replayed(x))
            release(x)
            return made
        if type(x) is Recorded:
            return Result("array", x.value)
        if isinstance(x, _ARRAYS) and not self.reached.knows(x):
            return Result("array", self.tape.operand(x))
        if not (isinstance(x, (*NUMBERS, str, bytes)) or self.reached.knows(x)):
            self._refuse(
                f"the result holds a {type(x).__name__}, which is no array: return a tuple, list, "
                "dict or dataclass of arrays"
            )
        return Result("known", x)

    def _refuse_rebound(self) -> None:
        """Look for attributes and items that hold other objects than before the call."""
        promoted = {id(each) for each in self._numbers}
        for place in self.reached.places:
            if id(place) in promoted:
                continue
            now = place.now()
            if now is place.found or (isinstance(now, MethodType) and now == place.found):
                continue  # a method of a class is a new object each time
            if isinstance(place.found, NUMBERS):
                if isinstance(now, NUMBERS) and equal(now, place.found):
                    continue
                if self.reached.mentions(place) and isinstance(now, NUMBERS):
                    self.varying.append(place)
                    continue
            self._refuse(f"the function sets {place} to another object: return that object")

    def _refuse_changed(self, copies: list[Any], insides: list[Any]) -> None:
        for place, copy in copies:
            if not equal(place.found, copy):
                self._refuse(
                    f"the function writes into the array {place}, which is no argument: keep the "
                    "array in a Variable, and write into the .data of the Variable"
                )
        for place, before in insides:
            if snapshot_of(place.found)(place.found) != before:  # type: ignore[misc]
                self._refuse(
                    f"the function changes the content of {place}, and a replay would not do this: "
                    f"return what is to be kept, and put that into {place} outside of the function"
                )

    def _refuse_escaped(self, failed: bool) -> None:
        """Look for recording arrays that somebody has kept, as in a list."""
        for escaped in kept(self.tape.made, failed):
            self._escaped = (
                f"an array of shape {np.shape(escaped.content)} that the function has computed is "
                "kept somewhere, and a replay would not put a new one there: return the array"
            )
            replace_in_holders(escaped)
        self.tape.made.clear()


def _can_record(x: Any) -> bool:
    """Return whether a recording array can stand for a captured object."""
    return type(x) is np.ndarray and x.dtype.kind in NUMERIC


def _observed(bodies: Bodies, function: Any, args: Any, kwargs: Any) -> Any:
    token = mode.set(mode.get().changed(observer=bodies))
    try:  # in the context of the caller, whose variables it may set
        return function(*args, **kwargs)
    finally:
        mode.reset(token)


def release(x: Variable) -> None:
    """Put the arrays themselves into a Variable, in place of those that record."""
    x.data, x.grad = contents(x.data), contents(x.grad)
