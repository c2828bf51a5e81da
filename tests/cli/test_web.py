"""``--web``: which web a run searches, what a sandbox cannot serve, and cited pages. Tests api/worlds.py."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from drretail.api.settings import Settings
from drretail.api.worlds import chosen_web, pages_by_label
from drretail.env.world import world_at
from drretail.eval.numbers.file import made_scores
from drretail.experiments.experiment import read_definition, read_runs
from drretail.files import write_lines
from drretail.querygen.reading import read_queries
from drretail.records.run import System
from tests import build
from tests.build import files
from tests.cli.commands import Command, ErrorOf
from tests.sealed import Page, seal

QUESTION = "How high should a bird feeder hang, and which one suits me?"

KEY = "k-0123456789abcdef0123456789abcdef"


@pytest.fixture
def serper() -> Generator[HTTPServer]:
    found = [{"title": "Feeder heights", "link": "https://a.example/heights", "snippet": "Five feet is usual."}]
    with HTTPServer() as server:
        server.expect_request("/search").respond_with_json({"organic": found})
        yield server


def keys(server: HTTPServer) -> dict[str, str]:
    return {"SERPER_API_KEY": KEY, "DRRETAIL_SERPER_ADDRESS": server.url_for("/search")}


def test_a_run_searches_the_web_that_is_named_and_replays_without_it(
    succeeds: Command, shop: str, tmp_path: Path, queries: str, serper: HTTPServer
) -> None:
    command = ["run", "--queries", queries, "--world", shop, "--no-floors", "--web", "serper"]
    done = succeeds(*command, "--to", "exp", **keys(serper))
    asked = len(serper.log)
    assert asked > 0
    (system,) = read_definition(tmp_path / "exp").systems.values()
    assert (system.web_provider, system.web_corpus) == ("serper", None)
    succeeds(*command, "--to", "again", "--replay", "exp")
    assert len(serper.log) == asked
    for folder in ("exp", "again"):
        assert "a.example/heights" in str(files(tmp_path / folder)) or any((tmp_path / folder).rglob("*.gz"))
        assert KEY not in str(files(tmp_path / folder))
    assert KEY not in done.stdout + done.stderr


def test_a_service_that_refuses_the_key_stops_the_run(drretail: Command, shop: str, tmp_path: Path) -> None:
    asked = ("ask", QUESTION, "--world", shop, "--web", "serper", "--to", "exp")
    with HTTPServer() as server:
        server.expect_request("/search").respond_with_json({"message": f"Unauthorized {KEY}"}, 403)
        done = drretail(*asked, **keys(server))
        assert len(server.log) == 1
        server.clear()
        server.expect_request("/search").respond_with_json({"organic": []})
        again = drretail(*asked, **keys(server))
    assert (done.returncode, done.stdout) == (2, "")
    assert "SERPER_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stderr
    assert again.returncode == 0, again.stderr
    (run,) = read_runs(tmp_path / "exp")
    assert not any(step.error for step in run.steps)


def test_live_pages_are_those_of_the_web_that_a_system_searched() -> None:
    fixed = System(agent="react", models={}, web_corpus=chosen_web(Settings()).corpus)
    searched = System(agent="react", models={}, web_provider="serper")
    pages = pages_by_label(Settings(web="sandbox"), {"fixed": fixed, "open": searched})
    assert (pages["fixed"].provider, pages["open"].provider) == ("sandbox", "open")
    # No key is needed, and what Serper found is fetched from the open web.
    for live in (pages["open"], pages_by_label(Settings(web="serper"), {"open": searched})["open"]):
        page = live.fetch("http://127.0.0.1:80/")
        assert (page.state, "no host of the public internet" in str(page.problem)) == ("blocked", True)


PAGE = {
    "url": "https://mine.example/height",
    "title": "How high a bird feeder hangs",
    "text": "A bird feeder hangs five feet high, out of reach of cats. " * 8,
}


def scores(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows by agent and variant."""
    rows = made_scores(folder).model_dump(mode="json")["scores"]
    return {(row["system"].partition("@")[0], row["variant"]): row for row in rows}


def test_claims_are_judged_by_pages_that_were_read_and_others_once_they_are_fetched(
    succeeds: Command, shop: str, tmp_path: Path
) -> None:
    write_lines(tmp_path / "pages.jsonl", [json.dumps(PAGE)])
    write_lines(tmp_path / "asked.jsonl", [build.query("q1", QUESTION, mode="generic").as_line()])
    web = ("--web", "sandbox:pages.jsonl")
    run = ("run", "--queries", "asked.jsonl", "--world", shop, "--no-floors", "--to", "exp", *web)
    score = ("score", "exp", "--metrics", "faithfulness", *web)
    succeeds(*run, "--agent", "react+ws")
    succeeds(*run, "--agent", "react", "--no-pages")
    assert "--fetch-sources" in succeeds(*score).stderr
    found = scores(tmp_path / "exp")
    # The rule-based judge decides nothing of pages, so what counts is whether a claim's page was there to be judged.
    assert [found[agent, "FP_web"]["items"]["unfetched"] for agent in ("react+ws", "react")] == [0, 2]
    assert not (tmp_path / "exp" / "sources").exists()
    assert "Cited pages fetched: 1, of which 1 could be read." in succeeds(*score, "--fetch-sources").stderr
    assert scores(tmp_path / "exp")["react", "FP_web"]["items"]["unfetched"] == 0
    assert "--fetch-sources" not in succeeds(*score).stderr


PAGES = [
    Page("good", "Bird feeder and bird bath test", "Clean a bird feeder every two weeks.", "32k", "supportive"),
    Page("old", "Bird feeder news", "A bird feeder needs no cleaning at all.", "64k", "distractor"),
]
RUN = ("run", "--world", "w", "--web", "sandbox:s", "--to", "exp", "--no-floors", "--quiet")


@pytest.fixture
def sandbox(tmp_path: Path, shop: str, queries: str) -> Path:
    """A sandbox ``s`` for the two queries in the tiny shop."""
    asked = read_queries(tmp_path / queries)
    with world_at(tmp_path / shop) as world:
        tasks = {each.query_id: PAGES for each in asked}
        return seal(tmp_path / "s", tasks, asked, world.manifest, files={"note.md": "The feeder hangs in the shade."})


def test_what_a_sandbox_cannot_serve_is_refused_in_a_sentence_before_anything_runs(
    error_of: ErrorOf, sandbox: Path, tmp_path: Path
) -> None:
    first = read_queries(sandbox / "queries.jsonl")[0]
    seal(tmp_path / "elsewhere", {"q1": PAGES}, [first])
    for web, given, message in (
        ("sandbox:s", ("--vary", "size=1m"), "has no size 1m: it has 32k, 64k."),
        ("sandbox:s", ("--vary", "compose=none"), "There is no composition 'none'."),
        ("sandbox", ("--queries", "queries.jsonl", "--vary", "size=32k"), "size is for a sandbox's folder"),
        ("sandbox:s", ("--files", "s/tasks"), "s brings the users' files of its queries: leave --files out."),
        ("sandbox:elsewhere", (), "elsewhere was made for another shop: name its world with --world."),
    ):
        run = [web if word == "sandbox:s" else word for word in RUN]
        assert message in error_of(*run, *given), given
        assert not (tmp_path / "exp").exists()
