"""A sine that is right, and operations that differ from it in one thing each."""

import numpy as np
from dezero_tools.testing import elementwise
from dezero_tools.testing.checks import CHECKS
from dezero_tools.testing.runner import Check

from dezero_core import Function, Operation


class Slope(Function):
    """gy cos(x): what goes back through a sine, itself with a derivative."""

    error = 1.0

    def forward(self, gy, x):
        return gy * np.cos(x)

    def backward(self, ggx):
        gy, x = self.inputs[0].data, self.inputs[1].data
        return ggx * np.cos(x), -ggx * gy * np.sin(x) * self.error


class Sine(Function):
    """Right in everything."""

    slope = Slope

    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        return self.slope().of(gy, self.inputs[0].data)


def registered_as(sample):
    """Return what is registered for a sample: a function of the kit."""
    return None if sample is None else lambda kit: sample


def operation(function=None, *, sample=None, differentiable=True, numpy=(np.sin,), **bound):
    """Return an operation as the registry would hold it."""
    return Operation(
        name="planted",
        plugin="test",
        function=function or sine(),
        function_class=None,
        differentiable=differentiable,
        approximate=bound.get("approximate", ""),
        dunders=bound.get("dunders", ()),
        methods=bound.get("methods", ()),
        numpy=numpy,
        sample=registered_as(elementwise((0.3, 1.2), complex=True) if sample is None else sample),
    )


def sine(**differences):
    """Return a function that is a sine, but for what its Function does differently."""
    planted = type("Planted", (Sine,), differences)
    return lambda x: planted().of(x)  # for arrays, as if it were registered


def slope(**differences):
    """Return a sine whose gradient is a slope with differences."""
    return sine(slope=type("PlantedSlope", (Slope,), differences))


def run(name, planted):
    """Run one check on an operation and return the counts."""
    return Check(planted, name, CHECKS[name]).run()
