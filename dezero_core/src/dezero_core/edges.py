"""What a node of the graph keeps: edges to where gradients go, and what was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import GradientError, VariableTypeError
from .slots import OPERATORS
from .variable import INEXACT, Array, Leaf, Variable

if TYPE_CHECKING:
    from .function import Function

Edge = Any
"""Where a gradient goes: a Function, a Port, a Leaf; None for a constant.

Each has ``_edge_shape`` and ``_edge_dtype``, of the gradients that go there.
"""

Spec = tuple[tuple[int, ...], Any]

NUMBER: Spec = ((), None)
"""In place of shape and dtype of a Python number: to NumPy it is weak."""


class Port:
    """Edge to one of the several outputs of a Function."""

    __slots__ = ("_edge_dtype", "_edge_shape", "creator", "index")

    def __init__(self, creator: Function, index: int) -> None:
        self.creator = creator
        self.index = index
        self._edge_shape, self._edge_dtype = creator._output_specs[index]


class Ended:
    """In place of the edges of a Function that gradients do not go through any more."""


UNCHAINED, FREED = Ended(), Ended()


class StandIn:
    """Stands in ``backward`` for an input or output; what is computed with is its ``data``."""

    __slots__ = ()

    #: What made it, None for an input; so that a graph can be walked as in the book.
    creator: Any = None
    name = None

    def __call__(self) -> StandIn:
        """Return itself: in place of a weak reference to an output."""
        return self

    def _refuse(self, *others: Any, **kwargs: Any) -> Any:
        raise VariableTypeError(
            "backward computes with the data of inputs and outputs, self.inputs[i].data and "
            "self.outputs[i]().data, and was about to compute with an input or output itself.",
            got=type(self),
        )

    __array_ufunc__ = __array_function__ = _refuse


for _special in OPERATORS:
    if _special not in ("__eq__", "__ne__"):
        setattr(StandIn, _special, StandIn._refuse)


class Saved(StandIn):
    """Stands for an input or output that was saved in ``forward``.

    ``data`` is the array, or the Variable in ``backward(create_graph=True)``.
    """

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data = data

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data."""
        return np.shape(self.data)

    @property
    def dtype(self) -> Any:
        """Data type of the data; None for a Python scalar."""
        return getattr(self.data, "dtype", None)


def saved(edge: Edge, array: Any, as_variable: bool) -> Saved:
    """Return what stands for the input or output at `edge`, of which `array` was saved."""
    if as_variable and edge is not None and array.dtype.kind in INEXACT:
        return Saved(variable_of(edge, array))
    return Saved(array)


class Unsaved(StandIn):
    """Stands for an input or output of which only shape and dtype were kept."""

    __slots__ = ("creator", "dtype", "kind", "owner", "shape")

    def __init__(self, spec: Spec, owner: type[Function], kind: str, creator: Any = None) -> None:
        self.shape, self.dtype = spec
        self.owner, self.kind, self.creator = owner, kind, creator

    @property
    def data(self) -> Array:
        """Raise: say how to keep what is not there."""
        name, saves = self.owner.__name__, self.owner.saves
        wanted = tuple(sorted({*saves, self.kind}))
        raise GradientError(
            f"{name} reads the data of its {self.kind}, and did not save them: its saves is "
            f"{saves}. Write saves = {wanted} in class {name}.",
            function=self.owner,
        )


class Dropped(StandIn):
    """Stands for an input that was not kept, because no other one wants a gradient."""

    __slots__ = ("edge", "owner")
    edge: Edge
    owner: type[Function]

    @property
    def creator(self) -> Any:
        """The Function that computed what was there."""
        return self.edge.creator

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of what was there."""
        return self.edge._edge_shape

    @property
    def dtype(self) -> Any:
        """Data type of what was there."""
        return self.edge._edge_dtype

    @property
    def data(self) -> Array:
        """Raise: say how to know what is there."""
        name = self.owner.__name__
        raise GradientError(
            f"{name} reads the data of an input that its saves, {self.owner.saves}, keep only "
            "where another one wants a gradient. See self.needs_grad before reading it.",
            function=self.owner,
        )


def dropped(edge: Edge, owner: type[Function]) -> Dropped:
    """Return what stands for the input at `edge`."""
    stand_in: Dropped = object.__new__(Dropped)  # without the time that an __init__ takes
    stand_in.edge, stand_in.owner = edge, owner
    return stand_in


class LiveInputs:
    """``function.inputs`` where they are not saved: the Variables that are still alive."""

    def __get__(self, function: Any, owner: type) -> Any:
        found: list[Any] = []
        for index, edge in enumerate(getattr(function, "_edges", ())):
            variable = None if edge is None else variable_at(edge)
            if variable is None:
                creator = None if edge is None else edge.creator
                found.append(Unsaved(function._input_spec(index), owner, "inputs", creator))
            else:
                found.append(variable)
        return tuple(found)


def spec_of(x: Any) -> Spec:
    """Return shape and dtype of an array or a NumPy scalar, and what stands for them else."""
    return (x.shape, x.dtype) if isinstance(x, (np.ndarray, np.generic)) else NUMBER


def spec_at(edge: Edge) -> Spec:
    """Return shape and dtype of the gradients that go along an edge."""
    return edge._edge_shape, edge._edge_dtype


def index_of(edge: Edge) -> int:
    """Return which output of its creator an edge leads to."""
    return edge.index if type(edge) is Port else 0


def leads_on(edge: Edge) -> bool:
    """Return whether the Function that `edge` leads to sends gradients on from there."""
    creator = edge.creator
    cut = type(edge) is Port and edge.index in creator._cuts
    return not cut and type(creator._edges) is tuple


def variable_at(edge: Edge) -> Variable | None:
    """Return the Variable an edge leads to, None if it is no longer alive."""
    if type(edge) is Leaf:
        return edge.variable()
    return edge.creator.outputs[index_of(edge)]()


def variable_of(edge: Edge, data: Any) -> Variable:
    """Return a Variable like the one that held `data` in ``forward``, at the same `edge`.

    A new one: the user's may hold other data by now, and must not become a gradient.
    """
    found = variable_at(edge)
    variable = Variable(data, None if found is None else found.name)
    variable._edge = edge
    variable.generation = edge.creator.generation + 1 if edge.creator else 0
    return variable
