"""What the tests of the five seed documents share."""

import contextlib
import io

import pytest


@pytest.fixture
def printed():
    """Return a function that runs a script as a module of its own and returns its lines.

    The counts that sys.getrefcount shows are those of the documents only for names of a
    module; the local names of a function may be borrowed rather than counted.
    """

    def run(script):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(script, "<a snippet of the document>", "exec"), {"__name__": "snippet"})
        return out.getvalue().splitlines()

    return run
