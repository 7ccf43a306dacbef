"""A loss that draws random numbers or changes objects has the results without a comparison.

Promise: docs/how_to/more_data_than_memory.md
"""

import random
import warnings
from collections import deque
from functools import partial

import dask
import numpy as np
import pytest

import dezero_dask as dd

from .problems import made, parts

X, _ = made()


@pytest.fixture
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class Noise:
    """Draws from a generator that it has in an attribute."""

    def __init__(self, generator):
        self.parts = [{"noise": (generator,)}]

    def __call__(self, w, x):
        return np.sum(w * x) + self.parts[0]["noise"][0].random()

    def loss(self, w, x):
        return self(w, x)


class NoiseOfItsClass:
    """Draws from a generator that its class has."""

    def __init__(self, generator):
        type(self).generator = generator

    def __call__(self, w, x):
        return np.sum(w * x) + self.generator.random()


HELD = {}


def noise():
    return HELD["generator"].random()


def of_a_global(generator):
    HELD["generator"] = generator
    return lambda w, x: np.sum(w * x) + (lambda: noise())()


def of_a_closure(generator):
    def several():
        return [generator.random() for _ in range(2)]

    return lambda w, x: np.sum(w * x) + several()[1]


def of_a_method(generator):
    draw = generator.random
    return lambda w, x: np.sum(w * x) + draw()


def of_a_library():
    return np.random.normal()


of_a_library.__module__ = "scipy"  # libraries are not looked into


def with_a_generator(generator, w, x):
    return np.sum(w * x) + generator.random()


class InSlots:
    """Draws from a generator in a slot, by a property."""

    __slots__ = ("_generator",)

    def __init__(self, generator):
        self._generator = deque([generator])

    @property
    def draw(self):
        return self._generator[0].random

    def __call__(self, w, x):
        return np.sum(w * x) + self.draw()


def of_an_iterator(generator):
    numbers = (generator.random() for _ in range(1000))
    return lambda w, x: np.sum(w * x) + next(numbers)


RANDOM = {
    "an attribute": Noise,
    "a slot": InSlots,
    "an iterator": of_an_iterator,
    "a method of an object": lambda generator: Noise(generator).loss,
    "a class": NoiseOfItsClass,
    "a global": of_a_global,
    "a closure": of_a_closure,
    "a method of the generator": of_a_method,
    "a default": lambda generator: lambda w, x, g=generator: with_a_generator(g, w, x),
    "a partial": lambda generator: partial(with_a_generator, generator),
    "NumPy": lambda generator: lambda w, x: np.sum(w * x) + np.random.normal(),
    "a library": lambda generator: lambda w, x: np.sum(w * x) + of_a_library(),
    "Python": lambda generator: lambda w, x: np.sum(w * x) + random.gauss(0.0, 1.0),
}


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState, random.Random])
@pytest.mark.parametrize("where", RANDOM)
def test_random_numbers_are_those_without_a_comparison(where, generator, no_warning):
    found = []
    for check in (None, False):
        loss = RANDOM[where](generator(0))
        random.seed(0)
        np.random.seed(0)
        with dask.config.set(scheduler="synchronous"):
            f = dd.value_and_grad(loss, check=check)
            values = [f(2.0, parts(X[:, 0]))[0] for _ in range(3)]
        found.append([*values, loss(1.0, X[:, 0])])
    assert found[0] == found[1]


def with_a_counter():
    calls = [0]

    def loss(w, x):
        calls[0] += 1
        return np.sum(w * x) * calls[0]

    return loss


def with_a_running_mean():
    mean = np.zeros(4)

    def loss(w, x):
        mean[...] = 0.9 * mean + 0.1 * np.mean(x, axis=0)
        return np.sum(w * (x - mean))

    return loss


@pytest.mark.parametrize("make", [with_a_counter, with_a_running_mean])
def test_a_loss_that_changes_an_object_has_the_results_without_a_comparison(make, no_warning):
    found = []
    for check in (None, False):
        f = dd.value_and_grad(make(), check=check, replay=False)
        with dask.config.set(scheduler="synchronous"):
            found.append([f(2.0, parts(X))[0] for _ in range(3)])
    assert found[0] == found[1]


def test_a_large_array_that_a_loss_holds_is_not_read_for_the_comparison():
    large = np.zeros(200_000)
    with pytest.warns(dd.NoSumOverRowsWarning):
        dd.value_and_grad(lambda w, x: np.mean(w * x) + large[0])(2.0, [X])


def test_a_lazy_partition_of_one_row_is_computed_once():
    """Were it computed again with another one, the generator would give other numbers."""
    found = []
    for check in (None, False):
        np.random.seed(0)
        data = [dask.delayed(part) for part in np.split(X[:20, 0], [1])]
        f = dd.value_and_grad(lambda w, x: np.sum(w * x) + np.random.normal(), check=check)
        with dask.config.set(scheduler="synchronous"):
            found.append([f(2.0, data)[0] for _ in range(3)])
    assert found[0] == found[1]
