"""One colour for a plugin, to be told from others and to be written on in black."""

import pytest
from dezero_tools.drawing.colours import NO_PLUGIN, PALETTE, colours_of


def luminance(colour):
    """Return the relative luminance that WCAG 2 defines."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", [*PALETTE, NO_PLUGIN])
def test_black_text_is_read_well_on_every_colour(colour):
    """WCAG 2 asks for a contrast of 7 at its highest level."""
    assert (luminance(colour) + 0.05) / 0.05 >= 7.0


def test_a_plugin_has_the_same_colour_in_every_order_and_every_process():
    assert colours_of(["basic of dezero-ops-basic"]) == {"basic of dezero-ops-basic": "#77aadd"}
    assert colours_of(["fft"])["fft"] == colours_of(["fast"])["fast"]
    both = colours_of(["fft", "fast"])
    assert both == colours_of(["fast", "fft"])
    assert both["fft"] != both["fast"] == colours_of(["fast"])["fast"]


def test_a_plugin_that_a_program_registers_takes_no_colour_from_an_installed_one():
    """The demo registers "doubt", whose colour would be that of math."""
    installed = ["basic of dezero-ops-basic", "math of dezero-ops-math"]
    alone, colours = colours_of(installed), colours_of([*installed, "doubt"])
    assert {name: colours[name] for name in installed} == alone
    assert colours["doubt"] not in alone.values()
    assert colours_of(["doubt"])["doubt"] in alone.values()


def test_no_two_plugins_share_a_colour_while_colours_suffice():
    names = [f"plugin {index}" for index in range(len(PALETTE))]
    assert sorted(colours_of(names).values()) == sorted(PALETTE)
    assert set(colours_of([*names, "one more"]).values()) == set(PALETTE)
