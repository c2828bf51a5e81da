"""One reviewer asked about queries, one by one; each decision is kept before the next query is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from drretail.querygen.review.draft import Move, Moved, Screen, edit_by_hand, letter_of
from drretail.querygen.review.item import Items, page_of, shopper_of
from drretail.querygen.review.records import QUESTIONS, Answers, Decision, Edit, Question, Review, ReviewLog
from drretail.querygen.revisions import version_of
from drretail.records.query import Query

KEYS = "[y] yes  [n] no  [s] skip  [b] back  [p] the shopper  [q] quit"
SHOPPER = "p"
DECIDE = "Your decision: [a] accept  [e] edit  [r] reject"
ACCEPT_ALL_THE_SAME = "You answered a question with no. Accept it as it is all the same? [y/n]"
LETTERS: dict[str, Decision] = {"a": "accept", "e": "edit", "r": "reject"}


@dataclass(frozen=True, slots=True)
class Session:
    """What one sitting works with; ``clock`` gives the time that the decisions name."""

    screen: Screen
    items: Items
    log: ReviewLog
    reviewer: str
    clock: Callable[[], datetime]

    def review(self, queries: Sequence[Query]) -> int:
        """Asks about each query; gives how many were decided, up to the last or to where the reviewer quit."""
        decided: set[str] = set()
        place, before = 0, None
        while place < len(queries):
            query = queries[place]
            self.screen.begin(f"{query.query_id} · {place + 1} of {len(queries)}")
            known = query.user_id is not None and query.user_id == before
            before = query.user_id
            try:
                self._decide(query, known=known)
            except Moved as moved:
                if moved.move is Move.QUIT:
                    break
                place = max(place - 1, 0) if moved.move is Move.BACK else place + 1
                continue
            decided.add(query.query_id)
            place += 1
        return len(decided)

    def _decide(self, query: Query, *, known: bool) -> None:
        """Appends what the reviewer decides; the summary of a shopper who is ``known`` is shown when asked for."""
        self.screen.show(*page_of(self.items.of(query), self.screen.width, same_shopper=known))
        self.screen.say(KEYS)
        answers = self._answers(query)
        note = self._typed("Note (Enter for none)").strip()
        decision, edit = self._decision(query, answers)
        self.log.append(
            Review(
                query_id=query.query_id,
                version=version_of(query),
                reviewer=self.reviewer,
                at=self.clock(),
                decision=decision,
                answers=answers,
                note=note or None,
                edit=edit,
            )
        )

    def _answers(self, query: Query) -> Answers:
        said: dict[Question, bool] = {
            question: self._ask(query, f"{wording} [y/n]", "yn") == "y"
            for question, wording in QUESTIONS.items()
            if question != "fits_profile" or query.user_id is not None
        }
        return Answers(
            deep_research=said["deep_research"],
            answerable=said["answerable"],
            fits_profile=said.get("fits_profile"),
        )

    def _decision(self, query: Query, answers: Answers) -> tuple[Decision, Edit | None]:
        while True:
            decision = LETTERS[self._ask(query, DECIDE, "aer")]
            if decision == "accept" and answers.noes and self._ask(query, ACCEPT_ALL_THE_SAME, "yn") == "n":
                continue
            if decision != "edit":
                return decision, None
            edit = edit_by_hand(self.screen, self.items, query)
            if edit is not None:
                return "edit", edit

    def _ask(self, query: Query, prompt: str, letters: str) -> str:
        """One of the letters. Raises Moved where the reviewer goes elsewhere."""
        while True:
            letter = letter_of(self._typed(prompt))
            if letter and letter in letters:
                return letter
            if letter in {move.value for move in Move}:
                raise Moved(Move(letter))
            if letter == SHOPPER:
                self.screen.show(shopper_of(self.items.of(query), self.screen.width))
            else:
                self.screen.say(f"Please type one of {', '.join(letters)}, or s, b, p, q.")

    def _typed(self, prompt: str) -> str:
        """Whatever was typed; the end of input means to quit."""
        typed = self.screen.ask(prompt)
        if typed is None:
            raise Moved(Move.QUIT)
        return typed
