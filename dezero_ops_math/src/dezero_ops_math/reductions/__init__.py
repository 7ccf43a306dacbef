"""Functions that take axes away, or run along one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families import exported

if TYPE_CHECKING:
    from .exponentials import *
    from .extrema import *
    from .means import *
    from .products import *
    from .quantiles import *
    from .sums import *
    from .variances import *
else:
    __all__, __getattr__, __dir__ = exported(__name__)
