"""Step 47: softmax, and the loss of a classifier.

    python examples/book/step47_softmax_cross_entropy.py

prints the probabilities that a network with random weights gives to three classes, and the loss.
Expect rows with the sum 1, three times the same loss, by three formulas, and the gradient of an
indexed Variable: ones in the row that was taken, else zeros.
"""

import numpy as np

import dezero_nn.functions as F
from dezero_nn import Variable
from dezero_nn.models import MLP


def main():
    np.random.seed(0)
    x = np.array([[0.2, -0.4], [0.3, 0.5], [1.3, -3.2], [2.1, 0.3]])
    t = np.array([2, 0, 1, 0])
    model = MLP((10, 3))
    y = model(x)

    p = F.softmax(y)
    for row in p.data:
        print("probabilities", *(f"{value:.3f}" for value in row), f"sum {row.sum():.3f}")
    print(f"loss: {F.softmax_cross_entropy(y, t).item():.6f}")
    print(f"loss, as the book composes it: {F.softmax_cross_entropy_simple(y, t).item():.6f}")
    print(f"loss, by NumPy: {-np.log(p.data[np.arange(4), t]).mean():.6f}")

    z = Variable(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    F.sum(F.get_item(z, 1)).backward()
    print("gradient of z[1]:", z.grad.tolist())


if __name__ == "__main__":
    main()
