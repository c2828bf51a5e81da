"""What a report declares, what was read out of it and by whom, and whether it agrees with the records.
Also how a judge read the reports of an experiment, as code finds it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from drretail.records.base import Document, OfJudge, Record, sha256_of, tuples

FORM = "form"
DECLARED = "declared"
READER_PATTERN = r"^(?:declared|form|model:.+)$"

Kind = Literal[
    "price",
    "list_price",
    "rating",
    "rating_count",
    "order_date",
    "total",
    "measure",
    "order_status",
    "stock",
    "option",
    "policy",
    "product",
]
"""What stands at a place of a text. A total is what a cited calculation, or the declared cart, comes to; a measure a
figure with its unit; a product a thing that is sold.
"""
ValueKind = Kind | Literal["equation", "quotation"]
"""And what is found by form alone: the result of a sum that is written out, and words in quotation marks."""
OF_FORM: frozenset[ValueKind] = frozenset({"equation", "quotation"})
FIELDS: Mapping[ValueKind, tuple[str, ...]] = {
    "order_status": ("Delivered", "Shipped", "Processing", "Cancelled", "Returned"),
    "stock": ("in stock", "sold out", ""),
    "policy": ("shipping", "free", "free_from", "delivery_days", "return_days"),
}
"""The values that the ``field`` of a kind may have."""
CLOSED: frozenset[ValueKind] = frozenset({"order_status", "stock", "option", "product", "list_price", "policy"})
"""The kinds that need no figure: words can say how an order stands, that a thing is reduced, that shipping is free."""
Relation = Literal["is", "about", "at_least", "at_most", "range"]
ValueState = Literal["verified", "contradicted", "underivable"]
Decision = Literal["buy", "part", "none"]
Because = Literal[
    "too_dear",
    "not_sold",
    "demands",
    "not_said",
    "unsafe",
    "owned",
    "no_price",
    "sold_out",
    "no_such_option",
]
REASONS: tuple[Because, ...] = get_args(Because)
"""Why nothing is bought (``records.query.LACKS`` says each in words)."""


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):  # an int or a Literal takes true for 1
        raise ValueError("it has to be a whole number, not true or false")
    return value


WHOLE_NUMBER = BeforeValidator(_no_boolean)
"""Marks a field as a whole number, which true and false are not."""
ProductId = Annotated[str, AfterValidator(lambda product_id: product_id.removeprefix("P:"))]
"""A product's id; its evidence id ("P:…") is accepted too."""


class Pick(Record):
    """One thing that a report puts into the cart; ``start`` and ``end`` are given where its words were read."""

    product: ProductId = Field(min_length=1)
    """Its id, with or without ``P:``; with that of the variant behind a slash, this is ``variant``."""
    variant: str = Field(default="", exclude_if=lambda variant: not variant)
    """The id of the variant that is bought, for a product that has several."""
    quantity: Annotated[int, WHOLE_NUMBER] = Field(default=1, ge=1)
    """Number of pieces."""
    alternatives: tuple[ProductId, ...] = ()
    """Products that would do in its place. They are shown, but never summed."""
    start: int | None = None
    end: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_offer(cls, value: Any) -> Any:
        if isinstance(value, dict) and "/" in str(value.get("product", "")):
            product, _, variant = value["product"].partition("/")
            value = {**value, "product": product, "variant": variant}
        return tuples(value)

    @property
    def offer_id(self) -> str:
        """The product's id, and that of the variant behind a slash: "T/T-M"."""
        return f"{self.product}/{self.variant}" if self.variant else self.product


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
        codes = ["_".join(str(word).casefold().replace("-", " ").split()) for word in cast("list[object]", reasons)]
        return tuple(dict.fromkeys(reason for reason in codes if reason in REASONS))


CHANGES = 10
"""The random changes of a right figure by which power is measured."""


class ReadValue(Record):
    """``report[start:end]`` gives a value of one source."""

    kind: ValueKind
    amount: str
    """What stands there: a figure as a decimal string, a day in its ISO form ("--04-28" without a year), else the
    words.
    """
    field: str = Field(default="", exclude_if=lambda name: not name)
    """The name of a measure or an option, the part of the policy, or the value of a closed kind: "Delivered"."""
    bound: Relation | None = Field(default=None, exclude_if=lambda bound: bound is None)
    """What a model says that the figure is; None where none was asked, so that the words beside it tell."""
    of: str = ""
    """The evidence id of an offer or product, an order or a calculation; ``CART``; empty if nothing is known."""
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    state: ValueState = "underivable"
    derivation: str | None = None
    """What the record says, or how the value follows from it."""
    caught: int | None = Field(default=None, exclude_if=lambda times: times is None)
    """Of a verified figure, how many of ten random changes of it code finds to be wrong."""
    is_contested: bool = Field(default=False, exclude_if=lambda is_so: not is_so)
    """True if a record differs from what was read, and no model has confirmed that its sentence says so, or why not."""

    @property
    def denial(self) -> str:
        """Identifies what is said together with what a record says instead."""
        return sha256_of(self.model_dump(mode="json", exclude={"state", "caught", "is_contested"}))[:12]


