"""Write docs/digits_row.png, the row of the README: parts of docs/digits_predictions.png.

    python docs/make_digits_row.py

`make demo` draws the whole picture into out/. It needs Matplotlib.
"""

from pathlib import Path

import numpy as np
from matplotlib.image import imread, imsave

WHOLE = Path(__file__).with_name("digits_predictions.png")
ROW = Path(__file__).with_name("digits_row.png")

#: In pixels of the whole picture, which has a row for each digit.
LEFT, TOP, WIDTH, HEIGHT, ROW_HEIGHT = 850, 62, 84, 96, 104


def row():
    """Return the pixels of ten images, one of each digit, from one column of the picture."""
    column = imread(WHOLE)[:, LEFT : LEFT + WIDTH]
    starts = range(TOP, TOP + 10 * ROW_HEIGHT, ROW_HEIGHT)
    return np.hstack([column[start : start + HEIGHT] for start in starts])


if __name__ == "__main__":
    imsave(ROW, row())
