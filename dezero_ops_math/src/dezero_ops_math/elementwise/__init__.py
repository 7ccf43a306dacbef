"""Functions of each element by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

from ..families import FOLDERS

if TYPE_CHECKING:
    from .arithmetic import *
    from .clipping import *
    from .complex_numbers import *
    from .extrema import *
    from .hyperbolic import *
    from .logarithms import *
    from .logic import *
    from .rounding import *
    from .searching import *
    from .special_functions import *
    from .trigonometric import *
else:
    __all__ = sorted(" ".join(FOLDERS["elementwise"].values()).split())
    __getattr__, __dir__ = lazily(__name__, FOLDERS["elementwise"])
