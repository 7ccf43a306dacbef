"""The functions of dezero_nn, as PyTorch has them: inputs by name, and a function of them."""

import torch
import torch.nn.functional as F  # noqa: N812

from .draws import between, labels, tied

IMAGES = (2, 3, 7, 6)


def conv2d(x, W, b=None, **options):  # noqa: N803
    return F.conv2d(x, W, b, **options)


def deconv2d(x, W, b=None, **options):  # noqa: N803
    return F.conv_transpose2d(x, W, b, **options)


def linear(x, W, b=None):  # noqa: N803
    return F.linear(x, W.T, b)


def columns(x, kernel_size, stride, padding):
    """Return the rows that the book's im2col has, one for each place of the kernel."""
    unfolded = F.unfold(x, kernel_size, stride=stride, padding=padding)
    return unfolded.transpose(1, 2).reshape(-1, unfolded.shape[1])


def image_of(rows, shape, kernel_size, stride, padding):
    """Add the rows of `columns` up, each at its place."""
    unfolded = rows.reshape(shape[0], -1, rows.shape[1]).transpose(1, 2)
    return F.fold(unfolded, shape[2:], kernel_size, stride=stride, padding=padding)


def batch_norm(x, gamma, beta, mean=None, var=None):
    return F.batch_norm(x, mean, var, gamma, beta, training=mean is None, eps=2e-5)


def per_row(loss):
    """Return the loss with the book's divisor, the number of rows."""
    return lambda x, t: loss(x, t.to(x.dtype).reshape(x.shape), reduction="sum") / len(x)


def lstm(x, Wx, Wh, b, h=None, c=None):  # noqa: N803
    """Return the hidden states and the cells after each step; `x` has the axes time, row, in."""
    h = x.new_zeros(x.shape[1], Wh.shape[0]) if h is None else h
    c = torch.zeros_like(h) if c is None else c
    states = []
    for now in x:
        h, c = torch.lstm_cell(now, (h, c), Wx.T, Wh.T, b, torch.zeros_like(b))
        states.append(torch.stack([h, c]))
    return torch.stack(states, 1)


ELEMENTWISE = {
    "sigmoid": torch.sigmoid,
    "relu": F.relu,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "leaky_relu of another slope": lambda x: F.leaky_relu(x, 0.01),
    "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    # It returns x itself above the threshold.
    "softplus": lambda x: F.softplus(x, threshold=1e3),
    "sin": torch.sin,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "exp": torch.exp,
    "clip": lambda x: torch.clamp(x, -0.7, 0.9),
}

OVER_AXES = {
    "softmax": lambda x: F.softmax(x, 1),
    "softmax of the last axis": lambda x: F.softmax(x, -1),
    "log_softmax": lambda x: F.log_softmax(x, 1),
    "log_softmax of the last axis": lambda x: F.log_softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, 1, keepdim=True),
    "logsumexp of all": lambda x: torch.logsumexp(x, (0, 1, 2)),
    "sum": torch.sum,
    "sum of an axis": lambda x: torch.sum(x, 1),
    "sum of two axes, kept": lambda x: torch.sum(x, (0, 2), keepdim=True),
    "average": torch.mean,
    "average of an axis": lambda x: torch.mean(x, 1, keepdim=True),
    "mean": lambda x: torch.mean(x, (0, 2)),
    "max": lambda x: torch.amax(x, 1),
    "min": lambda x: torch.amin(x, (0, 2), keepdim=True),
    "expand_dims": lambda x: x.unsqueeze(1),
    "flatten": lambda x: torch.flatten(x, 1),
    "get_item": lambda x: x[1],
    "get_item of a slice": lambda x: x[:, ::2, 1:],
    "get_item of repeated places": lambda x: x[torch.tensor([0, 1, 0, 0])],
    "reshape": lambda x: x.reshape(4, 6),
    "transpose": lambda x: x.permute(2, 1, 0),
    "transpose of given axes": lambda x: x.permute(1, 2, 0),
    "sum_to": lambda x: x.sum_to_size(3, 1),
}

