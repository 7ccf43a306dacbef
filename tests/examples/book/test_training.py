"""The programs of steps 42 to 54: what is learned, saved and dropped.

Promise: docs/coming_from/book.md
"""

import numpy as np
import pytest

from .printed import losses_in, numbers, numbers_after


def test_step_42_draws_the_line_of_least_squares(run):
    ran = run("step42_linear_regression")
    (axes,) = ran.figures["step42_linear_regression.png"].axes
    x, y = axes.collections[0].get_offsets().T
    matrix = np.stack([x, np.ones_like(x)], axis=1)
    truth = np.linalg.lstsq(matrix, y)[0]
    for line in ran.printed.splitlines():
        np.testing.assert_allclose(numbers(line), truth, atol=6e-5)
    ends = axes.lines[0].get_ydata()
    np.testing.assert_allclose(ends, [truth[1], truth.sum()], atol=1e-4)


def test_step_46_learns_the_same_in_four_ways(run):
    ran = run("step46_neural_regression", "--iters", 400)
    losses = [numbers(line)[-1] for line in ran.printed.splitlines()]
    assert len(losses) == 4
    assert len(set(losses)) == 1
    (axes,) = ran.figures["step46_neural_regression.png"].axes
    x, y = axes.collections[0].get_offsets().T
    assert losses[0] < np.var(y) / 1.5
    curve = np.interp(x, *axes.lines[0].get_data())
    assert np.mean((y - curve) ** 2) == pytest.approx(losses[0], abs=1e-4)


def test_step_47_prints_probabilities_and_one_loss_by_three_formulas(run):
    printed = run("step47_softmax_cross_entropy").printed
    rows = [numbers(line) for line in printed.splitlines() if line.startswith("probabilities")]
    assert len(rows) == 4
    assert all(sum(row[:3]) == pytest.approx(1.0, abs=2e-3) and row[3] == 1.0 for row in rows)
    losses = [numbers(line)[-1] for line in printed.splitlines() if line.startswith("loss")]
    truth = -np.mean(np.log([row[label] for row, label in zip(rows, (2, 0, 1, 0), strict=True)]))
    assert len(losses) == 3
    assert len(set(losses)) == 1
    assert losses[0] == pytest.approx(truth, abs=5e-3)
    assert numbers_after(printed, "gradient of z[1]:") == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]


def test_step_48_draws_regions_in_which_nine_of_ten_points_lie(run):
    ran = run("step48_spiral", "--epochs", 200)
    losses = losses_in(ran.printed)
    assert losses[0] > 0.9
    assert losses[-1] < 0.2
    (accuracy,) = numbers_after(ran.printed, "accuracy")
    assert accuracy > 90.0
    (axes,) = ran.figures["step48_spiral.png"].axes
    regions, *points = axes.collections
    paths = regions.get_paths()
    inside = [
        sum(paths[label].contains_points(each.get_offsets())) for label, each in enumerate(points)
    ]
    assert sum(inside) / 300 == pytest.approx(accuracy / 100.0, abs=0.02)


def test_step_50_learns_points_that_it_has_not_seen(run):
    ran = run("step50_dataloader", "--epochs", 150)
    for begin in ("training:", "test:"):
        loss, accuracy = numbers_after(ran.printed, begin)
        assert loss < 0.3
        assert accuracy > 90.0
    for axes in ran.figures["step50_dataloader.png"].axes:
        assert all(len(line.get_ydata()) == 150 for line in axes.lines)
    drawn = [axes.lines[1].get_ydata()[-1] for axes in ran.figures["step50_dataloader.png"].axes]
    np.testing.assert_allclose(drawn, [loss, accuracy / 100.0], atol=5e-3)


def test_step_51_reads_three_digits_in_four_after_five_epochs(run):
    ran = run("step51_digits", "--epochs", 5)
    losses = losses_in(ran.printed)
    assert losses == sorted(losses, reverse=True)
    accuracy, count = numbers_after(ran.printed, "test accuracy:")
    assert accuracy > 75.0
    assert count == 360


def test_step_51_reads_files_of_mnist(run, tmp_path_factory):
    """Of random images, a tenth is read right."""
    folder = tmp_path_factory.mktemp("mnist")
    random = np.random.default_rng(0)
    for part, count in (("train", 300), ("t10k", 200)):
        images = random.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        labels = random.integers(0, 10, count, dtype=np.uint8)
        for kind, magic, array in (("images-idx3", 2051, images), ("labels-idx1", 2049, labels)):
            head = np.array([magic, *array.shape], ">i4").tobytes()
            (folder / f"{part}-{kind}-ubyte").write_bytes(head + array.tobytes())
    ran = run("step51_digits", "--epochs", 1, "--mnist", folder)
    accuracy, count = numbers_after(ran.printed, "test accuracy:")
    assert count == 200
    assert accuracy < 25.0


def test_step_53_reads_the_weights_that_it_has_saved(run):
    ran = run("step53_save_weights", "--epochs", 1)
    (new,) = numbers_after(ran.printed, "loss of a new model:")
    (read,) = numbers_after(ran.printed, "loss with the file:")
    (first,) = numbers_after(ran.printed, "loss of the first model:")
    assert read == first
    assert read < new
    with np.load(ran.folder / "step53_mlp.npz") as saved:
        shapes = sorted(saved[name].shape for name in saved.files)
    assert shapes == [(10,), (64, 100), (100,), (100, 10)]


def test_step_54_drops_half_of_the_ones_and_doubles_the_others(run):
    printed = run("step54_dropout").printed
    assert set(numbers_after(printed, "training:")) == {0.0, 2.0}
    assert numbers_after(printed, "test mode:") == [1.0] * 10
    share, mean = numbers_after(printed, "of 100,000:")
    assert share == pytest.approx(0.5, abs=0.01)
    assert mean == pytest.approx(2.0 * (1.0 - share), abs=2e-4)  # both have four digits
