"""Operations of this package: examples, beside another plugin, observers."""

import importlib
import pkgutil

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.families import FAMILIES
from dezero_tools.testing import check_plugin

from dezero_core import Function, Variable, hookimpl, ops, using_config
from dezero_replay import compiled
from dezero_tools import NotFiniteError, observe

from ...operations.documentation import check_docstring, run_examples

MODULES = [name for _, name, _ in pkgutil.iter_modules(F.__path__, "dezero_nn.functions.")]
OPERATIONS = {name: getattr(F, name) for names in FAMILIES.values() for name in names.split()}
NAN = np.array([[np.nan, 0.5]])
LABELS = np.array([[0, 1]])


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_the_documentation_run(name):
    found = run_examples(name)
    assert found.failed == 0
    assert found.attempted or not hasattr(importlib.import_module(name), "register_ops")


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_documentation_of_an_operation_has_every_section(name):
    (operation,) = [op for op in ops() if (op.plugin, op.name) == ("nn", name)]
    check_docstring(operation)


def test_functions_are_those_that_the_plugin_registers():
    registered = {op.name: op.function for op in ops() if op.plugin == "nn"}
    assert {name: registered[name] for name in OPERATIONS} == OPERATIONS


class OtherSoftplus(Function):
    def forward(self, x):
        return np.logaddexp(x, 0.0) + 100.0

    def backward(self, gy):
        return gy


class OtherPlugin:
    @hookimpl
    def dezero_register_ops(self, register):
        for name in ("softplus", "gelu"):
            register(name, lambda x: OtherSoftplus()(x), OtherSoftplus, methods=name)


def test_another_plugin_may_have_operations_of_the_same_names(registered):
    """Without a warning, which is an error here: the functions of this package bind no method."""
    registered(OtherPlugin(), "other")
    x = Variable(np.array(0.0))
    assert x.softplus().item() == x.gelu().item() == np.log(2.0) + 100.0
    assert F.softplus(x).item() == np.log(2.0)
    assert F.gelu(x).item() == 0.0
    check_plugin("nn", ["softplus", "gelu"])


@pytest.mark.parametrize(
    ("name", "call"),
    {
        "MeanSquaredError": lambda x: F.mean_squared_error(x, LABELS),
        "SigmoidCrossEntropy": lambda x: F.sigmoid_cross_entropy(x, LABELS),
        "BinaryCrossEntropy": lambda x: F.binary_cross_entropy(x, LABELS),
        "Dropout": lambda x: F.dropout(x),
        "Gelu": lambda x: F.gelu(x),
        "Moments": lambda x: F.layer_norm(x, np.ones(2), np.zeros(2)),
        "EmbedId": lambda x: F.embed_id([0], x),
    }.items(),
)
def test_observe_names_the_operation_that_a_nan_is_in_first(name, call):
    x = Variable(NAN.copy())
    assert np.isnan(call(x).data).any()
    message = rf"{name}\.forward of plugin 'nn'.*not finite already"
    with pytest.raises(NotFiniteError, match=message), observe("nan"):
        call(x)


@pytest.mark.parametrize("train", [True, False])
def test_a_compiled_network_of_these_functions_gives_the_same_bits(train):
    def network():
        draws = np.random.default_rng(0)
        w = Variable(draws.normal(size=(5, 5)))
        rows = Variable(draws.normal(size=(9, 5)))

        def step(ids, t):
            h = F.embed_id(ids, rows) @ w
            h = F.gelu(h) + F.gelu(h, "tanh") + F.silu(h) + F.softplus(h) + F.leaky_relu(h)
            h = F.scaled_dot_product_attention(h, F.dropout(h, 0.2, draws), h, is_causal=True)
            loss = F.sigmoid_cross_entropy(h, t) + F.mean_squared_error(h, t)
            loss = loss + F.binary_cross_entropy(F.sigmoid(h), t)
            w.cleargrad()
            rows.cleargrad()
            loss.backward()
            w.data = w.data - 0.01 * w.grad
            rows.data = rows.data - 0.01 * rows.grad
            return loss

        return step, w, rows

    found = []
    for wrapped in (lambda f: f, compiled(strict=True)):
        (step, w, rows), draws = network(), np.random.default_rng(1)
        step = wrapped(step)
        with using_config("train", train):
            losses = [
                step(draws.integers(0, 9, 6), draws.integers(0, 2, (6, 5))).item() for _ in range(5)
            ]
        found.append((losses, w.data.tolist(), rows.data.tolist()))
    assert found[0] == found[1]
