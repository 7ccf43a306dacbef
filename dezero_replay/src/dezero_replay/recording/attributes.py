"""Attributes, as rewritten code reads and sets them: as Python looks them up."""

from __future__ import annotations

import functools
from types import FunctionType, MethodType, ModuleType
from typing import Any

from dezero_core import Variable

from ..guards.reads import CONTAINERS
from ..tape.classes import MISSING, is_a, is_fixed, is_own, own_of, runs_code
from ..tape.nested import ATOMS
from ..tape.recorded import Recorded
from ..tape.stop import Stop
from .items import FLAGS, Items


class Attributes(Items):
    """Attributes, as a part of a `Scope`."""

    __slots__ = ()

    def attr(self, x: Any, name: str) -> Any:
        """Return an attribute, as Python looks it up."""
        kind = type(x)
        if kind is Recorded:
            found = getattr(x.content, name)  # raises the error, if arrays have none
            is_known = callable(vars(Recorded).get(name)) or name in ("__class__", "__doc__")
            if name.startswith("__") and not is_known:
                raise Stop(f"reads .{name} of an array, by which others get at the memory")
            return found if name == "__doc__" else getattr(x, name)
        if kind in ATOMS or kind in CONTAINERS:
            return getattr(x, name)
        if is_a(x, Variable) and is_of_variables(x, name):
            return self._of_variable(x, name)
        if is_a(x, ModuleType):
            return self._of_module(x, name)
        if is_a(x, type):
            return self._of_type(x, name)
        if kind is super:
            return self._of_super(x, name)
        is_free = self._own or self._around.in_body
        if kind is FLAGS and not (is_free or name.endswith("contiguous")):
            raise Stop(f"reads .flags.{name} of an array, which another run may have otherwise")
        return self._of_instance(x, name)

    def _of_variable(self, x: Any, name: str) -> Any:
        found = getattr(x, name)
        if name in ("creator", "generation"):
            self._around.require_own_graph([x.data])
        if name == "name" or name in getattr(x, "__dict__", ()):
            return self._around.read(x, "attribute", name, found)
        return found

    def _of_module(self, x: ModuleType, name: str) -> Any:
        around = self._around
        found = vars(x).get(name, MISSING)
        if found is MISSING and not is_own(x.__name__):
            around.root(x)
            around.missed(x, "attribute", name)
            dynamic = vars(x).get("__getattr__")
            if type(dynamic) is FunctionType:
                return self.call(around.read(x, "attribute", "__getattr__", dynamic), name)
        if found is MISSING:
            found = getattr(x, name)
        if self._own or is_own(x.__name__):
            return self._of_ours(found)
        around.root(x)
        return around.read(x, "attribute", name, found)

    def _of_type(self, x: type, name: str) -> Any:
        recorder, around, meta = self._recorder, self._around, type(x)
        of_meta, home = recorder.in_class(meta, name)
        if hasattr(type(of_meta), "__set__"):
            if home is not type:
                return self._bound(of_meta, home, x, meta, name)
            if name == "__dict__" and not self._own:
                raise Stop(f"reads {x.__name__}.__dict__: name the attribute")
            found = getattr(x, name)
            if is_fixed(x):
                return found
            around.root(x)
            return around.read(x, "attribute", name, found)
        found, base = recorder.in_class(x, name)
        if base is not None:
            return self._bound(found, base, None, x, name)
        if home is not None:
            return self._bound(of_meta, home, x, meta, name)
        fallback = recorder.special(x, "__getattr__")
        return getattr(x, name) if fallback is None else self.call(fallback, name)

    def _of_super(self, x: Any, name: str) -> Any:
        owner, kind = x.__self__, x.__self_class__
        found, base = self._recorder.in_class(kind, name, x.__thisclass__)
        if base is None or name == "__class__":
            return getattr(x, name)
        return self._bound(found, base, None if owner is kind else owner, kind, name)

    def _bound(self, found: Any, base: type, x: Any, kind: type, name: str) -> Any:
        """Return an attribute that `base` has, as an object `x` or its class gets it."""
        recorder, around = self._recorder, self._around
        if type(found) is FunctionType:
            return found if x is None else MethodType(found, x)
        if type(found) is property and x is not None and found.fget is not None:
            return self.call(found.fget, x)
        if type(found) is classmethod and type(found.__func__) is FunctionType:
            return MethodType(found.__func__, kind)
        getter, _ = recorder.in_class(type(found), "__get__")
        if type(getter) is FunctionType:
            around.root(found, name)
            return self.call(getter, found, x, kind)
        if getter is MISSING or type(found) is MethodType:
            if is_fixed(base):
                return self._of_ours(found)
            return around.read(base, "own", name, found)
        value = found.__get__(x, kind)
        if type(found) is staticmethod:
            around.root(value, name)
        return value

    def _of_instance(self, x: Any, name: str) -> Any:
        recorder, around = self._recorder, self._around
        if name == "__class__" and recorder.in_class(type(x), name)[1] is object:
            return self.call(type, x)
        if name == "__dict__" and type(x).__dictoffset__:
            own = own_of(x)
            if id(x) in around.known:
                around.owners[id(own)] = x, "attribute"
            return around.read(x, "attribute", name, own)
        lookup = recorder.special(x, "__getattribute__")
        try:
            return self.plain_attr(x, name) if lookup is None else self.call(lookup, name)
        except AttributeError:
            fallback, _ = recorder.in_class(type(x), "__getattr__")
            if fallback is MISSING:
                raise
            return self.call(fallback, x, name)

    def plain_attr(self, x: Any, name: str) -> Any:
        """Return an attribute of an instance, as ``object`` gives it."""
        around, kind, own = self._around, type(x), own_of(x)
        found, base = self._recorder.in_class(kind, name)
        if hasattr(type(found), "__set__"):
            if runs_code(found):
                return self._bound(found, base, x, kind, name)
            try:
                value = found.__get__(x, kind)
            except AttributeError:
                around.missed(x, "attribute", name)
                raise
            return around.read(x, "attribute", name, value)
        is_plain = base is not None and not hasattr(type(found), "__get__")
        if name in own or (is_plain and id(x) in around.known):
            return around.read(x, "attribute", name, own.get(name, found))
        if kind.__dictoffset__:
            around.missed(x, "attribute", name)
        if base is None:
            return object.__getattribute__(x, name)  # raises the error
        if type(found) is functools.cached_property:
            value = self.call(found.func, x)
            around.write(x, "attribute", name, value)
            return value
        return self._bound(found, base, x, kind, name)

    def setattr(self, x: Any, name: str, value: Any) -> None:
        """Set an attribute, as Python does."""
        if type(x) is FLAGS:
            raise Stop("sets a flag of an array, and a replay would not: do this outside")
        if type(x) is Recorded and not hasattr(x.content, name):
            setattr(x.content, name, value)  # raises the error
        if is_a(x, Variable) and name == "name":
            self._around.write(x, "attribute", name, value)
            return
        if type(x) is Recorded or (is_a(x, Variable) and name not in getattr(x, "__dict__", ())):
            setattr(x, name, value)
            return
        setter = self._recorder.special(x, "__setattr__")
        if setter is None:
            self.plain_setattr(x, name, value)
        elif setter.__code__.co_filename == "<string>":  # of a frozen dataclass: raises the error
            setattr(x, name, value)
        else:
            self.call(setter, name, value)

    def plain_setattr(self, x: Any, name: str, value: Any) -> None:
        """Set an attribute, as ``object`` does."""
        recorder = self._recorder
        found, _ = recorder.in_class(type(x), name)
        if type(found) is property and found.fset is not None:
            self.call(found.fset, x, value)
            return
        setter, _ = recorder.in_class(type(found), "__set__")
        if type(setter) is FunctionType:
            self.call(setter, found, x, value)
            return
        if is_a(x, type):
            recorder.require_made(x, f"sets the attribute {name} of a class")
        self._around.write(x, "attribute", name, value)

    def delattr(self, x: Any, name: str) -> None:
        """Delete an attribute, as Python does."""
        recorder = self._recorder
        method = recorder.special(x, "__delattr__")
        found, _ = recorder.in_class(type(x), name)
        delete, _ = recorder.in_class(type(found), "__delete__")
        if method is not None:
            self.call(method, name)
        elif type(found) is property and found.fdel is not None:
            self.call(found.fdel, x)
        elif type(delete) is FunctionType:
            self.call(delete, found, x)
        else:
            recorder.require_made(x, f"deletes the attribute {name}")
            delattr(x, name)


def is_of_variables(x: Variable, name: str) -> bool:
    """Return whether an attribute is one that all Variables have, and none of a derived class."""
    owner = next((kind for kind in type(x).__mro__ if name in vars(kind)), None)
    return owner is not None and is_own(owner.__module__)
