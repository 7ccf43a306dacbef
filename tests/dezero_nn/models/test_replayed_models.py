"""A training step of each whole model is replayed, with the bits of eager code."""

import copy

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.models import VGG16, ResNet50

import dezero_nn
from dezero_nn import optimizers
from dezero_replay import compiled

CALLS = 5


def steps_of(model, compile_it):
    """Return the losses of some steps of training, and the scores without dropout after them."""
    optimizer = optimizers.MomentumSGD(0.001).setup(model)

    def step(x, t):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    run = compiled(step, strict=True) if compile_it else step
    random = np.random.default_rng(0)
    np.random.seed(1)  # of dropout
    losses = []
    for _ in range(CALLS):
        x = random.standard_normal((2, 3, 32, 32)).astype(np.float32)
        losses.append(run(x, random.integers(0, 1000, 2)).data.tobytes())
    with dezero_nn.test_mode():
        return losses, model(x).data.tobytes(), getattr(run, "stats", None)


@pytest.mark.parametrize("make", [VGG16, ResNet50])
def test_a_step_of_a_whole_model_is_replayed_bitwise(make):
    model = make(rng=np.random.default_rng(0))
    with dezero_nn.test_mode():
        model(np.zeros((1, 3, 32, 32), np.float32))
    eager = steps_of(copy.deepcopy(model), False)
    losses, scores, stats = steps_of(model, True)
    assert (losses, scores) == eager[:2]
    assert len(set(losses)) == CALLS
    assert (stats["replayed"], stats["eager"]) == (1, 0)
