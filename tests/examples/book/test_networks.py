"""The programs of steps 55 to 60, and the book's examples."""

import re

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from dezero_nn.models import VGG16

BOOK_OUT = "out"


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def line_of(text, begin):
    (line,) = [line for line in text.splitlines() if line.startswith(begin)]
    return numbers(line.removeprefix(begin))


def losses_in(text):
    return [numbers(line)[1] for line in text.splitlines() if line.startswith("epoch")]


def test_step_57_computes_convolution_and_pooling_as_loops_do(run):
    printed = run("step57_convolution").printed
    assert line_of(printed, "size 4, kernel 3, stride 1, pad 1:") == [4.0]
    assert line_of(printed, "columns of (1, 3, 7, 7):") == [9.0, 75.0]
    assert line_of(printed, "columns of (10, 3, 7, 7):") == [90.0, 75.0]
    assert line_of(printed, "conv2d: shape") == [2.0, 8.0, 12.0, 12.0, 8.0, 5.0, 3.0, 3.0]
    for name in ("conv2d", "conv2d_simple"):
        assert line_of(printed, f"{name} differs from the loops by")[0] < 1e-12
    *shape, difference = line_of(printed, "pooling: shape")
    assert shape == [2.0, 5.0, 6.0, 6.0]
    assert difference == 0.0
