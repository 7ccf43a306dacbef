"""Advice for other libraries that are given a Variable: dezero-tools' adviser.

The core asks it, and has one general sentence without it: see tests/dezero_core/engine.

Promise: docs/how_to/use_scipy.md
"""

import re
import threading

import numpy as np
import pytest

from dezero_core import Variable, VariableTypeError

from ..dezero_core.engine.library import ASKS, LIBRARY, NOT_BY_ITSELF, PLUGIN, START

CALLS_PANDAS = "out['said'] = failure(lambda: pandas.total(x))['message']"


@pytest.fixture
def install(fake_distribution):
    """Return a function that installs a library, where installers put libraries."""

    def install(name):
        fake_distribution(name, {f"{name}.py": LIBRARY}, site="site-packages")

    return install


def test_a_library_is_named_also_where_it_copies_a_variable_or_asks_for_a_method(
    install, run_python
):
    install("library")
    said = vars(run_python(ASKS).out)
    advice = "library.Table.added takes arrays: give it x.data."
    copied = f"cannot be copied or pickled. {advice} Copy the value, Variable(y.data.copy()), or"
    assert copied in said["copied"]
    assert "takes arrays" not in said["copied by hand"]
    advice = advice.replace("added", "viewed")
    assert said["a method"] == f"{advice} A Variable has no method 'view'."


def test_a_function_of_numpy_is_named_in_a_thread_that_runs_nothing_of_the_user(monkeypatch):
    """Not by concurrent.futures, which from its import on takes a lock at each fork."""
    x, errors = Variable(np.array([1.0, 2.0])), []
    monkeypatch.setattr(threading, "excepthook", lambda raised: errors.append(raised.exc_value))
    thread = threading.Thread(target=np.mean, args=([x, x],))
    thread.start()
    thread.join()
    assert "numpy.mean takes arrays" in str(errors[0])


def test_a_list_of_variables_names_the_namespace_that_takes_lists():
    x = Variable(np.array([1.0, 2.0]))
    advice = (
        r"numpy\.mean takes arrays: .*list of Variables, np\.stack.*import dezero_tools\.numpy as"
    )
    with pytest.raises(VariableTypeError, match=advice):
        np.mean([x, x])


def test_pandas_is_named_with_the_array_of_the_table(install, run_python):
    install("pandas")
    said = run_python(START.replace("library", "pandas") + CALLS_PANDAS).out.said
    keep = "To keep the gradient, take the array of the table, as in df.to_numpy() * x."
    assert said == f"pandas.total takes arrays: give it x.data. {keep} {NOT_BY_ITSELF}"


@pytest.mark.parametrize("count", ["histogram", "bincount", "histogram_bin_edges", "histogramdd"])
def test_a_function_that_counts_is_advised_to_take_the_values_and_weights_to_be_a_product(
    count, run_python
):
    """No distribution has it, so none is advised to be installed."""
    use = f"np.{count}(Variable(np.array([1.0, 2.0])))"
    error = run_python(
        f"import numpy as np\nfrom dezero_core import Variable\nout.update(failure(lambda: {use}))"
    ).out
    rule = f"no loaded plugin provides np.{count} for a Variable. No gradient goes through counts."
    sums = "for sums of weights, w @ (i[:, None] == np.arange(n)), i = np.digitize(a, bins) - 1."
    assert error.message == f"{rule} For the counts, write np.{count}(x.data); {sums}"
    assert (error.operation, error.distribution) == (repr(count), "None")


def test_numeric_op_is_advised_for_functions_that_no_known_distribution_has(run_python):
    code = (
        "import numpy as np\nfrom dezero_core import Variable\nx = Variable(np.ones(2))\n"
        "out['known'] = failure(lambda: np.sin(x))['message']\n"
        "out['own'] = failure(lambda: np.frompyfunc(abs, 1, 1)(x))['message']"
    )
    messages = run_python(code).out
    assert messages.known.endswith("pip install dezero-ops-math")
    values = "No plugin known here has it; x.data gives the values without a gradient."
    numeric = "dezero_tools.numeric_op(f) gives an approximate one."
    assert messages.own.endswith(f"{values} {numeric}")


@pytest.fixture
def scipy(fake_distribution):
    """Install another library in place of SciPy; return the program that uses one module of it."""
    files = {"scipy/__init__.py": ""}
    for module in ("special", "stats", "ndimage", "optimize", "sparse"):
        files[f"scipy/{module}/__init__.py"] = "from ._sums import *\n"
        files[f"scipy/{module}/_sums.py"] = LIBRARY
    fake_distribution("scipy", files, site="site-packages")
    return lambda module: ASKS.replace(", library", f"\nfrom scipy import {module} as library")


def test_numeric_op_is_advised_in_place_of_a_function_of_scipy_that_no_plugin_has(
    scipy, run_python
):
    said = vars(run_python(scipy("optimize")).out)
    advice = "write f(x) that calls it, and dezero_tools.numeric_op(f)(x). For a constant, x.data."
    assert said["a function"] == f"scipy.optimize.total takes arrays: {advice} {NOT_BY_ITSELF}"


