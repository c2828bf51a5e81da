"""Queries, what a shop has for their wishes, and the part of a query that an agent is given."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Literal, Self, get_args

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from drretail.records.base import Document, Record, sha256_of
from drretail.records.criteria import Fact, Gold, Needs
from drretail.records.reading import Because, Pick
from drretail.records.shop import Money, product_of
from drretail.records.wish import Wish

LACKS: Mapping["Lack", str] = {
    "not_typed": "nobody has typed what the query wants",
    "no_things": "nothing is to be bought",
    "not_sold": "the shop has nothing of a kind that is wanted",
    "no_price": "the shop names no price of what would do, or none in the currency of the budget",
    "too_dear": "what keeps to the wish costs more than its budget",
    "demands": "nothing in the shop keeps what is demanded",
    "not_said": "no record says of a product that it is what is demanded",
    "unsafe": "what keeps to the wish was recalled, or fails",
    "owned": "the shopper has all that keeps to the wish",
    "sold_out": "what keeps to the wish is sold out",
    "no_such_option": "the shop has no {options}",
    "no_basket": "several parts of the wish are in the way, and none alone",
}
"""Why there is no basket. From ``too_dear`` on it is the one part of the wish without which there would be one."""
Lack = Literal["not_typed", "no_things", "no_basket", Because]
NOT_TYPED = LACKS["not_typed"]
NOT_LAST = "the conversation goes on"
OF_TURNS = "the cart of a conversation's turn is judged by the metric conversation"


def lack_in_words(lack: Lack, wish: Wish | None = None) -> str:
    return LACKS[lack].format(options=(wish and wish.in_options) or "such option")


class Fit(Record):
    """An offer that would do for a want."""

    offer_id: str
    """The product's id, and that of the variant behind a slash."""
    name: str = Field(default="", exclude_if=lambda name: not name)
    """The options of the variant: "M / navy"."""
    price: str | None = None
    """Price of one piece as a decimal; None if the shop does not know it exactly, or names it in another currency."""
    worth: int
    """In hundredths of a star (``shopping.basket.worths``)."""
    open: tuple[str, ...] = ()
    """Demands on which its record is silent."""
    is_pack: bool = False
    """True if its title says that several are sold together: it is then open how many of it are wanted."""

    @property
    def product_id(self) -> str:
        return product_of(self.offer_id)

    @cached_property
    def cost(self) -> Decimal:
        """The price as a number. Raises TypeError if it is unknown."""
        return Decimal(self.price)  # pyright: ignore[reportArgumentType] -- the error is what is promised


class WantedThing(Record):
    """One want, with everything in the shop that would do."""

    name: str
    quantity: int = 1
    several: bool = False
    optional: bool = False
    fits: tuple[Fit, ...] = ()
    """The offers that would do, sorted by id."""
    undecided: tuple[Fit, ...] = Field(default=(), exclude_if=lambda fits: not fits)
    """Those that would do if what their records leave open were so."""

    def with_undecided(self) -> "WantedThing":
        """The thing as if that were so."""
        return self.model_copy(update={"fits": (*self.fits, *self.undecided)})


class BasketItem(Record):
    """What a basket holds for one wanted thing."""

    thing: str
    offer_id: str
    title: str
    """The product's, with the options of the variant: "Merino Shirt (M / navy)"."""
    price: str
    """Price of one piece as a decimal."""
    quantity: int = 1

    @property
    def product_id(self) -> str:
        return product_of(self.offer_id)


class FoundBasket(Record):
    """A basket that meets the wish: one item for each wanted thing, in their order."""

    items: tuple[BasketItem, ...]
    total: Money
    worth: int
    """Of all items together, in hundredths of a star."""

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The picks by which a report buys it."""
        return tuple(Pick(product=item.offer_id, quantity=item.quantity) for item in self.items)


class Proof(Record):
    """Whether the shop can meet a wish, from a look at every product that could be of its kinds.

    "refuted": a basket is known. "proved": there would be none even if every unknown price, brand and rating were the
    best imaginable, every product that could be of a kind were one, and every open demand were met. "open": anything
    else.
    """

    state: Literal["proved", "refuted", "open"]
    lack: Because | None = None
    """The one limit without which there would be a basket, or the missing kind; None if several are."""
    nearest: FoundBasket | None = None
    """The cheapest basket once the one lacking limit is lifted."""


class Ends(Document):
    """What bounds a query's baskets: the cheapest and the best, or why there is none."""

    query_id: str
    cheapest: FoundBasket | None = None
    best: FoundBasket | None = None
    """None exactly if ``cheapest`` is None."""
    lack: Lack | None = None
    """Why there is no basket."""
    proof: Proof | None = None
    """None in references made before wishes were typed."""


