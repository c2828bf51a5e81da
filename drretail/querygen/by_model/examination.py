"""The schemas of a model's answers to a request for a query or a wish, and their examination.

Findings on an answer are sent back, at most twice; the remaining ones are kept with the query.

Every field is required, so that the model forgets none; an absent value is null or an empty list.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Generic, Literal, TypeVar

from langchain_core.messages import BaseMessage
from pydantic import ValidationError

from drretail.env.catalog.base import fold_category
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.grounding.text.wording import format_money
from drretail.llm.models import Models
from drretail.llm.prompt import replaced
from drretail.querygen.by_model.session import ROLE
from drretail.querygen.checks import contract
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import CODES, Linter
from drretail.records.base import Record
from drretail.records.criteria import Gold, WebQuestion
from drretail.records.evidence import Finding
from drretail.records.query import NeedKind, Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish

# A larger amount is a mistake: no shopper would name it.
_MOST_MONEY = 10_000_000


# Models read the first lines of the classes below.
class WrittenMoney(Record):
    """An upper limit on spending that the text names."""

    amount: float
    currency: Literal["USD", "EUR", "GBP"]


class WrittenDemand(Record):
    """One property, and what decides it in the record of a product."""

    say: str
    field: str | None
    any_of: list[str]
    none_of: list[str]
    least: float | None
    most: float | None
    unit: str | None


class WrittenOption(Record):
    """An option by which variants differ, and the values of it that will do."""

    name: str
    values: list[str]


class WrittenWant(Record):
    """One thing to be bought."""

    name: str
    kinds: list[str]
    quantity: int
    optional: bool
    again: bool
    must: list[WrittenDemand]
    must_not: list[WrittenDemand]
    rating_min: float | None
    ratings_min: int | None
    price_max: WrittenMoney | None
    options: list[WrittenOption]
    brands_wanted: list[str]
    brands_unwanted: list[str]


class WrittenWish(Record):
    """All that the text wants bought, and nothing else."""

    wants: list[WrittenWant]
    budget: WrittenMoney | None
    room: bool
    deadline: str | None
    owned: list[str]
    orders: list[str]


class WrittenQuery(Record):
    """One question with what stands beside it."""

    query: str
    kind: NeedKind
    rationale: str
    expected_tools: list[str]
    web_question: str
    wish: WrittenWish


def as_wish(written: WrittenWish) -> Wish:
    """The answer as the wish that queries carry. Raises ValueError for an answer that ``wish_problem`` objects to."""
    wants = [
        {
            **want.model_dump(),
            "must": list(map(_demand, want.must)),
            "must_not": list(map(_demand, want.must_not)),
            "price_max": _money(want.price_max),
            "options": {option.name: option.values for option in want.options},
            # 0 means no minimum.
            "rating_min": want.rating_min or None,
            "ratings_min": want.ratings_min or None,
        }
        for want in written.wants
    ]
    return Wish.model_validate(
        {
            "wants": wants,
            "budget": _money(written.budget),
            "room": written.room,
            "deadline": (written.deadline or "").strip() or None,
            "owned": _ids(written.owned, "P:"),
            "orders": _ids(written.orders, "O:"),
        }
    )


def wish_problem(written: WrittenWish) -> str | None:
    """Why an answer can't become a wish, worded for the model; None if it can."""
    amounts = [("budget", written.budget), *((f"price_max of {want.name!r}", want.price_max) for want in written.wants)]
    for field, money in amounts:
        if money is None:
            continue
        if not (isfinite(money.amount) and 0 < money.amount < _MOST_MONEY):
            return f"{field}: {money.amount:g} is no amount of money that a shopper would name; null is none at all"
        value = Money.of(money.amount, money.currency).value
        if float(value) != money.amount:
            return f"{field}: {money.amount} has parts of cents; did you mean {format_money(value)}?"
    try:
        as_wish(written)
    except ValidationError as problem:
        error = problem.errors()[0]
        match error["loc"]:  # such as "kinds of 'desk lamp'"
            case ("wants", int(number), *fields):
                place = f"{'.'.join(map(str, fields))} of {written.wants[number].name!r}"
            case location:
                place = ".".join(map(str, location))
        return f"{place}: {error['msg']}"
    return None


def _ids(written: Sequence[str], prefix: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(record_id.strip().removeprefix(prefix) for record_id in written))


def _demand(written: WrittenDemand) -> dict[str, Any]:
    """The demand, in which an empty text is as good as none."""
    blanks = {"field": written.field or None, "unit": written.unit or None}
    return {**written.model_dump(), **blanks, "say": written.say.strip()}


