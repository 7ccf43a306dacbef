"""The calculation of one partition, by the data and the parameters."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np
from dezero_core.array_types import any_array
from dezero_core.config import PLUGIN_SETTINGS, mode, no_grad, using_config
from dezero_core.errors import shown
from dezero_core.variable import Variable
from dezero_tools.functional.tracing import name_of, plain
from dezero_tools.functional.trees import Tree, leaves_of, like, matched

from dezero_tools import functional

from .alignment import Held, aligned
from .errors import PartitionError, UnpicklableFunctionError
from .halves import differing
from .parameters import blocks_of
from .pickling import dumps
from .results import one_array, one_number
from .state import State


class Kernel:
    """The calculation of one partition.

    It is pickled as the call that made it, and keeps the programs that replay has recorded.

    Parameters
    ----------
    kind : str
        ``"value_and_grad"``, ``"hvp"``, ``"hessian"``, ``"jacobian"``, ``"value"`` or ``"rows"``.
    function : callable
        The loss or the model: ``function(params, *data)``.
    loaders : mapping from int to callable
        The positions of the data that are read in the task, and what reads them.
    mean : bool
        Whether the results are multiplied by the number of rows.
    replay : bool
        Whether a value with its gradient, or a product with the Hessian, is replayed, where
        dezero-replay is installed.
    settings : mapping from str to bool
        The settings of plugins that are not at their defaults where the tasks are made, such as
        ``Config.train``; by default those of now.
    """

    def __init__(
        self,
        kind: str,
        function: Callable[..., Any],
        loaders: Mapping[int, Callable[[int], Any]],
        mean: bool = False,
        replay: bool = True,
        settings: Mapping[str, bool] | None = None,
    ) -> None:
        self.settings = settings_now() if settings is None else settings
        self.kind, self.function, self.loaders = kind, _eager(function), dict(loaders)
        self._mean, self._replay = mean, replay
        if kind in ("value", "jacobian"):
            self._checked = one_array(self.function)
        else:
            rule = f"the {'mean' if mean else 'sum'} over the rows that it is given"
            self._checked = one_number(self.function, rule)
        if kind in ("value_and_grad", "hvp"):
            self._derivative = _replayed(getattr(functional, kind)(self._checked), replay)

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.kind, self.function, self.loaders, self._mean, self._replay, self.settings
        return Kernel, given

    def __call__(
        self,
        form: Tree,
        leaves: list[Any],
        number: int,
        pieces: Sequence[Any],
        given: list[Any],
        compares: bool = False,
    ) -> Any:
        """Calculate one partition.

        Parameters
        ----------
        form : nested tuples, lists, dicts and dataclasses
            That of the parameters.
        leaves : list of ndarray
            Those of the parameters, and then those of a vector.
        number : int
            Of the partition.
        pieces : sequence of arrays
            The data that are not read here.
        given : list
            Gets the arrays of the data, for messages.
        compares : bool
            Whether the loss is compared with the sum over two halves of the rows.
        """
        rows = self._read(number, pieces, given)
        if self.kind == "rows":
            return None, [], rows, (), ()
        leaves = list(map(aligned, leaves))
        params = like(form, leaves[: len(leaves_of(form))])
        state = State(self.function) if compares and rows > 1 else None
        # Or results would be Variables, where the function holds some. A parameter may be the
        # penalty's alone.
        with ExitStack() as blocks:
            blocks.enter_context(no_grad())
            for name, value in {**self.settings, "warn_of_independence": False}.items():
                blocks.enter_context(using_config(name, value))
            if self.kind == "value":
                value = any_array(plain(self._checked(params, *given)))
                return value.shape, value.dtype
            if self.kind == "jacobian":
                return leaves_of(jacobian_of(self._checked, params, given))
            found = self._partial(*self._derived(form, params, leaves, given), rows, number)
            if state is None:
                return found
            # More calls of a function that changes something would change later results.
            changed = state.is_changed()
            values = None if changed else differing(self._checked, params, given, self._mean)
            return *found[:-1], ((number, values),)

    def _derived(
        self, form: Tree, params: Tree, leaves: list[Any], given: list[Any]
    ) -> tuple[Any, list[Any]]:
        """Return the value, None if it is not asked for, and the leaves of a derivative."""
        if self.kind == "hvp":
            vector = like(form, leaves[len(leaves_of(form)) :])
            return None, matched(form, self._derivative(params, *given, vector))
        if self.kind == "hessian":
            # A pass for each parameter takes longer to record than replay saves.
            return None, blocks_of(functional.hessian(self._checked)(params, *given), form)
        value, gradient = self._derivative(params, *given)
        return plain(value), matched(form, gradient)

    def _read(self, number: int, pieces: Sequence[Any], given: list[Any]) -> int:
        """Put the arguments of the function into `given`, and return the number of rows."""
        waiting = iter(pieces)
        rows: list[int] = []
        for position in range(len(pieces) + len(self.loaders)):
            load = self.loaders.get(position)
            found = next(waiting) if load is None else load(number)
            arrays = found if load is not None and isinstance(found, tuple) else (found,)
            if not arrays:
                raise _no_array("an empty tuple", number, len(rows))
            for x in arrays:
                given.append(aligned(x.array if isinstance(x, Held) else x))
                rows.append(_rows_of(given[-1], number, len(rows)))
        if len(set(rows)) > 1:
            told = ", ".join(f"{n} in argument {position}" for position, n in enumerate(rows, 1))
            raise PartitionError(
                f"the rows of a partition are the same in all arguments of the loss, and "
                f"partition {number} has {told}. Chunk all data by the same rows.",
                argument=None,
                partition=number,
            )
        return rows[0]

    def _partial(self, value: Any, leaves: list[Any], rows: int, number: int) -> Any:
        """Return the result of one partition: the fields of a `Partial`."""
        leaves = list(map(plain, leaves))
        has_nan = any(np.isnan(x).any() for x in leaves) or (value is not None and np.isnan(value))
        if self._mean:
            value = None if value is None else np.asarray(value * rows)
            leaves = [np.asarray(leaf * rows) for leaf in leaves]
        return value, leaves, rows, (number,) if has_nan else (), ()


def jacobian_of(model: Callable[..., Any], params: Tree, data: Sequence[Any]) -> Tree:
    """Return the Jacobian of a model: row by row, or column by column if these are fewer."""
    leaves = [any_array(leaf) for leaf in leaves_of(params)]
    y = any_array(plain(model(params, *data)))
    columns = sum(leaf.size for leaf in leaves)
    if columns >= y.size or any(np.iscomplexobj(leaf) for leaf in (*leaves, y)):
        return functional.jacobian(model)(params, *data)
    _, push_forward = functional.jvp(lambda tree: model(tree, *data), params)
    found = [np.zeros((*y.shape, *leaf.shape), np.result_type(y, leaf)) for leaf in leaves]
    for number, jacobian in enumerate(found):
        for index in np.ndindex(leaves[number].shape):
            units = [np.zeros_like(leaf) for leaf in leaves]
            units[number][index] = 1.0
            jacobian[(..., *index)] = push_forward(like(params, units))
    return like(params, found)


def _rows_of(x: Any, number: int, position: int) -> int:
    """Return the rows of one argument of a partition.

    Raises
    ------
    PartitionError (ValueError)
        If it is no array with rows, or has none.
    """
    shape = getattr(x, "shape", None)
    if not shape or isinstance(x, Variable):
        raise _no_array(f"{type(x)} of shape {shape}", number, position)
    require_rows(shape[0], number, position)
    return int(shape[0])


def _no_array(got: str, number: int, position: int) -> PartitionError:
    return PartitionError(
        f"argument {position + 1} of the loss is an array with rows in each partition, and "
        f"partition {number} is {got}.",
        argument=position + 1,
        partition=number,
    )


def require_rows(rows: int, number: int, position: int) -> None:
    """Raise if one argument of a partition has no rows."""
    if rows == 0:
        raise PartitionError(
            f"partition {number} of argument {position + 1} of the loss has no rows, and a loss of "
            "nothing may be anything. Leave it out, or rechunk.",
            argument=position + 1,
            partition=number,
        )


def _eager(function: Any) -> Any:
    """Return the function itself, if it is compiled: its programs belong to one process."""
    replay = sys.modules.get("dezero_replay")
    return function.eager if replay and isinstance(function, replay.Compiled) else function


def settings_now() -> dict[str, bool]:
    """Return the settings of plugins that are not at their defaults, in this thread and task."""
    switched = mode.get().switched
    return {name: not each.default for name, each in PLUGIN_SETTINGS.items() if each in switched}


def _replayed(function: Callable[..., Any], replay: bool) -> Callable[..., Any]:
    """Return a function that is recorded and replayed, where dezero-replay is installed."""
    if replay:
        try:
            from dezero_replay import compiled
        except ImportError:
            pass
        else:
            return compiled(function, quiet=True)
    return function


def unpicklable(kernel: Kernel, error: Exception) -> UnpicklableFunctionError:
    """Return the error for a function that cannot be sent: which, and what in it is to blame."""
    functions = [kernel.function, *kernel.loaders.values()]
    function = next((f for f in functions if not _can_be_pickled(f)), kernel.function)
    captured = next((name for name, x in _captured(function) if not _can_be_pickled(x)), "")
    told = f"it holds {captured}, which cannot be pickled" if captured else shown(str(error))
    return UnpicklableFunctionError(
        f"{name_of(function)} is sent to other processes, which is not possible: {told}. Make or "
        "open such an object inside of the function, or read it from the data.",
        function=function,
        captured=captured,
    )


def _can_be_pickled(x: Any) -> bool:
    try:
        dumps(x)
    except Exception:
        return False
    return True


def _captured(function: Any) -> list[tuple[str, Any]]:
    """Return what a function holds: names and objects."""
    if isinstance(function, partial):
        found = [(f"argument {n} of the partial", x) for n, x in enumerate(function.args)]
        found += [(f"argument {n!r} of the partial", x) for n, x in function.keywords.items()]
        return [*_captured(function.func), *found]
    if inspect.ismethod(function):
        return [("the object of the method", function.__self__)]
    if not inspect.isfunction(function):
        return [(name, x) for name, x in getattr(function, "__dict__", {}).items()]
    seen = inspect.getclosurevars(function)
    defaults = inspect.signature(function).parameters.values()
    return [
        *seen.nonlocals.items(),
        *seen.globals.items(),
        *((p.name, p.default) for p in defaults if p.default is not p.empty),
    ]
