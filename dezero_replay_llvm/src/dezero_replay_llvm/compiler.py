"""Machine code of a region: from the disk, or made by LLVM; linked into this process."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import weakref
from pathlib import Path

import llvmlite.binding as llvm

from . import __version__, cache
from .background import drop
from .kernel import Code
from .machine import Machine


def linked(code: Code) -> Linked:
    """Return the function of a region, and keep its code for the next process."""
    machine = code.machine
    key = f"{__version__} {_sources()} {machine.name}\n{code.key}"
    if found := cache.read(key):
        made, code.scratch_bytes = found
    else:
        made = object_code(code.text, machine)
        cache.write(key, made, code.scratch_bytes)
    return Linked(made, machine, code.name)


@functools.cache
def _sources() -> str:
    """Return a digest of this package: another version of it may make other code for a key."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def object_code(text: str, machine: Machine) -> bytes:
    """Return the object file of a module: machine code, with the names that it needs.

    Raise if this process has no function of one of the names: LLVM would end the process.
    """
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    for each in module.functions:
        is_elsewhere = each.is_declaration and not each.name.startswith("llvm.")
        is_here = llvm.address_of_symbol(each.name) or hasattr(ctypes.pythonapi, each.name)
        if is_elsewhere and not is_here:
            raise LookupError(f"this process has no function {each.name}")
    return bytes(machine.target().emit_object(module))


def assembly(text: str, machine: Machine) -> str:
    """Return the machine code of a module as a text."""
    module = llvm.parse_assembly(text, llvm.create_context())
    return str(machine.target().emit_assembly(module))


class Linked:
    """Machine code in the memory of this process, for as long as this object exists.

    The `code` is an object file, and the `address` is that of the function `name` in it.
    """

    def __init__(self, code: bytes, machine: Machine, name: str) -> None:
        nothing = llvm.parse_assembly("")
        engine = llvm.create_mcjit_compiler(nothing, machine.target())
        # An engine's own finalizer would wait for LLVM's lock, and take it while a process forks.
        weakref.finalize(self, drop, engine).atexit = False
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self.address = int(engine.get_function_address(name))
