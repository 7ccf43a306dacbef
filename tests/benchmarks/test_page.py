"""docs/performance.md and its plots are those of the results."""

import re

import page
import plots
import pytest
import results as module
import workloads

FOUND = module.load()


def test_the_page_of_performance_is_up_to_date():
    assert page.PAGE.read_text(encoding="utf-8") == page.text(FOUND), (
        "run python benchmarks/page.py"
    )


def test_the_plots_of_performance_are_up_to_date():
    assert plots.stale(FOUND) == [], "run python benchmarks/page.py"


def test_every_workload_has_results_and_every_plot_of_performance_is_drawn():
    assert set(FOUND) == set(workloads.WORKLOADS)
    assert list(plots.drawable(FOUND)) == list(plots.PLOTS)


def test_every_plot_is_on_the_page_of_performance():
    shown = re.findall(r"\(performance/(\w+)\.svg\)", page.PAGE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(plots.PLOTS)


def test_the_page_of_performance_begins_with_charts_and_ends_with_the_figures_to_reach():
    _, *sections = page.PAGE.read_text(encoding="utf-8").split("\n## ")
    with_chart = ["](performance/" in section for section in sections]
    assert with_chart == sorted(with_chart, reverse=True)
    assert [section.partition("\n")[0] for section in sections if "reached" in section] == [
        "Figures to reach"
    ]
    assert sections[-1].startswith("Figures to reach\n")


def test_the_page_of_performance_says_which_times_are_not_of_the_run_of_its_table():
    (section,) = re.findall(
        r"## Where the time goes\n\n(.*?)\n\n", page.PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert "The times in this section are from runs of their own" in " ".join(section.split())


def test_every_place_in_the_text_of_performance_is_filled(monkeypatch, tmp_path):
    assert "<!--" not in page.text(FOUND)
    monkeypatch.setattr(page, "TEXT", tmp_path / "page.md")
    page.TEXT.write_text("<!-- no such thing -->\n", encoding="utf-8")
    with pytest.raises(KeyError, match="no such thing"):
        page.text(FOUND)


def test_check_is_content_with_the_page_of_performance(capsys):
    assert page.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_check_fails_for_a_stale_page_of_performance_until_the_page_is_written(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(page, "PAGE", tmp_path / "performance.md")
    monkeypatch.setattr(plots, "write", lambda found: None)
    for _ in range(2):
        assert page.main(["--check"]) == 1
        assert "docs/performance.md is stale" in capsys.readouterr().err
        page.PAGE.write_text("another page")
    assert page.main([]) == 0
    assert page.main(["--check"]) == 0


def test_check_fails_for_a_missing_plot_of_performance(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(plots, "FOLDER", tmp_path)
    assert page.main(["--check"]) == 1
    assert "docs/performance/chain.svg is stale" in capsys.readouterr().err


def test_changed_benchmark_results_make_a_plot_stale(results):
    other = dict(FOUND, protocols=results("protocols", {"a": {"project": [1.0]}}))
    assert plots.stale(other) == ["protocols"]


def test_a_row_of_performance_has_all_libraries_in_one_unit_and_the_ratios(results):
    rounds = {"project": [2e-6, 3e-6], "floor": [1e-6, 1e-6], "torch": [4e-3, 4e-3]}
    rounds |= {"replayed": [5e-7, 5e-7], "native": [2.5e-7, 2.5e-7]}
    lines = list(page.figures_table({"chain": results("chain", {"forward": rounds})}))
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    assert cells[:8] == ["chain", "forward", "µs", "1", "2.5", "0.5", "0.25", "4,000"]
    assert cells[-7:] == [
        *("0.00 (0.00 to 0.00)", "2.50 (2.25 to 2.75)"),
        *("0.00 (0.00 to 0.00)", "0.50 (0.50 to 0.50)", "—"),
        *("0.00 (0.00 to 0.00)", "—"),
    ]


def test_a_row_of_performance_with_compiled_programs_alone_has_a_unit(results):
    found = results("recording", {"call": {"replayed": [2e-6]}})
    (row,) = list(page.figures_table({"recording": found}))[2:]
    assert [cell.strip() for cell in row.split("|")][3] == "µs"


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
