"""Tools of DeZero in plugins, for work with Functions and graphs.

Derivatives of functions (`functional`), NumPy's namespace for programs of autograd (`numpy`),
observers, pictures of graphs, operations whose derivative is approximated by differences
(`numeric`), the conformance kit (`testing`), type stubs, and the command ``dezero``. A module is
imported when one of its names is first needed.
"""

from typing import TYPE_CHECKING

from dezero_core.extend import lazily

__version__ = "0.1.0"

__all__ = [
    "DrawingError",
    "GraphvizError",
    "NotFiniteError",
    "Observer",
    "UnknownObserverError",
    "WrittenArrayError",
    "checked",
    "draw",
    "numeric_op",
    "observe",
    "to_dot",
    "to_mermaid",
]

if TYPE_CHECKING:
    from . import functional as functional
    from . import testing as testing
    from .drawing import draw, to_dot, to_mermaid
    from .errors import (
        DrawingError,
        GraphvizError,
        NotFiniteError,
        UnknownObserverError,
        WrittenArrayError,
    )
    from .numeric import numeric_op
    from .observers import Observer, checked, observe
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "drawing": "draw to_dot to_mermaid",
            "errors": "DrawingError GraphvizError NotFiniteError UnknownObserverError "
            "WrittenArrayError",
            "functional": "",
            "numeric": "numeric_op",
            "observers": "Observer checked observe",
            "testing": "",
        },
    )
