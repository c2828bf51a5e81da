"""Flags that are the same in every command, single and in groups (``parameters.py``)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from drretail.api.option import MODELS, OUTPUT, Option
from drretail.api.options import research, shared

World = Annotated[
    str, typer.Option("--world", "-w", metavar="W", help="A world's folder, servers:NAME, or demo for the demo shop.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.", rich_help_panel=OUTPUT)]
Seed = Annotated[str, typer.Option("--seed", help="The random seed.")]
To = Annotated[Path, typer.Option("--to", help="The folder for the result.")]
Web = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="NAME[:ARGUMENT]",
        help="What web_search searches: sandbox[:FILE|FOLDER], serper, searxng[:URL], a plugin or module:attribute.",
        show_default="sandbox",
    ),
]
MaterializeUsers = Annotated[
    bool, typer.Option("--materialize-users", help="Store every user's profile on the servers.")
]
BaseUrl = Annotated[
    list[str] | None,
    typer.Option("--base-url", metavar="[PROVIDER=]URL", help="The address of a model server (may be repeated)."),
]
QueryFile = Annotated[Path, typer.Argument(metavar="FILE", help="A .jsonl file of queries.")]
ToQueries = Annotated[Path, typer.Option("--to", metavar="FILE", help="The JSONL file for the queries.")]
Users = Annotated[int, typer.Option("--users", min=1, help="The number of users to draw.")]
NamedUsers = Annotated[
    list[str] | None,
    typer.Option("--user", metavar="ID", help="A user to take instead of drawn ones (may be repeated)."),
]


@dataclass(frozen=True, slots=True)
class Output:
    """How results and progress are printed."""

    as_json: Annotated[bool, Option("Print one JSON document on stdout.", OUTPUT, flag="--json")] = False
    quiet: Annotated[bool, Option("Print no progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Whether progress is shown; for commands without --json."""

    quiet: Annotated[bool, Option("Print no progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Details:
    """How much is printed."""

    details: Annotated[bool, Option("Print all tables.", OUTPUT)] = False


@dataclass(frozen=True, slots=True)
class Planned:
    """Whether the command only estimates, and sends nothing."""

    estimate: Annotated[bool, Option("Print the estimated calls, tokens and cost. Send nothing.", MODELS)] = False


@dataclass(frozen=True, slots=True)
class Calls:
    """How a model that writes queries is called."""

    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    parallel: Annotated[int, Option("Maximum number of parallel model calls.", min=1)] = 4
    retry_failed: Annotated[bool, Option("Repeat failed model calls.")] = False
    prompts: research.Prompts = None
