"""docs/performance.md, the pages and the plots behind it are those of the results.

Promise: docs/performance.md
"""

import re

import page
import plots
import pytest
import results as module
import workloads

FOUND = module.load()


def shown(name):
    """Return a page as it is in docs."""
    return (page.DOCS / name).read_text(encoding="utf-8")


def test_the_pages_of_performance_are_up_to_date():
    assert {name: shown(name) for name in page.texts(FOUND)} == page.texts(FOUND), (
        "run python benchmarks/page.py"
    )


def test_the_plots_of_performance_are_up_to_date():
    assert plots.stale(FOUND) == [], "run python benchmarks/page.py"


def test_every_workload_has_results_and_every_plot_of_performance_is_drawn():
    assert set(FOUND) == set(workloads.WORKLOADS)
    assert list(plots.drawable(FOUND)) == list(plots.PLOTS)


def test_every_plot_is_on_the_page_of_performance():
    plotted = re.findall(r"\(performance/(\w+)\.svg\)", shown("performance.md"))
    assert sorted(plotted) == sorted(plots.PLOTS)


def test_the_page_of_performance_is_a_summary_with_charts_and_links_to_the_tables():
    summary = shown("performance.md")
    assert len(summary.split()) < 1000
    beginning, *sections = summary.split("\n## ")
    assert all("](performance/" in section for section in sections)
    assert "JAX, compiled" in beginning
    others = [name.removesuffix(".md") for name in page.texts(FOUND) if name != "performance.md"]
    assert len(others) == 3
    assert all(f"\n{name}\n" in beginning for name in others)


def test_the_pages_of_performance_say_which_times_are_not_of_the_run_of_their_tables():
    (section,) = re.findall(
        r"## Where the time goes\n\n(.*?)\n\n",
        shown("performance/figures_to_reach.md"),
        re.DOTALL,
    )
    assert "The times in this section are from runs of their own" in " ".join(section.split())


def test_every_place_in_the_texts_of_performance_is_filled(monkeypatch, tmp_path):
    assert not any("<!--" in text for text in page.texts(FOUND).values())
    monkeypatch.setattr(page, "TEXTS", tmp_path)
    (tmp_path / "page.md").write_text("<!-- no such thing -->\n", encoding="utf-8")
    with pytest.raises(KeyError, match="no such thing"):
        page.texts(FOUND)


def test_check_is_content_with_the_page_of_performance(capsys):
    assert page.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_check_fails_for_a_stale_page_of_performance_until_the_page_is_written(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(page, "DOCS", tmp_path)
    monkeypatch.setattr(plots, "write", lambda found: None)
    for _ in range(2):
        assert page.main(["--check"]) == 1
        assert "docs/performance/figures.md is stale" in capsys.readouterr().err
        (tmp_path / "performance").mkdir(exist_ok=True)
        (tmp_path / "performance" / "figures.md").write_text("another page")
    assert page.main([]) == 0
    assert page.main(["--check"]) == 0


def test_check_fails_for_a_missing_plot_of_performance(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(plots, "FOLDER", tmp_path)
    assert page.main(["--check"]) == 1
    assert "docs/performance/chain.svg is stale" in capsys.readouterr().err


def test_changed_benchmark_results_make_a_plot_stale(results):
    other = dict(FOUND, protocols=results("protocols", {"a": {"project": [1.0]}}))
    assert plots.stale(other) == ["protocols"]


def cells(lines):
    """Return the cells of the rows of a table, without its head."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in list(lines)[2:]]


def test_rows_of_performance_have_their_libraries_in_one_unit_and_the_ratios(results):
    rounds = {"project": [2e-6, 3e-6], "floor": [1e-6, 1e-6], "torch": [4e-3, 4e-3]}
    rounds |= {"replayed": [5e-7, 5e-7], "native": [2.5e-7, 2.5e-7], "autograd": [1e-5, 1e-5]}
    found = {"chain": results("chain", {"forward": rounds})}
    (row,) = cells(page.times_table(found))
    assert row == ["chain, forward", "µs", "1", "2.5", "0.5", "0.25", "4,000", "—"]
    (row,) = cells(page.times_table(found, page.OTHERS, beside=("project",)))
    assert row == ["chain, forward", "µs", "2.5", "10", "—", "—"]
    (row,) = cells(page.ratios_table(found, page.RATIOS))
    assert row == [
        "chain, forward",
        *("0.00 (0.00 to 0.00)", "2.50 (2.25 to 2.75)"),
        *("0.00 (0.00 to 0.00)", "0.50 (0.50 to 0.50)"),
    ]
    (row,) = cells(page.ratios_table(found, page.COMPILED_RATIOS))
    assert row == ["chain, forward", "—", "0.00 (0.00 to 0.00)", "—"]


def test_figures_of_this_project_alone_are_in_one_table_of_performance(results):
    found = {"imports": results("imports", {"core alone": {"project": [2.0]}})}
    assert len(cells(page.times_table(found))) == 1
    assert cells(page.times_table(found, page.OTHERS, beside=("project",))) == []
    assert cells(page.ratios_table(found, page.RATIOS)) == []


def test_a_row_of_performance_with_compiled_programs_alone_has_a_unit(results):
    found = results("recording", {"call": {"replayed": [2e-6]}})
    (row,) = cells(page.times_table({"recording": found}))
    assert row[1] == "µs"


@pytest.mark.parametrize(
    ("values", "unit", "name"),
    [
        ([2.0, 0.9], "second", "s"),
        ([2.0, 0.01], "second", "ms"),
        ([2e-6, None], "second", "µs"),
        ([2e-9], "second", "µs"),
        ([2e6], "byte", "MiB"),
        ([2.0], "1", "x"),
    ],
)
def test_the_unit_of_a_row_of_performance_suits_the_smallest_value(values, unit, name):
    assert page.scale(values, unit)[1] == name


def test_the_page_of_performance_names_a_left_out_library_with_the_reason(results):
    found = results("chain", {})
    for library in ("torch", "jax"):
        found.leave_out(library, "", "is not installed")
    found.leave_out("autograd", "forward", "does not go forward")
    lines = [re.sub(r" +", " ", line) for line in page.left_out({"chain": found})]
    assert lines[2:] == [
        "| chain | PyTorch, JAX, compiled | is not installed |",
        "| chain, forward | autograd | does not go forward |",
    ]


def test_the_page_of_performance_describes_both_of_two_machines(results):
    one, other = results("chain", {}), results("deep", {})
    other.machine = {"processor": "another"}
    text = "\n".join(page.machines({"chain": one, "deep": other}))
    assert "a processor" in text
    assert "another" in text


def test_the_shares_of_recorded_instructions_are_those_of_the_counts(tmp_path, monkeypatch):
    counts = tmp_path / "shares.csv"
    counts.write_text("instructions,opaque,NumPy's,alone\n1000,1,250,50\n", encoding="utf-8")
    monkeypatch.setattr(page, "SHARES", counts)
    head, _, *rows = page.shares_table()
    assert "1,000" in head
    assert sorted(re.findall(r"[\d.]+", " ".join(rows))) == ["70.00", "75.00", "99.90"]
