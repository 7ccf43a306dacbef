"""The calls of an operation in tests: its sample.

Its author registers a function that the kit calls with this module: a plugin needs the core alone::

    register("sinh", sinh, Sinh, numpy=np.sinh, sample=lambda kit: kit.elementwise((-3.0, 3.0)))

    def sample(kit):
        a = kit.Draw((2, 3))
        return kit.Sample(kit.Call(a), kit.Call(a, axis=0), complex=True)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from dezero_core import Operation, PluginError

Domain = tuple[float, float]

_ONE = ((2, 3), (), (3,), (1, 1), (2, 1, 2), (0,), (2, 0, 3))
_TWO = (
    ((2, 3), (2, 3)),
    ((), ()),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((1,), (2, 1)),
    ((0, 3), (3,)),
    ((1, 3), (0, 3)),
)


class Draw(NamedTuple):
    """Stands in a `Call` for an array: it is drawn, and differentiated by.

    Parameters
    ----------
    shape : tuple of int
    between : tuple of float
        The open interval its elements are drawn from: the ends may be poles or corners.
    project : callable, optional
        An orthogonal projection, such as ``lambda a: (a + a.T) / 2`` for symmetric matrices:
        the array is drawn in its range, and gradients are compared there.
    plus : array_like
        Added to the drawn array: a multiple of ``np.eye(n)``, for a matrix that has an inverse.
    """

    shape: tuple[int, ...] = ()
    between: Domain = (-3.0, 3.0)
    project: Callable[[Any], Any] | None = None
    plus: Any = 0.0


class Call:
    """One way to call an operation: with a `Draw` for each array, and constants.

    Parameters
    ----------
    *args, **kwargs
        As the operation takes them; a `Draw` may also stand in a list, tuple or dict.

    Examples
    --------
    >>> Call([Draw((2, 3)), Draw((1, 3))], axis=0)
    Call([Draw((2, 3)), Draw((1, 3))], axis=0)
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs = args, kwargs

    def draws(self) -> list[Draw]:
        """Return every Draw among the arguments, in order."""
        found: list[Draw] = []
        _replaced((self.args, self.kwargs), found.append)
        return found

    def filled(self, arrays: Iterator[Any]) -> tuple[Any, Any]:
        """Return the arguments with the next of `arrays` in place of each Draw.

        Parameters
        ----------
        arrays : iterator of ndarray

        Returns
        -------
        tuple, dict
            The positional and the keyword arguments.
        """
        args, kwargs = _replaced((self.args, self.kwargs), lambda draw: next(arrays))
        return args, kwargs

    def __repr__(self) -> str:
        parts = [_argument_text(arg) for arg in self.args]
        parts += [f"{name}={_argument_text(value)}" for name, value in self.kwargs.items()]
        return f"Call({', '.join(parts)})"


