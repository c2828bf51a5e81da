"""Several judges as one: where two or more language models judged, each report gets the median of their values too.

A panel's rows stand beside its members' under a judge of its own, so that no ranking mixes judges silently. A
rule-based judge has no seat in a panel: its values mean something else.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from drretail.eval.scores.gathering import Assessor, Gathered, JudgedRun, RunResult, TableKey
from drretail.eval.values import Value, gravest
from drretail.records.score import PANEL, JudgeRef

MEDIAN = "median"


def with_panels(gathered: Gathered) -> Gathered:
    """The same, and one more judge for each family and set of rules that has two or more judges that are models."""
    panels = {
        TableKey(
            metric, Assessor(panel_ref([assessor.judge for assessor in assessors], MEDIAN), assessors[0].rules)
        ): _panel_runs([gathered.tables_of_judges[TableKey(metric, assessor)] for assessor in assessors])
        for metric in gathered.families
        for assessors in panels_of(gathered.assessors(metric))
    }
    return replace(gathered, tables_of_judges={**gathered.tables_of_judges, **panels})


def panels_of(assessors: Iterable[Assessor]) -> list[list[Assessor]]:
    """The judges that sit together: models of any kind, two at least, under the same rules."""
    by_rules: dict[str, list[Assessor]] = defaultdict(list)
    for assessor in assessors:
        if assessor.judge.kind != "rule_based" and not is_panel(assessor.judge):
            by_rules[assessor.rules].append(assessor)
    return [members for _, members in sorted(by_rules.items()) if len(members) > 1]


def panel_ref(members: Sequence[JudgeRef], how: str) -> JudgeRef:
    """A panel as a judge: ``panel(median):a+b``; a language model where every member is one."""
    kind = "llm" if all(member.kind == "llm" for member in members) else "scripted"
    return JudgeRef(spec=f"{PANEL}({how}):{'+'.join(map(name_of, members))}", kind=kind)


def name_of(judge: JudgeRef) -> str:
    """ "provider:model", with a hash behind it where parameters tell two judges of one model apart."""
    return f"{judge.spec}-{judge.params_hash}" if judge.params_hash else judge.spec


def is_panel(judge: JudgeRef) -> bool:
    """True for several judges as one."""
    return names_panel(judge.spec)


def names_panel(spec: str) -> bool:
    """True for the name of several judges as one, which has no verdicts of its own."""
    return spec.startswith(f"{PANEL}(")


def _panel_runs(members: Sequence[Mapping[str, JudgedRun]]) -> dict[str, JudgedRun]:
    """What the panel says of every run that all members judged: it has not judged the others yet."""
    complete = [run for run in members[0] if all(run in runs for runs in members)]
    return {run: _together([runs[run] for runs in members]) for run in complete}


def _together(runs: Sequence[JudgedRun]) -> JudgedRun:
    result = [run.result for run in runs]
    lacks = next((run_result.lacks for run_result in result if run_result.lacks is not None), None)
    variants = dict.fromkeys(variant for run_result in result for variant in run_result.values)
    values = {
        variant: _median(
            variant, [run_result.values[variant] for run_result in result if variant in run_result.values], len(runs)
        )
        for variant in variants
    }
    return JudgedRun(
        RunResult(result[0].query_id, {} if lacks else values, lacks),
        verdicts=sum(run.verdicts for run in runs),
        errors=tuple(error for run in runs for error in run.errors),
        stale=sum(run.stale for run in runs),
    )


def _median(variant: str, values: Sequence[Value], members: int) -> Value:
    """The median of those that scored it, if these are more than half of the panel: else it is as the others say."""
    scored = [value.value for value in values if value.value is not None]
    if 2 * len(scored) > members:
        return Value(variant, "scored", median(scored), {"judges": len(scored), "spread": max(scored) - min(scored)})
    return Value(variant, gravest(value.state for value in values) or "failed")
