"""The pages that searches find: read, cleaned of personal data, and without duplicates."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from hashlib import blake2b
from itertools import islice
from threading import Event

from drretail.addons.sandboxes.material import Keyword
from drretail.addons.sandboxes.search_based.asker import Asker
from drretail.env.web.base import Web, WebPage, WebResult
from drretail.env.web.reading.cleaning import clean_text, cleaned_result
from drretail.env.web.sandbox import SandboxPage
from drretail.errors import ToolError
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.grounding.text.personal_data import People, personal_data, without_personal_data
from drretail.journal import Effects, Outcome
from drretail.tools.web import fetch_pages

SHINGLE = 5
"""Consecutive words in a shingle."""
ALIKE = 0.8
"""The least share of the shorter text's shingles in a duplicate: syndicated pages differ in their frame."""
SKETCH = 200
"""The number of a text's smallest shingle hashes that are compared: equal texts have equal ones."""
_WORD = re.compile(r"\w+")


class SeenTexts:
    """Finds texts that nearly repeat an earlier one."""

    def __init__(self) -> None:
        self._sketches: list[tuple[str, frozenset[int], int]] = []
        self._holders: dict[int, list[int]] = defaultdict(list)

    def earlier(self, name: str, text: str) -> str | None:
        """The name of an earlier text with nearly the same words; None for a new text, which is then remembered."""
        # A text shorter than a shingle is one shingle.
        words = _WORD.findall(text.casefold())
        runs = {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}
        hashes = sorted(int.from_bytes(blake2b(run.encode("utf-8", "replace"), digest_size=8).digest()) for run in runs)
        sketch, size = frozenset(islice(hashes, SKETCH)), len(runs)
        shared = Counter(number for shingle in sketch for number in self._holders[shingle])
        for number, _ in shared.most_common():
            other, its_hashes, its_size = self._sketches[number]
            if _likeness(sketch, size, its_hashes, its_size) >= ALIKE:
                return other
        for shingle in sketch:
            self._holders[shingle].append(len(self._sketches))
        self._sketches.append((name, sketch, size))
        return None


def _likeness(first: frozenset[int], size: int, second: frozenset[int], other_size: int) -> float:
    """The approximate share of the shorter text's shingles that both have, by the smallest hashes of the union."""
    union = frozenset(sorted(first | second)[:SKETCH])
    jaccard = len(union & first & second) / len(union)
    both = jaccard * (size + other_size) / (1 + jaccard)
    return both / min(size, other_size)


LONGEST = 24_000
"""The most characters kept of a page: several pages must fit into the smallest size together."""
AT_ONCE = 12
"""Pages fetched at the same time."""
SECONDS = 60.0
"""The time limit for fetching ``AT_ONCE`` pages."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page, and the first search that found it."""

    page: SandboxPage
    keyword: Keyword


@dataclass(slots=True)
class Gathered:
    """The pages of a task, those of signals first, and what happened to the others."""

    pages: list[FoundPage] = field(default_factory=list[FoundPage])
    results: dict[str, int] = field(default_factory=dict[str, int])
    """The number of new addresses that each keyword found."""
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Keywords whose search failed, and why."""
    unread: Counter[str] = field(default_factory=Counter[str])
    """Pages that could not be read, counted by state."""
    duplicates: int = 0
    personal: Counter[str] = field(default_factory=Counter[str])
    """Lines from which personal data was removed, counted by kind."""


def gather(
    web: Web, asker: Asker, task: str, keywords: Sequence[Keyword], people: People, most: int, day: date, stop: Event
) -> Gathered:
    """Searches for the keywords, then fetches and cleans the pages; every effect is journalled.

    Failures are counted, never raised. It ends soon after ``stop`` is set.
    """
    gathered, seen = Gathered(), SeenTexts()
    by_address: dict[str, tuple[WebResult, Keyword]] = {}
    for keyword in sorted(keywords, key=lambda keyword: keyword.kind != "signal"):
        try:
            results = _searched(web, asker, f"{task}/search/{keyword.text}", keyword.text, most)
        except ToolError as problem:
            gathered.failed[keyword.text] = problem.message
            continue
        # Reversed, so that of two results with one address the first one counts.
        new = {normalise_url(result.url): (result, keyword) for result in reversed(results)}
        new = {address: found for address, found in reversed(new.items()) if address not in by_address}
        gathered.results[keyword.text] = len(new)
        by_address |= new
    for (result, keyword), page in _fetched(
        web, asker.session.journal.scope(f"{task}/pages"), list(by_address.values()), stop
    ):
        if page.state != "ok":
            gathered.unread[page.state] += 1
            continue
        text = clean_text(page.text, LONGEST)
        if personal_data(text, people):
            text = "\n".join(_line(part, people, gathered.personal) for part in text.split("\n"))
        title = _line(page.title or result.title, people, gathered.personal)
        written = page.date or result.date
        # A future date is an error or a trick; with it, the sealed web would withhold the page.
        known = None if written is None or written > day.isoformat() else written
        clean = SandboxPage(url=result.url, title=title, text=text, date=known)
        if not clean.text.strip():
            gathered.unread["no_content"] += 1
        elif seen.earlier(clean.url, clean.text) is not None:
            gathered.duplicates += 1
        else:
            gathered.pages.append(FoundPage(clean, keyword))
    return gathered


def _searched(web: Web, asker: Asker, name: str, query: str, most: int) -> list[WebResult]:
    """The results of a search. Raises ToolError if no try succeeded."""

    def search() -> Outcome:
        results = (cleaned_result(result) for result in web.search(query, most)[:most])
        return Outcome({"results": [asdict(result) for result in results if result is not None]})

    problem: ToolError | None = None
    for scope in asker.session.tries.scopes(name):
        request = {"provider": web.provider, "query": query, "k": most}
        try:
            effect = asker.session.journal.scope(scope).perform("web_search", request, search)
        except ToolError as failure:
            problem = failure
        else:
            return [WebResult(**result) for result in effect.response["results"]]
    raise problem or ToolError("unavailable", "nothing was asked")


def _fetched(
    web: Web, effects: Effects, results: Sequence[tuple[WebResult, Keyword]], stop: Event
) -> Iterator[tuple[tuple[WebResult, Keyword], WebPage]]:
    for at in range(0, len(results), AT_ONCE):
        part = results[at : at + AT_ONCE]
        if stop.is_set():
            return
        yield from zip(part, fetch_pages(web, [result.url for result, _ in part], effects, SECONDS), strict=True)


def _line(text: str, people: People, personal: Counter[str]) -> str:
    clean, kinds = without_personal_data(text, people)
    personal.update(kinds)
    return clean if kinds else text
