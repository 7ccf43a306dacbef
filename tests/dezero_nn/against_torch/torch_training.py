"""The training of dezero_nn, as PyTorch does it: optimizers, schedules of the rate, and models."""

from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from torch.nn.utils import clip_grad_norm_
from torch.optim import lr_scheduler

from .draws import labels
from .torch_layers import batch_norm, layer_norm, linear, lstm

#: The optimizer and the largest norm of all gradients, None if they are not clipped. The numbers
#: beside zero are large, so that it is seen at which place of a formula they stand.
OPTIMIZERS = {
    "SGD": (lambda ps: torch.optim.SGD(ps, lr=0.5), None),
    "SGD with decay": (lambda ps: torch.optim.SGD(ps, lr=0.5, weight_decay=0.1), None),
    "SGD clipped": (lambda ps: torch.optim.SGD(ps, lr=0.5), 0.3),
    "SGD clipped, with decay": (lambda ps: torch.optim.SGD(ps, lr=0.5, weight_decay=0.1), 0.3),
    "SGD clipped at a large norm": (lambda ps: torch.optim.SGD(ps, lr=0.5), 1e3),
    "MomentumSGD": (lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.8), None),
    "MomentumSGD with decay": (
        lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.8, weight_decay=0.1),
        None,
    ),
    "AdaGrad": (lambda ps: torch.optim.Adagrad(ps, lr=0.1, eps=1e-2), None),
    "AdaDelta": (lambda ps: torch.optim.Adadelta(ps, lr=1.0, rho=0.9, eps=1e-3), None),
    "RMSprop": (lambda ps: torch.optim.RMSprop(ps, lr=0.05, alpha=0.9, eps=1e-2), None),
    "RMSprop of defaults": (lambda ps: torch.optim.RMSprop(ps), None),
    "Adam": (lambda ps: torch.optim.Adam(ps, lr=0.05, betas=(0.8, 0.99), eps=1e-2), None),
    "Adam of defaults": (lambda ps: torch.optim.Adam(ps), None),
    "Adam with decay": (lambda ps: torch.optim.Adam(ps, lr=0.05, weight_decay=0.1), None),
    "Adam clipped": (lambda ps: torch.optim.Adam(ps, lr=0.05), 0.3),
    "AdamW": (
        lambda ps: torch.optim.AdamW(ps, lr=0.05, betas=(0.8, 0.99), eps=1e-2, weight_decay=0.2),
        None,
    ),
    "AdamW of defaults": (lambda ps: torch.optim.AdamW(ps), None),
}

#: Schedules of a first rate of 0.5.
SCHEDULES = {
    "StepLR": lambda optimizer: lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5),
    "MultiStepLR": lambda optimizer: lr_scheduler.MultiStepLR(optimizer, [2, 5, 6], gamma=0.3),
    "ExponentialLR": lambda optimizer: lr_scheduler.ExponentialLR(optimizer, gamma=0.9),
    "CosineAnnealingLR": lambda optimizer: lr_scheduler.CosineAnnealingLR(
        optimizer, T_max=6, eta_min=0.01
    ),
    "LambdaLR": lambda optimizer: lr_scheduler.LambdaLR(optimizer, lambda n: 1 / (n + 1)),
    "LinearLR": lambda optimizer: lr_scheduler.LinearLR(
        optimizer, start_factor=0.1, end_factor=1.0, total_iters=5
    ),
    "SequentialLR": lambda optimizer: lr_scheduler.SequentialLR(
        optimizer,
        [
            lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3),
            lr_scheduler.CosineAnnealingLR(optimizer, T_max=5),
            lr_scheduler.ExponentialLR(optimizer, gamma=0.9),
        ],
        milestones=[3, 7],
    ),
}
RATES = 20

#: Inputs and parameters of the model that each optimizer trains.
SMALL = {"x": (8, 4), "t": labels(3, 8), "W": (4, 3), "b": (3,)}


def optimizer_steps(arrays, optimizer, max_norm=None, schedule=None):
    """Return the parameters after each of ten steps."""
    x, t, *params = arrays
    optimizer = optimizer(params)
    schedule = schedule and schedule(optimizer)
    steps = []
    for _ in range(10):
        optimizer.zero_grad()
        F.cross_entropy(linear(x, *params), t).backward()
        if max_norm is not None:
            clip_grad_norm_(params, max_norm)
        optimizer.step()
        if schedule:
            schedule.step()
        steps.append([param.detach().clone() for param in params])
    return [torch.stack(each) for each in zip(*steps, strict=True)]


