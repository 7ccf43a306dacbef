"""Distributions of one variable: formulas in standard form, and all that they share.

A distribution states its formulas for ``loc = 0`` and ``scale = 1``, composed of operations that
are differentiable, so that derivatives follow by the chain rule. Here is the rest: the place and
the width, the ends of the support, and nan for parameters out of their domain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dezero_core.extend import Array, Operand, certain, data_of

from ..arguments import refuse_derivative
from .mirrored import Univariate, mirrored_distribution
from .operands import as_given, is_number, is_plain, log, operands


def _placed(value: Operand, loc: Operand, scale: Operand) -> Operand:
    value = value if is_number(scale, 1.0) else value * scale
    return value if is_number(loc, 0.0) else value + loc


def _informed(value: Operand, loc: Operand, scale: Operand) -> Operand:
    value = value + log(scale)
    return value if is_number(loc, 0.0) else value + 0.0 * loc  # in the shape of all operands


class Method(NamedTuple):
    """A method of distributions.

    Attributes
    ----------
    formula : str
        The method of `Distribution` that has its formula.
    below, above : float
        The values beyond the ends of the support.
    finished : callable
        Takes the value of the formula, `loc` and `scale`; returns the result.
    """

    formula: str
    below: float = math.nan
    above: float = math.nan
    finished: Callable[[Operand, Operand, Operand], Operand] = lambda value, loc, scale: value


METHODS = {
    "logpdf": Method("log_density", -math.inf, -math.inf, lambda v, loc, scale: v - log(scale)),
    "pdf": Method("density", 0.0, 0.0, lambda v, loc, scale: v / scale),
    "cdf": Method("below", 0.0, 1.0),
    "sf": Method("above", 1.0, 0.0),
    "logcdf": Method("log_below", -math.inf, 0.0),
    "logsf": Method("log_above", 0.0, -math.inf),
    "ppf": Method("quantile", finished=_placed),
    "entropy": Method("information", finished=_informed),
    "logpmf": Method("log_mass", -math.inf, -math.inf),
    "pmf": Method("mass", 0.0, 0.0),
}
"""Name of a method of SciPy's distributions -> what there is to know of it."""


INTEGRALS = ("cdf", "sf", "logcdf", "logsf")
"""The methods with an integral, or a sum, of probabilities up to a number or from it on."""


class Distribution:
    """The formulas of a distribution: each takes `y`, a standardised `x`, and the shapes.

    Attributes
    ----------
    name : str
        SciPy's.
    lower, upper : float
        The ends of the support.
    is_open : bool
        Whether `lower` itself is outside: where the density is 0 and the formulas are not finite.
    typical : tuple of float
        Of `y`, and of each shape, a value at which all formulas are finite. Formulas get it in
        place of operands that are outside: what is masked has no gradient then, rather than nan.
    below, above : method
        The probability of what is at most `y`, and of what is above it.
    """

    lower, upper, is_open = -math.inf, math.inf, False
    typical: tuple[float, ...] = (1.0, 1.0, 1.0)
    below: Callable[..., Operand]
    above: Callable[..., Operand]

    def __init__(self, name: str) -> None:
        self.name = name
        #: The functions that are its methods in SciPy, by name.
        self.methods: dict[str, Callable[..., Any]] = {}

    def mirrored(self, theirs: Any) -> Any:
        """Return SciPy's distribution with methods that take Variables as well."""
        return mirrored_distribution(theirs, self.name, self.methods, Univariate)

    def is_valid(self, *shapes: Array) -> Array | bool:
        """Return where the shapes are in their domain."""
        valid: Any = True
        for shape in shapes:
            valid = valid & (shape > 0.0)
        return valid

    def ends(self, *shapes: Array) -> tuple[Any, Any]:
        """Return the ends of the support."""
        return self.lower, self.upper

    def log_below(self, y: Operand, *shapes: Operand) -> Operand:
        """Return the logarithm of the probability of what is below `y`."""
        return _log(self.below, self.above, y, shapes)

    def log_above(self, y: Operand, *shapes: Operand) -> Operand:
        """Return the logarithm of the probability of what is above `y`."""
        return _log(self.above, self.below, y, shapes)

    def evaluate(
        self, name: str, at: Sequence[Operand], loc: Operand = 0, scale: Operand = 1
    ) -> Operand:
        """Return the result of a method.

        Parameters
        ----------
        name : str
        at : sequence
            The operands before `loc` and `scale`: `x`, or `q` of ``ppf``, and the shapes; of
            ``entropy`` the shapes alone.
        loc, scale : Variable, ndarray or number
        """
        given = (*at, loc, scale)
        method = METHODS[name]
        values = [data_of(x) for x in given]
        if not all(map(is_plain, values)):
            at, loc, scale = operands(f"stats.{self.name}.{name}", at, loc, scale)
            values = [data_of(x) for x in (*at, loc, scale)]
        is_valid, below, above = self._where(name, values)
        inside = is_valid
        if below is not False or above is not False:
            inside = is_valid & np.logical_not(np.logical_or(below, above))
        formula = getattr(self, method.formula)
        if inside is True or certain(np.all(inside)):
            value = method.finished(formula(*_standardised(name, at, loc, scale)), loc, scale)
            return as_given(value, given)
        if isinstance(scale, (int, float)):  # as an array it would be of float64
            scale = scale if scale > 0.0 else 1.0
        else:
            scale = np.where(is_valid, scale, 1.0)
        typical = (0.5, *self.typical[1:]) if name == "ppf" else self.typical[name == "entropy" :]
        if name != "entropy":  # 0 times infinity would be the gradient by `scale`
            at = [np.where(inside, at[0], 0.0), *at[1:]]
        pairs = zip(_standardised(name, at, loc, scale), typical, strict=False)
        value = method.finished(formula(*(np.where(inside, *pair) for pair in pairs)), loc, scale)
        others = np.where(is_valid, np.where(below, method.below, method.above), math.nan)
        return as_given(np.where(inside, value, others.astype(value.dtype)), given)

    def _where(self, name: str, values: Sequence[Array]) -> tuple[Any, Any, Any]:
        """Return where all parameters are in their domain, and `y` beyond either end.

        It is True or False, rather than an array, where it does not depend on values.
        """
        *at, loc, scale = values
        is_valid = self.is_valid(*at[name != "entropy" :])
        if not is_number(scale, 1.0):
            is_valid = np.logical_and(scale > 0.0, is_valid)
        if name == "entropy":
            return is_valid, False, False
        lower, upper = (0.0, 1.0) if name == "ppf" else self.ends(*at[1:])
        endless = is_number(lower, -math.inf) and is_number(upper, math.inf)
        if endless and certain(np.all(np.isfinite(at[0]))):
            return is_valid, False, False
        with np.errstate(divide="ignore", invalid="ignore"):  # of a width of 0: it is not valid
            y, *_ = _standardised(name, at, loc, scale)
        # An infinite number is beyond an infinite end, where derivatives are 0 as well.
        is_below = np.less_equal if self.is_open and name != "ppf" else np.less
        below, above = is_below(y, lower), np.greater(y, upper)
        return is_valid, below | np.equal(y, -math.inf), above | np.equal(y, math.inf)


