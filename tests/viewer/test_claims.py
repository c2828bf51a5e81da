from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.claims.claims import ALL, CITED, EXTRACT, SUPPORT, Claim, make_claim
from drretail.grounding.text.serialisation import compact_json
from drretail.records.run import Run
from drretail.viewer.claims import claims_of, excerpt, find_quote, readable
from drretail.viewer.judged import Judged
from tests.viewer.experiment import JUDGE, verdict

REPORT = "The feeder costs $20 [P:B1]. It is green. Birds like it [W:abcdefgh]."
RUN = Run(run_id="l/q-r1", system="l", query_id="q", repeat=1, status="done", stop="finished", report=REPORT)
PRICE = make_claim(1, "The feeder costs $20.", ["P:B1", "W:abcdefgh"], span=(0, 27))
GREEN = make_claim(2, "It is green.", [])


def judged(claims: list[Claim], **support: object) -> Judged:
    run = RUN.model_copy(update={"report_sha": "s"})
    held = [claim.model_dump(mode="json") for claim in claims]
    made = [verdict(run, "faithfulness", JUDGE, EXTRACT, "report", value=held)]
    if support:
        made.append(verdict(run, "faithfulness", JUDGE, SUPPORT, PRICE.claim_id, **support))
    return Judged(JUDGE, "default", tuple(made))


def test_a_claim_has_one_verdict_on_all_its_sources_in_which_denied_unverifiable_and_failed_are_apart() -> None:
    (claim,) = claims_of(judged([PRICE], value=0.5), REPORT)
    assert (claim.support, claim.types, claim.span) == ("partial", ("web", "product"), (0, 27))
    for state, support in (("unverifiable", "unverifiable"), ("failed", "failed"), ("na", "unjudged")):
        (claim,) = claims_of(judged([PRICE], state=state), REPORT)
        assert claim.support == support
    (none,), (denied,) = (
        claims_of(judged([PRICE], value=0.0, notes=notes), REPORT) for notes in ((), ("contradicted",))
    )
    assert (none.support, denied.support) == ("none", "contradicted")


def test_under_the_papers_rules_uncited_claims_come_from_its_other_extraction() -> None:
    run = RUN.model_copy(update={"report_sha": "s"})
    held = {CITED: [PRICE], ALL: [PRICE, GREEN]}
    made = [
        verdict(run, "faithfulness", JUDGE, stage, "report", value=[claim.model_dump(mode="json") for claim in claims])
        for stage, claims in held.items()
    ]
    claims = claims_of(Judged(JUDGE, "paper", tuple(made)), REPORT)
    assert [(claim.number, claim.support) for claim in claims] == [(1, "unjudged"), (2, "uncited")]


def test_a_claim_without_offsets_is_found_by_its_words_and_in_others_has_no_place() -> None:
    (claim,) = claims_of(judged([GREEN]), REPORT)
    assert claim.span is not None
    assert REPORT[slice(*claim.span)] == "It is green."
    (claim,) = claims_of(judged([make_claim(1, "Its colour is green.", [])]), REPORT)
    assert claim.span is None


def test_a_quote_is_found_in_what_is_shown_readably_and_what_is_not_there_is_not() -> None:
    record = compact_json({"title": 'A "fine" feeder', "price": 24.99, "features": ["One", "Two"], "store": None})
    shown = readable(record)
    assert shown.splitlines()[1] == "price: 24.99"
    for quote in ('"price":24.99', '"title":"A \\"fine\\" feeder"', '["One","Two"]'):
        assert find_quote(shown, quote) is not None
    assert find_quote("some text", "other") is None
    assert find_quote("some text", ' "" ') is None


def test_a_long_text_is_cut_around_the_quote() -> None:
    text = "before " * 200 + "the very words" + " after" * 200
    part = excerpt(text, "the very words")
    assert (part.quote, part.cut_before, part.cut_after) == ("the very words", True, True)
    assert len(part.before) + len(part.after) < 1000
    assert f"{part.before}{part.quote}{part.after}" in text


@given(st.text(), st.text(), st.text())
def test_a_part_of_a_text_is_found_and_whole_excerpts_are_the_text(before: str, quote: str, after: str) -> None:
    text = before + quote + after
    part = excerpt(text, quote)
    assert len(text) > 300 or part.before + part.quote + part.after == text
