"""A VAE: digits from two numbers, by a network with a random middle.

    python examples/book/vae.py [--epochs 30] [--out out]

The encoder maps each digit of scikit-learn to a normal distribution of two numbers, and the decoder
maps a draw of it back to an image (Kingma and Welling, 2014). The program prints the loss, the sum
of the error of the image and of the distance of the distributions from the standard one. Expect it
to fall from about 37 to about 25. Images that the decoder makes of a grid of numbers are in
``vae.png``: the digits change from one to the other.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn as dezero
import dezero_nn.functions as F
import dezero_nn.layers as L
from dezero_nn import DataLoader, Model, optimizers
from dezero_nn.transforms import Compose, Normalize, ToFloat

LATENT = 2


class Encoder(Model):
    """Images to means and logarithms of variances."""

    def __init__(self):
        super().__init__()
        self.conv1 = L.Conv2d(16, kernel_size=3, stride=1, pad=1)
        self.conv2 = L.Conv2d(32, kernel_size=3, stride=2, pad=1)
        self.linear1 = L.Linear(32)
        self.linear2 = L.Linear(LATENT)
        self.linear3 = L.Linear(LATENT)

    def forward(self, x):
        h = F.relu(self.conv1(x))
        h = F.flatten(F.relu(self.conv2(h)))
        h = F.relu(self.linear1(h))
        return self.linear2(h), self.linear3(h)


class Decoder(Model):
    """Numbers to images."""

    def __init__(self):
        super().__init__()
        self.linear1 = L.Linear(32)
        self.linear2 = L.Linear(32 * 4 * 4)
        self.deconv = L.Deconv2d(16, kernel_size=4, stride=2, pad=1)
        self.conv = L.Conv2d(1, kernel_size=3, stride=1, pad=1)

    def forward(self, z):
        h = F.relu(self.linear1(z))
        h = F.relu(self.linear2(h))
        h = F.relu(self.deconv(F.reshape(h, (len(z), 32, 4, 4))))
        return F.sigmoid(self.conv(h))


class VAE(Model):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def forward(self, x):
        """Return the loss."""
        mean, ln_var = self.encoder(x)
        noise = np.random.standard_normal(mean.shape).astype(np.float32)
        y = self.decoder(mean + F.exp(0.5 * ln_var) * noise)
        error = F.binary_cross_entropy(F.flatten(y), F.flatten(x))
        divergence = 0.5 * F.sum(mean**2 + F.exp(ln_var) - ln_var - 1.0) / len(x)
        return error + divergence


def draw(decoder, path, side=10):
    a, b = np.meshgrid(np.linspace(-2.0, 2.0, side), np.linspace(2.0, -2.0, side))
    with dezero.test_mode(), dezero.no_grad():
        images = decoder(np.stack([a.ravel(), b.ravel()], axis=1).astype(np.float32)).data
    tiles = images.reshape(side, side, 8, 8).transpose(0, 2, 1, 3).reshape(8 * side, 8 * side)
    figure = Figure(figsize=(6, 6), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.imshow(tiles, cmap="Greys", extent=(-2.2, 2.2, -2.2, 2.2))
    axes.set(xlabel="first number", ylabel="second number", title="Images of the decoder")
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    to_images = Compose([ToFloat(), Normalize(0.0, 16.0)])
    loader = DataLoader(
        dezero.datasets.Digits(transform=to_images), 32, rng=np.random.default_rng(0)
    )
    model = VAE()
    optimizer = optimizers.Adam().setup(model)
    for epoch in range(1, options.epochs + 1):
        sum_loss = 0.0
        for x, _ in loader:
            loss = model(x)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            sum_loss += loss.item() * len(x)
        if epoch in (1, options.epochs) or epoch % 5 == 0:
            print(f"epoch {epoch}: loss {sum_loss / loader.data_size:.3f}")
    draw(model.decoder, options.out / "vae.png")


if __name__ == "__main__":
    main()
