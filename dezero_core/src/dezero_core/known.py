"""Which distribution has which operation: for messages about what is not installed.

Names only; nothing is imported from them. A test holds them against what the
distributions really register.
"""

from __future__ import annotations

_NAMES = {
    "dezero-ops-basic": """
        absolute add astype broadcast_to contains div divide equal floor_divide floordiv
        getitem greater greater_equal iter less less_equal matmul mod mul multiply neg
        negative not_equal pos positive pow power remainder sign sub subtract sum_to
    """,
    "dezero-ops-math": """
        T amax amin cos exp log log_softmax logsumexp max maximum mean min minimum reshape
        sin sqrt square sum tan tanh transpose where
    """,
}
DISTRIBUTIONS = {distribution: frozenset(names.split()) for distribution, names in _NAMES.items()}
"""Distribution -> the names of its operations, methods and NumPy functions."""


METHODS = frozenset(
    {"T", "astype", "broadcast_to", "max", "mean", "min", "reshape", "sum", "sum_to", "transpose"}
)
"""Those of the names that are methods or properties of Variable."""


def distribution_of(operation: str) -> str | None:
    """Return the distribution that has an operation, a method or a NumPy function."""
    for distribution, names in DISTRIBUTIONS.items():
        if operation in names:
            return distribution
    return None
