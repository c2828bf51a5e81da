"""Which pages belong to which size: all supportive ones, distractors in proportion, and noise for the rest."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from drretail.addons.sandboxes.material import LabelledPage, TaskMaterial
from drretail.env.web.sandbox import SandboxPage
from drretail.errors import UserError

CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of a text; ``name`` is recorded in sandbox.json."""

    name: str
    count: Callable[[str], float]

    def of(self, page: SandboxPage) -> float:
        """The tokens of a page, including its title."""
        return self.count(page.title) + self.count(page.text)


BY_CHARACTERS = TokenCounter("characters/4", lambda text: len(text) / CHARACTERS_OF_A_TOKEN)


def counter_of(tokenizer: str | None) -> TokenCounter:
    """The counter of that name: characters/4, or for a sandbox of version 1.0 a tiktoken encoding such as o200k_base.

    Tiktoken downloads an encoding that this machine has not used before, so naming one permits that. Raises UserError
    without the package, for an unknown encoding, and if the download fails.
    """
    if tokenizer is None or tokenizer == BY_CHARACTERS.name:
        return BY_CHARACTERS
    try:
        import tiktoken
    except ImportError:
        raise UserError("Its sizes are counted with the package tiktoken, which is not installed.") from None
    if tokenizer not in tiktoken.list_encoding_names():
        raise UserError(
            f"Its sizes are counted by one of {', '.join(tiktoken.list_encoding_names())}, not {tokenizer}."
        )
    try:
        encoding = tiktoken.get_encoding(tokenizer)
    except OSError as problem:  # requests' errors are OSErrors
        raise UserError(f"The encoding {tokenizer} is not on this machine and can't be fetched: {problem}.") from None
    return TokenCounter(tokenizer, lambda text: len(encoding.encode(text, disallowed_special=())))


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


def place_pages(material: TaskMaterial, sizes: Mapping[str, int], counter: TokenCounter) -> PlacedPages:
    """Places a task's pages; every size that is filled is within ``TOLERANCE`` of its tokens.

    Sizes that the pages can't fill are left out, with the pages found for them. No address occurs twice. Raises
    UserError if the supportive pages and distractors don't fit into a size, or if not even the smallest size is filled.
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


def _spread(
    distractors: list[LabelledPage], rooms: Sequence[tuple[int, float]], counter: TokenCounter
) -> list[Sequence[LabelledPage]]:
    """The distractors that each size adds, so that their share of its tokens is never less than in a smaller size.

    ``rooms`` holds the tokens of each size, and the tokens that supportive pages leave in it. The shortest distractor
    comes first, so that the smallest size has one, however few there are.
    """
    if not distractors:
        return [()] * len(rooms)
    shortest = min(range(len(distractors)), key=lambda number: counter.of(distractors[number].page))
    distractors.insert(0, distractors.pop(shortest))
    share, ends, end = DISTRACTOR_SHARE, list[int](), len(distractors)
    # From the largest size down: the share of each size limits that of the next smaller one.
    for size, room in reversed(rooms):
        end = max(1, _end(distractors[:end], min(share * size, room), counter))
        share = sum(counter.of(page.page) for page in distractors[:end]) / size
        ends.append(end)
    ends.reverse()
    return [distractors[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _end(pages: Sequence[LabelledPage], tokens: float, counter: TokenCounter) -> int:
    """How many of the first pages fit into these tokens."""
    for number, page in enumerate(pages):
        tokens -= counter.of(page.page)
        if tokens < 0:
            return number
    return len(pages)


class _Noise:
    """Noise pages, of which a few are held ready to choose the one that fits."""

    def __init__(self, pages: Iterator[LabelledPage], counter: TokenCounter) -> None:
        self._pages = ((page, counter.of(page.page)) for page in pages)
        self._at_hand = list(islice(self._pages, _AT_HAND))

    def fill(self, room: float, tolerance: float) -> list[tuple[LabelledPage, float]]:
        """Pages for ``room`` tokens in order; the last ones are chosen to end near it, at most ``tolerance`` beyond.

        Pages that do not fit wait for a larger size.
        """
        taken: list[tuple[LabelledPage, float]] = []
        while room > 0 and self._at_hand:
            number = 0 if room > 2 * max(tokens for _, tokens in self._at_hand) else self._fitting(room, tolerance)
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

    def _fitting(self, room: float, tolerance: float) -> int | None:
        """The number of the page that ends nearest to ``room``.

        None if each page would end further from it than no page, or too far beyond it.
        """
        left = {number: abs(room - tokens) for number, (_, tokens) in enumerate(self._at_hand)
                if tokens - room < min(room, tolerance / 2)}  # fmt: skip
        return min(left, key=lambda number: left[number], default=None)
