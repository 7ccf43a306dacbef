"""Cases of docs/edges: nan."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="nan",
    introduction="""
A value is nan where NumPy says so. The gradient then goes the way the nan came; what ignores
nan gives it 0. Elements that have nothing to do with it keep their gradients.
""",
    cases=(
        Case("np.maximum(x, y)", "x = nan; y = 1", "1, 0", "nan wins.", torch="1, 1", jax="0, 0"),
        Case("np.minimum(x, y)", "x = nan; y = 1", "1, 0", "nan wins.", torch="1, 1", jax="0, 0"),
        Case(
            "np.maximum(x, y)", "x = nan; y = nan", "0.5, 0.5", "A tie.", torch="1, 1", jax="0, 0"
        ),
        Case("np.fmax(x, y)", "x = nan; y = 1", "0, 1", "The number wins."),
        Case("np.fmax(x, y)", "x = nan; y = nan", "0.5, 0.5", "A tie.", torch="1, 0", jax="1, 0"),
        Case(
            "np.max(x)",
            "x = [nan, 1, nan]",
            "[0.5, 0, 0.5]",
            "nan wins, and both of them share.",
            jax="[nan, nan, nan]",
        ),
        Case("np.nanmax(x)", "x = [nan, 1, 1]", "[0, 0.5, 0.5]", "nan is ignored.", torch="—"),
        Case(
            "np.nanmax(x)",
            "x = [nan, nan]",
            "[0, 0]",
            "All is ignored, though the value is nan.",
            torch="—",
        ),
        Case(
            "np.ptp(x)",
            "x = [nan, 1]",
            "[0, 0]",
            "nan is the largest and the smallest.",
            jax="[nan, nan]",
        ),
        Case("np.median(x)", "x = [nan, 1, 2]", "[1, 0, 0]", "nan wins.", jax="[0, 0, 0]"),
        Case("np.sort(x)[1]", "x = [nan, 1]", "[1, 0]", "nan comes last."),
        Case("np.sum(x)", "x = [nan, 1]", "[1, 1]", "1 for every element."),
        Case(
            "np.prod(x)",
            "x = [nan, 2]",
            "[2, nan]",
            "The product of the others.",
            torch="[nan, nan]",
        ),
        Case(
            "np.cumprod(x)[0]",
            "x = [2, nan]",
            "[1, 0]",
            "It is `x[0]`, and has nothing to do with `x[1]`.",
            torch="[nan, nan]",
            jax="[nan, 0]",
        ),
        Case(
            "np.cumprod(x)[1]",
            "x = [2, 3, nan]",
            "[3, 2, 0]",
            "It has nothing to do with `x[2]`.",
            torch="[nan, nan, nan]",
            jax="[nan, nan, 0]",
        ),
        Case(
            "np.cumprod(x)[0]",
            "x = [nan, 2]",
            "[1, 0]",
            "It is `x[0]`, and has nothing to do with `x[1]`.",
            torch="[nan, nan]",
            jax="[1, nan]",
        ),
        Case("np.nansum(x)", "x = [nan, 1]", "[0, 1]", "nan is ignored."),
        Case("np.nansum(x)", "x = [nan, nan]", "[0, 0]", "All is ignored."),
        Case(
            "np.nanmean(x)",
            "x = [nan, nan]",
            "[0, 0]",
            "All is ignored, though the value is nan.",
            torch="[nan, nan]",
        ),
        Case(
            "np.nanstd(x)",
            "x = [3, 3, nan]",
            "[0, 0, 0]",
            "As for `std` of equal elements.",
            torch="—",
            jax="[nan, nan, 0]",
        ),
        Case(
            "np.nanvar(x, ddof=1)",
            "x = [3, nan]",
            "[nan, 0]",
            "The value is 0 / 0 of one element; what is nan is ignored.",
            torch="—",
            jax="[0, 0]",
        ),
        Case(
            "np.nanstd(x, ddof=1)",
            "x = [3, nan]",
            "[nan, 0]",
            "The value is 0 / 0 of one element; what is nan is ignored.",
            torch="—",
            jax="[0, 0]",
        ),
        Case(
            "np.sum(x, where=[False, True])",
            "x = [nan, 1]",
            "[0, 1]",
            "What the mask leaves out has none.",
            torch="—",
        ),
        Case(
            "np.std(x, where=[False, True, True])",
            "x = [nan, 1, 2]",
            "[0, -0.5, 0.5]",
            "What the mask leaves out has none.",
            torch="—",
            jax="[nan, nan, nan]",
        ),
        Case(
            "np.where([True, False], x, y)",
            "x = [1, nan]; y = [nan, 2]",
            "[1, 0], [0, 1]",
            "What is not chosen has none.",
        ),
        Case(
            "np.where(x > 0, np.log(x), 0.0)",
            "x = [0, 1]",
            "[nan, 1]*",
            "`where` gives `log` the gradient 0, and that times inf is nan.",
        ),
        Case(
            "np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0)",
            "x = [0, 1]",
            "[0, 1]",
            "How to write it: `log` never sees the 0.",
        ),
        Case(
            "np.clip(x, 0.0, 1.0)", "x = nan", "1", "nan stays nan, and is `x`.", torch="0", jax="0"
        ),
        Case(
            "np.clip(x, a, 1.0)",
            "x = 0.5; a = nan",
            "0, 1",
            "A bound that is nan wins.",
            torch="0, 0",
            jax="0, 0",
        ),
        Case("np.nan_to_num(x)", "x = [nan, 1, inf]", "[0, 1, 0]", "What is replaced has none."),
        Case("np.abs(x)", "x = nan", "nan", "It has no sign.", torch="0", jax="-1"),
        Case("np.sign(x)", "x = nan", "0", "A step has the slope 0 everywhere.", torch="0 (of 0)"),
        Case("np.floor(x)", "x = nan", "0", "A step has the slope 0 everywhere."),
        Case("np.linalg.norm(x)", "x = [nan, 2]", "[nan, nan]", "`x / norm(x)`."),
        Case(
            "np.std(x)",
            "x = [nan, 2, 3]",
            "[nan, nan, nan]",
            "The mean is nan, and with it all deviations.",
        ),
    ),
)
