from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.eval.families.report_eval.judge import DIMENSIONS, Grades
from drretail.eval.families.report_eval.score import BY_PARAGRAPHS, METRIC
from drretail.eval.families.report_eval.units import Unit
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.prompts import tag_content
from drretail.records.base import Rules, sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from drretail.records.score import Verdict
from tests.build import LABEL, SYSTEM, Script, scripted_judge
from tests.build import judged as judged_by
from tests.build import run as a_run

LONG = "It keeps the rain out and lasts for years. " * 6
REPORT = (
    "# Houses\n\nBriefly.\n\n"
    + "\n\n".join(f"## {wood}\n\n{wood} lasts [{n}]. {LONG}" for n, wood in enumerate(("Ash", "Box", "Elm", "Fir"), 1))
    + "\n\n## End\n\nSo buy elm.\n\n## Reference\n"
    + "[1],https://a.example/1\n[2],https://a.example/2\n[3],https://a.example/3\n[4],\n"
)


def page(number: int, text: str | None, state: Any = "ok") -> Evidence:
    url = f"https://a.example/{number}"
    texts = () if text is None else (page_text(text),)
    return Evidence(id=f"W:aaaaaaa{number}", kind="web", key=url, title="", url=url, texts=texts, state=state)


def page_text(text: str) -> EvidenceText:
    return EvidenceText(sha256=sha256_of(text), form="page", text=text, shown=True, path="", seq=1)


PAGES = (page(2, "Ash lasts, says page one."), page(3, None, "blocked"))


def answering(question: str) -> dict[str, Any]:
    if "<part " in question:
        return {"repetitions_found": ["rain"], "explanation": "Both keep rain out.", "confidence": "90%", "score": 1}
    if tag_content("claim", question) is not None:
        is_said = "says page one" in question
        return {"explanation": "It says so.", "label": 1 if is_said else -1}
    return {"reason": "Well made.", **dict.fromkeys(DIMENSIONS, 3)}


def judged(
    path: Path,
    judge: Judge,
    *,
    report: str = REPORT,
    evidence: Sequence[Evidence] = PAGES,
    unit: Unit = "section",
    rules: Rules = "default",
) -> Mapping[tuple[str, str], Verdict]:
    about = Subject(
        label=LABEL,
        system=SYSTEM,
        query=Query(query_id="q1", text="Which wood?", source="test"),
        repeat=1,
        run=a_run(LABEL, "q1-r1", report),
        evidence={it.id: it for it in evidence},
        profile=None,
        store=None,
    )
    metric = METRIC if unit == "section" else BY_PARAGRAPHS
    verdicts = judged_by(metric, about, path, judge, rules=rules)
    return {(verdict.stage, verdict.item): verdict for verdict in verdicts if verdict.rules == rules}


def asked_of(
    path: Path, script: Script = answering, **given: Any
) -> tuple[Mapping[tuple[str, str], Verdict], list[str]]:
    judge, asked = scripted_judge(script)
    return judged(path / "v.jsonl", judge, **given), asked


def with_tag(questions: Sequence[str], tag: str) -> list[str]:
    return [question for question in questions if f"<{tag}" in question]


def test_grades_are_one_question_pairs_one_each_and_sentences_one_for_each_source(tmp_path: Path) -> None:
    verdicts, asked = asked_of(tmp_path)
    assert len(with_tag(asked, "report")) == 1
    assert len(with_tag(asked, "part")) == 6  # four sections between title and end
    assert verdicts["units", "section"].value == {
        **{"units": 4, "possible": 6, "pairs": [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]}
    }
    assert all(verdicts["quality", it].value == 3 and verdicts["quality", it].reason for it in DIMENSIONS)
    score = verdicts["redundancy", "section:0~1"]
    assert (score.value, score.reason, score.more_quotes, score.notes) == (
        *(1, "Both keep rain out.", ("rain",), ("confidence 90%",)),
    )


