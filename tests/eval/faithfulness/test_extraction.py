"""Stage 1: what a judge extracts, resolved against the report and its evidence."""

from pathlib import Path
from typing import Any

import pytest

from drretail.eval.faithfulness.extraction import ALL, CITED, Claim, SentenceFinder, SourceResolver
from drretail.records.score import Verdict
from tests.eval.faithfulness.reports import BIRDS, BIRDS_ID, BLOCKED, EVIDENCE, claim, judged, scripted, subject

REPORT = f"""# Beds

The **Fluffwick bed** costs $49.99 [P:B0BED00001]. Cardinals like seeds [1], and shy away [2].
It has 9 zips [P:INVENTED01]. See [the page]({BLOCKED}).

## Sources
[1] Cardinals — {BIRDS}
"""


def claims_in(verdicts: list[Verdict], stage: str) -> list[Claim]:
    (verdict,) = [verdict for verdict in verdicts if verdict.stage == stage]
    return [Claim.model_validate(value) for value in verdict.value]


def extracted(folder: Path, *claims: dict[str, Any], report: str = REPORT) -> list[Claim]:
    judge = scripted({"claims": []}, {"claims": list(claims)})
    return claims_in(judged(folder, judge, subject(report)), ALL)


def test_sources_are_resolved_however_the_judge_copies_them(tmp_path: Path) -> None:
    found = extracted(
        tmp_path,
        claim(1, "a", "P:B0BED00001", "[P:B0BED00001]"),
        claim(2, "b", BIRDS),
        claim(3, "c", f"{BIRDS}/"),
        claim(4, "d", "1"),
        claim(5, "e", "[1]"),
        claim(6, "f", BLOCKED),
        claim(7, "g", "P:INVENTED01", "2", ""),
        claim(8, "h"),
    )
    assert [it.sources for it in found] == [
        ("P:B0BED00001",),
        (BIRDS_ID,),
        (BIRDS_ID,),
        (BIRDS_ID,),
        (BIRDS_ID,),
        (next(it.id for it in EVIDENCE.values() if it.url == BLOCKED),),
        (),
        (),
    ]
    assert [it.unresolved for it in found][6:] == [("P:INVENTED01", "2", ""), ()]


def test_the_address_of_a_page_that_the_run_never_saw_stays_a_source(tmp_path: Path) -> None:
    (found,) = extracted(
        tmp_path, claim(1, "a", "https://unseen.example/x"), report="Seeds help https://unseen.example/x today."
    )
    assert (found.sources, found.unresolved) == (("https://unseen.example/x",), ())


def test_a_source_that_the_report_does_not_name_is_sent_back(tmp_path: Path) -> None:
    judge = scripted(
        {"claims": [claim(1, "a", "P:B0BED00001"), claim(2, "b", "https://made.up/x")]},
        {"claims": [claim(1, "a", "P:B0BED00001")]},
        {"claims": [claim(1, "a", "P:B0BED00001"), claim(3, "b")]},
        {"claims": [claim(1, "a", "P:B0BED00001"), claim(2, "b")]},
        {"support": "full_support", "justification": "ok", "quote": ""},
    )
    verdicts = judged(tmp_path, judge, subject(REPORT))
    assert [len(claims_in(verdicts, stage)) for stage in (CITED, ALL)] == [1, 2]


def test_an_extraction_that_cannot_be_repaired_fails_alone(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, scripted("no", "no", "no", {"claims": [claim(1, "a")]}), subject(REPORT))
    assert [(verdict.stage, verdict.state) for verdict in verdicts] == [(CITED, "failed"), (ALL, "scored")]
    assert verdicts[0].error is not None
    assert verdicts[0].error.startswith("model: no usable answer after 2 repairs")


def test_claims_carry_the_place_of_their_sentence(tmp_path: Path) -> None:
    found = extracted(
        tmp_path,
        claim(1, "a", quote="The Fluffwick bed costs\n$49.99"),
        claim(2, "b", quote="cardinals like seeds"),
        claim(3, "c", quote="words that stand nowhere"),
        claim(4, "d"),
    )
    assert [REPORT[it.start : it.end] if it.start is not None else None for it in found] == [
        "The **Fluffwick bed** costs $49.99 [P:B0BED00001].",
        "Cardinals like seeds [1], and shy away [2].",
        None,
        None,
    ]


def test_ids_of_claims_change_with_what_they_say(tmp_path: Path) -> None:
    one = extracted(tmp_path / "a", claim(1, "a", "P:B0BED00001"))
    same = extracted(tmp_path / "b", claim(1, "a", "P:B0BED00001"))
    other = extracted(tmp_path / "c", claim(1, "b", "P:B0BED00001"))
    assert one[0].claim_id == same[0].claim_id != other[0].claim_id


def test_an_empty_report_has_no_claims_and_nobody_is_asked(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, scripted(), subject(" \n"))
    assert [(verdict.stage, verdict.state, verdict.value) for verdict in verdicts] == [
        (CITED, "scored", []),
        (ALL, "scored", []),
    ]


@pytest.mark.parametrize("source", ["P:B0BED00001", BIRDS, "1", "P:INVENTED01", "2"])
def test_what_the_report_says_is_known_to_be_in_it(source: str) -> None:
    assert SourceResolver(REPORT, EVIDENCE).is_in_report(source)


def test_a_sentence_is_found_across_lines_and_markup() -> None:
    report = "- One *two*\n  three. Four [x](https://a.example) five.\n"
    finder = SentenceFinder(report)
    found = finder.find("two three")
    assert found is not None
    assert report[slice(*found)] == "One *two*\n  three."
    assert finder.find("") is None
