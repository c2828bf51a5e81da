"""What ``export`` is given."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import shared


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """An experiment, the form in which it is written, and which of its runs."""

    experiment: shared.Experiment
    form: Annotated[
        str,
        Option(
            "chat, drb, csv, parquet, dataset, otel, sandbox, inspect, a plugin's, or module:attribute.",
            flag="--as",
            metavar="FORM",
        ),
    ]
    to: Annotated[
        str | Path | None,
        Option(
            "Where it is written.",
            flag="--output",
            short="-o",
            metavar="PATH",
            default="EXP/exports/, named by its form",
        ),
    ] = None
    _: KW_ONLY
    systems: Annotated[
        shared.Texts,
        Option("Only the runs of this system.", flag="--system", metavar="LABEL", type=list[str]),
    ] = ()
    where: Annotated[
        shared.Texts,
        Option("Only runs that meet it: 'FP >= 0.8', 'overall > 6'.", metavar="RULE", type=list[str]),
    ] = ()
    floors: Annotated[bool, Option("Null agents and the oracle, too.")] = False
    failed: Annotated[bool, Option("Runs without a report, too.")] = False
    redact: Annotated[bool, Option("Pseudonyms for users, no names nor addresses: chat, csv, parquet, dataset.")] = (
        False
    )
    force: Annotated[bool, Option("Replace what is there.")] = False
