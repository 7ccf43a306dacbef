"""The base of all schedules of the learning rate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from math import isfinite
from numbers import Real
from typing import Any

from ..docstrings import described
from .arguments import count, number
from .optimizer import Optimizer


@described
class Schedule:
    """Sets an optimizer's rate at each ``step()``: the base class.

    A subclass defines ``factor(n)``, or ``rate(n)``. It is the rate `lr` that is set, and of
    `Adam` `alpha`; see `Optimizer.rate_name`.

    Attribute base (float): the rate that the optimizer had when its first schedule was made.
    Attribute steps (int): how often ``step()`` was called.
    Raises TypeError: if `optimizer` is none, or has no rate.
    Note: a function that dezero-replay compiles sees the rate that is set. Call ``step()`` outside
        of it: a formula in Python, as of a cosine, is not replayed.

    >>> from dezero_nn.optimizers import SGD
    >>> class InverseRoot(Schedule):
    ...     def factor(self, n):
    ...         return (n + 1) ** -0.5
    >>> optimizer = SGD(lr=1.0)
    >>> schedule = InverseRoot(optimizer)
    >>> for _ in range(3):
    ...     schedule.step()
    >>> optimizer.lr
    0.5
    """

    def __init__(self, optimizer: Optimizer) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(self).__name__} takes an optimizer, and got {type(optimizer)}.")
        rate = getattr(optimizer, optimizer.rate_name, None)
        if not isinstance(rate, Real):
            raise TypeError(
                f"{type(self).__name__}: {type(optimizer).__name__} has no number "
                f"{optimizer.rate_name!r} to be changed. Its class names the attribute: "
                "rate_name = 'lr'."
            )
        # A second schedule, as a part of SequentialLR, finds the rate already changed.
        self.base: float = vars(optimizer).setdefault("initial_rate", float(rate))
        self.optimizer, self.steps = optimizer, 0
        self._set()

    @described
    def factor(self, n: int) -> float:
        """Return by what the first rate is multiplied after some steps.

        n: the number of steps.
        """
        raise NotImplementedError(f"{type(self).__name__} must define factor(self, n).")

    @described
    def rate(self, n: int) -> float:
        """Return the rate after some steps.

        n: the number of steps.
        """
        return self.base * self.factor(n)

    def step(self) -> None:
        """Set the next rate: after each epoch, or each update, as the numbers are meant."""
        self.steps += 1
        self._set()

    @described
    def state_dict(self) -> dict[str, Any]:
        """Return the first rate and the number of steps: a checkpoint keeps them.

        Returns (dict of str to number or str):
        """
        return {"class": type(self).__name__, "base": self.base, "steps": self.steps}

    @described
    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another schedule was.

        state (mapping): the result of its `state_dict`.
        Raises ValueError: if it was one of another class, or a number is out of its range. Nothing
            is changed then.
        """
        self.plan_to_load(state)()

    @described
    def plan_to_load(self, state: Mapping[str, Any]) -> Callable[[], None]:
        """Check a state as `load_state_dict` does, and return the function that loads it.

        state (mapping): as of `load_state_dict`, which has the errors, too.
        Returns (callable): without parameters.
        """
        own, saved = type(self).__name__, state.get("class")
        if saved != own:
            raise ValueError(
                f"the schedule is {own} here, but the saved one is {saved}. Make the same one."
            )

        try:
            base = number(self, "base", state.get("base"))
            steps = count(self, "steps", state.get("steps"), least=0)
            as_saved = copy(self)
            as_saved.set_base(base)
            rate = as_saved.rate(steps)
            if not isfinite(rate):
                raise ValueError(f"after {steps} steps it is {rate}")
        except Exception as error:  # a formula of somebody else may raise any, as an IndexError
            raise ValueError(f"the saved schedule has no rate: {error}") from error

        def load() -> None:
            self.set_base(base)
            self.steps = steps
            self._set()

        return load

    @described
    def set_base(self, base: float) -> None:
        """Begin with another rate."""
        self.base = base

    def _set(self) -> None:
        setattr(self.optimizer, self.optimizer.rate_name, self.rate(self.steps))
