from __future__ import annotations

import click
import pytest
from valor_cli.program.usage import name_of, usage_message


def test_an_error_of_no_command_is_its_sentence():
    assert usage_message(click.ClickException("Something is odd.")) == "something is odd"


def test_an_argument_is_called_by_its_metavar_and_an_option_by_its_longest_name():
    assert name_of(click.Argument(["path"], metavar="CONFIG")) == "CONFIG"
    assert name_of(click.Argument(["path"])) == "PATH"
    assert name_of(click.Option(["-o", "--output"])) == "--output"


def test_a_refused_value_names_its_parameter():
    context = click.Context(click.Command("run"), info_name="run")
    option = click.Option(["--size"])

    text = usage_message(click.BadParameter("Much too large.", context, option))

    assert text == "--size: much too large\nSee: run --help"


@pytest.mark.parametrize(
    ("option", "remedy"),
    [
        ("--slices", "Write it as: --set slices=FIELD"),
        ("--require", 'Write it as: --set require=\'{"Accuracy": ">= 0.9"}\''),
    ],
)
def test_option_called_like_a_config_key_is_a_setting(valor, option, remedy):
    result = valor("run", "preds.csv", option, "x")

    assert result.stderr.splitlines()[1] == remedy
