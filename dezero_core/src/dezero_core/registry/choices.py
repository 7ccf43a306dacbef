"""Which of several plugins provides an operation: what the user has said, and what follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from ..errors import PluginError, UnknownOperationError, UnknownPluginError
from .discovery import Plugin, did_you_mean
from .loading import PLUGINS, REGISTRY, find, load, load_pending, unload, warn
from .registrar import Operation

#: Operations that are settled because ``DEZERO_OPS`` says so, and not by `prefer`.
OF_ENVIRONMENT: set[str] = set()


def warn_of_choice(operation: str, plugin: Plugin) -> None:
    """Warn of what ``DEZERO_OPS`` asks for, if the plugin does not provide it."""
    record = plugin.record
    if record.name in REGISTRY.providers.get(operation, ()) or record.state == "pending":
        return
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
        forget_choices({operation})


def warn_of_blocks() -> None:
    """Warn of blocks of `use_ops`, in any thread, whose plugin does not provide it any more."""
    for (operation, name), number in list(REGISTRY.blocks.items()):
        providers = tuple(REGISTRY.providers.get(operation, ()))
        if number and name not in providers:
            others = " or ".join(map(repr, providers)) or "no plugin"
            warn(
                f"a block of use_ops takes {operation!r} from plugin {name!r}, which does not "
                f"provide it any more. In this block it is now that of {others}. Leave the block, "
                f"or register {name!r} again."
            )


def forget_choices(operations: Iterable[str]) -> None:
    """Forget who provides these as ``DEZERO_OPS`` has said, and not what `prefer` has."""
    for operation in OF_ENVIRONMENT.intersection(operations):
        OF_ENVIRONMENT.remove(operation)
        REGISTRY.settled.pop(operation, None)


def read_choices() -> dict[str, str]:
    """Return what ``DEZERO_OPS=exp=fastmath,log=math`` says; warn of what it cannot mean."""
    choices: dict[str, str] = {}
    for item in os.environ.get("DEZERO_OPS", "").split(","):
        operation, equals, name = map(str.strip, item.partition("="))
        if not equals and not operation:
            continue
        if not (operation and name):
            warn(f"DEZERO_OPS holds {item.strip()!r}; write operation=plugin, as exp=math.")
            continue
        if operation in choices:
            warn(
                f"DEZERO_OPS names two plugins for {operation!r}; {name!r} is the one that counts."
            )
        try:
            choices[operation] = find(name).record.name
        except UnknownPluginError as error:
            warn(f"DEZERO_OPS names {name!r}: {error}")
    return choices


def choose(wanted: Mapping[str, str], for_good: bool = False) -> dict[str, str]:
    """Let each of these plugins provide its operation, also beside another one that does.

    Parameters
    ----------
    wanted : mapping from str to str
        Operation -> plugin, by any of its names. It is loaded, if only a conflict has kept it out.
    for_good : bool
        Whether the operations are from now on those of these plugins.

    Returns
    -------
    dict
        Operation -> name of the plugin.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If one of them does not; then nothing has changed.
    """
    load_pending()
    if any(map(_is_kept_out, map(find, wanted.values()))):
        # Outside of the lock, which a thread may want that is importing the same module.
        REGISTRY.load_operations(wanted)
    with REGISTRY.lock:
        undo = _remember()
        try:
            settled = dict(REGISTRY.settled)
            for operation in wanted:
                REGISTRY.settled.setdefault(operation, None)
            for name in wanted.values():
                if _is_kept_out(plugin := find(name)):
                    load(plugin)
            chosen = {operation: _provided(operation, name) for operation, name in wanted.items()}
            REGISTRY.settled = settled
            if for_good:
                REGISTRY.settled = {**settled, **chosen}
                OF_ENVIRONMENT.difference_update(chosen)
            return chosen
        except BaseException:
            undo()
            raise


def _is_kept_out(plugin: Plugin) -> bool:
    return plugin.conflict is not None and plugin.record.state == "failed"


def _remember() -> Callable[[], None]:
    """Return what unloads the plugins that are not loaded now, and forgets what is settled then."""
    settled = dict(REGISTRY.settled)
    out = [
        (plugin, plugin.record, plugin.conflict)
        for plugin in PLUGINS.values()
        if plugin.record.state != "loaded"
    ]

    def undo() -> None:
        for plugin, record, conflict in out:
            unload(plugin, "")
            plugin.record, plugin.conflict = record, conflict
        REGISTRY.settled = settled

    return undo


@contextmanager
def side_by_side(operation: str, *names: str) -> Iterator[tuple[Operation, ...]]:
    """Have plugins that provide one operation loaded for a block, whatever else they conflict over.

    At its end everything is undone that was loaded or settled meanwhile.

    Yields
    ------
    tuple of Operation
        What each of them provides.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If one of them does not.
    """
    load_pending()
    with REGISTRY.lock:
        undo = _remember()
    try:
        found: list[Operation] = []
        for name in names:  # without the lock, as `choose` says
            conflict = find(name).conflict
            over = conflict.operations if conflict else ()
            plugin = choose(dict.fromkeys((operation, *over), name))[operation]
            found += REGISTRY.operations_of(plugin, operation)
        yield tuple(found)
    finally:
        with REGISTRY.lock:
            undo()


def _provided(operation: str, name: str) -> str:
    """Return the name of a plugin, if it provides the operation."""
    record = find(name).record
    if record.state != "loaded":
        raise PluginError(f"{record} {record.why_not}", plugin=record.name)
    owners = REGISTRY.providers.get(operation)
    if owners and record.name in owners:
        return record.name
    known = tuple(REGISTRY.providers)
    if owners:
        advice = f"{' and '.join(map(repr, owners))} {'does' if len(owners) == 1 else 'do'}."
    else:
        advice = f"No loaded plugin does. {did_you_mean(operation, known) or 'See ops().'}"
    raise UnknownOperationError(
        f"{record} provides no operation {operation!r}. {advice}",
        plugin=record.name,
        operation=operation,
        known=known,
    )
