"""Steps 37 to 41: functions of tensors, and the shapes of their gradients.

    python examples/book/step41_tensors.py

prints, for each function, the shape of its result and the gradient of the sum of that. Expect
gradients in the shape of x: ones for all of them, 3 where `x` is repeated three times, and
for the matrix product x.T W the sums of the rows of W: 6 and 15.
"""

import numpy as np

import dezero_nn.functions as F
from dezero_nn import Variable

# The book writes integers here. Integers have no derivative: write 1.0, not 1.
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
W = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

FUNCTIONS = {
    "reshape": lambda x: F.reshape(x, (6,)),
    "transpose": lambda x: F.transpose(x),
    "sum of an axis": lambda x: F.sum(x, axis=0),
    "sum, keepdims": lambda x: F.sum(x, keepdims=True),
    "sum_to": lambda x: F.sum_to(x, (1, 3)),
    "broadcast_to": lambda x: F.broadcast_to(x, (3, 2, 3)),
    "addition of a column": lambda x: x + np.array([[10.0], [20.0]]),
    "matmul": lambda x: F.matmul(x.T, W),
}


def main():
    for name, function in FUNCTIONS.items():
        x = Variable(X)
        y = function(x)
        F.sum(y).backward()
        print(f"{name}: shape {y.shape}, gradient {x.grad.tolist()}")


if __name__ == "__main__":
    main()
