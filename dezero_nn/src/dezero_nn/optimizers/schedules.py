"""Schedules of the learning rate, under PyTorch's names.

Each is a formula: the rate after n steps, from the rate that the optimizer had at first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from math import cos, inf, isfinite, pi
from numbers import Real
from typing import Any

from ..docstrings import described
from .optimizer import Optimizer
from .targets import count, number


@described
class Schedule:
    """Sets an optimizer's rate at each ``step()``: the base class.

    A subclass defines ``factor(n)``, or ``rate(n)``. It is the rate `lr` that is set, and of
    `Adam` `alpha`; see `Optimizer.rate_name`.

    Attribute base (float): the rate that the optimizer had when its first schedule was made.
    Attribute steps (int): how often ``step()`` was called.
    Raises TypeError: if `optimizer` is none, or has no rate.
    Raises TypeError, ValueError: if a number is none, or out of its range.
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

    def factor(self, n: int) -> float:
        """Return by what the first rate is multiplied after some steps.

        n: the number of steps.
        """
        raise NotImplementedError(f"{type(self).__name__} must define factor(self, n).")

    def rate(self, n: int) -> float:
        """Return the rate after some steps.

        n: the number of steps.
        """
        return self.base * self.factor(n)

    def step(self) -> None:
        """Set the next rate: after each epoch, or each update, as the numbers are meant."""
        self.steps += 1
        self._set()

    def state_dict(self) -> dict[str, Any]:
        """Return the first rate and the number of steps: a checkpoint keeps them.

        Returns (dict of str to number or str):
        """
        return {"class": type(self).__name__, "base": self.base, "steps": self.steps}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where another schedule was.

        state (mapping): the result of its `state_dict`.
        Raises ValueError: if it was one of another class, or a number is out of its range. Nothing
            is changed then.
        """
        self.plan_to_load(state)()

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

    def set_base(self, base: float) -> None:
        """Begin with another rate.

        base: the rate before the first step.
        """
        self.base = base

    def _set(self) -> None:
        setattr(self.optimizer, self.optimizer.rate_name, self.rate(self.steps))


@described
class LambdaLR(Schedule):
    """The first rate, multiplied by ``lr_lambda(n)``.

    lr_lambda (callable): from the number of steps to a factor.

    >>> from dezero_nn.optimizers import SGD
    >>> optimizer = SGD(lr=0.5)
    >>> LambdaLR(optimizer, lambda n: 1 / (n + 1)).step()
    >>> optimizer.lr
    0.25
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(optimizer)

    def factor(self, n: int) -> float:
        return self.lr_lambda(n)


@described
class StepLR(Schedule):
    """Multiplies the rate by `gamma` every `step_size` steps.

    >>> from dezero_nn.optimizers import Adam
    >>> optimizer = Adam(alpha=0.5)
    >>> schedule = StepLR(optimizer, step_size=2, gamma=0.5)
    >>> [schedule.rate(n) for n in range(5)]
    [0.5, 0.5, 0.25, 0.25, 0.125]
    >>> schedule.step()
    >>> schedule.step()
    >>> optimizer.alpha
    0.25
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.step_size = count(self, "step_size", step_size)
        self.gamma = number(self, "gamma", gamma)
        super().__init__(optimizer)

    def factor(self, n: int) -> float:
        return self.gamma ** (n // self.step_size)


@described
class MultiStepLR(Schedule):
    """Multiplies the rate by `gamma` after each of some numbers of steps.

    milestones (sequence of int):

    >>> from dezero_nn.optimizers import SGD
    >>> schedule = MultiStepLR(SGD(lr=1.0), [1, 3], gamma=0.5)
    >>> [schedule.rate(n) for n in range(5)]
    [1.0, 0.5, 0.5, 0.25, 0.25]
    """

    def __init__(self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1) -> None:
        self.milestones = sorted(milestones)
        self.gamma = number(self, "gamma", gamma)
        super().__init__(optimizer)

    def factor(self, n: int) -> float:
        return self.gamma ** bisect_right(self.milestones, n)


@described
class ExponentialLR(Schedule):
    """Multiplies the rate by `gamma` at each step.

    >>> from dezero_nn.optimizers import SGD
    >>> schedule = ExponentialLR(SGD(lr=1.0), gamma=0.5)
    >>> [schedule.rate(n) for n in range(4)]
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float) -> None:
        self.gamma = number(self, "gamma", gamma)
        super().__init__(optimizer)

    def factor(self, n: int) -> float:
        return self.gamma**n


