"""A Variable that is taken for an array, or for another framework's tensor: what to write."""

import numpy as np
import pytest

from dezero_core import (
    Function,
    MissingAttributeError,
    MissingOperationError,
    Variable,
    VariableTypeError,
    hookimpl,
    register,
    unregister,
)

LIBRARY = """
import contextlib, copy, functools
import numpy as np

__all__ = ["Table", "logsumexp", "mean", "norm", "outer", "shown", "total"]

def total(x):
    return _sum_of(x)

def _sum_of(x):
    with contextlib.ExitStack() as stack:
        return stack.enter_context(contextlib.nullcontext(np.asarray(x))).sum()

class Table:
    def __init__(self, columns):
        self.columns = [np.asarray(column) for column in columns]

    def added(self, x):
        return copy.copy(x)

    def viewed(self, x):
        return x.view()

def of_arrays(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(np.asarray(x))
    return wrapper

@of_arrays
def mean(x):
    return x.mean()

shown = lambda x: np.asarray(x)

def logsumexp(x):
    return np.asarray(x)

def norm(x):
    return np.asarray(x)

def counted(x, weights):
    return np.histogram(x, bins=2, weights=weights)[0].sum()

def outer(x):
    def inner():
        return np.asarray(x)
    return inner()
"""

PLUGIN = """
import numpy as np
from dezero_core import hookimpl

def logsumexp(x):
    return x

def hidden(x):
    return x

@hookimpl
def dezero_register_ops(register):
    register("logsumexp", logsumexp)
    register("linalg.norm", lambda x: x, numpy=np.linalg.norm)
    register("total", hidden)
    register("relu", logsumexp)

relu = logsumexp
"""

START = """
import copy
import numpy as np, library
from dezero_core import Function, Variable

class Double(Function):
    def forward(self, x):
        return 2.0 * x

x = Double()(Variable(np.ones(2)))
"""

ASKS = (
    START
    + """
uses = {
    "a function": lambda: library.total(x),
    "a class": lambda: library.Table([x]),
    "a decorated function": lambda: library.mean(x),
    "a function without a name": lambda: library.shown(x),
    "a function in a function": lambda: library.outer(x),
    "an operation's namesake": lambda: library.logsumexp(x),
    "a function of NumPy's name": lambda: library.norm(x),
    "np.full": lambda: np.full(2, x),
    "np.array": lambda: np.array([x, x]),
}
out.update({use: failure(action)["message"] for use, action in uses.items()})
out["copied"] = failure(lambda: library.Table([]).added(x))["message"]
out["a method"] = failure(lambda: library.Table([]).viewed(x))["message"]
out["copied by hand"] = failure(lambda: copy.copy(x))["message"]
"""
)

CALLS_PANDAS = "out['said'] = failure(lambda: pandas.total(x))['message']"


@pytest.fixture
def install(fake_distribution):
    """Return a function that installs a library, where installers put libraries."""

    def install(name):
        fake_distribution(name, {f"{name}.py": LIBRARY}, site="site-packages")

    return install


NOT_BY_ITSELF = (
    "A Variable does not turn into an ndarray by itself: its gradient would be lost without a word."
)


def test_a_library_that_wants_an_array_is_named_with_x_data_and_the_user_with_np_stack(
    install, run_python
):
    install("library")
    said = vars(run_python(ASKS).out)
    for use, name in {
        "a function": "library.total",
        "a class": "library.Table",
        "a decorated function": "library.mean",
        "a function in a function": "library.outer",
        "an operation's namesake": "library.logsumexp",
    }.items():
        assert said[use] == f"{name} takes arrays: give it x.data. {NOT_BY_ITSELF}", use
    for use in ("np.array", "np.full", "a function without a name"):
        assert said[use].startswith("use np.stack([x, y]) in place of np.array([x, y]), x ")
        alone = "for values alone, as in np.int64(x), x.data."
        assert said[use].endswith(f"{alone} {NOT_BY_ITSELF}")
        assert "np.broadcast_to(x, shape) in place of np.full(shape, x)" in said[use]
    copied = " Copy the value, Variable(y.data.copy()), or call y.unchain() first. It carries the "
    by_hand = f"a Variable of shape (2,) cannot be copied or pickled.{copied}"
    assert said["copied by hand"].startswith(by_hand)
    advice = " library.Table.added takes arrays: give it x.data."
    assert f" cannot be copied or pickled.{advice}{copied}" in said["copied"]
    advice = advice[1:].replace("added", "viewed")
    assert said["a method"] == f"{advice} A Variable has no method 'view'."


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


