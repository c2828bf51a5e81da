"""What ``compare`` is given."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import shared

if TYPE_CHECKING:
    from drretail.eval.family import Family

By = Literal["information", "intent", "size", "compose", "retriever", "rag_turns", "web", "moves", "twin", "level"]


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """An experiment, and which of its systems are compared by what."""

    experiment: shared.Experiment
    a: Annotated[
        str | None,
        Option("A system's label or its beginning (default: all pairs).", argument=True, metavar="A"),
    ] = None
    b: Annotated[str | None, Option("The other system (default: all others).", argument=True, metavar="B")] = None
    _: KW_ONLY
    metrics: Annotated[
        "Iterable[str | Family] | str | None",
        Option(
            "The families of metrics to compare; pairwise is one of them.",
            metavar="A,B",
            type=list[str],
            default="all that were judged",
        ),
    ] = None
    judges: Annotated[
        shared.Texts,
        Option(
            "Compare the verdicts of this judge (default: all).",
            flag="--judge",
            metavar="PROVIDER:MODEL",
            type=list[str],
        ),
    ] = ()
    bar: Annotated[
        float, Option("The pass mark: a rating passes at N or more, a share at N/10 or more.", min=0, max=10)
    ] = 7.0
    fail_if: Annotated[
        shared.Texts,
        Option(
            "A rule about the difference A − B, such as 'FP < -0.02' or 'FP.high < 0'. The exit code is"
            " 3 if the difference meets it.",
            metavar="RULE",
            type=list[str],
        ),
    ] = ()
    beside: Annotated[
        str | Path | None,
        Option(
            "Compare each system with the same system in the experiment EXP2, which may use another world.",
            metavar="EXP2",
        ),
    ] = None
    by: Annotated[
        By | None,
        Option(
            "Compare systems that differ only in this option. information: what they know about the shopper. "
            "intent: how they learn hidden limits. size, compose: the sandbox's size, and which of its pages are "
            "served. retriever: how pages are ranked. rag_turns: how many turns a search has. web: where pages come "
            "from. moves: whether the shop changes during a run. `twin` and `level` compare kinds of queries instead "
            "of systems: the pairs of `drretail queries spoil`, and the levels of `drretail queries difficulty`.",
            type=By,
        ),
    ] = None
    metric: Annotated[
        shared.Texts,
        Option(
            "With --by: the scores to compare, such as faithfulness:FP. (--metrics is for comparisons without --by.)",
            metavar="FAMILY[:VARIANT]",
            type=list[str],
        ),
    ] = ()
