"""The operators of DeZero in plugins, and the broadcasting pair they need.

Installing this distribution is enough: ``import dezero_core`` binds them onto Variable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from .families import FAMILIES

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .arithmetic import *
    from .broadcasting import *
    from .casting import *
    from .comparison import *
    from .complex_numbers import *
    from .division import *
    from .indexing import *
    from .magnitude import *
    from .matrix_product import *
    from .power import *
    from .remainder import *
    from .unary import *
else:
    _EXPORTED = {module: names["operations"] for module, names in FAMILIES.items()}
    __all__ = sorted(" ".join(_EXPORTED.values()).split())
    __getattr__, __dir__ = lazily(__name__, _EXPORTED)
