"""All checks of a report against records, without a model, by code; docs/checks.md defines their terms."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from drretail.grounding.attached import Attached
from drretail.grounding.case import Case, units_about
from drretail.grounding.cited_sources import not_in_catalog, unresolved_citations, urls_not_seen
from drretail.grounding.constraints_kept import has_phases, over_budget, owned_again, unwanted_brands
from drretail.grounding.page_dates import after_today, cites_dated_pages, old_pages
from drretail.grounding.privacy import WEB_SEARCH, known_profiles, personal_data_sent, profile_changes
from drretail.grounding.repetition import has_sections, repeated_sections
from drretail.grounding.sums import check_totals, has_sums
from drretail.grounding.values import Kind
from drretail.grounding.wrong_values import wrong_values
from drretail.records.evidence import Finding

NO_WORLD = "the world is not at hand"


@dataclass(frozen=True, slots=True)
class Check:
    """One check; ``find`` is only called where ``missing`` gives None."""

    code: str
    find: Callable[[Case], list[Finding]]
    lacks: Callable[[Case], str | None]
    """What of the world, the run or the query is not there to check against."""
    spoke: Callable[[Case], bool]
    """True when the report, or the run, says something that can be checked."""
    silence: str
    """What is said of a report that says no such thing."""
    of_claims: bool = True
    """True when the check is about what a report says, and not about its run or its form."""
    of_settings: bool = False
    """True where a setting, or what the experiment knows of the shop's today, decides what is found."""
    only_warns: bool = False
    """True when no finding of it is an error: then a warning is what its score counts."""

    def missing(self, case: Case) -> str | None:
        """Why there is nothing to check here: what was never said is neither right nor wrong."""
        lacking = self.lacks(case)
        return lacking if lacking is not None or self.spoke(case) or self.find(case) else self.silence


def run_checks(case: Case, codes: Collection[str] | None = None) -> list[Finding]:
    """The findings of these checks, or of all, in text order; those without a place come last."""
    found = [
        finding
        for check in CHECKS.values()
        if (codes is None or check.code in codes) and check.missing(case) is None
        for finding in check.find(case)
    ]
    return sorted(found, key=lambda finding: (finding.start is None, finding.start or 0, finding.code))


def _over_budget(case: Case) -> list[Finding]:
    return over_budget(case.structure, case.constraints, case.totals, case.recommended, case.products)


def _owned(case: Case) -> list[Finding]:
    return owned_again(case.structure, case.query.text, case.all_owned, case.recommended, units_about(case))


def _unwanted(case: Case) -> list[Finding]:
    return unwanted_brands(case.structure, case.constraints.brands_unwanted, case.recommended, case.products)


def _sent(case: Case) -> list[Finding]:
    assert case.run is not None
    users = {user_id for user_id in (case.query.user_id, case.run.user_id) if user_id}
    profiles = {profile.user_id: profile for profile in (*known_profiles(case.evidence), *case.profiles)}
    orders = {entry.key for entry in case.evidence.values() if entry.kind == "order"} | case.order_ids
    return personal_data_sent(case.run, list(profiles.values()), users | set(profiles), orders)


def _changed(case: Case) -> list[Finding]:
    assert case.run is not None
    return profile_changes(case.run.state_diff, case.query.text)


def _always(case: Case) -> None:
    del case


def _no_world(case: Case) -> str | None:
    return NO_WORLD if case.lookup is None else None


def _no_products(case: Case) -> str | None:
    return None if case.products else "the run was handed no product"


def _no_ledger(case: Case) -> str | None:
    has_one = bool(case.evidence) or (case.run is not None and bool(case.run.steps))
    return None if has_one else "the run has no ledger"


def _no_today(case: Case) -> str | None:
    return "the shop's today is not known" if case.now is None else _no_ledger(case)


def _no_budget(case: Case) -> str | None:
    return None if case.constraints.budget or has_phases(case.structure) else "neither query nor report names a budget"


def _no_user(case: Case) -> str | None:
    return "the query has no user" if case.query.user_id is None and not case.constraints.owned else None


