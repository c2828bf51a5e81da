"""A dataclass of flags stands in a command's place of them."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from drretail.cli.options.parameters import grouped


@dataclass(frozen=True, slots=True)
class Size:
    width: Annotated[int, typer.Option("--width", min=1, help="In metres.")] = 2
    colour: Annotated[list[str] | None, typer.Option("--colour")] = None


def printed(*arguments: str) -> tuple[int, str]:
    app = typer.Typer()

    @app.command()
    @grouped
    def paint(what: Annotated[str, typer.Argument()], size: Size, loud: bool = False) -> None:
        """Paints it."""
        typer.echo(f"{what} {size} {loud}")

    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.output


def test_its_fields_are_options_with_their_defaults() -> None:
    assert printed("wall") == (0, "wall Size(width=2, colour=None) False\n")


def test_flags_arrive_in_the_group() -> None:
    code, text = printed("wall", "--width", "3", "--colour", "red", "--colour", "blue", "--loud")
    assert (code, text) == (0, "wall Size(width=3, colour=['red', 'blue']) True\n")


def test_a_flag_is_checked_as_any_other() -> None:
    assert printed("wall", "--width", "0")[0] == 2


def test_help_tells_its_flags_and_the_docstring() -> None:
    _, text = printed("--help")
    assert "--width" in text
    assert "In metres." in text
    assert "Paints it." in text
