"""``score --fetch-sources``: cited pages that no run fetched are completed beside the runs."""

import json
from datetime import UTC, datetime
from pathlib import Path

from drretail.env.web.base import WebPage
from drretail.env.web.live import Pages
from drretail.eval.judging.sources import Cited, fetch_missing, missing_pages
from drretail.eval.judging.subject import read_subjects
from drretail.experiment import Definition, Experiment, sources_path
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from tests.build import LABEL, SYSTEM
from tests.build import run as a_run

URL, WALLED, UNCITED = "https://a.example/", "https://walled.example/", "https://uncited.example/"
IDS = {url: web_evidence_id(url) for url in (URL, WALLED, UNCITED)}
FIXED = "fixed@model"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def snippet(url: str) -> Evidence:
    text = f"What a search told of {url}."
    shown = EvidenceText(sha256=sha256_of(text), form="snippet", text=text, shown=True, path="0", seq=0)
    return Evidence(id=IDS[url], kind="web", key=url, title=url, url=url, texts=(shown,))


def experiment(folder: Path) -> Path:
    """Two systems that cite two of three pages by their snippets; one of them reads a fixed corpus."""
    systems = {LABEL: SYSTEM, FIXED: SYSTEM.model_copy(update={"web_corpus": "c" * 64})}
    definition = Definition(
        world_fingerprint="f" * 64,
        queries=(Query(query_id="q1", text="Ask?", source="test"),),
        systems=systems,
        prompt_hashes={label: {} for label in systems},
        tool_schema_hash="t",
    )
    evidence = [snippet(url) for url in IDS]
    report = f"It is so [{IDS[URL]}], or so [{IDS[WALLED]}]."
    with Experiment(folder, definition) as opened:
        for label in systems:
            run = a_run(label, "q1-r1", report)
            run = run.model_copy(update={"citations": tuple(find_citations(report, evidence))})
            opened.save(run, evidence, {}, {"world": "nowhere"})
    return folder


class Site:
    def __init__(self, provider: str, text: str) -> None:
        self.provider = provider
        self.text = text
        self.fetched: list[str] = []
        self.open = False

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        if url == WALLED and not self.open:
            return WebPage(url, "", "", "blocked", problem="robots.txt forbids it.")
        return WebPage(url, "A page", self.text, "ok", "2023-01-02")


def fetched(folder: Path, *sites: Site, again: bool = False) -> dict[str, int]:
    webs: dict[str, Pages] = dict(zip((LABEL, FIXED), sites, strict=True))
    return dict(fetch_missing(folder, webs, Progress(), again=again, clock=lambda: NOON))


def page_texts(folder: Path) -> dict[tuple[str, str], str]:
    return {
        (subject.label, entry.url or ""): text.text
        for subject in read_subjects(folder, None)
        for entry in subject.evidence.values()
        for text in entry.sources
    }


def test_cited_pages_that_nobody_fetched_are_named_once_a_web(tmp_path: Path) -> None:
    missing = missing_pages(experiment(tmp_path / "exp"))
    assert missing == [
        Cited(label, IDS[url], url, corpus)
        for label, corpus in ((LABEL, None), (FIXED, "c" * 64))
        for url in (URL, WALLED)
    ]


def test_pages_are_fetched_beside_the_runs_which_stay_as_they_are(tmp_path: Path) -> None:
    folder, live, corpus = experiment(tmp_path / "exp"), Site("open", "As it is now."), Site("sandbox", "As it was.")
    before = {path: path.read_bytes() for path in (folder / "runs").rglob("*") if path.is_file()}
    assert fetched(folder, live, corpus) == {"ok": 2, "blocked": 2}
    assert {path: path.read_bytes() for path in (folder / "runs").rglob("*") if path.is_file()} == before
    assert page_texts(folder) == {(LABEL, URL): "As it is now.", (FIXED, URL): "As it was."}
    kept = json.loads(sources_path(folder, IDS[URL]).read_text(encoding="utf-8"))
    assert [page["fetched"] for page in kept["pages"]] == ["2026-01-02T12:00:00+00:00"] * 2
    assert (kept["id"], kept["url"]) == (IDS[URL], URL)


def test_a_page_that_could_not_be_read_says_why_and_is_tried_again_only_when_asked(tmp_path: Path) -> None:
    folder, live, corpus = experiment(tmp_path / "exp"), Site("open", "Now."), Site("sandbox", "Then.")
    fetched(folder, live, corpus)
    walled = next(read_subjects(folder, None)).evidence[IDS[WALLED]]
    assert (walled.state, walled.problem) == ("blocked", "robots.txt forbids it.")
    assert fetched(folder, live, corpus) == {}
    live.open = corpus.open = True
    assert fetched(folder, live, corpus, again=True) == {"ok": 2}
    assert sorted(live.fetched) == sorted([URL, WALLED, WALLED])
    assert page_texts(folder)[LABEL, WALLED] == "Now."
