"""The tests of replay print how the operations of the plugins were replayed."""

from collections import Counter


def pytest_terminal_summary(terminalreporter):
    """Print how many calls of samples were recorded, guarded, opaque, refused and stale."""
    reports = [
        (report, found)
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        for name, found in report.user_properties
        if name == "survey"
    ]
    stale = [
        report.nodeid
        for report in terminalreporter.getreports("failed")
        if "AssertionError: stale: " in report.longreprtext
    ]
    if not reports and not stale:
        return
    counts = sum((Counter(found) for _, found in reports), Counter())
    terminalreporter.section("operations replayed on other arrays")
    terminalreporter.line(f"{len(reports)} operations; stale: {len(stale)}")
    terminalreporter.line(", ".join(f"{what}: {n}" for what, n in sorted(counts.items())))
