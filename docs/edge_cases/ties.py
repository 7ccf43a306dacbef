"""Cases of docs/edges: ties."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Ties",
    introduction="""
Those that are equal share the gradient: no other choice treats them alike and adds up to the
whole. Two operations do without: `clip`, whose bounds are not elements, and `sort`, which has a
result for each of them.
""",
    cases=(
        Case("np.maximum(x, y)", "x = 1; y = 1", "0.5, 0.5", "Shared."),
        Case("np.minimum(x, y)", "x = 1; y = 1", "0.5, 0.5", "Shared."),
        Case("np.fmax(x, y)", "x = 1; y = 1", "0.5, 0.5", "Shared.", torch="1, 0", jax="0, 1"),
        Case("np.fmin(x, y)", "x = 1; y = 1", "0.5, 0.5", "Shared.", torch="1, 0", jax="0, 1"),
        Case(
            "np.maximum(x, 0.0)",
            "x = 0",
            "0.5",
            "Shared with the constant.",
        ),
        Case("relu(x)", "x = 0", "0", "As on the left, where it does nothing."),
        Case(
            "np.clip(x, 0.0, 1.0)",
            "x = 0",
            "1",
            (
                "In the closed interval the gradient is that of `x`: so elements that were "
                "clipped once can be clipped again."
            ),
            jax="0.5",
        ),
        Case("np.clip(x, 0.0, 1.0)", "x = 1", "1", "As on the lower bound.", jax="0.5"),
        Case(
            "np.clip(x, a, b)",
            "x = 0; a = 0; b = 1",
            "1, 0, 0",
            "The bound gets what `x` does not get.",
            jax="0.5, 0.5, 0",
        ),
        Case(
            "np.clip(x, a, b)",
            "x = 0; a = 1; b = 1",
            "0, 1, 0",
            "Of equal bounds, the one that was crossed.",
            torch="0, 0, 0",
            jax="0, 0.5, 0.5",
        ),
        Case("np.max(x)", "x = [1, 3, 3]", "[0, 0.5, 0.5]", "Shared."),
        Case("np.min(x)", "x = [1, 1, 3]", "[0.5, 0.5, 0]", "Shared."),
        Case(
            "np.max(x, axis=1)",
            "x = [[1, 1], [0, 2]]",
            "[[0.5, 0.5], [0, 1]]",
            (
                "Shared along the axis. So does `torch.amax`, while `torch.max(x, axis=1)` "
                "chooses one."
            ),
        ),
        Case(
            "np.max(x, initial=3.0)",
            "x = [1, 3, 3]",
            "[0, 0.3333, 0.3333]",
            "`initial` is one of those that share.",
            torch="—",
            jax="[0, 0.25, 0.25]",
        ),
        Case(
            "np.median(x)",
            "x = [1, 2, 4, 8]",
            "[0, 0.5, 0.5, 0]",
            (
                "The mean of the two in the middle. PyTorch is asked for `quantile(x, 0.5)`; "
                "its `median` is the lower one."
            ),
        ),
        Case(
            "np.median(x)",
            "x = [1, 2, 2]",
            "[0, 0.5, 0.5]",
            "Elements equal to the one in the middle share.",
            torch="[0, 1, 0]",
            jax="[0, 1, 0]",
        ),
        Case(
            "np.median(x)",
            "x = [2, 2, 2, 8]",
            "[0.3333, 0.3333, 0.3333, 0]",
            "Elements equal to the one in the middle share.",
            torch="[0, 0.5, 0.5, 0]",
            jax="[0, 0.5, 0.5, 0]",
        ),
        Case(
            "np.quantile(x, 0.0)",
            "x = [1, 1, 2]",
            "[0.5, 0.5, 0]",
            "As for `min`.",
            torch="[1, 0, 0]",
            jax="[1, 0, 0]",
        ),
        Case(
            "np.sort(x)[0]",
            "x = [1, 1, 2]",
            "[1, 0, 0]",
            "The order of a stable sort: every result has one element.",
        ),
        Case("np.sort(x)[1]", "x = [1, 1, 2]", "[0, 1, 0]", "The order of a stable sort."),
        Case("np.ptp(x)", "x = [1, 1, 2]", "[-0.5, -0.5, 1]", "That of `max` less that of `min`."),
        Case("np.ptp(x)", "x = [1, 1]", "[0, 0]", "The middle of the slopes, as for `abs`."),
        Case(
            "np.linalg.cond(x)",
            "x = [[1, 0], [0, 1]]",
            "[[0, 0], [0, 0]]",
            "It is smallest here, and equal singular values share.",
            torch="[[1, 0], [0, -1]]",
            jax="[[1, 0], [0, -1]]",
        ),
    ),
)
