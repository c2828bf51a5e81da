"""Every formula of faithfulness by hand, the whole chain with rules, and pages as they were and as they are now."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from drretail.env.web.base import WebPage
from drretail.eval.claims.claims import (
    ALL,
    CITED,
    EXTRACT,
    SUPPORT,
    SUPPORT_LIVE,
    SUPPORT_SHOWN,
    Claim,
    make_claim,
    source_type,
    unit_of,
)
from drretail.eval.claims.rulings import ASKED_AGAIN, CHANGED, NOT_RATED
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.metrics.faithfulness import AS_IN_LEDGER, CHANGED_MINDS, METRIC
from drretail.llm.scripted import ScriptedAnswer, requests_of, scripted_model
from drretail.records.evidence import EvidenceText
from drretail.records.score import Rules, Scores, SourceRef, Verdict, VerdictState
from tests import build
from tests.build import LABEL, experiment
from tests.eval.metrics.faithfulness.reports import (
    BIRDS,
    BIRDS_ID,
    EVIDENCE,
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
    """A claim and what became of it; ``unread`` are sources without a text."""

    claim: Claim
    outcome: Outcome | None = None
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def scored(
    claims: Sequence[Of] | None, rules: Rules = "default", every: Sequence[Claim] | None = None
) -> dict[str, Value]:
    """The values of a report with these claims; under other rules ``every`` claim is extracted apart."""
    held = None if claims is None else [claim.claim for claim in claims]
    verdicts = [extraction(EXTRACT, held)]
    if rules != "default":
        verdicts = [extraction(CITED, held), extraction(ALL, every)]
    for of in claims or ():
        if of.outcome is None:
            continue
        refs = [SourceRef(id=source, sha256="s") for source in of.claim.sources if source not in of.unread]
        if isinstance(of.outcome, str):
            state: VerdictState = "na" if of.notes else "failed" if of.outcome == "failed" else "unverifiable"
            verdicts.append(verdict("support", of.claim.claim_id, state, None, of.notes))
        else:
            made = verdict("support", of.claim.claim_id, "scored", of.outcome, of.notes)
            verdicts.append(made.model_copy(update={"sources": tuple(refs)}))
    return values(subject("A report."), verdicts, rules)


def cites(number: int, *sources: str, unresolved: Sequence[str] = ()) -> Claim:
    return make_claim(number, f"Claim {number}.", sources, unresolved)


def over_all(variant: str, reports: Sequence[Mapping[str, Value]]) -> float | None:
    """The mean of the variant's parts, each a sum over reports by a sum over reports."""
    parts = zip(*(METRIC.pooled[variant](report) for report in reports), strict=True)
    sums = [(sum(above for above, _ in part), sum(below for _, below in part)) for part in parts]
    return None if any(not below for _, below in sums) else sum(a / b for a, b in sums) / len(sums)


WEB, PRODUCT, ORDER = "W:aaaaaaaa", "P:B0BED00001", "O:0000000001"


def got(found: Mapping[str, Value], *names: str) -> list[tuple[VerdictState, float | None]]:
    return [(found[name].state, found[name].value) for name in names]


def test_the_headline_is_the_mean_over_claims_with_a_page_or_product_each_once() -> None:
    pages = [Of(cites(1, WEB), 1.0), Of(cites(2, WEB, PRODUCT), 1.0)]
    products = [Of(cites(3, PRODUCT), 0.5), Of(cites(4, PRODUCT), 0.0)]
    found = scored([*pages, *products, Of(cites(5, ORDER), 1.0), Of(cites(6))])
    # Of four claims 2.5 are borne out; of two with a page 2, of three with a product 1.5, so of five pairs 3.5.
    assert got(found, "FP_web", "FP_product", "FP_internal") == [("scored", 1.0), ("scored", 0.5), ("scored", 1.0)]
    headlines = [("scored", each) for each in (0.625, 0.75, 0.7, 0.625)]
    assert got(found, "FP", "FP_types", "FP_pooled", "FP_strict") == headlines
    assert got(found, "FP_eq2", "FP_eq2_report") == [("scored", 0.75)] * 2
    assert got(found, "N_cited", "N_web", "N_product") == [("scored", each) for each in (5.0, 2.0, 3.0)]
    assert got(found, "N_supported") == [("scored", 2.5)]
    items = found["FP"].items
    assert (items["units"], items["scored"], items["support"]) == (4, 4, 2.5)
    assert (items["full"], items["partial"], items["none"], items["claims"]) == (2, 1, 1, 5)


