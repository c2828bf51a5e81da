"""Queries read from a file, each line checked: queries, plain questions, and those that ship with drretail.

Plain questions stand one per line, or in rows of CSV or JSONL, which may hold wishes, too. A row may be a case of
commerce-agents: its turns, and the cart that is expected after the last one, or after each that names one.

docs/queries.md says how they were made and what they are for.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.experiments.query_files import gold_file, with_gold
from drretail.files import read_lines
from drretail.parsing import parse_json, read_sheet
from drretail.records.base import fault_of, sha256_of
from drretail.records.criteria import OF_KIND, Gold
from drretail.records.evidence import Finding
from drretail.records.query import LONGEST_TEXT, Query
from drretail.records.wish import Want, Wish
from drretail.reports.text.evidence_ids import short_hash
from drretail.shopping.constraints import record_sha

_MOST_FAULTS = 10
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "query_id": ("id",),
    "user_id": ("user",),
    "text": ("question", "query", "prompt"),
}
"""What fields of a query are called elsewhere."""


def with_our_names(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the fields of a query under our names. A field that has ours already stays as it is."""
    renamed = dict(row)
    for ours, others in OTHER_NAMES.items():
        for other in others:
            if other in renamed and renamed.get(ours) in (None, ""):
                renamed[ours] = renamed.pop(other)
    return renamed


def read_queries(path: Path) -> tuple[Query, ...]:
    """The queries of a .jsonl file, in order, with their gold. Raises as ``read_tasks`` does, and for a broken gold."""
    return with_gold(_read(path), gold_file(path))


def read_tasks(path: Path) -> tuple[Query, ...]:
    """The tasks of a .jsonl file, in order. The file of their gold is not opened.

    Raises UserError for a file without queries, and for lines (at most ten are named) that are no query, are cut off,
    or repeat an id.
    """
    return tuple(query.task for query in _read(path))


def _read(path: Path) -> Sequence[Query]:
    queries: dict[str, Query] = {}
    lines: dict[str, int] = {}
    followed = set[str | None]()
    faults: list[str] = []
    for number, _, row in _rows(path):
        read = row if isinstance(row, str) else _query_in(row, path.name)
        if isinstance(read, str):
            faults.append(f"line {number}: {read}")
        elif read.query_id in queries:
            faults.append(
                f"line {number}: line {lines[read.query_id]} has the id {read.query_id!r} already; remove one of them "
                "or change its query_id"
            )
        elif read.after is not None and (read.after not in queries or read.after in followed):
            why = "is followed by another turn already" if read.after in followed else "stands in no line before it"
            faults.append(f"line {number}: it comes after {read.after!r}, which {why}")
        else:
            queries[read.query_id] = read
            lines[read.query_id] = number
            followed.add(read.after)
    if faults and not queries and (len(faults) > _MOST_FAULTS or path.suffix != ".jsonl"):
        hint = "`drretail queries import` makes queries from plain questions."
        raise UserError(f"{path} is no file of queries: {faults[0]}. {hint}")
    if faults:
        more = f"; … and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
        count = "a line" if len(faults) == 1 else f"{len(faults)} lines"
        raise UserError(f"{path} has {count} to mend: {'; '.join(faults[:_MOST_FAULTS])}{more}.")
    if not queries:
        raise UserError(f"{path} holds no query: make some with `drretail queries generate`.")
    return list(queries.values())


def _rows(path: Path) -> Iterator[tuple[int, str, dict[str, Any] | str]]:
    """The number and text of every line that is not blank, with the object that it holds, or why it holds none."""
    for number, line in enumerate(read_lines(path), 1):
        if line.strip():
            try:
                value = parse_json(line)
            except json.JSONDecodeError as problem:
                yield number, line, f"not JSON ({problem.msg} at character {problem.pos + 1})"
            else:
                yield number, line, value if isinstance(value, dict) else "not a JSON object"


