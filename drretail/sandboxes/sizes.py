"""Which pages stand in which size: all supportive ones, distractors in proportion, and noise for the rest."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from drretail.env.web.sandbox import SandboxPage
from drretail.errors import UserError
from drretail.sandboxes.material import LabelledPage, TaskMaterial

CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of a text; the name stands in sandbox.json."""

    name: str
    count: Callable[[str], float]

    def of(self, page: SandboxPage) -> float:
        """The tokens of a page, its title included."""
        return self.count(page.title) + self.count(page.text)


BY_CHARACTERS = TokenCounter("characters/4", lambda text: len(text) / CHARACTERS_OF_A_TOKEN)


def counter_of(tokenizer: str | None) -> TokenCounter:
    """The counter for ``--tokenizer``: an encoding of tiktoken such as o200k_base; characters/4 without one.

    Tiktoken itself fetches an encoding that this machine has not used before, so naming one asks for that.
    Raises UserError without the package, for an encoding that it doesn't know, and where fetching fails.
    """
    if tokenizer is None or tokenizer == BY_CHARACTERS.name:
        return BY_CHARACTERS
    try:
        import tiktoken
    except ImportError:
        raise UserError("--tokenizer counts with the package tiktoken, which is not installed.") from None
    if tokenizer not in tiktoken.list_encoding_names():
        raise UserError(f"--tokenizer takes one of {', '.join(tiktoken.list_encoding_names())}, not {tokenizer}.")
    try:
        encoding = tiktoken.get_encoding(tokenizer)
    except OSError as problem:  # requests' errors are OSErrors
        raise UserError(f"The encoding {tokenizer} is not on this machine and can't be fetched: {problem}.") from None
    return TokenCounter(tokenizer, lambda text: len(encoding.encode(text, disallowed_special=())))


TOLERANCE = 0.02
DISTRACTOR_SHARE = 0.25
"""Of a size's tokens at most: where there are more distractors, noise still has the larger part."""
_AT_HAND = 40
"""Pages of noise of which the last one of a size is chosen, so that it ends close to its tokens."""
_MOST_AT_HAND = 1000


def read_sizes(text: str) -> dict[str, int]:
    """Tokens by name of "32k,64k", the smallest first and each once. Raises UserError for anything else."""
    found = set[int]()
    for part in text.split(","):
        if re.fullmatch(r"\d{1,6}k", part.strip(), re.ASCII) is None or int(part.strip()[:-1]) == 0:
            raise UserError(f"--sizes takes thousands of tokens such as 32k,64k, not {text}: {part.strip()!r} is none.")
        found.add(int(part.strip()[:-1]))
    return {f"{thousands}k": thousands * 1000 for thousands in sorted(found)}


@dataclass(frozen=True, slots=True)
class PlacedPages:
    """The pages of a task, each with the smallest size that it stands in, and the sizes that they fill."""

    pages: tuple[tuple[str, LabelledPage], ...]
    sizes: tuple[str, ...]
    tokens: float
    """Of all pages that are placed, and of those that were over where the next size could not be filled."""


def place_pages(material: TaskMaterial, sizes: Mapping[str, int], counter: TokenCounter) -> PlacedPages:
    """Places a task's pages; every size that is filled ends within ``TOLERANCE`` of its tokens.

    Sizes that the pages can't fill are left out, with what had been found for them. No address stands twice.
    Raises UserError where the supportive pages don't fit into the smallest size, or not even that one is filled.
    """
    names = sorted(sizes, key=lambda name: sizes[name])
    seen = set[str]()
    supportive = list(_once(material.supportive, seen))
    total = sum(counter.of(page.page) for page in supportive)
    rooms = [(sizes[name], sizes[name] - total) for name in names]
    distractors = _spread(list(_once(material.distractors, seen)), rooms, counter)
    noise = _Noise(_once(material.noise, seen), counter)
    pages = [(names[0], page) for page in supportive]
    for number, name in enumerate(names):
        misleading = sum(counter.of(page.page) for page in distractors[number])
        if total + misleading > sizes[name] * (1 + TOLERANCE):
            raise UserError(
                f"{material.query.query_id}: the pages that it can't do without and those that mislead have "
                f"{total + misleading:,.0f} tokens, more than {name} has room for: leave that size out."
            )
        taken = noise.fill(sizes[name] - total - misleading, sizes[name] * TOLERANCE)
        found = total + misleading + sum(tokens for _, tokens in taken)
        if found < sizes[name] * (1 - TOLERANCE):
            return _unfilled(material, pages, names[:number], found, name)
        pages += [(name, page) for page in (*distractors[number], *(page for page, _ in taken))]
        total = found
    return PlacedPages(tuple(pages), tuple(names), total)


