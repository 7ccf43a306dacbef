"""Function: one operation applied to Variables, and what its ``backward`` will need."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from .config import Disabled, backprop
from .errors import GradientError, GraphCopyError, VariableTypeError, user_line
from .variable import Array, Leaf, Variable, as_array, constant

PROVENANCE: dict[type, str] = {}
"""Function class -> "plugin 'math', dezero-ops-math 0.1.0"; the registry fills it."""

_new_variable = Variable.__new__


class Port:
    """Edge to one of the several outputs of a Function."""

    __slots__ = ("creator", "index")

    def __init__(self, creator: Function, index: int) -> None:
        self.creator = creator
        self.index = index


Edge = Any
"""Where a gradient goes: a Function, a Port, a Leaf; None for a constant."""


class Saved:
    """Stands in ``backward`` for an input or output that was saved in ``forward``.

    ``data`` is the array, or the Variable in ``backward(create_graph=True)``.
    """

    __slots__ = ("data",)

    def __init__(self, data: Any) -> None:
        self.data = data

    shape = property(lambda self: np.shape(self.data))
    dtype = property(lambda self: getattr(self.data, "dtype", None))


class Unsaved:
    """Stands for an input or output of which only shape and dtype were kept."""

    __slots__ = ("dtype", "kind", "owner", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any, owner: Function, kind: str) -> None:
        self.shape, self.dtype, self.owner, self.kind = shape, dtype, owner, kind

    @property
    def data(self) -> Array:
        """Raise: say how to keep what is not there."""
        name = type(self.owner).__name__
        raise GradientError(
            f"{name} reads the data of its {self.kind}, and did not save them: its saves is "
            f"{self.owner.saves}. Write saves = ({self.kind!r},) in class {name}.",
            function=type(self.owner),
        )


class _Inputs:
    """``function.inputs`` where they are not saved: the Variables that are still alive."""

    def __get__(self, function: Function | None, owner: type) -> Any:
        if function is None or function.edges is None:
            return ()
        found = [None if edge is None else variable_at(edge) for edge in function.edges]
        return tuple(
            Unsaved(*spec, function, "inputs") if variable is None else variable
            for variable, spec in zip(found, function._input_specs, strict=True)
        )


class Function:
    """Base class of every operation; subclass it with ``forward`` and ``backward``.

    ``forward(*arrays)`` receives the data of the inputs and returns an array, or a tuple
    of arrays. ``backward(*gradients)`` receives the gradients of the outputs and returns
    those of the inputs, in order, each in the shape of its input, or of the output where
    the two were broadcast; ``None`` in a tuple for an input that has none.

    In ``backward(create_graph=True)`` the same method receives *Variables* as gradients,
    as ``self.inputs[i].data`` and as ``self.outputs[i]().data``, and by computing with
    them records the graph of the gradient. So ``backward`` computes with operators and
    NumPy functions, and from nothing that ``forward`` put aside in an attribute: such an
    array would be a constant, and the second derivative wrong. That is refused.

    Attributes
    ----------
    saves : tuple of str
        Class attribute: what ``backward`` reads the data of, ``"inputs"`` (default),
        ``"outputs"``, both or neither. Shapes and dtypes are there in any case.
    inputs : tuple
        What the Function was applied to.
    outputs : tuple of weakref.ref
        What it computed; weak, since an output owns its creator.
    generation : int
        The highest generation of the inputs.

    Notes
    -----
    An instance may be applied again: each application is a node of its own.
    Source: the seeds, steps 11 to 18.

    Examples
    --------
    >>> class Square(Function):
    ...     def forward(self, x):
    ...         return x * x
    ...
    ...     def backward(self, gy):
    ...         x = self.inputs[0].data
    ...         return gy * 2.0 * x
    >>> x = Variable(np.array(3.0))
    >>> y = Square()(x)
    >>> y.backward()
    >>> y, x.grad
    (variable(9.0), array(6.))
    """

    saves: tuple[str, ...] = ("inputs",)
    inputs: Any = _Inputs()
    outputs: tuple[Any, ...] = ()
    generation = 0
    #: One edge per input once the Function has been applied and recorded, else None.
    edges: tuple[Edge, ...] | None = None

    _saved_inputs: tuple[Any, ...] = ()
    _saved_outputs: tuple[Any, ...] = ()
    _input_specs: tuple[Any, ...] = ()
    _output_specs: tuple[Any, ...] = ()
    #: Inexact values among the attributes before ``forward`` ran: they are constants.
    _given: tuple[Any, ...] = ()
    #: Indices of outputs that were unchained.
    cuts: tuple[int, ...] = ()

    _saves_inputs = True
    _saves_outputs = False
    _reads_unsaved = False
    _has_state = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        saves = cls.saves
        if type(saves) is not tuple or not {"inputs", "outputs"}.issuperset(saves):
            raise TypeError(
                f"{cls.__name__}.saves must be a tuple of 'inputs' and 'outputs', got {saves!r}."
            )
        cls._saves_inputs = "inputs" in saves
        cls._saves_outputs = "outputs" in saves
        names = _names_used(cls)
        cls._reads_unsaved = not {"inputs", "outputs"}.intersection(names) <= set(saves)
        cls._has_state = cls.__init__ is not object.__init__

    @property
    def creator(self) -> Function:
        """The Function itself: as an edge, it leads to its own single output."""
        return self

    @property
    def needs_grad(self) -> tuple[bool, ...]:
        """For each input, whether a gradient of it is wanted; the rest may be None."""
        return tuple(edge is not None for edge in self.edges or ())

    def forward(self, *xs: Array) -> Any:
        """Return the output array, or a tuple of them."""
        raise NotImplementedError(f"{type(self).__name__} must define forward(self, *xs).")

    def backward(self, *gys: Array) -> Any:
        """Return the gradient of the input, or a tuple of them."""
        raise GradientError(
            f"{describe(self)} must define backward(self, *gys) to be differentiated.",
            function=type(self),
            index=0,
        )

    def __call__(self, *inputs: Any) -> Any:
        """Apply the Function to Variables, arrays and scalars; record it if that is on.

        Returns
        -------
        Variable, or list of Variable if ``forward`` returns a tuple of several.

        Raises
        ------
        VariableTypeError (TypeError)
            If an input or what ``forward`` returns is not an array of numbers.
        """
        if self.edges is not None:
            return self._unapplied()(*inputs)
        if self._has_state:
            self._given = tuple(leaf for _, leaf in _inexact_in(vars(self)))
        xs = [x.data if isinstance(x, Variable) else constant(x) for x in inputs]
        try:
            ys = self.forward(*xs)
        except Exception as error:
            explain(error, self, "forward", xs)
            raise
        several = type(ys) is tuple
        recording = backprop.get()
        outputs = []
        differentiable = False
        for y in ys if several else (ys,):
            if type(y) is not np.ndarray:
                y = self._output_array(y)
            kind = y.dtype.kind
            if kind == "f":
                differentiable = True
            elif kind not in "biu":
                self._output_array(y)
            output: Variable = _new_variable(Variable)
            output.data = y
            output.name = output.grad = None
            output.generation = 0
            output._edge = None if recording is True else recording
            outputs.append(output)
        if differentiable and recording is True:
            self._record(inputs, xs, outputs, several)
        return outputs if len(outputs) != 1 else outputs[0]

    def _record(
        self, inputs: tuple[Any, ...], xs: list[Any], outputs: list[Variable], several: bool
    ) -> None:
        """Become a node of the graph: edges to the inputs, and what ``saves`` names."""
        edges = []
        generation = 0
        constants_only = True
        for x in inputs:
            edge = None
            if isinstance(x, Variable):
                edge = x._edge
                if edge is None or type(edge) is Disabled:
                    edge = x.leaf_edge()
                if edge is not None:
                    constants_only = False
                    if x.generation > generation:
                        generation = x.generation
            edges.append(edge)
        if constants_only:
            return
        self.edges = tuple(edges)
        self.generation = generation
        self.outputs = tuple([weakref.ref(output) for output in outputs])
        if self._saves_inputs:
            self.inputs = tuple([x if isinstance(x, Variable) else Saved(x) for x in inputs])
            self._saved_inputs = tuple(xs)
        else:
            self._input_specs = tuple([(np.shape(x), getattr(x, "dtype", None)) for x in xs])
        if self._saves_outputs:
            self._saved_outputs = tuple([output.data for output in outputs])
        if several or self._reads_unsaved:
            self._output_specs = tuple([(y.shape, y.dtype) for y in outputs])
        for index, output in enumerate(outputs):
            if output.data.dtype.kind == "f":
                output.generation = generation + 1
                output._edge = self if len(outputs) == 1 else Port(self, index)

    def of(self, *xs: Array) -> Any:
        """Apply to Variables, or to arrays and get arrays: for use inside ``backward``.

        There the same line meets arrays at first order and Variables under
        ``create_graph``; a plain call would wrap the arrays.

        Examples
        --------
        >>> class Double(Function):
        ...     def forward(self, x):
        ...         return x + x
        >>> Double().of(np.array([1.0])), Double().of(Variable(np.array([1.0])))
        (array([2.]), variable([2.]))
        """
        if any(isinstance(x, Variable) for x in xs):
            return self(*xs)
        return self.forward(*xs)

    def input_spec(self, index: int) -> tuple[tuple[int, ...], Any]:
        """Return shape and dtype that input `index` had in ``forward``."""
        if self._saves_inputs:
            x = self._saved_inputs[index]
            return x.shape, x.dtype
        return self._input_specs[index]  # type: ignore[no-any-return]

    def edge_to(self, output: Variable) -> Edge:
        """Return the edge that leads a gradient of `output` to this Function."""
        for index, reference in enumerate(self.outputs):
            if len(self.outputs) > 1 and reference() is output:
                return Port(self, index)
        return self

    def cut(self, edge: Edge) -> None:
        """Let no gradient through the output at `edge`, and free what nobody needs now."""
        self.cuts += (edge.index if type(edge) is Port else 0,)
        if len(self.cuts) == len(self.outputs):
            self.edges = ()
            self._saved_inputs = self._saved_outputs = self._input_specs = ()
            if self._saves_inputs:
                self.inputs = ()

    def cut_behind(self) -> None:
        """Cut every Function before this one; iterative, for graphs of any depth."""
        edges = list(self.edges or ())
        while edges:
            edge = edges.pop()
            creator = edge and edge.creator
            if not creator or (edge.index if type(edge) is Port else 0) in creator.cuts:
                continue
            edges.extend(creator.edges)
            variable = variable_at(edge)
            if variable is not None:
                variable._edge, variable.generation = None, 0
            creator.cut(edge)

    def as_recorded(self) -> Function:
        """Return what ``backward`` is called on in a plain pass: usually this Function.

        It is a stand-in when a Variable has been dropped, or its ``data`` replaced, since
        ``forward``: the gradient is that of what was computed, not of what is there now.
        """
        if self._reads_unsaved:
            return self._stand_in(as_variables=False)
        if self._saves_inputs:
            for x, saved in zip(self.inputs, self._saved_inputs, strict=True):
                if x.data is not saved:
                    return self._stand_in(as_variables=False)
        if self._saves_outputs:
            for reference, saved in zip(self.outputs, self._saved_outputs, strict=True):
                output = reference()
                if output is None or output.data is not saved:
                    return self._stand_in(as_variables=False)
        return self

    def as_differentiable(self) -> Function:
        """Return what ``backward`` is called on under ``create_graph``: see the class.

        Raises
        ------
        GradientError (ValueError)
            If ``forward`` put an array aside in an attribute.
        """
        for path, leaf in _inexact_in(self._own_attributes()):
            if not any(leaf is known for known in self._given):
                raise GradientError(
                    f"{describe(self)} cannot be differentiated twice: its forward saved "
                    f"{type(leaf).__name__} values in self{path}, and to backward they would be "
                    "constants, so that the second derivative would be wrong. Let backward "
                    "compute with self.inputs[i].data or self.outputs[i]().data instead.",
                    function=type(self),
                    attribute=path,
                )
        return self._stand_in(as_variables=True)

    def _stand_in(self, as_variables: bool) -> Function:
        def kept(values: tuple[Any, ...], edges: Any, specs: Any, kind: str) -> Iterator[Any]:
            for index, edge in enumerate(edges):
                if not values:
                    yield Unsaved(*specs[index], self, kind)
                elif as_variables and edge is not None:
                    yield Saved(_variable_of(edge, values[index]))
                else:
                    yield Saved(values[index])

        assert self.edges is not None
        ports = (
            [self] if len(self.outputs) == 1 else [Port(self, i) for i in range(len(self.outputs))]
        )
        outputs = () if not (self._saved_outputs or self._output_specs) else ports
        stand_in = object.__new__(type(self))
        vars(stand_in).update(vars(self))
        stand_in.inputs = tuple(kept(self._saved_inputs, self.edges, self._input_specs, "inputs"))
        stand_in.outputs = tuple(
            [
                lambda output=output: output
                for output in kept(self._saved_outputs, outputs, self._output_specs, "outputs")
            ]
        )
        return stand_in

    def _own_attributes(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _NODE_FIELDS}

    def _unapplied(self) -> Function:
        """Return a fresh instance with the attributes that the author's code has set."""
        fresh = object.__new__(type(self))
        vars(fresh).update(self._own_attributes())
        return fresh

    def _output_array(self, y: Any) -> Any:
        array = as_array(y)
        if isinstance(array, np.ndarray) and array.dtype.kind in "fiub":
            return np.asarray(array)
        got = f"an array of dtype {array.dtype}" if isinstance(array, np.ndarray) else str(type(y))
        raise VariableTypeError(
            f"{describe(self)}.forward must return an ndarray of numbers, or a tuple of them, "
            f"got {got}.",
            got=type(y),
        )

    def __getstate__(self) -> dict[str, Any]:
        if self.edges is not None:
            raise GraphCopyError(
                f"this {type(self).__name__} cannot be copied or pickled: it is part of a graph. "
                "Copy it before it is applied, or make a new one.",
                function=type(self),
            )
        return dict(vars(self))


