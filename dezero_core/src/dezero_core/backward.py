"""Where a backward pass starts and ends: ``y.backward()`` and `grad`, all or nothing.

The pass itself is in `engine`. Before it, an error says why there is nothing to go back through;
after it, gradients are conjugated, made private and committed.

For complex data there are two conventions, and here they meet. A Function's ``backward`` is given
and returns the ``g`` of ``dL = Re(sum(g dz))``, for a real loss ``L``: so a method that is right
for real numbers, ``gy * np.cos(x)``, is right for every analytic function. The user gets its
conjugate as ``.grad``, the derivative by the real part plus ``1j`` times that by the imaginary
part: ``z - step * z.grad`` descends. A real input gets the real part.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from itertools import repeat
from typing import Any, Literal, overload

import numpy as np

from .arrays import INEXACT, NUMBERS, NUMPY, Array, call_by_type, is_masked, kind_of, shape_of
from .config import mode
from .engine import propagate
from .errors import GradientError, VariableTypeError
from .gradients import constant_gradient, data_of, private, value_of
from .graph import COMMIT, FREED, Node, index_of
from .notes import DIFFERENTIATED, as_list, freed, no_graph, warn_of_independence
from .variable import Variable, label

NDArray = np.ndarray[Any, Any]
Several = Sequence[Variable]
Roots = Variable | Several

_FLOATS = "Variable(x.data.astype(float))"


def backward(
    self: Variable,
    retain_grad: bool = False,
    create_graph: bool = False,
    free_graph: bool = False,
) -> None:
    """Compute the gradient of this Variable and add it to ``.grad`` of every input.

    It starts from its ``.grad`` where that is set, otherwise from ones. After the pass that is
    None, unless `retain_grad` is set. If anything raises, every ``.grad`` is as it was before.

    Parameters
    ----------
    retain_grad : bool
        Also keep ``.grad`` of the Variables in between.
    create_graph : bool
        Record the backward pass as well, so that gradients are Variables which can
        be differentiated again, to any order. Inside a function that ``functional.grad`` and
        the like differentiate, it is always recorded.
    free_graph : bool
        Let each part of the graph go as soon as it has been used, and with it the arrays
        that it saves: for the peak memory of training loops. That part of the graph is gone even
        if something raises later. Inside a function that ``functional.grad`` and the like
        differentiate, the graph stays: it is needed again.

    Raises
    ------
    GraphError (RuntimeError)
        If there is no graph: an input, integer data, made under ``no_grad()``, or freed.
    GradientError (ValueError)
        If a Function's ``backward`` returns something that is no gradient.
    ValueError
        If `create_graph` and `free_graph` are both set: a second derivative needs the graph.
    """
    if create_graph and free_graph:
        raise ValueError(
            "backward() cannot free the graph that create_graph=True differentiates again: leave "
            "out free_graph=True here, and give it to the last backward()."
        )
    require_graph(self)
    copy_context().run(_add_gradients, self, retain_grad, create_graph, free_graph)


def _begin(create_graph: bool) -> bool:
    """Set the Mode of a backward pass, and return whether its gradients are recorded.

    A pass runs in a context of its own, which is dropped with its Mode at the end, even if an
    interrupt comes at its last instruction.
    """
    now = mode.get()
    create_graph = create_graph or (now.differentiated and now.records)
    mode.set(now.in_pass(create_graph))
    return create_graph


def _add_gradients(root: Variable, retain_grad: bool, create_graph: bool, free_graph: bool) -> None:
    create_graph = _begin(create_graph)
    free_graph = free_graph and not create_graph
    first = first_gradient(root, root.grad, create_graph)
    keep: Any = True if retain_grad else ()
    reached, passed = propagate([(root._edge, first)], create_graph, keep, free_graph)
    _move_to_outputs(passed, reached)
    reached.pop(root, None)
    _conjugate(reached)
    with COMMIT[0]:
        # Every sum first: one that fails must leave every .grad as it was.
        own = private(reached, [root.grad])
        variables, gradients = [root], [conjugated(first) if retain_grad else None]
        for x, gradient in own.items():
            variables.append(x)
            gradients.append(_added_to(x, gradient, create_graph))
        # In one call of C: an interrupt comes before the first one is written, or after the last.
        list(map(setattr, variables, repeat("grad"), gradients))


def _move_to_outputs(passed: dict[Node, Sequence[Any]], reached: dict[Variable, Array]) -> None:
    """Turn gradients kept by Function into gradients of its outputs that are alive."""
    while passed:
        function, gys = passed.popitem()
        for index, gy in enumerate(gys):
            output = function._output_at(index)
            if output is not None and output.creator is function:  # not an unchained one
                reached[output] = gy


# Where the call does not say True or False for `create_graph`, the result may be of both kinds.
@overload
def grad(
    outputs: Roots, inputs: Variable, create_graph: Literal[False] = ..., grad_outputs: Any = ...
) -> NDArray: ...
@overload
def grad(
    outputs: Roots, inputs: Variable, create_graph: Literal[True], grad_outputs: Any = ...
) -> Variable: ...
@overload
def grad(
    outputs: Roots, inputs: Variable, create_graph: bool, grad_outputs: Any = ...
) -> NDArray | Variable: ...
@overload
def grad(
    outputs: Roots, inputs: Several, create_graph: Literal[False] = ..., grad_outputs: Any = ...
) -> list[NDArray]: ...
@overload
def grad(
    outputs: Roots, inputs: Several, create_graph: Literal[True], grad_outputs: Any = ...
) -> list[Variable]: ...
@overload
def grad(
    outputs: Roots, inputs: Several, create_graph: bool, grad_outputs: Any = ...
) -> list[NDArray] | list[Variable]: ...
def grad(
    outputs: Roots, inputs: Variable | Several, create_graph: bool = False, grad_outputs: Any = None
) -> Any:
    """Return the gradients of the sum of `outputs`, and touch no ``.grad``.

    Parameters
    ----------
    outputs : Variable, or list or tuple of Variable
        Each of any shape; the gradient of each starts from ones.
    inputs : Variable, or list or tuple of Variable
        Of the graph, or in the middle of it.
    create_graph : bool
        Return Variables that can be differentiated again: always inside of ``functional.grad``.
    grad_outputs : ndarray, Variable or None, or list or tuple of them
        The gradient to start from at each output, in place of ones.

    Returns
    -------
    ndarray or Variable, or a list of them if `inputs` is one or a tuple
        In the shape and dtype of each input; zeros for one that `outputs` do not depend on, with
        a warning, unless a gradient by it was computed with `create_graph` before.

    Raises
    ------
    GraphError (RuntimeError)
        If an output has no graph, or is complex and no gradient is given for it.
    GradientError (ValueError)
        If `grad_outputs` are not one for each output, in its shape.
    VariableTypeError (TypeError)
        If an input is a constant: no Variable, or of integer or boolean data.

    Examples
    --------
    >>> class Double(Function):
    ...     def forward(self, x):
    ...         return x + x
    ...     def backward(self, gy):
    ...         return gy + gy
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> grad(Double()(x), x)
    array([2., 2.])
    """
    roots, wanted, given = (as_list(each) for each in (outputs, inputs, grad_outputs))
    if grad_outputs is None:
        given *= len(roots)
    require_arguments(roots, wanted, given)
    found, reached, create_graph = pulled_back(roots, wanted, given, create_graph)
    gradients: list[Any] = []
    for index, x in enumerate(wanted):
        if x not in found:
            zeros = kind_of(x.data).zeros(x.shape, x.dtype, x.data)
            found[x] = constant_gradient(zeros, create_graph)
            if id(x) not in DIFFERENTIATED and not isinstance(x.grad, Variable):
                warn_of_independence("the result", f"input {index} of grad(), {label(x)}")
        # One that is wanted twice gets another array the second time.
        again = any(found[x] is gradient for gradient in gradients)
        gradients.append(private({x: found[x]})[x] if again else found[x])
    if create_graph and mode.get().setting("warn_of_independence"):
        DIFFERENTIATED.update((id(x), x) for x in (*wanted, *reached))
    return gradients if isinstance(inputs, (list, tuple)) else gradients[0]


def pulled_back(
    roots: Several, wanted: Several, given: Sequence[Any], create_graph: bool
) -> tuple[dict[Variable, Array], dict[Variable, Array], bool]:
    """Return the gradients by those of `wanted` that one arrives at, as the user gets them.

    Nothing is checked. Also returned: the other inputs that gradients arrived at, and whether
    gradients were recorded.
    """
    return copy_context().run(_pulled_back, roots, wanted, given, create_graph)


def _pulled_back(roots: Any, wanted: Any, given: Any, create_graph: bool) -> Any:
    create_graph = _begin(create_graph)
    start: list[Any] = []
    keep: set[Any] = set()
    for root, gradient in zip(roots, given, strict=True):
        start.append((root._edge, first_gradient(root, gradient, create_graph)))
    for x in wanted:
        if x.generation:
            keep.add(x.creator)
    reached, passed = propagate(start, create_graph, keep)
    found: dict[Variable, Array] = {}
    for x in wanted:
        if x in reached:
            found[x] = reached.pop(x)
        elif passed and x.creator in passed:
            found[x] = passed[x.creator][index_of(x._edge)]
    passed.clear()  # `private` copies an array that is still somewhere else
    _conjugate(found)
    return private(found, given), reached, create_graph


def _conjugate(gradients: dict[Variable, Array]) -> None:
    """Turn the gradients of the pass into those that the user gets."""
    for x, gradient in gradients.items():
        if gradient.dtype.kind == "c":
            gradients[x] = conjugated(gradient)


def conjugated(gradient: Array) -> Array:
    """Return `gradient` in the other of the two conventions; see the top of the module."""
    if gradient.dtype.kind != "c":
        return gradient
    if kind_of(gradient) is not NUMPY:  # such an array may have no method conjugate()
        return call_by_type(np.conjugate, (gradient,), {})
    return value_of(gradient.conjugate())


def _added_to(x: Variable, gradient: Array, create_graph: bool) -> Array:
    """Return the new ``x.grad``: `gradient`, or the sum of both in a new array."""
    old = x.grad
    if old is None:
        return gradient
    if shape_of(old) != gradient.shape:
        raise GradientError(
            f".grad of {label(x)} has shape {shape_of(old)}, and a gradient of shape "
            f"{gradient.shape} is to be added. Call cleargrad() after replacing its data."
        )
    return gradient + old if create_graph else value_of(data_of(old) + gradient)


def require_graph(root: Variable) -> None:
    """Raise a GraphError that says why, if there is nothing to go back through."""
    creator = root.creator
    edges = getattr(creator, "_edges", None)
    if type(edges) is tuple:
        return
    where, data = getattr(root._edge, "where", None), root.data
    reason = (
        "it has no creator: it is an input, or was computed from constants only (integers and "
        f"booleans are constants; {_FLOATS} is not)"
    )
    if edges is FREED:
        reason = freed(creator)
    elif creator is not None:
        reason = f"its creator, a {type(creator).__name__}, was never applied"
    elif data is None:
        reason = "it holds no data"
    elif where:
        reason = f"it was computed under no_grad(), switched on at {where}"
    elif data.dtype.kind not in INEXACT:
        reason = (
            f"it is of {data.dtype} data, which is constant. Convert the inputs, {_FLOATS}, and "
            "compute it again"
        )
    raise no_graph(f"from {label(root)}", root, reason)


def require_arguments(roots: list[Any], wanted: list[Any], given: list[Any]) -> None:
    """Raise for outputs, inputs and ``grad_outputs`` that `grad` cannot take."""
    for index, root in enumerate(roots):
        if not isinstance(root, Variable):
            advice = "If it is itself a gradient, compute that one with create_graph=True."
            if callable(root):
                advice = "A function is differentiated by dezero_tools.functional.grad(f)."
            raise VariableTypeError(
                f"output {index} of grad() must be a Variable, got {type(root)}. {advice}",
                got=type(root),
            )
        require_graph(root)
    for index, x in enumerate(wanted):
        if not isinstance(x, Variable) or x.data is None:
            got: Any = repr(x) if isinstance(x, Variable) else type(x)
            problem = f"must be a Variable that holds data, got {got}"
        elif x.data.dtype.kind not in INEXACT:
            got, problem = x.dtype, f"is a constant, of {x.dtype} data: it has no gradient. "
            problem += f"Convert the data, {_FLOATS}, and compute again"
        else:
            continue
        raise VariableTypeError(f"input {index} of grad() {problem}.", got=got)
    if len(given) != len(roots):
        raise GradientError(f"grad() was given {len(given)} grad_outputs for {len(roots)} outputs.")


def first_gradient(root: Variable, given: Any, create_graph: bool) -> Array:
    """Return the gradient to start from: the one that the user has given, else ones."""
    if given is None:
        return constant_gradient(_ones(root), True) if create_graph else _ones(root)
    kind, wanted = kind_of(array := data_of(given)), kind_of(root.data)
    if wanted.from_numpy is not None and kind is NUMPY:
        array, kind = wanted.from_numpy(np.asarray(array)), wanted
    problem = ""
    if shape_of(given) != root.shape:
        problem = (
            f"has shape {shape_of(given)}; backward() starts from its .grad where that is set, and "
            f"it must have shape {root.shape}. Call cleargrad() to start from ones"
        )
    elif kind is not wanted and kind.others is None:
        problem = f"is {kind.an_array}, and that holds {wanted.an_array}. Give one of the same type"
    elif is_masked(given):
        problem = "has a mask, and must be an ndarray of numbers: .filled(0.0) makes it one"
    elif array.dtype.kind not in NUMBERS:
        problem = f"is an array of {array.dtype}, and must be an ndarray of numbers"
    elif array.dtype.kind == "c" and root.data.dtype.kind != "c":
        problem = "is complex, and that is real"
    if problem:
        message = f"the gradient given for {label(root)} {problem}."
        raise GradientError(message, function=type(root.creator))
    first = given if create_graph and isinstance(given, Variable) else array
    first = first if first.dtype == root.dtype else first.astype(root.dtype)
    is_plain = create_graph and not isinstance(first, Variable)
    return conjugated(Variable(first) if is_plain else first)


def _ones(root: Variable) -> Array:
    data = root.data
    if data.dtype.kind == "c":
        reason = (
            "it is complex, and only a real number can be differentiated. Make one of it, by "
            "np.real or np.abs, or set its .grad before backward()"
        )
        raise no_graph(f"from {label(root)}", root, reason)
    if type(data) is np.ndarray and not data.ndim:
        return np.array(1.0, data.dtype)  # the usual loss; four times as fast as np.ones_like
    return call_by_type(np.ones_like, (data,), {})


# Bound here, since `variable` cannot import this module, which imports it.
Variable.backward = backward  # type: ignore[method-assign]
