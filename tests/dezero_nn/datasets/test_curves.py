"""Spirals and the sine curve, against the formulas of the book."""

from math import cos, pi, sin

import numpy as np
import pytest
from dezero_nn.datasets import SinCurve, Spiral, get_spiral


@pytest.mark.parametrize(("train", "seed"), [(True, 1984), (False, 2020)])
def test_a_spiral_has_the_points_of_the_book(train, seed):
    """One by one, with the numbers of NumPy's old generator."""
    old, points = np.random.RandomState(seed), []
    for arm in range(3):
        for place in range(100):
            r = place / 100
            a = 4.0 * arm + 4.0 * r + 0.2 * old.randn()
            points.append((np.float32(r * sin(a)), np.float32(r * cos(a)), arm))
    expected = [points[i] for i in old.permutation(300)]
    x, t = get_spiral(train)
    assert (x.dtype, t.dtype) == (np.float32, np.int64)
    np.testing.assert_array_max_ulp(x, np.array([p[:2] for p in expected], np.float32), 1)
    assert t.tolist() == [p[2] for p in expected]


def test_the_radii_of_each_arm_are_from_0_to_099():
    x, t = get_spiral()
    for arm in range(3):
        radii = np.sort(np.hypot(*x[t == arm].T))
        np.testing.assert_allclose(radii, np.arange(100) / 100, atol=1e-6)


def test_a_spiral_leaves_the_global_generator_alone():
    np.random.seed(1)
    expected = np.random.random()
    np.random.seed(1)
    get_spiral()
    assert np.random.random() == expected


def test_the_dataset_of_the_spiral_has_its_points():
    for train in (True, False):
        x, t = get_spiral(train)
        spiral = Spiral(train=train, transform=lambda x: -x)
        assert len(spiral) == 300
        np.testing.assert_array_equal(spiral[7][0], -x[7])
        assert spiral[7][1] == t[7]


@pytest.mark.parametrize(("train", "curve"), [(True, sin), (False, cos)])
def test_the_sine_curve_has_noise_of_5_percent_and_the_next_value_as_its_label(train, curve):
    data = SinCurve(train, rng=np.random.default_rng(0))
    assert len(data) == 999
    assert data.data.shape == data.label.shape == (999, 1)
    np.testing.assert_array_equal(data.data[1:], data.label[:-1])
    clean = np.array([curve(2 * pi * i / 999) for i in range(1000)])
    noise = np.append(data.data[:, 0], data.label[-1]) - clean
    assert np.abs(noise).max() <= 0.05 + 1e-12
    assert noise.min() < -0.049
    assert noise.max() > 0.049


def test_the_noise_is_drawn_from_the_given_generator_else_from_the_global_one():
    same = [SinCurve(rng=np.random.default_rng(4)).data for _ in range(2)]
    np.testing.assert_array_equal(*same)
    np.random.seed(4)
    by_default = SinCurve().data
    np.testing.assert_array_equal(by_default, SinCurve(rng=np.random.RandomState(4)).data)
