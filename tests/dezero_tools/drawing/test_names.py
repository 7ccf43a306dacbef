"""Names cannot become syntax, markup or control characters, in any of the formats.

Promise: docs/how_to/draw_a_graph.md
"""

import re
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pygraphviz
import pytest
from dezero_tools.drawing.graph import shown
from dezero_tools.drawing.mermaid import escaped

from dezero_core import Function, Variable
from dezero_tools import draw, to_dot, to_mermaid

NAMES = [
    '"><script>alert(1)</script>',
    "</text></svg><img src=x onerror=alert(1)>",
    "a\\",
    '\\N \\L \\"',
    "C:\\new\\table",
    'x"];a->b["',
    "a]b)c}d{",
    "%% comment",
    "x;y",
    "end",
    "subgraph",
    "`code` **bold** _it_",
    "1. list",
    "# head",
    "#35;#quot;",
    "&lt;b&gt; &amp;",
    "<b>bold</b>",
    "line\nbreak\r\ttab",
    "nul\x00 bell\x07 escape\x1b[31m",
    "\u202eright to left\u200b\u2028",
    "half a \ud800 pair",
    "no character \ufffe\uffff",
    "中文 Ω é 😀",
    "$$x^2$$",
    "fa:fa-car",
    'click n1 href "javascript:alert(1)"',
    "]]>",
    "-->",
    "N" * 10_000,
]

SVG = "{http://www.w3.org/2000/svg}"


class Keep(Function):
    def forward(self, *xs):
        return xs[0] * 1.0

    def backward(self, gy):
        return gy


def drawn_with(name):
    """Return a Variable whose graph has a text in every place where one may stand."""
    cls = type("Named", (Keep,), {"approximate": name})
    cls.__name__ = "Op" + re.sub("[\0\ud800]", "", name)
    x, n = Variable(np.array([1.0, 2.0]), name), Variable(np.array(3), name)
    y = cls()(x, n)
    y.name = name
    y.creator.where = name
    return y


def named(name):
    return Variable(np.array([1.0]), name)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_svg_has_the_name_of_a_variable_only_as_text(name):
    root = ElementTree.fromstring(draw(drawn_with(name), dot=False, constants=True).svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "g", "rect", "path", "text"}
    attributes = {attribute for element in root.iter() for attribute in element.attrib}
    assert not any(attribute.startswith(("on", "href", "style")) for attribute in attributes)
    assert [element.text for element in root.iter(f"{SVG}text")].count(shown(name)) == 3


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_dot_has_the_name_of_a_variable_in_a_string(name):
    """Read by the parser of Graphviz."""
    graph = pygraphviz.AGraph(string=to_dot(drawn_with(name), constants=True))
    keys = ["n1", "n2", "n3", "n4"]
    assert sorted(node for node in graph.nodes() if node.startswith("n")) == keys
    assert sorted(graph.edges()) == [("n2", "n1"), ("n3", "n2"), ("n4", "n2")]
    label = graph.get_node("n1").attr["label"]
    assert label.endswith("\\nfloat64 (2,)")
    name_only = label.removesuffix("\\nfloat64 (2,)")
    assert unescape(re.sub(r"\\(.)", r"\1", name_only)) == shown(name)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_mermaid_writes_the_name_of_a_variable_in_letters_digits_and_codes(name):
    text = to_mermaid(drawn_with(name), constants=True)
    assert text.isascii()
    label = r'"(?:[A-Za-z0-9 (),]|#\d+;|<br/>)*"'
    lines = text.splitlines()
    assert len([line for line in lines if re.search(label, line)]) == 8
    for line in lines:
        rest = re.sub(label, "", line)
        assert re.fullmatch(r"[A-Za-z0-9 \[\]():|>,#-]*", rest), line
    codes = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), escaped(shown(name)))
    assert codes.replace("\u2060", "") == shown(name)


@pytest.mark.parametrize("mark", ["\\n", "$$", "fa:fa-car"])
def test_mermaid_finds_no_line_break_formula_or_icon_in_a_name(mark):
    codes = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), escaped(mark))
    assert mark not in codes


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert {name for name, _ in attrs} <= {"style"}

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_html_has_the_name_of_a_variable_only_as_text(name):
    html = Tags(named(name)._repr_html_())
    assert html.tags == {"table", "tr", "th", "td", "pre"}
    assert shown(name) in html.texts


def test_html_has_any_object_assigned_to_data_or_grad_as_text():
    x = named("x")
    x.data = x.grad = "<script>alert(1)</script>"
    html = Tags(x._repr_html_())
    assert html.tags == {"table", "tr", "th", "td", "pre"}
    assert html.texts.count("<script>alert(1)</script>") == 2


def test_graphviz_shows_names_of_variables_unchanged(graphviz, tmp_path):
    total = Keep()(*map(named, NAMES))
    draw(total, tmp_path / "names.svg")
    root = ElementTree.parse(tmp_path / "names.svg").getroot()
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "g", "a", "polygon", "path", "text"}
    assert all(
        set(element.attrib) == {"{http://www.w3.org/1999/xlink}title"}
        for element in root.iter(f"{SVG}a")
    )
    shown_texts = {
        (element.text or "").replace("\u00a0", " ") for element in root.iter(f"{SVG}text")
    }
    assert {shown(name) for name in NAMES} <= shown_texts
