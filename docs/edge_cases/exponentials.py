"""Cases of docs/edges: sums of exponentials."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Sums of exponentials",
    introduction="""
The gradients are the shares in the sum. `logsumexp`, `log_softmax`, `softmax` and `sigmoid` are
those of `dezero_ops_math`, `torch` and `jax.nn`.
""",
    cases=(
        Case(
            "np.logaddexp(x, y)",
            "x = -inf; y = -inf",
            "0.5, 0.5",
            "Equal shares, also in nothing: the limit as both fall together.",
            torch="nan, nan",
            jax="nan, nan",
        ),
        Case(
            "np.logaddexp(x, y)",
            "x = inf; y = inf",
            "0.5, 0.5",
            "Equal shares: the limit as both grow together.",
            torch="nan, nan",
            jax="1, 1",
        ),
        Case("np.logaddexp(x, y)", "x = -inf; y = 1", "0, 1", "All of the sum is `exp(y)`."),
        Case(
            "np.logaddexp(x, y)",
            "x = inf; y = 1",
            "1, 0",
            "All of the sum is `exp(x)`.",
            jax="1, 2.718",
        ),
        Case("np.logaddexp(x, y)", "x = -inf; y = inf", "0, 1", "All of the sum is `exp(y)`."),
        Case(
            "logsumexp(x)",
            "x = [-inf, -inf]",
            "[0.5, 0.5]",
            "Equal shares, also in nothing: the limit as all fall together.",
            torch="[nan, nan]",
            jax="[nan, nan]",
        ),
        Case(
            "logsumexp(x)",
            "x = [inf, inf]",
            "[0.5, 0.5]",
            "Equal shares: the limit as all that are inf grow together.",
            torch="[nan, nan]",
            jax="[nan, nan]",
        ),
        Case("logsumexp(x)", "x = [-inf, 1]", "[0, 1]", "All of the sum is `exp(x[1])`."),
        Case(
            "logsumexp(x)",
            "x = [inf, 1]",
            "[1, 0]",
            "All of the sum is `exp(x[0])`.",
            torch="[nan, 0]",
            jax="[nan, 0]",
        ),
        Case(
            "np.exp(log_softmax(x))[0]",
            "x = [-inf, 1]",
            "[0, 0]",
            "The share is 0, and grows by what `exp(x[0])` grows, which is 0.",
        ),
        Case("log_softmax(x)[0]", "x = [-inf, 1]", "[1, -1]", "1 less the shares."),
        Case(
            "softmax(x)[0]",
            "x = [inf, inf]",
            "[0.25, -0.25]",
            "Equal shares: the limit as both grow together.",
            torch="[nan, nan]",
            jax="[nan, nan]",
        ),
        Case(
            "softmax(x)[0]",
            "x = [-inf, -inf]",
            "[0.25, -0.25]",
            "Equal shares, also in nothing: the limit as both fall together.",
            torch="[nan, nan]",
            jax="[nan, nan]",
        ),
        Case(
            "softmax(x)[0]",
            "x = [inf, 1]",
            "[0, 0]",
            "All of the sum is `exp(x[0])`, and stays so.",
            torch="[nan, nan]",
            jax="[nan, nan]",
        ),
        Case("softmax(x)[0]", "x = [-inf, 1]", "[0, 0]", "The share is 0, and grows by nothing."),
        Case("sigmoid(x)", "x = [-inf, inf]", "[0, 0]", "It is flat at both ends."),
    ),
)
