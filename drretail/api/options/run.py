"""The options of ``run``, ``ask`` and ``demo``."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from drretail.api.option import MODELS, RESUMING, Option
from drretail.api.options import research, shared
from drretail.api.options.research import WHAT
from drretail.api.options.shared import Texts

if TYPE_CHECKING:
    from drretail.records.query import Query
else:
    Query = object

To = Annotated[
    str | Path | None,
    Option("The experiment's folder.", metavar="EXP", type=Path, needed="Name the folder of the experiment: --to EXP."),
]
Queries = str | Path | Query | Iterable[str | Query]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOptions:
    """What a system has besides its agent, model and world: tools, prompts, web, limits."""

    vary: research.Vary = None
    prompts: research.Prompts = None
    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    files: research.Files = None
    web: research.Web = None
    limits: research.Limits = None
    observer: research.Observer = None


@dataclass(frozen=True, slots=True)
class RunOptions(SystemOptions):
    """Runs agents over queries. Skips finished runs.

    Ctrl-C lets the current runs finish; a second Ctrl-C stops them. The same command continues later.
    """

    world: research.World = "demo"
    queries: Annotated[Queries | None, Option("The JSONL file of queries.", metavar="FILE")] = None
    agents: Annotated[
        research.Agents | None,
        Option(f"Who answers: {research.AGENT_HELP}", flag="--agent", metavar="NAME", type=list[str], default="react"),
    ] = None
    model: research.Model = None
    _: KW_ONLY
    to: To = None
    repeats: Annotated[int, Option("The number of runs per query.", min=1)] = 1
    only: Annotated[
        int | Texts | None,
        Option(
            "Only N queries, spread over the users, or these ids.",
            metavar="N|ID,ID",
            type=str,
            in_file=(int, str, list[str]),
        ),
    ] = None
    parallel: Annotated[int | None, Option("Maximum parallel runs.", min=1, default="4")] = None
    max_dollars: Annotated[float | None, Option("Maximum dollars for runs.", min=0.0001)] = None
    preset: Annotated[
        Literal["paper"] | None,
        Option("The paper's systems, queries and models, and its rules and metrics in `score`.", WHAT),
    ] = None
    cross: Annotated[bool, Option("All combinations of the values of --vary.", WHAT)] = False
    baselines: Annotated[bool, Option("Leave out null agents and the oracle.", WHAT, flag="--no-floors")] = True
    pages: Annotated[bool, Option("Fetch no cited pages: FP_web is then n/a.", WHAT)] = True
    user: Annotated[str | None, Option("Who asks the plain questions among the queries.", flag="", in_file=None)] = None
    seed: Annotated[str, Option("The random seed.", WHAT)] = "42"
    max_tokens: Annotated[int | None, Option("Maximum tokens for runs.", MODELS, min=1)] = None
    retry: Annotated[
        Texts, Option("Repeat runs that failed or lack an answer.", RESUMING, metavar="failed|spoiled", type=list[str])
    ] = ()
    force: Annotated[bool, Option("Discard runs by other code, and make all anew.", RESUMING)] = False
    replay: Annotated[
        str | Path | None, Option("Take all answers from another experiment.", RESUMING, metavar="EXP")
    ] = None
    shard: Annotated[
        str | None, Option("The part of the queries to run here, such as 1/4.", RESUMING, metavar="I/N")
    ] = None
    title: Annotated[str | None, Option("The experiment's title on its pages.", flag="")] = None


@dataclass(frozen=True, slots=True)
class AskOptions(SystemOptions):
    """Answers one question with a cited report.

    The report goes to stdout, progress to stderr.
    """

    question: Annotated[str, Option("The shopper's question.", argument=True, metavar="QUESTION")]
    world: research.World = "demo"
    agent: Annotated[research.AnyAgent, Option(f"Who answers: {research.AGENT_HELP}", metavar="NAME", type=str)] = (
        "react"
    )
    model: research.Model = None
    _: KW_ONLY
    user: Annotated[str | None, Option("The shopper who asks.", metavar="ID")] = None
    to: Annotated[str | Path | None, Option("The experiment folder for the run.", metavar="EXP")] = None


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """Makes up a shop, answers shoppers' questions, judges the answers and writes a page.

    The agents and the judge replay recorded answers of a language model. The tools really run. No key or download is
    needed.
    """

    to: Annotated[str | Path, Option("The folder for the demo's files.", type=Path)] = Path("drretail-demo")
