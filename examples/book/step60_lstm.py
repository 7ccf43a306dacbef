"""Step 60: an LSTM and a loader of sequences learn the sine curve of step 59.

    python examples/book/step60_lstm.py [--epochs 100] [--out out]

trains thirty parts of the curve at once, and then lets the network predict a cosine, value by
value. Expect a loss below 0.01 at the end: the noise alone has 0.0008. The prediction is in
``step60_lstm.png``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dezero_nn as dezero
import dezero_nn.functions as F
import dezero_nn.layers as L
from dezero_nn import Model, SeqDataLoader, optimizers

BATCH_SIZE = 30
BPTT_LENGTH = 30


class BetterRNN(Model):
    def __init__(self, hidden_size, out_size):
        super().__init__()
        self.rnn = L.LSTM(hidden_size)
        self.fc = L.Linear(out_size)

    def reset_state(self):
        self.rnn.reset_state()

    def forward(self, x):
        return self.fc(self.rnn(x))


def train_one_epoch(model, optimizer, loader):
    """Go through all parts of the curve once, and return the mean loss."""
    model.reset_state()
    loss, sum_loss = 0, 0.0
    for count, (x, t) in enumerate(loader, start=1):
        loss += F.mean_squared_error(model(x), t)
        if count % BPTT_LENGTH == 0 or count == loader.max_iter:
            model.cleargrads()
            loss.backward()
            loss.unchain_backward()
            optimizer.update()
            sum_loss += loss.item()
            loss = 0
    return sum_loss / loader.max_iter


def predict(model, values):
    """Return the next value for each, as the network guesses it."""
    model.reset_state()
    with dezero.no_grad():
        return np.array([model(np.array(x).reshape(1, 1)).item() for x in values])


def draw(values, predicted, path):
    figure = Figure(figsize=(7, 4), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.plot(np.arange(len(values)), values, color="#9ca3af", label="cos(x)")
    axes.plot(np.arange(1, len(values) + 1), predicted, color="#c81e1e", label="prediction")
    axes.set(xlabel="time", ylabel="value", title="The next value, by the network")
    axes.legend(frameon=False)
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    np.random.seed(0)
    loader = SeqDataLoader(dezero.datasets.SinCurve(train=True), BATCH_SIZE)
    model = BetterRNN(100, 1)
    optimizer = optimizers.Adam().setup(model)
    for epoch in range(1, options.epochs + 1):
        loss = train_one_epoch(model, optimizer, loader)
        if epoch in (1, options.epochs) or epoch % 10 == 0:
            print(f"epoch {epoch}: loss {loss:.6f}")

    values = np.cos(np.linspace(0.0, 4.0 * np.pi, 1000))
    predicted = predict(model, values)
    print(f"mean error of the prediction: {np.abs(predicted[:-1] - values[1:]).mean():.3f}")
    draw(values, predicted, options.out / "step60_lstm.png")


if __name__ == "__main__":
    main()