@described
class LinearLR(Schedule):
    """A straight line from one factor to another, which is kept then: a warm-up.

    total_iters: the number of steps from the one to the other.

    >>> from dezero_nn.optimizers import SGD
    >>> schedule = LinearLR(SGD(lr=1.0), start_factor=0.25, total_iters=3)
    >>> [schedule.rate(n) for n in range(5)]
    [0.25, 0.5, 0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        self.start_factor = number(self, "start_factor", start_factor)
        self.end_factor = number(self, "end_factor", end_factor)
        self.total_iters = count(self, "total_iters", total_iters)
        super().__init__(optimizer)

    def factor(self, n: int) -> float:
        part = min(n, self.total_iters) / self.total_iters
        return self.start_factor * (1.0 - part) + self.end_factor * part


@described
class CosineAnnealingLR(Schedule):
    """Half a wave of a cosine, from the first rate down to `eta_min`, in `T_max` steps.

    After that the wave goes on, and the rate grows.

    Source: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR
        2017, https://arxiv.org/abs/1608.03983, without restarts.

    >>> from dezero_nn.optimizers import SGD
    >>> schedule = CosineAnnealingLR(SGD(lr=1.0), T_max=2)
    >>> [schedule.rate(n) for n in range(3)]
    [1.0, 0.5, 0.0]
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:  # noqa: N803
        self.T_max = count(self, "T_max", T_max)
        self.eta_min = number(self, "eta_min", eta_min)
        super().__init__(optimizer)

    def rate(self, n: int) -> float:
        return self.eta_min + (self.base - self.eta_min) * (1.0 + cos(pi * n / self.T_max)) / 2.0


@described
class SequentialLR(Schedule):
    """One schedule after the other, as a warm-up and then a cosine.

    schedulers (sequence of Schedule): of the same optimizer. Only this schedule's ``step()`` is
        called, not theirs.
    milestones (sequence of int): after how many steps the second one begins, the third one, and so
        on.
    Raises ValueError: if the milestones are not one fewer than the schedules, or do not grow; or if
        a schedule is of another optimizer.

    >>> from dezero_nn.optimizers import SGD
    >>> optimizer = SGD(lr=1.0)
    >>> warm_up = LinearLR(optimizer, start_factor=0.25, total_iters=3)
    >>> cosine = CosineAnnealingLR(optimizer, T_max=2)
    >>> schedule = SequentialLR(optimizer, [warm_up, cosine], milestones=[3])
    >>> [schedule.rate(n) for n in range(6)]
    [0.25, 0.5, 0.75, 1.0, 0.5, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[Schedule], milestones: Sequence[int]
    ) -> None:
        ends = [0, *milestones, inf]
        if len(milestones) != len(schedulers) - 1 or sorted(set(ends)) != ends:
            raise ValueError(
                f"SequentialLR takes one milestone fewer than schedules, and growing ones above "
                f"0. It got {len(schedulers)} schedules and {list(milestones)}."
            )
        if any(each.optimizer is not optimizer for each in schedulers):
            raise ValueError("SequentialLR takes schedules of its own optimizer, and got others.")
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        super().__init__(optimizer)

    def rate(self, n: int) -> float:
        index = bisect_right(self.milestones, n)
        begin = self.milestones[index - 1] if index else 0
        return self.schedulers[index].rate(n - begin)

    def set_base(self, base: float) -> None:
        super().set_base(base)
        # A copy of this schedule, by which a state is tried, has the same ones until here.
        self.schedulers = [copy(each) for each in self.schedulers]
        for each in self.schedulers:
            each.set_base(base)
