"""What a report declares, what was read out of it and by whom, and whether it agrees with the records."""

import re
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from drretail.records.base import Document, Record, sha256_of

FORM = "form"
DECLARED = "declared"
READER_PATTERN = r"^(?:declared|form|model:.+)$"

JudgedKind = Literal[
    "price",
    "rating",
    "rating_count",
    "total",
    "difference",
    "left_over",
    "over_budget",
    "per_unit",
    "date",
    "quantity",
    "brand",
    "place",
    "lowest_price",
    "highest_rating",
    "most_ratings",
    "only_one",
    "order_status",
    "property",
    "more",
    "less",
    "same",
    "share",
]
"""What a judge types."""
ValueKind = JudgedKind | Literal["measure", "stock", "product", "policy"]
COMPARISONS: tuple[ValueKind, ...] = ("more", "less", "same", "share")
"""Claims about the ``field`` of one source beside that of another in ``than``; ``amount`` says by how much, if at all.
"""
OF_CALCULATIONS: tuple[ValueKind, ...] = ("difference", "left_over", "over_budget", "per_unit", "quantity")
"""What a calculation of cited figures gives, but for their total."""
OF_FIELDS: tuple[ValueKind, ...] = ("measure", "property", *COMPARISONS)
"""What fields of records decide by their names."""
SUPERLATIVES: tuple[ValueKind, ...] = ("lowest_price", "highest_rating", "most_ratings", "only_one")
"""Claims about one product among those that the run was shown. ``amount`` is empty, or the words that narrow the group.
For ``only_one`` it is the limit that no other product keeps, or empty if something else makes it the only one.
"""
Relation = Literal["is", "about", "at_least", "at_most", "range"]
ValueState = Literal["verified", "contradicted", "underivable"]
Decision = Literal["buy", "part", "none"]
Because = Literal[
    "too_dear", "not_sold", "no_such_brand", "demands", "not_said", "unsafe", "owned", "no_price", "no_such_order"
]
REASONS: tuple[Because, ...] = get_args(Because)
"""Why nothing is bought, in this order: it costs more than the limit; the shop has nothing of the kind; it has nothing
of the wanted brand; products break the demands; no record says that a product meets them; what would do was recalled
or fails; the shopper has everything that would do; no price is known; the shopper never made the order that the
question speaks of.
"""


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):  # an int or a Literal takes true for 1
        raise ValueError("it has to be a whole number, not true or false")
    return value


WHOLE_NUMBER = BeforeValidator(_no_boolean)
"""Marks a field as a whole number, which true and false are not."""
ProductId = Annotated[str, AfterValidator(lambda given: given.removeprefix("P:"))]
"""A product's id; its evidence id ("P:…") is accepted too."""


class Pick(Record):
    """One thing that a report puts into the cart; ``start`` and ``end`` are given where its words were read."""

    product: ProductId = Field(min_length=1)
    """Its id, with or without ``P:``."""
    quantity: Annotated[int, WHOLE_NUMBER] = Field(default=1, ge=1)
    """Number of pieces."""
    alternatives: tuple[ProductId, ...] = ()
    """Products that would do in its place. They are shown, but never summed."""
    start: int | None = None
    end: int | None = None


class Outcome(Record):
    """The decision that a report declares, never inferred from its prose."""

    decision: Decision
    """``buy``; ``part``: not all that is wanted; ``none``: nothing."""
    because: tuple[Because, ...] = ()
    """Why a want, or all of them, is not bought, in the order of the block; empty if no reason was given."""
    nearest: tuple[ProductId, ...] = ()
    """The products that come nearest, if the report names them."""
    refused: tuple[str, ...] = Field(default=(), exclude_if=lambda refused: not refused)
    """Names of the things that are refused beside picks for others."""

    @field_validator("because", mode="before")
    @classmethod
    def _only_reasons(cls, reasons: Any) -> Any:
        """Keeps known reasons in any spelling ("Too dear") and drops other words; the decision stands without them."""
        if not isinstance(reasons, list | tuple):
            return reasons
        named = ["_".join(str(word).casefold().replace("-", " ").split()) for word in cast("list[object]", reasons)]
        return tuple(dict.fromkeys(reason for reason in named if reason in REASONS))


