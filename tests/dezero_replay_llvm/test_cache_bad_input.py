"""Folders and files of the cache that are damaged, hostile or somebody else's: no program fails.

Promise: docs/how_replay_works.md
"""

import hashlib
import os
import pathlib
import pwd
import stat
import subprocess
import sys

import pytest

from dezero_replay_llvm import cache

from .kept_code import run


def run_elsewhere(code="run()"):
    """Run code in a fresh process that has little memory and time; return how it ended."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))\n"
    imported = "import sys; sys.path.insert(0, sys.argv[1])\nfrom kept_code import run\n"
    command = [sys.executable, "-c", limited + imported + code, os.path.dirname(__file__)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stderr


def names():
    """Yield the names of files that are not ours: 2,100 of them look like those of machine code."""
    for number in range(1_050):
        digest = hashlib.sha256(b"%d" % number).hexdigest()
        yield from (f"photo_{number}.jpg", digest, f"{digest}.ab12_xyz")


# Files of others.


@pytest.mark.parametrize("below", [".", "dezero-replay-llvm"])
def test_no_file_of_somebody_else_is_removed(cache_folder, below):
    place = cache_folder / below
    place.mkdir(mode=0o700, parents=True)
    for name in names():
        (place / name).write_text("mine")
        os.utime(place / name, (0, 0))
    run()
    assert {path.name for path in place.iterdir() if path.is_file()} >= set(names())


@pytest.fixture
def few(monkeypatch):
    """Let two files be too many."""
    monkeypatch.setattr(cache, "_MOST", 1)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("written", [0, 10, 100])
def test_files_that_a_killed_process_was_writing_are_removed_with_the_others(own, written):
    run()
    (kept,) = own.iterdir()
    left = own / f"{kept.name}.ab12_xyz"
    left.write_bytes(kept.read_bytes()[:written])
    os.utime(left, (0, 0))
    run(3.0)
    assert not left.exists()


def test_an_interrupt_while_code_is_written_arrives_though_the_file_cannot_be_removed(monkeypatch):
    def interrupt(*paths):
        raise KeyboardInterrupt

    def refuse(*path, **options):
        raise PermissionError

    monkeypatch.setattr(os, "replace", interrupt)
    monkeypatch.setattr(pathlib.Path, "unlink", refuse)
    with pytest.raises(KeyboardInterrupt):
        cache.write("key", b"code", 0)


@pytest.mark.usefixtures("few")
def test_folders_links_and_copies_in_the_cache_are_left_alone(own, tmp_path):
    run()
    (kept,) = own.iterdir()
    (own / ("0" * 64)).mkdir()
    (own / ("1" * 64)).symlink_to(kept)
    (own / ("2" * 64)).symlink_to(tmp_path / "nothing")
    (own / f"{kept.name}.copied").write_bytes(kept.read_bytes())
    others = set(own.iterdir()) - {kept}
    for factor in (3.0, 4.0):
        run(factor)
    assert set(own.iterdir()) >= others


# Files that are read.


def be_writable_by_all(path):
    path.chmod(0o666)


def be_writable_by_the_group(path):
    path.chmod(0o620)


def be_of_another_user(path):
    os.chown(path, 65534, -1)


def be_a_link(path):
    path.rename(path.with_suffix(".other"))
    path.symlink_to(path.with_suffix(".other"))


def be_a_link_to_nothing(path):
    path.unlink()
    path.symlink_to(path.with_suffix(".other"))


#: Only root can give a file away.
SPOILT = [be_writable_by_all, be_writable_by_the_group, be_a_link, be_a_link_to_nothing]
SPOILT += [be_of_another_user] if os.geteuid() == 0 else []


@pytest.mark.parametrize("be", SPOILT)
def test_a_file_that_somebody_else_could_have_written_is_compiled_anew(made, own, be):
    run()
    (path,) = own.iterdir()
    be(path)
    run()
    assert len(made) == 2
    found = path.lstat()
    assert stat.S_ISREG(found.st_mode)
    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o600, os.geteuid())
    run()
    assert len(made) == 2


def be_a_pipe(path):
    os.mkfifo(path)


def be_a_link_to_a_device_without_end(path):
    path.symlink_to("/dev/zero")


def be_of_a_tebibyte(path):
    with path.open("wb") as file:
        file.truncate(2**40)
    path.chmod(0o600)


ENDLESS = [be_a_pipe, be_a_link_to_a_device_without_end, be_of_a_tebibyte]


@pytest.mark.parametrize("be", ENDLESS)
def test_a_file_that_cannot_be_read_to_its_end_is_compiled_anew(own, be):
    run()
    (path,) = own.iterdir()
    right = path.read_bytes()
    path.unlink()
    be(path)
    assert run_elsewhere() == (0, "")
    assert stat.S_ISREG(path.lstat().st_mode)
    assert path.read_bytes() == right


def test_a_pipe_into_which_somebody_may_write_is_not_waited_for(own):
    run()
    (path,) = own.iterdir()
    path.unlink()
    os.mkfifo(path, 0o600)
    writer = os.open(path, os.O_RDWR)
    try:
        assert run_elsewhere() == (0, "")
    finally:
        os.close(writer)
    assert stat.S_ISREG(path.lstat().st_mode)


def test_a_folder_in_the_place_of_a_file_stays_there(made, own):
    run()
    (path,) = own.iterdir()
    path.unlink()
    path.mkdir()
    run()
    assert len(made) == 2
    assert list(own.iterdir()) == [path]
    assert path.is_dir()


def test_code_that_would_be_too_large_to_be_read_is_not_kept(made, own, monkeypatch):
    monkeypatch.setattr(cache, "_LARGEST", 100)
    run()
    assert not own.exists()


# Folders.


@pytest.mark.parametrize(
    "folder",
    ["/proc/self", "/dev/null", "/dev/full", f"/{'long' * 100}", f"{__file__}/below/a/file"],
)
def test_a_place_where_no_folder_can_be_is_no_error(made, monkeypatch, folder):
    monkeypatch.setenv("DEZERO_REPLAY_CACHE", folder)
    run()
    run()
    assert len(made) == 2


def test_a_link_to_another_folder_of_the_user_is_neither_read_nor_written(made, own, tmp_path):
    run()
    downloads = own.rename(tmp_path / "downloads")
    own.symlink_to(downloads)
    run()
    run(factor=3.0)
    assert len(made) == 3
    assert len(list(downloads.iterdir())) == 1


def test_a_link_that_leads_to_itself_is_no_error(made, cache_folder):
    cache_folder.symlink_to(cache_folder)
    run()
    run()
    assert len(made) == 2


def test_a_user_without_a_home_has_machine_code_that_is_not_kept(made, monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    for name in ("DEZERO_REPLAY_CACHE", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    run()
    run()
    assert len(made) == 2


WITHOUT_RIGHTS = """
import os, tempfile
os.environ["DEZERO_REPLAY_CACHE"], place = tempfile.mkdtemp(), tempfile.mkdtemp()
run(3.0)  # imports everything, as another user may not
if os.geteuid() == 0:  # whom no mode of a folder stops
    os.chown(place, 65534, -1)
os.chmod(place, 0o500)
os.environ["DEZERO_REPLAY_CACHE"] = place
user = os.geteuid()
if user == 0:
    os.seteuid(65534)
run()
os.seteuid(user)
assert os.listdir(place) == []
os.rmdir(place)
"""


def test_a_folder_without_rights_is_no_error():
    assert run_elsewhere(WITHOUT_RIGHTS) == (0, "")


WITHOUT_ROOM = """
unlimited = resource.RLIM_INFINITY
resource.setrlimit(resource.RLIMIT_FSIZE, (100, unlimited))
run()
run()
resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))
"""


def test_a_disk_that_takes_no_more_bytes_is_no_error_and_keeps_nothing(own):
    assert run_elsewhere(WITHOUT_ROOM) == (0, "")
    assert list(own.iterdir()) == []
