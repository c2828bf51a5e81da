"""What a reviewer sees of a query as lines of text, and the form to fill in: a query and a decision on it as cells of
text, the columns of a sheet or the fields of a page.

Both write their cells with ``cells_of`` and read them with ``review_by``, so that equal cells make equal decisions.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from drretail.addons.people.review.decisions import (
    DECISIONS,
    QUESTIONS,
    Answers,
    Decision,
    Edit,
    Review,
    edit_of,
    retyped,
)
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import wish_lines
from drretail.querygen.checks.feasibility import cheapest_line
from drretail.querygen.checks.wording import Texts
from drretail.querygen.lint import Checked, Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.score import ProfileSummary
from drretail.records.shop import Money
from drretail.records.tables.screen import on_screen
from drretail.records.tables.sheets import Faults
from drretail.records.wish import Demand, Want, Wish


@dataclass(frozen=True, slots=True)
class Item:
    """A query with its findings; ``shopper`` is None without a user, or if the world lacks the user."""

    checked: Checked
    shopper: ProfileSummary | None

    @property
    def query(self) -> Query:
        return self.checked.query


class Items:
    """The items of one file's queries in one world; each is made when it is asked for."""

    def __init__(self, world: World, queries: Sequence[Query]) -> None:
        self.world = world
        self._linter = Linter(world)
        self._summaries = Summaries(world)
        self._known: dict[str, ProfileSummary | None] = {}
        self._checked = {checked.query.query_id: checked for checked in self._linter.check_all(queries)}
        self._texts = Texts(queries)

    def of(self, query: Query) -> Item:
        user_id, shopper = query.user_id, None
        if user_id is not None:
            if user_id not in self._known:
                self._known[user_id] = None
                with suppress(NotFound):  # the checks report it
                    self._known[user_id] = self._summaries.of(user_id)
            shopper = self._known[user_id]
        return Item(self._checked[query.query_id], shopper)

    def check(self, edited: Query) -> Checked:
        """The findings on another version of a query of the file, beside all the other queries."""
        duplicate = self._texts.near_duplicate(edited)
        return self._linter.check(edited, also=[] if duplicate is None else [duplicate])


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the lines below it, without characters that could steer a terminal or hide words."""

    title: str
    lines: tuple[str, ...]


def section(title: str, lines: Iterable[str]) -> Section:
    return Section(title, tuple(map(on_screen, lines)))


def page_of(item: Item) -> tuple[Section, ...]:
    """The sections that a reviewer sees below the query: wish, checks, basket, shopper and rationale."""
    return (
        wish_section(item.query),
        *checks_of(item.checked),
        section("The shopper", shopper_lines(item)),
        section("Why it was made", [item.query.rationale or "No reason is given."]),
    )


def wish_section(query: Query) -> Section:
    if query.wish is None:
        return section("What it wants", ["nobody has typed what the query wants"])
    by = [f"typed by {query.typed_by}"] if query.typed_by else []
    return section("What it wants", [*wish_lines(query.wish), *by])


def checks_of(checked: Checked) -> tuple[Section, ...]:
    return (
        section("Checks", [finding_line(finding) for finding in checked.findings] or ["Nothing was found."]),
        section("The cheapest basket", [cheapest_line(checked.reference)]),
    )


def finding_line(finding: Finding) -> str:
    """A finding in one line: "error budget_unreachable: $20 (the cheapest basket costs …)"."""
    detail = f" ({finding.found})" if finding.found else ""
    return f"{finding.severity} {finding.code}: {finding.text}{detail}"


def shopper_lines(item: Item) -> list[str]:
    """The profile summary, one statement per line."""
    if item.shopper is not None:
        return [statement.text for statement in item.shopper.statements]
    if item.query.user_id is None:
        return ["Nobody: the query is for no certain shopper."]
    return ["The world does not know this shopper."]


Cells = dict[str, str]
"""Cells by name: "budget" is one of the query, "want.0.quantity" one of its first want."""
Takes = Literal["words", "text", "list", "flag", "whole", "stars", "money"]
_TAKES: dict[Any, Takes] = {
    str: "words",
    str | None: "words",
    tuple[str, ...]: "list",
    tuple[Demand, ...]: "list",
    bool: "flag",
    int: "whole",
    int | None: "whole",
    float | None: "stars",
    Money | None: "money",
}
HOW: dict[Takes, str] = {
    "words": "",
    "text": "",
    "list": "Separate several by ;",
    "flag": "",
    "whole": "A whole number.",
    "stars": "A number from 0 to 5.",
    "money": "With its currency, such as 60 USD.",
}
YES = frozenset({"yes", "y", "true", "1"})
NO = frozenset({"no", "n", "false", "0"})


@dataclass(frozen=True, slots=True)
class Field:
    """One cell: its name, its label on a page, its meaning, and what it takes."""

    name: str
    label: str
    meaning: str
    takes: Takes
    required: bool = False


def _fields(record: type[BaseModel], labels: Mapping[str, str]) -> tuple[Field, ...]:
    """A cell for each field but the wants: those with labels in order, then the others, labelled by name."""
    fields: list[Field] = []
    for name in (*labels, *(name for name in record.model_fields if name not in (*labels, "wants"))):
        known = record.model_fields[name]
        label = labels.get(name, name.replace("_", " ").capitalize())
        meaning = (known.description or "").removeprefix("True where ")
        meaning = f"{meaning[:1].upper()}{meaning[1:]}"
        fields.append(Field(name, label, meaning, _TAKES[known.annotation], known.is_required()))
    return tuple(fields)


WANT_FIELDS = _fields(
    Want,
    {
        "name": "Name",
        "kinds": "Kinds",
        "must": "Must be or have",
        "must_not": "Must not be or have",
        "brands_wanted": "Brands wanted",
        "brands_unwanted": "Brands not wanted",
        "quantity": "How many",
        "rating_min": "Least stars",
        "ratings_min": "Least ratings",
        "price_max": "Most per piece",
        "optional": "Only if it is worth buying",
        "again": "May be bought once more",
    },
)
"""The cells of each want, in the order in which they are shown."""
NOTHING = "nothing_to_buy"
WISH_FIELDS = (
    *_fields(
        Wish,
        {
            "budget": "Budget for everything",
            "deadline": "Deadline",
            "owned": "Owned already",
            "room": "More may be added",
        },
    ),
    Field(NOTHING, "Nothing is to be bought", "The question asks only for information.", "flag"),
)
"""The cells about all wants together."""
TEXT = "text"
TEXT_FIELD = Field(TEXT, "The text", "What the shopper asks.", "text", required=True)
OTHER_FIELDS = (
    Field("expected_tools", "Expected tools", "Tools that a good answer will hardly do without.", "list"),
    Field("rationale", "Why it was made", "What the question comes from, and why it takes research.", "text"),
)
QUERY_FIELDS = (*WISH_FIELDS, *OTHER_FIELDS)
_FIELDS = {field.name: field for field in QUERY_FIELDS}


_OF_WANT = re.compile(r"want\.(\d{1,6})\.(\w+)")


def place_of(name: str) -> tuple[int | None, str]:
    """The index of the want that a cell is of, None for a cell of the query, and the name of the field."""
    match = _OF_WANT.fullmatch(name)
    return (None, name) if match is None else (int(match[1]), match[2])


def wants_in(cells: Mapping[str, str]) -> list[Cells]:
    """The cells of each want by field, in order."""
    by_want: dict[int, Cells] = defaultdict(dict)
    for name, cell in cells.items():
        want, field = place_of(name)
        if want is not None:
            by_want[want][field] = cell
    return [by_want[want] for want in sorted(by_want)]


def with_wants(cells: Mapping[str, str], wants: Iterable[Mapping[str, str]]) -> Cells:
    """The cells of the query with those of these wants; a cell that a want lacks is empty."""
    of_query = {name: cell for name, cell in cells.items() if place_of(name)[0] is None}
    return of_query | {
        f"want.{place}.{field.name}": want.get(field.name, "")
        for place, want in enumerate(wants)
        for field in WANT_FIELDS
    }


def cells_of(query: Query) -> Cells:
    wish = query.wish or Wish()
    cells = {TEXT: query.text, **_cells(WISH_FIELDS[:-1], wish), **_cells(OTHER_FIELDS, query)}
    cells[NOTHING] = "yes" if query.wish is not None and not query.wish.wants else ""
    return with_wants(cells, (_cells(WANT_FIELDS, want) for want in wish.wants))


WORDS: dict[str, Decision] = {
    word: decision for decision in DECISIONS for word in (decision, decision[0], f"{decision}ed")
}


def review_by(person: str, query: Query, cells: Mapping[str, str], at: datetime) -> Review:
    """The decision in the cells of a query; beside those of its form, "decision", "note" and the ``QUESTIONS``.

    Raises Faults.
    """
    decision, typed = WORDS.get(cells["decision"].casefold()), cells["decision"]
    if decision is None:
        problem = f"{typed!r} is none of" if typed else "is empty; it takes one of"
        raise Faults({"decision": f"{problem} {', '.join(DECISIONS)}"})
    edit = edit_by(person, query, cells)
    if decision == "edit" and edit is None:
        raise Faults({"decision": "is edit, but nothing was changed: change something, or accept it"})
    if decision != "edit" and edit is not None:
        before = cells_of(query)
        names = [name for name in (*cells, *before) if place_of(name)[0] is not None or name in before]
        changed = next(name for name in names if retyped(before.get(name, ""), cells.get(name, "")) != before.get(name))
        raise Faults({changed: f"was changed, but the decision is {decision}; decide to edit, or put it back"})
    try:
        return Review(
            query_id=query.query_id,
            version=version_of(query),
            reviewer=person,
            at=at,
            decision=decision,
            answers=_answers(query, cells),
            note=cells["note"].strip() or None,
            edit=edit,
        )
    except ValidationError as problem:
        raise Faults({"reviewer": problem.errors()[0]["msg"]}) from problem


def questions_on(query: Query) -> dict[str, str]:
    """The questions to a reviewer; only one with a user can fit a shopper."""
    return {name: words for name, words in QUESTIONS.items() if name != "fits_profile" or query.user_id is not None}


def _answers(query: Query, cells: Mapping[str, str]) -> Answers:
    questions, replies = questions_on(query), {name: cells.get(name, "").casefold() for name in QUESTIONS}
    faults = {
        name: f"{cells[name]!r} is neither yes nor no" if replies[name] else "is empty; it takes yes or no"
        for name in questions
        if replies[name] not in YES | NO
    }
    for name in QUESTIONS.keys() - questions.keys():
        if replies[name] not in ("", "na", "n/a"):
            faults[name] = f"{query.query_id} has no user: leave it empty"
    if faults:
        raise Faults(faults)
    return Answers.model_validate({name: replies[name] in YES for name in questions})


def edit_by(person: str, query: Query, cells: Mapping[str, str]) -> Edit | None:
    """The edit that cells make of a query; None if they change nothing. A changed wish counts as typed by ``person``.

    Raises Faults.
    """
    text = retyped(query.text, cells[TEXT])
    faults = {} if text else {TEXT: "is empty"}
    changes: dict[str, Any] = {TEXT: text, "rationale": retyped(query.rationale, cells["rationale"])}
    changes["expected_tools"] = _read(_FIELDS["expected_tools"], cells["expected_tools"])
    try:
        wish = wish_of(cells, query)
    except Faults as problem:
        raise Faults({**faults, **problem.by_cell}) from problem
    if faults:
        raise Faults(faults)
    if wish != query.wish:
        changes |= {"wish": wish, "typed_by": person}
    return edit_of(query, query.model_copy(update=changes))


def wish_of(form: Mapping[str, str], query: Query) -> Wish | None:
    """The wish in a form of this query; if no cell differs, the query's own, which is None while it is untyped.

    Raises Faults.
    """
    if _wish_cells(form) == _wish_cells(cells_of(query)):
        return query.wish
    faults: dict[str, str] = {}
    level = _values(WISH_FIELDS, form, "", faults)
    is_nothing = level.pop(NOTHING, False)
    filled = _filled(form)
    wants: list[Want] = []
    names: set[str] = set()
    # A cell holds a demand's words; what decides it beside them stays.
    typed = {str(each): each for want in (query.wish or Wish()).wants for each in want.demands}
    for prefix, cells in filled:
        known = len(faults)
        values = _values(WANT_FIELDS, cells, prefix, faults)
        for name in ("must", "must_not"):
            values[name] = [typed.get(text, text) for text in values.get(name, ())]
        try:
            if len(faults) == known:
                wants.append(Want.model_validate(values))
        except ValidationError as problem:
            for error in problem.errors():
                column = str(error["loc"][0])
                message = error["msg"].replace("Input should be", "should be")
                faults[f"{prefix}{column}"] = f"{cells[column].strip()!r} {message}"
        name = cells["name"].strip().casefold()
        if name and name in names:
            faults[f"{prefix}name"] = f"{cells['name'].strip()!r} is the name of another want, too"
        names.add(name)
    if is_nothing and filled:
        faults[NOTHING] = "is yes, but something is wanted"
    elif not is_nothing and not filled:
        faults["want.0.name"] = "is empty: name what is to be bought, or say that nothing is"
    if faults:
        raise Faults(faults)
    return Wish(wants=tuple(wants), **level)


def _filled(form: Mapping[str, str]) -> list[tuple[str, Cells]]:
    """The wants with any cell filled in, each with the beginning of its cells' names."""
    return [(f"want.{at}.", cells) for at, cells in enumerate(wants_in(form)) if any(map(str.strip, cells.values()))]