class Reference(Ends):
    """All that the shop could have sold for a query, as the world tells it."""

    things: tuple[WantedThing, ...] = ()

    @property
    def wants(self) -> tuple["WantCounts", ...]:
        """How many products would do for each want."""
        return tuple(
            WantCounts(name=thing.name, fits=len(thing.fits), undecided=len(thing.undecided)) for thing in self.things
        )

    @property
    def kept(self) -> "KeptReference":
        """What an experiment keeps of it."""
        return KeptReference(**{name: getattr(self, name) for name in Ends.model_fields}, wants=self.wants)


class WantCounts(Record):
    """How many of the shop's products would do for one want."""

    name: str
    fits: int
    undecided: int
    """Those that would do if what their records leave open were so."""


class KeptReference(Ends):
    """exp/rubrics/basket/<query_id>.json: a reference without its products."""

    wants: tuple[WantCounts, ...]


NeedKind = Literal["restock", "replacement", "companion", "comparison", "gift", "project"]
NEED_KINDS: tuple[NeedKind, ...] = get_args(NeedKind)
"""The kinds by which drretail sorts its own queries; files from elsewhere may use other words."""


"""The reason why a query without a wish has no scores for baskets and budgets."""


LONGEST_TEXT = 10_000
"""The most characters of a query's text: some 2,000 words."""


ASK = "ask"
"""The source of a query that is a single question, asked by itself."""


IN_TASK = frozenset({"format", "query_id", "user_id", "text", "mode", "persona", "context", "files", "after"}) | (
    frozenset({"world_fingerprint", "source", "part_of", "asker", "time"})
)
"""The fields of a query that make its task, of which a system may know."""


Relation = Literal["other", "other_brand", "cheaper", "back"]
"""What a turn asks for in place of the system's own pick: any other product, one of another brand, one that costs less,
or what was picked before that."""


class Query(Document):
    """One question of a benchmark: its task, a line of NAME.jsonl, and its gold, a line of NAME.gold.jsonl.

    Where only the task was read, every field of the gold has its default (``IN_TASK``).
    """

    query_id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")
    """``<user>-<n>`` by rules, ``<user>-m-<n>`` by a model, ``<user>-i<hash>`` imported; ``<user>`` is a hash of the
    user's id."""
    user_id: str | None = None
    """Whose profile and orders the agent may look up; None if nobody in particular asks."""
    text: str = Field(min_length=1)
    """What the shopper asks. Generated ones have 40 to 110 words, without ids, names or addresses."""
    mode: Literal["profile_aware", "generic", "task"] = "profile_aware"
    """``profile_aware``: the answer needs the user's record; ``generic``: nobody in particular asks; ``task``: a
    general task, asked for a persona."""
    task_id: str | None = None
    """The same for all queries of one task, or for the two of a pair of twins."""
    persona: str | None = None
    """What is known about the user, in words, for ``run --vary information=persona``."""
    context: str | None = None
    """Notes on the user's dealings with the shop, for ``run --vary information=context``."""
    files: tuple[str, ...] = ()
    """Names of the user's own files that the question is about."""
    after: str | None = Field(default=None, exclude_if=lambda turn: turn is None)
    """In a conversation, the id of the turn before: the query with all that is wanted from then on."""
    kind: str | None = None
    """The sort of need, one of ``NEED_KINDS`` in drretail's own queries; None if nobody said."""
    rationale: str = ""
    """The orders that it comes from, in one sentence."""
    expected_tools: tuple[str, ...] = ()
    """Tools that a good answer will hardly do without: a hint, never a condition."""
    wish: Wish | None = None
    """What is to be bought; None if nobody has typed it."""
    relations: dict[str, Relation] = Field(default_factory=dict[str, Relation], exclude_if=lambda wants: not wants)
    """By the name of a want, what this turn asks for in place of the system's own pick for it."""
    gold: Gold | None = Field(default=None, exclude=True, repr=False)
    """What is decided about products for it, from the file beside its own."""
    infeasible: bool | None = None
    """True if it is made so that the shop can't meet the wish; ``queries check`` then wants a proof of that."""
    checklist: tuple[str, ...] | None = None
    """What a file from elsewhere demands of an answer, in its words; None if none came with the query."""
    typed_by: str | None = None
    """The person or model who typed the wish; None if whoever made the query did."""
    world_fingerprint: str | None = None
    """The world for which it was made; None for any."""
    asker: str | None = None
    """Who asked, by the id in a log: the queries of one asker are one cluster, and no record is looked up by it."""
    time: str | None = None
    """When it was asked, in ISO form with the zone of the log."""
    source: str
    """Who made it: a person, a file, or the generator's "provider:model"."""
    part_of: str | None = None
    """The set that it is of with the version of that, such as "demo-50 3"; None for a query of no set that ships."""
    prompts: tuple[str, ...] = Field(default=(), exclude_if=lambda prompts: not prompts)
    """The user's own prompts by which a model wrote or typed it, each as its file's name and its hash."""

    @model_validator(mode="after")
    def _relates(self) -> Self:
        wanted = None if self.wish is None else {want.name for want in self.wish.wants}
        if self.relations and (self.after is None or not (wanted is None or wanted.issuperset(self.relations))):
            raise ValueError("relations are of a turn after another one, by the names of what it wants")
        return self

    @property
    def cluster(self) -> str | None:
        """The user whose queries are one cluster of intervals and tests; None if nobody says who asks."""
        return self.user_id or self.asker

    @property
    def wants_something(self) -> bool:
        """True if something has to be bought for it; False if its wish is unknown."""
        return self.wish is not None and any(not want.optional for want in self.wish.wants)

    def with_facts(self, facts: Sequence[Fact]) -> "Query":
        """The query with what its own web establishes about products, in place of what another web did."""
        if self.gold is None and not facts:
            return self
        gold = self.gold or Gold(query_id=self.query_id)
        return self.model_copy(update={"gold": gold.model_copy(update={"facts": tuple(facts)})})

    @property
    def task(self) -> "Query":
        """The query without its gold."""
        return Query.model_construct(**{name: getattr(self, name) for name in IN_TASK})

    @property
    def needs(self) -> Needs | None:
        """What it is proved to need; None before that, and if it asked something else then."""
        needs = None if self.gold is None else self.gold.needs
        return needs if needs is not None and needs.of == self.asked_sha else None

    @property
    def asked_sha(self) -> str:
        """A hash of text and wish, on which a proof of needs rests."""
        return sha256_of([self.text, self.wish and self.wish.model_dump(mode="json")])[:16]

    @property
    def has_gold(self) -> bool:
        """False if nothing but its task is known."""
        return self != self.task

    def asks_the_same_as(self, other: "Query") -> bool:
        """True if the queries are equal, apart from decisions and from a kind, or all of the gold, that one lacks."""
        if not (self.has_gold and other.has_gold):
            return self.task == other.task
        kind = self.kind or other.kind
        of_one, of_other = {"kind": kind, "gold": None}, {"kind": other.kind or kind, "gold": None}
        return self.model_copy(update=of_one) == other.model_copy(update=of_other)

    def with_gold_of(self, newer: "Query") -> "Query":
        """The query with the gold of another one that asks the same, as far as that has any."""
        if not newer.has_gold:
            return self
        return (newer if self.kind is None else self).model_copy(update={"gold": newer.gold or self.gold})


