"""The record of one registered operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..function import Function

if TYPE_CHECKING:
    from .sampling import Sample


class Operation(NamedTuple):
    """The record of one operation, of which `Registrar` explains each field.

    Attributes
    ----------
    name, plugin : str
    function : callable
    function_class : type or None
    differentiable : bool
    approximate : str
        Empty if it is exact.
    dunders, methods : tuple of str
    numpy : tuple of callable
    sample : Sample or None
        It is not compared, since two are never equal.
    alternative : bool
        Whether it is in use only where the user has chosen it.
    """

    name: str
    plugin: str
    function: Callable[..., Any]
    function_class: type[Function] | None
    differentiable: bool
    approximate: str
    dunders: tuple[str, ...]
    methods: tuple[str, ...]
    numpy: tuple[Callable[..., Any], ...]
    sample: Sample | None
    alternative: bool = False

    @property
    def operation(self) -> str:
        """Its name, as of a `Binding`."""
        return self.name

    @property
    def order(self) -> int:
        """How often it can be differentiated; 2 stands for any number of times."""
        if not self.differentiable:
            return 0
        return 2 if self.sample is None else self.sample.order

    def __repr__(self) -> str:
        """Name it and its plugin: its fields would fill a screen for a few operations."""
        return f"Operation({self.name!r} of {self.plugin!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and self._compared == other._compared

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._compared)

    @property
    def _compared(self) -> tuple[Any, ...]:
        return tuple(self._replace(sample=None))
