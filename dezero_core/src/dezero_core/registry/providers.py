"""The registry: which plugin provides which operation, and what is bound onto Variable.

A registration is collected first, checked as a whole, and only then bound; so a plugin
is in it entirely or not at all, and unbinding restores Variable exactly. The same holds for a
module of a plugin that is announced and imported later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from functools import partial
from importlib import import_module
from threading import RLock, get_ident
from types import FunctionType
from typing import Any

from ..errors import PluginLoadError, attempt, cause_of
from ..provenance import PROVENANCE
from ..slots import CORE, NUMPY_FUNCTIONS, PREFERRED, SLOTS, Binding, Slot, chosen
from ..variable import Variable
from .conflicts import Clash, conflict, unsettled_conflict
from .forks import ForkGate
from .registrar import Announcement, Operation, Registrar


class Registry:
    """All operations, and who bound what."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.importing: dict[object, int] = {}
        ForkGate(self)
        #: Operation -> plugin -> what it registered, in the order of loading.
        self.providers: dict[str, dict[str, Operation | Announcement]] = {}
        #: Operation and plugin -> how many blocks of `use_ops` hold for them, in all threads.
        self.blocks: Counter[tuple[str, str]] = Counter()
        #: Name of an observer -> plugin that brings it, and what makes it.
        self.observers: dict[str, tuple[str, Callable[[], Any]]] = {}
        self._records: dict[str, Any] = {}  # plugin -> its record, for messages
        #: Modules that are not imported yet -> the record of the plugin.
        self._announcements: dict[Announcement, Any] = {}
        #: Modules that could not be imported when something of them was last needed -> the error.
        self.broken: dict[Announcement, str] = {}

    def add(self, registrar: Registrar, record: Any) -> None:
        """Bind everything a plugin registered, or raise before anything is bound.

        `record` is that of the plugin, for messages.

        Raises
        ------
        PluginConflictError
            If another plugin, or the core, provides one of these things, and the user has not
            said which one is to.
        """
        plugin = registrar.plugin
        self._settle(registrar, by_hand=record.distribution is None)
        self._records[plugin] = record  # first: what is interrupted from here on is removed
        self.observers |= {name: (plugin, made) for name, made in registrar.observers.items()}
        PROVENANCE.update(dict.fromkeys(registrar.modules, record))
        self._announcements |= dict.fromkeys(registrar.announcements, record)
        self._bind(registrar, record)

    def has(self, record: Any) -> bool:
        """Return whether anything of the plugin with this record is bound."""
        return self._records.get(record.name) is record

    def _bind(self, registrar: Registrar, record: Any) -> None:
        # In one step each, with nothing half done between them when Ctrl-C comes.
        plugin = registrar.plugin
        for key, bound in registrar.bindings.items():
            if isinstance(bound, Announcement):
                bound = Binding(None, None, load=partial(self._load, bound))
            slot = SLOTS.get(key) or Slot(key)
            slot.bindings = {**slot.bindings, plugin: bound}
            SLOTS[key] = slot  # with a binding: an empty one would be left behind by Ctrl-C
            _place(slot, bound)
        for name, operation in registrar.operations.items():
            self.providers[name] = {**self.providers.get(name, {}), plugin: operation}
            if isinstance(operation, Operation):
                for source in _sources(operation):
                    PROVENANCE.setdefault(source, record)

    def _loaded(self) -> Iterator[tuple[str, Operation]]:
        for name, providers in self.providers.items():
            for operation in providers.values():
                if isinstance(operation, Operation):
                    yield name, operation

    def load_operations(self, names: Iterable[str]) -> None:
        """Import the modules that announce these; to be called without the lock."""
        wanted = set(names)
        for announcement in list(self._announcements):
            if wanted & {*announcement.operations}:
                self._load(announcement)

    def all_operations(self) -> dict[str, tuple[Operation, ...]]:
        """Return all operations by name, those of every module too; first the one in use.

        A module that cannot be imported is left out, and is then among the `broken` ones.
        """
        for announcement in list(self._announcements):
            attempt(partial(self._load, announcement))
        with self.lock:
            found: dict[str, tuple[Operation, ...]] = {}
            for name in sorted(self.providers):
                providers = self.providers[name]
                first = chosen(name, providers)
                order = [first, *(plugin for plugin in providers if plugin != first)]
                operations = [providers[plugin] for plugin in order]
                found[name] = tuple(op for op in operations if isinstance(op, Operation))
            return {name: operations for name, operations in found.items() if operations}

    def operations_of(self, plugin: str, only: str | None = None) -> tuple[Operation, ...]:
        """Return the operations of a plugin, in use or not, by name; or only the one named.

        No module of another plugin is imported.
        """
        for announcement in list(self._announcements):
            if announcement.plugin == plugin and only in (None, *announcement.operations):
                self._load(announcement)
        with self.lock:
            found = {name: op for name, op in self._loaded() if op.plugin == plugin}
            return tuple(found[name] for name in sorted(found) if only in (None, name))

    def _load(self, announcement: Announcement) -> None:
        """Import a module and bind what it registers: all of it, or nothing and an error.

        Raises
        ------
        PluginLoadError
            With the cause; the next use tries again.
        """
        record = self._announcements.get(announcement)
        if record is None:  # another thread has loaded it, or unloaded its plugin
            return
        try:
            # What the user has set for a calculation, as by np.errstate, is not meant for imports.
            Context().run(self._import, announcement)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            message = f"its module {announcement.module!r} cannot be loaded: {cause_of(error)}"
            with self.lock:
                if announcement in self._announcements:
                    self.broken[announcement] = message
            raise PluginLoadError(
                f"{record}: {message}",
                plugin=announcement.plugin,
                distribution=record.distribution,
                version=record.version,
                module=announcement.module,
            ) from error

    def _import(self, announcement: Announcement) -> None:
        # Outside of the lock, which a thread may want that is importing the same module.
        this = object()
        try:
            with self.lock:
                self.importing[this] = get_ident()
            module = import_module(announcement.module)
        finally:
            self.importing.pop(this, None)
        with self.lock:
            record = self._announcements.get(announcement)
            if record is not None:
                registrar = announcement.kept_by(module)
                # Over a function that is not NumPy's, and so was not announced, there may be one.
                self._settle(registrar, by_hand=record.distribution is None)
                self._bind(registrar, record)
                for key in announcement.bindings:  # that an older NumPy has not got
                    if SLOTS[key].bindings[record.name].load is not None:
                        self._unbind(SLOTS[key], record.name)
                self._forget(announcement)

    def _forget(self, announcement: Announcement) -> None:
        self._announcements.pop(announcement, None)
        self.broken.pop(announcement, None)

    def _unbind(self, slot: Slot, plugin: str) -> None:
        bindings = dict(slot.bindings)
        bound = bindings.pop(plugin)
        slot.bindings = bindings
        _place(slot, bound)

    def remove(self, plugin: str) -> None:
        """Undo everything that `plugin` registered."""
        for slot in [slot for slot in SLOTS.values() if plugin in slot.bindings]:
            self._unbind(slot, plugin)
        for observer in [name for name, (owner, _) in self.observers.items() if owner == plugin]:
            del self.observers[observer]
        for provider, record in list(PROVENANCE.items()):
            if record.name == plugin:
                del PROVENANCE[provider]
        for announcement in [each for each in self._announcements if each.plugin == plugin]:
            self._forget(announcement)
        for name in [name for name, providers in self.providers.items() if plugin in providers]:
            del self.providers[name][plugin]
            if not self.providers[name]:
                del self.providers[name]
        self._records.pop(plugin, None)
        for _, operation in self._loaded():  # of what several plugins register
            for source in _sources(operation):
                PROVENANCE.setdefault(source, self._records[operation.plugin])

    def _clashes(self, registrar: Registrar) -> Iterator[Clash]:
        """Yield everything that the plugin would provide and another one does."""
        for name in registrar.observers:
            if name in self.observers:
                yield Clash("observer", name, self.observers[name][0])
        for name in registrar.operations:
            for owner in self.providers.get(name, ()):
                if owner != registrar.plugin:  # which may have announced it
                    yield Clash("operation", name, owner)
        for key in registrar.bindings:
            if key in SLOTS:
                for owner in SLOTS[key].bindings:
                    if owner != registrar.plugin:
                        yield Clash("binding", key, owner)
            elif isinstance(key, str) and hasattr(Variable, key):
                yield Clash("binding", key, CORE)

    def _settle(self, registrar: Registrar, by_hand: bool) -> None:
        """Raise, unless the user has said of each operation in conflict who is to provide it."""
        plugin, clashes = registrar.plugin, list(self._clashes(registrar))
        for clash in clashes:
            if clash.owner == CORE or clash.kind == "observer":
                raise conflict(clash, plugin, by_hand)
        operations = [clash for clash in clashes if clash.kind == "operation"]
        unsettled = [clash for clash in operations if clash.thing not in PREFERRED]
        if unsettled:
            raise unsettled_conflict(unsettled, plugin, by_hand)
        if operations:
            self._import_all_of(registrar, {clash.thing for clash in clashes})
            clashes = list(self._clashes(registrar))
        for clash in clashes:
            if clash.kind == "binding":
                mine = registrar.bindings[clash.thing]
                theirs = SLOTS[clash.thing].bindings[clash.owner]
                if not operations or mine.operation is None or mine.operation != theirs.operation:
                    raise conflict(clash, plugin, by_hand)

    def _import_all_of(self, registrar: Registrar, things: set[Any]) -> None:
        """Import the modules that announce any of these: which operation binds what they say."""

        def announces_any(each: Announcement) -> bool:
            return not things.isdisjoint((*each.operations, *each.bindings))

        for announcement in filter(announces_any, list(registrar.announcements)):
            registrar.take(announcement, Context().run(import_module, announcement.module))
        for announcement in filter(announces_any, list(self._announcements)):
            self._load(announcement)


def _place(slot: Slot, bound: Binding) -> None:
    """Put in its place what a name is bound to, after `bound` has been added or taken away.

    If one plugin has the name, that is the value itself. Otherwise it is the slot; where no plugin
    has it, only if the name is one that every Variable answers.
    """
    key, bindings = slot.key, slot.bindings
    alone = next(iter(bindings.values())) if len(bindings) == 1 else None
    if alone is not None and alone.load is not None:
        alone = None
    if not slot.is_attribute:
        if alone is not None:
            NUMPY_FUNCTIONS[alone.function] = alone.value
        else:
            NUMPY_FUNCTIONS.pop(bound.function, None)
    elif alone is not None:
        setattr(Variable, key, alone.value)
    elif bindings or slot.operands:
        if vars(Variable).get(key) is not slot:
            setattr(Variable, key, slot)
    elif key in vars(Variable):
        delattr(Variable, key)
    if not (bindings or slot.operands):
        SLOTS.pop(key, None)


def _sources(operation: Operation) -> Iterator[Any]:
    """Yield what errors are traced back to a plugin by."""
    if operation.function_class is not None:
        yield operation.function_class
    if isinstance(operation.function, FunctionType):  # another callable may have no hash
        yield operation.function
