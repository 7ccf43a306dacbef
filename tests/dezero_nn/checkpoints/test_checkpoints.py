"""Checkpoints: what a file has, what does not fit, and that a failure changes nothing."""

import json
import os

import numpy as np
import pytest
from dezero_nn.layers import BatchNorm, Dropout, Linear, State
from dezero_nn.models import Sequential

from dezero_core import Parameter
from dezero_nn import DataLoader, Layer, Model, load_checkpoint, save_checkpoint
from dezero_nn import functions as F  # noqa: N812
from dezero_nn import optimizers as O  # noqa: N812


class Net(Model):
    """A model with parameters, States, and generators, one of which two layers share."""

    def __init__(self, hidden=4, seed=0, drop=np.random.PCG64, dtype=np.float32):
        rng, shared = np.random.default_rng(seed), np.random.Generator(drop(seed))
        self.first = Linear(hidden, in_size=3, rng=rng, dtype=dtype)
        self.norm = BatchNorm()
        self.drops = {"a": Dropout(rng=shared), "b": [Dropout(rng=shared), Dropout()]}
        self.last = Linear(2, in_size=hidden, dtype=dtype)

    def forward(self, x):
        y = self.drops["a"](self.norm(self.first(x)))
        for drop in self.drops["b"]:
            y = drop(y)
        return self.last(F.relu(y))


class Training:
    """All parts of a training, begun by a few steps."""

    def __init__(self, seed=0, steps=3, make=O.Adam, batch=5, **arguments):
        self.model = Net(seed=seed, **arguments)
        self.optimizer = make().setup(self.model)
        self.schedule = O.CosineAnnealingLR(self.optimizer, 20)
        rng = np.random.default_rng(0)
        pairs = [(rng.normal(size=3).astype("f"), n % 2) for n in range(17)]
        self.loader = DataLoader(pairs, batch, seed=seed)
        self.noise, self.old = np.random.default_rng(seed), np.random.RandomState(seed)
        self.steps(steps)

    def steps(self, count):
        done = 0
        while done < count:
            try:
                x, t = next(self.loader)
            except StopIteration:
                continue
            x = x + self.noise.normal(size=x.shape) * 0.1 + self.old.normal() * 0.1
            loss = F.softmax_cross_entropy(self.model(x), t)
            self.model.cleargrads()
            loss.backward()
            self.optimizer.update()
            self.schedule.step()
            done += 1
        return self

    @property
    def parts(self):
        return vars(self)

    def bits(self):
        """Return everything that a checkpoint is to have, and that has changed since."""
        rngs = self.noise.bit_generator.state, self.old.get_state(legacy=False)
        drawn = self.model.drops["a"].rng.bit_generator.state
        arrays = [(name, each.data.tobytes()) for name, each in self.model.variables()]
        states = [
            None if state.data is None else state.data.tobytes()
            for param in self.model.params()
            for state in self.optimizer.states_of(param)
        ]
        numbers = self.optimizer.t, repr(self.optimizer), self.schedule.state_dict()
        loader = {k: str(v) for k, v in self.loader.state_dict().items()}
        everything = np.random.get_state(legacy=False)
        return str((rngs, drawn, states, numbers, loader, everything)), arrays


@pytest.fixture(autouse=True)
def global_state():
    """Put the state of ``np.random`` back."""
    state = np.random.get_state()
    np.random.seed(0)
    yield
    np.random.set_state(state)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "training.npz"


@pytest.mark.parametrize("make", [O.SGD, O.MomentumSGD, O.AdaDelta, O.Adam, O.AdamW])
def test_a_training_goes_on_with_the_same_bits(path, make):
    training = Training(make=make)
    save_checkpoint(path, **training.parts)
    wanted = training.steps(6).bits()
    other = Training(seed=7, steps=1, make=make)
    np.random.seed(99)
    load_checkpoint(path, **other.parts)
    assert other.steps(6).bits() == wanted


def test_saving_changes_nothing(path):
    training = Training()
    before = training.bits()
    save_checkpoint(path, **training.parts)
    assert training.bits() == before


