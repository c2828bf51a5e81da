from drretail.eval.faithfulness.extraction import ALL, CITED, SUPPORT, Claim, make_claim
from drretail.records.run import Run
from drretail.viewer.claims import claims_of, counts_of
from drretail.viewer.judged import Judged
from tests.viewer.experiment import JUDGE, verdict

REPORT = "The feeder costs $20 [P:B1]. It is green. Birds like it [W:abcdefgh]."
RUN = Run(run_id="l/q-r1", system="l", query_id="q", repeat=1, status="done", stop="finished", report=REPORT)
PRICE = make_claim(1, "The feeder costs $20.", ["P:B1", "W:abcdefgh"], span=(0, 27))
GREEN = make_claim(2, "It is green.", [])


def judged(cited: list[Claim], every: list[Claim], **supports: dict[str, object]) -> Judged:
    run = RUN.model_copy(update={"report_sha": "s"})
    made = [
        verdict(run, "faithfulness", JUDGE, stage, "report", value=[claim.model_dump(mode="json") for claim in claims])
        for stage, claims in ((CITED, cited), (ALL, every))
    ]
    ruled = [
        verdict(run, "faithfulness", JUDGE, SUPPORT, f"{PRICE.claim_id}:{kind}", **fields)
        for kind, fields in supports.items()
    ]
    return Judged(JUDGE, "default", (*made, *ruled))


def test_a_claim_is_marked_by_the_worst_of_its_verdicts() -> None:
    (claim,) = claims_of(judged([PRICE], [], product={"value": 1.0}, web={"value": 0.5}), REPORT)
    assert (claim.support, claim.types, claim.span) == ("partial", ("product", "web"), (0, 27))


def test_unverifiable_and_failed_are_told_apart_from_unsupported() -> None:
    for state, support in (("unverifiable", "unverifiable"), ("failed", "failed"), ("na", "unjudged")):
        (claim,) = claims_of(judged([PRICE], [], product={"state": state}), REPORT)
        assert claim.support == support


def test_uncited_claims_come_from_the_extraction_of_all_claims() -> None:
    claims = claims_of(judged([PRICE], [PRICE, GREEN], product={"value": 1}), REPORT)
    assert [(claim.number, claim.support) for claim in claims] == [(1, "full"), (2, "uncited")]
    assert counts_of(claims) == {"full": 1, "uncited": 1}


def test_a_claim_without_offsets_is_found_by_its_words() -> None:
    (claim,) = claims_of(judged([], [GREEN]), REPORT)
    assert claim.span is not None
    assert REPORT[slice(*claim.span)] == "It is green."


def test_a_claim_in_other_words_has_no_place() -> None:
    (claim,) = claims_of(judged([], [make_claim(1, "Its colour is green.", [])]), REPORT)
    assert claim.span is None


def test_a_citation_that_comes_to_nothing_leaves_a_claim_uncited_and_is_named() -> None:
    invented = make_claim(1, "Birds like it.", [], ["P:NONE"])
    (claim,) = claims_of(judged([invented], [invented]), REPORT)
    assert (claim.support, claim.unresolved) == ("uncited", ("P:NONE",))
