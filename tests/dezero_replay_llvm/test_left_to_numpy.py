"""Calls with arguments for which there is no machine code are NumPy's, within a native program.

Promise: docs/how_replay_works.md
"""

import numpy as np
import pytest

from dezero_replay_llvm import composites, region

from .test_rounds import same

X = np.random.default_rng(0).random(70)
PLACES = np.array([3, 1, 3, 0])

#: Words of the reason -> a call for which it is given.
LEFT = {
    "its arguments have names": lambda y: np.take(a=y, indices=PLACES),
    "it is not of arrays alone": lambda y: np.convolve(y, [1.0, 2.0]),
    "it is not of two vectors": lambda y: np.convolve(y, y[:3], 1),
    "it has a mask": lambda y: np.nanmean(y, where=y > 0.0),
    "it writes what has more axes": lambda y: written(y, PLACES, y[:4].reshape(1, 4)),
    "it adds numbers of another dtype": lambda y: added(y, np.arange(4, dtype=np.float32)),
    "it writes at positions that are computed": lambda y: written_in_a_row(y.reshape(7, 10) + 1.0),
}


def written(y, place, values):
    y = y + 1.0
    y[place] = values
    return y


def added(y, values):
    y = y + 1.0
    np.add.at(y, PLACES, values)
    return y


def written_in_a_row(y):
    row = y[np.argmax(y[:, 0])]
    row[1:3] = 0.0
    return y


@pytest.mark.parametrize("reason", LEFT)
def test_a_call_without_machine_code_is_numpys_and_the_others_are_native(reason):
    step = same(lambda x: LEFT[reason](np.sin(x) * 2.0) * 2.0 + 1.0, X)
    text = step.explain()
    assert reason in text
    assert "native: " in text


def test_a_call_whose_dtypes_are_not_those_of_numpy_is_numpys(monkeypatch):
    single = (np.dtype(np.float32),) * 3
    monkeypatch.setattr(region.Region, "loop_of", lambda self, ufunc, dtypes: single)
    step = same(lambda x: np.sort(x) * 2.0 + x, X)
    assert "its dtypes are not known" in step.explain()


def test_a_function_that_comes_to_another_form_is_numpys(monkeypatch):
    monkeypatch.setitem(composites.COMPOSITES, np.ptp, lambda do, a, axis=None: a)
    step = same(lambda x: np.ptp(np.sin(x) * 2.0) * x, X)
    assert "it has a result of another form" in step.explain()
