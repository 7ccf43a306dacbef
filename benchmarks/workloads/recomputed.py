"""The gradient of 100 layers, with parts of the graph made again on the way back, and kept.

A layer is `linear` and `relu`, of 128 numbers for each of 2,048 rows, in float64. There are ten
parts of ten layers: each keeps its input alone, and is called again on the way back. *Graph kept*
is the same without that. The peak is the highest resident set during one gradient, above the one
before it, as a multiple of the input; it is measured as that of the workload elementwise.
"""

from __future__ import annotations

import functools

import numpy as np

from workloads import Absent, Case, Peak
from workloads.mlp import as_taken_by

LEFT_OUT = dict.fromkeys(("mygrad", "dezero_book"), "cannot make a part of its graph again")
LEFT_OUT |= dict.fromkeys(("replayed", "native"), "calls what is recomputed eagerly")
LEFT_OUT["autograd"] = "calls a part again for each of its parameters"
ROUNDS: dict[str, int] = {}

PARTS, LAYERS, ROWS, SIZE = 10, 10, 2_048, 128


def layers(lib, x, *parameters):
    for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
        x = lib.relu(lib.linear(x, weight, bias))
    return x


def parts_of(parameters):
    return [parameters[k : k + 2 * LAYERS] for k in range(0, len(parameters), 2 * LAYERS)]


def network(part, x, *parameters):
    """Return the result of all parts, of which `part` computes one."""
    for of_part in parts_of(parameters):
        x = part(x, *of_part)
    return x


def forward_by_hand(x, parameters):
    """Return the input of each layer, and the result."""
    values = [x]
    for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
        x = x @ weight
        x += bias
        values.append(np.maximum(x, 0.0, out=x))
    return values


def backward_by_hand(values, parameters, g):
    """Return the gradients of the input and of the parameters, where `g` is that of the result."""
    gradients = []
    for weight in parameters[-2::-2]:
        g = g * (values.pop() > 0.0)
        gradients += [g.sum(axis=0), values[-1].T @ g]
        g = g @ weight.T
    return [g, *reversed(gradients)]


def by_hand(x, *parameters):
    values = forward_by_hand(x, parameters)
    return values[-1], backward_by_hand(values, parameters, np.ones_like(x))


def by_hand_recomputed(x, *parameters):
    parts, inputs = parts_of(parameters), [x]
    for part in parts:
        inputs.append(forward_by_hand(inputs[-1], part)[-1])
    value = inputs.pop()
    g, gradients = np.ones_like(value), []
    for part in reversed(parts):
        g, *found = backward_by_hand(forward_by_hand(inputs.pop(), part), part, g)
        gradients = found + gradients
    return value, [g, *gradients]


def cases(lib):
    random = np.random.default_rng(0)
    x, parameters = random.normal(size=(ROWS, SIZE)), []
    for _ in range(PARTS * LAYERS):
        parameters.append(random.normal(0.0, (2.0 / SIZE) ** 0.5, (SIZE, SIZE)))
        parameters.append(random.normal(0.0, 0.1, SIZE))
    taken = as_taken_by(lib, parameters)
    part = functools.partial(layers, lib)

    def again(x, *parameters):
        return lib.recomputed(part)(x, *parameters)

    ways = {", graph kept": (part, by_hand), "": (again, by_hand_recomputed)}

    # Peaks first: a process that has had large arrays gets the next ones in another way.
    for way, (each, derived) in ways.items():

        def prepare(each=each, derived=derived, rows=ROWS):
            f = functools.partial(network, each)
            return lib.gradient(f, x[:rows], *taken, by_hand=derived)

        def first(prepare=prepare):
            prepare(rows=ROWS // 10)()

        if lib.__name__ == "adapters.jax":
            yield Absent(f"peak{way}", "has threads, with which the process cannot be forked")
        else:
            yield Peak(f"peak{way}", first, prepare, x.nbytes)
    _, (g, *gradients) = by_hand(x, *parameters)
    expected = [g, *as_taken_by(lib, gradients)]
    for way, (each, derived) in ways.items():
        step = lib.gradient(functools.partial(network, each), x, *taken, by_hand=derived)
        yield Case(f"forward and backward{way}", step, expected, values=3)