class Sample:
    """The calls of an operation in tests, and the demands on their results.

    Parameters
    ----------
    *calls : Call or Sample
        Another sample stands for its calls.
    reference : callable, optional
        The same on arrays; by default the first NumPy function that was registered.
    apart : callable, optional
        Takes the drawn arrays, or their real parts, and returns distances from where the
        derivative jumps; arrays for which one is below 0.1 are drawn anew.
    complex : bool
        Whether it takes complex data, too.
    order : int
        How often it can be differentiated: 2 stands for any number of times.
    integers : bool
        Whether it takes integers and booleans, as NumPy does.
    dtypes : tuple of str
        The floating dtypes it takes; those that the reference refuses are left out by themselves.
    ulps : float
        How far values may be from the reference, in units of the dtype's precision.
    truth : tuple of str
        Of a function of each element: its value, and its derivative by each operand, as formulas
        in the names of mpmath; of ``x``, or of ``x0`` and ``x1``. Its accuracy is measured by them.
    writes : bool
        Whether it writes into its first operand, and returns nothing.
    known_failures : mapping from str to str
        Name of a check -> why it is not passed. It must fail: else the mark is to go.

    Raises
    ------
    TypeError
        If one is no `Call` and no `Sample`.

    Examples
    --------
    >>> Sample(Call(Draw((2, 3))), Call(Draw((2, 3)), axis=0), complex=True).calls
    (Call(Draw((2, 3))), Call(Draw((2, 3)), axis=0))
    """

    def __init__(
        self,
        *calls: Call | Sample,
        reference: Callable[..., Any] | None = None,
        apart: Callable[..., Any] | None = None,
        complex: bool = False,  # noqa: A002 - as NumPy calls such data
        order: int = 2,
        integers: bool = True,
        dtypes: tuple[str, ...] = ("float16", "float32", "float64", "longdouble"),
        ulps: float = 4.0,
        truth: tuple[str, ...] = (),
        writes: bool = False,
        known_failures: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.calls: tuple[Call, ...] = ()
        for each in calls:
            if not isinstance(each, Call | Sample):
                example = "Sample(Call(Draw((2, 3))), Call(Draw(()), axis=0))"
                raise TypeError(f"a Sample is made of calls, as in {example}, got {each!r}.")
            self.calls += each.calls if isinstance(each, Sample) else (each,)
        self.reference, self.apart = reference, apart
        self.complex, self.order, self.integers, self.dtypes = complex, order, integers, dtypes
        self.ulps, self.truth, self.known_failures = ulps, truth, dict(known_failures)
        self.writes = writes


def elementwise(*domains: Domain, **options: Any) -> Sample:
    """Return the sample of an operation on elements, with an interval for each operand.

    It is called in shapes of every kind; two operands, in shapes that broadcast.

    Parameters
    ----------
    *domains : tuple of float
        The open interval of each operand, such as ``(-3.0, 3.0)``: its ends are not drawn.
    **options
        Those of `Sample`.

    Returns
    -------
    Sample

    Raises
    ------
    TypeError
        If a domain is no pair.

    Examples
    --------
    >>> elementwise((0.5, 3.0), complex=True).calls[0]
    Call(Draw((2, 3), (0.5, 3.0)))
    """
    for domain in domains:
        if not (isinstance(domain, (tuple, list)) and len(domain) == 2):
            example = "elementwise((-3.0, 3.0))"
            raise TypeError(f"an interval is a pair of numbers, as in {example}, got {domain!r}.")
    shapes: tuple[Any, ...] = tuple((shape,) for shape in _ONE)
    if len(domains) > 1:
        shapes = tuple((*pair, *pair[:1] * (len(domains) - 2)) for pair in _TWO)
    calls = tuple(Call(*map(Draw, each, domains)) for each in shapes)
    return Sample(*calls, **options)


#: The function that was registered -> what it has made.
_MADE: WeakKeyDictionary[Callable[[Any], Any], Sample] = WeakKeyDictionary()


def sample_of(operation: Operation) -> Sample:
    """Return the sample of an operation, which is made the first time; without calls, if none is.

    Parameters
    ----------
    operation : Operation

    Returns
    -------
    Sample

    Raises
    ------
    PluginError
        If what was registered is no function of the kit, raises, or returns no Sample.
    """
    make: Any = operation.sample
    if make is None:
        return Sample()
    if not callable(make):
        raise _refused(operation, f"registers {operation.name!r} with the sample {make!r}")
    if make not in _MADE:
        try:
            made = make(sys.modules[__name__])
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
            what = f"fails to make the sample of {operation.name!r}: {cause}"
            raise _refused(operation, what) from error
        if not isinstance(made, Sample):
            raise _refused(operation, f"makes {made!r} as the sample of {operation.name!r}")
        _MADE[make] = made
    return _MADE[make]


def order_of(operation: Operation) -> int:
    """Return how often an operation can be differentiated; 2 stands for any number of times.

    Parameters
    ----------
    operation : Operation

    Returns
    -------
    int
        The errors are those of `sample_of`.
    """
    return sample_of(operation).order if operation.differentiable else 0


def _refused(operation: Operation, what: str) -> PluginError:
    return PluginError(
        f"plugin {operation.plugin!r} {what.removesuffix('.')}; a sample is a function of the kit "
        "that returns a Sample. Write sample=lambda kit: kit.elementwise((-3.0, 3.0)), or "
        "sample=lambda kit: kit.Sample(kit.Call(kit.Draw((2, 3)))).",
        plugin=operation.plugin,
        what=operation.name,
    )


def _replaced(value: Any, by: Callable[[Draw], Any]) -> Any:
    """Return a value with each Draw in it, also in lists, tuples and dicts, replaced in order."""
    if isinstance(value, Draw):
        return by(value)
    if type(value) in (list, tuple):
        return type(value)(_replaced(item, by) for item in value)
    if type(value) is dict:
        return {key: _replaced(item, by) for key, item in value.items()}
    return value


def _argument_text(value: Any) -> str:
    if isinstance(value, Draw):
        interval = "" if value.between == Draw().between else f", {value.between}"
        return f"Draw({value.shape}{interval})"
    if type(value) is list:
        return f"[{', '.join(map(_argument_text, value))}]"
    return repr(value)
