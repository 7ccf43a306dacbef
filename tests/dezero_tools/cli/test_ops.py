"""``dezero ops``: every operation, and the page of one.

Promise: docs/how_to/look_at_plugins.md
"""

import json
import sys

import pytest
from dezero_tools.cli.lookup import operation_named
from dezero_tools.testing import order_of, sample_of

import dezero_core
from dezero_core import MissingOperationError

SHY = """
import functools
from dezero_core import Function, hookimpl


class Nearly(Function):
    approximate = "central differences"

    def forward(self, x):
        return x * x * x


def nearly(x, mode="rough"):
    return Nearly()(x)


@hookimpl
def dezero_register_ops(register):
    sample = lambda kit: kit.elementwise((-3.0, 3.0), reference=lambda x: x**3, order=1)
    register("nearly", nearly, Nearly, sample=sample)
    register("partially", functools.partial(nearly, mode="exact"))
    register("builtin", max)
"""


@pytest.fixture
def shy(fake_distribution):
    """Install a plugin whose operations say little of themselves."""
    return fake_distribution("shy-ops", {"shy.py": SHY}, {"shy": "shy"})


def test_ops_lists_all_registered_operations(shy, dezero):
    done = dezero("ops", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert (data["errors"], data["not_provided"]) == ([], [])
    listed = {each["name"]: each for each in data["operations"]}
    for operation in dezero_core.ops():
        if operation.plugin not in ("basic", "math"):
            continue
        row = listed.pop(operation.name)
        assert row["plugin"] == operation.plugin
        assert row["dunders"] == list(operation.dunders)
        assert row["methods"] == list(operation.methods)
        assert row["approximate"] is None
        assert row["order"] == {0: 0, 1: 1, 2: "any"}[order_of(operation)]
    assert listed.keys() == {"nearly", "partially", "builtin"}
    assert (listed["nearly"]["order"], listed["partially"]["order"]) == (1, "any")
    assert listed["nearly"]["approximate"] == "central differences"


def test_ops_lists_the_provider_in_use_before_the_other_providers(shy, fake_distribution, dezero):
    fake_distribution("wild-ops", {"wild.py": SHY}, {"wild": "wild"})
    chosen = {"DEZERO_OPS": "nearly=wild,partially=wild,builtin=shy", "DEZERO_PLUGINS": "wild,shy"}
    lines = dezero("ops", **chosen).stdout.splitlines()
    rows = [line.split()[:5] for line in lines if line.startswith(("nearly", "builtin"))]
    assert [row[:2] for row in rows] == [
        ["builtin", "shy"],
        ["builtin", "(wild)"],
        ["nearly", "wild"],
        ["nearly", "(shy)"],
    ]
    assert any(line.startswith("In brackets: a plugin that is not in use for it") for line in lines)
    contested = json.loads(dezero("ops", "--json", DEZERO_PLUGINS="wild,shy").stdout)["operations"]
    assert not any(row["in_use"] for row in contested)
    page = json.loads(dezero("ops", "nearly", "--plugin", "shy", "--json", **chosen).stdout)
    assert page["plugin"] == "shy"
    text = dezero("ops", "nearly", **chosen).stdout
    assert "also by   shy: see dezero compare\nin use    wild: nearly\n" in text


def test_the_page_of_a_contested_operation_names_all_plugins_and_that_none_is_in_use(
    fake_distribution, plugin_source, dezero
):
    source = plugin_source("exp", claims="numpy=np.exp")
    fake_distribution("fast-ops", {"fast.py": source}, {"fast": "fast"})
    page = json.loads(dezero("ops", "exp", "--json").stdout)
    assert (page["plugin"], page["also_by"], page["in_use"]) == ("fast", ["math"], False)
    assert page["answers"] == {"np.exp": None}
    text = dezero("ops", "exp").stdout
    assert "also by   math: see dezero compare\nin use    none, using it raises: np.exp\n" in text
    page = json.loads(dezero("ops", "exp", "--json", DEZERO_OPS="exp=fast").stdout)
    assert (page["plugin"], page["also_by"], page["in_use"]) == ("fast", ["math"], True)
    assert "in use" not in dezero("ops", "log").stdout


def test_ops_lists_the_operations_of_one_plugin_as_a_table(shy, dezero):
    done = dezero("ops", "--plugin", "shy-ops", DEZERO_PLUGINS="shy,basic")
    assert done.returncode == 0
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines[0].split() == ["operation", "plugin", "derivative", "on", "Variable", "NumPy"]
    assert [line.split() for line in lines[1:]] == [
        ["builtin", "shy", "any", "order", "none", "none"],
        ["nearly", "shy", "once,", "central", "differences", "none", "none"],
        ["partially", "shy", "any", "order", "none", "none"],
        ["3", "operations"],
    ]


def test_ops_lists_operations_of_missing_distributions_with_the_command_to_install(
    fake_distribution, plugin_source, dezero
):
    fake_distribution("sine-ops", {"sine.py": plugin_source("sin")}, {"sine": "sine"})
    done = dezero("ops", DEZERO_PLUGINS="basic,sine", COLUMNS="100")
    assert done.returncode == 0
    listed, missing = done.stdout.split("37 operations")
    assert "np.divide" in listed
    assert "It is in dezero-ops-math, which is not loaded" in missing
    names = missing.split("lists", 1)[1].split()
    assert {"exp", "linalg.inv", "T"} <= set(names)
    assert "sin" not in names
    done = dezero("ops", DEZERO_PLUGINS="")
    assert done.stdout.startswith("0 operations\n")


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("exp", "exp"),
        ("np.exp", "exp"),
        ("linalg.inv", "linalg.inv"),
        ("np.linalg.inv", "linalg.inv"),
        ("numpy.linalg.inv", "linalg.inv"),
        ("np.divide", "div"),
        ("divide", "div"),
        ("+", "add"),
        ("-", "sub"),
        ("unary -", "neg"),
        ("__radd__", "add"),
        ("conj", "conjugate"),
    ],
)
def test_ops_takes_the_name_of_numpy_an_operator_or_a_method(name, operation):
    assert operation_named(name, dezero_core.ops()).name == operation


