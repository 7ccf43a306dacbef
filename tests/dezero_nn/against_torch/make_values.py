"""Write values.npz anew: what PyTorch computes, with which dezero_nn is compared.

The tests read the file and need no PyTorch. Where there is one, in the root of the repository::

    python -m tests.dezero_nn.against_torch.make_values

An array's key is its group, its case, its part and its name: ``"functions/linear/grads/W"``.
"""

from pathlib import Path

import numpy as np
import torch

from .draws import drawn
from .torch_functions import FUNCTIONS
from .torch_layers import LAYERS
from .torch_training import MODELS, OPTIMIZERS, SCHEDULES, SMALL, optimizer_steps, rates

FILE = Path(__file__).with_name("values.npz")


def tensor(array):
    """Return a tensor with a copy of the data, of which a gradient is wanted if it has one."""
    return torch.tensor(array, requires_grad=array.dtype.kind == "f")


def derivatives(y, inputs, weights):
    """Return the gradients of ``sum(weights * y)``, and those of a sum made of the gradients.

    The second sum is that of each gradient times the input that it is of.
    """
    floats = {name: x for name, x in inputs.items() if x.requires_grad}
    zeros = {"materialize_grads": True, "allow_unused": True}
    first = torch.autograd.grad(
        (y * torch.tensor(weights)).sum(), list(floats.values()), create_graph=True, **zeros
    )
    total = sum((g * x.detach()).sum() for g, x in zip(first, floats.values(), strict=True))
    second = (
        torch.autograd.grad(total, list(floats.values()), **zeros)
        if total.requires_grad
        else [torch.zeros_like(x) for x in floats.values()]
    )
    return {
        "grads": dict(zip(floats, first, strict=True)),
        "second": dict(zip(floats, second, strict=True)),
    }


def of_functions():
    """Yield the values and derivatives of each function."""
    for name, (inputs, function) in FUNCTIONS.items():
        arrays = drawn(name, inputs)
        tensors = {key: tensor(array) for key, array in arrays.items()}
        y = function(*tensors.values())
        weights = drawn(f"{name}, weights", {"y": tuple(y.shape)})["y"]
        parts = {"inputs": arrays, "y": {"y": y}, "weights": {"y": weights}}
        yield f"functions/{name}", parts | derivatives(y, tensors, weights)
    # What is drawn differs; what is kept is scaled alike.
    kept = torch.nn.functional.dropout(torch.ones(1000, dtype=torch.float64), 0.3).max()
    yield "functions/dropout", {"scale": {"y": kept}}


def of_layers():
    """Yield what of functions is, with the states after one call, and ten steps of training."""
    for name, (inputs, states, function) in LAYERS.items():
        arrays, before = drawn(name, inputs), drawn(f"{name}, states", states)
        tensors = {key: tensor(array) for key, array in arrays.items()}
        after = {key: torch.tensor(array) for key, array in before.items()}
        y = function(*tensors.values(), *after.values())
        wanted = drawn(f"{name}, weights", {"y": tuple(y.shape)})
        parts = {"inputs": arrays, "states": before, "y": {"y": y}, "weights": wanted}
        parts |= {"after": {key: state.clone() for key, state in after.items()}}
        parts |= derivatives(y, tensors, wanted["y"])
        params = {key: tensor(array) for key, array in arrays.items()}
        x = params.pop("x").detach()
        parts |= training(
            (x, torch.tensor(wanted["y"])),
            params,
            {key: torch.tensor(array) for key, array in before.items()},
            function,
            lambda y, t: ((y - t) ** 2).sum() / len(y),
            lambda params: torch.optim.SGD(params, lr=0.05),
        )
        yield f"layers/{name}", parts


def training(data, params, states, function, loss, optimizer):
    """Return the losses of ten steps, what they make of the variables, and a test after them."""
    x, t = data
    optimizer = optimizer(list(params.values()))
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        current = loss(function(x, *params.values(), *states.values()), t)
        current.backward()
        optimizer.step()
        losses.append(current.item())
    with torch.no_grad():
        tested = function(x, *params.values(), *states.values(), training=False)
    return {
        "losses": {"y": losses},
        "trained": {**params, **states},
        "tested": {"y": tested},
    }


def of_optimizers():
    """Yield the parameters after each step, and the rates of the schedules."""
    arrays = drawn("optimizers", SMALL)
    yield "optimizers/all", {"inputs": arrays}
    sgd = OPTIMIZERS["SGD"]
    runs = {name: (*how, None) for name, how in OPTIMIZERS.items()}
    runs |= {f"SGD by {name}": (*sgd, schedule) for name, schedule in SCHEDULES.items()}
    for name, how in runs.items():
        steps = optimizer_steps([tensor(array) for array in arrays.values()], *how)
        yield f"optimizers/{name}", {"steps": dict(zip(("W", "b"), steps, strict=True))}
    for name, schedule in SCHEDULES.items():
        yield f"schedules/{name}", {"rates": {"y": rates(schedule)}}


def of_models():
    """Yield ten steps of training of each model."""
    for name, (data, params, states, *how) in MODELS.items():
        arrays = {
            "inputs": drawn(f"{name}, inputs", data),
            "params": drawn(name, params),
            "states": drawn(f"{name}, states", states),
        }
        data = [torch.tensor(array) for array in arrays["inputs"].values()]
        params = {key: tensor(array) for key, array in arrays["params"].items()}
        states = {key: torch.tensor(array) for key, array in arrays["states"].items()}
        yield f"models/{name}", arrays | training(data, params, states, *how)


def as_array(value):
    return value.detach().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)


def main():
    """Compute everything, and write the file."""
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    arrays = {"version": np.array(torch.__version__)}
    for group in (of_functions, of_layers, of_optimizers, of_models):
        for case, parts in group():
            for part, values in parts.items():
                for name, value in values.items():
                    arrays[f"{case}/{part}/{name}"] = as_array(value).copy()
    np.savez_compressed(FILE, **arrays)
    print(f"PyTorch {torch.__version__}: {len(arrays)} arrays, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
