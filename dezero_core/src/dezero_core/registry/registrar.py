"""What a plugin's hook registers, collected and checked before any of it is bound."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..calls import operator_of
from ..errors import PluginError, shown
from ..function import Function
from ..operators import OPERATORS, numpy_name

if TYPE_CHECKING:
    from .sampling import Sample

_LONGEST_NAME = 200

#: Attributes that are no operator and yet may be bound: other libraries look at them.
_PROTOCOL_ATTRIBUTES = ("__array_priority__",)
_REPRESENTATION = re.compile("_repr_[a-z]+_")


class Operation(NamedTuple):
    """What the registry knows of one operation.

    Attributes
    ----------
    name : str
    plugin : str
        Name of the plugin that provides it.
    function : callable
        The public function.
    function_class : type or None
        The Function it applies, where it is one.
    differentiable : bool
        False for one that returns plain arrays, because it has no derivative.
    approximate : str
        How it is approximated, as its author says; empty for one that is exact.
    dunders, methods : tuple of str
        What it is bound to on Variable.
    numpy : tuple of callable
        The NumPy functions that call it when they meet a Variable.
    sample : Sample or None
        How it is called in tests; it is not compared, since two are never equal.
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
    sample: Sample | None

    @property
    def order(self) -> int:
        """How often it can be differentiated; 2 stands for any number of times."""
        if not self.differentiable:
            return 0
        return 2 if self.sample is None else self.sample.order

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-1])


