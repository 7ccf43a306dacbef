"""Ten steps of each optimizer are those of its formula, number by number in Python's floats."""

from math import sqrt

import numpy as np
import pytest

from dezero_core import Parameter
from dezero_nn import optimizers as O  # noqa: N812


def sgd(lr):
    p = yield
    while True:
        p -= lr * (yield p)


def momentum(lr, part):
    p, v = (yield), 0.0
    while True:
        v = part * v - lr * (yield p)
        p += v


def adagrad(lr, eps):
    p, h = (yield), 0.0
    while True:
        g = yield p
        h += g**2
        p -= lr * g / (sqrt(h) + eps)


def adadelta(rho, eps, lr):
    p, msg, msdx = (yield), 0.0, 0.0
    while True:
        g = yield p
        msg = rho * msg + (1 - rho) * g**2
        dx = sqrt((msdx + eps) / (msg + eps)) * g
        msdx = rho * msdx + (1 - rho) * dx**2
        p -= lr * dx


def rmsprop(lr, alpha, eps, part=0.0, centered=False):
    p, v, mean, buf = (yield), 0.0, 0.0, 0.0
    while True:
        g = yield p
        v = alpha * v + (1 - alpha) * g**2
        mean = alpha * mean + (1 - alpha) * g
        buf = part * buf + g / (sqrt(v - mean**2 if centered else v) + eps)
        p -= lr * buf


def adam(alpha, beta1, beta2, eps, hat, decay=0.0):
    p, m, v, t = (yield), 0.0, 0.0, 0
    while True:
        g, t = (yield p), t + 1
        p -= alpha * decay * p
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g**2
        m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
        if hat:
            p -= alpha * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) + eps)
        else:
            p -= alpha * m_hat / (sqrt(v_hat) + eps)


CASES = {
    "SGD": (lambda: O.SGD(0.1), lambda: sgd(0.1)),
    "MomentumSGD": (lambda: O.MomentumSGD(0.1, 0.7), lambda: momentum(0.1, 0.7)),
    "AdaGrad": (lambda: O.AdaGrad(0.1, 0.01), lambda: adagrad(0.1, 0.01)),
    "AdaDelta": (lambda: O.AdaDelta(0.7, 0.01, 0.5), lambda: adadelta(0.7, 0.01, 0.5)),
    "RMSprop": (lambda: O.RMSprop(0.1, 0.7, 0.01), lambda: rmsprop(0.1, 0.7, 0.01)),
    "RMSprop with momentum": (
        lambda: O.RMSprop(0.1, 0.7, 0.01, 0.4),
        lambda: rmsprop(0.1, 0.7, 0.01, 0.4),
    ),
    "RMSprop centered": (
        lambda: O.RMSprop(0.1, 0.7, 0.01, centered=True),
        lambda: rmsprop(0.1, 0.7, 0.01, centered=True),
    ),
    "RMSprop with both": (
        lambda: O.RMSprop(0.1, 0.7, 0.01, 0.4, True),
        lambda: rmsprop(0.1, 0.7, 0.01, 0.4, True),
    ),
    "Adam": (lambda: O.Adam(0.1, 0.7, 0.8, 0.01), lambda: adam(0.1, 0.7, 0.8, 0.01, True)),
    "Adam as in PyTorch": (
        lambda: O.Adam(0.1, 0.7, 0.8, 0.01, eps_hat=False),
        lambda: adam(0.1, 0.7, 0.8, 0.01, False),
    ),
    "AdamW": (
        lambda: O.AdamW(0.1, 0.7, 0.8, 0.01, 0.3),
        lambda: adam(0.1, 0.7, 0.8, 0.01, False, 0.3),
    ),
}

DEFAULTS = {
    "SGD": (O.SGD, lambda: sgd(0.01)),
    "MomentumSGD": (O.MomentumSGD, lambda: momentum(0.01, 0.9)),
    "AdaGrad": (O.AdaGrad, lambda: adagrad(0.001, 1e-8)),
    "AdaDelta": (O.AdaDelta, lambda: adadelta(0.95, 1e-6, 1.0)),
    "RMSprop": (O.RMSprop, lambda: rmsprop(0.01, 0.99, 1e-8)),
    "Adam": (O.Adam, lambda: adam(0.001, 0.9, 0.999, 1e-8, True)),
    "AdamW": (O.AdamW, lambda: adam(0.001, 0.9, 0.999, 1e-8, False, 0.01)),
}


def stepped(optimizer, begin, grads):
    """Return a parameter after each gradient, and the parameter itself."""
    param = Parameter(begin.copy())
    optimizer.setup([param])
    steps = []
    for grad in grads:
        param.grad = grad.copy()
        optimizer.update()
        steps.append(param.data.copy())
    return np.array(steps), param


def expected(formula, begin, grads):
    """Return the result of a formula for each element after each gradient."""
    columns = []
    for first, column in zip(begin.flat, grads.reshape(len(grads), -1).T, strict=True):
        run = formula()
        next(run)
        run.send(float(first))
        columns.append([run.send(float(g)) for g in column])
    return np.array(columns).T.reshape(grads.shape)


def drawn(shape, dtype=np.float64):
    rng = np.random.default_rng(0)
    return np.array(rng.normal(size=shape)).astype(dtype), rng.normal(size=(10, *shape)).astype(
        dtype
    )


