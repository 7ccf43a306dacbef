"""Tables of text."""

from __future__ import annotations


def table(titles: list[str], rows: list[list[str]], sums: list[list[str]]) -> str:
    """Return a table as text: two columns of names, aligned left, then numbers, aligned right."""
    columns = zip(titles, *rows, *sums, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for part in ([titles, *rows], sums):
        for row in part:
            cells = zip(row, widths, strict=True)
            aligned = [f"{c:{'<' if n < 2 else '>'}{w}}" for n, (c, w) in enumerate(cells)]
            lines.append("  ".join(aligned).rstrip())
        lines.append("")
    return "\n".join(lines).rstrip()
