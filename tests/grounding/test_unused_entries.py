"""A report's own list names what the run was handed, and what the report still cites."""

from drretail.grounding.striking import strike_out
from drretail.grounding.verifying import faults
from tests.grounding.shelf import PAGE, a_case

TEXT = "Poles help [P:B0SHELF001].\n"


def left(report: str) -> str:
    return strike_out(a_case(report), faults).report


def test_an_entry_that_was_never_handed_out_goes_and_is_listed() -> None:
    out = strike_out(a_case(f"{TEXT}\n## Sources\n1. Poles — {PAGE}\n2. Felco — https://felco.example\n"), faults)
    assert out.report == f"{TEXT}\n## Sources\n1. Poles — {PAGE}\n"
    assert [(it.code, it.said) for it in out.struck] == [("url_not_seen", "2. Felco — https://felco.example")]
    assert left(f"{TEXT}\n## Sources\n- [P:B0NOWHERE1] Hose\n- {PAGE}\n") == f"{TEXT}\n## Sources\n- {PAGE}\n"


def test_a_list_of_nothing_else_goes_with_its_heading() -> None:
    assert left(f"{TEXT}\n## Sources\n1. Felco — https://felco.example\n").rstrip() == TEXT.rstrip()


def test_an_entry_that_is_cited_no_more_goes() -> None:
    report = f"{TEXT}\nThe Ostrabel Panorama Tube Feeder costs $1.00 [P:B0SHELF002].\n\n## Sources\n"
    listed = "- [P:B0SHELF001] Kit\n"
    assert left(f"{report}{listed}- [P:B0SHELF002] Tube\n") == f"{TEXT}\n## Sources\n{listed}"


def test_what_was_handed_out_and_never_cited_stays() -> None:
    report = f"{TEXT}\n## Sources\n- [P:B0SHELF001] Kit\n- {PAGE}\n"
    assert left(report) == report