def rates(schedule):
    """Return the rate of each step."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    schedule = schedule(optimizer)
    found = []
    for _ in range(RATES):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found


def mlp(activation):
    def forward(x, *variables, training=True):
        *hidden, (last, b) = zip(variables[::2], variables[1::2], strict=True)
        for each in hidden:
            x = activation(linear(x, *each))
        return linear(x, last, b)

    return forward


def conv_net(x, w1, gamma, beta, w2, b2, w3, b3, mean, var, training=True):
    x = F.conv2d(x, w1, padding=1)
    x = F.max_pool2d(F.relu(batch_norm(x, gamma, beta, mean, var, training)), 3, 2, 1)
    x = F.avg_pool2d(F.leaky_relu(F.conv2d(x, w2, b2, stride=1, padding=1), 0.2), 2, 2)
    return linear(torch.flatten(x, 1), w3, b3)


def sequence_model(x, W, b, H, v, c, training=True):  # noqa: N803
    return linear(lstm(x, W, b, H), v, c)


def normalized_mlp(x, w1, b1, gamma, beta, w2, b2, training=True):
    return linear(F.gelu(layer_norm(linear(x, w1, b1), gamma, beta)), w2, b2)


def weights(*shape):
    """Return a function that draws small numbers."""
    return lambda rng: rng.standard_normal(shape) * 0.4


def fully_connected(*sizes):
    """Return the parameters of an MLP."""
    parameters = {}
    for i, (into, out) in enumerate(pairwise(sizes)):
        parameters |= {f"l{i}/W": weights(into, out), f"l{i}/b": weights(out)}
    return parameters


#: The inputs and labels, the parameters, the states, the model, the loss, and the optimizer.
MODELS = {
    "MLP of sigmoids": (
        {"x": (8, 5), "t": (8, 2)},
        fully_connected(5, 6, 4, 2),
        {},
        mlp(torch.sigmoid),
        lambda y, t: F.mse_loss(y, t, reduction="sum") / len(y),
        lambda ps: torch.optim.SGD(ps, lr=0.2),
    ),
    "MLP of relu": (
        {"x": (8, 5), "t": labels(3, 8)},
        fully_connected(5, 6, 4, 3),
        {},
        mlp(torch.relu),
        F.cross_entropy,
        lambda ps: torch.optim.Adam(ps, lr=0.02),
    ),
    "convolutions": (
        {"x": (4, 2, 7, 8), "t": labels(3, 4)},
        {
            "conv1/W": weights(3, 2, 3, 3),
            "bn/gamma": weights(3),
            "bn/beta": weights(3),
            "conv2/W": weights(4, 3, 3, 3),
            "conv2/b": weights(4),
            "fc/W": weights(16, 3),
            "fc/b": weights(3),
        },
        {"bn/avg_mean": [0.0] * 3, "bn/avg_var": [1.0] * 3},
        conv_net,
        F.cross_entropy,
        lambda ps: torch.optim.SGD(ps, lr=0.05, momentum=0.9),
    ),
    "LSTM": (
        {"x": (5, 4, 2), "t": (5, 4, 1)},
        {
            "rnn/x2h/W": weights(2, 12),
            "rnn/x2h/b": weights(12),
            "rnn/h2h/W": weights(3, 12),
            "fc/W": weights(3, 1),
            "fc/b": weights(1),
        },
        {},
        sequence_model,
        F.mse_loss,
        lambda ps: torch.optim.RMSprop(ps, lr=0.02),
    ),
    "normalized layers": (
        {"x": (6, 4), "t": labels(3, 6)},
        {
            "l1/W": weights(4, 5),
            "l1/b": weights(5),
            "norm/gamma": weights(5),
            "norm/beta": weights(5),
            "l2/W": weights(5, 3),
            "l2/b": weights(3),
        },
        {},
        normalized_mlp,
        F.cross_entropy,
        lambda ps: torch.optim.AdamW(ps, lr=0.02, weight_decay=0.1),
    ),
}
