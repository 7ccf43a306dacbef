"""The error for a calculation that cannot go on lazily."""

from __future__ import annotations

from ..errors import LazyArrayError


def refused(what: str, reason: str, instead: str = "") -> LazyArrayError:
    """Return the error for a function, such as ``"np.sort"``, that is not there for Dask's arrays.

    `reason` is a sentence without its full stop; `instead` says what to write, with one.
    """
    advice = instead or (
        "For a loss that is a sum over rows, dezero_dask.value_and_grad takes every operation; "
        "x.to_numpy() computes an array."
    )
    return LazyArrayError(
        f"{what} of dask arrays is refused: {reason}. Nothing was computed. {advice}",
        got=what,
        arrays=f"dask: {reason}",
    )
