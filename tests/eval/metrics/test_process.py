"""What runs did: counted, and turned into verdicts and values. Also tests records/evidence.py."""

from collections.abc import Sequence
from typing import Any

import pytest

from drretail.agents.hybrid_react.agent import LAUNCH as MOVE
from drretail.eval.metrics.process import (
    LAUNCH,
    SETBACKS,
    Count,
    Course,
    domain_of,
    run_measures,
    turns,
    turns_to_evidence,
)
from drretail.llm.offline import shopper
from drretail.records.evidence import Citation, Evidence
from drretail.records.run import ERRANDS, Setbacks, Step
from tests import build

SEARCH, DETAILS, WEB = "product_catalog_search", "get_product_details", "web_search"


def turn(role: str = "researcher", path: str = "0", **given: Any) -> Step:
    kind = "synthesis" if role == "synthesis" else "model"
    return Step(path=path, seq=0, kind=kind, role=role, name="scripted:test", **given)


def call(name: str, *evidence: str, path: str = "0", error: str | None = None, **args: Any) -> Step:
    return Step(path=path, seq=0, kind="tool", role="researcher", name=name, args=args, evidence=evidence, error=error)


def numbered(*steps: Step) -> tuple[Step, ...]:
    """The steps with their places, each path counted for itself."""
    places: dict[str, int] = {}
    made: list[Step] = []
    for step in steps:
        seq = places.get(step.path, 0)
        places[step.path] = seq + 1
        made.append(step.model_copy(update={"seq": seq}))
    return tuple(made)


def web_page(evidence_id: str, url: str, *, shown: bool = True) -> Evidence:
    return build.evidence(evidence_id, build.text(url, "snippet", shown=shown), url=url)


def cites(evidence_id: str | None, url: str | None = None, *, web: bool = False) -> Citation:
    """A citation at the very beginning of the report."""
    return Citation(marker="", start=0, end=0, evidence_id=evidence_id, url=url, type="web" if web else "product")


def course(
    *steps: Step,
    expected: Sequence[str] = (),
    evidence: Sequence[Evidence] = (),
    citations: Sequence[Citation] = (),
    report: str = "A report.",
) -> Course:
    run = build.run(report=report, citations=tuple(citations), steps=numbered(*steps))
    return Course(run, {entry.id: entry for entry in evidence}, frozenset(expected))


REASON = call("Reason", thought="hm")
BARE = call(SEARCH, error="invalid_argument: no object").model_copy(update={"args": None})
HANDED = [
    *(web_page(f"W:{name}", f"https://{name}.example/") for name in "abc"),
    web_page("W:d", "https://d.example/", shown=False),
]


def counted(name: str, of: Course) -> Count:
    return run_measures(of)[name]


def test_coverage_is_of_the_expected_tools_that_were_called_however_often() -> None:
    twice = course(turn(), call(SEARCH, query="a"), call(SEARCH, query="b"), expected=(SEARCH, WEB))
    assert counted("tool_coverage", twice) == Count(0.5, items={"covered": 1, "expected": 2})
    # A tool that the agent does not have is not covered by asking for it, nor is any by a run that called nothing.
    refused = call(WEB, error="unknown_tool: There is no tool 'web_search'.")
    none = Count(0.0, items={"covered": 0, "expected": 1})
    assert counted("tool_coverage", course(turn(), refused, expected=(WEB,))) == none
    assert counted("tool_coverage", course(turn(), expected=(WEB,))) == none
    assert counted("tool_coverage", course(expected=(WEB,))) == Count(None, "the run has no steps")
    unnamed = counted("tool_coverage", course(turn(), call(WEB)))
    assert unnamed == Count(None, "the query names no expected tools")


def test_unneeded_are_calls_of_tools_that_the_query_does_not_need_and_moves_are_no_calls() -> None:
    ran = course(turn(), call(SEARCH), call(WEB), call(WEB), call("calculator"), expected=(SEARCH, WEB))
    assert counted("unneeded", ran) == Count(0.25, items={"unneeded": 1, "calls": 4})
    assert counted("unneeded", course(turn(), expected=(WEB,))) == Count(None, "no tool was called")
    moved = course(turn(), REASON, REASON, call(SEARCH), expected=(SEARCH,))
    assert counted("unneeded", moved) == Count(0.0, items={"unneeded": 0, "calls": 1})
    assert (counted("tool_calls", moved).value, counted("repeated", moved).value) == (1, 0)


def test_calls_repeat_that_are_equal_in_tool_and_readable_arguments_in_any_branch() -> None:
    ran = course(
        turn(),
        call(SEARCH, query="feeder", limit=5),
        call(SEARCH, limit=5.0, query="feeder"),
        call(SEARCH, path="0.1", query="feeder", limit=5),
        call(SEARCH, query="bath", limit=5),
        call(DETAILS, query="feeder", limit=5),
    )
    assert counted("repeated", ran) == Count(0.4, items={"repeated": 2, "calls": 5})
    bare = counted("repeated", course(turn(), BARE, BARE))
    assert bare == Count(0.0, items={"repeated": 0, "calls": 2})


