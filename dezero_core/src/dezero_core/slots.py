"""The slots of Variable and NumPy: one for each name that plugins may bind.

If one plugin has a name, its plain function stands on Variable: ``x * y`` and ``np.exp(x)`` then
meet nothing of this module. In every other case a `Slot` stands there. The plugin system,
`registry`, binds names by `bind`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import GetSetDescriptorType
from typing import Any

import numpy as np

from .errors import ContestedOperationError, MissingAttributeError, MissingOperationError
from .providers import (
    KINDS,
    OPERATORS,
    Binding,
    advice,
    in_numpy,
    load_plugins_first,
    missing,
    numpy_name,
    plugin_for,
)

#: The types of the functions with which NumPy calls the protocols of a Variable.
_DISPATCHED = np.ufunc, type(np.sum)

#: Name that users of NumPy, PyTorch or autograd may look for on a Variable -> what to write.
INSTEAD = {
    name: f"np.{name}({'x, y' if getattr(vars(np)[name], 'nin', 1) == 2 else 'x'})"
    for name in np.__all__
    if type(vars(np).get(name)) in _DISPATCHED and not hasattr(np.ndarray, name)
} | {
    "__round__": "np.round(x, 2); of a number to be printed, round(x.item(), 2)",
    "clone": "np.copy(x)",
    "cpu": "x.data, which is in memory",
    "detach": "x.data, or Variable(x.data) for an input of its own",
    "grad_fn": "x.creator",
    "matmul": "x @ y",
    "mm": "x @ y",
    "numpy": "x.data",
    "to": "x.astype(dtype)",
    "tolist": "x.data.tolist()",
    "unsqueeze": "np.expand_dims(x, axis)",
    "view": "x.reshape(shape)",
    "zero_grad": "x.cleargrad()",
}


class Slot:
    """Stands for a name that no plugin has, or several, or a module that is still to be imported.

    Its key is the name; a function that is not NumPy's own, such as a ufunc of SciPy's, is its own
    key. An operator may raise for `operands` of these types; for others it returns NotImplemented.
    """

    __slots__ = ("bindings", "key", "name", "operands")

    def __init__(self, key: Any, operands: tuple[type, ...] = ()) -> None:
        #: The name is as users write it: ``"Variable.sum"``, ``"np.sum"``, ``"observer.nan"``.
        self.key, self.operands, self.name = key, operands, name_of(key)
        #: Plugin -> its binding, in the order of loading. It is replaced and never changed.
        self.bindings: Mapping[str, Binding] = {}

    def binding(self) -> Binding | None:
        """Return the binding in use, None if no plugin has the name.

        It raises if several plugins have it, the user has chosen none, and none of them calls it.
        """
        load_plugins_first()
        while bindings := self.bindings:  # read once: another thread may unload a plugin
            found = bindings[plugin_for(self.name, bindings)]
            if found.load is None:
                return found
            found.load()  # and ask again: only now its operation is known
        return None

    def value(self) -> Any:
        """Return the value of this binding, None if there is none."""
        found = self.binding()
        return None if found is None else found.value

    def __get__(self, variable: Any, owner: type) -> Any:
        refused: ContestedOperationError | None = None
        try:
            value = self.value()
        except ContestedOperationError as error:
            if self.key not in OPERATORS:
                raise
            value, refused = None, error.with_traceback(None)  # whose frame refers to the error
        if value is None:
            if self.key not in OPERATORS:
                raise self._missing()
            value = self._refusing(refused)
        get = getattr(type(value), "__get__", None)
        return value if get is None else get(value, variable, owner)

    def _missing(self) -> MissingOperationError:
        if self.key not in INSTEAD:
            is_property = isinstance(vars(np.ndarray).get(self.key), GetSetDescriptorType)
            kind = "property" if is_property else "method"
            named = f"the {kind} {self.key!r} of Variable"
            return missing(self.key, named, error=MissingAttributeError)
        name = "'round()'" if self.key == "__round__" else repr(self.key)
        remedy = advice(self.key, sys._getframe(2))
        message = f"a Variable has no method {name}. Write {INSTEAD[self.key]}."
        message = f"{remedy}A Variable has no method {name}." if remedy else message
        return MissingAttributeError(message, operation=self.key, distribution=None)

    def _refusing(self, refused: ContestedOperationError | None) -> Callable[..., Any]:
        """Return an operator that raises, or leaves the operation to the other operand."""
        special, operands = self.key, self.operands
        is_provided = not all(bound.alternative for bound in self.bindings.values())

        def operator(self: Any, *others: Any) -> Any:
            if special in ("__eq__", "__ne__") and not is_provided:
                return getattr(object, special)(self, *others)  # as any object: by identity
            known = all(isinstance(other, operands) for other in others)
            if not known and special not in ("__getitem__", "__setitem__", "__contains__"):
                return NotImplemented
            symbol, name = OPERATORS[special]
            raise refused or missing(name, f"{symbol!r} for a Variable")

        operator.__name__ = special
        operator.__qualname__ = f"Variable.{special}"
        return operator


SLOTS: dict[Any, Slot] = {}
"""Key of a name -> its slot."""

ANSWERS: dict[Any, Callable[..., Any]] = {
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
}
"""The functions of NumPy that the core answers -> the function that is called in their place."""

FOUND: dict[Any, Callable[..., Any]] = dict(ANSWERS)
"""The same, and functions that were asked for, as long as one plugin alone has each of them."""

_variable: list[type] = []


def put_slots(cls: type, operands: tuple[type, ...]) -> None:
    """Put a slot onto Variable for each operator, and for each method that it lacks.

    The methods are those of ndarray, and those that users of other arrays may look for. A
    ``__getattr__`` that raises their errors would slow down every read of ``.data``.
    """
    _variable.append(cls)
    of_ndarray = {name for name in vars(np.ndarray) if not name.startswith("_")}
    methods = (of_ndarray | INSTEAD.keys()).difference(vars(cls)) | {"broadcast_to", "sum_to"}
    for name in (*OPERATORS, *sorted(methods)):
        SLOTS[name] = Slot(name, operands)
        setattr(cls, name, SLOTS[name])


def is_the_cores(key: Any) -> bool:
    """Return whether the core has a name, so that no plugin may bind it."""
    if key in SLOTS or not isinstance(key, str):
        return False
    kind, _, part = key.partition(".")
    if not part:
        return hasattr(_variable[0], key)
    return part in KINDS[kind].parts if kind in KINDS else key in map(key_of, ANSWERS)


def bind(key: Any, plugin: str, bound: Binding | None) -> None:
    """Bind a name for a plugin, or take its binding away; put in place what follows from it."""
    slot = SLOTS.get(key) or Slot(key)
    bindings = {name: each for name, each in slot.bindings.items() if name != plugin or bound}
    slot.bindings = bindings = bindings if bound is None else {**bindings, plugin: bound}
    if bindings or slot.operands:
        SLOTS[key] = slot  # after the binding is in it: Ctrl-C must leave no empty one behind
    else:
        SLOTS.pop(key, None)
    alone = _bound_alone(bindings)
    kind, _, part = key.partition(".") if isinstance(key, str) else ("np", "", "")
    if kind == "np":
        FOUND.clear()
        FOUND.update(ANSWERS)
    elif not part:
        _place(slot, alone)
    elif kind in KINDS and alone is not None:
        KINDS[kind].parts[part] = alone.value
    elif kind in KINDS:
        KINDS[kind].parts.pop(part, None)


def _bound_alone(bindings: Mapping[str, Binding]) -> Binding | None:
    """Return the only binding of a name, if it is imported and no alternative; else None."""
    alone = next(iter(bindings.values())) if len(bindings) == 1 else None
    return None if alone is None or alone.load or alone.alternative else alone


def _place(slot: Slot, alone: Binding | None) -> None:
    """Put the value of an attribute, or its slot, onto Variable; or take it away from there."""
    cls = _variable[0]
    value = slot if alone is None else alone.value
    if not (slot.bindings or slot.operands):
        if slot.key in vars(cls):
            delattr(cls, slot.key)
    elif vars(cls).get(slot.key) is not value:
        setattr(cls, slot.key, value)


def parts_of(kind: str) -> dict[str, Slot]:
    """Return the parts of a kind by name: ``value()`` of the slot is the part.

    ``value()`` raises if several plugins have registered the part, and none is chosen.
    """
    load_plugins_first()
    slots = list(SLOTS.values())
    return {s.name.partition(".")[2]: s for s in slots if s.name.startswith(f"{kind}.")}


def is_missing(attribute: str) -> bool:
    """Return whether an attribute of Variable is there only for the sake of its error."""
    slot = SLOTS.get(attribute)
    return slot is not None and not slot.bindings and attribute not in OPERATORS


def numpy_function(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the function that is called in place of one of NumPy, None if no plugin has it."""
    found = FOUND.get(function)
    if found is not None:
        return found
    load_plugins_first()
    key, by_name = key_of(function), name_of(function)
    if key != by_name and by_name in SLOTS:  # of another library: it is announced by its name
        SLOTS[by_name].binding()
    slot = SLOTS.get(key)
    if slot is None:
        return None
    found = slot.value()
    if _bound_alone(slot.bindings) and (key == by_name or by_name not in SLOTS):
        FOUND[function] = found
    return found


def name_of(key: Any) -> str:
    """Return a name as users write it, given its key: ``Variable.sum``, ``np.sum``.

    A ufunc of another library is written by its name, by which it is also announced.
    """
    if not isinstance(key, str):
        return f"np.{numpy_name(key)}"
    return key if "." in key else f"Variable.{key}"


def key_of(function: Callable[..., Any]) -> Any:
    """Return ``"np.linalg.inv"`` for a function of NumPy, and any other as it is."""
    name = numpy_name(function)
    return f"np.{name}" if in_numpy(name) == function else function
