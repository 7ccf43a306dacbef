"""A call of a function with Variables in place of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from itertools import repeat
from operator import is_not
from typing import Any, TypeGuard

import numpy as np

from dezero_core import Variable, VariableTypeError, as_array
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
    data_of,
    kind_of,
    mode,
    pulled_back,
    warn_of_independence,
)

from ..wrapped import CALLERS
from .closures import (
    Argument,
    PrivateArgument,
    depends_on_others,
    nodes_behind,
    with_old_values,
)
from .tangents import pushed_forward
from .trees import Tree, has_variable, leaves_of, like, paths_of, tree_map

CALLERS[__name__] = {"__init__"}


class Traced:
    """The call of a function with Variables in place of some of its arguments."""

    def __init__(
        self,
        function: Any,
        args: tuple[Any, ...],
        kwargs: Any,
        argnums: Any,
        has_aux: bool = False,
        for_products: bool = False,
    ) -> None:
        now = mode.get()
        self.function = function
        self._indices, self._is_one = chosen(argnums, args, function), is_one(argnums)
        #: The arguments that it is differentiated by, as `argnums` says: one, or a tuple.
        self.form: Tree = (
            args[self._indices[0]] if self._is_one else tuple([args[i] for i in self._indices])
        )
        #: Whether the results may be differentiated again: because the call is made inside another
        #: function that is differentiated, because an argument is a Variable, or because the
        #: function has computed with a Variable that somebody else holds, such as its closure.
        self.nested = now.records and (
            bool(now.differentiated) or has_variable((args, kwargs) if kwargs else args)
        )
        if now.differentiated:
            now.differentiated.takes_derivatives = True
        leaves = leaves_of(self.form)
        #: The Variables that stand for the leaves of these arguments.
        self.inputs = list(map(self._input, leaves))
        self._run = differentiated()
        try:
            with self._run:
                if self.nested or for_products or not now.records:
                    for index, leaf in enumerate(leaves):
                        if for_products or isinstance(leaf, Variable):
                            node = Argument() if isinstance(leaf, Variable) else PrivateArgument()
                            self.inputs[index] = node(self.inputs[index])
                filled, trees = list(args), like(self.form, self.inputs)
                parts = (trees,) if self._is_one else trees
                for index, tree in zip(self._indices, parts, strict=True):
                    filled[index] = tree
                edges = [x.edge_of_input() for x in self.inputs]
                result = function(*filled, **kwargs)
        except Exception as error:
            add_notes(error)
            raise
        self.inputs = with_old_values(self.inputs, edges)
        #: The leaves of the result.
        self.outputs = leaves_of(result)
        if not self.nested and mode.get().records:
            self.nested = depends_on_others(self.outputs, self.inputs)
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

    def pulled_back(
        self, gradients: Sequence[Any] | None = None, create_graph: bool = False
    ) -> list[Any]:
        """Return the gradients by the inputs, from those at the outputs: by default from ones.

        None at an output is no gradient there, and among the results, an input that none arrived
        at.
        """
        roots, given = [], []
        for index, y in enumerate(self.outputs):
            gradient = None if gradients is None else gradients[index]
            if not isinstance(y, Variable) or (gradients is not None and gradient is None):
                continue
            if not y.generation and any(y is x for x in self.inputs):
                with self._run:
                    y = Argument()(y)
            if y.generation:
                roots.append(y)
                given.append(gradient)
        found = pulled_back(roots, self.inputs, given, create_graph)[0] if roots else {}
        return list(map(found.get, self.inputs))

    def pushed_forward(self, tangents: Sequence[Any], create_graph: bool) -> list[Any]:
        """Return the tangents of the outputs, given those of the inputs, of which some are None.

        An output that depends on no input has zeros.
        """
        made = list(map(data_of, tangents))
        if create_graph:
            given = zip(tangents, made, strict=True)
            made = [Variable(a) if t is a and a is not None else t for t, a in given]
        found = pushed_forward(self.outputs, self.inputs, made, create_graph)
        return list(map(_like_output, self.outputs, found))

    def gradient(self) -> Tree:
        """Return the gradient of the sum of the outputs, in the form of the arguments.

        Warn of an input that the result does not depend on.
        """
        gradients = self.pulled_back(None, self.nested)
        if not all(map(is_not, gradients, repeat(None))):
            self._warn_of_independence(gradients)
            gradients = self.with_zeros(gradients, self.nested)
        return like(self.form, gradients)

    def with_zeros(self, gradients: Sequence[Any], create_graph: bool) -> list[Any]:
        """Return gradients by the inputs, with zeros in place of None."""
        found = list(gradients)
        for index, gradient in enumerate(gradients):
            if gradient is None:
                x = self.inputs[index]
                zeros = kind_of(x.data).zeros(x.shape, x.dtype, x.data)
                found[index] = constant_gradient(zeros, create_graph)
        return found

    def _warn_of_independence(self, gradients: Sequence[Any]) -> None:
        if self._run.takes_derivatives:  # those of linear functions are constant
            return
        outputs = [y for y in self.outputs if isinstance(y, Variable)]
        reached = {edge for node in nodes_behind(outputs) for edge in node._edges}
        known = zip(self._paths(), self.inputs, gradients, strict=True)
        found = [path for path, x, gx in known if gx is None and x._edge not in reached - {None}]
        if found:
            result = f"the result of {name_of(self.function)}"
            warn_of_independence(result, " and ".join(found))

    def _paths(self) -> list[str]:
        """Return how each input is written, such as ``"argument 0['w']"``."""
        forms = (self.form,) if self._is_one else self.form
        trees = zip(self._indices, forms, strict=True)
        return [path for index, tree in trees for path in paths_of(tree, f"argument {index}")]

    def _input(self, leaf: Any) -> Variable:
        """Return the Variable that stands for a leaf of the arguments."""
        if type(leaf) is float:
            return Variable(np.array(leaf))
        if type(leaf) is np.ndarray and leaf.dtype.kind in INEXACT:
            return Variable(copied(leaf))  # as below
        variable = leaf
        if not isinstance(leaf, Variable):
            array = leaf if isinstance(leaf, np.ndarray) else any_array(as_array(leaf))
            try:
                # A copy: the caller may change the array before it asks for a gradient.
                variable = Variable(copied(Variable(array).data))
            except VariableTypeError as error:
                what = f"{self._by(leaf)}, got {brief(leaf)}. {error}"
                raise VariableTypeError(what, got=type(leaf)) from None
        if variable.dtype.kind not in INEXACT:
            raise VariableTypeError(
                f"{self._by(leaf)}, which is of {variable.dtype} data, a constant. Pass a "
                "floating-point number, 3.0 for 3, or choose other arguments by argnums.",
                got=variable.dtype,
            )
        return variable

    def _by(self, leaf: Any) -> str:
        number = next(i for i, each in enumerate(leaves_of(self.form)) if each is leaf)
        return f"{name_of(self.function)} is differentiated by {self._paths()[number]}"

    def value(self) -> Tree:
        """Return the value of the function: arrays of the caller's own, or Variables."""
        return like(self.result, [self._own(leaf) for leaf in self.outputs])

    def auxiliary(self) -> Tree:
        """Return the second result of the function: with arrays in place of Variables, or these."""
        return tree_map(lambda x: self._own(x) if isinstance(x, Variable) else x, self._aux)

    def _own(self, leaf: Any) -> Any:
        return leaf if self.nested and isinstance(leaf, Variable) else copied(data_of(leaf))

    def is_nested(self, vector: Tree) -> bool:
        """Return whether a product with `vector` is to be differentiated again."""
        return stays_in_a_graph(vector) or (self.nested and mode.get().records)


