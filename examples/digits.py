"""Learn to read handwritten digits, with the operations of two plugins.

The core of this project records and differentiates, and knows no operation at all. Here a
perceptron with two hidden layers learns from the 1,797 real digits of 8 x 8 pixels that
scikit-learn carries with it. It is written as one writes NumPy: ``+``, ``-``, ``@`` and
``[...]`` come from dezero-ops-basic, ``np.maximum``, ``np.mean`` and ``log_softmax`` from
dezero-ops-math. If one of the two is missing, the program says so.

Two thirds of the digits are for training. The other third is for the test: the network never
learns from it. An image gets fresh noise each time it is shown, so that the network cannot
learn it by heart.

A step of the training is compiled: it runs twice as it is written, and from then on only the NumPy
calls that it made are run. That comes to the same numbers in less time; the program prints how long
a step takes each way.

    python examples/digits.py [--epochs 100] [--seed 0] [--out out]

writes ``digits_loss.png`` and ``digits_predictions.png`` into the folder ``out``. Ctrl-C
ends the training early; the network is then tested and drawn as it is.

At the end the program registers a plugin of its own, with one operation, and uses it. It draws
the graph of a loss into ``digits_graph.svg``, coloured by plugin. Then it takes the plugin
``math`` away, and shows which message the network gives without it.
"""

import argparse
import signal
import sys
import threading
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter

try:
    import numpy as np
    from matplotlib.figure import Figure
    from sklearn.datasets import load_digits
    from threadpoolctl import threadpool_limits
    from tqdm import tqdm

    from dezero_core import (
        Function,
        MissingOperationError,
        Parameter,
        Variable,
        hookimpl,
        no_grad,
        plugins,
        register,
        unregister,
    )
    from dezero_ops_math import log_softmax
    from dezero_replay import compiled
    from dezero_tools import draw
except ModuleNotFoundError as error:
    needed = "dezero-core dezero-tools dezero-ops-basic dezero-ops-math dezero-replay"
    needed += " scikit-learn matplotlib tqdm"
    sys.exit(f"digits.py: {error}. It needs {needed}; `make demo` installs them.")
except KeyboardInterrupt:
    sys.exit(130)

BATCH = 50
NOISE = 0.25  # standard deviation; paper is 0 and ink is 1
DARK, GREY, RED = "#1f2937", "#9ca3af", "#c81e1e"


class MLP:
    """Ten scores for an image: layers of ``x @ weight + bias``, and ``max(x, 0)`` in between."""

    def __init__(self, rng, *sizes):
        self.layers = [
            (
                Parameter(rng.normal(0.0, np.sqrt(2.0 / n), (n, m)), name=f"weight {i}"),
                Parameter(np.zeros(m), name=f"bias {i}"),
            )
            for i, (n, m) in enumerate(pairwise(sizes))
        ]
        self.parameters = [parameter for layer in self.layers for parameter in layer]

    def __call__(self, x):
        *hidden, (last_weight, last_bias) = self.layers
        for weight, bias in hidden:
            x = np.maximum(x @ weight + bias, 0.0)
        return x @ last_weight + last_bias


class Adam:
    """Adam: steps against the gradient, with a rate for each number (Kingma and Ba, 2015).

    Means are in Variables: what a compiled function changes is in a Variable or is a number.
    """

    def __init__(self, parameters, rate=0.003, decay1=0.9, decay2=0.999):
        self.rate, self.decay1, self.decay2, self.steps = rate, decay1, decay2, 0
        self.state = [
            (p, Variable(np.zeros(p.shape)), Variable(np.zeros(p.shape))) for p in parameters
        ]

    def update(self):
        self.steps += 1
        for p, mean, square in self.state:
            mean.data += (1.0 - self.decay1) * (p.grad - mean.data)
            square.data += (1.0 - self.decay2) * (p.grad**2 - square.data)
            m = mean.data / (1.0 - self.decay1**self.steps)
            s = square.data / (1.0 - self.decay2**self.steps)
            p.data -= self.rate * m / (np.sqrt(s) + 1e-8)