def _money(written: WrittenMoney | None) -> Money | None:
    return None if written is None else Money.of(written.amount, written.currency)


# The most findings sent back at once: a model repairs no more in one answer.
_MOST_LISTED = 8
W = TypeVar("W", bound=Record)


class Examiner:
    """Turns a model's answers into queries of one world, and checks them."""

    def __init__(self, world: World, linter: Linter) -> None:
        self._world = world
        self._linter = linter
        self._categories = {fold_category(name): name for name in world.catalog.categories()}

    def findings(self, query: Query, earlier: Sequence[Query] = ()) -> tuple[Finding, ...]:
        """The findings of ``queries check``, likeness to ``earlier`` queries, and breaches of writers' rules."""
        alike = Texts(earlier).near_duplicate(query)
        also = [] if alike is None else [alike]
        findings = self._linter.check(query, also=also).findings
        # Without a rationale the contract does not bind the query, but the model must still learn what is missing.
        return findings if contract.binds(query) else (*findings, *contract.check(self._linter.case(query)))

    def query_of(self, written: WrittenQuery, query_id: str, user_id: str | None, source: str) -> Query:
        """The query made from an answer; a generic one without a user."""
        return Query(
            query_id=query_id,
            user_id=user_id,
            text=written.query.strip(),
            mode="generic" if user_id is None else "profile_aware",
            kind=written.kind,
            rationale=written.rationale.strip(),
            expected_tools=tuple(dict.fromkeys(written.expected_tools)),
            wish=self.wish_of(written.wish),
            gold=Gold(query_id=query_id, web_question=WebQuestion(text=written.web_question.strip())),
            world_fingerprint=self._world.manifest.fingerprint,
            source=source,
            prompts=replaced(),
        )

    def wish_of(self, written: WrittenWish) -> Wish:
        """The wish, with kinds that are categories spelt as the shop spells them; other kinds stay as written."""
        wish = as_wish(written)
        wants: list[Want] = []
        for want in wish.wants:
            spelt = (self._categories.get(fold_category(kind), kind) for kind in want.kinds)
            wants.append(want.model_copy(update={"kinds": tuple(dict.fromkeys(spelt))}))
        return wish.model_copy(update={"wants": tuple(wants)})


@dataclass(frozen=True, slots=True)
class Examined:
    """The last answer as a query, and its remaining findings."""

    query: Query
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class Examination(Generic[W]):
    """Checks the answers to one request. Findings are sent back; the last answer is kept, even if it has some."""

    answer: type[W]
    unusable: Callable[[W], str | None]
    """Why an answer can't become a query at all; None if it can."""
    query_of: Callable[[W], Query]
    findings: Callable[[Query], Sequence[Finding]]
    last: Examined | None = None

    def __call__(self, written: W) -> str | None:
        problem = self.unusable(written)
        if problem is not None:
            return problem
        query = self.query_of(written)
        # A model that repeats its answer means it: the shop may lack what is wanted.
        is_repeated = self.last is not None and query == self.last.query
        self.last = Examined(query, tuple(self.findings(query)))
        return None if is_repeated or not self.last.findings else _listed(self.last.findings)

    async def ask(self, models: Models, messages: Sequence[BaseMessage], scope: str) -> Examined:
        """The query of the last answer, with the findings that are left. Raises ModelError if no answer was usable."""
        try:
            await models.ask(ROLE, messages, self.answer, path=scope, check=self)
        except ModelError:
            if self.last is None:
                raise
        assert self.last is not None, "an answer that was taken has been examined"
        return self.last


def unusable(written: WrittenQuery) -> str | None:
    """Why an answer can't become a query at all; None if it can."""
    empty = [name for name in ("query", "web_question") if not getattr(written, name).strip()]
    return f"the {empty[0]} is empty" if empty else wish_problem(written.wish)


def _listed(findings: Sequence[Finding]) -> str:
    """One line per finding, up to as many as a model can repair at once."""
    lines = list(dict.fromkeys(f"- {in_words(finding)}" for finding in findings))
    more = [f"… and {len(lines) - _MOST_LISTED} more"] if len(lines) > _MOST_LISTED else []
    return "\n".join([*lines[:_MOST_LISTED], *more])


def in_words(finding: Finding) -> str:
    """A finding in a sentence: the meaning of its code, the text that it is about, and what was found instead."""
    detail = f" ({finding.found})" if finding.found else ""
    return f"{CODES[finding.code].meaning}: {finding.text!r}{detail}"
