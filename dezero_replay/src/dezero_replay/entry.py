"""The way into a program: a generated function that looks whether a call is the recorded one.

It reads all that the recording began with, compares what has to be equal, runs the program, and
writes the effects. If anything differs it returns `MISS`, before it has changed anything.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from functools import partial
from keyword import iskeyword
from typing import Any

import numpy as np
from dezero_tools.functional.trees import fields_of, leaves_of, like

from dezero_core import Variable
from dezero_core.extend import CHANGES, IN_USE, RECORDING, Mode, mode

from .capture import NUMBERS, Place, is_empty, is_skipped, slots_of, snapshot_of
from .profilers import PROFILER, tool
from .program import LEAF, GuardError, Program
from .recording import Effect, Input
from .tape import Value

MISS: Any = type("Miss", (), {"__repr__": lambda self: "MISS"})()


_RECORDED = 2
"""So many calls recorded a program before its first replay."""


class Varying:
    """Stands for a number among the arguments that is an input, whatever its value."""

    def __init__(self, kind: type) -> None:
        self.kind = kind


#: Code that mentions one of these may depend on how NumPy treats errors, or change it.
_OF_ERRORS = {"errstate", "seterr", "geterr", "seterrcall"}

_NO_INSTANCES = (type, types.ModuleType, types.FunctionType, types.MethodType)


class Entry:
    """A program, and the function that enters it.

    The recorded call had a tree of positional and keyword arguments, and was treated as a mode
    says: as outside of all blocks, in ``no_grad()``, or with settings of plugins.
    ``audit(entry, args, kwargs)`` returns the result of a call that is due for an audit.
    """

    def __init__(
        self, program: Program, arguments: Any, recorded: Mode, audit: Callable[..., Any]
    ) -> None:
        self.program = program
        self.taken = [isinstance(x, (np.ndarray, Varying)) for x in leaves_of(arguments)]
        #: Which call the last one was, counted from the first recording; and which one will be
        #: compared with eager code.
        self.calls = [_RECORDED, sys.maxsize]
        self.reason = ""
        #: How many were compared; which call was the last one that was, and was found right.
        self.audits, self.right = 0, _RECORDED
        self._bound: dict[str, Any] = {
            "MISS": MISS,
            "ndarray": np.ndarray,
            "current_mode": mode.get,
            "RECORDING": RECORDING,
            "in_use": IN_USE.get,
            "nothing": IN_USE.get(),
            "profiler": sys.getprofile,
            "tool": tool,
            "changes": CHANGES,
            "calls": self.calls,
            "compute": program.compute,
            "go_on": self._go_on,
            "audited": partial(audit, self),
            "GuardError": GuardError,
            "Unreadable": (AttributeError, LookupError, ValueError, TypeError),
        }
        program.entered_by.append(self._bound)
        # A faster one may be there since it was read here, or come while the source is written.
        self._bound.setdefault("run", program.run)
        self._names: dict[Any, str] = {}
        self._lines: list[str] = []
        self._number = 0
        self._arguments: list[str] = []
        self._places: dict[int, str] = {}
        self._data: dict[int, str] = {}
        self.source = self._source_of(arguments, recorded)
        exec(compile(self.source, "<entry>", "exec"), self._bound)
        #: ``enter(args, kwargs)`` returns the result of a call, or `MISS`.
        self.enter: Callable[[Any, Any], Any] = self._bound["enter"]

    def _go_on(self, stop: GuardError, arrays: list[Any]) -> Any:
        """Return the values after a guard has failed; `MISS` if the user's code branches there."""
        try:
            return self.program.after(stop, arrays)
        except Exception:  # a GuardError, or an error of NumPy's
            return MISS

    @property
    def replayed(self) -> int:
        """How often it was replayed."""
        return self.calls[0] - _RECORDED - self.audits

    def _bind(self, x: Any, hint: str = "k") -> str:
        key = hint, id(x)
        if key not in self._names:
            self._names[key] = name = f"{hint}{len(self._names)}"
            self._bound[name] = x
        return self._names[key]

    def _fresh(self, hint: str) -> str:
        self._number += 1
        return f"{hint}_{self._number}"

    def _miss(self, condition: str) -> None:
        self._lines.append(f"        if {condition}: return MISS")

    def _set(self, name: str, expression: str) -> str:
        self._lines.append(f"        {name} = {expression}")
        return name

    def _source_of(self, arguments: Any, recorded: Mode) -> str:
        now = "current_mode() is not RECORDING"
        if recorded.changed(observer=None) is not RECORDING:
            self._lines.append("        now = current_mode()")
            now = f"now.records is not {recorded.records} or now.switched != "
            now += self._bind(recorded.switched)
            now += " or now.observer or now.differentiated or now.in_backward"
        profiled = f"profiler() is not None or tool({PROFILER}) is not None"
        self._miss(f"{now} or in_use() is not nothing or {profiled}")
        self._miss(f"changes[0] != {CHANGES[0]}")
        if not _OF_ERRORS.isdisjoint(self.program.reached.names):
            self._bound["geterr"] = np.geterr
            self._miss(f"geterr() != {self.program.tape.usual_errors}")
        self._tree("args", arguments[0])
        self._tree("kwargs", arguments[1])
        for place in guarded_places(self.program):
            self._place(place)
        for namespace, names in self.program.reached.missing.values():
            self._miss(f"not {self._bind(namespace)}.keys().isdisjoint({self._bind(names)})")
        read = [self._input(each) for each in self.program.inputs]
        self._overlaps(read)
        lines = ["def enter(args, kwargs):", "    try:", *self._lines]
        lines += ["    except Unreadable:", "        return MISS"]
        lines += ["    calls[0] += 1", "    if calls[0] >= calls[1]: return audited(args, kwargs)"]
        arrays = ", ".join(read)
        call = f"compute([{arrays}])" if self.program.draws else f"run({arrays})"
        lines += ["    try:", f"        values = {call}"]
        lines += ["    except GuardError as stop:"]
        lines += [f"        values = go_on(stop, [{arrays}])", "        if values is MISS:"]
        lines += ["            calls[0] -= 1", "            return MISS"]
        # Eager code may catch the error, or may have effects before it raises.
        lines += ["    except Exception:", "        calls[0] -= 1", "        return MISS"]
        self._lines = []
        commit = self._commit(dict(zip(map(id, self.program.inputs), read, strict=True)))
        return "\n".join([*lines, *commit])

    # Arguments.

    def _tree(self, name: str, tree: Any) -> None:
        """Compare the form of an argument, and name its arrays."""
        if isinstance(tree, np.ndarray):
            self._array(name, tree)
            self._arguments.append(name)
        elif type(tree) is Varying:
            self._miss(f"type({name}) is not {self._bind(tree.kind)}")
            self._arguments.append(name)
        elif name == "kwargs" and not tree:
            self._miss("kwargs")
        elif isinstance(tree, dict):
            self._miss(
                f"type({name}) is not {self._bind(type(tree))} or len({name}) != {len(tree)}"
            )
            if len(tree) > 1:  # the function may go through them in their order
                self._miss(f"list({name}) != {self._bind(list(tree))}")
            for key, item in tree.items():
                self._tree(self._set(self._fresh("a"), f"{name}[{self._bind(key)}]"), item)
        elif isinstance(tree, (tuple, list)):
            if name != "args":
                self._miss(f"type({name}) is not {self._bind(type(tree))}")
            names = [self._fresh("a") for _ in tree]
            if names:  # another length raises a ValueError
                self._lines.append(f"        {', '.join(names)}, = {name}")
            else:
                self._miss(name)
            for each, item in zip(names, tree, strict=True):
                self._tree(each, item)
        elif (found := None if tree is None else fields_of(tree)) is not None:
            self._miss(f"type({name}) is not {self._bind(type(tree))}")
            for field, item in found.items():
                self._tree(self._set(self._fresh("a"), f"{name}.{field}"), item)
        else:
            self._same(name, tree)

    def _same(self, name: str, x: Any) -> None:
        """Compare a number or a string by value, any other object by identity."""
        known = self._bind(x)
        if isinstance(x, (*NUMBERS, str, bytes)):
            if x == x:
                differs = f"type({name}) is not {self._bind(type(x))} or {name} != {known}"
                if isinstance(x, float) and x == 0.0:
                    differs += f" or str({name}) != {str(x)!r}"
            else:
                differs = f"{name} == {name}"
            self._miss(f"{name} is not {known} and ({differs})")
        else:
            self._miss(f"{name} is not {known}")

    def _array(self, name: str, array: Any) -> None:
        if isinstance(array, np.generic):
            self._miss(f"type({name}) is not {self._bind(type(array))}")
            return
        self._miss(f"type({name}) is not ndarray or {name}.shape != {array.shape}")
        dtype = self._bind(array.dtype, "dtype")
        self._miss(f"{name}.dtype is not {dtype} and {name}.dtype != {dtype}")
        if array.ndim:
            self._miss(f"{name}.strides != {array.strides}")

    # Captured objects.

    def _place(self, place: Place) -> str:
        """Compare what there is at a place; return its name."""
        if id(place) in self._places:
            return self._places[id(place)]
        if place.parent is None:
            is_new = ("o", id(place.found)) not in self._names  # other instances share a class
            name = self._bind(place.found, "o")
            if is_new:
                self._check_inside(name, place.found)
        else:
            name = self._set(self._fresh("o"), self._at(place))
            self._check(name, place)
        self._places[id(place)] = name
        return name

    def _at(self, place: Any) -> str:
        """Return the expression of a place, which can be read and assigned to."""
        holder = self._place(place.parent)
        if place.kind != "attribute":
            return f"{holder}[{self._text(place.key)}]"
        if place.key.isidentifier() and not iskeyword(place.key):
            return f"{holder}.{place.key}"
        return f"vars({holder})[{place.key!r}]"  # as "0", after setattr(layer, "0", x)

    def _text(self, key: Any) -> str:
        return repr(key) if isinstance(key, (int, str)) else self._bind(key)

    def _check(self, name: str, place: Place) -> None:
        x = place.found
        if place.identity in self.program.numbers:
            self._miss(f"type({name}) is not {self._bind(type(x))}")
        elif isinstance(x, np.ndarray):
            self._array(name, x)
            if place.identity not in self.program.arrays:
                copy = self._bind(x.copy("K"), "copy")
                self._bound["equal_bytes"] = _equal_bytes
                self._miss(f"not equal_bytes({name}, {copy})")
        elif isinstance(x, (*NUMBERS, str, bytes)):
            self._same(name, x)
        elif isinstance(x, types.MethodType):  # a new object each time, if it is of a class
            self._miss(f"{name}.__func__ is not {self._bind(x.__func__)}")
        else:
            self._miss(f"{name} is not {self._bind(x, 'o')}")
            self._check_inside(name, x)

    def _check_inside(self, name: str, x: Any) -> None:
        """Compare the inside of an object, except for parts that have places of their own."""
        look = snapshot_of(x)
        if isinstance(x, Variable):
            self._variable(name, x)
        elif isinstance(x, types.CellType) and not is_empty(x):
            return  # its content is compared at a place of its own
        elif look is not None:
            is_namespace = isinstance(x, dict) and "__builtins__" in x
            if not is_namespace:  # the function need not read all globals
                self._miss(f"{self._bind(look, 'look')}({name}) != {self._bind(look(x))}")
        if isinstance(x, _NO_INSTANCES):
            if isinstance(x, type) and not is_skipped(x.__module__):
                self._miss(f"len({name}.__dict__) != {len(x.__dict__)}")
                if x.__bases__ != (object,):
                    self._miss(f"{name}.__bases__ is not {self._bind(x.__bases__)}")
            return
        own, slots = getattr(x, "__dict__", None), slots_of(x)
        if isinstance(own, dict):
            self._miss(f"type({name}) is not {self._bind(type(x))}")
            self._miss(f"len({name}.__dict__) != {len(own)}")
        elif slots:
            self._miss(f"type({name}) is not {self._bind(type(x))}")
        for slot in sorted(slots):
            if not hasattr(x, slot) and slot in self.program.reached.names:
                self._miss(f"hasattr({name}, {slot!r})")

    def _variable(self, name: str, x: Variable) -> None:
        """Compare the form of the data, and whether there is a gradient.

        If recordings agreed with a gradient and without one, that is not compared.
        """
        if id(x) in self.program.data:
            self._data[id(x)] = self._set(f"{name}_data", f"{name}.data")
            self._array(self._data[id(x)], self.program.data[id(x)])
        without = {id(x) in each for each in self.program.without_gradient}
        if len(without) == 1:
            self._miss(f"{name}.grad is {'not ' if without == {True} else ''}None")

    # Inputs and effects.

    def _input(self, each: Input) -> str:
        if each.kind == "argument":
            return self._arguments[each.where]
        if each.kind in ("number", "array"):
            return self._place(each.where)
        if each.kind == "data" and id(each.where) in self._data:
            return self._data[id(each.where)]
        name = self._set(self._fresh("x"), f"{self._bind(each.where, 'o')}.{each.kind}")
        self._array(name, each.content)
        return name

    def _overlaps(self, read: list[str]) -> None:
        """Compare which inputs are one array; and share memory, where one is written into.

        In the recording, no two inputs shared memory unless they were one array.
        """
        pairs = list(zip(read, self.program.inputs, strict=True))
        targets = {id(e.target) for e in self.program.effects if e.kind == "write"}
        named: dict[int, str] = {}
        for name, each in pairs:
            if isinstance(each.content, np.ndarray):
                first = named.setdefault(id(each.content), name)
                if first != name:
                    self._miss(f"{name} is not {first}")
        if not targets:
            return
        into = [name for name, each in pairs if id(each) in targets]
        self._miss(" or ".join(f"not {name}.flags.writeable" for name in into))
        names = list(named.values())
        if len(names) > 1:
            self._bound["share_memory"] = _share_memory
            ids = ", ".join(f"id({name})" for name in names)
            differ = f"len({{{ids}}}) != {len(names)}"
            self._miss(f"{names[0]} is {names[1]}" if len(names) == 2 else differ)
            own = " and ".join(f"{name}.base is None" for name in names)
            lists = f"[{', '.join(into)}], [{', '.join(names)}]"
            self._miss(f"not ({own}) and share_memory({lists})")

    def _commit(self, names: dict[int, str]) -> list[str]:
        program = self.program
        effects, results = program.effects, program.results
        targets = [f"e{n}" for n, e in enumerate(effects) if type(e.value) is Value]
        targets += [f"r{n}" for n, r in enumerate(results) if type(r.value) is Value]
        lines = [f"    {', '.join(targets)}, = values"] if targets else []
        for number, effect in enumerate(effects):
            value = f"e{number}"
            if not isinstance(effect.value, Value):
                value = "None" if effect.value is None else names[id(effect.value)]
            lines.append("    " + self._effect(effect, value, names))
        leaves = [self._result(number) for number in range(len(results))]
        lines.append(f"    return {self._rebuilt(program.form, iter(leaves))}")
        return lines

    def _effect(self, effect: Effect, value: str, names: dict[int, str]) -> str:
        if effect.kind == "write":
            whole = "..." if effect.target.content.ndim else "()"  # which NumPy takes faster
            return f"{names[id(effect.target)]}[{whole}] = {value}"
        if effect.kind == "number":
            return f"{self._at(effect.target)} = {value}"
        return f"{self._bind(effect.target, 'o')}.{effect.kind} = {value}"

    def _result(self, number: int) -> str:
        result = self.program.results[number]
        if result.kind == "known":
            return self._bind(result.value, "o")
        return f"{self._bind(result.like, 'variable')}(r{number})" if result.like else f"r{number}"

    def _rebuilt(self, form: Any, leaves: Any) -> str:
        """Return the expression that builds the result of its leaves."""
        if type(form) is dict:
            items = (f"{self._bind(key)}: {self._rebuilt(x, leaves)}" for key, x in form.items())
            return "{" + ", ".join(items) + "}"
        if type(form) in (tuple, list):
            inside = ", ".join([self._rebuilt(x, leaves) for x in form])
            return f"[{inside}]" if type(form) is list else f"({inside}{',' if form else ''})"
        if form is None:
            return "None"
        if form is LEAF:
            return str(next(leaves))
        self._bound["like"] = like
        found = [next(leaves) for _ in leaves_of(form)]
        return f"like({self._bind(form, 'form')}, [{', '.join(found)}])"


def _share_memory(targets: list[Any], arrays: list[Any]) -> bool:
    """Return whether an array that is written into may share memory with another one."""
    return any(
        np.may_share_memory(one, other) for one in targets for other in arrays if one is not other
    )


def _equal_bytes(x: Any, copy: Any) -> bool:
    return bool(x.tobytes() == copy.tobytes())


def guarded_places(program: Program) -> list[Place]:
    """Return the places that are compared at each call, parents first."""
    reached = program.reached
    wanted: dict[int, Place] = {}
    for place in reached.places:
        parent = place.parent
        is_near = parent is None or parent.parent is None or id(parent) in wanted
        if is_near and reached.mentions(place):
            wanted[id(place)] = place
    read = {id(each.where) for each in program.inputs}
    read |= {id(each.target) for each in program.effects}
    for place in (*reached.variables, *reached.arrays):
        is_read = id(place.found) in read or id(place) in read
        each: Place | None = place if is_read else None
        while each is not None and id(each) not in wanted:
            wanted[id(each)] = each
            each = each.parent
    return [place for place in reached.places if id(place) in wanted]
