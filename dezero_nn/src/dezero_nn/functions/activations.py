"""Functions that networks apply to each element, and that the op packages have not."""

from __future__ import annotations

import math

import numpy as np
from dezero_ops_math.declaring import Call, Draw, Elementwise, applying, elementwise, operation
from numpy.polynomial import chebyshev

from dezero_core import Function, Variable
from dezero_core.extend import Array, Operand
from dezero_ops_math import logaddexp, sigmoid


class LeakyRelu(Elementwise):
    """`x` where it is positive, elsewhere ``slope * x``, elementwise.

    x: real, of any shape.
    slope: a constant.
    Returns: of the shape and floating dtype of `x`.
    Derivative: 1 where `x` is positive, else `slope`, at 0 too.
    Raises TypeError: if `x` is complex.
    Source: DeZero's function of that name; Maas, Hannun and Ng 2013.

    >>> x = Variable(np.array([-1.0, 0.0, 2.0]))
    >>> y = leaky_relu(x)
    >>> y.backward()
    >>> y, x.grad
    (variable([-0.2  0.   2. ]), array([0.2, 0.2, 1. ]))
    """

    def __init__(self, slope: float = 0.2) -> None:
        self.slope = float(slope)  # one of np.float64 would make results of float32 wider

    def forward(self, x: Operand) -> Array:
        if np.iscomplexobj(x):
            raise TypeError("leaky_relu takes real numbers, and got complex ones.")
        # On signs that are random, np.where takes five times as long.
        return np.maximum(x, 0.0) + np.minimum(x, 0.0) * self.slope

    def backward(self, gy: Array) -> Array:
        return np.where(np.less_equal(self.inputs[0].data, 0.0), gy * self.slope, gy)


class Silu(Elementwise):
    """`x` times its sigmoid, elementwise; also called swish.

    x: of any shape.
    Returns: of the shape and floating dtype of `x`.
    Derivative: ``s * (1 + x * (1 - s))`` with ``s = sigmoid(x)``.
    Raises TypeError: if `x` is no number and no array of numbers.
    Source: Elfwing, Uchibe and Doya 2018, equation 4; PyTorch's function of that name.

    >>> silu(Variable(np.array([-1000.0, 0.0, 1000.0])))
    variable([  -0.    0. 1000.])
    """

    def forward(self, x: Operand) -> Array:
        return x * sigmoid(x)

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        return gy * (sigmoid(x) * (1.0 + x * sigmoid(-x)))


#: Of 1, t, t**2, ...: the Chebyshev expansion of (z + 4) exp(z**2 / 2) P(Z > z), cut where its rest
#: is below 1e-16, and for float32 after 12 terms, where it is below 2e-9.
_DOUBLE = (
    0.7552851304157514, -0.6078966419718923, 0.3871374007422266, -0.1865218579596366,
    0.06039657489036092, -0.007540188967386312, -0.0034796923566515025, 0.0016308184674099085,
    0.00013334420916014778, -0.00023109501736277426, -1.907676030719098e-06, 3.514511190283765e-05,
    7.146021531267462e-07, -5.921611045923978e-06, -6.249551077565178e-07, 1.0247851016552774e-06,
    2.647337281979868e-07, -1.597739614223922e-07, -7.878360342693638e-08, 1.7844927772981415e-08,
    1.60673869573294e-08, -5.873626764987191e-10, -1.6886576966786735e-09, -1.1997782031253095e-10,
)  # fmt: skip
_SINGLE = chebyshev.cheb2poly(chebyshev.poly2cheb(_DOUBLE)[:12]).tolist()

#: From here on exp(-z**2 / 2) is 0.
_LAST = 40.0


