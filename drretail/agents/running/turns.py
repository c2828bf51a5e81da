"""What a turn of a conversation goes on with: what was said before, and the session of the turns before it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.env.session import Session
from drretail.env.store.base import Store
from drretail.errors import ModelError
from drretail.experiment import ended_run, run_path
from drretail.grounding.conversation import ConversationTurn, turns_of
from drretail.grounding.report.picks import picks_block
from drretail.records.evidence import Evidence
from drretail.records.query import Query, Reference
from drretail.records.run import Run
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
    def history(self) -> tuple[dict[str, str], ...]:
        """What was said in them, and the reports with the carts that they declared."""
        return tuple(
            {"role": role, "content": text}
            for query, run in zip(self.queries, self.runs, strict=False)
            for role, text in (("user", query.text), ("assistant", _shown(run)))
        )

    def check(self, query: Query) -> None:
        """Raises ModelError for a turn whose turn before has no answer."""
        if query.after is not None and len(self.runs) < max(1, len(self.queries)):
            raise ModelError("no_turn_before", f"the turn before it, {query.after}, has no answer")

    def carry_into(self, session: Session) -> None:
        """Goes on with what the turns before were shown and changed."""
        session.ledger.carry(self.evidence)
        for change in (change for run in self.runs for change in run.state_diff):
            profile, (part, _, name) = session.user(change.user_id), change.field.rpartition(".")
            value = getattr(profile, part).model_copy(update={name: change.after}) if part else change.after
            # What this turn changes is told from what it found.
            session.before[change.user_id] = profile.model_copy(update={part or name: value})
            session.overlay[change.user_id] = session.before[change.user_id]

    def asked(self, query: Query, reference_of: Callable[[Query], Reference], store: Store) -> ConversationTurn:
        """The turn that a query with a wish is after these."""
        return turns_of((*self.queries, query), self.runs, reference_of, store.products)[-1]

    def for_oracle(
        self, query: Query, reference_of: Callable[[Query], Reference], store: Store, *, alone: bool
    ) -> tuple[Reference, Wish | None]:
        """What the shop has for a turn, as it follows the oracle's own carts, and its wish; ``alone``, both for what
        this turn alone says.
        """
        if query.wish is None or not self.runs:
            return reference_of(query), query.wish
        asked = self.asked(query, reference_of, store)
        if not alone:
            return asked.followed, query.wish
        last = query.model_copy(update={"wish": asked.limits(of_before=False), "relations": {}})
        return reference_of(last), last.wish


NO_TURNS = TurnsBefore()


def _shown(run: Run) -> str:
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
    last = run_path(experiment, label, queries[-1].query_id, repeat)
    return TurnsBefore(tuple(queries), tuple(runs), read_evidence(last))
