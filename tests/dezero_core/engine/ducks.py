"""Small array types, with nothing but NumPy's protocols around an ndarray."""

import numpy as np

from dezero_core import hookimpl
from dezero_core.extend import ArrayType


class Duck(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with values, which can be written to."""

    def __init__(self, values):
        self.values = np.array(values)

    shape = property(lambda self: self.values.shape)
    dtype = property(lambda self: self.values.dtype)
    ndim = property(lambda self: self.values.ndim)
    size = property(lambda self: self.values.size)
    real = property(lambda self: type(self)(self.values.real))
    imag = property(lambda self: type(self)(self.values.imag))

    def astype(self, dtype):
        return type(self)(self.values.astype(dtype))

    def reshape(self, *shape):
        return type(self)(self.values.reshape(*shape))

    def __getitem__(self, index):
        return type(self)(self.values[index])

    def __str__(self):
        return f"duck{self.values}"

    def __bool__(self):
        return bool(self.values)

    def __array__(self, *args, **kwargs):
        raise AssertionError("somebody makes an ndarray of a duck")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or not all(isinstance(x, (type(self), *KNOWN)) for x in inputs):
            return NotImplemented
        return self.wrapped(ufunc(*self.bare(inputs), **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        if not all(issubclass(each, (type(self), np.ndarray)) for each in types):
            return NotImplemented
        return self.wrapped(function(*self.bare(args), **kwargs))

    def bare(self, x):
        if isinstance(x, (list, tuple)):
            return type(x)(map(self.bare, x))
        return x.values if isinstance(x, Duck) else x

    def wrapped(self, y):
        return type(self)(y) if isinstance(y, (np.ndarray, np.generic)) else y


class Goose(Duck):
    """An array without values: lazy and immutable. It is a type of its own, and no Duck."""

    def __bool__(self):
        raise AssertionError("somebody looks at a value")


KNOWN = (np.ndarray, np.generic, bool, int, float, complex)
DUCKS = ArrayType("duck", Duck, to_numpy=lambda duck: duck.values)
GEESE = ArrayType("goose", Goose, lazy=True, immutable=True, to_numpy=lambda goose: goose.values)


def plugin_of(*kinds):
    """Return a plugin that registers types of arrays."""

    class plugin:
        @staticmethod
        @hookimpl
        def dezero_register_ops(register):
            for kind in kinds:
                register.part("array", getattr(kind, "name", "a"), kind)

    return plugin
