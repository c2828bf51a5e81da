"""What the checks' verdicts come to: is a report clean, and how many findings has it."""

from collections.abc import Sequence

from drretail.eval.checks.judge import judge_checks
from drretail.eval.metric import CodeFamily, Metric, Value
from drretail.grounding.checks import CHECKS
from drretail.records.evidence import Finding
from drretail.records.score import MetricDescription, Verdict

CLEAN = "clean"
"""The variant that is 1 for a report in which no check finds an error."""


def variants() -> tuple[str, ...]:
    return (CLEAN, *CHECKS)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """For each check 1 without errors, else 0; warnings cost something only in checks that do nothing but warn.

    ``clean`` is formed over the checks that apply. Where none of them is about what the report says, it is na, for a
    report that says nothing is not a good one; an error makes it 0 all the same. A check without a verdict is failed,
    and so is ``clean`` then.
    """
    by_code = {verdict.item: verdict for verdict in verdicts}
    single = [_value(code, by_code.get(code)) for code in CHECKS]
    return [clean(single), *single]


def _value(code: str, verdict: Verdict | None) -> Value:
    if verdict is None or verdict.state != "scored":
        return Value(code, "failed" if verdict is None else verdict.state)
    findings = [Finding.model_validate(line) for line in verdict.value]
    errors = sum(finding.severity == "error" for finding in findings)
    counted = len(findings) if CHECKS[code].only_warns else errors
    return Value(code, "scored", float(counted == 0), {"errors": errors, "warnings": len(findings) - errors})


def clean(single: Sequence[Value]) -> Value:
    if any(value.state == "failed" for value in single):
        return Value(CLEAN, "failed")
    scored = [value for value in single if value.state == "scored"]
    items = {name: sum(value.items[name] for value in scored) for name in ("errors", "warnings")}
    if not items["errors"] and not any(CHECKS[value.variant].of_claims for value in scored):
        return Value(CLEAN, "na")
    return Value(CLEAN, "scored", float(not items["errors"]), {**items, "checks": len(scored)})


DESCRIPTION = MetricDescription(
    title="Checks",
    meaning="Each number is the share of reports without such an error, or, of checks that only warn (old_page, "
    "after_today, repeated_section), without a warning.",
    headlines=(
        CLEAN,
        "price_wrong",
        "over_budget",
        "unresolved_citation",
        "recommended_although_owned",
        "unwanted_brand",
    ),
    compared=(CLEAN,),
    summaries=(CLEAN,),
    correlated=(CLEAN,),
    folds_perfect=True,
    self_checked=True,
    bounded_by_oracle=True,
)
METRIC: Metric = CodeFamily("checks", 3, judge_checks, values, variants(), DESCRIPTION)
