from __future__ import annotations

import click
import pytest
from valor_cli.program.usage import name_of, usage_message


def test_error_without_command_is_its_message():
    assert usage_message(click.ClickException("Something is odd.")) == "something is odd"


def test_arguments_are_named_by_metavar_and_options_by_longest_name():
    assert name_of(click.Argument(["path"], metavar="CONFIG")) == "CONFIG"
    assert name_of(click.Argument(["path"])) == "PATH"
    assert name_of(click.Option(["-o", "--output"])) == "--output"


def test_invalid_value_names_its_parameter():
    context = click.Context(click.Command("run"), info_name="run")
    option = click.Option(["--size"])

    text = usage_message(click.BadParameter("Much too large.", context, option))

    assert text == "--size: much too large\nSee: run --help"


@pytest.mark.parametrize(
    ("option", "remedy"),
    [
        ("--filter", "Write it as: --set filter=VALUE"),
        ("--label-map", "Write it as: --set label_map=VALUE"),
        ("--slice", "Did you mean '--slices'?"),
        ("--requires", "Did you mean '--require'?"),
        ("--opne", "Did you mean '--open'?"),
    ],
)
def test_unknown_option_named_like_config_key_suggests_set(valor, option, remedy):
    result = valor("run", "preds.csv", option, "x")

    assert result.stderr.splitlines()[1] == remedy
