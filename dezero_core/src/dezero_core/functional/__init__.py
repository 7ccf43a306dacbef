"""Derivatives of functions: ``grad(f)`` is a function, as ``f`` is.

The functions that are given take Variables where these here are called with arrays, compute
with operators and NumPy functions, and so need not know of it. Arguments may be nested
tuples, lists and dicts of arrays; gradients come in the same form. Calls may be nested:
``grad(grad(f))`` is the second derivative.

Nothing here is imported by ``import dezero_core``.
"""

from __future__ import annotations

from .derivatives import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from .optimize import as_scipy

__all__ = ["as_scipy", "grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]