def _no_unwanted(case: Case) -> str | None:
    return None if case.constraints.brands_unwanted else "the query rules out no brand"


def _no_run(case: Case) -> str | None:
    if case.run is None:
        return "there is no run"
    if case.query.user_id is None and not case.profiles:
        return "the query has no user"
    asked_the_web = any(step.kind == "tool" and step.name == WEB_SEARCH for step in case.run.steps)
    return None if asked_the_web else "nothing was asked of the web"


def _no_changes(case: Case) -> str | None:
    return "there is no run" if case.run is None else None


def _said(kind: Kind) -> Callable[[Case], bool]:
    """Whether the report says a value of this kind of a product."""
    return lambda case: any(attached.value.kind == kind for attached in case.attached if _own(case, attached))


def _own(case: Case, attached: Attached) -> bool:
    return case.is_own(attached.value.start)


def _recommends(case: Case) -> bool:
    return any(case.is_own(spot.start) for spot in case.recommended)


def _cites(case: Case) -> bool:
    return any(case.is_own(citation.start) for citation in case.citations)


def _cites_pages(case: Case) -> bool:
    return any(citation.type == "web" and case.is_own(citation.start) for citation in case.citations)


def _has_sections(case: Case) -> bool:
    return has_sections(case.structure)


def _acts(case: Case) -> bool:
    del case
    return True


_NO_PRICE = "the report says no price of a product"
_NO_RATING = "the report says no rating of a product"
_NO_COUNT = "the report says no number of ratings of a product"
_NO_SUM = "the report states no sum together with its parts"
_NO_PICK = "the report recommends no product of the shop"
_NO_CITATION = "the report cites nothing"
_NO_PAGE = "the report cites no page"
_NO_DATED_PAGE = "the report cites no page whose date is known"
_NO_SECTIONS = "the report has no two sections to compare"

CHECKS: Mapping[str, Check] = {
    check.code: check
    for check in (
        Check("not_in_catalog", not_in_catalog, _no_world, _recommends, _NO_PICK),
        Check("price_wrong", wrong_values("money", "price_wrong", "price"), _no_products, _said("money"), _NO_PRICE),
        Check(
            "rating_wrong",
            wrong_values("rating", "rating_wrong", "average_rating"),
            _no_products,
            _said("rating"),
            _NO_RATING,
        ),
        Check(
            "rating_count_wrong",
            wrong_values("count", "rating_count_wrong", "rating_number"),
            _no_products,
            _said("count"),
            _NO_COUNT,
        ),
        Check(
            "total_wrong",
            lambda case: check_totals(case.structure),
            _always,
            lambda case: has_sums(case.structure),
            _NO_SUM,
        ),
        Check("over_budget", _over_budget, _no_budget, _recommends, _NO_PICK),
        Check("unresolved_citation", unresolved_citations, _no_ledger, _cites, _NO_CITATION),
        Check("url_not_seen", urls_not_seen, _no_ledger, _cites_pages, _NO_PAGE),
        Check(
            "old_page",
            old_pages,
            _no_today,
            cites_dated_pages,
            _NO_DATED_PAGE,
            of_claims=False,
            of_settings=True,
            only_warns=True,
        ),
        Check(
            "after_today",
            after_today,
            _no_today,
            _cites_pages,
            _NO_PAGE,
            of_claims=False,
            of_settings=True,
            only_warns=True,
        ),
        Check("recommended_although_owned", _owned, _no_user, _recommends, _NO_PICK),
        Check("unwanted_brand", _unwanted, _no_unwanted, _recommends, _NO_PICK),
        Check("personal_data_sent", _sent, _no_run, _acts, "", of_claims=False),
        Check("profile_changed", _changed, _no_changes, _acts, "", of_claims=False),
        Check(
            "repeated_section",
            lambda case: repeated_sections(case.structure),
            _always,
            _has_sections,
            _NO_SECTIONS,
            of_claims=False,
            only_warns=True,
        ),
    )
}
