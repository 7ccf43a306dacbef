"""The base of all layers: it collects the parameters in its attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dezero_core import Parameter, Variable


class State(Variable):
    """A Variable that a layer or an optimizer changes, and that is saved, but never trained.

    The running means of `BatchNorm` and the moments of `Adam` are States. A compiled function of
    dezero-replay sees that they change.

    Parameters
    ----------
    data : numpy.ndarray or None
        As of a `Variable`.
    name : str, optional
    """

    __slots__ = ()


class Layer:
    """A function with parameters: they are found in its attributes.

    A subclass puts Parameters, other Layers, or lists, tuples and dicts of them into attributes,
    and defines ``forward``.

    Examples
    --------
    >>> class Scale(Layer):
    ...     def __init__(self):
    ...         self.factor = Parameter(np.array(2.0))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> scale = Scale()
    >>> scale(np.array([1.0, 2.0]))
    variable([2. 4.])
    >>> list(scale.params())
    [variable(2.0)]
    """

    def __call__(self, *inputs: Any) -> Any:
        """Return ``forward(*inputs)``."""
        return self.forward(*inputs)

    def forward(self, *inputs: Any) -> Any:
        """Compute the outputs; a subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward(*inputs).")

    def variables(self) -> Iterator[tuple[str, Variable]]:
        """Yield each `Parameter` and `State` of this layer and of those in it, with its name.

        Names are paths of attributes, positions and keys, as in the book: ``"l1/W"``,
        ``"blocks/0/gamma"``. One that is found twice is yielded once.
        """
        return _found("", vars(self), set())

    def params(self) -> Iterator[Parameter]:
        """Yield each `Parameter` of this layer and of those in it."""
        return (found for _, found in self.variables() if isinstance(found, Parameter))

    def cleargrads(self) -> None:
        """Set the gradient of each parameter to None."""
        for parameter in self.params():
            parameter.cleargrad()


def _found(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Variable]]:
    if isinstance(value, Layer):
        value = vars(value)
    elif isinstance(value, (list, tuple)):
        value = dict(enumerate(value))
    is_variable = isinstance(value, (Parameter, State))
    if id(value) in seen or not (is_variable or isinstance(value, dict)):
        return
    seen.add(id(value))
    if is_variable:
        yield name, value
        return
    for key, item in value.items():
        yield from _found(f"{name}/{key}" if name else str(key), item, seen)
