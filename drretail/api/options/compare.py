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
        Option("A system's label or its beginning (default: all pairs).", argument=True, metavar="[A"),
    ] = None
    b: Annotated[str | None, Option("The other system (default: all others).", argument=True, metavar="B]")] = None
    _: KW_ONLY
    metrics: Annotated[
        "Iterable[str | Family] | str | None",
        Option(
            "Which families of metrics, pairwise too.",
            metavar="A,B",
            type=list[str],
            default="all that were judged",
        ),
    ] = None
    judges: Annotated[
        shared.Texts,
        Option(
            "Whose verdicts to compare; without it all.",
            flag="--judge",
            metavar="PROVIDER:MODEL",
            type=list[str],
        ),
    ] = ()
    bar: Annotated[float, Option("The rating that passes; for shares a tenth of it.", min=0, max=10)] = 7.0
    fail_if: Annotated[
        shared.Texts,
        Option(
            "Exit with 3 where A − B meets it: 'FP < -0.02', 'FP.high < 0'.",
            metavar="RULE",
            type=list[str],
        ),
    ] = ()
    beside: Annotated[
        str | Path | None,
        Option("Compare each system with itself in EXP2, such as in another world.", metavar="EXP2"),
    ] = None
    by: Annotated[
        By | None,
        Option(
            "Compare systems that differ only in this option: what is known of the shopper; how they "
            "learn what queries hide; "
            "of a sandbox its size and what is served; how pages are ranked; turns of a search; where pages come from; "
            "whether the shop moves. twin: pairs that `drretail queries spoil` makes. level: how hard queries are "
            "(`queries difficulty`).",
            type=By,
        ),
    ] = None
    metric: Annotated[
        shared.Texts,
        Option("With --by: which numbers.", metavar="FAMILY[:VARIANT]", type=list[str]),
    ] = ()
