"""The table of functions, by file, and of their bindings, which the plugin announces.

The packages export these functions as well. Each is an operation of its own, under NumPy's name;
those of `linalg` and `fft` have that before their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_ROWS = {
    "elementwise": {
        "activations": "| relu sigmoid",
        "angles": "deg2rad degrees rad2deg radians",
        "arithmetic": "cbrt fmod reciprocal sqrt square",
        "cardinal_sine": "sinc",
        "clipping": "clip",
        "complex_numbers": "angle real_if_close",
        "exponential": "exp exp2 expm1",
        "extrema": "fmax fmin maximum minimum",
        "hyperbolic": "arccosh arcsinh arctanh cosh sinh tanh",
        "logarithms": "log log10 log1p log2 logaddexp logaddexp2",
        "logic": (
            "allclose array_equal array_equiv isclose logical_and logical_not logical_or "
            "logical_xor"
        ),
        "predicates": (
            "can_cast iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal "
            "isrealobj result_type signbit spacing"
        ),
        "replacing": "nan_to_num",
        "rounding": "ceil fix floor rint round trunc",
        "searching": "argwhere digitize flatnonzero isin nonzero searchsorted",
        "signs": "copysign fabs heaviside",
        "trigonometric": "arccos arcsin arctan arctan2 cos hypot sin tan",
    },
    "reductions": {
        "exponentials": "| log_softmax logsumexp softmax",
        "extrema": "max min nanmax nanmin ptp",
        "extreme_positions": "argmax argmin nanargmax nanargmin",
        "losses": "| softmax_cross_entropy",
        "means": "average mean nanmean",
        "medians": "median nanmedian",
        "products": "cumprod nancumprod nanprod prod",
        "quantiles": "nanpercentile nanquantile percentile quantile",
        "standard_deviations": "nanstd std",
        "sums": "cumsum nancumsum nansum sum",
        "truth": "all any count_nonzero",
        "variances": "nanvar var",
    },
    "shape": {
        "adding_and_removing": "append delete insert",
        "axes": "matrix_transpose moveaxis rollaxis swapaxes transpose",
        "blocks": "block",
        "choosing": "choose select where",
        "creation": "copy empty_like full_like ones_like zeros_like",
        "diagonals": "diag diagflat diagonal trace",
        "differences": "diff ediff1d",
        "dimensions": "atleast_1d atleast_2d atleast_3d broadcast_arrays expand_dims squeeze",
        "finite_differences": "gradient",
        "grids": "meshgrid",
        "integration": "trapezoid",
        "interpolation": "interp",
        "joining": "column_stack concatenate dstack hstack stack vstack",
        "padding": "pad",
        "picking": "compress extract take take_along_axis",
        "ranges": "geomspace linspace logspace",
        "rearranging": "flip fliplr flipud roll rot90",
        "repeating": "repeat tile",
        "reshaping": "ravel reshape | flatten",
        "sorting": "argpartition argsort partition sort",
        "splitting": "array_split dsplit hsplit split unstack vsplit",
        "triangles": "tril triu",
        "unwrapping": "unwrap",
    },
    "products": {
        "affine": "| linear",
        "contractions": "tensordot",
        "convolution": "convolve",
        "cross_products": "cross",
        "einstein_summation": "einsum",
        "inner_products": "dot inner vdot vecdot",
        # since NumPy 2.2
        **({"matrix_vector_products": "matvec vecmat"} if hasattr(np, "matvec") else {}),
        "outer_products": "kron outer",
        "polynomials": "polyval",
    },
    "linalg": {
        "conditioning": "cond matrix_rank",
        "decompositions": "cholesky qr",
        "determinants": "det slogdet",
        "diagonals": "diagonal trace",
        "eigenvalues": "eig eigh eigvals eigvalsh",
        "inverses": "inv pinv tensorinv",
        "matrix_products": "matrix_power multi_dot",
        "norms": "matrix_norm norm vector_norm",
        "products": "cross matmul outer tensordot vecdot",
        "singular_values": "svd svdvals",
        "solvers": "lstsq solve tensorsolve",
    },
    "fft": {
        "hermitian": "hfft ihfft",
        "real": "irfft irfft2 irfftn rfft rfft2 rfftn",
        "shifts": "fftshift ifftshift",
        "standard": "fft fft2 fftn ifft ifft2 ifftn",
    },
}
"""Folder -> module -> the functions in it; after a bar those that NumPy has not."""

FOLDERS = {
    folder: {module: " ".join(names.replace("|", " ").split()) for module, names in rows.items()}
    for folder, rows in _ROWS.items()
}
"""Folder -> module -> the functions in it."""

NOT_OF_NUMPY = frozenset(
    name
    for rows in _ROWS.values()
    for names in rows.values()
    for name in names.partition("|")[2].split()
)

_METHODS = """
    all any argmax argmin argpartition argsort clip compress copy cumprod cumsum diagonal dot
    flatten max mean min nonzero prod ravel repeat reshape round searchsorted squeeze std sum
    swapaxes take trace transpose var
"""
#: Those that are methods of ndarray, too.
METHODS = frozenset(_METHODS.split())
PROPERTIES = {"axes": ["T", "mT"]}

#: Functions that NumPy has by more names than one.
ALIASES = {
    "round": ["around"],
    "max": ["amax"],
    "min": ["amin"],
    "matrix_transpose": ["linalg.matrix_transpose"],
}


def announcements() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every module, with the names that ``register.later`` announces."""
    for folder, modules in FOLDERS.items():
        prefix = f"{folder}." if folder in ("linalg", "fft") else ""
        for module, functions in modules.items():
            names = [prefix + name for name in functions.split()]
            numpy = [name for name in names if name not in NOT_OF_NUMPY]
            numpy += [alias for name in names for alias in ALIASES.get(name, [])]
            methods = [name for name in names if name in METHODS] + PROPERTIES.get(module, [])
            yield f"{folder}.{module}", {"operations": names, "methods": methods, "numpy": numpy}