def _query_in(row: Mapping[str, Any], source: str) -> Query | str:
    """The query of a line's object, or why it is none. ``source`` made it if the line doesn't say who did."""
    try:
        value = {"source": source, **with_our_names(row)}
        value.setdefault("mode", "profile_aware" if value.get("user_id") else "generic")
        query = Query.model_validate(value)
    except ValidationError as problem:
        return f"not a query ({fault_of(problem)})"
    if len(query.text) > LONGEST_TEXT:
        return f"its text has {len(query.text):,} characters; at most {LONGEST_TEXT:,} are taken"
    return query


def check_made_for(queries: Iterable[Query], fingerprint: str) -> None:
    """Raises UserError if a query was made for a world with another fingerprint."""
    for query in queries:
        if query.world_fingerprint not in (None, fingerprint):
            raise UserError(
                f"The query {query.query_id!r} was made for the world {query.world_fingerprint[:12]}, and this is "
                f"{fingerprint[:12]}: name that world with --world, or make queries for this one."
            )


_LONGEST_ID = 64
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_QUESTION, _WISH = "question", "wish"
_CART, _COUNT = "cart_contains", "cart_item_count"
_ENDINGS = ("", ".txt", ".md", ".csv", ".tsv", ".jsonl")


@dataclass(frozen=True, slots=True)
class PlainQuestion:
    """A question, and the id of the user who asks it; None if nobody in particular asks it."""

    text: str
    user_id: str | None = None
    wish: Wish | None = None
    """What is to be bought, if the file says it."""
    query_id: str | None = None
    """Its id in the file, in the letters that ids of queries have."""
    conversation: str = ""
    """The name of the conversation whose next turn it is."""
    expected: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a case expects after it, by the names of the file."""
    place: str = field(default="", compare=False)
    """Its place in the file, for messages."""


def read_questions(path: Path) -> tuple[PlainQuestion, ...]:
    """The questions of a .csv, .tsv or .jsonl file, or of a text with one per line; in order, repeated ones too.

    Raises UserError for another format, a file without questions, a table without a column of questions, and an
    invalid wish.
    """
    ending = path.suffix.casefold()
    if ending not in _ENDINGS and path.is_file():
        raise UserError(f"{path}: questions are read from .txt (one per line), .csv, .tsv and .jsonl.")
    if ending in (".csv", ".tsv"):
        sheet = read_sheet(path)
        if not {*sheet.columns} & {"text", *OTHER_NAMES["text"]}:
            present = ", ".join(sheet.columns) or "it is empty"
            raise UserError(f"{path} has no column {_QUESTION!r} in its first row: {present}.")
        rows = ((f"row {number}", row) for number, row in sheet.rows)
    else:
        rows = _lines(path, as_json=ending == ".jsonl")
    questions = tuple(_question(f"{path}, {place}", turn) for place, row in rows for turn in turn_rows(row, place))
    if not questions:
        raise UserError(f"{path} holds no question: write one a line, or CSV with the columns question and user.")
    return questions


def _lines(path: Path, *, as_json: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Raises UserError for a JSONL line that is no object, an object in a plain text, and a line that is a query."""
    for number, line, row in _rows(path):
        place = f"{path}, line {number},"
        if isinstance(row, str):
            if as_json:
                raise UserError(f"{place} is {row}.")
            row = {_QUESTION: line}
        elif {"query_id", "text"} <= row.keys():
            raise UserError(f"{place} is a query already: drretail run --queries {path} asks it as it is.")
        elif not as_json:
            raise UserError(f"{place} is JSON, not a question: give the file a name that ends in .jsonl.")
        yield f"line {number}", row