def test_a_lazy_model_and_its_optimizer_take_what_the_file_has(path):
    x = np.ones((2, 3), np.float32)
    model = Linear(2)
    optimizer = O.Adam().setup(model)
    np.sum(model(x)).backward()
    optimizer.update()
    save_checkpoint(path, model=model, optimizer=optimizer)
    other = Linear(2)
    load_checkpoint(path, model=other, optimizer=O.Adam().setup(other))
    np.testing.assert_array_equal(other(x).data, model(x).data)


def test_a_lazy_model_takes_no_weights_of_another_shape(path):
    save_checkpoint(path, model=Linear(4, nobias=True, in_size=3))
    other = Linear(9, nobias=True)
    with pytest.raises(ValueError, match=r"'W' needs shape \(\?, 9\), got \(3, 4\) in the file"):
        load_checkpoint(path, model=other)
    assert other.W.data is None


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*runs\. Make it before"):
        save_checkpoint(tmp_path / "runs" / "training", epoch=1)


def test_the_arrays_of_a_model_stay_the_same_ones(path):
    model = Net()
    model(np.ones((4, 3), np.float32))
    held = model.first.W.data
    wanted = held.copy()
    save_checkpoint(path, model=model)
    held[:] = 0.0
    load_checkpoint(path, model=model)
    assert model.first.W.data is held
    np.testing.assert_array_equal(held, wanted)


def test_numbers_and_texts_come_back_as_they_were(path):
    values = {"epoch": 3, "best": float("inf"), "note": "ä'\n", "done": False, "small": 0.1}
    save_checkpoint(path, **values, rate=np.float32(0.5))
    got = load_checkpoint(path)
    assert got == values | {"rate": 0.5}
    assert [type(x) for x in got.values()] == [int, float, str, bool, float, float]


def test_a_model_can_be_loaded_alone(path):
    training = Training()
    save_checkpoint(path, **training.parts, epoch=3)
    other = Training(seed=5)
    before = other.optimizer.state_dict()["m/first/W"].copy()
    assert load_checkpoint(path, model=other.model) == {"epoch": 3}
    np.testing.assert_array_equal(other.model.first.W.data, training.model.first.W.data)
    np.testing.assert_array_equal(other.optimizer.state_dict()["m/first/W"], before)


class Counter:
    """A part of a user's, with the two methods."""

    def __init__(self, state):
        self.state = state

    def state_dict(self):
        return self.state

    def load_state_dict(self, state):
        self.loaded = state


def test_any_object_with_the_two_methods_is_a_part(path):
    state = {"n": 2**70, "x/y": np.arange(3), "t": np.array("b"), "z": np.int8(4), "none": None}
    save_checkpoint(path, counter=Counter(state))
    counter = Counter({})
    load_checkpoint(path, counter=counter)
    assert counter.loaded.keys() == state.keys()
    assert [counter.loaded[key] for key in ("n", "z", "none")] == [2**70, 4, None]
    np.testing.assert_array_equal(counter.loaded["x/y"], np.arange(3))
    assert counter.loaded["t"] == "b"


def test_a_state_without_data_is_saved_as_such(path):
    layer = Layer()
    layer.empty, layer.full = State(None), State(np.ones(2))
    save_checkpoint(path, layer=layer)
    layer.empty.data, layer.full.data = np.ones(1), None
    load_checkpoint(path, layer=layer)
    assert layer.empty.data is None
    np.testing.assert_array_equal(layer.full.data, 1.0)


def test_the_ending_is_added_as_by_numpy(tmp_path):
    save_checkpoint(tmp_path / "a.b", epoch=1)
    assert [file.name for file in tmp_path.iterdir()] == ["a.b.npz"]
    assert load_checkpoint(str(tmp_path / "a.b")) == {"epoch": 1}
    assert load_checkpoint(tmp_path / "a.b.npz") == {"epoch": 1}


def test_a_file_has_no_pickle(path):
    save_checkpoint(path, **Training().parts)
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    assert "model/first/W" in arrays
    assert json.loads(str(arrays["checkpoint"]))["parts"]["schedule"]["steps"] == 3


