"""A command and its function in Python take and make the same. Tests api/option.py, api/options/ and result.py."""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import drretail
from drretail import run
from drretail.api.option import declared_options, python_help
from drretail.cli.app import COMMANDS
from drretail.eval.registry import metric_names
from tests.cli.commands import Command
from tests.run_files import runs_in

MODULES = {"queries": "queries", "world": "worlds", "lab": "lab", "gym": "gym"}


def test_a_command_is_a_public_function_with_its_options_and_their_help() -> None:
    """In the module of its group if it has one: ``queries pair`` is ``drretail.queries.pair``, of whatever add-on."""
    for name, entry in COMMANDS.items():
        if not entry.function:
            continue
        group, *more = name.split()
        record, function = loaded(entry.record), loaded(entry.function)
        place = getattr(drretail, MODULES[group]) if more and group in MODULES else drretail
        assert getattr(place, function.__name__) is function, name
        assert [*inspect.signature(function).parameters] == [option.name for option in declared_options(record)], name
        assert " ".join((inspect.getdoc(record) or "").split()).startswith(" ".join(entry.summary.split())), name
        if entry.estimate:
            assert inspect.signature(loaded(entry.estimate)).parameters == inspect.signature(function).parameters, name
        shown = inspect.getdoc(function) or ""
        for option in declared_options(record):
            assert option.option.help.strip() == option.option.help != "", (name, option.name)
            assert f"{option.name}: {python_help(option)}" in shown, name


def loaded(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def test_both_doors_make_the_same_runs(
    succeeds: Command, shop: str, queries: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By flags, by a file and by keyword arguments: every run is the same to the byte."""
    flags = ["--queries", queries, "--world", shop, "--agent", "react", "--vary", "tool_turns=3"]
    flags += ["--vary", "scope=any", "--vary", "information=tools,task", "--vary", "without=calculator"]
    flags += ["--no-pages", "--seed", "7"]
    succeeds("run", *flags, "--to", "flags", "--quiet")
    (kept,) = (tmp_path / "flags" / "options").glob("*.toml")
    succeeds("run", str(kept), "--queries", queries, "--world", shop, "--to", "file", "--quiet")
    monkeypatch.chdir(tmp_path)
    vary = {"scope": "any", "information": ["tools", "task"], "without": "calculator", "tool_turns": 3}
    given: dict[str, Any] = {"vary": vary}
    assert run(shop, queries, "react", to="keywords", pages=False, seed="7", **given).is_complete
    by_flags, by_file, by_keywords = (runs_in(tmp_path / name) for name in ("flags", "file", "keywords"))
    assert by_flags == by_file == by_keywords
    assert len(by_flags) == 10


def test_help_names_every_metric_of_metrics(drretail: Command) -> None:
    shown = drretail("score", "-h", COLUMNS="80").stdout
    assert [name for name in metric_names() if name not in shown] == []
    headings = ["Usual options:", "What to judge:", "Models and money:", "Shop and web:", "Resuming:", "Output:"]
    assert [line for line in shown.splitlines() if line in headings] == headings
    assert max(map(len, shown.splitlines())) <= 80
