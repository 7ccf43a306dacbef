"""Variable: an array, its gradient, and the Function that made it.

Nothing here computes. Plugins bind operators, methods and NumPy functions; where no plugin has
bound one, an error says which package to install.
"""

from __future__ import annotations

import sys
import weakref
from inspect import signature
from operator import call, index
from typing import TYPE_CHECKING, Any

import numpy as np

# By its full name: else pyright would not look for this module in the stubs of a user's project.
from dezero_core.bound import Bound

from .arrays import (
    EXACT,
    INEXACT,
    NUMBERS,
    NUMPY,
    SCALARS,
    as_array,
    holds,
    is_array,
    kind_of,
    plain_array,
    require_values,
)
from .config import CONSTANT, Mode, mode
from .errors import GraphCopyError, VariableTypeError, is_written_by, shows_values
from .graph import NOBODY, Edge, Leaf, leading
from .notes import explain_call, lost_gradient
from .providers import FIRST_USE, advice, load_plugins_first, missing_numpy_function, public_name
from .slots import is_missing, numpy_function, put_slots

_IN_PLACE_OF_ARRAYS = (
    "use np.stack([x, y]) in place of np.array([x, y]), out = Variable(np.zeros(n)) for an array "
    "that is filled, x in place of np.asarray(x), and np.broadcast_to(x, shape) in place of "
    "np.full(shape, x), or dezero_tools.numpy as np, with its array, zeros and full; for values "
    "alone, as in np.int64(x), x.data. "
)