def turn_rows(row: Mapping[str, Any], place: str) -> Sequence[Mapping[str, Any]]:
    """A row for each turn of a case; any other row as it is."""
    if not isinstance(row.get("turns"), list):
        return [row]
    messages = [turn if isinstance(turn, Mapping) else {"content": turn} for turn in row["turns"]]
    name, state = str(row.get("id") or place.replace(" ", "-")), {f"state.{key}": "" for key in row.get("state") or ()}
    turns: list[dict[str, Any]] = [
        {"question": message.get("content"), "conversation": name, "expected": {**(message.get("expected") or {})}}
        for message in messages
        if message.get("role", "user") == "user"
    ]
    if not turns:
        return [{}]  # a row without a question, which is no less a fault than another
    turns[-1]["expected"] = turns[-1]["expected"] or {**(row.get("expected") or {})}
    turns[0]["expected"] |= state
    return turns


def _question(place: str, row: Mapping[str, Any]) -> PlainQuestion:
    """Raises UserError for a row without a question, with too long a one, control characters or an invalid wish."""
    columns = with_our_names(row)
    text, user, own_id, name = (_text(columns.get(key)) for key in ("text", "user_id", "query_id", "conversation"))
    if text is None:
        raise UserError(f"{place}, has no question: name it {_QUESTION!r}.")
    if len(text) > LONGEST_TEXT:
        raise UserError(f"{place}, has {len(text):,} characters; at most {LONGEST_TEXT:,} are taken.")
    if control := _CONTROL.search(f"{text}{user or ''}"):
        raise UserError(f"{place}, is not plain text: remove the control character U+{ord(control[0]):04X}.")
    query_id = _id_of(own_id or "") or None
    expected = row["expected"] if isinstance(row.get("expected"), Mapping) else {}
    return PlainQuestion(text, user, _wish(place, row.get(_WISH)), query_id, name or "", expected, place)


def _id_of(name: str) -> str:
    """The name in the letters that ids of queries have."""
    return re.sub(r"[^a-z0-9._-]+", "-", name.casefold()).strip("._-")[:_LONGEST_ID]


def _text(value: Any) -> str | None:
    """A cell's text, or a whole number as one; None if it is empty or something else."""
    is_text = isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
    return str(value).strip() or None if is_text else None


def _wish(place: str, value: Any) -> Wish | None:
    """The wish of a JSON value, or of a cell with JSON text; None if there is none."""
    try:
        if isinstance(value, str):
            value = parse_json(value) if value.strip() else None
        if isinstance(value, dict) and "wants" not in value:
            raise UserError(f'{place}: the wish names no wants; "wants": [] says that nothing is to be bought.')
        return None if value is None else Wish.model_validate(value)
    except json.JSONDecodeError as problem:
        raise UserError(f"{place}: the wish is not JSON ({problem}).") from problem
    except ValidationError as problem:
        raise UserError(f"{place}: this is no wish ({fault_of(problem)}).") from problem


def distinct(questions: Sequence[PlainQuestion]) -> list[PlainQuestion]:
    """The questions, each once for its user and id. Raises UserError if one occurs twice and different things are
    wished or expected.
    """
    different: dict[tuple[str | int | None, ...], PlainQuestion] = {}
    for at, question in enumerate(questions):
        # Of a conversation each turn counts, also if it says the same again.
        turn = at if question.conversation else None
        earlier = different.setdefault((question.text, question.user_id, question.query_id, turn), question)
        if (earlier.wish, earlier.expected) != (question.wish, question.expected):
            raise UserError(f"{question.place}: the question stands there before with another wish: keep one.")
    return [*different.values()]


