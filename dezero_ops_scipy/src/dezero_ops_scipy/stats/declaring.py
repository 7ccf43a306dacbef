"""Distributions declared by their class: the methods, their docstrings and their registration.

The docstring of a class has the distribution as a noun, then fields of all methods::

    class Gamma(Continuous):
        \"""a gamma distribution

        a: the shape, above 0.
        Source: NIST DLMF 8.24(ii).
        \"""

    gamma = distribution(Gamma, x=(0.5, 4.0), a=(0.8, 3.0))

`distribution` makes the functions ``gamma.logpdf(x, a, loc=0, scale=1)`` and so on, and gives the
module ``register_ops``, which registers them under SciPy's names, ``scipy.stats.gamma.logpdf``.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

import numpy as np
import scipy.stats
from dezero_ops_math.declaring import Call, Draw, Sample
from dezero_ops_math.docstrings import sharing

from dezero_core import Registrar
from dezero_core.extend import Array

from ..families import methods_of
from .operands import as_given, dtype_of
from .univariate import INTEGRALS, Discrete, Distribution

F = TypeVar("F", bound=Callable[..., Any])

#: Method -> its summary, and its derivative by the first operand; of the entropy, by `scale`.
SUMMARIES = {
    "logpdf": ("Logarithm of the density", "f'(y) / f(y) / scale"),
    "pdf": ("Density", "f'(y) / scale**2"),
    "cdf": ("Distribution function", "pdf(x)"),
    "sf": ("Survival function ``1 - cdf(x)``", "-pdf(x)"),
    "logcdf": ("Logarithm of the distribution function", "pdf(x) / cdf(x)"),
    "logsf": ("Logarithm of the survival function", "-pdf(x) / sf(x)"),
    "ppf": ("Quantiles", "1 / pdf(ppf(q))"),
    "entropy": ("Entropy", "1 / scale"),
    "logpmf": ("Logarithm of the probability", ""),
    "pmf": ("Probability", ""),
}
documented = sharing("Integers (int, or ndarray of int): constants.")
"""Decorator of a method: completes its docstring."""

FIELDS = """
x: real; all operands are of shapes that broadcast.
k: constants; all operands are of shapes that broadcast.
q: probabilities, from 0 to 1; all operands are of shapes that broadcast.
loc: the place: of a number, ``loc + scale * y`` with a number y of the standard distribution.
scale: the width, above 0.
"""


def distribution(cls: type[Distribution], name: str = "", order: int = 2, **domains: Any) -> Any:
    """Return a distribution with its methods, and declare them.

    Parameters
    ----------
    cls : type
    name : str, optional
        SciPy's; by default that of the class in lower case.
    order : int
        How often methods with an integral can be differentiated: 1, or 2 for any number.
    **domains : tuple of float, or float
        For the samples: the intervals of ``x``, or ``k``, and of each shape, or a constant.
    """
    found, caller = cls(name or cls.__name__.lower()), sys._getframe(1)
    for method in methods_of(cls.__module__.rpartition(".")[2]):
        function = _function(found, method, domains, caller)
        _document(function, cls, f"{found.name}.{method}")
        sample = _sample(found, method, domains, order if method in (*INTEGRALS, "ppf") else 2)
        _declare(f"{found.name}.{method}", documented(function), sample)
        found.methods[method] = function
        setattr(found, method, function)
    return found


def declared(name: str, sample: Any, complete: Callable[[F], F] = documented) -> Callable[[F], F]:
    """Return a decorator that declares a function under its name in ``scipy.stats``.

    It completes the docstring by `complete`, and lets the function return what it was given: a
    Variable or an array.
    """

    def declare(function: F) -> F:
        @wraps(function)
        def of_given(*args: Any, **kwargs: Any) -> Any:
            return as_given(function(*args, **kwargs), (*args, *kwargs.values()))

        changed: Any = of_given
        _declare(name, complete(changed), sample)
        return changed

    return declare


def _declare(name: str, function: Any, sample: Any) -> None:
    """Let ``register_ops`` of a function's module register it."""
    module = vars(sys.modules[function.__module__])
    found = module.setdefault("_DECLARED", {})
    found[f"scipy.stats.{name}"] = function, sample
    module["register_ops"] = partial(_register_ops, found)


def _register_ops(found: dict[str, tuple[Any, Any]], register: Registrar) -> None:
    for name, (function, sample) in found.items():
        register(name, function, None, sample=sample)


