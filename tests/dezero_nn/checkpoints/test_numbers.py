"""Each number of a checkpoint is checked as its constructor would, before anything is changed."""

import json
import re

import numpy as np
import pytest
from dezero_nn.generators import generator_as_text, set_generator
from dezero_nn.layers import Dropout, Linear, State
from dezero_nn.models import Sequential

from dezero_nn import DataLoader, Layer, load_checkpoint, save_checkpoint
from dezero_nn import optimizers as O  # noqa: N812

from .damage import npy, rewrite, rewrite_header

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "training.npz"


@pytest.fixture(autouse=True)
def global_state():
    """Put the state of ``np.random`` back."""
    state = np.random.get_state()
    yield
    np.random.set_state(state)


def trained(make):
    layer = Linear(2, in_size=3, rng=np.random.default_rng(0))
    optimizer = make().setup(layer)
    np.sum(layer(np.ones((1, 3), np.float32))).backward()
    optimizer.update()
    return optimizer


def bits(optimizer):
    state = optimizer.state_dict()
    return {k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in state.items()}


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        *((O.Adam, "t", value) for value in (-5, "5", 1.5, NAN, True, None, 10**400)),
        *((O.Adam, "alpha", value) for value in (NAN, INF, -1.0, "0.1", True, None, 10**400)),
        *((O.Adam, "beta1", value) for value in (2.0, 1.0, -0.5, NAN)),
        *((O.Adam, "eps_hat", value) for value in (0.5, "yes")),
        *((O.Adam, name, 0.5) for name in ("hooks", "target", "update", "_states", "lr", "_new")),
        *((O.Adam, name, value) for name in ("rate_name", "whatever") for value in ("t", 1)),
        (O.AdamW, "weight_decay", -0.1),
        (O.SGD, "lr", NAN),
        (O.MomentumSGD, "momentum", 1.0),
        (O.AdaGrad, "eps", -1e-8),
        (O.AdaDelta, "rho", 1.5),
        (O.RMSprop, "alpha", 1.0),
        (O.RMSprop, "momentum", 0.5),
        (O.RMSprop, "centered", True),
        (lambda: O.CosineAnnealingLR(O.SGD(), 3).optimizer, "initial_rate", NAN),
    ],
)
def test_numbers_that_a_constructor_refuses_are_refused_from_a_file(path, make, name, value):
    optimizer = trained(make)
    before = bits(optimizer)
    save_checkpoint(path, opt=optimizer)
    rewrite_header(path, lambda header: header["parts"]["opt"].update({f"number/{name}": value}))
    with pytest.raises(ValueError, match=r"'opt' of .*training\.npz does not fit, and nothing was"):
        load_checkpoint(path, opt=optimizer)
    assert bits(optimizer) == before


@pytest.mark.parametrize("text", ["[" * 10**5, "", "3", "[[]]", '["W"]', None])
def test_the_list_of_parameters_of_an_optimizer_is_checked(path, text):
    optimizer = trained(O.Adam)
    save_checkpoint(path, opt=optimizer)
    rewrite_header(path, lambda header: header["parts"]["opt"].update(parameters=text))
    with pytest.raises(
        ValueError, match=r"'opt' of .* Adam: the (saved state has no|model is not)"
    ):
        load_checkpoint(path, opt=optimizer)


@pytest.mark.parametrize("value", [3, np.array("text"), np.zeros((3, 2), bool)], ids=repr)
def test_states_of_an_optimizer_are_arrays_of_numbers(value):
    optimizer = trained(O.Adam)
    before = bits(optimizer)
    with pytest.raises(ValueError, match="Adam: 'm' of 'W' must be an array of numbers"):
        optimizer.load_state_dict(optimizer.state_dict() | {"m/W": value})
    assert bits(optimizer) == before


def test_an_optimizer_of_a_class_that_is_made_of_more_than_numbers_is_loaded(path):
    class Named(O.SGD):
        def __init__(self, names, lr=0.5):
            super().__init__(lr)
            self.names, self.best = names, None

    optimizer, other = (trained(lambda: Named(["a"])) for _ in range(2))
    optimizer.best, optimizer.lr = 3.5, 0.25
    save_checkpoint(path, opt=optimizer)
    load_checkpoint(path, opt=other)
    assert (other.best, other.lr) == (3.5, 0.25)


def test_numbers_that_a_class_has_and_the_first_rate_of_a_schedule_are_loaded(path):
    class Plain(O.Optimizer):
        lr = 0.5

        def update_one(self, param):
            param.data -= self.lr * param.grad

    optimizer, other = trained(Plain), trained(Plain)
    O.ExponentialLR(optimizer, 0.5).step()
    save_checkpoint(path, opt=optimizer)
    load_checkpoint(path, opt=other)
    assert (other.lr, O.ExponentialLR(other, 0.5).base) == (0.25, 0.5)


