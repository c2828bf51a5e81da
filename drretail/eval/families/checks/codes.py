"""Every kind of fault that is checked for, and what has to be there for a report to have it or not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.page_dates import dated_pages
from drretail.grounding.verify.privacy import WEB_SEARCH
from drretail.grounding.verify.repetition import has_sections
from drretail.records.query import NOT_TYPED
from drretail.records.reading import FORM, SUPERLATIVES, Reading, ValueKind
from drretail.records.wish import Wish

NO_WORLD = "the world is not at hand"
NO_PICKS = "the report's picks are not known"
BUYS_NOTHING = "the report picks nothing"
Lacks = Callable[[Case, Reading], str | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of fault."""

    code: str
    lacks: Lacks
    """Why there is nothing to check; None where there is something."""
    of_values: bool = False
    """True when it is about values, of which a share has to be read for the score to mean something."""
    of_claims: bool = True
    """True when it is about what a report says, and not about its run or its form."""
    of_settings: bool = False
    """True where a setting, or what the experiment knows of the shop's today, decides what is found."""
    only_warns: bool = False
    """True when no finding of it is an error: then a warning is what its score counts."""


def _of_values(*kinds: ValueKind) -> Lacks:
    """Whether a value of such a kind was read."""
    named = " or ".join(kind.replace("_", " ") for kind in kinds)

    def lacks(case: Case, reading: Reading) -> str | None:
        del case
        return None if any(value.kind in kinds for value in reading.values) else f"no {named} was read"

    return lacks


def _of_picks(*others: Callable[[Case], str | None], declared: bool = False) -> Lacks:
    """Whether there are picks, and what they are held against."""

    def lacks(case: Case, reading: Reading) -> str | None:
        if reading.picks is None:
            return NO_PICKS
        lacking = next((why for other in others if (why := other(case)) is not None), None)
        if lacking is None and declared and reading.reader == FORM:
            return "layout tells no quantities"
        return lacking or (None if reading.picks else BUYS_NOTHING)

    return lacks


def _of_case(*conditions: Callable[[Case], str | None]) -> Lacks:
    def lacks(case: Case, reading: Reading) -> str | None:
        del reading
        return next((why for condition in conditions if (why := condition(case)) is not None), None)

    return lacks


def _ledger(case: Case) -> str | None:
    has_one = bool(case.evidence) or case.is_imported or (case.run is not None and bool(case.run.steps))
    return None if has_one else "the run has no ledger"


def _records(case: Case) -> str | None:
    has_none = case.is_imported and case.lookup is None
    return "the report is imported: the shop's records of what it picks are not known" if has_none else None


def _watched(case: Case) -> str | None:
    has_log = case.run is not None and bool(case.run.steps)
    unknown = case.is_imported and not has_log
    return "the report is imported: what its system read and did is not known" if unknown else None


def _today(case: Case) -> str | None:
    return "the shop's today is not known" if case.now is None else None


def _wishes_for(found: Callable[[Wish], bool], why: str) -> Callable[[Case], str | None]:
    """Whether the query's wish has what a check is about; of one that nobody typed, code can't say so."""

    def lacks(case: Case) -> str | None:
        if case.wish is None:
            return NOT_TYPED
        return None if found(case.wish) else why

    return lacks


_money = _wishes_for(lambda wish: wish.counts_money, "the query limits no price")
_branded = _wishes_for(
    lambda wish: any(want.brands_unwanted or want.brands_wanted for want in wish.wants), "the query names no brand"
)
_demanded = _wishes_for(
    lambda wish: any(want.must or want.must_not for want in wish.wants), "the query demands no property"
)
_rated = _wishes_for(
    lambda wish: any(want.rating_min or want.ratings_min for want in wish.wants),
    "the query asks for no stars or number of ratings",
)
_wants = _wishes_for(lambda wish: bool(wish.wants), "nothing is to be bought")
_typed = _wishes_for(lambda _: True, "")
_bounded = _wishes_for(lambda wish: not wish.room, "the query leaves room for more")
_needed = _wishes_for(lambda wish: any(not want.optional for want in wish.wants), "nothing has to be bought")