def _like_output(y: Any, tangent: Any) -> Any:
    """Return the tangent of an output in its shape and dtype; zeros if there is none."""
    array = any_array(data_of(y))
    dtype = np.result_type(array.dtype, 0.0)
    if tangent is None:
        return kind_of(array).zeros(array.shape, dtype, array)
    tangent = tangent if isinstance(tangent, Variable) else as_array(any_array(tangent))
    return tangent if tangent.dtype == dtype else tangent.astype(dtype)


class differentiated(Block):
    """A function that is differentiated runs: calls are recorded, and gradients in it as well."""

    _variable = mode
    #: Whether the function has itself differentiated a function.
    takes_derivatives = False

    def _changed(self, value: Mode) -> Mode:
        now = value.observer, self, value.in_backward, value.switched
        return Mode(True, None, *now)  # `changed` compares it with the usual one


class not_differentiated(Block):
    """A derivative that is computed here is a constant of a function that is differentiated."""

    _variable = mode

    def _changed(self, value: Mode) -> Mode:
        return value.changed(differentiated=False)


def stays_in_a_graph(trees: Tree) -> bool:
    """Return whether the caller can differentiate results that are computed from `trees`."""
    now = mode.get()
    if not now.records:  # under no_grad()
        return False
    return bool(now.differentiated) or has_variable(trees)


def name_of(function: Any) -> str:
    """Return the name of a function for messages."""
    return getattr(function, "__name__", repr(function))


def chosen(argnums: int | Sequence[int], args: tuple[Any, ...], function: Any) -> tuple[int, ...]:
    """Return the indices of the arguments to differentiate by, each of which is there once."""
    if type(argnums) is int and 0 <= argnums < len(args):
        return (argnums,)
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
