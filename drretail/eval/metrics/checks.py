"""Checks of a report against records, without a model: one verdict per kind of error (docs/scores.md)."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import NOT_KNOWN, OPEN, Metric, Value, description_of, no_value, of_verdicts
from drretail.eval.metrics.readings import how_read, keep_reading, picks_by, reading_of
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.query import NOT_TYPED, OF_TURNS
from drretail.records.reading import Reading, ValueKind
from drretail.records.score import Verdict
from drretail.records.wish import Want, Wish
from drretail.reports.text.amounts import find_amounts
from drretail.shopping.constraints import Decisions
from drretail.shopping.verify.checks import Case, check_report, unfounded_amounts
from drretail.shopping.verify.findings import CODES, WEB_SEARCH

NO_WORLD = "the world is not at hand"
NO_PICKS = "the report's picks are not known"
NO_USER = "the query has no user"
Holds = Callable[[Case, Reading], object]


def _wish(has: Callable[[Wish], object]) -> Holds:
    """A condition on the query's wish; it does not hold if nobody has typed the wish."""
    return lambda case, _: case.wish is not None and has(case.wish)


def _any_want(has: Callable[[Want], object]) -> Holds:
    return _wish(lambda wish: any(map(has, wish.wants)))


_CONDITIONS: Mapping[str, tuple[Holds, str]] = {
    "picks": (lambda _, reading: reading.picks is not None, NO_PICKS),
    "buys": (lambda _, reading: reading.picks, "the report picks nothing"),
    "world": (lambda case, _: case.shop is not None, NO_WORLD),
    "products": (
        lambda case, reading: reading.picks or any(source[:2] == "P:" for source in case.cited),
        "the report names no product of the shop",
    ),
    "records": (
        lambda case, _: case.shop is not None or not case.is_imported,
        "the report is imported: the shop's records of what it picks are not known",
    ),
    "run": (lambda case, _: case.run is not None, "there is no run"),
    "ledger": (
        lambda case, _: case.evidence or case.is_imported or (case.run is not None and case.run.steps),
        "the run has no ledger",
    ),
    "watched": (
        lambda case, _: case.is_watched,
        "the report is imported: what its system read and did is not known",
    ),
    "was_asked": (
        lambda case, _: case.run is not None and not case.is_imported,
        "the report is imported: nobody asked its system for picks",
    ),
    "alone": (lambda case, _: not case.is_turn, OF_TURNS),
    "typed": (lambda case, _: case.wish is not None, NOT_TYPED),
    "wants": (_wish(lambda wish: wish.wants), "nothing is to be bought"),
    "needed": (_any_want(lambda want: not want.optional), "nothing has to be bought"),
    "possible": (
        lambda case, _: (ends := case.read_ends()) is not None and ends.cheapest is not None,
        "no basket is known that satisfies the wish",
    ),
    "bounded": (_wish(lambda wish: not wish.room), "the query leaves room for more"),
    "money": (_wish(lambda wish: wish.counts_money), "the query limits no price"),
    "brands": (_any_want(lambda want: want.brands_unwanted or want.brands_wanted), "the query names no brand"),
    "demands": (_any_want(lambda want: want.demands or want.options), "the query demands no property"),
    "facts": (
        lambda case, _: Decisions(case.query.gold).excluded,
        "no page of the query's web warns against a product",
    ),
    "ratings": (
        _any_want(lambda want: want.rating_min or want.ratings_min),
        "the query asks for no stars or number of ratings",
    ),
    "orders": (
        lambda case, _: case.orders_shown or (case.wish is not None and case.wish.owned),
        "the run was shown no orders",
    ),
    "owner": (lambda case, _: case.query.user_id or (case.wish is not None and case.wish.owned), NO_USER),
    "user": (lambda case, _: case.query.user_id is not None or case.profiles, NO_USER),
    "web": (
        lambda case, _: (
            case.run is not None and any(step.kind == "tool" and step.name == WEB_SEARCH for step in case.run.steps)
        ),
        "nothing was asked of the web",
    ),
    "money_named": (
        lambda case, _: any(amount.kind == "money" for amount in find_amounts(case.report)),
        "the report names no amount of money",
    ),
    "citations": (lambda case, _: case.citations, "the report cites nothing"),
    "pages": (lambda case, _: any(citation.type == "web" for citation in case.citations), "the report cites no page"),
}
"""What a check may need, and why there is nothing to check if that is missing."""
_UNKNOWN = frozenset(_CONDITIONS[name][1] for name in ("picks", "world", "records", "ledger", "watched", "possible"))
"""The reasons for which something is not known: what such a check looks for may be there."""


