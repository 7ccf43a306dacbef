"""Node: a Function in a graph, with its edges, its outputs, and the arrays that it has saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arrays import INEXACT
from .config import mode
from .edges import Constant, Edge, Ended, Kept, Missing, Port, leads_on, missing, variable_at
from .notes import warn_of_approximation
from .variable import Variable


class Node:
    """Base class of `Function`, with all that a graph does with one."""

    # The attributes of the graph are slots, which are read and written faster than a __dict__;
    # those that authors set are in the __dict__.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_constants",
        "_cuts",
        "_edge_dtype",
        "_edge_shape",
        "_edges",
        "_kept_inputs",
        "_output_references",
        "_output_specs",
        "_saved_inputs",
        "_saved_outputs",
        "_where",
        "generation",
        "needs_grad",
    )

    saves: tuple[str, ...]
    approximate: str
    needs_grad: tuple[bool, ...]
    generation: int
    #: One edge for each input; or an `Ended`.
    _edges: Any
    #: The inputs, or a `Kept` in the place of one, if `saves` names them.
    _kept_inputs: tuple[Any, ...]
    #: Shape and dtype of constant arrays among the inputs, if `saves` does not name them.
    _constants: dict[int, Constant]
    #: A weak reference to the output, or a tuple of them if there are several.
    _output_references: Any
    #: As an edge, a Function leads to its own single output: shape and dtype of that.
    _edge_shape: tuple[int, ...]
    _edge_dtype: Any
    #: The same for several outputs; and the indices of those that were unchained.
    _output_specs: tuple[tuple[tuple[int, ...], Any], ...]
    _cuts: tuple[int, ...]
    #: Arrays that inputs and outputs held in ``forward``, as `saves` asks for; None if only
    #: constants are kept of the inputs.
    _saved_inputs: tuple[Any, ...] | None
    _saved_outputs: tuple[Any, ...]
    #: The user's line that applied it, if that was observed.
    _where: str

    # Of the class, set before its first call.
    _saves_inputs: bool
    _saves_outputs: bool
    _as_recorded: Callable[[Any], Any]

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
            edge = getattr(self, "_constants", {}).get(index) or Constant(0)
        elif not mode.get().in_backward:
            variable = variable_at(edge)
            if variable is not None:
                return variable
        return missing(edge, type(self))

    @property
    def outputs(self) -> tuple[Any, ...]:
        """The results, as weak references; in ``backward``, those that were saved."""
        outputs = self._output_references
        references = outputs if type(outputs) is tuple else (outputs,)
        if not mode.get().in_backward:
            return references
        if self._saves_outputs:
            return tuple([Kept(y) for y in self._saved_outputs])
        return tuple([missing(edge, type(self), "outputs") for edge in self._ports()])

    def _ports(self) -> list[Edge]:
        """Return the edges that lead to the outputs."""
        outputs = self._output_references
        several = type(outputs) is tuple
        return [Port(self, index) for index in range(len(outputs))] if several else [self]

    def _output_at(self, index: int) -> Variable | None:
        """Return an output, None if it is no longer alive."""
        outputs = self._output_references
        return outputs[index]() if type(outputs) is tuple else outputs()

    def _edge_to(self, output: Variable) -> Edge:
        """Return the edge that leads a gradient of `output` to this Function.

        Raises
        ------
        ValueError
            If it has several outputs, and `output` is none of them.
        """
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
        self._end(Ended.UNCHAINED)

    def _end(self, how: Ended) -> None:
        """Let no gradient through any more, and nothing be kept for one."""
        self._edges = how
        self._kept_inputs = self._saved_inputs = self._saved_outputs = ()

    def _cut_behind(self) -> None:
        """Cut every Function before this one; iterative, for graphs of any depth."""
        edges = list(self._edges) if type(self._edges) is tuple else []
        while edges:
            edge = edges.pop()
            if edge is None or edge.creator is None or not leads_on(edge):
                continue
            edges.extend(edge.creator._edges)
            variable = variable_at(edge)
            if variable is not None:
                variable._edge, variable.generation = None, 0
            edge.creator._cut(edge)

    # ``backward`` is not always called on the Function itself, but sometimes on a stand-in, a copy
    # with other inputs and outputs. In a plain pass that is so if the user has replaced the data of
    # an input, ``x.data = ...``, since ``forward``: the gradient is that of the array which was
    # there then. (That an array was written to is not noticed.) Under ``create_graph`` it is always
    # so: there, inputs and outputs hold Variables, and ``backward`` records what it computes. A
    # class has one of the first three methods as its `_as_recorded`.

    def _as_it_is(self) -> Any:
        return self

    def _unless_replaced(self) -> Any:
        inputs, arrays = self._kept_inputs, self._saved_inputs
        if arrays is None:
            return self
        if len(arrays) == 2:  # most have two, and a loop takes twice the time
            (x0, x1), (a0, a1) = inputs, arrays
            return self if x0.data is a0 and x1.data is a1 else self._stand_in()
        for x, array in zip(inputs, arrays, strict=True):
            if x.data is not array:
                return self._stand_in()
        return self

    def _with_warning(self) -> Any:
        warn_of_approximation(type(self), self.approximate)
        return self._unless_replaced() if self._saves_inputs else self

    def _stand_in(self, saved: Callable[[Edge, Any], Any] = lambda edge, x: x) -> Any:
        """Return a copy that has ``saved(edge, array)`` as data of its inputs and outputs."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self))
        copy.needs_grad, copy.generation = self.needs_grad, self.generation
        copy._edges, copy._output_references = self._edges, self._output_references
        if type(self._output_references) is tuple:
            copy._output_specs = self._output_specs
        else:
            copy._edge_shape, copy._edge_dtype = self._edge_shape, self._edge_dtype
        if not self._saves_inputs:
            copy._constants = getattr(self, "_constants", {})
        else:
            kept = self._kept_inputs
            arrays = self._saved_inputs or [None] * len(kept)  # without, they are constants alone
            copy._kept_inputs = tuple(
                [
                    x if type(x) is Missing else Kept(saved(edge, x.data if a is None else a))
                    for edge, x, a in zip(self._edges, kept, arrays, strict=True)
                ]
            )
            copy._saved_inputs = None  # a copy of this one has the same
        if self._saves_outputs:
            pairs = zip(self._ports(), self._saved_outputs, strict=True)
            copy._saved_outputs = tuple([saved(port, y) for port, y in pairs])
        return copy


def as_variable_at(edge: Edge, array: Any) -> Any:
    """Return a Variable like the one that held `array` in ``forward``, at the same `edge`.

    A new one: the user's may hold other data by now, and must not become a gradient. An
    array that gets no gradient stays one.
    """
    if edge is None or array.dtype.kind not in INEXACT:
        return array
    found = variable_at(edge)
    variable = Variable(array, None if found is None else found.name)
    variable._edge = edge
    variable.generation = edge.creator.generation + 1 if edge.creator else 0
    return variable
