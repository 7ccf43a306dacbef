"""Step 53: the weights of a model, saved in a file and read by another model.

    python examples/book/step53_save_weights.py [--epochs 3] [--out out]

trains a network, saves its weights in ``step53_mlp.npz``, and reads them into a new network that
has learned nothing. Expect the loss of both networks to be the same to the last digit.
"""

import argparse
from pathlib import Path

import numpy as np

import dezero_nn as dezero
import dezero_nn.functions as F
from dezero_nn import DataLoader, optimizers
from dezero_nn.models import MLP


def loss_of(model, dataset):
    x, t = dataset.get_batch(np.arange(len(dataset)))
    with dezero.no_grad():
        return F.softmax_cross_entropy(model(x), t).item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the weights")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "step53_mlp.npz"

    np.random.seed(0)
    dataset = dezero.datasets.Digits()
    model = MLP((100, 10))
    optimizer = optimizers.Adam().setup(model)
    for _ in range(options.epochs):
        for x, t in DataLoader(dataset, 100, rng=np.random.default_rng(0)):
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
    model.save_weights(path)
    with np.load(path) as saved:
        print("saved:", ", ".join(f"{name} {saved[name].shape}" for name in saved.files))

    other = MLP((100, 10))
    print(f"loss of a new model:     {loss_of(other, dataset):.10f}")
    other.load_weights(path)
    print(f"loss with the file:      {loss_of(other, dataset):.10f}")
    print(f"loss of the first model: {loss_of(model, dataset):.10f}")


if __name__ == "__main__":
    main()
