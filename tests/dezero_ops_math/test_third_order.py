"""The third derivative of every operation, along a line: the slope of its second derivative."""

import numpy as np
import pytest
from dezero_core.functional import grad
from dezero_core.testing.oracles import directions, slope
from dezero_core.testing.subject import Subject

from dezero_core import Variable, ops

SMOOTH = [op for op in ops() if op.differentiable and op.sample.order >= 2]


def along_a_line(subject):
    """Return the operation, summed up, as a function of one number."""
    xs, steps = subject.xs, subject.projected(directions(subject.xs))
    weights = directions([y.data for y in subject.applied(xs)[1]])

    def function(t):
        moved = [x + t * step for x, step in zip(xs, steps, strict=True)]
        ys = [y for y in subject.outputs(moved) if isinstance(y, Variable) and y.creator]
        terms = [np.sum(np.real(w * y)) for w, y in zip(weights, ys, strict=True)]
        return sum(terms[1:], terms[0])

    return function


@pytest.mark.parametrize("operation", SMOOTH, ids=lambda operation: operation.name)
def test_the_third_derivative_is_the_slope_of_the_second(operation):
    call = next(c for c in operation.sample.calls if any(0 not in d.shape for d in c.draws()))
    function = along_a_line(Subject(operation, call))
    second = grad(grad(function))
    truth = slope(lambda t: float(second(t)))
    assert float(grad(second)(0.0)) == pytest.approx(truth, rel=1e-7, abs=1e-7)