CONVOLUTIONS = {
    "conv2d": ({"x": IMAGES, "W": (4, 3, 3, 3), "b": (4,)}, conv2d),
    "conv2d without b": ({"x": IMAGES, "W": (4, 3, 3, 3)}, conv2d),
    "conv2d padded": (
        {"x": IMAGES, "W": (4, 3, 3, 3), "b": (4,)},
        lambda *xs: conv2d(*xs, padding=1),
    ),
    "conv2d of stride 2": (
        {"x": IMAGES, "W": (4, 3, 3, 3), "b": (4,)},
        lambda *xs: conv2d(*xs, stride=2, padding=1),
    ),
    "conv2d with a remainder": (
        {"x": IMAGES, "W": (4, 3, 2, 2), "b": (4,)},
        lambda *xs: conv2d(*xs, stride=3, padding=2),
    ),
    "conv2d 1x1": ({"x": IMAGES, "W": (4, 3, 1, 1), "b": (4,)}, conv2d),
    "conv2d 1x1 of stride 2": (
        {"x": IMAGES, "W": (4, 3, 1, 1), "b": (4,)},
        lambda *xs: conv2d(*xs, stride=2),
    ),
    "conv2d not square": (
        {"x": IMAGES, "W": (4, 3, 3, 2), "b": (4,)},
        lambda *xs: conv2d(*xs, stride=(1, 2), padding=(2, 1)),
    ),
    "deconv2d": ({"x": (2, 3, 4, 5), "W": (3, 4, 3, 3), "b": (4,)}, deconv2d),
    "deconv2d without b": ({"x": (2, 3, 4, 5), "W": (3, 4, 3, 3)}, deconv2d),
    "deconv2d of stride 2": (
        {"x": (2, 3, 4, 5), "W": (3, 4, 3, 3), "b": (4,)},
        lambda *xs: deconv2d(*xs, stride=2, padding=1),
    ),
    "deconv2d of a given size": (
        {"x": (2, 3, 4, 5), "W": (3, 4, 3, 3), "b": (4,)},
        lambda *xs: deconv2d(*xs, stride=2, padding=1, output_padding=(1, 1)),
    ),
    "deconv2d not square": (
        {"x": (2, 3, 4, 5), "W": (3, 4, 2, 3), "b": (4,)},
        lambda *xs: deconv2d(*xs, stride=(1, 2), padding=(0, 1)),
    ),
    "pooling": ({"x": (2, 3, 6, 4)}, lambda x: F.max_pool2d(x, 2, 2)),
    "pooling padded": ({"x": IMAGES}, lambda x: F.max_pool2d(x, 3, 2, 1)),
    "pooling of negative numbers": (
        {"x": between(-2, -1, *IMAGES)},
        lambda x: F.max_pool2d(x, 3, 2, 1),
    ),
    "pooling of ties": ({"x": tied(*IMAGES)}, lambda x: F.max_pool2d(x, 3, 2, 1)),
    "pooling not square": ({"x": IMAGES}, lambda x: F.max_pool2d(x, (3, 2), (1, 2), (1, 0))),
    "average_pooling": ({"x": (2, 3, 6, 4)}, lambda x: F.avg_pool2d(x, 2, 2)),
    "average_pooling padded": ({"x": IMAGES}, lambda x: F.avg_pool2d(x, 3, 2, 1)),
    "average_pooling not square": (
        {"x": IMAGES},
        lambda x: F.avg_pool2d(x, (3, 2), (1, 2), (1, 0)),
    ),
    "im2col": ({"x": (2, 3, 5, 4)}, lambda x: columns(x, (3, 2), (2, 1), (1, 0))),
    "im2col of six axes": (
        {"x": (2, 3, 5, 4)},
        lambda x: F.unfold(x, 3, padding=1).reshape(2, 3, 3, 3, 5, 4),
    ),
    "col2im": (
        {"col": (2 * 3 * 3, 3 * 3 * 2)},
        lambda col: image_of(col, (2, 3, 5, 4), (3, 2), (2, 1), (1, 0)),
    ),
    "col2im of six axes": (
        {"col": (2, 3, 3, 3, 5, 4)},
        lambda col: F.fold(col.reshape(2, 27, 20), (5, 4), 3, padding=1),
    ),
}

NORMALIZED = {
    "batch_norm of rows": ({"x": (6, 3), "gamma": (3,), "beta": (3,)}, batch_norm),
    "batch_norm of images": ({"x": (2, 3, 4, 3), "gamma": (3,), "beta": (3,)}, batch_norm),
    "batch_norm of sequences": ({"x": (4, 3, 2), "gamma": (3,), "beta": (3,)}, batch_norm),
    "batch_norm of rows, tested": (
        {"x": (6, 3), "gamma": (3,), "beta": (3,)},
        lambda x, gamma, beta: batch_norm(x, gamma, beta, *running(x)),
    ),
    "batch_norm of images, tested": (
        {"x": (2, 3, 4, 3), "gamma": (3,), "beta": (3,)},
        lambda x, gamma, beta: batch_norm(x, gamma, beta, *running(x)),
    ),
    "layer_norm": (
        {"x": (4, 5), "gamma": (5,), "beta": (5,)},
        lambda x, gamma, beta: F.layer_norm(x, (5,), gamma, beta),
    ),
    "layer_norm of two axes": (
        {"x": (4, 2, 3), "gamma": (2, 3), "beta": (2, 3)},
        lambda x, gamma, beta: F.layer_norm(x, (2, 3), gamma, beta),
    ),
    "layer_norm of a sequence": (
        {"x": (2, 3, 5), "gamma": (5,), "beta": (5,)},
        lambda x, gamma, beta: F.layer_norm(x, (5,), gamma, beta, eps=1e-2),
    ),
}


def running(x):
    """Return a running mean and a running variance."""
    return x.new_tensor([0.1, -0.2, 0.3]), x.new_tensor([0.5, 1.5, 2.0])


