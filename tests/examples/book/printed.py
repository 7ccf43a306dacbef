"""Numbers in what a program printed."""

import re

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def numbers(text):
    return [float(number) for number in _NUMBER.findall(text)]


def numbers_after(text, begin):
    """Return the numbers of the one line that begins so."""
    (line,) = [line for line in text.splitlines() if line.startswith(begin)]
    return numbers(line.removeprefix(begin))


def losses_in(text):
    """Return the losses of lines like ``epoch 3: loss 0.5``."""
    return [numbers(line)[1] for line in text.splitlines() if line.startswith("epoch")]