CART = "cart"
"""The source of a total that is what the declared picks cost together."""


Cause = Literal["stale", "ignored", "not_looked"]
"""An assistant's tools had returned the same as it says; they had returned something else; they were not asked."""


@dataclass(frozen=True, slots=True)
class Statement:
    """``report[start:end]`` of an assistant says something of a product, an order or the shop that a record decides."""

    start: int
    end: int
    kind: ValueKind
    is_true: bool
    of: str
    """The evidence id."""
    record: str
    """What the record says: "€111.00", "order status: Cancelled"."""
    title: str
    """Of the product or order."""
    tool: str = ""
    """What the assistant's own tools had returned of it; empty if nothing is known."""
    cause: Cause | None = None
    """Why a false statement was made, as far as the assistant's calls tell."""


class Unread(Record):
    """``report[start:end]`` is a number that no record confirms or contradicts."""

    start: int
    end: int


class LookedAt(NamedTuple):
    """How much of a report code could decide."""

    numerals: int
    """All numbers, those in words and those that no mark covers, too."""
    decided: int
    """Those that a record, a calculation or the query confirms or contradicts."""
    contradicted: int
    """Statements, with a numeral or without, that one contradicts."""
    contested: int = 0
    """Those that one would contradict, if a reader had confirmed that the report says so."""
    altered: int = 0
    """The random changes of verified figures, ten of each, ..."""
    caught: int = 0
    """... and how many of these it then found to be wrong."""

    @property
    def power(self) -> float | None:
        """The share of random changes of right figures that are found."""
        return self.caught / self.altered if self.altered else None

    @property
    def in_words(self) -> str:
        """ "31 of 219 numbers checked (0.84 of 310 random changes of right ones found), 2 statements contradicted"."""
        unsure = f", {self.contested:,} contested" * bool(self.contested)
        if not self.numerals:
            return f"no numbers{unsure}"
        power = (
            "" if self.power is None else f" ({self.power:.2f} of {self.altered:,} random changes of right ones found)"
        )
        wrong = f", {self.contradicted:,} statement{'s' * (self.contradicted != 1)} contradicted"
        checked = f"{self.decided:,} of {self.numerals:,} numbers checked{power}"
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
    declined: tuple[str, ...] = Field(default=(), exclude_if=lambda denials: not denials)
    """Those that it does not confirm, with words of the report and a reason."""
    unread: tuple[Unread, ...] = ()
    numerals: int = 0
    """All numerals of the text; ``unread`` are those not decided."""
    spans: tuple[tuple[int, int], ...] = Field(default=(), exclude_if=lambda spans: not spans)
    """The places that a model has read, in which form is silent."""

    @property
    def looked_at(self) -> LookedAt:
        contradicted = sum(value.state == "contradicted" for value in self.values)
        contested = sum(value.is_contested for value in self.values)
        tested = [value.caught for value in self.values if value.caught is not None]
        decided = max(0, self.numerals - len(self.unread))
        return LookedAt(self.numerals, decided, contradicted, contested, CHANGES * len(tested), sum(tested))


