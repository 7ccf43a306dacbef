"""A GAN: two networks, of which one learns to draw digits, and the other to see through it.

    python examples/book/gan.py [--epochs 30] [--out out]

The generator makes images of 8 x 8 pixels from noise. The discriminator learns to tell them from
the digits of scikit-learn, and the generator learns to be taken for real (Goodfellow et al., 2014).
The program prints both losses, and how far the mean of the drawn images is from the mean of the
digits. Expect 0.2 after the first epoch and less than 0.05 at the end. Drawn images are in
``gan.png``.
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

BATCH_SIZE = 32
NOISE = 20


class Generator(Model):
    """Noise to images."""

    def __init__(self):
        super().__init__()
        self.fc = L.Linear(4 * 4 * 32)
        self.bn1 = L.BatchNorm()
        self.deconv = L.Deconv2d(16, kernel_size=4, stride=2, pad=1)
        self.bn2 = L.BatchNorm()
        self.conv = L.Conv2d(1, kernel_size=3, stride=1, pad=1)

    def forward(self, z):
        h = F.relu(self.bn1(self.fc(z)))
        h = F.reshape(h, (len(z), 32, 4, 4))
        h = F.relu(self.bn2(self.deconv(h)))
        return F.sigmoid(self.conv(h))


class Discriminator(Model):
    """Images to scores: positive if the image is taken for real."""

    def __init__(self):
        super().__init__()
        self.conv1 = L.Conv2d(16, kernel_size=3, stride=1, pad=1)
        self.conv2 = L.Conv2d(32, kernel_size=4, stride=2, pad=1)
        self.bn = L.BatchNorm()
        self.fc = L.Linear(1)

    def forward(self, x):
        h = F.leaky_relu(self.conv1(x))
        h = F.leaky_relu(self.bn(self.conv2(h)))
        return self.fc(F.flatten(h))


def initialized_optimizer(model):
    optimizer = optimizers.Adam(alpha=0.001, beta1=0.5).setup(model)
    optimizer.add_hook(optimizers.WeightDecay(1e-4))
    return optimizer


class Game:
    """The two networks, and a round of their game."""

    def __init__(self):
        self.generator = Generator()
        self.discriminator = Discriminator()
        self.opt_g = initialized_optimizer(self.generator)
        self.opt_d = initialized_optimizer(self.discriminator)

    def play(self, real):
        """Let both learn from a batch, and return their losses."""
        z = np.random.rand(len(real), NOISE).astype(np.float32)
        fake = self.generator(z)
        ones = np.ones((len(real), 1), np.int64)

        loss_d = F.sigmoid_cross_entropy(self.discriminator(real), ones)
        loss_d += F.sigmoid_cross_entropy(self.discriminator(fake.data), 0 * ones)
        self.discriminator.cleargrads()
        loss_d.backward()
        self.opt_d.update()

        loss_g = F.sigmoid_cross_entropy(self.discriminator(fake), ones)
        self.generator.cleargrads()
        loss_g.backward()
        self.opt_g.update()
        return loss_g.item(), loss_d.item()

    def draw_images(self, count):
        z = np.random.rand(count, NOISE).astype(np.float32)
        with dezero.test_mode(), dezero.no_grad():
            return self.generator(z).data[:, 0]


def draw(images, path):
    figure = Figure(figsize=(8, 4.2), dpi=120, layout="constrained")
    for image, axes in zip(images, figure.subplots(4, 8).flat, strict=True):
        axes.imshow(image, cmap="Greys", vmin=0.0, vmax=1.0)
        axes.axis("off")
    figure.suptitle("Images of the generator")
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    dataset = dezero.datasets.Digits(transform=Compose([ToFloat(), Normalize(0.0, 16.0)]))
    loader = DataLoader(dataset, BATCH_SIZE, rng=np.random.default_rng(0))
    mean_digit = dataset.data[:, 0].mean(axis=0) / 16.0
    game = Game()

    def print_distance():
        distance = np.sqrt(np.mean((game.draw_images(500).mean(axis=0) - mean_digit) ** 2))
        print(f"distance of the mean image from that of the digits: {distance:.3f}")

    for epoch in range(1, options.epochs + 1):
        losses = [game.play(real) for real, _ in loader]
        if epoch == 1:
            print_distance()
        if epoch in (1, options.epochs) or epoch % 10 == 0:
            g, d = np.mean(losses, axis=0)
            print(f"epoch {epoch}: loss of the generator {g:.3f}, of the discriminator {d:.3f}")
    print_distance()
    draw(game.draw_images(32), options.out / "gan.png")


if __name__ == "__main__":
    main()
