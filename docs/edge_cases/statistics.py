"""Cases of docs/edges: statistics and products."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Statistics and products",
    introduction="""
A standard deviation is a length, that of the deviations from the mean: it has a corner where
all elements are equal.
""",
    cases=(
        Case("np.std(x)", "x = [3]", "[0]", "It is 0 whatever `x` is.", jax="[nan]"),
        Case("np.var(x)", "x = [3]", "[0]", "It is 0 whatever `x` is."),
        Case("np.std(x, ddof=1)", "x = [3]", "[nan]", "The value is 0 / 0."),
        Case("np.var(x, ddof=1)", "x = [3]", "[nan]", "The value is 0 / 0."),
        Case(
            "np.std(x)",
            "x = [3, 3]",
            "[0, 0]",
            "The middle of the slopes, as for `norm` at 0.",
            jax="[nan, nan]",
        ),
        Case(
            "np.std(x, ddof=1)",
            "x = [3, 3]",
            "[0, 0]",
            "The middle of the slopes, as for `norm` at 0.",
            jax="[nan, nan]",
        ),
        Case(
            "np.std(x)",
            "x = [0.1, 0.1, 0.1]",
            "[0, 0, 0]",
            "They are equal, though their mean is rounded to another number.",
            torch="[-0.3333, -0.3333, -0.3333]",
            jax="[nan, nan, nan]",
        ),
        Case("np.var(x)", "x = [3, 3]", "[0, 0]", "There is no edge."),
        Case("np.var(x, ddof=1)", "x = [3, 3]", "[0, 0]", "There is no edge."),
        Case(
            "np.std(x) ** 2",
            "x = [3, 3]",
            "[0, 0]",
            "0 times the gradient of `std`, which is finite.",
            jax="[nan, nan]",
        ),
        Case(
            "np.std(x)",
            "x = [3, 3]",
            "[nan, nan]*",
            "There is none: it grows to inf beside the corner.",
            torch="[0, 0]",
            twice=True,
        ),
        Case(
            "np.std(x) ** 2",
            "x = [3, 3]",
            "[nan, nan]*",
            "0 times that of `std`, which is nan. Write `np.var(x)`.",
            torch="[0, 0]",
            twice=True,
        ),
        Case(
            "np.std(x)",
            "x = [1e200, 3e200]",
            "[-0.5, 0.5]",
            "The value overflows, the direction of the deviations does not.",
            torch="[0, 0]",
            jax="[0, 0]",
        ),
        Case(
            "np.var(x)",
            "x = [3, 3]",
            "[0, 0]",
            "There is no edge; this is the sum of rows that are `[0.5, -0.5]`.",
            twice=True,
        ),
        Case(
            "np.prod(x)",
            "x = [0, 2, 3]",
            "[6, 0, 0]",
            "The product of the others, without a division.",
        ),
        Case("np.prod(x)", "x = [0, 0, 3]", "[0, 0, 0]", "The product of the others."),
        Case(
            "np.prod(x)", "x = [0, 0, 3]", "[3, 3, 0]", "The products of all but two.", twice=True
        ),
        Case(
            "np.cumprod(x)",
            "x = [0, 2, 3]",
            "[9, 0, 0]",
            "By `x[0]` the sum 1 + 2 + 6, without a division.",
        ),
        Case("np.cumprod(x)", "x = [0, 0, 3]", "[1, 0, 0]", "Each product of the others."),
        Case(
            "np.cumprod(x)[0]",
            "x = [2, inf]",
            "[1, 0]",
            "It is `x[0]`, and has nothing to do with `x[1]`.",
            torch="[nan, nan]",
            jax="[nan, 0]",
        ),
        Case(
            "np.cumprod(x)[1]",
            "x = [2, inf]",
            "[inf, 2]",
            "The product of the other, as of `prod`.",
            torch="[inf, nan]",
        ),
        Case(
            "np.cumprod(x)",
            "x = [0, 0, 3]",
            "[4, 4, 0]",
            "The products of all but two.",
            twice=True,
        ),
    ),
)
