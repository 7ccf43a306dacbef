"""Earlier recordings of a function: their costs, forms and numbers, and how they differ."""

from __future__ import annotations

from contextlib import suppress
from types import NoneType
from typing import Any

import numpy as np
from dezero_tools.functional.trees import fields_of

from dezero_core import Variable

from .guards.places import Place
from .program import Program
from .tape.nested import equal


class Costs:
    """The time spent on recordings that have led to nothing so far, and on eager calls."""

    def __init__(self) -> None:
        self.recording = self.eager = 0.0
        self.in_vain = 0

    def allow(self, of_form: Costs) -> bool:
        """Return whether a call may be recorded: not for longer than eager calls took so far."""
        if of_form.in_vain > 1 and of_form.recording * (of_form.in_vain - 1) > of_form.eager:
            return of_form.in_vain < FREE and self.in_vain < FREE
        return self.in_vain < FREE or self.recording <= self.eager

    def succeed(self, of_form: Costs) -> None:
        """Note that the recordings of a form were not in vain."""
        self.recording -= of_form.recording
        self.in_vain -= of_form.in_vain
        of_form.recording = of_form.eager = 0.0
        of_form.in_vain = 0


class Numbers:
    """The numbers that a function reads, and those that differ from call to call: inputs."""

    def __init__(self) -> None:
        #: Identity of a place -> the place, and the number that was there first.
        self._seen: dict[Any, tuple[Place, Any]] = {}
        self._varying: set[Any] = set()
        self._fixed: set[Any] = set()

    def varying(self, args: Any, kwargs: Any) -> set[Any]:
        """Return the identities of the places whose numbers are inputs, in a call like this."""
        for identity, (place, before) in self._seen.items():
            if identity in self._varying:
                continue
            with suppress(Exception):  # there may be nothing any more
                now = place.read(args, kwargs)
                if type(now) is type(before) and not equal(now, before):
                    self._varying.add(identity)
        return self._varying - self._fixed

    def note(self, numbers: list[tuple[Place, Any]]) -> None:
        """Note the numbers that a recording has read."""
        for place, x in numbers:
            self._seen.setdefault(place.identity, (place, x))

    def fix(self, identities: set[Any]) -> None:
        """Note that numbers do more than what a program can follow: they are no inputs."""
        self._fixed |= identities


class Key:
    """The recordings of one form of arguments that are not yet programs."""

    def __init__(self) -> None:
        self.single: list[Program] = []
        self.costs = Costs()


def changes(before: Program, program: Program) -> str:
    """Return in words what differs between two recordings; "" if only numbers do."""
    forms = {x.identity: x.value.form for x in before.forms}
    pairs = [(str(x), forms.get(x.identity), x.value.form) for x in program.forms]
    names = [name for name, form, now in pairs if form is not None and form != now]
    if len(names) == 1:
        return f"{names[0]} changes in each call, in shape or type"
    if names:
        *others, last = [name.removeprefix("argument ") for name in names]
        listed = f"{', '.join(others)} and {last}"
        kind = "arguments " if all(each.place.is_of_arguments for each in program.forms) else ""
        return f"{kind}{listed} change in each call, in shape or type"
    expected = {x.identity: x.expected for x in before.looks if x.what != "is at"}
    for look in program.looks:
        if look.identity in expected and not _same(expected[look.identity], look.expected):
            return f"{look.place} changes in each call"
    return ""


def decides(before: Program, program: Program) -> str:
    """Return in words which whole number has decided otherwise in another recording; or ""."""
    numbers = {x.identity: n for x, n in zip(before.inputs, before.decided, strict=True)}
    for x, now in zip(program.inputs, program.decided, strict=True):
        if now is not None and numbers.get(x.identity) not in (None, now):
            return f"{x} decides which calls are made, and changes in each call"
    return ""


def _same(a: Any, b: Any) -> bool:
    if type(a) is type(b) is list:  # of keys
        return len(a) == len(b) and all(map(_same, a, b))
    return a is b or (type(a) is type(b) and isinstance(a, (int, float, str)) and a == b)


def form_of(tree: Any) -> Any:
    """Return a form of arguments: calls with equal ones may have one program."""
    if isinstance(tree, np.ndarray):
        return np.ndarray, tree.shape, tree.dtype, tree.strides
    if isinstance(tree, Variable):
        return type(tree), form_of(tree.data)
    if isinstance(tree, tuple):
        return type(tree), tuple(map(form_of, tree))
    if isinstance(tree, (list, dict, int, float, complex, np.generic, NoneType)):
        return type(tree)  # lists and dicts may grow from call to call
    if isinstance(tree, slice):
        return slice, form_of((tree.start, tree.stop, tree.step))
    if isinstance(tree, (str, bytes)):
        return tree
    found = fields_of(tree)
    return type(tree), id(tree) if found is None else form_of(found)


FREE = 10
"""So many recordings that led to no program are made at once; later ones wait, see `Costs`."""
