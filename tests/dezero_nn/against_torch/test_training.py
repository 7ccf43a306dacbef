"""Ten steps of training of whole models are those of PyTorch."""

import numpy as np
import pytest
from dezero_nn.models import MLP

from dezero_nn import Model, optimizers
from dezero_nn import functions as F  # noqa: N812
from dezero_nn import layers as L  # noqa: N812

from .stored import assert_training, fill, groups, stored


class Convolutions(Model):
    def __init__(self):
        self.conv1 = L.Conv2d(3, 3, pad=1, nobias=True)
        self.bn = L.BatchNorm()
        self.conv2 = L.Conv2d(4, 3, pad=1)
        self.fc = L.Linear(3)

    def forward(self, x):
        x = F.pooling(F.relu(self.bn(self.conv1(x))), 3, 2, 1)
        x = F.average_pooling(F.leaky_relu(self.conv2(x)), 2, 2)
        return self.fc(F.flatten(x))


class OverTime(Model):
    def __init__(self):
        self.rnn, self.fc = L.LSTM(3), L.Linear(1)

    def forward(self, x):
        self.rnn.reset_state()
        return self.fc(np.stack([self.rnn(now) for now in x]))


class Normalized(Model):
    def __init__(self):
        self.l1, self.norm, self.l2 = L.Linear(5), L.LayerNorm(), L.Linear(3)

    def forward(self, x):
        return self.l2(F.gelu(self.norm(self.l1(x))))


def mean_of_all(y, t):
    """Divide by the number of elements, as PyTorch's loss does."""
    return F.mean_squared_error(F.reshape(y, (-1,)), t.reshape(-1))


#: The model, the loss, and the optimizer.
MODELS = {
    "LSTM": (OverTime, mean_of_all, lambda: optimizers.RMSprop(lr=0.02)),
    "MLP of relu": (
        lambda: MLP((6, 4, 3), activation=F.relu),
        F.softmax_cross_entropy,
        lambda: optimizers.Adam(alpha=0.02, eps_hat=False),
    ),
    "MLP of sigmoids": (
        lambda: MLP((6, 4, 2)),
        F.mean_squared_error,
        lambda: optimizers.SGD(lr=0.2),
    ),
    "convolutions": (
        Convolutions,
        F.softmax_cross_entropy,
        lambda: optimizers.MomentumSGD(lr=0.05, momentum=0.9),
    ),
    "normalized layers": (
        Normalized,
        F.softmax_cross_entropy,
        lambda: optimizers.AdamW(alpha=0.02, weight_decay=0.1),
    ),
}


@pytest.mark.parametrize("name", sorted(groups()["models"]))
def test_ten_steps_of_training_are_those_of_pytorch(name):
    case = stored("models", name)
    make, loss_of, optimizer = MODELS[name]
    model = make()
    variables = fill(model, case["params"] | case.get("states", {}))
    optimizer = optimizer().setup(model)
    x, t = case["inputs"].values()

    def step():
        loss = loss_of(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    assert_training(step, variables, case, lambda: model(x))


def test_each_stored_model_is_trained():
    assert set(MODELS) == set(groups()["models"])
