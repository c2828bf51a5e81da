"""What an edit changed of a query: its fields, and the words of its text."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from drretail.querygen.review.records import Edit
from drretail.records.query import Query


def edit_of(before: Query, after: Query) -> Edit | None:
    """What differs between the two; None when nothing does."""
    fields = tuple(name for name in Query.model_fields if getattr(before, name) != getattr(after, name))
    if not fields:
        return None
    return Edit(before=before, after=after, fields=fields, diff=word_diff(before.text, after.text))


def retyped(before: str, text: str) -> str:
    """The text as somebody wrote it; the one before where they differ in nothing but spaces at the ends of lines."""
    return before if _tidy(text) == _tidy(before) else _tidy(text)


def _tidy(text: str) -> str:
    """Without the spaces at line ends and the empty lines around, which programs leave."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def word_diff(before: str, after: str) -> str:
    """The new text with what was taken out as [-words-] and what was put in as {+words+}."""
    parts: list[str] = []
    for same, old, new in _pieces(before, after):
        if same:
            parts.append(" ".join(old))
            continue
        if old:
            parts.append(f"[-{' '.join(old)}-]")
        if new:
            parts.append(f"{{+{' '.join(new)}+}}")
    return " ".join(parts)


def words_changed(before: str, after: str) -> float:
    """The share of words that were replaced, taken out or put in, of those of the longer text: 0 to 1."""
    longest = max(len(before.split()), len(after.split()))
    changed = sum(max(len(old), len(new)) for same, old, new in _pieces(before, after) if not same)
    # Words may move: what is taken out here and put in there counts twice.
    return min(changed / longest, 1.0) if longest else 0.0


def _pieces(before: str, after: str) -> Iterator[tuple[bool, list[str], list[str]]]:
    old, new = before.split(), after.split()
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield kind == "equal", old[first:last], new[start:end]
