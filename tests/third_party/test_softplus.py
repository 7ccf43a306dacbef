"""A plugin of a third party: installed, it works like those of this repository.

It goes through the conformance kit, with its values, gradients and second derivatives, by
``pytest --dezero-ops=softplus``.
"""

import json
import os
import subprocess
import sys

import dezero_ops_softplus
import numpy as np
import pytest

from dezero_core import Variable, ops, plugins, register, unregister

X = np.array([-40.0, -1.0, 0.0, 2.0, 800.0])
Y = np.array([np.exp(-40.0), np.log1p(np.exp(-1.0)), np.log(2.0), np.log1p(np.exp(2.0)), 800.0])
SLOPE = np.array([np.exp(-40.0), 1.0 / (1.0 + np.e), 0.5, 1.0 / (1.0 + np.exp(-2.0)), 1.0])


@pytest.mark.parametrize(
    "call", [dezero_ops_softplus.softplus, lambda x: x.softplus()], ids=["function", "method"]
)
def test_softplus_works_by_function_and_by_method(call):
    x = Variable(X)
    y = call(x)
    y.backward()
    np.testing.assert_allclose(y.data, Y, rtol=1e-14)
    np.testing.assert_allclose(x.grad, SLOPE, rtol=1e-13)


def test_the_record_of_softplus_names_its_distribution():
    (record,) = [record for record in plugins() if record.name == "softplus"]
    assert (record.state, record.cause) == ("loaded", None)
    assert (record.distribution, record.version) == ("dezero-ops-softplus", "1.2.3")
    assert record.operations == ("softplus",)
    assert record.milliseconds > 0.0


def test_the_operation_softplus_is_listed():
    (operation,) = [operation for operation in ops() if operation.plugin == "softplus"]
    assert operation.name == "softplus"
    assert operation.function is dezero_ops_softplus.softplus
    assert operation.function_class is dezero_ops_softplus.Softplus
    assert (operation.methods, operation.dunders, operation.numpy) == (("softplus",), (), ())


@pytest.mark.parametrize("name", ["softplus", "dezero-ops-softplus", "dezero_ops_softplus"])
def test_unregistering_softplus_removes_its_operation_only(name):
    def everything():
        # The hook makes its sample anew, which is a lambda.
        return {op.name: op._replace(sample=None) for op in ops()}, dict(vars(Variable))

    operations, attributes = everything()
    unregister(name)
    try:
        without_operations, without_attributes = everything()
        assert not hasattr(Variable(X), "softplus")
    finally:
        register(name)
    assert operations.keys() - without_operations.keys() == {"softplus"}
    assert attributes.keys() - without_attributes.keys() == {"softplus"}
    assert without_operations.items() <= operations.items()
    assert without_attributes.items() <= attributes.items()
    assert everything() == (operations, attributes)


@pytest.mark.parametrize(
    "imports",
    [
        "import dezero_core, dezero_ops_softplus",
        "import dezero_ops_softplus, dezero_core",
        "import dezero_ops_softplus\nfrom dezero_core import plugins",
        "import dezero_core",
        "import dezero_ops_softplus\nimport dezero_ops_math, dezero_ops_basic",
    ],
)
def test_softplus_loads_in_any_import_order(imports):
    """In an interpreter of its own; it neither needs the core first nor hinders the others."""
    script = f"""{imports}
import json, numpy
import dezero_core
x = dezero_core.Variable(numpy.array([0.0]))
y = x.softplus() * 2.0
y.backward()
loaded = {{record.name: record.state for record in dezero_core.plugins()}}
print(json.dumps([loaded, sorted(op.name for op in dezero_core.ops()), x.grad.tolist()]))
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    loaded, operations, gradient = json.loads(run.stdout)
    assert loaded == dict.fromkeys(("basic", "math", "softplus", "tools"), "loaded")
    assert operations == sorted(op.name for op in ops())
    assert gradient == [1.0]


def test_the_environment_variables_leave_softplus_out():
    script = "from dezero_core import Variable, plugins\nprint(hasattr(Variable, 'softplus'))"
    script += "\nprint([p.state for p in plugins() if p.name == 'softplus'])"
    for variable, value in (("DEZERO_PLUGINS", "basic"), ("DEZERO_DISABLE_PLUGINS", "softplus")):
        environment = {**os.environ, variable: value}
        run = subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.splitlines() == ["False", "['disabled']"]
