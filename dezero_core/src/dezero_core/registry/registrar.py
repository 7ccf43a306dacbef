"""The registrations of one plugin, collected and checked before any of them is bound."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..arrays import ARRAY_TYPES, ArrayType
from ..calls import operator_of
from ..errors import PluginError, shown
from ..function import Function
from ..providers import KINDS, OPERATORS, Binding, Kind, in_numpy
from ..slots import key_of, name_of
from ..variable import Variable

Names = str | Iterable[str]

_LONGEST_NAME = 200
#: An attribute that is no operator and yet may be bound: other libraries look at it.
_PRIORITY = "__array_priority__"
_REPRESENTATION = re.compile("_repr_[a-z]+_")


class Operation(NamedTuple):
    """The record of one operation.

    Attributes
    ----------
    name, plugin, function, function_class, differentiable, approximate, sample, alternative
    dunders, methods, numpy
        As they were registered: `Registrar` explains each.
    """

    name: str
    plugin: str
    function: Callable[..., Any]
    function_class: type[Function] | None
    differentiable: bool
    approximate: str
    dunders: tuple[str, ...]
    methods: tuple[str, ...]
    numpy: tuple[Callable[..., Any], ...]
    sample: Callable[[Any], Any] | None = None
    alternative: bool = False

    @property
    def operations(self) -> tuple[str, ...]:
        """Its name, as of a `Binding`."""
        return (self.name,)

    def __repr__(self) -> str:
        """Name it and its plugin: its fields would fill a screen for a few operations."""
        return f"Operation({self.name!r} of {self.plugin!r})"


class Announcement(NamedTuple):
    """A module of a plugin that is imported later, with the names that it then registers."""

    plugin: str
    module: str
    alternative: bool
    operations: tuple[str, ...]
    #: Attributes of Variable, and functions of NumPy as ``"np.exp"``.
    names: tuple[str, ...]

    def registrations_of(self, module: Any, record: Any) -> Registrar:
        """Let the module register, and return its registrations, if they are those announced."""
        late = Registrar(self.plugin, record, self.module, self.alternative)
        module.register_ops(late)
        announced = {*self.operations, *map(name_of, self.names)}
        found = {*late.operations, *map(name_of, late.bindings)}
        functions = {name for name in announced if name.startswith("np.")}
        lacking = {name for name in functions if in_numpy(name.removeprefix("np.")) is None}
        if missing := ", ".join(sorted(announced - found - lacking)):  # an older NumPy lacks some
            raise late._refused(f"does not register {missing}")
        if more := ", ".join(sorted(found - announced)):
            raise late._refused(f"registers {more}, and this was not announced")
        return late


class Registrar:
    """Collects the registrations of one plugin: the ``register`` that its hook is given.

    Parameters
    ----------
    plugin : str
        Name of the plugin.
    record : PluginRecord, optional
        Its record, for messages.
    module : str, optional
        The module whose registrations these are, if it was announced.
    alternative : bool
        Whether it was announced as an alternative, with all its registrations.
    """

    def __init__(
        self, plugin: str, record: Any = None, module: str = "", alternative: bool = False
    ) -> None:
        self.plugin, self.record, self.module = plugin, record, module
        self.alternative = alternative
        #: Operation -> its record; or the announcement of the module that has it.
        self.operations: dict[str, Operation | Announcement] = {}
        #: Key of a name, as of a `Slot` -> its Binding; the value may be an announcement.
        self.bindings: dict[Any, Binding] = {}
        #: Names of all modules that were announced.
        self.modules: list[str] = []

    def __call__(
        self,
        name: str,
        function: Callable[..., Any],
        function_class: type[Function] | None = None,
        *,
        differentiable: bool = True,
        approximate: str = "",
        dunders: Names | Mapping[str, Any] = (),
        methods: Names | Mapping[str, Any] = (),
        numpy: Callable[..., Any] | Iterable[Callable[..., Any]] = (),
        sample: Callable[[Any], Any] | None = None,
        alternative: bool = False,
    ) -> None:
        """Register one operation, under NumPy's name where NumPy has it.

        Parameters
        ----------
        name : str
        function : callable
            The public function, of Variables, arrays and scalars.
        function_class : type, optional
            The Function it applies; none if it composes other operations, or has no derivative.
        differentiable : bool
            False if it returns plain arrays.
        approximate : str
            The kind of approximation, as "series of 10 terms"; by default that of the class.
        dunders, methods : iterable of str, or mapping from str to callable
            Attributes of Variable to bind: to `function`, or to the value given. That of a method
            may be a property. A Function class is applied to the operands as they stand, faster.
        numpy : callable or iterable of callable
            NumPy functions that become differentiable by it.
        sample : callable, optional
            Takes the conformance kit, and returns how to call it in tests: ``lambda kit:
            kit.elementwise((-3.0, 3.0))``. It is stored, and the kit alone calls it.
        alternative : bool
            It contests nothing, and is used where the user chooses it.

        Raises
        ------
        PluginError
            If the arguments are not those of an operation, or a name is taken already.
        """
        self._check_operation(name, function, function_class)
        dunders, methods = _named(dunders, function), _named(methods, function)
        by_key = self._functions_of_numpy(name, numpy)
        self._check_names([name], dunders, methods, by_key)
        alternative = alternative or self.alternative
        for attribute, value in (dunders | methods).items():
            self._bind(attribute, value, (name,), alternative)
        bound = partial(Binding, (name,), function, alternative=alternative)
        self.bindings |= {key: bound(known) for key, known in by_key.items()}
        how = shown(str(approximate or getattr(function_class, "approximate", "")))
        facts = function, function_class, differentiable, how
        names = tuple(dunders), tuple(methods), tuple(by_key.values())
        self.operations[name] = Operation(name, self.plugin, *facts, *names, sample, alternative)

    def later(
        self,
        module: str,
        *,
        operations: Names,
        dunders: Names = (),
        methods: Names = (),
        numpy: Names = (),
        alternative: bool = False,
    ) -> None:
        """Announce the operations of a module that is imported when one of them is first needed.

        The module has a function ``register_ops(register)``, which registers exactly these. That is
        worth it for a plugin of many modules.

        Parameters
        ----------
        module : str
            Its full name.
        operations, dunders, methods : str or iterable of str
            The names that are registered and bound; in a string, spaces are between them.
        numpy : str or iterable of str
            NumPy functions that become differentiable, as they are called without ``np.``; a ufunc
            of another library by its ``__name__``.
        alternative : bool
            As in a registration, for all of them: the module is imported only if it is chosen.

        Raises
        ------
        PluginError
            As for a registration.

        Examples
        --------
        ::

            @hookimpl
            def dezero_register_ops(register):
                register.later("my_ops.bessel", operations="j0 j1", methods="j0")
        """
        if self.module or not isinstance(module, str):
            advice = "announce modules by their names, in the plugin's hook"
            raise self._refused(f"announces {module!r}; {advice}", repr(module))
        announced, special, plain, known = map(_listed, (operations, dunders, methods, numpy))
        for name in (*announced, *special, *plain, *known):
            if not isinstance(name, str):
                raise self._refused(f"announces {name!r}, which is no name", module)
        if not announced:
            raise self._refused(f"announces {module!r} without an operation", module)
        functions = tuple(f"np.{name}" for name in known)
        self._check_names(announced, special, plain, functions)
        names = (*special, *plain, *functions)
        new = Announcement(self.plugin, module, alternative, announced, names)
        self.modules.append(module)
        self.operations |= dict.fromkeys(announced, new)
        self.bindings |= dict.fromkeys(names, Binding(announced, new, alternative=alternative))

    def method(
        self, name: str, function: Callable[..., Any] | property, *, alternative: bool = False
    ) -> None:
        """Bind a method that is no operation.

        Parameters
        ----------
        name : str
            Of a method, or of the form ``_repr_html_``: a representation that notebooks look for.
        function : callable or property
            Takes the Variable first.
        alternative : bool
            As of a registration.

        Raises
        ------
        PluginError
            If `name` is none for a method, or bound twice, or `function` is no method.
        PluginConflictError (PluginError)
            When the plugin is loaded, if the core has it.

        Examples
        --------
        >>> @hookimpl
        ... def dezero_register_ops(register):
        ...     register.method("_repr_html_", lambda variable: f"<pre>{variable}</pre>")
        """
        self._check_names(methods=(name,))
        self._bind(name, function, (), alternative or self.alternative)

    def part(self, kind: str, name: str, value: Any) -> None:
        """Register a part that the core or a tool asks for by its kind and name.

        Parameters
        ----------
        kind : str
            ``"array"``, a type of arrays, ``"setting"``, a switch of `Config`, and ``"adviser"``,
            a function that completes messages of errors, are the core's; ``"observer"`` is
            dezero-tools', and ``"executor"`` dezero-replay's. Each says which values are valid.
        name : str
            By which users choose it, as in ``observe("nan")``.
        value : object
            An `ArrayType`; the default of the setting, True or False; what makes an observer, or an
            executor.

        Raises
        ------
        PluginError
            If `kind` or `name` is none, or the part is registered twice, or breaks a rule of the
            core's.
        PluginConflictError (PluginError)
            When the plugin is loaded, if another plugin has this type of arrays or setting.

        Examples
        --------
        >>> @hookimpl
        ... def dezero_register_ops(register):
        ...     register.part("setting", "augment", True)
        """
        rule = ""
        if not (isinstance(kind, str) and kind.isidentifier() and kind != "np"):
            rule = "its kind must be a word"
        elif not (isinstance(name, str) and name and name.isprintable()):
            rule = "its name must be a word"
        elif f"{kind}.{name}" in self.bindings:
            rule = "that is done already"
        elif self.module:
            rule = "do that in the plugin's hook"
        elif kind in KINDS:
            rule = KINDS[kind].rule(name, value)
        if rule:
            raise self._refused(f"registers {shown(f'the {kind} {name!r}, {value!r}')}; {rule}")
        self.bindings[f"{kind}.{name}"] = Binding((), value)

    def take(self, announcement: Announcement, late: Registrar) -> None:
        """Put the registrations of a module that was announced in place of the announcement."""
        kept = {key: b for key, b in self.bindings.items() if b.value is not announcement}
        self.bindings = kept | late.bindings
        self.operations = self.operations | late.operations  # others may iterate over the old dict

    @property
    def announcements(self) -> list[Announcement]:
        """The announcements whose module has not registered yet."""
        return list({each: 0 for each in self.operations.values() if type(each) is Announcement})

    def _functions_of_numpy(self, name: str, given: Any) -> dict[Any, Callable[..., Any]]:
        """Return NumPy's functions by their keys: np.abs and np.absolute are one."""
        functions = (given,) if callable(given) or isinstance(given, str) else tuple(given)
        for known in functions:
            of_ufunc = isinstance(getattr(known, "__self__", known), np.ufunc)
            if not (of_ufunc or hasattr(known, "_implementation")):
                rule = "neither a ufunc nor one that asks __array_function__"
                what = f"binds {shown(repr(known))}, which is no function of NumPy: {rule}"
                raise self._refused(what, name)
        return {key_of(known): known for known in functions}

    def _bind(self, name: str, value: Any, operations: tuple[str, ...], alternative: bool) -> None:
        if not (callable(value) or hasattr(type(value), "__get__") or name == _PRIORITY):
            raise self._refused(f"binds {name!r} to {value!r}, which is no method", name)
        self.bindings[name] = Binding(operations, value, alternative=alternative)

    def _check_operation(self, name: Any, function: Any, function_class: Any) -> None:
        if not (isinstance(name, str) and name.isprintable() and len(name) <= _LONGEST_NAME):
            raise self._refused(f"registers {shown(repr(name))} as the name of an operation")
        wrong = f"{function!r}, which is no function" if not callable(function) else ""
        if _is_function_class(function):
            advice = f"such as lambda x: {function.__name__}()(x)"
            wrong = f"a Function class; write a function that applies it, {advice}"
        elif function_class is not None and not _is_function_class(function_class):
            wrong = f"{function_class!r}, which is no Function class"
        if wrong:
            raise self._refused(f"registers {name!r} with {wrong}", name)

    def _check_names(
        self,
        operations: Iterable[str] = (),
        dunders: Iterable[str] = (),
        methods: Iterable[str] = (),
        functions: Iterable[Any] = (),
    ) -> None:
        """Raise for a name that may not be bound, and for one that is taken already."""
        for dunder in dunders:
            if dunder not in OPERATORS and dunder != _PRIORITY:
                known = f"the operators are {', '.join(OPERATORS)}"
                raise self._refused(f"binds {dunder!r}, which is no operator; {known}", dunder)
        for method in methods:
            private = str(method).startswith("_") and not _REPRESENTATION.fullmatch(method)
            if private or not method.isidentifier():
                raise self._refused(f"binds {method!r}, which is no name for a method", method)
        for name in operations:
            if name in self.operations:
                raise self._refused(f"registers the operation {name!r} twice", name)
        for key in (*functions, *dunders, *methods):
            if key in self.bindings:
                raise self._refused(f"provides {name_of(key)} twice", name_of(key))

    def _refused(self, what: str, name: str = "") -> PluginError:
        who = f"the module {self.module!r} of " if self.module else ""
        message = f"{who}plugin {self.plugin!r} {what}."
        return PluginError(message, plugin=self.plugin, what=name or self.module)


