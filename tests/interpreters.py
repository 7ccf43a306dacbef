"""Python in processes of their own: by copies of an interpreter that has imported NumPy.

Most scenarios need a process for its plugins, its output or its exit status. Two thirds of the
time of a fresh interpreter is the import of NumPy; a copy (see `warm_interpreter`) has it already.
What is imported, how long that takes, flags and memory are questions to a fresh interpreter, which
a test asks for by ``fresh=True``.
"""

import atexit
import functools
import json
import os
import socket
import struct
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile

from .warm_interpreter import AT_THE_START, at_the_start

#: Elsewhere there is no fork, or libraries of the system do not bear it. To compare the results,
#: FRESH_INTERPRETERS=1 asks for fresh interpreters alone.
WARM = sys.platform == "linux" and not os.environ.get("FRESH_INTERPRETERS")
SERVER = Path(__file__).with_name("warm_interpreter.py")
#: What a warm interpreter has imported: NumPy and what is imported with the packages.
MODULES = (
    *("numpy", "pluggy", "importlib_metadata", "typer", "rich.console", "rich.table"),
    *("difflib", "traceback", "inspect", "dataclasses", "importlib.metadata"),
)
TEXT = {"encoding": "utf-8", "errors": "replace"}


class WarmInterpreter:
    """A process of `warm_interpreter`, started with `flags`, with its modules from `folder`.

    Of the environment, `variables` are those that only its start can follow.
    """

    def __init__(self, python, flags, folder, variables):
        self.flags = flags
        self.connection, theirs = socket.socketpair()
        # It measures no coverage itself, and DEZERO_* and PYTHON* are those of each run.
        apart = ("COVERAGE_", "DEZERO_", *AT_THE_START)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(apart)}
        with theirs:
            self.process = subprocess.Popen(
                [python, *flags, SERVER, str(theirs.fileno()), folder, *MODULES],
                env=kept | dict(variables),
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)

    def close(self):
        self.connection.close()
        self.process.wait()

    def run(self, arguments, stdin, cwd, env):
        """Run a program in a copy; return its exit status, its output and its errors."""
        request = {"flags": self.flags, "arguments": arguments, "environment": env, "folder": cwd}
        with ExitStack() as stack:
            files = [stack.enter_context(TemporaryFile("w+", **TEXT)) for _ in range(4)]
            for file, text in zip(files, (json.dumps(request), stdin), strict=False):
                file.write(text)
                file.seek(0)
            socket.send_fds(self.connection, [b"."], [file.fileno() for file in files])
            answer = self.connection.recv(4)
            assert answer, "the warm interpreter has ended"
            for file in files[2:]:
                file.seek(0)
            return *struct.unpack("i", answer), *(file.read() for file in files[2:])


warm_interpreter = functools.cache(WarmInterpreter)


def run(*arguments, python=sys.executable, site="", stdin="", cwd=None, env=None, fresh=False):
    """Run ``python *arguments`` as `subprocess.run` does, and return what it returns.

    Parameters
    ----------
    arguments : ``-c`` and code, ``-m`` and a module, or a path; and what the program gets
    python : path, optional
        The interpreter.
    site : path, optional
        With it, ``python -S`` is run, and a warm interpreter has its modules from this folder; the
        program is to put it on its path itself.
    stdin : str, optional
        What the program finds on its standard input.
    cwd, env : as for `subprocess.run`
    fresh : bool
        Whether the interpreter must have imported nothing yet.
    """
    flags = ("-S",) if site else ()
    arguments = list(map(str, arguments))
    if WARM and not fresh:
        environment = dict(os.environ if env is None else env)
        # Dask sets some of them, for the processes that it starts.
        variables = at_the_start(environment).items()
        started = tuple((k, v) for k, v in variables if not k.startswith("PYTHON"))
        warm = warm_interpreter(str(python), flags, str(site), started)
        done = warm.run(arguments, stdin, os.path.abspath(cwd or os.curdir), environment)
        return subprocess.CompletedProcess([str(python), *flags, *arguments], *done)
    return subprocess.run(
        [str(python), *flags, *arguments],
        input=stdin,
        cwd=cwd,
        env=env,
        capture_output=True,
        check=False,
        **TEXT,
    )
