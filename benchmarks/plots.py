"""The plots of docs/performance.md, one for each family of workloads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import figures
import results
from results import Results
from workloads import chain, fan_out

FOLDER = Path(__file__).parents[1] / "docs" / "performance"

All = dict[str, Results]

NAMES = {
    "floor": "NumPy by hand",
    "project": "this project",
    "replayed": "replayed",
    "native": "native",
    "torch": "PyTorch",
    "jax": "JAX, compiled",
    "autograd": "autograd",
    "mygrad": "MyGrad",
    "dezero_book": "the book's DeZero",
}
"""The libraries, in the order of legends and columns."""

SHOWN = ("floor", "project", "replayed", "native", "torch", "jax")
"""Those of plots with lines and points, in which more cannot be told apart."""

# Okabe and Ito's colours, which the colour-blind can tell apart; the marker says it again.
STYLES = {
    "floor": ("#000000", "s"),
    "project": ("#D55E00", "o"),
    "replayed": ("#8B0000", "p"),
    "native": ("#6A3D9A", "*"),
    "torch": ("#0072B2", "^"),
    "jax": ("#56B4E9", "v"),
    "autograd": ("#009E73", "D"),
    "mygrad": ("#CC79A7", "P"),
    "dezero_book": ("#E69F00", "X"),
}
GREY = "#6b7280"

SETTINGS = {
    "svg.hashsalt": "performance",  # the same results give the same file
    "font.size": 11.0,
    "axes.titlesize": 11.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
}


def style(library: str) -> dict[str, Any]:
    """Return how the points of a library look."""
    color, marker = STYLES[library]
    ours = library in ("project", "replayed", "native")
    return {
        "color": color,
        "marker": marker,
        "linewidth": 2.4 if ours else 1.2,
        "markersize": 7.0 if ours else 5.5,
        "zorder": 4.0 if ours else 3.0,
        "label": NAMES[library],
    }


def lines(axes: Any, found: Results, names: dict[str, str]) -> None:
    """Draw a line for each library, over figures by their places on the axis, in microseconds."""
    for library in SHOWN:
        values = [figures.median(found.rounds(name, library)) for name in names.values()]
        points = [(x, y * 1e6) for x, y in enumerate(values) if y is not None]
        if points:
            axes.plot(*zip(*points, strict=True), **style(library))
    axes.set_xticks(range(len(names)), list(names))
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")


def bars(axes: Any, values: dict[str, tuple[float, str]], form: str) -> None:
    """Draw bars by their names, each with its number, in the colour of a library."""
    lengths, libraries = zip(*values.values(), strict=True)
    colors = [STYLES[library][0] for library in libraries]
    drawn = axes.barh(list(values), lengths, color=colors, height=0.6)
    axes.bar_label(drawn, fmt=form, padding=3)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.grid(visible=False, axis="y")


def medians(found: Results, name: str, factor: float) -> dict[str, tuple[float, str]]:
    """Return what `bars` takes, of a figure."""
    values = {library: figures.median(found.rounds(name, library)) for library in NAMES}
    return {NAMES[k]: (value * factor, k) for k, value in values.items() if value is not None}


def legend(figure: Any) -> None:
    """Write the names of all libraries that are drawn below, once."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            drawn.setdefault(name, handle)
    names = [NAMES[library] for library in SHOWN if NAMES[library] in drawn]
    handles = [drawn[name] for name in names]
    figure.legend(handles, names, loc="outside lower center", ncols=3)


def of_chain(found: All, figure: Any) -> None:
    """Microseconds of an operation by the size of its arrays."""
    modes = ("forward and backward", "forward under no_grad")
    for axes, mode in zip(figure.subplots(1, 2, sharey=True), modes, strict=True):
        lines(axes, found["chain"], {size: f"{mode}, {size}" for size in chain.SIZES})
        axes.set(title=mode, xlabel="elements")
    figure.axes[0].set_ylabel("µs per operation, logarithmic")
    legend(figure)


def of_graphs(found: All, figure: Any) -> None:
    """Microseconds of a node by the number of nodes."""
    above, below = figure.add_gridspec(2, 1, height_ratios=(1.1, 1.0))
    left, right = above.subgridspec(1, 2)
    growing = [figure.add_subplot(left)]
    growing.append(figure.add_subplot(right, sharey=growing[0]))
    deep = figure.add_subplot(below)
    for axes, graph in zip(growing, ("fan-out", "wide"), strict=True):
        lines(axes, found["fan_out"], {size: f"{graph}, {size} nodes" for size in fan_out.NODES})
        axes.set(title=graph, xlabel="nodes")
    growing[0].set_ylabel("µs per node, logarithmic")
    bars(deep, medians(found["deep"], "forward and backward", 1e6), "%.1f")
    deep.set(title="deep, a million operations", xlabel="µs per operation")
    legend(figure)


STEPS = {
    "Rosenbrock, gradient": ("rosenbrock", "gradient"),
    "Rosenbrock, descent step": ("rosenbrock", "descent step"),
    "Goldstein-Price, gradient": ("goldstein_price", "gradient"),
    "MLP, step, float64": ("mlp", "step, float64"),
    "MLP, step, float32": ("mlp", "step, float32"),
    "MLP, Hessian times vector": ("hvp", "product"),
    "logistic regression, step": ("logistic", "step"),
    "a million elements, elementwise": ("elementwise", "forward and backward"),
}


NETWORKS = {
    "convolution, float32": ("convolution", "forward and backward, float32"),
    "convolution, float64": ("convolution", "forward and backward, float64"),
    "LSTM": ("lstm", "forward and backward"),
    "MNIST, a tenth of an epoch": ("mnist", "a tenth of an epoch"),
}