def turns_until(queries: Iterable[Query]) -> dict[str, tuple[Query, ...]]:
    """By the id of each turn of a conversation, its turns up to this one; without queries that are asked alone."""
    by_id, until = {query.query_id: query for query in queries}, dict[str, tuple[Query, ...]]()
    for query in by_id.values():
        new = [query]  # in an experiment, sorted by id, turn 10 stands before turn 2
        while (before := by_id.get(new[-1].after or "")) and before.query_id not in until and before not in new:
            new.append(before)
        for turn in reversed(new):
            until[turn.query_id] = (*until.get(turn.after or "", ()), turn)
    followed = {turns[-1].after for turns in until.values()}
    return {key: turns for key, turns in until.items() if key in followed or turns[-1].after is not None}


def version_of(query: Query) -> str:
    """A hash of the query's content: the same for equal queries, whatever file they are in."""
    return sha256_of(query.model_dump(mode="json", exclude_none=True))


class Task(Record):
    """What a system is given of a query: by default its text and the user's id, as in the paper (section 4)."""

    model_config = ConfigDict(serialize_by_alias=True)

    text: str
    """What the shopper asks."""
    user_id: str | None = None
    """Who asks; None if nobody in particular does."""
    context: str | None = Field(
        default=None, validation_alias=AliasChoices("told", "context"), serialization_alias="told"
    )
    """What the system is told about the shopper in place of tools that would show it, ready to be read by a model."""
    history: tuple[dict[str, str], ...] = ()
    """The messages of the turns before, as OpenAI writes them; an answer is a report with the cart that it declared."""
    conversation: str = ""
    """The id of the conversation, which is that of the run of its first turn."""
    reference: Reference | None = None
    """What the shop could sell for the query. Like ``wish``, it is only for the oracle, never for a system that
    researches.
    """
    wish: Wish | None = None
    """What the query wants bought; only for the oracle."""

    @property
    def question(self) -> str:
        """The text, followed by the context, for agents that read a single text."""
        return "\n\n".join(filter(None, (self.text, self.context)))
