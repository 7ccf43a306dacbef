"""The registry: which plugin provides which operation, and what is bound onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly. The same holds for a
family, a module of a plugin that is announced and imported later.
"""

from __future__ import annotations

from contextvars import Context
from functools import partial
from importlib import import_module
from threading import RLock
from typing import Any

from .errors import PluginConflictError, PluginLoadError, cause_of
from .operators import LATER, NUMPY_FUNCTIONS, OPERATORS, Unbound
from .provenance import PROVENANCE
from .registrar import Family, Operation, Registrar, key_of, written
from .variable import Variable

_ABSENT = object()


class Registry:
    """All operations, and who bound what."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.operations: dict[str, Operation | Family] = {}
        self._families: dict[Family, Any] = {}  # not imported yet -> provenance
        self._bound: dict[str, tuple[str, Any]] = {}  # attribute -> plugin, what was there
        core = map(key_of, NUMPY_FUNCTIONS)
        self._functions = dict.fromkeys(core, "dezero_core")  # NumPy function -> plugin

    def add(self, registrar: Registrar, provenance: Any) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        `provenance` is the plugin's record, for messages.

        Raises
        ------
        PluginConflictError
            If another plugin, or the core, provides one of these things.
        """
        self._check(registrar)
        self._claim(registrar)
        for attribute in registrar.bindings:
            before = vars(Variable).get(attribute, _ABSENT)
            self._bound[attribute] = registrar.plugin, before
        PROVENANCE.update(dict.fromkeys(registrar.modules, provenance))
        for family in registrar.families:
            self._families[family] = provenance
            load = partial(self._load, family)
            LATER.update(dict.fromkeys([*family.attributes, *map(written, family.numpy)], load))
        self._bind(registrar, provenance)

    def _bind(self, registrar: Registrar, provenance: Any) -> None:
        for attribute, value in registrar.bindings.items():
            if not isinstance(value, Family):
                setattr(Variable, attribute, value)
            elif attribute not in vars(Variable):
                setattr(Variable, attribute, Unbound(attribute))
        for operation in registrar.operations.values():
            if isinstance(operation, Operation):
                if operation.function_class is not None:
                    PROVENANCE.setdefault(operation.function_class, provenance)
                NUMPY_FUNCTIONS.update(dict.fromkeys(operation.numpy, operation.function))
        self.operations |= registrar.operations

    def all_operations(self) -> tuple[Operation, ...]:
        """Return all operations in the order of names, those of every family among them."""
        for family in list(self._families):
            self._load(family)
        with self.lock:
            found = (self.operations[name] for name in sorted(self.operations))
            return tuple(operation for operation in found if isinstance(operation, Operation))

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
        except (Exception, SystemExit) as error:
            raise PluginLoadError(
                f"{provenance}: its module {family.module!r} cannot be loaded: {cause_of(error)}",
                plugin=family.plugin,
                distribution=provenance.distribution,
                version=provenance.version,
                module=family.module,
            ) from error

    def _import(self, family: Family) -> None:
        # Outside of the lock, which a thread may want that is importing the same module.
        module = import_module(family.module)
        with self.lock:
            provenance = self._families.get(family)
            if provenance is not None:
                registrar = family.registered(module)
                self._claim(registrar)
                self._bind(registrar, provenance)
                self._forget(family)

    def _forget(self, family: Family) -> None:
        for what in (*family.attributes, *map(written, family.numpy)):
            LATER.pop(what, None)
        self._families.pop(family, None)

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        for attribute, (owner, before) in list(self._bound.items()):
            if owner == plugin:
                if before is _ABSENT:
                    delattr(Variable, attribute)
                else:
                    setattr(Variable, attribute, before)
                del self._bound[attribute]
        for function, owner in list(self._functions.items()):
            if owner == plugin:
                del self._functions[function]
        for provider, provenance in list(PROVENANCE.items()):
            if provenance.name == plugin:
                del PROVENANCE[provider]
        for name, operation in list(self.operations.items()):
            if operation.plugin == plugin:
                del self.operations[name]
                if isinstance(operation, Family):
                    self._forget(operation)
                    continue
                for function in operation.numpy:
                    NUMPY_FUNCTIONS.pop(function, None)

    def _check(self, registrar: Registrar) -> None:
        for attribute in registrar.bindings:
            owner = self._bound[attribute][0] if attribute in self._bound else None
            if owner is None and attribute not in OPERATORS and _is_of_core(attribute):
                owner = "dezero_core"
            if owner is not None:
                raise _conflict(f"Variable.{attribute}", registrar.plugin, owner)
        for name in registrar.operations:
            if name in self.operations:
                what = f"operation {name!r}"
                raise _conflict(what, registrar.plugin, self.operations[name].plugin)

    def _claim(self, registrar: Registrar) -> None:
        """Note the NumPy functions, of which a family has announced the names alone."""
        for key in registrar.functions:
            owner = self._functions.get(key, registrar.plugin)
            if owner != registrar.plugin:
                raise _conflict(written(key), registrar.plugin, owner)
        self._functions |= dict.fromkeys(registrar.functions, registrar.plugin)


def _is_of_core(attribute: str) -> bool:
    bases = (vars(base) for base in Variable.__mro__)
    found = next((base[attribute] for base in bases if attribute in base), None)
    return found is not None and type(found) is not Unbound


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
