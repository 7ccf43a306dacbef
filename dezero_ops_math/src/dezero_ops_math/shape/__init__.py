"""Functions that move elements: shape, order, joining, picking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families import exported

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
    __all__, __getattr__, __dir__ = exported(__name__)
