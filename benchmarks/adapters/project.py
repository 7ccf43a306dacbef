"""This project: NumPy's functions and operators, on Variables."""

from __future__ import annotations

import numpy as np

from adapters import derivatives, loop  # noqa: F401 - for the workloads
from dezero_core import Parameter, Variable, no_grad
from dezero_nn import DataLoader, Dataset, functions, layers, models, optimizers
from dezero_ops_math import linear, relu, softmax_cross_entropy  # noqa: F401 - for the workloads
from dezero_tools import functional

xp = np  # NumPy is the interface
pad, solve_lower = np.pad, np.linalg.solve
conv2d = functions.conv2d
recomputed = functional.recomputed

DERIVATIVES = derivatives(
    functional.grad,
    functional.value_and_grad,
    functional.jacobian,
    functional.hessian,
    lambda f: lambda x, v: functional.jvp(f, x)[1](v),
    functional.vmap,
)


def constant(array):
    return array


def weight(array):
    return array


leaf = Variable


def filled(f, x, writes, size):
    out = Variable(np.zeros(size))
    for i in range(writes):
        out[i] = f(x[i])
    return out


def max_pool2d(x, size):
    return functions.pooling(x, size, size)


def log_loss(scores, signs):
    return np.mean(np.logaddexp(0.0, -signs * scores))


def arrays(result):
    return [getattr(each, "data", each) for each in result]


def backward(y):
    y.backward()


def gradient(f, *inputs, by_hand):
    xs = [Variable(array) for array in inputs]

    def step():
        y = f(*xs)
        y.backward()
        gradients = [x.grad for x in xs]
        for x in xs:
            x.cleargrad()
        return gradients

    return step


def gradients_of(f, **options):
    def gradients(*arrays):
        xs = [Variable(array) for array in arrays]
        f(*xs).backward(**options)
        return [x.grad for x in xs]

    return gradients


def gradient_sparing(f, *inputs, by_hand):
    xs = [Variable(array) for array in inputs]

    def step():
        y = f(*xs)
        y.backward(free_graph=True)
        gradients = [x.grad for x in xs]
        for x in xs:
            x.cleargrad()
        return gradients

    return step


def value_and_gradients(f, number):
    both = functional.value_and_grad(f, range(number))

    def listed(*inputs):
        value, gradients = both(*inputs)
        return [value, *gradients]

    return listed


def forward(f, *inputs, by_hand):
    xs = [Variable(array) for array in inputs]
    return lambda: [f(*xs)]


def forward_no_grad(f, *inputs):
    xs = [Variable(array) for array in inputs]

    def step():
        with no_grad():
            return [f(*xs)]

    return step


def descent(f, parameters, rate, by_hand):
    parameters = [Parameter(array.copy()) for array in parameters]

    def step():
        loss = f(*parameters)
        for parameter in parameters:
            parameter.cleargrad()
        loss.backward()
        for parameter in parameters:
            parameter.data -= rate * parameter.grad

    return step, lambda: parameters


def hvp(f, parameters, vectors, by_hand):
    product = functional.hvp(f, range(len(parameters)))
    return lambda: product(*parameters, vectors)


def hessian_product(f):
    product = functional.hvp(f)
    return lambda x, v: [product(x, v)]


def differentiated(name, f, *inputs, by_hand):
    return DERIVATIVES[name](f)


def lstm_gradient(x, input_weight, hidden_weight, bias, by_hand):
    x, layer = Variable(x), layers.LSTM(len(hidden_weight))
    parameters = layer.x2h.W, layer.h2h.W, layer.x2h.b
    for parameter, array in zip(parameters, (input_weight, hidden_weight, bias), strict=True):
        parameter.data = array

    def step():
        y = layer.sequence(x)
        y.backward()
        gradients = [each.grad for each in (x, *parameters)]
        for each in (x, *parameters):
            each.cleargrad()
        layer.reset_state()
        return gradients

    return step


def perceptron(parameters, rate):
    """Return a step of training, which takes a batch, and the parameters that it changes."""
    model = models.MLP([len(bias) for bias in parameters[1::2]], activation=relu)
    optimizer = optimizers.SGD(rate).setup(model)
    for parameter, array in zip(model.params(), parameters, strict=True):
        parameter.data = array.copy()

    def step(x, t):
        loss = softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, list(model.params())


def epoch_of(step, images, labels, batch, shuffle):
    """Return a function that trains on all rows once, and returns their mean loss."""

    class Rows(Dataset):
        def prepare(self):
            self.data, self.label = images, labels

    loader = DataLoader(Rows(), batch, shuffle)

    def epoch():
        total = 0.0
        for x, t in loader:
            total += float(step(x, t).data) * len(t)
        return total / loader.data_size

    return epoch


def training(images, labels, parameters, batch, rate, shuffle, by_hand):
    step, parameters = perceptron(parameters, rate)
    return epoch_of(step, images, labels, batch, shuffle), lambda: parameters
