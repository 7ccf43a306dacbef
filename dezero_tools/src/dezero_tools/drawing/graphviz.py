"""Calls of Graphviz' program ``dot``, if it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import GraphvizError

TIMEOUT = 60.0
"""The most seconds that ``dot`` may take. A few hundred nodes take less than one second."""

_BEGINS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG\r\n\x1a\n"}
_INSTEAD = "Without it: draw(y, 'graph.svg', dot=False), or draw(y, 'graph.mmd')."


def is_installed() -> bool:
    """Return whether the program ``dot`` is on PATH."""
    return shutil.which("dot") is not None


def rendered(dot: str, kind: str) -> bytes:
    """Return the SVG, PDF or PNG that ``dot`` draws; raise if it is missing, fails or is slow."""
    program = shutil.which("dot")
    if program is None:
        raise GraphvizError(
            f"{kind.upper()} by Graphviz needs the program dot, which is not on PATH. Install "
            "Graphviz: apt install graphviz, brew install graphviz or conda install graphviz. "
            + _INSTEAD,
            program=None,
        )
    # Files, not pipes: dot may be a script. If we kill the script after the timeout, a program that
    # it has started could keep a pipe open, and we would wait for that program.
    with TemporaryDirectory(prefix="dezero-") as folder:
        source, made, errors = (Path(folder, name) for name in ("graph.dot", "made", "errors"))
        source.write_text(dot, encoding="utf-8")
        command = [program, f"-T{kind}", "-Gdpi=144" if kind == "png" else "-Gdpi=72"]
        try:
            with errors.open("wb") as stderr:
                done = subprocess.run(
                    [*command, "-o", str(made), str(source)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=stderr,
                    timeout=TIMEOUT,
                )
        except OSError as error:
            raise _failed(program, f"could not be started: {error}") from None
        except subprocess.TimeoutExpired:
            raise _failed(program, f"took more than {TIMEOUT:g} s; draw less, by limit=") from None
        said = errors.read_text(encoding="utf-8", errors="replace").strip()[-1000:]
        if done.returncode:
            raise _failed(program, f"ended with status {done.returncode}: {said or '(no message)'}")
        picture = made.read_bytes() if made.exists() else b""
    if not picture.startswith(_BEGINS[kind]):
        raise _failed(program, f"wrote no {kind.upper()}; is it Graphviz? {said}".rstrip())
    return picture


def _failed(program: str, what: str) -> GraphvizError:
    return GraphvizError(f"Graphviz' program {program} {what}. {_INSTEAD}", program=program)
