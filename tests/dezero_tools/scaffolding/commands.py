"""How the tests of this folder run commands, and which projects they have written."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ... import interpreters

#: What is typed -> the distribution and the package.
NAMES = {
    "my-ops": ("my-ops", "my_ops"),
    "Mixed.Case__2": ("mixed-case-2", "mixed_case_2"),
    "match": ("match", "match"),  # a keyword in some places only
    "a" * 30 + "_" + "z" * 25: ("a" * 30 + "-" + "z" * 25, "a" * 30 + "_" + "z" * 25),
}
EDITED = "newcomer"
DESCRIPTION = r"Bells: \exp, \"quoted\", 'single', {{ 6 * 7 }} & $name, for café <owners>"
AUTHOR = 'Zoë "Z" O\'Neill'


def run(command, cwd, **environment):
    """Run a command, and return what came of it."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def dezero(*arguments, cwd, **environment):
    """Run the command ``dezero``."""
    return python("-m", "dezero_tools", *arguments, cwd=cwd, **environment)


def python(*arguments, cwd, **environment):
    """Run Python as `run` runs a command."""
    return interpreters.run(*arguments, cwd=cwd, env=os.environ | environment)


@dataclass(frozen=True)
class Project:
    """A project, and the interpreter of the environment it is installed in."""

    folder: Path
    name: str
    package: str
    python: Path

    @property
    def operation(self):
        return f"{self.package}_gauss"

    def run(self, *arguments):
        """Run the interpreter in the project's folder."""
        return run([self.python, *arguments], self.folder)
