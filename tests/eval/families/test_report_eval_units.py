"""What of a report is graded, compared and cited."""

from itertools import combinations

import pytest

from drretail.eval.families.report_eval.units import MOST_PAIRS, Units, cited_sentences, released_units, units_of
from drretail.records.evidence import Evidence

LONG = "Cedar keeps the rain out and lasts. " * 8


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


def test_the_released_code_cuts_both_ends_twice_and_drops_sections_with_links_and_short_ones_between() -> None:
    report = sectioned(*(f"{number}. {LONG}" for number in range(1, 7))) + "\n\n## Reference\n[1],https://a.example"
    units = released_units(report)  # of eight sections, first and last go, and then first and last of the six
    assert heads(units) == [f"## Part {number}" for number in range(2, 6)]
    assert units.texts[0] == f"## Part 2\n{'2. ' + LONG.strip()}"
    assert units.possible == 6

    bodies = [LONG, LONG, f"{LONG} https://a.example", "Short.", LONG, LONG, LONG, "End."]
    assert heads(released_units(sectioned(*bodies))) == ["## Part 2", "## Part 5", "## Part 6"]

    report = sectioned(*[LONG] * 6).partition("\n\n")[2].partition("\n\n")[2]
    assert heads(released_units(report)) == ["## Part 3", "## Part 4"]


@pytest.mark.parametrize("length", [199, 200])
def test_the_released_code_counts_the_heading_to_the_200_characters(length: int) -> None:
    edge = "x" * (length - len("## Part 3\n"))
    kept = released_units(sectioned(LONG, LONG, edge, LONG, LONG, LONG)).texts
    assert len(kept) == (3 if length == 200 else 2)


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("## A\n\none\n\ntwo", "skips reports of 3 paragraphs"),
        ("# A\n\none\n\ntwo\n\nthree", "without a line that begins with ##"),
        (sectioned(LONG, LONG, LONG, LONG), "keeps fewer than two of 5 sections"),
    ],
)
def test_what_the_released_code_skips_is_told(report: str, said: str) -> None:
    assert said in released_units(report).lacking
    assert not released_units(report).pairs("x")


def test_the_released_code_finds_a_heading_inside_a_lower_one_of_the_same_words() -> None:
    report = sectioned(LONG, f"Before.\n\n### Costs\n\n{LONG}", LONG, LONG, LONG, LONG)
    report = report.replace("## Part 3", "## Costs")
    both = f"{LONG}\n\n## Costs\n\n{LONG.strip()}"
    assert released_units(report).texts == (f"## Costs\n{both}", f"## Part 4\n{LONG.strip()}")


PAGE = Evidence(id="W:aaaaaaaa", kind="web", key="https://a.example/x", title="X", url="https://a.example/x")
ORDER = Evidence(id="O:1", kind="order", key="1", title="Order 1")
HELD = {each.id: each for each in (PAGE, ORDER)}
LISTED = "\n\n[1],https://a.example/x\n[2],https://b.example/y\n"


@pytest.mark.parametrize(
    ("report", "pairs"),
    [
        (
            f"Cedar lasts [1][2]. Pine rots. Oak is dear [2].{LISTED}",
            [
                ("Cedar lasts.", "W:aaaaaaaa"),
                *((each, "https://b.example/y") for each in ("Cedar lasts.", "Oak is dear.")),
            ],
        ),
        ("You bought one [O:1]. It lasts [W:aaaaaaaa].", [("It lasts.", "W:aaaaaaaa")]),  # an order is no page
        (
            "| Wood | Years |\n|---|---|\n| Cedar | 20 [W:aaaaaaaa] |\n",
            [("| Wood | Years |\n| Cedar | 20 |", "W:aaaaaaaa")],
        ),
        (
            f"雪松耐用[1]。松木会腐烂[2]。{LISTED}",
            [("雪松耐用。", "W:aaaaaaaa"), ("松木会腐烂。", "https://b.example/y")],
        ),
        ("## Woods [W:aaaaaaaa]\n\n[W:aaaaaaaa]\n", []),  # a heading and a mark alone are no sentences
    ],
)
def test_each_sentence_stands_once_for_each_of_its_sources(report: str, pairs: list[tuple[str, str]]) -> None:
    assert [(pair.sentence, pair.source) for pair in cited_sentences(report, HELD).pairs] == pairs
