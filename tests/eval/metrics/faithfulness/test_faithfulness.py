"""Every formula of faithfulness by hand, the whole chain with rules, and pages as agents read them and as they are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from drretail.env.named_products import NamedProducts
from drretail.env.world import World
from drretail.eval.claims.audit import ReportVerdicts
from drretail.eval.claims.claims import ALL, CITED, EXTRACT, SUPPORT, Claim, make_claim
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.metrics.faithfulness import METRIC
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import ScriptedAnswer, requests_of, scripted_model
from drretail.records.evidence import EvidenceText
from drretail.records.score import Rules, SourceRef, Verdict, VerdictState
from drretail.reports.citations import find_citations
from tests import build
from tests.eval.metrics.faithfulness.reports import (
    BIRDS,
    BIRDS_ID,
    BLOCKED_ID,
    EVIDENCE,
    alone,
    claim,
    entry,
    judged,
    offline_judge,
    papers_claim,
    ruled,
    scripted,
    subject,
    support,
    text,
    values,
)

Outcome = float | str
"""Support, or the state of a unit without one."""


def verdict(stage: str, item: str, state: VerdictState, value: object = None, notes: Sequence[str] = ()) -> Verdict:
    return build.verdict("faithfulness", stage, item, value, state, notes=tuple(notes))


def extraction(stage: str, claims: Sequence[Claim] | None) -> Verdict:
    if claims is None:
        return verdict(stage, "report", "failed")
    return verdict(stage, "report", "scored", [claim.model_dump(mode="json") for claim in claims])


@dataclass(frozen=True)
class Of:
    """A claim and what became of it; ``unread`` are sources without a text, ``absent`` such as do not exist."""

    claim: Claim
    outcome: Outcome | None = None
    unread: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def verdicts_of(
    claims: Sequence[Of] | None, rules: Rules = "default", every: Sequence[Claim] | None = None
) -> list[Verdict]:
    held = None if claims is None else [claim.claim for claim in claims]
    verdicts = [extraction(EXTRACT, held)]
    if rules != "default":
        verdicts = [extraction(CITED, held), extraction(ALL, every)]
    for of in claims or ():
        if of.outcome is None:
            continue
        read = [source for source in of.claim.sources if source not in (*of.unread, *of.absent)]
        if isinstance(of.outcome, str):
            state: VerdictState = "na" if of.notes else "failed" if of.outcome == "failed" else "unverifiable"
            verdicts.append(verdict("support", of.claim.claim_id, state, None, of.notes))
        else:
            made = verdict("support", of.claim.claim_id, "scored", of.outcome, of.notes)
            refs = tuple(SourceRef(id=source, sha256="s") for source in read)
            verdicts.append(made.model_copy(update={"sources": refs, "absent": of.absent}))
    return verdicts


def scored(
    claims: Sequence[Of] | None, rules: Rules = "default", every: Sequence[Claim] | None = None
) -> dict[str, Value]:
    """The values of a report with these claims; under other rules ``every`` claim is extracted apart."""
    return values(subject("A report."), verdicts_of(claims, rules, every), rules)


def cites(number: int, *sources: str, unresolved: Sequence[str] = ()) -> Claim:
    return make_claim(number, f"Claim {number}.", sources, unresolved)


BOTH: tuple[Rules, ...] = ("default", "paper")
WEB, PRODUCT, ORDER = "W:aaaaaaaa", "P:B0BED00001", "O:0000000001"


def got(found: Mapping[str, Value], *names: str) -> list[tuple[VerdictState, float | None]]:
    return [(found[name].state, found[name].value) for name in names]


@pytest.mark.parametrize("rules", BOTH)
def test_fp_is_the_mean_of_the_types_that_a_report_has_under_both_protocols(rules: Rules) -> None:
    pages = [Of(cites(1, WEB), 1.0), Of(cites(2, WEB, PRODUCT), 1.0)]
    products = [Of(cites(3, PRODUCT), 0.5), Of(cites(4, PRODUCT), 0.0)]
    claims = [*pages, *products, Of(cites(5, ORDER), 1.0), Of(cites(6))]
    found = scored(claims, rules, [of.claim for of in claims])
    # Of two claims with a page 2 are borne out, of three with a product 1.5.
    assert got(found, "FP_web", "FP_product", "FP_internal") == [("scored", 1.0), ("scored", 0.5), ("scored", 1.0)]
    assert got(found, "FP", "FR") == [("scored", 0.75), ("scored", 4 / 6)]
    counts = got(found, "N_cited", "N_web", "N_product", "N_internal")
    assert counts == [("scored", each) for each in (5.0, 2.0, 3.0, 1.0)]
    assert got(found, "N_supported") == [("scored", 2.5)]
    assert got(scored(products, rules, []), "FP", "FP_web") == [("scored", 0.25), ("na", None)]
    items = found["FP"].items
    assert (items["units"], items["scored"], items["support"]) == (5, 5, 3.5)
    assert items["claims"] == 5
    assert tuple(found) == METRIC.variants


@pytest.mark.parametrize("rules", BOTH)
def test_what_does_not_exist_counts_0_for_its_type_and_what_was_not_read_counts_for_none(rules: Rules) -> None:
    missing, page = "P:B0NONE0001", "https://gone.example/x"
    claims = [
        Of(cites(1, PRODUCT, missing), 1.0, absent=(missing,)),  # a real product bears it out
        Of(cites(2, WEB, missing), 1.0, absent=(missing,)),  # a page does, and there is no such product
        Of(cites(3, missing), 0.0, absent=(missing,)),
        Of(cites(4, page), 0.0, absent=(page,)),
        Of(cites(5, unresolved=["7"])),  # a number without an entry counts as web
        Of(cites(6, unresolved=["O:1"])),
    ]
    found = scored(claims, rules, [of.claim for of in claims])
    assert got(found, "FP_product", "FP_web") == [("scored", pytest.approx(1 / 3))] * 2
    assert got(found, "FP_internal", "FR") == [("scored", 0.0), ("scored", 4 / 6)]
    assert got(found, "N_cited", "N_web", "N_product", "N_supported") == [("scored", each) for each in (6, 3, 3, 2)]
    assert found["FP"].items["unresolved"] == 4

    unread = scored([Of(cites(1, WEB, PRODUCT, ORDER), 1.0, unread=(WEB, PRODUCT))], rules, [])
    assert got(unread, "FP", "FP_web", "FP_product") == [("unverifiable", None)] * 3
    assert got(unread, "FP_internal", "N_web") == [("scored", 1.0), ("scored", 1.0)]
    # A type that the judge failed on is no reason to take the other for the whole.
    failed = scored([Of(cites(1, WEB), "failed"), Of(cites(2, PRODUCT), 1.0)], rules, [])
    assert got(failed, "FP", "FP_product") == [("failed", None), ("scored", 1.0)]


def test_fp_is_the_weighted_sum_of_its_claims_and_of_zeros_for_what_does_not_exist() -> None:
    claims = [Of(cites(1, WEB), 1.0), Of(cites(2, WEB, PRODUCT), 0.5), Of(cites(3, PRODUCT), 1.0)]
    claims += [Of(cites(4, unresolved=["7"])), Of(cites(5, ORDER), 1.0), Of(cites(6, WEB), "unverifiable")]
    weights = ReportVerdicts(verdicts_of(claims), "default").weights()
    support = {of.claim.claim_id: of.outcome for of in claims}
    assert len(weights) == 3
    assert sum(weights.values()) == pytest.approx(1 - 1 / 2 / 3)
    total = sum(weight * float(support[name] or 0) for name, weight in weights.items())
    assert scored(claims)["FP"].value == pytest.approx(total)


def test_recall_is_by_presence_of_an_address_and_without_a_claim_it_is_not_applicable() -> None:
    gone = "https://gone.example/x"
    own = cites(3, "F:list.csv", ORDER, "U:profile", "U:statistics", "C:aaaaaaaa")
    every = [cites(1, WEB), cites(2, PRODUCT, ORDER), own, cites(4), cites(5, unresolved=["W:1"])]
    found = scored([Of(each, 1.0 if each.sources else None) for each in (*every, cites(6, gone))])
    assert got(found, "FR", "N_internal") == [("scored", 0.5), ("scored", 1.0)]
    assert found["FR"].items == {"cited": 3, "total": 6}
    looked_up = make_claim(6, "It is grey.", [PRODUCT], looked_up=[PRODUCT])
    assert got(scored([Of(looked_up, 1.0)]), "FR") == [("scored", 0.0)]

    assert got(scored([]), "FR", "FP", "N_cited") == [("na", None), ("na", None), ("scored", 0.0)]
    assert got(scored([Of(cites(1))]), "FR", "FP", "N_supported") == [("scored", 0.0), ("na", None), ("scored", 0.0)]


def test_a_failed_extraction_or_a_judging_that_did_not_end_fails_only_what_needs_it() -> None:
    assert {name for name, each in scored(None).items() if each.state != "failed"} == {"citations_read"}
    without_cited = scored(None, "paper", [cites(1, WEB)])
    assert got(without_cited, "FP", "N_cited", "FR") == [("failed", None)] * 2 + [("scored", 1.0)]
    without_all = scored([Of(cites(1, WEB), 1.0)], "paper", None)
    assert got(without_all, "FP", "FR") == [("scored", 1.0), ("failed", None)]

    found = scored([Of(cites(1, WEB), 1.0), Of(cites(2, WEB))])
    assert got(found, "FP", "FP_web", "N_supported") == [("failed", None)] * 3


QUERY = "I need a washable dog bed under $50 for my senior labrador. Which one should I get, and what do birds eat?"
GOOD = f"""# A bed for a labrador

