"""Parts of an experiment: one machine's shard, by the queries' ids alone, and a few queries to begin with."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Self

from drretail.errors import UserError, check_known
from drretail.records.query import Query, turns_until

_WRITTEN = re.compile(r"(?P<number>[0-9]{1,6})/(?P<of>[0-9]{1,6})", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` of ``of``, counted from 1. Every query is in exactly one of the parts."""

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> Self:
        """The shard that ``i/n`` names. Raises UserError for anything else."""
        match = _WRITTEN.fullmatch(text.strip())
        number, of = (int(match["number"]), int(match["of"])) if match else (0, 0)
        if not 1 <= number <= of:
            raise UserError(f"--shard {text}: say which part of how many, from 1/4 to 4/4 for four.")
        return cls(number, of)

    def holds(self, query_id: str) -> bool:
        digest = hashlib.sha256(query_id.encode()).digest()
        return int.from_bytes(digest) % self.of == self.number - 1

    def of_queries(self, queries: Sequence[Query]) -> list[Query]:
        """The queries of this shard, in their order; a conversation is in one."""
        turns = turns_until(queries)
        return [query for query in queries if self.holds(turns.get(query.query_id, (query,))[0].query_id)]


WHOLE = Shard(1, 1)


def only(queries: Sequence[Query], wanted: int | str | Iterable[str]) -> list[Query]:
    """``wanted`` queries ("5" is a number), or those of the given ids, which commas separate, in the file's order.

    A conversation counts as one query, and a turn brings those before it. A number takes the first query of each user,
    then each one's second, since differences are shown over users. Raises UserError for a number below 1, UnknownName
    for an id that no query has.
    """
    if isinstance(wanted, str) and not any(query.query_id == wanted for query in queries) and _NUMBER.fullmatch(wanted):
        wanted = int(wanted)
    turns = turns_until(queries)
    if isinstance(wanted, int):
        if wanted < 1:
            raise UserError(f"--only {wanted}: say how many of the queries, from 1 on, or which, by their ids.")
        # A larger number holds the queries of a smaller one, so that an experiment can grow.
        firsts = [query for query in queries if query.after is None]
        ids = [query.query_id for query in in_turns(firsts)[:wanted]]
        ids += [query_id for query_id, until in turns.items() if until[0].query_id in ids]
    else:
        ids = [part.strip() for part in (wanted.split(",") if isinstance(wanted, str) else wanted)]
        check_known("query", [query.query_id for query in queries], *ids)
    ids += [turn.query_id for query_id in ids for turn in turns.get(query_id, ())]
    return [query for query in queries if query.query_id in ids]


def in_turns(queries: Sequence[Query]) -> list[Query]:
    """The first query of each user, then each one's second, and so on."""
    turns: dict[str, count[int]] = defaultdict(count)
    return sorted(queries, key=lambda query: next(turns[query.user_id or query.query_id]))
