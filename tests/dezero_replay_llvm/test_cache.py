"""Machine code on disk: found again, checked, and never in the way.

Promise: docs/how_replay_works.md
"""

import os
import subprocess
import sys

import pytest

from dezero_replay_llvm import cache, compiler

from .kept_code import run


def test_code_is_compiled_once_for_all_processes(made, own):
    run()
    run()
    assert len(made) == 1
    assert len(list(own.iterdir())) == 1


def test_another_program_has_other_code(made):
    run()
    run(factor=3.0)
    assert len(made) == 2


def test_another_version_has_other_code(made, monkeypatch):
    run()
    monkeypatch.setattr(compiler, "__version__", "0.0.0")
    run()
    assert len(made) == 2


@pytest.mark.parametrize("damage", [lambda x: x[:-1], lambda x: x[:-1] + b"?", lambda x: b""])
def test_a_damaged_file_is_compiled_anew(made, own, damage):
    run()
    (file,) = own.iterdir()
    right = file.read_bytes()
    file.write_bytes(damage(right))
    run()
    assert len(made) == 2
    assert file.read_bytes() == right


def test_code_under_the_name_of_another_program_is_compiled_anew(made, own):
    run()
    (mine,) = own.iterdir()
    run(factor=3.0)
    (other,) = set(own.iterdir()) - {mine}
    mine.write_bytes(other.read_bytes())
    run()
    assert len(made) == 3


def test_the_folder_and_those_that_are_made_around_it_are_the_users_own(own):
    before = os.umask(0)
    try:
        run()
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (own, own.parent)] == [0o700, 0o700]


def test_a_folder_that_others_can_write_to_is_neither_read_nor_written(made, own):
    run()
    own.chmod(0o777)
    run()
    run(factor=3.0)
    assert len(made) == 3
    assert len(list(own.iterdir())) == 1


def test_files_that_were_used_longest_ago_go_first(monkeypatch, own):
    monkeypatch.setattr(cache, "_MOST", 2)
    for factor in (1.5, 2.5):
        run(factor)
    first = min(own.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    os.utime(first, (0, 0))
    run(3.5)
    assert first not in own.iterdir()
    assert len(list(own.iterdir())) == 1


def test_the_folder_is_that_of_the_system_unless_it_is_named(monkeypatch):
    monkeypatch.delenv("DEZERO_REPLAY_CACHE")
    assert cache.folder().name == "dezero-replay-llvm"


def test_systems_without_owners_of_files_keep_code_too(made, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    run()
    run()
    assert len(made) == 1


def test_two_processes_write_at_once(own, tmp_path):
    code = (
        "import numpy as np\n"
        "from dezero_replay import compiled\n"
        "x = np.linspace(0.1, 2.0, 100)\n"
        "for n in range(8):\n"
        "    step = compiled(lambda x: np.sum(np.exp(x) * n + x), executor='llvm', wait=True)\n"
        "    for _ in range(3): found = step(x)\n"
        "    assert abs(found - step.eager(x)) < 1e-12 * abs(found)\n"
    )
    file = tmp_path / "program.py"
    file.write_text(code)
    both = [subprocess.Popen([sys.executable, file]) for _ in range(2)]
    assert [each.wait(timeout=120) for each in both] == [0, 0]
    assert len(list(own.iterdir())) == 8
