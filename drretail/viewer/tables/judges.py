"""Who judged what, and how each judge of claims read."""

from collections import defaultdict
from collections.abc import Sequence

from drretail.eval.registry import PAIRWISE
from drretail.records.comparison import PairScore
from drretail.records.judge_audit import AGREEMENT, AUDITED, MEANING, JudgeAudit
from drretail.records.score import Judging
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Table, table_of
from drretail.viewer.tables.scores import RECORDED

_COUNTS = {
    "verdicts": "Verdicts",
    "failed": "Failed",
    "stale": "Outdated verdicts (unused)",
    "not_judged": "Reports not judged",
    "repairs": "Answers sent back",
}


def judge_table(judgings: Sequence[Judging], pairs: Sequence[PairScore] = ()) -> Table:
    """Who judged what over all systems, in the order of the scores; for pairs, how many comparisons were decided."""
    groups: dict[tuple[str, str, str, str], list[tuple[int, ...]]] = defaultdict(list)
    for each in judgings:
        counts = tuple(getattr(each, name) for name in _COUNTS)
        groups[each.metric, each.judge, each.judge_params, each.rules].append(counts)
    for each in pairs:
        counts = (
            each.n_scored - each.forfeits,
            each.failed_verdicts,
            each.stale_verdicts,
            each.not_judged,
            each.repairs,
        )
        groups[PAIRWISE, *each.by_whom].append(counts)
    rows: list[tuple[object, ...]] = []
    for (metric, judge, params, rules), of_group in groups.items():
        verdicts, *others = (sum(column) for column in zip(*of_group, strict=True))
        by = _called(judge, params)
        made = counted(verdicts, "comparison") if metric == PAIRWISE else verdicts
        rows.append((metric, by, rules, made, *others))
    return table_of("Judges", ["Metric", "Judge", "Rules", *_COUNTS.values()], rows)


def audit_table(audits: Sequence[JudgeAudit]) -> Table:
    """How each judge of claims read, one row per judge."""
    shown = [name for name in AUDITED if any(audit.share(name) is not None for audit in audits)]
    rows: list[list[object]] = []
    for audit in audits:
        cells = [(audit.share(name), audit.shares.get(name, (0, 0))[1]) for name in shown]
        cells.append(audit.agreement or (None, 0))
        counts = (audit.repairs, audit.failed_reports, audit.uncovered, _reads(audit))
        figures = [None if share is None else Cell(share, "number", n=n) for share, n in cells]
        rows.append([_called(audit.judge, audit.judge_params), *figures, *counts])
    heads = [*(AUDITED[name] for name in shown), AGREEMENT, "sent back", "reports failed", "marks unsupported", "reads"]
    notes = [MEANING, *(audit.line for audit in audits if not audit.reads)]
    return table_of("How the judge read", ["Judge", *heads], rows, notes=notes)


def _reads(audit: JudgeAudit) -> str:
    return "no" if not audit.reads else "too few figures to tell" if audit.is_open else "yes"


def _called(judge: str, params: str) -> str:
    by = f"a recorded language model ({judge})" if judge == RECORDED else judge
    return f"{by}, settings {params}" if params else by
