"""Stage 1: what a judge extracts, resolved against the report and its evidence; products named without a citation."""

from pathlib import Path
from typing import Any

from drretail.errors import ModelError
from drretail.eval.claims.claims import EXTRACT, Claim
from drretail.eval.claims.extraction import products_at
from drretail.eval.claims.report_index import Resolved, SourceResolver
from drretail.llm.prompt import tag_content
from drretail.records.run import Turn
from drretail.records.score import Verdict
from drretail.records.shop import Product
from drretail.reports.text.serialisation import record_text
from tests import build
from tests.build import evidence, scripted_judge, text
from tests.eval.metrics.faithfulness.reports import (
    BIRDS,
    BIRDS_ID,
    BLOCKED,
    EVIDENCE,
    claim,
    judged,
    said_value,
    scripted,
    subject,
    support,
)

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
    return claims_in(judged(folder, scripted({"claims": list(claims)}, *["no"] * 30), subject(report)), EXTRACT)


def test_sources_are_resolved_however_a_judge_copies_them() -> None:
    report = f"Both [P:B0BED00001][{BIRDS_ID}]. See https://unseen.example/a,b too.\n\n{REPORT}"
    pages = "\n\n## Sources\n1. A https://a.example/1\n2. Ma, J. (2019). B https://a.example/2\n"
    first, second = "https://a.example/1", "https://a.example/2"
    rows = [
        (report, f"P:B0BED00001; {BIRDS_ID}", ["P:B0BED00001", BIRDS_ID]),
        (report, f"[P:B0BED00001][{BIRDS_ID}]", ["P:B0BED00001", BIRDS_ID]),
        (f"It fell [1, 2].{pages}", "[2]", [second]),
        (f"So[^2^].{pages}", "^2^", [second]),
        (f"So <sup>1, 2</sup>.{pages}", "<sup>1, 2</sup>", [first, second]),
        (r"So \cite{ma}.", r"\cite{ma}", [r"\cite{ma}"]),  # which is not read
    ]
    for written, copied, sources in rows:
        resolver = SourceResolver(written, EVIDENCE)
        assert resolver.is_in_report(copied), copied
        assert resolver.resolve([copied]) == Resolved(tuple(sources), ()), copied


def test_other_sources_are_sent_back_and_whether_there_is_a_product_the_shop_knows(tmp_path: Path) -> None:
    (invented,) = extracted(tmp_path, claim(1, "b", "P:INVENTED01", "2", ""))
    assert (invented.sources, invented.unresolved) == (("P:INVENTED01",), ("2", ""))
    judge = scripted(
        {"claims": [claim(1, "a", "P:B0BED00001"), claim(2, "b", "https://made.up/x")]},
        {"claims": [claim(1, "a", "P:B0BED00001"), claim(3, "b")]},
        {"claims": [claim(1, "a", "P:B0BED00001"), claim(2, "b")]},
        support("full"),
    )
    assert len(claims_in(judged(tmp_path / "back", judge, subject(REPORT)), EXTRACT)) == 2


def test_a_sentence_that_ends_as_the_one_before_it_does_is_found_where_it_stands(tmp_path: Path) -> None:
    report = f"- “We painted one wall sage.” [{BIRDS_ID}]\n- “… one wall sage.” [{BIRDS_ID}]"
    lines = report.removeprefix("- ").split("\n- ")
    claims = [claim(number, line, BIRDS_ID, quote=line) for number, line in enumerate(lines, 1)]
    first, second = extracted(tmp_path, *claims, report=report)
    assert [report[first.start : first.end], report[second.start : second.end]] == lines


def test_values_come_with_their_claims_and_code_reads_their_places(tmp_path: Path) -> None:
    said = [
        said_value("price", "costs $49.99", "P:B0BED00001"),
        said_value("measure", "9 zips", "P:INVENTED01", "number of zips"),
        said_value("rating", "The **Fluffwick bed**", "P:B0BED00001"),  # no figure stands there
        said_value("price", "$49.99", BIRDS_ID),  # the claim does not cite it: it would accuse another thing
        said_value("price", "$49.99", "cart"),
        said_value("price", "$49.99"),
    ]
    claims = [claim(1, "a", "P:B0BED00001", quote="costs $49.99", values=said[:1] + said[2:])]
    claims.append(claim(2, "b", "P:INVENTED01", quote="It has 9 zips", values=said[1:2]))
    first, second = extracted(tmp_path, *claims)
    assert [(value.kind, value.amount, value.of, REPORT[value.start : value.end]) for value in first.values] == [
        ("price", "49.99", "P:B0BED00001", "$49.99"),
        ("price", "49.99", "cart", "$49.99"),
        ("price", "49.99", "", "$49.99"),
    ]
    assert first.figureless == 1
    (value,) = second.values
    assert (value.amount, value.field, value.of) == ("9 zip", "number of zips", "P:INVENTED01")


