"""What the commands of ``sandbox`` are given, one record for each."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import LIMITS, MODELS, SHOP, Option
from drretail.api.options import research, shared

OFFLINE = "offline"
Folder = Annotated[str | Path, Option("The sandbox's folder.", argument=True, metavar="S", type=Path)]
Model = Annotated[str | None, Option("Who judges pages and writes.", metavar="PROVIDER:MODEL")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterCalls:
    """How a command calls the model that judges pages and writes."""

    max_dollars: Annotated[float | None, Option("Spend at most this many dollars.", min=0.0001)] = None
    model_profile: Annotated[
        str | None, Option("Models under one name: default, cheap, paper-like.", MODELS, metavar="NAME")
    ] = None
    base_url: research.BaseUrl = ()
    max_tokens: Annotated[int | None, Option("Use at most this many tokens.", MODELS, min=1)] = None
    parallel: Annotated[int, Option("Calls of the model at the same time.", LIMITS, min=1)] = 4
    retry: shared.RetryFailed = None


@dataclass(frozen=True, slots=True)
class BuildOptions(WriterCalls):
    """For which queries pages are made or found, and by which model."""

    to: Annotated[str | Path, Option("Where the sandbox goes.", type=Path)]
    queries: Annotated[
        str | Path | None,
        Option("Queries, one JSON object per line; without it, one task for each drawn user.", metavar="FILE"),
    ] = None
    _: KW_ONLY
    world: research.World = "demo"
    web: Annotated[
        str,
        Option("offline: pages made of the catalog. serper, searxng[:URL]: pages that are found.", metavar="WEB"),
    ] = OFFLINE
    sizes: Annotated[shared.Words, Option("Sizes in tokens, such as 32k.", metavar="A,B", type=str)] = (
        "32k,64k,128k,256k,512k"
    )
    n: Annotated[int, Option("Without --queries: so many users are drawn.", min=1)] = 10
    model: Model = None
    user: Annotated[
        shared.Texts,
        Option("Without --queries: a task for this user.", metavar="ID", type=list[str]),
    ] = ()
    seed: shared.Seed = "42"
    results: Annotated[int, Option("At most this many results per keyword.", SHOP, min=10, max=100)] = 100
    files: Annotated[
        str | Path | None, Option("Own files of the users: DIR/QUERY or DIR/USER/….", SHOP, metavar="DIR")
    ] = None
    tokenizer: Annotated[
        str | None,
        Option("Count with this encoding of tiktoken, which may fetch it; else characters/4.", LIMITS),
    ] = None


@dataclass(frozen=True, slots=True)
class QueriesOptions(WriterCalls):
    """For which sandbox queries are written, and by which model."""

    folder: Folder
    model: Model = None
    _: KW_ONLY
    world: research.World = "demo"


@dataclass(frozen=True, slots=True)
class CheckOptions(WriterCalls):
    """Which sandbox is checked, and which model reviews its tasks."""

    folder: Folder
    model: Model = None
    _: KW_ONLY
    world: Annotated[
        "str | Path | research.OpenWorld | None",
        Option("Its world: pages are looked through for its users.", short="-w", metavar="W", type=str),
    ] = None
    keep_passing: Annotated[str | Path | None, Option("Copy the tasks that pass into a new sandbox.", metavar="TO")] = (
        None
    )