def test_a_contradicted_claim_is_zero_and_counted_apart_and_changed_minds_are_a_share_of_those_asked_again() -> None:
    claims = [Of(cites(1, WEB), 0.0, notes=("contradicted",)), Of(cites(2, PRODUCT), 0.0), Of(cites(3, WEB), 1.0)]
    found = scored(claims)
    assert got(found, "FP") == [("scored", 1 / 3)]
    items = found["FP"].items
    assert (items["contradicted"], items["none"], items["full"]) == (1, 1, 1)

    notes = [(ASKED_AGAIN, CHANGED), (ASKED_AGAIN,), ()]
    found = scored([Of(cites(number, WEB), 1.0, notes=own) for number, own in enumerate(notes, 1)])
    assert got(found, CHANGED_MINDS) == [("scored", 0.5)]


def test_what_a_rule_based_judge_does_not_rate_is_in_no_mean_and_no_zero() -> None:
    unrated = Of(cites(1, PRODUCT), "not rated", notes=(NOT_RATED,))
    found = scored([unrated, Of(cites(2, PRODUCT), 1.0)])
    assert got(found, "FP", "FP_strict") == [("scored", 1.0)] * 2
    items = found["FP"].items
    assert (items["units"], items["unrated"], items["failed"], items["unfetched"]) == (1, 1, 0, 0)
    alone = scored([unrated])
    assert alone["FP"].state == "na"
    assert alone["N_supported"].state == "na"


def test_an_invented_source_is_a_zero_and_no_unit_and_an_unread_one_is_unverifiable() -> None:
    claims = [
        Of(cites(1, PRODUCT, unresolved=["P:INVENTED01"]), 1.0),
        Of(cites(2, unresolved=["7"])),
        Of(cites(3, unresolved=["O:1"])),
    ]
    found, papers = scored(claims), scored(claims, "paper", [])
    # What a real source beside it bears out stays so; an invented order is outside FP
    assert got(found, "FP", "FP_product", "FP_web") == [("scored", 0.5), ("scored", 1.0), ("scored", 0.0)]
    assert got(found, "N_cited", "N_supported", "FR_pooled") == [("scored", 1.0), ("scored", 1.0), ("scored", 1 / 3)]
    assert over_all("FP_pooled", [found]) == 0.5
    assert got(papers, "FP", "FP_web") == [("scored", 1.0), ("na", None)]
    # Where the judge failed on all others, one invented source is no value
    assert got(scored([Of(cites(1, WEB), "failed"), Of(cites(2, unresolved=["7"]))]), "FP") == [("failed", None)]
    # 1 of one claim judged and two with something invented; orders are outside FP
    assert found["FP_strict"].value == pytest.approx(1 / 3)
    # product (1 + 0) / 2, web 0 / 1: a number without an entry counts as web
    assert papers["FP_strict"].value == 0.25
    assert found["FP"].items["unresolved"] == 2

    found = scored([Of(cites(1, WEB, PRODUCT, ORDER), 1.0, unread=(WEB, PRODUCT))])
    assert got(found, "FP", "FP_web", "FP_product") == [("unverifiable", None)] * 3
    assert got(found, "FP_internal", "N_web") == [("scored", 1.0), ("scored", 1.0)]


@pytest.mark.parametrize(
    ("outcomes", "state", "strict"),
    [
        ([], "na", ("na", None)),
        (["unverifiable"], "unverifiable", ("scored", 0.0)),
        (["failed"], "failed", ("failed", None)),
        (["unverifiable", "failed"], "failed", ("failed", None)),
    ],
)
def test_a_report_without_a_scored_claim_is_never_zero(
    outcomes: list[str], state: VerdictState, strict: tuple[VerdictState, float | None]
) -> None:
    found = scored([Of(cites(n, f"W:aaaaaaa{'abc'[n]}"), outcome) for n, outcome in enumerate(outcomes)])
    assert got(found, "FP", "FP_web", "FP_types", "FP_pooled", "FP_eq2") == [(state, None)] * 5
    assert got(found, "FP_strict") == [strict]
    assert found["N_supported"].state == ("scored" if not outcomes else state)


