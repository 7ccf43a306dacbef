"""The members of Variable that plugins bind, as type checkers see them: none in this file.

A stub package, ``dezero_core-stubs``, declares them in a file that type checkers read in place of
this one. The wheel of dezero-ops-basic has such a package; ``dezero stubs`` writes one for the
plugins that are installed.
"""

from __future__ import annotations


class Bound:
    """The base class of Variable. When a program runs it is empty: plugins bind onto Variable."""

    __slots__ = ()
