"""The array that records: NumPy computes with its content, and the tape notes the call.

It is no subclass of ndarray, since C code would read its memory without asking. For ``isinstance``
it is an ndarray, so that bodies of operations take the same way as for one.
A request beyond NumPy's protocols (for a number, a list, the memory) ends the recording, and has an
ndarray's answer: the call that is being recorded goes on as an eager one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .classes import is_a
from .instructions import (
    Attribute,
    Draw,
    Into,
    Method,
    Of,
    Through,
    Value,
    same,
    shape_and_dtype,
    written,
)
from .nested import ATOMS, NESTED, has_any, leaves, mapped
from .numpy_functions import OF_NUMBERS
from .stop import Stop
from .tape import Tape

_ARRAYS = (np.ndarray, np.generic)
_NUMBERS = (int, float, complex)


class Recorded:
    """An array, or a scalar of NumPy's, that is being recorded: its `content` is that."""

    __slots__ = (
        *("__weakref__", "_base", "_root", "_seen", "_value", "_version", "_view"),
        *("content", "tape"),
    )

    __class__ = property(lambda self: type(self.content))
    __array_priority__ = 1000.0

    def __init__(self, tape: Tape, content: Any, value: Value) -> None:
        self.tape, self.content, self._value = tape, content, value
        #: If this is a view: of which array, by which call with which arguments.
        self._base: Any = None
        self._root: Recorded | None = None
        self._view: Any = None
        self._version = self._seen = 0

    @property
    def root(self) -> Recorded:
        """The array whose memory this is."""
        return self if self._root is None else self._root

    def is_view_of(self, base: Recorded, call: Any, args: Any, kwargs: Any) -> None:
        """Note that this is a view of `base`, which a call with these arguments has made."""
        self._base, self._root, self._view = base, base.root, (call, args, kwargs)
        self._seen = self._root._version

    @property
    def value(self) -> Value:
        """Its value at this point of the tape."""
        root = self._root
        if root is None or self._seen == root._version:
            return self._value
        old, base = [self], self._base
        while base is not root and base._seen != root._version:
            old.append(base)
            base = base._base
        for each in reversed(old):
            call, args, kwargs = each._view
            if call is None:
                raise Stop(
                    "an array was written into, and a view of it is used that a recording cannot "
                    "follow: copy the array before it is written into"
                )
            each._value = self.tape.value(each.content)
            self.tape.append(call, (each._base._value, *args), kwargs, (each._value,), False)
            each._seen = root._version
        return self._value

    def become(self, value: Value) -> None:
        """Note that something was written into this array: `value` is its new Value."""
        root = self.root
        if root is not self:
            views, view = [], self
            while view._base is not None:
                call, args, kwargs = view._view
                if call is None:
                    self.tape.refuse(
                        "the code writes into an array by way of a view that a recording cannot "
                        "follow: write into the array itself, or into a copy"
                    )
                views.append((call, args, tuple(kwargs.items())))
                view = view._base
            whole = self.tape.value(root.content)
            inputs = (root.value, value)
            self.tape.append(Through(tuple(views[::-1])), inputs, {}, (whole,), False)
            root._value = whole
        else:
            self._value = value
        root._version += 1

    # Requests for values, which a replay may not be able to follow.

    def _decides(self, convert: Callable[[Any], Any]) -> Any:
        try:
            result = convert(self.content)
        except Exception as error:  # as int() of a nan does
            self.tape.note_error(convert, error)
            raise
        if self.tape.listens and not self.is_constant:
            self.tape.guard(convert, self.value, result)
        return result

    @property
    def is_constant(self) -> bool:
        """Whether it has the same content in every run."""
        number = self.value.number
        return number in self.tape.constants or number in self.tape.fixed

    def __bool__(self) -> bool:
        return bool(self._decides(bool))

    def __int__(self) -> int:
        return int(self._decides(int))

    def __index__(self) -> int:
        return int(self._decides(operator.index))

    def _leaves(self, how: str) -> Any:
        if not isinstance(self.content, _ARRAYS):
            return self._decides(same)  # a number: each value has a program of its own
        if self.tape.listens and not self.is_constant:
            self.tape.refuse(
                f"takes a value out of an array by {how}, and a replay cannot follow the value: "
                "compute with NumPy's functions, and take values out of the results"
            )
        return self.content

    def item(self, *args: Any) -> Any:
        """Return an element as a Python number, which ends the recording of a body."""
        if self.tape.region is None:
            return emit(self.tape, Method("item"), (self, *args), {}, True)
        return self._leaves(".item()").item(*args)

    def __copy__(self) -> Any:
        if isinstance(self.content, _ARRAYS):
            return emit(self.tape, Method("copy"), (self,), {}, True)
        return self  # a number

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()


def contents(tree: Any) -> Any:
    """Return nested arguments with the arrays themselves in place of those that record."""
    kind = type(tree)
    if kind is Recorded:
        return tree.content
    if kind is tuple:
        return tuple([x.content if type(x) is Recorded else contents(x) for x in tree])
    if kind is np.ndarray or kind in ATOMS or not is_a(tree, NESTED):
        return tree
    return mapped(contents, tree) if tree else tree


def noted(tape: Tape, tree: Any) -> Any:
    """Return nested arguments as a tape has them: a Value in place of each array."""
    kind = type(tree)
    if kind is Recorded:
        return tree.value if tree.tape is tape else tape.operand(tree.content)
    if kind in ATOMS:
        return tree
    if kind is tuple:
        return tuple([noted(tape, x) for x in tree])
    if isinstance(tree, _ARRAYS):
        return tape.operand(tree)
    return mapped(partial(noted, tape), tree) if is_a(tree, NESTED) else tree


