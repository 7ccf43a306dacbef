"""Functions that take axes away, or run along one."""

from __future__ import annotations

from . import (
    averages,
    cumulative_products,
    cumulative_sums,
    extrema,
    extreme_positions,
    losses,
    means,
    medians,
    nan_extrema,
    nan_quantiles,
    products,
    quantiles,
    ranges,
    softmax,
    standard_deviations,
    sums,
    truth,
    variances,
)
from .averages import average
from .cumulative_products import cumprod, nancumprod
from .cumulative_sums import cumsum, nancumsum
from .extrema import max, min
from .extreme_positions import argmax, argmin, nanargmax, nanargmin
from .losses import softmax_cross_entropy
from .means import mean, nanmean
from .medians import median, nanmedian
from .nan_extrema import nanmax, nanmin
from .nan_quantiles import nanpercentile, nanquantile
from .products import nanprod, prod
from .quantiles import percentile, quantile
from .ranges import ptp
from .softmax import log_softmax, logsumexp
from .standard_deviations import nanstd, std
from .sums import nansum, sum
from .truth import all, any, count_nonzero
from .variances import nanvar, var

FAMILIES = (
    averages,
    cumulative_products,
    cumulative_sums,
    extrema,
    extreme_positions,
    losses,
    means,
    medians,
    nan_extrema,
    nan_quantiles,
    products,
    quantiles,
    ranges,
    softmax,
    standard_deviations,
    sums,
    truth,
    variances,
)

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "average",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logsumexp",
    "max",
    "mean",
    "median",
    "min",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "percentile",
    "prod",
    "ptp",
    "quantile",
    "softmax_cross_entropy",
    "std",
    "sum",
    "var",
]
