"""Optimizers change parameters as PyTorch's do, and schedules have the rates of PyTorch's."""

import numpy as np
import pytest
from dezero_nn.functions import linear, softmax_cross_entropy

from dezero_core import Parameter
from dezero_nn import Layer
from dezero_nn import optimizers as O  # noqa: N812

from .stored import assert_close, compare, groups, stored

#: By the formulas of PyTorch, where an argument chooses between them and the book's.
OPTIMIZERS = {
    "AdaDelta": lambda: O.AdaDelta(rho=0.9, eps=1e-3),
    "AdaGrad": lambda: O.AdaGrad(lr=0.1, eps=1e-2),
    "Adam": lambda: O.Adam(alpha=0.05, beta1=0.8, beta2=0.99, eps=1e-2, eps_hat=False),
    "Adam clipped": lambda: O.Adam(alpha=0.05, eps_hat=False),
    "Adam of defaults": lambda: O.Adam(eps_hat=False),
    "Adam with decay": lambda: O.Adam(alpha=0.05, eps_hat=False),
    "AdamW": lambda: O.AdamW(alpha=0.05, beta1=0.8, beta2=0.99, eps=1e-2, weight_decay=0.2),
    "AdamW of defaults": lambda: O.AdamW(),
    "MomentumSGD": lambda: O.MomentumSGD(lr=0.1, momentum=0.8),
    "MomentumSGD with decay": lambda: O.MomentumSGD(lr=0.1, momentum=0.8),
    "RMSprop": lambda: O.RMSprop(lr=0.05, alpha=0.9, eps=1e-2),
    "RMSprop of defaults": lambda: O.RMSprop(),
    "SGD": lambda: O.SGD(lr=0.5),
    "SGD clipped": lambda: O.SGD(lr=0.5),
    "SGD clipped at a large norm": lambda: O.SGD(lr=0.5),
    "SGD clipped, with decay": lambda: O.SGD(lr=0.5),
    "SGD with decay": lambda: O.SGD(lr=0.5),
}
HOOKS = {
    "Adam clipped": [lambda: O.ClipGrad(0.3)],
    "Adam with decay": [lambda: O.WeightDecay(0.1)],
    "MomentumSGD with decay": [lambda: O.WeightDecay(0.1)],
    "SGD clipped": [lambda: O.ClipGrad(0.3)],
    "SGD clipped at a large norm": [lambda: O.ClipGrad(1e3)],
    "SGD clipped, with decay": [lambda: O.ClipGrad(0.3), lambda: O.WeightDecay(0.1)],
    "SGD with decay": [lambda: O.WeightDecay(0.1)],
}
SCHEDULES = {
    "CosineAnnealingLR": lambda optimizer: O.CosineAnnealingLR(optimizer, T_max=6, eta_min=0.01),
    "ExponentialLR": lambda optimizer: O.ExponentialLR(optimizer, gamma=0.9),
    "LambdaLR": lambda optimizer: O.LambdaLR(optimizer, lambda n: 1 / (n + 1)),
    "LinearLR": lambda optimizer: O.LinearLR(
        optimizer, start_factor=0.1, end_factor=1.0, total_iters=5
    ),
    "MultiStepLR": lambda optimizer: O.MultiStepLR(optimizer, [2, 5, 6], gamma=0.3),
    "SequentialLR": lambda optimizer: O.SequentialLR(
        optimizer,
        [
            O.LinearLR(optimizer, start_factor=0.25, total_iters=3),
            O.CosineAnnealingLR(optimizer, T_max=5),
            O.ExponentialLR(optimizer, gamma=0.9),
        ],
        milestones=[3, 7],
    ),
    "StepLR": lambda optimizer: O.StepLR(optimizer, step_size=3, gamma=0.5),
}


class Small(Layer):
    """The model that is trained."""

    def __init__(self, inputs):
        self.W, self.b = (Parameter(inputs[name].copy()) for name in ("W", "b"))
        self.x, self.t = inputs["x"], inputs["t"]

    def train(self, optimizer):
        """Make one step."""
        self.cleargrads()
        softmax_cross_entropy(linear(self.x, self.W, self.b), self.t).backward()
        optimizer.update()


def trained(optimizer, schedule=None):
    """Return the parameters after each of ten steps."""
    model = Small(stored("optimizers", "all")["inputs"])
    optimizer.setup(model)
    steps = []
    for _ in range(10):
        model.train(optimizer)
        if schedule:
            schedule.step()
        steps.append((model.W.data.copy(), model.b.data.copy()))
    return [np.stack(each) for each in zip(*steps, strict=True)]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_ten_steps_are_those_of_pytorch(name):
    optimizer = OPTIMIZERS[name]()
    for hook in HOOKS.get(name, []):
        optimizer.add_hook(hook())
    compare(("W", "b"), trained(optimizer), stored("optimizers", name)["steps"], "steps of ")


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_rates_are_those_of_pytorch(name):
    optimizer = O.SGD(lr=0.5)
    schedule = SCHEDULES[name](optimizer)
    wanted = stored("schedules", name)["rates"]["y"]
    found = []
    for _ in wanted:
        found.append(optimizer.lr)
        schedule.step()
    assert_close(found, wanted)


@pytest.mark.parametrize("name", SCHEDULES)
def test_ten_steps_by_the_schedule_are_those_of_pytorch(name):
    optimizer = O.SGD(lr=0.5)
    steps = trained(optimizer, SCHEDULES[name](optimizer))
    compare(("W", "b"), steps, stored("optimizers", f"SGD by {name}")["steps"], "steps of ")


def subclasses(base):
    """Return the names of the public classes below a base."""
    public = (getattr(O, name) for name in O.__all__)
    return {each.__name__ for each in public if issubclass(each, base) and each is not base}


def test_each_optimizer_and_schedule_is_compared():
    by_schedule = {f"SGD by {name}" for name in SCHEDULES}
    assert {"all", *OPTIMIZERS, *by_schedule} == set(groups()["optimizers"])
    assert set(SCHEDULES) == set(groups()["schedules"]) == subclasses(O.Schedule)
    assert {name.split(" ")[0].rstrip(",") for name in OPTIMIZERS} == subclasses(O.Optimizer)
