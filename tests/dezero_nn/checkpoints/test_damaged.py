"""Files that are damaged, hostile, or of another program: one error, no memory, nothing changed."""

import errno
import os
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from dezero_nn.layers import Linear
from dezero_nn.optimizers import Adam

from dezero_nn import Layer, load_checkpoint, save_checkpoint

from .damage import members, npy, npy_of_header, rewrite, rewrite_header

MIB = 2**20


class Training:
    """A model and its optimizer, whose file is as short as one can be."""

    def __init__(self):
        self.model = Linear(2, in_size=3, rng=np.random.default_rng(0))
        self.optimizer = Adam().setup(self.model)
        np.sum(self.model(np.ones((1, 3), np.float32))).backward()
        self.optimizer.update()

    def bits(self):
        arrays = [each.data for _, each in self.model.variables()]
        arrays += self.optimizer.state_dict().values()
        return [x.tobytes() if isinstance(x, np.ndarray) else x for x in arrays]

    def load(self, path):
        load_checkpoint(path, model=self.model, optimizer=self.optimizer)


@pytest.fixture(autouse=True)
def short_global_state():
    """Let ``np.random`` have a state of few words, and put the old one back."""
    kind = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(0))
    yield
    np.random.set_bit_generator(kind)


@pytest.fixture
def training():
    return Training()


@pytest.fixture
def path(tmp_path, training):
    save_checkpoint(tmp_path / "training.npz", **vars(training))
    return tmp_path / "training.npz"


def assert_refused(path, training, message):
    """Load a file as a checkpoint; it must be refused, at the price of no memory."""
    before, state = training.bits(), str(np.random.get_state(legacy=False))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message) as caught:
            training.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert type(caught.value) is ValueError
    assert "training.npz" in str(caught.value)
    assert peak < 16 * MIB
    assert (training.bits(), str(np.random.get_state(legacy=False))) == (before, state)


def test_a_file_that_is_cut_off_anywhere_is_refused(path):
    model = Linear(1, nobias=True, in_size=1)
    save_checkpoint(path, model=model)
    content, before = path.read_bytes(), model.W.data.copy()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"training\.npz is no checkpoint, or is damaged"):
            load_checkpoint(path, model=model)
    assert model.W.data == before


def test_a_bit_that_is_flipped_anywhere_is_seen_or_means_nothing(path, training):
    content, before = path.read_bytes(), training.bits()
    rng = np.random.default_rng(0)
    refused = 0
    for place in rng.integers(0, len(content), 1000):
        changed = bytearray(content)
        changed[place] ^= 1 << rng.integers(8)
        path.write_bytes(changed)
        try:
            training.load(path)
        except ValueError:
            refused += 1
        assert training.bits() == before
    assert refused > 800  # the others are dates, rights, and the like


def test_noise_in_place_of_a_part_of_a_file_is_seen(path, training):
    content, before = path.read_bytes(), training.bits()
    rng = np.random.default_rng(0)
    for place in rng.integers(0, len(content) - 64, 200):
        path.write_bytes(content[:place] + rng.bytes(64) + content[place + 64 :])
        with pytest.raises(ValueError, match=r"training\.npz"):
            training.load(path)
    assert training.bits() == before


@pytest.mark.parametrize("make", [lambda file: file.mkdir(), os.mkfifo], ids=["folder", "pipe"])
def test_folders_and_pipes_are_refused_and_nothing_waits(tmp_path, training, make):
    make(tmp_path / "training.npz")
    assert_refused(tmp_path / "training.npz", training, "a folder, a pipe or a device, and no file")
    with pytest.raises(ValueError, match="a folder, a pipe or a device, and no file"):
        training.model.load_weights(tmp_path / "training.npz")


OTHERS = {
    "npz": lambda file: np.savez(file, a=np.ones(3)),
    "npy": lambda file: np.save(file.open("wb"), np.ones(3)),
    "pickle": lambda file: file.write_bytes(pickle.dumps({"model": [1, 2]})),
    "PNG": lambda file: file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200)),
    "HDF5": lambda file: file.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(2048)),
    "text": lambda file: file.write_text("epoch,loss\n1,0.5\n"),
    "nothing": lambda file: file.write_bytes(b""),
    "an archive of no file": lambda file: zipfile.ZipFile(file, "w").close(),
    "an archive of documents": lambda file: zipped(file, {"word/document.xml": b"<w>" * 99}),
}


def zipped(file, entries):
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