def constant(tape: Tape, array: Any) -> Any:
    """Return a recording array for one that is the same in every run."""
    return Recorded(tape, array, tape.operand(array))


def emit(tape: Tape, call: Any, args: Any, kwargs: Any, fixed: bool | None = None) -> Any:
    """Make a call and note it; return a recording array, or a sequence of them.

    `fixed` says whether shape and dtype of the result depend on those of the arguments alone. By
    default this is so for ufuncs alone.
    """
    args, is_ufunc = tuple(args), isinstance(call, (np.ufunc, Of))
    if not (is_ufunc or call in OF_NUMBERS or type(call) in (Draw, Attribute)):
        args, kwargs = decided(args), decided(kwargs)
    plain = contents(args)
    try:
        result = call(*plain, **contents(kwargs)) if kwargs else call(*plain)
    except Exception as error:
        tape.note_error(call, error)
        raise
    if not tape.listens or result is NotImplemented:
        return result
    if isinstance(result, _ARRAYS):
        for given, x in zip(args, plain, strict=True):
            if result is x and type(given) is Recorded and isinstance(x, np.ndarray):
                return given  # as of x.astype(x.dtype, copy=False)
        recorded = _recorded(tape, call, args, kwargs, result)
        is_free = tape.region is not None or type(call) is Draw
        if not is_free and _are_constant(args, kwargs):
            tape.fixed.add(recorded._value.number)
        named = noted(tape, kwargs) if kwargs else {}
        tape.append(call, noted(tape, args), named, (recorded._value,), False)
        if fixed is False or (fixed is None and not is_ufunc):
            tape.guard(shape_and_dtype, recorded._value, shape_and_dtype(result))
        return recorded
    is_several = isinstance(result, (tuple, list))
    if is_several and all(isinstance(x, _ARRAYS) or type(x) in _NUMBERS for x in result):
        made = [_recorded(tape, None, args, kwargs, x) for x in result]
        outputs = tuple([each._value for each in made])
        tape.append(call, noted(tape, args), noted(tape, kwargs), outputs, True)
        if not (fixed or is_ufunc):
            for each in (x for x in made if isinstance(x.content, _ARRAYS)):
                tape.guard(shape_and_dtype, each._value, shape_and_dtype(each.content))
        kind: Any = type(result)
        return kind(*made) if hasattr(kind, "_fields") else kind(made)
    is_number = type(result) in _NUMBERS
    if is_number and (tape.region is None or all(type(x) in _NUMBERS for x in plain)):
        recorded = Recorded(tape, result, tape.value(result))
        tape.append(call, noted(tape, args), noted(tape, kwargs), (recorded._value,), False)
        return recorded
    if result is None or isinstance(result, (bool, int, str)):
        value = tape.value(result)
        tape.append(call, noted(tape, args), noted(tape, kwargs), (value,), False)
        tape.guard(same, value, result)
        return result
    name = getattr(call, "__name__", None) or getattr(call, "name", call)
    raise Stop(
        f"calls {name}(), whose result is a {type(result).__name__}, no array and no number: "
        f"call {name}() outside, and give what is needed of its result as an argument"
    )


def _are_constant(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether all arrays among arguments have the same content in every run."""
    for x in args:
        if type(x) is Recorded and not x.is_constant:
            return False  # nearly always
    return all(x.is_constant for x in leaves((args, kwargs), Recorded))


def decided(tree: Any) -> Any:
    """Return nested arguments with the numbers in them, whose values the program has from now on.

    So it is where a number may decide on a shape, as an axis does.
    """
    if type(tree) is Recorded:
        return tree if isinstance(tree.content, _ARRAYS) else tree._leaves("")
    if type(tree) in ATOMS or not is_a(tree, NESTED) or not has_any(tree, Recorded):
        return tree
    return mapped(decided, tree)


def _recorded(tape: Tape, call: Any, args: Any, kwargs: Any, content: Any) -> Recorded:
    """Return a recording array for the result of a call; note of which argument it is a view."""
    recorded = Recorded(tape, content, tape.value(content))
    if isinstance(content, np.ndarray) and content.base is not None:
        owner = _owner(content)
        for base in leaves(args, Recorded):
            if _owner(base.content) is owner:
                by = call if args[0] is base else None
                recorded.is_view_of(base, by, noted(tape, args[1:]), noted(tape, kwargs))
                break
    return recorded


def _owner(array: Any) -> Any:
    while isinstance(array, np.ndarray) and isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _write(tape: Tape, call: Any, args: Any, kwargs: Any) -> Any:
    """Make a call that writes into its first argument, and note it."""
    target, others = args[0], args[1:]
    if type(target) is not Recorded:
        tape.refuse(
            "the code writes into an array that is no argument: keep the array in a Variable, and "
            "write into the .data of the Variable"
        )
        place = target
    else:
        tape.before_write(target)
        place = target.content
    plain, named = contents(others), contents(kwargs)
    try:
        if call is written:
            result = operator.setitem(place, *plain)
        elif isinstance(call, Into):
            result = call.call(*plain, out=place, **named)
        else:
            result = call.call(place, *plain, **named)
    except Exception as error:
        tape.note_error(written if call is written else call.call, error)
        raise
    if tape.listens:
        value = tape.value(place)
        inputs = (target.value, *noted(tape, others))
        tape.append(call, inputs, noted(tape, kwargs), (value,), False)
        target.become(value)
    return target if isinstance(call, Into) else result