class Registrar:
    """Collects what one plugin registers; the ``register`` that its hook is handed.

    Parameters
    ----------
    plugin : str
        Name of the plugin.
    """

    def __init__(self, plugin: str) -> None:
        self.plugin = plugin
        #: In place of what is announced, here and below, is the family that will register it.
        self.operations: dict[str, Operation | Family] = {}
        self.bindings: dict[str, Any] = {}
        #: NumPy's functions by name, those of others by themselves.
        self.functions: dict[Any, None] = {}
        #: Name -> what makes the observer.
        self.observers: dict[str, Callable[[], Any]] = {}
        self.families: list[Family] = []
        #: Names of all modules that were announced, also of those that were imported already.
        self.modules: list[str] = []

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
    ) -> None:
        """Register one operation.

        Parameters
        ----------
        name : str
            Under which it is listed; NumPy's name where NumPy has the operation.
        function : callable
            The public function. It takes Variables, arrays and scalars.
        function_class : type, optional
            The Function it applies; none if it is composed of other operations, or has no
            derivative.
        differentiable : bool
            Say False if it returns plain arrays.
        approximate : str
            How it is approximated, as "series of 10 terms", if it is; by default what
            `function_class` says.
        dunders : iterable of str, or mapping from str to callable or Function class
            Special methods of Variable to bind: to `function`, or to the value given. A
            Function class is applied to the operands as they stand, and that is faster.
        methods : iterable of str, or mapping from str to callable or property
            Methods (or properties) of Variable to bind, likewise.
        numpy : callable or iterable of callable
            NumPy functions that become differentiable by it.
        sample : Sample, optional
            How to call it in tests; `elementwise` makes one.

        Raises
        ------
        PluginError
            If it is registered twice, is no operation, or would bind something that is
            not an operator or belongs to the core.

        Examples
        --------
        A plugin's hook (``softplus`` and ``Softplus`` are the author's)::

            @hookimpl
            def dezero_register_ops(register):
                register("softplus", softplus, Softplus, methods=("softplus",))
        """
        if not (isinstance(name, str) and name.isprintable() and len(name) <= _LONGEST_NAME):
            raise self._refused(
                f"registers {shown(repr(name))} as the name of an operation", shown(repr(name))
            )
        if isinstance(function, type) and issubclass(function, Function):
            raise self._refused(
                f"registers {name!r} with the class {function.__name__}; write a function that "
                f"applies it, such as lambda x: {function.__name__}()(x)",
                name,
            )
        if not callable(function):
            raise self._refused(f"registers {name!r} with {function!r}, which is no function", name)
        if function_class is not None and not (
            isinstance(function_class, type) and issubclass(function_class, Function)
        ):
            raise self._refused(
                f"registers {name!r} with {function_class!r}, which is no Function class", name
            )
        if sample is not None:
            from .sampling import Sample

            if not isinstance(sample, Sample):
                raise self._refused(
                    f"registers {name!r} with the sample {sample!r}, which is no Sample", name
                )
        dunders, methods = _named(dunders, function), _named(methods, function)
        functions = (numpy,) if callable(numpy) or isinstance(numpy, str) else tuple(numpy)
        for known in functions:
            if not callable(known):
                raise self._refused(f"binds {known!r}, which is no function of NumPy", name)
        for attribute, value in (dunders | methods).items():
            if not _bindable(value) and attribute not in _PROTOCOL_ATTRIBUTES:
                raise self._refused(f"binds {attribute!r} to {value!r}, which is no method", name)
        functions = tuple(dict.fromkeys(functions))  # np.abs and np.absolute are one
        self._check([name], dunders, methods, list(map(key_of, functions)))
        self.bindings |= dunders | methods
        self.functions |= dict.fromkeys(map(key_of, functions))
        self.operations[name] = Operation(
            name=name,
            plugin=self.plugin,
            function=function,
            function_class=function_class,
            differentiable=differentiable,
            approximate=shown(str(approximate or getattr(function_class, "approximate", ""))),
            dunders=tuple(dunders),
            methods=tuple(methods),
            numpy=functions,
            sample=sample,
        )

    def later(
        self,
        module: str,
        *,
        operations: str | Iterable[str],
        dunders: str | Iterable[str] = (),
        methods: str | Iterable[str] = (),
        numpy: str | Iterable[str] = (),
    ) -> None:
        """Announce the operations of a module that is imported when one of them is first needed.

        The module has a function ``register_ops(register)``, which registers exactly what is
        announced here. For plugins of many modules: the import of `dezero_core` then takes none
        of their time.

        Parameters
        ----------
        module : str
            Its full name.
        operations, dunders, methods : str or iterable of str
            The names that are registered and bound; in a string, spaces are between them.
        numpy : str or iterable of str
            NumPy functions that become differentiable, as they are called without ``np.``; a ufunc
            of another library by its ``__name__``.

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
        names = [_listed(names) for names in (operations, dunders, methods, numpy)]
        for announced in (name for listed in names for name in listed):
            if not isinstance(announced, str):
                raise self._refused(f"announces {announced!r}, which is no name", module)
        family = Family(self.plugin, module, *names)
        if not family.operations:
            raise self._refused(f"announces {module!r} without an operation", module)
        self._check(family.operations, family.dunders, family.methods, family.numpy)
        self.modules.append(module)
        imported = sys.modules.get(module)
        spec = getattr(imported, "__spec__", None)
        if imported is None or getattr(spec, "_initializing", False):
            self.families.append(family)
            self.operations |= dict.fromkeys(family.operations, family)
            self.bindings |= dict.fromkeys(family.attributes, family)
            self.functions |= dict.fromkeys(family.numpy)
        else:  # then there is nothing to be gained by waiting
            self._add(family.registered(imported))

    def method(self, name: str, function: Callable[..., Any] | property) -> None:
        """Bind a method that is no operation: by its name alone, and undone with the plugin.

        New in plugin API 1.2.

        Parameters
        ----------
        name : str
            Of a method, or of the form ``_repr_html_``: a representation that notebooks look for.
        function : callable or property
            Takes the Variable first.

        Raises
        ------
        PluginError
            If `name` is none for a method, or bound twice, or `function` is no method.
        PluginConflictError (PluginError)
            When the plugin is loaded, if the core or another plugin has it.

        Examples
        --------
        >>> @hookimpl
        ... def dezero_register_ops(register):
        ...     register.method("_repr_html_", lambda variable: f"<pre>{variable}</pre>")
        """
        self._check((), (), (name,), ())
        if not _bindable(function):
            raise self._refused(f"binds {name!r} to {function!r}, which is no method", name)
        self.bindings[name] = function

    def observer(self, name: str, made_by: Callable[[], Any]) -> None:
        """Register an observer: the ``register`` that the hook for observers is handed.

        Parameters
        ----------
        name : str
            By which ``observe`` knows it.
        made_by : callable
            Makes one, for each block.

        Raises
        ------
        PluginError
            If `name` is none, or registered twice, or `made_by` cannot be called.
        """
        if not (isinstance(name, str) and name and name.isprintable()):
            raise self._refused(f"registers {name!r} as the name of an observer", repr(name))
        if not callable(made_by):
            raise self._refused(f"registers the observer {name!r} with {made_by!r}", name)
        if name in self.observers:
            raise self._refused(f"registers the observer {name!r} twice", name)
        self.observers[name] = made_by

    def take(self, family: Family, module: Any) -> None:
        """Let a module that was announced register now, and not when it is first needed.

        Raises
        ------
        PluginError
            If it registers other things than it announced.
        """
        registrar = family.registered(module)
        self.families.remove(family)
        self._add(registrar)

    def _add(self, registrar: Registrar) -> None:
        self.operations |= registrar.operations
        self.bindings |= registrar.bindings
        self.functions |= registrar.functions

    def _check(
        self,
        operations: Iterable[str],
        dunders: Iterable[str],
        methods: Iterable[str],
        functions: Iterable[Any],
    ) -> None:
        """Raise for what may not be bound, and for what is registered already."""
        for name in operations:
            if name in self.operations:
                raise self._refused(f"registers the operation {name!r} twice", name)
        for dunder in dunders:
            if dunder not in OPERATORS and dunder not in _PROTOCOL_ATTRIBUTES:
                raise self._refused(
                    f"binds {dunder!r}, which is no operator; the operators are "
                    f"{', '.join(OPERATORS)}",
                    dunder,
                )
        for method in methods:
            private = str(method).startswith("_") and not _REPRESENTATION.fullmatch(method)
            if private or not method.isidentifier():
                raise self._refused(f"binds {method!r}, which is no name for a method", method)
        for key in functions:
            if key in self.functions:
                raise self._refused(f"provides {written(key)} twice", written(key))
        for attribute in (*dunders, *methods):
            if attribute in self.bindings:
                raise self._refused(f"binds {attribute!r} twice", attribute)

    def _refused(self, what: str, name: str) -> PluginError:
        return PluginError(f"plugin {self.plugin!r} {what}.", plugin=self.plugin, what=name)


class Family(NamedTuple):
    """A module of a plugin that is announced and imported later, with what it will register."""

    plugin: str
    module: str
    operations: tuple[str, ...]
    dunders: tuple[str, ...]
    methods: tuple[str, ...]
    numpy: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """What it binds onto Variable."""
        return self.dunders + self.methods

    def registered(self, module: Any) -> Registrar:
        """Let the module register.

        Raises
        ------
        PluginError
            If it registers other things than it announced.
        """
        registrar = Registrar(self.plugin)
        module.register_ops(registrar)
        if registrar.modules:
            raise self._refused("announces others in turn; name them in the plugin's hook")
        if registrar.observers:
            raise self._refused("registers observers; do that in a hook of the plugin")
        found = _names(registrar.operations, registrar.bindings, registrar.functions)
        announced = _names(self.operations, self.attributes, self.numpy)
        missing = announced - found - {f"np.{name}" for name in self.numpy if not _in_numpy(name)}
        if missing:
            raise self._refused(f"does not register {', '.join(sorted(missing))}")
        if not found <= announced:
            names = ", ".join(sorted(found - announced))
            raise self._refused(f"registers {names}, and this was not announced")
        return registrar

    def _refused(self, what: str) -> PluginError:
        return PluginError(
            f"the module {self.module!r} of plugin {self.plugin!r} {what}.",
            plugin=self.plugin,
            what=self.module,
        )


def _bindable(value: Any) -> bool:
    return callable(value) or hasattr(type(value), "__get__")


def _named(names: Iterable[str] | Mapping[str, Any], function: Any) -> dict[str, Any]:
    if isinstance(names, str):
        names = (names,)
    named = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, function)
    for name, value in named.items():
        if isinstance(value, type) and issubclass(value, Function):
            named[name] = operator_of(value, function)
    return named


def _listed(names: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names.split() if isinstance(names, str) else names))


def key_of(function: Callable[..., Any]) -> Any:
    """Return the name of a function of NumPy, and any other as it is."""
    name = numpy_name(function)
    return name if _in_numpy(name) is function else function


def _in_numpy(name: str) -> Any:
    """Return what NumPy has under a name, None if it has nothing, as an older version may."""
    found: Any = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _names(
    operations: Iterable[str], attributes: Iterable[str], functions: Iterable[Any]
) -> set[str]:
    """Return all of these as messages write them."""
    return {
        *(f"the operation {name!r}" for name in operations),
        *(f"Variable.{attribute}" for attribute in attributes),
        *map(written, functions),
    }


def written(key: Any) -> str:
    """Return what `key_of` gave, as messages write it."""
    return f"np.{key if isinstance(key, str) else numpy_name(key)}"