def _user(case: Case) -> str | None:
    if case.wish is not None and case.wish.owned:
        return None
    if not case.orders_shown:
        return "the run was shown no orders"
    return None if case.query.user_id else "the query has no user"


def _asked_to_decide(case: Case) -> str | None:
    return "the report is imported: nobody asked its system for picks" if case.run is None or case.is_imported else None


def _cites(case: Case) -> str | None:
    return None if case.citations else "the report cites nothing"


def _fixed_web(case: Case) -> str | None:
    return "the web is live, so its pages may be younger than the shop's today" if case.web_is_live else None


def _cites_pages(case: Case) -> str | None:
    return None if any(citation.type == "web" for citation in case.citations) else "the report cites no page"


def _cites_dated_pages(case: Case) -> str | None:
    dated = any(True for _ in dated_pages(case.citations, case.evidence))
    return None if dated else "the report cites no page whose date is known"


def _cites_products(case: Case, reading: Reading) -> str | None:
    if case.lookup is None:
        return NO_WORLD
    named = reading.picks or any(each[:2] == "P:" for each in case.cited)
    return None if named else "the report names no product of the shop"


def _sections(case: Case) -> str | None:
    return None if has_sections(case.layout) else "the report has no two sections to compare"


def _run(case: Case) -> str | None:
    return "there is no run" if case.run is None else None


def _asked_the_web(case: Case) -> str | None:
    if case.run is None or (case.query.user_id is None and not case.profiles):
        return "the query has no user"
    asked = any(step.kind == "tool" and step.name == WEB_SEARCH for step in case.run.steps)
    return None if asked else "nothing was asked of the web"


CHECKS: Mapping[str, Check] = {
    check.code: check
    for check in (
        Check("not_in_catalog", _cites_products),
        Check("pick_not_argued", _of_picks()),
        Check("no_decision", _of_case(_wants, _asked_to_decide), of_claims=False),
        Check("not_wanted", _of_picks(_records, _bounded)),
        Check("want_left_out", _of_picks(_records, _needed)),
        Check("over_budget", _of_picks(_records, _money)),
        Check("price_unknown", _of_picks(_records, _money)),
        Check("below_rating", _of_picks(_records, _rated)),
        Check("recommended_although_owned", _of_picks(_records, _typed, _user)),
        Check("unwanted_brand", _of_picks(_records, _branded)),
        Check("demand_broken", _of_picks(_records, _demanded), only_warns=True),
        Check("quantity_wrong", _of_picks(_records, _wants, declared=True)),
        Check("unavailable", _of_picks(_records)),
        Check("price_wrong", _of_values("price"), of_values=True),
        Check("rating_wrong", _of_values("rating"), of_values=True),
        Check("rating_count_wrong", _of_values("rating_count"), of_values=True),
        Check("total_wrong", _of_values("total"), of_values=True),
        Check("calculation_wrong", _of_values("difference", "left_over", "per_unit", "quantity"), of_values=True),
        Check("order_date_wrong", _of_values("date"), of_values=True),
        Check("brand_wrong", _of_values("brand"), of_values=True),
        Check("place_wrong", _of_values("place"), of_values=True),
        Check("superlative_wrong", _of_values(*SUPERLATIVES), of_values=True),
        Check("unresolved_citation", _of_case(_ledger, _cites)),
        Check("url_not_seen", _of_case(_ledger, _watched, _cites_pages)),
        Check(
            "old_page",
            _of_case(_today, _cites_dated_pages),
            of_claims=False,
            of_settings=True,
            only_warns=True,
        ),
        Check(
            "after_today",
            _of_case(_today, _fixed_web, _cites_pages),
            of_claims=False,
            of_settings=True,
            only_warns=True,
        ),
        Check("personal_data_sent", _of_case(_run, _watched, _asked_the_web), of_claims=False),
        Check("profile_changed", _of_case(_run, _watched), of_claims=False),
        Check("repeated_section", _of_case(_sections), of_claims=False, only_warns=True),
    )
}
