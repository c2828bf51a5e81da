"""The editable parts of a query as cells of text: the columns of a sheet, or the fields of a page.

Both write their cells with ``form_of`` and read them with ``edit_by``, so that equal cells make equal queries.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from drretail.grounding.text.amounts import find_money
from drretail.querygen.review.edits import edit_of, retyped
from drretail.querygen.review.records import Edit
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Demand, Want, Wish

Cells = dict[str, str]
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
    found: list[Field] = []
    for name in (*labels, *(name for name in record.model_fields if name not in (*labels, "wants"))):
        known = record.model_fields[name]
        label = labels.get(name, name.replace("_", " ").capitalize())
        meaning = (known.description or "").removeprefix("True where ")
        meaning = f"{meaning[:1].upper()}{meaning[1:]}"
        found.append(Field(name, label, meaning, _TAKES[known.annotation], known.is_required()))
    return tuple(found)


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
_FIELDS = {field.name: field for field in (*WISH_FIELDS, *OTHER_FIELDS)}


@dataclass(frozen=True, slots=True)
class Form:
    """A query in cells.

    ``query`` holds ``TEXT``, ``WISH_FIELDS`` and ``OTHER_FIELDS``; each of ``wants`` holds ``WANT_FIELDS``.
    """

    query: Cells
    wants: tuple[Cells, ...]

    @property
    def filled(self) -> list[tuple[int, Cells]]:
        """The wants with any cell filled in, each with its index."""
        return [(place, cells) for place, cells in enumerate(self.wants) if any(map(str.strip, cells.values()))]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a cell; ``want`` is the index of its want, None for a cell of the query."""

    column: str
    message: str
    want: int | None = None


class Faults(Exception):
    """Everything that is wrong with a form."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(fault.message for fault in self.faults))


def form_of(query: Query) -> Form:
    """The cells of a query as it is."""
    wish = query.wish or Wish()
    cells = {TEXT: query.text, **_cells(WISH_FIELDS[:-1], wish), **_cells(OTHER_FIELDS, query)}
    cells[NOTHING] = "yes" if query.wish is not None and not query.wish.wants else ""
    return Form(cells, tuple(_cells(WANT_FIELDS, want) for want in wish.wants))


def edit_by(person: str, query: Query, form: Form) -> Edit | None:
    """The edit that a form makes of a query; None if it changes nothing. A changed wish counts as typed by ``person``.

    Raises Faults.
    """
    faults: list[Fault] = []
    changes: dict[str, Any] = {TEXT: retyped(query.text, form.query[TEXT])}
    if not changes[TEXT]:
        faults.append(Fault(TEXT, "is empty"))
    changes["rationale"] = retyped(query.rationale, form.query["rationale"])
    changes["expected_tools"] = _read(_FIELDS["expected_tools"], form.query["expected_tools"])
    try:
        wish = wish_of(form, query)
    except Faults as problem:
        raise Faults([*faults, *problem.faults]) from problem
    if faults:
        raise Faults(faults)
    if wish != query.wish:
        changes |= {"wish": wish, "typed_by": person}
    return edit_of(query, query.model_copy(update=changes))


def wish_of(form: Form, query: Query) -> Wish | None:
    """The wish in a form of this query; if no cell differs, the query's own, which is None while it is untyped.

    Raises Faults.
    """
    if _wish_cells(form) == _wish_cells(form_of(query)):
        return query.wish
    faults: list[Fault] = []
    level = _values(WISH_FIELDS, form.query, None, faults)
    is_nothing = level.pop(NOTHING, False)
    wants: list[Want] = []
    # A cell holds a demand's words; what decides it beside them stays.
    typed = {str(each): each for want in (query.wish or Wish()).wants for each in want.demands}
    for place, cells in form.filled:
        known = len(faults)
        values = _values(WANT_FIELDS, cells, place, faults)
        for name in ("must", "must_not"):
            values[name] = [typed.get(text, text) for text in values.get(name, ())]
        try:
            if len(faults) == known:
                wants.append(Want.model_validate(values))
        except ValidationError as problem:
            for error in problem.errors():
                column = str(error["loc"][0])
                message = error["msg"].replace("Input should be", "should be")
                faults.append(Fault(column, f"{cells[column].strip()!r} {message}", place))
    if is_nothing and form.filled:
        faults.append(Fault(NOTHING, "is yes, but something is wanted"))
    elif not is_nothing and not form.filled:
        faults.append(Fault("name", "is empty: name what is to be bought, or say that nothing is", 0))
    names: set[str] = set()
    for place, cells in form.filled:
        name = cells["name"].strip().casefold()
        if name and name in names:
            faults.append(Fault("name", f"{cells['name'].strip()!r} is the name of another want, too", place))
        names.add(name)
    if faults:
        raise Faults(faults)
    return Wish(wants=tuple(wants), **level)


def _wish_cells(form: Form) -> tuple[Cells, list[Cells]]:
    """The cells of the wish, with normalised whitespace, since programs change spaces and line ends."""
    of_all = {field.name: " ".join(form.query[field.name].split()) for field in WISH_FIELDS}
    return of_all, [{name: " ".join(cell.split()) for name, cell in cells.items()} for _, cells in form.filled]


def _values(fields: Iterable[Field], cells: Cells, want: int | None, faults: list[Fault]) -> dict[str, Any]:
    """The values of the cells that are not empty; appends what is wrong to ``faults``."""
    values: dict[str, Any] = {}
    for field in fields:
        cell = cells[field.name].strip()
        try:
            value = _read(field, cell) if cell else None
        except ValueError as problem:
            faults.append(Fault(field.name, str(problem), want))
            continue
        if value not in (None, ()):
            values[field.name] = value
        elif field.required:
            meaning = field.meaning.removesuffix(".")
            faults.append(Fault(field.name, f"is empty: {meaning[:1].lower()}{meaning[1:]}", want))
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
    return _money(cell) if field.takes == "money" else cell


def _money(cell: str) -> Money:
    exact = _MONEY.fullmatch(cell)
    if exact is not None:
        return Money(amount=exact[1], currency=exact[2])
    found = find_money(cell)
    if len(found) != 1 or found[0].is_range or cell != cell[found[0].start : found[0].end] or not found[0].currency:
        raise ValueError(f"{cell!r} is no amount with its currency, such as 60 USD")
    return Money(amount=f"{found[0].low:f}", currency=found[0].currency)


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


def with_blank_want(form: Form) -> Form:
    """The form with one more, empty want."""
    return replace(form, wants=(*form.wants, {field.name: "" for field in WANT_FIELDS}))
