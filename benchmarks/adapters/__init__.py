"""Adapters of the workloads to each library, written as users of the library would write.

A workload defines the computation; its inputs are NumPy arrays. An adapter turns it into *steps*:
functions without arguments. Only the step is timed. An adapter has

``gradient(f, *inputs, by_hand)``
    a step that calls `f` with inputs that want gradients, and returns the gradients of its result.
``gradient_sparing(f, *inputs, by_hand)``
    the same, with less memory, if the library has a way to save it.
``forward(f, *inputs, by_hand)``, ``forward_no_grad(f, *inputs)``
    a step that returns the result, ready to be differentiated, or not.
``descent(f, parameters, rate, by_hand)``
    a step of gradient descent, which changes the parameters, and a function that returns them.
``lstm_gradient(x, input_weight, hidden_weight, bias, by_hand)``
    a step that returns the gradients of the sum of an LSTM's hidden states, by all of them.
``training(images, labels, parameters, batch, rate, shuffle, by_hand)``
    an epoch of gradient descent of a perceptron, which returns the mean loss, and a function that
    returns the parameters.
``hvp(f, parameters, vectors, by_hand)``
    a step that returns the product of the Hessian of `f` with the vectors.
``differentiated(name, f, *inputs, by_hand)``
    the derivative of `f` by its name in `derivatives`. It is a function of what ``constant``
    returns, which returns a list. If the library compiles, it is compiled for the inputs.
``recomputed(f)``
    `f` without the memory of its graph: on the way back it is called again.
``arrays(result)``
    the result of a step, as a list of NumPy arrays.

``value_and_gradients(f, number)``
    the value of `f`, and its gradients by so many first arguments, as a function of what
    ``constant`` returns, which returns a list.
``hessian_product(f)``
    the product of the Hessian of `f` with a vector, as a function of the array and the vector,
    which returns a list.
``loop(step, state, rounds, rows)``
    the last state of a loop: ``step(state)`` or, with rows, ``step(state, row)`` gives the next.
``filled(f, x, writes, size)``
    zeros, of which a loop fills the first ones: ``out[i] = f(x[i])``.
``compiling(function)``
    the function, compiled in its first calls. Each call waits until its result is there.

``gradients_of(f)``
    the gradients of `f`, by ``backward``, as a function of what ``constant`` returns.

``recorded(function, *arguments)``
    the function, compiled, after the calls that record it.
``gradient_by_two_threads(f, *inputs, by_hand)``
    as ``gradient``, if the library divides a loop between two threads.
``lowering(step, name)``
    a step that makes the program of a recorded function anew, by the executor of a name.

If a library lacks one of these, its adapter lacks it, too. The floor calls `by_hand` in place of
`f`: `by_hand` takes arrays, and returns the value and the gradients (or the products). If a library
keeps a graph, its adapter has ``leaf`` and ``backward`` as well.

`f` computes with the functions of the adapter: ``xp`` with ``sin``, ``sum`` and so on, and
``linear``, ``relu`` and others. A function of the library stands there itself, without a wrapper;
``constant`` and ``weight`` turn arrays into what ``linear`` takes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

LIBRARIES = {
    "project": "dezero-core",
    "replayed": "dezero-replay",
    "native": "dezero-replay-llvm",
    "floor": "numpy",
    "torch": "torch",
    "autograd": "autograd",
    "mygrad": "mygrad",
    "dezero_book": "dezero",
    "jax": "jax",
}
"""The distribution of each, in the order of a round."""


def derivatives(
    grad: Any, value_and_grad: Any, jacobian: Any, hessian: Any, jvp: Any, vmap: Any = None
) -> dict[str, Callable[..., Any]]:
    """Return the derivatives by their names, made of the functions of a library.

    Each takes `f`, and returns a function; that of `jvp` takes a point and a vector, and returns
    the derivative along it. "gradients of examples" are for an `f` of parameters and two arrays.
    """

    def alone(function):
        return lambda *inputs: [function(*inputs)]

    return {
        "gradient": lambda f: alone(grad(f)),
        "value and gradient": value_and_grad,
        "second derivative": lambda f: alone(grad(grad(f))),
        "Jacobian": lambda f: alone(jacobian(f)),
        "Hessian": lambda f: alone(hessian(f)),
        "derivative along a vector": lambda f: alone(jvp(f)),
        "gradients of examples": lambda f: vmap(grad(f), (None, 0, 0)),
    }


def loop(step: Callable[..., Any], state: Any, rounds: int, rows: Any = None) -> Any:
    """Return the last state, by Python's loop."""
    for k in range(rounds):
        state = step(state) if rows is None else step(state, rows[k])
    return state


def load(library: str) -> ModuleType:
    """Return the adapter, with its library imported."""
    return importlib.import_module(f"adapters.{library}")
