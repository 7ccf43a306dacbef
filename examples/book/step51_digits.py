"""Step 51: a network reads handwritten digits.

    python examples/book/step51_digits.py [--epochs 20] [--mnist folder] [--out out]

reads the 1,797 digits that scikit-learn carries with it, or MNIST, if its four files are in the
folder. It prints loss and accuracy of each epoch: for the digits of scikit-learn expect about 90 %
of the test images to be read right, after 20 epochs. The first of them are in
``step51_digits.png``, with the answers of the network.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn as dezero
import dezero_nn.functions as F
from dezero_nn import DataLoader, optimizers
from dezero_nn.models import MLP


def draw(dataset, answers, path):
    figure = Figure(figsize=(8, 4.4), dpi=120, layout="constrained")
    for image, label, answer, axes in zip(
        dataset.data, dataset.label, answers, figure.subplots(4, 8).flat, strict=False
    ):
        axes.imshow(image[0], cmap="Greys")
        axes.set_title(answer, color="#1f2937" if answer == label else "#c81e1e")
        axes.axis("off")
    figure.suptitle("Answers of the network; mistakes in red")
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--mnist", type=Path, help="folder with the files of MNIST")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    if options.mnist is None:
        train_set, test_set = (dezero.datasets.Digits(train=part) for part in (True, False))
    else:
        train_set, test_set = (
            dezero.datasets.MNIST(train=part, root=options.mnist) for part in (True, False)
        )
    np.random.seed(0)
    train_loader = DataLoader(train_set, 100, rng=np.random.default_rng(0))
    test_loader = DataLoader(test_set, 100, shuffle=False)
    model = MLP((100, 100, 10), activation=F.relu)
    optimizer = optimizers.Adam().setup(model)

    for epoch in range(1, options.epochs + 1):
        sum_loss, sum_acc = 0.0, 0.0
        for x, t in train_loader:
            y = model(x)
            loss = F.softmax_cross_entropy(y, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            sum_loss += loss.item() * len(t)
            sum_acc += F.accuracy(y, t).item() * len(t)
        print(
            f"epoch {epoch}: loss {sum_loss / len(train_set):.4f}, "
            f"accuracy {sum_acc / len(train_set):.1%}"
        )

    with dezero.no_grad():
        batches = [(model(x).data.argmax(axis=1), t) for x, t in test_loader]
    answers, labels = map(np.concatenate, zip(*batches, strict=True))
    print(f"test accuracy: {np.mean(answers == labels):.1%} of {len(labels)}")
    draw(test_set, answers, options.out / "step51_digits.png")


if __name__ == "__main__":
    main()
