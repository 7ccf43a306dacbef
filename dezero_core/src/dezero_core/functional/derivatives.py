"""Gradients, Jacobians, Hessians, and their products with vectors, as functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeGuard

import numpy as np

from .. import engine
from ..config import backprop, inside, using_config
from ..errors import VariableTypeError
from ..function import Function
from ..variable import INEXACT, Array, Variable
from .trees import Tree, leaves_of, like, mapped, matched


class _Argument(Function):
    """The same value at a place of its own in the graph: what a function is differentiated by.

    The Variable itself would not do: in a nested call the function may reach it by other ways,
    too; and a function may return it as it is.
    """

    saves = ()

    def forward(self, x: Array) -> Array:
        return x

    def backward(self, gy: Array) -> Array:
        return gy


class _Traced:
    """A function called once with Variables in place of some of its arguments.

    Attributes
    ----------
    inputs : list of Variable
        The leaves of these arguments.
    outputs : list
        The leaves of what it returned.
    nested : bool
        Whether what becomes of them is to be differentiated again: inside another function
        that is differentiated, or because an argument is a Variable.
    """

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: Any, argnums: Any) -> None:
        chosen = [args[index] for index in argnums]
        self.form: Tree = chosen
        self.nested = _is_differentiated((args, kwargs))
        with self.recording():
            self.inputs = [_input(function, leaf) for leaf in leaves_of(chosen)]
            filled = list(args)
            for index, tree in zip(argnums, like(chosen, self.inputs), strict=True):
                filled[index] = tree
            token = inside.set(True)
            try:
                self.result = function(*filled, **kwargs)
            finally:
                inside.reset(token)
        self.outputs = leaves_of(self.result)

    def recording(self) -> AbstractContextManager[Any]:
        """Derivatives are computed also where the caller has switched recording off."""
        return using_config("enable_backprop", True)

    def pulled_back(self, gradients: Sequence[Any], create_graph: bool = False) -> list[Any]:
        """Return the gradients by the inputs, for those at the outputs; None for no gradient."""
        zeros = [np.zeros_like(x.data) for x in self.inputs]
        return _gradients(self.outputs, self.inputs, gradients, zeros, create_graph or self.nested)

    def left(self, tree: Tree) -> Tree:
        """Return what the caller gets: plain arrays, unless it differentiates them itself."""
        return _left(tree, self.nested)


def _is_differentiated(trees: Tree) -> bool:
    """Return whether the caller differentiates what is computed of `trees`."""
    if backprop.get() is not True:  # under no_grad()
        return False
    return inside.get() or any(isinstance(leaf, Variable) for leaf in leaves_of(trees))


def _left(tree: Tree, nested: bool) -> Tree:
    return tree if nested else mapped(lambda leaf: np.asarray(_plain(leaf)), tree)


def _gradients(
    outputs: Sequence[Any],
    inputs: Sequence[Variable],
    given: Sequence[Any],
    zeros: list[Any],
    create_graph: bool,
) -> list[Any]:
    """Return the gradients of those `outputs` that have a graph; `zeros` if there are none."""
    reached = [
        (y, gy)
        for y, gy in zip(outputs, given, strict=True)
        if isinstance(y, Variable) and y.creator is not None and gy is not None
    ]
    if not reached:
        return zeros
    ys, gys = zip(*reached, strict=True)
    found: list[Any] = engine.grad(ys, list(inputs), create_graph, grad_outputs=gys)
    return found


def _input(function: Any, leaf: Any) -> Variable:
    if isinstance(leaf, Variable):
        variable = leaf
    else:
        array = leaf if isinstance(leaf, np.ndarray) else np.asarray(leaf)
        # A copy: the caller may change the array before it asks for a gradient.
        variable = Variable(Variable(array).data.copy())
    if variable.dtype.kind not in INEXACT:
        raise VariableTypeError(
            f"{_name(function)} is differentiated by an argument of {variable.dtype} data, which "
            "is constant. Write a floating-point number, 3.0 for 3, or choose others by argnums.",
            got=variable.dtype,
        )
    return _Argument()(variable)


def _plain(leaf: Any) -> Any:
    return leaf.data if isinstance(leaf, Variable) else leaf


def _name(function: Any) -> str:
    return getattr(function, "__name__", repr(function))


def _chosen(argnums: int | Sequence[int], args: tuple[Any, ...], function: Any) -> tuple[int, ...]:
    """Return the indices of the arguments to differentiate by.

    Raises
    ------
    TypeError
        If there is no such argument.
    """
    wanted = [argnums] if _is_one(argnums) else [int(index) for index in np.atleast_1d(argnums)]
    for index in wanted:
        if not -len(args) <= index < len(args):
            raise TypeError(
                f"{_name(function)} is differentiated by its argument {index}, and was given "
                f"{len(args)} by position."
            )
    found = tuple(index % len(args) for index in wanted)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums={argnums} names an argument of {_name(function)} twice.")
    return found


def _is_one(argnums: Any) -> TypeGuard[int]:
    return isinstance(argnums, (int, np.integer))


def _unpacked(argnums: int | Sequence[int], trees: Sequence[Tree]) -> Any:
    return trees[0] if _is_one(argnums) else tuple(trees)


def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that gives the value of `f` and its gradient.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists and dicts of arrays and numbers.

    Returns
    -------
    callable
        Takes what `f` takes. Returns the value, an ndarray, and the gradient in the form of
        the argument; for a sequence of `argnums`, a tuple of gradients.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.

    Examples
    --------
    >>> value_and_grad(lambda x: x)(3.0)
    (array(3.), array(1.))
    """

    @functools.wraps(f)
    def value_and_gradient(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        traced = _Traced(f, args, kwargs, _chosen(argnums, args, f))
        y = traced.result
        data = _plain(y)
        if not isinstance(data, (np.ndarray, np.generic, float, int)) or np.shape(data) != ():
            got = f"an array of shape {data.shape}" if isinstance(data, np.ndarray) else type(data)
            raise VariableTypeError(
                f"{_name(f)} must return one number to have a gradient, got {got}. Sum it up, or "
                "take its jacobian.",
                got=type(data),
            )
        if np.iscomplexobj(data):
            raise VariableTypeError(
                f"{_name(f)} must return a real number to have a gradient, got a complex one. Make "
                "one of it, by np.real or np.abs.",
                got=np.result_type(data),
            )
        gradients = traced.pulled_back([np.ones_like(data)])
        trees = like(traced.form, gradients)
        return traced.left(y), _unpacked(argnums, traced.left(trees))

    return value_and_gradient


def grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return the function that gives the gradient of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists and dicts of arrays and numbers.

    Returns
    -------
    callable
        Takes what `f` takes, and returns the gradient in the form of the argument; for a
        sequence of `argnums`, a tuple of gradients. By a complex argument, the derivative by
        the real part plus ``1j`` times that by the imaginary part.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.

    Examples
    --------
    >>> grad(lambda x, y: y, argnums=(0, 1))(3.0, 2.0)
    (array(0.), array(1.))
    """

    @functools.wraps(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        return value_and_grad(f, argnums)(*args, **kwargs)[1]

    return gradient


def vjp(f: Callable[..., Any], *xs: Tree) -> tuple[Tree, Callable[..., tuple[Tree, ...]]]:
    """Return ``f(*xs)``, and the function that multiplies vectors with its Jacobian from the left.

    Parameters
    ----------
    f : callable
        Returns an array, or nested tuples, lists and dicts of arrays.
    *xs : nested tuples, lists and dicts of arrays and numbers

    Returns
    -------
    value
    pull_back : callable
        Takes a vector in the form of the value, and returns a tuple of gradients in the forms
        of `xs`. It may be called many times.

    Raises
    ------
    VariableTypeError (TypeError)
        If an argument is of integers.

    Examples
    --------
    >>> y, pull_back = vjp(lambda x: x, np.array([1.0, 2.0]))
    >>> pull_back(np.array([3.0, 4.0]))
    (array([3., 4.]),)
    """
    traced = _Traced(f, xs, {}, range(len(xs)))

    def pull_back(vector: Tree) -> tuple[Tree, ...]:
        nested = traced.nested or _is_differentiated(vector)
        gradients = traced.pulled_back(_vector(vector, traced.result, f), nested)
        return tuple(_left(like(traced.form, gradients), nested))

    return traced.left(traced.result), pull_back


def jvp(f: Callable[..., Any], *xs: Tree) -> tuple[Tree, Callable[..., Tree]]:
    """Return ``f(*xs)``, and the function that multiplies its Jacobian with vectors.

    Parameters
    ----------
    f : callable
        Returns an array, or nested tuples, lists and dicts of arrays.
    *xs : nested tuples, lists and dicts of arrays and numbers

    Returns
    -------
    value
    push_forward : callable
        Takes a vector for each of `xs`, in its form, and returns the derivative of the value
        along them. It may be called many times.

    Raises
    ------
    VariableTypeError (TypeError)
        If an argument is of integers.

    Notes
    -----
    The product with the transposed Jacobian is linear in its vector; its own derivative by
    that vector is the Jacobian. Source: Townsend 2017, "A new trick for calculating Jacobian
    vector products".

    Examples
    --------
    >>> y, push_forward = jvp(lambda x: x, np.array([1.0, 2.0]))
    >>> push_forward(np.array([3.0, 4.0]))
    array([3., 4.])
    """
    traced = _Traced(f, xs, {}, range(len(xs)))
    zeros = [np.zeros(np.shape(y), np.result_type(_plain(y), 0.0)) for y in traced.outputs]
    vectors = [Variable(np.ones_like(zero)) for zero in zeros]
    with traced.recording():
        duals = [_Argument()(vector) for vector in vectors]
        gradients = traced.pulled_back(duals, create_graph=True)

    def push_forward(*along: Tree) -> Tree:
        nested = traced.nested or _is_differentiated(along)
        steps = _vector(along, traced.form, f)
        found = _gradients(gradients, vectors, steps, zeros, nested)
        return _left(like(traced.result, found), nested)

    return traced.left(traced.result), push_forward


def _vector(vector: Tree, form: Tree, function: Any) -> list[Any]:
    """Return the leaves of a vector in the order and the dtypes of those of `form`.

    Raises
    ------
    ValueError
        If it has not that form, or not its shapes.
    """
    parts, leaves = matched(form, vector), leaves_of(form)
    for part, leaf in zip(parts, leaves, strict=True):
        if np.iscomplexobj(_plain(part)) and not np.iscomplexobj(_plain(leaf)):
            raise ValueError(f"a vector for {_name(function)} is complex where that is real.")
    shapes, expected = [np.shape(part) for part in parts], [np.shape(leaf) for leaf in leaves]
    if shapes != expected:
        raise ValueError(
            f"a vector for {_name(function)} needs arrays of shapes {expected}, got {shapes}."
        )
    return [
        part if isinstance(part, Variable) else np.asarray(part, np.result_type(_plain(leaf)))
        for part, leaf in zip(parts, leaves, strict=True)
    ]


def jacobian(
    f: Callable[..., Any], argnums: int | Sequence[int] = 0, holomorphic: bool = False
) -> Callable[..., Any]:
    """Return the function that gives the Jacobian of `f`.

    Parameters
    ----------
    f : callable
        Returns an array, or nested tuples, lists and dicts of arrays.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists and dicts of arrays and numbers.
    holomorphic : bool
        Say True to differentiate an analytic function of complex arguments.

    Returns
    -------
    callable
        Takes what `f` takes. For an array of shape ``m`` by an argument of shape ``n`` it
        returns an array of shape ``m + n``; otherwise, in the form of the value, trees in the
        form of the argument.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if an argument is of integers, or complex and not `holomorphic`.

    Examples
    --------
    >>> jacobian(lambda x: x)(np.array([1.0, 2.0]))
    array([[1., 0.],
           [0., 1.]])
    """

    @functools.wraps(f)
    def jacobian_of(*args: Any, **kwargs: Any) -> Any:
        traced = _Traced(f, args, kwargs, _chosen(argnums, args, f))
        if any(x.dtype.kind == "c" for x in traced.inputs):
            real = not all(np.iscomplexobj(_plain(y)) for y in traced.outputs)
            if real or not holomorphic:
                raise VariableTypeError(
                    f"{_name(f)} has a complex argument: it has a Jacobian only if it is analytic, "
                    "with complex values. Say holomorphic=True if it is.",
                    got="real" if real else "complex",
                )
        by_output = [
            _unpacked(argnums, like(traced.form, _rows(traced, index)))
            for index in range(len(traced.outputs))
        ]
        return traced.left(like(traced.result, by_output))

    return jacobian_of


def _rows(traced: _Traced, which: int) -> list[Any]:
    """Return the Jacobians of one output by each input."""
    y = _plain(traced.outputs[which])
    shape = np.shape(y)
    rows: list[list[Any]] = [[] for _ in traced.inputs]
    for index in np.ndindex(shape):
        parts = []
        for unit in (1.0, 1j) if np.iscomplexobj(y) else (1.0,):
            # None for the other outputs: zeros would cost as much, and meet their inf and nan.
            vectors: list[Any] = [None] * len(traced.outputs)
            vectors[which] = np.zeros_like(y)
            vectors[which][index] = unit
            parts.append(traced.pulled_back(vectors))
        # A gradient is that of Re(conj(gy) y): with 1 of the real part of y, with 1j of the
        # imaginary one. By a complex input, of an analytic function, the first says it all.
        for row, x, gradients in zip(rows, traced.inputs, zip(*parts, strict=True), strict=True):
            if x.dtype.kind == "c":
                row.append(gradients[0].conjugate())
            else:
                row.append(gradients[0] if len(parts) == 1 else gradients[0] + 1j * gradients[1])
    return [
        np.reshape(np.stack(row), shape + x.shape) if row else np.zeros(shape + x.shape, x.dtype)
        for row, x in zip(rows, traced.inputs, strict=True)
    ]


def hessian(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return the function that gives the Hessian of `f`.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists and dicts of arrays and numbers.

    Returns
    -------
    callable
        Takes what `f` takes. By an argument of shape ``n`` it returns an array of shape
        ``n + n``; by a tree, in its form, trees of its form.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.

    Examples
    --------
    >>> hessian(lambda x: x)(3.0)
    array(0.)
    """
    gradients = jacobian(grad(f, argnums), argnums)

    @functools.wraps(f)
    def hessian_of(*args: Any, **kwargs: Any) -> Any:
        for leaf in leaves_of([args[index] for index in _chosen(argnums, args, f)]):
            if np.iscomplexobj(_plain(leaf)):
                raise VariableTypeError(
                    f"{_name(f)} has a complex argument, and a Hessian is by real ones. Write it "
                    "as a function of real and imaginary parts.",
                    got="complex",
                )
        return gradients(*args, **kwargs)

    return hessian_of


def hvp(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian of `f` with a vector.

    Parameters
    ----------
    f : callable
        Returns one real number.
    argnums : int or sequence of int
        The arguments to differentiate by: nested tuples, lists and dicts of arrays and numbers.

    Returns
    -------
    callable
        Takes what `f` takes and, last, the vector in the form of the argument; returns the
        product in the same form, at about the cost of two gradients.

    Raises
    ------
    VariableTypeError (TypeError)
        When called, if `f` does not return one real number, or an argument is of integers.
    ValueError
        If the vector has not the shapes of the argument.

    Notes
    -----
    Source: Pearlmutter 1994.

    Examples
    --------
    >>> hvp(lambda x: x)(3.0, 1.0)
    array(0.)
    """

    @functools.wraps(f)
    def product(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise TypeError(f"the product with the Hessian of {_name(f)} needs a vector, last.")
        *xs, vector = args
        indices = _chosen(argnums, tuple(xs), f)

        @functools.wraps(f)
        def gradient(*chosen: Tree) -> Any:
            filled = list(xs)
            for index, tree in zip(indices, chosen, strict=True):
                filled[index] = tree
            return grad(f, indices)(*filled, **kwargs)

        _, pull_back = vjp(gradient, *(xs[index] for index in indices))
        vectors = (vector,) if _is_one(argnums) else tuple(vector)
        return _unpacked(argnums, pull_back(vectors))

    return product
