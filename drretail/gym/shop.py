"""What all rollouts share: a world that none of them changes, the queries, and what each is rewarded by."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from drretail.agents.running.runner import Recorded
from drretail.api.queries import asked_queries
from drretail.api.worlds import check_askable, open_world
from drretail.env.altered.moves import moves_of, store_as_seen, store_at_end
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.eval.baskets.distance import LACKS
from drretail.grounding.basket.reference import at_other_prices
from drretail.gym.reward import Reward, reward_of
from drretail.querygen.shipped import SPLITS, Split, shipped_queries
from drretail.records.query import Query, Reference
from drretail.records.run import System

Queries = str | Path | Query | Iterable[Query]
SHIPPED: Mapping[str, tuple[Split, ...]] = {"dev": ("dev",), "test": ("test",), "all": SPLITS}


@dataclass(frozen=True)
class Shop:
    """A world, opened once, with queries and their baskets. Nothing in it changes, so any number of threads share it.

    Use it in ``with``, or close it.
    """

    world: World
    """As ``open_world`` gives it."""
    queries: Mapping[str, Query]
    """By id, those that a report can be rewarded for."""
    references: Mapping[str, Reference]
    """By query, the best and the cheapest basket, or the proof that there is none."""
    left_out: Mapping[str, str]
    """By id, why a query is not among them: the shop has no basket for it, or nobody has typed what it demands."""
    _open: ExitStack

    @classmethod
    def open(cls, world: str | Path | World = "demo", queries: Queries = "dev") -> Self:
        """The shop of a world ("demo", a folder, "servers:NAME", or one that is open: then it stays open).

        ``queries`` is a file's name, one query or several, ids of those that ship with the demo in a list, or "dev",
        "test" or "all" of them.
        Raises UserError for what can't be opened, and where there is no query that a report can be rewarded for.
        """
        with ExitStack() as opened:
            shop = world if isinstance(world, World) else opened.enter_context(open_world(world))
            wanted = _asked(queries, shop)
            check_askable(shop, wanted)
            offers = Offers(shop)
            references = {query.query_id: offers.reference(query) for query in wanted}
            lacks = {
                key: LACKS[reference.lack or "no_basket"]
                for key, reference in references.items()
                if not _is_gold(reference)
            }
            rewarded = {query.query_id: query for query in wanted if query.query_id not in lacks}
            if not rewarded:
                raise UserError(
                    f"No query can be rewarded, since none has a basket to compare with: {next(iter(lacks.values()))}."
                )
            kept = {key: references[key] for key in rewarded}
            fixed = (MappingProxyType(rewarded), MappingProxyType(kept), MappingProxyType(lacks))
            return cls(shop, *fixed, opened.pop_all())

    def query(self, query: str | Query) -> Query:
        """The query of that id. Raises UnknownName for another, and UserError for one that is left out."""
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
        """What a recorded run is worth: the same as when it was made. In a shop that moved, as ``system`` says, figures
        are held against what the run last saw, and the cart is paid at hand-in."""
        query, steps = self.query(recorded.run.query_id), recorded.run.steps
        reference = self.references[query.query_id]
        moves = None if system is None else moves_of(system, query, self.world.manifest.now)
        if moves is None or query.wish is None:
            return reward_of(recorded, query, reference, self.world)
        world, seen = self.world, store_as_seen(self.world.store, moves, steps)
        if reference.best is not None:  # what the shop can't meet is proved of the prices of the start
            end = store_at_end(world.store, moves, steps)
            fits = sorted({fit.product_id for thing in reference.things for fit in thing.fits})
            reference = at_other_prices(reference, query.wish, end.products(fits))
            world = replace(world, store=end)
        return reward_of(recorded, query, reference, world, seen)

    def close(self) -> None:
        """Closes the world where it was opened here."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _is_gold(reference: Reference) -> bool:
    """True where the shop can meet the wish, or it is proved that it can't."""
    is_proved = reference.proof is not None and reference.proof.state == "proved"
    return is_proved or (reference.best is not None and bool(reference.best.items))


def _asked(queries: Queries, world: World) -> list[Query]:
    if isinstance(queries, str) and queries in SHIPPED:
        return list(shipped_queries(*SHIPPED[queries]))
    if isinstance(queries, str) and not (" " in queries or Path(queries).suffix or Path(queries).exists()):
        raise UserError(f"{queries} does not exist: queries are a file, or one of {', '.join(SHIPPED)}.")
    is_one = isinstance(queries, str | Path | Query)
    return asked_queries(queries if is_one else [_by_id(query) for query in queries], None, world)


def _by_id(query: str | Query) -> str | Query:
    """The shipped query of that id; a question has several words. Raises UnknownName for another word."""
    if not isinstance(query, str) or len(query.split()) != 1:
        return query
    shipped = {each.query_id: each for each in shipped_queries(*SPLITS)}
    if query not in shipped:
        raise UnknownName("query", query, shipped)
    return shipped[query]
