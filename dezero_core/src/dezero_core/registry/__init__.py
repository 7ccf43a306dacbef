"""The plugin system, and the hook by which a plugin meets it.

A plugin is a module or object with a function `dezero_register_ops`, marked `hookimpl`, that an
entry point of the group ``dezero`` names::

    [project.entry-points.dezero]
    my-ops = "my_ops.plugin"

It may state the version of this contract it was written for: ``DEZERO_PLUGIN_API = (2, 0)``.

`registrar` collects what a plugin registers. `records` has the plugins that were seen; `loading`
loads one of them, all of it or nothing, and binds its names to `slots`. `plugins` has the functions
that users call to load and to list plugins, and `choices` those to choose between several.
"""

from __future__ import annotations

from typing import Any

import pluggy

PLUGIN_API = (2, 0)
"""Version of the contract: a plugin needs the same first number, and a second up to this."""

hookspec = pluggy.HookspecMarker("dezero")
hookimpl = pluggy.HookimplMarker("dezero")


@hookspec
def dezero_register_ops(register: Any) -> None:
    """Register operations, and parts of tools: call ``register(...)`` once for each operation.

    Called once, when the plugin is loaded. Nothing is bound until it has returned; if it
    raises, nothing of the plugin remains.

    Parameters
    ----------
    register : Registrar
        ``register(...)`` takes an operation, ``register.later(...)`` the operations of a module
        that is imported when one of them is first needed, ``register.method(...)`` a method, and
        ``register.part(...)`` a type of arrays, a setting, an observer or an executor.
    """
