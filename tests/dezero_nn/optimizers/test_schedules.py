"""Schedules: the rates of PyTorch's recurrences, and the attribute that they set."""

from math import cos, pi

import numpy as np
import pytest

from dezero_nn import optimizers as O  # noqa: N812

# PyTorch computes each rate from the one before, as it is done here; ours are closed formulas.


def by_steps(rate, size, gamma):
    for n in range(1, 40):
        yield rate
        rate *= gamma if n % size == 0 else 1.0


def by_milestones(rate, milestones, gamma):
    for n in range(1, 40):
        yield rate
        rate *= gamma ** milestones.count(n)


def by_line(base, first, last, total):
    rate = base * first
    for n in range(40):
        yield rate
        if n < total:
            rate *= 1.0 + (last - first) / (total * first + n * (last - first))


def by_cosine(base, steps, least):
    for n in range(40):
        yield least + (base - least) * (1 + cos(pi * n / steps)) / 2


CASES = {
    "StepLR": (lambda o: O.StepLR(o, 3, 0.5), lambda: by_steps(0.2, 3, 0.5)),
    "StepLR of defaults": (lambda o: O.StepLR(o, 4), lambda: by_steps(0.2, 4, 0.1)),
    "MultiStepLR": (
        lambda o: O.MultiStepLR(o, [5, 2, 2], 0.5),
        lambda: by_milestones(0.2, [2, 2, 5], 0.5),
    ),
    "ExponentialLR": (lambda o: O.ExponentialLR(o, 0.9), lambda: by_steps(0.2, 1, 0.9)),
    "LinearLR": (lambda o: O.LinearLR(o, 0.1, 0.8, 7), lambda: by_line(0.2, 0.1, 0.8, 7)),
    "LinearLR of defaults": (O.LinearLR, lambda: by_line(0.2, 1 / 3, 1.0, 5)),
    "CosineAnnealingLR": (
        lambda o: O.CosineAnnealingLR(o, 6, 0.01),
        lambda: by_cosine(0.2, 6, 0.01),
    ),
    "LambdaLR": (lambda o: O.LambdaLR(o, lambda n: 0.5**n), lambda: by_steps(0.2, 1, 0.5)),
}


def rates_of(schedule, count):
    optimizer = schedule.optimizer
    found = []
    for _ in range(count):
        found.append(getattr(optimizer, optimizer.rate_name))
        schedule.step()
    return found


@pytest.mark.parametrize("optimizer", [O.SGD(0.2), O.Adam(0.2), O.AdaDelta(lr=0.2)], ids=repr)
@pytest.mark.parametrize("name", CASES)
def test_the_rates_are_those_of_the_recurrence(name, optimizer):
    make, wanted = CASES[name]
    vars(optimizer).pop("initial_rate", None)
    setattr(optimizer, optimizer.rate_name, 0.2)
    found = rates_of(make(optimizer), 30)
    np.testing.assert_allclose(found, list(wanted())[:30], rtol=1e-12, atol=1e-16)
    assert {type(rate) for rate in found} == {float}


def test_one_schedule_follows_the_other():
    optimizer = O.SGD(0.2)
    parts = [
        O.LinearLR(optimizer, 0.25, total_iters=3),
        O.CosineAnnealingLR(optimizer, 5),
        O.ExponentialLR(optimizer, 0.9),
    ]
    found = rates_of(O.SequentialLR(optimizer, parts, [3, 7]), 12)
    wanted = [
        *list(by_line(0.2, 0.25, 1.0, 3))[:3],
        *list(by_cosine(0.2, 5, 0.0))[:4],
        *list(by_steps(0.2, 1, 0.9))[:5],
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_second_schedule_begins_with_the_rate_that_was_first():
    optimizer = O.SGD(0.2)
    O.LinearLR(optimizer, 0.1)
    assert optimizer.lr == pytest.approx(0.02)
    assert O.ExponentialLR(optimizer, 0.9).base == 0.2


def test_a_class_of_ones_own_defines_a_factor():
    class Half(O.Schedule):
        def factor(self, n):
            return 0.5

    optimizer = O.Adam(0.2)
    Half(optimizer)
    assert optimizer.alpha == 0.1
    with pytest.raises(NotImplementedError, match=r"Schedule must define factor\(self, n\)"):
        O.Schedule(optimizer)


class Rateless(O.Optimizer):
    """It has no attribute `lr`."""


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: O.StepLR(0.1, 3), TypeError, "StepLR takes an optimizer, and got"),
        (lambda o: O.StepLR(Rateless(), 3), TypeError, "StepLR: Rateless has no number 'lr'"),
        (lambda o: O.StepLR(o, 0), ValueError, "StepLR: step_size must be at least 1"),
        (lambda o: O.StepLR(o, 2.0), TypeError, "StepLR: step_size must be an integer"),
        (lambda o: O.StepLR(o, 2.5), TypeError, "StepLR: step_size must be an integer"),
        (lambda o: O.StepLR(o, 2, -0.5), ValueError, "StepLR: gamma"),
        (lambda o: O.ExponentialLR(o, "0.9"), TypeError, "ExponentialLR: gamma"),
        (lambda o: O.MultiStepLR(o, [1], -1.0), ValueError, "MultiStepLR: gamma"),
        (lambda o: O.LinearLR(o, -1.0), ValueError, "LinearLR: start_factor"),
        (lambda o: O.LinearLR(o, total_iters=0), ValueError, "LinearLR: total_iters"),
        (lambda o: O.CosineAnnealingLR(o, 0), ValueError, "CosineAnnealingLR: T_max"),
        (lambda o: O.CosineAnnealingLR(o, 1, -1.0), ValueError, "CosineAnnealingLR: eta_min"),
        (lambda o: O.SequentialLR(o, [O.LinearLR(o)], [3]), ValueError, "one milestone fewer"),
        (lambda o: O.SequentialLR(o, [O.LinearLR(o)] * 3, [3, 2]), ValueError, "growing ones"),
        (lambda o: O.SequentialLR(o, [O.LinearLR(o)] * 2, [0]), ValueError, "above 0"),
        (lambda o: O.SequentialLR(o, [O.LinearLR(O.SGD())], []), ValueError, "its own optimizer"),
    ],
)
def test_what_schedules_refuse(make, error, message):
    with pytest.raises(error, match=message):
        make(O.SGD())


def test_a_schedule_goes_on_where_another_one_was():
    def made(rate):
        optimizer = O.SGD(rate)
        parts = [O.LinearLR(optimizer, 0.1, total_iters=3), O.ExponentialLR(optimizer, 0.9)]
        return O.SequentialLR(optimizer, parts, [3])

    one, other = made(0.2), made(0.7)
    for _ in range(4):
        one.step()
    other.load_state_dict(one.state_dict())
    assert other.optimizer.lr == one.optimizer.lr
    assert rates_of(other, 5) == rates_of(one, 5)


def test_a_state_of_another_schedule_is_refused():
    optimizer = O.SGD(0.2)
    schedule = O.ExponentialLR(optimizer, 0.9)
    schedule.step()
    with pytest.raises(
        ValueError, match="the schedule is ExponentialLR here, but the saved one is S"
    ):
        schedule.load_state_dict(O.StepLR(O.SGD(0.5), 3).state_dict())
    assert (schedule.base, schedule.steps, optimizer.lr) == (0.2, 1, 0.2 * 0.9)
