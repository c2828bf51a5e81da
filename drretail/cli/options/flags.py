"""Flags that are the same in every command, single and in groups (``parameters.py``)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import MODELS, OUTPUT, Option
from drretail.api.options import research, shared

World = Annotated[
    str, Option("A world's folder, servers:NAME, demo or market (made-up shops).", short="-w", metavar="W")
]
Json = Annotated[bool, Option("Print one JSON document on stdout.", OUTPUT, flag="--json")]
Seed = shared.Seed
To = Annotated[Path, Option("The folder for the result.")]
Web = Annotated[
    str | None,
    Option(
        "What web_search searches: sandbox[:FILE|FOLDER], serper, searxng[:URL], a plugin or module:attribute.",
        metavar="NAME[:ARGUMENT]",
        default="sandbox",
    ),
]
MaterializeUsers = Annotated[bool, Option("Store every user's profile on the servers.")]
QueryFile = Annotated[Path, Option("A .jsonl file of queries.", argument=True, metavar="FILE")]
ToQueries = Annotated[Path, Option("The JSONL file for the queries.", metavar="FILE")]
Users = Annotated[int, Option("The number of users to draw.", min=1)]
NamedUsers = Annotated[list[str] | None, Option("A user to take instead of drawn ones.", metavar="ID")]


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
