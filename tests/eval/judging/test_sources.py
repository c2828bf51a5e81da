"""What reports cite beyond what their runs were shown: kept once, served from there, and cut to what matters to the
claims.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.named_products import NamedProducts
from drretail.env.web.base import Pages, WebPage
from drretail.env.world import World
from drretail.eval.judging.sources import (
    OMITTED,
    MissingPage,
    cut_to_claims,
    fetch_missing,
    keep_unopened,
    missing_pages,
    size,
)
from drretail.eval.judging.subject import read_subjects
from drretail.experiments.experiment import SOURCES, keep_source
from drretail.progress import Progress
from drretail.records.evidence import Evidence, FetchedPage
from drretail.reports.citations import find_citations
from drretail.reports.text.evidence_ids import web_evidence_id
from tests import build
from tests.build import LABEL, SYSTEM

URL, GONE, WALLED = "https://a.example/", "https://gone.example/", "https://walled.example/"


class Site:
    """Pages of one text, which a test can change; one is gone, one walled until it is open. Counts its fetches."""

    def __init__(self, text: str = "Hello.", provider: str = "site") -> None:
        self.text, self.provider, self.open = text, provider, False
        self.fetched: list[str] = []

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        if url == GONE:
            return WebPage(url, "", "", "not_found", problem="There is no such page (404).")
        if url == WALLED and not self.open:
            return WebPage(url, "", "", "blocked", problem="robots.txt forbids it.")
        return WebPage(url, "Kettles", self.text, "ok", "2023-01-02")


UNCITED = "https://uncited.example/"
IDS = {url: web_evidence_id(url) for url in (URL, WALLED, UNCITED)}
FIXED = "fixed@model"
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


def snippet(url: str) -> Evidence:
    return build.evidence(IDS[url], build.text(f"What a search told of {url}.", "snippet"), url=url, title=url)


def experiment(folder: Path) -> Path:
    """Two systems that cite two of three pages by their snippets; one of them reads a fixed corpus."""
    evidence = [snippet(url) for url in IDS]
    report = f"It is so [{IDS[URL]}], or so [{IDS[WALLED]}]."
    citations = tuple(find_citations(report, evidence))
    runs = {label: {"q1-r1": build.run("q1-r1", report, label=label, citations=citations)} for label in (LABEL, FIXED)}
    corpus = {FIXED: SYSTEM.model_copy(update={"web_corpus": "c" * 64})}
    return build.experiment(folder, runs, of=corpus, evidence=evidence)


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


def test_cited_pages_are_named_once_a_web_and_fetched_beside_the_runs_which_stay_as_they_are(tmp_path: Path) -> None:
    folder, live, corpus = experiment(tmp_path / "exp"), Site("As it is now.", "open"), Site("As it was.", "sandbox")
    assert missing_pages(folder) == [
        MissingPage(label, IDS[url], url, fixed)
        for label, fixed in ((LABEL, None), (FIXED, "c" * 64))
        for url in (URL, WALLED)
    ]
    before = build.files(folder / "runs")
    assert fetched(folder, live, corpus) == {"ok": 2, "blocked": 2}
    assert build.files(folder / "runs") == before
    assert page_texts(folder) == {(LABEL, URL): "As it is now.", (FIXED, URL): "As it was."}
    kept = json.loads(SOURCES.path(folder, IDS[URL]).read_text(encoding="utf-8"))
    assert [page["fetched"] for page in kept["pages"]] == ["2026-01-02T12:00:00+00:00"] * 2
    assert (kept["id"], kept["url"]) == (IDS[URL], URL)
    walled = next(read_subjects(folder, None)).evidence[IDS[WALLED]]
    assert (walled.state, walled.problem) == ("blocked", "robots.txt forbids it.")
    assert fetched(folder, live, corpus) == {}
    live.open = corpus.open = True
    assert fetched(folder, live, corpus, again=True) == {"ok": 2}
    assert page_texts(folder)[LABEL, WALLED] == "As it is now."


def test_an_address_that_no_result_held_is_looked_at_too_and_is_absent_only_where_nothing_is(tmp_path: Path) -> None:
    linked, mended = "https://linked.example/", f"{GONE}mended"  # of one site, and so asked after the other
    evidence = build.evidence(IDS[URL], build.text(f"See {linked}", "page"), url=URL)
    report = f"So [a]({GONE}), so [b]({WALLED}), so [c]({mended}), so [d]({linked}), so [{IDS[URL]}]."
    run = build.run("q1-r1", report, label=LABEL, citations=tuple(find_citations(report, [evidence])))
    folder = build.experiment(tmp_path / "exp", {LABEL: {"q1-r1": run}}, evidence=[evidence])
    assert [page.url for page in missing_pages(folder)] == [GONE, WALLED, mended, linked]
    fetch_missing(folder, {LABEL: Site()}, Progress(), clock=lambda: NOON)
    assert missing_pages(folder) == []
    (subject,) = read_subjects(folder, None)
    found = {entry.url: entry for entry in subject.sources.values()}
    assert {url for url, entry in found.items() if entry.is_absent} == {GONE}
    assert {url for url, entry in found.items() if entry.looked_up} == {GONE, WALLED, mended}
    assert [text.text for text in found[mended].sources] == ["Hello."]
    assert {*subject.evidence} == {IDS[URL]}, "what the run was shown stays what it was"


def test_products_that_a_run_never_opened_are_kept_from_the_shop_and_those_it_lacks_too(
    world: World, tmp_path: Path
) -> None:
    seen = build.evidence("P:B0TEST0001", build.text("{}", "record"), kind="product")
    report = "A [P:B0TEST0001], b [P:B0TEST0002], c [1], d [P:B0NONE0001].\n\n[1]: http://ecommerce.com/B0TEST0003"
    run = build.run("q1-r1", report, label=LABEL, citations=tuple(find_citations(report, [seen])))
    folder = build.experiment(tmp_path / "exp", {LABEL: {"q1-r1": run}}, evidence=[seen])
    keep_unopened(folder, NamedProducts(world).named_by_run)
    of_other_reports = FetchedPage(title="Tanagrove Nest Box", text="{}", state="ok")
    keep_source(folder, "P:B0TEST0004", "http://ecommerce.com/B0TEST0004", of_other_reports)
    (subject,) = read_subjects(folder, None)
    beyond = {entry.id: entry.is_absent for entry in subject.sources.values() if entry.looked_up}
    assert beyond == {"P:B0TEST0002": False, "P:B0TEST0003": False, "P:B0NONE0001": True}
    assert "Tanagrove Hopper Bird Feeder" in subject.sources["P:B0TEST0002"].sources[0].text


PARTS = ["word ", "a. ", "\n", "\n\n", "x" * 900, "。", "é"]


@given(st.lists(st.sampled_from(PARTS), max_size=80), st.integers(0, 5_000))
def test_a_cut_text_is_never_longer_than_its_room_and_holds_nothing_new(parts: list[str], room: int) -> None:
    text = "".join(parts)
    excerpt = cut_to_claims(text, ["word"], room)
    assert size(excerpt) <= max(room, size(OMITTED))
    assert all(piece.strip("\n") in text for piece in excerpt.split("[…]") if piece.strip())
