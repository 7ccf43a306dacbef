"""Machine code of a text: LLVM makes it, and it is linked into this process."""

from __future__ import annotations

import time
from typing import Any

import llvmlite.binding as llvm

from .machine import Machine


def object_code(text: str, machine: Machine) -> bytes:
    """Return the object file of a module: machine code, with the names that it needs."""
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    return bytes(machine.target().emit_object(module))


def assembly(text: str, machine: Machine) -> str:
    """Return the machine code of a module, to be read."""
    module = llvm.parse_assembly(text, llvm.create_context())
    return str(machine.target().emit_assembly(module))


class Linked:
    """Machine code in the memory of this process, which stays there as long as this.

    Parameters
    ----------
    code : bytes
        An object file.
    machine : Machine
    name : str
        Of a function in it.

    Attributes
    ----------
    address : int
        Of the function.
    """

    def __init__(self, code: bytes, machine: Machine, name: str) -> None:
        self._engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine.target())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self.address = int(self._engine.get_function_address(name))


def compiled(text: str, machine: Machine, name: str) -> tuple[Linked, float]:
    """Return the function of a module, and how many milliseconds it took."""
    began = time.perf_counter()
    linked = Linked(object_code(text, machine), machine, name)
    return linked, (time.perf_counter() - began) * 1e3
