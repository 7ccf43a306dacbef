"""Bodies of Functions that cannot be recorded: each is one instruction, the body itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from dezero_tools.wrapped import CALLERS

from dezero_core.extend import mode

from ..errors import GuardError

CALLERS[__name__] = set()


def fresh(function: Any, attributes: dict[str, Any]) -> Any:
    """Return another instance of the class of a Function, whose attributes are this dict."""
    copy = object.__new__(type(function))
    copy.__dict__ = attributes
    return copy


@dataclass(eq=False, repr=False)
class OpaqueForward:
    """``forward`` of a Function as an instruction: gives the instance and its results."""

    function: Any
    draws: bool

    def __call__(self, attributes: dict[str, Any], *xs: Any) -> list[Any]:
        function = fresh(self.function, {**vars(self.function), **attributes})
        ys = function.forward(*xs)
        results = list(ys) if isinstance(ys, tuple) else [ys]
        return [function, *(np.asarray(y) for y in results)]

    def __repr__(self) -> str:
        return f"{type(self.function).__name__}.forward"


@dataclass(eq=False, repr=False)
class OpaqueBackward:
    """``backward`` of a Function as an instruction: gives the gradients that are not None."""

    node: Any
    pattern: tuple[bool, ...]

    def __call__(
        self,
        function: Any,
        attributes: dict[str, Any],
        inputs: tuple[Any, ...],
        outputs: tuple[Any, ...],
        *gys: Any,
    ) -> list[Any]:
        node = self.node.with_arrays(inputs, outputs)
        if function is not None:
            vars(node).update(vars(function))
        vars(node).update(attributes)
        token = mode.set(mode.get().in_pass(False))
        try:
            gxs = node.backward(*gys)
        finally:
            mode.reset(token)
        found = gxs if isinstance(gxs, tuple) else (gxs,)
        if tuple(gx is not None for gx in found) != self.pattern:
            raise GuardError(None)  # other inputs than before get a gradient
        return [np.asarray(gx) for gx in found if gx is not None]

    def __repr__(self) -> str:
        return f"{type(self.node).__name__}.backward"
