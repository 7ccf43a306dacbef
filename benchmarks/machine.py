"""The descriptions of the machine and the versions, for the results and the page.

Run as a program, it prints the kernels that NumPy's matrix products use in that process.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import threadpoolctl

DISTRIBUTIONS = (
    *("dezero-core", "dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay"),
    *("dezero-replay-llvm", "llvmlite", "dezero-nn"),
    *("numpy", "torch", "autograd", "mygrad", "dezero", "jax", "pyperf"),
)


def machine(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the facts that the figures of processes with this environment depend on."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": _system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.python_compiler()}, {_optimised()}",
        "blas": blas(environment),
    }


def blas(environment: Mapping[str, str]) -> str:
    """Return the BLAS of NumPy, with the kernels that it uses in a process with this environment.

    OpenBLAS chooses them when it is loaded, so this process may have others.
    """
    library = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    command = [sys.executable, __file__]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return f"{library['name']} {library['version']}, {done.stdout.strip()}"


def kernels() -> str:
    """Return the kernels that the BLAS of NumPy uses in this process: ``kernels for SkylakeX``."""
    libraries = threadpoolctl.threadpool_info()
    found = [each["architecture"] for each in libraries if "architecture" in each]
    return f"kernels for {', '.join(found)}" if found else "unknown kernels"


def versions() -> dict[str, str]:
    """Return the versions of the installed libraries."""
    found = {}
    for name in DISTRIBUTIONS:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    libc = " ".join(platform.libc_ver())
    return f"{name}, {libc}" if libc.strip() else name


def _optimised() -> str:
    arguments = sysconfig.get_config_var("CONFIG_ARGS") or ""
    return f"with{'' if '--enable-optimizations' in arguments else 'out'} --enable-optimizations"


if __name__ == "__main__":
    print(kernels())