def test_recall_counts_every_resolved_source_and_without_a_claim_it_is_not_applicable() -> None:
    every = [cites(1, WEB), cites(2, PRODUCT, ORDER), cites(3, ORDER), cites(4), cites(5, unresolved=["P:INVENTED01"])]
    found = scored([Of(each, 1.0 if each.sources else None) for each in every])
    assert got(found, "FR", "FR_url", "FR_pooled") == [("scored", 0.6), ("scored", 0.4), ("scored", 0.6)]
    assert found["FR"].items == {"cited": 3, "total": 5}

    assert got(scored([]), "FR", "FR_url", "FP") == [("na", None)] * 3
    assert got(scored([Of(cites(1))]), "FR", "FR_url") == [("scored", 0.0)] * 2
    assert scored([])["N_cited"].value == 0


def test_under_the_papers_rules_headlines_are_by_type_and_by_address() -> None:
    claims = [Of(cites(1, WEB), 0.0), *(Of(cites(each, PRODUCT), 1.0) for each in (2, 3, 4))]
    found = scored(claims, "paper", [cites(1, WEB), cites(2, ORDER)])
    assert got(found, "FP", "FP_types", "FP_pooled") == [("scored", 0.5), ("scored", 0.5), ("scored", 0.75)]
    assert got(found, "FR", "FR_url", "FR_pooled") == [("scored", 0.5)] * 3
    assert (found["FP"].items["claims"], found["FR"].items["cited"]) == (4, 1)  # two extractions, two counts
    assert got(scored(claims), "FP") == [("scored", 0.75)]


def test_a_failed_extraction_or_a_judging_that_did_not_end_fails_only_what_needs_it() -> None:
    assert {each.state for each in scored(None).values()} == {"failed"}
    without_cited = scored(None, "paper", [cites(1, WEB)])
    assert got(without_cited, "FP", "FP_strict", "N_cited", "FR") == [("failed", None)] * 3 + [("scored", 1.0)]
    without_all = scored([Of(cites(1, WEB), 1.0)], "paper", None)
    assert got(without_all, "FP", "FR", "FR_url", "FR_pooled") == [("scored", 1.0)] + [("failed", None)] * 3

    found = scored([Of(cites(1, WEB), 1.0), Of(cites(2, WEB))])
    assert got(found, "FP", "FP_web", "FP_pooled", "N_supported") == [("failed", None)] * 4


def test_every_report_has_every_variant_in_the_tables_order() -> None:
    # The rules drg know no live pages, and neither they nor the paper what an agent was shown and a second answer.
    unknown: dict[Rules, Sequence[str]]
    unknown = {"default": (), "paper": ("shown", "minds"), "drg": ("shown", "minds", "live")}
    for rules, endings in unknown.items():
        known = [variant for variant in METRIC.variants if variant.rpartition("_")[2] not in endings]
        assert list(scored([], rules, [])) == known


def test_drg_counts_failures_and_silence_as_zero() -> None:
    claims = [Of(cites(1, WEB, PRODUCT), 1.0), Of(cites(2, WEB), "failed"), Of(cites(3, ORDER))]
    found = scored(claims, "drg", [cites(1, WEB), cites(2)])
    assert got(found, "FP", "FR", "FP_web") == [("scored", 0.5), ("scored", 0.5), ("na", None)]
    silent = scored([], "drg", [])
    assert got(silent, "FP", "FR") == [("scored", 0.0), ("scored", 0.0)]
    assert over_all("FP_pooled", [found]) == 0.5


def test_a_claim_is_one_unit_on_all_its_sources_and_under_drg_on_its_addresses() -> None:
    claim = cites(1, WEB, PRODUCT, ORDER, "https://a.example/x", unresolved=["http://ecommerce.com/NOPE"])
    unit = build.known(unit_of(claim, "default"))
    assert (unit.types, unit.sources) == (("web", "product", "internal"), claim.sources)
    assert unit == unit_of(claim, "paper")
    one = unit_of(claim, "drg")
    assert build.known(one).sources == (WEB, PRODUCT, "https://a.example/x", "http://ecommerce.com/NOPE")
    assert unit_of(cites(2, ORDER), "drg") is unit_of(cites(3), "default") is None


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("P:B0X", "product"),
        ("http://ecommerce.com/B0X", "product"),
        ("http://www.ecommerce.com/B0X", "product"),
        ("http://ecommerce.com.evil.example/B0X", "web"),
        ("W:aaaaaaaa", "web"),
        ("https://a.example/x", "web"),
        ("7", "web"),
        ("U:orders", "internal"),
        ("C:aaaaaaaa", "internal"),
    ],
)
def test_a_sources_type_shows_in_its_form(source: str, kind: str) -> None:
    assert source_type(source) == kind


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

