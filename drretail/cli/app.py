"""Assembles the command line. A command is loaded only when it is called, or when its own help is requested."""

from collections.abc import Generator
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from drretail import __version__
from drretail.cli.options.command import Command, Group
from drretail.cli.options.parameters import with_flags
from drretail.errors import shortened
from drretail.screen import fitted

LONGEST_USAGE = 400
UsageError: Any = typer.BadParameter.__base__  # the class of click, or of typer's own copy of click


COMMANDS = {
    "demo": (
        "drretail.cli.demo:demo",
        "Makes up a shop, answers shoppers' questions, judges the answers and writes a page.",
    ),
    "synth": (
        "drretail.cli.worlds.raw_files:synth",
        "Writes made-up product and review files in the format of the real ones.",
    ),
    "download": (
        "drretail.cli.worlds.raw_files:download",
        "Downloads product and review files of Amazon Reviews 2023. Continues interrupted downloads.",
    ),
    "ingest": (
        "drretail.cli.worlds.ingest:ingest",
        "Makes a world (a searchable shop) from raw files or from your own shop's tables.",
    ),
    "world": ("drretail.cli.worlds.world:world_app", "Shows, checks and copies worlds."),
    "tools": ("drretail.cli.tools:tools", "Lists the nine tools, or calls one and prints its result."),
    "mcp": ("drretail.cli.mcp:mcp", "Serves the nine tools over MCP, to one client or with --http to several."),
    "queries": ("drretail.cli.queries.group:queries_app", "Makes, checks and reviews questions for agents."),
    "sandbox": ("drretail.cli.sealed.sandboxes:sandbox_app", "Makes fixed sets of web pages, one for each query."),
    "ask": ("drretail.cli.run:ask", "Answers one question with a cited report."),
    "run": ("drretail.cli.run:run", "Runs agents over queries."),
    "prompts": (
        "drretail.cli.prompts:prompts",
        "Lists the prompts and criteria of agents, judges and makers of queries, prints them, or writes them to files.",
    ),
    "score": ("drretail.cli.score:score", "Judges the reports and prints a scoreboard with one row per system."),
    "verify": (
        "drretail.cli.score:verify",
        "Recomputes an experiment's runs, verdicts and scores, and reports every difference.",
    ),
    "reproduce": (
        "drretail.cli.run:reproduce",
        "Repeats the paper's experiment with your models: runs, judges and verifies.",
    ),
    "compare": (
        "drretail.cli.compare:compare",
        "Compares systems query by query, and shows which differences are more than chance.",
    ),
    "bench": ("drretail.cli.sealed.bench:bench_app", "Runs a sealed benchmark: make, publish, submit, rank."),
    "lab": ("drretail.cli.lab:lab_app", "Measures how good the judge is."),
    "report": ("drretail.cli.report:report", "Shows an experiment's reports with every claim marked by its verdict."),
    "import": (
        "drretail.cli.import_reports:import_reports",
        "Makes an experiment from reports: Markdown, Word, PDF, chat logs, and ten benchmarks' files.",
    ),
    "export": (
        "drretail.cli.report:export",
        "Writes runs, reports and scores for other programs, such as CSV or chat JSONL.",
    ),
    "view": ("drretail.cli.report:view", "Shows an experiment in your browser, and lets people vote on its reports."),
    "doctor": ("drretail.cli.doctor:doctor", "Checks this machine, and the models that you name."),
}
"""Where each command is, and the first sentence of its help, so that the list of commands loads none of them."""


class Commands(TyperGroup):
    """The commands of the table. Their list is plain text, since drawing boxes takes longer to load than typer."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)  # the names that are suggested for a wrong one

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            group = copy(found)  # its functions stay as they were written
            group.info.cls = Group
            group.registered_commands = [copy(each) for each in found.registered_commands]
            for subcommand in group.registered_commands:
                function: Any = subcommand.callback
                subcommand.cls, subcommand.callback = Command, with_flags(function)
            return get_group(group)
        single = typer.Typer(add_completion=False)
        single.command(cmd_name, cls=Command)(with_flags(found))
        return get_command(single)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with short_usage_errors():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        with short_usage_errors():
            return super().invoke(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super(TyperGroup, self).format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@contextmanager
def short_usage_errors() -> Generator[None]:
    """Shortens usage errors, since they repeat what was typed, however long it is."""
    try:
        yield
    except UsageError as problem:
        label = "Error: "  # which is printed before it
        message = problem.message.replace("Value error, ", "")  # typer passes on pydantic's words
        problem.message = fitted(label + shortened(message, LONGEST_USAGE)).removeprefix(label)
        raise


app = typer.Typer(
    name="drretail",
    cls=Commands,
    help="Measures how well shopping agents do research. It brings a shop, nine tools, agents, and judges of "
    "their reports.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain sentences for usage errors as for all others, by no console but ours.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error came from. It works anywhere on the command line.")
    ] = False,
) -> None:
    del debug  # entry.py removes it from the arguments; it is declared for --help
    if version:
        typer.echo(f"drretail {__version__}")
        raise typer.Exit