def _function(found: Distribution, method: str, domains: dict[str, Any], caller: Any) -> Any:
    """Return ``def logpdf(x, a, loc=0, scale=1)``, so that Python checks and names arguments."""
    x, *shapes = domains
    at = {"ppf": ["q"], "entropy": []}.get(method, [x]) + shapes
    rest = {"loc": 0} if isinstance(found, Discrete) else {"loc": 0, "scale": 1}
    taken = ", ".join([*at, *(f"{each}={default}" for each, default in rest.items())])
    given = f"{method!r}, [{', '.join(at)}], {', '.join(rest)}"
    source = f"def {method}({taken}): return evaluate({given})"
    made = {"evaluate": found.evaluate, "__name__": caller.f_globals["__name__"]}
    # At the line of the declaration, which tracebacks show.
    lines = "\n" * (caller.f_lineno - 1)
    exec(compile(lines + source, caller.f_code.co_filename, "exec"), made)
    function: Any = made[method]
    function.__qualname__ = f"{found.name}.{method}"
    constants = [each for each, domain in domains.items() if not isinstance(domain, tuple)]
    constants += ["k", "loc"] * isinstance(found, Discrete)
    function.__annotations__ = {
        each: "Integers" if each in constants else "Operand" for each in (*at, *rest)
    } | {"return": "Variable"}
    return function


def _document(function: Any, cls: type, name: str) -> None:
    """Give a function the docstring of its class, with what holds for all such methods."""
    # Under python -OO there is none.
    noun, _, rest = inspect.cleandoc(cls.__doc__ or "").partition("\n\n")
    fields, arrow, example = rest.partition("\n\n>>> ")
    summary, slope = SUMMARIES[function.__name__]
    slope = "" if issubclass(cls, Discrete) else slope
    first, *others = inspect.signature(function).parameters
    own = [line for line in FIELDS.split("\n") if re.split(r"[ :]", line)[0] in (first, *others)]
    by_first = f"``{slope}`` by `{'scale' if function.__name__ == 'entropy' else first}`"
    if "(y)" in slope:
        by_first += ", with the density f of ``y = (x - loc) / scale``"
    lines = [
        f"{summary} of {noun}: ``scipy.stats.{name}``.",
        "",
        *own,
        *fields.split("\n"),
        "Returns: of float32 if all operands are, where SciPy gives float64; nan where a parameter",
        "    is out of its domain.",
        f"Derivative: {f'{by_first}. ' if slope else ''}By the parameters it follows by the chain",
        "    rule, and outside of the support it is 0.",
    ]
    function.__doc__ = "\n".join(lines) + arrow + example


def _sample(found: Distribution, method: str, domains: dict[str, Any], order: int) -> Any:
    """Return a call with all operands, in shapes that broadcast."""
    (_, x), *shapes = domains.items()
    at: list[Any] = [Draw((2, 3), (0.1, 0.9) if method == "ppf" else x)]
    rest: dict[str, Any] = {"loc": Draw((), (-0.2, 0.2)), "scale": Draw((2, 1), (0.8, 1.2))}
    if isinstance(found, Discrete):
        last = x[1] - (method == "logsf")  # above the last of Bernoulli's, the logarithm is -inf
        at, rest = [np.resize(np.arange(x[0], last + 1), (2, 3)) + 1], {"loc": 1}
    at = [] if method == "entropy" else at
    at += [Draw((3,), of) if isinstance(of, tuple) else of for _, of in shapes]
    # SciPy's formulas differ by rounding, and it computes with float16 where we have float32.
    return Sample(
        Call(*at, **rest),
        reference=partial(as_scipy, found.name, method),
        order=order,
        integers=not isinstance(found, Discrete),
        dtypes=("float32", "float64"),
        ulps=256.0,
    )


def as_scipy(name: str, method: str, *args: Any, **kwargs: Any) -> Array:
    """Return SciPy's result, in float32 for float32; with int8 it would overflow."""

    def wide(x: Any) -> Any:
        return x.astype(float) if isinstance(x, np.ndarray) and x.dtype.kind in "biu" else x

    found = getattr(getattr(scipy.stats, name), method)
    y = found(*map(wide, args), **{key: wide(x) for key, x in kwargs.items()})
    return np.asarray(y).astype(dtype_of((*args, *kwargs.values())))
