"""A sandbox's folder: the parts of a task, however it was built, which pages belong to which size (all supportive ones,
distractors in proportion, noise for the rest), and the files of each task and of the whole.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Literal

from drretail import __version__
from drretail.env.web.sandbox import (
    QUERIES_FILE,
    SANDBOX_FILE,
    Label,
    PageLabel,
    SandboxFolder,
    SandboxPage,
    task_folder,
)
from drretail.errors import UserError
from drretail.experiments.experiment import rubrics
from drretail.experiments.query_files import write_with_gold
from drretail.files import LOCK, is_unfinished, write_atomically, write_json, write_lines
from drretail.records.base import Document, Record, canonical_json, sha256_of
from drretail.records.criteria import Criteria, KnownAnswer
from drretail.records.query import Query


class Keyword(Record):
    """A search, as a search engine gets it."""

    text: str
    kind: Literal["signal", "noise"]
    """Signal: leads to the answer. Noise: has the same theme but does not concern the question."""
    why: str = ""


class Keywords(Document):
    """keywords.json of a task (DR³-Eval, stage 2): ten keywords, sorted."""

    convergent: tuple[Keyword, ...]
    needs: tuple[str, ...] = ()
    """What only the web can settle, each as a question; empty if the pages are made up."""
    made_by: str = "offline"


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with its label and the reason for it."""

    page: SandboxPage
    label: Label
    kind: str = ""
    """Of a distractor: outdated, one-sided, inaccurate, look-alike …. Of a made-up supportive page: its fact's kind."""
    keyword: str = ""
    """The search that found it."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TaskMaterial:
    """All parts of one task."""

    query: Query
    keywords: Keywords
    supportive: tuple[LabelledPage, ...]
    distractors: tuple[LabelledPage, ...]
    noise: Iterable[LabelledPage]
    """All that there is; only as many are taken as the largest size has room for."""
    files: Mapping[str, bytes]
    """The user's files by name."""
    gold: KnownAnswer
    criteria: tuple[Criteria, ...] = field(default=())
    """The checklist and the depth rubric of the metric dr3, if they were made."""


CHARACTERS_OF_A_TOKEN = 4
COUNTER = "characters/4"
"""How sandbox.json names this way to count tokens."""


def page_tokens(page: SandboxPage) -> float:
    """The tokens of a page, including its title."""
    return (len(page.title) + len(page.text)) / CHARACTERS_OF_A_TOKEN


TOLERANCE = 0.02
"""The largest deviation of a size from its tokens, as a share of them."""
DISTRACTOR_SHARE = 0.25
"""The largest share of a size's tokens that distractors take, however many there are: noise has the larger part."""
_AT_HAND = 40
"""Noise pages from which a size's last one is chosen, so that the size ends close to its tokens."""
_MOST_AT_HAND = 1000
"""If none of this many pages fits, no more are looked at."""


def read_sizes(text: str) -> dict[str, int]:
    """The tokens of each size in "32k,64k" by name, each once, the smallest first. Raises UserError for other text."""
    numbers = set[int]()
    for part in text.split(","):
        if re.fullmatch(r"\d{1,6}k", part.strip(), re.ASCII) is None or int(part.strip()[:-1]) == 0:
            raise UserError(f"--sizes takes thousands of tokens such as 32k,64k, not {text}: {part.strip()!r} is none.")
        numbers.add(int(part.strip()[:-1]))
    return {f"{thousands}k": thousands * 1000 for thousands in sorted(numbers)}


@dataclass(frozen=True, slots=True)
class PlacedPages:
    """The pages of a task, each with the smallest size that includes it, and the sizes that they fill."""

    pages: tuple[tuple[str, LabelledPage], ...]
    sizes: tuple[str, ...]
    tokens: float
    """The tokens of all placed pages, and of those found for the first size that could not be filled."""


