"""The sessions of ``make test`` and ``make test-all``, which check the sources and test wheels.

``make test`` has one environment with all wheels, in which it runs all that is not slow.
``make test-all`` runs the slow tests there, and measures the coverage in smaller environments. Each
has the wheels it is named after and nothing of the checkout, so the tests see what a user would
have installed.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import nox

ROOT = Path(__file__).parent
WHEELS = ROOT / ".test" / "wheels"
COVERAGE = ROOT / ".test" / "coverage"
PACKAGES = (
    *("dezero_core", "dezero_tools", "dezero_ops_basic", "dezero_ops_math"),
    *("dezero_replay", "dezero_replay_llvm", "dezero_dask", "dezero_nn", "dezero_ops_scipy"),
)
DISTRIBUTIONS = tuple(package.replace("_", "-") for package in PACKAGES)
THIRD_PARTY = "tests/third_party/dezero-ops-softplus"
REQUIREMENTS = ("-r", "tests/requirements.txt")
OF_TOOLS_AND_PAGES = (
    *("-r", "examples/requirements.txt", "-r", "tests/requirements-oracles.txt"),
    *("-r", "tests/requirements-tools.txt", "-r", "docs/requirements.txt"),
)
OF_DASK = ("-r", "tests/requirements-dask.txt", "-r", "benchmarks/requirements-dask.txt")
PYTEST = ("-m", "pytest", "--quiet", "--numprocesses", "auto", "--dist", "worksteal")
QUICK = ("-m", "not slow")
KIT = ("--dezero-ops=basic", "--dezero-ops=math", "--dezero-ops=nn", "--dezero-ops=scipy")

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
    "scipy": (
        (
            *("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-ops-scipy"),
            "dezero-replay",
        ),
        ("scipy",),
        ("dezero_ops_scipy", "examples/test_gamma_fit.py", "operations"),
    ),
}

#: Requirements of single environments, beside those of all.
MORE_REQUIREMENTS = {
    "all": OF_TOOLS_AND_PAGES,
    "replay": ("-r", "tests/requirements-scipy.txt"),  # which brings LAPACK
    "dask": ("-r", "tests/requirements-dask.txt"),
    "nn": ("-r", "examples/requirements.txt"),
    "scipy": ("-r", "tests/requirements-scipy.txt"),
}

#: Others pin llvmlite, so the oldest that is allowed is tested besides the newest.
OLDEST_LLVMLITE = "llvmlite==0.44.0"
WITH_OLDEST_LLVMLITE = [
    f"tests/dezero_replay_llvm/test_{name}.py"
    for name in ("native", "cache", "layouts", "products", "reductions", "threads")
]

#: Tests where not everything is tested: the distributions that are installed, and the files and
#: folders of tests/ that are run. Windows gets the packages. By .ci/run, the newest interpreter
#: gets what depends on the interpreter, and those between the oldest and the newest the engine.
ELSEWHERE = {
    "packages": (
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay"),
        ("dezero_core", "dezero_ops_basic", "dezero_ops_math"),
    ),
    "interpreter": (
        (
            *("dezero-tools", "dezero-ops-basic", "dezero-ops-math"),
            *("dezero-replay", "dezero-replay-llvm"),
        ),
        (
            *("dezero_core", "dezero_replay", "dezero_replay_llvm", "seeds"),
            *("docs/test_stays_eager.py", "docs/test_eager_without_a_warning.py"),
        ),
    ),
    "engine": (
        ("dezero-tools", "dezero-ops-basic", "dezero-ops-math", "dezero-replay"),
        ("dezero_core/engine", "dezero_replay", "seeds"),
    ),
}
#: Nothing in these depends on the interpreter: they are about machine code.
THE_SAME_ELSEWHERE = (
    *("dezero_replay_llvm/test_functions.py", "dezero_replay_llvm/test_products.py"),
    *("dezero_replay_llvm/test_reductions.py", "dezero_replay_llvm/test_factorizations.py"),
)

#: The part of the kit that is run over math alone, and a second time over SciPy's functions. The
#: whole is run beside basic, whose operators derivatives of gradients need.
FIRST_ORDER = "test_ or gradient or bindings"

#: Of the sessions of this run, in order.
NUMBERS = count(1)

nox.options.envdir = ".test/environments"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.stop_on_first_error = True

# What is imported is compiled once, and not by each process.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@nox.session
def wheels(session: nox.Session) -> None:
    """Build the wheels of the distributions, and of the third party's."""
    begin(session)
    for folder in (WHEELS, COVERAGE):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    # The builder is installed once, and not for each of them.
    install(session, "--constraint", "tests/requirements.txt", "hatchling")
    sources = [f"./{package}" for package in (*PACKAGES, THIRD_PARTY)]
    build = ("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    session.run(*build, "--wheel-dir", str(WHEELS), *sources)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    begin(session)
    install(session, "-r", "tests/requirements-lint.txt")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    paths = os.pathsep.join(str(ROOT / package / "src") for package in PACKAGES)
    # In a folder of MYPYPATH, mypy would not look for the stubs of what plugins bind.
    session.run("mypy", env={"PYTHONPATH": paths})


@nox.session
def everything(session: nox.Session) -> None:
    """Test all wheels in one environment: the tests with a mark, ``not slow`` if none is given."""
    begin(session)
    install_wheels(session, *DISTRIBUTIONS, besides=(*REQUIREMENTS, *OF_TOOLS_AND_PAGES, *OF_DASK))
    mark, *paths = session.posargs or ["not slow"]
    session.run("python", *PYTEST, "-m", mark, *(paths or [*KIT, "tests"]))


@nox.session(default=False, tags=["more"])
@nox.parametrize("environment", list(ENVIRONMENTS), ids=list(ENVIRONMENTS))
def tests(session: nox.Session, environment: str) -> None:
    """Test the installed wheels, with the coverage of their branches recorded."""
    begin(session)
    distributions, plugins, folders = ENVIRONMENTS[environment]
    besides = (*REQUIREMENTS, *MORE_REQUIREMENTS.get(environment, ()))
    install_wheels(session, *distributions, besides=besides)
    pytest = (*PYTEST, *QUICK, *session.posargs)
    measured = ("python", "-m", "coverage", "run", *pytest)
    data = {"COVERAGE_FILE": str(COVERAGE / f"data.{environment}")}
    checked = (f"--dezero-ops={plugin}" for plugin in plugins)
    paths = [f"tests/{folder}" for folder in folders]
    if environment in ("math", "scipy"):
        paths += ["-k", FIRST_ORDER]
    session.run(*measured, *checked, *paths, env=data)
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


@nox.session(default=False, tags=["more"])
def coverage(session: nox.Session) -> None:
    """Print the branch coverage of all environments together; below 100 % fails."""
    begin(session)
    install(session, "--constraint", "tests/requirements.txt", "coverage")
    data = {"COVERAGE_FILE": str(COVERAGE / "data")}
    session.run("coverage", "combine", "--quiet", str(COVERAGE), env=data)
    session.run("coverage", "report", env=data)


@nox.session(default=False)
def attack(session: nox.Session) -> None:
    """Attack the installed wheels for a quarter of an hour, from a seed that the tests name."""
    begin(session)
    besides = [*REQUIREMENTS, "-r", "tests/requirements-dask.txt"]
    besides += ["-r", "tests/requirements-oracles.txt", "-r", "tests/requirements-tools.txt"]
    rest = "dezero-replay", "dezero-replay-llvm", "dezero-dask"
    install_wheels(session, *ENVIRONMENTS["all"][0], *rest, besides=besides)
    seed = os.environ.get("DEZERO_ATTACK_SEED") or str(random.randrange(2, 10**6))
    longer = {"DEZERO_ATTACK": "long", "DEZERO_ATTACK_SEED": seed}
    paths = ["tests/attack", "tests/dezero_replay/test_random_functions.py"]
    paths += ["tests/dezero_replay/test_random_stateful_programs.py"]
    paths += ["tests/dezero_replay_llvm", "tests/dezero_dask/arrays/test_operations.py"]
    paths += ["tests/dezero_dask/arrays/test_random_programs.py"]
    session.run("python", *PYTEST, *session.posargs, *paths, env=longer)


@nox.session(default=False)
@nox.parametrize("what", list(ELSEWHERE), ids=list(ELSEWHERE))
def elsewhere(session: nox.Session, what: str) -> None:
    """Test the installed wheels with another interpreter, or on another system."""
    begin(session)
    distributions, folders = ELSEWHERE[what]
    besides, paths = [*REQUIREMENTS], [f"tests/{path}" for path in folders]
    if what != "packages":
        paths += [*QUICK, *(f"--ignore=tests/{path}" for path in THE_SAME_ELSEWHERE)]
    install_wheels(session, *distributions, besides=besides)
    session.run("python", *PYTEST, *session.posargs, *paths)


def begin(session: nox.Session) -> None:
    """Say which of the chosen sessions this is."""
    session.log(f"session {next(NUMBERS)} of {len(session._runner.manifest)}")


def install(session: nox.Session, *arguments: str) -> None:
    """Install what pip's arguments say, and say how long that took: pip is quiet meanwhile.

    It does not compile: most modules are never imported, and the others are compiled by that.
    """
    start = time.monotonic()
    session.log(f"installing {' '.join(arguments)}")
    session.install("--quiet", "--no-compile", *arguments, log=False)
    session.log(f"installed in {time.monotonic() - start:.0f} s")


def install_wheels(session: nox.Session, *distributions: str, besides: Sequence[str] = ()) -> None:
    """Install wheels that were built, and what they need; with other arguments of pip."""
    # Or a reused environment would keep the wheels of the last run, which have the same version.
    session.run_install("pip", "uninstall", "--yes", *DISTRIBUTIONS, silent=True)
    install(session, "--find-links", str(WHEELS), *distributions, *besides)
