"""Arguments that layers refuse: sizes that are none, weights without a gradient."""

import numpy as np
import pytest
from dezero_nn.layers import GRU, LSTM, RNN, BatchNorm, Conv2d, Deconv2d, EmbedID, LayerNorm, Linear


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Linear(-1), ValueError, r"Linear\(\) takes for out_size 0 or more, got -1"),
        (lambda: Linear(2.0), TypeError, r"Linear\(\) takes for out_size integers, got 2.0"),
        (lambda: Linear(2, in_size=-3), ValueError, "in_size 0 or more, got -3"),
        (lambda: Linear(2, in_size="3"), TypeError, "in_size integers, got '3'"),
        (lambda: EmbedID(-1, 2), ValueError, r"EmbedID\(\) takes for in_size 0 or more, got -1"),
        (lambda: EmbedID(1, 2.0), TypeError, r"EmbedID\(\) takes for out_size integers, got 2.0"),
        (lambda: RNN(-1), ValueError, r"RNN\(\) takes for hidden_size 0 or more, got -1"),
        (lambda: LSTM(2.0), TypeError, r"LSTM\(\) takes for hidden_size integers, got 2.0"),
        (lambda: GRU(None), TypeError, r"GRU\(\) takes for hidden_size integers, got None"),
    ],
)
def test_a_size_that_is_none_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_sizes_may_be_integers_of_numpy():
    assert Linear(np.prod((2, 3)), in_size=np.int8(4)).W.shape == (4, 6)


@pytest.mark.parametrize("second", [3, 1, None])
def test_the_size_of_inputs_is_not_taken_for_nobias(second):
    with pytest.raises(TypeError, match=r"takes True or False for nobias, got .* in_size="):
        Linear(2, second)
    assert Linear(2, np.True_).b is None


@pytest.mark.parametrize(
    "make",
    [
        lambda dtype: Linear(2, dtype=dtype),
        lambda dtype: Conv2d(2, 3, dtype=dtype),
        lambda dtype: Deconv2d(2, 3, dtype=dtype),
        lambda dtype: EmbedID(2, 3, dtype=dtype),
        lambda dtype: BatchNorm(dtype=dtype),
        lambda dtype: LayerNorm(dtype=dtype),
        lambda dtype: LSTM(2, dtype=dtype),
    ],
)
def test_weights_are_of_floating_point_numbers(make):
    with pytest.raises(TypeError, match="takes a dtype of floating-point numbers, got int64"):
        make(np.int64)
    make("float16")