@pytest.mark.parametrize("program", OTHERS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_files_of_other_programs_are_refused(tmp_path, training, program):
    OTHERS[program](tmp_path / "training.npz")
    assert_refused(tmp_path / "training.npz", training, r"training\.npz is no checkpoint, or is d")


def header(shape, descr="'<f4'"):
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()


BAD_ENTRIES = {
    "a shape of more than the bytes": npy_of_header(header("(1000000000000000,)"), bytes(24)),
    "a shape of fewer than the bytes": npy_of_header(header("(2,)"), bytes(24)),
    "a negative shape": npy_of_header(header("(-3, -2)"), bytes(24)),
    "a shape of words": npy_of_header(header("('a',)"), bytes(24)),
    "elements of no bytes": npy_of_header(header("(1000000000000,)", "'|S0'")),
    "an axis of no elements": npy_of_header(header("(0, 99999999999999999999)")),
    "65 axes": npy_of_header(header("(" + "1, " * 65 + ")"), bytes(4)),
    "a pickle": npy_of_header(header("()", "'|O'"), pickle.dumps(1)),
    "a record": npy_of_header(header("()", "[('a', '<f4')]"), bytes(4)),
    "a deep header": npy_of_header(b"(" * 9000),
    "a deep header of signs": npy_of_header(b"-" * 9000 + b"1"),
    "a header that is no text": npy_of_header(b"\xff" * 99),
    "a header that is code": npy_of_header(b"__import__('os').abort()"),
    "a header that is cut off": b"\x93NUMPY\x01\x00\xff\xff{'descr'",
    "a long header": npy_of_header(b" " * 3 * MIB, version=b"\x02\x00"),
    "no header": b"",
}


@pytest.mark.parametrize("entry", BAD_ENTRIES)
@pytest.mark.parametrize("name", ["model/W", "optimizer/m/W", "checkpoint"])
def test_damaged_entries_are_named(path, training, name, entry):
    rewrite(path, {f"{name}.npy": BAD_ENTRIES[entry]})
    assert_refused(path, training, name.partition("/")[0])


@pytest.mark.parametrize(
    "text",
    ["", "[" * 10**5, '{"a":' * 10**4, "3", "[]", "{}", '{"format": 1}', "1" * 5000, '"' + "ä" * 9],
)
def test_texts_that_are_no_header_are_refused(path, training, text):
    rewrite(path, {"checkpoint.npy": npy(np.array(text))})
    assert_refused(path, training, r"is no checkpoint, or is damaged \(checkpoint: ")


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.pop("np.random"),
        lambda header: header.pop("parts"),
        lambda header: header.update(parts=[1]),
        lambda header: header["parts"].update(model=None),
        lambda header: header["parts"].pop("model"),
        lambda header: header["parts"]["optimizer"].update(deep={"a": [1]}),
        lambda header: header["parts"]["model"].update(W=1),
    ],
)
def test_headers_that_lack_something_are_refused(path, training, change):
    rewrite_header(path, change)
    assert_refused(path, training, r"is no checkpoint, or is damaged \(checkpoint: ")


def test_an_array_that_belongs_to_no_part_is_refused(path, training):
    rewrite(path, {"model/.npy": npy(np.ones(3))})
    assert_refused(path, training, "'model/' is not the name of an array")


def bomb(path, name, shape):
    """Put 64 MiB of zeros, which take 64 KiB of the file, in place of an entry."""
    content = npy_of_header(header(shape), bytes(64 * MIB))
    rewrite(path, {}, without=[f"{name}.npy"])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"{name}.npy", content, zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize("name", ["model/W", "optimizer/m/W", "checkpoint", "model/other"])
def test_zeros_that_would_take_all_memory_are_not_read(path, training, name):
    bomb(path, name, f"({16 * MIB},)")
    assert path.stat().st_size < MIB
    assert_refused(path, training, r"in the file|in the saved state|compressed")


def test_weights_that_would_take_all_memory_are_not_read(path, training):
    training.model.save_weights(path)
    bomb(path, "W", f"({16 * MIB},)")
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"W needs shape \(3, 2\), got \(16777216,\) in the file"):
        training.model.load_weights(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MIB


@pytest.mark.parametrize("name", ["model/W", "optimizer/m/W"])
def test_a_lazy_model_and_its_optimizer_take_no_compressed_arrays(path, training, name):
    bomb(path, name, f"({8 * MIB}, 2)")
    training.model = Linear(2, rng=np.random.default_rng(0))
    training.optimizer = Adam().setup(training.model)
    assert_refused(path, training, f"{name} is compressed, but save_checkpoint compresses no ar")


def test_a_lazy_model_takes_compressed_weights_but_no_zeros_that_take_all_memory(path):
    model, lazy = Linear(64, in_size=64), Linear(64)
    np.savez_compressed(path, W=model.W.data, b=model.b.data)
    lazy.load_weights(path)
    np.testing.assert_array_equal(lazy.W.data, model.W.data)
    bomb(path, "W", f"({MIB // 4}, 64)")
    lazy = Linear(64)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"W is compressed to less than 1/4, .* call the model"):
        lazy.load_weights(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (lazy.W.data, peak < 16 * MIB) == (None, True)


def test_compressed_weights_of_a_model_that_has_them_are_loaded(path):
    model = Linear(2, in_size=3)
    save_checkpoint(path, model=model)
    entries = members(path)
    wanted = model.W.data.copy()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            kind = zipfile.ZIP_STORED if name == "checkpoint.npy" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, kind)
    model.W.data[:] = 0.0
    load_checkpoint(path, model=model)
    np.testing.assert_array_equal(model.W.data, wanted)


