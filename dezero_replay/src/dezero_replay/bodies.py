"""Bodies of Functions while recording: each runs as it is, and then once more on recording arrays.

The first run gives the values, which are eager's to the bit. The second one gives the instructions,
if it comes to the same bits. A body that cannot be recorded (it writes into arrays that it has
made, asks for numbers, draws random ones, or takes another way for ndarrays alone) becomes one
opaque instruction: the body itself, run again each time.
"""

from __future__ import annotations

from types import BuiltinMethodType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dezero_core import Variable
from dezero_core.extend import mode

from .changes import changes_of
from .errors import GuardError
from .random_state import Draws
from .recorded import Recorded, contents, noted
from .tape import (
    Attribute,
    Guard,
    Instruction,
    Region,
    Tape,
    Value,
    as_array,
    equal,
    has_any,
    leaves,
    same,
)

_ARRAYS = (np.ndarray, np.generic)
_CHANGES = "the body changes objects that it reaches"


def _fresh(function: Any, attributes: dict[str, Any]) -> Any:
    copy = object.__new__(type(function))
    vars(copy).update(attributes)
    return copy


class OpaqueForward:
    """``forward`` of a Function as an instruction: gives the instance and its results."""

    def __init__(self, function: Any, draws: bool) -> None:
        self.function, self.draws = function, draws

    def __call__(self, attributes: dict[str, Any], *xs: Any) -> list[Any]:
        function = _fresh(self.function, {**vars(self.function), **attributes})
        ys = function.forward(*xs)
        results = list(ys) if isinstance(ys, tuple) else [ys]
        return [function, *(np.asarray(y) for y in results)]

    def __repr__(self) -> str:
        return f"{type(self.function).__name__}.forward"


class OpaqueBackward:
    """``backward`` of a Function as an instruction: gives the gradients that are not None."""

    def __init__(self, node: Any, pattern: tuple[bool, ...]) -> None:
        self.node, self.pattern = node, pattern

    def __call__(
        self,
        function: Any,
        attributes: dict[str, Any],
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        *gys: Any,
    ) -> list[Any]:
        node = self.node.with_arrays(inputs, outputs)
        if function is not None:
            vars(node).update(vars(function))
        vars(node).update(attributes)
        token = mode.set(mode.get().in_pass(False))
        try:
            gxs = node.backward(*gys)
        finally:
            mode.reset(token)
        found = gxs if isinstance(gxs, tuple) else (gxs,)
        if tuple(gx is not None for gx in found) != self.pattern:
            raise GuardError(None)  # other inputs than before get a gradient
        return [np.asarray(gx) for gx in found if gx is not None]

    def __repr__(self) -> str:
        return f"{type(self.node).__name__}.backward"


