"""One call of a function that is run eagerly and recorded."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import numpy as np
from dezero_core import Variable
from dezero_core.config import mode

from .bodies import Bodies
from .capture import Place, Reached
from .random_state import Draws, Snapshot
from .recorded import Recorded, contents
from .tape import Tape, Value, equal, leaves

_ARRAYS = (np.ndarray, np.generic)


class Input:
    """An array that each run begins with.

    Attributes
    ----------
    value : Value
    array : ndarray
        That of the recording.
    origin : tuple
        ``("argument", number)``, ``("data", Variable)``, ``("grad", Variable)`` or
        ``("captured", place)``.
    """

    __slots__ = ("array", "origin", "value")

    def __init__(self, value: Value, array: Any, *origin: Any) -> None:
        self.value, self.array, self.origin = value, array, origin


class Effect:
    """A change that a run makes at its end.

    Attributes
    ----------
    kind : str
        ``"write"`` into the array that is an input, ``"data"`` or ``"grad"`` of a Variable.
    target : Input or Variable
    value : Value, Input or None
        What is written: an array that a run computes, one that it began with, or None.
    """

    __slots__ = ("kind", "target", "value")

    def __init__(self, kind: str, target: Any, value: Any) -> None:
        self.kind, self.target, self.value = kind, target, value


class Result:
    """A leaf of the result of a function.

    Attributes
    ----------
    kind : str
        ``"array"``, ``"variable"``, ``"captured"`` (a Variable or array that was there before) or
        ``"constant"``.
    value : Value or object
    edge : object
        Of a Variable: None if it is an input, a Mode if it was computed under ``no_grad()``, True
        if eager code gives it a graph.
    name : str or None
    """

    __slots__ = ("edge", "kind", "name", "type", "value")

    def __init__(self, kind: str, value: Any, edge: Any = None, of: Any = None) -> None:
        self.kind, self.value, self.edge = kind, value, edge
        self.name = getattr(of, "name", None)
        self.type = type(of)


class Recording:
    """A call that was run and recorded.

    Attributes
    ----------
    result : object
        Of eager code.
    problem : str
        Why it cannot be replayed; "" if it can.
    tape : Tape
    inputs : list of Input
    effects : list of Effect
    results : list of Result
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arrays: list[Any],
        call: Callable[[list[Any]], Any],
        flatten: Callable[[Any], tuple[list[Any], Any]],
    ) -> None:
        self.tape = tape = Tape()
        self.reached = reached = Reached(function)
        self.inputs: list[Input] = []
        self.effects: list[Effect] = []
        self.results: list[Result] = []
        self.numbers = [(place, place.found) for place in reached.numbers]
        self._by_id: dict[int, Recorded] = {}
        arguments = [self._input(x, "argument", index) for index, x in enumerate(arrays)]
        self._before = self._begin(reached)
        generators = [place.found for place in reached.generators]
        self._lengths = [len(place.found) for place in reached.containers]
        captured = [(place, place.found.copy("K")) for place in reached.arrays]
        self._snapshot = Snapshot(generators)
        bodies = Bodies(tape, Draws(generators))

        def run() -> Any:
            mode.set(mode.get().changed(observers=(bodies,)))
            return call(arguments)

        try:
            result = copy_context().run(run)
            self._effects()
            self.form, self.result = self._results(result, flatten)
        finally:
            tape.open = False
            for variable, *_ in self._before:
                _release(variable)
        del result, arguments, run
        self._by_id.clear()
        bodies._plain.clear()
        self._check(captured)

    @property
    def problem(self) -> str:
        """Why it cannot be replayed."""
        return self.tape.problem

    def _input(self, array: Any, *origin: Any) -> Recorded:
        found = self._by_id.get(id(array))
        if found is None:
            found = Recorded(self.tape, array, self.tape.value(array))
            self._by_id[id(array)] = found
        self.inputs.append(Input(found._value, array, *origin))
        return found

    def _begin(self, reached: Reached) -> list[Any]:
        """Put recording arrays into the captured Variables; return what was there."""
        before = []
        for place in reached.variables:
            x = place.found
            data = grad = None
            if x.generation or isinstance(x.grad, Variable):
                self.tape.refuse(f"{place} has a graph from before the call")
            if type(x.data) is np.ndarray:
                data = self._input(x.data, "data", x)
            if type(x.grad) is np.ndarray:
                grad = self._input(x.grad, "grad", x)
            before.append((x, place, data, grad, x.grad))
        for x, _, data, grad, _ in before:
            if data is not None:
                x.data = data
            if grad is not None:
                x.grad = grad
        return before

    def _effects(self) -> None:
        written: set[int] = set()
        for each in self.inputs:
            recorded = self._by_id[id(each.array)]
            if recorded.root._version and each.value.number not in written:
                written.add(each.value.number)
                self.effects.append(Effect("write", each, recorded.value))
        for x, place, data, grad, grad_before in self._before:
            if x.data is not data and data is not None:
                self._rebound("data", x, x.data, place)
            now = x.grad
            if isinstance(now, Variable):
                self.tape.refuse(f".grad of {place} has a graph after the call")
            elif now is not (grad if grad is not None else grad_before):
                self._rebound("grad", x, now, place)

    def _rebound(self, kind: str, x: Variable, now: Any, place: Place) -> None:
        if now is None:
            self.effects.append(Effect(kind, x, None))
        elif type(now) is Recorded:
            origin = next((i for i in self.inputs if self._by_id[id(i.array)] is now), None)
            self.effects.append(Effect(kind, x, origin or now.value))
        elif type(now) is np.ndarray:
            self.effects.append(Effect(kind, x, self.tape.operand(now)))
        else:
            self.tape.refuse(f".{kind} of {place} was set to a {type(now).__name__}")

    def _results(self, result: Any, flatten: Callable[[Any], Any]) -> tuple[Any, Any]:
        found, form = flatten(result)
        released = []
        for x in found:
            made, real = self._result(x)
            self.results.append(made)
            released.append(real)
        return form, form(released)

    def _result(self, x: Any) -> tuple[Result, Any]:
        if isinstance(x, Variable):
            if any(x is each[0] for each in self._before):
                return Result("captured", x), x
            if x.data is None:
                self.tape.refuse("the result is a Variable without data")
                return Result("constant", x), x
            edge = x._edge if x.creator is None else True
            value = x.data.value if type(x.data) is Recorded else self.tape.operand(x.data)
            if x.grad is not None:
                self.tape.refuse("the result is a Variable with a .grad")
            result = Result("variable", value, edge, x)
            _release(x)
            return result, x
        if type(x) is Recorded:
            return Result("array", x.value, x._base is not None), x.content
        if isinstance(x, _ARRAYS):
            return Result("array", self.tape.operand(x)), x
        return Result("constant", x), x

    def _check(self, captured: list[Any]) -> None:
        """Look for what no program can repeat."""
        tape = self.tape
        for place, copy in captured:
            if not equal(place.found, copy):
                self._refuse(
                    f"it writes into the array {place}, which is no argument and not in a "
                    "Variable: keep state in a Variable"
                )
        for place, length in zip(self.reached.containers, self._lengths, strict=True):
            if len(place.found) != length:
                self._refuse(f"it changes the length of {place}")
        if self.reached.too_many:
            self._refuse("it reaches too many objects")
        drawn = any(
            each.region is not None and each.region.is_opaque for each in tape.instructions
        )
        if not drawn and self._snapshot.differs():
            self._refuse("it draws random numbers outside of an operation")

    def _refuse(self, reason: str) -> None:
        self.tape.problem = self.tape.problem or reason


def _release(x: Variable) -> None:
    """Put the arrays themselves into a Variable, in place of those that record."""
    x.data, x.grad = contents(x.data), contents(x.grad)


__all__ = ["Effect", "Input", "Recording", "Result", "leaves"]
