"""Grad-CAM: where a convolutional network looks when it reads a digit.

    python examples/book/grad_cam.py [--epochs 20] [--out out]

trains a small network on the digits of scikit-learn. The gradient of the score of a digit by the
output of the last convolution says which of its channels speak for that digit; their sum, weighted
so, is a map of the places that do (Selvaraju et al., 2017). Expect more than 90 % of the test
digits to be read right.

Behind the last convolution of this network are a mean of each channel and one affine layer. There
the weights of Grad-CAM are the weights of that layer, divided by the number of pixels; the program
prints how far they are from that. Expect less than 1e-6. A map for each digit is in
``grad_cam.png``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn as dezero
import dezero_nn.functions as F
import dezero_nn.layers as L
from dezero_nn import DataLoader, Model, Variable, optimizers
from dezero_nn.transforms import Compose, Normalize, ToFloat


class ConvNet(Model):
    def __init__(self):
        super().__init__()
        self.conv1 = L.Conv2d(16, kernel_size=3, stride=1, pad=1)
        self.conv2 = L.Conv2d(32, kernel_size=3, stride=1, pad=1)
        self.conv3 = L.Conv2d(64, kernel_size=3, stride=1, pad=1)
        self.fc = L.Linear(10)

    def features(self, x):
        """Return the output of the last convolution, of shape (N, 64, 4, 4)."""
        h = F.relu(self.conv1(x))
        h = F.relu(self.conv2(h))
        h = F.pooling(h, kernel_size=2, stride=2)
        return F.relu(self.conv3(h))

    def scores(self, features):
        return self.fc(F.average(features, axis=(2, 3)))

    def forward(self, x):
        return self.scores(self.features(x))


def train(model, epochs, to_images):
    loader = DataLoader(
        dezero.datasets.Digits(transform=to_images), 32, rng=np.random.default_rng(0)
    )
    optimizer = optimizers.Adam(alpha=0.003).setup(model)
    for _ in range(epochs):
        for x, t in loader:
            loss = F.softmax_cross_entropy(model(x), t)
            model.cleargrads()
            loss.backward()
            optimizer.update()


def grad_cam(model, image, label):
    """Return the map of one image, and the weights of the channels."""
    features = Variable(model.features(image[np.newaxis]).data)
    score = model.scores(features)[0, label]
    score.backward()
    weights = features.grad[0].mean(axis=(1, 2))
    places = np.maximum(np.tensordot(weights, features.data[0], axes=1), 0.0)
    return places, weights


def draw(images, labels, maps, path):
    """Draw each digit, and its map below."""
    figure = Figure(figsize=(10, 2.9), dpi=120, layout="constrained")
    above, below = figure.subplots(2, 10)
    for column, (image, label, places) in enumerate(zip(images, labels, maps, strict=True)):
        above[column].imshow(image[0], cmap="Greys")
        above[column].set_title(label)
        below[column].imshow(places, cmap="Reds", interpolation="bilinear")
    for axes in (*above, *below):
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_color("#9ca3af")
    figure.suptitle("Digits, and in red the places that speak for the digit")
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    to_images = Compose([ToFloat(), Normalize(0.0, 16.0)])
    model = ConvNet()
    train(model, options.epochs, to_images)

    test_set = dezero.datasets.Digits(train=False, transform=to_images)
    x, t = test_set.get_batch(np.arange(len(test_set)))
    with dezero.no_grad():
        accuracy = F.accuracy(model(x), t)
    print(f"test accuracy: {accuracy.item():.1%} of {len(t)}")

    first = [np.flatnonzero(t == label)[0] for label in range(10)]
    maps, weights = zip(*(grad_cam(model, x[i], t[i]) for i in first), strict=True)
    pixels = maps[0].size
    difference = np.abs(np.array(weights) - model.fc.W.data.T / pixels).max()
    print(f"weights differ from those of the last layer by {difference:.1e}")
    draw(x[first], t[first], maps, options.out / "grad_cam.png")


if __name__ == "__main__":
    main()
