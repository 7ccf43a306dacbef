"""The requirements of plugins: one graph, which two statements feed.

``Requires-Dist`` in the metadata of a distribution is a matter of pip; here it says which plugin is
loaded first. ``DEZERO_REQUIRES`` in the module of a plugin names plugins that must be loaded before
it, in versions that it admits. Both are arrows of the graph: `Plugin.requires`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ..slots import release

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_METADATA = re.compile(r"\s*([A-Za-z0-9][\w.-]*)([^;]*)(;.*\bextra\b)?", re.DOTALL)
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*([=!<>].*)?")
_CLAUSE = re.compile(r"\s*(==|!=|>=|<=|>|<)\s*(\d+(?:\.\d+)*)\s*")
_VERSION = re.compile(
    r"\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)[._-]?(a|b|c|rc|alpha|beta|pre|preview|dev|post|rev|r)?",
    re.IGNORECASE,
)


class Requirement(NamedTuple):
    """A plugin or distribution that a plugin requires, and the versions of it that it admits.

    Attributes
    ----------
    name : str
    clauses : tuple of (str, str)
        Comparison and version: ``((">=", "1"), ("<", "2"))``.
    needed : bool
        Whether the plugin cannot be loaded without it; else it is only loaded first.
    """

    name: str
    clauses: tuple[tuple[str, str], ...] = ()
    needed: bool = True

    @classmethod
    def of_metadata(cls, text: str) -> Requirement | None:
        """Read the name in a ``Requires-Dist``; there is none to be loaded if an extra requires it.

        Examples
        --------
        >>> Requirement.of_metadata("numpy[fast]>=2; python_version > '3'").name
        'numpy'
        >>> Requirement.of_metadata("scipy; extra == 'fast'")
        """
        found = _METADATA.match(text)
        return None if found is None or found[3] else cls(found[1], needed=False)

    @classmethod
    def read(cls, text: Any) -> Requirement:
        """Read ``"basic>=1,<2"``: a name and comparisons with plain numbers.

        Raises
        ------
        ValueError
            If it is anything else. PEP 440 knows more, which a distribution may require.

        Examples
        --------
        >>> Requirement.read("basic>=1, <2").clauses
        (('>=', '1'), ('<', '2'))
        """
        found = _REQUIREMENT.fullmatch(text) if isinstance(text, str) else None
        clauses = found[2].split(",") if found and found[2] else []
        matches = [_CLAUSE.fullmatch(clause) for clause in clauses]
        if found is None or None in matches:
            raise ValueError(
                f"{text!r} is no requirement; write a name and comparisons, as 'basic>=1,<2'"
            )
        return cls(found[1], tuple((match[1], match[2]) for match in matches if match))

    def admits(self, version: str) -> bool:
        """Say whether a version fulfils all clauses; ``1.0rc1`` comes before ``1.0``.

        Examples
        --------
        >>> Requirement.read("basic>=1.9").admits("1.10"), Requirement.read("x<2").admits("2.0")
        (True, False)
        """
        return all(
            _COMPARISONS[comparison](_key(version, comparison), _key(wanted, comparison))
            for comparison, wanted in self.clauses
        )


def _key(version: str, comparison: str) -> tuple[int, tuple[int, ...], int]:
    """Give the numbers that versions are compared by; an unreadable version is before all others.

    By PEP 440, ``<2`` does not admit ``2.0rc1``, nor ``>1`` ``1.0.post1``.
    """
    found = _VERSION.match(version)
    if found is None:
        return -1, (), 0
    stage = 0 if found[3] else 1
    if (found[3] or "").lower() in ("post", "rev", "r"):
        stage = 2
    return int(found[1] or 0), release(found[2]), 0 if comparison in "<>" else stage
