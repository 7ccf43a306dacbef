"""The gradient of each example of a batch: a perceptron 64-32-10, and 256 examples, in float64.

The loss is that of one example, softmax cross entropy with a row of the identity as its label. The
libraries have a `vmap`, which computes the gradients of all examples at once.
"""

from __future__ import annotations

import numpy as np

from workloads import Case

LEFT_OUT = dict.fromkeys(("autograd", "mygrad", "dezero_book"), "has no vmap")
ROUNDS: dict[str, int] = {}

SIZES, EXAMPLES = (64, 32, 10), 256


def loss_of(lib):
    """Return the loss of one example as a function of the parameters, its image and its label."""
    xp = lib.xp

    def loss(parameters, image, label):
        weight1, bias1, weight2, bias2 = parameters
        scores = xp.tanh(image @ weight1 + bias1) @ weight2 + bias2
        largest = xp.max(scores)
        return xp.log(xp.sum(xp.exp(scores - largest))) + largest - xp.sum(scores * label)

    return loss


def by_hand(parameters, images, labels):
    weight1, bias1, weight2, bias2 = parameters
    hidden = np.tanh(images @ weight1 + bias1)
    scores = hidden @ weight2 + bias2
    g = np.exp(scores - scores.max(axis=1, keepdims=True))
    g /= g.sum(axis=1, keepdims=True)
    g -= labels
    gradients = [hidden[:, :, np.newaxis] * g[:, np.newaxis], g]
    g = (g @ weight2.T) * (1.0 - hidden * hidden)
    return [images[:, :, np.newaxis] * g[:, np.newaxis], g, *gradients]


def cases(lib):
    random = np.random.default_rng(0)
    inputs, hidden, outputs = SIZES
    parameters = [
        random.normal(0.0, inputs**-0.5, (inputs, hidden)),
        random.normal(0.0, 0.1, hidden),
        random.normal(0.0, hidden**-0.5, (hidden, outputs)),
        random.normal(0.0, 0.1, outputs),
    ]
    images = random.normal(size=(EXAMPLES, inputs))
    labels = np.eye(outputs)[random.integers(0, outputs, EXAMPLES)]
    expected = by_hand(parameters, images, labels)
    taken = (
        [lib.constant(array) for array in parameters],
        lib.constant(images),
        lib.constant(labels),
    )
    step = lib.differentiated("gradients of examples", loss_of(lib), *taken, by_hand=by_hand)
    yield Case("gradients", lambda: step(*taken), expected)
