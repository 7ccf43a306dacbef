"""Machine code that is kept on disk, in a folder of the user's own.

A file is run only if nobody but the user can have written it, and if its digest and the program
that it names are right; else the code is compiled anew. Nothing in it is unpickled. Code that
cannot be written is not kept, and no error of the disk reaches the program.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
from pathlib import Path

import platformdirs

_OWN = "dezero-replay-llvm"
_HEAD = b"dezero-replay-llvm 1\n"

#: Bytes before the code: the head, the name of the file, and a digest.
_BEFORE = len(_HEAD) + 64 + 32

#: The name of a file of ours, also while it is being written. Other files are not ours to remove.
_NAMES = re.compile(r"[0-9a-f]{64}(\.\w{8})?")

_MOST = 2_000
"""If there are more files, the half that was used longest ago is removed."""

_LARGEST = 16 * 2**20
"""The most bytes of a file. The code of thousands of calls has a tenth of a mebibyte."""

#: With these flags, no link is followed, and opening a pipe does not wait for a writer.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def folder() -> Path:
    """Return the folder of the files: in the user's caches, or in ``DEZERO_REPLAY_CACHE``.

    Raise if the user has no home.
    """
    if asked := os.environ.get("DEZERO_REPLAY_CACHE"):
        return Path(asked) / _OWN
    try:
        return platformdirs.user_cache_path(_OWN, False)
    except RuntimeError as error:
        raise FileNotFoundError(f"there is no folder for machine code: {error}") from error


def read(key: str) -> tuple[bytes, int] | None:
    """Return the code that is kept for a key, and the bytes of scratch memory that it needs.

    None if there is none, or it is damaged, or somebody else could have written it.
    """
    name = _name(key)
    try:
        path = folder() / name
        if not _is_own_folder(path.parent):
            return None
        found = _content(path)
    except OSError:
        return None
    body = found[_BEFORE:]
    if found != _framed(name, body):
        return None
    with contextlib.suppress(OSError):  # the disk may be read-only
        os.utime(path)
    return body[8:], int.from_bytes(body[:8], "little")


def write(key: str, code: bytes, scratch_bytes: int) -> None:
    """Keep code for a key, if that can be done."""
    name = _name(key)
    content = _framed(name, scratch_bytes.to_bytes(8, "little") + code)
    if len(content) > _LARGEST:
        return
    with contextlib.suppress(OSError):
        place = folder()
        for each in (*reversed(place.parents), place):  # else parents have the mode of the umask
            each.mkdir(mode=0o700, exist_ok=True)
        if not _is_own_folder(place):
            return
        handle, temporary = tempfile.mkstemp(prefix=f"{name}.", dir=place)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, place / name)
        except BaseException:
            with contextlib.suppress(OSError):  # which would take the place of a Ctrl-C
                Path(temporary).unlink()
            raise
        _make_room(place)


def _content(path: Path, most: int = -1) -> bytes:
    """Return the content of a file of ours, or its first bytes.

    Raise if it cannot be read, is no regular file, or is larger than ours are; and if it is not the
    user's, or others can write to it.
    """
    with open(path, "rb", opener=lambda name, _: os.open(name, _FLAGS)) as file:
        found = os.fstat(file.fileno())
        if not (stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST and _is_own(found)):
            raise PermissionError(f"{path} is no file that only this user can have written")
        return file.read(most)


def _make_room(place: Path) -> None:
    """Remove the files that were used longest ago, if there are too many of ours."""
    files = [path for path in place.iterdir() if _NAMES.fullmatch(path.name)]
    if len(files) <= _MOST:
        return
    files.sort(key=lambda path: path.lstat().st_mtime)
    for path in files[: len(files) - _MOST // 2]:
        with contextlib.suppress(OSError):
            if _HEAD.startswith(_content(path, len(_HEAD))):  # nothing else was written yet
                path.unlink()


def _name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _framed(name: str, body: bytes) -> bytes:
    return _HEAD + name.encode() + hashlib.sha256(body).digest() + body


def _is_own_folder(place: Path) -> bool:
    """Return whether it is a folder of the user's, and no link: anybody may lay one to his own."""
    found = place.lstat()
    return stat.S_ISDIR(found.st_mode) and _is_own(found)


def _is_own(found: os.stat_result) -> bool:
    """Return whether a file or folder is the user's, and nobody else can write to it."""
    if not hasattr(os, "geteuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return found.st_uid == os.geteuid() and not found.st_mode & others
