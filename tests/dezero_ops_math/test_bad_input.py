"""Bad input: NumPy's own exception, a note that names the operation, and nothing has changed."""

import re

import numpy as np
import pytest

from dezero_core import Variable, VariableTypeError

A = np.array([[2.0, -1.0, 0.5], [0.3, 1.0, 4.0], [1.0, 2.0, 3.0]])
V = np.array([1.0, 2.0, 3.0])

#: Operation -> calls that NumPy refuses.
BAD = {
    "getitem": [
        lambda x: x[3],
        lambda x: x[0, 0, 0],
        lambda x: x[[0, 7]],
        lambda x: x[np.ones((2, 2), bool)],
    ],
    "add": [lambda x: x + V[:2], lambda x: np.add(x, np.ones((2, 2)))],
    "matmul": [lambda x: x @ V[:2], lambda x: np.matmul(x, 2.0)],
    "broadcast_to": [lambda x: np.broadcast_to(x, (2, 2))],
    "hypot": [lambda x: np.hypot(x, V[:2])],
    "clip": [lambda x: np.clip(x, V[:2], None)],
    "sum": [lambda x: np.sum(x, axis=2), lambda x: np.sum(x, axis=(0, 0)), lambda x: x.sum(-3)],
    "prod": [lambda x: np.prod(x, axis=2)],
    "mean": [lambda x: np.mean(x, axis=2)],
    "std": [lambda x: np.std(x, axis=2)],
    "max": [lambda x: np.max(x, axis=2), lambda x: np.max(x[:0])],
    "median": [lambda x: np.median(x, axis=2)],
    "cumsum": [lambda x: np.cumsum(x, axis=2)],
    "cumprod": [lambda x: np.cumprod(x, axis=2)],
    "trace": [lambda x: np.trace(x, axis1=2)],
    "reshape": [lambda x: np.reshape(x, (2, 5)), lambda x: x.reshape(-1, -1)],
    "transpose": [lambda x: np.transpose(x, (0, 0)), lambda x: np.transpose(x, (0, 1, 2))],
    "swapaxes": [lambda x: np.swapaxes(x, 0, 2)],
    "moveaxis": [lambda x: np.moveaxis(x, 0, 2), lambda x: np.moveaxis(x, [0, 1], [0])],
    "squeeze": [lambda x: np.squeeze(x, axis=0)],
    "expand_dims": [lambda x: np.expand_dims(x, 4)],
    "concatenate": [
        lambda x: np.concatenate([x, V]),
        lambda x: np.concatenate([x, x], axis=2),
        lambda x: np.concatenate([x, np.ones((2, 2))], axis=1),
    ],
    "stack": [lambda x: np.stack([x, V]), lambda x: np.stack([x, x], axis=4)],
    "split": [lambda x: np.split(x, 2), lambda x: np.split(x, 3, axis=2)],
    "repeat": [lambda x: np.repeat(x, [1, 2], axis=0), lambda x: np.repeat(x, 2, axis=2)],
    "take": [lambda x: np.take(x, 9), lambda x: np.take(x, [0, 3], axis=1)],
    "take_along_axis": [lambda x: np.take_along_axis(x, np.array([[5]]), axis=1)],
    "sort": [lambda x: np.sort(x, axis=2)],
    "partition": [lambda x: np.partition(x, 5)],
    "delete": [lambda x: np.delete(x, 5, axis=0)],
    "insert": [lambda x: np.insert(x, 7, 1.0, axis=0)],
    "pad": [lambda x: np.pad(x, -1), lambda x: np.pad(x, 1, mode="nonsense")],
    "diff": [lambda x: np.diff(x, n=-1), lambda x: np.diff(x, axis=2)],
    "dot": [lambda x: np.dot(x, V[:2])],
    "tensordot": [lambda x: np.tensordot(x, V[:2], 1)],
    "einsum": [
        lambda x: np.einsum("ij,j->i", x, V[:2]),
        lambda x: np.einsum("ijk", x),
        lambda x: np.einsum("ij->k", x),
    ],
    "linalg.inv": [lambda x: np.linalg.inv(x * 0.0), lambda x: np.linalg.inv(x[:2])],
    "linalg.solve": [lambda x: np.linalg.solve(x * 0.0, V), lambda x: np.linalg.solve(x, V[:2])],
    "linalg.det": [lambda x: np.linalg.det(x[:2])],
    "linalg.cholesky": [lambda x: np.linalg.cholesky(-x @ x.T)],
    "linalg.eigh": [lambda x: np.linalg.eigh(x[:2])],
    "linalg.norm": [lambda x: np.linalg.norm(x, "nonsense"), lambda x: np.linalg.norm(x, axis=4)],
    "linalg.matrix_power": [lambda x: np.linalg.matrix_power(x[:2], 2)],
    "fft.fft": [lambda x: np.fft.fft(x, axis=2), lambda x: np.fft.fft(x, n=0)],
    "fft.irfft": [lambda x: np.fft.irfft(x, n=0)],
}
CASES = [(name, call) for name, calls in BAD.items() for call in calls]


