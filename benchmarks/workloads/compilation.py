"""The time that machine code takes until it is there, for programs that are recorded already.

*Compiled* is the time in which the executor makes all of a program: it finds the parts that become
machine code, writes them for LLVM, and lets LLVM compile them, with nothing kept on disk. *From
disk* is the same with the machine code kept by an earlier run. Both plan the program for NumPy,
too, which runs it as long as there is no machine code; *by NumPy* is the time of that alone. The
gradient of the chain has 3,000 instructions.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
from adapters import LIBRARIES

from workloads import Absent, Case, Check
from workloads.chain import chain_of
from workloads.elementwise import function
from workloads.goldstein_price import goldstein_price
from workloads.mlp import data, loss_of

QUESTION = "it is a question to machine code"
LEFT_OUT = {library: QUESTION for library in LIBRARIES if library not in ("project", "native")}
ROUNDS = {"project": 1}

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


def keeping(folder, step):
    """Return a step whose machine code is kept in a folder."""

    def run():
        before = os.environ.get(FOLDER)
        os.environ[FOLDER] = folder
        try:
            return step()
        finally:
            if before is None:
                del os.environ[FOLDER]
            else:
                os.environ[FOLDER] = before

    return run


def cases(lib):
    if not hasattr(lib, "lowering"):
        yield Absent("", QUESTION)
        return
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, f, inputs in differentiated(lib):
        gradients = lib.gradients_of(f)
        step = lib.recorded(gradients, *inputs)
        from_disk = keeping(folder, lib.lowering(step, "llvm"))

        def compiled(from_disk=from_disk):
            for path in Path(folder).glob("*/*"):
                path.unlink()
            return from_disk()

        yield Check(f"gradient, {name}", lambda s=step, xs=inputs: s(*xs), gradients(*inputs))
        once = {"loops": 1, "values": 5}
        yield Case(f"compiled, {name}", compiled, **once)
        yield Case(f"from disk, {name}", from_disk, **once)
        yield Case(f"by NumPy, {name}", lib.lowering(step, "numpy"), **once)
