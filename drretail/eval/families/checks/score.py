"""What the checks' verdicts come to: is a report clean, how much of it was read, and how many findings has it."""

from collections.abc import Mapping, Sequence

from drretail.eval.families.checks.codes import CHECKS
from drretail.eval.families.checks.judge import READ, HowRead, judge_checks
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value
from drretail.grounding.verify.checks import LEAST_COVERAGE
from drretail.records.evidence import Finding
from drretail.records.score import MetricDescription, Verdict
from drretail.records.scoreboard import BoardColumn

CLEAN = "clean"
"""The variant that is 1 for a report in which no check finds an error."""
COVERAGE = "coverage"
"""Of the figures that citations own, the share that was read."""
PICKS_KNOWN = "picks_known"
NO_DECISION = "no_decision"


VARIANTS = (CLEAN, COVERAGE, PICKS_KNOWN, *CHECKS)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """For each check 1 without errors, else 0; warnings cost something only in checks that do nothing but warn.

    Checks of values are na where fewer than half of the figures were read. ``clean`` is formed over the checks that
    apply; it is na where they are too few to say so: the picks are not known, too little was read, or no check is about
    what the report says. A run that was asked for its picks and declared none is not clean. A check without a verdict
    is failed, and so is ``clean`` then.
    """
    by_code = {verdict.item: verdict for verdict in verdicts if verdict.stage != READ}
    recorded = next((verdict.value for verdict in verdicts if verdict.stage == READ), None)
    how = None if recorded is None else HowRead.model_validate(recorded)
    covered = how is None or how.read >= LEAST_COVERAGE * how.seen
    single = [_value(code, by_code.get(code), covered=covered) for code in CHECKS]
    return [clean(single, can_be=covered and how is not None and how.picks is not None), *_reading(how), *single]


def _reading(how: HowRead | None) -> list[Value]:
    """How much was read, and by whom; who read the picks is an item, so that tables can count it."""
    if how is None:
        return [Value(COVERAGE, "failed"), Value(PICKS_KNOWN, "failed")]
    figures: Mapping[str, float] = {"read": how.read, "seen": how.seen}
    share = Value(COVERAGE, "scored", how.read / how.seen, figures) if how.seen else Value(COVERAGE, "na")
    readers = {how.picks_by: 1.0, f"values by {how.values_by}": 1.0}
    return [share, Value(PICKS_KNOWN, "scored", float(how.picks is not None), readers)]


def _value(code: str, verdict: Verdict | None, *, covered: bool) -> Value:
    if verdict is None or verdict.state != "scored":
        return Value(code, "failed" if verdict is None else verdict.state)
    findings = [Finding.model_validate(line) for line in verdict.value]
    errors = sum(finding.severity == "error" for finding in findings)
    items = {"errors": errors, "warnings": len(findings) - errors}
    if CHECKS[code].of_values and not covered:
        return Value(code, "na", None, items)
    counted = len(findings) if CHECKS[code].only_warns else errors
    return Value(code, "scored", float(counted == 0), items)


def clean(single: Sequence[Value], *, can_be: bool) -> Value:
    """1 without errors, else 0; na where the reading does not allow to say so, unless no decision was declared."""
    if any(value.state == "failed" for value in single):
        return Value(CLEAN, "failed")
    scored = [value for value in single if value.state == "scored"]
    items = {name: sum(value.items.get(name, 0) for value in single) for name in ("errors", "warnings")}
    is_undecided = any(value.variant == NO_DECISION and not value.value for value in scored)
    if not is_undecided and not (can_be and any(CHECKS[value.variant].of_claims for value in scored)):
        return Value(CLEAN, "na", None, items)
    return Value(CLEAN, "scored", float(not items["errors"]), {**items, "checks": len(scored)})


MEANINGS = {
    CLEAN: "share of reports without an error that code finds",
    COVERAGE: "share of the figures beside citations that could be read",
    PICKS_KNOWN: "share of reports whose picks are known",
    "not_in_catalog": "cites or picks no product that the shop does not have",
    "pick_not_argued": "cites all that it picks",
    "no_decision": "declares what is to be bought",
    "not_wanted": "picks nothing that nobody wants",
    "want_left_out": "picks something for every want",
    "over_budget": "keeps to the budget",
    "price_unknown": "picks nothing of unknown price where the query limits prices",
    "below_rating": "picks nothing below the stars or number of ratings asked for",
    "recommended_although_owned": "picks nothing that the user has",
    "unwanted_brand": "picks no brand that the query rules out, and one that it wants",
    "demand_broken": "picks nothing whose record breaks a demand",
    "quantity_wrong": "picks as many as are asked for",
    "unavailable": "picks nothing that can't be had",
    "price_wrong": "prices are the records'",
    "rating_wrong": "ratings are the records'",
    "rating_count_wrong": "numbers of ratings are the records'",
    "total_wrong": "totals are right",
    "calculation_wrong": "differences, remainders and unit prices are right",
    "order_date_wrong": "dates of orders are right",
    "brand_wrong": "makers are right",
    "place_wrong": "where the user lives is right",
    "superlative_wrong": "the cheapest, the best rated and the only one are so among those shown",
    "unresolved_citation": "cites nothing that the run was never handed",
    "url_not_seen": "cites no address that the run never saw",
    "old_page": "cites no old page as if it were of today",
    "after_today": "cites nothing younger than the shop's today",
    "personal_data_sent": "asks the web without personal data",
    "profile_changed": "leaves profiles as they are",
    "repeated_section": "says nothing twice at length",
}

DESCRIPTION = MetricDescription(
    title="Checks",
    meanings=MEANINGS,
    meaning="Each number is the share of reports without such an error, or, of checks that only warn (demand_broken, "
    "old_page, after_today, repeated_section), without a warning. coverage is the share of figures that were read, "
    "of those beside citations; picks_known that of reports whose picks are known. clean is n/a where they are not, or "
    "fewer than half of the figures were read.",
    headlines=(
        CLEAN,
        "over_budget",
        "below_rating",
        "recommended_although_owned",
        "unwanted_brand",
        "price_wrong",
        "unresolved_citation",
    ),
    compared=(CLEAN,),
    scoreboard=(
        BoardColumn(
            variant=CLEAN,
            meaning="share of reports without an error that code finds",
            beside=COVERAGE,
            beside_meaning="share of their figures that could be read",
        ),
    ),
    summaries=(CLEAN, COVERAGE, PICKS_KNOWN),
    correlated=(CLEAN,),
    folds_perfect=True,
    self_checked=True,
    bounded_by_oracle=True,
)
METRIC = Family(
    "checks", 5, judge_checks, of_verdicts(values), VARIANTS, DESCRIPTION, after=("reading",), needs_judge=False
)
