"""Derivatives of functions: ``grad(f)`` is a function, as ``f`` is.

The functions that are given take Variables where these here are called with arrays, compute
with operators and NumPy functions, and so need not know of it. Arguments may be nested
tuples, lists and dicts of arrays; gradients come in the same form. Calls may be nested:
``grad(grad(f))`` is the second derivative.

The results are plain arrays, as long as nobody can ask for another gradient of them. They are
Variables, and part of a graph,

- where an argument is a Variable;
- where the function computes with a Variable of its closure, an attribute or a global, such as the
  parameters of a model: then a loss may contain derivatives of the model;
- inside another function that is differentiated, in the same thread.

A Variable that holds data counts, too: write ``data.data`` in the function, or a plain array from
the start. Under ``no_grad()`` results are always arrays. Inside a function that is differentiated,
``dezero_core.grad(y, x)`` and ``y.backward()`` record what they compute, as with ``create_graph``.

Nothing here is imported by ``import dezero_core``.
"""

from __future__ import annotations

from .gradients import grad, value_and_grad
from .matrices import hessian, jacobian
from .optimize import as_scipy
from .products import hvp, jvp, vjp

__all__ = ["as_scipy", "grad", "hessian", "hvp", "jacobian", "jvp", "value_and_grad", "vjp"]
