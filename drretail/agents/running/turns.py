"""What a turn of a conversation goes on with: what was said before, and the session of the turns before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.env.session import Session
from drretail.env.store.base import Store
from drretail.errors import ModelError
from drretail.experiment import ended_run, run_path
from drretail.grounding.conversation import ConversationTurn, turns_of
from drretail.grounding.report.picks import picks_block
from drretail.records.evidence import Evidence
from drretail.records.query import Exchange, Query, Reference
from drretail.records.run import Run
from drretail.records.shop import UserProfile
from drretail.records.wish import Wish
from drretail.run_file import read_evidence


@dataclass(frozen=True, slots=True)
class TurnsBefore:
    """The turns of a conversation before a run, with their runs."""

    queries: tuple[Query, ...] = ()
    runs: tuple[Run, ...] = ()
    """Those of the first turns that are done, up to the one that is not."""
    evidence: tuple[Evidence, ...] = ()
    """All that they were shown."""

    @property
    def history(self) -> tuple[Exchange, ...]:
        return tuple(
            Exchange(text=query.text, answer=shown(run)) for query, run in zip(self.queries, self.runs, strict=False)
        )

    def check(self, query: Query) -> None:
        """Raises ModelError for a turn whose turn before has no answer."""
        if query.after is not None and len(self.runs) < max(1, len(self.queries)):
            raise ModelError("no_turn_before", f"the turn before it, {query.after}, has no answer")

    def carry_into(self, session: Session) -> None:
        """Goes on with what the turns before were shown and changed."""
        if self.evidence:
            session.ledger.carry(self.evidence)
        changes = [change for run in self.runs for change in run.state_diff]
        for user_id in dict.fromkeys(change.user_id for change in changes):
            profile = session.user(user_id).model_dump(mode="json")
            for change in (change for change in changes if change.user_id == user_id):
                _put(profile, change.field.split("."), change.after)
            # What this turn changes is told from what it found.
            session.overlay[user_id] = session.before[user_id] = UserProfile.model_validate(profile)

    def asked(self, query: Query, reference_of: Callable[[Query], Reference], store: Store) -> ConversationTurn:
        """The turn that a query with a wish is after these."""
        return turns_of((*self.queries, query), self.runs, reference_of, store.products)[-1]

    def for_oracle(
        self, query: Query, reference_of: Callable[[Query], Reference], store: Store, *, alone: bool = False
    ) -> tuple[Reference, Wish | None]:
        """What the shop has for the turn, as it follows the oracle's own carts, and the turn's wish.

        With ``alone``, both for what this turn alone says.
        """
        if query.wish is None or not self.runs:
            return reference_of(query), query.wish
        asked = self.asked(query, reference_of, store)
        if alone:
            wish = asked.limits(of_before=False)
            return reference_of(query.model_copy(update={"wish": wish, "relations": {}})), wish
        return asked.followed, query.wish


NO_TURNS = TurnsBefore()


def shown(run: Run) -> str:
    """The report with the cart that it declared, as it is told to who goes on."""
    block = () if run.picks is None else (picks_block(run.picks, run.outcome),)
    return "\n\n".join(filter(None, (run.report, *block)))


def read_before(experiment: Path, label: str, queries: Sequence[Query], repeat: int) -> TurnsBefore:
    """The turns with their runs in an experiment, as far as these are done."""
    runs: list[Run] = []
    for query in queries:
        run = ended_run(experiment, label, query.query_id, repeat)
        if run is None or run.status != "done":
            return TurnsBefore(tuple(queries), tuple(runs))
        runs.append(run)
    return TurnsBefore(
        tuple(queries), tuple(runs), read_evidence(run_path(experiment, label, queries[-1].query_id, repeat))
    )


def _put(profile: dict[str, Any], names: Sequence[str], value: object) -> None:
    for name in names[:-1]:
        profile = profile[name]
    profile[names[-1]] = value
