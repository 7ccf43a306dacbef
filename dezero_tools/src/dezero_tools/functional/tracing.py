"""A call of a function with Variables in place of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from inspect import signature
from typing import Any, TypeGuard

import numpy as np

from dezero_core import Variable, VariableTypeError, as_array, grad, using_config
from dezero_core.extend import (
    INEXACT,
    Block,
    Mode,
    add_notes,
    any_array,
    attempt,
    brief,
    constant_gradient,
    copied,
    kind_of,
    mode,
    possible,
    warn_of_independence,
)

from .closures import Argument, depends_on_others, nodes_behind
from .trees import Tree, has_leaf, leaves_of, like, paths_of, tree_map


class Traced:
    """The call of a function with Variables in place of some of its arguments."""

    def __init__(
        self, function: Any, args: tuple[Any, ...], kwargs: Any, argnums: Any, has_aux: bool = False
    ) -> None:
        self.form: Tree = [args[index] for index in argnums]
        self._function, self._argnums = function, argnums
        #: Whether the results may be differentiated again: because the call is made inside another
        #: function that is differentiated, because an argument is a Variable, or because the
        #: function has computed with a Variable that somebody else holds, such as its closure.
        self.nested = stays_in_a_graph((args, kwargs))
        outer = mode.get().differentiated
        if outer:
            outer.takes_derivatives = True
        self._run = differentiated()
        with using_config("enable_backprop", True):  # derivatives need the graph under no_grad()
            leaves = leaves_of(self.form)
            #: The leaves of these arguments.
            self.inputs = [self._input(number, leaf) for number, leaf in enumerate(leaves)]
            filled = list(args)
            for index, tree in zip(argnums, like(self.form, self.inputs), strict=True):
                filled[index] = tree
            try:
                with self._run:
                    result = function(*filled, **kwargs)
            except Exception as error:
                add_notes(error)
                raise
            finally:
                for x, leaf in zip(self.inputs, leaves, strict=True):
                    x.creator.ended = not isinstance(leaf, Variable)
        #: The leaves of the result.
        self.outputs = leaves_of(result)
        if not self.nested and mode.get().records:
            self.nested = depends_on_others(self.outputs)
        self._aux: Tree = None
        if has_aux:
            several = isinstance(result, (tuple, list))
            if not several or len(result) != 2:
                raise VariableTypeError(
                    f"{name_of(function)} must return a pair with has_aux: the number that has the "
                    "gradient, and the other results. Got "
                    f"{f'{len(result)} of them' if several else type(result)}.",
                    got=type(result),
                )
            result, self._aux = result
            self.outputs = leaves_of(result)
        #: Of the function; the first of the two with `has_aux`.
        self.result: Tree = result

    def pulled_back(self, gradients: Sequence[Any], create_graph: bool) -> list[Any]:
        """Return the gradients by the inputs, from those at the outputs; None is no gradient."""
        zeros = [kind_of(x.data).zeros(x.shape, x.dtype, x.data) for x in self.inputs]
        return gradients_of(self.outputs, self.inputs, gradients, zeros, create_graph)

    def warn_of_independence(self, gradients: Sequence[Any]) -> None:
        """Warn of inputs that the result does not depend on, given the gradients by the inputs."""
        # Gradients that are not zero need no search of the graph. Under an observer the graph is
        # always searched: an observer that records calls would read the values at each replay.
        seen = mode.get().observer is not None
        zero = [seen or not possible(data_of(gradient).any()) for gradient in gradients]
        if not any(zero) or self._run.takes_derivatives:  # those of linear functions are constant
            return
        nodes = set(nodes_behind([y for y in self.outputs if isinstance(y, Variable)]))
        inputs = zip(self._paths(), zero, self.inputs, strict=True)
        found = [path for path, is_zero, x in inputs if is_zero and x.creator not in nodes]
        if found:
            result = f"the result of {name_of(self._function)}"
            warn_of_independence(result, " and ".join(found))

    def _paths(self) -> list[str]:
        """Return how each input is written, such as ``"argument 0['w']"``."""
        trees = zip(self._argnums, self.form, strict=True)
        return [path for index, tree in trees for path in paths_of(tree, f"argument {index}")]

    def _input(self, number: int, leaf: Any) -> Variable:
        """Return the Variable that stands for the leaf of this number."""
        variable = leaf
        if not isinstance(leaf, Variable):
            array = leaf if isinstance(leaf, np.ndarray) else any_array(as_array(leaf))
            try:
                # A copy: the caller may change the array before it asks for a gradient.
                variable = Variable(copied(Variable(array).data))
            except VariableTypeError as error:
                what = f"{self._by(number)}, got {brief(leaf)}. {error}"
                raise VariableTypeError(what, got=type(leaf)) from None
        if variable.dtype.kind not in INEXACT:
            raise VariableTypeError(
                f"{self._by(number)}, which is of {variable.dtype} data, a constant. Pass a "
                "floating-point number, 3.0 for 3, or choose other arguments by argnums.",
                got=variable.dtype,
            )
        return Argument()(variable)

    def _by(self, number: int) -> str:
        return f"{name_of(self._function)} is differentiated by {self._paths()[number]}"

    def value(self) -> Tree:
        """Return the value of the function: arrays of the caller's own, or Variables."""
        return tree_map(self._own, self.result)

    def auxiliary(self) -> Tree:
        """Return the second result of the function: with arrays in place of Variables, or these."""
        return tree_map(lambda x: self._own(x) if isinstance(x, Variable) else x, self._aux)

    def _own(self, leaf: Any) -> Any:
        return leaf if self.nested and isinstance(leaf, Variable) else copied(data_of(leaf))

    def is_nested(self, vector: Tree) -> bool:
        """Return whether a product with `vector` is to be differentiated again."""
        return stays_in_a_graph(vector) or (self.nested and mode.get().records)


