"""Cases of docs/edges: jumps."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Jumps",
    introduction="""
A step has the slope 0 on both sides, and so it has at the jump. A remainder has the slopes that
it has beside the jump.
""",
    cases=(
        Case("np.floor(x)", "x = 1", "0", "As on both sides."),
        Case("np.rint(x)", "x = 0.5", "0", "As on both sides."),
        Case("x // y", "x = 6; y = 3", "0, 0", "As on both sides.", torch="raises RuntimeError"),
        Case(
            "np.mod(x, y)",
            "x = 6; y = 3",
            "1, -2",
            "`x - y * (x // y)`, where `x // y` is constant.",
        ),
        Case(
            "np.mod(x, y)",
            "x = -6; y = 3",
            "1, 2",
            "`x - y * (x // y)`, where `x // y` is constant.",
        ),
        Case(
            "np.fmod(x, y)",
            "x = 6; y = 3",
            "1, -2",
            "`x - y * trunc(x / y)`, where `trunc(x / y)` is constant.",
        ),
        Case(
            "np.fmod(x, y)",
            "x = -6; y = 3",
            "1, 2",
            "`x - y * trunc(x / y)`, where `trunc(x / y)` is constant.",
        ),
        Case(
            "np.mod(x, y)", "x = 6; y = 0", "1, -inf*", "By the formula, though the value is nan."
        ),
        Case(
            "np.heaviside(x, y)",
            "x = 0; y = 0.5",
            "0, 1",
            "The value is `y`; by `x` as on both sides.",
            torch="raises RuntimeError",
        ),
        Case(
            "np.copysign(x, y)",
            "x = 0; y = 1",
            "0, 0",
            "`abs(x)` times a sign, so 0 by `x`, as for `abs`.",
            jax="1, 0",
        ),
        Case(
            "np.copysign(x, y)",
            "x = -0.0; y = 1",
            "0, 0",
            "-0.0 is 0, and as for `abs`.",
            jax="1, 0",
        ),
        Case(
            "np.copysign(x, y)",
            "x = 2; y = -0.0",
            "-1, 0",
            "-0.0 is negative. By `y` there is a jump.",
        ),
        Case(
            "np.copysign(x, y)",
            "x = -2; y = -0.0",
            "1, 0",
            "-0.0 is negative. By `y` there is a jump.",
        ),
        Case(
            "np.interp(x, xp, yp)",
            "x = 1; xp = [0, 1, 2]; yp = [0, 1, 0]",
            "-1, [0, 1, 0], [0, 1, 0]",
            "At a point the slope is that to its right; at the last one, to its left.",
            torch="—",
        ),
    ),
)
