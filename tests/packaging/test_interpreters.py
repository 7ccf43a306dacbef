"""A copy of a warm interpreter does what a fresh interpreter does; so the tests may use copies.

Promise: CONTRIBUTING.md
"""

import json
import os
import re
import signal
import sys

import pytest

from .. import interpreters

SITE = os.path.dirname(os.path.dirname(pytest.__file__))
#: The state in which a program begins. The filters of warnings are alike once NumPy is imported.
STATE = """
import site, sys
if sys.flags.no_site:
    site.addsitedir(sys.argv[1])
import json, os, sys, signal, threading, warnings, numpy
print(json.dumps([
    sys.argv, sys.path, sys.dont_write_bytecode, os.getcwd(), dict(os.environ),
    sorted(set(vars(sys.modules["__main__"])) - {"__annotations__", "__cached__"}),
    vars(sys.modules["__main__"]).get("__file__"), __name__,
    [[s.encoding, s.errors, s.line_buffering, s.write_through, s.isatty(), s.mode, s.name]
     for s in (sys.stdin, sys.stdout, sys.stderr)],
    sys.stdin.read(), list(map(str, warnings.filters)), str(signal.getsignal(signal.SIGINT)),
    threading.active_count(), sorted(os.listdir("/proc/self/fd")), sys.flags.no_site, sys.prefix,
]))
"""
ENDS = {
    "nothing": "",
    "output": "import os, sys; os.write(1, b'one'); print('two'); print('three', file=sys.stderr)",
    "a line with a return": "print('one', end='\\r\\n')",
    "an error": "def f():\n    return 1 / 0\nf()",
    "an error of syntax": "x = (",
    "exit": "import sys; sys.exit(3)",
    "exit with a message": "raise SystemExit('the message')",
    "exit at once": "import os; print('lost'); os._exit(5)",
    "Ctrl-C": "raise KeyboardInterrupt",
    "a signal": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "an end with functions": "import atexit; atexit.register(print, 'the end'); print('before')",
    "an error at the end": "import atexit; atexit.register(lambda: 1 / 0)",
    "a thread": "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), "
    "print('later'))).start()",
    "an error in a thread": "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
    "a last word": "class A:\n    def __del__(self):\n        print('gone')\na = A()",
    "a child": "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1)'])",
    "a fork": "import os\npid = os.fork()\npid and os.waitpid(pid, 0)\nprint(pid > 0)",
    "a warning": "import warnings; warnings.warn('beware')",
    "a shadowed module": "import pluggy; print(pluggy.__file__)",
}


def without_paths(text):
    """Return a text without what differs by nature: addresses, threads and lines of runpy."""
    text = re.sub(r'  File "<frozen runpy>.*\n', "", text)
    return re.sub(r"0x[0-9a-f]+|Thread-\d+", "...", text)


def both(*arguments, **options):
    """Return what a copy and a fresh interpreter have done."""
    runs = [interpreters.run(*arguments, **options, fresh=fresh) for fresh in (False, True)]
    return [(run.returncode, without_paths(run.stdout), without_paths(run.stderr)) for run in runs]


@pytest.fixture
def environment(tmp_path):
    (tmp_path / "more").mkdir()
    return os.environ | {"PYTHONPATH": str(tmp_path / "more"), "DEZERO_TESTS": "é"}


@pytest.fixture
def program(tmp_path):
    """Return a function that makes the arguments for code that is run in each of the ways."""

    def arguments(way, code):
        (tmp_path / "a_program.py").write_text(code)
        return {
            "-c": ("-c", code, SITE, "-m"),
            "-m": ("-m", "a_program", SITE, "-c"),
            "a path": (tmp_path / "a_program.py", SITE),
        }[way]

    return arguments


@pytest.mark.parametrize("way", ["-c", "-m", "a path"])
@pytest.mark.parametrize("site", ["", SITE], ids=["python", "python -S"])
def test_a_program_begins_in_the_same_state(way, site, program, environment, tmp_path):
    options = {"site": site, "stdin": "some\ntext", "cwd": tmp_path, "env": environment}
    copied, fresh = both(*program(way, STATE), **options)
    assert (copied[0], copied[2]) == (fresh[0], fresh[2]) == (0, "")
    for mine, others in zip(json.loads(copied[1]), json.loads(fresh[1]), strict=True):
        assert mine == others


@pytest.mark.parametrize("end", ENDS)
def test_a_program_ends_in_the_same_way(end, environment, tmp_path):
    if end == "a shadowed module":
        (tmp_path / "more" / "pluggy.py").write_text("")
    copied, fresh = both("-c", ENDS[end], cwd=tmp_path, env=environment)
    assert copied == fresh


@pytest.mark.parametrize("way", ["-m", "a path"])
def test_an_error_of_a_program_is_printed_alike(way, program, environment, tmp_path):
    code = ENDS["an error"]
    copied, fresh = both(*program(way, code), cwd=tmp_path, env=environment)
    assert copied == fresh
    assert fresh[0] == 1


@pytest.mark.parametrize(
    "variable", ["PYTHONHASHSEED", "PYTHONOPTIMIZE", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"]
)
def test_variables_of_python_take_effect(variable, environment, tmp_path):
    code = "import sys; print(hash('a'), sys.flags.optimize, sys.stdout.write_through, "
    code += "sys.dont_write_bytecode)"
    environment = environment | {"PYTHONHASHSEED": "1", variable: "1"}
    copied, fresh = both("-c", code, cwd=tmp_path, env=environment)
    assert copied == fresh


def test_flags_of_python_take_effect(tmp_path):
    code = "import sys; print(sys.flags.optimize, sys.warnoptions)"
    copied, fresh = both("-OO", "-W", "error", "-c", code, cwd=tmp_path)
    assert copied == fresh
    assert fresh[1] == "2 ['error']\n"


@pytest.mark.skipif(not interpreters.WARM, reason="interpreters are not copied here")
def test_one_copy_leaves_nothing_to_the_next():
    code = "import sys, os, numpy; print(hasattr(numpy, 'left'), os.environ.get('LEFT'))\n"
    code += "numpy.left = True; os.environ['LEFT'] = '1'; os.chdir('/')"
    ran = [interpreters.run("-c", code).stdout for _ in range(2)]
    assert ran == ["False None\n"] * 2


@pytest.mark.skipif(not interpreters.WARM, reason="interpreters are not copied here")
def test_a_variable_of_a_library_does_not_end_the_copying(monkeypatch):
    code = "import sys, os; print('numpy' in sys.modules, os.environ['OMP_NUM_THREADS'])"
    for number in ("3", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", number)
        assert interpreters.run("-c", code).stdout == f"True {number}\n"


@pytest.mark.skipif(not interpreters.WARM, reason="interpreters are not copied here")
def test_a_copy_has_imported_numpy_and_nothing_of_ours():
    code = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    copied, fresh = both("-c", code)
    assert {"numpy", "pluggy"} <= {*copied[1].split()}
    assert "numpy" not in fresh[1].split()
    assert not any("dezero" in name for name in copied[1].split())


@pytest.mark.skipif(not interpreters.WARM, reason="interpreters are not copied here")
def test_a_copy_that_is_killed_does_not_take_the_others_with_it():
    killed = interpreters.run("-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.returncode == -signal.SIGKILL
    assert interpreters.run("-c", "print(1)").stdout == "1\n"
    assert killed.args[0] == sys.executable
