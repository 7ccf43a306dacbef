"""Types of arrays of installed plugins, and those that cannot be registered.

Promise: docs/how_to/use_another_array_type.md
"""

import numpy as np
import pytest

from dezero_core import PluginConflictError, PluginError, Variable, VariableTypeError
from dezero_core.extend import ArrayType

from ..engine.ducks import DUCKS, Duck, plugin_of

PLUGIN = """
import numpy as np
from dezero_core import hookimpl
from dezero_core.extend import ArrayType


class Duck(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, values):
        self.values = np.array(values)

    shape = property(lambda self: self.values.shape)
    dtype = property(lambda self: self.values.dtype)
    ndim = property(lambda self: self.values.ndim)
    size = property(lambda self: self.values.size)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if not all(isinstance(x, (Duck, np.ndarray, float)) for x in inputs):
            return NotImplemented
        return Duck(ufunc(*[getattr(x, "values", x) for x in inputs], **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        return Duck(function(*[getattr(x, "values", x) for x in args], **kwargs))


@hookimpl
def dezero_register_ops(register):
    register.part("array", "duck", ArrayType("duck", Duck))
    {then}


DEZERO_PLUGIN_API = {api}
"""

USE = """
import numpy as np
import dezero_core
from dezero_core import Function, Variable
from ducks import Duck

class Double(Function):
    saves = ()
    def forward(self, x): return x + x
    def backward(self, gy): return gy + gy

def gradient():
    x = Variable(Duck([1.0, 2.0]))
    Double()(x).backward()
    return type(x.grad).__name__, x.grad.values.tolist()
"""


@pytest.fixture
def ducks(fake_distribution):
    def install(then="pass", api="(2, 0)"):
        source = PLUGIN.replace("{then}", then).replace("{api}", api)
        fake_distribution("duck-arrays", {"ducks.py": source}, {"ducks": "ducks"})

    return install


def test_an_installed_plugin_brings_a_type_of_arrays(ducks, run_python):
    ducks()
    outcome = run_python(USE + "out['gradient'] = gradient()")
    assert outcome.out.gradient == ["Duck", [2.0, 2.0]]
    assert outcome.states["ducks"] == "loaded"
    assert outcome.warnings == []


def test_a_type_goes_with_its_plugin_and_comes_back_with_it(ducks, run_python):
    ducks()
    outcome = run_python(
        USE + "dezero_core.unregister('ducks')\n"
        "out['refused'] = failure(gradient)['types']\n"
        "dezero_core.register('ducks')\nout['gradient'] = gradient()"
    )
    assert "VariableTypeError" in outcome.out.refused
    assert outcome.out.gradient == ["Duck", [2.0, 2.0]]


def test_a_plugin_whose_hook_raises_brings_no_type(ducks, run_python):
    ducks(then="raise RuntimeError('no driver')")
    outcome = run_python(USE + "out['refused'] = failure(gradient)['types']", warns=1)
    assert "VariableTypeError" in outcome.out.refused
    assert "no driver" in outcome.plugin("ducks").cause
    assert outcome.states["ducks"] == "failed"


def test_a_plugin_of_arrays_for_a_newer_core_is_incompatible(ducks, run_python):
    ducks(api="(2, 1)")
    outcome = run_python(USE + "out['refused'] = failure(gradient)['types']", warns=1)
    assert outcome.states["ducks"] == "incompatible"
    assert "VariableTypeError" in outcome.out.refused


class NoProtocol:
    pass


class NoFunctions(np.lib.mixins.NDArrayOperatorsMixin):
    def __array_ufunc__(self, *args, **kwargs):
        return NotImplemented


class NoWeakReference:
    __slots__ = ()
    __array_ufunc__ = __array_function__ = lambda *args: NotImplemented


REFUSED = {
    "np.ndarray": (
        ArrayType("a", np.ndarray),
        "ndarray must not be, derive from, or be a base of ndarray",
    ),
    "object": (ArrayType("a", object), "object must not be, derive from, or be a base of ndarray"),
    "a subclass of ndarray": (ArrayType("a", np.matrix), "must not be, derive from"),
    "a number": (ArrayType("a", np.float64), "must not be, derive from"),
    "Variable": (ArrayType("a", Variable), "must not be, derive from"),
    "no class": (ArrayType("a", "numpy.ndarray"), "must be a class"),
    "no protocol": (ArrayType("a", NoProtocol), "must define __array_ufunc__"),
    "one protocol": (ArrayType("a", NoFunctions), "must define __array_function__"),
    "no weak reference": (ArrayType("a", NoWeakReference), "must have '__weakref__' among"),
    "no class at all": (ArrayType("a", ()), "its types must be a class or more"),
    "no ArrayType": (Duck, "it must be an ArrayType"),
    "no name": (ArrayType("", Duck), "its name must be a word"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_type_that_cannot_be_registered_is_refused_with_the_rule(what, registered):
    kind, rule = REFUSED[what]
    with pytest.raises(PluginError, match=rule):
        registered(plugin_of(kind), "refused")
    with pytest.raises(VariableTypeError):
        Variable(Duck([1.0]))


def test_a_plugin_that_registers_a_type_twice_is_refused(registered):
    with pytest.raises(PluginError, match=r"the array 'duck', .*; that is done already"):
        registered(plugin_of(DUCKS, DUCKS), "refused")


def test_a_class_of_arrays_that_another_plugin_has_is_refused_with_its_type(registered):
    registered(plugin_of(DUCKS), "ducks")
    with pytest.raises(PluginError, match=r"Duck'> is of the type 'duck' already\."):
        registered(plugin_of(ArrayType("other", Duck)), "thief")
    assert type(Variable(Duck([1.0])).data) is Duck


class Drake(Duck):
    """A duck of another type."""


def test_the_name_of_a_type_of_another_plugin_is_a_conflict(registered):
    registered(plugin_of(DUCKS), "ducks")
    with pytest.raises(PluginConflictError, match="which plugin 'ducks' has registered") as caught:
        registered(plugin_of(ArrayType("duck", Drake)), "thief")
    assert (caught.value.plugin, caught.value.other) == ("thief", "ducks")
    assert type(Variable(Duck([1.0])).data) is Duck
