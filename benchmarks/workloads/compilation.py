"""The time that machine code takes until it is there, for programs that are recorded already.

*Compiled* is the time in which the executor makes all of a program: it finds the parts that become
machine code, writes them for LLVM, and lets LLVM compile them, with nothing kept on disk. *From
disk* is the same with the machine code kept by an earlier run. Both plan the program for NumPy,
too, which runs it as long as there is no machine code; *by NumPy* is the time of that alone. The
gradient of the chain has 3,000 instructions.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
from adapters import LIBRARIES

from workloads import Case, Check
from workloads.chain import chain_of
from workloads.elementwise import function
from workloads.goldstein_price import goldstein_price
from workloads.mlp import data, loss_of

LEFT_OUT = {
    library: "it is a question to machine code" for library in LIBRARIES if library != "native"
}
ROUNDS: dict[str, int] = {}

OPERATIONS, ELEMENTS = 1_000, 1_000

FOLDER = "DEZERO_REPLAY_CACHE"
"""The variable that names the folder of machine code."""


def differentiated(lib):
    """Yield the name, the function and the inputs of each gradient that is compiled."""
    x = np.random.default_rng(0).uniform(-2.0, 2.0, ELEMENTS)
    yield "elementwise", functools.partial(function, lib), (x,)
    yield "Goldstein-Price", goldstein_price, (np.array(1.0), np.array(1.0))
    both = np.full(ELEMENTS, 1.0001), np.full(ELEMENTS, 0.9999)
    yield "chain", chain_of(OPERATIONS)[0], both
    images, labels, parameters = data(np.float64)
    yield "MLP", loss_of(lib, images, labels), parameters


def cases(lib):
    before = os.environ.get(FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        try:
            yield from _cases(lib, Path(folder))
        finally:
            if before is None:
                del os.environ[FOLDER]
            else:
                os.environ[FOLDER] = before


def _cases(lib, folder):
    for name, f, inputs in differentiated(lib):
        gradients = lib.gradients_of(f)
        step = lib.recorded(gradients, *inputs)
        from_disk, by_numpy = lib.lowering(step, "llvm"), lib.lowering(step, "numpy")

        def compiled(from_disk=from_disk):
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            return from_disk()

        yield Check(f"gradient, {name}", lambda s=step, xs=inputs: s(*xs), gradients(*inputs))
        once = {"loops": 1, "values": 5}
        yield Case(f"compiled, {name}", compiled, **once)
        yield Case(f"from disk, {name}", from_disk, **once)
        yield Case(f"by NumPy, {name}", by_numpy, **once)
