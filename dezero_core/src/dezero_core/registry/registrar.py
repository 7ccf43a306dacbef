"""The registrations of one plugin, collected and checked before any of them is bound."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from ..calls import operator_of
from ..errors import PluginError, shown
from ..function import Function
from ..slots import OPERATORS, Binding, in_numpy, key_of, numpy_name

if TYPE_CHECKING:
    from .sampling import Sample

_LONGEST_NAME = 200

#: Attributes that are no operator and yet may be bound: other libraries look at them.
_PROTOCOL_ATTRIBUTES = ("__array_priority__",)
_REPRESENTATION = re.compile("_repr_[a-z]+_")


class Operation(NamedTuple):
    """The record of one operation.

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
        The attributes of Variable that call it.
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
    """Collects the registrations of one plugin: the ``register`` that its hook is given.

    Parameters
    ----------
    plugin : str
        Name of the plugin.
    """

    def __init__(self, plugin: str) -> None:
        self.plugin = plugin
        #: Operation -> its record; or, here and below, the announcement of the module that has it.
        self.operations: dict[str, Operation | Announcement] = {}
        #: Attribute of Variable, or `key_of` a function of NumPy -> its Binding.
        self.bindings: dict[Any, Any] = {}
        #: Observer -> the callable that makes one.
        self.observers: dict[str, Callable[[], Any]] = {}
        #: The announcements whose module has not registered yet.
        self.announcements: list[Announcement] = []
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
            It is listed under this name: NumPy's, where NumPy has the operation.
        function : callable
            The public function. It takes Variables, arrays and scalars.
        function_class : type, optional
            The Function it applies; none if it is composed of other operations, or has no
            derivative.
        differentiable : bool
            Say False if it returns plain arrays.
        approximate : str
            The kind of approximation, as "series of 10 terms", if it is not exact; by default
            the attribute of that name of `function_class`.
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
        self._check_operation(name, function, function_class, sample)
        dunders, methods = _named(dunders, function), _named(methods, function)
        functions = (numpy,) if callable(numpy) or isinstance(numpy, str) else tuple(numpy)
        self._check_values(name, dunders | methods, functions)
        functions = tuple(dict.fromkeys(functions))  # np.abs and np.absolute are one
        keys = list(map(key_of, functions))
        self._check_names([name], dunders, methods, keys)
        for attribute, value in (dunders | methods).items():
            self.bindings[attribute] = Binding(name, value)
        for key, known in zip(keys, functions, strict=True):
            self.bindings[key] = Binding(name, function, known)
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
        announced = [_listed(names) for names in (operations, dunders, methods, numpy)]
        for name in chain.from_iterable(announced):
            if not isinstance(name, str):
                raise self._refused(f"announces {name!r}, which is no name", module)
        new = Announcement(self.plugin, module, *announced)
        if not new.operations:
            raise self._refused(f"announces {module!r} without an operation", module)
        functions = [f"np.{name}" for name in new.numpy]
        self._check_names(new.operations, new.dunders, new.methods, functions)
        self.modules.append(module)
        imported = sys.modules.get(module)
        spec = getattr(imported, "__spec__", None)
        if imported is None or getattr(spec, "_initializing", False):
            self.announcements.append(new)
            self.operations |= dict.fromkeys(new.operations, new)
            self.bindings |= dict.fromkeys(new.bindings, new)
        else:  # then there is nothing to be gained by waiting
            self._add(new.kept_by(imported))

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
        self._check_names((), (), (name,), ())
        self._check_values(name, {name: function})
        self.bindings[name] = Binding(None, function)

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

    def take(self, announcement: Announcement, module: Any) -> None:
        """Let a module that was announced register now, and not when it is first needed."""
        registrar = announcement.kept_by(module)
        self.announcements.remove(announcement)
        self.bindings = {key: b for key, b in self.bindings.items() if b is not announcement}
        self._add(registrar)

    def _add(self, registrar: Registrar) -> None:
        self.operations |= registrar.operations
        self.bindings |= registrar.bindings

    def _check_operation(self, name: Any, function: Any, function_class: Any, sample: Any) -> None:
        if not (isinstance(name, str) and name.isprintable() and len(name) <= _LONGEST_NAME):
            listed = shown(repr(name))
            raise self._refused(f"registers {listed} as the name of an operation", listed)
        if _is_function_class(function):
            raise self._refused(
                f"registers {name!r} with the class {function.__name__}; write a function that "
                f"applies it, such as lambda x: {function.__name__}()(x)",
                name,
            )
        if not callable(function):
            raise self._refused(f"registers {name!r} with {function!r}, which is no function", name)
        if function_class is not None and not _is_function_class(function_class):
            raise self._refused(
                f"registers {name!r} with {function_class!r}, which is no Function class", name
            )
        if sample is not None:
            from .sampling import Sample

            if not isinstance(sample, Sample):
                raise self._refused(
                    f"registers {name!r} with the sample {sample!r}, which is no Sample", name
                )

    def _check_values(
        self, name: str, attributes: Mapping[str, Any], functions: Iterable[Any] = ()
    ) -> None:
        """Raise for a value that is no method, or no function of NumPy."""
        for known in functions:
            if not callable(known):
                raise self._refused(f"binds {known!r}, which is no function of NumPy", name)
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
            if key in self.bindings:
                raise self._refused(f"provides {written(key)} twice", written(key))
        for attribute in (*dunders, *methods):
            if attribute in self.bindings:
                raise self._refused(f"binds {attribute!r} twice", attribute)

    def _refused(self, what: str, name: str) -> PluginError:
        return PluginError(f"plugin {self.plugin!r} {what}.", plugin=self.plugin, what=name)