@pytest.mark.parametrize("shape", [(3, 2), (), (0,)])
@pytest.mark.parametrize("name", CASES)
def test_ten_steps_are_those_of_the_formula(name, shape):
    optimizer, formula = CASES[name]
    begin, grads = drawn(shape)
    steps, _ = stepped(optimizer(), begin, grads)
    wanted = expected(formula, begin, grads) if begin.size else steps
    np.testing.assert_allclose(steps, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_defaults_are_those_of_the_book_and_of_pytorch(name):
    optimizer, formula = DEFAULTS[name]
    begin, grads = drawn((4,))
    steps, _ = stepped(optimizer(), begin, grads)
    np.testing.assert_allclose(steps, expected(formula, begin, grads), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("shape", [(3, 2), ()])
@pytest.mark.parametrize("name", CASES)
def test_float32_parameters_and_states_stay_float32(name, shape):
    optimizer, formula = CASES[name]
    optimizer = optimizer()
    begin, grads = drawn(shape, np.float32)
    steps, param = stepped(optimizer, begin, grads)
    assert type(param.data) is np.ndarray
    assert {x.data.dtype for x in (param, *optimizer.states_of(param))} == {np.dtype("float32")}
    np.testing.assert_allclose(steps, expected(formula, begin, grads), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_complex_parameters_are_two_real_ones(name):
    optimizer, _ = CASES[name]
    begin, grads = drawn((3, 2))
    paired, _ = stepped(optimizer(), begin, grads)
    other, _ = stepped(optimizer(), begin[::-1], grads[::-1])
    both, _ = stepped(optimizer(), begin + 1j * begin[::-1], grads + 1j * grads[::-1])
    np.testing.assert_array_equal(both, paired + 1j * other)


@pytest.mark.parametrize("name", CASES)
def test_arrays_of_any_layout_give_the_same_steps(name):
    optimizer, _ = CASES[name]
    begin, grads = drawn((3, 2))
    wanted, _ = stepped(optimizer(), begin, grads)
    turned, _ = stepped(optimizer(), np.asfortranarray(begin), [g.T.copy().T for g in grads])
    np.testing.assert_array_equal(turned, wanted)


@pytest.mark.parametrize("name", CASES)
def test_the_array_of_a_parameter_stays_the_same_one(name):
    optimizer, _ = CASES[name]
    param = Parameter(np.array(2.0))
    held, param.grad = param.data, np.array(1.0)
    optimizer().setup([param]).update()
    assert param.data is held
    assert held != 2.0


def test_rmsprop_stays_finite_where_rounding_makes_the_variance_negative():
    grads = np.linspace(0.1, 1.0, 50, dtype=np.float32)
    param = Parameter(np.zeros(50, np.float32))
    optimizer = O.RMSprop(centered=True, alpha=0.5).setup([param])
    least = 0.0
    for _ in range(60):
        param.grad = grads
        optimizer.update()
        v, mean = (state.data for state in optimizer.states_of(param))
        least = min(least, (v - mean * mean).min())
    assert least < 0.0, "such gradients show nothing"
    assert np.isfinite(param.data).all()


def test_the_rate_lr_of_adam_is_the_corrected_one_of_the_book():
    param = Parameter(np.zeros(1))
    optimizer = O.Adam(alpha=0.5, beta1=0.75, beta2=0.84).setup([param])
    assert optimizer.lr == pytest.approx(0.5 * 0.4 / 0.25)
    for _ in range(2):
        param.grad = np.ones(1)
        optimizer.update()
    assert optimizer.lr == pytest.approx(0.5 * sqrt(1 - 0.84**2) / (1 - 0.75**2))


def test_the_rate_lr_of_adam_cannot_be_set():
    with pytest.raises(AttributeError, match=r"Adam\.lr is computed.*optimizer\.alpha = 0\.1"):
        O.Adam().lr = 0.1


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: O.SGD(lr=-0.1), ValueError, "SGD: lr must be at least 0, and finite, and got"),
        (lambda: O.SGD(lr=np.nan), ValueError, "SGD: lr must be at least 0"),
        (lambda: O.SGD(lr=np.inf), ValueError, "SGD: lr must be at least 0"),
        (lambda: O.SGD("0.1"), TypeError, "SGD: lr must be a real number, and got '0.1'"),
        (lambda: O.SGD(True), TypeError, "SGD: lr must be a real number"),
        (lambda: O.SGD([Parameter(np.ones(2))]), TypeError, "SGD: lr must be a real number"),
        (lambda: O.MomentumSGD(momentum=1.0), ValueError, "momentum must be .* less than 1"),
        (lambda: O.AdaGrad(eps=-1.0), ValueError, "AdaGrad: eps"),
        (lambda: O.AdaDelta(rho=1.5), ValueError, "AdaDelta: rho"),
        (lambda: O.RMSprop(alpha=1.0), ValueError, "RMSprop: alpha"),
        (lambda: O.Adam(beta1=1.0), ValueError, "Adam: beta1"),
        (lambda: O.Adam(beta2=-0.1), ValueError, "Adam: beta2"),
        (lambda: O.Adam(alpha=1j), TypeError, "Adam: alpha"),
        (lambda: O.AdamW(weight_decay=-1), ValueError, "AdamW: weight_decay"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_scalar_of_numpy_as_rate_makes_no_float64():
    assert type(O.SGD(np.float64(0.1)).lr) is float
    assert type(O.Adam(np.float32(0.5)).alpha) is float