Shares = Mapping[str, tuple[int, int]]
"""By figure: how many, of how many."""
FLOOR = 0.8
"""A judge does not read if the interval of one of its shares lies below this one (docs/scores.md)."""
_FLOOR_UNCITED = 0.2
"""The same for figures without a mark, of which good judges leave out more, and which only FR counts."""
_FLOOR_STEADY = 0.5
"""A judge that confirms whatever a record contradicts has fully supported most of it before."""
MOST_UNCOVERED = 0.1
"""The share of a report's marks that may be in no claim: above it the report is not judged."""
REPORTS, MARKS, FIGURES, UNCITED, IN_REPORT = "reports", "marks", "figures", "uncited", "in_report"
IN_SOURCE, TYPED, LABELLED = "in_source", "typed", "labelled"
CONFIRMED, CONTRADICTED, STEADY = "confirmed", "contradicted", "steady"
AUDITED: Mapping[str, str] = {
    REPORTS: "reports whose citation marks are in claims",
    MARKS: "citation marks in claims",
    FIGURES: "figures in claims",
    UNCITED: "figures without a mark in claims",
    IN_REPORT: "quotes in the report",
    IN_SOURCE: "quotes in the sources",
    TYPED: "typed values in keeping with text and label",
    LABELLED: "claims labelled",
    CONFIRMED: "right figures supported",
    CONTRADICTED: "wrong figures found",
    STEADY: "claims called false that were not fully supported before",
}
"""The figures, in words."""
MEANING = (
    "reports whose citation marks are in claims: all but a tenth of the marks at most; other reports are asked about "
    "once more, and then not judged. citation marks in claims: a source in a sentence, item or row from which a claim "
    "with that source was extracted. "
    "figures in claims: those read by form. figures without a mark in claims: sentences, items and rows with a figure "
    "and without a source from which a claim was extracted. quotes in the sources: of full, partial and "
    "contradicted labels, when first asked. right figures supported, wrong figures found: claims whose figure, read by "
    "form, a record confirms or contradicts, by the first label."
)
FLOORS = dict.fromkeys((MARKS, FIGURES, IN_REPORT, IN_SOURCE, TYPED, LABELLED, CONFIRMED, CONTRADICTED), FLOOR) | {
    UNCITED: _FLOOR_UNCITED,
    STEADY: _FLOOR_STEADY,
}
USABLE = "reports with a usable judgement"


class JudgeAudit(OfJudge):
    """How one judge read, over all reports of an experiment; code settles no claim by it."""

    shares: dict[str, tuple[int, int]] = Field(default_factory=dict[str, tuple[int, int]])
    """By name in ``AUDITED``."""
    repairs: int = 0
    """Answers that were sent back, in all metrics."""
    failed_reports: int = 0
    """Reports whose claims the judge did not judge in a usable way, those with uncovered marks too."""
    judged_reports: int = 0
    """All reports that it was asked about."""
    ends: dict[str, tuple[float, float]] = Field(default_factory=dict[str, tuple[float, float]])
    """The 90% interval of each share over reports; an end is beyond the true share in 5 %."""

    def share(self, name: str) -> float | None:
        """A figure's value, or None without cases."""
        got, of = self.shares.get(name, (0, 0))
        return got / of if of else None

    @property
    def unread(self) -> int:
        """The reports that are not judged, since too few of their marks are in claims."""
        covered, reports = self.shares.get(REPORTS, (0, 0))
        return reports - covered

    @property
    def low(self) -> tuple[str, ...]:
        """The shares whose interval lies below the floor, in words; empty for a judge that reads."""
        is_failed = 2 * (self.failed_reports - self.unread) > self.judged_reports
        low = (AUDITED[name] for name, floor in FLOORS.items() if self.ends.get(name, (0.0, 1.0))[1] < floor)
        return (*([USABLE] if is_failed else []), *low)

    @property
    def open(self) -> tuple[str, ...]:
        """The shares whose interval holds the floor, in words: there are too few cases to tell."""
        ends = ((name, floor, *self.ends.get(name, (0.0, 1.0))) for name, floor in FLOORS.items())
        return tuple(AUDITED[name] for name, floor, low, high in ends if low < floor <= high)

    @property
    def reads(self) -> bool:
        return not self.low

    @property
    def warning(self) -> str:
        """A sentence that names a judge that does not read; empty for one that reads."""
        if self.reads:
            return ""
        return (
            f"This judge doesn't read: {self.called} is below the floor in {', '.join(self.low)}. Nothing is concluded "
            "from it."
        )

    @property
    def called(self) -> str:
        return f"{self.judge} {self.judge_params}".rstrip()

    @property
    def line(self) -> str:
        """The audit in one line for readers of scores."""
        facts = [
            f"{words} {share:.2f}"
            for name, words in AUDITED.items()
            if name != REPORTS and (share := self.share(name)) is not None
        ]
        facts += [f"too few to tell: {', '.join(self.open)}"] if self.open else []
        counts = {
            "reports not judged, since more than a tenth of their citation marks is in no claim": self.unread,
            "answers sent back": self.repairs,
            "reports without a usable judgement": self.failed_reports,
        }
        facts += [f"{words}: {count:,}" for words, count in counts.items() if count]
        return f"How {self.called} read: {', '.join(facts)}."


def summed(many: Iterable[Shares]) -> dict[str, tuple[int, int]]:
    """The figures of several reports together."""
    total: dict[str, tuple[int, int]] = {}
    for shares in many:
        for name, (got, of) in shares.items():
            before = total.get(name, (0, 0))
            total[name] = before[0] + got, before[1] + of
    return total