def test_a_page_that_cannot_be_read_is_unverifiable_and_an_address_nobody_gave_no_pair(tmp_path: Path) -> None:
    verdicts, asked = asked_of(tmp_path)
    states = [it.state for (stage, _), it in verdicts.items() if stage == "factuality"]
    assert sorted(states) == ["scored", "unverifiable", "unverifiable"]  # 1 has no evidence, 3 is blocked
    assert verdicts["cited", "report"].value["unresolved"] == 1
    (question,) = with_tag(asked, "claim")
    assert tag_content("claim", question) == "Box lasts."
    assert "Ash lasts, says page one." in question


def test_by_the_released_rules_what_cannot_be_read_is_judged_as_none(tmp_path: Path) -> None:
    report = REPORT.replace("## End", f"## Oak\n\n{LONG}\n\n## Yew\n\n{LONG}\n\n## End")
    verdicts, asked = asked_of(tmp_path, rules="hkuds", report=report)
    labels = [it.value for (stage, _), it in verdicts.items() if stage == "factuality"]
    assert labels == [-1, 1, -1]
    assert sum("\nNone\n</source>" in it for it in asked) == 2
    (graded,) = with_tag(asked, "report")
    assert "[1],https://a.example/1" in graded  # as it was written
    parts = with_tag(asked, "part")
    assert len(parts) == 6
    assert sum("Box lasts [2]." in part for part in parts) == 3


def test_a_report_that_the_released_code_skips_is_not_graded(tmp_path: Path) -> None:
    short = "One.\n\nTwo [1].\n\n[1],https://a.example/2"
    verdicts, asked = asked_of(tmp_path, rules="hkuds", report=short)
    assert verdicts["units", "section"].state == "na"
    assert "skips reports" in verdicts["units", "section"].reason
    assert not with_tag(asked, "report")
    assert len(with_tag(asked, "claim")) == 1
    _, asked = asked_of(tmp_path, report=short)
    assert len(with_tag(asked, "report")) == 1


def test_links_are_out_of_what_is_compared_and_references_in_what_is_graded(tmp_path: Path) -> None:
    _, asked = asked_of(tmp_path)
    assert not any("[1]" in it or "https" in it for it in with_tag(asked, "part"))
    (graded,) = with_tag(asked, "report")
    assert "Ash lasts [1]." in graded
    assert "https" not in graded


def test_a_second_time_nothing_is_asked_and_the_other_unit_asks_for_its_pairs_alone(tmp_path: Path) -> None:
    asked_of(tmp_path)
    (tmp_path / "v.journal.jsonl").unlink()
    assert asked_of(tmp_path)[1] == []
    verdicts, asked = asked_of(tmp_path, unit="paragraph")
    assert asked == with_tag(asked, "part")
    assert verdicts["units", "paragraph"].value["units"] == 4
    assert ("redundancy", "section:0~1") in verdicts


def test_a_page_that_was_fetched_later_is_asked_about(tmp_path: Path) -> None:
    asked_of(tmp_path)
    verdicts, asked = asked_of(tmp_path, evidence=[*PAGES[:1], page(3, "Now it can be read.")])
    assert len(asked) == 1
    assert [it.state for (stage, _), it in verdicts.items() if stage == "factuality"].count("scored") == 2


def test_a_page_that_nobody_fetched_is_na(tmp_path: Path) -> None:
    verdicts, _ = asked_of(tmp_path, evidence=[page(2, None)])
    (found,) = [it for (stage, _), it in verdicts.items() if stage == "factuality" and it.state == "na"]
    assert "--fetch-sources" in found.reason


def test_reasons_may_be_one_text_or_one_for_each_grade() -> None:
    grades = dict.fromkeys(DIMENSIONS, 2)
    assert Grades.model_validate({"reason": "So.", **grades}).reason.clarity == "So."
    each = {it: f"Of {it}." for it in DIMENSIONS}
    assert Grades.model_validate({"reason": each, **grades}).reason.clarity == "Of clarity."
