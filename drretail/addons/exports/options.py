"""The options of ``export``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import shared


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Writes runs, reports and scores for other programs, such as CSV or chat JSONL.

    With several judges, every judge's scores must meet the --where rule.
    """

    experiment: shared.Experiment
    form: Annotated[
        str,
        Option("chat, csv or statements.", flag="--format", metavar="FORM"),
    ]
    to: Annotated[
        str | Path | None, Option("The file or folder to write.", default="EXP/exports/, named by its form")
    ] = None
    _: KW_ONLY
    systems: Annotated[
        shared.Texts, Option("A system to export.", flag="--system", metavar="LABEL", type=list[str])
    ] = ()
    where: Annotated[
        shared.Texts,
        Option("A rule that exported runs meet, such as 'FP >= 0.8' or 'overall > 6'.", metavar="RULE", type=list[str]),
    ] = ()
    redact: Annotated[bool, Option("Replace users by pseudonyms, and remove names, addresses and numbers.")] = False
    names: shared.Names = None
    force: Annotated[bool, Option("Replace an existing export.")] = False