def place_pages(material: TaskMaterial, sizes: Mapping[str, int]) -> PlacedPages:
    """Places a task's pages; every size that is filled is within ``TOLERANCE`` of its tokens.

    Sizes that the pages can't fill are left out, with the pages found for them. No address occurs twice. Raises
    UserError if the supportive pages and distractors don't fit into a size, or if not even the smallest size is filled.
    """
    names = sorted(sizes, key=lambda name: sizes[name])
    seen = set[str]()
    supportive = list(_once(material.supportive, seen))
    total = sum(page_tokens(page.page) for page in supportive)
    rooms = [(sizes[name], sizes[name] - total) for name in names]
    distractors = _spread(list(_once(material.distractors, seen)), rooms)
    noise = _Noise(_once(material.noise, seen))
    pages = [(names[0], page) for page in supportive]
    for number, name in enumerate(names):
        misleading = sum(page_tokens(page.page) for page in distractors[number])
        if total + misleading > sizes[name] * (1 + TOLERANCE):
            raise UserError(
                f"{material.query.query_id}: the pages that it can't do without and those that mislead have "
                f"{total + misleading:,.0f} tokens, more than {name} has room for: leave that size out."
            )
        taken = noise.fill(sizes[name] - total - misleading, sizes[name] * TOLERANCE)
        in_all = total + misleading + sum(tokens for _, tokens in taken)
        if in_all < sizes[name] * (1 - TOLERANCE):
            if not number:
                raise UserError(
                    f"{material.query.query_id}: its pages have {in_all:,.0f} tokens, too few for {name}: "
                    "name another size."
                )
            return PlacedPages(tuple(pages), tuple(names[:number]), in_all)
        pages += [(name, page) for page in (*distractors[number], *(page for page, _ in taken))]
        total = in_all
    return PlacedPages(tuple(pages), tuple(names), total)


def _once(pages: Iterable[LabelledPage], seen: set[str]) -> Iterator[LabelledPage]:
    for page in pages:
        if page.page.url not in seen:
            seen.add(page.page.url)
            yield page


