"""``pytest --dezero-ops=NAME``: the conformance kit as tests.

pytest imports this module wherever dezero-tools is installed, so it imports nothing before
the option is given: neither the core nor its plugins.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import pytest

_COUNTS, _FAILURE = "dezero counts", "dezero failure"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dezero")
    group.addoption(
        "--dezero-ops",
        action="append",
        default=[],
        metavar="NAME",
        help="check the operations of this plugin of dezero_core; tests run only from paths "
        "that are given as well; may be repeated",
    )
    group.addoption(
        "--array",
        metavar="TYPE",
        help="check the operations over arrays of this type as well: strict, or one of a plugin",
    )
    group.addoption(
        "--dezero-allow-empty",
        action="store_true",
        help="let operations without a sample, and plugins without operations, pass",
    )


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Collect no other tests, unless paths are given as well."""
    alone = config.getoption("dezero_ops") and config.args_source != config.ArgsSource.ARGS
    return True if alone else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Collect the checks of plugins after everything else: a conftest may register a plugin."""
    if isinstance(collector, _PluginCollector):
        collector.find()
    report = yield
    if isinstance(collector, pytest.Session):
        for plugin in dict.fromkeys(collector.config.getoption("dezero_ops")):
            found = _PluginCollector.from_parent(collector, name=plugin, nodeid=plugin)
            report.result.append(found)
    return report


class _PluginCollector(pytest.Collector):
    """The operations of a plugin: one test for each check of each operation."""

    checks: list[Any]

    def find(self) -> None:
        """Find the checks; an unknown plugin is an error of usage, and none of a test."""
        from dezero_tools.testing import checks_of

        from dezero_core import PluginError

        allow_empty = self.config.getoption("dezero_allow_empty")
        array = self.config.getoption("array")
        try:
            self.checks = list(checks_of(self.name, allow_empty=allow_empty, array=array))
        except PluginError as error:
            raise pytest.UsageError(str(error)) from None

    def collect(self) -> Iterator[pytest.Item]:
        for check in self.checks:
            name = f"{self.name}::{check.operation.name}::{check.name}"
            yield _CheckItem.from_parent(self, name=name, nodeid=name, check=check)


class _CheckItem(pytest.Item):
    def __init__(self, *, check: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        from dezero_tools.testing import CheckError

        try:
            counts = self.check.run()
        except CheckError as error:
            facts = {name: vars(error).get(name) for name in ("operation", "size", "order")}
            facts["line"] = str(error).partition("\n")[0]
            self.user_properties.append((_FAILURE, facts))
            raise
        plain = {**vars(counts), "unpassed": sorted(counts.unpassed)}
        facts = {"operation": self.check.operation.name, "counts": plain}
        self.user_properties.append((_COUNTS, facts))
        if not counts.ran and not counts.known:
            pytest.skip("; ".join(counts.skipped))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[str, None, str]:
        return self.name, None, self.name


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Let a session without any test succeed if its plugins may be without operations."""
    options = session.config.option
    if options.dezero_ops and options.dezero_allow_empty:
        empty = exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        session.exitstatus = pytest.ExitCode.OK if empty else exitstatus


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the counts, and a line for each failure, for each operation the worst one first."""
    # The reports carry them, also from the processes of pytest-xdist.
    found: dict[str, list[dict[str, Any]]] = {_COUNTS: [], _FAILURE: []}
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, facts in getattr(report, "user_properties", ()):
                if name in found and report.when == "call":
                    found[name].append(facts)
    if not any(found.values()):
        return
    from dezero_tools.testing import Counts
    from dezero_tools.testing.rules import severity

    total = Counts()
    for fact in found[_COUNTS]:
        total.add(Counts(**fact["counts"]))
    terminalreporter.section("dezero operations")
    for failure in sorted(found[_FAILURE], key=lambda each: (each["operation"], severity(each))):
        terminalreporter.line(failure["line"])
    operations = {fact["operation"] for facts in found.values() for fact in facts}
    failed = dict.fromkeys(sorted(failure["operation"] for failure in found[_FAILURE]))
    terminalreporter.line(total.summary(len(operations), failed))
