"""Function: one operation applied to Variables, and what its ``backward`` will need."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from .config import backprop
from .edges import (
    Edge,
    LiveInputs,
    Port,
    Saved,
    Unsaved,
    index_of,
    spec_of,
    variable_at,
    variable_of,
)
from .errors import (
    GradientError,
    GraphCopyError,
    MissingBackwardError,
    VariableTypeError,
    user_line,
)
from .hidden import constants_of, inexact_in
from .variable import INEXACT, NUMBERS, Array, Variable, as_array, constant, label

PROVENANCE: dict[type | str, Any] = {}
"""Function class, or module of them -> record of the plugin that provides it."""

_new_variable = Variable.__new__


class Function:
    """Base class of every operation; subclass it with ``forward`` and ``backward``.

    ``forward(*arrays)`` receives the data of the inputs and returns an array, or a tuple
    of arrays. ``backward(*gradients)`` receives the gradients of the outputs and returns
    those of the inputs, in order, each in the shape of its input, or of the output where
    the two were broadcast; ``None`` in a tuple for an input that has none.

    In ``backward(create_graph=True)`` the same method receives *Variables* as gradients,
    as ``self.inputs[i].data`` and as ``self.outputs[i]().data``, and by computing with
    them records the graph of the gradient. So ``backward`` computes with operators and
    NumPy functions, and from no floating-point values that ``forward`` put aside: to it
    they would be constants, and the second derivative wrong. Such attributes are refused.
    (What sits elsewhere, in the class or in an array given to ``__init__``, is not seen.)

    Of complex data, gradients are the ``g`` of ``dL = Re(sum(g dz))``: a body that is right
    for real numbers is right for every analytic function. Where the function is not analytic,
    as ``|z|``, `backward` computes with ``np.conj``.

    Neither method writes into the arrays it is given: others see them too.

    Attributes
    ----------
    saves : tuple of str
        Class attribute: what ``backward`` reads the data of, ``"inputs"`` (default),
        ``"outputs"``, both or neither. Shapes and dtypes are there in any case.
    materialize_grads : bool
        Class attribute: whether ``backward`` gets zeros for outputs that no gradient arrived
        at (default), or None.
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
    materialize_grads = True
    inputs: Any = LiveInputs()
    outputs: tuple[Any, ...] = ()
    generation = 0
    #: One edge per input once the Function has been applied and recorded, else None.
    _edges: Sequence[Edge] | None = None
    #: Shape and dtype of each input where they are not saved, and of each output where
    #: gradients of zeros may have to be made for it.
    _input_specs: Any = ()
    _output_specs: Any = ()
    #: Arrays that Variables held in ``forward``, as `saves` asks for.
    _saved_inputs: Any = ()
    _saved_outputs: Any = ()
    #: Indices of the outputs that were unchained.
    _cuts: tuple[int, ...] = ()

    #: Whether this instance was called: then the next call is one of a copy.
    _applied = False
    #: Inexact values among the attributes before ``forward`` first ran: they are constants.
    _given: tuple[Any, ...] | None = None

    # Of the class, set by _prepare.
    _prepared = False
    _saves_inputs: bool
    _saves_outputs: bool
    _reads_unsaved: bool
    _saves_nothing: bool
    _has_state: bool

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__slots__" in vars(cls):
            raise TypeError(
                f"{cls.__name__} must not define __slots__: a graph copies its __dict__."
            )
        saves = cls.saves
        if type(saves) is not tuple or not {"inputs", "outputs"}.issuperset(saves):
            raise TypeError(
                f"{cls.__name__}.saves must be a tuple of 'inputs' and 'outputs', got {saves!r}."
            )
        cls._prepared = False

    @classmethod
    def _prepare(cls) -> None:
        """Look at the class once, before its first call: decorators have run by then."""
        if cls.__hash__ is not object.__hash__ or cls.__eq__ is not object.__eq__:
            raise TypeError(
                f"{cls.__name__} defines __eq__ or __hash__, and a Function is a node of a graph "
                "and equal to itself alone. If it is a dataclass: @dataclass(eq=False)."
            )
        cls._saves_inputs = "inputs" in cls.saves
        cls._saves_outputs = "outputs" in cls.saves
        cls._reads_unsaved = not {"inputs", "outputs"} & _names_used(cls) <= set(cls.saves)
        cls._saves_nothing = not cls.saves and not cls._reads_unsaved
        cls._has_state = cls.__init__ is not object.__init__
        cls._prepared = True

    @property
    def creator(self) -> Function:
        """The Function itself: as an edge, it leads to its own single output."""
        return self

    @property
    def needs_grad(self) -> tuple[bool, ...]:
        """For each input, whether a gradient of it is wanted; the rest may be None."""
        return tuple(edge is not None for edge in self._edges or ())

    def forward(self, *xs: Array) -> Any:
        """Return the output array, or a tuple of them."""
        raise NotImplementedError(f"{type(self).__name__} must define forward(self, *xs).")

    def backward(self, *gys: Array) -> Any:
        """Return the gradient of the input, or a tuple of them."""
        raise MissingBackwardError(
            f"{described(self, 'backward')} is missing: define backward(self, *gys) to "
            "differentiate it.",
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
            If an input or what ``forward`` returns is not an array of numbers, or if
            ``__init__`` was given a Variable.
        """
        if self._applied:
            return self._unapplied()(*inputs)
        self._applied = True
        if not self._prepared:
            self._prepare()
        if self._has_state and self._given is None:
            self._given = self._constants()
        xs = []
        for x in inputs:
            if not isinstance(x, Variable):
                xs.append(constant(x))
            elif type(x.data) is np.ndarray:
                xs.append(x.data)
            else:
                xs.append(x.check_data())
        try:
            ys = self.forward(*xs)
        except Exception as error:
            explain(error, self, "forward", xs)
            raise
        recording = backprop.get()
        outputs = []
        differentiable = False
        for y in ys if isinstance(ys, tuple) and ys else (ys,):
            if type(y) is not np.ndarray or y.dtype.kind not in NUMBERS:
                y = self._output_array(y)
            if y.dtype.kind in INEXACT:
                differentiable = True
            output: Variable = _new_variable(Variable)
            output.data = y
            output.name = output.grad = None
            output.generation = 0
            output._edge = None if recording is True else recording
            outputs.append(output)
        if differentiable and recording is True:
            self._record(inputs, xs, outputs)
        return output if len(outputs) == 1 else outputs

    def _record(self, inputs: Any, xs: list[Any], outputs: list[Variable]) -> None:
        """Become a node of the graph: edges to the inputs, and what `saves` names."""
        edges: list[Edge] = []
        generation = constants = 0
        for x in inputs:
            if not isinstance(x, Variable):
                constants += 1
                edges.append(None)
            elif x.generation == 0:
                edges.append(x.leaf_edge())
            else:
                edges.append(x._edge)
                if x.generation > generation:
                    generation = x.generation
        if generation == 0 and all(edge is None for edge in edges):
            return
        self._edges = edges
        self.generation = generation
        if len(outputs) == 1:
            output = outputs[0]
            output._edge = self
            output.generation = generation + 1
            self.outputs = (weakref.ref(output),)
        else:
            self.outputs = tuple([weakref.ref(output) for output in outputs])
            self._output_specs = [spec_of(output.data) for output in outputs]
            for index, output in enumerate(outputs):
                if output.data.dtype.kind in INEXACT:  # integers and booleans have no gradient
                    output._edge = Port(self, index)
                    output.generation = generation + 1
        if self._saves_inputs:
            if constants:
                inputs = tuple([x if isinstance(x, Variable) else Saved(x) for x in inputs])
            self.inputs = inputs
            self._saved_inputs = xs
        else:
            specs = self._input_specs = []
            for x in xs:
                specs.append((x.shape, x.dtype) if type(x) is np.ndarray else spec_of(x))
        if self._saves_outputs:
            self._saved_outputs = [output.data for output in outputs]
        if self._reads_unsaved:
            self._output_specs = [spec_of(output.data) for output in outputs]

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

    def _edge_to(self, output: Variable) -> Edge:
        """Return the edge that leads a gradient of `output` to this Function.

        Raises
        ------
        ValueError
            If it has several outputs, and `output` is none of them.
        """
        if len(self.outputs) < 2:
            return self
        for index, reference in enumerate(self.outputs):
            if reference() is output:
                return Port(self, index)
        raise ValueError(
            f"{type(self).__name__} has {len(self.outputs)} outputs, and this Variable is none of "
            "them: it is not clear which gradient it would stand for."
        )

    def _cut(self, edge: Edge) -> None:
        """Let no gradient through the output at `edge`, and free what nobody needs now."""
        self._cuts += (index_of(edge),)
        if len(self._cuts) == len(self.outputs):
            self._edges = self.inputs = ()
            self._saved_inputs = self._saved_outputs = self._input_specs = ()

    def _cut_behind(self) -> None:
        """Cut every Function before this one; iterative, for graphs of any depth."""
        edges = list(self._edges or ())
        while edges:
            edge = edges.pop()
            creator = edge and edge.creator
            if not creator or index_of(edge) in creator._cuts:
                continue
            edges.extend(creator._edges)
            variable = variable_at(edge)
            if variable is not None:
                variable._edge, variable.generation = None, 0
            creator._cut(edge)

    def _as_recorded(self) -> Function:
        """Return what ``backward`` is called on in a plain pass: usually this Function.

        It is a stand-in when a Variable has been dropped, or its ``data`` replaced, since
        ``forward``: the gradient is that of the array which was there then. (An array that
        was written to is not noticed.)
        """
        if self._reads_unsaved:
            return self._stand_in(as_variables=False)
        if self._saves_inputs:
            for x, saved in zip(self.inputs, self._saved_inputs):  # noqa: B905 (time)
                if x.data is not saved:
                    return self._stand_in(as_variables=False)
        if self._saves_outputs:
            for reference, saved in zip(self.outputs, self._saved_outputs, strict=True):
                output = reference()
                if output is None or output.data is not saved:
                    return self._stand_in(as_variables=False)
        return self

    def _as_differentiable(self) -> Function:
        """Return what ``backward`` is called on under ``create_graph``: see the class.

        Raises
        ------
        GradientError (ValueError)
            If ``forward`` put an array aside in an attribute.
        """
        for path, x in inexact_in(self._own_attributes()):
            if not any(x is given for given in self._given or ()):
                raise GradientError(
                    f"{described(self, 'forward')} saved {type(x).__name__} values in "
                    f"self{path}. To backward they would be constants and the derivative of the "
                    "gradient wrong, so create_graph is refused. Let backward compute with "
                    "self.inputs[i].data or self.outputs[i]().data instead; what really is a "
                    "constant belongs in __init__.",
                    function=type(self),
                    attribute=path.lstrip("."),
                )
        return self._stand_in(as_variables=True)

    def _stand_in(self, as_variables: bool) -> Function:
        """Return a copy whose inputs and outputs are what was saved, and nothing else."""

        def kept(values: Any, specs: Any, edges: Any, kind: str) -> Iterator[Any]:
            for index, edge in enumerate(edges):
                if not values:
                    yield Unsaved(specs[index], self, kind)
                elif as_variables and edge is not None and values[index].dtype.kind in INEXACT:
                    yield Saved(variable_of(edge, values[index]))
                else:
                    yield Saved(values[index])

        stand_in = object.__new__(type(self))
        vars(stand_in).update(vars(self))
        stand_in.inputs = tuple(kept(self._saved_inputs, self._input_specs, self._edges, "inputs"))
        if self._saved_outputs or self._output_specs:
            count = len(self.outputs)
            ports = [self] if count == 1 else [Port(self, index) for index in range(count)]
            outputs = kept(self._saved_outputs, self._output_specs, ports, "outputs")
            stand_in.outputs = tuple([lambda output=output: output for output in outputs])
        return stand_in

    def _constants(self) -> tuple[Any, ...]:
        """Return the inexact values that ``__init__`` has set.

        Raises
        ------
        VariableTypeError (TypeError)
            If one is a Variable: it would get no gradient, without a word.
        """
        given = constants_of(vars(self))
        for path, x in given:
            if isinstance(x, Variable):
                cls = type(self)
                raise VariableTypeError(
                    f"{cls.__name__} of {provider_of(cls)} needs a constant for "
                    f"'{path.lstrip('.')}', got {label(x)}, which would get no gradient from "
                    "there. Pass its values, its .data.",
                    got=type(x),
                )
        return tuple([x for _, x in given])

    def _own_attributes(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _NODE_FIELDS}

    def _unapplied(self) -> Function:
        """Return a fresh instance with the attributes that the author's code has set."""
        fresh = object.__new__(type(self))
        vars(fresh).update(self._own_attributes())
        fresh._given = self._given
        return fresh

    def _output_array(self, y: Any) -> Any:
        array = as_array(y)
        if isinstance(array, np.ndarray) and array.dtype.kind in NUMBERS:
            return np.asarray(array)
        got = f"an array of dtype {array.dtype}" if isinstance(array, np.ndarray) else str(type(y))
        raise VariableTypeError(
            f"{described(self, 'forward')} must return an ndarray of numbers, or a tuple of "
            f"them, got {got}.",
            got=type(y),
        )

    def __getstate__(self) -> dict[str, Any]:
        if self._edges is not None:
            raise GraphCopyError(
                f"this {type(self).__name__} cannot be copied or pickled: it is part of a graph. "
                "Copy it before it is applied, or make a new one.",
                function=type(self),
            )
        return self._own_attributes()


_NODE_FIELDS = frozenset(name for name in vars(Function) if not name.startswith("__"))


def described(function: Function, method: str) -> str:
    """Return how messages name a method: ``Mul.forward of plugin 'basic' (…-basic 0.1.0)``."""
    cls = type(function)
    return f"{cls.__name__}.{method} of {provider_of(cls)}"


def provider_of(cls: type) -> Any:
    """Return how messages name where a Function class is from."""
    return _plugin_of(cls) or f"module {cls.__module__}"


def _plugin_of(cls: type) -> Any:
    # Its module, where the plugin has announced it and the class was imported before it was bound.
    return PROVENANCE.get(cls) or PROVENANCE.get(cls.__module__)


def explain(error: Exception, function: Function, method: str, arrays: Any) -> None:
    """Add a note to an error that left an operation: which, with what, called where."""
    given = ", ".join(
        f"{x.dtype}{list(x.shape)}" if hasattr(x, "dtype") else repr(x) for x in arrays
    )
    # The line that called a plugin's own function is not the user's.
    from_package = getattr(_plugin_of(type(function)), "distribution", None)
    package = type(function).__module__.partition(".")[0] if from_package else "dezero_core"
    line = user_line(package)
    error.add_note(f"in {described(function, method)}, given {given}, called at {line}")


def _names_used(cls: type) -> set[str]:
    """Return the names that ``backward`` and the author's other methods mention."""
    members = [
        member
        for base in cls.__mro__[: cls.__mro__.index(Function)]
        for name, member in vars(base).items()
        if name not in ("forward", "__init__")
    ]
    codes = []
    while members:
        member = members.pop()
        if isinstance(member, FunctionType):
            codes.append(member.__code__)
        for wrapped in ("__wrapped__", "__func__", "fget"):  # decorators, class methods, properties
            members.extend([getattr(member, wrapped)] if hasattr(member, wrapped) else [])
    names: set[str] = set()
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes.extend(const for const in code.co_consts if isinstance(const, type(code)))
    return names