class Bodies:
    """The observer that runs the bodies while a tape records, and asks whether one `draws`."""

    def __init__(self, tape: Tape, draws: Draws) -> None:
        self.tape, self._draws = tape, draws
        #: Function -> its copy that ran on arrays, with the attributes that ``forward`` has set;
        #: its region; the Value of the instance that an opaque ``forward`` returns.
        self._eager: WeakKeyDictionary[Any, tuple[Any, Region, Value | None]] = WeakKeyDictionary()

    def run(self, function: Any, node: Any, method: str, arrays: Any) -> Any:
        """Run a body, note it, and return its results as recording arrays."""
        tape = self.tape
        if tape.region is not None or not tape.listens:  # within another body, or elsewhere
            return getattr(node, method)(*arrays)
        if mode.get().observer is not self:
            tape.refuse(
                "observe() or checked() watch the function from within, and a replay would show "
                "them nothing: put the block around the call of the compiled function"
            )
        try:
            if method == "forward":
                return self._forward(function, tuple(arrays))
            if any(isinstance(gy, Variable) for gy in arrays):  # what it computes is recorded
                return node.backward(*arrays)
            return self._backward(function, tuple(arrays))
        except Exception as error:
            tape.note_error(f"{type(node).__name__}.{method}", error)
            raise

    def recorded(self, function: Any) -> None:
        """Do nothing: the tape does not need to know which Functions became nodes of a graph."""

    def _forward(self, function: Any, xs: tuple[Any, ...]) -> Any:
        tape, where = self.tape, function._where
        given = function._own_attributes()
        eager = _fresh(function, contents(given))
        drawn = self._draws.mark()
        changes = changes_of(eager)
        with tape.paused():
            ys = eager.forward(*contents(xs))
        draws = self._draws.since(drawn)
        changing = {name: x for name, x in given.items() if has_any(x, Recorded)}
        fixed = {name: x for name, x in given.items() if name not in changing}
        template = _fresh(function, fixed)
        if not (draws or changing or has_any(xs, Recorded)):
            vars(function).update(vars(eager))
            return ys
        region = Region(template, "forward", where)
        instance = tape.value(None)
        arguments = noted(tape, changing), *noted(tape, xs)
        results, mark = None, self._mark()
        if draws:
            region.why = "the body draws random numbers"
        elif changes is not None and changes.were_made():
            region.why = _CHANGES
        else:
            results = self._on_recording_arrays(region, function.forward, xs, ys)
        if results is not None and not same_attributes(function, eager):
            results, region.why = None, "on recording arrays the body sets other attributes"
        outputs, arrays = self._outputs(region, ys, results, xs, mark)
        if results is None or self._has_guard(mark):
            call_of = OpaqueForward(template, draws)
            region.opaque = opaque = Instruction(
                *(call_of, arguments, {}, (instance, *outputs), True, region, where)
            )
            if results is None:
                vars(function).clear()
                vars(function).update(vars(eager))
                tape.instructions.append(opaque)
                region.is_opaque = True
                self._attributes_of(function, instance, given)
        self._eager[function] = eager, region, instance
        return tuple(arrays) if isinstance(ys, tuple) else arrays[0]

    def _backward(self, function: Any, gys: tuple[Any, ...]) -> Any:
        tape, where = self.tape, getattr(function, "_where", None)
        eager, first, instance = self._eager.get(function) or (function, None, None)
        node = function.with_arrays(*contents(function.saved_arrays()), bare=True)
        vars(node).clear()
        vars(node).update(contents(eager._own_attributes()))
        drawn = self._draws.mark()
        changes = changes_of(eager)
        with tape.paused():
            gxs = node.backward(*contents(gys))
        draws = self._draws.since(drawn)
        region = Region(node, "backward", where, first)
        saved = function.saved_arrays()
        node_on_tape = function.with_arrays(*saved)
        own = node_on_tape._own_attributes()
        was_opaque = first is not None and first.is_opaque
        changing = {name: x for name, x in own.items() if has_any(x, Recorded)}
        arguments = (instance, noted(tape, changing), *noted(tape, saved), *noted(tape, gys))
        results, mark = None, self._mark()
        if draws or was_opaque:
            region.why = "the body draws random numbers" if draws else "forward is opaque"
        elif changes is not None and changes.were_made():
            region.why = _CHANGES
        else:
            results = self._on_recording_arrays(region, node_on_tape.backward, gys, gxs)
        outputs, arrays = self._outputs(region, gxs, results, (gys, saved), mark)
        if (
            results is not None
            and first is not None
            and not (first.opaque or self._has_guard(mark))
        ):
            region.function = first.function
        else:
            vars(node).update({name: contents(own[name]) for name in own.keys() - changing.keys()})
            for name in changing:
                vars(node).pop(name, None)
            if was_opaque:  # each run has a new instance, with the attributes that forward sets
                vars(node).clear()
                vars(node).update(vars(first.function))  # type: ignore[union-attr]
            node = node.with_arrays([None] * len(saved[0]), [None] * len(saved[1]))
            found = gxs if isinstance(gxs, tuple) else (gxs,)
            call_of = OpaqueBackward(node, tuple(gx is not None for gx in found))
            kept = tuple(value for value in outputs if value is not None)
            opaque = Instruction(*(call_of, arguments, {}, kept, True, region, where))
            region.function, region.opaque = node, opaque
            if results is None:
                region.is_opaque = True
                tape.instructions.append(opaque)
        return tuple(arrays) if isinstance(gxs, tuple) else arrays[0]

    def _on_recording_arrays(self, region: Region, body: Any, given: Any, ys: Any) -> Any:
        """Run a body on recording arrays; return its results; None if it raises or they differ."""
        tape, mark = self.tape, len(self.tape.instructions)
        try:
            found = tape.run_body(region, body, given)
        except Exception as error:  # any error: the body has just run on arrays without one
            found, region.why = None, str(error).partition("\n")[0]
        else:
            if _same_bits(found, ys):
                return found if isinstance(found, tuple) else (found,)
            region.why = "on recording arrays the body comes to other bits"
        del tape.instructions[mark:]
        return None

    def _mark(self) -> tuple[int, int]:
        """Return where the tape is: the number of its instructions, and of its Values."""
        return len(self.tape.instructions), self.tape.numbers

    def _has_guard(self, mark: tuple[int, int]) -> bool:
        """Return whether a guard was noted since a mark: if it fails, the body runs as it is."""
        return any(type(each) is Guard for each in self.tape.instructions[mark[0] :])

    def _outputs(
        self, region: Region, ys: Any, results: Any, given: Any, mark: tuple[int, int]
    ) -> tuple[Any, Any]:
        """Return a Value, and a recording array, for each result of a body."""
        tape = self.tape
        values: list[Value | None] = []
        arrays: list[Any] = []
        for index, y in enumerate(ys if isinstance(ys, tuple) else (ys,)):
            if y is None or not isinstance(y, _ARRAYS):
                values.append(None)
                arrays.append(y)
                continue
            array = np.asarray(y)
            found: Any = None if results is None else results[index]
            if self._is_new(found, array, mark) and not any(found is each for each in arrays):
                found.content = array
                values.append(found._value)
                arrays.append(found)
                continue
            value = tape.value(array)
            recorded = Recorded(tape, array, value)
            base = _base_of(array, given)
            if results is not None:
                source = noted(tape, found)
                tape.instructions.append(
                    Instruction(as_array, (source,), {}, (value,), False, region, region.where)
                )
                if base is not None and type(found) is Recorded and isinstance(y, np.ndarray):
                    recorded.is_view_of(found, same, (), {})
            elif base is not None:
                recorded.is_view_of(base, None, (), {})
            values.append(value)
            arrays.append(recorded)
        return tuple(values), arrays

    def _is_new(self, found: Any, array: Any, mark: tuple[int, int]) -> bool:
        """Return whether a result on recording arrays is an array of its own, made since a mark."""
        if type(found) is not Recorded or found.root is not found:
            return False
        value = found._value
        is_made = value.number > mark[1] and value.number not in self.tape.constants
        return is_made and value.kind is np.ndarray and value.strides == array.strides

    def _attributes_of(self, function: Any, instance: Value, given: dict[str, Any]) -> None:
        """Let a derivative of the gradient see the arrays that an opaque ``forward`` has set."""
        tape = self.tape
        for name, x in function._own_attributes().items():
            if isinstance(x, np.ndarray) and x is not given.get(name):
                value = tape.value(x)
                tape.append(Attribute(name), (instance,), {}, (value,), False)
                vars(function)[name] = Recorded(tape, x, value)