def test_a_part_that_takes_arrays_of_any_size_gets_no_compressed_ones(tmp_path, training):
    class Part:
        def state_dict(self):
            return {"x": np.zeros(3)}

        def load_state_dict(self, state):
            raise AssertionError(state)

    path = tmp_path / "training.npz"
    save_checkpoint(path, part=Part())
    entries = members(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("checkpoint.npy", entries["checkpoint.npy"])
        archive.writestr("part/x.npy", entries["part/x.npy"], zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match=r"'part' of .* part/x is compressed, but save_che"):
        load_checkpoint(path, part=Part())


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compression_that_numpy_does_not_write_is_refused(path, training, kind):
    rewrite(path, {}, kind)
    assert_refused(path, training, "compressed in a way that np.savez_compressed does not have")


def test_two_arrays_of_one_name_are_refused(path, training):
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("model/W.npy", npy(np.zeros((3, 2), np.float32)))
    assert_refused(path, training, "two arrays have one name")


def test_a_list_of_arrays_that_is_longer_than_any_is_not_read(path, training):
    size = 17 * MIB
    with path.open("wb") as file:
        file.seek(size)
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, size, 0, 0))
    assert_refused(path, training, "the list of arrays: it is longer than 16777216 bytes")


@pytest.mark.parametrize("name", ["checkpoint", "model/W"])
@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (OSError(errno.EIO, "Input/output error"), OSError),
        (MemoryError("no 8 GiB"), MemoryError),
        (OSError(errno.EINVAL, "Invalid argument"), ValueError),
    ],
    ids=repr,
)
def test_an_error_of_the_disk_or_of_the_memory_stays_what_it_is(
    path, training, monkeypatch, name, raised, error
):
    read, calls = np.lib.format.read_array, []

    def failing(entry, **options):
        calls.append(entry.name)
        if calls[-1] == f"{name}.npy":
            raise raised
        return read(entry, **options)

    monkeypatch.setattr(np.lib.format, "read_array", failing)
    before = training.bits()
    with pytest.raises(error) as caught:
        training.load(path)
    assert (caught.value is raised) == (error is not ValueError)
    assert training.bits() == before


def test_an_entry_with_npy_at_its_end_and_one_without_have_one_name(path, training):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("model/W", npy(np.zeros((3, 2), np.float32)))
    assert_refused(path, training, "two arrays have one name")


def test_entries_that_lie_over_each_other_are_refused(tmp_path):
    names = [f"w{n}" for n in range(300)]
    file, model = tmp_path / "weights.npz", Layer()
    zipped(file, {f"{name}.npy": npy(np.zeros(0)) for name in names} | {"w.npy": npy(np.ones(999))})
    content = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        last = archive.infolist()[-1]
        start = archive.start_dir
    # Each entry of the list gets the place and the size of the last one.
    for _ in names:
        size = struct.unpack_from("<HHH", content, start + 28)
        struct.pack_into("<III", content, start + 16, last.CRC, *[last.file_size] * 2)
        struct.pack_into("<I", content, start + 42, last.header_offset)
        start += 46 + sum(size)
    file.write_bytes(content)
    with pytest.raises(ValueError, match="the arrays are longer than the file"):
        model.load_weights(file)


def test_encrypted_entries_are_refused(path, training):
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        content[archive.start_dir + 8] |= 1
    path.write_bytes(content)
    assert_refused(path, training, "is encrypted")


def test_compressed_weights_with_one_bit_flipped_are_refused(tmp_path, training):
    file = tmp_path / "weights.npz"
    np.savez_compressed(file, W=training.model.W.data, b=training.model.b.data)
    content, before = file.read_bytes(), training.bits()
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
    for info in infos:
        start = info.header_offset + 30 + len(info.filename)
        for place in range(start, start + info.compress_size):
            file.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
            try:
                training.model.load_weights(file)
            except ValueError:
                continue
            assert training.bits() == before
