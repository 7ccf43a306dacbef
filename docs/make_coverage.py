"""Write docs/coverage.md: which functions of NumPy and SciPy are differentiable, and which are not.

    python docs/make_coverage.py            # writes it
    python docs/make_coverage.py --check    # exits with 1 if it is stale

It asks NumPy for its functions and the registry for those that are provided, so all plugins of
this repository must be installed. What neither provides nor explains is "not provided".
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from dezero_core.slots import ANSWERS
from dezero_tools.testing import order_of
from operation_names import NAMESPACES, names_in_numpy, public_name

from dezero_core import ops, plugins

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coverage.md"
NUMPY = ".".join(np.__version__.split(".")[:2])

BY_NATURE = {
    "give a truth value": "isfortran isnat isscalar iterable may_share_memory shares_memory",
    "work on bits and integers": """
        base_repr binary_repr bitwise_and bitwise_count bitwise_or bitwise_xor gcd invert lcm
        left_shift packbits right_shift unpackbits
    """,
    "give or take indices and shapes": """
        broadcast_shapes diag_indices diag_indices_from einsum_path indices ix_ mask_indices
        nested_iters ravel_multi_index tril_indices tril_indices_from triu_indices
        triu_indices_from unravel_index
    """,
    "treat elements as members of a set": """
        intersect1d setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse
        unique_values
    """,
    "step to the next floating-point number": "nextafter",
    "make arrays of shapes, counts and constants": """
        arange bartlett blackman empty eye fft.fftfreq fft.rfftfreq hamming hanning identity ones
        tri zeros
    """,
    "make arrays or ufuncs by any Python function": "fromfunction fromiter frompyfunc",
    "make an ndarray, which cannot hold a graph": """
        array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asmatrix
        bmat from_dlpack require
    """,
    "are about dtypes": """
        common_type isdtype issubdtype min_scalar_type mintypecode promote_types typename
    """,
    "read and write files and buffers": """
        frombuffer fromfile fromregex fromstring genfromtxt load loadtxt save savetxt savez
        savez_compressed
    """,
    "write numbers as text": """
        array2string array_repr array_str format_float_positional format_float_scientific
        get_printoptions printoptions set_printoptions
    """,
    "are about dates": """
        busday_count busday_offset datetime_as_string datetime_data is_busday
    """,
    "are about NumPy itself": """
        get_include getbufsize geterr geterrcall info setbufsize seterr seterrcall show_config
        show_runtime
    """,
}
"""What they do, so that they have no derivative -> names. The registry has precedence."""


@dataclass(frozen=True)
class Entry:
    """A function of NumPy with all its names in one namespace, the first one its own."""

    namespace: str
    names: tuple[str, ...]
    function: Any

    @property
    def paths(self) -> set[str]:
        """Its names as `BY_NATURE` has them, such as ``linalg.norm``."""
        prefix = self.namespace.removeprefix("np").removeprefix(".")
        return {f"{prefix}.{name}" if prefix else name for name in self.names}

    def written(self, operation: Any = None, note: str = "") -> str:
        """Return it as the page has it, with its other names and a note in brackets.

        Its name is a link to the documentation of the operation.
        """
        first, *others = (f"`{name}`" for name in self.names)
        first = first if operation is None else linked(first, operation)
        inside = ", ".join([*others, note] if note else others)
        return f"{first} ({inside})" if inside else first


def entries(namespace: str) -> list[Entry]:
    """Return NumPy's public ufuncs and functions there, in the order of their names."""
    found: dict[int, list[str]] = defaultdict(list)
    module = NAMESPACES[namespace]
    for name in sorted(dir(module)):
        function = getattr(module, name)
        is_function = callable(function) and not isinstance(function, type)
        if is_function and not name.startswith("_") and name != "test":
            found[id(function)].append(name)
    result = []
    for names in found.values():
        function = getattr(module, names[0])
        own = function.__name__
        names.sort(key=lambda name: (name != own, name))
        result.append(Entry(namespace, tuple(names), function))
    return sorted(result, key=lambda entry: entry.names)


def linked(text: str, operation: Any) -> str:
    """Return a link to the documentation of an operation, which Sphinx finds by its name."""
    return f"[{text}](#{public_name(operation)})"


OF_NUMPY = ("dezero-ops-basic", "dezero-ops-math", "dezero-tools")