def _wish_cells(form: Mapping[str, str]) -> tuple[Cells, list[Cells]]:
    """The cells of the wish, with normalised whitespace, since programs change spaces and line ends."""
    of_all = {field.name: " ".join(form[field.name].split()) for field in WISH_FIELDS}
    return of_all, [{name: " ".join(cell.split()) for name, cell in cells.items()} for _, cells in _filled(form)]


def _values(fields: Iterable[Field], cells: Mapping[str, str], prefix: str, faults: dict[str, str]) -> dict[str, Any]:
    """The values of the cells that are not empty; adds what is wrong to ``faults``."""
    values: dict[str, Any] = {}
    for field in fields:
        cell = cells[field.name].strip()
        try:
            value = _read(field, cell) if cell else None
        except ValueError as problem:
            faults[f"{prefix}{field.name}"] = str(problem)
            continue
        if value not in (None, ()):
            values[field.name] = value
        elif field.required:
            meaning = field.meaning.removesuffix(".")
            faults[f"{prefix}{field.name}"] = f"is empty: {meaning[:1].lower()}{meaning[1:]}"
    return values


_WHOLE = re.compile(r"\d+|\d{1,3}(?:,\d{3})+")
_STARS = re.compile(r"(\d(?:[.,]\d+)?)(?:\s*stars?)?")
_MONEY = re.compile(r"(\d+(?:\.\d+)?) ?([A-Z]{3})")
# A ; within a value is written \;
_BETWEEN = re.compile(r"(?<!\\);|\n")


