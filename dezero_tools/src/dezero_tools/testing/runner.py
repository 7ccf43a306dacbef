"""Runs the checks of a plugin's operations, and counts them."""

from __future__ import annotations

import inspect
import os
import traceback
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dezero_core import (
    ApproximateGradientWarning,
    Operation,
    UnknownOperationError,
    UnknownPluginError,
    plugins,
)
from dezero_core.extend import attempt, find, operations_of
from dezero_tools.guessing import did_you_mean

from ..providers import provided_by
from .checks import CHECKS, Rule, array_rule, kind, missing
from .rules import BrokenRuleError, CheckError, NotApplicableError, array_lines, counted, severity
from .samples import sample_of
from .subject import Subject

_PACKAGE = os.path.dirname(os.path.dirname(__file__))


@dataclass
class Counts:
    """The numbers of checks that ran, were skipped, or were known to fail.

    Parameters
    ----------
    ran : int
        Number of checks that ran and passed. A check counts once for each call of the sample.
    skipped, known : dict from str to int
        Reason why checks did not apply, or were known to fail -> number of these checks.
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
        self.unpassed.update(other.unpassed)
        self.skipped = dict(Counter(self.skipped) + Counter(other.skipped))
        self.known = dict(Counter(self.known) + Counter(other.known))

    def summary(self, operations: int, failed: Collection[str] = ()) -> str:
        """Return the numbers as a sentence, with a line for each reason.

        Parameters
        ----------
        operations : int
            The number of operations that were checked.
        failed : collection of str
            The names of those that failed.

        Returns
        -------
        str
        """
        lines = [
            f"{counted(operations, 'operation')}, {counted(self.ran, 'check')} ran, "
            f"{sum(self.skipped.values()):,} skipped, {sum(self.known.values()):,} known to fail"
        ]
        if failed:
            listed = ", ".join(failed)
            lines.append(f"  {len(failed)} of {counted(operations, 'operation')} failed: {listed}")
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
    rule : Rule
        The check of one call, and the conditions that a call must meet.
    allow_empty : bool
        Whether it passes if the operation has no sample, so that nothing can be checked.
    """

    operation: Operation
    name: str
    rule: Rule
    allow_empty: bool = False

    def run(self) -> Counts:
        """Return the counts of the check for every call, with the operation of this plugin in use.

        Raises
        ------
        CheckError
            If the operation fails in a call. If it is marked as a known failure and passes. If
            nothing can be checked, and `allow_empty` is False.
        """
        name = self.operation.name
        counts = Counts(unpassed={f"{name}({p}=)" for p in unpassed(self.operation)})
        lacking, advice = missing(self.operation)
        if lacking:
            why = f"was registered without {lacking}"
            if not self.allow_empty:
                raise self._error(f"nothing was checked: it {why}. {advice}")
            return Counts(skipped={f"{name} {why}": 1})
        sample = sample_of(self.operation)
        known = sample.known_failures.get(self.name)
        for call in sample.calls:
            subject = Subject(self.operation, call)
            try:
                self.rule.require(subject)
                with warnings.catch_warnings(), provided_by({name: self.operation.plugin}):
                    # NumPy warns for empty arrays, say. np.errstate would not reach threads.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                    warnings.simplefilter("ignore", ApproximateGradientWarning)
                    # An operation may have a constant gradient by an operand, or none.
                    warnings.filterwarnings("ignore", "the result does not depend on", UserWarning)
                    self.rule.check(subject)
            except NotApplicableError as error:
                counts.add(Counts(skipped={str(error): 1}))
            except Exception as error:
                if known is None:
                    raise self._failure(subject, error) from error
                counts.add(Counts(known={known: 1}))
            else:
                counts.ran += 1
        if known is not None and not counts.known:
            raise self._error(
                f"{self.name} is marked as a known failure ({known}), but passes. Remove the mark."
            )
        return counts

    def _error(self, what: str) -> CheckError:
        name = self.operation.name
        return CheckError(f"{name}: {what}", operation=name, check=self.name)

    def _failure(self, subject: Subject, error: Exception) -> CheckError:
        name, call = self.operation.name, subject.call
        ours = isinstance(error, BrokenRuleError)
        facts = {fact: getattr(error, fact, None) for fact in ("expected", "got", "dtype")}
        facts |= {"operation": name, "check": self.name, "call": call}
        facts |= {fact: getattr(error, fact) if ours else None for fact in ("size", "order")}
        arrays = {fact: getattr(error, fact, ()) for fact in ("drawn", "gy", "along")}
        arrays["drawn"] = arrays["drawn"] or vars(subject).get("xs", ())
        what = str(error) if ours else f"{type(error).__name__}: {error}"
        what = f"for {facts['dtype']}: {what}" if facts["dtype"] else what
        lines = [f"{name}: {self.name}: {what}", f"  called: {name}{str(call)[len('Call') :]}"]
        lines += array_lines(arrays, facts["expected"], facts["got"])
        if not ours:
            for note in getattr(error, "__notes__", ()):
                # The place of the call is told unless that is in no file, or in the kit.
                told, _, place = note.partition(", called at ")
                lines.append(f"  {told if place.startswith(('<', _PACKAGE)) else note}")
            frames = traceback.extract_tb(error.__traceback__)
            theirs = [frame for frame in frames if not frame.filename.startswith(_PACKAGE)]
            lines += "".join(traceback.format_list(theirs)).splitlines()
        return CheckError("\n".join(lines), **facts, **arrays)


