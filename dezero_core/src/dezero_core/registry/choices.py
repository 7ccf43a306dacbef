"""Which of several plugins provides an operation: in the whole process, or in a block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from ..blocks import Block
from ..errors import PluginError, UnknownOperationError, UnknownPluginError
from ..slots import IN_USE, PLUGINS, PREFERRED
from .discovery import Plugin, did_you_mean
from .loading import REGISTRY, find, load, load_pending, unload, warn

_by_environment = PREFERRED.maps[1]


def prefer(**operations: str) -> None:
    """Say which plugin provides an operation from now on, in the whole process.

    Parameters
    ----------
    **operations : str
        Operation and plugin: ``prefer(exp="fastmath")``. The plugin is loaded, if only a conflict
        over these operations has kept it out. Where it binds less than others do, as no method,
        theirs stay.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If there is no such plugin, it does not provide the operation, or is not loaded. Then
        nothing has changed.

    See Also
    --------
    use_ops : The same for a block, with an example. ``DEZERO_OPS="exp=fastmath"`` does it outside.
    """
    choose(operations, for_good=True)


class provided_by(Block):
    """`use_ops` for a mapping from operations to names of plugins that are known to be loaded."""

    _variable = IN_USE

    def __init__(self, operations: Mapping[str, str]) -> None:
        self._operations = operations

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        return {**value, **self._operations}

    def __enter__(self) -> None:
        super().__enter__()
        with REGISTRY.lock:
            REGISTRY.blocks.update(self._operations.items())

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        with REGISTRY.lock:
            REGISTRY.blocks.subtract(self._operations.items())


class use_ops(provided_by):
    """Take operations from the plugins given, for a ``with`` block or a decorated function.

    It holds for this thread and asyncio task; blocks nest. It holds for operators, methods and
    NumPy functions of Variables, and does not change a plugin's own function, ``fastmath.exp(x)``.
    If the plugin is unloaded meanwhile, a PluginWarning names the one that takes its place.

    Parameters
    ----------
    **operations : str
        Operation and plugin, as for `prefer`, which raises the same errors.

    Examples
    --------
    >>> class Times(Function):
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> def times(factor):
    ...     class plugin:
    ...         @staticmethod
    ...         @hookimpl
    ...         def dezero_register_ops(register):
    ...             register("scaled", lambda x: Times(factor)(x), methods="scaled")
    ...
    ...     return plugin
    >>> twice = register(times(2.0), "twice")
    >>> prefer(scaled="twice")
    >>> thrice = register(times(3.0), "thrice")
    >>> x = Variable(np.array(1.0))
    >>> x.scaled()
    variable(2.0)
    >>> with use_ops(scaled="thrice"):
    ...     x.scaled()
    variable(3.0)
    >>> [unregister(name).state for name in ("twice", "thrice")]
    ['disabled', 'disabled']
    """

    def __init__(self, **operations: str) -> None:
        super().__init__(choose(operations))

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        choose(self._operations)  # a plugin may have been unloaded meanwhile
        return super()._changed(value)


def choose(wanted: Mapping[str, str], for_good: bool = False) -> dict[str, str]:
    """Load the plugins that are to provide operations, and prefer them, if that is `for_good`.

    Return operation -> name of the plugin; in `wanted` it may be any of its names.
    """
    load_pending()
    if any(map(_is_kept_out, map(find, wanted.values()))):
        # Outside of the lock, which a thread may want that is importing the same module.
        REGISTRY.load_announced(wanted)
    with REGISTRY.lock:
        undo, maps = remembered(), len(PREFERRED.maps)
        try:
            # No plugin is refused for a conflict over these; yet nobody prefers any meanwhile.
            PREFERRED.maps.append(dict.fromkeys(wanted))
            for name in wanted.values():
                if _is_kept_out(plugin := find(name)):
                    load(plugin)
            chosen = {operation: _provided(operation, name) for operation, name in wanted.items()}
        except BaseException:
            undo()
            raise
        finally:
            del PREFERRED.maps[maps:]
        if for_good:
            PREFERRED.update(chosen)
        return chosen


def _is_kept_out(plugin: Plugin) -> bool:
    return plugin.conflict is not None and plugin.record.state == "failed"


def remembered() -> Callable[[], None]:
    """Return a function that unloads the plugins not loaded now, and forgets later preferences."""
    preferred = dict(PREFERRED.maps[0])
    out = [
        (plugin, plugin.record, plugin.conflict)
        for plugin in PLUGINS.values()
        if plugin.record.state != "loaded"
    ]

    def undo() -> None:
        for plugin, record, conflict in out:
            unload(plugin, "")
            plugin.record, plugin.conflict = record, conflict
        PREFERRED.maps[0] = preferred

    return undo


def _provided(operation: str, name: str) -> str:
    """Return the name of a plugin, if it provides the operation."""
    record = find(name).record
    if record.state != "loaded":
        raise PluginError(f"{record} {record.why_not}", plugin=record.name)
    owners = REGISTRY.providers.get(operation)
    if owners and record.name in owners:
        return record.name
    known = tuple(REGISTRY.providers)
    advice = f"No loaded plugin does. {did_you_mean(operation, known) or 'See ops().'}"
    if owners:
        advice = f"{' and '.join(map(repr, owners))} {'does' if len(owners) == 1 else 'do'}."
    raise UnknownOperationError(
        f"{record} provides no operation {operation!r}. {advice}",
        plugin=record.name,
        operation=operation,
        known=known,
    )


def read_environment() -> None:
    """Prefer the plugins that ``DEZERO_OPS=exp=fastmath,log=math`` names; warn of errors in it."""
    choices: dict[str, str] = {}
    for item in filter(None, map(str.strip, os.environ.get("DEZERO_OPS", "").split(","))):
        operation, _, name = map(str.strip, item.partition("="))
        if not (operation and name):
            warn(f"DEZERO_OPS holds {item!r}; write operation=plugin, as exp=math.")
            continue
        if operation in choices:
            warn(
                f"DEZERO_OPS names two plugins for {operation!r}; {name!r} is the one that counts."
            )
        try:
            choices[operation] = find(name).record.name
        except UnknownPluginError as error:
            warn(f"DEZERO_OPS names {name!r}: {error}")
    _by_environment.clear()
    _by_environment.update(choices)


def warn_of_environment() -> None:
    """Warn of each choice of ``DEZERO_OPS`` whose plugin does not provide the operation."""
    for operation, name in list(_by_environment.items()):
        plugin = find(name)
        is_there = name in REGISTRY.providers.get(operation, ())
        if not is_there and plugin.record.state != "pending":
            _warn_of_choice(operation, plugin)


def _warn_of_choice(operation: str, plugin: Plugin) -> None:
    record = plugin.record
    known: Iterable[str] = record.operations
    why = record.cause or "it has no such operation."
    if plugin.conflict is not None and plugin.conflict.operations:
        known = plugin.conflict.operations
        why = f"it is not loaded, for a conflict over {', '.join(known)}."
    warn(
        f"DEZERO_OPS asks for {operation!r} of plugin {record.name!r}, which does not provide it "
        f"here: {why} {did_you_mean(operation, known)}".rstrip()
    )
    if record.state == "loaded":
        _by_environment.pop(operation, None)


def warn_of_blocks() -> None:
    """Warn of each block of `use_ops`, in any thread, whose plugin was unloaded meanwhile."""
    for (operation, name), number in list(REGISTRY.blocks.items()):
        providers = tuple(REGISTRY.providers.get(operation, ()))
        if number and name not in providers:
            others = " or ".join(map(repr, providers)) or "no plugin"
            warn(
                f"a block of use_ops takes {operation!r} from plugin {name!r}, which does not "
                f"provide it any more. In this block it is now that of {others}. Leave the block, "
                f"or register {name!r} again."
            )
