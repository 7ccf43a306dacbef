"""Take the data of gamma_fit.py out of the package vega-datasets: ``take_rainfall.py FOLDER``.

    pip download --no-deps vega-datasets==0.9.0
    python -m zipfile -e vega_datasets-0.9.0-py3-none-any.whl FOLDER
    python take_rainfall.py FOLDER > seattle_rainfall.csv

The package has the weather of Seattle, day by day; what is kept are the days with rain.
"""

import csv
import sys
from pathlib import Path

HEAD = """\
# Precipitation in Seattle, in millimetres, on every day from 2012 to 2015 that had any.
# Source: NOAA, of the government of the United States; in the public domain, see
# https://www.weather.gov/disclaimer. Taken from seattle-weather.csv of the Python package
# vega-datasets 0.9.0 by take_rainfall.py.
date,precipitation"""


def main():
    """Print the days with rain."""
    print(HEAD)
    source = Path(sys.argv[1]) / "vega_datasets" / "_data" / "seattle-weather.csv"
    with source.open(newline="") as file:
        for day in csv.DictReader(file):
            if float(day["precipitation"]) > 0.0:
                print(f"{day['date'].replace('/', '-')},{day['precipitation']}")


if __name__ == "__main__":
    main()