The **Fluffwick Orthopedic Dog Bed** costs $49.99 [P:B0BED00001].
It is rated 4.5 out of 5 from 1,234 ratings [P:B0BED00001].

- Its cover is removable and machine washable [P:B0BED00001].
- Northern cardinals prefer black oil sunflower seeds [{BIRDS_ID}].

| Product | Price | Rating |
|---|---|---|
| Slowpaw Slow Feeder Bowl, Blue [P:B0BOWL0001] | $12.50 | 4.1 |

On 2023-05-31 you bought the Slowpaw Slow Feeder Bowl [O:0000000001]. Which one do you like? I would wait a week.
"""


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (GOOD, {"FP": 1, "FP_product": 1, "FP_internal": 1, "FP_web": "na", "N_cited": 5, "N_product": 4, "FR": 5 / 6}),
        ("", {"FP": "na", "FR": "na", "N_cited": 0}),
        (QUERY, {"FP": "na", "N_cited": 0}),
        ("The Fluffwick bed costs $49.99. Cardinals eat sunflower seeds.", {"FP": "na", "FR": 0}),
        ("The Fluffwick bed costs $49.99 [C:aaaaaaaa].", {"FP": "na", "FP_internal": 0, "FR": 0}),
        ("The bed costs $41.11 [P:B0BED00001].", {"FP": 0}),
        (f"Oaks grow old [{BLOCKED_ID}].", {"FP": "unverifiable", "FP_web": "unverifiable"}),
    ],
    ids=["sound", "empty", "copy of the query", "uncited", "invented source", "contradicted", "unreadable"],
)
def test_a_report_gets_what_it_deserves(tmp_path: Path, report: str, expected: dict[str, float | str]) -> None:
    about = subject(report, query=QUERY)
    made = values(about, judged(tmp_path, offline_judge(), about))
    found = {name: score.state if score.value is None else score.value for name, score in made.items()}
    assert {name: found[name] for name in expected} == expected


DAWN = "Cardinals visit feeders at dawn."
REPORT = f"Cardinals visit feeders at dawn [{BIRDS_ID}]."
SNIPPET = text("Cardinals visit feeders at dawn.", "snippet")


def about(*texts: EvidenceText, report: str = REPORT, **state: Any) -> Subject:
    page = entry(BIRDS_ID, "web", *texts, url=BIRDS).model_copy(update=state)
    return subject(report, EVIDENCE | {BIRDS_ID: page})


def test_a_page_that_nobody_fetched_makes_its_claims_na_and_says_what_to_do(tmp_path: Path) -> None:
    report = f"{REPORT} The bed costs $49.99 [{BIRDS_ID}][P:B0BED00001]. The bed is grey [P:B0BED00001]."
    of = about(SNIPPET, report=report)
    claims = [claim(1, DAWN, BIRDS_ID), claim(2, "$49.99.", BIRDS_ID, "P:B0BED00001", quote="The bed costs $49.99")]
    claims.append(claim(3, "The bed is grey.", "P:B0BED00001", quote="The bed is grey"))
    judge = scripted({"claims": claims}, support("full"))
    verdicts = judged(tmp_path, judge, of)
    found = {verdict.item[0]: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    # A claim that cites a record beside it is not judged by half of its sources.
    assert [found[number].state for number in "123"] == ["na", "na", "scored"]
    assert "--fetch-sources" in found["1"].reason
    made = values(of, verdicts)
    assert (made["FP_web"].state, made["FP_web"].items["unfetched"]) == ("na", 2)
    assert (made["FP"].value, made["FP_product"].value) == (1, 1)


FACT = "Feeders are visited at dawn by cardinals, and at dusk."


def test_a_page_of_200000_characters_is_cut_to_what_a_judge_holds_and_the_verdict_says_so(tmp_path: Path) -> None:
    filler = "Nothing that matters to anybody stands in this paragraph. " * 10
    page = text("\n\n".join([*[filler] * 250, FACT, *[filler] * 110]), "page", shown=False)
    assert len(page.text) > 200_000
    of, answers = about(page), [{"claims": [claim(1, DAWN, BIRDS_ID)]}, support("full", "read", FACT)]
    model = scripted_model(play=build.quoting(lambda _: ScriptedAnswer(structured=answers.pop(0))), name="small")
    verdicts = judged(tmp_path, Judge.of(replace(model, stated_context=8_192)), of)
    found = {verdict.stage: verdict for verdict in verdicts}
    (source,) = found[SUPPORT].sources
    assert (found[SUPPORT].value, found[SUPPORT].quote) == (1, FACT)
    assert found[SUPPORT].notes == ("source_cut",)
    assert source.sha256 == page.sha256  # of the whole page
    assert source.share == pytest.approx(8_192 * 0.5 * 4 / len(page.text), rel=0.1)
    asked = requests_of(model)[-1].messages[-1].text
    assert (len(asked) < 8_192 * 4, FACT in asked) == (True, True)


@pytest.mark.parametrize("rules", BOTH)
def test_one_true_claim_among_nine_on_invented_products_has_a_tenth_of_fp_and_all_of_fr(
    world: World, tmp_path: Path, rules: Rules
) -> None:
    """And products that the shop has are judged by its records, though the run never opened them."""
    invented = [f"The sort {at} keeps all squirrels away [P:B0ZZZZZZZ{at}]." for at in range(9)]
    seen = build.evidence("P:B0TEST0001", text("The feeder costs $24.99.", "record"), kind="product")
    said = "The first feeder costs $24.99 [P:B0TEST0001]."
    reports = {"q1-r1": " ".join([said, *invented]), "q2-r1": f"{said} The bath costs $55 [P:B0TEST0004]."}
    cited = {name: tuple(find_citations(report, [seen])) for name, report in reports.items()}
    runs = {
        name: build.run(name, report, (), label=build.LABEL, citations=cited[name]) for name, report in reports.items()
    }
    folder = build.experiment(tmp_path / "exp", {build.LABEL: runs}, evidence=[seen])

    def answer(opening: str) -> Any:
        report = tag_content("report", opening)
        if report is None:
            quotes = re.findall(r'<source id="P:[^>]*>\n(.{5,60})', opening)
            both = {"claims": [ruled(at, "full", "because", *quotes) for at in (1, 2)[: opening.count("<claim id")]]}
            return alone("full") if rules == "paper" else both
        found = enumerate(re.findall(r"([A-Z][^\[]+?) \[(P:\w+)\]", report), 1)
        claims = [papers_claim(at, sentence, name, quote=sentence) for at, (sentence, name) in found]
        return {"claims": [each | {"values": []} for each in claims] if rules == "default" else claims}

    judge, _ = build.scripted_judge(answer)
    scores = build.scored(folder, "faithfulness", judge, look_up=NamedProducts(world).named_by_run, rules=rules)
    made = build.rows(scores)
    assert (made["FP"].value, made["FR"].value) == (pytest.approx((0.1 + 1) / 2), 1)
    assert made["FP_product"].items["unresolved"] == 9
    # What was looked up is kept: without the world nothing changes.
    assert build.scored(folder, "faithfulness", judge, rules=rules) == scores
