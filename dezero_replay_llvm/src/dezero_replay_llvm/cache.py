"""Machine code that is kept on disk, in a folder of the user's own.

A file has a digest of its content, and the name of the program that it is for; whatever is wrong
with it, it is compiled anew. Nothing in it is unpickled, and what cannot be written is not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

import platformdirs

_HEAD = b"dezero-replay-llvm 1\n"
_DIGEST = 32
_MOST = 2_000
"""Files that are kept; beyond that the half that was used longest ago goes."""


def folder() -> Path:
    """Return the folder; ``DEZERO_REPLAY_CACHE`` names another one."""
    asked = os.environ.get("DEZERO_REPLAY_CACHE")
    return Path(asked) if asked else platformdirs.user_cache_path("dezero-replay-llvm", False)


def read(key: str) -> tuple[bytes, int] | None:
    """Return the code that is kept for a key, and the bytes of scratch memory that it needs.

    None if there is none, or it is damaged, or somebody else could have written it.
    """
    name = _name(key)
    path = folder() / name
    try:
        if not _is_own(path.parent):
            return None
        found = path.read_bytes()
        os.utime(path)
    except OSError:
        return None
    head = _HEAD + name.encode()
    body = found[len(head) + _DIGEST :]
    if not found.startswith(head) or found[len(head) :][:_DIGEST] != _digest(body):
        return None
    return body[8:], int.from_bytes(body[:8], "little")


def write(key: str, code: bytes, scratch_bytes: int) -> None:
    """Keep code for a key, if that can be done."""
    name = _name(key)
    body = scratch_bytes.to_bytes(8, "little") + code
    place = folder()
    with contextlib.suppress(OSError):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(place):
            return
        handle, temporary = tempfile.mkstemp(dir=place)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_HEAD + name.encode() + _digest(body) + body)
            os.replace(temporary, place / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _make_room(place)


def _make_room(place: Path) -> None:
    files = sorted(place.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in files[: len(files) - _MOST // 2] if len(files) > _MOST else []:
        path.unlink(missing_ok=True)


def _name(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def _is_own(place: Path) -> bool:
    """Return whether a folder is the user's, and nobody else can write to it."""
    found = place.stat()
    if not hasattr(os, "getuid"):
        return True
    others = stat.S_IWGRP | stat.S_IWOTH
    return found.st_uid == os.getuid() and not found.st_mode & others