_NODE_FIELDS = frozenset(name for name in vars(Function) if not name.startswith("__"))


def describe(function: Function) -> str:
    """Return how messages name a Function: ``Mul (plugin 'basic', dezero-ops-basic 0.1)``."""
    cls = type(function)
    return f"{cls.__name__} ({PROVENANCE.get(cls, f'class in {cls.__module__}')})"


def explain(error: Exception, function: Function, method: str, arrays: Any) -> None:
    """Add a note to an error that left an operation: which, with what, called where."""
    given = ", ".join(_spec_text(x) for x in arrays)
    line = user_line(type(function).__module__.partition(".")[0])
    name, _, origin = describe(function).partition(" ")
    error.add_note(f"in {name}.{method} {origin} with {given}, called at {line}")


def variable_at(edge: Edge) -> Variable | None:
    """Return the Variable an edge leads to, None if it is no longer alive."""
    if type(edge) is Leaf:
        return edge()
    index = edge.index if type(edge) is Port else 0
    return edge.creator.outputs[index]()  # type: ignore[no-any-return]


def _variable_of(edge: Edge, data: Any) -> Variable:
    """Return a Variable that held `data` in ``forward``: the one at `edge`, or its like."""
    variable = variable_at(edge)
    if variable is None or variable.data is not data:
        variable = Variable(data)
        variable._edge = edge
        variable.generation = edge.creator.generation + 1 if edge.creator else 0
    return variable


def _spec_text(x: Any) -> str:
    if isinstance(x, (np.ndarray, np.generic, Variable)):
        return f"{x.dtype}{list(x.shape)}"
    return repr(x)


_PLAIN = frozenset({bool, int, str, slice, type(None), type(Ellipsis)})


def _inexact_in(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield path and value of everything in `value` through which a derivative could pass."""
    if type(value) in _PLAIN:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _inexact_in(item, f"{path}[{key!r}]" if path else f".{key}")
    elif isinstance(value, (tuple, list, set, frozenset)):
        for index, item in enumerate(value):
            yield from _inexact_in(item, f"{path}[{index}]")
    elif isinstance(value, (float, complex, Variable)) or (
        isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fcO"
    ):
        yield path, value


def _names_used(cls: type) -> set[str]:
    """Return the names that ``backward`` and the author's other methods mention."""
    methods = [
        member
        for base in cls.__mro__[: cls.__mro__.index(Function)]
        for name, member in vars(base).items()
        if isinstance(member, FunctionType) and name not in ("forward", "__init__")
    ]
    codes = [method.__code__ for method in methods]
    names: set[str] = set()
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes.extend(const for const in code.co_consts if isinstance(const, type(code)))
    return names
