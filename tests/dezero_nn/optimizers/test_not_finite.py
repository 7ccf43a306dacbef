"""A loss that is nan reaches no parameter, and the message says how to find its cause."""

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.models import MLP
from dezero_nn.optimizers import SGD, Adam
from dezero_tools.errors import NotFiniteError

from dezero_core import Parameter
from dezero_replay import compiled
from dezero_tools import observe

X = np.random.default_rng(0).standard_normal((6, 3)).astype(np.float32)
T = np.array([0, 1, 1, 0, 1, 0])


def trained(optimizer):
    model = MLP((5, 2), rng=np.random.default_rng(1))

    def step(x):
        loss = F.softmax_cross_entropy(model(x), T)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    optimizer.setup(model)
    step(X)
    return model, step


def data_of(model):
    return [param.data.tobytes() for param in model.params()]


@pytest.mark.parametrize("how", [lambda step: step, compiled], ids=["eager", "compiled"])
@pytest.mark.parametrize("kind", [SGD, Adam])
def test_a_nan_in_a_loss_changes_nothing_and_names_the_observer(kind, how):
    optimizer = kind()
    model, step = trained(optimizer)
    step = how(step)
    for _ in range(6):
        step(X)
    before, count = data_of(model), optimizer.t
    bad = X.copy()
    bad[2, 1] = np.nan
    with np.errstate(invalid="ignore"), pytest.raises(FloatingPointError) as caught:
        step(bad)
    assert str(caught.value).startswith(f"{kind.__name__}.update: 'l1/b' has a gradient with")
    assert 'under dezero_tools.observe("nan")' in str(caught.value)
    assert (data_of(model), optimizer.t) == (before, count)
    step(X)
    assert data_of(model) != before


def test_a_loss_whose_last_gradient_is_finite_is_found_by_the_others():
    model = MLP((5, 2), in_size=3)
    optimizer = SGD().setup(model)
    before = data_of(model)
    F.sum(model(np.full((1, 3), np.nan, np.float32))).backward()
    assert np.isfinite(model.l1.b.grad).all()
    with pytest.raises(FloatingPointError, match=r"update: 'l0/b' has a gradient with nan"):
        optimizer.update()
    assert data_of(model) == before


def test_of_large_gradients_only_the_smallest_is_looked_at():
    params = [Parameter(np.zeros(5000)), Parameter(np.zeros(5001))]
    params[0].grad, params[1].grad = np.ones(5000), np.full(5001, np.inf)
    SGD().setup(params).update()
    params[0].grad = params[1].grad[1:]
    with pytest.raises(FloatingPointError, match="parameters/0"):
        SGD().setup(params).update()


def test_the_observer_that_the_message_names_shows_the_first_operation():
    model, _ = trained(SGD())
    bad = X.copy()
    bad[0, 0] = np.inf
    # On some processors the BLAS multiplies the inf by zeros that fill its blocks, and NumPy warns.
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(NotFiniteError, match="Linear") as caught,
        observe("nan"),
    ):
        F.softmax_cross_entropy(model(bad), T)
    assert "Input 0 was not finite already" in str(caught.value)


def test_without_any_gradient_there_is_nothing_to_look_at():
    model, _ = trained(SGD())
    optimizer = SGD().setup(model)
    model.cleargrads()
    with pytest.warns(UserWarning, match="no gradient"):
        optimizer.update()
