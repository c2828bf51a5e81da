"""Two systems' answers side by side: on the page, in the terminal, as JSON."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from drretail.errors import UnknownName, UserError
from drretail.experiment import read_runs
from drretail.viewer.diff.answers import Statement, likeness_of, read_diff
from drretail.viewer.diff.diff_output import diff_document, diff_page, diff_text
from tests.cli.commands import environment
from tests.cli.forked import ForkServer
from tests.viewer.dom import Element, parse
from tests.viewer.experiment import fail


@pytest.fixture(scope="module")
def page(compared: Path) -> Element:
    return parse(diff_page(read_diff(compared, "before", "after")))


def test_claims_are_apart_by_who_makes_them_and_what_was_ruled_and_picks_by_how_many(compared: Path) -> None:
    (pair,) = read_diff(compared, "before", "after").pairs
    assert pair.by == "claims, judged by offline:judge"
    fields = {change.kind: (change.a or change.b) for change in pair.changes}
    assert pair.counts == {"verdict": 1, "only_a": 1, "only_b": 1, "same": 1}
    assert {kind: each.plain.partition(" ")[0] for kind, each in fields.items() if each} == {
        "verdict": "It",
        "only_a": "The",
        "only_b": "The",
        "same": "Tanagrove",
    }
    (other,) = [change for change in pair.changes if change.kind == "verdict"]
    assert (other.a and other.a.support, other.b and other.b.support) == ("full", "uncited")
    picked = [
        (change.a and (change.a.product, change.a.quantity), change.b and (change.b.product, change.b.quantity))
        for change in pair.cart_changes
    ]
    assert picked == [
        (("B0TEST0001", 1), ("B0TEST0001", 2)),
        (("B0TEST0002", 1), None),
        (None, ("B0TEST0004", 1)),
    ]


def test_without_a_judge_sentences_are_compared_and_without_a_report_nothing(unjudged: Path, tmp_path: Path) -> None:
    diff = read_diff(unjudged, "before", "after")
    (pair,) = diff.pairs
    assert pair.by == "sentences, by code"
    assert pair.counts["verdict"] == 0
    assert "+ The Tanagrove Bird Bath" in diff_text(diff)
    assert diff_document(diff)["queries"][0]["statements"] == "sentences"

    shutil.copytree(unjudged, tmp_path / "exp")
    fail(tmp_path / "exp", next(run for run in read_runs(tmp_path / "exp") if run.system == "after"), "too slow")
    diff = read_diff(tmp_path / "exp", "before", "after")
    assert "B has no answer (failed)." in diff_text(diff)
    assert "too slow" in diff_page(diff)


def test_what_only_one_says_is_marked_and_leads_to_its_card_on_a_page_that_runs_nothing(page: Element) -> None:
    a, b = [each for each in page.all("section") if each.attributes.get("aria-label", "").startswith("Answer of")]
    marked = [" ".join(mark.text for mark in side.all("mark")) for side in (a, b)]
    assert "cedar" in marked[0]
    assert "Bird Bath" in marked[1]
    assert not any("24.99" in text for text in marked)
    places = {each.attributes["id"] for each in page.all() if "id" in each.attributes}
    badges = [each.attributes["href"] for each in page.all("a") if each.attributes.get("class", "").startswith("badge")]
    assert badges
    assert all(href.removeprefix("#") in places for href in badges)
    assert not [each.tag for each in page.all() if each.tag in ("script", "img", "iframe", "link", "object", "form")]
    policy = next(each.attributes["content"] for each in page.all("meta") if "http-equiv" in each.attributes)
    assert "default-src 'none'" in policy
    assert "script-src 'none'" in policy
    for element in page.all():
        assert element.attributes.get("href", "#").startswith(("#", "http://", "https://"))


def test_a_system_beside_itself_and_one_that_is_none_are_errors(compared: Path) -> None:
    with pytest.raises(UserError, match="can't be set beside itself"):
        read_diff(compared, "before", "before")
    with pytest.raises(UnknownName, match="Did you mean after"):
        read_diff(compared, "before", "aftr")


def test_the_command_writes_the_page_and_tells_the_rest(compared: Path, fork_server: ForkServer) -> None:
    def report(*args: str) -> subprocess.CompletedProcess[str]:
        home = compared.parent
        return fork_server.run(("report", "exp", "--diff", "before", "after", *args), home, environment(home))

    done = report()
    assert (done.returncode, done.stdout) == (0, "exp/diff-before~after.html\n")
    assert (compared / "diff-before~after.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    text = report("--format", "text").stdout
    assert "  ~ ✓ → ○ It is rated 4.5 out of 5" in text
    assert "  + picks 1 × Tanagrove Bird Bath: $55.00" in text
    document = json.loads(report("--json").stdout)
    assert [each["kind"] for each in document["queries"][0]["changes"]] == ["verdict", "only_a", "only_b"]
    wrong = report("--format", "paper")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def statement(number: int, text: str, *sources: str) -> Statement:
    return Statement(number, text, sources, None)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("The tube feeder costs $24.99 [P:B1].", "Tube feeder: it costs $24.99.", True),
        ("The tube feeder costs $24.99.", "The tube feeder costs $19.99.", False),
        ("It costs $1,299.", "It costs $1299 [P:B1].", True),
        ("Fill the feeder with sunflower seeds.", "Wash the bath with vinegar.", False),
    ],
)
def test_statements_are_the_same_by_their_figures_and_words(a: str, b: str, *, same: bool) -> None:
    assert (likeness_of(statement(1, a), statement(1, b)) >= 0.5) is same
