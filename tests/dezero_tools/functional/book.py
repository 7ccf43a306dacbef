"""The functions of the book's steps 24, 28 and 29, of NumPy alone."""

import numpy as np


def sphere(x, y):
    return x**2 + y**2


def matyas(x, y):
    return 0.26 * (x**2 + y**2) - 0.48 * x * y


def goldstein(x, y):
    first = 1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2)
    second = 30 + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
    return first * second


def rosenbrock(x, y):
    return 100 * (y - x**2) ** 2 + (1 - x) ** 2


FUNCTIONS = [sphere, matyas, goldstein, rosenbrock]


def of_vector(function):
    """Return a function of two numbers as one of an array of shape (2,)."""
    return lambda xy: function(xy[0], xy[1])


def perceptron(parameters, x):
    """A network with two hidden layers; returns an array of shape (len(x), 2)."""
    *hidden, last = parameters
    for layer in hidden:
        x = np.tanh(x @ layer["w"] + layer["b"])
    return x @ last["w"] + last["b"]
