"""Names that several plugins provide, and the plugin in use for each."""

from __future__ import annotations

from typing import NamedTuple

from dezero_core.extend import IN_USE, PREFERRED, SLOTS, contesting, plugin_in_use, to_choose


class Contest(NamedTuple):
    """A thing that several plugins provide, and not as an alternative."""

    #: The name in a choice: an operation, ``"exp"``; or a name of several ones, ``"np.exp"``.
    thing: str
    plugins: tuple[str, ...]
    #: The plugin in use; None if using the thing raises an error.
    in_use: str | None
    #: Whether the user has chosen the plugin in use; else it is the advised one for operators.
    is_chosen: bool
    #: An argument of `prefer`, ``"exp='fast'"``.
    choice: str
    #: The contested names: ``("Variable.exp", "np.exp")``.
    names: tuple[str, ...] = ()


def contests() -> list[Contest]:
    """Return everything that several plugins provide, and not as an alternative."""
    names: dict[Contest, list[str]] = {}
    for slot in list(SLOTS.values()):
        plugins = tuple(contesting(slot.bindings))
        if len(plugins) > 1:
            thing, choices = to_choose(slot.name, slot.bindings)
            now = plugin_in_use(slot.name, slot.bindings)
            things = {slot.name, *(name for b in slot.bindings.values() for name in b.operations)}
            is_chosen = not things.isdisjoint({*IN_USE.get(), *PREFERRED})
            contest = Contest(thing, plugins, now, now is not None and is_chosen, choices[-1])
            names.setdefault(contest, []).append(slot.name)
    found = [contest._replace(names=tuple(of)) for contest, of in names.items()]
    return sorted(found, key=lambda contest: contest.names)
