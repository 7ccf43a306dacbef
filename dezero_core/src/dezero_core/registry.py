"""The registry: which plugin provides which operation, and what is bound onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .calls import operator_of
from .errors import PluginConflictError, PluginError
from .function import Function
from .operators import NUMPY_FUNCTIONS, OPERATORS
from .provenance import PROVENANCE
from .sampling import Sample
from .variable import Variable

_ABSENT = object()
_CORE_NUMPY_FUNCTIONS = dict(NUMPY_FUNCTIONS)
#: Attributes that are no operator and yet may be bound: what other libraries look at.
_PROTOCOL_ATTRIBUTES = ("__array_priority__",)


@dataclass(frozen=True)
class Operation:
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
    dunders, methods : tuple of str
        What it is bound to on Variable.
    numpy : tuple of callable
        The NumPy functions that call it when they meet a Variable.
    sample : Sample or None
        How it is called in tests.
    """

    name: str
    plugin: str
    function: Callable[..., Any]
    function_class: type[Function] | None
    differentiable: bool
    dunders: tuple[str, ...]
    methods: tuple[str, ...]
    numpy: tuple[Callable[..., Any], ...]
    sample: Sample | None = field(compare=False)


class Registrar:
    """Collects what one plugin registers; the ``register`` that its hook is handed."""

    def __init__(self, plugin: str) -> None:
        self.plugin = plugin
        self.operations: dict[str, Operation] = {}
        self.bindings: dict[str, Any] = {}

    def __call__(
        self,
        name: str,
        function: Callable[..., Any],
        function_class: type[Function] | None = None,
        *,
        differentiable: bool = True,
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
        if not isinstance(name, str):
            raise self._refused(f"registers {name!r} as the name of an operation", repr(name))
        if name in self.operations:
            raise self._refused(f"registers the operation {name!r} twice", name)
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
        if sample is not None and not isinstance(sample, Sample):
            raise self._refused(
                f"registers {name!r} with the sample {sample!r}, which is no Sample", name
            )
        dunders, methods = _named(dunders, function), _named(methods, function)
        for dunder in dunders:
            if dunder not in OPERATORS and dunder not in _PROTOCOL_ATTRIBUTES:
                raise self._refused(
                    f"binds {dunder!r}, which is no operator; the operators are "
                    f"{', '.join(OPERATORS)}",
                    dunder,
                )
        for method in methods:
            if method.startswith("_") or not method.isidentifier():
                raise self._refused(f"binds {method!r}, which is no name for a method", method)
        functions = (numpy,) if callable(numpy) or isinstance(numpy, str) else tuple(numpy)
        taken = {known for operation in self.operations.values() for known in operation.numpy}
        for known in functions:
            written = getattr(known, "__name__", known)
            if not callable(known):
                raise self._refused(f"binds {written!r}, which is no function of NumPy", name)
            if known in taken:
                raise self._refused(f"provides np.{written} twice", name)
        for attribute in (*dunders, *methods):
            if attribute in self.bindings:
                raise self._refused(f"binds {attribute!r} twice", attribute)
        self.bindings |= dunders | methods
        self.operations[name] = Operation(
            name=name,
            plugin=self.plugin,
            function=function,
            function_class=function_class,
            differentiable=differentiable,
            dunders=tuple(dunders),
            methods=tuple(methods),
            numpy=functions,
            sample=sample,
        )

    def _refused(self, what: str, name: str) -> PluginError:
        return PluginError(f"plugin {self.plugin!r} {what}.", plugin=self.plugin, what=name)


class Registry:
    """All operations, and who bound what."""

    def __init__(self) -> None:
        self.operations: dict[str, Operation] = {}
        self._bound: dict[str, tuple[str, Any]] = {}  # attribute -> plugin, what was there

    def add(self, registrar: Registrar, provenance: Any) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        `provenance` is the plugin's record, for messages.

        Raises
        ------
        PluginConflictError
            If another plugin, or the core, provides one of these things.
        """
        self._check(registrar)
        for attribute, value in registrar.bindings.items():
            self._bound[attribute] = registrar.plugin, vars(Variable).get(attribute, _ABSENT)
            setattr(Variable, attribute, value)
        for name, operation in registrar.operations.items():
            self.operations[name] = operation
            if operation.function_class is not None:
                PROVENANCE.setdefault(operation.function_class, provenance)
            NUMPY_FUNCTIONS.update(dict.fromkeys(operation.numpy, operation.function))

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        for attribute, (owner, before) in list(self._bound.items()):
            if owner == plugin:
                if before is _ABSENT:
                    delattr(Variable, attribute)
                else:
                    setattr(Variable, attribute, before)
                del self._bound[attribute]
        for name, operation in list(self.operations.items()):
            if operation.plugin == plugin:
                function_class = operation.function_class
                if function_class in PROVENANCE and PROVENANCE[function_class].name == plugin:
                    del PROVENANCE[function_class]
                for function in operation.numpy:
                    NUMPY_FUNCTIONS.pop(function, None)
                del self.operations[name]

    def _check(self, registrar: Registrar) -> None:
        for attribute in registrar.bindings:
            owner = self._bound[attribute][0] if attribute in self._bound else None
            if owner is None and hasattr(Variable, attribute) and attribute not in OPERATORS:
                owner = "dezero_core"
            if owner is not None:
                raise _conflict(f"Variable.{attribute}", registrar.plugin, owner)
        providers = {f: op.plugin for op in self.operations.values() for f in op.numpy}
        providers |= dict.fromkeys(_CORE_NUMPY_FUNCTIONS, "dezero_core")
        for name, operation in registrar.operations.items():
            if name in self.operations:
                what = f"operation {name!r}"
                raise _conflict(what, registrar.plugin, self.operations[name].plugin)
            for function in operation.numpy:
                owner = providers.setdefault(function, registrar.plugin)
                if owner != registrar.plugin:
                    raise _conflict(f"np.{function.__name__}", registrar.plugin, owner)


def _named(names: Iterable[str] | Mapping[str, Any], function: Any) -> dict[str, Any]:
    if isinstance(names, str):
        names = (names,)
    named = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, function)
    for name, value in named.items():
        if isinstance(value, type) and issubclass(value, Function):
            named[name] = operator_of(value, function)
    return named


def _conflict(what: str, plugin: str, owner: str) -> PluginConflictError:
    if owner == "dezero_core":
        advice = "A plugin cannot replace what belongs to the core; choose another name."
    else:
        advice = (
            f"Keep one of them: DEZERO_DISABLE_PLUGINS={plugin} or DEZERO_DISABLE_PLUGINS={owner}, "
            f"or dezero_core.unregister({owner!r})."
        )
    return PluginConflictError(
        f"plugin {plugin!r} provides {what}, which {owner!r} provides already. {advice}",
        what=what,
        plugin=plugin,
        other=owner,
    )
