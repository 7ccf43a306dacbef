"""The way into a program: a generated function that looks whether a call is the recorded one.

It reads all that the recording began with, compares what has to be equal, runs the program, and
writes the effects. If anything differs it returns `MISS`, before it has changed anything.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dezero_core.extend import CHANGES, IN_USE, RECORDING, Mode, mode

from .choice import Choice
from .errors import GuardError
from .guards.guards import Guards
from .guards.outcome import Effect, Outcome
from .guards.places import Place
from .guards.reads import Input
from .profilers import MONITORS, PROFILER, tool
from .program import Program
from .tape.nested import alike

MISS: Any = type("Miss", (), {"__repr__": lambda self: "MISS"})()

RECORDED = 2
"""So many calls recorded a program before its first replay."""

_OWN = {"enter", "run", "compute", "calls", "go_on", "audited"}
"""Names that are bound to other objects for each entry."""


class Entry:
    """A program, and the function that enters it.

    The recorded call had positional and keyword arguments, by their number and names, and was
    treated as a mode says: as outside of all blocks, in ``no_grad()``, or with settings of plugins.
    ``audit(entry, args, kwargs)`` returns the result of a call that is due for an audit.
    """

    def __init__(
        self,
        program: Program,
        positional: int,
        names: tuple[str, ...],
        recorded: Mode,
        audit: Callable[..., Any],
    ) -> None:
        self.program = program
        #: The programs that differ in a number that decides, if there are others.
        self.choice: Choice | None = None
        #: Which call the last one was, counted from the first recording; and which one will be
        #: compared with eager code.
        self.calls = [RECORDED, sys.maxsize]
        self.reason = ""
        #: The seconds that were spent on its recordings, and how many there were; and how often it
        #: had been replayed when others of its form were last found to be of use.
        self.costs, self.paid = (0.0, 0), 0
        #: How many were compared; which call was the last one that was, and was found right.
        self.audits, self.right = 0, RECORDED
        #: The call that will be compared after the next one, which is timed; 0 if none is.
        self.next_audit = 0
        #: How many seconds a call took when it was replayed, and when it was eager; 0 before.
        self.times = [0.0, 0.0]
        arguments = {n: f"a{n}" for n in range(positional)}
        named = arguments | {name: f"a_{name}" for name in names}
        self._guards = guards = Guards(named, _looked_at_once(program))
        self._bound = guards.bound
        self._bound.update(
            {
                "MISS": MISS,
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
                "geterr": np.geterr,
                "share_memory": _share_memory,
                "set_attribute": object.__setattr__,
                "dataclass_of": _dataclass_of,
                "Unreadable": (AttributeError, LookupError, ValueError, TypeError),
            }
        )
        program.entered_by.append(self._bound)
        # A faster one may be there since it was read here, or come while the source is written.
        self._bound.setdefault("run", program.run)
        #: id of an input -> its name; number of a wanted Value -> its name.
        self._read: dict[int, str] = {}
        self._values = {value.number: f"v{n}" for n, value in enumerate(program.wanted)}
        self.source = self._source_of(arguments, names, recorded)
        exec(compile(self.source, "<entry>", "exec"), self._bound)
        #: ``enter(args, kwargs)`` returns the result of a call, or `MISS`.
        self.enter: Callable[[Any, Any], Any] = self._bound["enter"]

    def join(self, other: Entry, position: int, most_bytes: int) -> bool:
        """Let calls enter the program of another entry, if the input at a position says so.

        Return whether it was done: both must read and compare the same, and have the same effects.
        All programs together hold at most so many bytes.
        """
        pairs = ((x, other._bound[name]) for name, x in self._bound.items() if name not in _OWN)
        is_like = self.source == other.source and all(alike(x, y) for x, y in pairs)
        if not is_like or (self.choice is not None and self.choice.position != position):
            return False
        if self.choice is None:
            self.choice = Choice(position)
            self.choice.add(self.program, most_bytes)
            self._bound |= {"run": self.choice.run, "compute": self.choice.compute}
        self.choice.add(other.program, most_bytes)
        return True

    def at(self, arrays: list[Any]) -> Program:
        """Return the program for some inputs; raise a GuardError if there is none."""
        return self.program if self.choice is None else self.choice.at(arrays)

    def _go_on(self, stop: GuardError, arrays: list[Any]) -> Any:
        """Return the values after a guard has failed; `MISS` if the user's code branches there."""
        try:
            return self.at(arrays).after(stop, arrays)
        except Exception:  # a GuardError, or an error of NumPy's
            return MISS

    @property
    def planned_bytes(self) -> int:
        """Bytes that its programs hold between calls."""
        return (self.choice or self.program).planned_bytes

    @property
    def replayed(self) -> int:
        """How often it was replayed."""
        return self.calls[0] - RECORDED - self.audits

    def _source_of(self, arguments: dict[int, str], names: tuple[str, ...], recorded: Mode) -> str:
        guards, program = self._guards, self.program
        now = "current_mode() is not RECORDING"
        if recorded.changed(observer=None) is not RECORDING:
            guards.lines.append("        now = current_mode()")
            now = f"now.records is not {recorded.records} or now.switched != "
            now += guards.bind(recorded.switched)
            now += " or now.observer or now.differentiated or now.in_backward"
        monitored = f" or tool({PROFILER}) is not None" if MONITORS else ""
        profiled = f"profiler() is not None{monitored}"
        guards.miss(f"{now} or in_use() is not nothing or {profiled}")
        guards.miss(f"changes[0] != {CHANGES[0]}")
        if program.sets_errors:
            guards.miss(f"geterr() != {program.tape.warnings.usual}")
        if arguments:  # another number raises a ValueError
            guards.lines.append(f"        {', '.join(arguments.values())}, = args")
        else:
            guards.miss("args")
        guards.miss(f"len(kwargs) != {len(names)}" if names else "kwargs")
        for name in names:
            guards.lines.append(f"        a_{name} = kwargs[{name!r}]")
        if len(names) > 1:
            guards.miss(f"list(kwargs) != {list(names)}")
        guards.looks(program.looks)
        for each in program.forms:
            self._input(each)
        read = [self._input(each) for each in program.inputs]
        for place, is_missing in program.gradients:
            guards.miss(f"{guards.place(place)}.grad is {'not ' * is_missing}None")
        self._overlaps()
        for effect in program.effects:
            if effect.kind != "write":
                guards.place(effect.changes)
        for each in program.outcomes:
            if each.kind == "input":
                self._input(each.what)
            elif each.kind == "place":
                guards.place(each.what)
        lines = ["def enter(args, kwargs):", "    try:", *guards.lines]
        lines += ["    except Unreadable:", "        return MISS"]
        lines += ["    calls[0] += 1", "    if calls[0] >= calls[1]: return audited(args, kwargs)"]
        arrays = ", ".join(read)
        call = f"compute([{arrays}])" if program.draws else f"run({arrays})"
        lines += ["    try:", f"        values = {call}"]
        lines += ["    except GuardError as stop:"]
        lines += [f"        values = go_on(stop, [{arrays}])", "        if values is MISS:"]
        lines += ["            calls[0] -= 1", "            return MISS"]
        # Eager code may catch the error, or may have effects before it raises.
        lines += ["    except Exception:", "        calls[0] -= 1", "        return MISS"]
        return "\n".join([*lines, *self._commit()])

    def _input(self, each: Input) -> str:
        """Return the name of an input, after lines that read it and compare its form."""
        if id(each) in self._read:
            return self._read[id(each)]
        guards = self._guards
        name = guards.place(each.place)
        if each.kind in ("data", "grad"):
            guards.lines.append(f"        {name}_{each.kind} = {name}.{each.kind}")
            name = f"{name}_{each.kind}"
        guards.form(name, each.value)
        self._read[id(each)] = name
        return name

    def _overlaps(self) -> None:
        """Compare which inputs are one array; and share memory, where one is written into.

        In the recording, no two inputs shared memory unless they were one array.
        """
        guards, program = self._guards, self.program
        targets = {id(e.target) for e in program.effects if e.kind == "write"}
        named: dict[int, str] = {}
        into: list[str] = []
        returned = [x.what.value.number for x in program.outcomes if x.kind == "input"]
        compared = [x for x in program.forms if program.compares or x.value.number in returned]
        for each in (*program.inputs, *compared):
            name = self._read[id(each)]
            if each.value.kind is np.ndarray:
                first = named.setdefault(each.value.number, name)
                if first != name:
                    guards.miss(f"{name} is not {first}")
            if id(each) in targets and name not in into:
                into.append(name)
        names = list(named.values())
        if program.variables:
            given = [guards.place(place) for place in program.variables]
            guards.miss(f"len({{{', '.join(f'id({x})' for x in given)}}}) != {len(given)}")
        if into:
            guards.miss(" or ".join(f"not {name}.flags.writeable" for name in into))
        if len(names) > 1 and (into or program.compares):
            ids = ", ".join(f"id({name})" for name in names)
            differ = f"len({{{ids}}}) != {len(names)}"
            guards.miss(f"{names[0]} is {names[1]}" if len(names) == 2 else differ)
        if len(names) > 1 and into:
            own = " and ".join(f"{name}.base is None" for name in names)
            lists = f"[{', '.join(into)}], [{', '.join(names)}]"
            guards.miss(f"not ({own}) and share_memory({lists})")

    def _commit(self) -> list[str]:
        """Return the lines that write the effects, and return the result."""
        program = self.program
        lines = []
        if program.wanted:
            lines = [f"    {', '.join(self._values.values())}, = values"]
        self._made: dict[int, str] = {}
        for effect in program.effects:
            text = self._outcome(effect.outcome, lines)
            lines.append("    " + self._effect(effect, text))
        lines.append(f"    return {self._outcome(program.outcome, lines)}")
        return lines

    def _effect(self, effect: Effect, text: str) -> str:
        guards, target = self._guards, effect.target
        if effect.kind == "write":
            whole = "..." if target.value.shape else "()"  # which NumPy takes faster
            return f"{self._read[id(target)]}[{whole}] = {text}"
        if effect.kind == "append":
            return f"{guards.place(target)}.append({text})"
        if effect.kind == "force":
            return f"set_attribute({guards.place(target.parent)}, {target.key!r}, {text})"
        if target.how:  # the class has a way of its own to read what is there
            return f"{guards.target(target)} = {text}"
        if effect.kind == "set" and target.kind == "context":
            return f"{guards.place(target.parent)}.set({text})"
        if effect.kind == "set":
            return f"{guards.expression(target)} = {text}"
        return f"{guards.place(target)}.{effect.kind} = {text}"

    def _outcome(self, outcome: Outcome, lines: list[str]) -> str:
        """Return the expression of an outcome, after lines that make it, if it is used again."""
        if outcome.kind == "value":
            return self._values[outcome.what.number]
        if outcome.kind == "input":
            return self._input(outcome.what)
        if outcome.kind == "place":
            return self._guards.place(outcome.what)
        if outcome.kind == "known":
            x = outcome.what
            return str(x) if x is None or type(x) is bool else self._guards.bind(x, "o")
        if id(outcome) not in self._made:
            parts = [self._outcome(part, lines) for part in outcome.parts]
            name = self._made[id(outcome)] = f"m{len(self._made)}"
            lines.append(f"    {name} = {self._built(outcome, parts)}")
        return self._made[id(outcome)]

    def _built(self, outcome: Outcome, parts: list[str]) -> str:
        kind, inside = outcome.what, ", ".join(parts)
        if outcome.kind == "variable":
            return f"{self._guards.bind(kind, 'variable')}({inside})"
        if kind is dict:
            keys = map(self._guards.bind, outcome.keys)
            return "{" + ", ".join(f"{key}: {x}" for key, x in zip(keys, parts, strict=True)) + "}"
        if kind is list:
            return f"[{inside}]"
        if kind is tuple:
            return f"({inside}{',' * bool(parts)})"
        if not outcome.keys:
            return f"{self._guards.bind(kind, 'o')}({inside})"  # a namedtuple
        fields = self._guards.bind(outcome.keys)
        return f"dataclass_of({self._guards.bind(kind, 'o')}, {fields}, ({inside},))"


def _looked_at_once(program: Program) -> set[Any]:
    """Return the identities of the places that nothing but one look needs."""
    looks = [each.place for each in program.looks]
    others = [each.expected for each in program.looks if type(each.expected) is Place]
    others += [each.place for each in (*program.forms, *program.inputs)]
    others += [place for place, _ in program.gradients]
    others += [x.target for x in program.effects if isinstance(x.target, Place)]
    others += [x.what for x in program.outcomes if isinstance(x.what, Place)]
    others += program.variables
    needed = {each.identity for each in others}
    needed |= {x.parent.identity for x in (*looks, *others) if x.parent is not None}
    counts = Counter(each.identity for each in looks if each.parent is not None)
    return {x for x, count in counts.items() if count == 1} - needed


def _dataclass_of(kind: Any, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    made = kind.__new__(kind)
    for name, x in zip(names, values, strict=True):
        object.__setattr__(made, name, x)
    return made


def _share_memory(targets: list[Any], arrays: list[Any]) -> bool:
    """Return whether an array that is written into may share memory with another one."""
    return any(
        np.may_share_memory(one, other) for one in targets for other in arrays if one is not other
    )
