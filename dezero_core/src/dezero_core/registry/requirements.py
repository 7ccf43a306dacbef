"""The requirements of plugins: one graph, which two statements feed.

``Requires-Dist`` in the metadata of a distribution is a matter of pip; here it says which plugin is
loaded first. ``DEZERO_REQUIRES`` in the module of a plugin names plugins that must be loaded before
it, in versions that it admits. Both are arrows of the graph: `Plugin.requires`.
"""

from __future__ import annotations

import operator
import re
from typing import Any, NamedTuple

from ..slots import release

_COMPARISONS = {
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
        """Return whether the release numbers of a version fulfil all clauses.

        They are compared one by one, and nothing else is: ``1.0rc1`` and ``1.0.post1`` count as
        ``1.0``. A version without a number is before all others.

        Examples
        --------
        >>> Requirement.read("basic>=1.9").admits("1.10"), Requirement.read("x<2").admits("2.0")
        (True, False)
        """
        return all(
            _COMPARISONS[comparison](release(version), release(wanted))
            for comparison, wanted in self.clauses
        )
