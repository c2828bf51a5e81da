"""The command line put together: a command is loaded when it is called, or its own help is asked for."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from drretail import __version__
from drretail.cli.options.command import Command, Group
from drretail.errors import shortened

LONGEST_USAGE = 400
UsageError: Any = typer.BadParameter.__base__  # click's, or of typer's own copy of it


COMMANDS = {
    "demo": (
        "drretail.cli.demo:demo",
        "Makes up a shop, answers a shopper's question, judges the answers, and writes two pages to read.",
    ),
    "synth": (
        "drretail.cli.worlds.raw_files:synth",
        "Writes made-up product and review files: coherent products, shoppers with tastes, every quirk of real files.",
    ),
    "download": (
        "drretail.cli.worlds.raw_files:download",
        "Fetch product and review files of Amazon Reviews 2023; what broke off goes on.",
    ),
    "ingest": (
        "drretail.cli.worlds.ingest:ingest",
        "Make a world from raw product and review files (Algorithm 1 of the paper), or of a shop of your own.",
    ),
    "world": ("drretail.cli.worlds.world:world_app", "What a world holds, whether it is whole, and copies of it."),
    "tools": ("drretail.cli.tools:tools", "Lists the nine tools, or calls one and prints what a model would read."),
    "mcp": (
        "drretail.cli.mcp:mcp",
        "Serves the nine tools over MCP, to the client that starts it or, with --http, to several at once.",
    ),
    "queries": (
        "drretail.cli.queries.group:queries_app",
        "Questions for agents, made from users' real histories.",
    ),
    "sandbox": ("drretail.cli.sealed.sandboxes:sandbox_app", "Sealed webs, one for each query, in several sizes."),
    "ask": ("drretail.cli.run:ask", "Answers one question with a researched, cited report."),
    "run": ("drretail.cli.run:run", "Runs agents over queries."),
    "prompts": (
        "drretail.cli.prompts:prompts",
        "Lists the prompts of the agents or of the judges, prints them as sent, or writes them out to be changed.",
    ),
    "score": (
        "drretail.cli.score:score",
        "Judges every report that is not judged yet and prints a scoreboard: one row per system, and what differs.",
    ),
    "verify": (
        "drretail.cli.score:verify",
        "Makes the runs, tool calls, verdicts and scores of an experiment again, and says what is not as the folder "
        "says.",
    ),
    "reproduce": (
        "drretail.cli.run:reproduce",
        "Makes the paper's experiment on your models: its six systems and ours, judged by its rules, verified.",
    ),
    "compare": (
        "drretail.cli.compare:compare",
        "Sets systems side by side, query by query, and says what can be concluded, what can't, and what it would "
        "take.",
    ),
    "bench": ("drretail.cli.sealed.bench:bench_app", "A sealed benchmark: make, publish, submit, rank."),
    "lab": ("drretail.cli.lab:lab_app", "Is the judge any good?"),
    "report": (
        "drretail.cli.report:report",
        "Shows the reports of an experiment with every claim marked by its verdict.",
    ),
    "import": (
        "drretail.cli.import_reports:import_reports",
        "Makes an experiment of reports from elsewhere: deep_research_bench, ReportEval, PDR-Bench, Markdown and more.",
    ),
    "export": (
        "drretail.cli.report:export",
        "Writes runs, reports and scores as chat JSONL for fine-tuning, as deep_research_bench takes reports, as CSV "
        "or Parquet, or as a dataset folder.",
    ),
    "view": (
        "drretail.cli.report:view",
        "Shows an experiment on this machine's browser while it grows, and lets people vote on its reports.",
    ),
    "doctor": (
        "drretail.cli.doctor:doctor",
        "Looks at Python, packages, keys, servers, Java and disks; models are only asked when named.",
    ),
}
"""Where each command is, and the first sentence of its help, so that the list of all of them loads none."""


class Commands(TyperGroup):
    """The commands of the table; their list is plain text, since what draws boxes takes longer to load than typer."""

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.commands: dict[str, Any] = dict.fromkeys(COMMANDS)  # the names that a wrong one is answered with

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        found = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            found.info.cls = Group
            for subcommand in found.registered_commands:
                subcommand.cls = Command
            return get_group(found)
        single = typer.Typer(add_completion=False)
        single.command(cmd_name, cls=Command)(found)
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
    """What was typed wrongly is repeated within bounds, whatever it was."""
    try:
        yield
    except UsageError as problem:
        problem.message = shortened(problem.message, LONGEST_USAGE)
        raise


app = typer.Typer(
    name="drretail",
    cls=Commands,
    help="DeepResearch Retail: a shop of real products and orders, nine tools over it, agents that research in it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.", is_eager=True)] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Anywhere on the line: after an error, show where it came from.")
    ] = False,
) -> None:
    del debug  # taken out of the arguments before they come here (entry.py)
    if version:
        typer.echo(f"drretail {__version__}")
        raise typer.Exit
