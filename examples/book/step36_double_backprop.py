"""Step 36: a derivative inside of a formula that is differentiated again.

    python examples/book/step36_double_backprop.py

prints dz/dx for y = x**2 and z = (dy/dx)**3 + y at x = 2. Since z = 8 x**3 + x**2, expect
24 x**2 + 2 x = 100.
"""

import numpy as np

from dezero_nn import Variable


def main():
    x = Variable(np.array(2.0))
    y = x**2
    y.backward(create_graph=True)
    gx = x.grad
    x.cleargrad()

    z = gx**3 + y
    z.backward()
    print(f"dz/dx = {x.grad:g}")


if __name__ == "__main__":
    main()
