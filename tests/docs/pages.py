"""Runs the code blocks of a page, one after the other, as a reader does.

- A block that begins with ``# some/file.py`` is written into that file, whatever its language.
- Other blocks of ``python`` run in one namespace. After a block of ``sh`` Python starts anew,
  since what was installed or uninstalled is only then seen.
- All run in a virtual environment of the page's own. It has what the README's command installs;
  the page of another distribution has all.
- Where the page shows a picture that a block of it draws, the file is what the block draws.
- A block of ``text`` is what the block before it prints, its traceback included; ``...`` stands
  for anything. What a block without it prints is not compared. A block of ``text measured`` may
  have other numbers, and its lines in another order.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ..environments import README, environment_with, plugins

ROOT = Path(__file__).parents[2]
NOT_OURS = {".venv", ".test", ".bench", ".docs", "out", "third_party"}
PAGES = [
    page
    for page in sorted([*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("docs/**/*.md")])
    if not NOT_OURS & {*page.relative_to(ROOT).parts}
]

_FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# (\S+\.(?:py|toml))\n")
LANGUAGES = {"python", "sh", "toml", "text"}

_DRIVER = """
import contextlib, io, json, linecache, os, sys, traceback
page, blocks = json.load(sys.stdin)
namespace, printed = {"__name__": "__main__"}, []
for line, source in blocks:
    out = io.StringIO()
    file = os.path.join(os.path.dirname(page), str(line), os.path.basename(page))
    text = "\\n" * line + source
    linecache.cache[file] = len(text), None, text.splitlines(True), file  # as a notebook has it
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(text, file, "exec"), namespace)
    except Exception:
        out.write(traceback.format_exc())
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


class Block(NamedTuple):
    """A block of code: `line` is that of its fence, `printed` what the page says it prints.

    `measured` says whether that has numbers that differ each time.
    """

    line: int
    language: str
    text: str
    printed: str | None
    measured: bool = False

    @property
    def file(self) -> str | None:
        """The file that it is, if it is one."""
        found = _FILE.match(self.text)
        return found and found[1]


def blocks_of(text: str) -> list[Block]:
    """Return the blocks of a page; directives are none."""
    found: list[Block] = []
    for fence in _FENCE.finditer(text):
        language, code = fence[2].strip(), fence[3]
        line = text.count("\n", 0, fence.start()) + 1
        language, _, how = language.partition(" ")
        if language == "text" and found and found[-1].printed is None and not found[-1].file:
            found[-1] = found[-1]._replace(printed=code, measured=how == "measured")
        elif not language.startswith("{"):
            assert language in LANGUAGES, f"line {line}: a block of {language!r} is not tested"
            found.append(Block(line, language, code, None))
    return found


#: What code of a page has that needs a distribution which the README's command does not install.
_NEEDS_MORE = 'executor="llvm"', "import dezero_dask", "dezero_nn", "dezero_ops_scipy"


def needs_more(page: Path) -> bool:
    """Return whether a page needs a distribution that not everybody installs."""
    blocks = [b.text for b in blocks_of(page.read_text("utf-8")) if b.language == "python"]
    return any(code in block for code in _NEEDS_MORE for block in blocks)


class Reader:
    """Somebody who does what a page says, in a folder where of the clone only the examples are.

    Parameters
    ----------
    folder : Path
    page : Path
    left_out : mapping from str to str
        Command -> why it is not run.
    """

    def __init__(self, folder: Path, page: Path, left_out: Mapping[str, str]) -> None:
        self.folder, self.page, self.left_out = folder / "folder", page, left_out
        self.environment = folder / "environment"
        self.folder.mkdir()
        (self.folder / "examples").symlink_to(ROOT / "examples")
        environment_with(self.environment, *(plugins() if needs_more(page) else README))

    def read(self) -> None:
        """Run every block.

        Raises
        ------
        AssertionError
            If one prints or draws something else than the page says, raises or fails.
        """
        text = self.page.read_text("utf-8")
        blocks = blocks_of(text)
        for kind, group in groupby(blocks, lambda block: block.file or block.language):
            if kind == "python":
                self._calculate(list(group))
                continue
            for block in group:
                if block.file:
                    path = self.folder / block.file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(block.text, "utf-8")
                else:
                    assert kind == "sh", f"{self.page}:{block.line}: {kind} that is no file"
                    self._execute(block)
        for drawn in self.folder.glob("*.svg"):
            if f"]({drawn.name})" in text:
                shown = self.page.with_name(drawn.name)
                same = shown.exists() and shown.read_bytes() == drawn.read_bytes()
                assert same, f"{shown} is not what {self.page.name} draws: copy {drawn}"

    def _calculate(self, blocks: list[Block]) -> None:
        given = str(self.page), [(block.line, block.text) for block in blocks]
        done = subprocess.run(
            [self.environment / "bin" / "python", "-W", "error", "-c", _DRIVER],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        for block, printed in zip(blocks, json.loads(done.stdout), strict=True):
            self._compare(block, printed)

    def _execute(self, block: Block) -> None:
        lines = block.text.splitlines(keepends=True)
        script = "".join(line for line in lines if line.strip() not in self.left_out)
        done = subprocess.run(
            ["sh", "-e", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            check=False,
            env=_environment()
            | {
                "PATH": f"{self.environment / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "PIP_NO_BUILD_ISOLATION": "0",  # which is how pip spells it
                "PIP_NO_INDEX": "1",
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                "COLUMNS": "100",
            },
        )
        where = f"{self.page}:{block.line}"
        assert done.returncode == 0, f"{where}: exit status {done.returncode}\n{done.stdout}"
        self._compare(block, done.stdout)

    def _compare(self, block: Block, printed: str) -> None:
        where = f"{self.page}:{block.line}"
        if block.printed is None:
            assert "Traceback (most recent call last)" not in printed, f"{where}\n{printed}"
            return
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        said, got = block.printed, printed
        if block.measured:
            said, got = map(_without_numbers, (said, got))
        same = doctest.OutputChecker().check_output(said, got, flags)
        assert same, f"{where}\n--- printed\n{printed}--- according to the page\n{block.printed}"


def _without_numbers(text: str) -> str:
    """Return the lines of a text in alphabetical order, with 0 for each number."""
    lines = (" ".join(line.split()) for line in re.sub(r"\d[\d.,]*", "0", text).splitlines())
    return "\n".join(sorted(lines))


def _environment() -> dict[str, str]:
    """Return the environment without what `dezero doctor` warns of."""
    warned_of = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {k: v for k, v in os.environ.items() if k not in warned_of}
