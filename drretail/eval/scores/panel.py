"""Several judges as one: if two or more language models judged, each report also gets the median of their values.

A panel's rows have a judge of their own beside its members' rows, so that no ranking mixes judges silently. Rule-based
judges are left out: their values mean something else.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from drretail.eval.scores.gathering import Assessor, Gathered, JudgedRun, TableKey
from drretail.eval.values import Value, gravest
from drretail.records.score import PANEL, JudgeRef

MEDIAN = "median"


def with_panels(gathered: Gathered) -> Gathered:
    """The results with one more judge, the median, for each metric and rules with two or more judges
    that are models.
    """
    panels: dict[TableKey, dict[str, JudgedRun]] = {}
    for metric in gathered.metrics:
        for assessors in panels_of(gathered.assessors(metric)):
            members = [gathered.tables_of_judges[TableKey(metric, assessor)] for assessor in assessors]
            panel = Assessor(panel_ref([assessor.judge for assessor in assessors], MEDIAN), assessors[0].rules)
            # A run that some member has not judged counts as not judged by the panel.
            complete = [run for run in members[0] if all(run in runs for runs in members)]
            panels[TableKey(metric, panel)] = {run: _together([runs[run] for runs in members]) for run in complete}
    return replace(gathered, tables_of_judges={**gathered.tables_of_judges, **panels})


def panels_of(assessors: Iterable[Assessor]) -> list[list[Assessor]]:
    """The judges that form panels: at least two models, under the same rules."""
    by_rules: dict[str, list[Assessor]] = defaultdict(list)
    for assessor in assessors:
        if assessor.judge.kind != "rule_based" and not is_panel(assessor.judge.spec):
            by_rules[assessor.rules].append(assessor)
    return [members for _, members in sorted(by_rules.items()) if len(members) > 1]


def panel_ref(members: Sequence[JudgeRef], how: str) -> JudgeRef:
    """A panel as a judge: ``panel(median):a+b``; a language model if every member is one."""
    kind = "llm" if all(member.kind == "llm" for member in members) else "scripted"
    return JudgeRef(spec=f"{PANEL}({how}):{'+'.join(map(name_of, members))}", kind=kind)


def name_of(judge: JudgeRef) -> str:
    """ "provider:model", with a hash of the parameters if they distinguish judges of one model."""
    return f"{judge.spec}-{judge.params_hash}" if judge.params_hash else judge.spec


def is_panel(spec: str) -> bool:
    """True for the name of a panel, which has no verdicts of its own."""
    return spec.startswith(f"{PANEL}(")


def _together(runs: Sequence[JudgedRun]) -> JudgedRun:
    """The median of the members that scored a variant, if they are more than half; else the gravest state of the
    others.
    """
    lacks = next((run.lacks for run in runs if run.lacks is not None), None)
    values: dict[str, Value] = {}
    for variant in dict.fromkeys(variant for run in runs for variant in run.values):
        of_variant = [run.values[variant] for run in runs if variant in run.values]
        scored = [value.value for value in of_variant if value.value is not None]
        items = {"judges": len(scored), "spread": max(scored) - min(scored)} if scored else {}
        values[variant] = (
            Value(variant, "scored", median(scored), items)
            if 2 * len(scored) > len(runs)
            else Value(variant, gravest(value.state for value in of_variant) or "failed")
        )
    return JudgedRun(
        runs[0].query_id,
        {} if lacks else values,
        lacks,
        verdicts=sum(run.verdicts for run in runs),
        errors=tuple(error for run in runs for error in run.errors),
        stale=sum(run.stale for run in runs),
        repairs=sum(run.repairs for run in runs),
    )
