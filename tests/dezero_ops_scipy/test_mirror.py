"""The modules mirror SciPy's: its own results for arrays, Variables for Variables.

Promise: docs/how_to/use_scipy.md
"""

import copy
import inspect
import pickle
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats
from dezero_ops_scipy.families import (
    ALIASES,
    FOLDERS,
    SINCE,
    UFUNCS,
    announcements,
    methods_of,
)
from dezero_ops_scipy.plugin import RELEASE
from dezero_tools.functional import vmap

import dezero_ops_scipy
from dezero_core import MissingOperationError, Variable, VariableTypeError, ops, plugins
from dezero_ops_scipy import linalg, mirror, special, stats
from tests.operations import documentation

X = np.array([0.25, 0.5, 0.75])


def same(ours, theirs):
    """Whether two results have the same bits and types, also in tuples."""
    if isinstance(theirs, tuple):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and np.array_equal(ours, theirs, equal_nan=True)


def test_an_older_scipy_lacks_later_functions_in_its_mirror(monkeypatch):
    monkeypatch.setattr(mirror, "RELEASE", (1, 13))
    names, *_ = mirror.exported("dezero_ops_scipy.special")
    assert "erf" in names
    assert not SINCE.keys() & {*names}


@pytest.mark.parametrize("name", sorted(UFUNCS | ALIASES.keys()))
def test_a_special_function_of_arrays_is_scipys_own_to_the_bit(name):
    ours, theirs = getattr(special, name), getattr(scipy.special, name)
    arrays = [
        np.arange(1, 4) if name in ("expn", "yn") else X,
        *(X + n for n in range(1, theirs.nin)),
    ]
    expected = theirs(*arrays)
    assert same(ours(*arrays), expected)
    if theirs.nout == 1:
        out = np.empty_like(expected)
        assert ours(*arrays, out=out) is out


@pytest.mark.parametrize("name", ["norm", "gamma", "t", "truncnorm"])
@pytest.mark.parametrize("method", methods_of("normal"))
def test_a_method_of_a_distribution_of_arrays_is_scipys_own_to_the_bit(name, method):
    ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
    shapes = {"norm": [], "truncnorm": [-1.0, 2.0]}.get(name, [2.5])
    at = [] if method == "entropy" else [X]
    for more in ({}, {"loc": 0.1, "scale": X}):
        expected = getattr(theirs, method)(*at, *shapes, **more)
        assert same(getattr(ours, method)(*at, *shapes, **more), expected)
    x32 = [x.astype(np.float32) for x in at]
    expected = getattr(theirs, method)(*x32, *shapes)
    assert same(getattr(ours, method)(*x32, *shapes), expected)


def test_names_that_the_package_lacks_are_scipys_own():
    assert special.airy is scipy.special.airy
    assert stats.linregress is scipy.stats.linregress
    assert linalg.schur is scipy.linalg.schur
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        special.nonsense  # noqa: B018
    assert {"airy", "erf"} <= set(dir(special))
    assert {"norm", "linregress"} <= set(dir(stats))


def test_functions_of_scipy_that_the_package_lacks_refuse_variables():
    x = Variable(X)
    with pytest.raises(MissingOperationError, match=r"scipy\.special\.airy"):
        special.airy(x)
    with pytest.raises(VariableTypeError, match=r"scipy\.stats\.norm\.fit takes arrays"):
        stats.norm.fit(x)
    with pytest.raises(VariableTypeError, match=r"scipy\.linalg\.schur takes arrays"):
        linalg.schur(Variable(np.eye(2)))


@pytest.mark.parametrize("folder", FOLDERS)
def test_dunder_all_of_a_mirror_has_every_function_of_its_table(folder):
    module = import_module(f"dezero_ops_scipy.{folder}")
    names = {name for row in FOLDERS[folder].values() for name in row}
    missing = {name for name, first in SINCE.items() if first > RELEASE}
    assert set(module.__all__) >= names - missing
    assert all(getattr(module, name) for name in module.__all__)


def test_help_of_a_mirrored_function_shows_the_derivative_and_the_signature():
    assert "Derivative" in inspect.getdoc(special.erf)
    assert list(inspect.signature(stats.gamma.logpdf).parameters) == ["x", "a", "loc", "scale"]


def test_a_variable_in_a_list_or_a_tuple_is_found():
    c = Variable(np.array([[2.0, 0.0], [1.0, 1.0]]))
    assert isinstance(linalg.cho_solve((c, True), np.ones(2)), Variable)


def test_scipys_ufuncs_take_variables_under_their_own_names():
    for name in ("erf", "psi", "xlogy"):
        function = getattr(scipy.special, name)
        x, y = Variable(X), Variable(X)
        others = [2.0] * (function.nin - 1)
        function(*others, x).backward()
        getattr(special, name)(*others, y).backward()
        np.testing.assert_array_equal(x.grad, y.grad)


def test_arrays_of_a_batch_get_scipys_values():
    matrices = np.random.default_rng(0).normal(size=(3, 2, 2))
    expected = np.stack([scipy.linalg.sqrtm(a @ a.T + np.eye(2)) for a in matrices])
    found = vmap(lambda a: linalg.sqrtm(a @ a.T + np.eye(2)))(matrices)
    np.testing.assert_allclose(found, expected, 1e-12)
    np.testing.assert_array_equal(vmap(stats.norm.logpdf)(X), scipy.stats.norm.logpdf(X))
    np.testing.assert_array_equal(
        vmap(lambda x: stats.norm.logpdf(1.0, loc=x))(X), scipy.stats.norm.logpdf(1.0, loc=X)
    )


