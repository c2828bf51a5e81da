"""Stages 2 and 3: what claims are judged against, and what is made of the judgement."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drretail.eval.claims.audit import shares_of
from drretail.eval.claims.claims import MOST_CLAIMS, SUPPORT
from drretail.eval.judging.session import Judge
from drretail.experiments.experiment import keep_source
from drretail.experiments.journal import read_effects
from drretail.records.evidence import FetchedPage, SourceState
from drretail.records.score import Verdict
from drretail.records.shop import Money
from drretail.records.wish import Wish
from drretail.reports.text.evidence_ids import web_evidence_id
from tests.eval.metrics.faithfulness.reports import (
    BIRDS_ID,
    EVIDENCE,
    alone,
    claim,
    entry,
    judged,
    papers_claim,
    ruled,
    said_value,
    scripted,
    subject,
    support,
    text,
    values,
)


def support_of(folder: Path, judge: Judge, report: str) -> list[Verdict]:
    return [verdict for verdict in judged(folder, judge, subject(report)) if verdict.stage == SUPPORT]


def test_an_address_that_nobody_was_given_is_0_only_where_nothing_is(tmp_path: Path) -> None:
    gone, walled, unread = (f"https://{name}.example/a" for name in ("gone", "walled", "unread"))
    states: tuple[tuple[str, SourceState], ...] = ((gone, "not_found"), (walled, "blocked"))
    for url, state in states:
        keep_source(tmp_path, web_evidence_id(url), url, FetchedPage(title="", text="", state=state))
    report = f"They moult [1]({gone}). They sing [2]({walled}). They fly [3]({unread})."
    said = {"They moult.": gone, "They sing.": walled, "They fly.": unread}
    claims = [claim(number, words, url) for number, (words, url) in enumerate(said.items(), 1)]
    given = entry(BIRDS_ID, "web", text(f"Moulting is told at {gone}.", "page"), url="https://birds.example/")
    for evidence, state in (((), "scored"), ((given,), "unverifiable")):
        of = replace(subject(report, {each.id: each for each in evidence}), folder=tmp_path)
        verdicts = judged(tmp_path / state, scripted({"claims": claims}), of)
        assert [each.state for each in verdicts if each.stage == SUPPORT] == [state, "unverifiable", "na"]
        assert values(of, verdicts)["FP_web"].value == (None if evidence else 0)


def questions(folder: Path) -> list[str]:
    """What the judge was asked about support, repairs left out."""
    effects = read_effects(folder / "q1-r1.journal.jsonl")
    asked = [effect.request["messages"] for effect in effects if effect.scope.partition("/")[0] == SUPPORT]
    return [messages[0]["content"] for messages in asked if len(messages) == 1]


def test_support_without_a_quote_that_a_source_holds_is_asked_for_once_more_and_then_failed(tmp_path: Path) -> None:
    report = "The Fluffwick bed suits old dogs [P:B0BED00001]."
    claims = [claim(at, text, "P:B0BED00001") for at, text in enumerate(("a", "b", "c"), 1)]
    invented, held = "it is the best of all beds", "Memory foam base"
    first = {"claims": [ruled(1, "full", "x", invented), ruled(2, "full", "x", held), ruled(3, "no", "x")]}
    judge = scripted({"claims": claims}, first, support("full", "again", invented))
    a, b, c = support_of(tmp_path, judge, report)
    assert "no quote that was given stands in its sources" in questions(tmp_path)[1]
    assert (a.state, a.notes) == ("failed", ("quote_dropped", "no_quote"))
    assert [(each.state, each.value, each.notes) for each in (b, c)] == [("scored", 1, ()), ("scored", 0, ())]
    better = scripted({"claims": claims}, first, support("partial", "again", held))
    (mended, *_) = support_of(tmp_path / "better", better, report)
    assert (mended.value, mended.reason, mended.quote, mended.notes) == (0.5, "again", held, ("no_quote",))


def test_a_judge_calls_a_short_page_refused_which_is_unverifiable_and_no_other_source(tmp_path: Path) -> None:
    notice = entry(BIRDS_ID, "web", text("Members only. Join to read on.", "page"), url="https://birds.example/")
    found: list[Verdict] = []
    for source, answers in ((BIRDS_ID, ("refused",)), ("P:B0BED00001", ("refused", "no"))):
        judge = scripted({"claims": [claim(1, "Soft.", source)]}, *map(support, answers))
        of = subject(f"Soft [{source}].", {**EVIDENCE, BIRDS_ID: notice})
        found += [verdict for verdict in judged(tmp_path / source[:1], judge, of) if verdict.stage == SUPPORT]
    values = [(verdict.state, verdict.value, verdict.notes) for verdict in found]
    assert values == [("unverifiable", None, ("refused",)), ("scored", 0, ())]


def many(count: int, *sources: str) -> list[dict[str, Any]]:
    return [claim(number, f"It has {number} zips.", *sources) for number in range(1, count + 1)]


def test_claims_share_a_call_up_to_a_limit_and_each_names_its_sources(tmp_path: Path) -> None:
    claims = many(MOST_CLAIMS + 1, "P:B0BED00001")
    claims.append(claim(len(claims) + 1, "It is blue.", "P:B0BOWL0001"))
    first = {"claims": [ruled(each, "full" if each % 2 else "no") for each in range(1, MOST_CLAIMS + 1)]}
    second = {"claims": [ruled(1, "partial"), ruled(2, "contradicted")]}
    judge = scripted({"claims": claims}, first, second)
    found = support_of(tmp_path, judge, "Zips [P:B0BED00001]. Blue [P:B0BOWL0001].")
    assert [verdict.value for verdict in found] == [float(each % 2) for each in range(1, MOST_CLAIMS + 1)] + [0.5, 0]
    assert [source.id for source in found[-1].sources] == ["P:B0BOWL0001"]
    asked = sorted(questions(tmp_path), key=lambda text: -text.count("<claim "))
    assert [text.count("<claim ") for text in asked] == [MOST_CLAIMS, 2]
    assert [text.count("<source id=") for text in asked] == [2, 3]  # Q, and each record once
    assert '<claim id="2" sources="P:B0BOWL0001">\nIt is blue.' in asked[1]


def test_what_an_answer_lacks_is_asked_for_alone(tmp_path: Path) -> None:
    lacking: tuple[list[Any], ...] = (
        [ruled(2, "full", "  ")],
        [ruled(2, "full"), ruled(2, "no")],
    )
    for number, second in enumerate(lacking):
        first = {"claims": [ruled(1, "full"), *second]}
        judge = scripted({"claims": many(2, "P:B0BED00001")}, first, support("no"))
        found = support_of(tmp_path / f"{number}", judge, "Zips [P:B0BED00001].")
        assert [each.value for each in found] == [1, 0], second
        assert [asked.count("<claim ") for asked in questions(tmp_path / f"{number}")] == [2, 1]


def test_an_answer_on_other_claims_is_sent_back_and_a_claim_that_no_answer_holds_fails_alone(tmp_path: Path) -> None:
    strange = {"claims": [ruled(1, "full"), ruled(7, "full")]}
    judge = scripted({"claims": many(1, "P:B0BED00001")}, strange, support("no"))
    (verdict,) = support_of(tmp_path / "strange", judge, "Zips [P:B0BED00001].")
    assert (verdict.value, verdict.repairs) == (0, 1)
    nothing: dict[str, Any] = {"claims": []}
    judge = scripted({"claims": many(2, "P:B0BED00001")}, {"claims": [ruled(2, "full")]}, *[nothing] * 3)
    found = support_of(tmp_path / "nothing", judge, "Zips [P:B0BED00001].")
    assert [(each.state, each.value) for each in found] == [("failed", None), ("scored", 1)]
    assert "claims 1 to 1" in (found[0].error or "")


SUM = entry("C:aaaaaaaa", "calculation", text("49.99+12.5 = 62.49", "record"))


def test_terms_of_calculations_and_orders_come_with_a_line_of_what_they_are_such_as_the_budget(tmp_path: Path) -> None:
    report = "Both are $62.49 [C:aaaaaaaa]. $7.51 is left [C:bbbbbbbb]. You have the bowl [O:0000000001]."
    left = entry("C:bbbbbbbb", "calculation", text("70-62.49 = 7.51", "record"))
    claims = [claim(1, "Both are $62.49.", "C:aaaaaaaa"), claim(2, "$7.51 is left.", "C:bbbbbbbb")]
    claims.append(claim(3, "You have the bowl.", "O:0000000001"))
    judge = scripted({"claims": claims}, {"claims": [ruled(number, "full") for number in (1, 2, 3)]})
    about = subject(report, EVIDENCE | {SUM.id: SUM, left.id: left})
    query = about.query.model_copy(update={"wish": Wish(budget=Money(amount="70"))})
    judged(tmp_path, judge, replace(about, query=query))
    (asked,) = questions(tmp_path)
    assert "49.99 is the price of Fluffwick Orthopedic Dog Bed, Large, Grey (P:B0BED00001)" in asked
    assert "12.5 is the price of Slowpaw Slow Feeder Bowl, Blue (P:B0BOWL0001)" in asked
    assert "70 is the user's budget" in asked
    line = "the user's order of 2023-05-31 (Delivered): 2 x Slowpaw Slow Feeder Bowl, Blue (P:B0BOWL0001) at 12.5 USD"
    assert f'<source id="O:0000000001" title="O:0000000001" about="{line}">' in asked


def test_where_the_records_say_otherwise_the_judge_is_asked_once_more_and_the_second_answer_counts(
    tmp_path: Path,
) -> None:
    values_of = {"full": 1, "partial": 0.5, "no": 0, "contradicted": 0}
    rows = [
        ("$49.99", "price 49.99: agrees with the records", "contradicted", "full"),
        ("$39.99", "price 39.99: the record says $49.99", "full", "contradicted"),
    ]
    for number, (message, line, first, second) in enumerate(rows):
        report = f"The Fluffwick bed costs {message} [P:B0BED00001]."
        price = said_value("price", message, "P:B0BED00001")
        extracted = claim(1, f"The Fluffwick bed costs {message}.", "P:B0BED00001", quote=report, values=[price])
        about, folder = subject(report), tmp_path / f"{number}"
        judge = scripted({"claims": [extracted]}, support(first, "one"), support(second, "two"))
        verdicts = judged(folder, judge, about)
        of_stage = {verdict.stage: verdict for verdict in verdicts}
        alone, shown = questions(folder)
        assert "<record" not in alone
        assert f'<record claim="1">\n{line}\n</record>' in shown
        assert (of_stage["support_first"].value, of_stage["support_first"].reason) == (values_of[first], "one")
        assert (of_stage[SUPPORT].value, of_stage[SUPPORT].reason) == (values_of[second], "two")
        assert "asked_again" in of_stage[SUPPORT].notes
        assert values(about, verdicts)["FP"].value == values_of[second]
        assert shares_of(verdicts)["typed"] == (number == 0, 1), "the price and the first label"


def test_under_the_papers_rules_a_claim_and_its_sources_are_all_that_is_shown(tmp_path: Path) -> None:
    report = "Both are $62.49 [C:aaaaaaaa][P:B0BED00001]."
    extracted = papers_claim(1, "Both are $62.49.", "C:aaaaaaaa", "P:B0BED00001")
    about = subject(report, EVIDENCE | {SUM.id: SUM}, query="A bed under $70, please.")
    about = replace(about, now=datetime(2023, 9, 24, tzinfo=UTC))
    judged(tmp_path, scripted({"claims": [extracted]}, {"claims": []}, alone("full")), about, "paper")
    (asked,) = questions(tmp_path)
    assert "$70" not in asked
    assert not any(word in asked for word in ("about=", "<record", "2023-09-24", "contradict", 'id="Q"'))
    assert asked.count("<claim>") == 1
    assert asked.count("<source ") == 2
