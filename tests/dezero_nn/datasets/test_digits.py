"""The digits of scikit-learn."""

import sys

import numpy as np
import pytest
from dezero_nn.datasets import Digits
from sklearn.datasets import load_digits


def test_training_and_test_share_all_digits_between_them():
    train, test = Digits(), Digits(train=False)
    everything = load_digits()
    assert (len(train), len(test)) == (1437, 360)
    images = np.concatenate([train.data, test.data])
    assert images.dtype == np.uint8
    np.testing.assert_array_equal(images[:, 0], everything.images)
    labels = np.concatenate([train.label, test.label])
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, everything.target)


def test_an_item_is_flat_from_0_to_1():
    digits = Digits()
    x, t = digits[5]
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, digits.data[5].reshape(64) / np.float32(16))
    assert t == 5


def test_without_scikit_learn_an_import_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ImportError, match=r"Digits: .*pip install scikit-learn"):
        Digits()