NO_SCIPY = """\
import sys, dezero_core, dezero_ops_scipy, numpy
from dezero_ops_scipy import special, stats
assert "scipy" not in sys.modules
x = dezero_core.Variable(numpy.array(1.0))
numpy.exp(x).backward()
assert "scipy" not in sys.modules
import scipy.special
assert not any(name.startswith("dezero_ops_scipy.special.") for name in sys.modules)
scipy.special.psi(x)
assert "scipy.stats" not in sys.modules
"""


def test_each_module_is_imported_when_it_is_first_used():
    subprocess.run([sys.executable, "-W", "error", "-c", NO_SCIPY], check=True)


# What of SciPy is a class or an object


def test_a_distribution_is_one_of_scipys_class_with_all_of_its_methods():
    assert isinstance(stats.norm, scipy.stats.rv_continuous)
    assert isinstance(stats.poisson, scipy.stats.rv_discrete)
    assert stats.norm.fit(X) == scipy.stats.norm.fit(X)
    assert stats.gamma.mean(2.0) == 2.0
    found = stats.goodness_of_fit(stats.norm, X, n_mc_samples=20)
    assert 0.0 <= found.pvalue <= 1.0


def test_a_distribution_can_be_pickled_and_copied():
    for name in ("norm", "poisson", "multivariate_normal"):
        known = getattr(stats, name)
        assert pickle.loads(pickle.dumps(known)) is known
        assert copy.copy(known) is known


def test_a_distribution_with_parameters_that_are_variables_is_frozen():
    loc, scale = Variable(np.array(0.5)), Variable(np.array(2.0))
    frozen = stats.norm(loc, scale)
    np.testing.assert_array_equal(frozen.logpdf(X).data, stats.norm.logpdf(X, loc, scale).data)
    np.testing.assert_array_equal(frozen.ppf(X).data, stats.norm.ppf(X, loc, scale).data)
    assert frozen.entropy().data == stats.norm.entropy(loc, scale).data
    frozen.logpdf(X).sum().backward()
    assert loc.grad is not None
    gamma = stats.gamma(a=Variable(np.array(2.0)), scale=3.0)
    np.testing.assert_allclose(gamma.cdf(X).data, scipy.stats.gamma.cdf(X, 2.0, scale=3.0), 1e-14)
    with pytest.raises(VariableTypeError, match=r"scipy\.stats\.norm\.mean takes arrays"):
        frozen.mean()


def test_a_distribution_with_parameters_that_are_arrays_takes_variables_in_its_methods():
    frozen, x = stats.gamma(2.0, scale=3.0), Variable(X)
    y = frozen.logpdf(x)
    np.testing.assert_array_equal(y.data, stats.gamma.logpdf(x, 2.0, scale=3.0).data)
    y.backward()
    np.testing.assert_allclose(x.grad, 1.0 / X - 1.0 / 3.0, 1e-13)


def test_a_distribution_with_parameters_that_are_arrays_is_scipys_frozen_one():
    frozen = stats.norm(0.5, 2.0)
    assert isinstance(frozen, type(scipy.stats.norm(0.5, 2.0)))
    assert same(frozen.logpdf(X), scipy.stats.norm(0.5, 2.0).logpdf(X))
    assert frozen.mean() == 0.5


# What the package shows of itself


def test_the_plugin_scipy_comes_from_dezero_ops_scipy():
    (record,) = [record for record in plugins() if record.name == "scipy"]
    assert (record.state, record.distribution) == ("loaded", "dezero-ops-scipy")
    assert record.version == dezero_ops_scipy.__version__


def test_every_announced_operation_is_registered_under_scipys_full_name():
    registered = {operation.name for operation in ops() if operation.plugin == "scipy"}
    release = tuple(int(part) for part in scipy.__version__.split(".")[:2])
    names = {name for _, row in announcements(release) for name in row["operations"]}
    assert registered == names
    assert len(names) > 250


def test_an_older_scipy_lacks_what_came_later():
    old = {name for _, row in announcements((1, 13)) for name in row["operations"]}
    new = {name for _, row in announcements((1, 17)) for name in row["operations"]}
    assert new - old == {"scipy.special.sph_harm_y"}


MODULES = [
    module
    for module in documentation.modules("dezero_ops_scipy")
    if RELEASE >= (1, 15) or not module.endswith("harmonics")  # whose function SciPy lacks
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_of_scipy_run(module):
    assert documentation.run_examples(module).failed == 0


@pytest.mark.parametrize("operation", documentation.operations("scipy"), ids=lambda op: op.name)
def test_every_public_function_of_scipy_is_documented(operation):
    documentation.check_docstring(operation)


def test_operations_of_scipy_leave_the_operations_of_other_plugins():
    names = {operation.name for operation in ops()}
    assert {"log_softmax", "scipy.special.log_softmax"} <= names
    assert {"linalg.cholesky", "scipy.linalg.cholesky"} <= names
