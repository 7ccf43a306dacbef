"""Step 58: VGG16, a large convolutional network.

    python examples/book/step58_vgg16.py [--size 224] [--weights file.npz] [--image photo.jpg]

draws the graph of the network into ``step58_vgg16.svg`` in the folder ``--out``, and prints how
many parameters it has: expect 138,357,544 with images of 224 x 224 pixels.

Nothing is downloaded. With a file of weights the program prints the five classes of ImageNet that
the network finds in the image, by number; without one the weights are random, and so are they.
"""

import argparse
from pathlib import Path

import numpy as np

import dezero_nn as dezero
import dezero_nn.functions as F
from dezero_nn.models import VGG16


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=224, help="pixels, without an image")
    parser.add_argument("--weights", type=Path, help="file of weights")
    parser.add_argument("--image", type=Path, help="file of an image")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    model = VGG16(weights=options.weights)
    if options.image is None:
        x = np.random.randn(1, 3, options.size, options.size).astype(np.float32)
    else:
        from PIL import Image

        x = VGG16.preprocess(Image.open(options.image))[np.newaxis]
    model.plot(x, to_file=options.out / "step58_vgg16.svg")
    print(f"parameters: {sum(p.size for p in model.params()):,}")

    with dezero.test_mode(), dezero.no_grad():
        p = F.softmax(model(x)).data[0]
    print(f"sum of the probabilities of {len(p)} classes: {p.sum():.4f}")
    for number in np.argsort(-p)[:5]:
        print(f"class {number}: {p[number]:.1%}")


if __name__ == "__main__":
    main()