def test_a_library_that_draws_gets_the_values_and_the_graph_stays(install, run_python):
    install("matplotlib")
    code = START.replace("library", "matplotlib") + (
        "out['drawn'] = matplotlib.total(x).tolist()\nout['creator'] = type(x.creator).__name__"
    )
    said = run_python(code).out
    assert (said.drawn, said.creator) == (4.0, "Double")


def test_a_function_of_numpy_computes_with_values_in_a_library_that_draws_and_nowhere_else(
    install, run_python
):
    """matplotlib's bars are made of a list of Variables, which np.broadcast_arrays refuses."""
    install("matplotlib")
    install("library")
    code = START.replace("np, library", "np, library, matplotlib") + (
        "weights = [Variable(np.array(1.0)), Variable(np.array(2.0))]\n"
        "out['drawn'] = matplotlib.counted(x, weights)\n"
        "out['elsewhere'] = failure(lambda: library.counted(x, weights))['message']\n"
    )
    said = run_python(code).out
    assert said.drawn == 3.0
    assert "For the counts, write np.histogram(x.data)" in said.elsewhere


@pytest.mark.parametrize(
    "count",
    [np.histogram, np.bincount, np.histogram_bin_edges, np.histogramdd],
    ids=lambda function: function.__name__,
)
def test_a_function_that_counts_is_advised_to_take_the_values_and_weights_to_be_a_product(count):
    with pytest.raises(MissingOperationError) as caught:
        count(Variable(np.array([1.0, 2.0])))
    rule = "no gradient goes through counts. For the counts, write"
    sums = "for sums of weights, w @ (i[:, None] == np.arange(n)), i = np.digitize(a, bins) - 1."
    assert str(caught.value) == f"{rule} np.{count.__name__}(x.data); {sums}"
    assert (caught.value.operation, caught.value.distribution) == (count.__name__, None)


def test_a_table_as_an_operand_is_advised_to_become_an_array(book):
    class Table:
        def to_numpy(self):
            return np.ones(2)

    with pytest.raises(
        VariableTypeError, match=r"an ndarray or a number\. Write its \.to_numpy\(\)"
    ):
        book.Square()(Table())


@pytest.fixture
def scipy(fake_distribution):
    """Install another library in place of SciPy; return the program that uses one module of it."""
    files = {"scipy/__init__.py": ""}
    for module in ("special", "stats", "ndimage", "sparse"):
        files[f"scipy/{module}/__init__.py"] = "from ._sums import *\n"
        files[f"scipy/{module}/_sums.py"] = LIBRARY
    fake_distribution("scipy", files, site="site-packages")
    return lambda module: ASKS.replace(", library", f"\nfrom scipy import {module} as library")


def test_numeric_op_is_advised_in_place_of_a_function_of_scipy_that_no_plugin_has(
    scipy, run_python
):
    said = vars(run_python(scipy("stats")).out)
    advice = "write f(x) that calls it, and dezero_tools.numeric_op(f)(x). For a constant, x.data."
    assert said["a function"] == f"scipy.stats.total takes arrays: {advice} {NOT_BY_ITSELF}"


def test_the_distribution_that_has_special_functions_is_named_where_it_is_not_installed(
    scipy, run_python
):
    said = vars(run_python(scipy("special")).out)
    where = "Many such are in dezero-ops-special: pip install dezero-ops-special."
    advice = f"for a constant, give it x.data. {where}"
    assert said["a function"] == f"scipy.special.total takes arrays: {advice} {NOT_BY_ITSELF}"


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


