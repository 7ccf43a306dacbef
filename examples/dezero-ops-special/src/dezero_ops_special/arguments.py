"""Checks of arguments that several families share."""

from __future__ import annotations

from typing import Any

import numpy as np
from dezero_core import VariableTypeError
from dezero_core.extend import Array


def refuse_complex(name: str, *xs: Array) -> None:
    """Raise for complex data: SciPy has the values for it, but not the derivatives.

    Raises
    ------
    VariableTypeError (TypeError)
        If one of `xs` is complex.
    """
    for x in xs:
        if np.iscomplexobj(x):
            raise VariableTypeError(
                f"{name} takes real numbers, got {np.asarray(x).dtype}: its derivatives are not "
                f"there for complex ones. For values alone, scipy.special.{name} of the arrays.",
                got=np.asarray(x).dtype,
            )


def floating(*xs: Array) -> np.dtype[Any]:
    """Return the dtype in which SciPy computes: float32 or float64."""
    return np.result_type(*xs, np.float32)
