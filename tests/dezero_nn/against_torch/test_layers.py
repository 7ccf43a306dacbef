"""Layers have the values and derivatives of PyTorch's, and are trained alike."""

import numpy as np
import pytest
from dezero_nn.functions import mean_squared_error
from dezero_nn.models.images import Bottleneck
from dezero_nn.optimizers import SGD

from dezero_core import Variable
from dezero_nn import layers as L  # noqa: N812

from .stored import (
    assert_derivatives,
    assert_training,
    assert_variables,
    fill,
    groups,
    stored,
)

LAYERS = {
    "BatchNorm of images": L.BatchNorm,
    "BatchNorm of other states": L.BatchNorm,
    "BatchNorm of rows": L.BatchNorm,
    "Bottleneck": lambda: Bottleneck(3, 4),
    "Bottleneck with a projection": lambda: Bottleneck(3, 8, stride=2, projects=True),
    "Conv2d": lambda: L.Conv2d(4, 3, stride=2, pad=1),
    "Deconv2d": lambda: L.Deconv2d(4, 3, stride=2, pad=1),
    "EmbedID": lambda: L.EmbedID(6, 3),
    "GRU": lambda: L.GRU(5),
    "LSTM": lambda: L.LSTM(5),
    "LayerNorm": L.LayerNorm,
    "Linear": lambda: L.Linear(5),
    "Linear without b": lambda: L.Linear(5, nobias=True),
    "RNN": lambda: L.RNN(5),
}


def outputs_of(layer, x):
    """Return the outputs of a layer; those of each time, if it has a state."""
    if not hasattr(layer, "reset_state"):
        return layer(x)
    layer.reset_state()
    return np.stack([layer(now) for now in x])


@pytest.fixture(params=sorted(groups()["layers"]))
def case(request):
    return {"name": request.param, **stored("layers", request.param)}


@pytest.fixture
def layer(case):
    return LAYERS[case["name"]]()


@pytest.fixture
def variables(case, layer):
    """Give the layer the stored data."""
    params = {name: array for name, array in case["inputs"].items() if name != "x"}
    return fill(layer, params | case.get("states", {}))


def test_values_and_derivatives_are_those_of_pytorch(case, layer, variables):
    x = case["inputs"]["x"]
    x = Variable(x) if x.dtype.kind == "f" else x
    y = outputs_of(layer, x)
    wanted = {name: variables[name] for name in case["grads"] if name != "x"}
    if isinstance(x, Variable):
        wanted = {"x": x} | wanted
    assert_derivatives(y, wanted, case)


def test_a_whole_sequence_has_the_values_and_derivatives_of_pytorch():
    case = stored("layers", "LSTM")
    layer, x = L.LSTM(5), Variable(case["inputs"]["x"])
    variables = fill(layer, {name: case["inputs"][name] for name in case["inputs"] if name != "x"})
    assert_derivatives(layer.sequence(x), {"x": x} | variables, case)


def test_a_call_changes_the_states_as_in_pytorch(case, layer, variables):
    outputs_of(layer, case["inputs"]["x"])
    after = {name: variables[name] for name in case.get("states", {})}
    assert_variables(after, case.get("after", {}))


def test_ten_steps_of_training_are_those_of_pytorch(case, layer, variables):
    x, t = case["inputs"]["x"], case["weights"]["y"]
    optimizer = SGD(lr=0.05).setup(layer)

    def step():
        loss = mean_squared_error(outputs_of(layer, x), t)
        layer.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    assert_training(step, variables, case, lambda: outputs_of(layer, x))


def test_each_layer_is_compared():
    assert set(LAYERS) == set(groups()["layers"])
    compared = {name.split(" ")[0] for name in LAYERS}
    assert set(L.__all__) - compared == {"Dropout", "Layer", "State"}
