"""Write docs/digits_row.png, the row of the README: a part of docs/digits_predictions.png.

    python docs/make_digits_row.py

`make demo` draws the whole picture into out/. It needs Matplotlib.
"""

from pathlib import Path

from matplotlib.image import imread, imsave

WHOLE = Path(__file__).with_name("digits_predictions.png")
ROW = Path(__file__).with_name("digits_row.png")


def row():
    """Return the pixels of seven images that were read as a 3, of which two are a 9."""
    return imread(WHOLE)[374:470, 10:598]


if __name__ == "__main__":
    imsave(ROW, row())
