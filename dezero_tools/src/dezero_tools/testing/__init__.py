"""The conformance kit: the checks that every operation must pass, for authors of plugins.

``check_plugin("NAME")``, or ``pytest --dezero-ops=NAME``, calls the operations of a plugin as
their registrations say, and checks values, gradients, second derivatives and manners.
``compare("exp", "math", "fastmath")`` compares the results of two providers of one operation.
``check_gradient(f, x)`` checks a function of your own, which no plugin registers. Install the kit
with ``dezero-tools[testing]``.
"""

from ..errors import ComparisonError
from .comparing import compare
from .comparison import Comparison, Difference, Failure, Mismatch
from .gradients import GradientCheckError, check_gradient
from .rules import CheckError
from .runner import Check, Counts, Report, check_plugin, checks_of
from .samples import Call, Draw, Sample, elementwise, order_of, sample_of

__all__ = [
    "Call",
    "Check",
    "CheckError",
    "Comparison",
    "ComparisonError",
    "Counts",
    "Difference",
    "Draw",
    "Failure",
    "GradientCheckError",
    "Mismatch",
    "Report",
    "Sample",
    "check_gradient",
    "check_plugin",
    "checks_of",
    "compare",
    "elementwise",
    "order_of",
    "sample_of",
]