@pytest.mark.parametrize(
    "written", ["a[:] = x", "c[1:] = x", "a[0:2] = x", "a[[0, 1]] = x", "b[0] = x"]
)
def test_an_array_that_is_filled_with_arrays_is_advised_to_be_joined(written, run_python):
    start = START.replace(", library", "")
    code = f"a, b, c = np.zeros(2), np.zeros((2, 2)), np.zeros(3)\ndef write():\n    {written}\n"
    message = run_python(start + code + "out['said'] = failure(write)['message']").out.said
    advice = "use np.stack([...]) or np.concatenate in place of filling an array, or np.where."
    assert message == f"{advice} {NOT_BY_ITSELF}"


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
    assert "dezero-ops-special" in said["a function"]


def test_of_operations_of_one_name_that_of_the_distribution_for_scipy_is_advised(
    scipy, fake_distribution, run_python
):
    for distribution, name in (("a-ops", "a"), ("dezero-ops-special", "m"), ("z-ops", "z")):
        plugin = {f"{name}_ops/__init__.py": PLUGIN}
        fake_distribution(distribution, plugin, {name: f"{name}_ops"}, site="site-packages")
    choice = {"DEZERO_OPS": "logsumexp=a"}
    said = vars(run_python(scipy("special"), **choice).out)
    assert "m_ops.logsumexp has a gradient" in said["an operation's namesake"]


def test_a_library_is_named_also_in_a_thread_that_runs_nothing_of_the_user(install, run_python):
    install("library")
    code = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    out["message"] = failure(pool.submit(library.total, x).result)["message"]
"""
    assert "library.total takes arrays" in run_python(START + code).out.message


ADVICE = {
    "add": "np.add(x, y)",
    "clone": "np.copy(x)",
    "cpu": "x.data, which is in memory",
    "detach": "x.data, or Variable(x.data) for an input of its own",
    "unsqueeze": "np.expand_dims(x, axis)",
    "view": "x.reshape(shape)",
    "exp": "np.exp(x)",
    "grad_fn": "x.creator",
    "matmul": "x @ y",
    "mm": "x @ y",
    "numpy": "x.data",
    "tanh": "np.tanh(x)",
    "to": "x.astype(dtype)",
    "tolist": "x.data.tolist()",
    "where": "np.where(x)",
    "zero_grad": "x.cleargrad()",
}


@pytest.mark.parametrize("name", ADVICE)
def test_a_method_of_another_framework_is_an_attribute_error_that_says_what_to_write(
    name, core_alone
):
    x = Variable(np.ones(2))
    with pytest.raises(MissingAttributeError) as caught:
        getattr(x, name)
    assert str(caught.value) == f"a Variable has no method {name!r}. Write {ADVICE[name]}."
    assert (caught.value.operation, caught.value.distribution) == (name, None)
    assert not hasattr(x, name)
    assert name not in dir(x)


def test_round_of_a_variable_advises_numpys_round_and_to_round_the_number_for_a_print(core_alone):
    with pytest.raises(TypeError) as caught:
        round(Variable(np.array(2.5)), 1)
    advice = "Write np.round(x, 2); of a number to be printed, round(x.item(), 2)."
    assert str(caught.value) == f"a Variable has no method 'round()'. {advice}"


@pytest.mark.parametrize("function", [np.int64, np.random.normal])
def test_a_function_of_numpy_for_values_alone_is_advised_to_take_x_data(function):
    x = Double()(Variable(np.array(2.0)))
    with pytest.raises(VariableTypeError, match=r"for values alone, as in np\.int64\(x\), x\.data"):
        function(x)


class Double(Function):
    def forward(self, x):
        return 2.0 * x


class PluginOfMethods:
    @hookimpl
    def dezero_register_ops(self, register):
        register("as_it_is", lambda x: x, methods=("exp", "numpy"))


def test_a_plugin_may_bind_a_method_for_which_there_is_advice(core_alone):
    x, plugin = Variable(np.ones(2)), PluginOfMethods()
    register(plugin, "methods")
    assert x.exp() is x.numpy() is x
    assert "exp" in dir(x)
    unregister(plugin)
    with pytest.raises(MissingAttributeError, match=r"Write np\.exp\(x\)"):
        x.exp  # noqa: B018
