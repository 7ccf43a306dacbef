"""The digits example by map-reduce: its network, its loss, its Adam and its real images.

Promise: docs/how_to/more_data_than_memory.md
"""

import runpy
from pathlib import Path
from types import SimpleNamespace

import dask
import numpy as np
import pytest
from dezero_tools.functional.trees import leaves_of
from distributed import Client, LocalCluster
from sklearn.datasets import load_digits

import dezero_dask as dd

DEMO = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "digits.py"))
MLP, BATCH, NOISE, cross_entropy = (
    DEMO[name] for name in ("MLP", "BATCH", "NOISE", "cross_entropy")
)
EPOCHS, PARTITIONS = 2, 8


def loss(layers, images, labels):
    return cross_entropy(MLP.__call__(SimpleNamespace(layers=layers), images), labels)


def trained():
    """Return the losses of all steps and the parameters, as the example trains from seed 0."""
    rng = np.random.default_rng(0)
    images, labels = load_digits(return_X_y=True)
    training = np.split(rng.permutation(len(images)), [len(images) // 3])[1]
    images, labels = images[training] / 16.0, labels[training]
    model = MLP(rng, 64, 128, 64, 10)
    adam, step, values = DEMO["Adam"](model.parameters), dd.value_and_grad(loss, mean=True), []
    for _ in range(EPOCHS):
        order = rng.permutation(len(images))
        for batch in np.split(order, range(BATCH, len(order), BATCH)):
            noisy = images[batch] + rng.normal(0.0, NOISE, images[batch].shape)
            layers = [tuple(each.data for each in layer) for layer in model.layers]
            parts = (np.array_split(x, PARTITIONS) for x in (noisy, labels[batch]))
            value, gradient = step(layers, *parts)
            values.append(value.tobytes())
            for parameter, slope in zip(model.parameters, leaves_of(gradient), strict=True):
                parameter.grad = slope
            adam.update()
    _, accuracy, _ = DEMO["judge"](model, images, labels)
    return values, [each.data.tobytes() for each in model.parameters], accuracy


@pytest.fixture(scope="module")
def one_after_another():
    with dask.config.set(scheduler="synchronous"):
        return trained()


def test_digits_are_learnt(one_after_another):
    *_, accuracy = one_after_another
    assert accuracy > 0.85


@pytest.mark.parametrize("workers", [2, 3])
def test_digits_are_learnt_on_workers_with_the_same_bits(workers, one_after_another):
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=workers, **options) as cluster, Client(cluster):
        assert trained() == one_after_another
