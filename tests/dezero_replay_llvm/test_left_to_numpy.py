"""Calls with arguments for which there is no machine code are NumPy's, within a native program.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from .test_rounds import same

X = np.random.default_rng(0).random(70)
PLACES = np.array([3, 1, 3, 0])

#: Words of the reason -> a call for which it is given.
LEFT = {
    "its arguments have names": lambda y: np.take(a=y, indices=PLACES),
    "it is not of arrays alone": lambda y: np.convolve(y, [1.0, 2.0]),
    "it is not of two vectors": lambda y: np.convolve(y, y[:3], 1),
    "it has a mask": lambda y: np.nanmean(y, where=y > 0.0),
}


@pytest.mark.parametrize("reason", LEFT)
def test_a_call_without_machine_code_is_numpys_and_the_others_are_native(reason):
    step = same(lambda x: LEFT[reason](np.sin(x) * 2.0) * 2.0 + 1.0, X)
    text = step.explain()
    assert reason in text
    assert "native: " in text
