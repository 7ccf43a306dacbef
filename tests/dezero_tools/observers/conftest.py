"""The input that the tests of observers share."""

import numpy as np
import pytest

from dezero_core import (
    Variable,
)


@pytest.fixture
def x():
    return Variable(np.array([1.0, 2.0, 3.0]))
