"""The errors for what two plugins provide, with what the user can do about it."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PluginConflictError

CORE = "dezero_core"
"""The owner of what no plugin may replace."""


def conflict(
    what: str,
    plugin: str,
    owner: str,
    by_hand: bool,
    advice: str = "",
    operations: tuple[str, ...] = (),
) -> PluginConflictError:
    """Return the error for a thing that a plugin provides and `owner` does already."""
    if owner == CORE:
        advice = "A plugin cannot replace what belongs to the core; choose another name."
    advice = advice or (
        f"Keep one of them: {_keep_one(plugin, owner, by_hand)} prefer and DEZERO_OPS settle only "
        "operations of the same name."
    )
    return PluginConflictError(
        f"plugin {plugin!r} provides {what}, which {owner!r} provides already. {advice}",
        what=what,
        plugin=plugin,
        other=owner,
        operations=operations,
    )


def unsettled_conflict(
    plugin: str, owners: Mapping[str, str], by_hand: bool
) -> PluginConflictError:
    """Return the error for operations that two plugins provide, with what settles it."""
    names, owner = list(owners), next(iter(owners.values()))
    several = len(set(owners.values())) > 1
    shown = [f"{name!r} of {owners[name]!r}" if several else repr(name) for name in names[:6]]
    shown += ["…"] if len(names) > 6 else []
    what = f"operation {shown[0]}" if len(names) == 1 else f"the operations {', '.join(shown)}"

    def chosen(plugin: str) -> str:
        keyword = f"{names[0]}={plugin!r}"
        if not names[0].isidentifier():  # as linalg.inv
            keyword = f"**{{{names[0]!r}: {plugin!r}}}"
        return f"dezero_core.prefer({keyword})"

    if by_hand:
        each = " for each of them" if len(names) > 1 else ""
        choose = (
            f"Say {chosen(owner)}{each} and register it again; then choose, by {chosen(plugin)} "
            "or use_ops."
        )
    else:
        choice = ",".join(f"{name}={plugin}" for name in names[:6])
        more = " and so on" if len(names) > 6 else ""
        each = " for each" if len(names) > 1 else ""
        choose = (
            f"Choose{each}: DEZERO_OPS={choice}{more} (or ={owner}), or by {chosen(plugin)} or "
            "use_ops."
        )
    advice = f"{choose} Or keep one plugin: {_keep_one(plugin, owner, by_hand)}"
    return conflict(what, plugin, owner, by_hand, advice, tuple(names))


def _keep_one(plugin: str, owner: str, by_hand: bool) -> str:
    """Return how to have one of two plugins; one registered by hand no switch knows."""
    if by_hand:
        return f"dezero_core.unregister({owner!r}), and then register this one again."
    return (
        f"DEZERO_DISABLE_PLUGINS={plugin} or DEZERO_DISABLE_PLUGINS={owner}, or "
        f"dezero_core.unregister({owner!r}) and then register({plugin!r})."
    )
