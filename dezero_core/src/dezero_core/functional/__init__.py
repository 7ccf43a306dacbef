"""Derivatives of functions: ``grad(f)`` is a function, as ``f`` is.

The functions that are given take Variables where these here are called with arrays, compute
with operators and NumPy functions, and so need not know of it. Arguments may be nested
tuples, lists and dicts of arrays; gradients come in the same form. Calls may be nested:
``grad(grad(f))`` is the second derivative.

What is returned are plain arrays. Only where an argument is a Variable, or inside another function
that is differentiated (in the same thread), they are Variables and part of the caller's graph.
A Variable that a function reaches by another way than its arguments is a constant, otherwise.

Nothing here is imported by ``import dezero_core``.
"""

from __future__ import annotations

from .gradients import grad, value_and_grad
from .matrices import hessian, jacobian
from .optimize import as_scipy
from .products import hvp, jvp, vjp

__all__ = ["as_scipy", "grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]