def _spread(distractors: list[LabelledPage], rooms: Sequence[tuple[int, float]]) -> list[Sequence[LabelledPage]]:
    """The distractors that each size adds, so that their share of its tokens is never less than in a smaller size.

    ``rooms`` holds the tokens of each size, and the tokens that supportive pages leave in it. The shortest distractor
    comes first, so that the smallest size has one, however few there are.
    """
    if not distractors:
        return [()] * len(rooms)
    shortest = min(range(len(distractors)), key=lambda number: page_tokens(distractors[number].page))
    distractors.insert(0, distractors.pop(shortest))
    share, ends, end = DISTRACTOR_SHARE, list[int](), len(distractors)
    # From the largest size down: the share of each size limits that of the next smaller one.
    for size, room in reversed(rooms):
        end = max(1, _end(distractors[:end], min(share * size, room)))
        share = sum(page_tokens(page.page) for page in distractors[:end]) / size
        ends.append(end)
    ends.reverse()
    return [distractors[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _end(pages: Sequence[LabelledPage], tokens: float) -> int:
    """How many of the first pages fit into these tokens."""
    for number, page in enumerate(pages):
        tokens -= page_tokens(page.page)
        if tokens < 0:
            return number
    return len(pages)


class _Noise:
    """Noise pages, of which a few are held ready to choose the one that fits."""

    def __init__(self, pages: Iterator[LabelledPage]) -> None:
        self._pages = ((page, page_tokens(page.page)) for page in pages)
        self._at_hand = list(islice(self._pages, _AT_HAND))

    def fill(self, room: float, tolerance: float) -> list[tuple[LabelledPage, float]]:
        """Pages for ``room`` tokens in order; the last ones are chosen to end near it, at most ``tolerance`` beyond.

        Pages that do not fit wait for a larger size.
        """
        taken: list[tuple[LabelledPage, float]] = []
        while room > 0 and self._at_hand:
            number: int | None = 0
            if room <= 2 * max(tokens for _, tokens in self._at_hand):
                # The page that ends nearest to ``room``; none that would end further from it than no page, or too far
                # beyond it.
                left = {at: abs(room - tokens) for at, (_, tokens) in enumerate(self._at_hand)
                        if tokens - room < min(room, tolerance / 2)}  # fmt: skip
                number = min(left, key=lambda at: left[at], default=None)
            if number is None:
                is_enough = room < tolerance or len(self._at_hand) > _MOST_AT_HAND
                more = [] if is_enough else list(islice(self._pages, _AT_HAND))
                if not more:
                    break
                self._at_hand += more
                continue
            page = self._at_hand.pop(number)
            self._at_hand += islice(self._pages, 1)
            taken.append(page)
            room -= page[1]
        return taken


BUILDING = "building"
"""The subfolder with the builder's journals, which is not part of the sandbox."""


@dataclass(frozen=True, slots=True)
class WrittenTask:
    """A query whose task is in the folder, and the sizes that its pages fill."""

    query: Query
    sizes: tuple[str, ...]
    tokens: float
    """The tokens of its pages, including those found for the first size that could not be filled."""


def write_task(folder: Path, material: TaskMaterial, sizes: Mapping[str, int]) -> WrittenTask:
    """Writes a whole task into the sandbox ``folder``. Raises UserError if not even the smallest size is filled.

    Within a size, pages are ordered by address, so that their order does not give away their labels.
    """
    query, placed = material.query, place_pages(material, sizes)
    task = task_folder(folder, query.query_id)
    places = {name: number for number, name in enumerate(placed.sizes)}
    pages = sorted(placed.pages, key=lambda page: (places[page[0]], page[1].page.url))
    lines = [{**page.page.model_dump(exclude_none=True), "from": size} for size, page in pages]
    labels = [PageLabel(url=page.page.url, label=page.label, kind=page.kind, keyword=page.keyword, why=page.why)
              for _, page in pages]  # fmt: skip
    write_lines(task / "pages.jsonl.gz", map(canonical_json, lines))
    write_lines(task / "labels.jsonl", [canonical_json(label.model_dump(mode="json")) for label in labels])
    for name, content in sorted(material.files.items()):
        write_atomically(task / "files" / name, content)
    write_json(task / "keywords.json", material.keywords.model_dump(mode="json"))
    write_json(task / "gold.json", material.gold.model_dump(mode="json"))
    for criteria in material.criteria:
        write_json(rubrics(criteria.metric).path(folder, query.query_id), criteria.model_dump(mode="json"))
    return WrittenTask(query, placed.sizes, placed.tokens)


def write_sandbox(folder: Path, about: SandboxFolder, tasks: Sequence[WrittenTask]) -> list[str]:
    """Completes the sandbox: writes its queries, and its description with the sizes that every task fills.

    Returns a sentence for each size of ``about`` that is left out. Raises UserError if there is no task.
    """
    if not tasks:
        raise UserError(f"{folder}: no query has a task, so there is no sandbox.")
    filled = {name: tokens for name, tokens in about.sizes.items() if all(name in task.sizes for task in tasks)}
    notes: list[str] = []
    for name in about.names:
        if name not in filled:
            short = min((task for task in tasks if name not in task.sizes), key=lambda task: task.tokens)
            notes.append(f"{name} is left out: the pages of {short.query.query_id} have {short.tokens:,.0f} tokens.")
    write_with_gold([task.query for task in tasks], folder / QUERIES_FILE)
    whole = about.model_copy(update={"sizes": filled, "versions": {"drretail": __version__, **about.versions}})
    sealed = whole.model_copy(update={"sums": sums_of(folder)})
    sealed = sealed.model_copy(update={"own_sum": own_sum(sealed)})
    # Last: without it the folder is no sandbox.
    write_json(folder / SANDBOX_FILE, sealed.model_dump(mode="json", exclude_none=True))
    return notes


def sums_of(folder: Path) -> dict[str, str]:
    """The sha256 of each file of a sandbox by its path, without its description and its builder's journals."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not is_unfinished(path))
    names = {path.relative_to(folder).as_posix(): path for path in paths if path.name != LOCK}
    paths = {name: path for name, path in names.items() if name.partition("/")[0] not in (SANDBOX_FILE, BUILDING)}
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in paths.items()}


def own_sum(about: SandboxFolder) -> str:
    """The sha256 of a sandbox's description, apart from ``own_sum`` itself."""
    return sha256_of(about.model_dump(mode="json", exclude={"own_sum"}))
