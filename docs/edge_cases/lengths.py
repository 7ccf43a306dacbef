"""Cases of docs/edges: angles and lengths."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Angles and lengths",
    introduction="""
A length has a corner at 0, and there the gradient is 0: the middle of the slopes in all
directions, and what a method of descent wants at a minimum. There is no second derivative
there: it is nan, and by the chain rule so is that of the square of a length. Write that as the
sum of the squares. (The slope of `abs` of a real number is constant on both sides of 0, and 0 is
its second derivative, there too.)
""",
    cases=(
        Case("np.abs(x)", "x = 0", "0", "The middle of the slopes -1 and 1.", jax="1"),
        Case("np.fabs(x)", "x = 0", "0", "As for `abs`.", jax="1"),
        Case("np.abs(x)", "x = 0j", "0", "The middle of the slopes in all directions."),
        Case("np.sign(x)", "x = 0", "0", "Constant on both sides."),
        Case(
            "np.sign(x).real",
            "x = 0j",
            "nan+nanj*",
            "Around 0 it turns the faster the nearer, as the angle does.",
            torch="0",
            jax="0",
        ),
        Case(
            "np.hypot(x, y)",
            "x = 0; y = 0",
            "0, 0",
            "The middle of the slopes in all directions.",
            torch="nan, nan",
            jax="0.5, 0.5",
        ),
        Case(
            "np.hypot(x, y)",
            "x = inf; y = 1",
            "1, 0",
            "What they tend to as `x` grows.",
            torch="nan, 0",
            jax="nan, nan",
        ),
        Case(
            "np.hypot(x, y)",
            "x = 1e300; y = 1e300",
            "0.7071, 0.7071",
            "The squares, which would overflow, are not computed.",
            jax="1.061, 1.061",
        ),
        Case(
            "np.arctan2(y, x)",
            "y = 0; x = 0",
            "nan, nan*",
            "There is no middle: the slopes around it are infinite.",
            torch="0, 0",
        ),
        Case(
            "np.arctan2(y, x)",
            "y = 0; x = -1",
            "-1, 0",
            "That beside the jump, the same on both sides.",
        ),
        Case("np.angle(x)", "x = 0j", "nan+nanj*", "As for `arctan2`.", torch="0"),
        Case(
            "np.linalg.norm(x)",
            "x = [0, 0]",
            "[0, 0]",
            "The middle of the slopes in all directions, as for `abs`.",
            jax="[nan, nan]",
        ),
        Case(
            "np.linalg.norm(x)",
            "x = [1e200, 1e200]",
            "[0.7071, 0.7071]",
            "The value overflows, the direction does not.",
            torch="[0, 0]",
            jax="[0, 0]",
        ),
        Case(
            "np.linalg.norm(x)",
            "x = [1e-200, 1e-200]",
            "[0.7071, 0.7071]",
            "The squares vanish, and with them the value; the direction does not.",
            torch="[0, 0]",
            jax="[inf, inf]",
        ),
        Case(
            "np.linalg.norm(x)",
            "x = [inf, 2]",
            "[1, 0]",
            "What they tend to as `x[0]` grows, as for `hypot`.",
            torch="[nan, 0]",
            jax="[nan, 0]",
        ),
        Case(
            "np.linalg.norm(x, 3)",
            "x = [1e-200, 1e-200]",
            "[0.63, 0.63]",
            "The cubes vanish; their relation does not.",
            torch="[0, 0]",
            jax="[nan, nan]",
        ),
        Case(
            "np.linalg.norm(x, 1)", "x = [0, 0]", "[0, 0]", "As for a sum of `abs`.", jax="[1, 1]"
        ),
        Case(
            "np.linalg.norm(x, 1)", "x = [0, 2]", "[0, 1]", "As for a sum of `abs`.", jax="[1, 1]"
        ),
        Case(
            "np.linalg.norm(x, 3)",
            "x = [0, 0]",
            "[0, 0]",
            "As for the 2-norm: the middle.",
            jax="[nan, nan]",
        ),
        Case(
            "np.linalg.norm(x, 0.5)",
            "x = [0, 2]",
            "[0, 1]",
            "The slopes beside 0 are -inf and inf; 0 is between them.",
            jax="[inf, 1]",
        ),
        Case(
            "np.linalg.norm(x, np.inf)", "x = [0, 0]", "[0, 0]", "As for `abs`.", jax="[0.25, 0.25]"
        ),
        Case(
            "np.linalg.norm(x, np.inf)", "x = [2, -2]", "[0.5, -0.5]", "Ties share, as for `max`."
        ),
        Case(
            "np.linalg.norm(x, 'fro')",
            "x = [[0, 0], [0, 0]]",
            "[[0, 0], [0, 0]]",
            "As for vectors.",
            jax="[[nan, nan], [nan, nan]]",
        ),
        Case(
            "np.linalg.norm(x, 2)",
            "x = [[0, 0], [0, 0]]",
            "[[0, 0], [0, 0]]",
            "As for vectors; others choose singular vectors, which LAPACK gives for 0 as well.",
            torch="[[0.5, 0], [0, 0.5]]",
            jax="[[0.25, 0], [0, 0.25]]",
        ),
        Case(
            "np.linalg.norm(x, 2)",
            "x = [[1, 0], [0, 1]]",
            "[[0.5, 0], [0, 0.5]]",
            "Equal singular values share, as for `max`.",
        ),
        Case(
            "np.linalg.norm(x, 'nuc')",
            "x = [[1, 0], [0, 0]]",
            "[[1, 0], [0, 0]]",
            "A singular value is an absolute value, and has the slope 0 at 0.",
            torch="[[1, 0], [0, 1]]",
            jax="[[1, 0], [0, 1]]",
        ),
        Case(
            "np.linalg.norm(x, 'nuc')",
            "x = [[0, 0], [0, 0]]",
            "[[0, 0], [0, 0]]",
            "A singular value is an absolute value, and has the slope 0 at 0.",
            torch="[[1, 0], [0, 1]]",
            jax="[[1, 0], [0, 1]]",
        ),
        Case(
            "np.linalg.norm(x) ** 2",
            "x = [0, 0]",
            "[0, 0]",
            "0 times the gradient of the norm, which is finite.",
            jax="[nan, nan]",
        ),
        Case(
            "np.sqrt(np.sum(x ** 2))",
            "x = [0, 0]",
            "[nan, nan]*",
            "As for `sqrt(x ** 2)`. Write `np.linalg.norm(x)`.",
        ),
        Case("np.abs(x)", "x = 0", "0", "There is none at a corner; 0 on both sides.", twice=True),
        Case(
            "np.linalg.norm(x)",
            "x = [0, 0]",
            "[nan, nan]*",
            "There is none: it grows to inf beside the corner.",
            twice=True,
        ),
        Case(
            "np.linalg.norm(x) ** 2",
            "x = [0, 0]",
            "[nan, nan]*",
            "0 times that of the norm, which is nan. `np.sum(x ** 2)` has the right one, 2.",
            twice=True,
        ),
        Case(
            "np.hypot(x, y)",
            "x = 0; y = 0",
            "nan, nan*",
            "There is none: it grows to inf beside the corner.",
            jax="0, 0",
            twice=True,
        ),
        Case(
            "np.hypot(x, y) ** 2",
            "x = 0; y = 0",
            "nan, nan*",
            "As for `norm`. Write `x ** 2 + y ** 2`.",
            jax="1, 1",
            twice=True,
        ),
        Case(
            "np.abs(x + 1j * y)",
            "x = 0; y = 0",
            "nan, nan*",
            "A complex number has a length, and this has a corner.",
            torch="0, 0",
            jax="1, 1",
            twice=True,
        ),
        Case(
            "np.linalg.norm(x, 1)",
            "x = [0, 0]",
            "[0, 0]",
            "As for a sum of `abs`.",
            twice=True,
        ),
        Case(
            "np.linalg.norm(x, 4) ** 4",
            "x = [0, 0]",
            "[nan, nan]*",
            "0 times that of the norm: the root has a corner, though its power is smooth.",
            torch="[0, 0]",
            twice=True,
        ),
        Case(
            "np.linalg.norm(x, 4) ** 4",
            "x = [0, 1]",
            "[0, 12]",
            "There is no edge: an even power is smooth where an element is 0.",
            twice=True,
        ),
        Case(
            "np.linalg.norm(x, 1.5)",
            "x = [0, 1]",
            "[nan, 0]*",
            "inf by `x[0]`, as of `abs(x) ** 1.5`; 0 times that is nan.",
            jax="[inf, 0]",
            twice=True,
        ),
        Case("np.sum(x ** 2)", "x = [0, 0]", "[2, 2]", "There is no edge.", twice=True),
        Case("np.sinc(x)", "x = 0", "0", "There is no edge: by a series."),
        Case("np.sinc(x)", "x = 0", "-3.29", "By a series: `-pi**2 / 3`.", torch="nan", twice=True),
        Case(
            "np.sinc(x)",
            "x = 1e-9",
            "-3.29",
            "By a series. The formula loses all digits, or divides by what underflows.",
            torch="0",
            jax="201.1",
            twice=True,
        ),
    ),
)