def test_a_number_that_this_optimizer_lacks_is_named(path):
    optimizer, other = trained(O.SGD), trained(O.SGD)
    optimizer.best = 3.5
    save_checkpoint(path, opt=optimizer)
    with pytest.raises(ValueError, match=r"SGD: the saved state has 'best', .* Set it before"):
        load_checkpoint(path, opt=other)
    other.best = 0.0
    load_checkpoint(path, opt=other)
    assert other.best == 3.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("steps", value) for value in (-1, 0.5, "3", NAN, None, True, 10**400, 10**9)),
        *(("base", value) for value in (NAN, INF, -1.0, "1", None)),
    ],
)
def test_numbers_of_a_schedule_are_checked(path, name, value):
    schedule = O.ExponentialLR(O.SGD(lr=0.5), gamma=1.5)
    schedule.step()
    before = schedule.state_dict(), schedule.optimizer.lr
    save_checkpoint(path, schedule=schedule)
    rewrite_header(path, lambda header: header["parts"]["schedule"].update({name: value}))
    with pytest.raises(ValueError, match=r"'schedule' of .* does not fit"):
        load_checkpoint(path, schedule=schedule)
    assert (schedule.state_dict(), schedule.optimizer.lr) == before


@pytest.mark.parametrize(
    ("make", "change", "message"),
    [
        (lambda o: O.ExponentialLR(o, 1.5), {"base": 1.7e308, "steps": 3}, "3 steps it is inf"),
        (
            lambda o: O.LambdaLR(o, lambda n: [1, 0.5][n]),
            {"steps": 5000},
            "list index out of range",
        ),
        (lambda o: O.LambdaLR(o, lambda n: [1, "half"][n]), {"steps": 1}, "can't multiply"),
        (
            lambda o: O.SequentialLR(o, [O.LinearLR(o), O.ExponentialLR(o, 1.5)], [1]),
            {"base": 1.7e308, "steps": 5},
            "after 5 steps it is inf",
        ),
    ],
)
def test_a_schedule_takes_no_state_in_which_it_has_no_rate(path, make, change, message):
    schedule = make(O.SGD(lr=0.5))
    parts = [schedule, *getattr(schedule, "schedulers", [])]
    before = [part.state_dict() for part in parts], schedule.optimizer.lr
    save_checkpoint(path, schedule=schedule)
    rewrite_header(path, lambda header: header["parts"]["schedule"].update(change))
    with pytest.raises(ValueError, match=f"'schedule' of .* has no rate: .*{message}"):
        load_checkpoint(path, schedule=schedule)
    assert ([part.state_dict() for part in parts], schedule.optimizer.lr) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("iteration", value) for value in (-1, 99, 0.5, NAN, "1", None)),
        ("data_size", "7"),
        ("batch_size", INF),
        ("rng", "{}"),
        ("rng", 3),
    ],
)
def test_numbers_of_a_loader_are_checked(path, name, value):
    loader = DataLoader([(n, n) for n in range(7)], 2, seed=0)
    save_checkpoint(path, loader=loader)
    rewrite_header(path, lambda header: header["parts"]["loader"].update({name: value}))
    before = str(loader.state_dict())
    with pytest.raises(ValueError, match=r"'loader' of .* does not fit"):
        load_checkpoint(path, loader=loader)
    assert str(loader.state_dict()) == before


@pytest.mark.parametrize(
    "index", [np.arange(7) + 0.5, np.zeros(7, int), np.arange(8), np.arange(7).reshape(7, 1), "a"]
)
def test_the_order_of_a_loader_has_each_item_once(path, index):
    loader = DataLoader([(n, n) for n in range(7)], 2, seed=0)
    save_checkpoint(path, loader=loader)
    rewrite(path, {"loader/index.npy": npy(np.array(index))})
    with pytest.raises(ValueError, match="index must hold each of the 7 items once"):
        load_checkpoint(path, loader=loader)


GENERATORS = {
    "RandomState": lambda: np.random.RandomState(0),
    "RandomState of PCG64": lambda: np.random.RandomState(np.random.PCG64(0)),
    **{
        kind.__name__: lambda kind=kind: np.random.Generator(kind(0))
        for kind in (
            *(np.random.MT19937, np.random.PCG64, np.random.PCG64DXSM),
            *(np.random.Philox, np.random.SFC64),
        )
    },
}
WRONG = {
    "pos": [-1, 625, 10**8, 1.0, "3", True, None],
    "buffer_pos": [-1, 5, 0.5],
    "has_uint32": [2, -1, NAN],
    "uinteger": [2**32, -1, "1"],
    "has_gauss": [2, -1, 0.0],
    "gauss": [NAN, INF, "0", 1],
    "inc": [2**128, -1, 1.0, 0, 2**64],
    "key": [
        [0] * 624,
        [2**31 - 1] + [0] * 623,
        [1],
        [-1] * 624,
        [2**32] * 624,
        [0.5] * 624,
        3,
        [2**64] * 2,
    ],
    "counter": [[0] * 3, [2**64, 0, 0, 0]],
    "buffer": [[0] * 5, [None] * 4],
    "state": [[0] * 5, [2**64, 0, 0, 0], 2**128, {}, None],
    "bit_generator": ["PCG", None, []],
}