SECTION = "\n\n".join(f"Paragraph {{0}}{number} says that seeds are good for birds in winter." for number in range(90))
LONG = "# Birds\n\n" + "\n\n".join(f"## Part {each}\n\n{SECTION.format(each)}" for each in "abc")


def by_part(question: str) -> dict[str, Any]:
    assert tag_content("part", question) is not None
    letter = next(each for each in "abc" if f"Paragraph {each}0 " in question)
    of_part = claim(2, f"Part {letter} speaks of winter.", quote=f"Paragraph {letter}7 says")
    return {"claims": [claim(1, "Seeds are good."), of_part]}


def test_a_long_report_is_asked_in_parts_of_which_only_what_failed_is_asked_again(tmp_path: Path) -> None:
    judge, asked = scripted_judge(by_part)
    verdicts = judged(tmp_path, judge, subject(LONG))
    found = claims_in([verdict for verdict in verdicts if verdict.item == "report"], EXTRACT)
    assert [each.claim_id.partition("-")[0] for each in found] == ["1", "2", "3", "4"]
    asked_for = [verdict.item for verdict in verdicts if verdict.stage == EXTRACT]
    assert asked_for == ["part-1", "part-2", "part-3", "report"]

    refusal = ModelError("refusal", "no")
    failing, _ = scripted_judge(lambda text: refusal if "Paragraph b0 " in text else by_part(text))
    verdicts = judged(tmp_path / "failing", failing, subject(LONG))
    states = [verdict.state for verdict in verdicts if verdict.stage == EXTRACT]
    assert states == ["scored", "failed", "scored", "failed"]
    better, asked = scripted_judge(by_part)
    again = judged(tmp_path / "failing", better, subject(LONG), again="failed")
    assert len(asked) == 1
    assert len(claims_in([each for each in again if each.item == "report"], EXTRACT)) == 4


def test_claims_with_quotes_that_the_report_does_not_hold_are_sent_back_then_dropped_and_counted(
    tmp_path: Path,
) -> None:
    report = "The bed costs $49.99 [P:B0BED00001]."
    listed = {"claims": [claim(1, "a", "P:B0BED00001"), claim(2, "b", quote="words that stand nowhere")]}
    verdicts = judged(tmp_path, scripted(listed, listed, support("full")), subject(report))
    (verdict,) = [each for each in verdicts if each.stage == EXTRACT]
    assert [each["claim"] for each in verdict.value] == ["a"]
    assert (verdict.notes, verdict.repairs) == (("not_in_report",), 1)


def test_a_claim_without_a_citation_is_about_the_one_thing_that_it_or_its_part_of_an_answer_names() -> None:
    goods = (("pro", "Hand Grinder Pro"), ("blend", "House Blend Coffee"))
    made: dict[str, Any] = {
        "price": 149.0,
        "category": "c",
        "details": {"Variants": [{"id": "d", "Roast": "Dark"}, {"Roast": "Light"}]},
    }
    records = [record_text(Product(product_id=key, title=title, **made)) for key, title in goods]
    entries = {
        f"P:{key}": evidence(f"P:{key}", text(record, "record"), looked_up=True)
        for (key, _), record in zip(goods, records, strict=True)
    }
    answers = (
        "The Pro costs $149. It is loud.",
        "- House Blend Coffee: $11.50\n- A Hand Grinder Pro\n- House Blend Coffee: Dark",
    )
    report = "\n\n".join(answers)
    second = report.index("- House")
    turns = [
        Turn(question="The Hand Grinder Pro?", start=0, end=len(answers[0])),
        Turn(question="?", start=second, end=len(report)),
    ]
    about = build.subject(build.run("q1-r1", report).model_copy(update={"turns": tuple(turns)}), entries.values())

    def of(claim: str) -> list[str]:
        start = report.index(claim)
        return products_at(about, claim, (start, start + len(claim)))

    assert of("It is loud.") == ["P:pro"]  # as its question
    assert of("House Blend Coffee: $11.50") == of("House Blend Coffee: Dark") == ["P:blend"]
    assert products_at(about, "Grinder and House Blend Coffee: a Hand Grinder Pro.", None) == ["P:blend", "P:pro"]
    assert products_at(subject(report), "House Blend Coffee: $11.50", (second, len(report))) == []  # a report cites
