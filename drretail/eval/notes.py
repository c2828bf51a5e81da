"""What add-ons say beside scores: notes on a judge, and on all scores of an experiment."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import cast

from drretail.eval.claims.claims import FAITHFULNESS
from drretail.plugins import Plugins
from drretail.records.comparison import JudgeTable
from drretail.records.score import JudgeRef

_JUDGES = Plugins("note on a judge", {}, "drretail.judge_notes")
_SCORES = Plugins("note on scores", {}, "drretail.score_notes")


def judge_notes(experiment: Path) -> dict[str, str]:
    """By judge key, the line that must stand beside a judge's faithfulness scores."""
    notes: dict[str, str] = {}
    for name in _JUDGES.own:
        notes |= cast(Callable[[Path], Mapping[str, str]], _JUDGES.load(name)[1])(experiment)
    return notes


def score_notes(experiment: Path) -> list[str]:
    """The lines that stand below an experiment's scores."""
    noted = (cast(Callable[[Path], Iterable[str]], _SCORES.load(name)[1]) for name in _SCORES.own)
    return [line for lines in noted for line in lines(experiment)]


def judges_of_faithfulness(tables: Iterable[JudgeTable]) -> set[str]:
    """The keys of the judges whose faithfulness a comparison shows under the default rules, as on cards."""
    return {
        JudgeRef(spec=table.judge, kind=table.judge_kind, params_hash=table.judge_params).key
        for table in tables
        if table.rules == "default" and any(row.metric == FAITHFULNESS for row in table.rows)
    }
