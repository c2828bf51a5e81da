"""What a question wants, typed where the question is made, and never read from its words by code that scores."""

from pydantic import Field, field_validator

from drretail.records.base import Record
from drretail.records.money import Money

MOST_PIECES = 1000


class Want(Record):
    """One thing to be bought. Text values are the query's own words."""

    name: str = Field(min_length=1, description="What the question calls the thing, in a few words.")
    kinds: tuple[str, ...] = Field(
        min_length=1,
        description="Leaf categories of the shop, or short nouns; a product of any of them will do.",
    )
    quantity: int = Field(default=1, ge=1, le=MOST_PIECES, description="How many of it.")
    optional: bool = Field(
        default=False, description="True where the shopper asks whether to buy it: leaving it out is no fault."
    )
    again: bool = Field(default=False, description="True where a product that the shopper has may be bought once more.")
    must: tuple[str, ...] = Field(default=(), description="What the product must be or have, each in a few words.")
    must_not: tuple[str, ...] = Field(default=(), description="What it must not be or have, each in a few words.")
    rating_min: float | None = Field(default=None, ge=0, le=5, description="The least average rating, in stars.")
    ratings_min: int | None = Field(default=None, ge=0, description="The least number of ratings or reviews.")
    price_max: Money | None = Field(default=None, description="The most that one piece may cost.")
    brands_wanted: tuple[str, ...] = Field(default=(), description="One of these brands, where any is named.")
    brands_unwanted: tuple[str, ...] = Field(default=(), description="None of these brands.")

    @field_validator("kinds", "must", "must_not", "brands_wanted", "brands_unwanted")
    @classmethod
    def _are_named(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        """Without blank ones and repetitions."""
        kept = tuple(dict.fromkeys(value.strip() for value in values if value.strip()))
        if values and not kept:
            raise ValueError("every value is blank")
        return kept


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

    orders: tuple[str, ...] = Field(default=(), description="Ids of orders of the shopper that the question names.")

    @field_validator("wants")
    @classmethod
    def _have_their_own_names(cls, wants: tuple[Want, ...]) -> tuple[Want, ...]:
        names = [want.name.casefold() for want in wants]
        if len(set(names)) < len(names):
            raise ValueError("two wants have the same name")
        return wants

    @property
    def limits(self) -> tuple[Money, ...]:
        """Every amount that is named, once: the budget, and the most for a piece."""
        named = (self.budget, *(want.price_max for want in self.wants))
        return tuple(dict.fromkeys(limit for limit in named if limit is not None))

    @property
    def counts_money(self) -> bool:
        """True where a price has to be known: there is a budget, or a most for a piece."""
        return bool(self.limits)
