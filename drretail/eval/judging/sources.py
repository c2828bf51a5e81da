"""What reports cite beyond what their runs were shown: pages that are fetched later, and the shop's records of products
that were never opened. Each is kept in exp/sources, whichever judge uses it.

Sources that are too long for a judge are cut to the passages that share most words with the claims on them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain, zip_longest
from pathlib import Path

from drretail.env.web.base import Pages
from drretail.env.web.bm25 import Bm25
from drretail.experiments.experiment import SOURCES, keep_source, kept_sources, path_of, read_definition, read_runs
from drretail.experiments.journal import Journal
from drretail.experiments.run_file import read_evidence
from drretail.progress import Progress
from drretail.records.evidence import Evidence, EvidenceText, FetchedPage, FetchedPages
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.records.shop import SHOP_URL, product_url
from drretail.reports.citations import Cited, scan
from drretail.reports.text.evidence_ids import (
    normalise_url,
    parse_evidence_id,
    product_evidence_id,
    web_evidence_id,
)
from drretail.shopping.verify.records import UNKNOWN
from drretail.tools.web import fetch_cited

PAGE_SECONDS = 30
"""For one page with robots.txt and redirects, from any web; built-in webs give up earlier, by the settings."""
LookUp = Callable[[Run, Query, Iterable[Evidence]], Sequence[Evidence]]
"""The shop's records of the products and orders that a run's answer, its question and its tools name."""


def completed(experiment: Path, entry: Evidence, corpus: str | None) -> Evidence:
    """The entry with its page, if that was fetched after the run had ended; ``corpus`` is the run's web's."""
    source = SOURCES.read(experiment, entry.id) if entry.lacks_page else None
    page = None if source is None else next((page for page in source.pages if page.corpus == corpus), None)
    return entry if page is None else entry.with_page(page.text, page.state, page.date, page.problem)


def cited_beyond(experiment: Path, report: str, evidence: Mapping[str, Evidence], corpus: str | None) -> list[Evidence]:
    """What a report cites and its run was never handed: products by the shop's records, and pages by their addresses,
    as far as they are kept in exp/sources.
    """
    beyond = [cited for cited in _cited(report, evidence) if cited.entry is None]
    if not beyond:
        return []
    texts = [text.text for entry in evidence.values() for text in entry.texts]
    pages = dict.fromkeys(cited.url for cited in beyond if cited.type == "web" and cited.url is not None)
    folder = experiment / SOURCES.folder
    products = _kept_products(experiment, folder.stat().st_mtime_ns) if folder.is_dir() else {}
    entries = (cited.entry for cited in _cited(report, {**products, **evidence}))
    return [
        *{entry.id: entry for entry in entries if entry is not None and entry.id not in evidence}.values(),
        *(completed(experiment, _page(url, texts), corpus) for url in pages),
    ]


def _cited(report: str, evidence: Mapping[str, Evidence]) -> list[Cited]:
    """All that the marks and the lists of a report name."""
    tokens = scan(report, evidence)
    return [*(cited for mark in tokens.marks for cited in mark.cited), *tokens.listed]


@lru_cache(maxsize=1)  # a file for each product that any report cites, and each of a thousand reports asks for some
def _kept_products(experiment: Path, changed: int) -> Mapping[str, Evidence]:
    """The kept records of products, by id; ``changed`` is the time of the folder's last change."""
    del changed
    return {entry.id: entry for entry in map(_product, kept_sources(experiment, "P"))}


def _product(kept: FetchedPages) -> Evidence:
    """The record of a product that a run never opened; without a text if the shop does not have it."""
    (record,) = kept.pages
    text = EvidenceText(form="record", text=record.text, shown=False, path="0", seq=0)
    return Evidence(
        id=kept.id,
        kind="product",
        key=kept.id.removeprefix("P:"),
        title=record.title,
        url=kept.url,
        texts=(text,) if record.state == "ok" else (),
        state=record.state,
        problem=record.problem,
        looked_up=True,
    )


def _page(url: str, texts: Iterable[str]) -> Evidence:
    """A page that no result brought. A run may have its address from a text that it was ``given``, as a link."""
    address = url.partition("://")[2].rstrip("/")
    is_linked = any(address in text for text in texts)
    key = normalise_url(url)
    return Evidence(id=web_evidence_id(url), kind="web", key=key, title=url, url=url, looked_up=not is_linked)


