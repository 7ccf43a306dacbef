"""The door for everything that extends the core: packages of operations, tools, types of arrays.

Beside `dezero_core` itself, they import from no other module of the core::

    from dezero_core import Function, Registrar, Variable
    from dezero_core.extend import Array, Operand
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import NUMPY as NUMPY
from .arrays import Array as Array
from .arrays import call_by_type as call_by_type
from .arrays import kind_of as kind_of
from .sums import FEW_ROWS as FEW_ROWS

if TYPE_CHECKING:  # the names are in the table below
    from .arrays import *
    from .backward import *
    from .config import *
    from .errors import *
    from .gradients import *
    from .graph import *
    from .notes import *
    from .providers import *
    from .registry.plugins import *
    from .registry.records import *
    from .slots import *
    from .variable import *

Operand = Any
"""A Variable, an ndarray or a number: what the public function of an operation takes."""


def lazily(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a ``__getattr__`` and ``__dir__`` by which a package imports modules when needed.

    Of the package with this ``__name__``, `modules` has each module, and the names in it that the
    package has too, with spaces between. A module in a folder, ``"folder.module"``, does not become
    a name of the package.
    """
    namespace = vars(sys.modules[package])
    home = {name: module for module, names in modules.items() for name in names.split()}

    def attribute(name: str) -> Any:
        if name not in home and name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = import_module(f".{home.get(name, name)}", namespace["__package__"])
        # From now on it is there, and nobody asks here.
        namespace[name] = getattr(found, name) if name in home else found
        return namespace[name]

    def names() -> list[str]:
        return sorted({*namespace, *home, *(module for module in modules if "." not in module)})

    return attribute, names


#: Module of the core -> the names in it that this door has.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "arrays": "ARRAY_TYPES INEXACT NUMBERS ArrayType copied is_array require_values shape_of",
        "config": "RECORDING SETTINGS Block Mode mode run",
        "errors": "PACKAGES attempt cause_of is_written_by package_of shown user_line user_place",
        "gradients": "as_differentiable constant_gradient data_of values_in",
        "backward": "conjugated pulled_back",
        "calls": "call_of",
        "graph": "COMMIT FREED UNCHAINED Leaf Port Saved Unsaved index_of leading variable_at",
        "notes": "PROVENANCE add_notes brief described explain_call plugin_of provider_of "
        "warn_of_approximation warn_of_independence warn_once",
        "providers": "CHANGES IN_USE OPERATORS PLUGINS PREFERRED advice_on contesting "
        "distribution_of home_of in_numpy load_plugins_first numpy_name plugin_in_use public_name "
        "to_choose",
        "registry.plugins": "operations_of",
        "registry.records": "Plugin find normalized",
        "slots": "SLOTS key_of parts_of",
        "variable": "label",
    },
)


def sum_to(array: Array, shape: tuple[int, ...]) -> Array:
    """Undo broadcasting: sum an array over the axes along which `shape` was repeated.

    The result is of `shape`, and of the type and dtype of `array`. Sums of float16 are added in
    float32, as NumPy's mean does. The relative error of a sum of positive float32 is below 8e-6 for
    any number of rows.

    Raises
    ------
    ValueError
        If an array of `shape` does not broadcast to the shape of `array`.

    Examples
    --------
    >>> sum_to(np.array([[1.0, 2.0], [3.0, 4.0]]), (2,))
    array([4., 6.])
    """
    return kind_of(array).sum_to(array, shape)


def new_zeros(like: Array, shape: tuple[int, ...], dtype: Any = None) -> Array:
    """Return zeros for a body to write into, of the type of the array `like`, and of its dtype.

    A body that writes into ``np.zeros`` cannot be recorded by ``compiled``, and runs as it is in
    each call. Arrays of a registered type that is immutable cannot be written into.

    Examples
    --------
    >>> zeros = new_zeros(np.array([1.0, 2.0]), (3,))
    >>> zeros[1] = 5.0
    >>> zeros
    array([0., 5., 0.])
    """
    dtype = like.dtype if dtype is None else dtype
    if type(like) is np.ndarray:  # nearly always
        return np.zeros(shape, dtype)
    return kind_of(like).zeros(shape, dtype, like)


def any_array(x: Any, dtype: Any = None) -> Array:
    """Return a number or ndarray as an ndarray; an array of a registered type keeps its type."""
    if kind_of(x) is NUMPY:
        return np.asarray(x, dtype)
    return x if dtype is None or x.dtype == dtype else x.astype(dtype)


def is_lazy(x: Any) -> bool:
    """Return whether an array, or a number, has no values until it is computed.

    A method of a Function asks so before it makes an ndarray of the size of such an array.

    Examples
    --------
    >>> is_lazy(np.array([1.0, 2.0]))
    False
    """
    return bool(kind_of(x).lazy)


def certain(condition: Array) -> bool:
    """Return whether a bool, or array of one element, is True for certain: not without values.

    A method of a Function asks so before it takes a short way that is right for some values alone.

    Examples
    --------
    >>> certain(np.isfinite(np.array([1.0, 2.0])).all())
    True
    """
    return not is_lazy(condition) and bool(condition)


def possible(condition: Array) -> bool:
    """Return whether a bool, or array of one element, may be True: also one without values.

    A method of a Function asks so before it leaves out what only some values need.

    Examples
    --------
    >>> possible(np.isnan(np.array([1.0, 2.0])).any())
    False
    """
    return is_lazy(condition) or bool(condition)


def placed(values: Array, shape: tuple[int, ...], index: Any, once: bool = False) -> Array:
    """Return zeros of a shape, with `values` added at an index: the gradient of ``x[index]``.

    The values are of the shape of ``x[index]``, or of one that broadcasts to it. Those of the index
    must be known, so it holds no array of a registered type. If `once`, it is known that no element
    is picked twice: then nothing needs to be added.

    Examples
    --------
    >>> placed(np.array([1.0, 2.0]), (3,), [0, 0])
    array([3., 0., 0.])
    """
    if isinstance(values, (np.ndarray, np.generic)):
        zeros = new_zeros(values, shape)
        if once:
            zeros[index] = values
        else:
            np.add.at(zeros, index, values)
        return zeros
    placed_by_sums: Array = call_by_type(added_up, (values, shape, index), {})
    return placed_by_sums


def added_up(values: Array, shape: tuple[int, ...], index: Any) -> Array:
    """Return the same as `placed`, by sums: for arrays that nobody can write into."""
    at = np.arange(prod(shape)).reshape(shape)[index]
    values = np.reshape(np.broadcast_to(values, at.shape), (-1,))

    def added(weights: Array) -> Array:
        return np.bincount(at.reshape(-1), weights, prod(shape))

    is_complex = values.dtype.kind == "c"
    total = added(values.real) + 1j * added(values.imag) if is_complex else added(values)
    return np.reshape(total, shape).astype(values.dtype)