def test_an_interrupt_leaves_the_old_file_whole(path, monkeypatch):
    save_checkpoint(path, epoch=1)

    def interrupted(stream, array, **options):
        stream.write(b"half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(path, epoch=2)
    assert os.listdir(path.parent) == [path.name]
    assert load_checkpoint(path) == {"epoch": 1}


LAZY, NAMESAKES = Linear(2), Layer()
NAMESAKES.a = {"b/c": Parameter(np.ones(1)), "b": {"c": Parameter(np.ones(1))}}


@pytest.mark.parametrize(
    ("part", "error", "message"),
    [
        (LAZY, ValueError, r"save_checkpoint: part/W has no data yet\. Call the model once"),
        (NAMESAKES, ValueError, r"save_checkpoint: part has two parameters with the name 'a/b/c'"),
        ([1, 2], TypeError, r"save_checkpoint: 'part' is of <class 'list'>\. Parts are layers"),
        (O.Adam(), RuntimeError, r"Adam\.state_dict needs a model"),
        (Counter({"a": object()}), TypeError, r"save_checkpoint: part/a is of <class 'object'>"),
        (Counter({"a": np.array([None])}), TypeError, r"part/a is of <class 'numpy.ndarray'>"),
    ],
)
def test_what_cannot_be_saved_leaves_no_file(path, part, error, message):
    with pytest.raises(error, match=message):
        save_checkpoint(path, part=part)
    assert not os.listdir(path.parent)


@pytest.mark.parametrize(("name", "key"), [("a/b", "x"), ("a", ""), ("a", "x\0y"), ("a\0", "x")])
def test_arrays_that_could_not_be_found_again_leave_no_file(path, name, key):
    with pytest.raises(ValueError, match=r"save_checkpoint: an array .* cannot be found again"):
        save_checkpoint(path, **{name: Counter({key: np.ones(2)})})
    assert not os.listdir(path.parent)
    save_checkpoint(path, **{"a/b": 5, "": Counter({"x.npy": np.ones(2)})})
    part = Counter({})
    assert load_checkpoint(path, **{"": part}) == {"a/b": 5}
    np.testing.assert_array_equal(part.loaded["x.npy"], np.ones(2))


def spoiled(other, **changes):
    """Change attributes of a training before it is loaded."""
    for name, value in changes.items():
        setattr(other, name, value)
    return other


DIFFERENT = {
    "the sizes of layers": (
        lambda: Training(hidden=5),
        r"'model' of .*training\.npz does not fit, and nothing was changed\. "
        r"'first/W' is float32\[3, 5\] here, but float32\[3, 4\] in the file",
    ),
    "dtypes": (
        lambda: Training(dtype=np.float64),
        r"'first/W' is float64\[3, 4\] here, but float32\[3, 4\] in the file",
    ),
    "the model": (
        lambda: spoiled(Training(), model=Linear(2, in_size=3)),
        r"'W' is not in the file, and 1 more",
    ),
    "parameters of the file alone": (
        lambda: spoiled(Training(), model=Layer()),
        r"'first/W' is in the file, and not in the model, and \d more",
    ),
    "the generator of a dropout": (
        lambda: Training(drop=np.random.MT19937),
        r"drops/a/rng: the state is of a PCG64, but the generator is a MT19937",
    ),
    "a generator": (
        lambda: spoiled(Training(), noise=np.random.Generator(np.random.Philox())),
        r"'noise' .* noise: the state is of a PCG64, but the generator is a Philox",
    ),
    "another kind of part": (
        lambda: spoiled(Training(), schedule=np.random.default_rng()),
        r"'schedule' is a generator here, but not in the file",
    ),
    "the optimizer": (
        lambda: Training(make=O.AdamW),
        r"'optimizer' .* the class of this optimizer is 'AdamW', but .* has 'Adam'",
    ),
    "the schedule": (
        lambda: (other := Training()) and spoiled(other, schedule=O.StepLR(other.optimizer, 3)),
        r"'schedule' .* the schedule is StepLR here, but the saved one is CosineAnnealingLR",
    ),
    "the loader": (
        lambda: Training(batch=4),
        r"'loader' .* batch_size 4, but the given state has 5",
    ),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_a_file_that_does_not_fit_says_what_differs_and_changes_nothing(path, what):
    make, message = DIFFERENT[what]
    save_checkpoint(path, **Training(steps=5).parts)
    other = make()
    is_whole = isinstance(other.model, Net) and hasattr(other.schedule, "state_dict")
    before = other.bits() if is_whole else None
    with pytest.raises(ValueError, match=message):
        load_checkpoint(path, **other.parts)
    assert before is None or other.bits() == before


def test_read_only_parameters_are_refused(path):
    model = Linear(2, in_size=3)
    save_checkpoint(path, model=model)
    model.b.data.setflags(write=False)
    model.W.data[:] = 0.0
    with pytest.raises(ValueError, match=r"'b' holds a read-only array here"):
        load_checkpoint(path, model=model)
    assert not model.W.data.any()


@pytest.mark.parametrize("error", [ValueError, KeyError, KeyboardInterrupt])
def test_parts_that_were_loaded_before_one_that_fails_are_put_back(path, error):
    class Failing(Counter):
        def load_state_dict(self, state):
            if state:
                raise error("it does not fit")

    training = Training(steps=4)
    save_checkpoint(path, **training.parts, failing=Counter({"n": 1}))
    other = Training(seed=3)
    before, loader = other.bits(), dict(vars(other.loader))
    wanted = ValueError if issubclass(error, LookupError) else error
    with pytest.raises(wanted, match="it does not fit"):
        load_checkpoint(path, **other.parts, failing=Failing({}))
    assert other.bits() == before
    for name, value in vars(other.loader).items():
        assert value is loader[name] or np.array_equal(value, loader[name]), name


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        (
            {"net": Linear(2)},
            ValueError,
            r"training\.npz has no part 'net'\. Its parts are epoch\.",
        ),
        ({"epoch": 3}, TypeError, r"'epoch' is of <class 'int'>.*load_checkpoint returns them"),
    ],
)
def test_parts_that_the_file_has_not(path, parts, error, message):
    save_checkpoint(path, epoch=1)
    with pytest.raises(error, match=message):
        load_checkpoint(path, **parts)