@dataclass(frozen=True, slots=True)
class _Check:
    """One kind of error."""

    code: str
    needs: str = ""
    """Names of conditions; the first that does not hold gives the reason."""
    of_values: tuple[ValueKind, ...] = ()
    """The kinds of values that it checks; enough of them must be read for its score to mean something."""
    of_claims: bool = True
    """True if it checks what a report says, and not its run or its form."""
    only_warns: bool = False
    """True if it finds only warnings; its score then counts these."""

    def lacks(self, case: Case, reading: Reading) -> str | None:
        """Why there is nothing to check, or None."""
        if self.of_values and not any(value.kind in self.of_values for value in reading.values):
            return f"no {' or '.join(kind.replace('_', ' ') for kind in self.of_values)} was read"
        conditions = (_CONDITIONS[name] for name in self.needs.split())
        return next((why for holds, why in conditions if not holds(case, reading)), None)


CHECKS: Mapping[str, _Check] = {
    check.code: check
    for check in (
        _Check("not_in_catalog", "world products"),
        _Check("pick_not_argued", "picks buys"),
        _Check("no_decision", "typed wants was_asked", of_claims=False),
        _Check("refused_wrongly", "alone needed was_asked possible", of_claims=False),
        _Check("not_wanted", "picks records alone typed bounded buys"),
        _Check("want_left_out", "picks records alone typed needed buys"),
        _Check("over_budget", "picks records alone typed money buys"),
        _Check("price_unknown", "picks records alone typed money buys", only_warns=True),
        _Check("below_rating", "picks records alone typed ratings buys"),
        _Check("recommended_although_owned", "picks records alone typed orders owner buys"),
        _Check("unwanted_brand", "picks records alone typed brands buys"),
        _Check("demand_broken", "picks records alone typed demands buys"),
        _Check("not_borne_out", "picks records alone typed demands buys", only_warns=True),
        _Check("unsafe_pick", "picks records alone typed facts buys"),
        _Check("quantity_wrong", "picks records alone typed wants buys"),
        _Check("variant_unknown", "picks records buys"),
        _Check("unavailable", "picks records buys"),
        *(_Check(code, of_values=(kind,)) for kind, code in CODES.items() if code != "not_in_catalog"),
        _Check("amount_unfounded", "ledger watched money_named", only_warns=True),
        _Check("unresolved_citation", "ledger citations"),
        _Check("url_not_seen", "ledger watched pages"),
        _Check("personal_data_sent", "run watched user web", of_claims=False),
        _Check("profile_changed", "run watched", of_claims=False),
    )
}


STAGE = "check"
READ = "read"
"""The stage of the one verdict that says how the report was read."""
REPORT = "report"


class HowRead(Record):
    """The value of that verdict."""

    picks_by: str
    """ "picks declared", "picks by form" …"""
    values_by: str
    picks: int | None


def judge_checks(subject: Subject, judge_session: JudgeSession) -> None:
    """Records how the report was read and what was found; equal verdicts are not recorded again.

    Without the world, existing verdicts stay, unless another reader now reads the report.
    """
    case = subject.case
    reading = reading_of(subject)
    form = "form" if reading.reader == "declared" else reading.reader
    how = HowRead(
        picks_by=picks_by(reading.picks, reading.reader),
        values_by=reading.values_by or form,
        picks=None if reading.picks is None else len(reading.picks),
    )
    read = CodeVerdict("scored", how.model_dump(mode="json"), how_read(reading))
    existing = judge_session.existing(READ, REPORT)
    blind = case.shop is None and existing is not None and existing.value["picks_by"] == read.value["picks_by"]
    if not blind:
        keep_reading(subject, reading)
        judge_session.record_if_changed(READ, REPORT, read)
    for code, outcome in outcomes(case, reading):
        if not blind or judge_session.existing(STAGE, code) is None:
            judge_session.record_if_changed(STAGE, code, outcome)


