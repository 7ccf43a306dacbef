"""Degrees and radians."""

from __future__ import annotations

import math

import numpy as np

from dezero_core import Function, Registrar, Variable, elementwise
from dezero_core.extend import Array, Operand

from ..docstrings import documented


class Rad2Deg(Function):
    """d(180 x / pi) = 180 dx / pi; a product takes a tenth of the time of ``np.rad2deg``."""

    saves = ()
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.rad2deg(x)

    def backward(self, gy: Array) -> Array:
        return gy * (180.0 / math.pi)


class Deg2Rad(Function):
    """d(pi x / 180) = pi dx / 180; see `Rad2Deg`."""

    saves = ()
    elementwise = True

    def forward(self, x: Array) -> Array:
        return np.deg2rad(x)

    def backward(self, gy: Array) -> Array:
        return gy * (math.pi / 180.0)


@documented
def rad2deg(x: Operand) -> Variable:
    """Degrees of radians, elementwise: ``np.rad2deg``.

    x: any shape, in radians.
    Derivative: ``180 / pi``.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `degrees`.

    >>> rad2deg(Variable(np.array(np.pi)))
    variable(180.0)
    """
    return Rad2Deg()(x)


class Degrees(Rad2Deg):
    """`Rad2Deg` under its other name."""

    def forward(self, x: Array) -> Array:
        return np.degrees(x)


@documented
def degrees(x: Operand) -> Variable:
    """Degrees of radians, elementwise: ``np.degrees``.

    x: any shape, in radians.
    Derivative: ``180 / pi``.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `rad2deg`.

    >>> degrees(Variable(np.array(np.pi)))
    variable(180.0)
    """
    return Degrees()(x)


@documented
def deg2rad(x: Operand) -> Variable:
    """Radians of degrees, elementwise: ``np.deg2rad``.

    x: any shape, in degrees.
    Derivative: ``pi / 180``.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `radians`.

    >>> deg2rad(Variable(np.array(180.0)))
    variable(3.141592653589793)
    """
    return Deg2Rad()(x)


class Radians(Deg2Rad):
    """`Deg2Rad` under its other name."""

    def forward(self, x: Array) -> Array:
        return np.radians(x)


@documented
def radians(x: Operand) -> Variable:
    """Radians of degrees, elementwise: ``np.radians``.

    x: any shape, in degrees.
    Derivative: ``pi / 180``.
    Raises TypeError: if `x` is complex, as in NumPy.
    Note: the same as `deg2rad`.

    >>> radians(Variable(np.array(180.0)))
    variable(3.141592653589793)
    """
    return Radians()(x)


def register_ops(register: Registrar) -> None:
    """Register the operations of this file."""
    sample = elementwise((-3.0, 3.0), truth=("x * 180 / pi", "180 / pi"))
    register("rad2deg", rad2deg, Rad2Deg, numpy=np.rad2deg, sample=sample)
    register("degrees", degrees, Degrees, numpy=np.degrees, sample=sample)
    sample = elementwise((-3.0, 3.0), truth=("x * pi / 180", "pi / 180"))
    register("deg2rad", deg2rad, Deg2Rad, numpy=np.deg2rad, sample=sample)
    register("radians", radians, Radians, numpy=np.radians, sample=sample)
