"""The options of ``reproduce`` and ``verify``. Their docstrings are the commands' help."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import MODELS, RESUMING, Option
from drretail.api.options import research, shared
from drretail.api.options.research import WHAT
from drretail.api.options.run import Queries, To
from drretail.api.options.shared import Texts


@dataclass(frozen=True, slots=True)
class ReproduceOptions:
    """Repeats the paper's experiment with your models: runs, judges and verifies.

    Writes EXP/results.md: the paper's numbers beside yours. After an interruption the same command continues. Exit code
    3: something failed, or a --max option was reached.
    """

    model: research.Model = None
    judge: shared.Judge = ()
    _: KW_ONLY
    to: To = None
    max_dollars: Annotated[float | None, Option("Maximum dollars for runs and judging.", min=0.01)] = None
    max_tokens: Annotated[int | None, Option("Maximum tokens for runs and judging.", MODELS, min=1)] = None
    world: research.World = "demo"
    queries: Annotated[
        Queries | None, Option("The queries (default: the fifty of `queries shipped --split all`).", metavar="FILE")
    ] = None
    only: Annotated[int | None, Option("The number of queries to use.", min=1)] = None
    agents: Annotated[
        Texts, Option("An agent to run beside the paper's six systems.", flag="--agent", metavar="NAME", type=list[str])
    ] = ()
    prompts: Annotated[
        str | Path | None, Option("A folder of your own prompts and criteria for the judges.", WHAT, metavar="DIR")
    ] = None
    web: research.Web = None
    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    parallel: Annotated[int | None, Option("Maximum parallel runs.", min=1, default="4")] = None
    retry: Annotated[
        Texts,
        Option(
            "Repeat runs and judgements that failed, or runs that lack what a provider did not answer (spoiled).",
            RESUMING,
            metavar="failed|spoiled",
            type=list[str],
        ),
    ] = ()
    observer: research.Observer = None


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """Compares hashes, replays runs from their journals, and makes scores again.

    Sends nothing, changes nothing. Exit code 3: something differs.
    """

    experiment: shared.Experiment
    world: shared.MovedWorld = None
    _: KW_ONLY
    web: shared.Web = None
    files: Annotated[str | Path | None, Option("The users' own files.", metavar="FOLDER")] = None
