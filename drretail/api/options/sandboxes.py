"""What the commands of ``sandbox`` are given, one record for each."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import LIMITS, MODELS, SHOP, Option
from drretail.api.options import research, shared

OFFLINE = "offline"
Folder = Annotated[str | Path, Option("The sandbox's folder.", argument=True, metavar="S", type=Path)]
Model = Annotated[str | None, Option("The model that judges pages and writes.", metavar="PROVIDER:MODEL")]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriterCalls:
    """How a command calls the model that judges pages and writes."""

    max_dollars: Annotated[float | None, Option("Spend at most this many dollars.", min=0.0001)] = None
    model_profile: Annotated[
        str | None, Option("Choose models by one name: default, cheap or paper-like.", MODELS, metavar="NAME")
    ] = None
    base_url: research.BaseUrl = ()
    max_tokens: Annotated[int | None, Option("Use at most this many tokens.", MODELS, min=1)] = None
    parallel: Annotated[int, Option("At most this many calls of the model at the same time.", LIMITS, min=1)] = 4
    retry: shared.RetryFailed = None


@dataclass(frozen=True, slots=True)
class BuildOptions(WriterCalls):
    """For which queries pages are made or found, and by which model."""

    to: Annotated[str | Path, Option("Where the sandbox goes.", type=Path)]
    queries: Annotated[
        str | Path | None,
        Option(
            "The queries, one JSON object per line. Without this file, users are drawn, and each gets one task.",
            metavar="FILE",
        ),
    ] = None
    _: KW_ONLY
    world: research.World = "demo"
    web: Annotated[
        str,
        Option(
            "offline makes the pages from the catalog; serper and searxng[:URL] search the web for them.", metavar="WEB"
        ),
    ] = OFFLINE
    sizes: Annotated[shared.Words, Option("Sizes in tokens, such as 32k.", metavar="A,B", type=str)] = (
        "32k,64k,128k,256k,512k"
    )
    n: Annotated[int, Option("Without --queries: draw this many users.", min=1)] = 10
    model: Model = None
    user: Annotated[
        shared.Texts,
        Option("Without --queries: make a task for this user.", metavar="ID", type=list[str]),
    ] = ()
    seed: shared.Seed = "42"
    results: Annotated[int, Option("At most this many results per keyword.", SHOP, min=10, max=100)] = 100
    files: Annotated[
        str | Path | None, Option("The users' own files, in DIR/QUERY/ or DIR/USER/.", SHOP, metavar="DIR")
    ] = None
    tokenizer: Annotated[
        str | None,
        Option(
            "Count tokens with this tiktoken encoding (tiktoken may download it). Without it, four "
            "characters count as a token.",
            LIMITS,
        ),
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
        Option(
            "The world of the queries. If given, pages are checked for its users' personal data.",
            short="-w",
            metavar="W",
            type=str,
        ),
    ] = None
    keep_passing: Annotated[str | Path | None, Option("Copy the tasks that pass into a new sandbox.", metavar="TO")] = (
        None
    )
