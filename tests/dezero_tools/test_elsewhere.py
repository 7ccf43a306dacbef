"""The tools where the system is not Linux.

Promise: CONTRIBUTING.md
"""

from ..elsewhere import WINDOWS, run

USED = """
import numpy as np
from dezero_core import Function, Variable
from dezero_tools import checked, draw, memory, observe

class Square(Function):
    def forward(self, x):
        return x * x
    def backward(self, gy):
        return gy * (2.0 * self.inputs[0].data)

x = Variable(np.array([1.0, 2.0]), name="x")
with observe("time") as times, checked():
    Square()(x).backward()
print(len(times.rows()), "</svg>" in draw(Square()(x), dot=False).svg)
try:
    memory.keep(64)
except OSError as error:
    print(error)
"""


def test_observers_and_pictures_work_without_the_modules_that_windows_lacks():
    refused = "keep() sets glibc's options, and the C library here is another one."
    assert run(WINDOWS + USED).splitlines() == ["1 True", refused]
