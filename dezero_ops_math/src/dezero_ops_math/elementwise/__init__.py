"""Functions of each element by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..families import exported

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
    __all__, __getattr__, __dir__ = exported(__name__)
