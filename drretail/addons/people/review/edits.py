"""What an edit changed in a query, and what reviewers who disagree say of it."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from drretail.addons.people.review.records import QUESTIONS, Edit, Review, content_of
from drretail.grounding.text.wording import wish_lines
from drretail.records.query import Query


def edit_of(before: Query, after: Query) -> Edit | None:
    """The difference between two versions as an edit; None if there is none."""
    fields = tuple(name for name in Query.model_fields if getattr(before, name) != getattr(after, name))
    if not fields:
        return None
    return Edit(before=before, after=after, fields=fields, diff=word_diff(before.text, after.text))


def retyped(before: str, text: str) -> str:
    """The new text, tidied; the old one if they differ only in spaces at line ends and empty lines around."""
    return before if _tidy(text) == _tidy(before) else _tidy(text)


def _tidy(text: str) -> str:
    """The text without the spaces at line ends and the empty lines around it that programs leave."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


_MARKS = {"span": "{}", "del": "[-{}-]", "ins": "{{+{}+}}"}


def word_diff(before: str, after: str) -> str:
    """The new text, with removed words as [-words-] and added words as {+words+}."""
    return " ".join(_MARKS[element].format(words) for element, words in diff_pieces(before, after))


def diff_pieces(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The words of both texts in pieces, each with the element of HTML that marks it: span, del or ins."""
    for same, old, new in _pieces(before, after):
        marked = {"span": old} if same else {"del": old, "ins": new}
        yield from ((element, " ".join(words)) for element, words in marked.items() if words)


def words_changed(before: str, after: str) -> float:
    """The share of the longer text's words that were replaced, removed or added, 0 to 1."""
    longest = max(len(before.split()), len(after.split()))
    changed = sum(max(len(old), len(new)) for same, old, new in _pieces(before, after) if not same)
    # A word that moves counts twice, as removed and as added, so that the sum may exceed all.
    return min(changed / longest, 1.0) if longest else 0.0


def _pieces(before: str, after: str) -> Iterator[tuple[bool, list[str], list[str]]]:
    old, new = before.split(), after.split()
    for kind, first, last, start, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield kind == "equal", old[first:last], new[start:end]


def edits_by_reviewer(reviews: Sequence[Review], query: Query) -> dict[str, Edit]:
    """The edits that change this query, by reviewer; of equal edits only the first."""
    edits: dict[str | None, tuple[str, Edit]] = {}
    for review in reviews:
        if review.edit is not None and review.keeps(query) != content_of(query):
            edits.setdefault(review.keeps(query), (review.reviewer, review.edit))
    return dict(edits.values())


def review_lines(reviews: Sequence[Review]) -> Iterator[str]:
    """Lines with each reviewer's decision, answers, note and edit."""
    for review in reviews:
        noes = ", ".join(QUESTIONS[question] for question in review.answers.noes) if review.answers else ""
        yield f"{review.reviewer}: {review.decision}{f' (no to: {noes})' if noes else ''}"
        if review.note:
            yield f"{review.reviewer}'s note: {review.note}"
        if review.edit is not None:
            yield from (f"{review.reviewer}'s edit: {line}" for line in edit_lines(review.edit))


def edit_lines(edit: Edit) -> Iterator[str]:
    """What was changed: words of the text, lines of the wish, and the names of other fields."""
    if "text" in edit.fields:
        yield edit.diff
    before, after = ([] if wish is None else wish_lines(wish) for wish in (edit.before.wish, edit.after.wish))
    yield from (f"no longer: {line}" for line in before if line not in after)
    yield from (f"now: {line}" for line in after if line not in before)
    yield from (f"{name}: changed" for name in edit.fields if name in ("expected_tools", "rationale"))
