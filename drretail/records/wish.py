"""What a question wants, typed where the question is made. Code that scores never reads it from the words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, get_args

from pydantic import (
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from drretail.records.base import Record, tuples
from drretail.records.shop import Money

MOST_PIECES = 1000
"""The highest quantity of one product in wishes and picks: more than any shopper buys at once."""
_APOSTROPHES = re.compile("['’]")


SourceKind = Literal["text", "profile", "page"]
Rule = Literal["same", "most often", "least", "most", "median"]


class Source(Record):
    """Where a limit comes from: the question's words, the shopper's record, or a page of the fixed web."""

    kind: SourceKind
    quote: str = Field(default="", description="The words of the question, or of the page.")
    url: str = Field(default="", description="The page's address.")
    evidence: tuple[str, ...] = Field(default=(), description="The ids of the shopper's orders: O:0123456789.")
    field: str = Field(default="", description="A field of what was ordered, or its price or brand.")
    value: str = Field(default="", description="What these orders say there, by the rule.")
    rule: Rule = Field(default="same", description="Of several orders: all say the same, or a statistic of them.")
    date: str = Field(default="", pattern=r"^(\d{4}-\d{2})?$", description="The month of the order: 2019-12.")

    @model_validator(mode="after")
    def _has_a_place(self) -> "Source":
        needed = {"text": ("quote",), "profile": ("evidence", "field", "value"), "page": ("url", "quote")}[self.kind]
        if lacking := [name for name in needed if not getattr(self, name)]:
            raise ValueError(f"a source of the kind {self.kind} needs {', '.join(lacking)}")
        return self


Sources = tuple[Source, ...]
Bound = Literal[
    "quantity", "price_min", "price_max", "rating_min", "ratings_min", "options", "brands_wanted", "brands_unwanted"
]
BOUNDS: tuple[Bound, ...] = get_args(Bound)
"""The limits of a want that are no demands, and so name their sources in ``Want.sources``."""


def _rests_on(kind: SourceKind, sources: Sources) -> bool:
    """True if one of a limit's sources is of this kind; without any it is the question's own."""
    return kind in (*(source.kind for source in sources), *(() if sources else ("text",)))


class Demand(Record):
    """What a product must, or must not, be or have. One that only says so in words is a text in files."""

    say: str = Field(min_length=1, description="The question's own words, few of them.")
    field: str | None = Field(default=None, description="The field of a product's details that decides it.")
    any_of: tuple[str, ...] = Field(default=(), description="Values of the field that affirm it.")
    none_of: tuple[str, ...] = Field(default=(), description='Values that deny it, or only sound so: "faux leather".')
    least: float | None = Field(default=None, description="The least measure in the field.")
    most: float | None = Field(default=None, description="The largest measure in the field.")
    unit: str | None = Field(default=None, description="The unit of least and most, as records write it.")
    sources: Sources = Field(
        default=(), description="What it rests on besides the question's words.", exclude_if=lambda sources: not sources
    )

    def __str__(self) -> str:
        return self.say

    # Demands are keys of tables that are asked about thousands of offers, and pydantic compares ten times slower.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Demand) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((self.say, self.field))

    @property
    def is_measure(self) -> bool:
        """True if a number in the field decides it."""
        return self.least is not None or self.most is not None

    @property
    def is_yes_or_no(self) -> bool:
        """True if the field says yes or no to it."""
        return bool(self.any_of) and set(map(str.casefold, self.any_of)) <= {"yes", "true"}

    @model_validator(mode="before")
    @classmethod
    def _of_words(cls, value: Any) -> Any:
        return {"say": value.strip()} if isinstance(value, str) else tuples(value)

    @model_serializer(mode="wrap")
    def _as_words(self, handler: SerializerFunctionWrapHandler) -> Any:
        return self.say if self == Demand(say=self.say) else handler(self)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string"}, handler(core_schema)]}


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of a wish, with what it rests on."""

    name: str
    """The demand's words, one of ``BOUNDS``, "budget", or "declined"."""
    values: tuple[str, ...]
    """The values or numbers that it names."""
    sources: Sources
    demand: Demand | None = None

    @property
    def is_open_ended(self) -> bool:
        """True if the largest value of the shop keeps it, or the smallest, so that nobody has to know the bound."""
        if self.demand is None:
            return self.name in {"rating_min", "ratings_min", "price_min"}
        return (self.demand.least is None) != (self.demand.most is None)

    def rests_on(self, kind: SourceKind) -> bool:
        """True if one of its sources is of this kind."""
        return _rests_on(kind, self.sources)


