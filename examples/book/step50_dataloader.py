"""Steps 49 and 50: a Dataset, and a DataLoader that makes batches of it.

    python examples/book/step50_dataloader.py [--epochs 300] [--out out]

prints the accuracy on the training points and on others, which the network has never learned from.
Expect more than 90 % for both. Loss and accuracy by epoch are in ``step50_dataloader.png``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn as dezero
import dezero_nn.functions as F
from dezero_nn import DataLoader, optimizers
from dezero_nn.models import MLP


class ScaledSpiral(dezero.datasets.Dataset):
    """The points of the spiral, times two: a Dataset is a class with ``prepare``."""

    def prepare(self):
        points, self.label = dezero.datasets.get_spiral(self.train)
        self.data = 2 * points


def run_epoch(model, loader, optimizer=None):
    """Return mean loss and accuracy; without an optimizer, the model stays as it is."""
    sum_loss, sum_acc = 0.0, 0.0
    for x, t in loader:
        y = model(x)
        loss = F.softmax_cross_entropy(y, t)
        if optimizer is not None:
            model.cleargrads()
            loss.backward()
            optimizer.update()
        sum_loss += loss.item() * len(t)
        sum_acc += F.accuracy(y, t).item() * len(t)
    return sum_loss / loader.data_size, sum_acc / loader.data_size


def draw(history, path):
    figure = Figure(figsize=(9, 3.5), dpi=120, layout="constrained")
    for axes, name, curves in zip(
        figure.subplots(1, 2), ("loss", "accuracy"), np.array(history).T, strict=True
    ):
        axes.plot(curves[0], color="#9ca3af", label="training")
        axes.plot(curves[1], color="#c81e1e", label="test")
        axes.set(xlabel="epoch", title=name)
        axes.legend(frameon=False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=300)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    train_loader = DataLoader(ScaledSpiral(train=True), 30, rng=np.random.default_rng(0))
    test_loader = DataLoader(ScaledSpiral(train=False), 30, shuffle=False)
    model = MLP((10, 3))
    optimizer = optimizers.SGD(1.0).setup(model)
    history = []
    for _ in range(options.epochs):
        train = run_epoch(model, train_loader, optimizer)
        with dezero.no_grad():
            test = run_epoch(model, test_loader)
        history.append((train, test))
    print(f"training: loss {train[0]:.2f}, accuracy {train[1]:.1%}")
    print(f"test:     loss {test[0]:.2f}, accuracy {test[1]:.1%}")
    draw(history, options.out / "step50_dataloader.png")


if __name__ == "__main__":
    main()
