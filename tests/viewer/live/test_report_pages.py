"""The report's own pages from the live server, and what makes them anew."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from drretail.experiment import run_folder
from drretail.viewer.live import report_pages
from drretail.viewer.live.app import create_app, parts_of
from drretail.viewer.live.watch import Watch
from drretail.viewer.page.question import Questions
from tests.viewer.live.conftest import PORT, TOKEN, client_of


def test_the_index_leads_to_the_questions_and_to_voting(client: TestClient) -> None:
    page = client.get("/").text
    for address in ("/vote", "/rate", "/label"):
        assert f'href="{address}"' in page
    names = set(re.findall(r'href="(query-[^"#]+)"', page))
    assert names == {"query-q1.html", "query-q2.html", "query-q3.html"}
    for name in names:
        assert client.get(f"/{name}").status_code == 200
    assert client.get("/index.html").text == page
    assert client.get("/query-q9.html").status_code == 404


def test_a_change_makes_only_its_question_anew(exp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    lines = Questions.lines

    def counted(self: Questions, question: report_pages.Question, *given: object, **more: object) -> object:
        made.append(question.query.query_id)
        return lines(self, question, *given, **more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Questions, "lines", counted)
    monkeypatch.setattr("drretail.viewer.live.watch._AT_LEAST", 0)
    client = client_of(create_app(parts_of(exp, PORT), TOKEN, PORT))
    client.get("/")
    client.get("/")
    assert made == ["q1", "q2", "q3"]
    before = client.get("/changes").json()
    (run_folder(exp, "zephyr", "q2", 1) / "run.json").touch()
    assert client.get("/changes").json() != before
    client.get("/")
    assert made == ["q1", "q2", "q3", "q2"]


def test_runs_that_are_still_to_come_are_told(exp: Path) -> None:
    run_folder(exp, "zephyr", "q1", 1).rename(exp.parent / "away")
    watch = Watch(exp)
    assert watch.version()
    page = client_of(create_app(parts_of(exp, PORT), TOKEN, PORT)).get("/").text
    assert "8 of 9 runs have ended" in page


class Clock:
    now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_runs_change_their_query_and_the_whole_scores_the_index_alone_and_votes_nothing(exp: Path) -> None:
    watch = Watch(exp, Clock())
    before = watch.version(), watch.version_of("q1"), watch.version_of("q2")
    assert (watch.version(), watch.version_of("q1"), watch.version_of("q2")) == before
    (run_folder(exp, "zephyr", "q1", 1) / "run.json").touch()
    after = watch.version(), watch.version_of("q1"), watch.version_of("q2")
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, False, True]
    watch = Watch(exp, Clock())
    before = watch.version(), watch.version_of("q1")
    (exp / "votes").mkdir()
    (exp / "votes" / "ann.jsonl").touch()
    assert (watch.version(), watch.version_of("q1")) == before
    (exp / "scores.json").touch()
    assert watch.version() != before[0]
    assert watch.version_of("q1") == before[1]
