"""utils and cuda: the book's helpers, and what they refuse to do."""

import numpy as np
import pytest
from dezero_nn.utils import (
    get_conv_outsize,
    get_deconv_outsize,
    get_dot_graph,
    get_file,
    pair,
    plot_dot_graph,
    sum_to,
)

import dezero_nn
from dezero_core import Variable
from dezero_nn import cuda


def graph():
    return np.sin(Variable(np.array([1.0, 2.0]), name="x")) * 2.0


def test_the_graph_is_written_in_dot(tmp_path):
    text = get_dot_graph(graph(), verbose=False)
    assert text.startswith("digraph")
    assert "Sin" in text
    plot_dot_graph(graph(), verbose=False, to_file=tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text() == text


def test_nothing_is_downloaded():
    with pytest.raises(RuntimeError, match=r"downloads nothing: get https://example\.org/x\.npz"):
        get_file("https://example.org/x.npz")


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize(("kernel", "stride", "pad"), [(3, 1, 0), (3, 2, 1), (2, 3, 0), (1, 1, 2)])
def test_the_size_of_a_convolution_is_the_number_of_windows(size, kernel, stride, pad):
    count = get_conv_outsize(size, kernel, stride, pad)
    assert count == len(range(-pad, size + pad - kernel + 1, stride))
    least = get_deconv_outsize(count, kernel, stride, pad)
    assert get_conv_outsize(least, kernel, stride, pad) == count
    assert least <= size < least + stride


def test_pair_repeats_an_int_and_keeps_a_pair():
    assert (pair(2), pair((2, 3))) == ((2, 2), (2, 3))
    for wrong in ((1, 2, 3), 1.5, [1, 2]):
        with pytest.raises(ValueError, match="an int or a tuple of two, got"):
            pair(wrong)


def test_sum_to_undoes_broadcasting():
    np.testing.assert_array_equal(sum_to(np.ones((2, 3)), (1, 3)), [[2.0, 2.0, 2.0]])


def test_there_is_no_gpu():
    assert not dezero_nn.cuda.gpu_enable
    assert cuda.get_array_module(np.ones(2)) is np


def test_as_numpy_gives_arrays_of_variables_arrays_and_numbers():
    array = np.array([1.0, 2.0])
    assert cuda.as_numpy(array) is array
    assert cuda.as_numpy(Variable(array)) is array
    np.testing.assert_array_equal(cuda.as_numpy(3.0), np.array(3.0), strict=True)
