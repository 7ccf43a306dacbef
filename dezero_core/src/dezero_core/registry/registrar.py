"""The registrations of one plugin, collected and checked before any of them is bound."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..array_types import ArrayType, broken_rule
from ..calls import operator_of
from ..config import Setting
from ..errors import PluginError, shown
from ..function import Function
from ..slots import OPERATORS, Binding, in_numpy, key_of, written
from ..variable import Variable
from .operation import Operation

if TYPE_CHECKING:
    from .sampling import Sample

_LONGEST_NAME = 200

#: Attributes that are no operator and yet may be bound: other libraries look at them.
_PROTOCOL_ATTRIBUTES = ("__array_priority__",)
_REPRESENTATION = re.compile("_repr_[a-z]+_")


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
        #: Operation -> its record; or, here and below, the announcement of the module that has it.
        self.operations: dict[str, Operation | Announcement] = {}
        #: Attribute of Variable, or `key_of` a function of NumPy -> its Binding.
        self.bindings: dict[Any, Any] = {}
        #: Kind and name, "observe.nan" or "executor.numpy" -> what makes one.
        self.parts: dict[str, Callable[[], Any]] = {}
        #: Class of arrays -> its type; and below, name of a setting -> its declaration.
        self.array_types: dict[type | str, ArrayType] = {}
        self.settings: dict[str, Setting] = {}
        #: The announcements whose module has not registered yet.
        self.announcements: list[Announcement] = []
        #: Names of all modules that were announced, also of those that were imported already.
        self.modules: list[str] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing is registered."""
        return not any(
            (self.operations, self.bindings, self.parts, self.array_types, self.settings)
        )

    def __call__(
        self,
        name: str,
        function: Callable[..., Any],
        function_class: type[Function] | None = None,
        *,
        differentiable: bool = True,
        approximate: str = "",
        dunders: Iterable[str] | Mapping[str, Any] = (),
        methods: Iterable[str] | Mapping[str, Any] = (),
        numpy: Callable[..., Any] | Iterable[Callable[..., Any]] = (),
        sample: Sample | None = None,
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
        sample : Sample, optional
            How to call it in tests.
        alternative : bool
            It contests nothing, and is used where the user chooses it. New in plugin API 1.3.

        Raises
        ------
        PluginError
            If it is no operation, or anything is taken already.
        """
        self._check_operation(name, function, function_class, sample)
        dunders, methods = _named(dunders, function), _named(methods, function)
        functions = (numpy,) if callable(numpy) or isinstance(numpy, str) else tuple(numpy)
        self._check_values(name, attributes := dunders | methods, functions)
        by_key = {key_of(known): known for known in functions}  # np.abs and np.absolute are one
        self._check_names([name], dunders, methods, by_key)
        alternative = alternative or self.alternative
        bound = partial(Binding, name, alternative=alternative)
        self.bindings |= {each: bound(value) for each, value in attributes.items()}
        self.bindings |= {key: bound(function, known) for key, known in by_key.items()}
        how = shown(str(approximate or getattr(function_class, "approximate", "")))
        facts = function, function_class, differentiable, how
        names = tuple(dunders), tuple(methods), tuple(by_key.values())
        self.operations[name] = Operation(name, self.plugin, *facts, *names, sample, alternative)

    def later(
        self,
        module: str,
        *,
        operations: str | Iterable[str],
        dunders: str | Iterable[str] = (),
        methods: str | Iterable[str] = (),
        numpy: str | Iterable[str] = (),
        alternative: bool = False,
    ) -> None:
        """Announce the operations of a module that is imported when one of them is first needed.

        The module has a function ``register_ops(register)``, which registers exactly these.

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
            As of a registration, for all of them: the module is imported only if it is chosen. New
            in plugin API 1.3.

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
        if not isinstance(module, str):
            raise self._refused(f"announces {module!r}; give the name of a module", repr(module))
        announced = [_listed(names) for names in (operations, dunders, methods, numpy)]
        for name in chain.from_iterable(announced):
            if not isinstance(name, str):
                raise self._refused(f"announces {name!r}, which is no name", module)
        new = Announcement(self.plugin, module, alternative, *announced)
        if not new.operations:
            raise self._refused(f"announces {module!r} without an operation", module)
        functions = [f"np.{name}" for name in new.numpy]
        self._check_names(new.operations, new.dunders, new.methods, functions)
        self.modules.append(module)
        self.announcements.append(new)
        self.operations |= dict.fromkeys(new.operations, new)
        self.bindings |= dict.fromkeys(new.bindings, new)
        imported = sys.modules.get(module)
        being_imported = getattr(getattr(imported, "__spec__", None), "_initializing", False)
        if imported is not None and not being_imported:  # nothing is to be gained by waiting
            self.take(new, new.kept_by(imported, self.record))

    def method(
        self, name: str, function: Callable[..., Any] | property, *, alternative: bool = False
    ) -> None:
        """Bind a method that is no operation. New in plugin API 1.2.

        Parameters
        ----------
        name : str
            Of a method, or of the form ``_repr_html_``: a representation that notebooks look for.
        function : callable or property
            Takes the Variable first.
        alternative : bool
            As of a registration. New in plugin API 1.3.

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
        self._check_names((), (), (name,), ())
        self._check_values(name, {name: function})
        alternative = alternative or self.alternative
        self.bindings[name] = Binding(None, function, alternative=alternative)

    def part(self, kind: str, name: str, made_by: Callable[[], Any]) -> None:
        """Register a part: with its kind, the ``register`` of the hooks for two kinds.

        Parameters
        ----------
        kind : str
            ``"observe"``, an observer; ``"executor"``, an executor.
        name : str
            By which users choose it, as in ``observe("nan")``.
        made_by : callable
            Makes one, for each block or program.

        Raises
        ------
        PluginError
            If `name` is none, or registered twice, or `made_by` cannot be called.
        """
        called = "observer" if kind == "observe" else kind
        if not (isinstance(name, str) and name and name.isprintable()):
            raise self._refused(f"registers {name!r} as the name of an {called}", repr(name))
        if not callable(made_by):
            raise self._refused(f"registers the {called} {name!r} with {made_by!r}", name)
        if f"{kind}.{name}" in self.parts:
            raise self._refused(f"registers the {called} {name!r} twice", name)
        self.parts[f"{kind}.{name}"] = made_by

    def array_type(self, new: ArrayType) -> None:
        """Register a type of arrays: the ``register`` that the hook for arrays is handed.

        Parameters
        ----------
        new : ArrayType

        Raises
        ------
        PluginError
            If it breaks a rule.
        PluginConflictError (PluginError)
            When the plugin is loaded, if another plugin has registered it.
        """
        rule = broken_rule(new, Variable)
        if not rule and not self.array_types.keys().isdisjoint(new.classes):
            rule = "it has registered that before"
        if rule:
            raise self._refused(
                f"registers {shown(repr(new))} as a type of arrays; {rule}", "arrays"
            )
        self.array_types |= dict.fromkeys(new.classes, new)

    def setting(self, name: str, default: bool) -> None:
        """Declare a switch: the ``register`` that the hook for settings is handed.

        Parameters
        ----------
        name : str
        default : bool

        Raises
        ------
        PluginError
            If `name` is no public name, or is declared, or `default` is no bool. If the core or
            another plugin has it, loading raises PluginConflictError.
        """
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("_"):
            raise self._refused(f"declares {name!r} as the name of a setting", repr(name))
        if not isinstance(default, bool) or name in self.settings:
            advice = "declare it once, as True or False"
            raise self._refused(f"declares the setting {name!r} as {default!r}; {advice}", name)
        self.settings[name] = Setting(default, self.plugin)

    def take(self, announcement: Announcement, late: Registrar) -> None:
        """Put the registrations of a module that was announced in place of the announcement."""
        left = {key: bound for key, bound in self.bindings.items() if bound is not announcement}
        self.bindings = left | late.bindings
        self.operations |= late.operations
        # Another list, since another thread may be going through this one.
        self.announcements = [each for each in self.announcements if each != announcement]

    def _check_operation(self, name: Any, function: Any, function_class: Any, sample: Any) -> None:
        if not (isinstance(name, str) and name.isprintable() and len(name) <= _LONGEST_NAME):
            listed = shown(repr(name))
            raise self._refused(f"registers {listed} as the name of an operation", listed)
        this = f"registers {name!r} with"
        if _is_function_class(function):
            cls = function.__name__
            advice = f"write a function that applies it, such as lambda x: {cls}()(x)"
            raise self._refused(f"{this} the class {cls}; {advice}", name)
        if not callable(function):
            raise self._refused(f"{this} {function!r}, which is no function", name)
        if function_class is not None and not _is_function_class(function_class):
            raise self._refused(f"{this} {function_class!r}, which is no Function class", name)
        if sample is not None:
            from .sampling import Call, Sample

            if not isinstance(sample, Sample):
                advice = "write Sample((Call(...),)), or elementwise((-3.0, 3.0))"
                what = f"{this} the sample {sample!r}, which is no Sample; {advice}"
                raise self._refused(what, name)
            calls = sample.calls
            if type(calls) not in (tuple, list) or not all(isinstance(c, Call) for c in calls):
                rule = "they are a tuple of calls, as in Sample((Call(...), Call(...)))"
                raise self._refused(f"{this} a Sample with the calls {calls!r}; {rule}", name)

    def _check_values(
        self, name: str, attributes: Mapping[str, Any], functions: Iterable[Any] = ()
    ) -> None:
        """Raise for a value that is no method, or no function of NumPy."""
        for known in functions:
            if not (isinstance(known, np.ufunc) or hasattr(known, "_implementation")):
                rule = "neither a ufunc nor one that asks __array_function__"
                what = f"binds {shown(repr(known))}, which is no function of NumPy: {rule}"
                raise self._refused(what, name)
        for attribute, value in attributes.items():
            is_method = callable(value) or hasattr(type(value), "__get__")
            if not is_method and attribute not in _PROTOCOL_ATTRIBUTES:
                raise self._refused(f"binds {attribute!r} to {value!r}, which is no method", name)

    def _check_names(
        self,
        operations: Iterable[str],
        dunders: Iterable[str],
        methods: Iterable[str],
        functions: Iterable[Any],
    ) -> None:
        """Raise for a name that may not be bound, and for one that is taken already."""
        for name in operations:
            if name in self.operations:
                raise self._refused(f"registers the operation {name!r} twice", name)
        for dunder in dunders:
            if dunder not in OPERATORS and dunder not in _PROTOCOL_ATTRIBUTES:
                known = f"the operators are {', '.join(OPERATORS)}"
                raise self._refused(f"binds {dunder!r}, which is no operator; {known}", dunder)
        for method in methods:
            private = str(method).startswith("_") and not _REPRESENTATION.fullmatch(method)
            if private or not method.isidentifier():
                raise self._refused(f"binds {method!r}, which is no name for a method", method)
        for key in functions:
            if key in self.bindings:
                raise self._refused(f"provides {written(key)} twice", written(key))
        for attribute in (*dunders, *methods):
            if attribute in self.bindings:
                raise self._refused(f"binds {attribute!r} twice", attribute)

    def _refused(self, what: str, name: str = "") -> PluginError:
        who = f"plugin {self.plugin!r}"
        if self.module:
            who = f"the module {self.module!r} of {who}"
        return PluginError(f"{who} {what}.", plugin=self.plugin, what=name or self.module)


class Announcement(NamedTuple):
    """A module of a plugin that is imported later, with the names that it then registers."""

    plugin: str
    module: str
    alternative: bool
    operations: tuple[str, ...]
    dunders: tuple[str, ...]
    methods: tuple[str, ...]
    numpy: tuple[str, ...]

    @property
    def operation(self) -> None:
        """None: the module says which, once it is imported."""

    @property
    def bindings(self) -> tuple[str, ...]:
        """The names that it binds: attributes of Variable, and functions of NumPy."""
        return (*self.dunders, *self.methods, *(f"np.{name}" for name in self.numpy))

    def announces_any(self, things: Iterable[Any]) -> bool:
        """Return whether any of these is one of its operations or bindings."""
        return not {*self.operations, *self.bindings}.isdisjoint(things)

    def kept_by(self, module: Any, record: Any) -> Registrar:
        """Let the module register, and return its registrations.

        Raises
        ------
        PluginError
            If they are not those that were announced.
        """
        late = Registrar(self.plugin, record, self.module, self.alternative)
        module.register_ops(late)
        if late.modules:
            raise late._refused("announces others in turn; name them in the plugin's hook")
        if late.parts:
            raise late._refused("registers observers; do that in a hook of the plugin")
        found, announced = _written_all(late), _written_all(self)
        if missing := ", ".join(sorted(filter(_can_be_bound, announced - found))):
            raise late._refused(f"does not register {missing}")
        if more := ", ".join(sorted(found - announced)):
            raise late._refused(f"registers {more}, and this was not announced")
        return late


def _is_function_class(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Function)


def _named(names: Iterable[str] | Mapping[str, Any], function: Any) -> dict[str, Any]:
    if isinstance(names, str):
        names = (names,)
    named = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, function)
    for name, value in named.items():
        if _is_function_class(value):
            named[name] = operator_of(value, function)
    return named


def _listed(names: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.split() if isinstance(names, str) else names))


def _written_all(these: Registrar | Announcement) -> set[str]:
    return {
        *(f"the operation {name!r}" for name in these.operations),
        *map(written, these.bindings),
    }


def _can_be_bound(name: str) -> bool:
    """Return whether there is such a thing: an older NumPy may not have the function."""
    return not name.startswith("np.") or in_numpy(name.removeprefix("np.")) is not None
