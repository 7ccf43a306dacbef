"""The hooks that the core calls, and the markers that plugins use.

A plugin is a module or object with functions of these names, marked `hookimpl`, that an
entry point of the group ``dezero`` names::

    [project.entry-points.dezero]
    my-ops = "my_ops.plugin"

It may state the version of this contract it was written for, ``DEZERO_PLUGIN_API = (1, 0)``, and
the plugins that must be there before it is loaded, ``DEZERO_REQUIRES = ("basic>=1",)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..array_types import ArrayType
    from .registrar import Registrar

PLUGIN_API = (1, 7)
"""Version of the contract: a plugin needs the same first number, and a second up to this."""

hookspec = pluggy.HookspecMarker("dezero")
hookimpl = pluggy.HookimplMarker("dezero")


@hookspec
def dezero_register_ops(register: Registrar) -> None:
    """Register operations: call ``register(...)`` once for each.

    Called once, when the plugin is loaded. Nothing is bound until it has returned; if it
    raises, nothing of the plugin remains. ``register.later(...)`` announces those of a module
    that is imported when one of them is first needed; worth it for a plugin of many modules.

    Parameters
    ----------
    register : Registrar
        See `Registrar.__call__` for the parameters of a registration, and `Registrar.later`.
    """


@hookspec
def dezero_register_observers(register: Callable[..., None]) -> None:
    """Register observers, for ``observe("name")`` of the tools: call ``register(name, made_by)``.

    Called once, when the plugin is loaded, as the hook for operations. New in plugin API 1.1.

    Parameters
    ----------
    register : callable
        Takes a name, and a callable that makes an `Observer` of dezero-tools: a class.
    """


@hookspec
def dezero_register_executors(register: Callable[..., None]) -> None:
    """Register executors, which run what dezero-replay records: call ``register(name, made_by)``.

    Called once, when the plugin is loaded, as the hook for operations. New in plugin API 1.5.

    Parameters
    ----------
    register : callable
        Takes a name, by which users choose it, and a callable that takes ``threads=`` and
        ``wait=`` of ``compiled``, and makes an `Executor` of dezero-replay.
    """


@hookspec
def dezero_register_arrays(register: Callable[[ArrayType], None]) -> None:
    """Register types of arrays that a Variable may hold: call ``register(ArrayType(...))``.

    Called once, when the plugin is loaded, as the hook for operations. New in plugin API 1.4.

    Parameters
    ----------
    register : callable
        Takes an `ArrayType`.
    """


@hookspec
def dezero_register_settings(register: Callable[[str, bool], None]) -> None:
    """Declare switches of `Config`: call ``register(name, default)``, a name and a bool.

    Called once, when the plugin is loaded, as the hook for operations. New in plugin API 1.7.
    """
