"""How Sphinx builds the site: ``make docs``."""

import re
import sys
from html import escape
from pathlib import Path
from textwrap import shorten

from docutils import nodes

sys.path.insert(0, str(Path(__file__).parent))

import dezero_core

project = "DeZero in plugins"
author = "the DeZero in plugins authors"
copyright = f"2026, {author}"
release = version = dezero_core.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "myst_parser",
    "operations_directive",
]
nitpicky = True
nitpick_ignore_regex = [
    # Types in docstrings are words for people: "Variable, ndarray or number", "array_like".
    ("py:(class|exc|obj)", ".*"),
]

# A name in single backquotes is a link where it is a public one, and code anywhere else.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, as of parameters
python_use_unqualified_type_names = True
python_display_short_literal_types = True

myst_heading_anchors = 3
smartquotes = False  # options such as --check are to be copied

# Programs have a button that copies them, without the prompts of docstrings; output has none.
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = "DeZero in plugins"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}


def dashes_between_name_and_description(app, doctree):
    """Set a dash where Sphinx writes two hyphens and leaves the rest to ``smartquotes``."""
    for text in list(doctree.findall(nodes.Text)):
        if " -- " in text and not isinstance(text.parent, (nodes.literal, nodes.literal_block)):
            text.parent.replace(text, nodes.Text(text.replace(" -- ", " \N{EN DASH} ", 1)))


def tables_stay_in_columns(app, doctree):
    """Let site.css know which printed texts are tables: their lines are not to be broken."""
    for block in doctree.findall(nodes.literal_block):
        columns = re.findall(r"^.*\S {2,}\S.*\S {2,}\S", block.astext(), re.MULTILINE)
        if len(columns) > 2:
            block["classes"].append("table-of-text")


def a_page_is_described_by_its_beginning(app, pagename, templatename, context, doctree):
    """Set the description that search engines show, in place of docutils' second viewport."""
    kinds = (nodes.title, nodes.paragraph) if doctree else ()
    found = [next(doctree.findall(kind), None) for kind in kinds]
    text = ". ".join(each.astext() for each in found if each is not None) or project
    text = escape(shorten(text, 160, placeholder=" …"))
    context["metatags"] = f'<meta name="description" content="{text}">'


def setup(app):
    app.connect("html-page-context", a_page_is_described_by_its_beginning)
    app.connect("doctree-read", dashes_between_name_and_description)
    app.connect("doctree-read", tables_stay_in_columns)