BORNE_OUT = dict.fromkeys(("FP", "FP_product", "FP_internal", "FP_strict"), 1.0)
KEYWORDS = "dog bed, orthopedic, washable, cheap beds, large\n\nbirds\nfeeders, seeds, best deals"


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (GOOD, {**BORNE_OUT, "FP_web": "na", "N_cited": 3.0, "N_product": 3.0, "FR": 1, "FR_url": 5 / 6}),
        ("", {**dict.fromkeys(("FP", "FP_strict", "FR", "FR_url"), "na"), "N_cited": 0}),
        (QUERY, {"FP": "na", "N_cited": 0}),
        (KEYWORDS, {"FP": "na", "FR": "na", "N_cited": 0}),
        ("The Fluffwick bed costs $49.99. Cardinals eat sunflower seeds.", {"FP": "na", "FR": 0, "FR_url": 0}),
        ("The Fluffwick bed costs $49.99 [P:INVENTED01].", {"FP": 0, "FP_strict": 0, "FR": 0}),
    ],
    ids=["sound", "empty", "copy of the query", "keywords", "uncited", "invented source"],
)
def test_a_report_gets_what_it_deserves(tmp_path: Path, report: str, expected: dict[str, float | str]) -> None:
    about = subject(report, query=QUERY)
    made = values(about, judged(tmp_path, offline_judge(), about))
    found = {name: score.state if score.value is None else score.value for name, score in made.items()}
    assert {name: found[name] for name in expected} == expected


DAWN = "Cardinals visit feeders at dawn."
REPORT = f"Cardinals visit feeders at dawn [{BIRDS_ID}]."
PAGE = text("Northern cardinals prefer sunflower seeds.", "page", shown=False)
SNIPPET = text("Cardinals visit feeders at dawn.", "snippet")
SUMMARY = text("Cardinals prefer seeds and visit feeders at dawn.", "summary")


def about(*texts: EvidenceText, report: str = REPORT, **state: Any) -> Subject:
    page = entry(BIRDS_ID, "web", *texts, url=BIRDS).model_copy(update=state)
    return subject(report, EVIDENCE | {BIRDS_ID: page})


def by_stage(folder: Path, judge: Judge, of: Subject, rules: Rules = "default") -> dict[str, Verdict]:
    return {verdict.stage: verdict for verdict in judged(folder, judge, of, rules)}


def answering(*supports: Any) -> Judge:
    return scripted({"claims": [claim(1, DAWN, BIRDS_ID)]}, *supports)


@pytest.mark.parametrize(("shown", "note"), [(SNIPPET, "only_in_snippet"), (SUMMARY, "distorted_in_summary")])
def test_the_page_decides_and_what_the_agent_read_is_noted(tmp_path: Path, shown: EvidenceText, note: str) -> None:
    of = about(shown, PAGE)
    found = by_stage(tmp_path, answering(support("full"), support("no")), of)
    assert (found[SUPPORT].value, found[SUPPORT].notes) == (0, (note,))
    assert [source.sha256 for source in found[SUPPORT].sources] == [PAGE.sha256]
    assert [source.sha256 for source in found[SUPPORT_SHOWN].sources] == [shown.sha256]
    made = values(of, list(found.values()))
    assert [made[name].value for name in ("FP", "FP_web", "FP_shown", "FP_web_shown")] == [0, 0, 1, 1]
    assert made["FP"].items[note] == 1


def test_what_the_agent_read_is_asked_about_only_where_it_is_not_what_it_is_judged_by(tmp_path: Path) -> None:
    read = about(PAGE.model_copy(update={"shown": True}))
    found = by_stage(tmp_path, answering(support("partial")), read)
    assert SUPPORT_SHOWN not in found
    made = values(read, list(found.values()))
    assert (made["FP_web"].value, made["FP_web_shown"].value) == (0.5, 0.5)