def our_operations(distributions: Iterable[str] = OF_NUMPY) -> list[Any]:
    """Return the operations of some distributions' plugins.

    Raises
    ------
    SystemExit
        If one of them is not loaded: its functions would appear as not provided.
    """
    loaded = {p.distribution: p.name for p in plugins() if p.state == "loaded"}
    missing = sorted(set(distributions) - loaded.keys())
    if missing:
        raise SystemExit(f"not installed, or not loaded: {', '.join(missing)}")
    ours = {loaded[distribution] for distribution in distributions}
    return [operation for operation in ops() if operation.plugin in ours]


def family_of(operation: Any) -> tuple[str, str]:
    """Return an operation's plugin, and its module there: ``elementwise/trigonometric``."""
    return operation.plugin, "/".join(operation.function.__module__.split(".")[1:])


def mistakes() -> list[str]:
    """Return what is wrong with `BY_NATURE`, in sentences."""
    known = {path: e for namespace in NAMESPACES for e in entries(namespace) for path in e.paths}
    listed = [name for names in BY_NATURE.values() for name in names.split()]
    found = [f"NumPy {NUMPY} has no np.{name}." for name in listed if name not in known]
    listed = [name for name in listed if name in known]
    provided = {
        f for operation in our_operations() if operation.differentiable for f in operation.numpy
    }
    found += [
        f"np.{name} is differentiable." for name in listed if known[name].function in provided
    ]
    times = Counter(id(known[name].function) for name in listed)
    found += [
        f"np.{name} is there twice, maybe by another name."
        for name in listed
        if times[id(known[name].function)] > 1
    ]
    return found


class Sorted:
    """The functions of one namespace, in the three kinds; each in groups of a kind's own."""

    def __init__(self, namespace: str, operations: Iterable[Any]) -> None:
        self.namespace = namespace
        self.differentiable: dict[Any, list[str]] = defaultdict(list)
        self.plain: dict[Any, list[str]] = defaultdict(list)
        self.by_nature: dict[str, list[str]] = {why: [] for why in BY_NATURE}
        self.missing: list[str] = []
        providers = {function: op for op in operations for function in op.numpy}
        core = ANSWERS.keys() - {function for op in ops() for function in op.numpy}
        reasons = {name: why for why, names in BY_NATURE.items() for name in names.split()}
        for entry in entries(namespace):
            operation = providers.get(entry.function)
            listed = entry.paths & reasons.keys()
            if operation is not None and operation.differentiable:
                order = order_of(operation)
                note = "" if order >= 2 else f"order {order}"
                self.differentiable[family_of(operation)].append(entry.written(operation, note))
            elif operation is not None:
                self.plain[family_of(operation)].append(entry.written(operation))
            elif entry.function in core:
                self.plain["core", "variable"].append(entry.written())
            elif listed:
                self.by_nature[reasons[listed.pop()]].append(entry.written())
            else:
                self.missing.append(entry.written())

    def counts(self) -> tuple[int, int, int]:
        """Return how many there are of each kind."""
        without = sum(map(len, self.plain.values())) + sum(map(len, self.by_nature.values()))
        return sum(map(len, self.differentiable.values())), without, len(self.missing)

    def sections(self) -> Iterator[str]:
        """Yield the lines of the page about this namespace."""
        differentiable, without, missing = self.counts()
        yield from (f"## `{self.namespace}`", "")
        yield from (f"### Differentiable: {differentiable}", "")
        yield from table(("Plugin", "Family", "Functions"), rows(self.differentiable))
        if without:
            yield from (f"### Without a derivative: {without}", "")
        if self.plain:
            yield from ("Of a Variable these give NumPy's plain result.", "")
            yield from table(("Plugin", "Family", "Functions"), rows(self.plain))
        groups = [(why, ", ".join(names)) for why, names in self.by_nature.items() if names]
        if groups:
            yield from (
                "These have nothing to differentiate; where they take an array, give `x.data`.",
                "",
            )
            yield from table(("They …", "Functions"), groups)
        if missing:
            yield from (f"### Not provided: {missing}", "", ", ".join(self.missing), "")


#: Module of SciPy's that is mirrored -> which of its public names count.
OF_SCIPY = {
    "special": "ufuncs and functions",
    "stats": "functions and distributions",
    "linalg": "functions",
}


