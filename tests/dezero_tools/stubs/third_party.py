"""A plugin with every kind of signature and binding, for the stubs that are made of it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from dezero_core import Function, Variable, hookimpl

if TYPE_CHECKING:
    from numpy.typing import NDArray

MISSING = object()


class Side(Enum):
    LEFT = 1
    RIGHT = 2


class Triple(Function):
    def forward(self, x):
        return 3.0 * x

    def backward(self, gy):
        return 3.0 * gy


def tripled(x, times=1, *, name=None, initial=MISSING):
    """Multiply by three.

    As often as `times` says.
    """
    return Triple()(x)


def signs(x):
    return np.sign(x.data)


def pieces(
    x: Variable,
    mode: Literal["rows", "columns", Side.LEFT] = "rows",
    key: Callable[[int], float] | None = None,
    /,
    *more: int,
    limit: Annotated[int, "above zero"] = 1,
    weight: float | None = float("inf"),
    **options: Any,
) -> list[Variable]:
    return [x]


def unknown(x: Variable, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    return x.data


def evaluated(x: Variable, count: int) -> dict[str, list[Variable]]:
    return {}


def as_float(x: Variable, digits: int = 3) -> float:
    return float(x.data)


def as_numpy(x: Variable) -> np.ndarray[Any, np.dtype[np.float64]]:
    return x.data


def local():
    class Result:
        pass

    def made(x):
        return Result()

    made.__annotations__["return"] = Result
    return made


class Settings:
    def __call__(self, depth: int) -> str:
        return "*" * depth


def helper(x, y):
    return x


@hookimpl
def dezero_register_ops(register):
    register("tripled", tripled, Triple, methods=("tripled", "three_times"))
    register("signs", signs, differentiable=False, methods="signs")
    register("pieces", pieces, methods="pieces")
    register("unknown", unknown, methods="unknown")
    register("evaluated", evaluated, methods="evaluated")
    register("float", as_float, differentiable=False, methods={"float": as_float})
    register("numpy", as_numpy, differentiable=False, methods={"numpy": as_numpy})
    register("local", local(), methods="local")
    register(
        "various",
        tripled,
        methods={
            "settings": Settings(),
            "half": property(lambda x: x, doc="Half of it."),
            "third": property(tripled),
            "helper": helper,
        },
    )
