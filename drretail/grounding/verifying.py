"""What a verifier without a model finds wrong in a draft: the checks of a report, and more that is asked of our own."""

from drretail.grounding.case import Case
from drretail.grounding.checks import run_checks
from drretail.grounding.constraints_kept import is_over_the_whole
from drretail.grounding.picks import unknown_picks
from drretail.grounding.repeated_sentences import REPEATED_SENTENCE, repeated_sentences
from drretail.grounding.repetition import REPEATED
from drretail.grounding.unused_entries import bad_entries
from drretail.grounding.user_places import wrong_places
from drretail.records.evidence import Finding


def verify(case: Case) -> list[Finding]:
    """All findings on a draft, in text order; those without a place come last. Pure."""
    found = run_checks(case)
    known = {finding.start for finding in found if finding.code == "not_in_catalog"}
    found += [finding for finding in unknown_picks(case) if finding.start not in known]
    found += [*wrong_places(case), *repeated_sentences(case), *bad_entries(case.report, case.evidence)]
    return sorted(found, key=lambda finding: (finding.start is None, finding.start or 0, finding.code))


def errors(findings: list[Finding]) -> list[Finding]:
    """Those that are wrong and not merely imprecise."""
    return [finding for finding in findings if finding.severity == "error"]


def to_strike(case: Case, finding: Finding) -> bool:
    """True for errors that have a place in the report, and for what is said again.

    That everything together is above the query's budget is no single statement's fault. But one thing that alone is
    above it goes, as long as the report recommends another that is not.
    """
    if finding.start is None:
        return False
    if is_over_the_whole(finding):
        return _is_one_dear_thing(case, finding)
    return finding.severity == "error" or finding.code in (REPEATED, REPEATED_SENTENCE)


def faults(case: Case) -> list[Finding]:
    """What must be struck from a draft."""
    return [finding for finding in verify(case) if to_strike(case, finding)]


def _is_one_dear_thing(case: Case, finding: Finding) -> bool:
    budget = case.constraints.budget
    inside = [it for it in case.recommended if it.start >= (finding.start or 0) and it.end <= (finding.end or 0)]
    dear = {spot.product_id for spot in inside}
    prices = {spot.product_id: case.products[spot.product_id].price for spot in case.recommended}
    others = [price for product_id, price in prices.items() if product_id not in dear and price is not None]
    return len(dear) == 1 and budget is not None and any(price <= budget.value for price in others)