class differentiated(Block):
    """A function that is differentiated runs: calls are recorded, and gradients in it as well."""

    _variable = mode
    #: Whether the function has itself differentiated a function.
    takes_derivatives = False

    def _changed(self, value: Mode) -> Mode:
        return value.changed(records=True, where=None, differentiated=self)


def stays_in_a_graph(trees: Tree) -> bool:
    """Return whether the caller can differentiate results that are computed from `trees`."""
    now = mode.get()
    if not now.records:  # under no_grad()
        return False
    return bool(now.differentiated) or has_leaf(trees, Variable)


def for_caller(tree: Tree, nested: bool) -> Tree:
    """Return `tree` with plain arrays as leaves, or as it is if it is `nested`."""
    return tree if nested else tree_map(lambda leaf: any_array(data_of(leaf)), tree)


def gradients_of(
    outputs: Sequence[Any],
    inputs: Sequence[Variable],
    given: Sequence[Any],
    zeros: list[Any],
    create_graph: bool,
) -> list[Any]:
    """Return the gradients of the `outputs` that have a graph; `zeros` if none of them has one."""
    reached = [
        (y, gy)
        for y, gy in zip(outputs, given, strict=True)
        if isinstance(y, Variable) and y.creator is not None and gy is not None
    ]
    if not reached:
        return [constant_gradient(copied(zero), create_graph) for zero in zeros]
    ys, gys = zip(*reached, strict=True)
    found: list[Any] = copy_context().run(_grad, ys, list(inputs), create_graph, gys)
    return found


def _grad(*args: Any) -> Any:
    """Return the result of the core's ``grad``, which does not warn in this context."""
    now = mode.get()
    mode.set(now.changed(switched=now.switched | {"warn_of_independence"}))
    return grad(*args)


def data_of(leaf: Any) -> Any:
    """Return the data of a Variable, and anything else as it is."""
    return leaf.data if isinstance(leaf, Variable) else leaf


def name_of(function: Any) -> str:
    """Return the name of a function for messages."""
    return getattr(function, "__name__", repr(function))


def chosen(argnums: int | Sequence[int], args: tuple[Any, ...], function: Any) -> tuple[int, ...]:
    """Return the indices of the arguments to differentiate by, each of which is there once."""
    wanted = [argnums] if is_one(argnums) else list(np.atleast_1d(argnums))
    for index in wanted:
        if not is_one(index):
            rule = "argnums must be the position of an argument, or a sequence of these, got "
            rule += f"{argnums!r}."
            names = list(attempt(lambda: signature(function).parameters, ()))
            if index in names:
                rule += f" {str(index)!r} is argument {names.index(index)} of {name_of(function)}."
            raise TypeError(rule)
        if not -len(args) <= index < len(args):
            raise TypeError(
                f"{name_of(function)} is differentiated by its argument {index}, but was called "
                f"with {len(args)} arguments by position."
            )
    found = tuple(index % len(args) for index in wanted)
    if len(set(found)) < len(found):
        raise ValueError(f"argnums={argnums} names an argument of {name_of(function)} twice.")
    return found


def is_one(argnums: Any) -> TypeGuard[int]:
    """Return whether `argnums` is one index, and not a sequence of indices."""
    return isinstance(argnums, (int, np.integer))


def unpacked(argnums: int | Sequence[int], trees: Sequence[Tree]) -> Any:
    """Return the tree of the one argument that `argnums` names, or a tuple of trees."""
    return trees[0] if is_one(argnums) else tuple(trees)