@pytest.fixture
def x():
    """Return a Variable that has a gradient already."""
    x = Variable(A.copy())
    x.grad = np.full_like(A, 7.0)
    return x


def refusal(call):
    with pytest.raises(Exception) as caught:  # noqa: PT011 (compared below)
        call()
    return caught.value


@pytest.mark.parametrize(
    ("name", "call"), CASES, ids=[f"{n}-{BAD[n].index(call)}" for n, call in CASES]
)
def test_bad_input_of_an_operation_is_numpys_exception_with_a_note(name, call, x):
    expected = refusal(lambda: call(A))
    got = refusal(lambda: call(x))
    assert type(got) is type(expected)
    assert str(got) == str(expected)
    assert any(re.search(r"^in \w+", note) for note in getattr(got, "__notes__", ())), name
    np.testing.assert_array_equal(x.data, A)
    np.testing.assert_array_equal(x.grad, np.full_like(A, 7.0))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, n: np.reshape(x, (n, 3)),
        lambda x, n: np.reshape(x, n),
        lambda x, n: x.reshape(n),
        lambda x, n: np.broadcast_to(x, (n, 3, 3)),
        lambda x, n: np.repeat(x, n),
        lambda x, n: np.tile(x, n),
        lambda x, n: np.roll(x, n),
        lambda x, n: np.sum(x, axis=n),
        lambda x, n: np.var(x, ddof=n),
        lambda x, n: np.transpose(x, (n, 0)),
        lambda x, n: np.split(x, n),
        lambda x, n: np.pad(x, n),
        lambda x, n: np.diff(x, n),
        lambda x, n: np.linalg.matrix_power(x, n),
        lambda x, n: np.linalg.norm(x, n),
        lambda x, n: np.fft.fft(x, n),
        lambda x, n: np.quantile(x, n),
    ],
)
@pytest.mark.parametrize("constant", [np.array(1), np.array(1.0)], ids=["int", "float"])
def test_a_variable_where_an_operation_needs_a_constant_is_a_type_error(call, constant, x):
    with pytest.raises(TypeError) as caught:
        call(x, Variable(constant))
    message = str(caught.value)
    assert isinstance(caught.value, VariableTypeError), message
    assert "constant" in message
    assert ".data" in message
    np.testing.assert_array_equal(x.grad, np.full_like(A, 7.0))


@pytest.mark.parametrize("shape", [(), (2,)])
def test_np_array_of_variables_is_refused_with_the_advice_to_stack(shape):
    x, y = Variable(np.ones(shape)), Variable(np.zeros(shape))
    with pytest.raises(TypeError, match=r"np\.stack\(\[x, y\]\)"):
        np.array([x, y])
    np.testing.assert_array_equal(np.stack([x, y]).data, np.array([x.data, y.data]))
