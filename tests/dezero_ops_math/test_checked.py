"""``checked()`` and operations that hold arrays of the user's in their attributes."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_tools import WrittenArrayError, checked


def test_checked_names_coordinates_of_np_gradient_that_are_written_to():
    x, places = Variable(np.array([1.0, 2.0, 4.0, 8.0])), np.array([0.0, 1.0, 3.0, 7.0])
    with checked():
        y = np.gradient(x, places)
    places[1] = 2.5
    with pytest.raises(WrittenArrayError, match=r"of Gradient\.forward of plugin 'math'"):
        y.backward()
    assert x.grad is None
