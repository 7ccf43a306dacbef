"""What two plugins both provide, and the errors for it, with what the user can do."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from ..errors import PluginConflictError
from ..slots import CORE
from .registrar import written


class Clash(NamedTuple):
    """One thing that a plugin provides and its `owner` does already.

    The `thing` is the name of an operation or of an observer, or a key of `Registrar.bindings`.
    """

    kind: Literal["operation", "binding", "observer"]
    thing: Any
    owner: str

    def __str__(self) -> str:
        return written(self.thing) if self.kind == "binding" else f"{self.kind} {self.thing!r}"


def conflict(clash: Clash, plugin: str, by_hand: bool) -> PluginConflictError:
    """Return the error for a thing of which the user cannot choose the provider."""
    if clash.owner == CORE:
        advice = "A plugin cannot replace what belongs to the core; choose another name."
    else:
        advice = (
            f"Keep one of them: {_keep_one(plugin, clash.owner, by_hand)} prefer and DEZERO_OPS "
            "settle only operations of the same name."
        )
    return _refusal(str(clash), plugin, clash.owner, advice)


def unsettled_conflict(clashes: list[Clash], plugin: str, by_hand: bool) -> PluginConflictError:
    """Return the error for operations of which the user is to choose the provider."""
    owners = {clash.thing: clash.owner for clash in clashes}
    names, owner = list(owners), clashes[0].owner
    several = len(set(owners.values())) > 1
    listed = [f"{name!r} of {owners[name]!r}" if several else repr(name) for name in names[:6]]
    listed += ["…"] if len(names) > 6 else []
    what = f"operation {listed[0]}" if len(names) == 1 else f"the operations {', '.join(listed)}"

    def preferred(plugin: str) -> str:
        keyword = f"{names[0]}={plugin!r}"
        if not names[0].isidentifier():  # as linalg.inv
            keyword = f"**{{{names[0]!r}: {plugin!r}}}"
        return f"dezero_core.prefer({keyword})"

    if by_hand:
        each = " for each of them" if len(names) > 1 else ""
        choose = (
            f"Say {preferred(owner)}{each} and register it again; then choose, by "
            f"{preferred(plugin)} or use_ops."
        )
    else:
        choice = ",".join(f"{name}={plugin}" for name in names[:6])
        more = " and so on" if len(names) > 6 else ""
        each = " for each" if len(names) > 1 else ""
        choose = (
            f"Choose{each}: DEZERO_OPS={choice}{more} (or ={owner}), or by {preferred(plugin)} or "
            "use_ops."
        )
    advice = f"{choose} Or keep one plugin: {_keep_one(plugin, owner, by_hand)}"
    return _refusal(what, plugin, owner, advice, tuple(names))


def _refusal(
    what: str, plugin: str, owner: str, advice: str, operations: tuple[str, ...] = ()
) -> PluginConflictError:
    return PluginConflictError(
        f"plugin {plugin!r} provides {what}, which {owner!r} provides already. {advice}",
        what=what,
        plugin=plugin,
        other=owner,
        operations=operations,
    )


def _keep_one(plugin: str, owner: str, by_hand: bool) -> str:
    """Return how to have one of two plugins; one registered by hand no switch knows."""
    if by_hand:
        return f"dezero_core.unregister({owner!r}), and then register this one again."
    return (
        f"DEZERO_DISABLE_PLUGINS={plugin} or DEZERO_DISABLE_PLUGINS={owner}, or "
        f"dezero_core.unregister({owner!r}) and then register({plugin!r})."
    )