def places(state):
    """Return the dicts in a state that have a number or words to be changed."""
    yield state
    if isinstance(state.get("state"), dict):
        yield state["state"]


CASES = [
    (kind, name, depth, value)
    for kind, make in GENERATORS.items()
    for depth, place in enumerate(places(json.loads(generator_as_text(make()))))
    for name in place
    for value in WRONG[name]
]


@pytest.mark.parametrize(("kind", "name", "depth", "value"), CASES)
def test_states_that_no_generator_is_ever_in_are_refused(kind, name, depth, value):
    rng = GENERATORS[kind]()
    before = generator_as_text(rng)
    state = json.loads(before)
    list(places(state))[depth][name] = value
    with pytest.raises(ValueError, match=r"is ever in this state|the state is of a"):
        set_generator(rng, json.dumps(state), "test")
    assert generator_as_text(rng) == before


@pytest.mark.parametrize("kind", GENERATORS)
def test_states_at_the_ends_of_their_ranges_are_taken(kind):
    rng = GENERATORS[kind]()
    state = json.loads(generator_as_text(rng))
    lasts = {"pos": 624, "buffer_pos": 4, "has_uint32": 1, "uinteger": 2**32 - 1, "has_gauss": 1}
    for place in places(state):
        place.update({name: last for name, last in lasts.items() if name in place})
    set_generator(rng, json.dumps(state), "test")
    assert json.loads(generator_as_text(rng)) == state


@pytest.mark.parametrize("text", ["", "[", "3", "[]", "{}", "[" * 10**5, None, 3])
def test_texts_that_are_no_state_are_refused(text):
    with pytest.raises(ValueError, match="mine: this is no state of a generator"):
        set_generator(np.random.default_rng(0), text, "mine")


@pytest.mark.parametrize("where", ["np.random", "rng", "model"])
def test_a_position_beyond_the_words_of_the_twister_is_refused_in_every_part(path, where):
    rng = np.random.RandomState(0)
    model = Sequential(Linear(2, in_size=2), Dropout(rng=np.random.Generator(np.random.MT19937())))
    parts = {"rng": rng, "model": model}
    save_checkpoint(path, **parts)

    def change(header):
        holder = header if where == "np.random" else header["parts"][where]
        key = {"np.random": where, "rng": "generator ", "model": "generator l1/rng"}[where]
        holder[key] = re.sub('"pos": [0-9]+', '"pos": 100000000', holder[key])

    rewrite_header(path, change)
    model.layers[0].W.data[:] = 1.0
    with pytest.raises(ValueError, match="'pos' is damaged: no such generator is ever in this s"):
        load_checkpoint(path, **parts)
    assert (model.layers[0].W.data == 1.0).all()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("W", None, "'W' is None in the file, and not an array"),
        ("W", 3, "'W' is 3 in the file, and not an array"),
        ("rate", "x", "'rate' is 'x' in the file, and not an array"),
    ],
)
def test_numbers_and_texts_are_no_arrays_of_a_layer(path, key, value, message):
    layer = Linear(2, in_size=2)
    layer.rate = State(np.ones(1))
    save_checkpoint(path, model=layer)
    change = {"parts": {"model": {key: value}}}
    rewrite_header(path, lambda header: header.update(change), without=[f"model/{key}.npy"])
    with pytest.raises(ValueError, match=message):
        load_checkpoint(path, model=layer)


@pytest.mark.parametrize("dtype", ["U3", "i4", "?"])
def test_a_parameter_without_data_takes_arrays_of_floats_alone(path, dtype):
    save_checkpoint(path, model=Linear(4, nobias=True, in_size=3))
    rewrite(path, {"model/W.npy": npy(np.zeros((3, 4), dtype))})
    lazy = Linear(4, nobias=True)
    with pytest.raises(ValueError, match=r"'W' takes numbers, got .* in the file"):
        load_checkpoint(path, model=lazy)
    assert lazy.W.data is None
    holder = Layer()
    holder.layers = [lazy]
    np.savez(path, **{"layers/0/W": np.zeros((3, 4), dtype)})
    with pytest.raises(ValueError, match=r"layers/0/W takes numbers, got .* in the file"):
        holder.load_weights(path)
    assert lazy.W.data is None
