"""Functions of LAPACK's, where SciPy is installed: they are those of its `cython_lapack`."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import llvmlite.binding as llvm

_PREFIX = "dezero_lapack_"
NAMES = ("gesv", "getrf", "potrf")


def symbol(name: str, size: int) -> str:
    """Return the name of a function in machine code, for numbers of so many bytes."""
    return f"{_PREFIX}{'d' if size == 8 else 's'}{name}"


@cache
def is_there() -> bool:
    """Return whether SciPy is installed, and has these functions; then machine code finds them."""
    if find_spec("scipy") is None:
        return False
    try:
        found: Any = import_module("scipy.linalg.cython_lapack").__pyx_capi__
        for size in (8, 4):
            for name in NAMES:
                own = symbol(name, size)
                llvm.add_symbol(own, _address(found[own.removeprefix(_PREFIX)]))
    except (ImportError, AttributeError, LookupError, ValueError):
        return False
    return True


def _address(capsule: Any) -> int:
    """Return the address in a capsule, of a function that takes whole numbers of 32 bits."""
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    form = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    pointer_of = form(("PyCapsule_GetPointer", api))
    name = name_of(capsule)
    if b"int *, " not in name or b"long" in name:
        raise LookupError(f"it is {name.decode()}")
    return int(pointer_of(capsule, name))
