"""JAX with ``jit``: compiled before it is timed, as a mark to aim at.

The time is that of a call of the compiled function, until its result is complete.
"""

from __future__ import annotations

import os

# JAX has no switch for one thread, but starts no more threads than there are processors.
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])

import jax
import jax.numpy as jnp
import numpy as np

from adapters import derivatives

jax.config.update("jax_enable_x64", True)

xp = jnp
relu = jax.nn.relu
constant = jnp.asarray
recomputed = jax.checkpoint
pad = jnp.pad

DERIVATIVES = derivatives(
    jax.grad,
    jax.value_and_grad,
    jax.jacrev,
    jax.hessian,
    lambda f: lambda x, v: jax.jvp(f, (x,), (v,))[1],
    jax.vmap,
)


def weight(array):
    return array


def linear(x, weight, bias):
    return x @ weight + bias


def softmax_cross_entropy(scores, labels):
    log_probabilities = jax.nn.log_softmax(scores)
    return -jnp.mean(log_probabilities[jnp.arange(len(labels)), labels])


def conv2d(x, kernels, bias, stride, pad):
    y = jax.lax.conv_general_dilated(x, kernels, [stride] * 2, [(pad, pad)] * 2)
    return y + bias[:, jnp.newaxis, jnp.newaxis]


def max_pool2d(x, size):
    window = 1, 1, size, size
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")


def solve_lower(matrix, vector):
    return jax.scipy.linalg.solve_triangular(matrix, vector, lower=True)


def log_loss(scores, signs):
    return jnp.mean(jax.nn.softplus(-signs * scores))


def arrays(result):
    return [np.asarray(each) for each in result]


def _step(function, *inputs):
    compiled, inputs = jax.jit(function), [jnp.asarray(array) for array in inputs]
    return lambda: jax.block_until_ready(compiled(*inputs))


def gradient(f, *inputs, by_hand):
    def gradients(*xs):
        y, pull_back = jax.vjp(f, *xs)
        return pull_back(jnp.ones_like(y))

    return _step(gradients, *inputs)


def value_and_gradients(f, number):
    both = jax.value_and_grad(f, tuple(range(number)))

    def listed(*inputs):
        value, gradients = both(*inputs)
        return [value, *gradients]

    return listed


def loop(step, state, rounds, rows=None):
    def scanned(state, row):
        return (step(state) if rows is None else step(state, row)), None

    return jax.lax.scan(scanned, state, rows, rounds)[0]


def filled(f, x, writes, size):
    def written(out, i):
        return out.at[i].set(f(x[i])), None

    return jax.lax.scan(written, jnp.zeros(size), jnp.arange(writes))[0]


def compiling(function):
    compiled = jax.jit(function)
    return lambda *inputs: jax.block_until_ready(compiled(*inputs))


def forward(f, *inputs, by_hand):
    return _step(lambda *xs: [f(*xs)], *inputs)


def descent(f, parameters, rate, by_hand):
    parameters = [jnp.asarray(array) for array in parameters]

    @jax.jit
    def updated(parameters):
        gradients = jax.grad(lambda parameters: f(*parameters))(parameters)
        return [p - rate * g for p, g in zip(parameters, gradients, strict=True)]

    def step():
        nonlocal parameters
        parameters = jax.block_until_ready(updated(parameters))

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    differentiated = jax.grad(f, tuple(range(len(parameters))))
    both = [*parameters, *vectors]
    half = len(parameters)
    return _step(
        lambda *xs: jax.jvp(differentiated, xs[:half], xs[half:])[1],
        *both,
    )


def hessian_product(f):
    gradient = jax.grad(f)
    return lambda x, v: [jax.jvp(gradient, (x,), (v,))[1]]


def differentiated(name, f, *inputs, by_hand):
    compiled = jax.jit(DERIVATIVES[name](f))
    return lambda *inputs: jax.block_until_ready(compiled(*inputs))


def hidden_states(x, input_weight, hidden_weight, bias):
    """Return those of an LSTM, which JAX itself has not."""

    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ input_weight + h @ hidden_weight + bias, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[1], len(hidden_weight)), x.dtype)
    return jax.lax.scan(step, (zeros, zeros), x)[1]


def lstm_gradient(*inputs, by_hand):
    return gradient(hidden_states, *inputs, by_hand=by_hand)


def perceptron(x, parameters):
    *hidden, last = zip(parameters[::2], parameters[1::2], strict=True)
    for layer in hidden:
        x = relu(linear(x, *layer))
    return linear(x, *last)


def training(images, labels, parameters, batch, rate, shuffle, by_hand):
    parameters = [jnp.asarray(array) for array in parameters]

    @jax.jit
    def updated(parameters, x, t):
        def loss_of(parameters):
            return softmax_cross_entropy(perceptron(x, parameters), t)

        loss, gradients = jax.value_and_grad(loss_of)(parameters)
        return loss, [p - rate * g for p, g in zip(parameters, gradients, strict=True)]

    def epoch():
        nonlocal parameters
        rows, total = len(images), 0.0
        order = np.random.permutation(rows) if shuffle else np.arange(rows)
        for start in range(0, rows, batch):
            index = order[start : start + batch]
            loss, parameters = updated(parameters, images[index], labels[index])
            total += float(loss) * len(index)
        jax.block_until_ready(parameters)
        return total / rows

    return epoch, lambda: parameters
