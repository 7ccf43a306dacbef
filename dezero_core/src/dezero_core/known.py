"""Which distribution has which operation: for messages about what is not installed.

Names only; nothing is imported from them. A test holds them against what the
distributions really register.
"""

from __future__ import annotations

DISTRIBUTIONS: dict[str, frozenset[str]] = {
    "dezero-ops-basic": frozenset(
        [
            "abs",
            "absolute",
            "add",
            "astype",
            "broadcast_to",
            "contains",
            "divide",
            "equal",
            "floor_divide",
            "getitem",
            "greater",
            "greater_equal",
            "iter",
            "less",
            "less_equal",
            "matmul",
            "multiply",
            "negative",
            "not_equal",
            "positive",
            "power",
            "remainder",
            "sign",
            "subtract",
            "sum_to",
        ]
    ),
    "dezero-ops-math": frozenset(
        [
            "T",
            "cos",
            "exp",
            "log",
            "log_softmax",
            "logsumexp",
            "max",
            "maximum",
            "mean",
            "min",
            "minimum",
            "reshape",
            "sin",
            "sqrt",
            "square",
            "sum",
            "tan",
            "tanh",
            "transpose",
            "where",
        ]
    ),
}


def distribution_of(operation: str) -> str | None:
    """Return the distribution that has an operation, a method or a NumPy function."""
    for distribution, names in DISTRIBUTIONS.items():
        if operation in names:
            return distribution
    return None
