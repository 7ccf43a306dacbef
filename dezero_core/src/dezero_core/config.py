"""How calls are treated in this thread and asyncio task: ``with no_grad():``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeVar

from .arrays import call_by_type
from .errors import user_line
from .providers import KINDS, Kind, load_plugins_first

F = TypeVar("F", bound=Callable[..., Any])


class Mode:
    """How calls of Functions are treated, here and now.

    Each call reads the current Mode once, from `mode`. Nearly always that is `RECORDING`, so a call
    only asks ``mode is RECORDING``; blocks such as ``no_grad()`` put another one there. A result
    that was not recorded keeps the Mode as its edge, so that ``backward()`` can name the line that
    switched recording off.
    """

    __slots__ = ("differentiated", "in_backward", "observer", "records", "switched", "where")

    # As of an edge, in whose place a Mode stands: no Function made the result that has it.
    creator = None

    def __init__(
        self,
        records: bool = True,
        where: str | None = None,
        observer: Any = None,
        differentiated: Any = False,
        in_backward: bool = False,
        switched: frozenset[str] = frozenset(),
    ) -> None:
        #: Whether results get a graph.
        self.records = records
        #: The line of the user that switched recording off.
        self.where = where
        #: It runs every ``forward`` and ``backward``, by ``run(function, node, method, arrays)``,
        #: and is told of what was recorded, ``recorded(function)``, and is changed, ``written(x)``.
        self.observer = observer
        #: True, or any true object, while a function given to ``functional.grad``, ``jacobian``,
        #: ``hessian`` and the like runs. A gradient that such a function computes by ``backward()``
        #: is part of its result, so it is recorded, as under ``create_graph``.
        self.differentiated = differentiated
        #: Whether a backward pass runs. Then ``inputs`` and ``outputs`` of a Function give what was
        #: saved alone: a Variable that is still alive may hold other data by now.
        self.in_backward = in_backward
        #: The settings that are not at their defaults, but for ``enable_backprop``: see `records`.
        self.switched = switched

    def changed(self, **fields: Any) -> Mode:
        """Return a Mode with other values for some attributes: `RECORDING` if it equals that."""
        values = {name: fields.get(name, getattr(self, name)) for name in Mode.__slots__}
        usual = all(value == getattr(RECORDING, name) for name, value in values.items())
        return RECORDING if usual else Mode(**values)

    def setting(self, name: str) -> bool:
        """Return the value of a setting of `Config`: its default, or the other one if switched."""
        return self.records if name == _RECORDS else SETTINGS[name] != (name in self.switched)

    def in_pass(self, create_graph: bool) -> Mode:
        """Return the Mode of a backward pass that begins now.

        A plain pass needs no ``no_grad()``: it computes with arrays, and records nothing.
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
"""In place of an edge: marks a constant that the engine has made, such as ones or zeros."""

mode: ContextVar[Mode] = ContextVar("dezero_mode", default=RECORDING)


def run(function: Any, node: Any, method: str, arrays: Iterable[Any]) -> Any:
    """Run a method of a Function: as the observer does, else as the type of the arrays does.

    It runs on `node`: the Function, or a copy with other saved arrays.
    """
    observer = mode.get().observer
    if observer is not None:
        return observer.run(function, node, method, arrays)
    return call_by_type(getattr(node, method), arrays, {})


