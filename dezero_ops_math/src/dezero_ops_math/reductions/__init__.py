"""Functions that take axes away, or run along one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .exponentials import *
    from .extrema import *
    from .means import *
    from .products import *
    from .quantiles import *
    from .sums import *
    from .variances import *
else:
    __all__ = sorted(" ".join(FOLDERS["reductions"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["reductions"])
