"""Reports in the manner of language models: what is wrong in them goes, and a shopper finds the rest whole."""

import re

import pytest

from drretail.agents.grounded_hybrid.drafts import Draft, finish
from drretail.grounding.notes import SECTION_LEFT_OUT
from drretail.grounding.removal import balanced
from drretail.grounding.struck_section import TITLE
from drretail.grounding.verifying import errors, verify
from tests.grounding.llm_drafts import BUYING_GUIDE, NOTHING_HOLDS, NUMBERED_LIST
from tests.grounding.shelf import WEB, a_case


def parts(draft: str) -> tuple[str, str]:
    """What is left, and the list at the end."""
    body, _, listed = finish(Draft(a_case(draft))).report.partition(f"## {TITLE}")
    return body, listed


@pytest.mark.parametrize("draft", [BUYING_GUIDE, NUMBERED_LIST, NOTHING_HOLDS])
def test_what_is_left_is_right_and_every_quote_is_whole(draft: str) -> None:
    body, listed = parts(draft)
    assert errors(verify(a_case(f"{body}## {TITLE}{listed}"))) == []
    assert not re.search(r"Gardena|Felco|Kestrel|Corona", body)
    assert "|  |" not in body
    quotes = re.findall(r"^- `(.+)`: ", listed, re.MULTILINE)
    assert quotes
    assert all(balanced(quote) for quote in quotes)
    said = re.sub(r"[*#]|\[[PW]:\w+\]", "", draft)
    for quote in quotes:
        for words in re.split(r"[…|]", quote):
            assert words.strip() in re.sub(r" +", " ", said).replace(" .", ".")


def test_a_guide_keeps_its_right_rows_sections_and_sources() -> None:
    body, listed = parts(BUYING_GUIDE)
    assert "| **Ostrabel Panorama Tube Feeder** [P:B0SHELF002] | not stated | 4.3/5 (12,408 reviews) |" in body
    assert (
        "### 2. Ostrabel Panorama Tube Feeder\n\nThe Ostrabel Panorama Tube Feeder is rated 4.3 out of 5, and" in body
    )
    assert "- **Rating:** 4.5/5\n- **Best for:** small gardens" in body
    assert f"\n\n{SECTION_LEFT_OUT}\n\n## Setup Tips" in body
    assert body.rstrip().endswith("2. Poles and squirrels — https://birds.example/poles")
    assert (
        "`3. Gardena Hose — $49.99`: no product of this name was found in the shop; with it went two statements"
        in listed
    )
    assert "felco.example/f-2`: the research never saw" in listed
    assert "you have ordered it before [P:B0SHELF004]; the shop's rating is 4.6 out of 5" in listed


def test_a_list_keeps_its_right_items_and_says_a_thing_once() -> None:
    body, listed = parts(NUMBERED_LIST)
    assert "1. **Quillet Bird Feeding Station Kit** ($43.99, 2,067 ratings) – one pole [P:B0SHELF001]." in body
    assert "**Ostrabel Panorama Tube Feeder** – 4.3★, holds two pounds of seed [P:B0SHELF002]." in body
    assert "the **Ostrabel Panorama Tube Feeder** [P:B0SHELF002] and the" in body
    assert body.count("Winter birds need fat") == 1
    assert f"where they found it [{WEB}]. The kit carries all the others [P:B0SHELF001]. Both the kit" in body
    assert "Total" not in body
    assert "Two statements that said again" in listed


def test_a_report_that_loses_every_pick_says_so_at_its_top() -> None:
    body, _ = parts(NOTHING_HOLDS)
    assert body.startswith("# Pruning kit\n\n**Nothing is left to recommend.**")
    assert "References" not in body
