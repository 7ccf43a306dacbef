"""Inputs of the stored cases, drawn by NumPy: the same ones with every version of PyTorch."""

import zlib

import numpy as np


def generator(name):
    """Return the generator of a case: it depends on the case's name alone."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def drawn(name, inputs):
    """Return the arrays of a case, by their names.

    An input is given as a shape (normal numbers are drawn), as an array (it is taken), or as a
    function of the generator.
    """
    rng = generator(name)
    return {key: one(rng, of) for key, of in inputs.items()}


def one(rng, of):
    if callable(of):
        return of(rng)
    return rng.standard_normal(of) if isinstance(of, tuple) else np.array(of)


def between(low, high, *shape):
    """Return a function that draws numbers of an interval."""
    return lambda rng: rng.uniform(low, high, shape)


def labels(count, *shape):
    """Return a function that draws integers below `count`."""
    return lambda rng: rng.integers(0, count, shape)


def tied(*shape):
    """Return a function that draws few different numbers, so that windows have equal ones."""
    return lambda rng: rng.integers(0, 3, shape) / 2 - 1
