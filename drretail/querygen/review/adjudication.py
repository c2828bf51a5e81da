"""One person asked about the queries on which reviewers disagree; that decision is the last word."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from drretail.querygen.review.decisions import Outcome
from drretail.querygen.review.draft import Move, Moved, Screen, edit_by_hand, letter_of
from drretail.querygen.review.item import Items, Section, page_of, shopper_of, wrapped
from drretail.querygen.review.records import QUESTIONS, Decision, Edit, Review, ReviewLog
from drretail.querygen.revisions import version_of
from drretail.records.query import Query

KEYS = "[s] skip  [p] the shopper  [q] quit"
SHOPPER = "p"
MOST_EDITS = 9


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What one sitting works with; ``clock`` gives the time that the decisions name."""

    screen: Screen
    items: Items
    log: ReviewLog
    reviewer: str
    clock: Callable[[], datetime]

    def settle(self, disputed: Sequence[Outcome]) -> int:
        """Asks about each of these; gives how many were settled."""
        settled = 0
        for place, outcome in enumerate(disputed, 1):
            self.screen.begin(f"{outcome.query.query_id} · {place} of {len(disputed)} on which reviewers disagree")
            self.screen.show(
                *page_of(self.items.of(outcome.query), self.screen.width),
                Section("What the reviewers say", said(outcome.reviews, self.screen.width)),
            )
            self.screen.say(KEYS)
            try:
                decision, edit = self._answer(outcome)
            except Moved as moved:
                if moved.move is Move.QUIT:
                    break
                continue
            self._keep(outcome, decision, edit)
            settled += 1
        return settled

    def _answer(self, outcome: Outcome) -> tuple[Decision, Edit | None]:
        """A decision with its edit. Raises Moved where the person goes elsewhere."""
        edits = edits_of(outcome.reviews, outcome.query)
        takes = "".join(f"  [{number}] {it.reviewer}'s edit" for number, it in enumerate(edits, 1))
        while True:
            typed = self.screen.ask(f"The last word: [a] accept{takes}  [e] edit  [r] reject")
            letter = "q" if typed is None else letter_of(typed)
            if letter in (Move.QUIT.value, Move.SKIP.value):
                raise Moved(Move(letter))
            if letter == "a":
                return "accept", None
            if letter == "r":
                return "reject", None
            if letter.isdecimal() and 1 <= int(letter) <= len(edits):
                return "edit", edits[int(letter) - 1].edit
            if letter == SHOPPER:
                self.screen.show(shopper_of(self.items.of(outcome.query), self.screen.width))
            elif letter != "e":
                keys = ("a", *map(str, range(1, len(edits) + 1)), "e", "r")
                self.screen.say(f"Please type one of {', '.join(keys)}, or s, p, q.")
            else:
                edit = edit_by_hand(self.screen, self.items, outcome.query)
                if edit is not None:
                    return "edit", edit

    def _keep(self, outcome: Outcome, decision: Decision, edit: Edit | None) -> None:
        self.log.append(
            Review(
                query_id=outcome.query.query_id,
                version=version_of(outcome.query),
                reviewer=self.reviewer,
                at=self.clock(),
                decision=decision,
                edit=edit,
                settles=True,
            )
        )


def edits_of(reviews: Sequence[Review], query: Query) -> list[Review]:
    """The reviews that make another query of this one; of those that make the same, the first."""
    edits: dict[str | None, Review] = {}
    for review in reviews:
        if review.edit is not None and review.leaves != version_of(query):
            edits.setdefault(review.leaves, review)
    return list(edits.values())[:MOST_EDITS]


def said(reviews: Sequence[Review], width: int) -> tuple[str, ...]:
    """Each reviewer's decision with answers, note and edit."""
    lines: list[str] = []
    for review in reviews:
        noes = ", ".join(QUESTIONS[question] for question in review.answers.noes) if review.answers else ""
        head = f"{review.reviewer}: {review.decision}{f' (no to: {noes})' if noes else ''}"
        more = [f"note: {review.note}"] if review.note else []
        if review.edit is not None:
            more += [f"edit of {', '.join(review.edit.fields)}: {review.edit.diff}"]
        lines += wrapped([head], width, bullet="· ")
        lines += wrapped(more, width, bullet="  ")
    return tuple(lines)