def normal_distribution(x: Array) -> Array:
    """Return P(Z < x) of a standard normal Z, elementwise, to the last digits also in its tail.

    NumPy has neither it nor the error function. Both are ``exp(-z**2 / 2)`` times a function that
    is smooth from 0 to infinity; this is a polynomial in ``(z - 4) / (z + 4)``, in [-1, 1).

    x: real, of any shape.
    Returns: of the floating dtype of `x`. The relative error is below 1e-15, and below 1e-7 of
        float32; of a longdouble the last digits beyond float64 are not right.
    Raises TypeError: if `x` is complex.
    Source: Shepherd and Laframboise 1981 have the variable and the factor; Cody 1969 splits the
        square, which keeps the digits of the exponential of a large one.

    >>> normal_distribution(np.array([-10.0, 0.0]))
    array([7.61985302e-24, 5.00000000e-01])
    """
    if np.iscomplexobj(x):
        raise TypeError(
            "the normal distribution function takes real numbers, and got complex ones."
        )
    if not hasattr(x, "dtype"):  # a number of Python's
        x = np.asarray(x)
    dtype = np.result_type(x, np.float16)
    is_small = dtype.itemsize <= 4
    z = np.minimum(np.abs(x.astype(np.float64)), _LAST)
    inverse = 1.0 / (z + 4.0)
    t = 1.0 - 8.0 * inverse
    coefficients = _SINGLE if is_small else _DOUBLE
    tail = np.full_like(t, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        tail *= t
        tail += coefficient
    tail *= inverse
    if is_small:
        tail *= np.exp(-0.5 * z * z)
    else:  # the square of the first part is exact
        first = np.rint(16.0 * z) / 16.0
        tail *= np.exp(-0.5 * first * first)
        tail *= np.exp(-0.5 * (z - first) * (z + first))
    return np.where(np.less(x, 0.0), tail, 1.0 - tail).astype(dtype)


class Gelu(Function):
    """y = x p with p = P(Z < x), so dy = p dx + x dp, and dp = exp(-x**2 / 2) / sqrt(2 pi) dx.

    The probability is an output of its own: so `backward` has it without computing it again.
    """

    saves = ("inputs", "outputs")
    materialize_grads = False
    elementwise = True

    def forward(self, x: Array) -> tuple[Array, Array]:
        p = normal_distribution(x)
        return x * p, p

    def backward(self, gy: Array | None, gp: Array | None) -> Array:
        x, p = self.inputs[0].data, self.outputs[1]().data
        with np.errstate(over="ignore"):  # then the density is 0
            density = np.exp(x * x * -0.5) * (1.0 / math.sqrt(2.0 * math.pi))
        gx = None if gp is None else gp * density
        if gy is None:
            return gx
        of_y = gy * (p + x * density)
        return of_y if gx is None else gx + of_y


#: Beyond it the sigmoid of u is 0 or 1, and a cube of float16 would be infinite.
_FAR = 22.0
_TWICE = 2.0 * math.sqrt(2.0 / math.pi)


class TanhGelu(Elementwise):
    """y = x sigmoid(u), with u = 2 c (x + 0.044715 x**3); it is x (1 + tanh(u / 2)) / 2."""

    def forward(self, x: Array) -> Array:
        if np.iscomplexobj(x):
            raise TypeError("gelu takes real numbers, and got complex ones.")
        return x * sigmoid(self._inner(x))

    def backward(self, gy: Array) -> Array:
        x = self.inputs[0].data
        u, bounded = self._inner(x), np.clip(x, -_FAR, _FAR)
        slope = _TWICE * (1.0 + 0.134145 * (bounded * bounded))
        return gy * (sigmoid(u) * (1.0 + bounded * slope * sigmoid(-u)))

    def _inner(self, x: Array) -> Array:
        bounded = np.clip(x, -_FAR, _FAR)
        return _TWICE * (bounded + 0.044715 * (bounded * bounded * bounded))


def _leaky(x: Array, slope: float = 0.2) -> Array:
    return x * np.where(x > 0, 1.0, slope).astype(np.result_type(x, 0.0))


def _product(x: Array, approximate: str = "none") -> Array:
    if approximate == "none":
        return x * normal_distribution(x)
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


leaky_relu = operation(
    LeakyRelu,
    *(Call(Draw((2, 3))), Call(Draw((2, 3)), 0.5), Call(Draw(), slope=0.0)),
    Call(Draw((0, 3)), 1.5),
    reference=_leaky,
    complex=False,
    apart=np.abs,
    name="leaky_relu",
)
silu = operation(Silu, elementwise((-3.0, 3.0), reference=lambda x: x / (1.0 + np.exp(-1.0 * x))))


@applying(None, elementwise((-3.0, 3.0), reference=lambda x: np.logaddexp(x, 0.0)))
def softplus(x: Operand) -> Variable:
    """Smooth version of `relu`, elementwise: ``log(1 + exp(x))``, without overflow.

    x: real, of any shape.
    Returns: of the shape and floating dtype of `x`.
    Derivative: ``sigmoid(x)``.
    Raises TypeError: if `x` is complex.
    Source: Dugas et al. 2001.

    >>> softplus(Variable(np.array([-1000.0, 0.0, 1000.0])))
    variable([0.00000000e+00 6.93147181e-01 1.00000000e+03])
    """
    return logaddexp(x, 0.0)


@applying(
    Gelu,
    *(Call(Draw(shape)) for shape in ((2, 3), (), (0,), (2, 1, 2))),
    *(Call(Draw((2, 3)), "tanh"), Call(Draw(), approximate="tanh")),
    reference=_product,
    complex=False,
    dtypes=("float16", "float32", "float64"),
    ulps=16,
)
def gelu(x: Operand, approximate: str = "none") -> Variable:
    """`x` times the probability that a standard normal number is below it, elementwise.

    x: real, of any shape.
    approximate ({"none", "tanh"}): "tanh" for an error of up to 5e-4, by the formula
        ``x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2``.
    Returns: of the shape and floating dtype of `x`. Without an approximation its relative error is
        1e-15, and 1e-7 of float32.
    Derivative: ``P(Z < x) + x * exp(-x**2 / 2) / sqrt(2 * pi)``.
    Raises ValueError: if `approximate` is another word.
    Raises TypeError: if `x` is complex.
    Source: Hendrycks and Gimpel 2016; PyTorch's function of that name, and its arguments.

    >>> gelu(Variable(np.array([-1.0, 0.0, 1.0])))
    variable([-0.15865525  0.          0.84134475])
    """
    if approximate == "none":
        y, _ = Gelu()(x)
        return y
    if approximate != "tanh":
        raise ValueError(f"gelu: approximate must be 'none' or 'tanh', and is {approximate!r}.")
    return TanhGelu()(x)