def test_ops_lists_the_operations_of_a_family():
    with pytest.raises(LookupError, match=r"There are linalg\.cholesky, linalg\.cond, "):
        operation_named("np.linalg", dezero_core.ops())


def test_an_operation_of_a_plugin_that_failed_refers_to_doctor(fake_distribution, dezero):
    fake_distribution("bad-ops", {"bad.py": "import surely_not_there"}, {"bad": "bad"})
    done = dezero("ops", "badly")
    assert done.returncode == 1
    assert "Not loaded, see dezero doctor: bad." in done.stderr


def test_the_page_of_an_operation_shows_all_facts_about_the_operation(dezero):
    done = dezero("ops", "np.tanh", COLUMNS="100")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    (tanh,) = [operation for operation in dezero_core.ops() if operation.name == "tanh"]
    assert done.stdout.splitlines()[0] == "tanh(x)"
    for part in (
        "Examples -------- >>> x = Variable(np.array(",
        f"plugin math (dezero-ops-math {sys.modules['dezero_ops_math'].__version__}) NumPy np.tanh",
        "order any order, exact",
        "samples tanh(Draw((2, 3)",
    ):
        assert part in words
    page = json.loads(dezero("ops", "tanh", "--json").stdout)
    assert page["documentation"].startswith("Hyperbolic tangent")
    assert page["derivative"] == "1 - tanh(x)**2."
    for key, function in ("source", tanh.function), ("backward", tanh.function_class.backward):
        file, line = page[key].rsplit(":", 1)
        assert file.endswith("hyperbolic.py")
        assert int(line) == function.__code__.co_firstlineno
    assert len(page["samples"]) == len(sample_of(tanh).calls)


