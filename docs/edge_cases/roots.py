"""Cases of docs/edges: roots, logarithms and powers."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Roots, logarithms and powers",
    introduction="""
Where a slope is infinite, so is the gradient; what is multiplied with it by the chain rule may
make it nan.
""",
    cases=(
        Case("np.sqrt(x)", "x = 0", "inf*", "What `1 / (2 * sqrt(x))` tends to."),
        Case("np.sqrt(x)", "x = -1", "nan", "The value is nan, too."),
        Case(
            "np.sqrt(x ** 2)",
            "x = 0",
            "nan*",
            "The chain rule has 0 times inf here, which may be any number. Write `np.abs(x)`.",
        ),
        Case(
            "np.cbrt(x)",
            "x = 0",
            "inf*",
            "What `1 / (3 * cbrt(x)**2)` tends to, on both sides.",
            torch="—",
        ),
        Case("np.log(x)", "x = 0", "inf*", "What `1 / x` tends to from above."),
        Case(
            "np.log(x)", "x = -1", "-1", "`1 / x`, though the value is nan; NumPy has warned of it."
        ),
        Case("np.log1p(x)", "x = -1", "inf*", "As for `log` at 0."),
        Case("x * np.log(x)", "x = 0", "nan*", "0 times -inf, in the value already."),
        Case("1 / x", "x = 0", "-inf*", "What `-1 / x**2` tends to, on both sides."),
        Case("np.arcsin(x)", "x = 1", "inf*", "What `1 / sqrt(1 - x**2)` tends to."),
        Case("np.arctanh(x)", "x = 1", "inf*", "What `1 / (1 - x**2)` tends to."),
        Case("x ** 0", "x = 0", "0", "A constant, 1."),
        Case("x ** 0.5", "x = 0", "inf*", "As for `sqrt`."),
        Case("x ** 1", "x = 0", "1", "There is no edge: `0 ** 0` is 1."),
        Case("x ** 2", "x = 0", "0", "There is no edge."),
        Case("x ** 3", "x = 0", "0", "There is no edge."),
        Case("x ** -1", "x = 0", "-inf*", "As for `1 / x`."),
        Case(
            "x ** c",
            "x = 0; c = 0",
            "0, 0",
            (
                "By `x` as of `x ** 0`. By `c` as for every `c` above 0, where `0 ** c` is 0;"
                " at 0 it jumps to 1."
            ),
            jax="nan, 0",
        ),
        Case(
            "x ** c",
            "x = 0; c = 0.5",
            "inf, 0*",
            "By `x` as of `sqrt`; by `c` 0, for `0 ** c` is 0 on both sides.",
        ),
        Case("x ** c", "x = 0; c = 1", "1, 0", "`0 ** c` is 0 for every `c` above 0."),
        Case("x ** c", "x = 0; c = 2", "0, 0", "`0 ** c` is 0 for every `c` above 0."),
        Case(
            "x ** c",
            "x = 0; c = -1",
            "-inf, -inf*",
            "By `c` it is `x**c * log(x)`, inf times -inf.",
            jax="-inf, nan",
        ),
        Case("0.0 ** c", "c = 0", "0", "As for every `c` above 0; at 0 it jumps."),
        Case("0.0 ** c", "c = 2", "0", "`0 ** c` is 0 for every `c` above 0."),
        Case("0.0 ** c", "c = -1", "-inf*", "`x**c * log(x)`, inf times -inf.", jax="nan"),
        Case(
            "x ** c",
            "x = -2; c = 3",
            "12, nan*",
            "By `c` there is none: next to an integer the value is nan.",
        ),
        Case(
            "x ** c",
            "x = -2; c = -1",
            "-0.25, nan*",
            "By `c` there is none: next to an integer the value is nan.",
        ),
        Case("x ** c", "x = -2; c = 0.5", "nan, nan*", "The value is nan, too."),
        Case(
            "np.float_power(x, c)",
            "x = 0; c = 0",
            "0, 0",
            "As for `x ** c`, where `x ** 0` is a constant.",
            jax="nan, 0",
        ),
        Case("x ** 2", "x = 0", "2", "There is no edge.", twice=True),
        Case("x ** 1.5", "x = 0", "inf*", "What `0.75 / sqrt(x)` tends to.", twice=True),
    ),
)
