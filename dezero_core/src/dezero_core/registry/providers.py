"""The registry: which plugin provides which operation, and what is bound onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly. The same holds for a
family, a module of a plugin that is announced and imported later.

Where the user has said which plugin is to provide an operation, several may: what they all bind
is then a `Contested`, which looks up whose turn it is; what one plugin binds stays as fast as ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Context, ContextVar
from functools import partial
from importlib import import_module
from inspect import signature
from threading import RLock, get_ident
from types import FunctionType
from typing import Any

from ..errors import PluginLoadError, attempt, cause_of
from ..operators import LATER, NUMPY_FUNCTIONS, OPERATORS, Unbound, attribute_of
from ..provenance import PROVENANCE
from ..variable import Variable
from .conflicts import CORE, conflict, unsettled_conflict
from .forks import ForkGate
from .registrar import Family, Operation, Registrar, key_of, written

_ABSENT = object()

#: Operation -> plugin, as `use_ops` says for this thread and task.
in_use: ContextVar[Mapping[str, str]] = ContextVar("dezero_use_ops", default={})  # noqa: B039


class Contested:
    """Bound where several plugins provide an operation: stands for what one of them has bound.

    It is the descriptor of an attribute of Variable, or what is called for a NumPy function.
    """

    def __init__(self, registry: Registry, operation: str, values: Mapping[str, Any]) -> None:
        self.registry, self.operation, self.values = registry, operation, values

    def value(self) -> Any:
        """Return what the plugin has bound whose turn it is; else the first of those that did."""
        chosen = self.registry.chosen(self.operation)
        return self.values[chosen if chosen in self.values else next(iter(self.values))]

    def __get__(self, variable: Any, owner: type) -> Any:
        return attribute_of(self.value(), variable, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value()(*args, **kwargs)

    @property
    def __signature__(self) -> Any:
        return signature(self.value())


class Registry:
    """All operations, and who bound what."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.importing: dict[object, int] = {}
        ForkGate(self)
        #: Operation -> plugin -> what it registered, in the order of loading.
        self.providers: dict[str, dict[str, Operation | Family]] = {}
        #: Operations that several plugins may provide, and which one the user prefers, if any.
        self.settled: dict[str, str | None] = {}
        #: Operation and plugin -> how many blocks of `use_ops` hold for them, in all threads.
        self.blocks: Counter[tuple[str, str]] = Counter()
        #: Name of an observer -> plugin that brings it, and what makes it.
        self.observers: dict[str, tuple[str, Callable[[], Any]]] = {}
        self._records: dict[str, Any] = {}  # plugin -> its record, for messages
        self._families: dict[Family, Any] = {}  # not imported yet -> provenance
        #: Families that could not be imported when something of them was last needed -> the error.
        self.broken: dict[Family, str] = {}
        self._before: dict[str, Any] = {}  # attribute -> what was there before any plugin
        #: Attribute -> plugin -> what it binds; NumPy function by `key_of` -> plugin -> callable,
        #: None as long as the name alone is known.
        self._attributes: dict[str, dict[str, Any]] = {}
        self._functions: dict[Any, dict[str, Any]] = {
            key_of(function): {CORE: function} for function in NUMPY_FUNCTIONS
        }

    def add(self, registrar: Registrar, provenance: Any) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        `provenance` is the plugin's record, for messages.

        Raises
        ------
        PluginConflictError
            If another plugin, or the core, provides one of these things, and the user has not
            said which one is to.
        """
        plugin, by_hand = registrar.plugin, provenance.distribution is None
        for name in registrar.observers:
            if name in self.observers:
                owner, _ = self.observers[name]
                raise conflict(f"observer {name!r}", plugin, owner, by_hand)
        clashes = list(self._clashes(registrar))
        if clashes:
            self._settle(registrar, clashes, by_hand)
        self._records[plugin] = provenance  # first: what is interrupted from here on is removed
        self.observers |= {name: (plugin, made) for name, made in registrar.observers.items()}
        PROVENANCE.update(dict.fromkeys(registrar.modules, provenance))
        for family in registrar.families:
            self._families[family] = provenance
            load = partial(self._load, family)
            LATER.update(dict.fromkeys([*family.attributes, *map(written, family.numpy)], load))
        self._bind(registrar, provenance)

    def has(self, provenance: Any) -> bool:
        """Return whether anything of the plugin with this record is bound."""
        return self._records.get(provenance.name) is provenance

    def _bind(self, registrar: Registrar, provenance: Any) -> None:
        # In one step each, with nothing half done between them when Ctrl-C comes.
        plugin = registrar.plugin
        for attribute, value in registrar.bindings.items():
            if attribute not in self._before:
                self._before[attribute] = vars(Variable).get(attribute, _ABSENT)
            self._attributes[attribute] = {**self._attributes.get(attribute, {}), plugin: value}
            self._bind_attribute(attribute)
        for key in registrar.functions:
            self._functions[key] = {**self._functions.get(key, {}), plugin: None}
        for name, operation in registrar.operations.items():
            self.providers[name] = {**self.providers.get(name, {}), plugin: operation}
            if isinstance(operation, Operation):
                for source in _sources(operation):
                    PROVENANCE.setdefault(source, provenance)
                for function in operation.numpy:
                    self._functions[key_of(function)][plugin] = operation.function
                    self._bind_function(function)

    def _bind_attribute(self, attribute: str) -> None:
        """Put onto Variable what the plugins that are left have bound, or what was there."""
        values = self._attributes[attribute]
        if not values:
            del self._attributes[attribute]
            before = self._before.pop(attribute)
            if before is not _ABSENT:
                setattr(Variable, attribute, before)
            elif attribute in vars(Variable):
                delattr(Variable, attribute)
        elif len(values) > 1:
            contested = Contested(self, self._operation_of(attribute), dict(values))
            setattr(Variable, attribute, contested)
        else:
            (value,) = values.values()
            if not isinstance(value, Family):
                setattr(Variable, attribute, value)
            elif attribute not in vars(Variable):
                setattr(Variable, attribute, Unbound(attribute))

    def _bind_function(self, function: Callable[..., Any]) -> None:
        values = self._functions.get(key_of(function), {})
        if not values:
            NUMPY_FUNCTIONS.pop(function, None)
        elif len(values) > 1:
            operation = self._operation_of(function)
            NUMPY_FUNCTIONS[function] = Contested(self, operation, dict(values))
        else:
            (NUMPY_FUNCTIONS[function],) = values.values()

    def _operation_of(self, bound: Any) -> str:
        """Return the name of the operation that binds an attribute or a NumPy function."""
        return next(name for name, operation in self._loaded() if bound in _bound_by(operation))

    def _loaded(self) -> Iterator[tuple[str, Operation]]:
        for name, providers in self.providers.items():
            for operation in providers.values():
                if isinstance(operation, Operation):
                    yield name, operation

    def chosen(self, operation: str) -> str:
        """Return the plugin that provides an operation: here and now, by preference, or first."""
        # At once, since another thread may unload the plugins that have bound what is asked for.
        providers = tuple(self.providers.get(operation, ()))
        for plugin in (in_use.get().get(operation), self.settled.get(operation)):
            if plugin in providers:
                return plugin
        return providers[0] if providers else ""

    def load_operations(self, names: Iterable[str]) -> None:
        """Import the families that announce these; to be called without the lock."""
        wanted = set(names)
        for family in [each for each in list(self._families) if wanted & {*each.operations}]:
            self._load(family)

    def all_operations(self) -> dict[str, tuple[Operation, ...]]:
        """Return all operations by name, those of every family too; first the one in use.

        A family that cannot be imported is left out, and is then among the `broken` ones.
        """
        for family in list(self._families):
            attempt(partial(self._load, family))
        with self.lock:
            found: dict[str, tuple[Operation, ...]] = {}
            for name in sorted(self.providers):
                providers, chosen = self.providers[name], self.chosen(name)
                order = [chosen, *(plugin for plugin in providers if plugin != chosen)]
                operations = [providers[plugin] for plugin in order]
                found[name] = tuple(op for op in operations if isinstance(op, Operation))
            return {name: operations for name, operations in found.items() if operations}

    def operations_of(self, plugin: str, only: str | None = None) -> tuple[Operation, ...]:
        """Return the operations of a plugin, in use or not, by name; or only the one named.

        No module of another plugin is imported.
        """
        for family in list(self._families):
            if family.plugin == plugin and (only is None or only in family.operations):
                self._load(family)
        with self.lock:
            found = {name: op for name, op in self._loaded() if op.plugin == plugin}
            return tuple(found[name] for name in sorted(found) if only in (None, name))

    def _load(self, family: Family) -> None:
        """Import a family and bind what it registers: all of it, or nothing and an error.

        Raises
        ------
        PluginLoadError
            With the cause; the next use tries again.
        """
        provenance = self._families.get(family)
        if provenance is None:  # another thread has loaded it, or unloaded its plugin
            return
        try:
            # What the user has set for a calculation, as by np.errstate, is not meant for imports.
            Context().run(self._import, family)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            message = f"its module {family.module!r} cannot be loaded: {cause_of(error)}"
            with self.lock:
                if family in self._families:
                    self.broken[family] = message
            raise PluginLoadError(
                f"{provenance}: {message}",
                plugin=family.plugin,
                distribution=provenance.distribution,
                version=provenance.version,
                module=family.module,
            ) from error

    def _import(self, family: Family) -> None:
        # Outside of the lock, which a thread may want that is importing the same module.
        this = object()
        try:
            with self.lock:
                self.importing[this] = get_ident()
            module = import_module(family.module)
        finally:
            self.importing.pop(this, None)
        with self.lock:
            provenance = self._families.get(family)
            if provenance is not None:
                registrar = family.registered(module)
                clashes = [c for c in self._clashes(registrar) if c[-1] != family.plugin]
                if clashes:  # over a function that is not NumPy's, and so was not announced
                    self._settle(registrar, clashes, by_hand=provenance.distribution is None)
                self._bind(registrar, provenance)
                self._forget(family)

    def _forget(self, family: Family) -> None:
        for what in (*family.attributes, *map(written, family.numpy)):
            LATER.pop(what, None)
        self._families.pop(family, None)
        self.broken.pop(family, None)

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        for attribute in [name for name, values in self._attributes.items() if plugin in values]:
            del self._attributes[attribute][plugin]
            self._bind_attribute(attribute)
        for key in [key for key, values in self._functions.items() if plugin in values]:
            del self._functions[key][plugin]
            if not self._functions[key]:
                del self._functions[key]
        for observer in [name for name, (owner, _) in self.observers.items() if owner == plugin]:
            del self.observers[observer]
        for provider, provenance in list(PROVENANCE.items()):
            if provenance.name == plugin:
                del PROVENANCE[provider]
        for family in [family for family in self._families if family.plugin == plugin]:
            self._forget(family)
        for name in [name for name, providers in self.providers.items() if plugin in providers]:
            operation = self.providers[name].pop(plugin)
            if not self.providers[name]:
                del self.providers[name]
            for function in operation.numpy if isinstance(operation, Operation) else ():
                self._bind_function(function)
        self._records.pop(plugin, None)
        for _, operation in self._loaded():  # of what several plugins register
            for source in _sources(operation):
                PROVENANCE.setdefault(source, self._records[operation.plugin])

    def _clashes(self, registrar: Registrar) -> Iterator[tuple[str, Any, str]]:
        """Yield what the plugin would provide and another one does: in words, itself, by whom."""
        for name in registrar.operations:
            for owner in self.providers.get(name, ()):
                yield _operation(name), name, owner
        for attribute in registrar.bindings:
            owners: Iterable[str] = self._attributes.get(attribute, ())
            if not owners and attribute not in OPERATORS and _is_of_core(attribute):
                owners = (CORE,)
            for owner in owners:
                yield f"Variable.{attribute}", attribute, owner
        for key in registrar.functions:
            for owner in self._functions.get(key, ()):
                yield written(key), key, owner

    def _settle(
        self, registrar: Registrar, clashes: list[tuple[str, Any, str]], by_hand: bool
    ) -> None:
        """Raise, unless the user has said of each operation in conflict who is to provide it."""
        plugin = registrar.plugin
        for what, _, owner in clashes:
            if owner == CORE:
                raise conflict(what, plugin, owner, by_hand)
        owners = {thing: owner for what, thing, owner in clashes if what == _operation(thing)}
        unsettled = {name: owner for name, owner in owners.items() if name not in self.settled}
        if unsettled:
            raise unsettled_conflict(plugin, unsettled, by_hand)
        things = {thing for _, thing, _ in clashes}
        if owners:  # what is announced does not say which operation binds what
            for family in [each for each in registrar.families if things & _announced_by(each)]:
                registrar.take(family, Context().run(import_module, family.module))
            for family in [each for each in self._families if things & _announced_by(each)]:
                self._load(family)
        for what, _, owner in clashes:
            mine = _name_of(what, registrar.operations.values())
            theirs = _name_of(what, (op for _, op in self._loaded() if op.plugin == owner))
            if not owners or mine != theirs:
                raise conflict(what, plugin, owner, by_hand)


def _operation(name: Any) -> str:
    return f"operation {name!r}"


def _sources(operation: Operation) -> Iterator[Any]:
    """Yield what errors are traced back to a plugin by."""
    if operation.function_class is not None:
        yield operation.function_class
    if isinstance(operation.function, FunctionType):  # another callable may have no hash
        yield operation.function


def _bound_by(operation: Operation) -> tuple[Any, ...]:
    return (*operation.dunders, *operation.methods, *operation.numpy)


def _announced_by(family: Family) -> set[Any]:
    return {*family.operations, *family.attributes, *family.numpy}


def _name_of(what: str, operations: Iterable[Any]) -> str | None:
    """Return the name of the operation that binds something, given as messages write it."""
    for operation in operations:
        if isinstance(operation, Operation):
            attributes = (f"Variable.{name}" for name in (*operation.dunders, *operation.methods))
            if what in (*attributes, *(written(key_of(each)) for each in operation.numpy)):
                return operation.name
    return None


def _is_of_core(attribute: str) -> bool:
    bases = (vars(base) for base in Variable.__mro__)
    found = next((base[attribute] for base in bases if attribute in base), None)
    return found is not None and type(found) is not Unbound
