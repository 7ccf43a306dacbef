"""Function: one operation applied to Variables, and what its ``backward`` will need."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from . import observing
from .calls import call_of, is_specialised, new_variable
from .config import mode
from .edges import (
    NUMBER,
    UNCHAINED,
    Edge,
    Ended,
    LiveInputs,
    Port,
    Saved,
    Spec,
    Unsaved,
    dropped,
    leads_on,
    saved,
    spec_at,
    spec_of,
    variable_at,
)
from .errors import (
    GradientError,
    GraphCopyError,
    MissingBackwardError,
    VariableTypeError,
)
from .hidden import constants_of, inexact_in
from .provenance import described, explain, provider_of, warn_of_approximation
from .variable import INEXACT, NUMBERS, Array, Variable, as_array, constant, is_array, label


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
        ``"outputs"``, both or neither; ``"other inputs"`` where it reads those of an input
        only for the gradients of others, as in a product: what is multiplied by a constant is
        then not kept. Shapes and dtypes are there in any case.
    approximate : str
        Class attribute: how values or gradients are approximated, as ``"central differences"``;
        empty, if they are exact but for rounding. Gradients through it then warn.
    materialize_grads : bool
        Class attribute: whether ``backward`` gets zeros for outputs that no gradient arrived
        at (default), or None.
    inputs : tuple
        What the Function was applied to.
    outputs : tuple of weakref.ref
        What it computed; weak, since an output owns its creator.
    needs_grad : tuple of bool
        For each input, whether a gradient of it is wanted; the rest may be None.
    generation : int
        The highest generation of the inputs.

    Notes
    -----
    The last four are there once the Function has been applied and recorded, as in the book.
    An instance may be applied again: each application is a node of its own.
    Source: *Deep Learning from Scratch 3*, steps 11 to 18.

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

    # What the graph needs is in slots, which are read and written faster than a __dict__; what
    # authors put aside is in that.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_constant_specs",
        "_cuts",
        "_edge_dtype",
        "_edge_shape",
        "_edges",
        "_output_references",
        "_output_specs",
        "_saved_inputs",
        "_saved_outputs",
        "_where",
        "generation",
        "inputs",
        "needs_grad",
    )

    saves: tuple[str, ...] = ("inputs",)
    materialize_grads = True
    approximate = ""
    inputs: Any
    needs_grad: tuple[bool, ...]
    generation: int
    #: One edge per input; or an `Ended`.
    _edges: Any
    #: A weakref to the output, or a tuple of them if there are several.
    _output_references: Any
    #: As an edge, a Function leads to its own single output: shape and dtype of that.
    _edge_shape: tuple[int, ...]
    _edge_dtype: Any
    #: The same for several outputs; and the indices of those that were unchained.
    _output_specs: tuple[Spec, ...]
    _cuts: tuple[int, ...]
    #: Shapes and dtypes of the inputs that are constants, where the inputs are not saved.
    _constant_specs: dict[int, Spec]
    #: Arrays that inputs and outputs held in ``forward``, as `saves` asks for; None if only
    #: constants are kept of the inputs.
    _saved_inputs: tuple[Any, ...] | None
    _saved_outputs: tuple[Any, ...]
    #: The user's line that applied it, if that was observed.
    _where: str

    #: Whether this instance was called: then the next call is one of a copy.
    _applied = False
    #: Inexact values among the attributes before ``forward`` first ran: they are constants.
    _given: tuple[Any, ...] | None = None

    #: Whether the class is not to have a call of its own, since a derived one has.
    _general = False

    # Of the class, set by _prepare.
    _prepared = False
    _saves_inputs: bool
    _saves_others: bool
    _saves_outputs: bool
    _reads_inputs: bool
    _reads_outputs: bool
    _has_state: bool
    #: What ``backward`` and the author's other methods mention.
    _names: set[str]
    _as_recorded: Callable[[Function], Function]
    #: What is bound as an operator, once that was asked for.
    _operator: Callable[..., Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__slots__" in vars(cls):
            raise TypeError(
                f"{cls.__name__} must not define __slots__: a graph copies its __dict__."
            )
        for name in _NODE_FIELDS & vars(cls).keys():
            if name.startswith("_"):
                raise TypeError(
                    f"{cls.__name__} defines {name!r}, which Function has for its own use. Choose "
                    "another name."
                )
        saves = cls.saves
        if type(saves) is not tuple or not _WORDS.issuperset(saves):
            raise TypeError(
                f"{cls.__name__}.saves must be a tuple of 'inputs', 'other inputs' and "
                f"'outputs', got {saves!r}."
            )
        cls._prepared = cls._general = False
        # In the class itself: a base class may get its own, for what that saves, any time.
        if cls.__call__ is Function.__call__ or is_specialised(cls.__call__):
            cls.__call__ = Function.__call__  # type: ignore[method-assign]
            return
        for base in cls.__mro__[1:]:  # to it, the author's own may come with any operands
            if issubclass(base, Function) and base is not Function:
                base._general = True
                if is_specialised(vars(base).get("__call__")):
                    base.__call__ = Function.__call__  # type: ignore[method-assign]

    @classmethod
    def _prepare(cls) -> None:
        """Look at the class once, before its first call: decorators have run by then."""
        if cls.__hash__ is not object.__hash__ or cls.__eq__ is not object.__eq__:
            raise TypeError(
                f"{cls.__name__} defines __eq__ or __hash__, and a Function is a node of a graph "
                "and equal to itself alone. If it is a dataclass: @dataclass(eq=False)."
            )
        cls._saves_others = "other inputs" in cls.saves and "inputs" not in cls.saves
        cls._saves_inputs = bool({"inputs", "other inputs"} & {*cls.saves})
        cls._saves_outputs = "outputs" in cls.saves
        cls._has_state = cls.__init__ is not object.__init__
        names = cls._names = _names_used(cls)
        cls._reads_inputs, cls._reads_outputs = "inputs" in names, "outputs" in names
        kept = {*cls.saves, "inputs"} if cls._saves_inputs else {*cls.saves}
        as_recorded: Any = Function._as_it_is
        if not {"inputs", "outputs"} & names <= kept:
            as_recorded = cls._stand_in
        elif cls._saves_outputs:
            as_recorded = Function._unless_outputs_changed
        elif cls._saves_inputs:
            as_recorded = Function._unless_inputs_changed
        cls._as_recorded = _with_warning(as_recorded) if cls.approximate else as_recorded
        setattr(cls, "inputs", _SLOT_OF_INPUTS if cls._saves_inputs else LiveInputs())  # noqa: B010
        if cls.__call__ is Function.__call__ and not cls._general:
            cls.__call__ = call_of(cls)  # type: ignore[method-assign]
        cls._prepared = True

    @property
    def creator(self) -> Function:
        """The Function itself: as an edge, it leads to its own single output."""
        return self

    @property
    def outputs(self) -> tuple[Any, ...]:
        """What was computed, as weak references."""
        outputs = self._output_references
        return outputs if type(outputs) is tuple else (outputs,)

    def forward(self, *xs: Array) -> Any:
        """Return the output array, or a tuple of them: to be defined by a subclass.

        Parameters
        ----------
        *xs : ndarray or number
            The data of the inputs, in order.

        Returns
        -------
        ndarray, or tuple of ndarray
        """
        raise NotImplementedError(f"{type(self).__name__} must define forward(self, *xs).")

    def backward(self, *gys: Array) -> Any:
        """Return the gradient of the input, or a tuple of them: to be defined by a subclass.

        Parameters
        ----------
        *gys : ndarray or Variable
            The gradients of the outputs, in order; Variables under ``create_graph=True``.

        Returns
        -------
        ndarray or Variable, or tuple of them and None
            The gradients of the inputs, in order.

        Raises
        ------
        MissingBackwardError (NotImplementedError)
            If the subclass does not define it.
        """
        raise MissingBackwardError(
            f"{described(self, 'backward')} is missing: define backward(self, *gys) to "
            "differentiate it.",
            function=type(self),
            index=0,
        )

    def __call__(self, *inputs: Any) -> Any:
        """Apply the Function to Variables, arrays and scalars; record it if that is on.

        Parameters
        ----------
        *inputs : Variable, ndarray or number
            What is no Variable is a constant.

        Returns
        -------
        Variable, or list of Variable
            A list if ``forward`` returns a tuple of several arrays.

        Raises
        ------
        VariableTypeError (TypeError)
            If an input or what ``forward`` returns is not an array of numbers, or if
            ``__init__`` was given a Variable.
        """
        return self._apply(*inputs)

    def _apply(self, *inputs: Any) -> Any:
        """Do what `__call__` says, for any number of inputs and whatever they are."""
        if not self._prepared:
            self._prepare()
        if self._applied:
            return self._unapplied()._apply(*inputs)
        self._applied = True
        if self._has_state and self._given is None:
            self._given = self._constants()
        xs: Any = inputs
        try:
            xs = [
                x.data if isinstance(x, Variable) and type(x.data) is np.ndarray else _operand(x)
                for x in inputs
            ]
            observers = mode.get().observers
            ys = observing.forward(self, xs, observers) if observers else self.forward(*xs)
        except Exception as error:
            explain(error, self, "forward", xs)
            raise
        return self._results(inputs, tuple(xs), ys)

    def _results(self, inputs: tuple[Any, ...], xs: tuple[Any, ...], ys: Any) -> Any:
        """Return what ``forward`` has made of the arrays `xs` as Variables of the graph."""
        now = mode.get()
        # As an edge, a Mode must not keep the observers alive.
        edge = None if now.records else now.changed(observers=())
        outputs = []
        differentiable = False
        for y in ys if isinstance(ys, tuple) and ys else (ys,):
            if type(y) is not np.ndarray or y.dtype.kind not in NUMBERS:
                y = self._output_array(y, xs)
            if y.dtype.kind in INEXACT:
                differentiable = True
            output: Variable = new_variable(Variable)
            output.data = y
            output.name = output.grad = None
            output.generation = 0
            output._edge = edge
            outputs.append(output)
        if differentiable and now.records:
            self._record(inputs, xs, outputs)
            if now.observers and hasattr(self, "_edges"):  # no node is made of constants
                observing.show(now.observers, "recorded", self)
        return outputs[0] if len(outputs) == 1 else outputs

    def _record(
        self, inputs: tuple[Any, ...], xs: tuple[Any, ...], outputs: list[Variable]
    ) -> None:
        """Become a node of the graph: edges to the inputs, and what `saves` names."""
        edges: list[Edge] = []
        generation = 0
        for x in inputs:
            if not isinstance(x, Variable):
                edges.append(None)
            elif x.generation == 0:
                edges.append(x.leaf_edge())
            else:
                edges.append(x._edge)
                generation = max(generation, x.generation)
        if all(edge is None for edge in edges):
            return
        self._edges = tuple(edges)
        self.needs_grad = tuple([edge is not None for edge in edges])
        self.generation = generation
        if len(outputs) == 1:
            output = outputs[0]
            output._edge = self
            output.generation = generation + 1
            self._output_references = weakref.ref(output)
            self._edge_shape, self._edge_dtype = spec_of(output.data)
        else:
            self._output_references = tuple([weakref.ref(output) for output in outputs])
            self._output_specs = tuple([spec_of(output.data) for output in outputs])
            self._cuts = ()
            for index, output in enumerate(outputs):
                if output.data.dtype.kind in INEXACT:  # integers and booleans have no gradient
                    output._edge = Port(self, index)
                    output.generation = generation + 1
        if self._saves_inputs:
            if self._saves_others and self.needs_grad.count(True) == 1:
                self.inputs = tuple(
                    Saved(x) if edge is None else dropped(edge, type(self))
                    for x, edge in zip(xs, edges, strict=True)
                )
                self._saved_inputs = None
            else:
                self.inputs = tuple([x if isinstance(x, Variable) else Saved(x) for x in inputs])
                self._saved_inputs = xs
        elif None in edges:
            specs = {index: spec_of(x) for index, x in enumerate(xs) if edges[index] is None}
            self._constant_specs = specs
        if self._saves_outputs:
            self._saved_outputs = tuple([output.data for output in outputs])

    def of(self, *xs: Array) -> Any:
        """Apply to Variables, or to arrays and get arrays: for use inside ``backward``.

        There the same line meets arrays at first order and Variables under
        ``create_graph``; a plain call would wrap the arrays.

        Parameters
        ----------
        *xs : Variable, ndarray or number

        Returns
        -------
        ndarray, or Variable if one of `xs` is a Variable

        Examples
        --------
        >>> class Double(Function):
        ...     def forward(self, x):
        ...         return x + x
        >>> Double().of(np.array([1.0])), Double().of(Variable(np.array([1.0])))
        (array([2.]), variable([2.]))
        """
        for x in xs:
            if isinstance(x, Variable):
                return self(*xs)
        return self.forward(*xs)

    def _edge_to(self, output: Variable) -> Edge:
        """Return the edge that leads a gradient of `output` to this Function.

        Raises
        ------
        ValueError
            If it has several outputs, and `output` is none of them.
        """
        outputs = getattr(self, "outputs", ())
        if len(outputs) < 2:
            return self
        for index, reference in enumerate(outputs):
            if reference() is output:
                return Port(self, index)
        raise ValueError(
            f"{type(self).__name__} has {len(outputs)} outputs, and this Variable is none of "
            "them: it is not clear which gradient it would stand for."
        )

    def _cut(self, edge: Edge) -> None:
        """Let no gradient through the output at `edge`, and free what nobody needs now."""
        if type(edge) is Port:
            self._cuts += (edge.index,)
            if len(self._cuts) < len(self.outputs):
                return
        self._end(UNCHAINED)

    def _end(self, how: Ended) -> None:
        """Let no gradient through any more, and nothing be kept for one."""
        self._edges = how
        self._saved_inputs = self._saved_outputs = ()
        self.inputs = ()

    def _cut_behind(self) -> None:
        """Cut every Function before this one; iterative, for graphs of any depth."""
        edges = list(self._edges) if type(self._edges) is tuple else []
        while edges:
            edge = edges.pop()
            creator = None if edge is None else edge.creator
            if creator is None or not leads_on(edge):
                continue
            edges.extend(creator._edges)
            variable = variable_at(edge)
            if variable is not None:
                variable._edge, variable.generation = None, 0
            creator._cut(edge)

    def _as_it_is(self) -> Function:
        """Return what ``backward`` is called on in a plain pass: this Function.

        The two below are for what was saved. They return a stand-in where a Variable has been
        dropped, or its ``data`` replaced, since ``forward``: the gradient is that of the array
        which was there then. (An array that was written to is not noticed.)
        """
        return self

    def _unless_inputs_changed(self) -> Function:
        inputs, arrays = self.inputs, self._saved_inputs
        if arrays is None:
            return self
        if len(arrays) == 2:  # most have two, and a loop takes twice the time
            (x0, x1), (a0, a1) = inputs, arrays
            return self if x0.data is a0 and x1.data is a1 else self._stand_in()
        for x, array in zip(inputs, arrays, strict=True):
            if x.data is not array:
                return self._stand_in()
        return self

    def _unless_outputs_changed(self) -> Function:
        for reference, array in zip(self.outputs, self._saved_outputs, strict=True):
            output = reference()
            if output is None or output.data is not array:
                return self._stand_in()
        return self._unless_inputs_changed() if self._saves_inputs else self

    def _as_differentiable(self) -> Function:
        """Return what ``backward`` is called on under ``create_graph``: see the class.

        Raises
        ------
        GradientError (ValueError)
            If ``forward`` put an array aside in an attribute.
        """
        if self.approximate:
            warn_of_approximation(type(self), self.approximate)
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

    def _stand_in(self, as_variables: bool = False) -> Function:
        """Return a copy whose inputs and outputs are what was saved, and nothing else."""
        cls = type(self)
        stand_in = object.__new__(cls)
        vars(stand_in).update(vars(self))
        stand_in.needs_grad, stand_in.generation = self.needs_grad, self.generation
        edges = stand_in._edges = self._edges
        if cls._saves_inputs:
            stand_in.inputs = self.inputs
            if self._saved_inputs is not None:
                pairs = zip(edges, self._saved_inputs, strict=True)
                stand_in.inputs = tuple([saved(edge, x, as_variables) for edge, x in pairs])
        elif as_variables or cls._reads_inputs:
            specs = map(self._input_spec, range(len(edges)))
            stand_in.inputs = tuple([Unsaved(spec, cls, "inputs") for spec in specs])
        references = stand_in._output_references = self._output_references
        if as_variables or cls._reads_outputs:
            ports: list[Edge] = [self]
            if type(references) is tuple:
                ports = [Port(self, index) for index in range(len(references))]
            if cls._saves_outputs:
                pairs = zip(ports, self._saved_outputs, strict=True)
                references = [saved(port, y, as_variables) for port, y in pairs]
            else:
                references = [Unsaved(spec_at(port), cls, "outputs") for port in ports]
            stand_in._output_references = tuple(references)
        return stand_in

    def _input_spec(self, index: int) -> Spec:
        """Return shape and dtype of an input."""
        edge = self._edges[index]
        if edge is not None:
            return spec_at(edge)
        return getattr(self, "_constant_specs", {}).get(index, NUMBER)

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

    def _output_array(self, y: Any, xs: tuple[Any, ...]) -> Any:
        array = np.asarray(y) if isinstance(y, np.generic) else as_array(y)
        if is_array(array):
            return np.asarray(array)
        got = f"an array of dtype {array.dtype}" if type(array) is np.ndarray else str(type(y))
        error = VariableTypeError(
            f"{described(self, 'forward')} must return an ndarray of numbers, or a tuple of "
            f"them, got {got}.",
            got=type(y),
        )
        explain(error, self, "forward", xs)
        raise error

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "_edges"):
            raise GraphCopyError(
                f"this {type(self).__name__} cannot be copied or pickled: it is part of a graph. "
                "Copy it before it is applied, or make a new one.",
                function=type(self),
            )
        return self._own_attributes()


def _with_warning(as_recorded: Callable[[Function], Function]) -> Callable[[Function], Function]:
    def warned(self: Function) -> Function:
        warn_of_approximation(type(self), self.approximate)
        return as_recorded(self)

    return warned


def _operand(x: Any) -> Any:
    """Return what ``forward`` gets for a constant, or for a Variable of unusual data."""
    return x.check_data() if isinstance(x, Variable) else constant(x)


_WORDS = frozenset({"inputs", "other inputs", "outputs"})
_NODE_FIELDS = frozenset(
    ["_as_recorded", *(name for name in vars(Function) if not name.startswith("__"))]
)
_SLOT_OF_INPUTS = vars(Function)["inputs"]


def _names_used(cls: type) -> set[str]:
    """Return the names that ``backward`` and the author's other methods mention."""
    members = [
        member
        for base in cls.__mro__[: cls.__mro__.index(Function)]
        for name, member in vars(base).copy().items()  # another thread may add to it
        if name not in ("forward", "__init__", "__call__", "_as_recorded", "_operator")
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
