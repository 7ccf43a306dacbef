"""Progress is shown as users of Dask know it."""

import numpy as np
import pytest

import dezero_dask as dd

from .problems import linear, linear_by_hand, made, parts

W = np.ones(4)
X, Y = made()


def test_a_progress_bar_is_shown_on_request(anywhere, capfd):
    f = dd.value_and_grad(linear, progress=True)
    value, _ = f(W, parts(X), parts(Y))
    assert value == pytest.approx(linear_by_hand(W, X, Y)[0])
    assert "100% Completed" in capfd.readouterr().out
    dd.value_and_grad(linear)(W, parts(X), parts(Y))
    assert "Completed" not in capfd.readouterr().out


def test_an_error_ends_the_progress_bar(client, capfd):
    def loss(w, x):
        raise ZeroDivisionError("as I like it")

    with pytest.raises(ZeroDivisionError, match="as I like it"):
        dd.value_and_grad(loss, progress=True)(W, parts(X))
