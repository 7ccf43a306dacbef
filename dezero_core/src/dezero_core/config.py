"""How calls are treated in this thread and asyncio task: ``with no_grad():``."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from .blocks import Block
from .contests import load_awaited
from .errors import user_line


class Setting:
    """A switch that a plugin has declared; loaded again, the plugin declares another one."""

    def __init__(self, default: bool, plugin: str) -> None:
        self.default, self.plugin = default, plugin


class Mode:
    """How calls of Functions are treated, here and now.

    Each call reads the current Mode once, from `mode`. Nearly always that is `RECORDING`, so a call
    only asks ``mode is RECORDING``; blocks such as ``no_grad()`` put another one there. A result
    that was not recorded keeps the Mode as its edge, so that ``backward()`` can name the line that
    switched recording off.

    Attributes
    ----------
    records : bool
        Whether results get a graph.
    where : str or None
        The line of the user that switched recording off.
    observers : tuple
        Observers that are shown every call.
    differentiated : object
        True, or any true object, while a function given to ``functional.grad``, ``jacobian``,
        ``hessian`` and the like runs. A gradient that such a function computes by ``backward()`` is
        part of its result, so it is recorded, as under ``create_graph``.
    in_backward : bool
        Whether a backward pass runs. In a pass ``inputs`` and ``outputs`` of a Function do not give
        a Variable that was not saved, though it may be alive: it may hold other data by now.
    switched : frozenset of Setting
        The settings of plugins that are not at their defaults.
    """

    __slots__ = ("differentiated", "in_backward", "observers", "records", "switched", "where")

    #: A Mode stands in the place of an edge; no Function made the result that has it.
    creator = None

    def __init__(
        self,
        records: bool = True,
        where: str | None = None,
        observers: tuple[Any, ...] = (),
        differentiated: Any = False,
        in_backward: bool = False,
        switched: frozenset[Setting] = frozenset(),
    ) -> None:
        self.records, self.where, self.observers = records, where, observers
        self.differentiated, self.in_backward, self.switched = differentiated, in_backward, switched

    def changed(self, **fields: Any) -> Mode:
        """Return a Mode with other values for some attributes: `RECORDING` if it equals that."""
        values = {name: fields.get(name, getattr(self, name)) for name in Mode.__slots__}
        usual = all(value == getattr(RECORDING, name) for name, value in values.items())
        return RECORDING if usual else Mode(**values)

    def in_pass(self, create_graph: bool) -> Mode:
        """Return the Mode of a backward pass that begins now.

        A plain pass needs no ``no_grad()``: it computes with arrays, of which nothing is recorded.
        """
        if self is RECORDING:
            return _PASS
        if create_graph and not self.records:  # backward(create_graph=True) within no_grad()
            return self.changed(in_backward=True, records=True, where=None)
        return self.changed(in_backward=True)


RECORDING = Mode()
"""The Mode outside of all blocks."""

_PASS = Mode(in_backward=True)

CONSTANT = Mode(records=False)
"""In place of the edge of a Variable that the engine has made, as of ones or zeros: a constant."""

mode: ContextVar[Mode] = ContextVar("dezero_mode", default=RECORDING)

warns: ContextVar[bool] = ContextVar("dezero_warn_of_independence", default=True)
#: Setting of the core -> the variable that has it.
_SETTINGS: dict[str, ContextVar[Any]] = {"enable_backprop": mode, "warn_of_independence": warns}
PLUGIN_SETTINGS: dict[str, Setting] = {}


def _of_plugin(name: str) -> Setting | None:
    """Return a setting of a plugin, or None for one of the core."""
    if name in _SETTINGS:
        return None
    load_awaited()
    if name not in PLUGIN_SETTINGS:
        of_plugins = [f"{known} of plugin {s.plugin!r}" for known, s in PLUGIN_SETTINGS.items()]
        listed = ", ".join([*_SETTINGS, *of_plugins])
        raise AttributeError(f"Config has no setting {name!r}. Known settings: {listed}.")
    return PLUGIN_SETTINGS[name]


class _ConfigType(type):
    def __getattr__(cls, name: str) -> bool:
        setting = _of_plugin(name)
        if setting is not None:
            return setting.default != (setting in mode.get().switched)
        return mode.get().records if name == "enable_backprop" else warns.get()

    def __setattr__(cls, name: str, value: bool) -> None:
        using_config(name, value)._assign()

    def __dir__(cls) -> list[str]:
        return [*super().__dir__(), *_SETTINGS, *PLUGIN_SETTINGS]


class Config(metaclass=_ConfigType):
    """The settings of this thread and task, read and written as attributes.

    ``Config.enable_backprop`` (default True): whether calls of a Function are recorded.
    ``Config.warn_of_independence`` (default True): whether `grad` warns by what has no influence.
    Plugins declare more, as ``Config.train`` of dezero-nn.

    Raises
    ------
    AttributeError
        For a name that is no setting; the message lists the known ones.
    """


class using_config(Block):
    """Set one switch for a ``with`` block, or for each call of a decorated function.

    Parameters
    ----------
    name : str
        A setting of `Config`.
    value : bool

    Raises
    ------
    AttributeError
        If `name` is no setting; the message lists the known ones.
    TypeError
        If a generator function is decorated: the setting would hold in its caller, too.

    Examples
    --------
    >>> with using_config("enable_backprop", False):
    ...     print(Config.enable_backprop)
    False
    >>> Config.enable_backprop
    True
    """

    def __init__(self, name: str, value: bool) -> None:
        self._setting = _of_plugin(name)
        self._variable, self._value = _SETTINGS.get(name, mode), bool(value)
        self._where = None if value else user_line()

    def _changed(self, value: Any) -> Any:
        if self._setting is not None:
            differing = {self._setting} if self._value != self._setting.default else set()
            return value.changed(switched=value.switched - {self._setting} | differing)
        of_mode = {"records": self._value, "where": self._where}
        return value.changed(**of_mode) if self._variable is mode else self._value

    def _assign(self) -> None:
        """Set it for good, or to the end of the block that this thread and task is in."""
        self._variable.set(self._changed(self._variable.get()))


def no_grad(*misplaced: Any) -> using_config:
    """Record nothing: ``with no_grad():`` or ``@no_grad()``, for inference and updates.

    Returns
    -------
    using_config
        Of ``enable_backprop``, False.

    Raises
    ------
    TypeError
        If it is given anything, as by ``@no_grad`` without the parentheses.

    Examples
    --------
    >>> with no_grad():
    ...     Config.enable_backprop
    False
    """
    if misplaced:
        raise TypeError("no_grad() takes no arguments. As a decorator, write @no_grad().")
    return using_config("enable_backprop", False)