def counted(module: Any) -> list[str]:
    """Return the functions of a module of SciPy's; each distribution and estimate counts once."""
    names = (name for name in module.__all__ if name != "test" and not name.startswith("_"))
    found = {id(getattr(module, name)): name for name in names}
    return [
        name
        for name in found.values()
        if callable(each := getattr(module, name))
        and (name == "gaussian_kde" or not isinstance(each, type))
    ]


def of_scipy(operations: Iterable[Any]) -> Iterator[str]:
    """Yield the lines of the page about SciPy."""
    families: dict[Any, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    names: dict[str, set[str]] = defaultdict(set)
    for operation in operations:
        _, module, name, *method = operation.name.split(".")
        names[module].add(name)
        text = f"`{method[0] if method else name}`"
        family = module, family_of(operation)[1].partition("/")[2]
        families[family][name if method else ""].append(linked(text, operation))
    yield from ("## SciPy", "")
    yield "`dezero-ops-scipy` has these functions of SciPy; others of their modules are SciPy's"
    yield from ("own, and refuse a Variable.", "")
    body = []
    for module, what in OF_SCIPY.items():
        # Other pages use this module where there is no SciPy.
        count = len(counted(import_module(f"scipy.{module}")))
        body.append((f"`scipy.{module}`", f"{count} {what}", str(len(names[module]))))
    yield from table(("Module", "Functions", "Differentiable"), body)
    parts = []
    for (module, family), groups in sorted(families.items()):
        texts = [f"`{name}`: {', '.join(each)}" if name else ", ".join(each)
                 for name, each in groups.items()]  # fmt: skip
        parts.append((f"`scipy.{module}`", family, "; ".join(texts)))
    yield from table(("Module", "Family", "Functions"), parts)


def rows(families: dict[Any, list[str]]) -> list[tuple[str, ...]]:
    """Return the rows of a table of families, in order."""
    return [(*family, ", ".join(names)) for family, names in sorted(families.items())]


def table(head: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of a table, and an empty one."""
    for row in (head, ("---",) * len(head), *body):
        yield f"| {' | '.join(row)} |"
    yield ""


def page() -> str:
    """Return the whole text."""
    operations = our_operations()
    namespaces = [Sorted(namespace, operations) for namespace in NAMESPACES]
    counts = [each.counts() for each in namespaces]
    total = tuple(map(sum, zip(*counts, strict=True)))
    names = [f"`{each.namespace}`" for each in namespaces]
    summary = [
        (name, *map(str, (sum(count), *count)))
        for name, count in zip([*names, "together"], [*counts, total], strict=True)
    ]
    others = defaultdict(list)
    for operation in operations:
        if not names_in_numpy(operation):
            others[family_of(operation)].append(linked(f"`{operation.name}`", operation))
    head = ("Namespace", "Functions", "Differentiable", "Without a derivative", "Not provided")
    lines = [
        "# Coverage of NumPy and SciPy",
        "",
        f"This page lists every public ufunc and function of NumPy {NUMPY}. It leaves out classes",
        "and constants, and counts several names of one function once.",
        "`python docs/make_coverage.py` makes it from NumPy's namespaces and from the registry; a",
        "test fails when it is stale.",
        "",
        *table(head, summary),
        "A *differentiable* function has derivatives of any order, unless an order is given. A",
        "function is *without a derivative* by nature if it takes or gives no floating-point",
        "values, or only values that do not change smoothly. A function that is *not provided*",
        "raises an error that says so. A family is a file of the plugin. See also",
        "[all operations by name](reference/all_operations.rst), from A to Z. SciPy's functions",
        "are [at the end](#scipy).",
        "",
        *(line for each in namespaces for line in each.sections()),
        "## Operations that NumPy has no function for",
        "",
        *table(("Plugin", "Family", "Operations"), rows(others)),
        *of_scipy(our_operations(["dezero-ops-scipy"])),
    ]
    return "\n".join(lines).rstrip() + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, or check it; return the exit code."""
    parser = argparse.ArgumentParser(description="Write docs/coverage.md, or check it.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if it is stale")
    check = parser.parse_args(arguments).check
    problems = [f"BY_NATURE: {mistake}" for mistake in mistakes()]
    text = page()
    if not check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        problems.append("docs/coverage.md is stale: run python docs/make_coverage.py")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
