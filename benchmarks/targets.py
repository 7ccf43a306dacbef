"""The targets: figures to reach, and whether they are reached."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import figures
from programs import CALL, FIRST_CALLS, PEAK
from results import Results
from workloads.fan_out import NODES
from workloads.imports import DISTRIBUTIONS


@dataclass(frozen=True)
class Target:
    """One figure to reach.

    Attributes
    ----------
    workload : str
    what : str
    limit : float
    unit : str
        The unit, written after the limit.
    rounds : callable
        Takes the results of the workload; returns the figure of each round.
    """

    workload: str
    what: str
    limit: float
    unit: str
    rounds: Callable[[Results], list[float]]

    def row(self, results: dict[str, Results]) -> tuple[str, str, str, str]:
        """Return the cells of the table."""
        limit = f"{self.limit:g} {self.unit}"
        found = self.rounds(results[self.workload]) if self.workload in results else []
        if not found:
            return self.what, limit, "—", "not measured"
        reached = "reached" if median(found) <= self.limit else "**not reached**"
        lower, upper = figures.quartiles(found)
        return self.what, limit, f"{median(found):.3g} ({lower:.3g} to {upper:.3g})", reached


HEAD = ("Figure", "To reach, at most", "Measured", "")


def rows(results: dict[str, Results]) -> list[tuple[str, ...]]:
    """Return the rows of the table under `HEAD`."""
    return [target.row(results) for target in TARGETS]


UNITS = {
    "torch": "x PyTorch",
    "floor": "x NumPy by hand",
    "jax": "x JAX, compiled",
    "project": "x eager",
    "autograd": "x autograd",
}


def times(
    workload: str, figure: str, other: str, limit: float, what: str, library: str = "project"
) -> Target:
    """Return the target that a library takes `limit` times as long as another library."""
    return Target(
        workload,
        what,
        limit,
        UNITS[other],
        lambda found: figures.ratios(found.rounds(figure, library), found.rounds(figure, other)),
    )


def beside(
    workload: str,
    figure: str,
    other: str,
    limit: float,
    unit: str,
    what: str,
    of: str = "project",
    library: str = "project",
) -> Target:
    """Return the target that a figure of a library is `limit` times another, `of` a library."""
    return Target(
        workload,
        what,
        limit,
        unit,
        lambda found: figures.ratios(found.rounds(figure, library), found.rounds(other, of)),
    )


def replayed(
    workload: str, figure: str, what: str, library: str = "replayed", **limits: float
) -> tuple[Target, ...]:
    """Return the targets of a replayed step, beside other libraries."""
    return tuple(
        times(workload, figure, other, limit, f"{library}: {what}", library)
        for other, limit in limits.items()
    )


native = functools.partial(replayed, library="native")


def compiled(name: str, milliseconds: float, figure: str = "compiled") -> Target:
    """Return the target of the time until there is machine code."""
    return Target(
        "compilation",
        f"machine code, {figure}, {name}",
        milliseconds,
        "ms more than NumPy's plan",
        lambda found: figures.within_rounds(
            lambda native, by_numpy: (native - by_numpy) * 1e3,
            *(found.rounds(f"{each}, {name}", "native") for each in (figure, "by NumPy")),
        ),
    )


def _by_two_threads(found: Results) -> list[float]:
    """Return the best ratio of two threads to one: another program may have had one of them."""
    one, two = (found.rounds(BOTH + way, "native") for way in ("", ", two threads"))
    return sorted(figures.ratios(two, one))[:1]


EAGER_RUNS, AN_INSTRUCTION = 4, 35.0


def recorded(name: str) -> Target:
    """Return the target of the time of recording and planning, an instruction."""
    return Target(
        "recording",
        f"recording and planning, {name}, an instruction",
        AN_INSTRUCTION,
        f"µs more than {EAGER_RUNS} eager runs",
        lambda found: figures.within_rounds(
            lambda recordings, eager: (recordings - EAGER_RUNS * eager) * 1e6,
            *(found.rounds(f"{part}, {name}", "replayed") for part in RECORDED),
        ),
    )


RECORDED = ("recordings and plan", "eager run")


def guarded(name: str, arrays: int, numbers: int = 0) -> Target:
    """Return the target of the time of a call beside that of its program."""
    return Target(
        "recording",
        f"guards, {name}",
        round(0.3 + 0.1 * arrays + 0.05 * numbers, 3),
        "µs",
        lambda found: figures.within_rounds(
            lambda call, program: (call - program) * 1e6,
            *(found.rounds(f"{part}, {name}", "replayed") for part in ("call", "program")),
        ),
    )


def peak(library: str, what: str, limit: float) -> Target:
    """Return the target of the memory of a gradient of a million elements."""
    return Target(
        "elementwise",
        what,
        limit,
        "x the input",
        lambda found: [x for x in found.rounds("peak over the input", library) if x is not None],
    )


def program(
    workload: str,
    what: str,
    name: str = "",
    native: float | None = None,
    replayed: float | None = None,
    seconds: float | None = None,
) -> tuple[Target, ...]:
    """Return the targets of a whole program: of a call, of the first three, and of the memory.

    Parameters
    ----------
    workload, what : str
    name : str
        The name of the program, if its workload has several.
    native, replayed : float, optional
        The limit of a call, beside JAX.
    seconds : float, optional
        The limit of the first three calls.
    """
    call, first, peak = (f"{each}, {name}" if name else each for each in (CALL, FIRST_CALLS, PEAK))
    limits = {"native": native, "replayed": replayed}
    found = [
        times(workload, call, "jax", limit, f"{library}: {what}, a call", library)
        for library, limit in limits.items()
        if limit is not None
    ]
    if seconds is not None:
        found.append(
            Target(
                workload,
                f"native: {what}, {FIRST_CALLS}",
                seconds,
                "s",
                lambda found: [x for x in found.rounds(first, "native") if x is not None],
            )
        )
    return (*found, *(memory(workload, peak, what, *each) for each in MEMORY.items()))


def memory(workload: str, figure: str, what: str, library: str, limit: float) -> Target:
    """Return the target of the peak of a program, beside that of eager calls."""
    return Target(
        workload,
        f"{library}: {what}, memory",
        limit,
        "x eager, or x 1 MiB if that is more",
        lambda found: figures.within_rounds(
            lambda ours, eager: ours / max(eager, 2.0**20),
            *(found.rounds(figure, each) for each in (library, "project")),
        ),
    )


MEMORY = {"native": 3.0, "replayed": 2.0}


def _beside_compilation(found: Results) -> list[float]:
    """Return the first calls of a program over those of JAX, or over 1.5 s if these are longer."""
    measured = (found.rounds(FIRST_CALLS, library) for library in ("native", "jax"))
    return figures.within_rounds(lambda ours, jax: ours / max(jax, 1.5), *measured)


def growth(found: Results, graph: str, library: str = "project") -> list[float]:
    """Return the exponent of the time by the number of nodes, in each round."""
    sizes = list(NODES.values())
    measured = [found.rounds(f"{graph}, {size} nodes", library) for size in NODES]
    return figures.within_rounds(
        # The figures are times per node.
        lambda *each: figures.exponent(sizes, [n * t for n, t in zip(sizes, each, strict=True)]),
        *measured,
    )


def _over_imports(found: Results) -> list[float]:
    """Return the rise of the experiment's peak over the imports, less that of NumPy, in MiB."""
    return figures.within_rounds(
        lambda peak, imports, peak_by_hand, imports_by_hand: (
            (peak - imports - (peak_by_hand - imports_by_hand)) / 2**20
        ),
        *(
            found.rounds(figure, library)
            for library in ("project", "floor")
            for figure in ("peak", "after the imports")
        ),
    )


