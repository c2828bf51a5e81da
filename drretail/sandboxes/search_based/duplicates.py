"""Pages that say what another one says: the same words, or nearly all of them."""

import re
from collections import Counter, defaultdict
from hashlib import blake2b
from itertools import islice

SHINGLE = 5
"""Words that follow each other."""
ALIKE = 0.8
"""Of the shorter text's shingles, the share that stands in the other one: syndicated pages differ in their frame."""
SKETCH = 200
"""The smallest hashes of a text's shingles, by which likeness is told: equal texts have equal ones."""
_WORD = re.compile(r"\w+")


class SeenTexts:
    """Texts in the order in which they come; tells of each whether an earlier one says the same."""

    def __init__(self) -> None:
        self._sketches: list[tuple[str, frozenset[int], int]] = []
        self._holders: dict[int, list[int]] = defaultdict(list)

    def earlier(self, name: str, text: str) -> str | None:
        """The name of an earlier text with nearly the same words; None for a new one, which is kept."""
        sketch, size = _sketch(text)
        shared = Counter(number for it in sketch for number in self._holders[it])
        for number, _ in shared.most_common():
            other, its, its_size = self._sketches[number]
            if _likeness(sketch, size, its, its_size) >= ALIKE:
                return other
        for it in sketch:
            self._holders[it].append(len(self._sketches))
        self._sketches.append((name, sketch, size))
        return None


def _sketch(text: str) -> tuple[frozenset[int], int]:
    """The smallest hashes, and how many shingles there are in all; a text of a few words is one shingle."""
    words = _WORD.findall(text.casefold())
    runs = {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}
    hashes = sorted(int.from_bytes(blake2b(it.encode("utf-8", "replace"), digest_size=8).digest()) for it in runs)
    return frozenset(islice(hashes, SKETCH)), len(runs)


def _likeness(one: frozenset[int], size: int, other: frozenset[int], other_size: int) -> float:
    """About the share of the shorter one's shingles that both have, from the smallest hashes of their union."""
    union = frozenset(sorted(one | other)[:SKETCH])
    jaccard = len(union & one & other) / len(union)
    both = jaccard * (size + other_size) / (1 + jaccard)
    return both / min(size, other_size)
