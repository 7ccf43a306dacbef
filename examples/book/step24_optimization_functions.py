"""Step 24: the gradients of three functions that optimizers are tested with.

    python examples/book/step24_optimization_functions.py

prints the gradients at (1, 1). Expect (2, 2), (0.04, 0.04) and (-5376, 8064).
"""

import numpy as np

from dezero_nn import Variable


def sphere(x, y):
    return x**2 + y**2


def matyas(x, y):
    return 0.26 * (x**2 + y**2) - 0.48 * x * y


def goldstein_price(x, y):
    left = 19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2
    right = 18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2
    return (1 + (x + y + 1) ** 2 * left) * (30 + (2 * x - 3 * y) ** 2 * right)


def main():
    for function in (sphere, matyas, goldstein_price):
        x = Variable(np.array(1.0))
        y = Variable(np.array(1.0))
        z = function(x, y)
        z.backward()
        print(f"{function.__name__}: {z.item():g}, gradient {x.grad:.6g} {y.grad:.6g}")


if __name__ == "__main__":
    main()
