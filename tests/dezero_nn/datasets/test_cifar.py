"""CIFAR-10, from small files in the binary format of the source."""

import gzip
import io
import tarfile

import numpy as np
import pytest
from dezero_nn.datasets import CIFAR10

FOLDER, ARCHIVE = "cifar-10-batches-bin", "cifar-10-binary.tar.gz"
NAMES = [f"data_batch_{n}.bin" for n in range(1, 6)]


def photos(name):
    """Return two photos and their labels, others for each file."""
    rng = np.random.default_rng(sum(name.encode()))
    return rng.integers(0, 256, (2, 3, 32, 32), np.uint8), rng.integers(0, 10, 2)


def raw(name):
    """Return the bytes of a file: of each photo the label, all red, all green, and all blue."""
    return b"".join(
        bytes([label]) + b"".join(channel.tobytes() for channel in photo)
        for photo, label in zip(*photos(name), strict=True)
    )


def write_files(folder):
    for name in [*NAMES, "test_batch.bin"]:
        (folder / name).write_bytes(raw(name))


def write_archive(folder, contents=None):
    """Write the archive; of a name without content it has a folder."""
    contents = contents or {f"{FOLDER}/{name}": raw(name) for name in [*NAMES, "test_batch.bin"]}
    with tarfile.open(folder / ARCHIVE, "w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            member.size = len(content or b"")
            archive.addfile(member, io.BytesIO(content or b""))


def write_subfolder(folder):
    (folder / FOLDER).mkdir()
    write_files(folder / FOLDER)


@pytest.mark.parametrize("write", [write_files, write_archive, write_subfolder])
@pytest.mark.parametrize(("train", "names"), [(True, NAMES), (False, ["test_batch.bin"])])
def test_photos_are_read_from_the_files_in_their_order(tmp_path, write, train, names):
    write(tmp_path)
    cifar = CIFAR10(train=train, root=tmp_path)
    assert (cifar.data.dtype, cifar.label.dtype) == (np.uint8, np.int64)
    np.testing.assert_array_equal(cifar.data, np.concatenate([photos(name)[0] for name in names]))
    np.testing.assert_array_equal(cifar.label, np.concatenate([photos(name)[1] for name in names]))


def test_an_item_is_from_minus_1_to_1(tmp_path):
    write_files(tmp_path)
    cifar = CIFAR10(root=tmp_path)
    cifar.data[0, 0, 0, :2] = 0, 255
    x, _ = cifar[0]
    assert x.dtype == np.float32
    assert x.shape == (3, 32, 32)
    assert x[0, 0, :2].tolist() == [-1.0, 1.0]


def test_the_folder_is_named_by_the_environment(tmp_path, monkeypatch):
    write_files(tmp_path)
    monkeypatch.setenv("DEZERO_DATA", str(tmp_path))
    assert len(CIFAR10()) == 10


def test_labels_have_names():
    assert CIFAR10.labels()[3] == "cat"
    assert len(CIFAR10.labels()) == 10


def test_a_missing_file_says_which_and_where_and_whence(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        CIFAR10(root=tmp_path)
    for part in ("data_batch_1.bin", ARCHIVE, str(tmp_path), "cs.toronto.edu", "binary version"):
        assert part in str(caught.value)
    write_subfolder(tmp_path)
    (tmp_path / FOLDER / NAMES[3]).unlink()
    with pytest.raises(FileNotFoundError, match=r"no file data_batch_4.bin in the folder"):
        CIFAR10(root=tmp_path)


@pytest.mark.parametrize("content", [b"", raw(NAMES[0])[:-1], raw(NAMES[0]) + b"\x00"])
def test_a_file_that_is_not_whole_is_refused(tmp_path, content):
    write_files(tmp_path)
    (tmp_path / NAMES[1]).write_bytes(content)
    message = f"data_batch_2.bin must have 3073 bytes for each image, but has {len(content)}"
    with pytest.raises(ValueError, match=message):
        CIFAR10(root=tmp_path)


def test_a_label_above_9_is_refused(tmp_path):
    write_files(tmp_path)
    (tmp_path / NAMES[0]).write_bytes(b"\x0a" + raw(NAMES[0])[1:])
    with pytest.raises(
        ValueError, match=r"data_batch_1.bin must have labels from 0 to 9, and has 10"
    ):
        CIFAR10(root=tmp_path)


def test_an_archive_without_the_files_is_refused(tmp_path):
    write_archive(tmp_path, {f"{FOLDER}/{NAMES[0]}": raw(NAMES[0]), f"{FOLDER}/{NAMES[1]}": None})
    with pytest.raises(
        ValueError, match=r"must be an archive with .*data_batch_2\.bin is not a file"
    ):
        CIFAR10(root=tmp_path)
    with pytest.raises(ValueError, match=r"must be an archive with test_batch.bin"):
        CIFAR10(train=False, root=tmp_path)


def test_a_short_file_in_an_archive_is_named(tmp_path):
    write_archive(tmp_path, {f"{FOLDER}/test_batch.bin": b"\x00" * 10})
    with pytest.raises(ValueError, match=f"{FOLDER}/test_batch.bin in .*{ARCHIVE} must have 3073"):
        CIFAR10(train=False, root=tmp_path)


@pytest.mark.parametrize("cut", [5, 3000, -8, -4000])
def test_an_archive_that_is_not_whole_is_refused(tmp_path, cut):
    write_archive(tmp_path)
    raw = (tmp_path / ARCHIVE).read_bytes()[:cut]
    (tmp_path / ARCHIVE).write_bytes(raw)
    with pytest.raises(
        ValueError, match=f"{ARCHIVE} is not a complete gzip file .* {len(raw)} bytes"
    ):
        CIFAR10(root=tmp_path)


def test_an_archive_with_one_wrong_bit_is_refused(tmp_path):
    """The checksum of gzip tells it, which is at the end of the file."""
    write_archive(tmp_path)
    raw = bytearray((tmp_path / ARCHIVE).read_bytes())
    raw[len(raw) // 2] ^= 1
    (tmp_path / ARCHIVE).write_bytes(raw)
    with pytest.raises(ValueError, match="is not a complete gzip file"):
        CIFAR10(root=tmp_path)


@pytest.mark.parametrize("cut", [0, 1000, 3000])
def test_an_archive_that_was_made_of_a_part_is_refused(tmp_path, cut):
    write_archive(tmp_path)
    raw = gzip.decompress((tmp_path / ARCHIVE).read_bytes())[:cut]
    (tmp_path / ARCHIVE).write_bytes(gzip.compress(raw))
    with pytest.raises(ValueError, match=f"{ARCHIVE} must be an archive with data_batch_1.bin"):
        CIFAR10(root=tmp_path)
