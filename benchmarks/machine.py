"""The descriptions of the machine and the versions, for the results and the page."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sysconfig
from pathlib import Path

import numpy as np

DISTRIBUTIONS = (
    *("dezero-core", "dezero-ops-basic", "dezero-ops-math"),
    *("numpy", "torch", "autograd", "mygrad", "dezero", "jax", "pyperf"),
)


def machine() -> dict[str, str]:
    """Return the facts about the machine that the figures depend on."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": _system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}, "
        f"{platform.python_compiler()}, {_optimised()}",
        "blas": _blas(),
    }


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


def _blas() -> str:
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return f"{blas['name']} {blas['version']}"