class Block:
    """Sets a variable for a ``with`` block, or for each call of a decorated function.

    Another thread or task never sees it, an exception restores it, and blocks nest, also if they
    are left in another order. A *generator* that leaves a block by ``yield`` takes it along to the
    caller of ``next()``; so to decorate one is a TypeError.
    """

    #: The variable that is set, for this thread and task.
    _variable: ContextVar[Any]

    def _changed(self, value: Any) -> Any:
        """Return the value in the block, given the value outside."""

    def _left(self, outer: Any, entered: Any, now: Any) -> Any:
        """Return the value after the block, given the values outside, at the entry, and now."""
        return outer

    def __enter__(self) -> Any:
        outer, before = self._variable.get(), _entered.get()
        value = self._changed(outer)
        try:
            _entered.set((*before, (self, outer, value)))
            self._variable.set(value)
        except BaseException:  # an interrupt: nobody will leave what was not entered
            _entered.set(before)
            self._variable.set(outer)
            raise

    def __exit__(self, *exception: object) -> None:
        try:
            self._leave()
        except KeyboardInterrupt:
            self._leave()  # does nothing if the block was left already
            raise

    def _leave(self) -> None:
        entered = _entered.get()
        if entered and entered[-1][0] is self:
            self._variable.set(self._left(*entered[-1][1:], self._variable.get()))
            _entered.set(entered[:-1])
            return
        # Of the blocks a, b and c, b may be left first: then c, which goes on, gets b's outer value
        # as its own, and gives that back at its end.
        at = max((n for n, (block, *_) in enumerate(entered) if block is self), default=None)
        if at is None:  # it was entered in another thread or task
            return
        (_, outer, value), later = entered[at], list(entered[at + 1 :])
        same = [n for n, (block, *_) in enumerate(later) if block._variable is self._variable]
        if same:
            block, _, inner = later[same[0]]
            later[same[0]] = block, outer, inner
        else:
            self._variable.set(self._left(outer, value, self._variable.get()))
        _entered.set((*entered[:at], *later))

    def __call__(self, function: F) -> F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{function.__qualname__} is a generator: a setting cannot follow it from step to "
                "step. Write a with block inside it, without a yield in that."
            )

        def called(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        async def awaited(*args: Any, **kwargs: Any) -> Any:
            with self:
                return await function(*args, **kwargs)

        wrapper: Any = awaited if inspect.iscoroutinefunction(function) else called
        functools.update_wrapper(wrapper, function)
        return wrapper


#: The blocks that this thread and task is inside of: each with the value outside, and inside.
_entered: ContextVar[tuple[tuple[Block, Any, Any], ...]] = ContextVar("dezero_blocks", default=())

_RECORDS = "enable_backprop"

SETTINGS: dict[str, bool] = {_RECORDS: True, "warn_of_independence": True}
"""Setting, of the core or a plugin -> its default."""


def _broken_rule(name: str, default: Any) -> str:
    """Return the rule that a setting of a plugin breaks, ``""`` if none."""
    if not name.isidentifier() or name.startswith("_") or hasattr(type, name):
        return "its name must be one for an attribute of Config"
    return "" if isinstance(default, bool) else "its default must be True or False"


KINDS["setting"] = Kind(SETTINGS, _broken_rule)


def _require_setting(name: str) -> None:
    if name not in SETTINGS:
        load_plugins_first()
    if name not in SETTINGS:
        known = ", ".join(SETTINGS)
        raise AttributeError(f"Config has no setting {name!r}. Known settings: {known}.")


class _ConfigType(type):
    def __getattr__(cls, name: str) -> bool:
        _require_setting(name)
        return mode.get().setting(name)

    def __setattr__(cls, name: str, value: bool) -> None:
        mode.set(using_config(name, value)._changed(mode.get()))

    def __dir__(cls) -> list[str]:
        return [*super().__dir__(), *SETTINGS]


class Config(metaclass=_ConfigType):
    """The settings of this thread and task, read and written as attributes.

    ``Config.enable_backprop`` (default True): whether calls of a Function are recorded.
    ``Config.warn_of_independence`` (default True): whether `grad` warns of an unused input.
    Plugins declare more, as ``Config.train`` of dezero-nn. A name that is no setting is an
    AttributeError, which lists the known ones.
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

    _variable = mode

    def __init__(self, name: str, value: bool) -> None:
        _require_setting(name)
        self._name, self._value = name, bool(value)
        self._where = None if value else user_line()

    def _changed(self, value: Mode) -> Mode:
        if self._name == _RECORDS:
            return value.changed(records=self._value, where=self._where)
        differing = {self._name} if self._value != SETTINGS.get(self._name) else set()
        return value.changed(switched=value.switched - {self._name} | differing)


def no_grad(*misplaced: Any) -> using_config:
    """Record nothing: ``with no_grad():`` or ``@no_grad()``, for inference and updates.

    Returns
    -------
    using_config
        The block that sets ``enable_backprop`` to False.

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
