"""The conformance kit: what is asked of every operation, for every author of one.

``check_plugin("NAME")``, or ``pytest --dezero-ops=NAME``, takes the operations of a plugin,
calls them as their registrations say, and checks values, gradients, second derivatives and
manners. Install it with ``dezero-tools[testing]``.

``compare("exp", "math", "fastmath")`` says how far two providers of one operation are apart.
"""

from __future__ import annotations

from ..errors import ComparisonError
from .comparing import compare
from .comparison import Comparison, Difference, Failure, Mismatch
from .runner import Check, CheckError, Counts, Report, check_plugin, checks_of

__all__ = [
    "Check",
    "CheckError",
    "Comparison",
    "ComparisonError",
    "Counts",
    "Difference",
    "Failure",
    "Mismatch",
    "Report",
    "check_plugin",
    "checks_of",
    "compare",
]
