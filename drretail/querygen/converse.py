"""Conversations made of single queries by rules: follow-ups, each with its wish, which the shop's records prove.

A follow-up changes one of the things that were wanted before. It is taken if the shop has a basket for the whole wish,
and one that does what is asked of the oracle's own picks.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import islice
from random import Random
from typing import Any, get_args

from drretail.env.world import World
from drretail.querygen.checks.case import Stock
from drretail.querygen.decisions import decidable
from drretail.querygen.generate import check_english
from drretail.querygen.kinds import is_plural, lowered
from drretail.querygen.reading import check_made_for
from drretail.querygen.rules.assortment import ENOUGH, MOSTLY, KindOffers
from drretail.querygen.rules.limits import Choice, by_fields, by_options, left_open
from drretail.querygen.spoil import UNMET, UNTYPED, Derived
from drretail.records.base import sha256_of
from drretail.records.query import Query, Relation, turns_until
from drretail.records.wish import Want, Wish
from drretail.shopping.conversation import ConversationTurn

_LEAST, _MOST = 4, 6
"""Turns of a conversation."""
_TRIED = 12
"""Changes of a kind that are tried for one turn."""
_PHRASES: Mapping[str, Sequence[str]] = tomllib.loads((files("drretail.querygen") / "converse.toml").read_text("utf-8"))
KINDS = (*_PHRASES,)
_COUNTS = {2: "two", 3: "three"}
_BY_RULES = {"source": "offline:converse", "rationale": "", "expected_tools": (), "typed_by": None, "prompts": ()}


def turn_after(before: Query, text: str, wish: Wish, relations: Mapping[str, Relation]) -> Query:
    """The turn after another one in which this is said, with what is decided of what it wants."""
    name, _, number = before.query_id.rpartition("-")
    query_id, gold = f"{name}-{int(number) + 1}", before.gold
    if gold is not None:
        held = [ruling for ruling in gold.decisions if (ruling.want, ruling.demand) in decidable(wish)]
        gold = gold.model_copy(update={"query_id": query_id, "decisions": tuple(held)})
    new = {"query_id": query_id, "after": before.query_id, "text": text, "wish": wish, "relations": {**relations}}
    return before.model_copy(update={**new, "gold": gold, "infeasible": None})


def make_conversations(queries: Sequence[Query], world: World, seed: str, *, sentences: slice = slice(None)) -> Derived:
    """A conversation of four to six turns for each query that the shop can meet, which is its first turn.

    No kind of follow-up comes twice, and none changes the budget. Of the sentences of each kind these are used: two
    sets that take one half each share none. Raises
    UserError for queries of another world, and for a shop whose language is not English.
    """
    check_made_for(queries, world.manifest.fingerprint)
    check_english(world)
    stock, turns, talks = Stock(world), turns_until(queries), Derived()
    for query in queries:
        new = {"query_id": f"c{sha256_of([seed, query.query_id])[:10]}-1", "task_id": None, "part_of": None}
        talk = _Talk(stock, Random(f"{seed}|{query.query_id}"), sentences)
        if query.query_id in turns:
            talks.without["it is a turn of a conversation"] += 1
        elif query.wish is None:
            talks.without[UNTYPED] += 1
        elif query.infeasible or not query.wants_something or not talk.takes(query.model_copy(update=new)):
            talks.without[UNMET] += 1
        elif kinds := talk.go_on():
            talks.queries += [turn.query for turn in talk.turns]
            talks.counts.update(kinds)
        else:
            talks.without["the shop bears too few follow-ups"] += 1
    return talks


@dataclass
class _Talk:
    """A conversation under way."""

    stock: Stock
    rng: Random
    sentences: slice
    turns: list[ConversationTurn] = field(default_factory=list[ConversationTurn])
    """With the oracle's picks."""

    def takes(self, query: Query) -> bool:
        """Adds the turn if the shop can meet it, it changes the best cart, and the oracle's own cart can follow it."""
        reference = self.stock.offers.reference(query)
        first = ConversationTurn(query, reference, self.stock.offers.world.store)
        asked = self.turns[-1].followed_by(query, reference) if self.turns else first
        if asked.followed.best is None or not asked.may_keep:
            return False
        if asked.followed.best.picks in [turn.picks for turn in self.turns[-1:]]:
            return False
        *earlier, last = [frozenset(pick.offer_id for pick in turn.picks) for turn in self.turns] or [frozenset[str]()]
        new = frozenset(pick.offer_id for pick in asked.followed.best.picks) - last
        # What was shown and not kept does not come again.
        if not new.isdisjoint(frozenset[str]().union(*earlier)):
            return False
        self.turns.append(replace(asked, picks=asked.followed.best.picks, decision="buy"))
        return True

    def go_on(self) -> list[str]:
        """The kinds of the turns that are added; none if they are too few."""
        wanted, kinds = self.rng.randint(_LEAST, _MOST), list[str]()
        while len(self.turns) < wanted:
            order = self.rng.sample(KINDS, len(KINDS))
            kind = next((kind for kind in order if kind not in kinds and self._says(kind)), None)
            if kind is None:
                break
            kinds.append(kind)
        return kinds if len(self.turns) >= _LEAST else []

    def _says(self, kind: str) -> bool:
        """Adds a turn of this kind, if the shop bears one."""
        turn = self.turns[-1]
        for name, then, slots in islice(self._changes(kind), _TRIED):
            wants = {want.name: want for want in turn.wish.wants} | {name: then}
            wish = turn.wish.model_copy(update={"wants": (*wants.values(),)})
            phrase = self.rng.choice(_PHRASES[kind][self.sentences])
            if len(turn.wish.wants) == 1:  # there is nothing else that could be meant
                phrase = phrase.replace(" for the {name}", "")
            text = phrase.format(name=name, **slots)
            relations: dict[str, Any] = {name: kind} if kind in get_args(Relation) else {}
            if self.takes(turn_after(turn.query, text, wish, relations).model_copy(update=_BY_RULES)):
                return True
        return False

    def _changes(self, kind: str) -> Iterator[tuple[str, Want, Mapping[str, str]]]:
        """All changes of a kind, in any order: the thing's name, what is wanted of it then, and the words' slots."""
        turn, offers = self.turns[-1], self.stock.offers
        wants = self.rng.sample(turn.wish.wants, len(turn.wish.wants))
        if kind == "add":
            shelves = [name for name in sorted(offers.world.catalog.categories()) if _is_spoken(name)]
            wanted = {key for want in wants for key in offers.of_want(want).titles}
            for shelf in self.rng.sample(shelves, len(shelves)):
                of_kind = KindOffers(offers.of_kind(shelf), lowered(shelf))
                # "Bottles" alone may be anything; "water bottles" are what titles call them.
                is_free = len(of_kind.priced) >= ENOUGH and wanted.isdisjoint(of_kind.ids)
                is_said = is_free and of_kind.said >= MOSTLY and " " in of_kind.called and any(_of_records(of_kind))
                if is_said and not left_open(of_kind.offers):
                    name = of_kind.called
                    yield name, Want(name=name, kinds=(shelf,), several=True), {}
            return
        shown = {pick.product for turn in self.turns for pick in turn.picks}
        before = {want.name: _fields(want) for want in self.turns[-2:][0].wish.wants}
        for want in wants:
            if kind in ("other", "other_brand") or (kind == "cheaper" and want.price_min is None):
                yield want.name, want, {}
            elif kind == "quantity":
                pieces = 2 if want.quantity != 2 else 3
                yield want.name, want.model_copy(update={"quantity": pieces}), {"count": _COUNTS[pieces]}
            elif kind in ("tighten", "change"):
                limited = _fields(want)
                # Nobody takes back what was said a moment ago.
                settled = limited & before.get(want.name, set())
                looked_up = {demand.field for demand in want.must if demand.sources}  # nobody mistakes these
                of_kind = KindOffers(offers.of_want(want), want.name)
                choices = [choice for choice in _of_records(of_kind) if looked_up.isdisjoint(choice.names)]
                for choice in self.rng.sample(choices, len(choices)):
                    kept = tuple(demand for demand in want.must if demand.field not in choice.names)
                    edited = choice.added_to(want.model_copy(update={"must": kept}))
                    # Nobody asks for what was shown already and turned away from.
                    is_new = shown.isdisjoint(of_kind.offers.keeping(edited).titles)
                    fits_kind = choice.names <= settled if kind == "change" else not choice.names <= limited
                    if is_new and fits_kind:
                        yield want.name, edited, {"clause": choice.clause}


def _fields(want: Want) -> set[str]:
    """The fields and options that are limited."""
    return {*(demand.field or "" for demand in want.must), *want.options}


def _of_records(offers: KindOffers) -> tuple[Choice, ...]:
    """The limits that the records of a kind bear."""
    return (*by_fields(offers), *by_options(offers))


def _is_spoken(name: str) -> bool:
    """True if a category's name is things in letters ("Bird Feeders"), and no several ones."""
    *before, noun = name.split() or [""]
    return name.replace(" ", "").isalpha() and is_plural(noun) and "and" not in before
