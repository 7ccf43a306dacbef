"""A naive engine, and the complex step that checks it: the truth for random graphs.

The naive engine knows nothing of Variables: a program is a list of steps, and the
gradient of a value is the sum over all its uses, by recursion. It computes in complex
numbers as well, so that a complex step through it gives the next derivative.
"""

import numpy as np

from dezero_core import Function

STEP = 1e-100


class Mean(Function):
    saves = ()

    def forward(self, x0, x1):
        return (x0 + x1) * 0.5

    def backward(self, gy):
        return gy * 0.5, gy * 0.5


class Product(Function):
    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


class Sine(Function):
    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        return gy * np.cos(self.inputs[0].data)


class Tangent(Function):
    saves = ("outputs",)

    def forward(self, x):
        return np.tanh(x)

    def backward(self, gy):
        y = self.outputs[0]().data
        return gy * (1.0 - y * y)


class Fold(Function):
    """y = x exp(-x), with y' = exp(-x) - y, which needs the input and the output."""

    saves = ("inputs", "outputs")

    def forward(self, x):
        return x * np.exp(-x)

    def backward(self, gy):
        x, y = self.inputs[0].data, self.outputs[0]().data
        return gy * (np.exp(-x) - y)


class Both(Function):
    """Two outputs, of which either may stay unused: the mean and the product."""

    def forward(self, x0, x1):
        return (x0 + x1) * 0.5, x0 * x1

    def backward(self, gm, gp):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gm * 0.5 + gp * x1, gm * 0.5 + gp * x0


class Same(Function):
    saves = ()

    def forward(self, x):
        return x

    def backward(self, gy):
        return gy


#: What the naive engine knows: inputs, values by inputs, gradients by inputs and those of the
#: outputs (for each input).
NAIVE = {
    Mean: (2, lambda a, b: [(a + b) * 0.5], lambda a, b, g: [g * 0.5, g * 0.5]),
    Product: (2, lambda a, b: [a * b], lambda a, b, g: [g * b, g * a]),
    Sine: (1, lambda a: [np.sin(a)], lambda a, g: [g * np.cos(a)]),
    Tangent: (1, lambda a: [np.tanh(a)], lambda a, g: [g / np.cosh(a) ** 2]),
    Fold: (1, lambda a: [a * np.exp(-a)], lambda a, g: [g * (1 - a) * np.exp(-a)]),
    Both: (
        2,
        lambda a, b: [(a + b) * 0.5, a * b],
        lambda a, b, g, h: [g * 0.5 + h * b, g * 0.5 + h * a],
    ),
    Same: (1, lambda a: [a], lambda a, g: [g]),
}


class Naive:
    """Values and gradients of one program, from given values of its inputs."""

    def __init__(self, program, inputs):
        self.values, self.uses = list(inputs), []
        for function, indices in program:
            outputs = NAIVE[function][1](*(self.values[i] for i in indices))
            first = len(self.values)
            self.uses.append((function, indices, range(first, first + len(outputs))))
            self.values += outputs

    def gradient(self, root, index):
        """Return the gradient of the sum of value `root` by value `index`."""
        value = self.values[index]
        total = np.ones_like(value) if index == root else np.zeros_like(value)
        for function, indices, outputs in self.uses:
            if index in indices and outputs[0] <= root:
                gys = [self.gradient(root, output) for output in outputs]
                gxs = NAIVE[function][2](*(self.values[i] for i in indices), *gys)
                for i, gx in zip(indices, gxs, strict=True):
                    if i == index:
                        total = total + summed_to(gx, value.shape)
        return total


def summed_to(array, shape):
    """Undo broadcasting, one axis at a time."""
    while array.ndim > len(shape):
        array = array.sum(axis=0)
    for axis, n in enumerate(shape):
        if n == 1:
            array = array.sum(axis=axis, keepdims=True)
    return array


def complex_step(f, inputs, index):
    """Return the gradient of the number f(inputs) by input `index`, to the last digit."""
    result = np.empty(inputs[index].shape)
    for position in np.ndindex(result.shape):
        shifted = [x.astype(complex) for x in inputs]
        shifted[index][position] += STEP * 1j
        result[position] = np.imag(f(shifted)) / STEP
    return result
