"""lstm: the formulas, derivatives by the complex step, whole sequences and their parts."""

import numpy as np
import pytest
from dezero_nn.functions import lstm

from dezero_core import Variable, grad

RNG = np.random.default_rng(0)
STEPS, ROWS, IN, SIZE = 3, 2, 4, 5
SHAPES = {
    "x": (STEPS, ROWS, IN),
    "Wx": (IN, 4 * SIZE),
    "Wh": (SIZE, 4 * SIZE),
    "b": (4 * SIZE,),
    "h": (ROWS, SIZE),
    "c": (ROWS, SIZE),
}
OPERANDS = {name: RNG.normal(size=shape) for name, shape in SHAPES.items()}
WEIGHTS_OF_HS, WEIGHTS_OF_CS = RNG.normal(size=(2, STEPS, ROWS, SIZE))


def by_formulas(x, Wx, Wh, b, h, c):  # noqa: N803
    """Compute as lstm does, one step after the other."""

    def sigmoid(z):
        return 1 / (1 + np.exp(-z))

    hs, cs = [], []
    for each in x:
        i, f, g, o = np.split(each @ Wx + h @ Wh + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        hs.append(h)
        cs.append(c)
    return np.array(hs), np.array(cs)


def variables():
    return {name: Variable(array) for name, array in OPERANDS.items()}


def test_each_step_follows_the_formulas():
    for got, expected in zip(lstm(**OPERANDS), by_formulas(**OPERANDS), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_without_a_state_the_first_step_begins_at_zero():
    begun = {**OPERANDS, "h": np.zeros((ROWS, SIZE)), "c": np.zeros((ROWS, SIZE))}
    without = {name: OPERANDS[name] for name in ("x", "Wx", "Wh", "b")}
    for got, expected in zip(lstm(**without), lstm(**begun), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("used", [(1, 0), (0, 1), (1, 1)], ids=["hs", "cs", "hs and cs"])
def test_the_gradient_is_that_of_the_complex_step(name, used):
    def loss(hs, cs):
        return used[0] * (hs * WEIGHTS_OF_HS).sum() + used[1] * (cs * WEIGHTS_OF_CS).sum()

    operands = variables()
    hs, cs = lstm(**operands)
    # Only the outputs that are used get a gradient.
    of_hs = (hs * WEIGHTS_OF_HS).sum() if used[0] else 0.0
    of_cs = (cs * WEIGHTS_OF_CS).sum() if used[1] else 0.0
    (of_hs + of_cs).backward()
    direction = RNG.normal(size=SHAPES[name])
    moved = {**OPERANDS, name: OPERANDS[name] + 1e-30j * direction}
    slope = loss(*by_formulas(**moved)).imag / 1e-30
    np.testing.assert_allclose((operands[name].grad * direction).sum(), slope, rtol=1e-12)


@pytest.mark.parametrize("name", SHAPES)
def test_the_gradient_of_the_gradient_is_that_of_central_differences(name):
    directions = {each: RNG.normal(size=shape) for each, shape in SHAPES.items()}

    def slope(operands):
        hs, cs = lstm(**operands)
        loss = (hs * WEIGHTS_OF_HS).sum() + (cs * WEIGHTS_OF_CS).sum()
        grads = grad(loss, list(operands.values()), create_graph=True)
        return sum((g * directions[each]).sum() for each, g in zip(SHAPES, grads, strict=True))

    operands = variables()
    slope(operands).backward()
    step = 1e-5 * directions[name]
    ends = [variables() | {name: Variable(OPERANDS[name] + s)} for s in (step, -step)]
    difference = (slope(ends[0]).item() - slope(ends[1]).item()) / 2e-5
    np.testing.assert_allclose(
        (operands[name].grad * directions[name]).sum(), difference, rtol=1e-7, atol=1e-7
    )


@pytest.mark.parametrize("names", [SHAPES, ("x", "Wx", "Wh", "b")], ids=["state", "no state"])
@pytest.mark.parametrize("used", [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
def test_the_gradient_is_the_same_where_it_can_be_differentiated_and_where_not(names, used):
    operands = {name: Variable(OPERANDS[name]) for name in names}
    hs, cs = lstm(**operands)
    loss = sum(
        weight * (each**2).sum() for weight, each in zip(used, (hs, cs), strict=True) if weight
    )
    pairs = [grad(loss, list(operands.values()), create_graph=way) for way in (False, True)]
    for got, differentiable in zip(*pairs, strict=True):
        np.testing.assert_allclose(got, differentiable.data, rtol=1e-12, atol=1e-14)


def test_a_sequence_in_two_parts_has_the_same_results_and_gradients():
    operands = variables()
    whole, _ = lstm(**operands)
    (whole * WEIGHTS_OF_HS).sum().backward()
    parts = variables()
    state = parts["h"], parts["c"]
    results = []
    for part in (slice(0, 1), slice(1, None)):
        weights = parts["Wx"], parts["Wh"], parts["b"]
        hs, cs = lstm(parts["x"][part], *weights, *state)
        state = hs[-1], cs[-1]
        results.append(hs)
    together = np.concatenate(results)
    np.testing.assert_allclose(together.data, whole.data, rtol=1e-14)
    (together * WEIGHTS_OF_HS).sum().backward()
    for name in SHAPES:
        np.testing.assert_allclose(parts[name].grad, operands[name].grad, rtol=1e-11, err_msg=name)


def test_closed_and_open_gates_do_not_overflow_and_have_no_slope():
    for far in (1e3, -1e3):
        b = Variable(np.full(4 * SIZE, far, np.float32))
        zeros = (np.zeros(SHAPES[name], np.float32) for name in ("x", "Wx", "Wh"))
        hs, cs = lstm(*zeros, b)
        hs.sum().backward()
        expected = np.arange(1, STEPS + 1) if far > 0 else np.zeros(STEPS)
        np.testing.assert_array_equal(cs.data[:, 0, 0], expected)
        np.testing.assert_array_equal(b.grad, np.zeros(4 * SIZE))


def test_float32_stays_float32():
    operands = {name: Variable(array.astype(np.float32)) for name, array in OPERANDS.items()}
    hs, cs = lstm(**operands)
    hs.sum().backward()
    assert hs.dtype == cs.dtype == np.float32
    assert all(operand.grad.dtype == np.float32 for operand in operands.values())


def test_the_input_gets_no_gradient_where_it_is_a_constant():
    operands = variables() | {"x": OPERANDS["x"]}
    hs, _ = lstm(**operands)
    hs.sum().backward()
    expected = variables()
    lstm(**expected)[0].sum().backward()
    np.testing.assert_array_equal(operands["Wx"].grad, expected["Wx"].grad)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": np.ones((ROWS, IN))}, r"shape \(steps, rows, in\), with a step at least, got"),
        ({"x": np.ones((0, ROWS, IN))}, r"got \(0, 2, 4\)"),
        ({"Wx": np.ones((3, 20))}, r"Wx must be of shape \(4, 20\) .* is of shape \(3, 20\)"),
        ({"Wh": np.ones((5, 5))}, r"Wh must be of shape \(5, 20\)"),
        ({"Wh": np.ones(20)}, "Wx must be of shape"),
        ({"b": np.ones(5)}, r"b must be of shape \(20,\)"),
        ({"h": np.ones((3, 5))}, r"h must be of shape \(2, 5\)"),
        ({"c": np.ones((2, 1))}, r"c must be of shape \(2, 5\)"),
        ({"c": None}, "both h and c, or neither"),
        ({"h": None}, "both h and c, or neither"),
    ],
)
def test_operands_that_do_not_fit_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        lstm(**{**OPERANDS, **change})
