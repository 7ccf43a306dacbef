"""What is not there says so, and names the distribution that has it.

Promise: docs/how_to/read_an_error.md
"""

import pytest

import dezero_core

SCENARIO = """
import numpy as np
from dezero_core import Variable
x, y, a = Variable(np.ones(2)), Variable(np.ones(2)), np.ones(2)
uses = {
    "x + y": lambda: x + y,
    "1 + x": lambda: 1 + x,
    "x - 1.0": lambda: x - 1.0,
    "a + x": lambda: a + x,
    "x * a": lambda: x * a,
    "np.float32(2) / x": lambda: np.float32(2) / x,
    "x // y": lambda: x // y,
    "7 % x": lambda: 7 % x,
    "x @ y": lambda: x @ y,
    "a @ x": lambda: a @ x,
    "2 ** x": lambda: 2 ** x,
    "-x": lambda: -x,
    "+x": lambda: +x,
    "abs(x)": lambda: abs(x),
    "x < y": lambda: x < y,
    "a >= x": lambda: a >= x,
    "x[0]": lambda: x[0],
    "x.__setitem__(0, 1.0)": lambda: x.__setitem__(0, 1.0),
    "np.add.at(x, [0], 1.0)": lambda: np.add.at(x, [0], 1.0),
    "list(x)": lambda: list(x),
    "1.0 in x": lambda: 1.0 in x,
    "np.add(x, y)": lambda: np.add(x, y),
    "x.sum()": lambda: x.sum(),
    "x.T": lambda: x.T,
    "np.sin(x)": lambda: np.sin(x),
    "np.sum(x)": lambda: np.sum(x),
    "np.linalg.svd(x)": lambda: np.linalg.svd(x),
    "np.corrcoef(x)": lambda: np.corrcoef(x),
    "np.add.reduce(x)": lambda: np.add.reduce(x),
    "divmod(x, 2)": lambda: divmod(x, 2),
}
for use, action in uses.items():
    out[use] = failure(action)
out["has"] = [name for name in ("sum", "T", "sin", "__array_priority__") if hasattr(x, name)]
out["default"] = getattr(x, "sum", "absent")
out["nonsense"] = failure(lambda: x.nonsense)
out["text"] = failure(lambda: x + "text")
out["equal"] = [x == x, x == y, x != y]
out["data"] = x.data.tolist()
"""

BASIC, MATH = "dezero-ops-basic", "dezero-ops-math"
USES = {
    "x + y": ("'+'", BASIC),
    "1 + x": ("'+'", BASIC),
    "x - 1.0": ("'-'", BASIC),
    "a + x": ("'+'", BASIC),
    "x * a": ("'*'", BASIC),
    "np.float32(2) / x": ("'/'", BASIC),
    "x // y": ("'//'", BASIC),
    "7 % x": ("'%'", BASIC),
    "x @ y": ("'@'", BASIC),
    "a @ x": ("'@'", BASIC),
    "2 ** x": ("'**'", BASIC),
    "-x": ("'unary -'", BASIC),
    "+x": ("'unary +'", BASIC),
    "abs(x)": ("'abs()'", BASIC),
    "x < y": ("'<'", BASIC),
    "a >= x": ("'>='", BASIC),
    "x[0]": ("'indexing'", BASIC),
    "x.__setitem__(0, 1.0)": ("'x[i] = v'", BASIC),
    "np.add.at(x, [0], 1.0)": ("np.add.at", BASIC),
    "list(x)": ("'iteration'", BASIC),
    "1.0 in x": ("'in'", BASIC),
    "np.add(x, y)": ("np.add", BASIC),
    "x.sum()": ("'sum'", MATH),
    "x.T": ("'T'", MATH),
    "np.sin(x)": ("np.sin", MATH),
    "np.sum(x)": ("np.sum", MATH),
    "np.linalg.svd(x)": ("np.linalg.svd", MATH),
    "np.corrcoef(x)": ("np.corrcoef", MATH),
    "np.add.reduce(x)": ("np.add.reduce", None),
    "divmod(x, 2)": ("'divmod()'", "dezero-ops-basic"),
}


