"""Step 48: the arms of a spiral, told apart by a network that learns from batches.

    python examples/book/step48_spiral.py [--epochs 300] [--out out]

prints the loss of some epochs and the share of the points that are classified right. Expect a loss
below 0.2 and more than 90 %. The regions of the classes are in ``step48_spiral.png``.
"""

import argparse
import math
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn as dezero
import dezero_nn.functions as F
from dezero_nn import no_grad, optimizers
from dezero_nn.models import MLP

BATCH_SIZE = 30
COLORS = ("#c81e1e", "#2563eb", "#15803d")


def train_one_epoch(model, optimizer, x, t, random):
    """Show each point once, and return the mean loss."""
    index = random.permutation(len(x))
    sum_loss = 0.0
    for i in range(math.ceil(len(x) / BATCH_SIZE)):
        batch_index = index[i * BATCH_SIZE : (i + 1) * BATCH_SIZE]
        batch_x, batch_t = x[batch_index], t[batch_index]
        loss = F.softmax_cross_entropy(model(batch_x), batch_t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        sum_loss += loss.item() * len(batch_t)
    return sum_loss / len(x)


def draw(model, x, t, path):
    """Draw the points upon the class that the network gives to each place."""
    side = np.linspace(-1.1, 1.1, 221)
    a, b = np.meshgrid(side, side)
    with no_grad():
        score = model(np.stack([a.ravel(), b.ravel()], axis=1))
    regions = score.data.argmax(axis=1).reshape(a.shape)
    figure = Figure(figsize=(6, 6), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.contourf(a, b, regions, levels=[-0.5, 0.5, 1.5, 2.5], colors=COLORS, alpha=0.2)
    for label, (color, marker) in enumerate(zip(COLORS, "ox^", strict=True)):
        axes.scatter(*x[t == label].T, s=24, c=color, marker=marker, label=f"class {label}")
    axes.set(xlabel="x0", ylabel="x1", title="Regions of the three classes", aspect="equal")
    axes.legend()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    random = np.random.default_rng(0)
    x, t = dezero.datasets.get_spiral(train=True)
    model = MLP((10, 3))
    optimizer = optimizers.SGD(1.0).setup(model)
    for epoch in range(1, options.epochs + 1):
        loss = train_one_epoch(model, optimizer, x, t, random)
        if epoch == 1 or epoch % 50 == 0:
            print(f"epoch {epoch}, loss {loss:.2f}")
    with no_grad():
        accuracy = F.accuracy(model(x), t)
    print(f"accuracy {accuracy.item():.1%}")
    draw(model, x, t, options.out / "step48_spiral.png")


if __name__ == "__main__":
    main()
