"""Derivatives in forward mode by nested dual numbers: slow, short, and of no engine at all.

Source: Siskind and Pearlmutter 2005, "Perturbation confusion and referential transparency".
"""

from itertools import count

import numpy as np

_order = count(1)


class Dual:
    """A value and its slope along one direction; `order` tells the directions apart.

    Of two the one that was begun later is outside: its value may be a dual number of the other.
    """

    __array_ufunc__ = None  # array * dual is for the dual number to answer

    def __init__(self, order, value, slope):
        self.order, self.value = order, value
        self.slope = slope + np.zeros(shape_of(value))

    def __add__(self, other):
        return both(self, other, lambda a, b: a + b, lambda a, da, b, db: da + db)

    def __sub__(self, other):
        return both(self, other, lambda a, b: a - b, lambda a, da, b, db: da - db)

    def __mul__(self, other):
        return both(self, other, lambda a, b: a * b, lambda a, da, b, db: da * b + a * db)

    def __truediv__(self, other):
        return divided(self, other)

    def __rtruediv__(self, other):
        return divided(other, self)

    def __rsub__(self, other):
        return self * -1.0 + other

    def __neg__(self):
        return self * -1.0

    def __pow__(self, two):
        assert two == 2
        return self * self

    __radd__, __rmul__ = __add__, __mul__


def shape_of(x):
    return shape_of(x.value) if isinstance(x, Dual) else np.shape(x)


def parts(x, order):
    """Return value and slope along the direction of that order."""
    mine = isinstance(x, Dual) and x.order == order
    return (x.value, x.slope) if mine else (x, 0.0)


def both(a, b, value, slope):
    order = max(x.order for x in (a, b) if isinstance(x, Dual))
    (a, da), (b, db) = parts(a, order), parts(b, order)
    return Dual(order, value(a, b), slope(a, da, b, db))


def divided(a, b):
    return both(a, b, lambda a, b: a / b, lambda a, da, b, db: da / b - a * db / (b * b))


def lifted(function, slope=None):
    """Return a NumPy function for dual numbers: linear, unless its slope is given."""

    def apply(x):
        if not isinstance(x, Dual):
            return function(x)
        change = apply(x.slope) if slope is None else slope(x.value) * x.slope
        return Dual(x.order, apply(x.value), change)

    return apply


class Numpy:
    """The functions of NumPy that the expressions are made of."""

    sin = staticmethod(lifted(np.sin, lambda x: Numpy.cos(x)))
    cos = staticmethod(lifted(np.cos, lambda x: -Numpy.sin(x)))
    tanh = staticmethod(lifted(np.tanh, lambda x: 1.0 - Numpy.tanh(x) ** 2))
    exp = staticmethod(lifted(np.exp, lambda x: Numpy.exp(x)))
    sum = staticmethod(lifted(np.sum))
    cumsum = staticmethod(lifted(np.cumsum))


def along(f, x, direction):
    """Return the derivative of `f` at `x` along a direction."""
    order = next(_order)
    return parts(f(Dual(order, x, direction)), order)[1]


def jvp(f, x):
    return f(x), lambda direction: along(f, x, direction)


def vjp(f, x):
    def pull_back(vector):
        def product(x):
            return Numpy.sum(vector * f(x))

        if shape_of(x) == ():
            return (along(product, x, 1.0),)
        return (sum(unit * along(product, x, unit) for unit in np.eye(*shape_of(x))),)

    return f(x), pull_back


def grad(f):
    return lambda x: vjp(f, x)[1](1.0)[0]


class Matrix:
    """A Jacobian, which is only asked for its product with a vector."""

    def __init__(self, f, x):
        self.f, self.x = f, x

    def __matmul__(self, vector):
        return along(self.f, self.x, vector)

    def __array__(self, dtype=None, copy=None):
        return np.stack([self @ unit for unit in np.eye(*shape_of(self.x))], axis=-1)
