"""``compare``: calls an operation of two plugins as their samples say, and compares the results."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from dezero_core import Operation, Variable, use_ops, using_config
from dezero_core.extend import cause_of, find, operations_of

from ..errors import ComparisonError
from ..providers import provided_by
from .comparison import Comparison, Difference, Failure, Mismatch
from .samples import sample_of
from .subject import Subject, array_of, pass_back

_ROUNDS = 20
#: After this many seconds no other round begins.
_ENOUGH = 1.0
_NUMBERS = "biufc"


def compare(operation: str, a: str, b: str) -> Comparison:
    """Call an operation of two plugins as their samples say, and compare the results.

    Both get the same arrays. The plugins need not be in use.

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

    Notes
    -----
    The relative difference of two elements is their distance divided by the larger of their
    magnitudes. It is 1 where one of them is 0, and at most 2. It is 0 where both are nan, and for
    equal infinities. A call that raises is listed, and the other calls are compared.

    The gradients are those of a weighted sum; no weight is near 0. The arrays of samples are small,
    so most of the time is that of a call, not of its computation.

    Examples
    --------
    >>> class Times(Function):
    ...     def __init__(self, factor):
    ...         self.factor = factor
    ...
    ...     def forward(self, x):
    ...         return self.factor * x
    ...
    ...     def backward(self, gy):
    ...         return self.factor * gy
    >>> def times(factor):
    ...     class plugin:
    ...         @staticmethod
    ...         @hookimpl
    ...         def dezero_register_ops(register):
    ...             sample = lambda kit: kit.elementwise((0.5, 3.0))
    ...             register("times", lambda x: Times(factor)(x), Times, sample=sample)
    ...
    ...     return plugin
    >>> two, four = register(times(2.0), "two"), register(times(4.0), "four")
    >>> compare("times", "two", "four").verdict
    'They differ by 0.5 at most, relative, in the values.'
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

    def _arrays(self) -> list[Any]:
        return [x.copy() for x in self.xs]  # the operation may write to them

    def values(self) -> list[Any]:
        return [array_of(y) for y in self.subject.outputs(list(map(Variable, self._arrays())))]

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
    comparison = Comparison(one, two)
    forward: list[_Run] = []
    backward: list[_Run] = []
    for subject, complex_too in _subjects(one, two):
        call = f"{one.name}{str(subject.call)[len('Call') :]}"
        call += " of complex data" if complex_too else ""
        comparison.calls.append(call)
        name = "zs" if complex_too else "xs"
        drawn = _tried(
            comparison, subject.operation.plugin, "arrays", call, partial(getattr, subject, name)
        )
        if drawn is None:
            continue
        runs = [_Run(each, subject, drawn, call) for each in (one, two)]
        if not _agree(comparison, runs, "values", [run.values for run in runs]):
            continue
        forward += runs
        if (
            one.differentiable
            and two.differentiable
            and _agree(comparison, runs, "gradients", [run.gradients for run in runs])
        ):
            backward += runs
    _time(comparison, {"forward": forward, "backward": backward})
    return comparison


def _subjects(one: Operation, two: Operation) -> Iterator[tuple[Subject, bool]]:
    """Yield every call of both samples, and whether its data is complex."""
    complex_too = all(sample_of(each).complex for each in (one, two))
    for owner in (one, two):
        for call in sample_of(owner).calls:
            yield Subject(owner, call), False
            if complex_too:
                yield Subject(owner, call), True


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


def _agree(
    comparison: Comparison, runs: list[_Run], what: str, actions: list[Callable[[], Any]]
) -> bool:
    """Compare arrays, and return whether both gave the same number of arrays of the same shapes."""
    call = runs[0].call
    found = [
        _tried(comparison, run.plugin, what, call, action)
        for run, action in zip(runs, actions, strict=True)
    ]
    if any(arrays is None for arrays in found):
        return False
    ones, twos = found
    if len(ones) != len(twos):
        counts = (f"{len(arrays)} outputs" for arrays in found)
        comparison.mismatches.append(Mismatch(what, call, *counts))
        return False
    same = True
    for index, (x, y) in enumerate(zip(ones, twos, strict=True)):
        same &= _compare_arrays(comparison, _named(what, index, len(ones)), call, x, y)
    return same


def _named(what: str, index: int, count: int) -> str:
    if what == "gradients":
        return f"gradient of input {index}"
    return "values" if count == 1 else f"values of output {index}"


def _compare_arrays(comparison: Comparison, what: str, call: str, x: Any, y: Any) -> bool:
    """Note the largest differences, and return whether the shapes are the same."""
    if (x.shape, x.dtype) != (y.shape, y.dtype):
        forms = (f"{array.dtype} of shape {array.shape}" for array in (x, y))
        comparison.mismatches.append(Mismatch(what, call, *forms))
    if x.shape != y.shape:
        return False
    for sizes, largest in zip(
        _distances(x, y), (comparison.absolute, comparison.relative), strict=True
    ):
        if sizes.size:
            element = np.unravel_index(np.argmax(sizes), sizes.shape)
            size = float(sizes[element])
            if what not in largest or size > largest[what].size:
                index = tuple(map(int, element))
                largest[what] = Difference(size, call, index, x[element], y[element])
    return True


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
    best = {direction: [np.inf] * len(each) for direction, each in runs.items()}
    start = perf_counter()
    for number in range(1, _ROUNDS + 1):
        for direction, each in runs.items():
            for index, run in enumerate(each):
                action = getattr(run, direction)
                seconds = _tried(comparison, run.plugin, "time", run.call, action)
                if seconds is None:
                    return
                best[direction][index] = min(best[direction][index], seconds)
        comparison.rounds = number
        if perf_counter() - start > _ENOUGH:
            break
    for direction, each in runs.items():
        if each:
            sums = dict.fromkeys((comparison.a.plugin, comparison.b.plugin), 0.0)
            for run, seconds in zip(each, best[direction], strict=True):
                sums[run.plugin] += seconds
            comparison.seconds[direction] = sums
