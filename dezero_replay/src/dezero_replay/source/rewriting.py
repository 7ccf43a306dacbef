"""A function rewritten so that each of its steps goes through a recorder.

Each load of a global, a free variable, an attribute or an item, each call, operator, comparison,
test, loop, unpacking, ``with``, write and formatted value becomes a call of a method of the
recorder, as pytest rewrites assertions::

    y = self.w * x + 1          y = r.add(r.mul(r.attr(self, "w"), x), 1)

The recorder is the free variable ``@r``; other names that begin with ``@`` hold a value for a
moment. Both cannot occur in a source. Lines and columns are those of the source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from .nodes import placed
from .patterns import Patterns


def rewritten(node: Any, owner: str | None, free: Iterable[str]) -> Any:
    """Return a rewritten copy of a definition, in the body of the class `owner`, if there is one.

    The `free` names are those of its free variables. A `RewritingError` tells of a construct that
    cannot be rewritten.
    """
    return Rewriter(owner, free).definition(node)


class Rewriter(Patterns):
    """Rewrites one definition."""

    def definition(self, node: Any) -> Any:
        """Return a definition without its decorators, defaults and annotations."""
        made = self._function(node)
        given = made.args
        given.defaults = [ast.Constant(None) for _ in given.defaults]
        given.kw_defaults = [x and ast.Constant(None) for x in given.kw_defaults]
        for name in ("posonlyargs", "args", "kwonlyargs"):
            setattr(given, name, [placed(x, ast.arg(x.arg)) for x in getattr(given, name)])
        for name in ("vararg", "kwarg"):
            setattr(given, name, (x := getattr(given, name)) and placed(x, ast.arg(x.arg)))
        made.returns = None
        return ast.fix_missing_locations(made)