def _values_of(bound: Any) -> tuple[str, ...]:
    if isinstance(bound, Money):
        return (f"{bound.value.normalize():f}",)
    values = chain.from_iterable(bound.values()) if isinstance(bound, dict) else bound
    return tuple(values) if not isinstance(bound, int | float) else (f"{bound:g}",)


def spoken(text: str) -> str:
    """The words of a text between spaces, by which "men's" says "Mens", and "fragrance-free" says "Fragrance Free"."""
    words = re.findall(r"\w+", _APOSTROPHES.sub("", text.casefold()))
    return f" {' '.join(words)} "


class Want(Record):
    """One thing to be bought. Text values are the query's own words."""

    name: str = Field(min_length=1, description="What the question calls the thing, in a few words.")
    kinds: tuple[str, ...] = Field(
        min_length=1,
        description="Leaf categories of the shop or the ends of their paths (Dogs > Beds); else short nouns.",
    )
    quantity: int = Field(default=1, ge=1, le=MOST_PIECES, description="How many of it.")
    optional: bool = Field(
        default=False, description="True where the shopper asks whether to buy it: leaving it out is no fault."
    )
    several: bool = Field(
        default=False, description="True where the question leaves open how many different ones are bought."
    )
    not_owned: bool = Field(
        default=False, description="True where the question says that it is to be another than what the shopper has."
    )
    must: tuple[Demand, ...] = Field(default=(), description="What the product must be or have, each in a few words.")
    must_not: tuple[Demand, ...] = Field(default=(), description="What it must not be or have, each in a few words.")
    rating_min: float | None = Field(default=None, ge=0, le=5, description="The least average rating, in stars.")
    ratings_min: int | None = Field(default=None, ge=0, description="The least number of ratings or reviews.")
    price_min: Money | None = Field(
        default=None, description="The least that one piece may cost.", exclude_if=lambda amount: amount is None
    )
    price_max: Money | None = Field(default=None, description="The most that one piece may cost.")
    options: dict[str, tuple[str, ...]] = Field(
        default_factory=dict[str, tuple[str, ...]],
        description="The values that will do of each option by which variants differ, by its name: size, color.",
        exclude_if=lambda options: not options,
    )
    brands_wanted: tuple[str, ...] = Field(default=(), description="One of these brands, where any is named.")
    brands_unwanted: tuple[str, ...] = Field(default=(), description="None of these brands.")
    sources: dict[Bound, Sources] = Field(
        default_factory=dict[Bound, Sources],
        description="What a limit that is no demand rests on besides the question's words, by its name: price_min.",
        exclude_if=lambda sources: not sources,
    )

    @field_validator("must", "must_not", mode="before")
    @classmethod
    def _say_something(cls, values: Any) -> Any:
        """Drops blank demands. Raises ValueError if all are."""
        if not isinstance(values, list | tuple):
            return values
        texts = tuple(value for value in values if not isinstance(value, str) or value.strip())
        if values and not texts:
            raise ValueError("every value is blank")
        return texts

    @field_validator("must", "must_not")
    @classmethod
    def _differ(cls, values: tuple[Demand, ...]) -> tuple[Demand, ...]:
        return tuple({str(value): value for value in reversed(values)}.values())[::-1]

    @field_validator("options")
    @classmethod
    def _have_values(cls, options: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Drops blank values. Raises ValueError for an option without any."""
        by_name = {name.strip(): tuple(value.strip() for value in of if value.strip()) for name, of in options.items()}
        if not all(by_name) or not all(by_name.values()):
            raise ValueError("an option has no name or no value")
        return by_name

    @field_validator("kinds", "brands_wanted", "brands_unwanted")
    @classmethod
    def _are_named(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        """Drops blank values and repetitions."""
        names = tuple(dict.fromkeys(value.strip() for value in values if value.strip()))
        if values and not names:
            raise ValueError("every value is blank")
        return names

    @property
    def demands(self) -> tuple[Demand, ...]:
        """Everything that it must and must not be or have."""
        return (*self.must, *self.must_not)

    @property
    def limits(self) -> "Iterator[Limit]":
        """Everything that it demands and bounds, with what that rests on."""
        for demand in self.demands:
            ends = (f"{end:g}" for end in (demand.least, demand.most) if end is not None)
            yield Limit(str(demand), demand.any_of or (*ends,), demand.sources, demand)
        for name in BOUNDS:
            if (bound := getattr(self, name)) not in (None, (), {}, 1):
                yield Limit(name, _values_of(bound), self.sources.get(name, ()))

    def without(self, kind: SourceKind) -> "Want":
        """The want without the limits that rest on a kind of source."""
        fields = type(self).model_fields
        free = {
            name: fields[name].get_default(call_default_factory=True)
            for name in BOUNDS
            if _rests_on(kind, self.sources.get(name, ()))
        }
        demands = {
            name: tuple(demand for demand in getattr(self, name) if not _rests_on(kind, demand.sources))
            for name in ("must", "must_not")
        }
        sources = {name: of_bound for name, of_bound in self.sources.items() if name not in free}
        return self.model_copy(update=demands | free | {"sources": sources})

    @property
    def n_limits(self) -> int:
        """How many limits it sets, besides its kind and quantity. Wanted brands are alternatives, and so one limit."""
        single = (self.rating_min, self.ratings_min, self.price_min, self.price_max, self.brands_wanted)
        return len(self.demands) + len(self.options) + len(self.brands_unwanted) + sum(map(bool, single))

    @property
    def options_in_words(self) -> str:
        """ "size M, color navy or black"; empty if it names none."""
        return ", ".join(f"{name.lower()} {' or '.join(values)}" for name, values in self.options.items())


class Wish(Record):
    """All that a question wants bought. ``wants`` is empty where nothing is to be bought."""

    wants: tuple[Want, ...] = ()
    budget: Money | None = Field(default=None, description="The most that everything together may cost.")
    room: bool = Field(
        default=False, description="True where more may be added than what is named; it then counts against the budget."
    )
    deadline: str | None = Field(default=None, description="Until when it has to arrive, in the question's words.")
    owned: tuple[str, ...] = Field(
        default=(), description="Ids of products that the shopper has and that the question names."
    )

    sources: Sources = Field(
        default=(), description="What the budget rests on besides the question's words.", exclude_if=lambda it: not it
    )
    declined: Sources = Field(
        default=(), description="The pages that say why nobody should buy it.", exclude_if=lambda it: not it
    )

    @field_validator("wants")
    @classmethod
    def _have_their_own_names(cls, wants: tuple[Want, ...]) -> tuple[Want, ...]:
        names = [want.name.casefold() for want in wants]
        if len(set(names)) < len(names):
            raise ValueError("two wants have the same name")
        return wants

    @property
    def in_options(self) -> str:
        """The wants that name options, with these: "shirt in size M, color green"."""
        return ", ".join(f"{want.name} in {want.options_in_words}" for want in self.wants if want.options)

    @property
    def every_limit(self) -> "Iterator[Limit]":
        """The limits of each want, and of all together."""
        for want in self.wants:
            yield from want.limits
        if self.budget is not None:
            yield Limit("budget", _values_of(self.budget), self.sources)
        if self.declined:
            yield Limit("declined", (), self.declined)

    def rests_on(self, kind: SourceKind) -> bool:
        """True if a limit rests on such a source."""
        return any(limit.rests_on(kind) for limit in self.every_limit)

    def without(self, kind: SourceKind) -> "Wish":
        """The wish without the limits that rest on a kind of source."""
        fields = {"budget": None, "sources": ()} if _rests_on(kind, self.sources) else {}
        fields |= {"declined": ()} if self.declined and _rests_on(kind, self.declined) else {}
        return self.model_copy(update={**fields, "wants": tuple(want.without(kind) for want in self.wants)})

    @property
    def limits(self) -> tuple[Money, ...]:
        """Every amount that is named, once: the budget, and the least and the most for one piece."""
        amounts = (self.budget, *(limit for want in self.wants for limit in (want.price_max, want.price_min)))
        return tuple(dict.fromkeys(limit for limit in amounts if limit is not None))

    @property
    def counts_money(self) -> bool:
        """True if a price has to be known: there is a budget, or a most for one piece."""
        return bool(self.limits)
