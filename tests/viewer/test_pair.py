"""The report of two systems of an experiment: on the page, in the terminal, as JSON."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from drretail import open_world, run, score
from drretail.errors import UnknownName, UserError
from drretail.experiment import read_definition, read_runs, reference_path, write_definition
from drretail.files import write_json
from drretail.records.query import KeptReference, Proof
from drretail.records.run import BASELINES
from drretail.viewer.conversation import journal_size
from drretail.viewer.experiment import beside, between, read_view
from drretail.viewer.judged import Claim
from drretail.viewer.page.question import Questions, Rendered
from drretail.viewer.run_lines import changes, claim_changes
from tests.build import known
from tests.cli.commands import environment
from tests.cli.in_process import run_here
from tests.shop import USER, build_shop
from tests.viewer.agents import DIFFERING, QUESTION
from tests.viewer.dom import parse


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("pair")
    with open_world(build_shop(home / "w")) as world:
        run(world, [QUESTION], {**DIFFERING, "third": DIFFERING["after"]}, to=home / "exp", user=USER, baselines=False)
    score(home / "exp", ["faithfulness", "checks"])
    return home / "exp"


def test_claims_are_apart_by_who_makes_them_and_what_was_ruled(compared: Path) -> None:
    view = between(read_view(compared), "before", "after")
    by_label = {each.subject.label: each for each in view.runs}
    lines = [each.line for each in claim_changes(by_label["before"], by_label["after"]) or () if each.kind != "same"]
    assert [line[:14] for line in lines] == ["~ ✓ → ○ It is ", "− · The Tanagr", "+ ✓ The Tanagr"]


def test_the_report_of_two_systems_has_nothing_of_a_third(compared: Path) -> None:
    view = between(read_view(compared), "before", "after")
    board = view.scores.scoreboard
    assert board is not None
    assert {row.system for row in board.rows} == {row.system for row in view.scores.scores} == {"before", "after"}
    assert {(row.a, row.b) for row in board.compared} <= {("after", "before")}


def test_a_system_beside_itself_and_one_that_is_none_are_errors(compared: Path) -> None:
    with pytest.raises(UserError, match="can't be set beside itself"):
        between(read_view(compared), "before", "before")
    with pytest.raises(UnknownName, match="Did you mean after"):
        between(read_view(compared), "before", "aftr")


def test_the_best_systems_of_two_experiments_are_paired_on_what_both_ask(compared: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(compared, tmp_path / "other"))
    view = beside(read_view(compared), read_view(other))
    a, b = view.definition.systems
    assert b == f"{a}@other"
    assert [run.subject.label for run in view.runs] == [a, b]
    board = known(view.scores.scoreboard)
    assert [row.system for row in board.rows] == [a, b]
    names = {column.name for column in board.columns}
    assert {row.name for row in board.compared} & names
    assert {(row.a, row.b) for row in board.compared} == {(a, b)}
    definition = read_definition(other)
    queries = [query.model_copy(update={"text": "Another?"}) for query in definition.queries]
    write_definition(other, definition.model_copy(update={"queries": tuple(queries)}))
    with pytest.raises(UserError, match="exp and other share no query"):
        beside(read_view(compared), read_view(other))


def test_each_answer_has_the_conversation_and_the_proof_of_its_own_experiment(
    judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path(shutil.copytree(judged, tmp_path / "other"))
    view = beside(read_view(judged), read_view(other))
    question = view.questions[0]
    anchors = [view.runs[place].anchor for place in question.places]
    kept = KeptReference(query_id=question.query.query_id, wants=(), proof=Proof(state="proved"))
    write_json(reference_path(other, kept.query_id), kept.model_dump(mode="json"))

    def shown() -> tuple[Rendered, list[bool]]:
        made = Questions(view).render(question)
        return made, [f'id="{anchor}-talk"' in made.body for anchor in anchors]

    made, talks = shown()
    assert [card.proof for card in made.card.answers] == [None, "proved"]
    assert (made.card.is_infeasible, talks) == (False, [True, True])
    monkeypatch.setattr(
        "drretail.viewer.page.question.ALL_TALKS", sum(journal_size(judged, run) for run in read_runs(judged))
    )
    assert shown()[1] == [False, False], "the journals of both count"
    for path in other.glob("runs/*/*/journal.jsonl*"):
        path.unlink()
    assert shown()[1] == [True, False]


def test_an_experiment_of_floors_alone_has_no_best_system(compared: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(compared, tmp_path / "other"))
    definition = read_definition(other)
    floor = next(iter(definition.systems.values())).model_copy(update={"agent": BASELINES[0]})
    write_definition(other, definition.model_copy(update={"systems": {BASELINES[0]: floor}}))
    (other / "scores.json").unlink()
    with pytest.raises(UserError, match="other has no system that researches"):
        beside(read_view(compared), read_view(other))


def test_the_command_writes_the_page_and_tells_the_rest(compared: Path) -> None:
    def report(*args: str) -> subprocess.CompletedProcess[str]:
        home = compared.parent
        return run_here(("report", "exp", "--diff", "before", "after", *args), home, environment(home))

    done = report()
    assert (done.returncode, done.stdout) == (0, "exp/diff-before~after.html\n")
    page = parse((compared / "diff-before~after.html").read_text(encoding="utf-8"))
    differing = next(each for each in page.by_id("q1").all("details") if each.text.strip().startswith("Claims that"))
    places = {each.attributes["id"] for each in page.all() if "id" in each.attributes}
    rows = [(link.attributes["href"], row.text) for row in differing.all("tr") for link in row.all("a")]
    assert [("not said" in text) for _, text in rows] == [False, True, True]
    assert all(href.removeprefix("#") in places for href, _ in rows)
    assert "third" not in page.by_id("scoreboard").text + page.by_id("questions").text
    assert "  ~ ✓ → ○ It is rated 4.5 out of 5" in report("--format", "text").stdout
    assert json.loads(report("--json").stdout)["systems"] == ["after", "before"]
    wrong = report("--format", "paper")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("The tube feeder costs $24.99 [P:B1].", "Tube feeder: it costs $24.99.", True),
        ("The tube feeder costs $24.99.", "The tube feeder costs $19.99.", False),
        ("It costs $1,299.", "It costs $1299 [P:B1].", True),
        ("Fill the feeder with sunflower seeds.", "Wash the bath with vinegar.", False),
    ],
)
def test_claims_are_the_same_by_their_figures_and_words(a: str, b: str, *, same: bool) -> None:
    one, other = (Claim(1, text, (), (), None, None, "full") for text in (a, b))
    assert (len(changes([one], [other])) == 1) is same
