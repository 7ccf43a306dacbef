"""The plugin of this distribution: SciPy's functions, each in the file of its family."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from dezero_core import Registrar, hookimpl

from .families import OLDEST, announcements

DEZERO_PLUGIN_API = (2, 0)

_HOW = f"pip install 'scipy>={'.'.join(map(str, OLDEST))}'"

# Without importing it, which takes longer than all else.
try:
    _INSTALLED = version("scipy")
except PackageNotFoundError:
    raise ImportError(f"dezero-ops-scipy needs SciPy, which is not installed: {_HOW}") from None
RELEASE = tuple(int(part) for part in _INSTALLED.split(".")[:2])
if RELEASE < OLDEST:
    raise ImportError(f"dezero-ops-scipy needs another SciPy than {_INSTALLED}: {_HOW}")


@hookimpl
def dezero_register_ops(register: Registrar) -> None:
    """Register every function under SciPy's full name; its file is imported at the first use."""
    for module, names in announcements(RELEASE):
        register.later(f"dezero_ops_scipy.{module}", **names)
