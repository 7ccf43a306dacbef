"""save_weights and load_weights: what is saved is loaded, and what does not fit changes nothing."""

import os
import tempfile
import zipfile

import numpy as np
import pytest
from dezero_nn.layers import (
    BatchNorm,
    Conv2d,
    Deconv2d,
    Layer,
    LayerNorm,
    Linear,
    State,
)
from dezero_nn.models import MLP

from dezero_core import Parameter
from dezero_nn import Model


class Net(Model):
    def __init__(self, size=3, seed=0, dtype=np.float32, in_size=2):
        rng = np.random.default_rng(seed)
        self.l1 = Linear(size, in_size=in_size, rng=rng, dtype=dtype)
        self.bn = BatchNorm(in_size=size, dtype=dtype)

    def forward(self, x):
        return self.bn(self.l1(x))


class Holder(Layer):
    def __init__(self, **attributes):
        vars(self).update(attributes)


def data(layer):
    return {name: variable.data.copy() for name, variable in layer.variables()}


def assert_equal(layer, expected):
    found = data(layer)
    assert list(found) == list(expected)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name, strict=True)


@pytest.fixture
def saved(tmp_path):
    """A model that was called once, so that its running means have changed, and its file."""
    model = Net()
    model(np.ones((2, 2), np.float32) * [[1.0], [2.0]])
    model.save_weights(tmp_path / "weights.npz")
    return model, tmp_path / "weights.npz"


def test_parameters_and_running_means_come_back_to_the_bit(saved):
    model, path = saved
    other = Net(seed=1)
    other.load_weights(path)
    assert np.any(model.bn.avg_mean.data != 0)
    assert_equal(other, data(model))


def test_a_file_is_what_numpy_reads_by_the_names_of_the_book(saved):
    model, path = saved
    with np.load(path, allow_pickle=False) as file:
        assert sorted(file) == ["bn/avg_mean", "bn/avg_var", "bn/beta", "bn/gamma", "l1/W", "l1/b"]
        np.testing.assert_array_equal(file["l1/W"], model.l1.W.data, strict=True)


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_a_file_that_numpy_wrote_is_loaded(tmp_path, write):
    model = Net(seed=2)
    write(tmp_path / "by_numpy", **data(model))
    other = Net()
    other.load_weights(tmp_path / "by_numpy")
    assert_equal(other, data(model))


@pytest.mark.parametrize("name", ["weights", "weights.npz", "weights.v2"])
def test_what_is_saved_under_a_path_is_found_under_the_same_path(tmp_path, name):
    model, other = Net(), Net(seed=1)
    model.save_weights(str(tmp_path / name))
    other.load_weights(str(tmp_path / name))
    assert_equal(other, data(model))
    assert [file.suffix for file in tmp_path.iterdir()] == [".npz"]


def test_parameters_without_data_take_those_of_the_file(tmp_path):
    model = MLP((3, 1), in_size=2)
    model.save_weights(tmp_path / "mlp")
    lazy = MLP((3, 1))
    lazy.load_weights(tmp_path / "mlp")
    assert_equal(lazy, data(model))
    x = np.ones((4, 2), np.float32)
    np.testing.assert_array_equal(lazy(x).data, model(x).data)
    with pytest.raises(ValueError, match="in_size 2, got one of shape"):
        lazy(np.ones((4, 3), np.float32))


@pytest.mark.parametrize(
    ("make", "W", "message"),
    [
        (
            lambda: Linear(9, nobias=True),
            (3, 4),
            r"W needs shape \(\?, 9\), got \(3, 4\) in the file",
        ),
        (lambda: Linear(4, nobias=True), (4,), r"\(\?, 4\), got \(4,\) in the file"),
        (lambda: Conv2d(4, 1, nobias=True), (4, 2, 3, 3), r"\(4, \?, 1, 1\), got \(4, 2, 3, 3\)"),
        (lambda: Deconv2d(4, 1, nobias=True), (4, 2, 1, 1), r"\(\?, 4, 1, 1\), got .* in the file"),
    ],
)
def test_parameters_without_data_take_no_weights_of_another_layer(tmp_path, make, W, message):  # noqa: N803
    model = Holder(layers=[make()])
    np.savez(tmp_path / "other.npz", **{"layers/0/W": np.ones(W, np.float32)})
    with pytest.raises(ValueError, match=message):
        model.load_weights(tmp_path / "other")
    assert model.layers[0].W.data is None


@pytest.mark.parametrize("make", [BatchNorm, LayerNorm])
def test_a_scale_without_data_takes_no_matrix(tmp_path, make):
    layer = make()
    np.savez(tmp_path / "other.npz", **{name: np.ones((2, 2)) for name, _ in layer.variables()})
    with pytest.raises(ValueError, match=r"gamma needs shape \(\?,\), got \(2, 2\) in the file"):
        layer.load_weights(tmp_path / "other")


def test_a_layer_that_is_used_twice_takes_its_weights_once(tmp_path):
    layer = Linear(3)
    model = Holder(first=layer, second=layer)
    np.savez(tmp_path / "once.npz", **{"first/W": np.ones((2, 3)), "first/b": np.ones(3)})
    model.load_weights(tmp_path / "once")
    assert layer.W.shape == (2, 3)


