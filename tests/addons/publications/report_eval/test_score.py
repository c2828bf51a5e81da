"""What of a report is graded, compared and cited, what a judge is asked of it, and what comes of the answers."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.publications.report_eval.score import (
    DIMENSIONS,
    METRIC,
    MOST_PAIRS,
    VARIANTS,
    Units,
    cited_sentences,
    released_units,
    units_of,
    values,
)
from drretail.eval.metric import Value
from drretail.llm.prompt import tag_content
from drretail.records.evidence import Evidence
from drretail.records.score import Rules, Verdict, VerdictState
from tests import build
from tests.build import asking, scripted_judge

GRADES = {"comprehensiveness": 4, "coherence": 3, "clarity": 3, "insightfulness": 4, "overall": 4}


def verdict(stage: str, item: str, value: Any = None, state: VerdictState = "scored") -> Verdict:
    has_value = state == "scored" or stage in ("units", "cited")
    return build.verdict("report_eval", stage, item, value if has_value else None, state)


def graded() -> list[Verdict]:
    return [verdict("quality", name, grade) for name, grade in GRADES.items()]


def compared(*scores: int | None, unit: str = "section", possible: int | None = None) -> list[Verdict]:
    """Scores of pairs of four units, None for one that the judge failed on."""
    pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][: len(scores)]
    held = {"units": 4, "possible": possible or len(pairs), "pairs": pairs}
    texts = [
        verdict("redundancy", f"{unit}:{a}~{b}", score, "failed" if score is None else "scored")
        for (a, b), score in zip(pairs, scores, strict=True)
    ]
    return [verdict("units", unit, held), *texts]


def no_pair(unit: str = "section") -> Verdict:
    return verdict("units", unit, {"units": 0, "possible": 0, "pairs": []}, "na")


def labelled(*labels: int | VerdictState, unresolved: int = 0) -> list[Verdict]:
    pairs = [{"item": f"{number}", "sentence": "s", "source": "W:a"} for number, _ in enumerate(labels)]
    held = {"pairs": pairs, "unresolved": unresolved}
    texts = [
        verdict("factuality", f"{number}", label, "scored" if isinstance(label, int) else label)
        for number, label in enumerate(labels)
    ]
    return [verdict("cited", "report", held, "scored" if labels else "na"), *texts]


def found(verdicts: list[Verdict], rules: Rules = "default") -> dict[str, Value]:
    return {value.variant: value for value in values(verdicts, rules)}


def states(verdicts: list[Verdict], rules: Rules = "default") -> dict[str, str]:
    return {name: value.state for name, value in found(verdicts, rules).items()}


def test_redundancy_is_the_mean_over_the_scored_pairs_of_the_units_that_were_asked_for() -> None:
    result = found([*graded(), *compared(4, 3, 2, 3, 2, 3)])
    assert result["redundancy"].value == pytest.approx(17 / 6)
    assert result["redundancy"].items == {"units": 4, "pairs_possible": 6, "pairs_scored": 6, "pairs_failed": 0}
    assert (result["pairs_possible"].value, result["pairs_scored"].value) == (6, 6)
    with_failed = found([*graded(), *compared(4, None, 1, possible=45)])
    assert with_failed["redundancy"].value == 2.5
    assert (with_failed["pairs_possible"].value, with_failed["pairs_scored"].value) == (45, 2)

    assert states([*graded(), no_pair()])["redundancy"] == "na"
    assert states([*graded(), *compared(None, None)])["redundancy"] == "failed"

    by_section, by_paragraph = found(compared(4, 2)), found(compared(4, 1, unit="paragraph"))
    assert not any("paragraph" in name for name in by_section)
    assert "redundancy" not in by_paragraph
    assert by_paragraph["redundancy_paragraph"].value == 2.5
    assert tuple(found([*compared(4), *compared(2, unit="paragraph")])) == VARIANTS


def test_what_could_not_be_read_or_judged_is_in_no_mean_nor_is_what_was_asked_first_a_sample() -> None:
    values_of = found(labelled(1, -1, -1, "unverifiable", "failed", "na"))
    result = values_of["support"]
    assert result.value == pytest.approx(-1 / 3)
    shares = [values_of[f"{name}_support"].value for name in ("strong", "partial", "no")]
    assert shares == pytest.approx([1 / 3, 0, 2 / 3])
    counts = {name: result.items[name] for name in ("pairs", "scored", "unverifiable", "failed", "unfetched")}
    assert counts == {"pairs": 6, "scored": 3, "unverifiable": 1, "failed": 1, "unfetched": 1}
    assert states(compared(4, 3, 2)[:-1])["redundancy"] == "failed"
    assert states(labelled(1, 1, 0)[:-1])["support"] == "failed"


def test_the_released_code_discards_a_report_without_grades_or_without_a_pair() -> None:
    whole = found([*graded(), *compared(4, 3)], "hkuds")
    assert {name: whole[name].value for name in GRADES} == GRADES
    assert whole["redundancy"].value == 3.5
    assert not any("paragraph" in name for name in found(compared(4, unit="paragraph"), "hkuds")), "it knows none"
    skipped = states([no_pair(), *labelled(1)], "hkuds")
    assert {skipped[name] for name in (*GRADES, "redundancy")} == {"na"}
    assert skipped["support"] == "scored"  # another script's, which discards nothing
    no_score = states([*graded(), *compared(None, None)], "hkuds")
    assert {no_score[name] for name in (*GRADES, "redundancy")} == {"failed"}
    no_grade = [verdict("quality", name, None, "failed") for name in GRADES]
    assert states([*no_grade, *compared(4)], "hkuds")["redundancy"] == "failed"
    assert states([*no_grade, *compared(4)])["redundancy"] == "scored"


LONG = "It keeps the rain out and lasts for years. " * 6
REPORT = (
    "# Houses\n\nBriefly.\n\n"
    + "\n\n".join(f"## {wood}\n\n{wood} lasts [{n}]. {LONG}" for n, wood in enumerate(("Ash", "Box", "Elm", "Fir"), 1))
    + "\n\n## End\n\nSo buy elm.\n\n## Reference\n"
    + "[1],https://a.example/1\n[2],https://a.example/2\n[3],https://a.example/3\n[4],\n"
)


def page(number: int, text: str | None, state: Any = "ok") -> Evidence:
    url = f"https://a.example/{number}"
    return build.evidence(f"W:aaaaaaa{number}", *([] if text is None else [build.text(text)]), url=url, state=state)


PAGES = (page(2, "Ash lasts, says page one."), page(3, None, "blocked"))


def answering(question: str) -> dict[str, Any]:
    if "<part " in question:
        return {"repetitions_found": ["rain"], "explanation": "Both keep rain out.", "confidence": "90%", "score": 1}
    if tag_content("claim", question) is not None:
        is_said = "says page one" in question
        return {"explanation": "It says so.", "label": 1 if is_said else -1}
    return {"reason": "Well made.", **dict.fromkeys(DIMENSIONS, 3)}


def asked_of(
    path: Path, report: str = REPORT, evidence: Sequence[Evidence] = PAGES, rules: Rules = "default"
) -> tuple[Mapping[tuple[str, str], Verdict], list[str]]:
    judge, asked = scripted_judge(answering)
    about = build.subject(report, evidence, query=build.query(text="Which wood?"))
    verdicts = build.judged(METRIC, about, path / "v.jsonl", judge, rules=rules)
    return {(verdict.stage, verdict.item): verdict for verdict in verdicts if verdict.rules == rules}, asked


def test_grades_are_one_question_pairs_without_links_one_each_and_readable_sources_one(tmp_path: Path) -> None:
    verdicts, asked = asked_of(tmp_path)
    assert len(asking(asked, "<report")) == 1
    assert len(asking(asked, "<part")) == 6  # four sections between title and end
    pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert verdicts["units", "section"].value == {"units": 4, "possible": 6, "pairs": pairs}
    assert all(verdicts["quality", one].value == 3 and verdicts["quality", one].reason for one in DIMENSIONS)
    score = verdicts["redundancy", "section:0~1"]
    assert (score.value, score.reason) == (1, "Both keep rain out.")
    assert (score.more_quotes, score.notes) == (("rain",), ("confidence 90%",))
    assert not any("[1]" in each or "https" in each for each in asking(asked, "<part"))
    (graded,) = asking(asked, "<report")
    assert "Ash lasts [1]." in graded
    assert "https" not in graded
    states = [each.state for (stage, _), each in verdicts.items() if stage == "factuality"]
    assert sorted(states) == ["scored", "unverifiable", "unverifiable"]  # 1 has no evidence, 3 is blocked
    assert verdicts["cited", "report"].value["unresolved"] == 1
    (question,) = asking(asked, "<claim")
    assert tag_content("claim", question) == "Box lasts."
    assert "Ash lasts, says page one." in question


def test_by_the_released_rules_what_cannot_be_read_is_judged_as_none(tmp_path: Path) -> None:
    report = REPORT.replace("## End", f"## Oak\n\n{LONG}\n\n## Yew\n\n{LONG}\n\n## End")
    verdicts, asked = asked_of(tmp_path, rules="hkuds", report=report)
    labels = [each.value for (stage, _), each in verdicts.items() if stage == "factuality"]
    assert labels == [-1, 1, -1]
    assert sum("\nNone\n</source>" in each for each in asked) == 2
    (graded,) = asking(asked, "<report")
    assert "[1],https://a.example/1" in graded  # as it was written
    parts = asking(asked, "<part")
    assert len(parts) == 6
    assert sum("Box lasts [2]." in part for part in parts) == 3


def test_a_report_that_the_released_code_skips_is_not_graded_and_an_unfetched_page_is_na(tmp_path: Path) -> None:
    short = "One.\n\nTwo [1].\n\n[1],https://a.example/2"
    verdicts, asked = asked_of(tmp_path, rules="hkuds", report=short)
    assert verdicts["units", "section"].state == "na"
    assert "skips reports" in verdicts["units", "section"].reason
    assert not asking(asked, "<report")
    assert len(asking(asked, "<claim")) == 1
    _, asked = asked_of(tmp_path, report=short)
    assert len(asking(asked, "<report")) == 1
    verdicts, _ = asked_of(tmp_path, evidence=[page(2, None)])
    (found,) = [each for (stage, _), each in verdicts.items() if stage == "factuality" and each.state == "na"]
    assert "--fetch-sources" in found.reason


WEATHERED = "Cedar keeps the rain out and lasts. " * 8


def sectioned(*bodies: str, intro: str = "What follows is short.") -> str:
    parts = [f"## Part {number}\n\n{body}" for number, body in enumerate(bodies, 1)]
    return "\n\n".join(["# Bird houses", intro, *parts])


def heads(units: Units) -> list[str]:
    return [text.partition("\n")[0] for text in units.texts]


def test_sections_lose_both_ends_and_begin_at_the_highest_headings_that_leave_two() -> None:
    report = sectioned("Cedar [1].", "Pine [2].", "Oak [1].", "So buy cedar.")
    report += "\n\n## References\n\n[1],https://a.example/cedar\n[2],https://a.example/pine\n"
    texts = ("## Part 1\n\nCedar.", "## Part 2\n\nPine.", "## Part 3\n\nOak.")
    assert units_of(report, None, "section").texts == texts

    deep = sectioned("One.\n\n### Below\n\nMore of one.", "Two.", "End.")
    assert heads(units_of(deep, None, "section")) == ["## Part 1", "## Part 2"]
    bold = "Intro.\n\n**First**\n\nOne.\n\n**Second**\n\nTwo.\n\n**Third**\n\nEnd."
    assert len(units_of(bold, None, "section").texts) == 2

    twice = "I begin with an outline.\n\n# Houses\n\n" + sectioned("One.", "Two.", "Three.", "End.")
    assert heads(units_of(twice, None, "section")) == ["# Bird houses", "## Part 1", "## Part 2", "## Part 3"]


def test_paragraphs_are_blocks_without_headings_and_of_fewer_than_two_units_there_is_no_pair() -> None:
    report = sectioned("One.\n\nTwo.", "- a\n- b", "End.")
    assert units_of(report, None, "paragraph").texts == ("One.", "Two.", "- a\n- b")
    units = units_of(sectioned("One.", "End."), None, "section")
    assert units.possible == 0
    assert units.lacking == "fewer than two sections between the first and the last of 3"
    assert units_of("", None, "paragraph").lacking
    assert units_of("No heading at all.", None, "section").lacking


def test_few_pairs_are_all_judged_and_many_are_drawn_alike_for_the_same_seed() -> None:
    assert Units(("a", "b", "c")).pairs("x") == [(0, 1), (0, 2), (1, 2)]
    many = Units(tuple("abcdefghij"))
    assert many.possible == 45
    drawn = many.pairs("x")
    assert len(set(drawn)) == len(drawn) == MOST_PAIRS
    assert drawn == many.pairs("x") != many.pairs("y")
    assert set(drawn) <= set(combinations(range(10), 2))


def of_length(length: int) -> str:
    """Six sections of which the third has this length, its heading included."""
    edge = "x" * (length - len("## Part 3\n"))
    return sectioned(WEATHERED, WEATHERED, edge, WEATHERED, WEATHERED, WEATHERED)


def test_the_released_code_cuts_both_ends_twice_and_drops_sections_with_links_and_short_ones() -> None:
    for report, parts in [
        # Of eight sections, first and last go, and then first and last of the six.
        (sectioned(*[WEATHERED] * 6) + "\n\n## Reference\n[1],https://a.example", (2, 3, 4, 5)),
        (sectioned(*[WEATHERED] * 6).partition("\n\n")[2].partition("\n\n")[2], (3, 4)),
        # Between them go those with links, and short ones.
        (sectioned(*[WEATHERED] * 2, f"{WEATHERED} https://a.example", "Short.", *[WEATHERED] * 3, "End."), (2, 5, 6)),
        (of_length(199), (2, 4)),
        (of_length(200), (2, 3, 4)),
    ]:
        units = released_units(report)
        assert heads(units) == [f"## Part {number}" for number in parts], report
        assert units.possible == len(parts) * (len(parts) - 1) / 2


def test_each_sentence_stands_once_for_each_of_its_sources() -> None:
    url, there = "https://a.example/x", "https://b.example/y"
    page = Evidence(id="W:aaaaaaaa", kind="web", key=url, title="X", url=url)
    order = Evidence(id="O:1", kind="order", key="1", title="Order 1")
    cedar, oak, here = "Cedar lasts.", "Oak is dear.", page.id
    listed = f"\n\n[1],{url}\n[2],{there}\n"
    for report, pairs in (
        (f"Cedar lasts [1][2]. Pine rots. Oak is dear [2].{listed}", [(cedar, here), (cedar, there), (oak, there)]),
        ("You bought one [O:1]. It lasts [W:aaaaaaaa].", [("It lasts.", here)]),  # an order is no page
        ("## Woods [W:aaaaaaaa]\n\n[W:aaaaaaaa]\n", []),  # a heading and a mark alone are no sentences
    ):
        found = cited_sentences(report, {each.id: each for each in (page, order)})[0]
        assert [(pair.sentence, pair.source) for pair in found] == pairs, report
