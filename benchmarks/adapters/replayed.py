"""This project, compiled: each step was recorded by its first calls before it is timed.

Where a step could not be replayed, `strict` makes it an error: no figure is that of eager code.
"""

from __future__ import annotations

import numpy as np
from dezero_replay.passes.rounds import Loop

from adapters import project
from adapters.project import (  # noqa: F401 - most of them for the workloads
    DERIVATIVES,
    conv2d,
    epoch_of,
    filled,
    gradients_of,
    hessian_product,
    loop,
    max_pool2d,
    pad,
    perceptron,
    solve_lower,
    value_and_gradients,
)
from dezero_core import Parameter, Variable, no_grad
from dezero_ops_math import linear, relu, softmax_cross_entropy  # noqa: F401 - for the workloads
from dezero_replay import compiled
from dezero_tools import functional

xp = np
leaf = Variable


def constant(array):
    return array


def weight(array):
    return array


def log_loss(scores, signs):
    return np.mean(np.logaddexp(0.0, -signs * scores))


def arrays(result):
    return [getattr(each, "data", each) for each in result]


def instructions(step):
    """Return the number of instructions of the program, those of a loop in all its rounds."""
    return _number_of(step.program.usual)


def _number_of(graph):
    calls = [each.call for each in graph.instructions]
    loops = [call for call in calls if type(call) is Loop]
    return len(calls) - len(loops) + sum(each.rounds * _number_of(each.body) for each in loops)


def program(step, arguments):
    """Return the program alone, and the arrays that it takes in a call with these arguments."""
    return step.program.run, [each.read(arguments, {}) for each in step.program.inputs]


class Steps:
    """The steps of an adapter, compiled with some options of `compiled`."""

    def __init__(self, **options):
        self._options = options

    def compiling(self, function):
        return compiled(function, strict=True, **self._options)

    def recorded(self, function, *arguments, calls=2):
        """Return the function, compiled, after the calls that record it.

        Raises
        ------
        RuntimeError
            If there is no program after them.
        """
        step = self.compiling(function)
        for _ in range(calls):
            step(*arguments)
        if step.program is None:
            raise RuntimeError(f"{function} has no program after {calls} calls:\n{step.explain()}")
        return step

    def gradient(self, f, *inputs, by_hand):
        step = self.recorded(gradients_of(f), *inputs)
        return lambda: step(*inputs)

    def gradient_sparing(self, f, *inputs, by_hand):
        step = self.recorded(gradients_of(f, free_graph=True), *inputs)
        return lambda: step(*inputs)

    def forward_no_grad(self, f, *inputs):
        def value(*arrays):
            with no_grad():
                return [f(*map(Variable, arrays))]

        step = self.recorded(value, *inputs)
        return lambda: step(*inputs)

    def descent(self, f, parameters, rate, by_hand):
        start = parameters
        parameters = [Parameter(array.copy()) for array in start]

        def descend():
            loss = f(*parameters)
            for parameter in parameters:
                parameter.cleargrad()
            loss.backward()
            for parameter in parameters:
                parameter.data -= rate * parameter.grad

        step = self.recorded(descend)
        for parameter, array in zip(parameters, start, strict=True):
            parameter.data[...] = array
        return step, lambda: parameters

    def hvp(self, f, parameters, vectors, by_hand):
        step = self.recorded(functional.hvp(f, range(len(parameters))), *parameters, vectors)
        return lambda: step(*parameters, vectors)

    def differentiated(self, name, f, *inputs, by_hand):
        return self.recorded(DERIVATIVES[name](f), *inputs)

    def lstm_gradient(self, *inputs, by_hand):
        return self.recorded(project.lstm_gradient(*inputs, by_hand=by_hand))

    def training(self, images, labels, parameters, batch, rate, shuffle, by_hand):
        start = parameters
        step, parameters = perceptron(start, rate)
        # Three, since the optimizer counts: the second call finds a number that has changed.
        step = self.recorded(step, images[:batch], labels[:batch], calls=3)
        for parameter, array in zip(parameters, start, strict=True):
            parameter.data[...] = array
        return epoch_of(step, images, labels, batch, shuffle), lambda: parameters


_steps = Steps()
compiling = _steps.compiling
recorded, gradient, gradient_sparing = _steps.recorded, _steps.gradient, _steps.gradient_sparing
forward_no_grad, descent, hvp = _steps.forward_no_grad, _steps.descent, _steps.hvp
differentiated = _steps.differentiated
lstm_gradient, training = _steps.lstm_gradient, _steps.training