class Announcement(NamedTuple):
    """A module of a plugin that is imported later, with the names that it then registers."""

    plugin: str
    module: str
    operations: tuple[str, ...]
    dunders: tuple[str, ...]
    methods: tuple[str, ...]
    numpy: tuple[str, ...]

    @property
    def bindings(self) -> tuple[str, ...]:
        """The names that it binds: attributes of Variable, and functions of NumPy."""
        return (*self.dunders, *self.methods, *(f"np.{name}" for name in self.numpy))

    def kept_by(self, module: Any) -> Registrar:
        """Let the module register, and return its registrations.

        Raises
        ------
        PluginError
            If they are not those that were announced.
        """
        registrar = Registrar(self.plugin)
        module.register_ops(registrar)
        if registrar.modules:
            raise self._refused("announces others in turn; name them in the plugin's hook")
        if registrar.observers:
            raise self._refused("registers observers; do that in a hook of the plugin")
        found = _written_all(registrar.operations, map(_announced_name, registrar.bindings))
        announced = _written_all(self.operations, self.bindings)
        needed = _written_all(self.operations, filter(_can_be_bound, self.bindings))
        if missing := needed - found:
            raise self._refused(f"does not register {', '.join(sorted(missing))}")
        if more := found - announced:
            names = ", ".join(sorted(more))
            raise self._refused(f"registers {names}, and this was not announced")
        return registrar

    def _refused(self, what: str) -> PluginError:
        return PluginError(
            f"the module {self.module!r} of plugin {self.plugin!r} {what}.",
            plugin=self.plugin,
            what=self.module,
        )


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


def _announced_name(key: Any) -> str:
    """Return the name by which a binding is announced; a ufunc of another library has its own."""
    return key if isinstance(key, str) else f"np.{numpy_name(key)}"


def _can_be_bound(name: str) -> bool:
    """Return whether there is such a thing: an older NumPy may not have the function."""
    return not name.startswith("np.") or in_numpy(name.removeprefix("np.")) is not None


def _written_all(operations: Iterable[str], bindings: Iterable[str]) -> set[str]:
    return {*(f"the operation {name!r}" for name in operations), *map(written, bindings)}


def written(key: Any) -> str:
    """Write a key of `Registrar.bindings` for a message: ``Variable.sum``, ``np.sum``."""
    name = _announced_name(key)
    return name if name.startswith("np.") else f"Variable.{name}"
