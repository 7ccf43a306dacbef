"""The table of functions, by file, and of their bindings, which the plugin announces.

The packages export these functions as well. Each is an operation of its own, under NumPy's name;
those of `linalg` and `fft` have that before their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from dezero_core.extend import lazily

_ROWS = {
    "elementwise": {
        "arithmetic": "cbrt copysign fabs fmod heaviside reciprocal sqrt square",
        "clipping": "clip nan_to_num",
        "complex_numbers": "angle real_if_close",
        "extrema": "fmax fmin maximum minimum",
        "hyperbolic": "arccosh arcsinh arctanh cosh sinh tanh",
        "logarithms": "exp exp2 expm1 log log10 log1p log2 logaddexp logaddexp2",
        "logic": (
            "allclose array_equal array_equiv can_cast isclose iscomplex iscomplexobj isfinite "
            "isinf isnan isneginf isposinf isreal isrealobj logical_and logical_not logical_or "
            "logical_xor result_type signbit spacing"
        ),
        "rounding": "ceil fix floor rint round trunc",
        "searching": "argwhere digitize flatnonzero isin nonzero searchsorted",
        "special_functions": "sinc | relu sigmoid",
        "trigonometric": (
            "arccos arcsin arctan arctan2 cos deg2rad degrees hypot rad2deg radians sin tan"
        ),
    },
    "reductions": {
        "exponentials": "| log_softmax logsumexp softmax softmax_cross_entropy",
        "extrema": "argmax argmin max min nanargmax nanargmin nanmax nanmin ptp",
        "means": "average mean median nanmean nanmedian",
        "products": "cumprod nancumprod nanprod prod",
        "quantiles": "nanpercentile nanquantile percentile quantile",
        "sums": "all any count_nonzero cumsum nancumsum nansum sum",
        "variances": "nanstd nanvar std var",
    },
    "shape": {
        "adding_and_removing": "append delete insert",
        "axes": "matrix_transpose moveaxis rollaxis swapaxes transpose",
        "blocks": "block",
        "calculus": "gradient trapezoid",
        "choosing": "choose select where",
        "creation": "copy empty_like full_like meshgrid ones_like zeros_like",
        "diagonals": "diag diagflat diagonal trace tril triu",
        "differences": "diff ediff1d unwrap",
        "interpolation": "interp",
        "joining": "column_stack concatenate dstack hstack stack vstack",
        "padding": "pad",
        "picking": "compress extract take take_along_axis",
        "ranges": "geomspace linspace logspace",
        "rearranging": "flip fliplr flipud repeat roll rot90 tile",
        "reshaping": (
            "atleast_1d atleast_2d atleast_3d broadcast_arrays expand_dims ravel reshape squeeze "
            "| flatten"
        ),
        "sorting": "argpartition argsort partition sort",
        "splitting": "array_split dsplit hsplit split unstack vsplit",
    },
    "products": {
        "affine": "| linear",
        "einstein_summation": "einsum",
        "inner_products": "dot inner tensordot vdot vecdot",
        "polynomials": "convolve polyval",
        # matvec and vecmat since NumPy 2.2
        "vector_products": "cross kron outer" + " matvec vecmat" * hasattr(np, "matvec"),
    },
    "linalg": {
        "conditioning": "cond matrix_rank",
        "decompositions": "cholesky qr",
        "determinants": "det slogdet",
        "eigenvalues": "eig eigh eigvals eigvalsh",
        "inverses": "inv pinv tensorinv",
        "matrix_products": "matrix_power multi_dot",
        "norms": "matrix_norm norm vector_norm",
        "products": "cross diagonal matmul outer tensordot trace vecdot",
        "singular_values": "svd svdvals",
        "solvers": "lstsq solve tensorsolve",
    },
    "fft": {
        "real": "hfft ihfft irfft irfft2 irfftn rfft rfft2 rfftn",
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
#: The operations that become methods of Variable: those that are methods of ndarray.
METHODS = frozenset(_METHODS.split())
PROPERTIES = {"axes": ["T", "mT"]}

#: Functions that NumPy has by more names than one.
ALIASES = {
    "round": ["around"],
    "max": ["amax"],
    "min": ["amin"],
    "matrix_transpose": ["linalg.matrix_transpose"],
}


def exported(package: str) -> tuple[Any, ...]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of the package of a folder."""
    modules = FOLDERS[package.rpartition(".")[2]]
    return sorted(" ".join(modules.values()).split()), *lazily(package, modules)


def names_in(folder: str, module: str) -> list[tuple[str, list[str], list[str]]]:
    """Return for each operation of a module its name, those of NumPy's functions, of methods."""
    prefix = f"{folder}." if folder in ("linalg", "fft") else ""
    found = []
    for function in FOLDERS[folder][module].split():
        name = prefix + function
        numpy = [] if name in NOT_OF_NUMPY else [name, *ALIASES.get(name, [])]
        found.append((name, numpy, [name] if name in METHODS else []))
    return found


def announcements() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every module, with the names that ``register.later`` announces."""
    for folder, modules in FOLDERS.items():
        for module in modules:
            operations, numpy, methods = zip(*names_in(folder, module), strict=True)
            attributes = [*chain(*methods), *PROPERTIES.get(module, [])]
            names = {"operations": operations, "methods": attributes, "numpy": chain(*numpy)}
            yield f"{folder}.{module}", names
