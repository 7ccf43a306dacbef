"""Runs the checks of a plugin's operations, and counts them."""

from __future__ import annotations

import inspect
import os
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from dezero_core.errors import ApproximateGradientWarning, UnknownOperationError, UnknownPluginError
from dezero_core.registry.choices import provided_by
from dezero_core.registry.discovery import did_you_mean
from dezero_core.registry.loading import with_name
from dezero_core.registry.manager import operations_of, plugins
from dezero_core.registry.registrar import Operation

from .checks import DIFFERENTIABLE_CHECKS, PLAIN_CHECKS
from .rules import BrokenRuleError, NotApplicableError
from .subject import Subject

_PACKAGE = os.path.dirname(os.path.dirname(__file__))


class CheckError(AssertionError):
    """An operation fails a check of the conformance kit.

    Facts: ``operation``, ``check``, ``call``, ``expected``, ``got``.
    """

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        vars(self).update(facts)


@dataclass
class Counts:
    """The numbers of checks that ran, were skipped, or were known to fail.

    Parameters
    ----------
    ran : int
        Number of checks that ran and passed. A check counts once for each call of the sample.
    skipped : dict from str to int
        Reason why checks did not apply -> number of these checks.
    known : dict from str to int
        Reason why checks were known to fail -> number of these checks.
    unpassed : set of str
        Parameters of operations that no call of a sample passes.
    """

    ran: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    unpassed: set[str] = field(default_factory=set)

    def add(self, other: Counts) -> None:
        """Add the numbers of another run.

        Parameters
        ----------
        other : Counts
        """
        self.ran += other.ran
        self.unpassed |= other.unpassed
        for mine, others in (self.skipped, other.skipped), (self.known, other.known):
            for why, count in others.items():
                mine[why] = mine.get(why, 0) + count

    def summary(self, operations: int) -> str:
        """Return the numbers as a sentence, with a line for each reason.

        Parameters
        ----------
        operations : int
            The number of operations that were checked.

        Returns
        -------
        str
        """
        lines = [
            f"{operations:,} operations, {self.ran:,} checks ran, "
            f"{sum(self.skipped.values()):,} skipped, {sum(self.known.values()):,} known to fail"
        ]
        for what, reasons in ("skipped", self.skipped), ("known to fail", self.known):
            lines += [f"  {count:,} {what}: {why}" for why, count in sorted(reasons.items())]
        if self.unpassed:
            lines.append(f"  parameters that no call passes: {', '.join(sorted(self.unpassed))}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Check:
    """One check of one operation, for all calls of its sample.

    Parameters
    ----------
    operation : Operation
    name : str
        The name of the check, such as ``"gradient"``.
    function : callable
        The function that checks one call.
    """

    operation: Operation
    name: str
    function: Callable[[Subject], None]

    def run(self) -> Counts:
        """Run the check for every call, with the operation of this plugin in use.

        Returns
        -------
        Counts

        Raises
        ------
        CheckError
            If the operation fails in a call. If it is marked as a known failure and passes.
        """
        name = self.operation.name
        counts = Counts(unpassed={f"{name}({p}=)" for p in unpassed(self.operation)})
        sample = self.operation.sample
        if sample is None or not sample.calls:
            return Counts(skipped={f"{self.operation.name} was registered without a sample": 1})
        known = sample.known_failures.get(self.name)
        failed = 0
        for call in sample.calls:
            subject = Subject(self.operation, call)
            try:
                with warnings.catch_warnings(), provided_by({name: self.operation.plugin}):
                    # NumPy warns for empty arrays, say. np.errstate would not reach threads.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                    warnings.simplefilter("ignore", ApproximateGradientWarning)
                    # An operation may have a constant gradient by an operand, or none.
                    warnings.filterwarnings("ignore", "the result does not depend on", UserWarning)
                    self.function(subject)
            except NotApplicableError as reason:
                counts.add(Counts(skipped={str(reason): 1}))
            except Exception as error:
                failed += 1
                if known is None:
                    raise self._failure(subject, error) from error
                counts.add(Counts(known={known: 1}))
            else:
                counts.ran += 1
        if known is not None and not failed:
            raise CheckError(
                f"{self.operation.name}: {self.name} is marked as a known failure ({known}), but "
                "passes. Remove the mark.",
                operation=self.operation.name,
                check=self.name,
            )
        return counts

    def _failure(self, subject: Subject, error: Exception) -> CheckError:
        name, call = self.operation.name, subject.call
        expected, got = getattr(error, "expected", None), getattr(error, "got", None)
        ours = isinstance(error, BrokenRuleError)
        what = str(error) if ours else f"{type(error).__name__}: {error}"
        lines = [f"{name}: {self.name}: {what}", f"  called: {name}{str(call)[len('Call') :]}"]
        # Print all digits if the arrays differ only in the last ones.
        precision = 17 if _are_close(expected, got) else 8
        with np.printoptions(precision=precision, threshold=60, linewidth=76):
            arrays = getattr(error, "drawn", None) or vars(subject).get("xs", ())
            lines += [f"  drawn:    {x!r}" for x in arrays]
            if expected is not None or got is not None:
                lines += [f"  expected: {expected!r}", f"  got:      {got!r}"]
        if not ours:
            lines += [f"  {note}" for note in getattr(error, "__notes__", ())]
            frames = traceback.extract_tb(error.__traceback__)
            theirs = [frame for frame in frames if not frame.filename.startswith(_PACKAGE)]
            lines += "".join(traceback.format_list(theirs)).splitlines()
        return CheckError(
            "\n".join(lines),
            operation=name,
            check=self.name,
            call=call,
            expected=expected,
            got=got,
        )


def unpassed(operation: Operation) -> list[str]:
    """Return the parameters of an operation that no call of its sample passes."""
    calls = operation.sample.calls if operation.sample else ()
    passed = {"out"} | {name for call in calls for name in call.kwargs}
    most = max([len(call.args) for call in calls], default=0)
    found = list(inspect.signature(operation.function).parameters.values())
    by_position = [p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]
    passed |= set(by_position[:most])
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in found if p.name not in passed and p.kind not in variadic]


