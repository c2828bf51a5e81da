"""A reviewer who answers by a script, and reviews as if made by people."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from drretail.querygen.review.draft import edit_of
from drretail.querygen.review.item import Section
from drretail.querygen.review.records import Answers, Decision, Review
from drretail.querygen.revisions import version_of
from drretail.records.query import Query

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
YES = Answers(deep_research=True, answerable=True, fits_profile=True)


class Person:
    """Types one line after another, and then nothing any more; edits by replacing words."""

    width = 80

    def __init__(self, *lines: str, edits: Iterable[tuple[str, str]] = ()) -> None:
        self._lines = list(lines)
        self._edits = list(edits)
        self.seen: list[str] = []
        self.prompts: list[str] = []

    @property
    def screen(self) -> str:
        return "\n".join(self.seen)

    @property
    def unused(self) -> list[str]:
        return self._lines

    def begin(self, title: str) -> None:
        self.seen.append(title)

    def show(self, *sections: Section) -> None:
        for section in sections:
            self.seen += [section.title, *section.lines]

    def say(self, text: str) -> None:
        self.seen.append(text)

    def ask(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        if not self._lines:
            return None
        line = self._lines.pop(0)
        if line == "^C":
            raise KeyboardInterrupt
        return line

    def edit(self, draft: str) -> str | None:
        old, new = self._edits.pop(0)
        return draft.replace(old, new)


class Clock:
    """A minute later each time."""

    def __init__(self) -> None:
        self._now = NOON

    def __call__(self) -> datetime:
        self._now += timedelta(minutes=1)
        return self._now


def reviewed(
    query: Query,
    reviewer: str,
    decision: Decision = "accept",
    *,
    answers: Answers = YES,
    text: str | None = None,
    minute: int = 0,
    settles: bool = False,
) -> Review:
    """What somebody decided; with ``text`` as an edit to this text."""
    edit = None if text is None else edit_of(query, query.model_copy(update={"text": text}))
    return Review(
        query_id=query.query_id,
        version=version_of(query),
        reviewer=reviewer,
        at=NOON + timedelta(minutes=minute),
        decision="edit" if edit else decision,
        answers=None if settles else answers,
        edit=edit,
        settles=settles,
    )


def simple(number: int, text: str = "") -> Query:
    """A query that no world is needed for."""
    return Query(
        query_id=f"q-{number}", user_id="ANNA", text=text or f"What is question {number} about?", source="test"
    )