def keep_unopened(experiment: Path, look_up: LookUp) -> None:
    """Keeps the shop's records of the products that reports cite and their runs never opened, or that the shop does not
    have them. The experiment must be locked for writing.
    """
    queries = {query.query_id: query for query in read_definition(experiment).queries}
    for run in read_runs(experiment):
        if run.report is None or all(citation.evidence_id for citation in run.citations):
            continue
        seen = {entry.id: entry for entry in read_evidence(path_of(experiment, run))}
        looked_up = {entry.id: entry for entry in look_up(run, queries[run.query_id], seen.values())}
        for cited in _cited(run.report, looked_up | seen):
            entry, name = cited.entry, _product_of(cited)
            if entry is not None and entry.kind == "product" and entry.id not in seen:
                text = "".join(text.text for text in entry.texts)
                record = FetchedPage(title=entry.title, text=text, state=entry.state, problem=entry.problem)
                keep_source(experiment, entry.id, entry.url or product_url(entry.key), record)
            elif entry is None and name is not None:
                nothing = FetchedPage(title=name, text="", state="not_found", problem=UNKNOWN)
                keep_source(experiment, product_evidence_id(name), product_url(name), nothing)


def _product_of(cited: Cited) -> str | None:
    """The id of the product that a mark names in the form of our ids or addresses."""
    if parse_evidence_id(cited.name) == "product":
        return cited.name.removeprefix("P:")
    name = (cited.url or "").partition(f"{SHOP_URL}/")[2]
    return name if name and not set(name) & set("/?") else None


@dataclass(frozen=True, slots=True)
class MissingPage:
    """A cited page without a text to judge against."""

    label: str
    """The label of a system that cites it."""
    evidence_id: str
    url: str
    corpus: str | None


def missing_pages(experiment: Path, *, again: bool = False) -> list[MissingPage]:
    """The cited pages that were never fetched, each once; with ``again``, also those that could not be read."""
    systems = read_definition(experiment).systems
    pages: dict[tuple[str, str | None], MissingPage] = {}
    for run in read_runs(experiment):
        cited = {citation.evidence_id for citation in run.citations if citation.type == "web"}
        if not cited:
            continue
        corpus = systems[run.system].web_corpus
        raw = read_evidence(path_of(experiment, run))
        entries = [completed(experiment, entry, corpus) for entry in raw if entry.id in cited]
        if None in cited:
            beyond = cited_beyond(experiment, run.report or "", {entry.id: entry for entry in raw}, corpus)
            entries += [entry for entry in beyond if entry.kind == "web"]
        for entry in entries:
            if entry.is_unfetched or (again and entry.lacks_page):
                pages.setdefault((entry.id, corpus), MissingPage(run.system, entry.id, str(entry.url), corpus))
    return list(pages.values())


def fetch_missing(
    experiment: Path,
    pages: Mapping[str, Pages],
    progress: Progress,
    *,
    again: bool = False,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Counter[str]:
    """Fetches ``missing_pages`` into exp/sources, writing each at once. Returns how many pages came to which state.

    ``pages`` are the webs by label. The experiment must be locked for writing.
    """
    wanted = missing_pages(experiment, again=again)
    states: Counter[str] = Counter()
    by_web: dict[int, list[MissingPage]] = defaultdict(list)
    for cited in wanted:
        by_web[id(pages[cited.label])].append(cited)
    with progress.track("cited pages", len(wanted)) as bar:
        for cited in by_web.values():
            by_url = {cited.url: cited for cited in cited}
            effects = Journal().scope("cited")  # the pages themselves are kept, with their times
            for url, page in fetch_cited(pages[cited[0].label], list(by_url), effects, PAGE_SECONDS):
                lacking = by_url[url]
                kept = page.as_fetched(lacking.corpus, clock())
                keep_source(experiment, lacking.evidence_id, lacking.url, kept)
                states[page.state] += 1
                bar.advance()
    return states


def fetch_summary(states: Mapping[str, int]) -> str:
    """A sentence on the fetched pages, by state."""
    total, read = sum(states.values()), states.get("ok", 0)
    if not total:
        return "No cited page is missing."
    others = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(states.items()) if state != "ok")
    return f"Cited pages fetched: {total}, of which {read} could be read{f' ({others})' if others else ''}."