def queries_from(questions: Sequence[PlainQuestion], source: str, world_fingerprint: str | None) -> tuple[Query, ...]:
    """One query per ``distinct`` question.

    Without an id in the file it depends only on question and user, so that it stays the same in a longer file. Raises
    UserError if a question occurs twice with different wishes, and if two have one id.
    """
    queries: dict[str, Query] = {}
    turns: dict[str, list[str]] = defaultdict(list)
    for question in distinct(questions):
        own_id, name = question.query_id, question.conversation
        if name and own_id is None:
            own_id = f"{_id_of(name) or 'talk'}-{len(turns[name]) + 1}"
        whose = "asked" if question.user_id is None else short_hash(question.user_id)
        query = Query(
            query_id=own_id or f"{whose}-i{sha256_of([question.text, question.user_id])[:8]}",
            user_id=question.user_id,
            text=question.text,
            mode="generic" if question.user_id is None else "profile_aware",
            wish=question.wish,
            after=turns[name][-1] if name and turns[name] else None,
            world_fingerprint=world_fingerprint,
            source=source,
        )
        if queries.setdefault(query.query_id, query) is not query:
            raise UserError(f"{question.place}: another question has the id {query.query_id!r}: change one of them.")
        turns[name].append(query.query_id)
    return tuple(queries.values())


def with_expected(query: Query, expected: Mapping[str, Any], store: Store) -> tuple[Query, list[str]]:
    """The query that wants exactly the products that are expected in the cart, and the names of what is not typed.

    It is unchanged if none are named, or if the shop lacks one of them. Without a number of pieces, more may be in it.
    """
    entries = expected[_CART] if isinstance(expected.get(_CART), list) else []
    lines = [entry if isinstance(entry, Mapping) else {"product_id": entry} for entry in entries]
    cart = {str(line.get("product_id")): int(line.get("quantity") or 1) for line in lines}
    products, count = store.products(list(cart)), expected.get(_COUNT)
    if not (cart or count == 0) or not cart.keys() <= products.keys():
        return query, [*expected]
    wants = [Want(name=key, kinds=(products[key].title,), quantity=cart[key]) for key in cart]
    wish = Wish(wants=tuple(wants), room=count != sum(cart.values()))
    ruling = {"demand": OF_KIND, "by": f"file:{query.source}", "state": "met"}
    keys = [{"want": key, "product_id": key, "record_sha": record_sha(products[key])} for key in cart]
    gold = Gold.model_validate({"query_id": query.query_id, "decisions": [ruling | of_product for of_product in keys]})
    typed = query.model_copy(update={"wish": wish, "gold": gold})
    return typed, [name for name in expected if name not in (_CART, _COUNT)]


@dataclass(frozen=True, slots=True)
class TypedQueries:
    """The queries in their order; those that already had a wish are unchanged."""

    queries: tuple[Query, ...]
    typed: tuple[str, ...] = ()
    """The ids of the queries whose wish was typed now."""
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Why a query still has no wish, by query id."""
    wrong: dict[str, tuple[Finding, ...]] = field(default_factory=dict[str, tuple[Finding, ...]])
    """The remaining findings on the wishes that were typed now, by query id."""


Split = Literal["dev", "test", "market-dev", "market-test", "generic", "conversations"]
FIFTY: tuple[Split, ...] = ("dev", "test")
MARKET: tuple[Split, ...] = ("market-dev", "market-test")
"""Sixty queries to look at and sixty for results."""
GENERIC: Split = "generic"
"""Twenty queries without a user, whose answers rest on the shop and the web alone (paper Figure 5)."""

WORLD = "e0b2585410273c7e6a88905e536dde82d34060294d00ec7e3fad0713e769d791"
"""The fingerprint of the demo world."""


def shipped_queries(*splits: Split) -> tuple[Query, ...]:
    """The queries of the splits, in file order; without any, the fifty. Raises UserError for an unknown split.

    The source of each holds a canary, by which models that were trained on them can be recognised.
    """
    for split in splits:
        if split not in get_args(Split):
            splits_known = "dev, test, all, market-dev, market-test, market, generic or conversations"
            raise UserError(f"The shipped queries have no split {split!r}: choose {splits_known}.")
    folder = resources.files("drretail.querygen").joinpath("benchmark")
    queries: list[Query] = []
    for split in splits or FIFTY:
        with resources.as_file(folder) as place:
            lines = (place / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
            queries += with_gold(map(Query.model_validate_json, lines), gold_file(place / f"{split}.jsonl"))
    return tuple(queries)