def _unfilled(
    material: TaskMaterial, pages: Sequence[tuple[str, LabelledPage]], names: Sequence[str], found: float, name: str
) -> PlacedPages:
    if not names:
        raise UserError(f"{material.query.query_id}: its pages have {found:,.0f} tokens, too few for {name}.")
    return PlacedPages(tuple(pages), tuple(names), found)


def _once(pages: Iterable[LabelledPage], seen: set[str]) -> Iterator[LabelledPage]:
    for page in pages:
        if page.page.url not in seen:
            seen.add(page.page.url)
            yield page


def _spread(
    distractors: list[LabelledPage], rooms: Sequence[tuple[int, float]], counter: TokenCounter
) -> list[Sequence[LabelledPage]]:
    """The distractors that each size adds, so that their share of its tokens is never less than in a smaller one.

    ``rooms`` are the tokens of the sizes, and those that supportive pages leave. The shortest comes first: the smallest
    size has one, however few there are.
    """
    if not distractors:
        return [()] * len(rooms)
    shortest = min(range(len(distractors)), key=lambda number: counter.of(distractors[number].page))
    distractors.insert(0, distractors.pop(shortest))
    share, ends, end = DISTRACTOR_SHARE, list[int](), len(distractors)
    for size, room in reversed(rooms):
        end = max(1, _end(distractors[:end], min(share * size, room), counter))
        share = sum(counter.of(page.page) for page in distractors[:end]) / size
        ends.append(end)
    ends.reverse()
    return [distractors[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _end(pages: Sequence[LabelledPage], tokens: float, counter: TokenCounter) -> int:
    """How many of the first pages have no more than these tokens."""
    for number, page in enumerate(pages):
        tokens -= counter.of(page.page)
        if tokens < 0:
            return number
    return len(pages)


class _Noise:
    """Pages of noise, of which a few are at hand to choose the one that fits."""

    def __init__(self, pages: Iterator[LabelledPage], counter: TokenCounter) -> None:
        self._pages = ((page, counter.of(page.page)) for page in pages)
        self._at_hand = list(islice(self._pages, _AT_HAND))

    def fill(self, room: float, tolerance: float) -> list[tuple[LabelledPage, float]]:
        """Pages for so many tokens in their order, the last ones chosen to end near it, not beyond by the tolerance.

        Pages that no room is left for wait for a larger size.
        """
        taken: list[tuple[LabelledPage, float]] = []
        while room > 0 and self._at_hand:
            number = 0 if room > 2 * max(tokens for _, tokens in self._at_hand) else self._fitting(room, tolerance)
            if number is None:
                if room < tolerance or not self._look_further():
                    break
                continue
            page = self._at_hand.pop(number)
            self._at_hand += islice(self._pages, 1)
            taken.append(page)
            room -= page[1]
        return taken

    def _fitting(self, room: float, tolerance: float) -> int | None:
        """The page that ends nearest; None where each would end further off than without it, or too far beyond."""
        left = {number: abs(room - tokens) for number, (_, tokens) in enumerate(self._at_hand)
                if tokens - room < min(room, tolerance / 2)}  # fmt: skip
        return min(left, key=lambda number: left[number], default=None)

    def _look_further(self) -> bool:
        """False where there is no more, or none of the next many fits either."""
        if len(self._at_hand) > _MOST_AT_HAND:
            return False
        more = list(islice(self._pages, _AT_HAND))
        self._at_hand += more
        return bool(more)
