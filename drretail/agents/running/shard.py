"""One part of an experiment, for several machines: which queries are its own depends on their ids alone."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from drretail.errors import UserError
from drretail.records.query import Query

_WRITTEN = re.compile(r"(?P<number>[0-9]{1,6})/(?P<of>[0-9]{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``number`` of ``of``, counted from 1. Every query is in exactly one of the parts."""

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> Self:
        """The shard that ``i/n`` names. Raises UserError for anything else."""
        found = _WRITTEN.fullmatch(text.strip())
        number, of = (int(found["number"]), int(found["of"])) if found else (0, 0)
        if not 1 <= number <= of:
            raise UserError(f"--shard {text}: say which part of how many, from 1/4 to 4/4 for four.")
        return cls(number, of)

    def holds(self, query_id: str) -> bool:
        digest = hashlib.sha256(query_id.encode()).digest()
        return int.from_bytes(digest) % self.of == self.number - 1

    def of_queries(self, queries: Iterable[Query]) -> list[Query]:
        """Those that are this shard's, in their order."""
        return [query for query in queries if self.holds(query.query_id)]


WHOLE = Shard(1, 1)
