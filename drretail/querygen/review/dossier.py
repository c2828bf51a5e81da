"""What a reviewer is shown of each query of a file."""

from collections.abc import Sequence
from dataclasses import dataclass

from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Checked, Linter
from drretail.records.query import Query
from drretail.records.score import ProfileSummary


@dataclass(frozen=True, slots=True)
class Dossier:
    """A query with what the checks found; ``shopper`` is None where there is no user, or the world lacks it."""

    checked: Checked
    shopper: ProfileSummary | None

    @property
    def query(self) -> Query:
        return self.checked.query


class Dossiers:
    """Those of the queries of one file in one world; each is made when it is asked for."""

    def __init__(self, world: World, queries: Sequence[Query]) -> None:
        self.world = world
        self._linter = Linter(world)
        self._summaries = Summaries(world)
        self._known: dict[str, ProfileSummary | None] = {}
        self._checked = {it.query.query_id: it for it in self._linter.check_all(queries)}
        self._texts = Texts(queries)

    def of(self, query: Query) -> Dossier:
        """The dossier of a query of the file."""
        return Dossier(self._checked[query.query_id], self._shopper(query.user_id))

    def check(self, edited: Query) -> Checked:
        """What the checks find in another version of a query of the file, beside all the other queries."""
        duplicate = self._texts.near_duplicate(edited)
        return self._linter.check(edited, also=[] if duplicate is None else [duplicate])

    def _shopper(self, user_id: str | None) -> ProfileSummary | None:
        if user_id is None:
            return None
        if user_id not in self._known:
            try:
                self._known[user_id] = self._summaries.of(user_id)
            except NotFound:  # the checks say so
                self._known[user_id] = None
        return self._known[user_id]