def test_invalid_are_the_caller_s_faults_and_names_without_a_tool() -> None:
    ran = course(
        turn(),
        call(SEARCH, error="invalid_argument: limit must be at most 50"),
        call(DETAILS, error="not_found: There is no product"),
        call("search_shop", error="unknown_tool: There is no tool"),
        call(WEB, error="unavailable: the network is down"),
        call(WEB),
    )
    faults = {"invalid_argument": 1, "not_found": 1, "unknown_tool": 1}
    assert counted("invalid", ran) == Count(3 / 5, items={"invalid": 3, "calls": 5, **faults})
    assert counted("tool_calls", ran).value == 4


def test_uncited_is_the_evidence_read_that_the_report_does_not_cite() -> None:
    ran = course(turn(), call(WEB), evidence=HANDED, citations=[cites("W:a", web=True), cites("P:X")])
    assert counted("retrieved_uncited", ran) == Count(2 / 3, items={"uncited": 2, "handed_out": 3})
    without_steps = {name for name, each in run_measures(course(report="Two words")).items() if each.value is not None}
    assert without_steps == {"pages", "domains", "words", "words_body"}


def test_pages_and_domains_are_distinct_and_products_are_none() -> None:
    urls = ("https://www.birds.example/clean", "https://birds.example/feed#top", "https://other.example/")
    pages = [web_page(f"W:{name}", url) for name, url in zip("abc", urls, strict=True)]
    citations = [cites("W:a", web=True), cites("W:b", web=True), cites("P:X", "http://ecommerce.com/X")]
    citations.append(cites(None, "https://birds.example/feed", web=True))
    ran = course(turn(), call(WEB), evidence=pages, citations=citations)
    assert [counted(name, ran).value for name in ("pages", "domains")] == [2, 1]
    assert domain_of("http://[broken") == ""


def launch(error: str | None = None) -> Step:
    return call(LAUNCH, error=error, sub_problem="feeders")


def test_turns_are_the_answers_of_models_that_act_or_write_in_all_branches() -> None:
    steps = numbered(
        turn("supervisor"),
        launch(),
        turn("report"),
        turn(path="0.1"),
        turn("summariser", path="0.1"),
        turn(path="0.1", error="timeout"),
        turn("synthesis", path="0.1"),
    )
    assert turns(steps) == 4
    assert LAUNCH == MOVE
    assert {shopper.READ_FILE, shopper.SEARCH_SANDBOX} == ERRANDS


# By what it shows: steps, and the turns of models before the first evidence.
TO_EVIDENCE: dict[str, tuple[list[Step], int | None]] = {
    "of a single agent": ([turn(), call(SEARCH), turn(), call(SEARCH, "P:X"), turn()], 2),
    "before the first turn": ([call(SEARCH, "P:X"), turn()], 0),
    "never": ([turn(), call(SEARCH)], None),
    "a branch waits for its launch and for no branch beside it": (
        [
            turn("supervisor"),
            launch(),
            launch(error="limit: At most one researcher"),
            turn("supervisor"),
            launch(),
            turn("supervisor"),
            turn(path="0.1"),
            turn(path="0.1"),
            turn(path="0.2"),
            call(SEARCH, "P:X", path="0.2"),
        ],
        3,
    ),
    "a branch of dr3 waits for the question that opened it": (
        [
            turn(),
            call("read_file", error="invalid_argument: There is no file", file="x", question="What?"),
            turn(),
            call("search_sandbox", question="How?"),
            turn(),
            turn(path="0.1", role="retriever"),
            call(SEARCH, "W:x", path="0.1"),
        ],
        3,
    ),
}


@pytest.mark.parametrize("case", TO_EVIDENCE)
def test_turns_to_evidence(case: str) -> None:
    steps, expected = TO_EVIDENCE[case]
    assert turns_to_evidence(numbered(*steps)) == expected


def test_what_went_wrong_is_counted_with_the_drafts_that_were_sent_back() -> None:
    wrong = Setbacks(lost={"summariser": 2}, repairs={"synthesis": 1, "picks": 1}, second_attempts=3, announcements=1)
    run = build.run(setbacks=wrong, repairs=("1: price_wrong; taken",))
    found = run_measures(Course(run, {}, frozenset()))
    assert {name: found[name].value for name in SETBACKS} == {
        "unanswered": 2,
        "second_attempts": 3,
        "repairs": 3,
        "announcements": 1,
        "struck_ids": 0,
    }
    assert found["repairs"].items == {"synthesis": 1, "picks": 1, "drafts": 1}
