"""Cases of docs/edges: linear algebra."""

from __future__ import annotations

from .case import Case, Family

FAMILY = Family(
    title="Linear algebra",
    introduction="""
Vectors of equal eigenvalues or singular values are any basis of a space, and LAPACK chooses
one: they have no derivative. A loss that uses any of the vectors gets nan where two values are
equal to the last bit; where they are equal to rounding only, a loss that uses their vectors. The
values themselves have a derivative, if they are treated alike. `LinAlgError` comes from LAPACK,
in `backward()` too.
""",
    cases=(
        Case(
            "np.linalg.det(x)",
            "x = [[1, 2], [2, 4]]",
            "[[4, -2], [-2, 1]]",
            "The cofactors, which a matrix of any rank has.",
            torch="[[0, 0], [0, 0]]",
        ),
        Case(
            "np.linalg.det(x)",
            "x = [[1, 0, 0], [0, 0, 0], [0, 0, 0]]",
            "[[0, 0, 0], [0, 0, 0], [0, 0, 0]]",
            "The cofactors are 0 if the rank is below `n - 1`.",
        ),
        Case(
            "np.linalg.det(x)",
            "x = [[1, 0, 0], [0, 0, 0], [0, 0, 0]]",
            "[[0, 0, 0], [0, 1, -1], [0, -1, 1]]",
            "The derivatives of the cofactors.",
            torch="[[nan, nan, nan], [nan, nan, nan], [nan, nan, nan]]",
            twice=True,
        ),
        Case(
            "np.linalg.slogdet(x)[1]",
            "x = [[1, 2], [2, 4]]",
            "raises LinAlgError",
            "The logarithm is -inf, and the inverse, its derivative, does not exist.",
            torch="[[-inf, inf], [inf, -inf]]",
            jax="[[inf, -inf], [-inf, inf]]",
        ),
        Case(
            "np.linalg.inv(x)",
            "x = [[1, 0], [0, 1e-8]]",
            "[[-1, -1e+08], [-1e+08, -1e+16]]",
            "It grows with the square of the inverse.",
        ),
        Case(
            "np.linalg.inv(x)",
            "x = [[1, 2], [2, 4]]",
            "—",
            "As NumPy.",
            torch="raises LinAlgError",
            jax="[[nan, nan], [nan, nan]] (of [[-inf, inf], [inf, -inf]])",
        ),
        Case(
            "np.linalg.solve(x, y)",
            "x = [[1, 2], [2, 4]]; y = [1, 1]",
            "—",
            "As NumPy.",
            torch="raises LinAlgError",
            jax="[[-inf, inf], [inf, -inf]], [-inf, inf] (of [-inf, inf])",
        ),
        Case(
            "np.linalg.pinv(x)",
            "x = [[2, 0], [0, 0]]",
            "[[-0.25, 0.25], [0.25, 0]]",
            (
                "For changes that leave the rank as it is; with others the pseudoinverse "
                "grows to inf."
            ),
        ),
        Case(
            "np.linalg.svdvals(x)",
            "x = [[1, 0], [0, 1]]",
            "[[1, 0], [0, 1]]",
            "Right, since equal values are treated alike.",
        ),
        Case(
            "np.linalg.svdvals(x)[0]",
            "x = [[1, 0], [0, 1]]",
            "[[1, 0], [0, 0]]",
            "That of the vectors that LAPACK chooses; `norm(x, 2)` shares.",
        ),
        Case(
            "np.linalg.svdvals(x)",
            "x = [[2, 0], [0, 0]]",
            "[[1, 0], [0, 0]]",
            "A singular value is an absolute value, and has the slope 0 at 0.",
            torch="[[1, 0], [0, 1]]",
            jax="[[1, 0], [0, 1]]",
        ),
        Case(
            "np.linalg.svd(x)[0][0, 0]",
            "x = [[1, 0], [0, 1]]",
            "[[nan, nan], [nan, nan]]",
            "LAPACK chooses the basis: 0 / 0.",
        ),
        Case(
            "np.matmul(*np.linalg.svd(x)[::2])[0, 1]",
            "x = [[1, 0], [0, 1]]",
            "[[nan, nan], [nan, nan]]",
            "`U @ Vh` does not depend on the basis; what comes back by `U` and by `Vh` does.",
        ),
        Case(
            "np.linalg.svd(x, full_matrices=False)[0][2, 1]",
            "x = [[2, 0], [0, 0], [0, 0]]",
            "[[0, 0], [0, 0], [nan, nan]]",
            "The column of a singular value that is 0 has any direction.",
            torch="[[nan, nan], [nan, nan], [nan, nan]]",
            jax="[[nan, nan], [nan, nan], [nan, nan]]",
        ),
        Case(
            "np.linalg.svd(x)[0][1, 0]",
            "x = [[2, 0], [0, 0]]",
            "[[0, 0], [0.5, 0]]",
            "The column of the other singular value has its gradient.",
        ),
        Case(
            "np.linalg.eigvalsh(x)",
            "x = [[1, 0], [0, 1]]",
            "[[1, 0], [0, 1]]",
            "Right, since equal values are treated alike.",
        ),
        Case(
            "np.linalg.eigvalsh(x)[0]",
            "x = [[1, 0], [0, 1]]",
            "[[1, 0], [0, 0]]",
            "That of the vectors that LAPACK chooses.",
        ),
        Case(
            "np.linalg.eigh(x)[1][0, 1]",
            "x = [[1, 0], [0, 1]]",
            "[[nan, nan], [nan, nan]]",
            "LAPACK chooses the basis: 0 / 0.",
        ),
        Case(
            "np.linalg.eigh(x)[1][0, 2]",
            "x = [[1, 0, 0], [0, 1, 0], [0, 0, 3]]",
            "[[nan, nan, nan], [nan, nan, nan], [nan, nan, nan]]",
            "The vector of 3 has a derivative; but 0 / 0 is among the differences that all share.",
        ),
        Case(
            "np.linalg.eigh(x)[1][0, 2]",
            "x = [[1, 0, 0], [0, 1 + 2**-52, 0], [0, 0, 3]]",
            "[[0, 0, 0.25], [0, 0, 0], [0.25, 0, 0]]",
            "Equal to rounding only, and their vectors are not used.",
        ),
        Case(
            "np.linalg.eigh(x)[1][0, 1]",
            "x = [[1, 0, 0], [0, 1 + 2**-52, 0], [0, 0, 3]]",
            "[[nan, nan, nan], [nan, nan, nan], [nan, nan, nan]]",
            "Equal to rounding only, and their vectors are used.",
            torch="[[0, 2.252e+15, 0], [2.252e+15, 0, 0], [0, 0, 0]]",
            jax="[[0, 2.252e+15, 0], [2.252e+15, 0, 0], [0, 0, 0]]",
        ),
        Case(
            "np.linalg.eigh(x)[0]",
            "x = [[1, 0, 0], [0, 1, 0], [0, 0, 3]]",
            "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
            "Right, since equal values are treated alike.",
        ),
        Case(
            "(lambda w, v: (v * np.exp(w)) @ v.T)(*np.linalg.eigh(x))[0, 1]",
            "x = [[1, 0], [0, 1]]",
            "[[nan, nan], [nan, nan]]",
            (
                "This function of the matrix has a derivative, but what comes back by `w` and"
                " by `v` does not say how equal values part."
            ),
        ),
        Case(
            "np.linalg.eigvals(x).real",
            "x = [[1, 1], [0, 1]]",
            "[[1, 0], [0, 1]]",
            (
                "Right for the sum. A single eigenvalue of a defective matrix has an infinite"
                " slope, and its vectors have none: what comes out means nothing."
            ),
        ),
        Case(
            "np.linalg.cholesky(x)[1, 0]",
            "x = [[4, 7], [2, 5]]",
            "[[-0.125, 0.25], [0.25, 0]]",
            (
                "The lower triangle is read, and the matrix counts as symmetric; so does its "
                "gradient."
            ),
            jax="[[nan, nan], [nan, nan]] (of nan)",
        ),
        Case(
            "np.linalg.cholesky(x)",
            "x = [[1, 1], [1, 1]]",
            "—",
            "As NumPy: not positive definite.",
            torch="raises LinAlgError",
            jax="[[nan, nan], [nan, nan]] (of [[nan, 0], [nan, nan]])",
        ),
        Case(
            "np.linalg.qr(x)[1]",
            "x = [[2, 0], [0, 0]]",
            "raises LinAlgError",
            "`R` has no inverse, and the last column of `Q` no direction.",
            torch="[[nan, nan], [nan, nan]]",
            jax="[[nan, nan], [nan, nan]]",
        ),
    ),
)