def _standardised(name: str, at: Sequence[Operand], loc: Operand, scale: Operand) -> list[Operand]:
    """Return the operands of a formula: `x` less `loc`, in units of `scale`, and the shapes."""
    if name in ("ppf", "entropy"):
        return [*at]
    y, *shapes = at
    y = y if is_number(loc, 0.0) else y - loc
    return [y if is_number(scale, 1.0) else y / scale, *shapes]


class Continuous(Distribution):
    """A distribution with a density; the formulas that follow from others are here.

    Attributes
    ----------
    log_density : method
        The logarithm of the density, by `y` and the shapes.
    quantile : method
        The `y` that has the probability `q` below it, by `q` and the shapes.
    information : method
        The differential entropy, by the shapes.
    """

    log_density: Callable[..., Operand]
    quantile: Callable[..., Operand]
    information: Callable[..., Operand]

    def density(self, y: Operand, *shapes: Operand) -> Operand:
        """Return the density."""
        return np.exp(self.log_density(y, *shapes))

    def above(self, y: Operand, *shapes: Operand) -> Operand:
        """Return the probability of what is above `y`: of a symmetric distribution, by default."""
        return self.below(-y, *shapes)


def _log(
    part: Callable[..., Operand],
    rest: Callable[..., Operand],
    y: Operand,
    shapes: Sequence[Operand],
) -> Operand:
    """Return the logarithm of a part of the probability; of a large one by the rest of it."""
    probability = part(y, *shapes)
    large = data_of(probability) > 0.5
    with np.errstate(divide="ignore"):  # of 0 it is -inf, as SciPy's
        if certain(~np.any(large)):
            return np.log(probability)
        others = np.where(large, rest(y, *shapes), 0.0)
        return np.where(large, np.log1p(-others), np.log(np.where(large, 1.0, probability)))


class Discrete(Distribution):
    """A distribution of integers `k`, which are constants.

    Attributes
    ----------
    log_mass : method
        The logarithm of the probability of `k`, by `k` and the shapes.
    last : method
        An integer beyond which no probability counts, by the shapes.
    """

    log_mass: Callable[..., Operand]
    last: Callable[..., float]

    def mass(self, k: Operand, *shapes: Operand) -> Operand:
        """Return the probability of `k`."""
        return np.exp(self.log_mass(k, *shapes))

    def information(self, *shapes: Operand) -> Operand:
        """Return the entropy: the sum over all integers that have a probability."""
        k = np.arange(int(self.lower), int(self.last(*map(data_of, shapes))) + 1)
        k = k.reshape(-1, *[1] * max(map(np.ndim, shapes)))
        logs = self.evaluate("logpmf", [k, *shapes])
        logs = np.where(np.isneginf(data_of(logs)), 0.0, logs)
        # By the logarithms: the derivative of entr is steep where a probability underflows.
        return -np.sum(np.exp(logs) * logs, axis=0)

    def evaluate(
        self, name: str, at: Sequence[Operand], loc: Operand = 0, scale: Operand = 1
    ) -> Operand:
        """Return the result of a method; neither `k` nor `loc` is a Variable."""
        if name != "entropy":
            refuse_derivative(f"stats.{self.name}.{name}", k=at[0], loc=loc)
        if name in INTEGRALS:
            at = [np.floor(np.subtract(at[0], loc)), *at[1:]]
            loc = 0
        return super().evaluate(name, at, loc, scale)

    def _where(self, name: str, values: Sequence[Array]) -> tuple[Any, Any, Any]:
        is_valid, below, above = super()._where(name, values)
        if name in INTEGRALS:
            # Nothing is above the last one, where an incomplete integral has a pole.
            k, *shapes, _, _ = values
            above = np.greater_equal(k, self.ends(*shapes)[1])
        elif name != "entropy":
            k = values[0] - values[-2]
            below = np.logical_or(below, np.not_equal(k, np.floor(k)))
        return is_valid, below, above
