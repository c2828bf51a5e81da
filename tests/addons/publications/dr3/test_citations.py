"""Which required documents a report covers. judge_accuracy: tests/addons/publications/dr3/test_score.py."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from drretail.addons.publications.dr3.citations import (
    LONGEST_SOURCE,
    Covered,
    judge_documents,
    pieces_of_long,
)
from drretail.addons.publications.dr3.score import METRIC
from drretail.eval.claims.claims import SourceText
from drretail.eval.judging.sources import size
from drretail.records.base import Rules, sha256_of
from drretail.records.criteria import KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.evidence import Evidence
from tests import build
from tests.addons.publications.dr3.research import CARE, CARE_ID, EVIDENCE, GOLD, ORDERS_ID, RECALL


def source(text: str) -> SourceText:
    return SourceText("W:aaaaaaaa", build.text(text))


def test_a_source_of_up_to_20_000_characters_is_shown_whole_and_a_longer_one_by_its_five_best_pieces() -> None:
    whole = source("x" * LONGEST_SOURCE)
    assert pieces_of_long([whole], ["Birds."], None) == [whole]
    filler = ("lorem " * 84)[:500]
    marked_pieces = [f"The zebra number {number} likes oats. ".ljust(500, ".") for number in range(7)]
    text = "".join(filler + piece for piece in marked_pieces) + filler * 30
    (cut,) = pieces_of_long([source(text)], ["A zebra likes oats."], None)
    assert len(text) > LONGEST_SOURCE
    assert [number for number in range(7) if f"zebra number {number} " in cut.text.text] == [0, 1, 2, 3, 4]
    assert "lorem" not in cut.text.text
    assert (cut.text.sha256, cut.ref.share) == (sha256_of(text), round(size(cut.text.text) / len(text), 3))


def covered(
    tmp_path: Path,
    report: str,
    gold: KnownAnswer = GOLD,
    evidence: Sequence[Evidence] = EVIDENCE,
    rules: Rules = "default",
) -> tuple[int, int]:
    """How many of the required files and pages are cited."""
    about = build.subject(report, evidence, query=build.query(text="Which?"))
    (verdict,) = build.judged(METRIC, about, tmp_path / "v.jsonl", rules=rules, judging=partial(judge_documents, gold))
    found = Covered.model_validate(verdict.value)
    return found.cited["files"], found.cited["sandbox"]


def test_a_document_is_covered_by_citations_alone(tmp_path: Path) -> None:
    for at, (report, cited) in enumerate(
        (
            (f"It cost $22.99 [{ORDERS_ID}].", (1, 0)),
            (f"Clean it ([care]({CARE}/?utm_source=x)).", (0, 1)),
            (f"Read {RECALL} and {CARE}.", (0, 2)),
            ("The pages Care and Recalls and the file orders.csv say so.", (0, 0)),
            ("Clean it [W:zzzzzzzz], it cost $22.99 [F:zzzzzzzz] [orders.csv].", (0, 0)),
        )
    ):
        assert covered(tmp_path / f"{at}", report) == cited, report


def test_a_page_is_covered_by_a_source_of_its_title_or_by_an_address_that_was_handed_out(tmp_path: Path) -> None:
    gold = KnownAnswer(query_id="q1", sandbox=PartOfGold(documents=(RequiredDocument(title="  CARE "),)))
    assert covered(tmp_path / "a", f"Clean it [{CARE_ID}].", gold) == (0, 1)
    assert covered(tmp_path / "b", "Clean it [1].\n\n## Sources\n[1] Care https://elsewhere.example/1", gold) == (0, 1)
    assert covered(tmp_path / "c", "Care is needed [1].\n\n## Sources\n[1] https://elsewhere.example/1", gold) == (0, 0)

    bought = "http://ecommerce.com/B0TEST0001"
    gold = KnownAnswer(query_id="q1", sandbox=PartOfGold(documents=(RequiredDocument(title="Feeder", url=bought),)))
    assert covered(tmp_path / "invented", f"Take it ({bought}).", gold) == (0, 0)
    seen = Evidence(id="P:B0TEST0001", kind="product", key="B0TEST0001", title="Feeder", url=bought)
    assert covered(tmp_path / "seen", f"Take it ({bought}).", gold, [seen]) == (0, 1)

    covered(tmp_path, f"Clean it [{CARE_ID}].")
    covered(tmp_path, f"Clean it [{CARE_ID}].")
    (line,) = (tmp_path / "v.jsonl").read_text(encoding="utf-8").splitlines()
    assert "not cited: orders.csv; Recalls" in line
