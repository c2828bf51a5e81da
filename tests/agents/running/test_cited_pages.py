"""What becomes of cited pages when a run ends."""

import asyncio
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.world import World
from drretail.experiment import Experiment, read_evidence
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.records.evidence import Evidence
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut
from tests.shop import PAGES

URL = PAGES[0].url
PAGE = web_evidence_id(URL)
SEARCH = calls(("web_search", {"query": "bird feeder cleaning"}))
CITING = reporting(f"Clean it every two weeks [{PAGE}].")


def run_in(folder: Path, world: World, *turns: Any, web_mode: str = "snippets", **given: Any) -> Evidence:
    """The evidence of the page after a run."""
    model, _ = scripted(*turns)
    player = sut(world, model, web_mode=web_mode)
    with Experiment(folder, definition(world, (QUERY,), [player], "42")) as experiment:
        asyncio.run(Runner(world, "w", **given).run_into(experiment, player, QUERY))
        evidence = read_evidence(experiment.run_folder(player.label, "q1", 1))
    return next(entry for entry in evidence if entry.id == PAGE)


def fetches(folder: Path) -> list[dict[str, Any]]:
    (journal,) = folder.glob("runs/*/*/journal.jsonl.gz")
    effects = map(json.loads, gzip.decompress(journal.read_bytes()).splitlines())
    return [effect for effect in effects if effect["kind"] == "page_fetch"]


def forms(entry: Evidence) -> list[tuple[str, bool]]:
    return [(text.form, text.shown) for text in entry.texts]


def test_a_page_that_is_cited_by_its_snippet_is_fetched_when_the_run_ends(world: World, folder: Path) -> None:
    entry = run_in(folder, world, SEARCH, CITING)
    assert forms(entry) == [("snippet", True), ("page", False)]
    assert [text.text for text in entry.sources] == [PAGES[0].text]
    (effect,) = fetches(folder)
    assert (effect["scope"], effect["request"]) == ("cited", {"provider": "sandbox", "url": URL})


def test_a_page_that_nobody_cites_is_not_fetched_nor_any_without_pages(world: World, folder: Path) -> None:
    uncited = run_in(folder, world, SEARCH, reporting("I know how to clean it."))
    assert forms(uncited) == [("snippet", True)]
    without = run_in(folder.with_name("without"), world, SEARCH, CITING, pages=False)
    assert forms(without) == [("snippet", True)]
    assert without.is_unfetched
    assert fetches(folder) == fetches(folder.with_name("without")) == []


def test_a_page_that_was_read_during_the_run_is_not_fetched_again(world: World, folder: Path) -> None:
    summary = '{"relevant": true, "summary": "Every two weeks.", "quotes": []}'
    entry = run_in(folder, world, SEARCH, summary, CITING, web_mode="ws")
    assert sorted(form for form, _ in forms(entry)) == ["page", "summary"]
    assert [effect["scope"] for effect in fetches(folder)] != ["cited"]


class Walled:
    """The sandbox, whose page can be found and not be read."""

    provider = "sandbox"

    def __init__(self, inner: Web, problem: str | None) -> None:
        self.corpus = inner.corpus
        self._inner = inner
        self._problem = problem

    def search(self, query: str, k: int) -> list[WebResult]:
        return self._inner.search(query, k)

    def fetch(self, url: str) -> WebPage:
        if self._problem is None:
            raise RuntimeError("a plugin's bug")
        return WebPage(url, "", "", "blocked", problem=self._problem)


@pytest.mark.parametrize(("problem", "state"), [("robots.txt forbids it.", "blocked"), (None, "error")])
def test_a_page_that_cannot_be_read_says_why(world: World, folder: Path, problem: str | None, state: str) -> None:
    entry = run_in(folder, replace(world, web=Walled(world.web, problem)), SEARCH, CITING)
    assert (entry.state, forms(entry)) == (state, [("snippet", True)])
    assert entry.lacks_page
    assert not entry.is_unfetched
    assert (problem or "a plugin's bug") in (entry.problem or "")


def test_a_replay_fetches_nothing_and_of_a_run_without_pages_keeps_what_was_there(world: World, folder: Path) -> None:
    first = run_in(folder, world, SEARCH, CITING)
    offline = replace(world, web=Walled(world.web, None))
    assert run_in(folder.with_name("again"), offline, replay=folder) == first
    old = folder.with_name("old")
    before = run_in(old, world, SEARCH, CITING, pages=False)
    assert run_in(folder.with_name("replayed"), offline, replay=old) == before
