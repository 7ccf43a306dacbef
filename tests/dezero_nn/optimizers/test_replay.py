"""Steps that dezero-replay compiles: the bits of eager steps, of parameters and of all States."""

import warnings

import numpy as np
import pytest
from dezero_nn.models import MLP

from dezero_core import Parameter
from dezero_nn import functions as F  # noqa: N812
from dezero_nn import optimizers as O  # noqa: N812
from dezero_replay import compiled

OPTIMIZERS = {
    "SGD": lambda: O.SGD(0.05),
    "MomentumSGD": lambda: O.MomentumSGD(0.05),
    "AdaGrad": lambda: O.AdaGrad(0.05),
    "AdaDelta": lambda: O.AdaDelta(),
    "RMSprop": lambda: O.RMSprop(),
    "RMSprop with both": lambda: O.RMSprop(momentum=0.5, centered=True),
    "Adam": lambda: O.Adam(),
    "Adam as in PyTorch": lambda: O.Adam(eps_hat=False),
    "AdamW": lambda: O.AdamW(),
}
CALLS = 24


def every_hook(model):
    return O.ClipGrad(0.5), O.WeightDecay(0.1), O.FreezeParam(model.layers[0])


def no_hook(model):
    return ()


def trained(make, wrap, hooks=no_hook, schedule=None, inside=False):
    """Train a small model, whose layers are lazy; return bits after each step, and the step."""
    model = MLP((4, 3), rng=np.random.default_rng(0))
    optimizer = make().setup(model)
    for hook in hooks(model):
        optimizer.add_hook(hook)
    schedule = schedule and schedule(optimizer)

    def step(x, t):
        loss = F.mean_squared_error(model(x), t)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        if inside:
            schedule.step()
        return loss

    run, found = wrap(step), []
    rng = np.random.default_rng(1)
    for _ in range(CALLS):
        loss = run(rng.normal(size=(5, 2)).astype("f"), rng.normal(size=(5, 3)).astype("f"))
        if schedule and not inside:
            schedule.step()
        states = [state for param in model.params() for state in optimizer.states_of(param)]
        arrays = [each.data for each in (loss, *model.params(), *states)]
        found.append([None if x is None else x.tobytes() for x in arrays] + [optimizer.t])
    return found, run


def replays(*args, **kwargs):
    """Return how often a compiled step was replayed, when its bits are those of the eager one."""
    wanted, _ = trained(args[0], lambda step: step, *args[1:], **kwargs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, step = trained(args[0], compiled, *args[1:], **kwargs)
    assert found == wanted
    return step.stats["replayed"]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_of_each_optimizer_is_replayed_with_the_same_bits(name):
    assert replays(OPTIMIZERS[name]) > CALLS / 2


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_hooks_are_replayed_with_the_same_bits(name):
    assert replays(OPTIMIZERS[name], every_hook) > CALLS / 2


@pytest.mark.parametrize("name", ["SGD", "AdamW"])
def test_a_compiled_step_sees_the_rates_of_a_schedule(name):
    def warm_up_and_cosine(optimizer):
        parts = [O.LinearLR(optimizer, total_iters=5), O.CosineAnnealingLR(optimizer, 30)]
        return O.SequentialLR(optimizer, parts, [5])

    assert replays(OPTIMIZERS[name], every_hook, warm_up_and_cosine) > CALLS / 2


def test_a_compiled_step_sees_rates_that_are_set_by_hand():
    p = Parameter(np.array([0.0]))
    optimizer = O.SGD(lr=1.0).setup([p])

    @compiled
    def step(x):
        p.cleargrad()
        np.sum(p * x).backward()
        optimizer.update()

    rates = [*[1.0] * 6, *[0.5] * 6, *[0.25] * 6]
    for optimizer.lr in rates:
        step(np.array([-1.0]))
    assert p.data == sum(rates)
    assert step.stats["replayed"] > 0


def test_a_warning_of_missing_gradients_leaves_the_step_compiled():
    used, unused = Parameter(np.array([0.0])), Parameter(np.array([0.0]))
    optimizer = O.Adam().setup([used, unused])

    @compiled
    def step(x):
        used.cleargrad()
        np.sum(used * x).backward()
        optimizer.update()

    with pytest.warns(O.MissingGradientWarning):
        step(np.array([1.0]))
    for _ in range(8):
        step(np.array([1.0]))
    assert step.stats["replayed"] > 0
    assert unused.data == 0.0


def test_a_gradient_that_is_not_finite_is_refused_in_a_compiled_step():
    p = Parameter(np.array([0.0]))
    optimizer = O.SGD().setup([p])
    optimizer.add_hook(O.ClipGrad(1.0))

    @compiled
    def step(x):
        p.cleargrad()
        np.sum(p * x).backward()
        optimizer.update()

    for _ in range(6):
        step(np.array([1.0]))
    before, t = p.data.copy(), optimizer.t
    with np.errstate(invalid="ignore"), pytest.raises(FloatingPointError, match="ClipGrad"):
        step(np.array([np.inf]))
    assert (p.data, optimizer.t) == (before, t)
    step(np.array([1.0]))
    assert p.data < before


@pytest.mark.parametrize(
    "schedule",
    [
        lambda optimizer: O.StepLR(optimizer, 3, 0.5),
        lambda optimizer: O.LinearLR(optimizer, total_iters=50),
        lambda optimizer: O.CosineAnnealingLR(optimizer, 30),
    ],
)
@pytest.mark.filterwarnings("ignore::dezero_replay.ReplayWarning")
def test_a_schedule_inside_of_a_compiled_step_gives_the_same_bits(schedule):
    wanted, _ = trained(OPTIMIZERS["SGD"], lambda step: step, no_hook, schedule, inside=True)
    found, _ = trained(OPTIMIZERS["SGD"], compiled, no_hook, schedule, inside=True)
    assert found == wanted


DATA = {
    "a number": [np.array(2.0)],
    "a float32": [np.array(2.0, np.float32)],
    "complex numbers": [np.array([1.0 + 2.0j, 3.0])],
    "one array of two": [np.ones(2)] * 2,
}


@pytest.mark.parametrize("hooks", [[], [O.ClipGrad(0.1), O.WeightDecay(0.5)]])
@pytest.mark.parametrize("name", DATA)
def test_unusual_parameters_are_replayed_with_the_same_bits(name, hooks):
    def run(wrap):
        array, *others = (each.copy() for each in DATA[name])
        params = [Parameter(array), *(Parameter(array) for _ in others)]
        optimizer = O.Adam(alpha=0.1).setup(params)
        optimizer.hooks = hooks

        @wrap
        def step(x):
            optimizer.target.cleargrads()
            np.sum(np.real(sum(p * np.conj(p) for p in params)) * x).backward()
            optimizer.update()

        for n in range(12):
            step(np.array([1.0, n]).astype(array.real.dtype))
        assert params[0].data is array
        return array, step

    wanted, _ = run(lambda step: step)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, step = run(compiled)
    np.testing.assert_array_equal(found, wanted)
    assert step.stats["replayed"] > 4
