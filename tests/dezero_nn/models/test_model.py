"""Model, Sequential and MLP: what they compute, how they are drawn, and compiled steps."""

import copy
import pickle
import sys

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.layers import BatchNorm, Dropout, Linear
from dezero_nn.models import MLP, Sequential
from dezero_nn.utils import plot_dot_graph

from dezero_nn import optimizers
from dezero_replay import compiled
from dezero_tools import GraphvizError

X = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)


def test_sequential_applies_layers_and_functions_in_order():
    first, last = Linear(3, in_size=2), Linear(1, in_size=3)
    model = Sequential(first, np.tanh, last)
    hidden = np.tanh(X @ first.W.data + first.b.data)
    expected = hidden @ last.W.data + last.b.data
    np.testing.assert_allclose(model(X).data, expected, rtol=1e-6)
    names = [name for name, _ in model.variables()]
    assert names == ["l0/W", "l0/b", "l2/W", "l2/b"]


def test_an_empty_sequential_gives_its_input():
    assert Sequential()(X) is X


def test_sequential_refuses_what_cannot_be_called():
    with pytest.raises(TypeError, match=r"got a list: of a list, write Sequential\(\*layers\)"):
        Sequential([Linear(1)])


def test_mlp_has_an_activation_between_each_two_layers_but_not_at_the_end():
    model = MLP((4, 3, 1), activation=np.sin, in_size=2, dtype=np.float64)
    h = X.astype(float)
    for layer in model.layers[:-1]:
        h = np.sin(h @ layer.W.data + layer.b.data)
    expected = h @ model.layers[-1].W.data + model.layers[-1].b.data
    np.testing.assert_allclose(model(X.astype(float)).data, expected, rtol=1e-12)


def test_mlp_has_the_sigmoid_by_default_as_in_the_book():
    model = MLP((2, 1), in_size=2)
    first, last = model.layers
    hidden = 1 / (1 + np.exp(-(X @ first.W.data + first.b.data)))
    np.testing.assert_allclose(model(X).data, hidden @ last.W.data + last.b.data, rtol=1e-5)


def test_the_sizes_of_mlp_are_known_at_once_or_in_the_first_call():
    known, lazy = (MLP((4, 1), in_size=n, rng=np.random.default_rng(0)) for n in (2, None))
    assert all(each.W.data is None for each in lazy.layers)
    np.testing.assert_array_equal(known(X).data, lazy(X).data)


def test_mlp_refuses_to_have_no_layer():
    with pytest.raises(ValueError, match="MLP takes the size of one layer at least"):
        MLP(())


def test_mlp_refuses_a_number_for_the_sizes():
    with pytest.raises(TypeError, match=r"got 10: of one layer, write MLP\(\(10,\)\)"):
        MLP(10)  # as is MLP((10))


def test_a_model_is_drawn_with_its_operations(tmp_path):
    picture = MLP((3, 1), in_size=2).plot(X, to_file=tmp_path / "model.dot")
    text = (tmp_path / "model.dot").read_text()
    assert [text.count(f'label="{name}') for name in ("Linear", "Sigmoid")] == [2, 1]
    assert picture.file == str(tmp_path / "model.dot")


def test_a_model_is_drawn_without_graphviz_unless_a_png_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    model = MLP((3, 1), in_size=2)
    model.plot(X)
    plot_dot_graph(model(X))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["graph.svg", "model.svg"]
    assert "Linear" in (tmp_path / "model.svg").read_text()
    with pytest.raises(GraphvizError, match="Graphviz"):
        model.plot(X, to_file="model.png")


def test_drawing_says_which_package_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "dezero_tools", None)
    with pytest.raises(ImportError, match="not installed: pip install dezero-tools"):
        MLP((1,)).plot(X, to_file=tmp_path / "model.svg")
    assert not list(tmp_path.iterdir())


def trained(compile_step):
    rng = np.random.default_rng(1)
    layers = Linear(4, rng=rng), BatchNorm(), F.relu, Dropout(0.5, rng=rng), Linear(1, rng=rng)
    model = Sequential(*layers)
    optimizer = optimizers.SGD(0.1).setup(model)

    def step(x, t):
        loss = F.mean_squared_error(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        model.cleargrads()
        return loss

    if compile_step:
        step = compiled(step, strict=True)
    data = np.random.default_rng(2)
    losses = [
        step(*(data.normal(size=(6, n)).astype(np.float32) for n in (3, 1))).data for _ in range(6)
    ]
    if compile_step:
        assert step.stats["replayed"] > 0
    return [*losses, *(each.data for _, each in model.variables())]


def test_a_compiled_step_has_the_same_bits_running_means_and_dropped_elements():
    for mine, others in zip(trained(False), trained(True), strict=True):
        np.testing.assert_array_equal(mine, others, strict=True)


@pytest.mark.parametrize("make", [lambda: MLP((3, 2)), lambda: Sequential(Linear(3), Linear(2))])
def test_the_layers_of_a_list_are_attributes_with_the_names_of_the_book(make):
    model = make()
    model(np.ones((1, 4), np.float32))
    assert (model.l0, model.l1) == tuple(model.layers)
    assert [name for name, _ in model.variables()] == ["l0/W", "l0/b", "l1/W", "l1/b"]
    other = Linear(2, in_size=3, nobias=True)
    model.l1 = other
    assert model.layers[1] is model.l1 is other
    model.layers.append(Linear(1, in_size=2))
    assert [name for name, _ in model.variables()] == ["l0/W", "l0/b", "l1/W", "l2/W", "l2/b"]
    assert model(np.ones((1, 4), np.float32)).shape == (1, 1)


@pytest.mark.parametrize("name", ["l2", "l", "lx", "l0x", "rate"])
def test_a_stack_has_no_other_attributes_of_this_kind(name):
    model = MLP((3, 2))
    with pytest.raises(AttributeError, match=f"MLP has no attribute '{name}'"):
        getattr(model, name)
    setattr(model, name, 5)
    assert getattr(model, name) == 5


def test_a_copy_of_a_stack_has_layers_of_its_own():
    model = MLP((3, 2), in_size=4)
    other = copy.deepcopy(model)
    assert other.l0 is not model.l0
    assert other.l0 is other.layers[0]
    assert pickle.loads(pickle.dumps(model)).l1.W.shape == (3, 2)