def test_a_model_whose_parameters_have_no_data_is_not_saved(tmp_path):
    model = MLP((3, 1))
    model.layers[0] = Linear(3, in_size=2)
    with pytest.raises(ValueError, match=r"l1/W has no data yet, so nothing was saved"):
        model.save_weights(tmp_path / "lazy")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_named(tmp_path):
    file = tmp_path / "runs" / "net.npz"
    with pytest.raises(FileNotFoundError, match=r"net\.npz cannot be written: .* os\.makedirs\('"):
        Net().save_weights(file)


def test_a_file_that_does_not_fit_names_each_difference_and_changes_nothing(tmp_path):
    model = Holder(a=Parameter(np.ones(2)), b=State(np.ones((1, 3))), c=Parameter(np.ones(1)))
    np.savez(tmp_path / "other.npz", a=np.zeros(2), b=np.zeros((3, 1)), d=np.zeros(1))
    before = data(model)
    with pytest.raises(ValueError, match="do not fit this model, and nothing was changed") as info:
        model.load_weights(tmp_path / "other")
    assert "b needs shape (1, 3), got (3, 1) in the file" in str(info.value)
    assert "c is not in the file" in str(info.value)
    assert "d is only in the file" in str(info.value)
    assert_equal(model, before)


def test_data_are_converted_to_the_dtype_of_the_parameter_but_not_made_real(tmp_path):
    model = Holder(a=Parameter(np.ones(2, np.float32)))
    np.savez(tmp_path / "wide.npz", a=np.array([0.5, 0.25]))
    model.load_weights(tmp_path / "wide")
    np.testing.assert_array_equal(model.a.data, np.array([0.5, 0.25], np.float32), strict=True)
    np.savez(tmp_path / "complex.npz", a=np.array([1j, 2.0]))
    with pytest.raises(ValueError, match="a needs float32, got complex128 in the file"):
        model.load_weights(tmp_path / "complex")


def test_names_that_would_be_the_same_in_a_file_are_refused(tmp_path):
    model = Holder(a={"b/c": Parameter(np.ones(1)), "b": {"c": Parameter(np.zeros(1))}})
    with pytest.raises(ValueError, match="two parameters named 'a/b/c'"):
        model.save_weights(tmp_path / "twice")
    with pytest.raises(ValueError, match="two parameters named 'a/b/c'"):
        model.load_weights(tmp_path / "twice")
    assert not list(tmp_path.iterdir())


def test_a_parameter_may_be_called_as_an_argument_of_savez(tmp_path):
    model = Holder(file=Parameter(np.ones(1)), allow_pickle=Parameter(np.ones(2)))
    model.save_weights(tmp_path / "names")
    model.file.data = np.zeros(1)
    model.load_weights(tmp_path / "names")
    assert_equal(model, {"file": np.ones(1), "allow_pickle": np.ones(2)})


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing\.npz"):
        Net().load_weights(tmp_path / "missing")


def test_files_that_are_cut_off_or_of_another_kind_are_refused(saved):
    _, path = saved
    content = path.read_bytes()
    model = Net(seed=1)
    before = data(model)
    flipped = bytearray(content)
    flipped[content.index(b"NUMPY") + 120] ^= 0xFF
    for wrong in (content[:100], content[:-30], b"", b"no zip file at all", bytes(flipped)):
        path.write_bytes(wrong)
        with pytest.raises(ValueError, match="is not a file of weights, or is cut off"):
            model.load_weights(path)
        assert_equal(model, before)


def test_a_file_with_a_pickle_is_refused_unread(tmp_path):
    class Harm:
        def __reduce__(self):
            return os.abort, ()

    array = np.empty(1, object)
    array[0] = Harm()
    np.savez(tmp_path / "harm.npz", a=array)
    with pytest.raises(ValueError, match="is not a file of weights"):
        Holder(a=Parameter(None)).load_weights(tmp_path / "harm")


def test_an_interrupted_save_leaves_the_old_file_whole(saved, monkeypatch):
    model, path = saved
    before = path.read_bytes()
    calls = []

    def interrupted(*args, **kwargs):
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return write(*args, **kwargs)

    write = np.lib.format.write_array
    monkeypatch.setattr(np.lib.format, "write_array", interrupted)
    model.l1.W.data = model.l1.W.data + 1
    with pytest.raises(KeyboardInterrupt):
        model.save_weights(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_new_file_takes_the_place_of_the_old_one_in_one_move(saved, monkeypatch):
    model, path = saved
    before = path.read_bytes()
    os.link(path, path.with_name("linked.npz"))  # another name of the old file
    monkeypatch.setattr(tempfile, "tempdir", str(path.with_name("another disk")))
    model.l1.W.data = model.l1.W.data + 1
    model.save_weights(path)
    assert path.read_bytes() != before
    assert path.with_name("linked.npz").read_bytes() == before


def test_a_file_is_written_anew_with_the_permissions_of_any_new_file(saved):
    model, path = saved
    plain = path.with_name("plain")
    plain.touch()
    model.save_weights(path)
    assert path.stat().st_mode == plain.stat().st_mode
    assert zipfile.is_zipfile(path)