def cross_entropy(scores, labels):
    """Mean of -log(the probability that the network gives the right digit)."""
    right = labels[:, None] == np.arange(10)
    return -np.mean(np.sum(log_softmax(scores) * right, axis=1))


def training_step(model):
    """Return the compiled function that shows a network some images, and improves it."""
    optimizer = Adam(model.parameters)

    @compiled(strict=True)
    def step(images, labels):
        loss = cross_entropy(model(images), labels)
        for parameter in model.parameters:
            parameter.cleargrad()
        loss.backward()
        optimizer.update()

    return step


def train_one_epoch(step, images, labels, rng):
    order = rng.permutation(len(images))
    for batch in np.split(order, range(BATCH, len(order), BATCH)):
        noisy = images[batch] + rng.normal(0.0, NOISE, images[batch].shape)
        step(noisy, labels[batch])


def print_times(images, labels):
    """Print how long a step takes, with a network of its own, eagerly and replayed by turns."""
    step = training_step(MLP(np.random.default_rng(0), 64, 128, 64, 10))
    for _ in range(5):  # the first two are recorded, and the fourth is compared with eager code
        step(images, labels)
    times = {step.eager: [], step: []}
    for _ in range(100):
        for call, taken in times.items():
            start = perf_counter()
            call(images, labels)
            taken.append(perf_counter() - start)
    eager, replayed = map(median, times.values())
    print(
        f"A training step took {1e6 * eager:.0f} µs eagerly and {1e6 * replayed:.0f} µs replayed."
    )


@no_grad()
def judge(model, images, labels):
    """Return the loss, the accuracy, and the answer of the network for each image."""
    scores = model(images)
    answers = scores.data.argmax(axis=1)
    return cross_entropy(scores, labels).item(), np.mean(answers == labels), answers


class Softplus(Function):
    """log(1 + exp(x)): near 0 far to the left, and near x far to the right."""

    def forward(self, x):
        return np.logaddexp(0.0, x)

    def backward(self, gy):
        x = self.inputs[0].data
        return gy / (1.0 + np.exp(-x))


class Doubt:
    """A plugin, as anybody can write and install it; here the program registers it itself."""

    @hookimpl
    def dezero_register_ops(self, register):
        register("softplus", lambda x: Softplus()(x), Softplus, methods="softplus")


def show_plugins(model, images, labels, picture):
    """Use a third plugin, draw a loss with operations of all three, and take one plugin away."""
    register(Doubt(), "doubt")
    # A Variable of its own, so that the graph of the loss begins here and fits on a page.
    scores = Variable(model(images).data, name="scores")
    *_, second, best = np.sort(scores, axis=1).T
    doubt = (second - best).softplus()  # 0 if the network is sure, log(2) if it is undecided
    i = np.argmax(doubt)
    mean, largest = np.mean(doubt).item(), doubt[i].item()
    print(
        "The plugin 'doubt' of this program adds x.softplus(). It measures how unsure the network"
    )
    print(f"is of an image: 0 is sure, and {np.log(2.0):.2f} is a tie of two digits.")
    print(f"The mean is {mean:.2f}. The largest value, {largest:.2f}, is that of an image of the "
          f"digit {labels[i]}.")  # fmt: skip

    loss = cross_entropy(scores, labels) + np.mean(doubt)
    loss.name = "loss"
    draw(loss, picture)
    print("Wrote", picture, "with the graph from the network's scores to a loss: a colour for each")
    print("of the three plugins.")

    unregister("math")
    try:
        model(images)
    except MissingOperationError as error:
        print(f"Without the plugin 'math': {error}")