def test_an_unreadable_page_is_unverifiable_with_the_reason_whatever_its_snippet_says(tmp_path: Path) -> None:
    of = about(SNIPPET, state="blocked", problem="robots.txt forbids it.")
    found = by_stage(tmp_path, answering(support("full")), of)
    assert found[SUPPORT].state == "unverifiable"
    assert f"{BIRDS_ID} (robots.txt forbids it.)" in found[SUPPORT].reason
    made = values(of, list(found.values()))
    assert (made["FP_web"].state, made["FP"].state) == ("unverifiable", "unverifiable")
    assert (made["FP_web_shown"].value, made["FP_shown"].value) == (1, 1)


def test_a_page_that_nobody_fetched_makes_its_claims_na_and_says_what_to_do(tmp_path: Path) -> None:
    report = f"{REPORT} So does the bed at $49.99 [{BIRDS_ID}][P:B0BED00001]. It is grey [P:B0BED00001]."
    of = about(SNIPPET, report=report)
    claims = [claim(1, DAWN, BIRDS_ID), claim(2, "The bed costs $49.99.", BIRDS_ID, "P:B0BED00001")]
    claims.append(claim(3, "The bed is grey.", "P:B0BED00001"))
    shown = {"claims": [ruled(1, "full"), ruled(2, "partial")]}
    judge = scripted({"claims": claims}, shown, support("full"))
    verdicts = judged(tmp_path, judge, of)
    found = {verdict.item[0]: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    # A claim that cites a record beside it is not judged by half of its sources.
    assert [found[number].state for number in "123"] == ["na", "na", "scored"]
    assert "--fetch-sources" in found["1"].reason
    made = values(of, verdicts)
    assert (made["FP_web"].state, made["FP_web"].items["unfetched"]) == ("na", 2)
    assert (made["FP"].value, made["FP_product"].value) == (1, 1)
    assert (made["FP_web_shown"].value, made["FP_shown"].value) == (0.75, 2.5 / 3)


@pytest.mark.parametrize("rules", ["paper", "drg"])
def test_the_paper_knows_nothing_of_what_was_shown_and_an_unfetched_page_is_no_0(tmp_path: Path, rules: Rules) -> None:
    of = about(SNIPPET)
    judge = scripted({"claims": [papers_claim(1, DAWN, BIRDS_ID)]}, {"claims": []})
    found = by_stage(tmp_path, judge, of, rules)
    assert (found[SUPPORT].state, SUPPORT_SHOWN in found) == ("na", False)
    made = values(of, list(found.values()), rules)
    assert (made["FP"].state, "FP_shown" in made) == ("na", False)


def test_once_its_page_is_there_a_claim_is_judged_and_nothing_else_is_asked_again(tmp_path: Path) -> None:
    report = f"{REPORT} It is grey [P:B0BED00001]."
    claims = [claim(1, DAWN, BIRDS_ID), claim(2, "The bed is grey.", "P:B0BED00001")]
    judge = scripted({"claims": claims}, support("full"), support("full"))
    before = judged(tmp_path, judge, about(SNIPPET, report=report))
    assert {each.item[0]: each.state for each in before if each.stage == SUPPORT} == {"1": "na", "2": "scored"}
    fetched = about(SNIPPET, PAGE, report=report)
    after = judged(tmp_path, scripted(support("no")), fetched)
    assert {each.item[0]: each.value for each in after if each.stage == SUPPORT} == {"1": 0, "2": 1}
    assert judged(tmp_path, scripted(), fetched) == after


FACT = "Feeders are visited at dawn by cardinals, and at dusk."


def test_a_page_of_200000_characters_is_cut_to_what_a_judge_holds_and_the_verdict_says_so(tmp_path: Path) -> None:
    filler = "Nothing that matters to anybody stands in this paragraph. " * 10
    page = text("\n\n".join([*[filler] * 250, FACT, *[filler] * 110]), "page", shown=False)
    assert len(page.text) > 200_000
    of, answers = about(page), [{"claims": [claim(1, DAWN, BIRDS_ID)]}, support("full", "read", FACT)]
    model = scripted_model(play=build.quoting(lambda _: ScriptedAnswer(structured=answers.pop(0))), name="small")
    found = by_stage(tmp_path, Judge.of(replace(model, stated_context=8_192)), of)
    (source,) = found[SUPPORT].sources
    assert (found[SUPPORT].value, found[SUPPORT].quote) == (1, FACT)
    assert found[SUPPORT].notes == ("source_cut",)
    assert source.sha256 == page.sha256  # of the whole page
    assert source.share == pytest.approx(8_192 * 0.5 * 4 / len(page.text), rel=0.1)
    asked = requests_of(model)[-1].messages[-1].text
    assert (len(asked) < 8_192 * 4, FACT in asked) == (True, True)
    assert values(of, list(found.values()))["FP"].items["source_cut"] == 1


UNSEEN = "https://unseen.example/x"
SEEDS = "Cardinals prefer sunflower seeds."
LIVE_REPORT = f"{SEEDS[:-1]} [{BIRDS_ID}]."
IN_LEDGER = next(text.text for text in EVIDENCE[BIRDS_ID].texts if text.form == "page")


def looking_again(report: str, pages: Mapping[str, WebPage]) -> Subject:
    async def page_at(url: str) -> WebPage:
        return pages.get(url) or WebPage(url, "", "", "error", problem="There is no such page (404).")

    return replace(subject(report), page_at=page_at)


def page(url: str, text: str, date: str | None = None) -> WebPage:
    return WebPage(url, "A page", text, "ok", date)


def test_a_page_that_changed_is_judged_again_and_one_that_reads_as_in_the_ledger_is_not(tmp_path: Path) -> None:
    judge = scripted({"claims": [claim(1, SEEDS, BIRDS_ID)]}, support("full"), support("no", "it says other"))
    about = looking_again(LIVE_REPORT, {BIRDS: page(BIRDS, "Cardinals eat worms.")})
    found = by_stage(tmp_path, judge, about)
    ledger, live = found[SUPPORT], found[SUPPORT_LIVE]
    assert (ledger.value, live.value, live.reason) == (1, 0, "it says other")
    assert ledger.sources != live.sources
    made = values(about, list(found.values()))
    assert (made["FP_web"].value, made["FP_web_live"].value, made["FP"].value) == (1, 0, 1)

    judge = scripted({"claims": [claim(1, SEEDS, BIRDS_ID)]}, support("full"))
    found = by_stage(tmp_path / "as_was", judge, looking_again(LIVE_REPORT, {BIRDS: page(BIRDS, IN_LEDGER)}))
    assert (found[SUPPORT_LIVE].value, found[SUPPORT_LIVE].notes) == (1, (AS_IN_LEDGER,))

    report = "The bed is soft [P:B0BED00001]. You have the bowl [O:0000000001]."
    verdicts = judged(tmp_path / "records", offline_judge(), looking_again(report, {}))
    assert [verdict.stage for verdict in verdicts if verdict.stage.startswith(SUPPORT)] == [SUPPORT] * 2


class Site:
    """The open web of a test, where one page is."""

    provider = "site"

    def __init__(self) -> None:
        self.fetched: list[str] = []

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        is_there = url == BIRDS
        return page(url, "Northern cardinals prefer sunflower seeds.") if is_there else WebPage(url, "", "", "error")


def scored_by(folder: Path, site: Site | None) -> Scores:
    live = None if site is None else {LABEL: site}
    return build.scored(folder, "faithfulness", offline_judge(), live=live)


def test_an_experiment_is_scored_by_live_pages_once_and_then_from_what_was_written_down(tmp_path: Path) -> None:
    reports = {
        "q1-r1": f"Northern cardinals prefer sunflower seeds ({BIRDS}).",
        "q2-r1": f"Northern cardinals prefer sunflower seeds ({UNSEEN}).",
        "q3-r1": "Nothing is cited here, and nothing is said.",
        "q4-r1": None,
    }
    folder, site = experiment(tmp_path / "exp", {LABEL: reports}), Site()
    assert all(row.variant != "FP_web_live" for row in scored_by(folder, None).scores)
    first = scored_by(folder, site)
    (row,) = [each for each in first.scores if each.variant == "FP_web_live"]
    assert (row.value, row.n_scored, row.n_unverifiable, row.n_na, row.n_failed) == (None, 0, 1, 2, 1)
    assert sorted(site.fetched) == sorted([BIRDS, UNSEEN])
    files = build.files(folder)
    assert scored_by(folder, site) == first
    assert len(site.fetched) == 2
    assert build.files(folder) == files
    # And once judged, the column stays when nobody looks again.
    assert scored_by(folder, None) == first
