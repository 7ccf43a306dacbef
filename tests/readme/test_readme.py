"""What the README promises in sentences; its blocks of code run in tests/docs.

Promise: README.md
"""

import re
import runpy
import subprocess
import sys
from math import exp

import numpy as np
import pytest

from ..docs.pages import ROOT, blocks_of

README = (ROOT / "README.md").read_text("utf-8")
#: In one line, as it is read.
SENTENCES = " ".join(README.split())
BLOCKS = blocks_of(README)


def test_the_readme_has_at_most_165_lines():
    assert len(README.splitlines()) <= 165


def test_the_first_program_of_the_readme_prints_the_derivatives_in_its_comments(tmp_path):
    (program, *_) = (block.text for block in BLOCKS if block.language == "python")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.splitlines() == re.findall(r"^print\(.*  # (\S+) = ", program, re.MULTILINE)
    first, second = map(float, done.stdout.split())
    assert first == pytest.approx(3 * exp(2) + 10, rel=1e-14)
    assert second == pytest.approx(4 * exp(2) + 2, rel=1e-14)


def test_the_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    assert {"demo", "docs", "test"} <= set(re.findall(r"`make (\w+)`", README)) <= targets


def test_every_link_of_the_readme_leads_to_a_file_of_the_repository_and_to_a_heading():
    for link in re.findall(r"(?<=\]\()[^)\s]+|(?<=src=\")[^\"]+", README):
        path, _, anchor = link.partition("#")
        assert (ROOT / path).is_file(), link
        assert not anchor or anchor in anchors(ROOT / path), link


def anchors(page):
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_row_of_digits_in_the_readme_is_a_part_of_the_picture_of_the_demo():
    program = runpy.run_path(str(ROOT / "docs" / "make_digits_row.py"))
    row = program["imread"](program["ROW"])
    assert np.array_equal(row, program["row"]()), "run python docs/make_digits_row.py"


def numbers(sentence):
    """Return the numbers of the README in places of a sentence that are written as ``#``."""
    pattern = re.escape(sentence).replace(r"\#", r"(\d[\d.]*\d|\d)")
    found = re.findall(pattern, SENTENCES)
    assert len(found) == 1, sentence
    return [float(number) for number in found[0]]


def test_the_readme_counts_numpys_functions_as_the_page_of_coverage_does():
    page = (ROOT / "docs" / "coverage.md").read_text("utf-8")
    (counts,) = re.findall(r"^\| together \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.M)
    functions, differentiable, without, missing = map(float, counts)
    assert numbers("# of NumPy's # functions") == [differentiable, functions]
    assert numbers("# have no derivative by nature, and # are missing") == [without, missing]


def test_the_readme_and_the_landing_page_install_every_distribution():
    distributions = {path.parent.name for path in ROOT.glob("dezero_*/pyproject.toml")}
    for page in ("README.md", "docs/index.md"):
        blocks = blocks_of((ROOT / page).read_text("utf-8"))
        commands = " ".join(block.text for block in blocks if block.language == "sh")
        assert set(re.findall(r"\./(dezero_\w+)", commands)) == distributions, page


def test_the_landing_page_begins_with_the_words_of_the_readme():
    page = (ROOT / "docs" / "index.md").read_text("utf-8")
    said = page.partition("\n| distribution |")[0]
    said = re.sub(
        r"```python\nfrom dezero_tools import draw\n.*?```\n\n!\[.*?\)", "", said, flags=re.S
    )
    own = [part for part in said.split("\n\n") if " ".join(part.split()) not in SENTENCES]
    assert own == []


def row_of_performance(title):
    """Return the figures of a row of the first table of docs/performance.md, by library."""
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")] for line in page.splitlines() if "|" in line]
    head, *rows = rows
    (found,) = (row for row in rows if row[1] == title)
    return dict(zip(head, found, strict=True))


@pytest.mark.parametrize(
    ("sentence", "title", "libraries"),
    [
        (
            "Forward and backward of one operation on a number take # µs here, # µs in PyTorch and "
            "# µs in autograd.",
            "an operation on a number, forward and backward, µs",
            ("this project", "PyTorch", "autograd"),
        ),
        (
            "A training step of a small network takes # µs here, # µs in PyTorch and # µs in "
            "autograd. The compiled step takes # µs here, # µs as machine code, and # µs in JAX:",
            "a training step of a small network, µs",
            ("this project", "PyTorch", "autograd", "replayed", "native", "JAX, compiled"),
        ),
        (
            "It takes # ms, of which NumPy takes # ms. The import of PyTorch takes # ms.",
            "the import, ms",
            ("this project", "NumPy by hand", "PyTorch"),
        ),
    ],
)
def test_times_in_the_readme_are_those_of_the_page_of_performance_to_a_tenth(
    sentence, title, libraries
):
    row = row_of_performance(title)
    measured = [float(row[library].replace(",", "")) for library in libraries]
    assert numbers(sentence) == pytest.approx(measured, rel=0.1), "write the measured times"
