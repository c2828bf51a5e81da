"""The options of the commands of ``queries``, one record for each. Their docstrings are the commands' help."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import research, shared

File = Annotated[str | Path, Option("A .jsonl file of queries.", argument=True, metavar="FILE")]
To = Annotated[str | Path, Option("The JSONL file for the queries.", metavar="FILE")]
Users = Annotated[shared.Texts, Option("A user to take instead of drawn ones.", metavar="ID", type=list[str])]
Model = Annotated[
    str | None, Option("The model that writes and judges (default: rules, or you).", metavar="PROVIDER:MODEL")
]
Needs = Annotated[
    shared.Texts,
    Option(
        "What each question is to need, as code proves it; of a share of them: profile,web=.5.",
        metavar="profile,web",
        type=list[str],
    ),
]
Force = Annotated[bool, Option("Overwrite the file of --to.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryCalls:
    """How a model that writes or reads queries is called."""

    model_profile: shared.ModelProfile = None
    base_url: research.BaseUrl = ()
    parallel: Annotated[int, Option("Maximum number of parallel model calls.", min=1)] = 4
    retry: shared.RetryFailed = None
    prompts: research.Prompts = None


@dataclass(frozen=True, slots=True)
class GenerateOptions(QueryCalls):
    """Makes queries that need a user's profile, the catalog and the web.

    After an interruption the same command continues. Exit code 3: queries failed.
    """

    to: To
    world: research.World = "demo"
    _: KW_ONLY
    n: Annotated[int, Option("The number of users to draw.", min=1)] = 5
    user: Users = ()
    per_user: Annotated[int, Option("Maximum queries per user; 3 in the paper.", min=1)] = 1
    mode: Annotated[Literal["profile_aware", "generic"], Option("generic: queries without a user (needs --model).")] = (
        "profile_aware"
    )
    model: Model = None
    force: Force = False
    needs: Needs = ()
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class ImportQuestionsOptions(QueryCalls):
    """Makes queries from plain questions. A model, or you, adds the wish: what the shopper wants, as data.

    Queries without a wish get no scores for baskets and budgets.
    """

    source: Annotated[
        str | Path,
        Option(
            "A text file with one question per line, or a .csv or .jsonl file with question, id, user and wish.",
            argument=True,
            metavar="QUESTIONS",
        ),
    ]
    to: To
    world: research.World = "demo"
    _: KW_ONLY
    model: Model = None
    force: Force = False


@dataclass(frozen=True, slots=True)
class CheckOptions(QueryCalls):
    """Checks queries against their world. Exit code 3: a fault was found.

    Code compares each query's text with its wish (what the shopper wants, as data) and with the shop's records. With
    --model, a model types missing wishes first. docs/queries.md explains the faults.
    """

    file: File
    world: research.World = "demo"
    _: KW_ONLY
    model: Model = None
    needs: Needs = ()
    details: Annotated[bool, Option("Show each query's cheapest basket, and who decided each demand, and how.")] = False


@dataclass(frozen=True, slots=True)
class DecideOptions(QueryCalls):
    """Decides which products keep the demands of queries, by their records.

    FILE's decisions are kept beside it in NAME.gold.jsonl. Without --model, shows how far FILE is decided. Exit code 3:
    the model gave no usable answer.
    """

    file: File
    world: research.World = "demo"
    _: KW_ONLY
    model: Model = None


@dataclass(frozen=True, slots=True)
class SpoilOptions:
    """Writes pairs of queries: one that the shop can satisfy, and one that it can't.

    After a run, `score --metrics outcome` shows which queries each system refuses.
    """

    file: File
    to: To
    world: research.World = "demo"
    _: KW_ONLY
    force: Force = False
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class ConverseOptions(SpoilOptions):
    """Makes conversations: queries with follow-ups that the shop can meet."""


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Shows the questions of a file, each with its wish."""

    file: File
    _: KW_ONLY
    only: Annotated[
        shared.Texts | int | None, Option("Show only N queries, or those with these ids.", metavar="N|ID,ID", type=str)
    ] = None
    details: Annotated[bool, Option("Also show reason, user and expected tools.")] = False


@dataclass(frozen=True, slots=True)
class ShippedOptions:
    """Writes the queries that come with drretail.

    docs/queries.md describes them.
    """

    to: To
    split: Annotated[
        str,
        Option(
            "Of the demo shop, dev: twenty for development (7 users); test: thirty for results (10 users); all: these "
            "fifty; generic: twenty without a user; conversations: forty. Of the market shop, market-dev and "
            "market-test: sixty each; market: both.",
            metavar="dev|test|all|market-dev|market-test|market|generic|conversations",
        ),
    ] = "dev"
    _: KW_ONLY
    force: Force = False