def unpassed(operation: Operation) -> list[str]:
    """Return the parameters of an operation that no call of its sample passes."""
    calls = sample_of(operation).calls
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


def checks_of(
    plugin: str,
    operations: Iterable[str] | None = None,
    allow_empty: bool = False,
    array: str | None = None,
) -> Iterator[Check]:
    """Yield every check of the operations of a plugin, or of some of them, in use or not.

    An operation without a sample has one check, which fails.

    Parameters
    ----------
    plugin : str
        Name of a loaded plugin, or of its distribution.
    operations : iterable of str, optional
        Names of some of its operations; all by default.
    allow_empty : bool
        Allow a plugin without operations, and skip operations without a sample.
    array : str, optional
        Check the operations over arrays of this type as well: ``"strict"``, or the name of an
        `ArrayType` that a plugin has registered with ``from_numpy``.

    Yields
    ------
    Check

    Raises
    ------
    UnknownPluginError, UnknownOperationError (LookupError)
        If no plugin of that name is loaded, or it has no operations, or no such operation.
    PluginError
        If no loaded plugin registers that type of arrays, or a registered sample makes none.
    PluginLoadError
        If a module of the plugin cannot be imported.
    """
    found = _operations(plugin, allow_empty)
    table = CHECKS | (array_rule(array) if array is not None else {})
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
        operation = found[name]
        checks = {each: rule for each, rule in table.items() if kind(operation) in rule.of}
        known = sample_of(operation).known_failures
        if not checks.keys() >= known.keys():
            raise ValueError(
                f"{name} has known failures {list(known)}; the checks are {list(checks)}."
            )
        for each, rule in checks.items():
            yield Check(operation, each, rule, allow_empty)


def _operations(plugin: str, allow_empty: bool) -> dict[str, Operation]:
    """Return the operations of a plugin by their names; raise if it has none and may not."""
    records = plugins()  # before it is looked for, since that loads them
    seen = attempt(lambda: find(plugin))
    found = {each.name: each for each in (operations_of(seen) if seen else ())}
    if found or (allow_empty and seen and seen.record.state == "loaded"):
        return found
    loaded = [record.name for record in records if record.state == "loaded"]
    cause = did_you_mean(plugin, loaded)
    if seen:
        state, why = seen.record.state, seen.record.cause
        cause = f"{seen.record} is {state}{f': {why}' if why else ' and registers none.'}"
    raise UnknownPluginError(
        f"no plugin {plugin!r} with operations is loaded; loaded are "
        f"{', '.join(loaded) or 'none'}. {cause}".rstrip(),
        plugin=plugin,
        known=loaded,
    )


def check_plugin(
    plugin: str,
    operations: Iterable[str] | None = None,
    allow_empty: bool = False,
    array: str | None = None,
) -> Report:
    """Check the operations of a plugin, and return the numbers of checks.

    Parameters
    ----------
    plugin, operations, allow_empty, array
        As of `checks_of`. By default nothing checked is a failure.

    Returns
    -------
    Report

    Raises
    ------
    ExceptionGroup of CheckError
        If any check fails. For each operation the worst failure comes first: a wrong derivative,
        then what could not be compared, then the others by their size.
    UnknownPluginError, UnknownOperationError, PluginError, PluginLoadError
        As of `checks_of`.

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
    ...         sample = lambda kit: kit.elementwise((0.5, 3.0), reference=np.negative)
    ...         register("negative", lambda x: Negative()(x), Negative, sample=sample)
    >>> negative = register(plugin, "mine")
    >>> try:
    ...     report = check_plugin("mine")
    ... except ExceptionGroup as error:
    ...     print(str(error.exceptions[0]).partition(" relative")[0])
    negative: gradient: wrong gradient of input 0, off by 2
    >>> unregister("mine").state
    'disabled'
    """
    report, failures = Report(plugin, 0, Counts()), []
    seen: dict[str, int] = {}
    for check in checks_of(plugin, operations, allow_empty, array):
        seen.setdefault(check.operation.name, len(seen))
        try:
            report.counts.add(check.run())
        except CheckError as failure:
            failures.append(failure)
    report.operations = len(seen)
    if not seen and not allow_empty:
        nothing = f"{plugin}: nothing was checked: no operation was named."
        failures.append(CheckError(nothing, operation=""))
    if failures:
        failures.sort(key=lambda each: (seen.get(each.operation, 0), severity(vars(each))))
        failed = dict.fromkeys(failure.operation for failure in failures if failure.operation)
        said = f"{plugin}: {report.counts.summary(len(seen), failed)}"
        raise ExceptionGroup(f"{counted(len(failures), 'check')} failed. {said}", failures)
    return report
