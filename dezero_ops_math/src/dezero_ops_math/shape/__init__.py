"""Functions that move elements: shape, order, joining, picking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .additions import *
    from .axes import *
    from .blocks import *
    from .choices import *
    from .conditions import *
    from .copying import *
    from .creation import *
    from .diagonals import *
    from .differences import *
    from .dimensions import *
    from .filling import *
    from .finite_differences import *
    from .grids import *
    from .integration import *
    from .interpolation import *
    from .joining import *
    from .logarithmic_ranges import *
    from .matrices import *
    from .minimum_dimensions import *
    from .moving_axes import *
    from .ordering import *
    from .padding import *
    from .picking import *
    from .ranges import *
    from .rearranging import *
    from .removals import *
    from .repeating import *
    from .reshaping import *
    from .selection import *
    from .sorting import *
    from .splitting import *
    from .splitting_by_axis import *
    from .stacking import *
    from .triangles import *
    from .turning import *
    from .unstacking import *
    from .unwrapping import *
else:
    __all__ = sorted(" ".join(FOLDERS["shape"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["shape"])