def test_a_missing_file_is_not_found(path):
    with pytest.raises(FileNotFoundError):
        load_checkpoint(path)


def weights(path):
    np.savez(path, a=np.ones(3))


def objects(path):
    np.savez(path, checkpoint=np.array([{}]))


def cut(path):
    save_checkpoint(path, **Training().parts)
    path.write_bytes(path.read_bytes()[:-200])


def flipped(path):
    training = Training()
    save_checkpoint(path, **training.parts)
    content = bytearray(path.read_bytes())
    content[content.index(training.model.first.W.data.tobytes())] ^= 1
    path.write_bytes(bytes(content))


def other_header(path):
    np.savez(path, checkpoint=np.array('{"parts": 3}'))


@pytest.mark.parametrize(
    "spoil",
    [
        *(weights, objects, cut, flipped, other_header),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no file of arrays"),
        lambda path: np.save(path.open("wb"), np.ones(3)),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_damaged_file_or_another_one_is_refused(path, spoil):
    spoil(path)
    with pytest.raises(ValueError, match=r"training\.npz is no checkpoint, or is damaged \("):
        load_checkpoint(path, model=Net())


def test_a_file_of_a_later_format_is_refused(path):
    save_checkpoint(path, epoch=1)
    with np.load(path) as file:
        header = json.loads(str(file["checkpoint"])) | {"format": 99}
    np.savez(path, checkpoint=np.array(json.dumps(header)))
    with pytest.raises(ValueError, match="is of format 99, and this version of dezero-nn reads fo"):
        load_checkpoint(path)


def test_generators_have_the_names_that_variables_have(path):
    model = Sequential(Linear(2, in_size=2), Dropout(rng=np.random.default_rng(0)))
    save_checkpoint(path, model=model)
    with np.load(path) as file:
        state = json.loads(str(file["checkpoint"]))["parts"]["model"]
    assert list(state) == ["generator l1/rng"]
