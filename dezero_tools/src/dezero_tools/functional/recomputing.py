"""Parts of a graph that are computed again on the way back, in place of being kept."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextvars import copy_context
from functools import partial
from typing import Any
from weakref import ref
from zlib import crc32

import numpy as np

from dezero_core import Function, GradientError, Variable
from dezero_core.extend import INEXACT, data_of, kind_of, mode, pulled_back, variable_at

from ..wrapped import CALLERS
from .closures import Argument, nodes_behind, with_old_values
from .derived import derived, takes_function
from .tracing import name_of
from .trees import Tree, has_variable, leaves_of, like

CALLERS[__name__] = {"_called"}


@takes_function
def recomputed(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return `f` without the memory of its graph: PyTorch's ``checkpoint``.

    A call keeps its arguments alone. On the way back `f` is called again, and the graph inside is
    made, used and let go. Settings of `Config` are those of the first call, and so are the random
    numbers of NumPy's and Python's global generators, and of generators among the arguments. Lazy
    arrays, such as Dask's, have no memory to save: their call is recorded as that of `f`.

    Parameters
    ----------
    f : callable
        Of arrays, or nested tuples, lists, dicts and dataclasses of arrays; it returns the same. It
        may reach Variables, such as the parameters of a layer: they get their gradients. It does
        nothing but compute its result, since it is called again.

    Returns
    -------
    callable

    Raises
    ------
    GradientError (ValueError)
        In a backward pass, if the second call of `f` has other results than the first.

    Examples
    --------
    >>> x = Variable(np.array([1.0, 2.0]))
    >>> y = recomputed(lambda x: x)(x)
    >>> y.backward()
    >>> x.grad
    array([1., 1.])
    """

    @derived(recomputed, f)
    def applied(*args: Any, **kwargs: Any) -> Any:
        if not mode.get().records or not has_variable([args, kwargs]):
            return f(*args, **kwargs)
        call = _Call(f, args, kwargs)
        form = call.made()
        if any(kind_of(array).lazy is True for array in call.arrays):
            # There are no numbers to let go, and none to compare those of the second call with.
            _set_states(call.generators, call.states)
            return f(*args, **kwargs)
        result = leaves_of(form)
        if call.arrays:
            ys = _Recomputed(call)(*call.inputs)
            for place, y in zip(call.places, ys if isinstance(ys, list) else [ys], strict=True):
                result[place] = y
        return like(form, result)

    return applied


class _Recomputed(Function):
    """A call that is made again on the way back."""

    def __init__(self, call: _Call) -> None:
        # Bound methods: what a Function holds itself is looked through for constants.
        self.first, self.again = call.first, call.again

    def forward(self, *xs: Any) -> Any:
        return self.first()

    def backward(self, *gys: Any) -> Any:
        return self.again([x.data for x in self.inputs], gys)


