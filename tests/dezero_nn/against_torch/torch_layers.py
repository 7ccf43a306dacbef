"""The layers of dezero_nn, as PyTorch has them: parameters and states by our names and shapes.

A case has its inputs, of which the first is that of the layer and the others are its parameters,
its states, and a function of all of them and of `training`.
"""

import torch
import torch.nn.functional as F  # noqa: N812

from .draws import between

NONE = {}


def linear(x, W, b=None, training=True):  # noqa: N803
    return F.linear(x, W.T, b)


def conv2d(x, W, b, training=True):  # noqa: N803
    return F.conv2d(x, W, b, stride=2, padding=1)


def deconv2d(x, W, b, training=True):  # noqa: N803
    return F.conv_transpose2d(x, W, b, stride=2, padding=1)


def batch_norm(x, gamma, beta, mean, var, training=True):
    return F.batch_norm(x, mean, var, gamma, beta, training, momentum=0.1, eps=2e-5)


def layer_norm(x, gamma, beta, training=True):
    return F.layer_norm(x, gamma.shape, gamma, beta)


def rnn(x, W, b, H, training=True):  # noqa: N803
    """Return each hidden state; `x` has the axes time, row, feature."""
    h, none = x.new_zeros(x.shape[1], H.shape[0]), torch.zeros_like(b)
    states = []
    for now in x:
        h = torch.rnn_tanh_cell(now, h, W.T, H.T, b, none)
        states.append(h)
    return torch.stack(states)


def lstm(x, W, b, H, training=True):  # noqa: N803
    h = c = x.new_zeros(x.shape[1], H.shape[0])
    states = []
    for now in x:
        h, c = torch.lstm_cell(now, (h, c), W.T, H.T, b, torch.zeros_like(b))
        states.append(h)
    return torch.stack(states)


def gru(x, W, b, H, c, training=True):  # noqa: N803
    h = x.new_zeros(x.shape[1], H.shape[0])
    states = []
    for now in x:
        h = torch.gru_cell(now, h, W.T, H.T, b, c)
        states.append(h)
    return torch.stack(states)


def bottleneck(x, *variables, training=True):
    """Return a block of ResNet, with a projection of `x` if there are weights for it.

    The stride is that of the first convolution, as in the paper and in the book.
    """
    count = len(variables) // 5
    parameters, states = variables[: 3 * count], variables[3 * count :]
    first = 2 if count == 4 else 1

    def normed(i, x, stride, padding):
        W, gamma, beta = parameters[3 * i : 3 * i + 3]  # noqa: N806
        y = F.conv2d(x, W, stride=stride, padding=padding)
        return batch_norm(y, gamma, beta, *states[2 * i : 2 * i + 2], training=training)

    y = normed(2, F.relu(normed(1, F.relu(normed(0, x, first, 0)), 1, 1)), 1, 0)
    return F.relu(y + (normed(3, x, first, 0) if count == 4 else x))


def recurrent(gates):
    """Return the inputs of a recurrent layer."""
    size = 5 * gates
    return {"x": (4, 3, 2), "x2h/W": (2, size), "x2h/b": (size,), "h2h/W": (5, size)}


def of_bottleneck(x, sizes):
    """Return the inputs and the states of a block; the sizes are those of the convolutions."""
    inputs, states = {"x": x}, {}
    for number, (out, into, kernel) in enumerate(sizes, 1):
        inputs |= {
            f"conv{number}/W": (out, into, kernel, kernel),
            f"bn{number}/gamma": (out,),
            f"bn{number}/beta": (out,),
        }
        states |= {f"bn{number}/avg_mean": [0.0] * out, f"bn{number}/avg_var": [1.0] * out}
    return inputs, states


LAYERS = {
    "Linear": ({"x": (4, 3), "W": (3, 5), "b": (5,)}, NONE, linear),
    "Linear without b": ({"x": (4, 3), "W": (3, 5)}, NONE, linear),
    "Conv2d": ({"x": (2, 3, 7, 6), "W": (4, 3, 3, 3), "b": (4,)}, NONE, conv2d),
    "Deconv2d": ({"x": (2, 3, 4, 3), "W": (3, 4, 3, 3), "b": (4,)}, NONE, deconv2d),
    "EmbedID": (
        {"x": [[1, 4, 1], [0, 1, 4]], "W": (6, 3)},
        NONE,
        lambda x, W, training=True: F.embedding(x, W),  # noqa: N803
    ),
    "BatchNorm of rows": (
        {"x": (6, 3), "gamma": (3,), "beta": (3,)},
        {"avg_mean": [0.0] * 3, "avg_var": [1.0] * 3},
        batch_norm,
    ),
    "BatchNorm of images": (
        {"x": (2, 3, 4, 3), "gamma": (3,), "beta": (3,)},
        {"avg_mean": [0.0] * 3, "avg_var": [1.0] * 3},
        batch_norm,
    ),
    "BatchNorm of other states": (
        {"x": (6, 3), "gamma": (3,), "beta": (3,)},
        {"avg_mean": (3,), "avg_var": between(0.5, 2, 3)},
        batch_norm,
    ),
    "LayerNorm": ({"x": (2, 3, 5), "gamma": (5,), "beta": (5,)}, NONE, layer_norm),
    "RNN": (recurrent(1), NONE, rnn),
    "LSTM": (recurrent(4), NONE, lstm),
    "GRU": (recurrent(3) | {"h2h/b": (15,)}, NONE, gru),
    "Bottleneck": (
        *of_bottleneck((2, 4, 4, 3), [(3, 4, 1), (3, 3, 3), (4, 3, 1)]),
        bottleneck,
    ),
    "Bottleneck with a projection": (
        *of_bottleneck((3, 4, 5, 4), [(3, 4, 1), (3, 3, 3), (8, 3, 1), (8, 4, 1)]),
        bottleneck,
    ),
}
