"""Where the system is not Linux: what it has not is taken away, in a fresh interpreter.

Promise: CONTRIBUTING.md
"""

import pytest

from ..elsewhere import WINDOWS, run

COMPUTED = """
import threading
import numpy as np
import dezero_core as dz
from dezero_core import Function, Variable, no_grad

class Square(Function):
    def forward(self, x):
        return x * x
    def backward(self, gy):
        return gy * (2.0 * self.inputs[0].data)

x = Variable(np.array([1.0, 2.0]), name="x")
def compute():
    y = Square()(x)
    y.backward()
threads = [threading.Thread(target=compute) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert x.grad.tolist() == [8.0, 16.0], x.grad
with no_grad():
    y = Square()(x)
dz.ops()
print("computed")
"""


def test_the_core_computes_without_the_modules_that_windows_lacks():
    printed = run(WINDOWS + COMPUTED)
    assert printed == "computed\n"


@pytest.mark.parametrize("missing", ["register_at_fork", "fork"])
def test_the_core_is_imported_on_a_system_without_fork(missing):
    taken = f"import os\nif hasattr(os, {missing!r}):\n    del os.{missing}\n"
    assert run(f"{taken}import dezero_core\nprint(dezero_core.__name__)") == "dezero_core\n"
