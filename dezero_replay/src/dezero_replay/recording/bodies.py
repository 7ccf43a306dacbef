"""Bodies of Functions while recording: each runs on recording arrays, which note its calls.

A body that cannot be recorded (it writes into arrays that it has made, asks for numbers, or draws
random ones) runs on arrays, and becomes one opaque instruction: the body itself, run each time.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, WeakSet, ref

import numpy as np

from dezero_core import Variable
from dezero_core.extend import call_by_type, kind_of, mode

from ..tape.classes import is_a, is_own
from ..tape.draws import Snapshot, generators_in
from ..tape.instructions import Attribute, Guard, Instruction, Region, Value, as_array, same
from ..tape.nested import ATOMS, has_any, leaves
from ..tape.opaque import OpaqueBackward, OpaqueForward, fresh
from ..tape.recorded import Recorded, contents, noted
from ..tape.stop import Stop, users_line
from ..tape.tape import Mark, Tape
from .templates import NOTHING, Templates

_ARRAYS = (np.ndarray, np.generic)
_VALUES = (*_ARRAYS, *ATOMS, tuple, list, dict, slice, np.dtype, Recorded)


def _of_arrays(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes without recording arrays; lists and dicts of others stay these objects."""
    return {name: contents(x) if has_any(x, Recorded) else x for name, x in attributes.items()}


