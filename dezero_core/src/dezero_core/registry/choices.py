"""Which of several plugins provides an operation: in the whole process, or in a block."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..blocks import Block
from ..contests import CHANGES, IN_USE, NEVER_IN_DOUBT, PREFERRED, that_stays
from ..errors import PluginError, UnknownOperationError, UnknownPluginError
from ..slots import OPERATORS, SLOTS, providing, to_choose
from .discovery import did_you_mean
from .loading import AFTER_LOADING, REGISTRY, find, load_pending, warn
from .providers import Contest

_by_environment = PREFERRED.maps[1]


def prefer(**operations: str | None) -> None:
    """Say which plugin provides an operation from now on, in the whole process.

    Parameters
    ----------
    **operations : str or None
        Thing and plugin: ``prefer(exp="fastmath")`` for an operation with all its names,
        ``prefer(**{"np.exp": "fastmath"})`` or ``"Variable.exp"`` for one name. Where the plugin
        binds less than others do, as no method, theirs stay. None takes a choice back.

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError), PluginError
        If there is no such plugin, it does not provide the operation, or is not loaded. Then
        nothing has changed.

    See Also
    --------
    use_ops : The same for a block, with an example. ``DEZERO_OPS="exp=fastmath"`` does it outside.
    """
    choose({thing: name for thing, name in operations.items() if name is not None}, for_good=True)
    for thing, name in operations.items():
        if name is None:
            PREFERRED.maps[0].pop(thing, None)
            CHANGES[0] += 1


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
    >>> twice, thrice = register(times(2.0), "twice"), register(times(3.0), "thrice")
    >>> x = Variable(np.array(1.0))
    >>> with use_ops(scaled="twice"):
    ...     x.scaled()
    variable(2.0)
    >>> with use_ops(scaled="thrice"):
    ...     x.scaled()
    variable(3.0)
    >>> hasattr(x, "scaled")  # contested, as long as nothing is chosen
    False
    >>> [unregister(name).state for name in ("twice", "thrice")]
    ['disabled', 'disabled']
    """

    def __init__(self, **operations: str) -> None:
        super().__init__(choose(operations))

    def _changed(self, value: Mapping[str, str]) -> Mapping[str, str]:
        choose(self._operations)  # a plugin may have been unloaded meanwhile
        return super()._changed(value)


def choose(wanted: Mapping[str, str], for_good: bool = False) -> dict[str, str]:
    """Check that plugins provide things, and prefer them, if that is `for_good`.

    Return thing -> name of the plugin; in `wanted` it may be any of its names.
    """
    load_pending()
    with REGISTRY.lock:
        chosen = {thing: _provided(thing, name) for thing, name in wanted.items()}
    for thing, plugin in chosen.items():  # without the lock, which an import may need
        REGISTRY.operations_of(plugin, thing.removeprefix("Variable."))
    with REGISTRY.lock:  # another thread may have unloaded a plugin meanwhile
        chosen = {thing: _provided(thing, name) for thing, name in chosen.items()}
        if for_good:
            PREFERRED.maps[0].update(chosen)
            CHANGES[0] += 1
    return chosen


def _provided(thing: str, name: str) -> str:
    """Return the name of a plugin, if it provides the thing."""
    record = find(name).record
    if record.state != "loaded":
        raise PluginError(f"{record} {record.why_not}", plugin=record.name)
    owners = REGISTRY.owners(thing)
    if record.name in owners:
        return record.name
    known = tuple(REGISTRY.providers)
    advice = f"No loaded plugin does. {_did_you_mean(thing) or 'See ops().'}"
    if owners:
        advice = f"{' and '.join(map(repr, owners))} {'does' if len(owners) == 1 else 'do'}."
    raise UnknownOperationError(
        f"{record} provides no operation {thing!r}. {advice}",
        plugin=record.name,
        operation=thing,
        known=known,
    )


def _did_you_mean(thing: str) -> str:
    """Return ``Did you mean 'Variable.T'?`` for ``"T"``, also where no operation has that name."""
    if provided := _written_as(thing):
        return f"Did you mean {' or '.join(map(repr, provided))}?"
    names = [slot.written for slot in SLOTS.values() if slot.bindings]
    return did_you_mean(thing, [*REGISTRY.providers, *names])


def _written_as(thing: str) -> list[str]:
    """Return the names of things that are provided and written so: ``"T"``, or ``"+"``."""
    names = [f"{of}.{thing}" for of in ("Variable", "np", "observe")]
    slots = [SLOTS[name] for name, (symbol, _) in OPERATORS.items() if symbol == thing]
    operations = [to_choose(slot.written, slot.bindings)[0] for slot in slots if slot.bindings]
    return [name for name in names if REGISTRY.owners(name)] + list(dict.fromkeys(operations))


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
            warn(f"DEZERO_OPS names {name!r} for {operation!r}. This choice is ignored: {error}")
    _by_environment.clear()
    _by_environment.update(choices)


def warn_of_changes() -> None:
    """Warn, once, of choices that came to nothing, and of operators that several plugins have."""
    that_stays.cache_clear()
    now = {**_choices_in_vain(), **_operators_in_doubt()}
    for what, warning in now.items():
        if what not in _warned:
            warn(warning)
    _warned.clear()
    _warned.update(now)


def _choices_in_vain() -> dict[Any, str]:
    """Return each choice whose plugin does not provide the thing (any more), with a warning."""
    choices = [("DEZERO_OPS asks for", item) for item in _by_environment.items()]
    choices += [("prefer() asks for", item) for item in PREFERRED.maps[0].items()]
    choices += [("a block of use_ops takes", item) for item, n in REGISTRY.blocks.items() if n]
    found: dict[Any, str] = {}
    for how, (thing, name) in choices:
        record, owners = find(name).record, REGISTRY.owners(thing)
        if name in owners or record.state == "pending":
            continue
        why, hint = record.why_not.rstrip("."), ""
        if record.state == "loaded":
            why, hint = "does not provide it", did_you_mean(thing, record.operations)
            hint = _did_you_mean(thing) if _written_as(thing) else hint
        others = f"; it is provided by {' and '.join(map(repr, owners))}" if owners else ""
        found[how, thing, name] = (
            f"{how} {thing!r} of {record}, which {why}. This choice is ignored{others}. {hint}"
        ).rstrip()
    return found


def _operators_in_doubt() -> dict[Any, str]:
    """Return the operators that several plugins provide and nobody has chosen, with a warning."""
    found: dict[tuple[tuple[str, ...], str | None], list[Contest]] = {}
    for contest in REGISTRY.contests():
        # That an announced name is of the operation chosen is known when the module is imported.
        is_chosen = contest.is_chosen or PREFERRED.get(contest.thing) in contest.plugins
        if not is_chosen and not NEVER_IN_DOUBT.keys().isdisjoint(contest.names):
            found.setdefault((contest.plugins, contest.in_use), []).append(contest)
    warnings: dict[Any, str] = {}
    for (plugins, plugin), contests in found.items():
        names = [name for contest in contests for name in contest.names]
        special = [name.removeprefix("Variable.") for name in names]
        symbols = [OPERATORS[name][0] for name in special if name in OPERATORS] or names
        stays = f"{plugin!r} stays in use" if plugin else "using them raises"
        warnings[plugins, plugin, *names] = (
            f"{providing(plugins)} {', '.join(dict.fromkeys(symbols))}; {stays}. Choose: "
            f"dezero_core.prefer({contests[0].choice}), or "
            f"DEZERO_OPS={contests[0].thing}={plugins[-1]}."
        )
    return warnings


_warned: set[Any] = set()
AFTER_LOADING.append(warn_of_changes)
