"""Functions have the values and the derivatives that PyTorch has stored."""

import numpy as np
import pytest

from dezero_core import Variable
from dezero_nn import functions as F  # noqa: N812
from dezero_nn import using_config

from .stored import FILE, assert_close, assert_derivatives, groups, stored

#: A function of the stored inputs, where the case is not the plain function of that name.
CALLS = {
    "average of an axis": lambda x: F.average(x, axis=1, keepdims=True),
    "average_pooling": lambda x: F.average_pooling(x, 2, 2),
    "average_pooling not square": lambda x: F.average_pooling(x, (3, 2), (1, 2), (1, 0)),
    "average_pooling padded": lambda x: F.average_pooling(x, 3, 2, 1),
    "batch_norm of images": lambda *xs: F.batch_norm(*xs, np.zeros(3), np.ones(3)),
    "batch_norm of images, tested": lambda *xs: evaluated_batch_norm(*xs),
    "batch_norm of sequences": lambda *xs: F.batch_norm(*xs, np.zeros(3), np.ones(3)),
    "batch_norm of rows": lambda *xs: F.batch_norm(*xs, np.zeros(3), np.ones(3)),
    "batch_norm of rows, tested": lambda *xs: evaluated_batch_norm(*xs),
    "broadcast_to": lambda x: F.broadcast_to(x, (2, 3, 4)),
    "clip": lambda x: F.clip(x, -0.7, 0.9),
    "clip at its bounds": lambda x: F.clip(x, -0.5, 0.5),
    "col2im": lambda col: F.col2im(col, (2, 3, 5, 4), (3, 2), (2, 1), (1, 0)),
    "col2im of six axes": lambda col: F.col2im(col, (2, 3, 5, 4), 3, 1, 1, to_matrix=False),
    "conv2d 1x1 of stride 2": lambda *xs: F.conv2d(*xs, stride=2),
    "conv2d not square": lambda *xs: F.conv2d(*xs, stride=(1, 2), pad=(2, 1)),
    "conv2d of stride 2": lambda *xs: F.conv2d(*xs, stride=2, pad=1),
    "conv2d padded": lambda *xs: F.conv2d(*xs, pad=1),
    "conv2d with a remainder": lambda *xs: F.conv2d(*xs, stride=3, pad=2),
    "deconv2d not square": lambda *xs: F.deconv2d(*xs, stride=(1, 2), pad=(0, 1)),
    "deconv2d of a given size": lambda *xs: F.deconv2d(*xs, stride=2, pad=1, outsize=(8, 10)),
    "deconv2d of stride 2": lambda *xs: F.deconv2d(*xs, stride=2, pad=1),
    "expand_dims": lambda x: F.expand_dims(x, 1),
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "get_item": lambda x: F.get_item(x, 1),
    "get_item of a slice": lambda x: F.get_item(x, np.s_[:, ::2, 1:]),
    "get_item of repeated places": lambda x: F.get_item(x, [0, 1, 0, 0]),
    "im2col": lambda x: F.im2col(x, (3, 2), (2, 1), (1, 0)),
    "im2col of six axes": lambda x: F.im2col(x, 3, 1, 1, to_matrix=False),
    "layer_norm of a sequence": lambda *xs: F.layer_norm(*xs, eps=1e-2),
    "leaky_relu of another slope": lambda x: F.leaky_relu(x, 0.01),
    "log_softmax of the last axis": lambda x: F.log_softmax(x, axis=-1),
    "logsumexp of all": lambda x: F.logsumexp(x, axis=None, keepdims=False),
    "lstm": lambda *xs: np.stack(F.lstm(*xs)),
    "lstm of a given start": lambda *xs: np.stack(F.lstm(*xs)),
    "max": lambda x: F.max(x, axis=1),
    "max of ties": lambda x: F.max(x, axis=1),
    "mean": lambda x: F.mean(x, axis=(0, 2)),
    "min": lambda x: F.min(x, axis=(0, 2), keepdims=True),
    "min of ties": lambda x: F.min(x, axis=1),
    "pooling": lambda x: F.pooling(x, 2, 2),
    "pooling not square": lambda x: F.pooling(x, (3, 2), (1, 2), (1, 0)),
    "pooling of negative numbers": lambda x: F.pooling(x, 3, 2, 1),
    "pooling of ties": lambda x: F.pooling(x, 3, 2, 1),
    "pooling padded": lambda x: F.pooling(x, 3, 2, 1),
    "reshape": lambda x: F.reshape(x, (4, 6)),
    "scaled_dot_product_attention causal": lambda *xs: F.scaled_dot_product_attention(
        *xs, is_causal=True
    ),
    "scaled_dot_product_attention masked": lambda *xs: F.scaled_dot_product_attention(
        *xs, np.tri(3, 5, 1, dtype=bool)
    ),
    "scaled_dot_product_attention of no key": lambda *xs: F.scaled_dot_product_attention(
        *xs, np.tri(3, 5, -1, dtype=bool)
    ),
    "scaled_dot_product_attention scaled": lambda *xs: F.scaled_dot_product_attention(
        *xs, scale=0.3
    ),
    "softmax of the last axis": lambda x: F.softmax(x, axis=-1),
    "sum of an axis": lambda x: F.sum(x, axis=1),
    "sum of two axes, kept": lambda x: F.sum(x, axis=(0, 2), keepdims=True),
    "sum_to": lambda x: F.sum_to(x, (3, 1)),
    "transpose of given axes": lambda x: F.transpose(x, (1, 2, 0)),
}

