"""PyTorch on the CPU, with one thread."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import conv2d, linear, softplus  # noqa: F401 - two for the workloads
from torch.nn.functional import cross_entropy as softmax_cross_entropy
from torch.utils.checkpoint import checkpoint

from adapters import derivatives, loop  # noqa: F401 - for the workloads

torch.set_num_threads(1)

xp = torch
relu = torch.relu

DERIVATIVES = derivatives(
    torch.func.grad,
    lambda f: lambda x: torch.func.grad_and_value(f)(x)[::-1],
    torch.func.jacrev,
    torch.func.hessian,
    lambda f: lambda x, v: torch.func.jvp(f, (x,), (v,))[1],
    torch.func.vmap,
)


def constant(array):
    return torch.tensor(np.asarray(array))  # of a float it would make float32


def weight(array):
    """Return the weights of a layer transposed, as `linear` takes them."""
    return np.ascontiguousarray(array.T)


def max_pool2d(x, size):
    return torch.nn.functional.max_pool2d(x, size)


def pad(x, width):
    return torch.nn.functional.pad(x, [width] * 2 * x.ndim)


def filled(f, x, writes, size):
    out = torch.zeros(size, dtype=x.dtype)
    for i in range(writes):
        out[i] = f(x[i])
    return out


def solve_lower(matrix, vector):
    solved = torch.linalg.solve_triangular(matrix, vector[:, None], upper=False)
    return solved[:, 0]


def log_loss(scores, signs):
    return softplus(-signs * scores).mean()


def arrays(result):
    return [each.detach().numpy() for each in result]


def leaf(array):
    return torch.tensor(array, requires_grad=True)


def backward(y):
    y.backward()


def gradient(f, *inputs, by_hand):
    xs = [leaf(array) for array in inputs]

    def step():
        y = f(*xs)
        y.backward(torch.ones_like(y))
        gradients = [x.grad for x in xs]
        for x in xs:
            x.grad = None
        return gradients

    return step


def gradients_of(f):
    def gradients(*inputs):
        xs = [tensor.detach().requires_grad_() for tensor in inputs]
        f(*xs).backward()
        return [x.grad for x in xs]

    return gradients


def value_and_gradients(f, number):
    def listed(*inputs):
        xs = [tensor.detach().requires_grad_() for tensor in inputs[:number]]
        y = f(*xs, *inputs[number:])
        y.backward()
        return [y.detach(), *(x.grad for x in xs)]

    return listed


def forward(f, *inputs, by_hand):
    xs = [leaf(array) for array in inputs]
    return lambda: [f(*xs)]


def forward_no_grad(f, *inputs):
    xs = [leaf(array) for array in inputs]

    def step():
        with torch.no_grad():
            return [f(*xs)]

    return step


def descent(f, parameters, rate, by_hand):
    parameters = [leaf(array) for array in parameters]

    def step():
        loss = f(*parameters)
        loss.backward()
        with torch.no_grad():
            for parameter in parameters:
                parameter.sub_(parameter.grad, alpha=rate)
                parameter.grad = None

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    parameters = [leaf(array) for array in parameters]
    vectors = [torch.tensor(array) for array in vectors]

    def step():
        gradients = torch.autograd.grad(f(*parameters), parameters, create_graph=True)
        return torch.autograd.grad(gradients, parameters, grad_outputs=vectors)

    return step


def hessian_product(f):
    def product(x, v):
        x = x.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(f(x), x, create_graph=True)
        return torch.autograd.grad(gradient, x, grad_outputs=v)

    return product


def differentiated(name, f, *inputs, by_hand):
    return DERIVATIVES[name](f)


def recomputed(f):
    return lambda *inputs: checkpoint(f, *inputs, use_reentrant=False)


def lstm_gradient(x, input_weight, hidden_weight, bias, by_hand):
    """The layer has two biases, which are added. The second one is 0 here."""
    x, layer = leaf(x), torch.nn.LSTM(x.shape[-1], hidden_weight.shape[1])
    parameters = list(layer.parameters())
    start = input_weight, hidden_weight, bias, np.zeros_like(bias)
    set_data(parameters, start)

    def step():
        y, _ = layer(x)
        y.backward(torch.ones_like(y))
        gradients = [x.grad, *(parameter.grad for parameter in parameters[:3])]
        for each in (x, *parameters):
            each.grad = None
        return gradients

    return step


def set_data(parameters, arrays):
    with torch.no_grad():
        for parameter, array in zip(parameters, arrays, strict=True):
            parameter.copy_(torch.tensor(array))


def training(images, labels, parameters, batch, rate, shuffle, by_hand):
    """Batches are taken by index from tensors, which is faster than `torch.utils.data`."""
    layers = []
    for weight in parameters[::2]:
        layers += [torch.nn.ReLU(), torch.nn.Linear(*weight.shape[::-1])]
    model = torch.nn.Sequential(*layers[1:])
    set_data(model.parameters(), parameters)
    optimizer = torch.optim.SGD(model.parameters(), rate)
    images, labels = torch.tensor(images), torch.tensor(labels)

    def epoch():
        rows, total = len(images), 0.0
        order = torch.randperm(rows) if shuffle else torch.arange(rows)
        for index in order.split(batch):
            x, t = images.index_select(0, index), labels.index_select(0, index)
            loss = softmax_cross_entropy(model(x), t)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(t)
        return total / rows

    return epoch, lambda: list(model.parameters())
