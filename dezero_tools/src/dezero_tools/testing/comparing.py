"""``compare``: calls an operation of two plugins as their samples say, and compares the results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from time import perf_counter
from typing import Any

import numpy as np

from dezero_core import Operation, Variable, use_ops, using_config
from dezero_core.extend import cause_of, find, operations_of

from ..errors import ComparisonError
from ..providers import provided_by
from .comparison import Comparison, Difference, Failure, Mismatch
from .samples import sample_of
from .subject import Subject, pass_back

_ROUNDS = 20
#: After this many seconds no other round begins.
_ENOUGH = 1.0
_NUMBERS = "biufc"


def compare(operation: str, a: str, b: str) -> Comparison:
    """Call an operation of two plugins as their samples say, and compare the results.

    Both get the same arrays. The plugins need not be in use. A call that raises is listed, and the
    other calls are compared. The gradients are those of a weighted sum. The arrays of samples are
    small, so most of the time is that of a call, not of its computation.

    The relative difference of two elements is their distance divided by the larger of their
    magnitudes: at most 2, 1 where one of them is 0, and 0 where both are nan, or equal infinities.

    Parameters
    ----------
    operation : str
        The name of the operation, such as ``"exp"``.
    a, b : str
        The plugins, by any of their names.

    Returns
    -------
    Comparison

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError)
        If there is no such plugin, or it does not provide the operation.
    PluginError
        If a plugin is not loaded.
    ComparisonError (ValueError)
        If `a` and `b` are one plugin, or neither registers the operation with a sample.

    Examples
    --------
    >>> def times(factor):
    ...     class plugin:
    ...         @staticmethod
    ...         @hookimpl
    ...         def dezero_register_ops(register):
    ...             op = numeric_op(lambda x: factor * x)
    ...             sample = lambda kit: kit.elementwise((0.5, 3.0))
    ...             register("times", op, op.function_class, sample=sample)
    ...
    ...     return plugin
    >>> two, four = register(times(2.0), "two"), register(times(4.0), "four")
    >>> compare("times", "two", "four").relative["values"].size
    0.5
    >>> [unregister(name).state for name in ("two", "four")]
    ['disabled', 'disabled']
    """
    one, two = provided(operation, a), provided(operation, b)
    if one.plugin == two.plugin:
        raise ComparisonError(
            f"{a!r} and {b!r} are the same plugin. Name two plugins that provide {operation!r}.",
            operation=operation,
            plugins=(one.plugin,),
        )
    if not any(sample_of(each).calls for each in (one, two)):
        raise ComparisonError(
            f"neither {one.plugin!r} nor {two.plugin!r} registers {operation!r} with a sample, "
            "so it is not known how to call it. Register one: "
            "sample=lambda kit: kit.elementwise((0.5, 3.0)).",
            operation=operation,
            plugins=(one.plugin, two.plugin),
        )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with using_config("enable_backprop", True):
            return _compared(one, two)


def provided(operation: str, plugin: str) -> Operation:
    """Return the operation of a plugin, in use or not; the errors are those of `compare`."""
    with use_ops(**{operation: plugin}):
        found = {each.name: each for each in operations_of(find(plugin))}
    return found[operation]


class _Run:
    """The operation of one plugin in one call of a sample."""

    def __init__(self, provider: Operation, subject: Subject, xs: Sequence[Any], call: str) -> None:
        self.plugin, self.xs, self.call = provider.plugin, xs, call
        self.subject = subject.by(provider.function)
        #: The least seconds for each direction.
        self.least = {"forward": np.inf, "backward": np.inf}

    def _arrays(self) -> list[Any]:
        return [x.copy() for x in self.xs]  # the operation may write to them

    def values(self) -> list[Any]:
        return self.subject.values(self._arrays())

    def gradients(self) -> list[Any]:
        return self.subject.gradients(self._arrays())

    def forward(self) -> float:
        """Return the seconds that one call takes."""
        args, kwargs = self.subject.call.filled(map(Variable, self._arrays()))
        start = perf_counter()
        self.subject.function(*args, **kwargs)
        return perf_counter() - start

    def backward(self) -> float:
        """Return the seconds that the backward pass from all outputs takes."""
        _, ys, weights = self.subject.applied(self._arrays())
        start = perf_counter()
        pass_back(ys, weights)
        return perf_counter() - start


def _compared(one: Operation, two: Operation) -> Comparison:
    """Compare both for every call of both samples: real, and complex if both take such data."""
    comparison = Comparison(one, two)
    runs_of: dict[str, list[_Run]] = {"forward": [], "backward": []}
    complex_too = all(sample_of(each).complex for each in (one, two))
    subjects = (Subject(owner, call) for owner in (one, two) for call in sample_of(owner).calls)
    for subject, arrays in product(subjects, ("xs", "zs") if complex_too else ("xs",)):
        call = f"{one.name}{str(subject.call)[len('Call') :]}"
        call += " of complex data" if arrays == "zs" else ""
        comparison.calls.append(call)
        draw = partial(getattr, subject, arrays)
        drawn = _tried(comparison, subject.operation.plugin, "arrays", call, draw)
        if drawn is None:
            continue
        runs = [_Run(each, subject, drawn, call) for each in (one, two)]
        if not _agree(comparison, runs, "values"):
            continue
        runs_of["forward"] += runs
        both = one.differentiable and two.differentiable
        if both and _agree(comparison, runs, "gradients"):
            runs_of["backward"] += runs
    _time(comparison, runs_of)
    return comparison


def _tried(
    comparison: Comparison, plugin: str, what: str, call: str, action: Callable[[], Any]
) -> Any:
    """Return the result of `action`, with `plugin` in use. If it raises, note that, return None."""
    try:
        with provided_by({comparison.a.name: plugin}):
            return action()
    except (Exception, SystemExit) as error:
        comparison.failures.append(Failure(plugin, what, call, cause_of(error)))
        return None


def _agree(comparison: Comparison, runs: list[_Run], what: str) -> bool:
    """Compare values or gradients, and return whether both gave as many, of the same shapes."""
    call = runs[0].call
    found = [_tried(comparison, run.plugin, what, call, getattr(run, what)) for run in runs]
    if any(arrays is None for arrays in found):
        return False
    ones, twos = found
    if len(ones) != len(twos):
        counts = (f"{len(arrays)} outputs" for arrays in found)
        comparison.mismatches.append(Mismatch(what, call, *counts))
        return False
    for index, (x, y) in enumerate(zip(ones, twos, strict=True)):
        name = "values" if len(ones) == 1 else f"values of output {index}"
        name = f"gradient of input {index}" if what == "gradients" else name
        if (x.shape, x.dtype) != (y.shape, y.dtype):
            forms = (f"{array.dtype} of shape {array.shape}" for array in (x, y))
            comparison.mismatches.append(Mismatch(name, call, *forms))
        if x.shape == y.shape:
            _note_largest(comparison, name, call, x, y)
    return all(x.shape == y.shape for x, y in zip(ones, twos, strict=True))


def _note_largest(comparison: Comparison, what: str, call: str, x: Any, y: Any) -> None:
    """Note the largest differences of arrays of one shape, if they are larger than those before."""
    found = (comparison.absolute, comparison.relative)
    for sizes, largest in zip(_distances(x, y), found, strict=True):
        if sizes.size:
            element = np.unravel_index(np.argmax(sizes), sizes.shape)
            size = float(sizes[element])
            if what not in largest or size > largest[what].size:
                index = tuple(map(int, element))
                largest[what] = Difference(size, call, index, x[element], y[element])


def _distances(x: Any, y: Any) -> tuple[Any, Any]:
    """Return the absolute and the relative differences of the elements; none is nan."""
    if not (x.dtype.kind in _NUMBERS and y.dtype.kind in _NUMBERS):
        unequal = np.where(x == y, 0.0, np.inf)
        return unequal, unequal
    # In long double, integers of 64 bits are exact, and the difference of two doubles is finite.
    wide = np.clongdouble if "c" in (x.dtype.kind, y.dtype.kind) else np.longdouble
    x, y = x.astype(wide), y.astype(wide)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    finite = np.isfinite(x) & np.isfinite(y)
    absolute = np.where(same, 0.0, np.where(finite, np.abs(x - y), np.inf))
    larger = np.maximum(np.abs(x), np.abs(y))
    relative = np.divide(absolute, larger, out=absolute.copy(), where=finite & ~same)
    return absolute, relative


def _time(comparison: Comparison, runs: dict[str, list[_Run]]) -> None:
    """Time each run in several rounds, and keep the least time: disturbances only add to it."""
    start = perf_counter()
    for number in range(1, _ROUNDS + 1):
        for direction, each in runs.items():
            for run in each:
                action = getattr(run, direction)
                seconds = _tried(comparison, run.plugin, "time", run.call, action)
                if seconds is None:
                    return
                run.least[direction] = min(run.least[direction], seconds)
        comparison.rounds = number
        if perf_counter() - start > _ENOUGH:
            break
    for direction, each in runs.items():
        if each:
            comparison.seconds[direction] = {
                plugin: sum(run.least[direction] for run in each if run.plugin == plugin)
                for plugin in (comparison.a.plugin, comparison.b.plugin)
            }
