from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.families.dr3.coverage import Covered, judge_documents
from drretail.eval.families.dr3.title_matches import matched_titles
from drretail.eval.judging.session import CODE_JUDGE, JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import VerdictFile
from drretail.records.base import Rules
from drretail.records.criteria import Gold, PartOfGold, RequiredDocument
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from tests.build import LABEL, SYSTEM
from tests.build import run as a_run
from tests.eval.families.dr3.research import CARE, CARE_ID, EVIDENCE, GOLD, ORDERS_ID, RECALL


def covered(
    tmp_path: Path, report: str, gold: Gold = GOLD, evidence: Sequence[Evidence] = EVIDENCE, rules: Rules = "default"
) -> tuple[int, int]:
    """How many of the required files and pages are cited."""
    subject = Subject(
        label=LABEL,
        system=SYSTEM,
        query=Query(query_id="q1", text="Which?", source="test"),
        repeat=1,
        run=a_run(LABEL, "q1-r1", report),
        evidence={it.id: it for it in evidence},
        profile=None,
        store=None,
    )
    about: dict[str, Any] = {
        "metric": "dr3",
        "version": 1,
        "run_id": subject.run_id,
        "report_sha": subject.report_sha or "",
    }
    with JudgeSession(CODE_JUDGE, VerdictFile(tmp_path / "v.jsonl"), **about, rules=rules) as judge_session:
        judge_documents(gold, subject, judge_session)
        (verdict,) = judge_session.file.lasts()
    found = Covered.model_validate(verdict.value)
    return found.cited["files"], found.cited["sandbox"]


@pytest.mark.parametrize(
    ("report", "cited"),
    [
        (f"It cost $22.99 [{ORDERS_ID}].", (1, 0)),
        (f"Clean it [{CARE_ID}].", (0, 1)),
        (f"Clean it ([care]({CARE}/?utm_source=x)).", (0, 1)),
        (f"Clean it [1].\n\n## Sources\n[1] Care {CARE}", (0, 1)),
        (f"Read {RECALL} and {CARE}.", (0, 2)),
        ("The pages Care and Recalls and the file orders.csv say so.", (0, 0)),
        ("Clean it [W:zzzzzzzz], it cost $22.99 [F:zzzzzzzz] [orders.csv].", (0, 0)),
    ],
)
def test_a_document_is_covered_by_a_citation_that_comes_to_it_and_by_no_mention(
    tmp_path: Path, report: str, cited: tuple[int, int]
) -> None:
    assert covered(tmp_path, report) == cited


def test_a_page_of_which_only_the_title_is_known_is_covered_by_a_source_of_that_title(tmp_path: Path) -> None:
    gold = Gold(query_id="q1", sandbox=PartOfGold(documents=(RequiredDocument(title="  CARE "),)))
    assert covered(tmp_path / "a", f"Clean it [{CARE_ID}].", gold) == (0, 1)
    assert covered(tmp_path / "b", "Clean it [1].\n\n## Sources\n[1] Care https://elsewhere.example/1", gold) == (0, 1)
    assert covered(tmp_path / "c", "Care is needed [1].\n\n## Sources\n[1] https://elsewhere.example/1", gold) == (0, 0)


def test_an_address_of_the_shop_that_was_never_handed_out_covers_nothing(tmp_path: Path) -> None:
    bought = "http://ecommerce.com/B0TEST0001"
    gold = Gold(query_id="q1", sandbox=PartOfGold(documents=(RequiredDocument(title="Feeder", url=bought),)))
    assert covered(tmp_path / "invented", f"Take it ({bought}).", gold) == (0, 0)
    seen = Evidence(id="P:B0TEST0001", kind="product", key="B0TEST0001", title="Feeder", url=bought)
    assert covered(tmp_path / "seen", f"Take it ({bought}).", gold, [seen]) == (0, 1)


def test_what_is_not_cited_is_the_reason_and_it_is_recorded_once(tmp_path: Path) -> None:
    covered(tmp_path, f"Clean it [{CARE_ID}].")
    covered(tmp_path, f"Clean it [{CARE_ID}].")
    (line,) = (tmp_path / "v.jsonl").read_text(encoding="utf-8").splitlines()
    assert "not cited: orders.csv; Recalls" in line


def test_the_released_rules_take_a_plain_mention_for_a_citation(tmp_path: Path) -> None:
    mention = "Recalls are told of, and orders.csv has them."
    assert covered(tmp_path / "ours", mention) == (0, 0)
    assert covered(tmp_path / "released", mention, rules="dr3") == (1, 1)
    assert covered(tmp_path / "none", f"No final answer. {mention}", rules="dr3") == (0, 0)


@pytest.mark.parametrize(
    ("report", "title", "is_matched"),
    [
        ("As the paper has it.", "The paper", True),  # anywhere in the text
        ("See [long_context: “A study of birds”, chunk 3].", "A study of birds", True),
        ("See [birds].", "A study of birds - Journal", True),  # a part of the title in brackets
        ("ACME-7 is a feeder.", "Manual of the ACME-7, second edition", True),  # an identifier of four characters
        ("ACM is a club.", "Manual of the ACM (x), second edition", False),  # three, and not in brackets
        ("See [ACM club].", "Manual of the ACM (x), second edition", True),
        ("See [Study on garden bird feeders].", "Bird feeders: a garden study", True),  # most words, in any order
        ("[Rated by us].", "Untested claims", True),  # "ted" is a brand
        ("See [colour of tubas].", "Colour of tubes", True),  # letters
        ("See [12] and [注意这个].", "Birds in winter", False),
        ("Nothing of it.", "Birds in winter", False),
        ("上海垃圾分类 [垃圾分类报告]", "垃圾分类报告（2023）", True),
    ],
)
def test_titles_are_matched_as_generously_as_released(report: str, title: str, is_matched: bool) -> None:
    assert bool(matched_titles(report, [title])) == is_matched


def test_a_document_without_title_and_address_is_refused() -> None:
    with pytest.raises(ValueError, match="title or an address"):
        RequiredDocument()