def _read(field: Field, cell: str) -> Any:
    """The value of a cell. Raises ValueError with a sentence about the cell."""
    if field.takes == "list":
        values = (value.replace(r"\;", ";").strip() for value in _BETWEEN.split(cell))
        return tuple(dict.fromkeys(filter(None, values)))
    if field.takes == "flag":
        if cell.casefold() not in YES | NO:
            raise ValueError(f"{cell!r} is neither yes nor no")
        return cell.casefold() in YES
    if field.takes == "whole":
        if not _WHOLE.fullmatch(cell):
            raise ValueError(f"{cell!r} is no whole number")
        return int(cell.replace(",", ""))
    if field.takes == "stars":
        stars = _STARS.fullmatch(cell)
        if stars is None:
            raise ValueError(f"{cell!r} is no number of stars from 0 to 5")
        return float(stars[1].replace(",", "."))
    if field.takes != "money":
        return cell
    exact = _MONEY.fullmatch(cell)
    if exact is not None:
        return Money(amount=exact[1], currency=exact[2])
    amounts = find_money(cell)
    amount = amounts[0] if len(amounts) == 1 else None
    if amount is None or amount.is_range or cell != cell[amount.start : amount.end] or not amount.currency:
        raise ValueError(f"{cell!r} is no amount with its currency, such as 60 USD")
    return Money(amount=f"{amount.low:f}", currency=amount.currency)


def _cells(fields: Iterable[Field], record: BaseModel) -> Cells:
    return {field.name: written(field, getattr(record, field.name)) for field in fields}


def written(field: Field, value: Any) -> str:
    """The cell of a value; empty for one that is not set."""
    if value is None or value is False:
        return ""
    if field.takes == "list":
        cell = "; ".join(str(part).replace(";", r"\;") for part in value)
        # The ; keeps a spreadsheet from reading a number or a date: 0141439513 is the id of a book.
        return f"{cell};" if cell[:1].isdigit() else cell
    if field.takes == "flag":
        return "yes"
    if field.takes == "stars":
        # "4.5" alone is the fourth of May to a spreadsheet in German.
        return f"{value:.12g} stars"
    return f"{value.amount} {value.currency}" if field.takes == "money" else str(value)