def draw_history(history, path):
    """Loss and accuracy by epoch; epoch 0 is the network that has learned nothing yet."""
    figure = Figure(figsize=(10, 4), dpi=120, layout="constrained")
    for axes, curves, title in zip(
        figure.subplots(1, 2),
        np.array(history).transpose(2, 1, 0),
        ("Loss: {:.3f} on held-out digits", "Accuracy: {:.1%} on held-out digits"),
        strict=True,
    ):
        training, held_out = curves
        axes.plot(training, color=GREY, label="training")
        axes.plot(held_out, color=RED, label="held out")
        axes.plot(len(held_out) - 1, held_out[-1], "o", color=RED, clip_on=False)
        axes.set_title(title.format(held_out[-1]), color=DARK)
        axes.set(xlabel="epoch", xlim=(0, max(1, len(held_out) - 1)))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False)
    loss, accuracy = figure.axes
    loss.set_yscale("log")
    loss.yaxis.set_major_formatter("{x:g}")
    # The whole climb of the first epochs would press the later ones into one line.
    accuracy.set_ylim(np.floor(20.0 * held_out[len(held_out) // 20]) / 20.0, 1.002)
    accuracy.yaxis.set_major_formatter("{x:.0%}")
    figure.savefig(path)


def draw_predictions(images, labels, answers, path, columns=14):
    """Draw a row for each answer; mistakes come first, in red, with the right digit."""
    figure = Figure(figsize=(10, 9.2), dpi=120, layout="constrained")
    axes = figure.subplots()
    for row in range(10):
        found = np.flatnonzero(answers == row)
        mistakes_first = found[np.argsort(labels[found] == row, kind="stable")]
        for column, i in enumerate(mistakes_first[:columns]):
            wrong = labels[i] != row
            tile = (column, column + 0.86, row + 0.68, row)
            axes.imshow(
                images[i].reshape(8, 8), "Reds" if wrong else "Greys", extent=tile, vmin=-0.04
            )
            text = f"{row}, is {labels[i]}" if wrong else f"{row}"
            axes.text(column + 0.43, row + 0.82, text, color=RED if wrong else DARK, ha="center")
    axes.set(xlim=(-0.14, columns), ylim=(9.95, -0.05), aspect="auto")
    axes.axis("off")
    right = np.sum(answers == labels)
    figure.suptitle(f"{right} of {len(labels)} held-out digits read correctly", color=DARK)
    axes.set_title("mistakes in red, with the right digit", color=RED, fontsize="medium")
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the pictures")
    options = parser.parse_args()
    interrupted = threading.Event()  # so that Ctrl-C takes effect only between two steps
    signal.signal(signal.SIGINT, lambda *_: interrupted.set())
    threadpool_limits(1)  # matrices as small as these are slower on many cores

    print("Operations come from")
    for plugin in plugins():
        if plugin.operations:
            print(f"  {plugin}: {len(plugin.operations)} of them")

    rng = np.random.default_rng(options.seed)
    images, labels = load_digits(return_X_y=True)
    held_out, training = np.split(rng.permutation(len(images)), [len(images) // 3])
    held_out = images[held_out] / 16.0, labels[held_out]
    training = images[training] / 16.0, labels[training]
    model = MLP(rng, 64, 128, 64, 10)
    step = training_step(model)

    def both():
        return judge(model, *training)[:2], judge(model, *held_out)[:2]

    history = [both()]
    # None: a bar on a terminal, and none in a log.
    with tqdm(range(options.epochs), "Training", unit=" epochs", disable=None) as progress:
        for _ in progress:
            if interrupted.is_set():
                break
            train_one_epoch(step, *training, rng)
            history.append(both())
            progress.set_postfix(accuracy=f"{history[-1][1][1]:.3f}", refresh=False)

    _, accuracy, answers = judge(model, *held_out)
    names = ("digits_loss.png", "digits_predictions.png", "digits_graph.svg")
    pictures = [options.out / name for name in names]
    options.out.mkdir(parents=True, exist_ok=True)
    draw_history(history, pictures[0])
    draw_predictions(*held_out, answers, pictures[1])
    print("Wrote", *pictures[:2])
    so_far = f", interrupted after epoch {len(history) - 1}" if interrupted.is_set() else ""
    print(f"Test accuracy{so_far}: {accuracy:.4f} (on {len(answers)} digits held out)")
    print_times(*(x[:BATCH] for x in training))
    print()
    show_plugins(model, *held_out, pictures[2])
    return 130 if interrupted.is_set() else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingOperationError as error:
        sys.exit(f"digits.py: {error}")
