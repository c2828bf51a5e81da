"""What to look at first, and the map of all. Also tests viewer/cards.py and viewer/run_lines.py."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.errors import ModelError
from drretail.experiments.experiment import keep_account, path_of, read_runs
from drretail.records.account import Account
from drretail.records.evidence import Finding
from drretail.viewer.cards import answer_card, fault_lines
from drretail.viewer.experiment import read_view
from drretail.viewer.run_lines import Fault, RunLine, first_faults, run_line
from tests.build import evidence, experiment, scored, scripted_judge, text
from tests.viewer.dom import parse
from tests.viewer.experiment import CODE, append, render_page, verdict


@pytest.fixture(scope="module")
def lines(judged: Path) -> list[RunLine]:
    view = read_view(judged)
    return [run_line(view.runs[place], question) for question in view.questions for place in question.places]


OVER = Finding(code="over_budget", severity="error", text="$40", found="the budget is $32")
UNKNOWN = Finding(code="price_unknown", severity="warning", text="P:B1", found="the shop names no price")
WRONG = Finding(code="not_wanted", severity="error", text="a lamp")


DECIDED: list[tuple[float | None, tuple[Finding, ...], str, str]] = [
    (1.0, (OVER,), "right", ""),
    (0.0, (OVER,), "limit", "over budget: the budget is $32"),
    (0.0, (OVER, WRONG), "wrong", "over budget: the budget is $32"),
    (0.0, (), "wrong", "wrong thing: nothing for lamp"),
    (0.0, (UNKNOWN,), "limit", "price unknown: the shop names no price"),
    (None, (OVER,), "limit", "over budget: the budget is $32"),
    (None, (), "open", ""),
]


def test_what_was_bought_decides_before_what_is_found(judged: Path, lines: list[RunLine]) -> None:
    first = read_view(judged).runs[0]
    for right, findings, decision, fault in DECIDED:
        checks = replace(first.checks, findings=findings)
        view = replace(first, is_right=right, why_not_right="nothing for lamp", checks=checks, false=())
        made = answer_card("react", view, lines[0], None).line
        faults = [f"{each.kind}: {each.quote}" for each in made.faults]
        assert (made.decision, faults) == (decision, [fault] if fault else []), (right, findings)


def test_a_false_and_a_failed_answer_are_quoted_first_each_with_a_link_to_its_evidence(mine: Path) -> None:
    (run, *_) = read_runs(mine)
    wrong = Finding(code="contradicted", severity="error", text="It costs $5.", start=0, end=12).model_dump(mode="json")
    value = {"statements": [wrong]}
    append(mine, run, [verdict(run, "false_statements", CODE, "statement", "report", value=value)])
    look = parse(render_page(mine)).by_id("look")
    items = [" ".join(each.text.split()) for each in look.all("li")]
    assert items[1].startswith("false react@offline-shopper “It costs $5.” ·")
    failed = (
        "failed react@offline-shopper 1 of 3 answers: timeout, in react: no answer within 60 seconds <b>at all</b> ·"
    )
    assert items[0].startswith(failed)
    assert items[2] == "false (1) · failed (1) · all questions × systems · No fault was found in 1 answer."
    assert [link.attributes["href"][:2] for link in look.all("a")] == ["#m", "#r", "#r", "#m", "#m", "#m"]
    quoted = list(fault_lines(read_view(mine)))
    assert quoted[1].startswith("✗ react@offline-shopper false: “It costs $5.” ·")
    assert len(quoted) == 2
    path_of(mine, next(each for each in read_runs(mine) if each.status == "failed")).unlink()
    assert list(fault_lines(read_view(mine))) == quoted[1:], "a run that is not made yet is no fault"
    items = [" ".join(each.text.split()) for each in parse(render_page(mine)).by_id("look").all("li")]
    assert (len(items), items[-1]) == (2, "false (1) · all questions × systems · No fault was found in 1 answer.")


NAMES = {"a": "agent a", "b": "agent b", "c": "agent c"}


def test_a_fault_of_several_systems_is_listed_once_and_one_of_all_last(lines: list[RunLine]) -> None:
    of_all = [(0, "a", "over budget", "$40"), (0, "b", "over budget", "$50"), (0, "c", "over budget", "$40")]
    of_two = [(1, "a", "not wanted", "a lamp"), (1, "b", "not wanted", "a lamp"), (1, "c", "below rating", "3.9")]
    answers = [
        replace(lines[at], number=number, label=label, faults=(Fault(kind, quote, ""),))
        for number, (at, label, kind, quote) in enumerate((*of_all, *of_two))
    ]
    assert [(fault.kind, who) for _, fault, who in first_faults(answers, 4, NAMES)] == [
        ("not wanted", "2 of 3 systems"),
        ("below rating", "agent c"),
        ("over budget", "3 of 3 systems, such as agent a"),
    ]


def test_a_page_of_failed_judgements_praises_nothing_and_shows_what_was_not_used(tmp_path: Path) -> None:
    reports = {f"q{at}-r1": f"It holds seed {at} [W:AAAAAAAA]." for at in range(5)}
    exp = experiment(tmp_path / "exp", {"a@m": reports}, evidence=[evidence("W:AAAAAAAA", text("Seeds."))])
    judge, _ = scripted_judge(lambda _: ModelError("model", "HTTP 400"))
    scored(exp, ("faithfulness", "false_statements"), judge)
    rows = Account("import rows", "row", came=7, used=5)
    rows.leave_out("no question in it", "rows.csv, row 3", 2)
    keep_account(exp, rows)
    page = parse(render_page(exp))
    look, first, accounts = (" ".join(page.by_id(name).text.split()) for name in ("look", "first", "accounts"))
    assert "5 answers, none of which could be looked at: the judge failed (5, first: a@m/q0-r1, " in look
    assert "No fault" not in look
    assert "judgements by scripted:test failed (on its claims: model: HTTP 400). `drretail score … --retry" in first
    assert "import rows: rows 7 5 0 2" in accounts
    assert "import rows, left out: no question in it (2, first: rows.csv, row 3)." in accounts
    assert "faithfulness by scripted:test: reports 5 0 0 5" in accounts
