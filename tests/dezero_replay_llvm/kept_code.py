"""A program whose machine code is kept, for tests of the files."""

import numpy as np

from dezero_replay import compiled

X = np.linspace(0.1, 2.0, 100)


def run(factor=2.0):
    """Compile a function, and return the result of a replay."""
    step = compiled(lambda x: np.sum(np.exp(x) * factor + x), executor="llvm", wait=True)
    for _ in range(3):
        result = step(X)
    assert "native: " in step.explain(), step.explain()
    np.testing.assert_allclose(result, step.eager(X), rtol=1e-14)
    return result