LOSSES = {
    "mean_squared_error": (
        {"x0": (4, 3), "x1": (4, 3)},
        lambda x0, x1: F.mse_loss(x0, x1, reduction="sum") / len(x0),
    ),
    "mean_squared_error of one axis": ({"x0": (5,), "x1": (5,)}, F.mse_loss),
    "softmax_cross_entropy": ({"x": (5, 4), "t": labels(4, 5)}, F.cross_entropy),
    "softmax_cross_entropy of large numbers": (
        {"x": between(-900, 900, 5, 4), "t": labels(4, 5)},
        F.cross_entropy,
    ),
    "sigmoid_cross_entropy": (
        {"x": (6, 2), "t": labels(2, 6, 2)},
        per_row(F.binary_cross_entropy_with_logits),
    ),
    "sigmoid_cross_entropy of large numbers": (
        {"x": between(-900, 900, 12), "t": labels(2, 12)},
        per_row(F.binary_cross_entropy_with_logits),
    ),
    "binary_cross_entropy": (
        {"p": between(0.05, 0.95, 6, 2), "t": labels(2, 6, 2)},
        per_row(F.binary_cross_entropy),
    ),
    "binary_cross_entropy at its ends": (
        {"p": [0.0, 1.0, 0.0, 1.0, 0.25], "t": [0, 1, 1, 0, 1]},
        per_row(F.binary_cross_entropy),
    ),
}

ATTENDED = {"q": (2, 3, 4), "k": (2, 5, 4), "v": (2, 5, 6)}
SEEN = torch.ones(3, 5, dtype=torch.bool)
ATTENTION = {
    "scaled_dot_product_attention": F.scaled_dot_product_attention,
    "scaled_dot_product_attention masked": lambda *xs: F.scaled_dot_product_attention(
        *xs, attn_mask=SEEN.tril(1)
    ),
    "scaled_dot_product_attention of no key": lambda *xs: F.scaled_dot_product_attention(
        *xs, attn_mask=SEEN.tril(-1)
    ),
    "scaled_dot_product_attention causal": lambda *xs: F.scaled_dot_product_attention(
        *xs, is_causal=True
    ),
    "scaled_dot_product_attention scaled": lambda *xs: F.scaled_dot_product_attention(
        *xs, scale=0.3
    ),
}

FUNCTIONS = {
    **{name: ({"x": (3, 4)}, function) for name, function in ELEMENTWISE.items()},
    **{name: ({"x": (2, 3, 4)}, function) for name, function in OVER_AXES.items()},
    **CONVOLUTIONS,
    **NORMALIZED,
    **LOSSES,
    "log": ({"x": between(0.1, 3, 3, 4)}, torch.log),
    "relu at zero": ({"x": [-1.0, 0.0, 2.0]}, F.relu),
    "leaky_relu at zero": ({"x": [-1.0, 0.0, 2.0]}, lambda x: F.leaky_relu(x, 0.2)),
    "clip at its bounds": ({"x": [-1.0, -0.5, 0.0, 0.5, 1.0]}, lambda x: torch.clamp(x, -0.5, 0.5)),
    "sigmoid of large numbers": ({"x": [-800.0, -40.0, 40.0, 800.0]}, torch.sigmoid),
    "softplus of large numbers": ({"x": [-800.0, -40.0, 40.0, 800.0]}, F.softplus),
    "gelu of large numbers": ({"x": [-30.0, -6.0, 6.0, 30.0]}, F.gelu),
    "silu of large numbers": ({"x": [-800.0, -40.0, 40.0, 800.0]}, F.silu),
    "max of ties": ({"x": tied(3, 6)}, lambda x: torch.amax(x, 1)),
    "min of ties": ({"x": tied(3, 6)}, lambda x: torch.amin(x, 1)),
    "linear": ({"x": (4, 3), "W": (3, 5), "b": (5,)}, linear),
    "linear without b": ({"x": (4, 3), "W": (3, 5)}, linear),
    "linear of a sequence": ({"x": (2, 4, 3), "W": (3, 5), "b": (5,)}, linear),
    "matmul": ({"x": (4, 3), "W": (3, 5)}, torch.matmul),
    "broadcast_to": ({"x": (3, 1)}, lambda x: x.expand(2, 3, 4)),
    "embed_id": ({"x": [[1, 4, 1], [0, 1, 4]], "W": (6, 3)}, F.embedding),
    **{name: (ATTENDED, function) for name, function in ATTENTION.items()},
    "scaled_dot_product_attention of added numbers": (
        {**ATTENDED, "mask": (3, 5)},
        F.scaled_dot_product_attention,
    ),
    "lstm": ({"x": (4, 3, 2), "Wx": (2, 8), "Wh": (2, 8), "b": (8,)}, lstm),
    "lstm of a given start": (
        {"x": (3, 2, 2), "Wx": (2, 12), "Wh": (3, 12), "b": (12,), "h": (2, 3), "c": (2, 3)},
        lstm,
    ),
}
