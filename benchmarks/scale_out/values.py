"""The results of a workload: values by figure and by who computed them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from comparison import WRONG, difference

MAP_REDUCE, PLAIN, REPLAYED = "map-reduce", "value_and_grad", "value_and_grad, replayed"
BY_HAND, VARIABLES, DASK_GLM = "NumPy by hand", "Variables", "dask-glm"

COMPARED = (MAP_REDUCE, VARIABLES, PLAIN, REPLAYED, BY_HAND, DASK_GLM)
"""In the order of the columns."""


class Values(dict[str, dict[str, tuple[float, str]]]):
    """For each figure: by who computed it, a number and its unit, as `Results.add` takes them."""

    def add(self, figure: str, who: str, value: float, unit: str) -> None:
        """Add one value."""
        self.setdefault(figure, {})[who] = value, unit

    def add_times(self, figure: str, seconds: Mapping[str, float]) -> None:
        """Add the times of all that were compared."""
        for who, value in seconds.items():
            self.add(figure, who, value, "second")


def require_equal(got: tuple[Any, Any], expected: tuple[Any, Any]) -> None:
    """End the process with `WRONG` if a value or a gradient is not the one derived by hand."""
    wrong = difference(flat(got), flat(expected))
    if wrong:
        print(wrong, file=sys.stderr)
        raise SystemExit(WRONG)


def flat(found: tuple[Any, Any]) -> list[Any]:
    """Return a value and a gradient as a list of arrays."""
    value, gradient = found
    return [value, *(gradient.values() if isinstance(gradient, dict) else [gradient])]
