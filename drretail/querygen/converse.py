"""Conversations made of single queries by rules: follow-ups, each with its wish, which the shop's records prove.

A follow-up edits what was wanted before. It is taken if the shop has a basket for the whole wish, and one that does
what is asked of the oracle's own picks.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from itertools import islice
from random import Random
from typing import Any, TypeVar

from drretail.env.world import World
from drretail.grounding.conversation import ConversationTurn
from drretail.grounding.text.wording import article
from drretail.querygen.checks.case import Stock
from drretail.querygen.decisions import decidable
from drretail.querygen.generate import check_english
from drretail.querygen.reading import check_made_for
from drretail.querygen.rules.assortment import ENOUGH, KindOffers, comparable
from drretail.querygen.rules.drafting import COUNTS
from drretail.querygen.rules.limits import by_fields, by_options
from drretail.querygen.spoil import UNMET, UNTYPED, Derived, noun_of
from drretail.records.base import sha256_of
from drretail.records.query import Query, Relation
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish

_LEAST, _MOST = 4, 6
"""Turns of a conversation."""
_TRIED = 12
"""Edits of a kind that are tried for one turn."""
_PHRASES: Mapping[str, Any] = tomllib.loads((files("drretail.querygen") / "converse.toml").read_text("utf-8"))
_BY_RULES = {"source": "offline:converse", "rationale": "", "expected_tools": (), "typed_by": None, "prompts": ()}
_RELATIONS: tuple[Relation, ...] = ("other", "other_brand", "cheaper")
_REVOCABLE = ("tighten", "change", *_RELATIONS)
_PIECES = (2, 3)
KINDS = (*_REVOCABLE, "add", "drop", "quantity", "back")

_NO_OPTIONS: Mapping[str, Any] = {}
T = TypeVar("T")


@dataclass
class WishDraft:
    """What is wanted from a turn on, while it is edited."""

    wants: dict[str, Want]
    budget: Money | None = None
    relations: dict[str, Relation] = field(default_factory=dict[str, Relation])

    @classmethod
    def after(cls, turn: Query) -> "WishDraft":
        wish = turn.wish or Wish()
        return cls({want.name: want for want in wish.wants}, wish.budget)

    def change(self, name: str, **fields: Any) -> None:
        self.wants[name] = self.wants[name].model_copy(update=fields)

    def limit(self, name: str, must: Sequence[Demand] = (), options: Mapping[str, Any] = _NO_OPTIONS) -> None:
        """More that it must be; a field or option that is limited already gets another value."""
        want, fields = self.wants[name], {demand.field for demand in must}
        kept = [demand for demand in want.must if demand.field not in fields]
        self.change(name, must=(*kept, *must), options={**want.options, **options})

    def turn(self, before: Query, text: str) -> Query:
        """The turn after another one that says so."""
        name, _, number = before.query_id.rpartition("-")
        query_id = f"{name}-{int(number) + 1}"
        wish = (before.wish or Wish()).model_copy(update={"wants": tuple(self.wants.values()), "budget": self.budget})
        new: dict[str, Any] = {"query_id": query_id, "after": before.query_id, "text": text, "wish": wish}
        if before.gold:
            held = [each for each in before.gold.decisions if (each.want, each.demand) in decidable(wish)]
            of_turn = {"query_id": query_id, "web_question": None, "decisions": tuple(held)}
            new["gold"] = before.gold.model_copy(update=of_turn)
        return before.model_copy(update=new | {"relations": self.relations, "infeasible": None})


def make_conversations(queries: Sequence[Query], world: World, seed: str) -> Derived:
    """A conversation of four to six turns for each query that the shop can meet, which is its first turn.

    The kinds of follow-ups take turns, as far as the shop bears them, and no follow-up changes the budget. Raises
    UserError for queries of another world, and for a shop whose language is not English.
    """
    check_made_for(queries, world.manifest.fingerprint)
    check_english(world)
    stock = Stock(world)
    followed, made = {query.after for query in queries}, Derived()
    for query in queries:
        name = f"c{sha256_of([seed, query.query_id])[:10]}"
        asker = query.asker if query.cluster else name
        new = {"query_id": f"{name}-1", "asker": asker, "task_id": None, "part_of": None}
        talk = _Talk(stock, Random(f"{seed}|{query.query_id}"))
        if query.after is not None or query.query_id in followed:
            made.without["it is a turn of a conversation"] += 1
        elif query.wish is None:
            made.without[UNTYPED] += 1
        elif query.infeasible or not query.wants_something or not talk.takes(query.model_copy(update=new)):
            made.without[UNMET] += 1
        elif kinds := talk.go_on():
            made.queries += [turn.query for turn in talk.turns]
            made.counts.update(kinds)
        else:
            made.without["the shop bears too few follow-ups"] += 1
    return made


@dataclass
class _Talk:
    """A conversation under way."""

    stock: Stock
    rng: Random
    turns: list[ConversationTurn] = field(default_factory=list[ConversationTurn])
    """With the oracle's picks."""

    def takes(self, query: Query) -> bool:
        """Adds the turn if the shop can meet it, and the oracle's own cart can follow it."""
        reference = self.stock.offers.reference(query)
        first = ConversationTurn(query, reference, self.stock.offers.world.store.products)
        asked = self.turns[-1].followed_by(query, reference) if self.turns else first
        if asked.followed.best is None or not asked.may_keep:
            return False
        self.turns.append(replace(asked, picks=asked.followed.best.picks, decision="buy"))
        return True

    def go_on(self) -> list[str]:
        """The kinds of the turns that are added; none if they are too few."""
        wanted, kinds = self.rng.randint(_LEAST, _MOST), [""]
        while len(self.turns) < wanted:
            barred = {kinds[-1]} | (set() if kinds[-1] in _REVOCABLE else {"back"})
            order = sorted(self._shuffled(KINDS), key=kinds.count)
            kind = next((kind for kind in order if kind not in barred and self._says(kind)), None)
            if kind is None:
                break
            kinds.append(kind)
        return kinds[1:] if len(self.turns) >= _LEAST else []

    def _says(self, kind: str) -> bool:
        """Adds a turn of this kind, if the shop bears one."""
        for draft, slots in islice(self._drafts(kind), _TRIED):
            turn = draft.turn(self.turns[-1].query, self._text(kind, slots))
            if self.takes(turn.model_copy(update=_BY_RULES)):
                return True
        return False

    @property
    def _now(self) -> WishDraft:
        return WishDraft.after(self.turns[-1].query)

    def _text(self, kind: str, slots: Mapping[str, str]) -> str:
        is_alone = len(self._now.wants) == 1
        it, of_thing = ("it", "") if is_alone else (f"the {slots['name']}", _PHRASES["of_thing"].format(**slots))
        sentence = self.rng.choice(_PHRASES[kind]).format(it=it, of_thing=of_thing, **slots)
        return sentence[0].upper() + sentence[1:]

    def _drafts(self, kind: str) -> Iterator[tuple[WishDraft, dict[str, str]]]:
        """Edits of a kind, with what sentences say of them."""
        turn, now, offers = self.turns[-1].query, self._now, self.stock.offers
        if kind == "back":
            then = WishDraft.after(self.turns[-2].query)
            name = next(name for name in now.wants if name in turn.relations or now.wants[name] != then.wants[name])
            yield WishDraft(then.wants, then.budget, {name: "back"}), {"name": name}
        elif kind == "add":
            nouns = {*map(noun_of, offers.world.catalog.categories())} - {""}
            wanted = {key for want in now.wants.values() for key in offers.of_want(want).titles}
            for noun in self._shuffled(sorted(nouns)):
                of_kind = offers.of_kind(noun)
                if len(comparable(of_kind)) >= ENOUGH and wanted.isdisjoint(of_kind.titles):
                    draft = WishDraft({**now.wants, noun: Want(name=noun, kinds=(noun,))}, now.budget)
                    yield draft, {"name": noun, "thing": f"{article(noun)} {noun}"}
        else:
            for want in self._shuffled([*now.wants.values()]):
                yield from ((draft, {"name": want.name, **slots}) for draft, slots in self._of_want(kind, want))

    def _of_want(self, kind: str, want: Want) -> Iterator[tuple[WishDraft, dict[str, str]]]:
        """The same, of those kinds that are about one of the things."""
        draft = self._now
        if kind in _RELATIONS:
            draft.relations = {want.name: kind}
            yield draft, {}
        elif kind == "drop" and len(draft.wants) > 1:
            del draft.wants[want.name]
            yield draft, {}
        elif kind == "quantity":
            pieces = self.rng.choice([number for number in _PIECES if number != want.quantity])
            draft.change(want.name, quantity=pieces)
            yield draft, {"count": COUNTS[pieces]}
        elif kind in ("tighten", "change"):
            limited = {*(demand.field for demand in want.must), *want.options}
            of_kind = KindOffers(self.stock.offers.of_want(want), want.name, self.stock.is_prose)
            for choice in self._shuffled([*by_fields(of_kind), *by_options(of_kind)]):
                draft = self._now
                draft.limit(want.name, **choice.want)
                new = draft.wants[want.name]
                is_new = {*new.must} != {*want.must} or new.options != want.options
                if is_new and (kind == "change") == (choice.names <= limited):
                    yield draft, {"clause": choice.clause}

    def _shuffled(self, values: Sequence[T]) -> Sequence[T]:
        return self.rng.sample(values, len(values))
