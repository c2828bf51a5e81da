"""Puts better queries in the place of those in which something was found, as often as is allowed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from drretail.env.world import World
from drretail.querygen.checks.wording import Texts
from drretail.querygen.generate import SOURCE, queries_of
from drretail.querygen.lint import Checked, Linter
from drretail.querygen.revisions import History, Revision, tries_of
from drretail.querygen.shelf import Shelf
from drretail.records.query import Query

TRIES = 3
# So many drafts of a user are looked at in one try; the generator seldom has more.
_DRAFTS = 8

Rewrite = Callable[[Checked, int], Sequence[Query] | None]
"""Other queries in the place of one, for a try (from 1), the best first; None for one that is not its to rewrite."""


@dataclass(frozen=True, slots=True)
class Mended:
    """The queries in their order; ``replaced`` are the ids of those that changed."""

    queries: tuple[Query, ...]
    replaced: tuple[str, ...]
    left: tuple[str, ...]
    """The ids of those in which something was found, and that nothing here may rewrite."""
    tries: int
    """Made now; those in the history are not made again."""


@dataclass(frozen=True, slots=True)
class Mender:
    """What one run of mending works with; ``clock`` gives the time that the history names."""

    linter: Linter
    rewrite: Rewrite
    history: History
    by: str
    clock: Callable[[], datetime]
    tries: int = TRIES

    def mend(self, queries: Sequence[Query]) -> Mended:
        """Each query with a finding is replaced by the first other one without any, or stays as it is.

        A run that was cut goes on behind its last try. Only what is unlike all other texts of the file is taken.
        """
        texts, before = Texts(queries), len(self.history.revisions)
        mended: list[Query] = []
        left: list[str] = []
        for checked in self.linter.check_all(queries):
            query = self._replacement(checked, texts, left) if checked.findings else None
            if query is not None:
                texts.remove(checked.query)
                texts.add(query)
            mended.append(query or checked.query)
        replaced = [new.query_id for old, new in zip(queries, mended, strict=True) if old != new]
        return Mended(tuple(mended), tuple(replaced), tuple(left), len(self.history.revisions) - before)

    def _replacement(self, checked: Checked, texts: Texts, left: list[str]) -> Query | None:
        past = tries_of(self.history.revisions, checked.query)
        for attempt in range(1, self.tries + 1):
            known = past.get(attempt)
            if known is None:
                rewritten = self.rewrite(checked, attempt)
                if rewritten is None:
                    left.append(checked.query.query_id)
                    return None
                known = self._tried(checked, attempt, rewritten, texts)
                self.history.append(known)
            if known.what == "replaced" and known.after is not None:
                return known.after
        return None

    def _tried(self, checked: Checked, attempt: int, rewritten: Sequence[Query], texts: Texts) -> Revision:
        """The first of the rewritten queries in which nothing is found, else the first."""
        found = [self._checked(query, texts) for query in rewritten]
        best = next((it for it in found if not it.findings), found[0] if found else None)
        return Revision(
            query_id=checked.query.query_id,
            at=self.clock(),
            by=self.by,
            what="replaced" if best is not None and not best.findings else "tried",
            attempt=attempt,
            before=checked.query,
            reasons=checked.findings,
            after=None if best is None else best.query,
            findings=() if best is None else best.findings,
        )

    def _checked(self, query: Query, texts: Texts) -> Checked:
        duplicate = texts.near_duplicate(query)
        return self.linter.check(query, also=[] if duplicate is None else [duplicate])


def offline_rewrite(world: World, shelf: Shelf, linter: Linter, seed: str) -> Rewrite:
    """Other drafts of the same user, under the same id; only for what the offline generator made."""

    def rewrite(checked: Checked, attempt: int) -> Sequence[Query] | None:
        query = checked.query
        if query.source != SOURCE or query.user_id is None or linter.case(query).shopper is None:
            return None
        made = queries_of(world, shelf, query.user_id, per_user=_DRAFTS, seed=f"{seed}|{query.query_id}|{attempt}")
        return [it.model_copy(update={"query_id": query.query_id}) for it in made]

    return rewrite
