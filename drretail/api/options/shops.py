"""The options of synth, ingest, world, tools, mcp, serve, doctor and prompts, one record each.

Their docstrings are the commands' help.
"""

from dataclasses import KW_ONLY, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import research, shared

Preset = Literal["paper", "ten"]
To = Annotated[str | Path, Option("The folder for the files.", metavar="FOLDER")]
World = Annotated[
    str | Path,
    Option("A world's folder, servers:NAME, demo or market (made-up shops).", argument=True, metavar="W", type=str),
]
Day = str | date | None


@dataclass(frozen=True, slots=True)
class SynthOptions:
    """Writes made-up product and review files in the format of the real ones."""

    to: To
    _: KW_ONLY
    products: Annotated[int, Option("The number of products.", min=1)] = 400
    reviews: Annotated[int, Option("The number of reviews.", min=0)] = 6000
    category: Annotated[shared.Texts, Option("A category to make.", type=list[str])] = ()
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Makes a world (a searchable shop) from raw files or from your own shop's tables."""

    paths: Annotated[
        shared.Files,
        Option(
            "Raw files, folders of them, or your own shop's mapping (shop.toml).",
            argument=True,
            metavar="PATH…",
            type=list[Path],
        ),
    ]
    world: Annotated[
        str | Path, Option("The folder of the new world, or servers:NAME.", short="-w", metavar="W", type=str)
    ]
    _: KW_ONLY
    preset: Annotated[
        Preset | None, Option("paper: take only the paper's eight categories. ten: these and two more.")
    ] = None
    category: Annotated[str | None, Option("The files' category, if their names don't give it.", metavar="NAME")] = None
    cap: Annotated[int | None, Option("Maximum products per category.", min=1, default="10000; your own shop: all")] = (
        None
    )
    cap_by: Annotated[
        Literal["hash", "interactions"],
        Option("Which products the cap keeps: a random draw, or those with most interactions.", flag=""),
    ] = "hash"
    min_interactions: Annotated[
        int | None,
        Option(
            "Drop products with fewer reviews or orders than this, counted from --since on.",
            min=0,
            default="5; your own shop: 0",
        ),
    ] = None
    since: Annotated[
        Day,
        Option(
            "The first day of interactions to use (UTC).",
            formats=["%Y-%m-%d"],
            type=datetime,
            default="2019-01-01; your own shop: all orders",
        ),
    ] = None
    until: Annotated[
        Day,
        Option(
            "The last day of interactions (UTC); rows with later dates are bad lines.",
            formats=["%Y-%m-%d"],
            type=datetime,
            default="today",
        ),
    ] = None
    seed: shared.Seed = "42"
    vary_orders: Annotated[
        bool, Option("Draw quantities and statuses at random, as of made-up shops (default: 1, Delivered).", flag="")
    ] = False
    analyzer: Annotated[
        str | None,
        Option(
            "The language of the texts, to search by word stems. standard: no stems.",
            metavar="LANGUAGE|standard",
            default="standard with --preset paper, else english",
        ),
    ] = None
    engine: Annotated[
        str,
        Option(
            "Where rows are selected: duckdb (this machine), spark (an extra; all its cores), or spark:MASTER, such as "
            "spark:spark://host:port or spark:local[4].",
            metavar="duckdb|spark[:MASTER]",
        ),
    ] = "duckdb"
    parallel: Annotated[int | None, Option("The number of threads.", min=1, default="as many as make it faster")] = None
    force: Annotated[bool, Option("Replace the existing world.")] = False
    dry_run: Annotated[bool, Option("Count all rows and show how the first ones are read. Make no world.")] = False


@dataclass(frozen=True, slots=True)
class InfoOptions:
    """Shows a world's counts, fingerprint and origin."""

    world: World


@dataclass(frozen=True, slots=True)
class CheckWorldOptions:
    """Compares a world's data with its manifest. Exit code 3: something is wrong."""

    world: World


@dataclass(frozen=True, slots=True)
class CopyOptions:
    """Copies a world and checks the copy's fingerprint."""

    world: World
    to: Annotated[str | Path, Option("The copy's folder, or servers:NAME.", argument=True, metavar="W2", type=str)]


@dataclass(frozen=True, slots=True)
class ToolsOptions:
    """Lists the nine tools, or calls one and prints its result."""

    name: Annotated[
        str | None,
        Option("The tool to call, or module:attribute. Without it: list all tools.", argument=True, metavar="NAME"),
    ] = None
    args: Annotated[str, Option("The tool's arguments, as one JSON object.", metavar="JSON")] = "{}"
    _: KW_ONLY
    world: research.World = "demo"
    user: Annotated[str | None, Option("The user who asks.", metavar="ID")] = None
    web: research.Web = None
    vary: research.ClientVary = None


@dataclass(frozen=True, slots=True)
class McpOptions:
    """Serves the nine tools over MCP, to one client or with --http to several.

    Each connection has its own copy of the world. With --to, each connection is recorded as a run, and a tenth tool
    takes the report (docs/tools.md).
    """

    to: Annotated[
        str | Path | None, Option("Record each client as a run in this experiment folder.", metavar="EXP")
    ] = None
    question: Annotated[str | None, Option("With --to: the question for the clients.")] = None
    queries: Annotated[str | Path | None, Option("With --to: the file that holds the query.", metavar="FILE")] = None
    only: Annotated[str | None, Option("With --queries: the id of the query.", metavar="ID")] = None
    system: Annotated[str | None, Option("With --to: the system's name (mcp@NAME).", metavar="NAME")] = None
    seed: shared.Seed = "42"
    world: research.World = "demo"
    user: Annotated[str | None, Option("The shopper who asks.", metavar="ID")] = None
    vary: research.ClientVary = None
    web: research.Web = None
    http: Annotated[bool, Option("Serve over HTTP on this machine, instead of stdin and stdout.")] = False
    port: Annotated[int | None, Option("With --http: the port (default: any free one).", min=0, max=65535)] = None
    observer: research.Observer = None


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Serves one session's services, shop and model, for agents that you try by hand.

    It prints the environment in which clients find them (docs/agents.md). Nothing is recorded.
    """

    world: research.World = "demo"
    user: Annotated[str | None, Option("The shopper who is signed in.", metavar="ID")] = None
    model: research.Model = None
    _: KW_ONLY
    base_url: research.BaseUrl = ()
    web: research.Web = None
    port: Annotated[int, Option("The port (default: any free one).", min=0, max=65535)] = 0
    observer: research.Observer = None


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """Checks this machine, and the models that you name.

    Exit code 3: something needed does not work.
    """

    model: Annotated[
        shared.Texts, Option("A model to test. It is asked for one word.", metavar="PROVIDER:MODEL", type=list[str])
    ] = ()
    _: KW_ONLY
    base_url: research.BaseUrl = ()


@dataclass(frozen=True, slots=True)
class PromptsOptions:
    """Writes the prompts and criteria of agents, judges and makers of queries to files.

    To use changed files: --prompts DIR of `run`, `score` and `queries`. docs/results.md says which stand for
    the paper's.
    """

    whose: Annotated[
        shared.Texts, Option("Agents, or judges (default: all).", argument=True, metavar="AGENT|judges", type=list[str])
    ] = ()
    _: KW_ONLY
    to: Annotated[str | Path, Option("The folder to write the prompts to.", metavar="DIR")]
