"""An interpreter that has imported NumPy, and is copied by a fork for each program that it runs.

`interpreters` starts this file as a program, and sends the descriptors of four files for each run:
the request as JSON, and the three standard streams. The answer is the exit status.

A copy is as a fresh interpreter would be: its environment, folder, ``sys.path``, ``sys.argv``,
streams and ``__main__`` are its own, and it ends as every interpreter ends, with its threads
joined, its ``atexit`` functions called and a traceback printed. What differs: modules are in
``sys.modules`` that the program has not imported, and all copies hash strings alike. A program for
which more would differ is given to a fresh interpreter, by the same process.
"""

import gc
import importlib
import io
import json
import os
import runpy
import signal
import site
import socket
import struct
import sys
import types
import warnings
from contextlib import suppress

#: Variables that only the start of an interpreter or of NumPy reads, by their beginnings.
AT_THE_START = ("PYTHON", "LANG", "LC_", "LD_", "MALLOC_", "MKL_", "NPY_", "OMP_", "OPENBLAS_")
#: Those among them that a copy can follow.
FOLLOWED = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}


def warm_up(folder, modules):
    """Import what there is of `modules`, from a folder that does not stay on the path."""
    sys.path.append(folder)
    for name in modules:
        with suppress(ImportError):
            importlib.import_module(name)
    sys.path.remove(folder)
    gc.collect()
    gc.freeze()  # or the first collection of each copy writes to all of these objects


def serve(connection):
    """Fork for each request until there are no more; return in copies alone, with the request."""
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the tests
    while True:
        _, files, _, _ = socket.recv_fds(connection, 1, 4)
        if not files:
            sys.exit()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of the threads of OpenBLAS, which knows
            copy = os.fork()
        if not copy:
            connection.close()
            signal.signal(signal.SIGINT, interrupted)
            return take(files)
        for file in files:
            os.close(file)
        _, status = os.waitpid(copy, 0)
        connection.sendall(struct.pack("i", os.waitstatus_to_exitcode(status)))


def take(files):
    """Make files the standard streams of this process, and return the request."""
    request, *streams = files
    for number, file in enumerate(streams):
        os.dup2(file, number)
        os.close(file)
    with open(request, encoding="utf-8") as file:
        return json.load(file)


def at_the_start(environment):
    """Return the variables that a running interpreter cannot follow."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(AT_THE_START) and name not in FOLLOWED
    }


def follows(arguments, environment, paths):
    """Return whether a copy can do what a fresh interpreter would do."""
    if arguments[0].startswith("-") and arguments[0] not in ("-c", "-m"):
        return False
    if at_the_start(environment) != at_the_start(os.environ):
        return False
    imported = {name.partition(".")[0] for name in sys.modules}
    folders = (path or os.curdir for path in paths if os.path.isdir(path or os.curdir))
    found = (entry for folder in folders for entry in os.scandir(folder))
    modules = (entry.name for entry in found if "." in entry.name or entry.is_dir())
    return imported.isdisjoint(name.partition(".")[0] for name in modules)


def stream(name, number, errors):
    """Return a standard stream, as Python makes it."""
    mode = "w" if number else "r"
    at_once = bool(os.environ.get("PYTHONUNBUFFERED"))
    buffering = 0 if at_once and mode == "w" else -1
    file = os.fdopen(number, mode + "b", buffering=buffering, closefd=False)
    getattr(file, "raw", file).name = name
    made = io.TextIOWrapper(
        file,
        encoding=sys.__stdout__.encoding,
        errors=errors,
        newline="\n" if mode == "w" else None,
        line_buffering=number == 2 and not at_once,
        write_through=at_once,
    )
    made.mode = mode
    return made


def prepare(arguments, environment, paths):
    """Set up the state that a fresh interpreter has when its program begins."""
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    sys.orig_argv = [sys.executable, *arguments]
    sys.argv = arguments[1:] if arguments[0] == "-m" else arguments[:]
    if arguments[0] == "-c":
        del sys.argv[1]
    sys.path[:0] = paths
    sys.stdin = sys.__stdin__ = stream("<stdin>", 0, sys.__stdin__.errors)
    sys.stderr = sys.__stderr__ = stream("<stderr>", 2, "backslashreplace")
    sys.stdout = sys.__stdout__ = stream("<stdout>", 1, sys.__stdout__.errors)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.excepthook = print_without_this_file
    if not sys.flags.no_site:
        for folder in site.getsitepackages():  # what the environment lets its .pth files start
            site.addsitedir(folder)


def print_without_this_file(kind, error, traceback):
    """Print a traceback that begins where the program does."""
    while traceback and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    sys.__excepthook__(kind, error.with_traceback(traceback), traceback)


def run(flags, arguments, environment, folder):
    """Do what an interpreter does that is started with these arguments."""
    os.chdir(folder)
    program = arguments[0]
    first = {"-c": "", "-m": folder}.get(program, os.path.dirname(os.path.abspath(program)))
    added = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [first, *added]
    if not follows(arguments, environment, paths):
        os.execve(sys.executable, [sys.executable, *flags, *arguments], environment)
    prepare(arguments, environment, paths)
    if program == "-m":
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    name, code = "<string>", arguments[1] if program == "-c" else None
    main = vars(sys.modules["__main__"])
    if code is None:
        name = main["__file__"] = program
        with open(program, "rb") as file:
            code = file.read()
    exec(compile(code, name, "exec"), main)


if __name__ == "__main__":
    descriptor, *imported = sys.argv[1:]
    del sys.path[0]  # the folder of this file
    warm_up(*imported[:1], imported[1:])
    run(**serve(socket.socket(fileno=int(descriptor))))
