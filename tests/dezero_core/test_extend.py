"""The door for packages that extend the core: `dezero_core.extend`.

Promise: docs/how_to/write_an_operation.md
"""

import sys
from types import ModuleType

import numpy as np
import pytest

import dezero_core
from dezero_core import MissingOperationError, Variable, extend, hookimpl, ops

from .engine.ducks import DUCKS, Duck, plugin_of


def test_the_door_lists_its_names_and_refuses_others():
    assert {"Array", "Operand", "sum_to", "ArrayType", "mode", "user_line"} <= set(dir(extend))
    for name in dir(extend):
        getattr(extend, name)
    with pytest.raises(AttributeError, match=r"module 'dezero_core\.extend' has no attribute 'odd"):
        _ = extend.oddity


def test_zeros_and_arrays_are_of_the_type_of_the_array_they_are_for(registered):
    registered(plugin_of(DUCKS), "ducks")
    duck = Duck([1.0, 2.0])
    zeros = extend.kind_of(duck).zeros((3,), np.float32, duck)
    assert (type(zeros), zeros.dtype, zeros.values.tolist()) == (Duck, np.float32, [0.0] * 3)
    zeros = extend.new_zeros(duck, (2, 1))
    assert (type(zeros), zeros.dtype, zeros.values.tolist()) == (Duck, float, [[0.0], [0.0]])
    assert type(extend.NUMPY.zeros((3,), float, np.ones(2))) is np.ndarray
    assert extend.any_array(duck) is extend.any_array(duck, float) is duck
    assert extend.any_array(duck, np.float32).dtype == np.float32
    assert (type(extend.any_array(2)), extend.any_array(2, float).dtype) == (np.ndarray, float)


@pytest.mark.parametrize("like", [np.ones(2, np.float32), np.float32(1.0)])
def test_new_zeros_can_be_written_into(like):
    zeros = extend.new_zeros(like, (2, 3))
    zeros[1] = 5.0
    assert (type(zeros), zeros.dtype) == (np.ndarray, np.float32)
    assert zeros.tolist() == [[0.0] * 3, [5.0] * 3]
    assert extend.new_zeros(like, (), np.intp).dtype == np.intp


def test_a_sum_to_a_shape_that_does_not_broadcast_is_refused():
    with pytest.raises(ValueError, match=r"of shape \(2, 3\) to shape \(2,\)"):
        extend.sum_to(np.ones((2, 3)), (2,))


def test_an_operation_is_written_by_its_name_and_plugin(registered):
    class Plugin:
        @hookimpl
        def dezero_register_ops(self, register):
            register("as_it_is", lambda x: x)

    registered(Plugin(), "plugin")
    (operation,) = [each for each in ops() if each.plugin == "plugin"]
    assert repr(operation) == "Operation('as_it_is' of 'plugin')"


def test_a_ufunc_of_scipy_names_the_distribution_of_scipys_functions(core_alone, monkeypatch):
    special = ModuleType("scipy.special")
    special.own = np.frompyfunc(abs, 1, 1)
    special.__all__ = [special.own.__name__]
    setattr(special, special.own.__name__, special.own)
    monkeypatch.setitem(sys.modules, "scipy.special", special)
    with pytest.raises(MissingOperationError) as caught:
        special.own(Variable(np.array(1.0)))
    assert "scipy.special.abs" in str(caught.value)
    assert caught.value.distribution == "dezero-ops-scipy"
    assert str(caught.value).partition(". ")[2].startswith("Many such are in") or (
        "dezero-ops-scipy" in {plugin.distribution for plugin in dezero_core.plugins()}
    )
