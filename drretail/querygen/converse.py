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
from drretail.grounding.conversation import ConversationTurn
from drretail.grounding.text.words import singular
from drretail.querygen.checks.case import Stock
from drretail.querygen.decisions import decidable
from drretail.querygen.generate import check_english
from drretail.querygen.kinds import lowered
from drretail.querygen.reading import check_made_for
from drretail.querygen.rules.assortment import ENOUGH, KindOffers, comparable
from drretail.querygen.rules.limits import by_fields, by_options
from drretail.querygen.spoil import UNMET, UNTYPED, Derived
from drretail.records.base import sha256_of
from drretail.records.query import Query, Relation, turns_until
from drretail.records.wish import Want, Wish

_LEAST, _MOST = 4, 6
"""Turns of a conversation."""
_TRIED = 12
"""Changes of a kind that are tried for one turn."""
_PHRASES: Mapping[str, Sequence[str]] = tomllib.loads((files("drretail.querygen") / "converse.toml").read_text("utf-8"))
KINDS = (*_PHRASES,)
_REVOCABLE = ("other", "other_brand", "cheaper")
"""What a shopper may take back at once: what was shown in place of something is liked less."""
_COUNTS = {2: "two", 3: "three"}
_UNDONE = {"add": ("drop",), "drop": ("add",), "quantity": ("drop",)}
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

    The kinds of follow-ups take turns, as far as the shop bears them, and no follow-up changes the budget. Of the
    sentences of each kind these are used: two sets that take one half each share none. Raises
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
        # What was shown and not kept comes again only where it is asked for.
        if "back" not in query.relations.values() and not new.isdisjoint(frozenset[str]().union(*earlier)):
            return False
        self.turns.append(replace(asked, picks=asked.followed.best.picks, decision="buy"))
        return True

    def go_on(self) -> list[str]:
        """The kinds of the turns that are added; none if they are too few."""
        wanted, kinds = self.rng.randint(_LEAST, _MOST), [""]
        while len(self.turns) < wanted:
            # Nobody drops at once what was added or wanted twice, or adds what was dropped.
            barred = {kinds[-1], *_UNDONE.get(kinds[-1], ())} | (set() if kinds[-1] in _REVOCABLE else {"back"})
            order = sorted(self.rng.sample(KINDS, len(KINDS)), key=kinds.count)
            kind = next((kind for kind in order if kind not in barred and self._says(kind)), None)
            if kind is None:
                break
            kinds.append(kind)
        return kinds[1:] if len(self.turns) >= _LEAST else []

    def _says(self, kind: str) -> bool:
        """Adds a turn of this kind, if the shop bears one."""
        turn = self.turns[-1]
        for name, then, slots in islice(self._changes(kind), _TRIED):
            wants = {want.name: want for want in turn.wish.wants} | {name: then}
            wish = turn.wish.model_copy(update={"wants": tuple(filter(None, wants.values()))})
            phrase = self.rng.choice(_PHRASES[kind][self.sentences])
            if len(turn.wish.wants) == 1:  # there is nothing else that could be meant
                phrase = phrase.replace(" for the {name}", "")
            text = phrase.format(name=name, **slots)
            relations: dict[str, Any] = {name: kind} if kind in get_args(Relation) else {}
            if self.takes(turn_after(turn.query, text, wish, relations).model_copy(update=_BY_RULES)):
                return True
        return False

    def _changes(self, kind: str) -> Iterator[tuple[str, Want | None, Mapping[str, str]]]:
        """All changes of a kind, in any order: the thing's name, what is wanted of it then, and the words' slots."""
        turn, offers = self.turns[-1], self.stock.offers
        wants = self.rng.sample(turn.wish.wants, len(turn.wish.wants))
        if kind == "add":
            shelves = {_noun_of(category): category for category in sorted(offers.world.catalog.categories())}
            nouns = sorted(shelves.keys() - {""})
            wanted = {key for want in wants for key in offers.of_want(want).titles}
            for noun in self.rng.sample(nouns, len(nouns)):
                of_kind = offers.of_kind(noun)
                if len(comparable(of_kind)) < ENOUGH or not wanted.isdisjoint(of_kind.titles):
                    continue
                # "Bottles" alone may be anything; "water bottles" are what titles call them.
                if " " in (things := KindOffers(of_kind, lowered(shelves[noun])).called):
                    yield noun, Want(name=noun, kinds=(noun,)), {"things": things}
            return
        for want in wants:
            if kind in ("other", "other_brand") or (kind == "cheaper" and want.price_min is None):
                yield want.name, want, {}
            elif kind == "back" and not turn.is_unchanged(want):
                yield want.name, turn.wants_before[want.name], {}
            elif kind == "drop" and len(wants) > 1:
                yield want.name, None, {}
            elif kind == "quantity":
                pieces = 2 if want.quantity != 2 else 3
                yield want.name, want.model_copy(update={"quantity": pieces}), {"count": _COUNTS[pieces]}
            elif kind in ("tighten", "change"):
                limited = {*(demand.field for demand in want.must), *want.options}
                looked_up = {demand.field for demand in want.must if demand.sources}  # nobody mistakes these
                of_kind = KindOffers(offers.of_want(want), want.name)
                of_records = (*by_fields(of_kind), *by_options(of_kind))
                choices = [choice for choice in of_records if looked_up.isdisjoint(choice.names)]
                for choice in self.rng.sample(choices, len(choices)):
                    kept = tuple(demand for demand in want.must if demand.field not in choice.names)
                    edited = choice.added_to(want.model_copy(update={"must": kept}))
                    is_new = {*edited.must} != {*want.must} or edited.options != want.options
                    if is_new and (kind == "change") == (choice.names <= limited):
                        yield want.name, edited, {"clause": choice.clause}


def _noun_of(name: str) -> str:
    """A category's name in the singular ("bird feeder"); empty if it has none or means several things."""
    words = name.casefold().split()
    if not words or not all(word.isalpha() for word in words) or "and" in words:
        return ""
    noun = singular(words[-1])
    return " ".join([*words[:-1], noun]) if noun != words[-1] else ""
