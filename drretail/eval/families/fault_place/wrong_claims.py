"""Which claims of a report are wrong, by the verdicts of faithfulness, with the values that code reads of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.eval.claims.claims import SUPPORT, Claim
from drretail.grounding.verify.checks import Case, read_report
from drretail.records.reading import Reading, ReadValue
from drretail.records.score import Verdict


@dataclass(frozen=True, slots=True)
class WrongClaim:
    """A claim with what was ruled on it and its values, verified."""

    claim: Claim
    verdict: Verdict | None
    """None of a claim whose sources the run was never handed: nobody is asked about it."""
    values: tuple[ReadValue, ...]

    @property
    def contradicted(self) -> tuple[ReadValue, ...]:
        return tuple(value for value in self.values if value.state == "contradicted")


def wrong_claims(claims: Sequence[Claim], verdicts: Sequence[Verdict], case: Case) -> list[WrongClaim]:
    """Those of a report's claims that are wrong, in their order.

    Wrong is what sources do not bear out or contradict, what they bear out in part and a record contradicts, and what
    names no other sources than such as the run was never handed.
    """
    ruled = {verdict.item: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    told = tuple(value for claim in claims for value in claim.values)
    values = read_report(case, Reading(reader="model:claims", values=told)).values
    found = [WrongClaim(claim, ruled.get(claim.claim_id), _values_of(claim, values)) for claim in claims]
    return [it for it in found if _is_wrong(it)]


def _is_wrong(found: WrongClaim) -> bool:
    if found.verdict is None:
        return bool(found.claim.unresolved) and not found.claim.sources
    if found.verdict.state != "scored":
        return False
    return found.verdict.value == 0 or (found.verdict.value < 1 and bool(found.contradicted))


def _values_of(claim: Claim, values: Sequence[ReadValue]) -> tuple[ReadValue, ...]:
    """Those that the judge typed; where it typed none, those that stand in the claim's sentence."""
    typed = {(value.start, value.end, value.kind) for value in claim.values}
    if typed:
        return tuple(value for value in values if (value.start, value.end, value.kind) in typed)
    if claim.start is None or claim.end is None:
        return ()
    return tuple(value for value in values if claim.start <= value.start and value.end <= claim.end)