def _base_of(array: Any, given: Any) -> Any:
    """Return the recording array among the arguments whose memory an array is in, or None."""
    for x in leaves(given, Recorded):
        if x.content is array:
            return x
        if array.base is not None and np.may_share_memory(x.content, array):
            return x
    return None


def _same_bits(xs: Any, ys: Any) -> bool:
    """Return whether a body came to the same bits on recording arrays as on arrays."""
    if isinstance(ys, tuple):
        return isinstance(xs, tuple) and len(xs) == len(ys) and all(map(_same_bits, xs, ys))
    if not isinstance(ys, _ARRAYS):
        return xs is None and ys is None
    xs = contents(xs)
    return isinstance(xs, _ARRAYS) and equal(np.asarray(xs), np.asarray(ys))


def same_attributes(function: Any, eager: Any) -> bool:
    """Return whether two instances have the same attributes, on recording arrays and on arrays."""
    own, others = function._own_attributes(), eager._own_attributes()
    return own.keys() == others.keys() and all(
        _is_same(contents(own[name]), others[name]) for name in own
    )


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, _ARRAYS):
        return isinstance(b, _ARRAYS) and equal(np.asarray(a), np.asarray(b))
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, dict):
        return type(a) is type(b) and a.keys() == b.keys() and all(_is_same(a[x], b[x]) for x in a)
    if isinstance(a, (MethodType, BuiltinMethodType)):  # a new object each time
        return type(a) is type(b) and a == b
    return a is b or (isinstance(a, (int, float, str, slice, np.dtype)) and equal(a, b))
