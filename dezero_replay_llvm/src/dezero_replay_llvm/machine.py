"""The processor: how long its vectors are, and which functions its vector library has."""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

RAISED = 1 | 4 | 8 if platform.machine() in ("x86_64", "AMD64", "i686") else 1 | 2 | 4
"""Bits of the state of floating point: an invalid operation, a division by zero, an overflow."""

INVALID = 1
"""The bit of an invalid operation, on all processors that there is machine code for."""

_LIBRARY = "libmvec.so.1"

#: As Linux tells it: "1024K".
_SIZE_OF_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index2/size")

#: Bytes of a vector -> letter of the form of a function in the library.
_LETTERS = {64: "e", 32: "d", 16: "b"}


class Machine:
    """A processor, or a part of what it can."""

    def __init__(self, bytes_of_vector: int) -> None:
        #: 64 with AVX-512, 32 with AVX2, 16 with SSE2 or on arm64.
        self.bytes_of_vector = bytes_of_vector
        cpu, features = _host()
        lacking: tuple[str, ...] = ()
        if bytes_of_vector < 64:
            lacking = ("avx512",)
            features = {x: yes for x, yes in features.items() if not x.startswith("avx10")}
        if bytes_of_vector < 32:
            lacking = ("avx", "fma", "f16c", "xop", "vaes", "vpclmul")
        self._cpu = cpu
        self._features = ",".join(
            f"{'+' if yes and not x.startswith(lacking) else '-'}{x}"
            for x, yes in sorted(features.items())
        )
        #: For people.
        self.summary = f"{cpu}, vectors of {8 * bytes_of_vector} bits"
        #: Whether it multiplies and adds in one instruction.
        self.fuses = not {"+fma", "+neon"}.isdisjoint(self._features.split(","))
        #: Whether LLVM's pointers have no type.
        self.opaque: bool = llvm.llvm_version_info[0] >= 17
        version = ".".join(map(str, llvm.llvm_version_info))
        #: Bytes of the second-level cache of a core.
        self.cache = _second_level_cache()
        #: Of the processor, the features that are used, and LLVM: part of the key of kept code.
        self.name = f"{cpu} {self._features} {bytes_of_vector} {version} {llvmlite.__version__}"

    def lanes(self, itemsize: int) -> int:
        """Return how many numbers of a size are in a vector."""
        return self.bytes_of_vector // itemsize

    def target(self) -> Any:
        """Return a new target machine of LLVM's: an engine owns the one that it is made with."""
        return llvm.Target.from_default_triple().create_target_machine(
            cpu=self._cpu, features=self._features, opt=2, jit=True
        )

    def symbol(self, name: str, size: int, lanes: int) -> tuple[str, int]:
        """Return the library's function of vectors of numbers of a size, and how many it takes.

        That may be more or fewer than `lanes`. If the library has none, it is a LookupError.
        """
        lanes = max(min(lanes, self.lanes(size)), 16 // size)
        while lanes * size >= 16:
            letter = _LETTERS[lanes * size]
            operands = "vv" if name in ("pow", "atan2") else "v"
            symbol = f"_ZGV{letter}N{lanes}{operands}_{name}{'f' * (size == 4)}"
            if _has(symbol):
                return symbol, lanes
            lanes //= 2
        raise LookupError(f"{_LIBRARY} has no {name} for numbers of {size} bytes")

    def has(self, name: str) -> bool:
        """Return whether the library has a function, for float64 and float32."""
        try:
            return all(self.symbol(name, size, self.lanes(size)) for size in (8, 4))
        except LookupError:
            return False


@cache
def _host() -> tuple[str, dict[str, bool]]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return str(llvm.get_host_cpu_name()), dict(llvm.get_host_cpu_features())


@cache
def _second_level_cache() -> int:
    try:
        size = _SIZE_OF_CACHE.read_text("ascii").strip()
    except OSError:
        return 256 * 1024
    return int(size.rstrip("KM")) * (1024**2 if size.endswith("M") else 1024)


@cache
def _has(symbol: str) -> bool:
    return _library() and bool(llvm.address_of_symbol(symbol))


@cache
def _library() -> bool:
    try:
        llvm.load_library_permanently(_LIBRARY)
    except RuntimeError:
        return False
    return True


@cache
def this_machine() -> Machine:
    """Return the processor that runs this; ``DEZERO_REPLAY_VECTORS=32`` takes a part of it."""
    _, features = _host()
    widest = 64 if features.get("avx512f") else 32 if features.get("avx2") else 16
    asked = os.environ.get("DEZERO_REPLAY_VECTORS", "")
    return Machine(min(widest, int(asked)) if asked in ("16", "32", "64") else widest)
