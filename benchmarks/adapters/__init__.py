"""What the workloads ask of a library, one module each, written as its users write.

A workload says what is computed; its inputs are NumPy arrays. An adapter makes *steps* of that:
functions without arguments, and nothing but the step is timed. It has

``gradient(f, *inputs, by_hand)``
    a step that calls `f` with inputs that want gradients, and returns the gradients of its result.
``gradient_sparing(f, *inputs, by_hand)``
    the same, with less memory, where there is a way.
``forward(f, *inputs, by_hand)``, ``forward_no_grad(f, *inputs)``
    a step that returns the result, ready to be differentiated, or not.
``descent(f, parameters, rate, by_hand)``
    a step of gradient descent, which changes the parameters, and what returns the parameters.
``hvp(f, parameters, vectors, by_hand)``
    a step that returns the product of the Hessian of `f` with the vectors.
``arrays(result)``
    what a step has returned as a list of NumPy arrays.

What a library has not, its adapter has not. The floor calls `by_hand` in place of `f`: it takes
arrays, and returns the value and the gradients (or the products). Where a library keeps a graph,
``leaf`` and ``backward`` are there, too.

`f` computes with what the adapter has: ``xp`` with ``sin``, ``sum`` and their like, and ``linear``,
``relu`` and so on beside it. Where a library has one, it stands there itself, not in a wrapper;
``constant`` and ``weight`` turn arrays into what ``linear`` takes.
"""

from __future__ import annotations

import importlib
from types import ModuleType

LIBRARIES = {
    "project": "dezero-core",
    "floor": "numpy",
    "torch": "torch",
    "autograd": "autograd",
    "mygrad": "mygrad",
    "dezero_book": "dezero",
    "jax": "jax",
}
"""The distribution of each, in the order of a round."""


def load(library: str) -> ModuleType:
    """Return the adapter, with its library imported."""
    return importlib.import_module(f"adapters.{library}")
