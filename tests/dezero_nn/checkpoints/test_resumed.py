"""A training that goes on in another process gives the bits of one that never stopped."""

import json
import subprocess
import sys

PROGRAM = """
import json, sys
import numpy as np
import dezero_nn.functions as F
from dezero_nn import DataLoader, Model, load_checkpoint, save_checkpoint
from dezero_nn.layers import BatchNorm, Dropout, Linear
from dezero_nn.optimizers import Adam, ClipGrad, CosineAnnealingLR, LinearLR, SequentialLR
from dezero_replay import compiled

class Net(Model):
    def __init__(self):
        self.first, self.norm, self.last = Linear(6), BatchNorm(), Linear(2)
        self.drop, self.other = Dropout(), Dropout(rng=np.random.default_rng())

    def forward(self, x):
        return self.last(self.other(self.drop(F.relu(self.norm(self.first(x))))))

path, first, last, way = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
data = np.random.default_rng(0)
pairs = [(data.normal(size=4).astype("f"), n % 2) for n in range(23)]
np.random.seed(first)
model = Net()
optimizer = Adam(0.01).setup(model)
optimizer.add_hook(ClipGrad(1.0))
parts = [LinearLR(optimizer, total_iters=4), CosineAnnealingLR(optimizer, 20)]
schedule = SequentialLR(optimizer, parts, [4])
loader = DataLoader(pairs, 5, seed=first)
everything = {"model": model, "optimizer": optimizer, "schedule": schedule, "loader": loader}

def step(x, t):
    loss = F.softmax_cross_entropy(model(x), t)
    model.cleargrads()
    loss.backward()
    optimizer.update()
    return loss

step = compiled(step) if way == "compiled" else step
n = 0
if first:
    n = load_checkpoint(path, **everything)["n"]
    assert n == first, n
bits = []
while n < last:
    for x, t in loader:
        bits.append(step(x, t).data.tobytes().hex())
        schedule.step()
        n += 1
        if n == 8 and not first:  # in the middle of an epoch
            save_checkpoint(path, **everything, n=n)
        if n == last:
            break
bits += [each.data.tobytes().hex() for _, each in model.variables()]
print(json.dumps(bits))
"""


def run(path, first, last, way):
    """Return the losses of the steps from `first` to `last`, and all arrays of the model."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(first), str(last), way],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_fresh_process_goes_on_with_the_same_bits(tmp_path):
    path = tmp_path / "training"
    whole = run(path, 0, 19, "eagerly")
    assert run(path, 8, 19, "eagerly") == whole[8:]
    assert run(path, 8, 19, "compiled") == whole[8:]
