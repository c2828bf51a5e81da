"""What a turn of a conversation goes on with: what was said before, and the session of the turns before it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from drretail.agents.base import ToldOf
from drretail.env.session import Session
from drretail.experiment import ended_run, run_path
from drretail.grounding.conversation import ConversationTurn, ReferenceOf, turns_of
from drretail.grounding.report.picks import picks_block
from drretail.grounding.vocabulary import Records
from drretail.records.evidence import Evidence
from drretail.records.query import Query, Reference
from drretail.records.run import Run
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
        messages: list[dict[str, str]] = []
        for query, run in zip(self.queries, self.runs, strict=False):
            cart = "" if run.picks is None else picks_block(run.picks, run.outcome)
            answer = "\n\n".join(filter(None, (run.report, cart)))
            messages += [{"role": "user", "content": query.text}, {"role": "assistant", "content": answer}]
        return tuple(messages)

    def carry_into(self, session: Session) -> None:
        """Goes on with what the turns before were shown and changed."""
        session.ledger.carry(self.evidence)
        session.redo(change for run in self.runs for change in run.state_diff)
        session.before.update(session.overlay)  # what this turn changes is told from what it found

    def asked(self, query: Query, reference_of: ReferenceOf, shop: Records) -> ConversationTurn:
        """The turn that a query with a wish is after these."""
        return turns_of((*self.queries, query), self.runs, reference_of, shop)[-1]

    def for_oracle(
        self, query: Query, reference_of: ReferenceOf, shop: Records, told_of: ToldOf
    ) -> tuple[Query, Reference]:
        """A turn with what the shop has for it, as it follows the oracle's own carts; see ``Agent.told_of``."""
        if told_of == "first":
            query = (*self.queries, query)[0]
        elif query.wish is not None and self.runs:
            turn = self.asked(query, reference_of, shop)
            if told_of == "all":
                return query, turn.followed
            query = query.model_copy(update={"wish": turn.limits(of_before=False), "relations": {}})
        return query, reference_of(query)


NO_TURNS = TurnsBefore()


def read_before(experiment: Path, label: str, queries: Sequence[Query], repeat: int) -> TurnsBefore:
    """The turns with their runs in an experiment, as far as these are done."""
    if not queries:
        return NO_TURNS
    ended = (ended_run(experiment, label, query.query_id, repeat) for query in queries)
    done = (run if run is not None and run.status == "done" else None for run in ended)
    runs = tuple(filter(None, takewhile(bool, done)))
    last = run_path(experiment, label, queries[-1].query_id, repeat)
    return TurnsBefore(tuple(queries), runs, read_evidence(last) if len(runs) == len(queries) else ())
