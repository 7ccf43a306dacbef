"""The graph: edges, along which gradients go back, and nodes, which keep what ``backward`` reads.

For ``y = x * w; z = y + w`` the book goes from Add by its ``inputs`` to the Variable y, and from
there by ``y.creator`` to Mul. Here a Function keeps, for each input, the
Function or Leaf at the end of that way::

    x ────▶ Mul ─(y)─▶ Add ──▶ z         Add._edges = (Mul, the Leaf of w)
             ▲          ▲                Mul._edges = (the Leaf of x, the Leaf of w)
             └──── w ───┘

So nobody needs y on the way back, and y is freed when the user lets go of it, unless Add saves it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .arrays import shape_of
from .config import mode
from .errors import GradientError, VariableTypeError
from .providers import OPERATORS

Edge = Any
"""The Function that made an input; a `Port`, if that has several outputs; a `Leaf`, if the user
made the input; None for a constant. A Variable that was computed under ``no_grad()`` has the Mode
of that block in the place of an edge.

Each edge but None has ``_edge_shape`` and ``_edge_dtype``, the shape and dtype of the gradients
that go along it; and a ``creator``, the Function to which they come: a Function is its own, a Leaf
has none.
"""

UNCHAINED, FREED = "unchained", "freed"
"""In place of the edges of a Function through which no gradient goes any more."""

NOBODY: Any = weakref.ref(set())
"""A reference to no Variable: that of an output, or input, which was written over."""

COMMIT: list[Any] = [threading.RLock()]
"""Holds the lock for a change of ``.grad``, or of the place of a Variable in a graph. It is
reentrant: under create_graph, operations run while it is held. A forked child gets another one: a
thread that is not there may have held this one."""

if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=lambda: COMMIT.__setitem__(0, threading.RLock()))


class Leaf:
    """Edge to a Variable that no Function made: gradients that come here are kept.

    It belongs to one array: after ``x.data = other`` the next call makes another Leaf. Both
    references are weak, since a graph owns only the arrays that some ``backward`` reads. `where` is
    the line of the ``no_grad()`` under which the Variable was computed, if any.
    """

    __slots__ = ("_edge_dtype", "_edge_shape", "array", "variable", "where")

    creator = None

    def __init__(self, variable: Any, where: str | None = None) -> None:
        data = variable.data
        self.variable, self.array, self.where = weakref.ref(variable), weakref.ref(data), where
        self._edge_shape, self._edge_dtype = data.shape, data.dtype


class Port:
    """Edge to one of the several outputs of a Function, `creator`."""

    __slots__ = ("_edge_dtype", "_edge_shape", "creator", "index")

    def __init__(self, creator: Any, index: int) -> None:
        self.creator, self.index = creator, index
        self._edge_shape, self._edge_dtype = creator._output_specs[index]


class Spec:
    """Shape and dtype, in place of the edge of an unsaved constant, or in a node without a graph.

    A Python number has the dtype None: NumPy gives the result the dtype of the other operand.
    """

    __slots__ = ("_edge_dtype", "_edge_shape")

    creator = None

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._edge_shape, self._edge_dtype = shape, dtype


class Saved:
    """An input or output in ``backward``, with the data of ``forward``, where there is no Variable.

    It stands for a constant operand, for a saved output, and in a node with other arrays for each
    input. Otherwise ``inputs`` has the Variables themselves. In ``backward(create_graph=True)`` the
    data are a Variable.
    """

    __slots__ = ("data",)

    #: As of a Variable without a name, for programs that walk through a graph as in the book.
    name = None
    #: The advice where `backward` computes with this object in place of its data.
    advice = " In backward, write self.inputs[i].data and self.outputs[i]().data."

    def __init__(self, data: Any) -> None:
        self.data = data

    def __call__(self) -> Saved:
        """Return itself: in place of a weak reference to an output."""
        return self

    creator = property(lambda self: None, doc="The Function that computed it; None is an input.")
    shape = property(lambda self: shape_of(self.data), doc="Shape of the data.")
    dtype = property(lambda self: getattr(self.data, "dtype", None), doc="None of a number.")

    def _refuse(self, *others: Any, **kwargs: Any) -> Any:
        raise VariableTypeError(
            "backward computes with the data of inputs and outputs, self.inputs[i].data and "
            "self.outputs[i]().data, and was about to compute with an input or output itself.",
            got=type(self),
        )

    __array_ufunc__ = __array_function__ = _refuse


for _special in OPERATORS:
    if _special not in ("__eq__", "__ne__"):
        setattr(Saved, _special, Saved._refuse)


class Unsaved(Saved):
    """An input or output whose data ``saves`` does not keep: it has shape, dtype and creator.

    Reading the data raises an error, which says how to keep them; even while the Variable is alive,
    since it may hold another array by then.
    """

    __slots__ = ("edge", "function", "role")
    edge: Edge | Spec
    #: Class of the Function that has not saved the data.
    function: Any
    #: ``"inputs"`` or ``"outputs"``.
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

    def __reduce__(self) -> tuple[Any, ...]:
        return unsaved, (self.edge, self.function, self.role)  # by itself, pickle reads the data

    creator = property(lambda self: self.edge.creator, doc=Saved.creator.__doc__)
    shape = property(lambda self: self.edge._edge_shape, doc=Saved.shape.__doc__)
    dtype = property(lambda self: self.edge._edge_dtype, doc=Saved.dtype.__doc__)


def unsaved(edge: Edge, function: type, role: str = "inputs") -> Unsaved:
    """Return the `Unsaved` input or output at `edge`."""
    absent: Unsaved = object.__new__(Unsaved)  # without the time that an __init__ takes
    absent.edge, absent.function, absent.role = edge, function, role
    return absent


def index_of(edge: Edge) -> int:
    """Return which output of its creator `edge` leads to."""
    return edge.index if type(edge) is Port else 0


def variable_at(edge: Edge) -> Any:
    """Return the Variable that `edge` leads to, None if it is no longer alive."""
    return edge.variable() if type(edge) is Leaf else edge.creator._output_at(index_of(edge))


def leading(edge: Edge, reference: Any) -> tuple[Any, str, Any]:
    """Return object, attribute and value to set, so that `edge` leads to another Variable."""
    if type(edge) is Leaf:
        return edge, "variable", reference
    creator, old = edge.creator, edge.creator._output_references
    if type(edge) is Port:
        reference = (*old[: edge.index], reference, *old[edge.index + 1 :])
    return creator, "_output_references", reference


class Node:
    """A Function that was applied: base class of `Function`, with its place in the graph."""

    # Slots are faster than a __dict__, in which the attributes are that authors set.
    __slots__ = (
        "__dict__", "__weakref__", "_constants", "_cuts", "_edge_dtype", "_edge_shape", "_edges",
        "_input_arrays", "_others", "_output_arrays", "_output_references", "_output_specs",
        "_saved_inputs", "_where", "generation", "needs_grad",
    )  # fmt: skip

    materialize_grads: bool
    needs_grad: tuple[bool, ...]
    generation: int
    #: One edge for each input; or why no gradient goes through any more.
    _edges: Any
    #: If `saves` names the inputs: these, or a `Saved` in place of one; and their arrays, None if
    #: only constants are saved.
    _saved_inputs: tuple[Any, ...]
    _input_arrays: tuple[Any, ...] | None
    #: Otherwise: shape and dtype of constants among the inputs.
    _constants: dict[int, Spec]
    #: A weak reference to the output, or a tuple of them if there are several.
    _output_references: Any
    #: The arrays of the outputs, if `saves` names them.
    _output_arrays: tuple[Any, ...]
    #: As an edge, a Function leads to its own single output: shape and dtype of that.
    _edge_shape: tuple[int, ...]
    _edge_dtype: Any
    #: The same for several outputs; and the indices of those that were unchained.
    _output_specs: tuple[tuple[tuple[int, ...], Any], ...]
    _cuts: tuple[int, ...]
    #: Index of an operand of another type of arrays -> a function that converts its gradient.
    _others: dict[int, Callable[[Any], Any]]
    #: The user's line that applied it, if that was observed.
    _where: str

    # Of the class, set before its first call.
    _prepared: bool
    _prepare: Callable[[], None]
    _own_attributes: Callable[[], dict[str, Any]]
    _saves_inputs: bool
    _saves_outputs: bool
    _node_for_backward: Callable[[Any], Any]

    def __repr__(self) -> str:
        edges = self._edges if type(getattr(self, "_edges", None)) is tuple else ()
        of = ["a constant" if e is None else f"{e._edge_dtype}{[*e._edge_shape]}" for e in edges]
        return f"<{type(self).__name__}{' of ' if of else ''}{', '.join(of)}>"

    @property
    def creator(self) -> Any:
        """The Function itself: as an edge, it leads to its own single output."""
        return self

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The operands; of a class that saves its inputs, those that were saved."""
        edges = self._edges if type(self._edges) is tuple else ()
        return tuple([self._unsaved_input(*each) for each in enumerate(edges)])

    def _unsaved_input(self, index: int, edge: Edge) -> Any:
        if edge is None:
            edge = getattr(self, "_constants", {}).get(index) or Spec((), None)
        elif not mode.get().in_backward and type(edge) is not Spec:
            variable = variable_at(edge)
            if variable is not None:
                return variable
        return unsaved(edge, type(self))

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The results, as weak references; in ``backward``, those that were saved."""
        outputs = self._output_references
        if not mode.get().in_backward:
            return outputs if type(outputs) is tuple else (outputs,)
        if self._saves_outputs:
            return tuple([Saved(y) for y in self._output_arrays])
        return tuple([unsaved(edge, type(self), "outputs") for edge in self._ports()])

    def _ports(self) -> list[Edge]:
        """Return the edges that lead to the outputs."""
        outputs = self._output_references
        several = type(outputs) is tuple
        return [Port(self, index) for index in range(len(outputs))] if several else [self]

    def _output_at(self, index: int) -> Any:
        """Return an output, None if it is no longer alive."""
        outputs = self._output_references
        return outputs[index]() if type(outputs) is tuple else outputs()

    def _edge_to(self, output: Any) -> Edge:
        """Return the edge that leads a gradient of `output` to this Function."""
        if type(getattr(self, "_output_references", None)) is not tuple:
            return self
        for edge in self._ports():
            if variable_at(edge) is output:
                return edge
        raise ValueError(
            f"{type(self).__name__} has {len(self._output_references)} outputs, and this Variable "
            "is none of them: it is not clear which gradient it would stand for."
        )

    def _cut(self, edge: Edge) -> None:
        """Let no gradient through the output at `edge`; free the Function if that was the last."""
        if type(edge) is Port:
            self._cuts += (edge.index,)
            if len(self._cuts) < len(self._output_references):
                return
        self._end(UNCHAINED)

    def _end(self, why: str) -> None:
        """Let no gradient through any more, and nothing be kept for one."""
        self._edges = why
        self._saved_inputs = self._input_arrays = self._output_arrays = ()

    def _cut_behind(self) -> None:
        """Cut every Function before this one; iterative, for graphs of any depth."""
        edges = list(self._edges) if type(self._edges) is tuple else []
        while edges:
            edge = edges.pop()
            creator = None if edge is None else edge.creator
            if creator is None or type(creator._edges) is not tuple:
                continue
            if type(edge) is Port and edge.index in creator._cuts:
                continue
            edges.extend(creator._edges)
            variable = variable_at(edge)
            if variable is not None:
                variable._edge, variable.generation = None, 0
            creator._cut(edge)

    # In a plain pass ``backward`` runs on the Function itself, or on a copy with the arrays of
    # ``forward``, if the user has replaced those of an input by ``x.data = ...`` since. (That an
    # array was written to is not noticed.) One of these methods is `_node_for_backward` of a class.

    def _node_itself(self) -> Any:
        return self

    def _node_with_saved_arrays(self) -> Any:
        inputs, arrays = self._saved_inputs, self._input_arrays
        for x, a in zip(inputs, arrays or ()):  # noqa: B905 (time)
            if x.data is not a:
                return self.with_arrays(*self.saved_arrays())
        return self

    def saved_arrays(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the arrays that are saved of inputs and outputs, None for an input without."""
        inputs: tuple[Any, ...] = ()
        if self._saves_inputs:
            inputs = self._input_arrays or tuple(
                [None if type(x) is Unsaved else x.data for x in self._saved_inputs]
            )
        return inputs, self._output_arrays if self._saves_outputs else ()

    def with_arrays(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        bare: bool = False,
        shape: tuple[int, ...] | None = None,
    ) -> Any:
        """Return a copy on which ``backward`` computes with other arrays, or with Variables.

        The `inputs` and `outputs` are as `saved_arrays` returns them. A `bare` copy keeps shapes
        and dtypes, and nothing of the graph, so it can be pickled. If `shape` is given, its arrays
        are all of that.
        """
        copy = object.__new__(type(self))
        vars(copy).update(self._own_attributes() if bare else vars(self))
        copy.needs_grad, copy.generation = self.needs_grad, self.generation
        copy._edges, copy._output_references = self._edges, self._output_references
        if type(self._output_references) is tuple:
            copy._output_specs = self._output_specs
        else:
            copy._edge_shape, copy._edge_dtype = self._edge_shape, self._edge_dtype
        if bare and not self._prepared:  # it comes from another process
            self._prepare()
        if not self._saves_inputs:
            copy._constants = getattr(self, "_constants", {})
        else:
            pairs = zip(self._saved_inputs, inputs, strict=True)
            copy._saved_inputs = tuple([x if type(x) is Unsaved else Saved(a) for x, a in pairs])
            copy._input_arrays = None
        if self._saves_outputs:
            copy._output_arrays = tuple(outputs)
        if bare:
            copy._leave_graph(shape)
        return copy

    def _leave_graph(self, shape: tuple[int, ...] | None) -> None:
        """Keep shapes and dtypes, all of `shape` if that is given, and nothing of the graph."""

        def resized(old: tuple[int, ...]) -> tuple[int, ...]:
            return old if shape is None else shape

        def spec(edge: Edge) -> Any:
            if edge is None or edge._edge_dtype is None:  # or of a number
                return edge
            return Spec(resized(edge._edge_shape), edge._edge_dtype)

        self._edges = tuple(map(spec, self._edges))
        if self._saves_inputs:
            pairs, cls = zip(self._saved_inputs, self._edges, strict=True), type(self)
            kept = [unsaved(edge, cls) if type(x) is Unsaved else x for x, edge in pairs]
            self._saved_inputs = tuple(kept)
        else:
            self._constants = {index: spec(each) for index, each in self._constants.items()}
        if type(self._output_references) is tuple:
            specs = self._output_specs
            self._output_references = (None,) * len(specs)
            self._output_specs = tuple([(resized(old), dtype) for old, dtype in specs])
        else:
            self._output_references = None
            self._edge_shape = resized(self._edge_shape)
