"""Derivatives of functions: ``grad(f)`` is a function, as ``f`` is.

You call ``grad(f)`` with arrays, and ``f``, which needs no change, with Variables in their place.
Arguments may be nested tuples, lists, dicts and dataclasses of arrays; a gradient has the same form
as its argument. Calls may be nested: ``grad(grad(f))`` is the second derivative.

All fields of a dataclass are parameters, in their order; a constant may be a ``ClassVar``, or
another argument. What `f` gets, and each gradient, is of the same class, with the fields and no
other attribute: it is made without ``__init__`` and ``__post_init__``, which could convert or
refuse Variables. So a field that ``__post_init__`` computes from others is a parameter of its own:
write a property in its place. A dataclass that is an array, a Variable or a Function is a leaf.

The results are plain arrays where nobody can ask for another gradient of them, as always under
``no_grad()``. They are Variables, and part of a graph, in three cases:

- an argument is a Variable;
- the function computes with a Variable of its closure, an attribute or a global, such as the
  parameters of a model: then a loss may contain derivatives of the model. One that only holds data
  counts as well: write ``data.data``;
- the call is made inside another function that is differentiated, in the same thread. There,
  ``dezero_core.grad(y, x)`` and ``y.backward()`` record their computation, as with
  ``create_graph``.

``import dezero_core`` imports none of these modules.
"""

from .flattening import flatten
from .gradient_rules import stop_gradient, with_gradient
from .gradients import elementwise_grad, grad, value_and_grad
from .matrices import hessian, jacobian
from .optimize import as_scipy
from .products import hvp, jvp, vjp
from .recomputing import recomputed
from .trees import tree_map
from .vmap import vmap

__all__ = [
    "as_scipy",
    "elementwise_grad",
    "flatten",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "recomputed",
    "stop_gradient",
    "tree_map",
    "value_and_grad",
    "vjp",
    "vmap",
    "with_gradient",
]
