"""What ``make test`` runs: build the wheels, check the sources, test the wheels.

Each environment gets the wheels it is named after and nothing of the checkout, so the
tests see what a user would have installed.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from itertools import count
from pathlib import Path

import nox

ROOT = Path(__file__).parent
WHEELS = ROOT / ".test" / "wheels"
COVERAGE = ROOT / ".test" / "coverage"
PACKAGES = (
    *("dezero_core", "dezero_tools", "dezero_ops_basic", "dezero_ops_math"),
    *("dezero_replay", "dezero_replay_llvm", "dezero_dask", "dezero_nn"),
)
THIRD_PARTY = "tests/third_party/dezero-ops-softplus"
SPECIAL = "examples/dezero-ops-special"
REQUIREMENTS = ("-r", "tests/requirements.txt")
OF_TOOLS_AND_PAGES = (
    *("-r", "examples/requirements.txt", "-r", "tests/requirements-oracles.txt"),
    *("-r", "tests/requirements-tools.txt", "-r", "docs/requirements.txt"),
)
#: Most of what is installed is never imported, and need not be compiled.
INSTALL = ("--quiet", "--no-compile")
PYTEST = ("-m", "pytest", "--quiet", "--numprocesses", "auto", "--dist", "worksteal")

# environment: wheels installed in it, plugins whose operations go through the conformance kit
# in it, folders of tests/ run in it; of both the coverage is recorded
ENVIRONMENTS = {
    "core": (("dezero-core",), (), ("dezero_core",)),
    "basic": (("dezero-tools", "dezero-ops-basic"), ("basic",), ("dezero_ops_basic", "operations")),
    "math": (("dezero-tools", "dezero-ops-math"), ("math",), ("operations",)),
    "all": (
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math"),
        (),
        ("dezero_tools", "dezero_ops_basic", "dezero_ops_math", "operations"),
    ),
    "replay": (
        (
            *("dezero-tools", "dezero-ops-basic", "dezero-ops-math"),
            *("dezero-replay", "dezero-replay-llvm"),
        ),
        (),
        ("dezero_replay", "dezero_replay_llvm"),
    ),
    "dask": (
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay", "dezero-dask"),
        (),
        ("dezero_dask",),
    ),
    "nn": (
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay", "dezero-nn"),
        ("nn",),
        ("dezero_nn", "operations"),
    ),
    "third-party": (
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-ops-softplus"),
        ("softplus",),
        ("third_party", "operations"),
    ),
    # Its own tests put its operations through the conformance kit.
    "special": (
        (
            *("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-ops-special"),
            "dezero-replay",
        ),
        (),
        ("examples/test_gamma_fit.py", "dezero_replay/test_special.py"),
    ),
}

#: Folders of tests/ that "all" runs without coverage, which would double the time and adds no line:
#: pages and programs, the core beside plugins and other libraries, and the attack.
WITHOUT_COVERAGE = (
    *("dezero_core", "seeds", "docs", "readme", "examples"),
    *("ecosystem", "operations", "attack"),
)

#: Of pages and examples, those that need each distribution; the others have the README's command.
OF_EACH_DISTRIBUTION = (
    *("docs/test_docstrings.py", "docs/test_more_pages.py", "docs/test_site.py"),
    "docs/test_training_loops.py",
    *("examples/test_waiting_times.py", "examples/test_digits_by_map_reduce.py"),
)
WITH_ALL = ("packaging", "benchmarks", *OF_EACH_DISTRIBUTION)

#: Tests of the core that take a while, and in which nothing of what is installed beside it has a
#: part: nearly all are fresh interpreters that see the core alone. The environment of the core runs
#: them.
THE_SAME_EVERYWHERE = (
    "engine/test_a_million_operations.py",
    "engine/test_memory_kept.py",
    "engine/test_sums.py",
    "registry",
)

#: Tests over Dask that coverage makes take minutes, and to which it adds no line.
OF_DASK_WITHOUT_COVERAGE = [
    f"tests/dezero_dask/test_{name}.py" for name in ("operations", "query_planning", "interrupt")
]

#: Others pin llvmlite, so the oldest that is allowed is tested besides the newest.
OLDEST_LLVMLITE = "llvmlite==0.44.0"
WITH_OLDEST_LLVMLITE = [
    f"tests/dezero_replay_llvm/test_{name}.py"
    for name in ("native", "cache", "layouts", "products", "reductions", "threads")
]

#: Tests where not everything is tested, without coverage: distributions that are installed one
#: after another, each with the files and folders of tests/ that are run then. Windows gets the
#: packages; each other interpreter gets, by .ci/run, all that depends on the interpreter.
ELSEWHERE = {
    "packages": {
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay"): (
            *("dezero_core", "dezero_ops_basic", "dezero_ops_math"),
        ),
    },
    "interpreter": {
        ("dezero-core",): ("dezero_core",),
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math"): ("dezero_tools",),
        ("dezero-replay",): ("seeds", "docs/test_pages.py", "docs/test_stays_eager.py"),
        ("dezero-replay-llvm",): ("dezero_replay", "dezero_replay_llvm"),
    },
}

#: What of the kit is run over math alone. The whole is run in "all": derivatives of gradients need
#: the operators, which are basic's.
FIRST_ORDER = "test_ or gradient or bindings"

#: Of the sessions of this run, in order.
NUMBERS = count(1)

nox.options.envdir = ".test/environments"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = True


@nox.session
def wheels(session: nox.Session) -> None:
    """Build the wheels of the distributions, of the third party's and of the example's."""
    begin(session)
    for folder in (WHEELS, COVERAGE):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    sources = [f"./{package}" for package in (*PACKAGES, THIRD_PARTY, SPECIAL)]
    session.run("pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(WHEELS), *sources)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    begin(session)
    install(session, "-r", "tests/requirements-lint.txt")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    paths = os.pathsep.join(str(ROOT / package / "src") for package in (*PACKAGES, SPECIAL))
    session.run("mypy", env={"MYPYPATH": paths})
    with session.chdir(SPECIAL):  # by its own settings
        session.run("mypy", env={"MYPYPATH": paths})


@nox.session
@nox.parametrize("environment", list(ENVIRONMENTS), ids=list(ENVIRONMENTS))
def tests(session: nox.Session, environment: str) -> None:
    """Test the installed wheels, with the coverage of their branches recorded."""
    begin(session)
    distributions, plugins, folders = ENVIRONMENTS[environment]
    install(session, *REQUIREMENTS)
    if environment == "all":
        install(session, *OF_TOOLS_AND_PAGES)
    if environment == "special":
        install(session, "-r", "tests/requirements-special.txt")
    if environment == "dask":
        install(session, "-r", "tests/requirements-dask.txt")
    if environment == "nn":
        install(session, "-r", "examples/requirements.txt")
    install_wheels(session, *distributions)
    pytest = (*PYTEST, *session.posargs)
    measured = ("python", "-m", "coverage", "run", *pytest)
    data = {"COVERAGE_FILE": str(COVERAGE / f"data.{environment}")}
    checked = (f"--dezero-ops={plugin}" for plugin in plugins)
    paths = [f"tests/{folder}" for folder in folders]
    if environment == "math":
        paths += ["-k", FIRST_ORDER]
    if environment == "dask":
        paths += [f"--ignore={path}" for path in OF_DASK_WITHOUT_COVERAGE]
    if environment == "special":
        paths.append(f"{SPECIAL}/tests")
    session.run(*measured, *checked, *paths, env=data)
    if environment == "all":
        install_wheels(session, "dezero-replay")  # of which pages and the demo make use
        kit = ("--dezero-ops=basic", "--dezero-ops=math")
        paths = [f"tests/{folder}" for folder in WITHOUT_COVERAGE]
        left_out = [f"dezero_core/{path}" for path in THE_SAME_EVERYWHERE]
        left_out += (*OF_EACH_DISTRIBUTION, "examples/book")  # the book's are run with dezero-nn
        paths += [f"--ignore=tests/{path}" for path in left_out]
        session.run("python", *pytest, *kit, *paths)
        for folder in ("tests", "benchmarks"):
            install(session, "-r", f"{folder}/requirements-dask.txt")
        more = "dezero-replay", "dezero-replay-llvm", "dezero-dask", "dezero-nn"
        install_wheels(session, *more)
        session.run("python", *pytest, *(f"tests/{path}" for path in WITH_ALL))
    if environment == "nn":
        session.run("python", *pytest, "tests/examples/book")
    if environment == "dask":
        session.run("python", *pytest, *OF_DASK_WITHOUT_COVERAGE)
    if environment == "replay":
        install(session, OLDEST_LLVMLITE)
        session.run("python", *pytest, *WITH_OLDEST_LLVMLITE)
    if environment == "core":
        # The book's examples need operations, and no tool.
        install_wheels(session, "dezero-ops-basic", "dezero-ops-math")
        session.run("python", *pytest, "tests/seeds")
    if environment == "third-party":
        # Uninstalling takes away what a distribution brought, and nothing else.
        gone = ("dezero-ops-softplus", "dezero-ops-math")
        session.run("pip", "uninstall", "--quiet", "--yes", *gone)
        rest = ("--dezero-ops=basic", "tests/dezero_ops_basic", "tests/operations")
        session.run(*measured, *rest, env=data)


@nox.session(default=False)
def attack(session: nox.Session) -> None:
    """Attack the installed wheels for a quarter of an hour, from a seed that the tests name."""
    begin(session)
    more = ("-r", "tests/requirements-oracles.txt", "-r", "tests/requirements-tools.txt")
    install(session, *REQUIREMENTS, *more)
    install(session, "-r", "tests/requirements-dask.txt")
    rest = "dezero-replay", "dezero-replay-llvm", "dezero-dask"
    install_wheels(session, *ENVIRONMENTS["all"][0], *rest)
    seed = os.environ.get("DEZERO_ATTACK_SEED") or str(random.randrange(2, 10**6))
    longer = {"DEZERO_ATTACK": "long", "DEZERO_ATTACK_SEED": seed}
    paths = ["tests/attack", "tests/dezero_replay/test_random_functions.py"]
    paths += ["tests/dezero_replay_llvm", "tests/dezero_dask/test_operations.py"]
    paths += ["tests/dezero_dask/test_random_programs.py"]
    session.run("python", *PYTEST, *session.posargs, *paths, env=longer)


@nox.session(default=False)
@nox.parametrize("what", list(ELSEWHERE), ids=list(ELSEWHERE))
def elsewhere(session: nox.Session, what: str) -> None:
    """Test the installed wheels with another interpreter, or on another system."""
    begin(session)
    install(session, *REQUIREMENTS)
    if what == "interpreter":
        install(session, *OF_TOOLS_AND_PAGES)
    for distributions, paths in ELSEWHERE[what].items():
        install_wheels(session, *distributions)
        session.run("python", *PYTEST, *session.posargs, *(f"tests/{path}" for path in paths))


def begin(session: nox.Session) -> None:
    """Say which of the chosen sessions this is."""
    session.log(f"session {next(NUMBERS)} of {len(session._runner.manifest)}")


def install(session: nox.Session, *arguments: str) -> None:
    """Install what pip's arguments say, and say how long that took: pip is quiet meanwhile."""
    start = time.monotonic()
    session.log(f"installing {' '.join(arguments)}")
    session.install(*INSTALL, *arguments, log=False)
    session.log(f"installed in {time.monotonic() - start:.0f} s")


def install_wheels(session: nox.Session, *distributions: str) -> None:
    """Install wheels that were built, and what they need."""
    # Twice: once for the dependencies, once so that a reused environment gets new wheels.
    find = ("--find-links", str(WHEELS))
    install(session, *find, *distributions)
    anew = ("--no-index", "--no-deps", "--force-reinstall")
    install(session, *find, *anew, "dezero-core", *distributions)


@nox.session
def coverage(session: nox.Session) -> None:
    """Print the branch coverage of all environments together; below 100 % fails."""
    begin(session)
    install(session, "--constraint", "tests/requirements.txt", "coverage")
    data = {"COVERAGE_FILE": str(COVERAGE / "data")}
    session.run("coverage", "combine", "--quiet", str(COVERAGE), env=data)
    session.run("coverage", "report", env=data)
