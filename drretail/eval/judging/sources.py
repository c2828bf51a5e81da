"""Cited pages that no run fetched: fetched later, or fetched again as they are at judging time.
Sources that are too long for a judge are cut to the passages that share most words with the claims on them.

Each page is fetched once per experiment, whichever judge uses it.
"""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, zip_longest
from pathlib import Path

from drretail.env.web.base import WebPage
from drretail.env.web.bm25 import Bm25
from drretail.env.web.live import Pages, no_page, page_of, page_outcome
from drretail.errors import ToolError
from drretail.experiment import path_of, read_definition, read_runs, read_source, sources_path
from drretail.files import write_json
from drretail.journal import Effect, Journal, Outcome, read_effects
from drretail.progress import Progress
from drretail.records.evidence import Evidence, FetchedPage, FetchedPages
from drretail.run_file import read_evidence
from drretail.tools.web import fetch_cited

PAGE_SECONDS = 30
"""For one page with robots.txt and redirects, from any web; built-in webs give up earlier, by the settings."""
MOST_FETCHES = 8
"""Pages fetched at once while claims are judged: many reports cite pages of few sites."""


def completed(experiment: Path, entry: Evidence, corpus: str | None) -> Evidence:
    """The entry with its page, if that was fetched after the run had ended; ``corpus`` is the run's web's."""
    source = read_source(experiment, entry.id) if entry.lacks_page else None
    page = None if source is None else next((page for page in source.pages if page.corpus == corpus), None)
    return entry if page is None else entry.with_page(page.text, page.state, page.date, page.problem)


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
        cited = {citation.evidence_id for citation in run.citations if citation.type == "web"} - {None}
        if not cited:
            continue
        corpus = systems[run.system].web_corpus
        for raw in read_evidence(path_of(experiment, run)):
            entry = completed(experiment, raw, corpus) if raw.id in cited else raw
            if entry.id in cited and (entry.is_unfetched or (again and entry.lacks_page)):
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
            by_url = {each.url: each for each in cited}
            effects = Journal().scope("cited")  # the pages themselves are kept, with their times
            for url, page in fetch_cited(pages[cited[0].label], list(by_url), effects, PAGE_SECONDS):
                lacking, when = by_url[url], clock().isoformat(timespec="seconds")
                content = {name: getattr(page, name) for name in ("title", "text", "state", "date", "problem")}
                earlier = read_source(experiment, lacking.evidence_id)
                fetched = [each for each in earlier.pages if each.corpus != lacking.corpus] if earlier else []
                fetched.append(FetchedPage(corpus=lacking.corpus, fetched=when, **content))
                source = FetchedPages(id=lacking.evidence_id, url=lacking.url, pages=tuple(fetched))
                write_json(
                    sources_path(experiment, lacking.evidence_id), source.model_dump(mode="json", exclude_none=True)
                )
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


Key = tuple[str, str]


def live_journal(experiment: Path) -> Path:
    """The journal of the pages, beside the verdicts that rest on them."""
    return experiment / "verdicts" / "live_pages.journal.jsonl"


class LivePages:
    """Pages by the label of the system that cites them, from the journal or the web; close it, or use a ``with`` block.

    ``pages`` are the webs by label. With ``anew``, pages that an earlier command fetched are fetched again, and the
    last one counts. Belongs to one event loop.
    """

    def __init__(self, path: Path, pages: Mapping[str, Pages], *, anew: bool = False) -> None:
        self._path = path
        self._pages = pages
        self._anew = anew
        self._before = read_effects(path) if path.exists() else []
        self._last = {_key(effect): effect for effect in self._before}
        self._times = Counter(map(_key, self._before))
        self._journal: Journal | None = None
        self._fetching: dict[Key, asyncio.Task[WebPage]] = {}
        self._room = asyncio.Semaphore(MOST_FETCHES)

    async def page(self, label: str, url: str) -> WebPage:
        """The page at an address, from that system's web; its state says why there is no text."""
        pages = self._pages[label]
        key = (pages.provider, url)
        if key not in self._fetching:
            self._fetching[key] = asyncio.create_task(self._page(pages, key))
        # A caller that is cancelled must not cancel the fetch for others.
        return await asyncio.shield(self._fetching[key])

    async def _page(self, pages: Pages, key: Key) -> WebPage:
        known = None if self._anew else self._last.get(key)
        if known is not None:
            return no_page(key[1], known.error["message"]) if known.error is not None else page_of(known.response)
        if self._journal is None:
            self._journal = Journal(self._path)

        async def fetched() -> Outcome:
            try:
                async with self._room:
                    return page_outcome(await asyncio.to_thread(pages.fetch, key[1]))
            except ToolError:
                raise
            # The boundary to a web: a plugin's error makes one page unreadable, and is recorded with it.
            except Exception as problem:
                raise ToolError("unavailable", f"the web failed ({type(problem).__name__}: {problem})") from problem

        # A scope for each time, so that the journal does not serve an earlier fetch.
        effects = self._journal.scope(f"live/{self._times[key] + 1}")
        try:
            return page_of(
                (await effects.aperform("page_fetch", {"provider": key[0], "url": key[1]}, fetched)).response
            )
        except ToolError as problem:
            return no_page(key[1], problem.message)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def __enter__(self) -> "LivePages":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _key(effect: Effect) -> Key:
    return effect.request["provider"], effect.request["url"]


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
            fitted[number] = cut(texts[number], claims, share)
    return fitted


def cut(text: str, claims: Sequence[str], room: int) -> str:
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