#: Cases with tests of their own.
OTHERS = {"dropout", "binary_cross_entropy at its ends"}

#: PyTorch has nothing of the kind.
NOT_OF_PYTORCH = {"accuracy"}


def evaluated_batch_norm(x, gamma, beta):
    mean, var = np.array([0.1, -0.2, 0.3]), np.array([0.5, 1.5, 2.0])
    with using_config("train", False):
        return F.batch_norm(x, gamma, beta, mean, var)


def call_of(name):
    """Return the call of a case: most have the name of their function before the first space."""
    return CALLS.get(name) or getattr(F, name.split(" ")[0])


def assert_same(function, case):
    """Compare a function with a case: its values, and its derivatives by each input."""
    xs = {key: Variable(x) if x.dtype.kind == "f" else x for key, x in case["inputs"].items()}
    variables = {key: x for key, x in xs.items() if isinstance(x, Variable)}
    assert_derivatives(function(*xs.values()), variables, case)


@pytest.mark.parametrize("name", sorted(set(groups()["functions"]) - OTHERS))
def test_values_and_derivatives_are_those_of_pytorch(name):
    assert_same(call_of(name), stored("functions", name))


@pytest.mark.parametrize("name", [name for name in F.__all__ if name.endswith("_simple")])
def test_those_of_the_simple_version_are_the_same(name):
    options = {"pooling_simple": {"kernel_size": 2, "stride": 2}}.get(name, {})
    case = stored("functions", name.removesuffix("_simple"))
    assert_same(lambda *xs: getattr(F, name)(*xs, **options), case)


def test_dropout_scales_what_it_keeps_as_pytorch_does():
    scale = stored("functions", "dropout")["scale"]["y"]
    x = np.linspace(1.0, 2.0, 1000)
    y = F.dropout(Variable(x), 0.3).data
    kept = y != 0
    assert 600 < kept.sum() < 800
    assert_close(y[kept], scale * x[kept])


def test_binary_cross_entropy_bounds_the_logarithm_of_zero_as_pytorch_does():
    case = stored("functions", "binary_cross_entropy at its ends")  # its gradients are not exact
    assert_close(F.binary_cross_entropy(*case["inputs"].values()), case["y"]["y"])


def test_each_function_that_pytorch_has_is_compared():
    compared = {name.split(" ")[0] for name in groups()["functions"]}
    public = {name.removesuffix("_simple") for name in F.__all__}
    assert public - compared == NOT_OF_PYTORCH


def test_each_call_belongs_to_a_stored_case():
    assert set(CALLS) <= set(groups()["functions"])


def test_the_file_says_which_version_has_computed_it():
    with np.load(FILE) as arrays:
        major, minor, *_ = str(arrays["version"]).split(".")
    assert (int(major), int(minor)) >= (2, 0)