LONGEST = 800
"""The longest passage, in characters."""
OMITTED = "\n[…]\n"
"""Marks where text was left out."""
_BREAKS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"[.!?。！？]\s+|(?<=[。！？])", r"\s+")))
"""Where a text may be cut, the best places first."""


def size(text: str) -> int:
    """The bytes of a text: about four make a token, in English as in Chinese, where the number of
    characters differs.
    """
    return len(text.encode())


def fit(texts: Sequence[str], claims: Sequence[str], room: int | None) -> list[str]:
    """The texts; those longer than their share of ``room`` bytes are cut to passages. None means no limit.

    Room that short texts leave goes to the long ones.
    """
    sizes, fitted = [size(text) for text in texts], list(texts)
    if room is None or sum(sizes) <= room:
        return fitted
    # The shortest text first: its share is its own size, if that is less than an equal share of what is left.
    for rank, number in enumerate(sorted(range(len(texts)), key=lambda at: sizes[at])):
        share = min(sizes[number], room // (len(texts) - rank))
        room -= share
        if share < sizes[number]:
            fitted[number] = cut_to_claims(texts[number], claims, share)
    return fitted


def cut_to_claims(text: str, claims: Sequence[str], room: int) -> str:
    """The beginning of a text and, in the text's order, the passages with the best words for each claim in turn."""
    spans = list(_passages(text, 0, len(text), 0))
    index = Bm25([("", text[start:end]) for start, end in spans])
    scores = [index.scores(claim) for claim in claims]
    orders = [sorted(of_claim, key=lambda number: (-of_claim[number], number)) for of_claim in scores]
    # The best passage of each claim, then the second of each, and so on.
    ranked = (number for row in zip_longest(*orders) for number in row if number is not None)
    chosen: set[int] = set()
    for number in dict.fromkeys(chain([0], ranked, range(len(spans)))):
        # The cost includes a mark, although adjacent passages need none.
        cost = size(text[slice(*spans[number])]) + size(OMITTED)
        if cost <= room:
            chosen.add(number)
            room -= cost
        elif number == 0:
            room -= size(OMITTED)  # then the text begins with a mark
    if not chosen:  # the room is smaller than any passage
        return text.encode()[: max(0, room)].decode(errors="ignore") + OMITTED.rstrip()
    return _joined(text, [spans[number] for number in sorted(chosen)])


def best_pieces(text: str, claims: Sequence[str], length: int, most: int) -> str:
    """The ``most`` pieces of ``length`` characters that share most words with all claims together, in their order."""
    spans = [(at, min(at + length, len(text))) for at in range(0, len(text), length)]
    scores = Bm25([("", text[start:end]) for start, end in spans]).scores(" ".join(claims))
    best = sorted(range(len(spans)), key=lambda number: (-scores.get(number, 0.0), number))[:most]
    return _joined(text, [spans[number] for number in sorted(best)])


def _passages(text: str, start: int, end: int, level: int) -> Iterator[tuple[int, int]]:
    """Adjacent spans of at most ``LONGEST`` characters, cut at the best places that allow it."""
    if end - start <= LONGEST:
        yield start, end
        return
    if level == len(_BREAKS):
        yield from ((at, min(at + LONGEST, end)) for at in range(start, end, LONGEST))
        return
    first = start
    ends = [match.end() for match in _BREAKS[level].finditer(text, start, end)]
    for here, following in zip([start, *ends], [*ends, end], strict=True):
        if following - first > LONGEST:
            if here > first:
                yield first, here
            first = here
            if following - here > LONGEST:
                yield from _passages(text, here, following, level + 1)
                first = following
    if first < end:
        yield first, end


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts: list[str] = []
    last = 0
    for start, end in spans:
        parts.append(text[start:end] if start == last else OMITTED + text[start:end])
        last = end
    return "".join(parts) + (OMITTED.rstrip() if last < len(text) else "")
