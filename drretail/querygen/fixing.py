"""Puts better queries in the place of those in which something was found, as often as is allowed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from drretail.env.world import World
from drretail.querygen.checks.wording import Texts
from drretail.querygen.generate import queries_of
from drretail.querygen.lint import Checked, Linter
from drretail.querygen.revisions import History, Revision, past_of, tries_of
from drretail.querygen.rules.assortment import Assortment
from drretail.querygen.rules.drafting import SOURCE
from drretail.records.query import Query

TRIES = 3
OF_OTHERS = "the offline generator did not make them"
# So many drafts of a user are looked at in one try; the generator seldom has more.
_DRAFTS = 8


@dataclass(frozen=True, slots=True)
class Faulty:
    """A query that is to be written again, for a try (from 1)."""

    checked: Checked
    attempt: int
    past: tuple[Revision, ...] = ()
    """The earlier tries, and those of this one that failed."""
    others: tuple[Query, ...] = ()
    """What else is asked in the file for the same user, or for none."""


@dataclass(frozen=True, slots=True)
class NotWritten:
    """No query came about, such as when a provider was not to be reached."""

    reason: str


@dataclass(frozen=True, slots=True)
class Left:
    """The query is not the rewriter's to rewrite."""

    why: str
    """Completes "it was left, because": "it names no user"."""


Rewritten = Sequence[Query] | NotWritten | Left
"""Other queries in the place of one, the best first; or why there are none."""
Rewrite = Callable[[Sequence[Faulty]], Sequence[Rewritten]]
"""What comes of each of the queries that are tried at the same time, in their order."""


@dataclass(frozen=True, slots=True)
class Mended:
    """The queries in their order; ``replaced`` are the ids of those that changed."""

    queries: tuple[Query, ...]
    replaced: tuple[str, ...]
    left: dict[str, str]
    """Why nothing here may rewrite those that were left although something was found in them, by query id."""
    failed: dict[str, str]
    """Why nothing came out where the last try failed, by query id."""
    tries: int
    """Made now; those in the history are not made again."""


@dataclass(slots=True)
class _State:
    """The file as it stands between two rounds of tries."""

    queries: dict[str, Query]
    texts: Texts
    left: dict[str, str] = field(default_factory=dict[str, str])
    failed: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Mender:
    """What one run of mending works with; ``clock`` gives the time that the history names."""

    linter: Linter
    rewrite: Rewrite
    history: History
    by: str
    clock: Callable[[], datetime]
    tries: int = TRIES
    retry_failed: bool = False
    """Tries again what failed; else a failure in the history stands."""

    def mend(self, queries: Sequence[Query]) -> Mended:
        """Each query with a finding is replaced by the first other one without any, or stays as it is.

        All queries have their first try at the same time, then all that are left their second; what is told of a file
        is how it stood before the round, so that nothing depends on who answers first. A run that was cut goes on
        behind its last try. Only what is unlike all other texts of the file is taken.
        """
        before = len(self.history.revisions)
        state = _State({query.query_id: query for query in queries}, Texts(queries))
        pending = [checked for checked in self.linter.check_all(queries) if checked.faults]
        for attempt in range(1, self.tries + 1):
            pending = self._round(pending, attempt, state)
        mended = tuple(state.queries[query.query_id] for query in queries)
        replaced = tuple(new.query_id for old, new in zip(queries, mended, strict=True) if old != new)
        return Mended(mended, replaced, state.left, state.failed, len(self.history.revisions) - before)

    def _round(self, pending: Sequence[Checked], attempt: int, state: _State) -> list[Checked]:
        """One try for each of the pending queries; those for which another try may help."""
        ended = [self._ended(checked.query, attempt) for checked in pending]
        asked = [self._faulty(checked, attempt, state) for checked, end in zip(pending, ended, strict=True) if not end]
        answers = iter(self.rewrite(asked) if asked else ())
        further: list[Checked] = []
        for checked, end in zip(pending, ended, strict=True):
            query_id, answer = checked.query.query_id, None if end else next(answers)
            if isinstance(answer, Left):
                state.left[query_id] = answer.why
                continue
            if answer is not None:
                end = self._tried(checked, attempt, answer, state)
                self.history.append(end)
            assert end is not None, "what has not ended before was asked for"
            if end.what == "failed":
                state.failed[query_id] = end.problem or "no reason is known"
            elif end.what == "replaced" and end.after is not None:
                state.texts.remove(checked.query)
                state.texts.add(end.after)
                state.queries[query_id] = end.after
            else:
                further.append(checked)
        return further

    def _ended(self, query: Query, attempt: int) -> Revision | None:
        """How the try ended in an earlier run, None where it is to be made."""
        end = tries_of(self.history.revisions, query).get(attempt)
        return None if end is not None and end.what == "failed" and self.retry_failed else end

    def _faulty(self, checked: Checked, attempt: int, state: _State) -> Faulty:
        query = checked.query
        others = (one for one in state.queries.values() if one.user_id == query.user_id and one is not query)
        return Faulty(checked, attempt, past_of(self.history.revisions, query), tuple(others))

    def _tried(
        self, checked: Checked, attempt: int, rewritten: Sequence[Query] | NotWritten, state: _State
    ) -> Revision:
        """The first of the rewritten queries in which nothing is found, else the first."""
        revision = Revision(
            query_id=checked.query.query_id,
            at=self.clock(),
            by=self.by,
            what="failed",
            attempt=attempt,
            before=checked.query,
            reasons=checked.findings,
        )
        if isinstance(rewritten, NotWritten):
            return revision.model_copy(update={"problem": rewritten.reason})
        found = [self._checked(query, state) for query in rewritten]
        best = next((entry for entry in found if not entry.findings), found[0] if found else None)
        if best is None:
            return revision.model_copy(update={"what": "tried"})
        what = "tried" if best.findings else "replaced"
        return revision.model_copy(update={"what": what, "after": best.query, "findings": best.findings})

    def _checked(self, query: Query, state: _State) -> Checked:
        duplicate = state.texts.near_duplicate(query)
        return self.linter.check(query, also=[] if duplicate is None else [duplicate])


def without_user(query: Query, linter: Linter) -> str | None:
    """Why nobody stands behind a query that needs somebody, None where somebody does."""
    if query.mode == "task":
        return "they are tasks, which nothing here writes"
    if query.mode != "profile_aware":
        return None
    shopper = linter.case(query).shopper
    if query.user_id is None:
        return "they name no user"
    if shopper is None:
        return "this world does not hold their users"
    return None if shopper.kept else "their users have no order that was kept"


def offline_rewrite(
    world: World, assortment: Assortment, linter: Linter, seed: str, *, whoever: bool = False
) -> Rewrite:
    """Other drafts of the same user, under the same id.

    Only for what the offline generator made, unless ``whoever`` made a profile-aware query may have it replaced.
    """

    def rewritten(faulty: Faulty) -> Sequence[Query] | Left:
        query = faulty.checked.query
        nobody = without_user(query, linter)
        if nobody is not None:
            return Left(nobody)
        if query.user_id is None or not (query.source == SOURCE or (whoever and query.mode == "profile_aware")):
            return Left(OF_OTHERS)
        seeded = f"{seed}|{query.query_id}|{faulty.attempt}"
        made = queries_of(world, assortment, query.user_id, seed=seeded, linter=linter, written=Texts())
        return [draft.model_copy(update={"query_id": query.query_id}) for draft in islice(made, _DRAFTS)]

    return lambda faulty: list(map(rewritten, faulty))
