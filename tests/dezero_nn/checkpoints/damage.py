"""Files of checkpoints, written and changed by hand."""

import io
import json
import zipfile

import numpy as np


def members(path):
    """Return the bytes of the entries of a file, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def header_of(path):
    """Return the text of a checkpoint, read as JSON."""
    return json.loads(str(np.load(io.BytesIO(members(path)["checkpoint.npy"]))))


def npy(array):
    """Return the bytes of an array in NumPy's format."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npy_of_header(text, content=b"", version=b"\x01\x00"):
    """Return the bytes of an array whose header is any text."""
    size = len(text).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    return b"\x93NUMPY" + version + size + text + content


def rewrite(path, entries, compression=zipfile.ZIP_STORED, without=()):
    """Write a file anew, with other entries in place of some, and without others."""
    old = members(path)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in {**old, **entries}.items():
            if name not in without:
                archive.writestr(name, content)


def rewrite_header(path, change, without=()):
    """Let a function change the text of a checkpoint."""
    header = header_of(path)
    change(header)
    rewrite(path, {"checkpoint.npy": npy(np.array(json.dumps(header)))}, without=without)