def multiples(axes: Any, found: All, rows: dict[str, tuple[str, str]], other: str) -> None:
    """Draw a row for each figure: the times as multiples of those of another library."""
    for y, (workload, name) in enumerate(rows.values()):
        theirs = found[workload].rounds(name, other)
        for library in SHOWN:
            ratio = figures.median(figures.ratios(found[workload].rounds(name, library), theirs))
            if ratio is not None:
                axes.plot([ratio], [y], linestyle="", **style(library))
    axes.set_yticks(range(len(rows)), list(rows))
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel=f"time, as a multiple of {NAMES[other]}, logarithmic")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()


def of_steps(found: All, figure: Any) -> None:
    """Times as multiples of NumPy by hand."""
    axes = figure.subplots()
    multiples(axes, found, STEPS, "floor")
    axes.set_xticks([0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50])
    legend(figure)


def of_networks(found: All, figure: Any) -> None:
    """Times as multiples of PyTorch."""
    axes = figure.subplots()
    multiples(axes, found, NETWORKS, "torch")
    axes.set_xticks([0.2, 0.5, 1, 2, 5])
    legend(figure)


def of_memory(found: All, figure: Any) -> None:
    """Peaks of the elementwise gradient, and of the experiment of step 17."""
    above, below = figure.subplots(2, 1)
    bars(above, medians(found["elementwise"], "peak over the input", 1.0), "%.1f")
    above.set(title="a million elements, elementwise", xlabel="peak, as a multiple of the input")
    bars(below, medians(found["step17"], "peak", 2.0**-20), "%.1f")
    imports = medians(found["step17"], "after the imports", 2.0**-20)
    lengths = [length for length, _ in imports.values()]
    below.barh(list(imports), lengths, color="white", alpha=0.6, height=0.6)
    below.set(title="step 17 (pale: imports)", xlabel="peak resident set, MiB")


def of_imports(found: All, figure: Any) -> None:
    """Times of imports."""
    axes = figure.subplots()
    values = {}
    for name in found["imports"].figures:
        more = name.removeprefix("import")
        for library, value in medians(found["imports"], name, 1e3).items():
            values[library.partition(" by hand")[0].partition(",")[0] + more] = value
    order = list(NAMES)
    values = dict(sorted(values.items(), key=lambda item: order.index(item[1][1])))
    bars(axes, values, "%.0f")
    axes.set(xlabel="ms, in a fresh interpreter")


PROTOCOLS = {
    "np.multiply and np.add": ("chain, np.multiply and np.add", "chain, operators"),
    "np.reshape": ("chain, np.reshape", "chain, x.reshape"),
    "perceptron": ("perceptron, np.*", "perceptron, operators and methods"),
}


def of_protocols(found: All, figure: Any) -> None:
    """Times through np.* as multiples of those through operators and methods."""
    axes = figure.subplots()
    values = {}
    for name, (through_numpy, plain) in PROTOCOLS.items():
        both = (found["protocols"].rounds(each, "project") for each in (through_numpy, plain))
        ratio = figures.median(figures.ratios(*both))
        if ratio is not None:
            values[name] = ratio, "project"
    bars(axes, values, "%.2f")
    axes.set(xlabel="time, as a multiple of operators and methods")
    axes.axvline(1.0, color=GREY, linewidth=0.8)


# What each needs, its size in inches, and what it shows to those who do not see it.
PLOTS = {
    "chain": (of_chain, ("chain",), (7.5, 4.4), "Chain: µs per operation by size of the arrays"),
    "graphs": (of_graphs, ("fan_out", "deep"), (7.5, 6.6), "µs per node by number of nodes"),
    "steps": (
        of_steps,
        tuple(dict.fromkeys(workload for workload, _ in STEPS.values())),
        (7.5, 5.0),
        "Times of gradients and steps as multiples of NumPy by hand",
    ),
    "networks": (
        of_networks,
        tuple(dict.fromkeys(workload for workload, _ in NETWORKS.values())),
        (7.5, 3.4),
        "Times of a convolution, an LSTM and MNIST as multiples of PyTorch",
    ),
    "memory": (of_memory, ("elementwise", "step17"), (7.5, 6.6), "Peaks of memory"),
    "imports": (of_imports, ("imports",), (7.5, 4.2), "Times of imports"),
    "protocols": (of_protocols, ("protocols",), (7.5, 2.0), "Cost of NumPy's protocols"),
}


def drawable(found: All) -> Iterable[str]:
    """Return the plots for which all results are there."""
    return [name for name, (_, needs, *_) in PLOTS.items() if all(each in found for each in needs)]


def digest(name: str, found: All) -> str:
    """Return what changes where a plot is to be drawn anew."""
    content = Path(__file__).read_text(encoding="utf-8")
    content += "".join(results.text(found[workload]) for workload in PLOTS[name][1])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def stale(found: All) -> list[str]:
    """Return the plots that are not drawn from these results, by this program."""
    old = []
    for name in drawable(found):
        path = FOLDER / f"{name}.svg"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if f"results {digest(name, found)}" not in text:
            old.append(name)
    return old


def write(found: All) -> None:
    """Draw all of them."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    FOLDER.mkdir(exist_ok=True)
    with mpl.rc_context(SETTINGS):
        for name in drawable(found):
            draw, _, size, title = PLOTS[name]
            figure = Figure(figsize=size, layout="constrained", facecolor="white")
            draw(found, figure)
            metadata = {"Date": None, "Title": title, "Source": f"results {digest(name, found)}"}
            figure.savefig(FOLDER / f"{name}.svg", metadata=metadata)
