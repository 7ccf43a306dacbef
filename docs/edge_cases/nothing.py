"""Cases of docs/edges: nothing, and one element without an axis."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Nothing, and one element without an axis",
    introduction="""
The gradient of nothing is empty.
""",
    cases=(
        Case("np.sum(x)", "x = []", "[]", "The sum of nothing is 0."),
        Case("np.prod(x)", "x = []", "[]", "The product of nothing is 1."),
        Case("np.mean(x)", "x = []", "[]", "NumPy warns."),
        Case("np.std(x)", "x = []", "[]", "NumPy warns."),
        Case(
            "np.median(x)",
            "x = []",
            "[]",
            "NumPy warns.",
            torch="raises RuntimeError",
            jax="raises TypeError",
        ),
        Case(
            "np.max(x)",
            "x = []",
            "—",
            "As NumPy: there is no largest of nothing.",
            torch="raises RuntimeError",
            jax="raises ValueError",
        ),
        Case("np.max(x, initial=0.0)", "x = []", "[]", "The largest is `initial`.", torch="—"),
        Case("np.max(x, axis=0)", "x = [[], []]", "[[], []]", "The result is empty, too."),
        Case("np.linalg.norm(x)", "x = []", "[]", "The root of a sum of nothing."),
        Case("logsumexp(x)", "x = []", "[]", "The logarithm of 0."),
        Case("np.sum(x)", "x = 3", "1", "One element."),
        Case("np.max(x)", "x = 3", "1", "One element."),
        Case("np.median(x)", "x = 3", "1", "One element."),
        Case("np.std(x)", "x = 3", "0", "It is 0 whatever `x` is.", jax="nan"),
        Case("np.ptp(x)", "x = 3", "0", "It is 0 whatever `x` is."),
    ),
)
