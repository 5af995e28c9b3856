import worst
from click.testing import CliRunner
from valor_testing import check_plugin

from valor_core import evaluate


def test_plugin_keeps_the_laws():
    check_plugin(worst)


def test_lowest_scores_are_printed(request, tmp_path):
    data = {"reader": "csv", "path": request.path.with_name("answers.csv")}
    evaluate(data, ["TokenF1"], task="text", items=True).save(tmp_path / "report.json")
    result = CliRunner().invoke(worst.command, [str(tmp_path / "report.json"), "-n", "2"])
    assert result.output == "0.0000  q3\n0.5000  q4\n"


def test_report_without_items_says_how_to_make_them(request, tmp_path):
    data = {"reader": "csv", "path": request.path.with_name("answers.csv")}
    evaluate(data, ["TokenF1"], task="text").save(tmp_path / "report.json")
    result = CliRunner().invoke(worst.command, [str(tmp_path / "report.json")])
    assert (result.exit_code, "run it with --items" in result.output) == (1, True)
