"""Steps 43 to 46: one network for a curve, written in four ways.

The book writes it with parameters alone, then with layers, then as a model, and at last with a
model that is there and an optimizer.

    python examples/book/step46_neural_regression.py [--iters 10000] [--out out]

prints the loss of each way. Expect four equal losses near 0.08, the variance 1/12 of the noise. The
curve of the network is in ``step46_neural_regression.png``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn.functions as F
import dezero_nn.layers as L
from dezero_nn import Model, Parameter, no_grad, optimizers
from dezero_nn.models import MLP

HIDDEN = 10
LR = 0.2


def with_parameters(x, y, iters):
    """Step 43; the weights have the dtype of those of a layer."""
    W1 = Parameter(np.random.randn(1, HIDDEN).astype(np.float32))
    b1 = Parameter(np.zeros(HIDDEN, np.float32))
    W2 = Parameter((np.random.randn(HIDDEN, 1) * np.sqrt(1 / HIDDEN)).astype(np.float32))
    b2 = Parameter(np.zeros(1, np.float32))

    def predict(x):
        return F.linear(F.sigmoid(F.linear(x, W1, b1)), W2, b2)

    for _ in range(iters):
        loss = F.mean_squared_error(y, predict(x))
        for p in (W1, b1, W2, b2):
            p.cleargrad()
        loss.backward()
        for p in (W1, b1, W2, b2):
            p.data -= LR * p.grad
    return predict


def with_layers(x, y, iters):
    """Step 44."""
    l1 = L.Linear(HIDDEN)
    l2 = L.Linear(1)

    def predict(x):
        return l2(F.sigmoid(l1(x)))

    for _ in range(iters):
        loss = F.mean_squared_error(y, predict(x))
        l1.cleargrads()
        l2.cleargrads()
        loss.backward()
        for layer in (l1, l2):
            for p in layer.params():
                p.data -= LR * p.grad
    return predict


class TwoLayerNet(Model):
    def __init__(self, hidden_size, out_size):
        super().__init__()
        self.l1 = L.Linear(hidden_size)
        self.l2 = L.Linear(out_size)

    def forward(self, x):
        return self.l2(F.sigmoid(self.l1(x)))


def with_a_model(x, y, iters):
    """Step 45."""
    model = TwoLayerNet(HIDDEN, 1)
    for _ in range(iters):
        loss = F.mean_squared_error(y, model(x))
        model.cleargrads()
        loss.backward()
        for p in model.params():
            p.data -= LR * p.grad
    return model


def with_an_optimizer(x, y, iters):
    """Step 46."""
    model = MLP((HIDDEN, 1))
    optimizer = optimizers.SGD(LR).setup(model)
    for _ in range(iters):
        loss = F.mean_squared_error(y, model(x))
        model.cleargrads()
        loss.backward()
        optimizer.update()
    return model


def draw(x, y, model, path):
    figure = Figure(figsize=(6, 4), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.scatter(x, y, s=12, color="#9ca3af", label="points")
    t = np.linspace(0.0, 1.0, 200)[:, np.newaxis]
    axes.plot(t, model(t).data, color="#c81e1e", label="network")
    axes.set(xlabel="x", ylabel="y", title=f"A network with {HIDDEN} hidden units")
    axes.legend(frameon=False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iters", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    x = np.random.rand(100, 1)
    y = np.sin(2 * np.pi * x) + np.random.rand(100, 1)
    for train in (with_parameters, with_layers, with_a_model, with_an_optimizer):
        np.random.seed(1)  # the same first weights each time
        model = train(x, y, options.iters)
        with no_grad():
            loss = F.mean_squared_error(y, model(x))
        print(f"{train.__name__}: loss {loss.item():.10f}")
    draw(x, y, model, options.out / "step46_neural_regression.png")


if __name__ == "__main__":
    main()
