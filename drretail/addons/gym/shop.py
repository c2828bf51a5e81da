"""What all rollouts share: a world that none of them changes, the queries, and the references for their rewards."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Self

from drretail.agents.running.runner import Recorded
from drretail.api.systems import asked_queries
from drretail.api.worlds import check_askable, open_world
from drretail.env.altered.moves import moves_of, store_as_seen
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.eval.baskets import LACKS
from drretail.eval.metrics.reward import Reward, reward_of
from drretail.querygen.reading import FIFTY, Split, shipped_queries
from drretail.records.query import Query, Reference
from drretail.records.run import System

Queries = str | Path | Query | Iterable[Query]
SHIPPED: Mapping[str, tuple[Split, ...]] = {"dev": ("dev",), "test": ("test",), "all": FIFTY}


@dataclass(frozen=True)
class Shop:
    """A world, opened once, with queries and their baskets. Nothing in it changes, so any number of threads share it.

    Use it in ``with``, or close it.
    """

    world: World
    """As ``open_world`` returns it."""
    queries: Mapping[str, Query]
    """The queries that a report can be rewarded for, by id."""
    references: Mapping[str, Reference]
    """By query id, the best and the cheapest basket, or the proof that there is none."""
    left_out: Mapping[str, str]
    """By query id, why a query can't be rewarded: the shop has no basket for it, or nobody has typed its wish."""
    _open: ExitStack

    @classmethod
    def open(cls, world: str | Path | World = "demo", queries: Queries = "dev") -> Self:
        """Opens a shop on a world: "demo", a folder, "servers:NAME", or an open World, which ``close`` leaves open.

        ``queries`` are a file's name, one query or several, a list of ids of the demo's shipped queries, or "dev",
        "test" or "all" of these. Raises UserError for a world or queries that can't be opened, and if no query can be
        rewarded.
        """
        with ExitStack() as opened:
            shop = world if isinstance(world, World) else opened.enter_context(open_world(world))
            wanted = _asked(queries, shop)
            check_askable(shop, wanted)
            offers = Offers(shop)
            references = {query.query_id: offers.reference(query) for query in wanted}
            lacks: dict[str, str] = {}
            for key, reference in references.items():
                is_proved = reference.proof is not None and reference.proof.state == "proved"
                is_met = reference.best is not None and bool(reference.best.items)
                if not (is_met or is_proved):
                    lacks[key] = LACKS[reference.lack or "no_basket"]
            rewarded = {query.query_id: query for query in wanted if query.query_id not in lacks}
            if not rewarded:
                raise UserError(
                    f"No query can be rewarded, since none has a basket to compare with: {next(iter(lacks.values()))}."
                )
            of_rewarded = {key: references[key] for key in rewarded}
            fixed = (MappingProxyType(rewarded), MappingProxyType(of_rewarded), MappingProxyType(lacks))
            return cls(shop, *fixed, opened.pop_all())

    def query(self, query: str | Query) -> Query:
        """The query with this id. Raises UnknownName for an unknown id, and UserError for a query that is left out."""
        if not isinstance(query, str | Query):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UserError("A rollout's query is named by its id, such as dev-01, or given as a Query.")
        query_id = query if isinstance(query, str) else query.query_id
        if query_id in self.left_out:
            raise UserError(f"Nothing is rewarded for {query_id}: {self.left_out[query_id]}.")
        if query_id not in self.queries:
            raise UnknownName("query", query_id, self.queries)
        known = self.queries[query_id]
        if isinstance(query, Query) and not known.asks_the_same_as(query):
            raise UserError(f"The shop was opened with another query {query_id!r}: rename yours.")
        return known

    def reward(self, recorded: Recorded, system: System | None = None) -> Reward:
        """The reward of a recorded run, the same as when the run was made.

        ``system`` tells whether the shop's prices and stock moved, and which tools the run had: by default all.
        """
        run, query = recorded.run, self.query(recorded.run.query_id)
        moves = None if system is None else moves_of(system, query, self.world.manifest.now)
        store = self.world.store if moves is None else store_as_seen(self.world.store, moves, run.steps)
        return reward_of(run, recorded.evidence, query, self.references[query.query_id], store, system)

    def close(self) -> None:
        """Closes the world if ``open`` opened it."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _asked(queries: Queries, world: World) -> list[Query]:
    if isinstance(queries, str) and queries in SHIPPED:
        return list(shipped_queries(*SHIPPED[queries]))
    if isinstance(queries, str) and not (" " in queries or Path(queries).suffix or Path(queries).exists()):
        raise UserError(f"{queries} does not exist: queries are a file, or one of {', '.join(SHIPPED)}.")
    is_one = isinstance(queries, str | Path | Query)
    return asked_queries(queries if is_one else [_by_id(query) for query in queries], None, world)


def _by_id(query: str | Query) -> str | Query:
    """The shipped query with this id; text of several words is a question. Raises UnknownName for any other word."""
    if not isinstance(query, str) or len(query.split()) != 1:
        return query
    shipped = {each.query_id: each for each in shipped_queries(*FIFTY)}
    if query not in shipped:
        raise UnknownName("query", query, shipped)
    return shipped[query]