@pytest.mark.parametrize("module", ["special", "stats"])
def test_the_distribution_that_has_scipys_functions_is_named_where_it_is_not_installed(
    module, scipy, run_python
):
    said = vars(run_python(scipy(module)).out)
    where = "Many such are in dezero-ops-scipy: pip install dezero-ops-scipy."
    advice = f"for a constant, give it x.data. {where}"
    assert said["a function"] == f"scipy.{module}.total takes arrays: {advice} {NOT_BY_ITSELF}"


MIRROR = """
from dezero_core import hookimpl

@hookimpl
def dezero_register_ops(register):
    for name in ("stats.total", "special.logsumexp"):
        register(f"scipy.{name}", lambda x: x)
"""
#: Objects of classes that users do not see: they know the names of distributions.
OBJECTS = """
class Kind:
    def total(self, x):
        return np.asarray(x).sum()

class table_gen:
    def total(self, x):
        return np.asarray(x).sum()

class of_numbers(Kind):
    def __init__(self, name):
        self.name = name

class frozen(Kind):
    def __init__(self, dist):
        self.dist = dist

table, numbers = table_gen(), of_numbers("numbers")
"""
ASKS_OBJECTS = """
import numpy as np
from scipy import stats
from dezero_core import Variable
x = Variable(np.ones(2))
for use in ("table", "numbers", "frozen(stats.numbers)"):
    out[use] = failure(lambda: eval(f"stats.{use}.total(x)"))["message"]
"""


def test_the_mirror_of_a_plugin_is_advised_for_a_function_of_scipy_of_that_full_name(
    scipy, fake_distribution, run_python
):
    """It comes before an operation that has the name of the function alone."""
    for distribution, files, plugin in (
        ("a-ops", {"a_ops/__init__.py": PLUGIN}, {"a": "a_ops"}),
        ("mirror", {"my_mirror/__init__.py": MIRROR}, {"mirror": "my_mirror"}),
    ):
        fake_distribution(distribution, files, plugin, site="site-packages")
    rest = f"For a constant, x.data. {NOT_BY_ITSELF}"
    said = vars(run_python(scipy("stats")).out)["a function"]
    assert said == f"scipy.stats.total takes arrays: use my_mirror.stats.total. {rest}"
    said = vars(run_python(scipy("special")).out)["an operation's namesake"]
    assert said == f"scipy.special.logsumexp takes arrays: use my_mirror.special.logsumexp. {rest}"


def test_the_cause_is_given_where_the_plugin_of_scipys_functions_cannot_be_loaded(
    scipy, fake_distribution, run_python
):
    files = {"broken_mirror.py": "raise KeyError('planted')"}
    plugin = {"scipy": "broken_mirror"}
    fake_distribution("dezero-ops-scipy", files, plugin, site="site-packages")
    said = vars(run_python(scipy("stats"), warns=1).out)["a function"]
    advice = (
        r"for a constant, give it x\.data\. Many such are in dezero-ops-scipy, "
        r"which is not loaded: KeyError: 'planted', at .*broken_mirror\.py:1\."
    )
    assert re.fullmatch(rf"scipy\.stats\.total takes arrays: {advice} {NOT_BY_ITSELF}", said), said


def test_methods_of_scipys_objects_are_named_by_the_objects(fake_distribution, run_python):
    files = {
        "scipy/__init__.py": "",
        "scipy/stats/__init__.py": "from ._all import frozen, numbers, table\n",
        "scipy/stats/_all.py": f"import numpy as np\n{OBJECTS}",
    }
    fake_distribution("scipy", files, site="site-packages")
    said = vars(run_python(ASKS_OBJECTS).out)
    assert [message.partition(" takes")[0] for message in said.values()] == [
        "scipy.stats.table.total",
        "scipy.stats.numbers.total",
        "scipy.stats.numbers.total",
    ]


def test_a_function_of_images_is_not_replaced_by_one_of_numpy_of_that_name(
    scipy, fake_distribution, run_python
):
    plugin = {"my_ops/__init__.py": PLUGIN}
    fake_distribution("my-ops", plugin, {"mine": "my_ops"}, site="site-packages")
    said = vars(run_python(scipy("ndimage")).out)
    assert "numeric_op(f)" in said["a function of NumPy's name"]
    assert "np.linalg.norm" not in said["a function of NumPy's name"]


def test_a_sparse_matrix_names_the_dense_product_and_the_function_to_write(scipy, run_python):
    said = vars(run_python(scipy("sparse")).out)
    advice = "a sparse matrix takes arrays: write S.toarray() @ x, or a Function for a large S."
    assert said["a class"] == f"{advice} {NOT_BY_ITSELF}"


def test_an_operation_of_the_same_name_is_advised_in_place_of_a_function_of_scipy(
    scipy, fake_distribution, run_python
):
    plugin = {"my_ops/__init__.py": PLUGIN}
    fake_distribution("my-ops", plugin, {"mine": "my_ops"}, site="site-packages")
    said = vars(run_python(scipy("special")).out)
    which = f"has a gradient; its defaults may differ. For a constant, x.data. {NOT_BY_ITSELF}"
    for use, name, operation in (
        ("an operation's namesake", "logsumexp", "my_ops.logsumexp"),
        ("a function of NumPy's name", "norm", "np.linalg.norm"),
    ):
        assert said[use] == f"scipy.special.{name} takes arrays: {operation} {which}"
    # The plugin has one that cannot be imported from it.
    assert "dezero-ops-scipy" in said["a function"]
