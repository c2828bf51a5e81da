"""Facts are found part by part, and each is asked about once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from drretail.addons.publications.pqr.triplets import (
    REPORT,
    SUPPORT,
    TRIPLETS,
    UNKNOWN,
    fact_source_item,
    judge_triplets,
)
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.registry import load_metric
from drretail.llm.prompt import tag_content
from drretail.records.score import Verdict
from tests import build
from tests.addons.publications.playing import Played
from tests.build import asking, scripted_judge
from tests.eval.metrics.faithfulness.reports import (
    BED,
    BIRDS,
    BIRDS_ID,
    BLOCKED,
    BLOCKED_ID,
    EVIDENCE,
    entry,
    subject,
    text,
)

BED_MARK = f"P:{BED.key}"
REPORT_TEXT = f"It costs $49.99 and is grey [{BED_MARK}]. Cardinals like seeds [{BIRDS_ID}], [{BLOCKED_ID}]."
SAID = (
    ("The bed costs $49.99.", BED_MARK, ""),
    ("The bed is grey.", f"[{BED_MARK}]", ""),
    ("Cardinals like seeds.", BIRDS_ID, ""),
    ("Cardinals like seeds.", "0", BLOCKED),
)


def judged(path: Path, judge: Judge, about: Subject, again: Again = "nothing") -> dict[tuple[str, str], Verdict]:
    """The last verdicts by stage and item."""
    verdicts = build.judged(load_metric("pqr"), about, path / "q1-r1.jsonl", judge, again=again, judging=judge_triplets)
    return {(verdict.stage, verdict.item): verdict for verdict in verdicts}


def support(verdicts: Mapping[tuple[str, str], Verdict], fact: str, source: str) -> Verdict:
    return verdicts[SUPPORT, fact_source_item(fact, source)]


CHECKING, LISTING = "You check facts of a report", "list the facts it states"


def test_a_source_is_asked_once_for_its_facts_and_anew_where_it_reads_otherwise(tmp_path: Path) -> None:
    labels = {"The bed is grey.": "partly_supported", "Cardinals like seeds.": "unknown"}
    judge, asked = scripted_judge(Played(triplets=SAID, labels=labels))
    found = judged(tmp_path, judge, subject(REPORT_TEXT))
    bed, birds = asking(asked, CHECKING)
    assert all(text in bed for text in ("Fluffwick Orthopedic", "The bed costs", "The bed is grey"))
    assert "black oil sunflower" in birds
    assert [support(found, each, BED_MARK).value for each in ("The bed costs $49.99.", "The bed is grey.")] == [1, 0.5]
    seeds = support(found, "Cardinals like seeds.", BIRDS_ID)
    assert (seeds.value, seeds.notes) == (0, (UNKNOWN,))
    assert support(found, "Cardinals like seeds.", BLOCKED_ID).state == "unverifiable"
    count = len(asked)
    changed = entry(BIRDS_ID, "web", text("Cardinals like nuts.", "page"), url=BIRDS)
    judged(tmp_path, judge, subject(REPORT_TEXT, {**EVIDENCE, BIRDS_ID: changed}))
    assert len(asked) == count + 1
    assert "Cardinals like nuts." in asked[-1]


LONG = "\n\n".join(f"## Part {number}\n\n{'Nothing is said here. ' * 220}{REPORT_TEXT}" for number in range(1, 4))


def test_a_long_report_is_read_part_by_part_into_one_list_which_fails_with_a_part(tmp_path: Path) -> None:
    is_broken = True

    def by_part(question: str) -> Any:
        statement = tag_content("part", question)
        if statement is None:
            return Played()(question)
        if is_broken and "This is part 2" in statement:
            return {"triplets": "none"}
        return {"triplets": [{"fact": f"{statement[:14]}.", "ref_idx": BED_MARK, "url": ""}]}

    judge, asked = scripted_judge(by_part)
    assert judged(tmp_path, judge, subject(LONG))[TRIPLETS, REPORT].state == "failed"
    assert not asking(asked, CHECKING)
    count = len(asked)
    judged(tmp_path, judge, subject(LONG))
    assert len(asked) == count

    is_broken = False
    found = judged(tmp_path, judge, subject(LONG), again="failed")
    assert [each["fact"] for each in found[TRIPLETS, REPORT].value] == [f"This is part {each}." for each in "123"]
    assert len(asking(asked[count:], LISTING)) == 1
    asked.clear()
    judged(tmp_path, judge, subject(LONG))
    assert asked == []
    judged(tmp_path, judge, subject(LONG), again="everything")
    assert len(asking(asked, LISTING)) == 3