class ReadValue(Record):
    """``report[start:end]`` gives a value of each source in ``of`` (a range: of all of them)."""

    kind: ValueKind
    amount: str | tuple[str, str]
    """A decimal string. For a range its lower and upper end; for a date its ISO form as far as it is given ("2020-04");
    for a brand or a place the words; for a property yes, no, or a figure with its unit.
    """
    field: str | None = Field(default=None, exclude_if=lambda name: name is None)
    """The name of a property, or of what is compared."""
    than: tuple[str, ...] = Field(default=(), exclude_if=lambda sources: not sources)
    """What it is compared with: evidence ids, or the amount of money that it is a share of."""
    currency: str | None = None
    relation: Relation = "is"
    of: tuple[str, ...] = ()
    """Evidence ids."""
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    state: ValueState = "underivable"
    derivation: str | None = None
    """How the value follows from the records, or what the records say instead."""
    is_unconfirmed: bool = Field(default=False, exclude_if=lambda is_so: not is_so)
    """True if a record contradicts what a model typed, and the model did not confirm that its sentence says so."""

    @property
    def amount_in_words(self) -> str:
        """The amount, or both ends of a range: "10 to 20"."""
        return self.amount if isinstance(self.amount, str) else " to ".join(self.amount)

    @property
    def denial(self) -> str:
        """Identifies what is said together with what a record says instead."""
        return sha256_of(self.model_dump(mode="json", exclude={"state", "is_unconfirmed"}))[:12]

    @property
    def is_worded(self) -> bool:
        """True if it is a statement in words, which may hold figures of others: "the cheapest", "dishwasher safe"."""
        return self.kind in SUPERLATIVES or (self.field is not None and not re.search(r"\d", f"{self.amount}"))


class Unread(Record):
    """``report[start:end]`` is a numeral beside a citation that no record confirms or contradicts."""

    start: int
    end: int
    why: str


class LookedAt(NamedTuple):
    """How much of a report code could decide."""

    numerals: int
    """All numerals beside citations."""
    decided: int
    """Those that a record, a calculation or the query confirms or contradicts."""
    contradicted: int
    """Statements, with a numeral or without, that one contradicts."""
    unconfirmed: int = 0
    """Those that one would contradict, if its reader had confirmed that the report says so."""

    @property
    def in_words(self) -> str:
        """ "31 of 219 numbers beside citations could be checked (188 not decided), 2 statements contradicted"."""
        unsure = f", {self.unconfirmed:,} not confirmed" * bool(self.unconfirmed)
        if not self.numerals:
            return f"no numbers beside citations{unsure}"
        left = self.numerals - self.decided
        undecided = f" ({left:,} not decided)" if left else ""
        wrong = f", {self.contradicted:,} statement{'s' * (self.contradicted != 1)} contradicted"
        checked = f"{self.decided:,} of {self.numerals:,} numbers beside citations could be checked{undecided}"
        return checked + wrong * bool(self.contradicted) + unsure


class Reading(Document):
    """The picks and values that one reader took out of one report."""

    reader: str = Field(pattern=READER_PATTERN)
    """Who read the picks, and also the values unless ``values_by`` names another."""
    values_by: str | None = Field(default=None, pattern=READER_PATTERN)
    picks: tuple[Pick, ...] | None = None
    """None if they are not known; empty if nothing is to be bought."""
    values: tuple[ReadValue, ...] = ()
    confirmed: tuple[str, ...] | None = Field(default=None, exclude_if=lambda denials: denials is None)
    """Of values as a model typed them, the denials that it confirmed; the others are left open. None if all count."""
    unread: tuple[Unread, ...] = ()
    numerals: int = 0
    """All numerals in the parts of the text that belong to citations, whatever their unit; ``unread`` are those that
    are not decided.
    """
    seen: int = 0
    """Those of a kind that the reader knows: money, ratings, numbers of ratings, figures beside calculations."""
    read: int = 0
    """How many of these were read."""

    @property
    def looked_at(self) -> LookedAt:
        contradicted = sum(value.state == "contradicted" for value in self.values)
        unconfirmed = sum(value.is_unconfirmed for value in self.values)
        return LookedAt(self.numerals, max(0, self.numerals - len(self.unread)), contradicted, unconfirmed)
