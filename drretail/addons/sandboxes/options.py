"""The options of the commands of ``sandbox``, one record for each. Their docstrings are the commands' help."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import LIMITS, MODELS, SHOP, Option
from drretail.api.options import research, shared

OFFLINE = "offline"
"""The web of sandboxes whose pages are made up."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Makes a set of web pages for each query: helpful pages, misleading pages and noise.

    With serper or searxng, a model also writes gold (what a good answer says and cites), a checklist and a rubric.

    After an interruption the same command continues. Exit code 3: tasks or queries failed.
    """

    to: Annotated[str | Path, Option("The folder for the sandbox.")]
    queries: Annotated[str | Path, Option("The JSONL file of queries.", metavar="FILE")]
    _: KW_ONLY
    world: research.World = "demo"
    web: Annotated[
        str,
        Option(
            "Where pages come from: the catalog (offline), or a search with serper or searxng[:URL].", metavar="WEB"
        ),
    ] = OFFLINE
    sizes: Annotated[shared.Texts, Option("Sizes in tokens, such as 32k.", metavar="A,B")] = "32k,64k,128k,256k,512k"
    model: Annotated[str | None, Option("The model that judges and writes.", metavar="PROVIDER:MODEL")] = None
    seed: shared.Seed = "42"
    files: Annotated[
        str | Path | None, Option("The users' own files, in DIR/QUERY/ or DIR/USER/.", SHOP, metavar="DIR")
    ] = None
    max_dollars: Annotated[float | None, Option("Maximum dollars.", min=0.0001)] = None
    model_profile: Annotated[
        str | None, Option("A set of models: default, cheap, local or paper-like.", MODELS, metavar="NAME")
    ] = None
    base_url: research.BaseUrl = ()
    max_tokens: Annotated[int | None, Option("Maximum tokens.", MODELS, min=1)] = None
    parallel: Annotated[int, Option("Maximum number of parallel model calls.", LIMITS, min=1)] = 4
    retry: shared.RetryFailed = None


@dataclass(frozen=True, slots=True)
class CheckSandboxOptions:
    """Checks a sandbox's sizes, labels and gold. Exit code 3: something is wrong."""

    folder: Annotated[str | Path, Option("The sandbox's folder.", argument=True, metavar="S")]
    _: KW_ONLY
    world: Annotated[
        "str | Path | research.OpenWorld | None",
        Option(
            "The queries' world. Pages are checked for its users' personal data.", short="-w", metavar="W", type=str
        ),
    ] = None