class Bodies:
    """The observer that runs the bodies while a tape records."""

    def __init__(self, recorder: Any) -> None:
        self.tape: Tape = recorder.tape
        self._recorder = recorder
        #: Whether the last body has drawn random numbers, so that it is opaque.
        self._draws = False
        #: Whether a backward pass has run.
        self.went_back = False
        #: Function -> its copy that ran on arrays, with the attributes that ``forward`` has set;
        #: its region; the Value of the instance that an opaque ``forward`` returns. No region, if
        #: it was given constants alone.
        self._eager: WeakKeyDictionary[Any, tuple[Any, Region | None, Value | None]]
        self._eager = WeakKeyDictionary()
        #: id of a Function that is a call of a template -> it, and the region of the template.
        self._called_as: dict[int, tuple[ref[Any], Region]] = {}
        self._templates = Templates(self.tape)
        #: The Functions that were given arrays of a batch.
        self._of_batches: WeakSet[Any] = WeakSet()

    def run(self, function: Any, node: Any, method: str, arrays: Any) -> Any:
        """Run a body, note it, and return its results as recording arrays."""
        tape, is_forward = self.tape, method == "forward"
        self.went_back |= not is_forward
        self._recorder.around.require_own_graph(arrays)
        if tape.region is not None or not tape.listens:  # within another body, or elsewhere
            return self._called(getattr(node, method), *arrays)
        try:
            others = [x for x in arrays if type(x) is not Recorded]  # nearly always none
            is_of_batch = bool(self._of_batches) and function in self._of_batches
            if is_of_batch or (others and any(kind_of(x).others for x in others)):
                tape.of_pass = None
                # Recording arrays are within those of a batch: their calls are noted one by one.
                self._of_batches.add(function)
                body = getattr(node, method)
                ours = _is_ours(node)
                return call_by_type(body, arrays, {}) if ours else self._called(body, *arrays)
            if is_forward:
                return self._forward(function, tuple(arrays))
            if others and any(
                isinstance(gy, Variable) for gy in others
            ):  # what it computes is recorded
                tape.of_pass = None
                return self._called(node.backward, *arrays)
            found = self._backward(function, tuple(arrays))
            if tape.of_pass is None or tape.of_pass[0] is not mode.get():
                tape.of_pass = mode.get(), users_line()
            return found
        except Exception as error:
            tape.note_error(f"{type(node).__name__}.{method}", error)
            raise

    def _called(self, body: Any, *arrays: Any) -> Any:
        """Call a body: one that is not ours as a rewritten copy, which shows its steps."""
        if _is_ours(body.__self__) or not self.tape.listens:
            return body(*arrays)
        return self._recorder.call(body, *arrays)

    def recorded(self, function: Any) -> None:
        """Do nothing: the tape does not need to know which Functions became nodes of a graph."""

    def written(self, variable: Any) -> None:
        """Do nothing: the tape has seen how the new value was computed."""

    def _forward(self, function: Any, xs: tuple[Any, ...]) -> Any:
        tape, where = self.tape, function._where
        given = function._own_attributes()
        templates = self._templates
        is_ours = _is_ours(function, given)
        asked = templates.of_forward(function, given, xs) if is_ours else NOTHING
        if asked.key in templates:
            noted_as = templates.noted(asked, function.forward, xs, where)
            if noted_as is not None:
                self._called_as[id(function)] = ref(function), templates.region(asked.key)
                return noted_as
        mark = tape.mark()
        eager = fresh(function, _of_arrays(given))
        changing = {name: x for name, x in given.items() if has_any(x, Recorded)}
        template = fresh(function, {name: given[name] for name in given.keys() - changing.keys()})
        region = Region(template, "forward", where)
        instance = tape.value(None)
        arguments = noted(tape, changing), *noted(tape, xs)
        found, results = self._run(region, function.forward, eager.forward, xs)
        if not (region.why or changing or has_any(xs, Recorded)):
            self._eager[function] = eager, None, None
            return found
        if results is not None:
            vars(eager).update(_of_arrays(function._own_attributes()))
        ys = contents(found)
        outputs, arrays = self._outputs(region, ys, results, xs, mark)
        if results is None or self._has_guard(mark):
            call_of, kept = OpaqueForward(template, self._draws), (instance, *outputs)
            opaque = Instruction(call_of, arguments, {}, kept, True, region, where)
            region.opaque = opaque
        if results is None:
            vars(function).clear()
            vars(function).update(vars(eager))
            tape.instructions.append(opaque)
            region.is_opaque = True
            self._attributes_of(function, instance, given)
        self._eager[function] = eager, region, instance
        made = tuple(arrays) if isinstance(ys, tuple) else arrays[0]
        if not (region.opaque or has_any([*vars(function).values()], Recorded)):
            templates.learn(asked, mark, region, made)
        return made

    def _ran(self, function: Any) -> tuple[Any, Region | None, Value | None]:
        """Return the facts that were noted of the run of ``forward``."""
        reference, region = self._called_as.get(id(function), (None, None))
        if reference is not None and reference() is function:
            return None, region, None
        if function not in self._eager:
            raise Stop(
                "goes back through a graph from before the call: compute what is differentiated "
                "inside of the function"
            )
        return self._eager[function]

    def _backward(self, function: Any, gys: tuple[Any, ...]) -> Any:
        eager, first, instance = self._ran(function)
        tape, where = self.tape, function._where
        saved = function.saved_arrays()
        operands = [*saved[0], *saved[1], *gys]
        asked = self._templates.of_backward(function, first, operands)
        if asked.key in self._templates:
            body = function.with_arrays(*contents(saved)).backward
            noted_as = self._templates.noted(asked, body, gys, where)
            if noted_as is not None:
                return noted_as
        mark = tape.mark()
        node = function.with_arrays(*contents(saved), bare=True)
        vars(node).clear()
        vars(node).update(_of_arrays((eager or function)._own_attributes()))
        region = Region(node, "backward", where, first)
        node_on_tape = function.with_arrays(*saved)
        own = node_on_tape._own_attributes()
        changing = {name: x for name, x in own.items() if has_any(x, Recorded)}
        arguments = (instance, noted(tape, changing), *noted(tape, saved), *noted(tape, gys))
        found, results = self._run(region, node_on_tape.backward, node.backward, gys)
        gxs = contents(found)
        outputs, arrays = self._outputs(region, gxs, results, (gys, saved), mark)
        if results is not None and first and not (first.opaque or self._has_guard(mark)):
            region.function = first.function
        else:
            vars(node).update({name: own[name] for name in own.keys() - changing.keys()})
            for name in changing:
                vars(node).pop(name, None)
            if first is not None and first.is_opaque:  # each run has a new instance, with the
                vars(node).clear()  # attributes that forward sets
                vars(node).update(vars(first.function))
            node = node.with_arrays([None] * len(saved[0]), [None] * len(saved[1]))
            each = gxs if isinstance(gxs, tuple) else (gxs,)
            call_of = OpaqueBackward(node, tuple(gx is not None for gx in each))
            kept = tuple(value for value in outputs if value is not None)
            opaque = Instruction(*(call_of, arguments, {}, kept, True, region, where))
            region.function, region.opaque = node, opaque
            if results is None:
                region.is_opaque = True
                tape.instructions.append(opaque)
        made = tuple(arrays) if isinstance(gxs, tuple) else arrays[0]
        if not region.opaque:
            self._templates.learn(asked, mark, region, made)
        return made

    def _run(self, region: Region, body: Any, plain: Any, given: Any) -> tuple[Any, Any]:
        """Run a body on recording arrays, or its `plain` form on arrays, if that fails.

        Return its results, and as a tuple the recording arrays; None for these if it is opaque.
        """
        tape, around, mark = self.tape, self._recorder.around, self.tape.mark()
        generators = generators_in(vars(plain.__self__).values())
        for each in generators:
            around.before_draw(each)
        drawn, self._draws = around.draws, False
        if region.forward is not None and region.forward.is_opaque:
            region.why = "forward is opaque"
        else:
            tape.region = region
            try:
                found = self._called(body, *given)
                return found, found if isinstance(found, tuple) else (found,)
            except Stop as stop:
                if stop.acts:  # a replay, an audit and eager code would do it more than once
                    raise
                region.why = stop.reason
            except Exception as error:  # any error: on arrays there may be none
                region.why = f"raises {str(error).partition(chr(10))[0]!r} on recording arrays"
            finally:
                tape.region = None
            tape.forget(mark)
            if around.draws > drawn:
                raise Stop(f"draws random numbers in a body that {region.why}", acts=True)
        before = Snapshot(generators)
        with tape.paused():
            found = self._on_arrays(plain, contents(given))
        if before.differs():
            region.why, self._draws = "the body draws random numbers", True
        return found, None

    def _on_arrays(self, body: Any, arrays: Any) -> Any:
        """Run a body on arrays, as eager code does.

        One that is not ours runs as a rewritten copy: if it acts on anything else, the recording
        ends before that.
        """
        around = self._recorder.around
        if _is_ours(body.__self__):
            return body(*arrays)
        around.require_unchanged(body)
        around.in_body = True
        try:
            return self._recorder.call(body, *arrays)
        finally:
            around.in_body = False

    def _has_guard(self, mark: Mark) -> bool:
        """Return whether a guard was noted since a mark: if it fails, the body runs as it is."""
        models = self.tape.instructions.models(mark.instructions)
        return any(type(each) is Guard for each in models)

    def _outputs(
        self, region: Region, ys: Any, results: Any, given: Any, mark: Mark
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

    def _is_new(self, found: Any, array: Any, mark: Mark) -> bool:
        """Return whether a result on recording arrays is an array of its own, made since a mark."""
        if type(found) is not Recorded or found.root is not found:
            return False
        value = found._value
        is_made = value.number > mark.values and value.number not in self.tape.constants
        return is_made and value.kind is np.ndarray and value.strides == array.strides

    def _attributes_of(self, function: Any, instance: Value, given: dict[str, Any]) -> None:
        """Let a derivative of the gradient see the arrays that an opaque ``forward`` has set."""
        tape = self.tape
        for name, x in function._own_attributes().items():
            if isinstance(x, np.ndarray) and x is not given.get(name):
                value = tape.value(x)
                tape.append(Attribute(name), (instance,), {}, (value,), False)
                vars(function)[name] = Recorded(tape, x, value)


def _is_ours(function: Any, own: dict[str, Any] | None = None) -> bool:
    """Return whether a Function is one of ours, and has no object of the user's that runs code."""
    own = function._own_attributes() if own is None else own
    is_plain = not own or all(is_a(x, _VALUES) for x in own.values())
    return is_plain and is_own(type(function).__module__)


def _base_of(array: Any, given: Any) -> Any:
    """Return the recording array among the arguments whose memory an array is in, or None."""
    for x in leaves(given, Recorded):
        if x.content is array:
            return x
        if array.base is not None and np.may_share_memory(x.content, array):
            return x
    return None
