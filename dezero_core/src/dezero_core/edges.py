"""Edges, along which gradients go back, and inputs and outputs as a Function keeps them.

For ``y = x * w; z = y + w`` the book goes from Add by its ``inputs`` to the Variable y, and from
there by ``y.creator`` to Mul. Here a Function keeps, for each input, the
Function or Leaf at the end of that way::

    x ────▶ Mul ─(y)─▶ Add ──▶ z         Add._edges = (Mul, the Leaf of w)
             ▲          ▲                Mul._edges = (the Leaf of x, the Leaf of w)
             └──── w ───┘

So nobody needs y on the way back, and y is freed when the user lets go of it, unless Add saves it.
"""

from __future__ import annotations

import weakref
from enum import Enum
from typing import Any

from .array_types import shape_of
from .errors import GradientError, VariableTypeError
from .slots import OPERATORS

Edge = Any
"""The Function that made an input; a `Port`, if that has several outputs; a `Leaf`, if the user
made the input; None for a constant.

Each but None has ``_edge_shape`` and ``_edge_dtype``, the shape and dtype of the gradients that go
along it; and a ``creator``, the Function to which they come, which is None for a Leaf.
"""


class Leaf:
    """Edge to a Variable that no Function made: gradients that come here are kept.

    It belongs to the array that the Variable held when the Leaf was made. After ``x.data = other``
    the next call makes another Leaf. Both references are weak: a graph owns only the arrays that
    some ``backward`` reads.

    Parameters
    ----------
    variable : Variable
    where : str or None
        The line of the ``no_grad()`` under which the Variable was computed.
    """

    __slots__ = ("_edge_dtype", "_edge_shape", "array", "variable", "where")

    creator = None

    def __init__(self, variable: Any, where: str | None = None) -> None:
        data = variable.data
        self.variable = weakref.ref(variable)
        self.array = weakref.ref(data)
        self._edge_shape, self._edge_dtype = data.shape, data.dtype
        self.where = where


class Port:
    """Edge to one of the several outputs of a Function, `creator`."""

    __slots__ = ("_edge_dtype", "_edge_shape", "creator", "index")

    def __init__(self, creator: Any, index: int) -> None:
        self.creator, self.index = creator, index
        self._edge_shape, self._edge_dtype = creator._output_specs[index]


class Constant:
    """Shape and dtype of a constant that was not kept, as an edge has them; no gradient goes here.

    A Python number has the dtype None: NumPy gives the result the dtype of the other operand.
    """

    __slots__ = ("_edge_dtype", "_edge_shape")

    creator = None

    def __init__(self, x: Any) -> None:
        self._edge_shape, self._edge_dtype = shape_of(x), getattr(x, "dtype", None)


class Ended(Enum):
    """Stands in place of ``_edges`` of a Function, if no gradient goes through it any more."""

    UNCHAINED = "by unchain(): its outputs are inputs now"
    FREED = "by backward(free_graph=True)"


class Kept:
    """An input or output in ``backward``, with the data of ``forward``, where there is no Variable.

    It stands for a constant operand, for a saved output, and in a stand-in (``nodes.py``) for each
    input. Otherwise ``inputs`` has the Variables themselves.

    Attributes
    ----------
    data : ndarray, number or Variable
        A Variable in ``backward(create_graph=True)``.
    """

    __slots__ = ("data",)

    #: As of a Variable without a name, for programs that walk through a graph as in the book.
    name = None
    #: The advice where `backward` computes with this object in place of its data.
    advice = " In backward, write self.inputs[i].data and self.outputs[i]().data."

    def __init__(self, data: Any) -> None:
        self.data = data

    def __call__(self) -> Kept:
        """Return itself: in place of a weak reference to an output."""
        return self

    @property
    def creator(self) -> Any:
        """The Function that computed it, None for a constant or an input."""
        return None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data."""
        return shape_of(self.data)

    @property
    def dtype(self) -> Any:
        """Data type of the data; None for a Python number."""
        return getattr(self.data, "dtype", None)

    def _refuse(self, *others: Any, **kwargs: Any) -> Any:
        raise VariableTypeError(
            "backward computes with the data of inputs and outputs, self.inputs[i].data and "
            "self.outputs[i]().data, and was about to compute with an input or output itself.",
            got=type(self),
        )

    __array_ufunc__ = __array_function__ = _refuse


for _special in OPERATORS:
    if _special not in ("__eq__", "__ne__"):
        setattr(Kept, _special, Kept._refuse)


class Missing(Kept):
    """An input or output of which ``saves`` does not keep the data, but shape, dtype and creator.

    Reading the data raises an error, which says how to keep them. That is so even while the
    Variable is alive: by then it may hold another array than in ``forward``.

    Attributes
    ----------
    edge : Edge
        It knows the shape, the dtype and the creator.
    function : type
        Class of the Function that has not saved the data.
    role : str
        ``"inputs"`` or ``"outputs"``.
    """

    __slots__ = ("edge", "function", "role")
    edge: Edge
    function: Any
    role: str

    @property
    def data(self) -> Any:
        """Raise: say how to keep the data."""
        function, saves = self.function.__name__, self.function.saves
        if self.role == "inputs" and "other inputs" in saves:
            reason = (
                f"{function} reads the data of an input that its saves, {saves}, keep only where "
                "another one wants a gradient. See self.needs_grad before reading it."
            )
        else:
            wanted = tuple(sorted({*saves, self.role}))
            reason = (
                f"{function} reads the data of its {self.role}, and did not save them: its saves "
                f"is {saves}. Write saves = {wanted} in class {function}."
            )
        raise GradientError(reason, function=self.function)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data."""
        return self.edge._edge_shape

    @property
    def dtype(self) -> Any:
        """Data type of the data; None for a Python number."""
        return self.edge._edge_dtype

    @property
    def creator(self) -> Any:
        """The Function that computed it, None for a constant or an input."""
        return self.edge.creator


def missing(edge: Edge, function: type, role: str = "inputs") -> Missing:
    """Return the `Missing` input or output at `edge`."""
    absent: Missing = object.__new__(Missing)  # without the time that an __init__ takes
    absent.edge, absent.function, absent.role = edge, function, role
    return absent


def leads_on(edge: Edge) -> bool:
    """Return whether the Function at `edge` sends gradients on from there."""
    creator = edge.creator
    is_cut = type(edge) is Port and edge.index in creator._cuts
    return not is_cut and type(creator._edges) is tuple


def index_of(edge: Edge) -> int:
    """Return which output of its creator `edge` leads to."""
    return edge.index if type(edge) is Port else 0


def variable_at(edge: Edge) -> Any:
    """Return the Variable that `edge` leads to, None if it is no longer alive."""
    return edge.variable() if type(edge) is Leaf else edge.creator._output_at(index_of(edge))
