"""A command and its function in Python take the same options, and make the same."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from drretail import run
from drretail.api.option import declared_options
from tests.cli.conftest import Command


@dataclass(frozen=True)
class Door:
    """Where a command is, the record of its options, its function in Python, and the flags that only it has."""

    command: str
    record: str
    function: str
    own: tuple[str, ...] = ()
    """What only says how the command prints, or which of two functions it calls."""


OUTPUT = ("--json", "--quiet", "-q", "--help")
DOORS = [
    Door(
        "drretail.cli.run:run",
        "drretail.api.options.run:RunOptions",
        "drretail.api.run:run",
        (*OUTPUT, "--estimate", "--print-config", "experiment_file"),
    ),
    Door(
        "drretail.cli.run:run",
        "drretail.api.options.run:RunOptions",
        "drretail.api.run:estimate_run",
        (*OUTPUT, "--estimate", "--print-config", "experiment_file"),
    ),
    Door("drretail.cli.ask:ask", "drretail.api.options.ask:AskOptions", "drretail.api.ask:ask", OUTPUT),
    Door(
        "drretail.cli.score:score",
        "drretail.api.options.score:ScoreOptions",
        "drretail.api.score:score",
        (*OUTPUT, "--estimate", "--by", "--details"),
    ),
]


def loaded(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def flags_of(command: Callable[..., None]) -> set[str]:
    """The flags that help shows, and the names of arguments."""
    app = typer.Typer(add_completion=False)
    app.command()(command)
    shown: set[str] = set()
    for parameter in get_command(app).params:
        if not getattr(parameter, "hidden", False):
            shown |= {*parameter.opts} if parameter.param_type_name == "option" else {str(parameter.name)}
    return shown


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.function)
def test_a_command_has_the_options_of_its_record_and_its_function_takes_them(door: Door) -> None:
    options = declared_options(loaded(door.record))
    wanted = {option.flag or option.name for option in options if option.option.flag != ""}
    wanted |= {option.option.short for option in options if option.option.short is not None}
    assert flags_of(loaded(door.command)) - {*door.own} == wanted
    assert [*inspect.signature(loaded(door.function)).parameters] == [option.name for option in options]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.function)
def test_every_option_has_a_help_of_one_sentence_and_its_function_shows_it(door: Door) -> None:
    shown = inspect.getdoc(loaded(door.function)) or ""
    for option in declared_options(loaded(door.record)):
        assert option.option.help.strip() == option.option.help != ""
        assert f"{option.name}: {option.option.help}" in shown


def test_both_doors_make_the_same_runs(
    drretail: Command, shop: str, queries: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By flags, by a file and by keyword arguments: every run.json is the same to the byte."""
    flags = ["--queries", queries, "--world", shop, "--agent", "react", "--limit", "tool_turns=3", "--scope", "any"]
    flags += ["--counterfactual", "neutral", "--without", "calculator", "--no-pages", "--seed", "7"]
    assert drretail("run", *flags, "--to", "flags", "--quiet").returncode == 0
    config = drretail("run", *flags, "--to", "file", "--print-config").stdout
    (tmp_path / "experiment.toml").write_text(config, encoding="utf-8")
    assert drretail("run", "experiment.toml", "--quiet").returncode == 0
    monkeypatch.chdir(tmp_path)
    given: dict[str, Any] = {
        "limits": {"tool_turns": 3},
        "scope": "any",
        "counterfactual": "neutral",
        "without": ["calculator"],
    }
    made = run(shop, queries, "react", to="keywords", pages=False, seed="7", **given)
    assert made.is_complete
    by_flags, by_file, by_keywords = (recorded(tmp_path / name) for name in ("flags", "file", "keywords"))
    assert by_flags == by_file == by_keywords
    assert len(by_flags) == 16


def recorded(experiment: Path) -> dict[str, bytes]:
    return {str(path.relative_to(experiment)): path.read_bytes() for path in experiment.rglob("run.json")}