def test_the_page_of_an_operation_without_documentation_is_short(shy, dezero):
    done = dezero("ops", "nearly", DEZERO_PLUGINS="shy")
    assert done.stdout.splitlines()[0] == "nearly(x, mode='rough')"
    assert "once, central differences" in done.stdout
    assert "exact" not in done.stdout.replace("exactly", "")
    assert "derivative " not in done.stdout
    assert dezero("ops", "builtin", DEZERO_PLUGINS="shy").stdout.splitlines()[0] == "builtin(...)"
    page = json.loads(dezero("ops", "partially", "--json", DEZERO_PLUGINS="shy").stdout)
    assert (page["signature"], page["source"]) == ("partially(x, *, mode='exact')", None)


def test_an_unknown_operation_is_refused_with_the_nearest_and_some_known_names(shy, dezero):
    done = dezero("ops", "np.lgo1p")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no operation 'np.lgo1p' is known. There are" in done.stderr
    assert "(absolute, add," in done.stderr
    assert "…" in done.stderr
    assert done.stderr.endswith("Did you mean 'log1p'?\n")
    assert len(done.stderr) < 300
    assert "Did you mean" not in dezero("ops", "nosuch").stderr
    done = dezero("ops", "zzz", "--plugin", "shy", "--json", DEZERO_PLUGINS="shy")
    error = json.loads(done.stdout)
    assert error["message"] == (
        "no operation 'zzz' is known. There are 3 (builtin, nearly, partially)."
    )
    assert error["known"] == ["builtin", "nearly", "partially"]


@pytest.mark.parametrize(
    ("name", "distribution"),
    [("np.exp", "dezero-ops-math"), ("+", "dezero-ops-basic"), ("__add__", "dezero-ops-basic")],
)
@pytest.mark.usefixtures("core_alone")
def test_an_operation_that_is_not_loaded_is_refused_with_its_distribution(name, distribution):
    with pytest.raises(MissingOperationError) as caught:
        operation_named(name, ())
    assert f"no loaded plugin provides {name!r}. It is in {distribution}" in str(caught.value)
    assert (caught.value.operation, caught.value.distribution) == (name, distribution)


def test_without_plugins_an_unknown_operation_is_refused_with_no_known_names(dezero):
    done = dezero("ops", "zzz", "--json", DEZERO_PLUGINS="")
    error = json.loads(done.stdout)
    assert (done.returncode, error["error"]) == (1, "UnknownOperationError")
    assert error["message"] == "no operation 'zzz' is known. There are 0."


def test_ops_reports_a_module_that_cannot_be_imported_and_lists_other_modules(
    fake_distribution, plugin_source, dezero
):
    announced = "from dezero_core import hookimpl\n@hookimpl\ndef dezero_register_ops(register):\n"
    announced += "    register.later('late', operations='lately')\n"
    modules = {"early.py": announced, "late.py": "raise ImportError('too late')"}
    fake_distribution("late-ops", modules, {"early": "early"})
    done = dezero("ops", COLUMNS="100", DEZERO_PLUGINS="basic,early")
    assert done.returncode == 1
    assert "\nadd " in done.stdout
    assert "its module 'late' cannot be loaded" in " ".join(done.stdout.split())
    done = dezero("ops", "--plugin", "basic", "--json", DEZERO_PLUGINS="basic,early")
    assert (done.returncode, json.loads(done.stdout)["errors"]) == (0, [])


def test_an_operation_with_a_broken_sample_is_listed_without_its_order(fake_distribution, dezero):
    source = SHY.replace("kit.elementwise(", "kit.elementwize(")
    fake_distribution("shy-ops", {"shy.py": source}, {"shy": "shy"})
    done = dezero("ops", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = [each for each in json.loads(done.stdout)["operations"] if each["name"] == "nearly"]
    assert row["order"] is None
