"""``pytest --dezero-ops=NAME``: the conformance kit as tests.

pytest imports this module wherever dezero-tools is installed, so it imports nothing before
the option is given: neither the core nor its plugins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

_COUNTS = "dezero counts"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("dezero").addoption(
        "--dezero-ops",
        action="append",
        default=[],
        metavar="NAME",
        help="check the operations of this plugin of dezero_core; tests run only from paths "
        "that are given as well; may be repeated",
    )


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Collect no other tests, unless paths are given as well."""
    alone = config.getoption("dezero_ops") and config.args_source != config.ArgsSource.ARGS
    return True if alone else None


def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add one test for each check of each operation."""
    for plugin in dict.fromkeys(config.getoption("dezero_ops")):
        items.extend(_items(session, plugin))


def _items(session: pytest.Session, plugin: str) -> Iterator[pytest.Item]:
    from dezero_tools.testing import checks_of

    from dezero_core import PluginError

    try:
        for check in checks_of(plugin):
            name = f"{plugin}::{check.operation.name}::{check.name}"
            yield _CheckItem.from_parent(session, name=name, check=check)
    except PluginError as error:
        raise pytest.UsageError(str(error)) from None


class _CheckItem(pytest.Item):
    """One check of one operation."""

    def __init__(self, *, check: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        counts = self.check.run()
        facts = {
            "operation": self.check.operation.name,
            "ran": counts.ran,
            "skipped": dict(counts.skipped),
            "known": dict(counts.known),
            "unpassed": sorted(counts.unpassed),
        }
        self.user_properties.append((_COUNTS, facts))
        if not counts.ran and not counts.known:
            pytest.skip("; ".join(counts.skipped))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Show the operation, the call, what was expected and what was got."""
        return str(excinfo.value)

    def reportinfo(self) -> tuple[str, None, str]:
        return self.name, None, self.name


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the counts. The reports carry them, also from the processes of pytest-xdist."""
    facts = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == _COUNTS and report.when == "call"
    ]
    if not facts:
        return
    from dezero_tools.testing import Counts

    total = Counts()
    for fact in facts:
        total.add(Counts(fact["ran"], fact["skipped"], fact["known"], set(fact["unpassed"])))
    terminalreporter.section("dezero operations")
    terminalreporter.line(total.summary(len({fact["operation"] for fact in facts})))
