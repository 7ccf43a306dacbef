"""Tangents are pushed through every operation: the products agree with those from the other side.

The truth is the definition of the transpose: for the Jacobian J, and any u and t, the real part of
the sum of u times J t is that of (u J) times t.

Promise: docs/reference/functional.rst
"""

import numpy as np
import pytest
from dezero_tools.functional import jvp, vjp
from dezero_tools.testing.samples import sample_of
from dezero_tools.testing.subject import Subject, array_of

from dezero_core import Variable, ops
from tests.memory import peak

OPERATIONS = {operation.name: operation for operation in ops()}


def real_dot(these, those):
    return sum(np.sum(np.conj(a) * b).real for a, b in zip(these, those, strict=True))


def drawn(random, like):
    re, im = random.normal(size=(2, *np.shape(like)))
    return np.asarray(re + 1j * im if array_of(like).dtype.kind == "c" else re)


def require_transposed(subject, xs):
    """Compare products from both sides, at first and second order."""
    random = np.random.default_rng(7)

    def f(*variables):
        ys = [y for y in subject.outputs(variables) if isinstance(y, Variable)]
        return [y for y in ys if y.dtype.kind in "fc"]

    ys, push_forward = jvp(f, *xs)
    _, pull_back = vjp(f, *xs)
    ts, us = [drawn(random, x) for x in xs], [drawn(random, y) for y in ys]
    pushed, pulled = push_forward(*ts), pull_back(us)
    size = 1e-9 * (1.0 + sum(np.sum(np.abs(a)) for a in (*pushed, *pulled)))
    np.testing.assert_allclose(real_dot(us, pushed), real_dot(pulled, ts), rtol=1e-9, atol=size)
    for y, t in zip(ys, pushed, strict=True):
        assert (t.shape, t.dtype) == (y.shape, y.dtype)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.filterwarnings("ignore")
def test_products_from_both_sides_of_each_operation_agree(name):
    operation = OPERATIONS[name]
    sample = sample_of(operation)
    for call in sample.calls:
        subject = Subject(operation, call)
        if subject.draws and subject.order:
            require_transposed(subject, subject.xs)
            if sample.complex:
                require_transposed(subject, subject.zs)


def test_a_tangent_is_let_go_when_it_has_been_passed():
    def chain(x):
        for _ in range(50):
            x = np.sin(x)
        return x

    x = np.ones(100_000)
    _, push_forward = jvp(chain, x)
    pushed, memory = peak(push_forward, x)
    assert pushed.shape == x.shape
    assert memory < 10 * x.nbytes
