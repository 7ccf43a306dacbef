"""Functions in the book's form, and a plugin that binds them where nobody else has."""

from types import SimpleNamespace

import numpy as np

from dezero_core import Function, hookimpl, ops


class Add(Function):
    saves = ()

    def forward(self, x0, x1):
        return x0 + x1

    def backward(self, gy):
        return gy, gy


class Sub(Function):
    saves = ()

    def forward(self, x0, x1):
        return x0 - x1

    def backward(self, gy):
        return gy, -gy


class Mul(Function):
    def forward(self, x0, x1):
        return x0 * x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy * x1, gy * x0


class Div(Function):
    def forward(self, x0, x1):
        return x0 / x1

    def backward(self, gy):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gy / x1, gy * (-x0 / x1**2)


class Neg(Function):
    saves = ()

    def forward(self, x):
        return -x

    def backward(self, gy):
        return -gy


class Pow(Function):
    def __init__(self, c):
        self.c = c

    def forward(self, x):
        return x**self.c

    def backward(self, gy):
        x, c = self.inputs[0].data, self.c
        return c * x ** (c - 1) * gy


class Square(Function):
    def forward(self, x):
        return x * x

    def backward(self, gy):
        return gy * 2.0 * self.inputs[0].data


class Sin(Function):
    def forward(self, x):
        return np.sin(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return gy * np.cos(x)


class Cos(Function):
    def forward(self, x):
        return np.cos(x)

    def backward(self, gy):
        x = self.inputs[0].data
        return gy * -np.sin(x)


class Exp(Function):
    saves = ("outputs",)

    def forward(self, x):
        return np.exp(x)

    def backward(self, gy):
        return gy * self.outputs[0]().data


class Tanh(Function):
    saves = ("outputs",)

    def forward(self, x):
        return np.tanh(x)

    def backward(self, gy):
        y = self.outputs[0]().data
        return gy * (1 - y * y)


class SumAndProduct(Function):
    """Two outputs: x0 + x1 and x0 * x1."""

    def forward(self, x0, x1):
        return x0 + x1, x0 * x1

    def backward(self, gs, gp):
        x0, x1 = self.inputs[0].data, self.inputs[1].data
        return gs + gp * x1, gs + gp * x0


class SumTo(Function):
    saves = ()

    def __init__(self, shape):
        self.shape = shape

    def forward(self, x):
        lead = tuple(range(x.ndim - len(self.shape)))
        y = x.sum(axis=lead)
        kept = tuple(axis for axis, n in enumerate(self.shape) if n != y.shape[axis])
        return y.sum(axis=kept, keepdims=True)

    def backward(self, gy):
        return BroadcastTo(self.inputs[0].shape).of(gy)


class BroadcastTo(Function):
    saves = ()

    def __init__(self, shape):
        self.shape = shape

    def forward(self, x):
        return np.broadcast_to(x, self.shape)

    def backward(self, gy):
        return gy


class Astype(Function):
    saves = ()

    def __init__(self, dtype):
        self.dtype = dtype

    def forward(self, x):
        return x.astype(self.dtype)

    def backward(self, gy):
        return gy


BOOK = SimpleNamespace(
    **{
        cls.__name__: cls
        for cls in list(vars().values())
        if type(cls) is type and cls.__bases__ == (Function,)
    }
)


def apply(function_class):
    return lambda *xs: function_class()(*xs)


def swapped(function):
    return lambda x0, x1: function(x1, x0)


add, sub, mul, div = apply(Add), apply(Sub), apply(Mul), apply(Div)

#: name, Function, public function, dunders, methods, NumPy functions
OPERATIONS = [
    ("add", Add, add, {"__add__": add, "__radd__": add}, {}, [np.add]),
    ("sub", Sub, sub, {"__sub__": sub, "__rsub__": swapped(sub)}, {}, [np.subtract]),
    ("mul", Mul, mul, {"__mul__": mul, "__rmul__": mul}, {}, [np.multiply]),
    ("div", Div, div, {"__truediv__": div, "__rtruediv__": swapped(div)}, {}, [np.divide]),
    ("neg", Neg, apply(Neg), {"__neg__": apply(Neg)}, {}, [np.negative]),
    ("pow", Pow, lambda x, c: Pow(c)(x), {"__pow__": lambda x, c: Pow(c)(x)}, {}, [np.power]),
    ("sin", Sin, apply(Sin), {}, {}, [np.sin]),
    ("cos", Cos, apply(Cos), {}, {}, [np.cos]),
    ("exp", Exp, apply(Exp), {}, {}, [np.exp]),
    ("tanh", Tanh, apply(Tanh), {}, {}, [np.tanh]),
    ("sum_to", SumTo, None, {}, {"sum_to": lambda x, shape: SumTo(shape)(x)}, []),
    ("astype", Astype, None, {}, {"astype": lambda x, dtype: Astype(dtype)(x)}, []),
]


class BookPlugin:
    """Binds the book's operations, each where no loaded plugin has bound its own."""

    @hookimpl
    def dezero_register_ops(self, register):
        taken = {name for op in ops() for name in (*op.dunders, *op.methods, *op.numpy)}
        for name, cls, function, dunders, methods, numpy in OPERATIONS:
            dunders = {key: value for key, value in dunders.items() if key not in taken}
            methods = {key: value for key, value in methods.items() if key not in taken}
            numpy = [key for key in numpy if key not in taken]
            if dunders or methods or numpy:
                function = function or next(iter(methods.values()))
                register(
                    f"book {name}", function, cls, dunders=dunders, methods=methods, numpy=numpy
                )
