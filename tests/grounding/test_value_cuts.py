"""A wrong value goes alone where its sentence reads on without it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.removal import balanced
from drretail.grounding.striking import strike_out
from drretail.grounding.verifying import errors, faults, verify
from tests.grounding.shelf import a_case

TUBE = "The Ostrabel Panorama Tube Feeder"
KIT = "The **Quillet Bird Feeding Station Kit**"


def left(report: str) -> str:
    return strike_out(a_case(report), faults).report


@pytest.mark.parametrize(
    ("said", "reads"),
    [
        (
            f"{KIT} ($43.99, 4.5 out of 5 from 2,067 ratings) [P:B0SHELF001], the **Ostrabel Panorama Tube Feeder** "
            "($32.99, 4.9 out of 5 from 176 ratings) [P:B0SHELF002] and the **Marlowick Cedar Nest Box** ($28.50) "
            "[P:B0SHELF004] cover all.",
            f"{KIT} ($43.99, 4.5 out of 5 from 2,067 ratings) [P:B0SHELF001], the **Ostrabel Panorama Tube Feeder** "
            "[P:B0SHELF002] and the **Marlowick Cedar Nest Box** ($28.50) [P:B0SHELF004] cover all.",
        ),
        (f"{TUBE} ($32.99, 4.3★ from 12,408 ratings) is green.", f"{TUBE} (4.3★ from 12,408 ratings) is green."),
        (f"{TUBE} ($36.99, 4.9 out of 5 from 12,408 ratings) is green.", f"{TUBE} ($36.99, 12,408 ratings) is green."),
        (f"{TUBE} ($36.99, 4.3 out of 5 from 176 ratings) is green.", f"{TUBE} ($36.99, 4.3 out of 5) is green."),
        (
            f"{TUBE} costs $38.49, is rated 4.3 out of 5, and weighs 2 lb [P:B0SHELF002].",
            f"{TUBE} is rated 4.3 out of 5, and weighs 2 lb [P:B0SHELF002].",
        ),
        (
            f"{TUBE} costs $38.49, is rated 4.7 out of 5, and weighs 2 lb [P:B0SHELF002].",
            f"{TUBE} weighs 2 lb [P:B0SHELF002].",
        ),
        (
            f"{TUBE} costs $36.99, is rated 4.7 out of 5, and weighs 2 lb [P:B0SHELF002].",
            f"{TUBE} costs $36.99 and weighs 2 lb [P:B0SHELF002].",
        ),
        (
            f"{TUBE} weighs 2 lb, is rated 4.3 out of 5, and costs $38.49 [P:B0SHELF002].",
            f"{TUBE} weighs 2 lb and is rated 4.3 out of 5 [P:B0SHELF002].",
        ),
        (f"{TUBE} is priced at $38.49 [P:B0SHELF002] and has a tray.", f"{TUBE} [P:B0SHELF002] has a tray."),
        (f"{TUBE} is rated 4.3 stars from 176 reviews [P:B0SHELF002].", f"{TUBE} is rated 4.3 stars [P:B0SHELF002]."),
        (f"Get {KIT} for $39.99 [P:B0SHELF001].", f"Get {KIT} [P:B0SHELF001]."),
        (f"At $38.49, the {TUBE[4:]} is sturdy [P:B0SHELF002].", f"{TUBE} is sturdy [P:B0SHELF002]."),
        (f"- **{TUBE[4:]}**: $38.49, 4.3 stars, green.", f"- **{TUBE[4:]}**: 4.3 stars, green."),
        (f"- **{TUBE[4:]}** – $38.49 – green [P:B0SHELF002].", f"- **{TUBE[4:]}** – green [P:B0SHELF002]."),
        (f"- **{TUBE[4:]}** – **$38.49** [P:B0SHELF002]", f"- **{TUBE[4:]}** [P:B0SHELF002]"),
        (f"### {TUBE[4:]} ($38.49, 4.9★)\n\nGreen, and sturdy.", f"### {TUBE[4:]}\n\nGreen, and sturdy."),
        (
            f"{KIT} costs $39.99, and the Ostrabel Panorama Tube Feeder costs $36.99.",
            f"{TUBE} costs $36.99.",
        ),
    ],
)  # fmt: skip
def test_the_rest_of_the_sentence_reads_on(said: str, reads: str) -> None:
    assert left(said) == reads


@pytest.mark.parametrize(
    "said",
    [
        f"{KIT} costs $39.99 [P:B0SHELF001].",
        f"{KIT} ($39.99) costs $3.00 more than the tube [P:B0SHELF001].",
        f"{KIT} ($39.99) is within your budget [P:B0SHELF001].",
        "The Quillet Bird Feeding Station Kit and the Ostrabel Panorama Tube Feeder cost $43.99 and $26.99.",
    ],
)
def test_a_sentence_that_says_no_more_or_reckons_with_the_value_goes(said: str) -> None:
    assert left(f"Hang it up high.\n\n{said}") == "Hang it up high."


CELLS = [("$38.49", "not stated"), ("**$38.49**", "not stated"), ("$36.99", "$36.99")]


@pytest.mark.parametrize(("cell", "shown"), CELLS)
def test_a_cell_is_never_left_empty(cell: str, shown: str) -> None:
    table = f"| Product | Price | Colour |\n|---|---|---|\n| {TUBE[4:]} [P:B0SHELF002] | {{}} | green |\n"
    assert left(table.format(cell)) == table.format(shown)


def test_a_cell_with_rating_and_count_is_not_stated_either() -> None:
    table = "| Product | Rating |\n|---|---|\n| Ostrabel Panorama Tube Feeder [P:B0SHELF002] | {} |\n"
    assert left(table.format("⭐ 4.9 (12,408)")) == table.format("not stated")


SAID = [
    "costs $36.99",
    "costs $38.49",
    "is rated 4.3 out of 5",
    "is rated 4.9 out of 5 from 176 ratings",
    "weighs 2 lb",
]
PARTS = st.lists(st.sampled_from(SAID), min_size=1, max_size=4)
BESIDE = ["$36.99", "$38.49", "**$38.49**", "4.9 stars", "4.3★", "12,408 reviews", "9 reviews", "green"]
ASIDES = st.lists(st.sampled_from(BESIDE), max_size=4)


@given(parts=PARTS, aside=ASIDES, citation=st.sampled_from(["", " [P:B0SHELF002]"]))
def test_no_wrong_value_and_no_half_of_a_bracket_is_left(parts: list[str], aside: list[str], citation: str) -> None:
    inside = f" ({', '.join(aside)})" if aside else ""
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
    report = left(f"Hang it up.\n\n{TUBE}{inside} {listed}{citation}.")
    assert errors(verify(a_case(report))) == []
    assert balanced(report)
    assert not any(it in report for it in ("()", ", ,", " ,", "( ", " .", "and .", "  "))
