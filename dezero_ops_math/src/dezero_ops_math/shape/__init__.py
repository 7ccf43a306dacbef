"""Functions that move elements: shape, order, joining, picking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .adding_and_removing import *
    from .axes import *
    from .blocks import *
    from .calculus import *
    from .choosing import *
    from .creation import *
    from .diagonals import *
    from .differences import *
    from .interpolation import *
    from .joining import *
    from .padding import *
    from .picking import *
    from .ranges import *
    from .rearranging import *
    from .reshaping import *
    from .sorting import *
    from .splitting import *
else:
    __all__ = sorted(" ".join(FOLDERS["shape"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["shape"])
