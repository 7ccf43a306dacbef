"""Without Variables in lists `dezero_tools.numpy` is NumPy, name by name.

Promise: docs/coming_from/autograd.md
"""

import importlib
import pickle
import subprocess
import sys
import types

import dezero_tools.numpy as np
import numpy
import pytest

from dezero_core import Variable, VariableTypeError

MODULES = ["", ".fft", ".linalg", ".random"]


@pytest.mark.parametrize("module", MODULES)
def test_a_name_of_numpy_is_in_the_namespace_and_gives_what_numpys_gives(module):
    ours = importlib.import_module(f"dezero_tools.numpy{module}")
    theirs = importlib.import_module(f"numpy{module}")
    made = {"array", "asarray", "full", "r_", "c_", "fft", "linalg", "random"}
    for name in set(theirs.__all__) - (made if module == "" else set()):
        mine, its = getattr(ours, name), getattr(theirs, name)
        assert mine is its or mine.__wrapped__ is its, name
    assert set(theirs.__all__) <= set(dir(ours))


def test_classes_dtypes_constants_and_modules_are_numpys_own():
    for name in ("ndarray", "float32", "dtype", "errstate", "pi", "newaxis", "testing", "eye"):
        assert getattr(np, name) is getattr(numpy, name), name
    assert isinstance(np.array([1.0]), np.ndarray)
    assert np.__version__ == numpy.__version__


def test_names_that_numpy_has_not_are_numpys_error():
    with pytest.raises(AttributeError, match="module 'numpy' has no attribute 'no_such_name'"):
        _ = np.no_such_name
    with pytest.raises(AttributeError, match=r"Use `np\.float64` instead"):
        _ = np.float_
    with pytest.raises(ImportError, match="no_such_name"):
        from dezero_tools.numpy import no_such_name  # noqa: F401


def test_names_are_imported_from_the_namespace_and_from_its_modules():
    import dezero_tools.numpy.linalg
    from dezero_tools.numpy import exp, pi
    from dezero_tools.numpy.fft import rfft
    from dezero_tools.numpy.linalg import inv, norm
    from dezero_tools.numpy.random import default_rng

    x = Variable(numpy.array(2.0))
    assert (exp, inv, rfft) == (np.exp, np.linalg.inv, np.fft.rfft)
    assert default_rng is numpy.random.default_rng
    assert dezero_tools.numpy.linalg is np.linalg
    assert norm([x, 0.0 * x]).item() * pi == 2.0 * numpy.pi


@pytest.mark.parametrize("module", MODULES)
def test_a_star_import_brings_every_name_of_numpy(module):
    names = {}
    exec(f"from dezero_tools.numpy{module} import *", names)
    assert set(importlib.import_module(f"numpy{module}").__all__) <= set(names)


PLAIN = {
    "array": lambda np: np.array([1, 2]),
    "array of options": lambda np: np.array([1.5, 2], int, copy=True, order="F", ndmin=2),
    "asarray": lambda np: np.asarray([[1.0], [2.0]], np.float32, "F"),
    "full": lambda np: np.full((2, 2), [1, 2], np.int8, "F"),
    "r_": lambda np: np.r_[1:3, 0, [4.0]],
    "c_": lambda np: np.c_[[1, 2], [3, 4]],
    "exp": lambda np: np.exp([0.0, 1.0]),
    "a number": lambda np: np.exp(2.0),
    "out": lambda np: np.add([1.0], 2.0, out=np.zeros(1)),
    "sum": lambda np: np.sum([[1, 2], [3, 4]], axis=0),
    "concatenate": lambda np: np.concatenate([[1, 2], (3,)]),
    "block": lambda np: np.block([[1, 2], [3, 4]]),
    "reduce": lambda np: np.add.reduce([1, 2, 3]),
    "outer": lambda np: np.multiply.outer([1, 2], [3.0]),
    "norm": lambda np: np.linalg.norm([3, 4]),
    "fft": lambda np: np.fft.fft([1, 2]),
    "arange": lambda np: np.arange(3),
}


@pytest.mark.parametrize("call", PLAIN.values(), ids=PLAIN)
def test_without_a_variable_the_result_is_numpys_with_its_type(call):
    expected, got = call(numpy), call(np)
    assert type(got) is type(expected)
    numpy.testing.assert_array_equal(got, expected, strict=isinstance(expected, numpy.ndarray))


def test_a_list_without_a_variable_is_handed_over_as_it_is():
    seen = []
    function = type(np.exp)(seen.append)
    given = [[1.0], (2.0, numpy.ones(1))]
    function(given)
    assert seen[0] is given


def test_a_function_of_the_namespace_has_the_attributes_and_the_help_of_numpys():
    assert np.add.identity == 0
    assert np.exp.__name__ == "exp"
    assert np.exp.__doc__ == numpy.exp.__doc__
    assert repr(np.exp) == repr(numpy.exp)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = np.exp.nonsense


def test_functions_of_the_namespace_can_be_pickled():
    assert pickle.loads(pickle.dumps(np.exp)).__wrapped__ is numpy.exp
    assert pickle.loads(pickle.dumps(np.linalg.inv))([[2.0]]) == [[0.5]]


def test_writing_a_variable_into_an_array_stays_refused_outside_of_functions():
    x = Variable(numpy.array([1.0, 2.0]))
    a = np.zeros(2)
    with pytest.raises(ValueError, match="setting an array element") as caught:
        a[0] = np.sum(x)
    assert isinstance(caught.value.__cause__, VariableTypeError)


def test_nothing_else_of_the_tools_imports_the_namespace():
    code = (
        "import sys, dezero_core, dezero_tools, dezero_tools.functional, dezero_tools.testing\n"
        "dezero_core.ops()\nprint('dezero_tools.numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_namespace_imports_no_module_of_numpy_that_its_user_has_not_asked_for():
    code = (
        "import sys, numpy\nbefore = set(sys.modules)\nimport dezero_tools.numpy as np\n"
        "np.exp(1.0)\n"
        "print(sorted(name for name in set(sys.modules) - before if name.startswith('numpy')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_module_of_the_namespace_is_imported_when_its_name_is_used():
    code = (
        "import sys, dezero_tools.numpy as np\n"
        "def imported():\n    return 'dezero_tools.numpy.linalg' in sys.modules\n"
        "print(imported(), np.linalg.norm([3.0, 4.0]), imported())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False 5.0 True\n"


def test_the_modules_of_the_namespace_are_modules():
    for name in ("fft", "linalg", "random"):
        assert isinstance(getattr(np, name), types.ModuleType)
        assert getattr(np, name).__name__ == f"dezero_tools.numpy.{name}"