class Variable(Bound):
    """An ndarray that remembers how it was computed.

    Source: *Deep Learning from Scratch 3*, steps 11 to 22.

    Parameters
    ----------
    data : numpy.ndarray, array of a type that a plugin has registered, or None
        Of numbers, of any shape; not copied. Integer and boolean data are constants: no
        gradient flows to them.
    name : str, optional
        Shown in messages and pictures.

    Attributes
    ----------
    data : numpy.ndarray or None
        As given; to be replaced by ``x.data = …``.
    grad : numpy.ndarray, Variable or None
        Filled by ``backward()``; a Variable after ``backward(create_graph=True)``. Of complex
        data, the derivative by the real part plus ``1j`` times that by the imaginary part:
        ``z.data - step * z.grad`` descends.
    creator : Function or None
        The Function that computed it, None for an input.
    generation : int
        0 for an input, otherwise one more than its creator's.

    Raises
    ------
    VariableTypeError (TypeError)
        If `data` is not an ndarray of numbers.

    Examples
    --------
    >>> Variable(np.array([1.0, 2.0]))
    variable([1. 2.])
    """

    __slots__ = ("__weakref__", "_edge", "data", "generation", "grad", "name")

    data: Any
    name: str | None
    grad: Any
    generation: int

    #: The edge by which a gradient comes to this Variable: the Function that made it, a Port of
    #: that if it has several outputs, or a Leaf if no Function made it. In its place there is None
    #: until a Function is applied to it, and a Mode if it was computed under ``no_grad()``.
    _edge: Any

    def __init__(self, data: Any, name: str | None = None) -> None:
        if FIRST_USE:
            load_plugins_first()
        if data is not None and (type(data) is not np.ndarray or data.dtype.kind not in NUMBERS):
            data = plain_array(data, Variable)
        self.data = data
        self.name = name
        self.grad = None
        self.generation = 0
        self._edge = None

    @property
    def creator(self) -> Any:
        """The Function that computed this Variable; change it with `set_creator`."""
        return None if self._edge is None else self._edge.creator

    def set_creator(self, func: Any) -> None:
        """Make a Function the creator.

        Parameters
        ----------
        func : Function
            Of a generation one less.
        """
        self._edge = func._edge_to(self)
        self.generation = getattr(func, "generation", 0) + 1

    def edge_of_input(self) -> Edge:
        """Return the edge for a Function that is applied to this Variable; None for a constant.

        The first such call makes the Leaf of an input, and one after ``x.data = other`` a new Leaf.
        """
        edge = self._edge
        if self.generation:  # a Function made it
            return edge
        if edge is CONSTANT or self.data is None or self.data.dtype.kind not in INEXACT:
            return None
        if type(edge) is not Leaf or edge.array() is not self.data:
            self._edge = edge = Leaf(self, getattr(edge, "where", None))
        return edge

    def check_data(self) -> Any:
        """Return the data as an array; raise a VariableTypeError if a Variable may not hold them.

        After ``x.data = x.data - 0.1`` a Variable without axes holds a scalar: it becomes an array.
        """
        if isinstance(self.data, np.generic):
            self.data = as_array(self.data)
        data = self.data
        if is_array(data) and (type(data) is np.ndarray or kind_of(data) is not NUMPY):
            return data
        remedy = "; write x.data = other.data" if isinstance(data, Variable) else ""
        raise VariableTypeError(
            f".data of this Variable is of {type(data)}, and must be {holds()} of numbers{remedy}.",
            got=type(data),
        )

    def cleargrad(self) -> None:
        """Forget the gradient, before this Variable is used in another calculation."""
        self.grad = None

    if TYPE_CHECKING:  # the engine, which imports this module, binds it

        def backward(
            self, retain_grad: bool = False, create_graph: bool = False, free_graph: bool = False
        ) -> None: ...

    def unchain(self) -> None:
        """Forget the creator: for everything computed from it, this Variable is an input now."""
        if self.creator is not None:
            self.creator._cut(self._edge)
            self._edge, self.generation = None, 0

    def unchain_backward(self) -> None:
        """Forget the graph behind the inputs of this Variable's creator.

        That part of the graph is freed, and a gradient stops at these inputs: truncated
        backpropagation through time.
        """
        if self.creator is not None:
            self.creator._cut_behind()

    def become(self, result: Variable, *writes: tuple[Any, ...]) -> None:
        """Take over the result of a Function: its data, and its place in the graph.

        So a plugin writes into a Variable. Whoever has computed with the old value keeps that: its
        edges lead to nobody from now on. A result without a graph changes the data alone. All
        happens in one call of C, so an interrupt comes before or after it; nothing, if that raises.

        Parameters
        ----------
        result : Variable
            Of a Function, and held by nobody else.
        *writes : tuple
            A function, written in C, and three arguments: what is first written into the data.
        """
        changes: list[Any] = [(setattr, self, "data", result.data)]
        if result.generation:
            if self._edge is not None and type(self._edge) is not Mode:
                changes.append((setattr, *leading(self._edge, NOBODY)))
            changes.append((setattr, *leading(result._edge, weakref.ref(self))))
            for name in ("_edge", "generation"):
                changes.append((setattr, self, name, getattr(result, name)))
        list(map(call, *zip(*writes, *changes, strict=True)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data."""
        return self._of_data("shape")

    @property
    def ndim(self) -> int:
        """Number of dimensions of the data."""
        return self._of_data("ndim")

    @property
    def size(self) -> int:
        """Number of elements of the data."""
        return self._of_data("size")

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the data."""
        return self._of_data("dtype")

    def _of_data(self, name: str) -> Any:
        if hasattr(self.data, name):
            return getattr(self.data, name)
        data = "None" if self.data is None else f"a {type(self.data).__name__}"
        raise AttributeError(f"no {name!r}: .data of this Variable is {data}, not an ndarray.")

    def item(self) -> Any:
        """Return the single element as a Python number; a ValueError if there are more, or none."""
        require_values(self.data, "item()")
        return self.data.item()

    def to_numpy(self) -> Any:
        """Return the data as an ndarray, computed or converted if they are of another type."""
        return kind_of(self.data).to_numpy(self.data)

    def __len__(self) -> int:
        return len(self.data)

    def __float__(self) -> float:
        return float(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __index__(self) -> int:
        require_values(self.data, "an index or a shape")
        return index(self.data)

    def _number(self) -> Any:
        """Return the data, to be turned into a Python number, which has no gradient.

        It is refused where a gradient would be lost: within a function that is being
        differentiated, and in ``a[0] = x``.
        """
        require_values(self.data, "float() or int()")
        is_array = isinstance(self.data, (np.ndarray, np.generic))
        if (is_array and self.data.dtype.kind in EXACT) or type(self._edge) is Mode:
            return self.data  # of a constant, or a result under no_grad
        now = mode.get()
        inside = self.creator is not None and bool(now.differentiated)
        if inside or (now.records and is_written_by(sys._getframe(1).f_back)):
            raise lost_gradient(self, label(self), inside)
        return self.data

    def __bool__(self) -> bool:
        require_values(self.data, "a condition, as of `if`,")
        return bool(self.data)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        require_values(self.data, "a format")
        return format(self.data, spec)

    def __repr__(self) -> str:
        if self.data is None:
            return "variable(None)"
        if (kind := kind_of(self.data)).lazy:
            return f"variable({kind.name} array of shape {self.shape}, {self.dtype})"
        return "variable(" + str(self.data).replace("\n", "\n" + " " * 9) + ")"

    def __getstate__(self) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        what, creator = "", self.creator
        if creator is not None:
            remedy = advice("__getstate__", sys._getframe(1))
            remedy += "Copy the value, Variable(y.data.copy()), or call y.unchain() first."
        elif isinstance(self.grad, Variable):
            what, creator = ".grad of ", self.grad.creator
            remedy = "Call x.cleargrad() first, or keep the value, x.grad = x.grad.data."
        if creator is not None:
            raise GraphCopyError(
                f"{what}{label(self)} cannot be copied or pickled. {remedy} It carries the graph "
                f"that computed it, by {type(creator).__name__}.",
                variable=self,
            )
        slots = {name: getattr(self, name) for name in ("data", "name", "grad", "generation")}
        return getattr(self, "__dict__", None), slots | {"_edge": None}

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not is_missing(name)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        data, caller = self.data, sys._getframe(1)
        is_constant = isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind in EXACT
        if is_constant or shows_values(caller):
            return np.array(data, dtype=dtype, copy=copy)  # no gradient is lost
        remedy = advice("__array__", caller) or _IN_PLACE_OF_ARRAYS
        raise VariableTypeError(
            f"{remedy}A Variable does not turn into an ndarray by itself: its gradient would be "
            "lost without a word.",
            got=type(self),
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        function = numpy_function(ufunc if method == "__call__" else getattr(ufunc, method))
        name = "" if method == "__call__" else f".{method}"
        if "out" in kwargs:
            raise VariableTypeError(
                f"np.{ufunc.__name__}{name} with a Variable takes no out=, nor a += x. Write "
                "a = a + x; for values alone, a += x.data. An ndarray cannot hold the graph.",
                got="out",
            )
        if function is None:
            raise missing_numpy_function(ufunc, name)
        if kwargs and (unknown := kwargs.keys() - signature(function).parameters.keys()):
            raise VariableTypeError(
                f"np.{ufunc.__name__} with a Variable takes no {', '.join(unknown)}=.",
                got=tuple(unknown),
            )
        try:
            return function(*inputs, **kwargs)
        except Exception as error:
            explain_call(error, f"np.{ufunc.__name__}{name}", function, inputs)
            raise

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        function = numpy_function(func)
        try:
            if function is None:
                raise missing_numpy_function(func)
            return function(*args, **kwargs)
        except Exception as error:
            if shows_values(sys._getframe(1)):
                return func(*_values(args), **{name: _values(kwargs[name]) for name in kwargs})
            if function is not None:
                explain_call(error, public_name(func), function, args)
            raise


class Parameter(Variable):
    """A Variable that models collect and optimisers update.

    Parameters
    ----------
    data, name
        As of a `Variable`.
    """

    __slots__ = ()


OPERANDS = (Variable, np.ndarray, list, tuple, *SCALARS)
"""Types of operands on either side of an operator."""


def as_variable(obj: Any) -> Variable:
    """Return `obj` if it is a Variable, otherwise a Variable that holds it.

    Parameters
    ----------
    obj : Variable or ndarray

    Returns
    -------
    Variable

    Raises
    ------
    VariableTypeError (TypeError)
        If `obj` is neither a Variable nor an ndarray.

    Examples
    --------
    >>> as_variable(np.array(2.0))
    variable(2.0)
    """
    return obj if isinstance(obj, Variable) else Variable(obj)


def _values(x: Any) -> Any:
    """Return `x` with the data in place of each Variable in it, also in lists and tuples."""
    if type(x) in (list, tuple):
        return type(x)(map(_values, x))
    return x.data if isinstance(x, Variable) else x


def label(variable: Variable) -> str:
    """Return how messages name a Variable: ``'loss'``, or its type and shape."""
    if variable.name:
        return repr(variable.name)
    return "variable(None)" if variable.data is None else f"a Variable of shape {variable.shape}"


def _found_after_loading(variable: Variable, name: str) -> Any:
    """Load the plugins, which may bind an attribute, and look for it again.

    Until they are loaded, this is ``Variable.__getattr__``, for a Variable that was unpickled
    before any was made. Then it is deleted, since CPython reads all attributes slowly beside it.
    """
    load_plugins_first()
    return object.__getattribute__(variable, name)


Variable.__getattr__ = _found_after_loading  # type: ignore[attr-defined]
put_slots(Variable, OPERANDS)
