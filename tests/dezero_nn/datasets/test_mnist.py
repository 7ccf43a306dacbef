"""MNIST, from small files in the format of the source."""

import gzip
import struct

import numpy as np
import pytest
from dezero_nn.datasets import MNIST

IMAGES = np.random.default_rng(0).integers(0, 256, (7, 28, 28), np.uint8)
LABELS = np.array([3, 1, 4, 1, 5, 9, 2], np.uint8)
NAMES = {
    True: ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    False: ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}


def idx(array, magic=None):
    """Return the bytes of an IDX file."""
    header = struct.pack(f">{1 + array.ndim}I", magic or 0x800 + array.ndim, *array.shape)
    return header + array.tobytes()


def write(folder, train=True, zipped=False, images=IMAGES, labels=LABELS):
    for name, array in zip(NAMES[train], (images, labels), strict=True):
        raw = idx(array)
        path = folder / (f"{name}.gz" if zipped else name)
        path.write_bytes(gzip.compress(raw) if zipped else raw)


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("zipped", [True, False])
def test_images_and_labels_are_read_from_the_files(tmp_path, train, zipped):
    write(tmp_path, train, zipped)
    mnist = MNIST(train=train, root=tmp_path)
    assert len(mnist) == 7
    assert mnist.data.shape == (7, 1, 28, 28)
    assert (mnist.data.dtype, mnist.label.dtype) == (np.uint8, np.int64)
    np.testing.assert_array_equal(mnist.data[:, 0], IMAGES)
    np.testing.assert_array_equal(mnist.label, LABELS)
    mnist.data[0] = 0  # an own array, which can be changed


def test_an_item_is_flat_from_0_to_1_as_in_the_book(tmp_path):
    write(tmp_path)
    x, t = MNIST(root=tmp_path)[5]
    assert x.dtype == np.float32
    np.testing.assert_array_equal(x, IMAGES[5].reshape(784).astype(np.float32) / np.float32(255))
    assert t == 9


def test_without_a_transform_an_item_is_the_image(tmp_path):
    write(tmp_path)
    x, _ = MNIST(root=tmp_path, transform=None)[5]
    np.testing.assert_array_equal(x, IMAGES[5:6])


def test_the_folder_is_named_by_the_environment_or_is_in_the_home(tmp_path, monkeypatch):
    (tmp_path / ".dezero").mkdir()
    write(tmp_path / ".dezero")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("DEZERO_DATA", raising=False)
    assert len(MNIST()) == 7
    assert len(MNIST(root="~/.dezero")) == 7
    (tmp_path / "other").mkdir()
    write(tmp_path / "other", images=IMAGES[:2], labels=LABELS[:2])
    monkeypatch.setenv("DEZERO_DATA", str(tmp_path / "other"))
    assert len(MNIST()) == 2
    assert len(MNIST(root=tmp_path / ".dezero")) == 7


def test_labels_have_names():
    assert MNIST.labels()[7] == "7"
    assert len(MNIST.labels()) == 10


def test_a_missing_file_says_which_and_where_and_whence(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        MNIST(root=tmp_path)
    for part in (*NAMES[True][:1], str(tmp_path), "DEZERO_DATA", "Nothing is"):
        assert part in str(caught.value)
    # The authors' own site serves the files no more; these two do.
    for mirror in ("ossci-datasets.s3.amazonaws.com", "storage.googleapis.com/cvdf-datasets"):
        assert f"https://{mirror}/mnist/" in str(caught.value)
    write(tmp_path)
    (tmp_path / NAMES[True][1]).unlink()
    with pytest.raises(FileNotFoundError, match="train-labels-idx1-ubyte"):
        MNIST(root=tmp_path)
    with pytest.raises(FileNotFoundError, match="t10k-images-idx3-ubyte"):
        MNIST(train=False, root=tmp_path)


def overwrite(folder, raw, place=0):
    path = folder / NAMES[True][place]
    path.write_bytes(raw)
    return path


@pytest.mark.parametrize(
    ("raw", "begins"), [(idx(LABELS), 0x801), (b"", 0), (b"\x00\x00", 0), (b"<htm", 0x3C68746D)]
)
def test_another_file_under_the_name_is_told_by_its_first_number(tmp_path, raw, begins):
    write(tmp_path)
    path = overwrite(tmp_path, raw)
    with pytest.raises(
        ValueError, match=f"{path.name} must begin with .*2051.*begins with {begins}"
    ):
        MNIST(root=tmp_path)


@pytest.mark.parametrize("cut", [-1, -28 * 28, 16, 12, 5, 4])
def test_a_file_that_is_cut_is_refused_with_both_numbers(tmp_path, cut):
    write(tmp_path)
    raw = idx(IMAGES)[:cut]
    path = overwrite(tmp_path, raw)
    with pytest.raises(ValueError, match=rf"{path.name} must have \d+ bytes.* has {len(raw)}"):
        MNIST(root=tmp_path)


def test_a_file_that_is_too_long_is_refused(tmp_path):
    write(tmp_path)
    overwrite(tmp_path, idx(LABELS) + b"\x00", place=1)
    with pytest.raises(ValueError, match=r"must have 15 bytes .* but has 16"):
        MNIST(root=tmp_path)


def test_images_of_another_size_are_refused(tmp_path):
    write(tmp_path, images=IMAGES[:, :14])
    with pytest.raises(ValueError, match=r"28 x 28 pixels, not \(14, 28\)"):
        MNIST(root=tmp_path)


def test_images_and_labels_that_do_not_belong_together_are_refused(tmp_path):
    write(tmp_path, labels=LABELS[:5])
    with pytest.raises(ValueError, match="7 images and 5 labels"):
        MNIST(root=tmp_path)


def broken(raw):
    """Return a gzip file of these bytes in four states that are none."""
    whole = gzip.compress(raw)
    garbled = [whole[:n] + b"\xff" * 40 + whole[n + 40 :] for n in (10, 30)]
    return [whole[:-20], b"no gzip" + whole, *garbled]


@pytest.mark.parametrize("raw", broken(idx(IMAGES)), ids=["cut", "other", "no deflate", "garbled"])
def test_a_gzip_file_that_is_not_whole_is_refused(tmp_path, raw):
    write(tmp_path, zipped=True)
    path = tmp_path / f"{NAMES[True][0]}.gz"
    path.write_bytes(raw)
    with pytest.raises(
        ValueError, match=rf"{path.name} is not a complete gzip file .* {len(raw)} bytes"
    ):
        MNIST(root=tmp_path)
