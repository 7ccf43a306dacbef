"""Function: one operation applied to Variables, with everything that its ``backward`` reads.

`Function._apply` is a call as the book tells it, for any operands. ``calls.py`` has the same for
one and for two, written out because that is faster. The base class `Node` is in ``graph.py``.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import (
    ARRAY_TYPES,
    INEXACT,
    NUMBERS,
    NUMPY,
    OF_NUMPY,
    Array,
    ArrayType,
    as_array,
    constant,
    is_array,
    kind_of,
)
from .calls import call_of, new_variable
from .config import CONSTANT, mode, run
from .errors import GraphCopyError, MissingBackwardError, VariableTypeError, user_line
from .gradients import constants_given
from .graph import Node, Saved, Spec, unsaved
from .notes import described, explain, plugin_of, warn_of_approximation
from .variable import Variable

_WORDS = ("inputs", "other inputs", "outputs")


class Function(Node):
    """Base class of every operation; subclass it with ``forward`` and ``backward``.

    ``forward(*arrays)`` receives the data of the inputs and returns an array, or a tuple
    of arrays. ``backward(*gradients)`` receives the gradients of the outputs and returns
    those of the inputs, in order, ``None`` for an input that has none. Each has the shape of its
    input; or of the output, if the input was broadcast to that: the engine sums it then.

    In ``backward(create_graph=True)`` the same method receives *Variables* as gradients,
    as ``self.inputs[i].data`` and as ``self.outputs[i]().data``, and by computing with
    them records the graph of the gradient. Unlike in the book, ``.data`` is always written there.
    So ``backward`` computes with operators and NumPy functions. It uses no floating-point values
    that ``forward`` has stored in attributes: these would be constants, and the second derivative
    wrong. Such attributes are refused.
    (Values elsewhere, in the class or in an array given to ``__init__``, are not seen.)

    Of complex data, gradients are the ``g`` of ``dL = Re(sum(g dz))``: a body that is right
    for real numbers is right for every analytic function. For others, as ``|z|``, it computes with
    ``np.conj``. Neither method writes into the arrays it is given: others see them too.

    Source: *Deep Learning from Scratch 3*, steps 11 to 18. As in the book, the last four attributes
    are there once it has been applied and recorded. Each application is a node of its own.

    Attributes
    ----------
    saves : tuple of str
        Class attribute: whose data ``backward`` reads, ``"inputs"`` (default), ``"outputs"``, both
        or neither; ``"other inputs"``, if the gradient of one input needs the data of the others:
        then ``x * 2.0`` does not keep x. Shapes and dtypes are there in any case.
    approximate : str
        Class attribute: how values or gradients are approximated, as ``"central differences"``;
        empty, if they are exact but for rounding. Gradients through it then warn.
    materialize_grads : bool
        Class attribute: whether ``backward`` gets zeros for outputs that no gradient arrived
        at (default), or None.
    arrays : str
        Class attribute: ``"any"`` type of arrays (default); or ``"numpy: "`` and the reason why
        it takes ndarrays alone, and refuses others.
    elementwise : bool
        Class attribute: whether each element of the results, and of the gradients, depends alone
        on the elements at the same place. Both methods may then run on slices.
    converts : bool
        Class attribute: whether it takes arrays of one type, and returns those of another.
    inputs : tuple
        The operands.
    outputs : tuple of weakref.ref
        The results; weak, since an output owns its creator.
    needs_grad : tuple of bool
        For each input, whether a gradient is wanted; those of others may be None.
    generation : int
        The highest generation of the inputs.

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
    approximate = ""
    arrays = "any"
    elementwise = False
    converts = False
    #: Whether this instance was called: if so, another call is made on a copy of it.
    _applied = False
    #: Floating-point values that the author's `__init__` has set: these are constants.
    _given: tuple[Any, ...] | None = None

    # Of the class, set by _prepare.
    _prepared = False
    _saves_others: bool
    _has_state: bool
    #: The function that is bound as an operator, once the class is registered as one.
    _operator: Callable[..., Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        definer = next(base for base in cls.__mro__ if "__call__" in vars(base))
        taken = [name for name in _OWN_NAMES & own.keys() if name.startswith("_")]
        alone, _, reason = str(cls.arrays).partition(": ")
        problem = ""
        if "__slots__" in own:
            problem = " must not define __slots__: a graph copies its __dict__"
        elif definer is cls or not issubclass(definer, Function):
            problem = " must not define __call__: that records the graph. Compute in forward; for "
            problem += "steps before that, write a function that applies the class"
        elif taken:
            problem = (
                f" defines {taken[0]!r}, which Function has for its own use. Choose another name"
            )
        elif type(cls.saves) is not tuple or not set(_WORDS).issuperset(cls.saves):
            problem = f".saves must be a tuple of {', '.join(map(repr, _WORDS))}, got {cls.saves!r}"
        elif cls.arrays != "any" and not (alone == "numpy" and reason):
            problem = f".arrays must be 'any', or 'numpy: ' and a reason, got {cls.arrays!r}"
        if problem:
            raise TypeError(f"{cls.__name__}{problem}.")
        cls._prepared = False
        # Not the base class' call, which `_prepare` made for that class alone.
        cls.__call__ = Function.__call__  # type: ignore[method-assign]

    @classmethod
    def _prepare(cls) -> None:
        """Look at the class once, before its first call: decorators have run by then."""
        if cls.__hash__ is not object.__hash__ or cls.__eq__ is not object.__eq__:
            raise TypeError(
                f"{cls.__name__} defines __eq__ or __hash__, and a Function is a node of a graph "
                "and equal to itself alone. If it is a dataclass: @dataclass(eq=False)."
            )
        cls._saves_others = "other inputs" in cls.saves and "inputs" not in cls.saves
        cls._saves_inputs = cls._saves_others or "inputs" in cls.saves
        cls._saves_outputs = "outputs" in cls.saves
        cls._has_state = cls.__init__ is not object.__init__
        exact = Node._node_with_saved_arrays if cls._saves_inputs else Node._node_itself
        cls._node_for_backward = Function._node_after_warning if cls.approximate else exact
        # `inputs` that are saved are the slot: the property of Node takes the time of a call.
        setattr(cls, "inputs", vars(Node)["_saved_inputs" if cls._saves_inputs else "inputs"])  # noqa: B010
        if cls.__call__ is Function.__call__:
            cls.__call__ = call_of(cls)  # type: ignore[method-assign]
        cls._prepared = True

    def forward(self, *xs: Any, **_: Any) -> Any:  # ** lets a subclass have any parameters
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

    def backward(self, *gys: Any, **_: Any) -> Any:  # likewise
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
        )

    def __call__(self, *inputs: Any) -> Any:
        """Apply the Function to Variables, arrays and scalars; record it if that is on.

        All but Variables are constants. The result is a Variable, or a list of them if ``forward``
        returns a tuple of several arrays. If a plugin has registered the class and no input is a
        Variable: arrays, or scalars, as in NumPy.

        Raises
        ------
        VariableTypeError (TypeError)
            If an input or a result of ``forward`` is not an array of numbers, or if
            ``__init__`` was given a Variable.
        """
        return self._apply(*inputs)

    def _apply(self, *inputs: Any) -> Any:
        """Apply the Function: the general form of `__call__`, for any number and kind of inputs."""
        if not self._prepared:
            self._prepare()
        if self._applied:
            return self._unapplied()._apply(*inputs)
        self._applied = True
        if self._has_state and self._given is None:
            self._given = self._constants_given()
        xs: Any = inputs
        try:
            xs = [
                x.data if isinstance(x, Variable) and type(x.data) is np.ndarray else _operand(x)
                for x in inputs
            ]
            kind, observer = self._array_type(xs), mode.get().observer
            if observer is not None:
                self._where = user_line()
            as_it_is = kind is NUMPY and observer is None
            ys = self.forward(*xs) if as_it_is else run(self, self, "forward", xs)
        except Exception as error:
            explain(error, self, "forward", xs)
            raise
        return self._results(inputs, tuple(xs), ys, kind)

    def _results(self, inputs: Any, xs: Any, ys: Any, kind: ArrayType = NUMPY) -> Any:
        """Wrap the results `ys` of ``forward`` as Variables, and record the call."""
        now = mode.get()
        edge = None if now.records else now.changed(observer=None)  # which it would keep alive
        outputs: list[Any] = []
        for y in ys if isinstance(ys, tuple) and ys else (ys,):
            if type(y) is not np.ndarray or y.dtype.kind not in NUMBERS or kind is not NUMPY:
                y = self._output_array(y, xs, kind)
            output: Variable = new_variable(Variable)
            output.data = y
            output.name = output.grad = None
            output.generation = 0
            output._edge = edge
            outputs.append(output)
        if now.records and any(output.data.dtype.kind in INEXACT for output in outputs):
            of_results = kind_of(outputs[0].data)  # as may be by an attribute alone
            if of_results.others is not None and not self.converts:
                self._others = of_results.others((*xs, *(output.data for output in outputs)))
            self._record(inputs, xs, outputs)
        is_node = hasattr(self, "_edges")  # a call on constants makes no node
        if is_node and now.observer is not None:
            now.observer.recorded(self)
        if not (is_node or any(isinstance(x, Variable) for x in inputs)) and plugin_of(type(self)):
            # A registered class gives arrays, as NumPy does; others, Variables, as in the book.
            outputs = [output.data if output.ndim else output.data[()] for output in outputs]
        return outputs[0] if len(outputs) == 1 else outputs

    def _record(
        self, inputs: tuple[Any, ...], xs: tuple[Any, ...], outputs: list[Variable]
    ) -> None:
        """Become a node of the graph: set the edges to the inputs, and save what `saves` names."""
        edges = tuple([x.edge_of_input() if isinstance(x, Variable) else None for x in inputs])
        if all(edge is None for edge in edges):
            if {x._edge for x in inputs if isinstance(x, Variable)} == {CONSTANT}:
                for output in outputs:
                    output._edge = CONSTANT  # of the ones of a pass, such as their sum
            return
        self._edges = edges
        self.needs_grad = tuple([edge is not None for edge in edges])
        self.generation = max(x.generation for x in inputs if isinstance(x, Variable))
        if len(outputs) == 1:
            self._output_references = weakref.ref(outputs[0])
            self._edge_shape, self._edge_dtype = outputs[0].data.shape, outputs[0].data.dtype
        else:
            self._output_references = tuple([weakref.ref(output) for output in outputs])
            self._output_specs = tuple([(y.data.shape, y.data.dtype) for y in outputs])
            self._cuts = ()
        for output, edge in zip(outputs, self._ports(), strict=True):
            if output.data.dtype.kind in INEXACT:  # integers and booleans have no gradient
                output._edge, output.generation = edge, self.generation + 1
        self._save(inputs, xs)
        if self._saves_outputs:
            self._output_arrays = tuple([output.data for output in outputs])

    def _save(self, inputs: tuple[Any, ...], xs: tuple[Any, ...]) -> None:
        """Keep those inputs, and their arrays `xs`, that `saves` names."""
        if not self._saves_inputs:
            constants = [i for i, edge in enumerate(self._edges) if edge is None]
            if constants:
                self._constants = {i: Spec(np.shape(xs[i]), Saved(xs[i]).dtype) for i in constants}
        elif self._saves_others and self.needs_grad.count(True) == 1:
            self._saved_inputs = tuple(
                Saved(x) if edge is None else unsaved(edge, type(self))
                for x, edge in zip(xs, self._edges, strict=True)
            )
            self._input_arrays = None
        else:
            given = zip(inputs, xs, strict=True)
            kept = [x if isinstance(x, Variable) else Saved(a) for x, a in given]
            self._saved_inputs = tuple(kept)
            self._input_arrays = xs

    def of(self, *xs: Array) -> Any:
        """Apply to Variables, or to arrays and get arrays: in ``backward`` one line meets both.

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

    _constants_given = constants_given

    def _node_after_warning(self) -> Any:
        warn_of_approximation(type(self), self.approximate)
        return self._node_with_saved_arrays() if self._saves_inputs else self

    def _own_attributes(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _OWN_NAMES}

    def _unapplied(self) -> Function:
        """Return a fresh instance with the attributes that the author's code has set."""
        fresh = object.__new__(type(self))
        vars(fresh).update(self._own_attributes())
        fresh._given = self._given
        return fresh

    def _array_type(self, xs: Any) -> ArrayType:
        """Return the type of the operands; refuse two, or one that the Function does not take."""
        if not ARRAY_TYPES or OF_NUMPY.issuperset(map(type, xs)) or self.converts:
            return NUMPY
        kinds = {kind.name: (kind, x) for x in xs if (kind := kind_of(x)) is not NUMPY}
        # Arrays that users do not make, as in `holds`, may be within others.
        found = {name: each for name, each in kinds.items() if each[0].resolve is None} or kinds
        if not found:
            return NUMPY
        (kind, x), *others = found.values()
        problem = ""
        if others:
            problem = f"got arrays of the types {' and '.join(found)}. Convert one to the other"
        elif self.arrays != "any" and kind.resolve is None and kind.others is None:
            reason = str(self.arrays).removeprefix("numpy: ")
            problem = f"takes ndarrays alone, and got {kind.an_array}: {reason}. Of a Variable, "
            problem += "x.to_numpy() is an ndarray"
        if problem:
            raise VariableTypeError(
                f"{described(self, 'forward')} {problem}.", got=type(x), arrays=self.arrays
            )
        return kind

    def _output_array(self, y: Any, xs: tuple[Any, ...], kind: ArrayType) -> Any:
        array = as_array(y)
        if is_array(array) and (kind is NUMPY or kind_of(array) is kind):
            return np.asarray(array) if kind_of(array) is NUMPY else array
        got = f"an array of dtype {array.dtype}" if type(array) is np.ndarray else str(type(y))
        wanted = f"{kind.an_array}{'' if kind is NUMPY else ', as its operands are,'}"
        error = VariableTypeError(
            f"{described(self, 'forward')} must return {wanted} of numbers, or a tuple of "
            f"them, got {got}.",
            got=type(y),
        )
        explain(error, self, "forward", xs)
        raise error

    def __getstate__(self) -> Any:
        edges = getattr(self, "_edges", None)
        if edges is None:
            return self._own_attributes()
        if all(edge is None or type(edge) is Spec for edge in edges):  # a bare copy
            slots = (name for name in Node.__slots__ if not name.startswith("__"))
            return vars(self), {name: getattr(self, name) for name in slots if hasattr(self, name)}
        raise GraphCopyError(
            f"this {type(self).__name__} cannot be copied or pickled: it is part of a graph. "
            "Copy it before it is applied, or make a new one.",
            function=type(self),
        )


def _operand(x: Any) -> Any:
    """Return the operand of ``forward`` for a constant, or for a Variable of unusual data."""
    x = x.check_data() if isinstance(x, Variable) else constant(x)
    resolve = kind_of(x).resolve
    return x if resolve is None else resolve(x)


_names = {*vars(Node), *vars(Function), "_node_for_backward"}
_OWN_NAMES = frozenset(name for name in _names if not name.startswith("__"))