def check(use, error, remedy):
    written, distribution = USES[use]
    message = error["message"]
    assert "TypeError" in error["types"], use
    assert ("AttributeError" in error["types"]) == (use in ("x.sum()", "x.T"))
    assert ("the property 'T'" in message) == (use == "x.T")
    assert ("the method 'sum'" in message) == (use == "x.sum()")
    assert message.startswith("no loaded plugin provides "), use
    assert written in message, use
    assert "Variable" in message
    assert error["distribution"] == repr(distribution), use
    assert remedy.format(distribution) in message, use


def test_every_missing_operation_without_plugins_names_the_distribution_to_install(run_python):
    outcome = run_python(SCENARIO)
    for use, (_, distribution) in USES.items():
        check(use, vars(outcome.out)[use], "pip install {}" if distribution else "x.data")


def test_hasattr_equality_and_unknown_operands_work_as_usual_without_plugins(run_python):
    """hasattr is False, == compares identities, and unknown operands are Python's error."""
    out = run_python(SCENARIO).out
    assert (out.has, out.default) == ([], "absent")
    assert out.nonsense["types"][0] == "AttributeError"
    assert out.nonsense["message"] == "'Variable' object has no attribute 'nonsense'"
    assert out.text["types"][0] == "TypeError"
    assert "unsupported operand" in out.text["message"]
    assert out.equal == [True, False, True]
    assert out.data == [1.0, 1.0]


@pytest.mark.parametrize(
    ("source", "warns", "state", "cause"),
    [
        ("raise ImportError('no luck')", 2, "failed", "ImportError: no luck"),
        ("", 0, "disabled", "DEZERO_DISABLE_PLUGINS"),
        ("DEZERO_PLUGIN_API = (3, 0)\n", 2, "incompatible", "Upgrade dezero-core"),
    ],
    ids=["failed", "switched off", "for another API"],
)
def test_a_missing_operation_of_an_installed_plugin_says_why_the_plugin_is_not_loaded(
    source, warns, state, cause, plugin_source, fake_distribution, run_python
):
    for name in ("basic", "math"):
        module = f"my_{name}"
        source_of_one = source + plugin_source(name)
        fake_distribution(f"dezero-ops-{name}", {f"{module}.py": source_of_one}, {name: module})
    switch = {} if source else {"DEZERO_DISABLE_PLUGINS": "basic,math"}
    outcome = run_python(SCENARIO, warns=warns, **switch)
    assert outcome.states == {"basic": state, "math": state}
    for use, (_, distribution) in USES.items():
        error = vars(outcome.out)[use]
        check(use, error, "It is in {}, which is not loaded: " if distribution else "x.data")
        assert (cause in error["message"]) == bool(distribution), use
        assert "pip install" not in error["message"]


def test_a_missing_operation_of_a_loaded_distribution_advises_an_upgrade(
    plugin_source, fake_distribution, run_python
):
    fake_distribution(
        "dezero-ops-math",
        {"my_math.py": plugin_source("tripled")},
        {"math": "my_math"},
        version="0.0.9",
    )
    outcome = run_python(SCENARIO)
    assert outcome.states == {"math": "loaded"}
    check("x.sum()", vars(outcome.out)["x.sum()"], "pip install --upgrade {}")
    check("x + y", vars(outcome.out)["x + y"], "pip install {}")


def test_a_missing_operation_of_an_up_to_date_distribution_names_no_distribution(
    plugin_source, fake_distribution, run_python
):
    fake_distribution(
        "dezero-ops-math",
        {"my_math.py": plugin_source("tripled")},
        {"math": "my_math"},
        version=dezero_core.__version__,
    )
    outcome = run_python(SCENARIO)
    assert "No plugin known here has it" in vars(outcome.out)["x.sum()"]["message"]
    assert vars(outcome.out)["x.sum()"]["distribution"] == "None"


def test_a_function_of_another_library_has_values_without_a_gradient(run_python):
    code = (
        "import numpy as np\nfrom dezero_core import Variable\nx = Variable(np.ones(2))\n"
        "out['known'] = failure(lambda: np.sin(x))['message']\n"
        "out['own'] = failure(lambda: np.frompyfunc(abs, 1, 1)(x))['message']"
    )
    messages = run_python(code).out
    assert messages.known.endswith("pip install dezero-ops-math")
    values = "No plugin known here has it; x.data gives the values without a gradient."
    assert messages.own.endswith(values)
