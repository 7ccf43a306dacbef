"""SciPy's distributions as objects whose methods take Variables as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
import scipy.stats

from dezero_core.extend import Operand, data_of

from ..arguments import refuse_derivative
from ..mirror import has_variable, mirrored


def mirrored_distribution(
    theirs: Any, name: str, ours: Mapping[str, Callable[..., Any]], base: type | None = None
) -> Any:
    """Return a distribution like SciPy's: of its class, with methods that take Variables as well.

    Everything else is SciPy's: ``fit``, ``mean`` or ``interval``, and the results for arrays. Its
    methods stay bound to SciPy's distribution, as some ask for their object's class.
    """
    base = base or Mirrored
    cls: Any = type(name, (base, type(theirs)), {})
    found = cls.__new__(cls)
    public = [each for each in dir(theirs) if not each.startswith("_") and not hasattr(base, each)]
    others = {each: method for each in public if callable(method := getattr(theirs, each))}
    methods = {each: _mirrored(name, each, theirs, ours[each]) for each in ours}
    vars(found).update(
        vars(theirs) | others | methods, _theirs=theirs, _name=name, _methods=[*ours]
    )
    return found


def _mirrored(name: str, method: str, theirs: Any, ours: Callable[..., Any]) -> Callable[..., Any]:
    return mirrored(getattr(theirs, method), ours, __package__, f"{name}.{method}")


class Mirrored:
    """A distribution that freezes parameters, also if some are Variables."""

    _theirs: Any
    _name: str
    _methods: list[str]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        frozen = Frozen(self, args, kwargs)
        if has_variable(*args, *kwargs.values()):
            try:
                of_x = next(name for name in self._methods if name != "entropy")
                signature(getattr(self, of_x)).bind("x", *args, **kwargs)
            except TypeError as error:  # now, as SciPy's, and not when a method is called
                raise TypeError(f"{self._name}() {error}") from None
            return frozen
        ours = {name: getattr(frozen, name) for name in self._methods}
        theirs = self._theirs(*args, **kwargs)
        found = mirrored_distribution(theirs, self._name, ours, FrozenByScipy)
        found._parameters = args, kwargs
        return found

    freeze = __call__

    @property
    def random_state(self) -> Any:
        """The generator of SciPy's distribution, or the seed to set."""
        return self._theirs.random_state

    @random_state.setter
    def random_state(self, seed: Any) -> None:
        self._theirs.random_state = seed

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_name, (self._name,)


def _by_name(name: str) -> Any:
    return getattr(import_module(__package__), name)


class FrozenByScipy:
    """SciPy's frozen distribution, whose methods take Variables as well."""

    _name: str
    _parameters: tuple[Any, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return _frozen, (self._name, *self._parameters)


def _frozen(name: str, args: Any, kwargs: Any) -> Any:
    return _by_name(name)(*args, **kwargs)


class Univariate(Mirrored):
    """A distribution of numbers, which are drawn by a formula."""

    def rvs(self, *args: Any, **kwargs: Any) -> Any:
        """Draw numbers: ``loc + scale * z``, with gradients by `loc` and by `scale`.

        Parameters
        ----------
        *args, **kwargs
            SciPy's: the shapes, `loc`, `scale`, `size`, `random_state`. The shapes are constants.

        Raises
        ------
        VariableTypeError (TypeError)
            If a shape is a Variable: there is no derivative by it.

        Notes
        -----
        Source: Kingma and Welling 2013, section 2.4.
        """
        if not has_variable(*args, *kwargs.values()):
            return self._theirs.rvs(*args, **kwargs)
        shapes = self._theirs.shapes.split(", ") if self._theirs.shapes else []
        width = ["scale"] * isinstance(self._theirs, scipy.stats.rv_continuous)
        names = [*shapes, "loc", *width, "size"]
        given = dict(zip(names, args, strict=False)) | kwargs
        constants = {name: x for name, x in given.items() if name not in ("loc", *width)}
        refuse_derivative(f"stats.{self._name}.rvs", **constants)
        loc, scale = (given.get(name, usual) for name, usual in (("loc", 0), ("scale", 1)))
        is_wrong = len(args) > len(names) or not given.keys() <= {*names, "random_state"}
        if is_wrong or not {*shapes} <= given.keys() or np.any(np.less(data_of(scale), 0.0)):
            values = {name: data_of(x) for name, x in kwargs.items()}
            return self._theirs.rvs(*map(data_of, args), **values)  # raises SciPy's error
        if constants.get("size") is None:
            of_all = [np.shape(x) for x in (loc, scale, *(given[name] for name in shapes))]
            constants["size"] = np.broadcast_shapes(*of_all)
        return self._theirs.rvs(**constants) * scale + loc


class Frozen:
    """A distribution with parameters of which some are Variables."""

    def __init__(self, dist: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={x!r}" for name, x in self.kwds.items())]
        return f"{self.dist._name}({', '.join(given)})"

    def __getattr__(self, name: str) -> Callable[..., Operand]:
        if name.startswith("__"):  # pickle and copy ask before there is a distribution
            raise AttributeError(name)
        method = getattr(self.dist, name)

        def of_parameters(*args: Any, **kwargs: Any) -> Operand:
            return method(*args, *self.args, **self.kwds, **kwargs)

        return of_parameters

    def rvs(self, size: Any = None, random_state: Any = None) -> Operand:
        """Draw numbers, as the distribution does."""
        return self.dist.rvs(*self.args, **self.kwds, size=size, random_state=random_state)
