"""Which file has which operators: what the plugin announces, and the package exports."""

from __future__ import annotations

from typing import Any

FAMILIES: dict[str, dict[str, Any]] = {
    "arithmetic": {
        "operations": "add sub mul",
        "dunders": "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __array_priority__",
        "numpy": "add subtract multiply",
    },
    "broadcasting": {
        "operations": "broadcast_to sum_to",
        "methods": "broadcast_to sum_to",
        "numpy": "broadcast_to",
    },
    "casting": {
        "operations": "astype",
        "methods": "astype",
        "numpy": "astype",
    },
    "comparison": {
        "operations": "less less_equal greater greater_equal equal not_equal",
        "dunders": "__lt__ __le__ __gt__ __ge__ __eq__ __ne__",
        "numpy": "less less_equal greater greater_equal equal not_equal",
    },
    "complex_numbers": {
        "operations": "real imag conjugate",
        "methods": "real imag conj conjugate",
        "numpy": "real imag conjugate",
    },
    "division": {
        "operations": "div",
        "dunders": "__truediv__ __rtruediv__",
        "numpy": "divide",
    },
    "indexing": {
        "operations": "getitem",
        "dunders": "__getitem__ __iter__ __contains__",
    },
    "magnitude": {
        "operations": "absolute sign",
        "dunders": "__abs__",
        "numpy": "absolute sign",
    },
    "matrix_product": {
        "operations": "matmul",
        "dunders": "__matmul__ __rmatmul__",
        "numpy": "matmul",
    },
    "power": {
        "operations": "pow float_power",
        "dunders": "__pow__ __rpow__",
        "numpy": "power float_power",
    },
    "remainder": {
        "operations": "floordiv mod divmod",
        "dunders": "__floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __rdivmod__",
        "numpy": "floor_divide remainder divmod",
    },
    "unary": {
        "operations": "neg pos",
        "dunders": "__neg__ __pos__",
        "numpy": "negative positive",
    },
}
"""Module -> what it registers, as ``register.later`` takes it."""
