"""Ask PyTorch and JAX for their gradients at the cases of docs/edges.

    python benchmarks/edges.py    # exits with 1 if docs/edge_cases says something else

Its environment needs torch and jax, in the versions that the pages are about, and numpy; nothing
of this repository has to be installed.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))

from edge_cases import FAMILIES, Case, written
from edge_cases import JAX as JAX_VERSION
from edge_cases import TORCH as TORCH_VERSION

jax.config.update("jax_enable_x64", True)

Result = tuple[str, str]

# Names that differ in a peer, as patterns and replacements, which are applied one after another.
TORCH = (
    (r"np\.(max|min)\(x, axis", r"torch.a\1(x, axis"),
    (r"np\.sort\(x\)", "torch.sort(x).values"),
    (r"np\.(std|var)\(x\)", r"torch.\1(x, correction=0)"),
    (r"np\.(std|var)\(x, ddof=1\)", r"torch.\1(x, correction=1)"),
    (r"np\.median\(x\)", "torch.quantile(x, 0.5)"),
    (r"np\.ptp\(x\)", "(torch.max(x) - torch.min(x))"),
    (r"np\.cumprod\(x\)", "torch.cumprod(x, 0)"),
    (r"np\.mod\(", "torch.remainder("),
    (r"np\.fabs\(", "torch.abs("),
    (r"np\.rint\(", "torch.round("),
    (r"np\.sign\(x\)\.real", "torch.sgn(x).real"),
    (r"np\.maximum\(x, 0\.0\)", "torch.maximum(x, torch.zeros_like(x))"),
    (r"np\.clip\(x, a, 1\.0\)", "torch.clip(x, a, torch.ones_like(x))"),
    (r"np\.where\(\[(.*?)\], ", r"torch.where(torch.tensor([\1]), "),
    (r"np\.prod\((.*), axis=0\)", r"torch.prod(\1, 0)"),
    (r"log(sumexp|_softmax)\(x\)", r"torch.log\1(x, 0)"),
    (r"\bsoftmax\(x\)", "torch.softmax(x, 0)"),
    (r"(relu|sigmoid)\(x\)", r"torch.\1(x)"),
    (r".*(initial|where)=.*", "torch.no_such_option"),
    (r"np\.", "torch."),
)
JAX = (
    (r"where=\[(.*?)\]", r"where=jnp.array([\1])"),
    (r"np\.where\(\[(.*?)\], ", r"jnp.where(jnp.array([\1]), "),
    (r"\b(logsumexp|log_softmax|relu|sigmoid|softmax)\(", r"jax.nn.\1("),
    (r"\bnp\.", "jnp."),
)


def of_torch(case: Case) -> Result:
    """Return PyTorch's value and gradients, as text for the page."""
    xs = {name: torch.tensor(x, requires_grad=True) for name, x in case.inputs().items()}
    code = translated(case.code, TORCH)

    def grads(y: torch.Tensor, **options: Any) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(y.sum(), list(xs.values()), materialize_grads=True, **options)

    def differentiate(y: torch.Tensor) -> list[Any]:
        found = grads(y, create_graph=case.twice)
        if case.twice:
            found = grads(sum(each.sum() for each in found))
        return [(each + 0.0).detach().numpy() for each in found]

    return _asked(
        lambda: eval(code, {"torch": torch, **xs}),
        lambda y: y.detach().numpy(),
        differentiate,
    )


def of_jax(case: Case) -> Result:
    """Return JAX's value and gradients, as text for the page."""
    xs = {name: jnp.array(x) for name, x in case.inputs().items()}
    numbers = tuple(range(len(xs)))
    code = translated(case.code, JAX)

    def function(*args: Any) -> Any:
        return eval(code, {"jax": jax, "jnp": jnp, **dict(zip(xs, args, strict=True))})

    def differentiate(_: Any) -> list[Any]:
        gradient = jax.grad(lambda *args: function(*args).sum(), numbers)
        if case.twice:
            first = gradient
            gradient = jax.grad(lambda *args: sum(g.sum() for g in first(*args)), numbers)
        return [np.conj(each) for each in gradient(*xs.values())]

    return _asked(lambda: function(*xs.values()), np.asarray, differentiate)


def translated(code: str, rules: tuple[tuple[str, str], ...]) -> str:
    """Return the expression with the names of a peer."""
    for pattern, replacement in rules:
        code = re.sub(pattern, replacement, code)
    return code


def _asked(
    compute: Callable[[], Any],
    as_array: Callable[[Any], Any],
    differentiate: Callable[[Any], list[Any]],
) -> Result:
    try:
        y = compute()
        value = written(as_array(y))
    except AttributeError:
        return "—", "—"
    except Exception as error:
        return f"raises {type(error).__name__.lstrip('_')}", "—"
    try:
        return value, ", ".join(map(written, differentiate(y)))
    except Exception as error:
        return value, f"raises {type(error).__name__.lstrip('_')}"


def of_numpy(case: Case) -> str:
    """Return NumPy's value, as text for the page. If NumPy lacks the function, return PyTorch's."""
    try:
        return written(eval(case.code, {"np": np, **case.inputs()}))
    except NameError:
        return of_torch(case)[0]
    except Exception as error:
        return f"raises {type(error).__name__.lstrip('_')}"


def cell(case: Case, peer: Callable[[Case], Result]) -> str:
    """Return the text for the column of a peer."""
    value, gradient = peer(case)
    if value == "—" or value.startswith("raises "):
        return value
    if value == of_numpy(case):
        return "same" if gradient == case.gradient.rstrip("*") else gradient
    return f"{gradient} (of {value})"


def main() -> int:
    """Print each case that differs from a peer, and return the exit code."""
    warnings.simplefilter("ignore")
    wrong = 0
    versions = (("torch", torch.__version__, TORCH_VERSION), ("jax", jax.__version__, JAX_VERSION))
    for name, version, expected in versions:
        if version.split("+")[0] != expected:
            wrong += 1
            print(f"The page is about {name} {expected}, and this is {version}.")
    for family in FAMILIES:
        for case in family.cases:
            for name, peer in (("torch", of_torch), ("jax", of_jax)):
                found = cell(case, peer)
                if found != getattr(case, name):
                    wrong += 1
                    print(f"{case}: {name}={found!r}, and not {getattr(case, name)!r}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
