"""The conformance kit of dezero-tools: a test for each check of each operation."""

from __future__ import annotations

import pytest
from dezero_tools.testing import Check, CheckError, checks_of, sample_of

CHECKS = list(checks_of("special"))


def named(check: Check) -> str:
    """Return the name of a check for the list of pytest."""
    return f"{check.operation.name}: {check.name}"


@pytest.mark.parametrize("check", CHECKS, ids=named)
def test_the_operation_of_special_passes_the_check(check: Check) -> None:
    try:
        counts = check.run()
    except CheckError as error:
        # Show the message of the kit without a traceback through the kit's own code.
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    if not counts.ran:
        pytest.skip("; ".join(counts.skipped))


def test_no_operation_of_special_is_known_to_fail() -> None:
    assert len({check.operation.name for check in CHECKS}) == 21
    assert all(check.operation.sample for check in CHECKS)
    assert not any(sample_of(check.operation).known_failures for check in CHECKS)