class _Call:
    """The call of a function, which can be made again."""

    def __init__(self, f: Any, args: Any, kwargs: Any) -> None:
        self._f, leaves = f, leaves_of([args, kwargs])
        #: The Variables among the arguments; later also those that the function reaches.
        self.inputs = [x for x in leaves if isinstance(x, Variable)]
        self._count = len(self.inputs)
        self._args = like(
            [args, kwargs], [_Place() if isinstance(x, Variable) else x for x in leaves]
        )
        self.generators: list[tuple[Any, Any]] = [
            (partial(np.random.get_state, legacy=False), np.random.set_state)
        ]
        self.generators += [(random.getstate, random.setstate)]
        self.generators += [_access(x) for x in leaves if isinstance(x, np.random.Generator)]
        self.states = [read() for read, _ in self.generators]
        self._context = copy_context()

    def made(self) -> Tree:
        """Return the result of the first call. Its graph is let go together with it."""
        xs = [Variable(x.data) for x in self.inputs]
        form = self._called(xs)
        result = leaves_of(form)
        #: The places of the leaves that can be differentiated, and their arrays.
        self.places = [i for i, y in enumerate(result) if _is_differentiable(y)]
        ys = [result[i] for i in self.places]
        self.arrays: tuple[Any, ...] = tuple([y.data for y in ys])
        self.inputs += _others(ys, xs)
        edges = [edge for node in nodes_behind(ys) for edge in node._edges if edge is not None]
        found = [(variable_at(edge), edge.creator) for edge in edges if edge.creator is not None]
        #: Results that it has computed with, as long as they are alive, and their creators.
        self._known = [(ref(x), ref(creator)) for x, creator in found if x is not None]
        return form

    def _called(self, xs: Sequence[Any]) -> Tree:
        given = iter(xs)
        leaves = [next(given) if type(x) is _Place else x for x in leaves_of(self._args)]
        args, kwargs = like(self._args, leaves)
        return self._f(*args, **kwargs)

    def first(self) -> Any:
        """Return the results of the first call, which keeps nothing from now on."""
        arrays, self.arrays = self.arrays, ()
        self._sums = list(map(_checksum, arrays))
        self._others = self.inputs[self._count :]
        return arrays if len(arrays) > 1 else arrays[0]

    def again(self, xs: Sequence[Any], gys: Sequence[Any]) -> tuple[Any, ...]:
        """Call the function again, and return the gradients by its Variables."""
        if any((y := x()) is not None and y.creator is not creator() for x, creator in self._known):
            raise GradientError(
                f"recomputed calls {name_of(self._f)} again on the way back, and a Variable that "
                "it has computed with was written into since. Give that as an argument, or a copy.",
                function=_Recomputed,
            )
        create_graph = mode.get().records and any(isinstance(gy, Variable) for gy in gys)
        return self._context.copy().run(self._again, xs, gys, create_graph)

    def _again(self, xs: Sequence[Any], gys: Any, create_graph: bool) -> tuple[Any, ...]:
        now = mode.get()
        mode.set(now.changed(records=True, where=None, differentiated=create_graph))
        given = [
            Argument()(x) if isinstance(x, Variable) else Variable(x) for x in xs[: self._count]
        ]
        others, kept = self._others, [x.data for x in self._others]
        states = [read() for read, _ in self.generators]
        try:
            # Their data may have been replaced since.
            _set_data(others, map(data_of, xs[self._count :]))
            _set_states(self.generators, self.states)
            edges = [x.edge_of_input() for x in given]
            result = leaves_of(self._called(given))
            given = with_old_values(given, edges)
        finally:
            _set_states(self.generators, states)
            _set_data(others, kept)
        ys: list[Any] = [result[i] if i < len(result) else None for i in self.places]
        if [_checksum(data_of(y)) for y in ys] != self._sums:
            raise GradientError(
                f"recomputed calls {name_of(self._f)} again on the way back, and its results are "
                "others now. It must depend on its arguments alone: pass a generator of random "
                "numbers as an argument, and change no state.",
                function=_Recomputed,
            )
        wanted = [*given, *others]
        pairs = [(y, gy) for y, gy in zip(ys, gys, strict=True) if y.creator is not None]
        roots, starts = [y for y, _ in pairs], [gy for _, gy in pairs]
        found = pulled_back(roots, wanted, starts, create_graph)[0] if roots else {}
        for y, gy in zip(ys, gys, strict=True):  # an argument that is returned as it is
            if y.creator is None:
                found[y] = found[y] + gy if y in found else gy
        return tuple([found.get(x) for x in wanted])


class _Place:
    """Stands for a Variable among the arguments."""


def _is_differentiable(y: Any) -> bool:
    return isinstance(y, Variable) and y.dtype.kind in INEXACT


def _others(ys: Sequence[Variable], xs: Sequence[Variable]) -> list[Variable]:
    """Return the inputs of a graph that are none of `xs`, and alive."""
    known, found = set(map(id, xs)), []
    edges = [edge for node in nodes_behind(ys) for edge in node._edges if edge is not None]
    for x in [variable_at(edge) for edge in edges if edge.creator is None]:
        if x is not None and id(x) not in known:
            known.add(id(x))
            found.append(x)
    return found


def _set_data(variables: Sequence[Variable], arrays: Any) -> None:
    for x, array in zip(variables, arrays, strict=True):
        x.data = array


def _set_states(generators: Sequence[Any], states: Sequence[Any]) -> None:
    for (_, put), state in zip(generators, states, strict=True):
        put(state)


def _access(generator: np.random.Generator) -> tuple[Any, Any]:
    """Return functions that read and set the state of a generator."""
    bits = generator.bit_generator
    return partial(getattr, bits, "state"), partial(setattr, bits, "state")


def _checksum(array: Any) -> Any:
    """Return the shape, and a number by which other contents are known."""
    numbers = kind_of(array).to_numpy(array)
    if numbers.dtype.char in "gG":  # between the numbers there are bytes that mean nothing
        numbers = numbers.astype(numbers.dtype.char.replace("g", "d").replace("G", "D"))
    return numbers.shape, crc32(np.ascontiguousarray(numbers).data)
