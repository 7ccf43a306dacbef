"""Steps 55 to 57: the sizes of a convolution, im2col, conv2d and pooling.

    python examples/book/step57_convolution.py

prints the size of an output, the shapes of columns, and how far conv2d and pooling are from loops
over all pixels. Expect the size 4, the shapes (9, 75) and (90, 75), and differences below 1e-12.
"""

import numpy as np

import dezero_nn.functions as F
from dezero_nn import Variable
from dezero_nn.utils import get_conv_outsize


def convolution_by_loops(x, W, b, pad):
    """Return the convolution with stride 1."""
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    KH, KW = W.shape[2:]
    OH, OW = padded.shape[2] - KH + 1, padded.shape[3] - KW + 1
    y = np.empty((len(x), len(W), OH, OW))
    for n in range(len(x)):
        for c in range(len(W)):
            for i in range(OH):
                for j in range(OW):
                    y[n, c, i, j] = np.sum(padded[n, :, i : i + KH, j : j + KW] * W[c]) + b[c]
    return y


def pooling_by_loops(x, size):
    """Return the maximum of each window of `size` pixels, which do not overlap."""
    N, C, H, W = x.shape
    return x.reshape(N, C, H // size, size, W // size, size).max(axis=(3, 5))


def main():
    random = np.random.default_rng(0)
    print("size 4, kernel 3, stride 1, pad 1:", get_conv_outsize(4, 3, 1, 1))
    for batch in (1, 10):
        x = random.standard_normal((batch, 3, 7, 7))
        col = F.im2col(x, kernel_size=5, stride=1, pad=0, to_matrix=True)
        print(f"columns of {x.shape}: {col.shape}")

    x = Variable(random.standard_normal((2, 5, 12, 12)))
    W = Variable(random.standard_normal((8, 5, 3, 3)))
    b = Variable(random.standard_normal(8))
    y = F.conv2d(x, W, b, stride=1, pad=1)
    y.backward()
    print(f"conv2d: shape {y.shape}, gradient of W {W.grad.shape}")
    truth = convolution_by_loops(x.data, W.data, b.data, pad=1)
    simple = F.conv2d_simple(x, W, b, stride=1, pad=1)
    print(f"conv2d differs from the loops by {np.abs(y.data - truth).max():.1e}")
    print(f"conv2d_simple differs from the loops by {np.abs(simple.data - truth).max():.1e}")

    pooled = F.pooling(x, kernel_size=2, stride=2)
    difference = np.abs(pooled.data - pooling_by_loops(x.data, 2)).max()
    print(f"pooling: shape {pooled.shape}, differs from the loops by {difference:.1e}")


if __name__ == "__main__":
    main()
