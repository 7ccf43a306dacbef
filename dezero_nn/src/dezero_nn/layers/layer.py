"""The base of all layers, which collects the parameters in its attributes, and their checks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from dezero_core import Parameter, Variable

from ..docstrings import described
from ..npz import Shape, load_variables, save_variables


@described
class State(Variable):
    """A Variable that a layer or an optimizer changes, and that is saved, but never trained.

    The running means of `BatchNorm` and the moments of `Adam` are States. A compiled function of
    dezero-replay sees that they change.

    data (ndarray or None): as of a `Variable`.
    name (str, optional):
    """

    __slots__ = ()


@described
class Layer:
    """A function with parameters: they are found in its attributes.

    A subclass puts Parameters, other Layers, or lists, tuples and dicts of them into attributes,
    and defines ``forward``. Its ``repr`` shows the layers in it, with the shapes of parameters.

    Source: *Deep Learning from Scratch 3*, steps 44 and 53.

    >>> class Scale(Layer):
    ...     def __init__(self):
    ...         self.factor = Parameter(np.array([2.0, 3.0]))
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> scale = Scale()
    >>> scale(np.array([1.0, 2.0]))
    variable([2. 6.])
    >>> list(scale.params())
    [variable([2. 3.])]
    >>> scale
    Scale(factor: 2)
    """

    def __call__(self, *inputs: Any) -> Any:
        """Return ``forward(*inputs)``."""
        return self.forward(*inputs)

    def forward(self, *inputs: Any) -> Any:
        """Compute the outputs; a subclass defines it.

        inputs (Variable or ndarray): as the class says.
        Returns (Variable): as the class says.
        """
        raise NotImplementedError(f"{type(self).__name__} defines no forward(*inputs).")

    def variables(self) -> Iterator[tuple[str, Variable]]:
        """Yield each `Parameter` and `State` of this layer and of those in it, with its name.

        Names are paths of attributes, positions and keys, as in the book: ``"l1/W"``,
        ``"blocks/0/gamma"``. One that is found twice is yielded once.

        Yields ((str, Variable)):
        """
        return found_in(self, (Parameter, State))

    def params(self) -> Iterator[Parameter]:
        """Yield each `Parameter` of this layer and of those in it.

        Yields (Parameter):
        """
        return (found for _, found in self.variables() if isinstance(found, Parameter))

    def cleargrads(self) -> None:
        """Set the gradient of each parameter to None."""
        for parameter in self.params():
            parameter.cleargrad()

    def save_weights(self, path: str | os.PathLike[str]) -> None:
        """Write the data of each `Parameter` and `State` into a file, under its name.

        It is a file of ``np.savez``, without pickle. A file that was there before stays whole until
        the new one is complete.

        path (str or path): ``.npz`` is added where it is missing, as ``np.savez`` does.
        Raises ValueError: if one has no data yet, as before the first call, or if two have one
            name. Nothing is written then.
        Raises FileNotFoundError: if there is no such folder.
        """
        save_variables(path, self._named())

    def load_weights(self, path: str | os.PathLike[str]) -> None:
        """Take the data of each `Parameter` and `State` from a file of `save_weights`.

        They are converted to the dtype that they have. One without data, as before the first call,
        takes those of the file as they are.

        path (str or path): as it was given to `save_weights`.
        Raises FileNotFoundError: if there is no such file.
        Raises ValueError: if it is no such file, or does not fit: the message has each name that is
            missing, unknown, or of another shape. Nothing is changed then.
        """
        load_variables(path, self._named(), self.shapes_to_come())

    def shapes_to_come(self) -> dict[int, Shape]:
        """Return the shapes that variables without data are to get, by their id.

        Returns (dict of int to tuple): a size is None if only the first input tells it.
            `load_weights` compares them.
        """
        return {
            id(getattr(layer, key)): shape
            for _, layer in found_in(self, (Layer,))
            for key, shape in layer._own_shapes().items()
        }

    def _own_shapes(self) -> Mapping[str, Shape]:
        """Return the shapes of variables that get their data in the first call, by attribute."""
        return {}

    def _members(self) -> Iterable[tuple[str, Any]]:
        """Return the names and values that parameters are looked for in."""
        return list(vars(self).items())

    def _named(self) -> dict[str, Variable]:
        named: dict[str, Variable] = {}
        for name, variable in self.variables():
            if name in named:
                raise ValueError(
                    f"{type(self).__name__} has two parameters named {name!r}: a key of a dict "
                    "contains '/', or a number and a str look the same. Rename one of the keys."
                )
            named[name] = variable
        return named

    def __repr__(self) -> str:
        return "\n".join(_lines(self, set()))


def _members(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return names and values of what a layer, list, tuple or dict holds; None of all else."""
    if isinstance(value, Layer):
        return value._members()
    if isinstance(value, dict):
        return list(value.items())
    return enumerate(value) if isinstance(value, (list, tuple)) else None


