"""A sentence is said once; what only looks the same stays."""

import pytest

from drretail.grounding.striking import strike_out
from drretail.grounding.verifying import faults
from tests.grounding.shelf import PAGE, SUM, WEB, a_case

SAID = "Birds come back to the place where they found it"


def left(report: str) -> str:
    return strike_out(a_case(report), faults).report


def test_side_by_side_the_later_one_goes() -> None:
    assert left("Wash it weekly. Wash it weekly. Then dry it.") == "Wash it weekly. Then dry it."


def test_across_sections_the_later_one_goes_and_its_citation_moves() -> None:
    report = f"## One\n\n{SAID}.\n\n## Two\n\nMore. {SAID} [{WEB}].\n"
    assert left(report) == f"## One\n\n{SAID} [{WEB}].\n\n## Two\n\nMore.\n"
    report = f"## One\n\n{SAID} [{SUM}].\n\n## Two\n\nMore. {SAID} [{WEB}] [{SUM}].\n"
    assert left(report) == f"## One\n\n{SAID} [{SUM}][{WEB}].\n\n## Two\n\nMore.\n"


def test_one_that_repeats_a_struck_one_stays() -> None:
    assert left(f"{SAID} [W:aaaaaaaa].\n\nMore. {SAID} [{WEB}].") == f"More. {SAID} [{WEB}]."


@pytest.mark.parametrize(
    "report",
    [
        "## One\n\nEasy to clean.\n\n## Two\n\nEasy to clean.",
        "## One\n\nIt holds as much as six pounds.\n\n## Two\n\nIt holds as much as six pounds.",
        f"{SAID} [P:B0SHELF001]. {SAID} [P:B0SHELF002].",
        "### Quillet Bird Feeding Station Kit\n\nThe tray comes off for cleaning it.\n\n"
        "### Ostrabel Panorama Tube Feeder\n\nThe tray comes off for cleaning it.",
        f"See {PAGE} for more of it.\n\n```\nSee {PAGE} for more of it.\n```",
    ],
)
def test_what_is_said_of_two_things_stays(report: str) -> None:
    assert left(report) == report