def _broken_rule(name: str, new: Any) -> str:
    """Return the rule that a plugin's type of arrays breaks, ``""`` if none.

    The core knows ndarrays, numbers and Variables by itself: their classes, base classes of these
    and classes derived from them may not be registered.
    """
    if not isinstance(new, ArrayType):
        return "it must be an ArrayType"
    if new.name != name:
        return f"the name of the ArrayType must be {name!r}, too"
    if not new.classes:
        return "its types must be a class or more"
    for cls in new.classes:
        taken = [other.name for other in ARRAY_TYPES.values() if cls in other.classes]
        if taken:
            return f"{cls} is of the type {taken[0]!r} already"
        if isinstance(cls, str) and re.fullmatch(r"\w[\w.]*:\w+", cls):
            continue
        if not isinstance(cls, type):
            return f"{cls!r} must be a class"
        for known in (np.ndarray, np.generic, int, float, complex, Variable):
            if issubclass(cls, known) or issubclass(known, cls):
                return f"{cls.__name__} must not be, derive from, or be a base of {known.__name__}"
        for protocol in ("__array_ufunc__", "__array_function__"):
            if not callable(getattr(cls, protocol, None)):
                return f"{cls.__name__} must define {protocol}"
        if not cls.__weakrefoffset__:
            return f"{cls.__name__} must have '__weakref__' among its __slots__"
    return ""


KINDS["array"] = Kind(ARRAY_TYPES, _broken_rule)


def _is_function_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Function)


def _named(names: Names | Mapping[str, Any], function: Any) -> dict[str, Any]:
    if isinstance(names, str):
        names = (names,)
    named = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, function)
    classes = {name: value for name, value in named.items() if _is_function_class(value)}
    return named | {name: operator_of(cls, function) for name, cls in classes.items()}


def _listed(names: Names) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.split() if isinstance(names, str) else names))