def _import(found: Results) -> list[float]:
    """Return the time of the import, less that of NumPy, in milliseconds."""
    measured = (found.rounds("import", library) for library in ("project", "floor"))
    return figures.within_rounds(lambda ours, numpy: (ours - numpy) * 1e3, *measured)


def _distributions(found: Results) -> list[float]:
    """Return the additional time of the import for each distribution, in milliseconds."""
    names = f"import, beside {DISTRIBUTIONS} other distributions", "import"
    return figures.within_rounds(
        lambda beside, alone: (beside - alone) * 1e3 / DISTRIBUTIONS,
        *(found.rounds(name, "project") for name in names),
    )


BOTH = "forward and backward"
BY_BACKWARD, KEPT = "x Variable and backward", "x with the graph kept"
SUM, ALONG = "sum of 10, value and gradient", "derivative along a vector"
VECTOR = "Hessian times vector"
WRITES = "a thousand writes into an array"
HVP, BY_INDEX = f"{VECTOR}, 10 parameters", "Rosenbrock by x[0] and x[1]"
TANH, HESSIAN = "Jacobian, tanh, 50 x 50", "Hessian, 10 parameters"
BUNDLE, FIT = "Jacobian, bundle adjustment", "least squares, bundle adjustment"

TARGETS = (
    times("chain", "forward and backward, 0-d", "torch", 0.5, "chain, 0-d, forward and backward"),
    times("chain", "forward and backward, 1", "torch", 0.5, "chain, 1 element, both"),
    times("chain", "forward, 1", "torch", 0.65, "chain, 1 element, forward"),
    times("chain", "forward under no_grad, 1", "torch", 0.65, "chain, 1 element, under no_grad"),
    times("chain", "forward and backward, 1k", "torch", 0.6, "chain, 1k elements, both"),
    times("chain", "forward and backward, 100k", "torch", 1.0, "chain, 100k elements, both"),
    *(
        target
        for graph in ("fan-out", "wide")
        for target in (
            Target(
                "fan_out",
                f"{graph} graph, exponent of growth",
                1.1,
                "",
                lambda found, graph=graph: growth(found, graph),
            ),
            *(
                times("fan_out", f"{graph}, {size} nodes", "torch", 1.0, f"{graph}, {size} nodes")
                for size in NODES
            ),
        )
    ),
    times("deep", "forward and backward", "torch", 0.6, "deep chain, an operation"),
    Target(
        "deep",
        "deep chain, release of an operation",
        0.5,
        "µs",
        lambda found: [seconds * 1e6 for seconds in found.rounds("release", "project") if seconds],
    ),
    times("rosenbrock", "descent step", "torch", 0.45, "Rosenbrock, a descent step"),
    times("mlp", "step, float64", "torch", 0.8, "MLP float64, a step"),
    times("mlp", "step, float64", "floor", 1.3, "MLP float64, a step"),
    times("mlp", "step, float32", "torch", 0.8, "MLP float32, a step"),
    times("mlp", "step, float32", "floor", 1.3, "MLP float32, a step"),
    times("logistic", "step", "torch", 1.0, "logistic regression, a step"),
    times("logistic", "step", "floor", 1.2, "logistic regression, a step"),
    times("functional", "sin, gradient", "autograd", 1.0, "sin, gradient"),
    beside("functional", "sin, gradient", "sin, by backward", 1.8, BY_BACKWARD, "sin, gradient"),
    times("functional", SUM, "autograd", 1.0, "sum of 10, value and gradient"),
    beside("functional", SUM, "sum of 10, by backward", 1.8, BY_BACKWARD, SUM),
    times("functional", "sin, second derivative", "autograd", 1.0, "sin, second derivative"),
    beside(
        "functional",
        "Rosenbrock, gradient",
        "Rosenbrock, by backward",
        0.75,
        "x PyTorch",
        "Rosenbrock by x[0] and x[1], gradient",
        "torch",
    ),
    *(
        times("functional", figure, "torch", 1.0, figure)
        for figure in (f"Hessian times vector, {n} parameters" for n in ("10", "1,000"))
    ),
    times("functional", f"layers, {ALONG}", "autograd", 1.5, f"5 layers, {ALONG}"),
    times("jacobians", TANH, "torch", 1.2, TANH),
    Target(
        "jacobians",
        BUNDLE,
        20.0,
        "ms",
        lambda found: [seconds * 1e3 for seconds in found.rounds(BUNDLE, "project") if seconds],
    ),
    beside("jacobians", FIT, f"{FIT}, by differences", 0.5, "x SciPy's differences", FIT, "floor"),
    times("jacobians", HESSIAN, "torch", 0.3, HESSIAN),
    times("per_example", "gradients", "torch", 1.2, "gradients of 256 examples"),
    beside("recomputed", "peak", "peak, graph kept", 0.25, KEPT, "100 layers recomputed, peak"),
    beside(
        "recomputed", BOTH, f"{BOTH}, graph kept", 1.35, KEPT, "100 layers recomputed, time of both"
    ),
    times("convolution", f"{BOTH}, float32", "torch", 1.85, "convolution float32, both"),
    times("convolution", f"{BOTH}, float64", "torch", 0.6, "convolution float64, both"),
    times("lstm", BOTH, "torch", 1.2, "LSTM, both"),
    times("mnist", "a tenth of an epoch", "torch", 1.0, "MNIST, a tenth of an epoch"),
    times("elementwise", "forward and backward", "floor", 1.05, "a million elements, elementwise"),
    peak("project", "a million elements, peak", 5.0),
    times("step17", "peak", "floor", 1.05, "step 17, peak"),
    Target("step17", "step 17, peak over the imports", 2.0, "MiB more than by hand", _over_imports),
    Target("imports", "import of all three", 25.0, "ms more than NumPy's", _import),
    Target("imports", "import, per unrelated distribution", 0.02, "ms", _distributions),
    *replayed("chain", f"{BOTH}, 0-d", "chain, 0-d, both", torch=0.02),
    *replayed("chain", f"{BOTH}, 1", "chain, 1 element, both", torch=0.02),
    *replayed("chain", f"{BOTH}, 1k", "chain, 1k elements, both", torch=0.25, floor=0.85),
    *replayed("chain", f"{BOTH}, 10k", "chain, 10k elements, both", torch=0.6, floor=0.9),
    *replayed("chain", f"{BOTH}, 100k", "chain, 100k elements, both", torch=0.95, floor=1.0),
    *replayed("rosenbrock", "descent step", "Rosenbrock, a descent step", torch=0.05, jax=0.4),
    *replayed("goldstein_price", "gradient", "Goldstein-Price, gradient", torch=0.02, jax=0.5),
    *replayed("mlp", "step, float64", "MLP float64, a step", torch=0.55, floor=1.0),
    *replayed("mlp", "step, float32", "MLP float32, a step", torch=0.55, floor=1.05),
    *replayed("logistic", "step", "logistic regression, a step", torch=0.75, floor=1.1, jax=1.2),
    *replayed("hvp", "product", "MLP, Hessian times vector", torch=0.5, floor=1.25),
    *replayed("jacobians", TANH, TANH, jax=1.2),
    *native("jacobians", TANH, TANH, jax=1.2),
    *replayed("jacobians", BUNDLE, BUNDLE, jax=3.0),
    beside(
        "jacobians",
        FIT,
        f"{FIT}, by differences",
        0.5,
        "x SciPy's differences",
        f"native: {FIT}",
        "floor",
        "native",
    ),
    *replayed("jacobians", HESSIAN, HESSIAN, jax=2.0),
    *replayed("per_example", "gradients", "gradients of 256 examples", jax=1.5),
    *replayed("mnist", "a tenth of an epoch", "MNIST, a tenth of an epoch", torch=0.8),
    *replayed("elementwise", BOTH, "a million elements, elementwise", project=1.0),
    peak("replayed", "replayed: a million elements, peak", 3.3),
    *native("chain", f"{BOTH}, 0-d", "chain, 0-d, both", jax=0.65),
    *native("chain", f"{BOTH}, 1", "chain, 1 element, both", jax=0.65),
    *native("chain", f"{BOTH}, 1k", "chain, 1k elements, both", jax=0.65),
    *native("chain", f"{BOTH}, 10k", "chain, 10k elements, both", jax=0.65),
    *native("chain", f"{BOTH}, 100k", "chain, 100k elements, both", jax=0.65),
    *native("rosenbrock", "descent step", "Rosenbrock, a descent step", jax=0.2),
    *native("goldstein_price", "gradient", "Goldstein-Price, gradient", jax=0.4),
    *native("mlp", "step, float64", "MLP float64, a step", jax=0.75, torch=0.45),
    *native("mlp", "step, float32", "MLP float32, a step", jax=0.9, torch=0.45),
    *native("logistic", "step", "logistic regression, a step", jax=0.9),
    *native("hvp", "product", "MLP, Hessian times vector", jax=1.0),
    *native("elementwise", BOTH, "a million elements, elementwise", jax=0.3, torch=0.33),
    Target(
        "elementwise",
        "native: a million elements, two threads, the best round",
        0.65,
        "x one thread",
        _by_two_threads,
    ),
    *program("kalman", "Kalman filter", native=1.5, replayed=12.0),
    Target(
        "kalman",
        f"native: Kalman filter, {FIRST_CALLS}",
        1.0,
        "x JAX, or x 1.5 s if that is more",
        _beside_compilation,
    ),
    *program("runge_kutta", "Runge-Kutta", native=1.0, replayed=2.0, seconds=1.5),
    *program("stencil", "stencil by slices", "slices", native=1.0, replayed=3.0, seconds=1.5),
    *program("stencil", "stencil by np.roll", "roll", native=1.0, replayed=2.5, seconds=1.5),
    *program("n_body", "100 bodies", native=0.45, replayed=1.5, seconds=1.5),
    *program("gaussian_process", "Gaussian process", native=1.1, replayed=1.2, seconds=0.6),
    *program("deconvolution", "deconvolution", native=1.2, replayed=1.8, seconds=0.4),
    *program("indices", BY_INDEX, "Rosenbrock", native=0.6, replayed=2.0, seconds=0.1),
    *program("indices", f"{HVP}, by index", VECTOR, native=1.5, replayed=6.0, seconds=0.1),
    *program("writes", f"{WRITES}, a loop", native=1.5, replayed=1.5),
    times("writes", CALL, "torch", 3.0, f"{WRITES}, value and gradient"),
    times("writes", PEAK, "torch", 3.0, f"{WRITES}, memory"),
    *native("functional", HVP, HVP, jax=1.5),
    *replayed("functional", HVP, HVP, jax=6.0),
    *program("hmc", "HMC, 10 leapfrog steps", native=0.3, replayed=0.8, seconds=0.3),
    *program("cnn", "two convolutions", seconds=1.5),
    *map(compiled, ("elementwise", "MLP", "chain"), (20.0, 400.0, 600.0)),
    *(compiled(name, 5.0, "from disk") for name in ("elementwise", "MLP", "chain")),
    *map(recorded, ("chain", "long chain", "Goldstein-Price", "MLP")),
    guarded("1 array", 1),
    guarded("11 arrays", 11),
    guarded("1 array and 10 numbers", 1, 10),
    guarded("1 array, 10 parameters and 10 numbers captured", 11, 10),
)
