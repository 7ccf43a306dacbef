"""Step 54: dropout, while a network is trained and while it is used.

    python examples/book/step54_dropout.py

prints what dropout makes of ten ones, and the share of zeros and the mean of 100,000. Expect zeros
and twos, a share of zeros and a mean that differ from 0.5 and 1 by less than 0.01; in test mode,
the ones as they are.
"""

import numpy as np

import dezero_nn.functions as F
from dezero_nn import test_mode


def main():
    np.random.seed(0)
    x = np.ones(10)
    print("training:", F.dropout(x, dropout_ratio=0.5))
    y = F.dropout(np.ones(100_000), dropout_ratio=0.5)
    print(f"of 100,000: zeros {np.mean(y == 0):.4f}, mean {np.mean(y):.4f}")
    with test_mode():
        print("test mode:", F.dropout(x, dropout_ratio=0.5))


if __name__ == "__main__":
    main()