@dataclass
class Report:
    """The result of the checks of a plugin. ``str()`` of it shows the numbers.

    Parameters
    ----------
    plugin : str
    operations : int
        The number of its operations that were checked.
    counts : Counts
    """

    plugin: str
    operations: int
    counts: Counts

    def __str__(self) -> str:
        return f"{self.plugin}: {self.counts.summary(self.operations)}"


def checks_of(plugin: str, operations: Iterable[str] | None = None) -> Iterator[Check]:
    """Yield every check of the operations of a plugin, or of some of them.

    An operation that another plugin provides as well is checked, too, even if the one of the other
    plugin is in use.

    Parameters
    ----------
    plugin : str
        Name of a loaded plugin, or of its distribution.
    operations : iterable of str, optional
        Names of some of its operations; all by default.

    Yields
    ------
    Check

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError)
        If no plugin of that name is loaded, or it has no such operation.
    PluginLoadError
        If a module of the plugin cannot be imported.

    See Also
    --------
    check_plugin : Runs all checks, and has an example.
    """
    seen = with_name(plugin)
    name = seen.record.name if seen else plugin
    found = {operation.name: operation for operation in operations_of(name)}
    if not found:
        loaded = [record.name for record in plugins() if record.state == "loaded"]
        cause = did_you_mean(plugin, loaded)
        if seen:
            cause = f"{seen.record} is {seen.record.state}: {seen.record.cause}"
        raise UnknownPluginError(
            f"no plugin {plugin!r} with operations is loaded; loaded are "
            f"{', '.join(loaded) or 'none'}. {cause}".rstrip(),
            plugin=plugin,
            known=loaded,
        )
    wanted = found if operations is None else operations
    for name in [wanted] if isinstance(wanted, str) else wanted:
        if name not in found:
            guess = did_you_mean(name, found) or f"It has {', '.join(list(found)[:8])}, …"
            raise UnknownOperationError(
                f"plugin {plugin!r} has no operation {name!r}. {guess}",
                plugin=plugin,
                operation=name,
                known=tuple(found),
            )
        checks = DIFFERENTIABLE_CHECKS if found[name].differentiable else PLAIN_CHECKS
        sample = found[name].sample
        if sample is not None and not checks.keys() >= sample.known_failures.keys():
            raise ValueError(
                f"{name} has known failures {list(sample.known_failures)}; the checks are "
                f"{list(checks)}."
            )
        for check, function in checks.items():
            yield Check(found[name], check, function)


def check_plugin(plugin: str, operations: Iterable[str] | None = None) -> Report:
    """Check the operations of a plugin, and return the numbers of checks.

    Parameters
    ----------
    plugin : str
        Name of a loaded plugin, or of its distribution.
    operations : iterable of str, optional
        Names of some of its operations; all by default.

    Returns
    -------
    Report

    Raises
    ------
    ExceptionGroup of CheckError
        If any check fails.
    UnknownPluginError, UnknownOperationError (LookupError)
        If there is no such plugin or operation.
    PluginLoadError
        If a module of the plugin cannot be imported.

    Examples
    --------
    >>> class Negative(Function):
    ...     def forward(self, x):
    ...         return -x
    ...
    ...     def backward(self, gy):
    ...         return gy  # it must be -gy
    >>> class plugin:
    ...     @staticmethod
    ...     @hookimpl
    ...     def dezero_register_ops(register):
    ...         sample = elementwise((0.5, 3.0), reference=np.negative)
    ...         register("negative", lambda x: Negative()(x), Negative, sample=sample)
    >>> negative = register(plugin, "mine")
    >>> try:
    ...     report = check_plugin("mine")
    ... except ExceptionGroup as error:
    ...     print(str(error.exceptions[0]).partition(", by")[0])
    negative: gradient: wrong gradient of input 0
    >>> unregister("mine").state
    'disabled'
    """
    report, failures, seen = Report(plugin, 0, Counts()), [], set()
    for check in checks_of(plugin, operations):
        seen.add(check.operation.name)
        try:
            report.counts.add(check.run())
        except CheckError as failure:
            failures.append(failure)
    report.operations = len(seen)
    if failures:
        raise ExceptionGroup(f"{len(failures)} checks failed. {report}", failures)
    return report


def _are_close(expected: Any, got: Any) -> bool:
    try:
        return bool(np.allclose(expected, got, rtol=1e-5, atol=1e-8, equal_nan=True))
    except (TypeError, ValueError):  # the shapes differ, or these are no arrays
        return True