def outcomes(case: Case, reading: Reading) -> Iterator[tuple[str, CodeVerdict]]:
    """Every check's outcome. A check that finds something applies even if its conditions do not hold."""
    findings: dict[str, list[Finding]] = defaultdict(list)
    for finding in (*check_report(case, reading), *unfounded_amounts(case, reading)):
        findings[finding.code].append(finding)
    for code, check in CHECKS.items():
        of_code = findings.get(code, ())
        lacking = None if of_code else check.lacks(case, reading)
        if lacking is not None:
            yield code, CodeVerdict("na", None, lacking, (NOT_KNOWN,) if lacking in _UNKNOWN else ())
        else:
            lines = [finding.model_dump(mode="json", exclude_none=True) for finding in of_code]
            yield code, CodeVerdict("scored", lines, f"{len(lines)} found" if lines else "nothing found")


OPEN_DEMAND = "not_borne_out"
CLEAN = "clean"
"""The variant that is 1 for a report without errors."""
ERRORS = "errors"
"""The variant that counts a report's kinds of error; the variant of each kind is 1 for a report with it."""
PICKS_KNOWN = "picks_known"
VARIANTS = (CLEAN, ERRORS, PICKS_KNOWN, *CHECKS)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """For each check, 1 with an error, else 0; warnings count only in checks that find nothing else.

    ``clean`` covers all checks: it is 0 with any error, and without one na if the picks are unknown, or if no check of
    what the report says applies. A check without a verdict is failed, and then so is ``clean``.
    """
    by_code = {verdict.item: verdict for verdict in verdicts if verdict.stage != READ}
    recorded = next((verdict.value for verdict in verdicts if verdict.stage == READ), None)
    how = None if recorded is None else HowRead.model_validate(recorded)
    single = {code: _value(code, by_code.get(code)) for code in CHECKS}
    verdict = clean(single, can_be=how is not None and how.picks is not None)
    if how is None:
        return [verdict, no_value(ERRORS, "failed"), no_value(PICKS_KNOWN, "failed"), *single.values()]
    # Who read the picks is an item, so that tables can count the readers.
    readers = {how.picks_by: 1.0, f"values by {how.values_by}": 1.0}
    picks_known = Value(PICKS_KNOWN, "scored", float(how.picks is not None), readers)
    return [verdict, _errors(single.values(), can_be=how.picks is not None), picks_known, *single.values()]


def _errors(single: Collection[Value], *, can_be: bool) -> Value:
    """How many kinds of error there are; n/a if the picks are unknown, since most checks then find nothing."""
    if any(value.state == "failed" for value in single):
        return no_value(ERRORS, "failed")
    kinds = sum(value.items.get("errors", 0) > 0 for value in single)
    return Value(ERRORS, "scored", float(kinds)) if can_be else no_value(ERRORS, "na", NO_PICKS)


def _value(code: str, verdict: Verdict | None) -> Value:
    if verdict is None or verdict.state != "scored":
        return Value(code, "failed" if verdict is None else verdict.state)
    findings = [Finding.model_validate(line) for line in verdict.value]
    errors = sum(finding.severity == "error" for finding in findings)
    items = {"errors": errors, "warnings": len(findings) - errors}
    counted = len(findings) if CHECKS[code].only_warns else errors
    return Value(code, "scored", float(counted > 0), items)


def clean(single: Mapping[str, Value], *, can_be: bool) -> Value:
    """0 with an error. Without errors 1, or na if too little is known to tell.

    It has no value if a pick rests on a demand that is open.
    """
    if any(value.state == "failed" for value in single.values()):
        return Value(CLEAN, "failed")
    scored = {code: value for code, value in single.items() if value.state == "scored"}
    items = {name: sum(value.items.get(name, 0) for value in single.values()) for name in ("errors", "warnings")}
    borne_out = single.get(OPEN_DEMAND)
    if not items["errors"] and borne_out is not None and borne_out.value == 1:
        return Value(CLEAN, "unverifiable", None, {**items, OPEN: 1.0})
    if not items["errors"] and not (can_be and any(CHECKS[code].of_claims for code in scored)):
        return Value(CLEAN, "na", None, items)
    return Value(CLEAN, "scored", float(not items["errors"]), {**items, "checks": len(scored)})


DESCRIPTION = description_of("checks")
METRIC = Metric(
    "checks", 8, judge_checks, of_verdicts(values), VARIANTS, DESCRIPTION, after=("reading",), needs_judge=False
)
