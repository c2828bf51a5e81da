"""Pages on which people vote, rate and label. Also tests addons/people/items.py."""

import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from drretail.addons.lab.correction import correction_of
from drretail.addons.lab.findings import CORRECTED
from drretail.addons.people.plan import planned
from drretail.eval.ballots import read_votes, votes_path
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.experiments.experiment import read_definition
from drretail.files import read_jsonl
from drretail.llm.offline.judge import tag_contents
from drretail.llm.prompt import tag_content
from drretail.records.vote import ClaimLabel, Rating, Vote
from tests.build import scripted_judge
from tests.eval.metrics.pairwise.judging import compared, prefers_the_first
from tests.viewer.dom import parse


def answer(client: TestClient, value: str, question: str = "depth", path: str = "/vote/1", **given: str) -> Any:
    found = client.post(path, json={"question": question, "value": value, **given})
    assert found.status_code == 200, found.text
    return found.json()


def state(client: TestClient, path: str = "/vote/1") -> Any:
    return client.get(f"{path}/answers").json()


def test_nobody_votes_without_a_name_that_a_file_can_have(client: TestClient, exp: Path) -> None:
    assert client.post("/name", data={"name": "Dr. O'Neil", "back": "vote"}).status_code == 409
    assert 'name="name"' in client.get("/vote").text
    assert client.post("/vote/1", json={"question": "depth", "value": "tie"}).status_code == 403
    assert read_votes(exp) == []


def test_no_page_of_voting_tells_of_systems_models_or_verdicts(ann: TestClient) -> None:
    answer(ann, "left")
    names = ("zephyr", "quartz", "slow_thinker", "slow-thinker", "slow thinker", "Slow")
    paths = ("/vote/{}", "/rate/{}", "/label/{}", "/vote/{}/answers")
    for path in ("/vote", "/rate", "/label", *(each.format(number) for each in paths for number in range(1, 7))):
        found = ann.get(path)
        assert found.status_code == 200
        held = f"{found.text} {found.url} {dict(found.headers)}"
        for name in (*names, "scripted:judge", "The source says just this."):
            assert name not in held, f"{name} is told on {path}"
    assert not any("slow" in ann.get(f"/assets/{name}").text for name in ("voting.js", "voting.css", "page.css"))


def test_people_read_the_reports_and_the_criteria_of_the_papers_judge_and_no_list_of_picks(
    ann: TestClient, exp: Path
) -> None:
    judge, asked = scripted_judge(prefers_the_first)
    compared(exp, judge, rules="paper")

    def words(text: str) -> str:
        """Without layout, such as the numbers of a list, which a browser adds."""
        return " ".join(re.findall(r"\w+", re.sub(r"^\d+\. ", "", text, flags=re.MULTILINE)))

    for number, item in enumerate(planned(exp).pairs[:6], 1):
        page = parse(ann.get(f"/vote/{number}").text)
        shown = {words(report.text) for report in page.all("div", "report") if "javascript" not in report.text}
        question = read_definition(exp).queries[int(item.query_id[1:]) - 1].text
        of_judge = [each for each in asked if tag_content("query", each) == question]
        assert of_judge
        read = {words(text) for each in of_judge for text in tag_contents("report", each)}
        assert shown <= read
        assert not any("picks" in each or "to buy</h4>" in each for each in (page.text, *of_judge))
        definitions = [*page.all("details", "definition")]
        assert len(definitions) >= len(DIMENSIONS) - 1
        for paragraph in (paragraph for definition in definitions for paragraph in definition.all("p")):
            assert any(words(paragraph.text) in words(each) for each in of_judge), paragraph.text


def test_what_is_shown_as_a_is_what_left_counts_for_and_sides_stay(ann: TestClient, exp: Path) -> None:
    for number, item in enumerate(planned(exp).pairs[:6], 1):
        answer(ann, "right", path=f"/vote/{number}")
        vote = read_votes(exp)[-1]
        assert isinstance(vote, Vote)
        preferred = item.a if vote.choice == "a" else item.b
        says = {"zephyr": "Tube Bird Feeder costs", "quartz": "Bird Bath costs", "slow_thinker": "javascript"}
        right = parse(ann.get(f"/vote/{number}").text)
        (_, report) = (each.text for each in right.all("div", "report"))
        assert says[preferred] in report

    def left(client: TestClient) -> list[str]:
        pages = [parse(client.get(f"/vote/{number}").text) for number in range(1, 7)]
        return [next(page.all("div", "report")).text for page in pages]

    first = left(ann)
    assert left(ann) == first
    ann.post("/name", data={"name": "ben"})
    assert left(ann) != first


def test_an_answer_is_changed_taken_back_and_told_of_another_window_s(ann: TestClient, exp: Path) -> None:
    first = answer(ann, "left")["answers"]["depth"]
    changed = answer(ann, "tie", seen=first["id"])
    assert changed["told"] == ""
    assert ann.post("/vote/undo").json()["number"] == 1
    assert state(ann)["answers"]["depth"] == first
    assert "Taken back: your answer on depth, comparison 1." in ann.post("/vote/undo").json()["told"]
    assert state(ann)["answers"] == {}
    assert ann.post("/vote/undo").json() == {"number": None, "told": "There is nothing to take back."}
    assert read_votes(exp) == []
    assert len(list(read_jsonl(votes_path(exp, "ann")))) == 4
    answer(ann, "right", seen="")
    assert answer(ann, "tie", seen="")["told"] == "Depth: another window had B; what you chose here holds now."
    assert [vote.answer for vote in read_votes(exp)] == ["tie"]


def test_what_was_not_asked_is_refused(ann: TestClient, exp: Path) -> None:
    for sent in (
        {"question": "depth", "value": "a"},
        {"question": "depths", "value": "left"},
        {"question": "depth"},
        {"question": "depth", "value": "left", "annotator": "ben"},
        {"question": "depth", "value": "left", "note": "x" * 5000},
    ):
        assert ann.post("/vote/1", json=sent).status_code == 400, sent
    assert ann.post("/vote/7", json={"question": "depth", "value": "tie"}).status_code == 404
    assert read_votes(exp) == []
    assert [ann.get(beyond).status_code for beyond in ("/vote/7", "/vote/0")] == [404, 404]


def test_a_report_is_rated(ann: TestClient, exp: Path) -> None:
    assert answer(ann, "10", path="/rate/1")["answers"]["depth"]["value"] == "10"
    (rating,) = read_votes(exp)
    assert isinstance(rating, Rating)
    assert (rating.value, rating.run_id) == (10, planned(exp).reports[0].run_id)
    assert ann.post("/rate/1", json={"question": "depth", "value": "11"}).status_code == 400
    assert ann.post("/rate/undo").json()["number"] == 1
    assert read_votes(exp) == []


def test_a_label_too_few_corrects_nothing_and_it_is_said_how_many_are_missing(ann: TestClient, exp: Path) -> None:
    answer(ann, "full", "support", "/label/1")
    assert state(ann, "/label/1")["done"] == 1
    assert [type(vote) for vote in read_votes(exp)] == [ClaimLabel]
    made = correction_of(exp, None)
    assert not made.values()
    assert {row.name for row in made.where(part=CORRECTED) if row.value is None} == {"FP"}
