"""The example that fits a gamma distribution, run as a user runs it: in a process of its own.

Promise: README.md
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import gammainc, polygamma
from scipy.stats import gamma

FOLDER = Path(__file__).parents[2] / "examples"
PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "use_scipy.md"
RAIN = np.loadtxt(FOLDER / "seattle_rainfall.csv", delimiter=",", skiprows=5, usecols=1)


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", str(FOLDER / "gamma_fit.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    picture = tmp_path_factory.mktemp("picture") / "fit.png"
    done = run("--plot", str(picture))
    assert done.returncode == 0, done.stderr
    return done.stdout, picture


def row(output, name):
    """Return estimate, standard error and SciPy's estimate."""
    (found,) = re.findall(rf"^{re.escape(name)} +(\S+) +(\S+) +(\S+)$", output, re.M)
    return tuple(map(float, found))


def test_the_data_of_the_gamma_fit_have_623_days_with_rain():
    assert len(RAIN) == 623
    assert RAIN.min() > 0.0
    assert RAIN.max() == 55.9


def test_the_estimates_of_the_gamma_fit_are_those_of_scipy(finished):
    shape, _, scale = gamma.fit(RAIN, floc=0)
    for name, expected in (("shape", shape), ("scale (mm)", scale)):
        estimate, _, peer = row(finished[0], name)
        assert estimate == pytest.approx(expected, abs=2e-6)
        assert peer == pytest.approx(expected, abs=1e-6)


def test_the_standard_errors_of_the_gamma_fit_agree_with_fishers_information(finished):
    """Of which the formula is known; at the maximum it is the Hessian."""
    output, _ = finished
    (shape, shape_error, _), (scale, scale_error, _) = (
        row(output, "shape"),
        row(output, "scale (mm)"),
    )
    information = len(RAIN) * np.array(
        [[polygamma(1, shape), 1.0 / scale], [1.0 / scale, shape / scale**2]]
    )
    covariance = np.linalg.inv(information)
    np.testing.assert_allclose([shape_error, scale_error], np.sqrt(np.diag(covariance)), rtol=1e-4)
    (correlation,) = re.findall(r"correlation of the two: (\S+)$", output, re.M)
    expected = covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    assert float(correlation) == pytest.approx(expected, abs=6e-4)

    def heavy(parameters):
        return 1.0 - gammainc(parameters[0], 25.0 / parameters[1])

    point, steps = np.array([shape, scale]), 1e-5 * np.eye(2)
    slope = [(heavy(point + step) - heavy(point - step)) / 2e-5 for step in steps]
    found = re.findall(
        r"25 mm: (\S+)% of these days, standard error (\S+)%; seen on (\S+)%", output
    )
    expected = heavy(point), np.sqrt(slope @ covariance @ slope), np.mean(RAIN > 25.0)
    np.testing.assert_allclose(
        np.array(found[0], dtype=float), 100.0 * np.array(expected), atol=6e-3
    )


def test_the_page_of_scipy_shows_the_output_of_the_gamma_fit(finished):
    (shown,) = re.findall(r"^```text\n(623 days.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    assert shown in finished[0]


def test_the_gamma_fit_draws_its_picture(finished):
    output, picture = finished
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert f"Drawn into {picture}." in output


def test_the_gamma_fit_without_its_package_names_the_package():
    code = (
        "import runpy, sys\n"
        "sys.modules['dezero_ops_scipy'] = None\n"
        f"runpy.run_path({str(FOLDER / 'gamma_fit.py')!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "It needs dezero-ops-scipy: pip install it." in done.stderr