def found_in(value: Any, kinds: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    """Yield each object of some classes in a layer and in those in it, with its name, once."""
    return _found("", value, kinds, set())


def _found(
    name: str, value: Any, kinds: tuple[type, ...], seen: set[int], beyond: bool = True
) -> Iterator[tuple[str, Any]]:
    """Yield what `found_in` does; what is in one of the objects only if it is to go `beyond`."""
    members, is_one = _members(value), isinstance(value, kinds)
    if id(value) in seen or (members is None and not is_one):
        return
    seen.add(id(value))
    if is_one:
        yield name, value
        if not beyond:
            return
    for key, item in members or ():
        yield from _found(f"{name}/{key}" if name else str(key), item, kinds, seen, beyond)


def _lines(layer: Layer, above: set[int]) -> list[str]:
    """Return the lines that show a layer and those in it, but for those that it is itself in."""
    title = type(layer).__name__
    if id(layer) in above:
        return [f"{title}(...)"]
    shapes: list[str] = []
    lines: list[str] = []
    own, kinds = dict(layer._members()), (Parameter, State, Layer)
    for name, shown in _found("", own, kinds, set(), beyond=False):  # layers show what is in them
        if isinstance(shown, Layer):
            first, *others = _lines(shown, above | {id(layer)})
            lines += [f"{name}: {first}", *others]
        else:
            size = "not known yet" if shown.data is None else "x".join(map(str, shown.shape)) or "1"
            shapes.append(f"{name}: {size}")
    if not lines:
        return [f"{title}({', '.join(shapes)})"]
    return [f"{title}(", *(f"  {line}" for line in [*shapes, *lines]), ")"]


def require_floating(layer: Any, dtype: Any) -> None:
    """Raise a TypeError if weights of a dtype cannot be trained: integers have no gradient."""
    if np.dtype(dtype).kind not in "fc":
        raise TypeError(
            f"{type(layer).__name__} takes a dtype of floating-point numbers, got "
            f"{np.dtype(dtype)}: write dtype=np.float32."
        )


def drawn(rng: Any, shape: tuple[int, ...], scale: float, dtype: Any) -> Any:
    """Return normal numbers with mean 0 and standard deviation `scale`."""
    numbers = (np.random if rng is None else rng).standard_normal(shape)
    return (numbers * scale).astype(dtype)


def require_floats(layer: Any, x: Any) -> None:
    """Raise a TypeError if the input of a layer is no array of floating-point numbers."""
    name = type(layer).__name__
    if not (hasattr(x, "dtype") and hasattr(x, "shape")):
        raise TypeError(
            f"{name} takes an ndarray or a Variable, got a {type(x).__name__}: write "
            "np.array(x, dtype=np.float32)."
        )
    if x.dtype.kind not in "fc":
        raise TypeError(
            f"{name} takes floating-point numbers, got {x.dtype} of shape {x.shape}: write "
            "x.astype(np.float32). For ids, use EmbedID."
        )


def prepare(layer: Any, x: Any, weights: Any, axis: int, axes: str) -> None:
    """Raise an error if the input of a layer has no such axis, or one not as long as the weights.

    Weights without data yet fit each length, and get their data.
    """
    require_floats(layer, x)
    known = weights.data is not None
    if x.ndim < max(axis + 1, -axis) or (known and x.shape[axis] != len(weights)):
        size = f" with in_size {len(weights)}" if known else ""
        raise ValueError(
            f"{layer!r} takes an input of shape {axes}{size}, got one of shape {x.shape}."
        )
    if not known:
        layer._begin(x.shape[axis])
