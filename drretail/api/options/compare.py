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
        Option("A system's label, or its first letters (default: all pairs).", argument=True, metavar="A"),
    ] = None
    b: Annotated[str | None, Option("The other system (default: all others).", argument=True, metavar="B")] = None
    _: KW_ONLY
    metrics: Annotated[
        "Iterable[str | Family] | str | None",
        Option(
            "The families of metrics to compare, or pairwise.",
            metavar="A,B",
            type=list[str],
            default="all that were judged",
        ),
    ] = None
    judges: Annotated[
        shared.Texts,
        Option(
            "The judge whose verdicts to use (default: all).",
            flag="--judge",
            metavar="PROVIDER:MODEL",
            type=list[str],
        ),
    ] = ()
    bar: Annotated[
        float,
        Option(
            "The rating from which a run passes (for scores from 0 to 1: N/10). pass^k is the chance that k runs of a "
            "query all pass.",
            min=0,
            max=10,
        ),
    ] = 7.0
    fail_if: Annotated[
        shared.Texts,
        Option(
            "End with exit code 3 if this is true of the difference A − B, such as 'FP < -0.02' or 'FP.high < 0'.",
            metavar="RULE",
            type=list[str],
        ),
    ] = ()
    beside: Annotated[
        str | Path | None,
        Option(
            "Compare each system with itself in another experiment, by query id.",
            metavar="EXP2",
        ),
    ] = None
    by: Annotated[
        By | None,
        Option(
            "Compare systems that differ only in this option of `run`. Or compare the two queries of each pair that "
            "`drretail queries spoil` made (twin), or levels of difficulty (level).",
            type=By,
        ),
    ] = None
    metric: Annotated[
        shared.Texts,
        Option(
            "With --by: the scores to compare, such as faithfulness:FP.",
            metavar="FAMILY[:VARIANT]",
            type=list[str],
        ),
    ] = ()
