"""The rows of a table of one's own shop as rows of the dataset: a view in SQL, by the mapping."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.raw.cells import Cells, quoted
from drretail.data_ingest.raw.lines import Saved, numbered_rows
from drretail.data_ingest.raw.mapping import OrderColumns, ProductColumns
from drretail.data_ingest.raw.sources import Source, open_binary
from drretail.data_ingest.raw.tables import SHOWN, lines_of, not_utf8, open_table
from drretail.errors import UserError
from drretail.records.ids import ID_RULE, SAFE_ID
from drretail.records.shop import ORDER_STATUSES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

STOCK = "Stock"
"""Among a product's details."""
_LONGEST_SHOWN = 40
# Within the 64 that a citation may have, with the number of a line.
_LONGEST_ID = 60
_CITED_BY = "reports cite by letters, digits, _ and -"
_NAMED_VALUES = 5
_SIGNS = {"€": "EUR", "$": "USD", "£": "GBP"}
_NAMED_CURRENCY = r"[$€£]|\b(USD|EUR|GBP|CAD|AUD|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN)\b"
_REFUSED = {
    "TOO MANY COLUMNS": "more values than the header has columns",
    "MISSING COLUMNS": "fewer values than the header has columns",
    "UNQUOTED VALUE": "a quote that is not closed, or stands within a value",
    "LINE SIZE OVER MAXIMUM": "longer than 2 MB",
}
_PRICE = r"(?i)(from\s+)?(\d+(\.\d+)?|\d{1,3}(,\d{3})+(\.\d+)?|\.\d+)(\s*[-–]\s*[\d.,]+)?"
# A comma before one or two last digits stands before cents, whatever the mapping says.
_OTHER_MARK = r".*\d,\d{1,2}"
_PRODUCT_FIELDS = (
    "parent_asin",
    "title",
    "average_rating",
    "rating_number",
    "features",
    "description",
    "price",
    "store",
    "categories",
    "details",
)
_ORDER_FIELDS = ("user_id", "parent_asin", "timestamp", "order_id", "quantity", "order_status")


def save_table(db: "DuckDBPyConnection", source: Source, target: Path) -> Saved:
    """Writes the good rows of a table as lines of JSON in the dataset's form; what became of the others is counted.

    Raises UserError where the mapping does not fit the rows: another decimal mark, several currencies, statuses that it
    does not name, bytes that are no UTF-8.
    """
    assert source.mapping is not None, "a table has a mapping"
    cells = Cells(open_table(source.path, source.mapping), source.mapping)
    if source.shape == "products":
        view = _product_view(cells, source.mapping.products)
    else:
        assert source.mapping.orders is not None, "a mapping without orders names no file of them"
        view = _order_view(cells, source.mapping.orders)
    columns = ", ".join(f"{expression} AS {name}" for name, expression in view.items())
    db.execute(f"CREATE TEMP TABLE mapped AS SELECT number, {columns} FROM ({cells.rows()})")  # noqa: S608 -- quoted
    saved = Saved()
    _reject_rows(db, cells, saved)
    _check_ids(db, cells, saved)
    if source.shape == "products":
        _check_prices(db, cells, saved)
        _note_ratings(db, saved)
        currency = _currency(db, cells)
        _check_named_currencies(db, cells, currency)
        fields = f"{', '.join(_PRODUCT_FIELDS)}, {quoted(currency)} AS shop_currency"
    else:
        _check_statuses(db, cells)
        fields = ", ".join(_ORDER_FIELDS)
    good = f"SELECT {fields} FROM mapped WHERE reason IS NULL ORDER BY number"  # noqa: S608 -- names of ours
    ((saved.rows,),) = db.execute(f"COPY ({good}) TO {quoted(target)} (FORMAT json)").fetchall()
    with target.open(encoding="utf-8") as file:
        saved.first += map(json.loads, islice(file, SHOWN))
    return saved


def _product_view(cells: Cells, columns: ProductColumns) -> dict[str, str]:
    product, title = cells.citable(columns.id), cells.text(columns.title)
    price = "NULL" if columns.price is None else cells.number(columns.price)
    signs = " ".join(f"WHEN {quoted(sign)} THEN {quoted(code)}" for sign, code in _SIGNS.items())
    written = _text(cells, columns.currency)
    return {
        **_reason(_own_id_problems(columns.id, product), (f"no title ({columns.title})", f"{title} IS NULL", "NULL")),
        "parent_asin": product,
        "own_id": product,
        "id_said": cells.text(columns.id),
        "title": title,
        "average_rating": "NULL" if columns.rating is None else cells.number(columns.rating),
        "rating_number": "NULL" if columns.ratings is None else f"replace({cells.number(columns.ratings)}, ',', '')",
        "rating_said": _text(cells, columns.rating),
        "ratings_said": _text(cells, columns.ratings),
        "features": cells.parts(columns.features),
        "description": cells.parts(columns.description),
        "price": f"CASE WHEN regexp_full_match({price}, {quoted(_PRICE)}) THEN {price} END",
        "price_read": price,
        "price_said": _text(cells, columns.price),
        "currency_said": f"CASE {written} {signs} ELSE upper({written}) END",
        "store": _text(cells, columns.store),
        "categories": cells.parts(columns.category, cells.mapping.category_separator),
        "details": _details(cells, columns),
    }


def _order_view(cells: Cells, columns: OrderColumns) -> dict[str, str]:
    user, product, moment = cells.text(columns.user), cells.citable(columns.product), cells.moment(columns.date)
    problems = [*_id_problems(columns.user, user), *_own_id_problems(columns.product, product)]
    problems.append((f"no date ({columns.date})", f"{moment} IS NULL", cells.text(columns.date)))
    order, quantity = "CAST(NULL AS VARCHAR)", "NULL"
    if columns.id is not None:
        order = cells.citable(columns.id)
        problems += _own_id_problems(columns.id, order)
    if columns.quantity is not None:
        written = cells.text(columns.quantity)
        quantity = rf"TRY_CAST(regexp_replace({written}, '[.,]0+$', '') AS INTEGER)"
        problems.append((f"no whole number from 1 ({columns.quantity})", f"coalesce({quantity}, 0) < 1", written))
    status = "NULL" if columns.status is None else f"lower(coalesce({cells.text(columns.status)}, ''))"
    words = {word.lower(): word for word in ORDER_STATUSES}
    words |= {word.strip().lower(): ours for word, ours in cells.mapping.status.items()}
    cases = " ".join(f"WHEN {quoted(word)} THEN {quoted(ours)}" for word, ours in words.items())
    return {
        **_reason(problems),
        "user_id": user,
        "parent_asin": product,
        "timestamp": moment,
        "order_id": order,
        "own_id": order,
        "id_said": _text(cells, columns.id),
        "quantity": quantity,
        "status_said": status,
        "order_status": f"CASE {status} {cases} END",
    }


Problem = tuple[str, str, str]
"""Its name, the SQL by which a row has it, and the SQL of what the row says there."""


def _id_problems(column: str, text: str) -> list[Problem]:
    return [
        (f"no {column}", f"{text} IS NULL", "NULL"),
        (f"{column} is no id ({ID_RULE})", f"NOT regexp_full_match({text}, {quoted(SAFE_ID)})", text),
    ]


def _own_id_problems(column: str, text: str) -> list[Problem]:
    """Of ids by which reports cite."""
    return [
        (f"no {column}", f"{text} IS NULL", "NULL"),
        (f"{column} has more than {_LONGEST_ID} characters", f"length({text}) > {_LONGEST_ID}", text),
    ]


def _reason(problems: Sequence[Problem], *more: Problem) -> dict[str, str]:
    """The first problem that a row has, and what it says there; NULL in good rows."""
    all_of = (*problems, *more)
    reasons = " ".join(f"WHEN {test} THEN {quoted(name)}" for name, test, _ in all_of)
    tests = " ".join(f"WHEN {test} THEN {value}" for _, test, value in all_of)
    return {"reason": f"CASE {reasons} END", "said": f"CAST(CASE {tests} END AS VARCHAR)"}


def _text(cells: Cells, column: str | None) -> str:
    return "CAST(NULL AS VARCHAR)" if column is None else cells.text(column)


def _details(cells: Cells, columns: ProductColumns) -> str:
    """A JSON object without what the row leaves empty."""
    if isinstance(columns.details, str):
        found = cells.json(columns.details)
        details = f"CASE WHEN json_type({found}) = 'OBJECT' THEN {found} ELSE CAST('{{}}' AS JSON) END"
    else:
        named = [f"{quoted(name)}, {cells.json(column)}" for name, column in (columns.details or {}).items()]
        details = f"json_merge_patch('{{}}', json_object({', '.join(named)}))"
    if columns.stock is None:
        return details
    stock = cells.text(columns.stock)
    value = f"coalesce(CAST(TRY_CAST({stock} AS BIGINT) AS JSON), to_json({stock}))"
    both = f"json_merge_patch({details}, json_object('{STOCK}', {value}))"
    return f"CASE WHEN {stock} IS NULL THEN {details} ELSE {both} END"


def _reject_rows(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Counts the bad rows, and names the first of them by their lines."""
    refused: list[tuple[int, str]] = []
    if cells.table.form == "csv":
        query = "SELECT line, min(error_type) FROM reject_errors GROUP BY line ORDER BY line"
        refused = db.execute(query).fetchall()
        _check_quotes(db, cells, [ordinal for ordinal, _ in refused])
    if any(problem == "INVALID ENCODING" for _, problem in refused):
        raise UserError(not_utf8(cells.table.path))
    ((bad,),) = db.execute("SELECT count(*) FROM mapped WHERE reason IS NOT NULL").fetchall()
    query = f"SELECT number, reason, said FROM mapped WHERE reason IS NOT NULL ORDER BY number LIMIT {SHOWN}"  # noqa: S608
    first = [(number, _shown_reason(reason, written)) for number, reason, written in db.execute(query).fetchall()]
    refusals = [(ordinal, _REFUSED.get(problem, problem.lower())) for ordinal, problem in refused[:SHOWN]]
    if first or refusals:
        for line, problem in sorted(_with_lines(cells, first, refusals, [ordinal for ordinal, _ in refused])):
            saved.reject(line, problem)
    saved.bad = bad + len(refused)


def _check_quotes(db: "DuckDBPyConnection", cells: Cells, refused: list[int]) -> None:
    """Raises UserError for a quote that is not closed on its line: the rows after it would vanish without a count."""
    goes_on = "error_type = 'UNQUOTED VALUE' AND contains(trim(csv_line, chr(10)), chr(10))"
    query = f"SELECT min(line) FROM reject_errors WHERE {goes_on}"  # noqa: S608 -- a constant
    ((ordinal,),) = db.execute(query).fetchall()
    if ordinal is not None:
        _, (line,) = lines_of(cells.table, [], [ordinal], refused)
        raise UserError(
            f"{cells.table.path}, line {line:,}: a quote is not closed, which hides the rows after it; close it, "
            "or double the quotes that stand within values."
        )


def _shown_reason(reason: str, written: str | None) -> str:
    return reason if written is None else f"{reason}: {written[:_LONGEST_SHOWN]!a}"


def _with_lines(
    cells: Cells, first: list[tuple[int, str]], refusals: list[tuple[int, str]], refused: list[int]
) -> list[tuple[int, str]]:
    table, numbers = cells.table, [number for number, _ in first]
    if table.form == "csv":
        of_rows, of_refused = lines_of(table, numbers, refused[:SHOWN], refused)
        return [
            *zip(of_rows, (problem for _, problem in first), strict=True),
            *zip(of_refused, (problem for _, problem in refusals), strict=True),
        ]
    if table.form == "parquet":
        return first
    found = list[tuple[int, str]]()
    with open_binary(table.path, table.packed) as file:
        for (line, data), (_, problem) in zip(numbered_rows(file, numbers), first, strict=True):
            found.append((line, problem if _is_object(data) else "no JSON object"))
    return found


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data.decode("utf-8-sig")), dict)
    except (ValueError, RecursionError):
        return False


def _check_ids(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Notes ids that had to be written otherwise; raises UserError where two would become one."""
    other = "FROM mapped WHERE reason IS NULL AND own_id <> id_said"
    query = f"SELECT count(DISTINCT id_said), first(id_said ORDER BY number), first(own_id ORDER BY number) {other}"
    ((changed, example, own),) = db.execute(query).fetchall()
    if not changed:
        return
    saved.notes.append(
        f"{_counted(changed, 'id')} written otherwise, such as {example[:_LONGEST_SHOWN]!a} as {own!r}: {_CITED_BY}"
    )
    same = (
        f"WHERE reason IS NULL AND own_id IN (SELECT own_id {other}) GROUP BY own_id HAVING count(DISTINCT id_said) > 1"
    )
    query = f"SELECT own_id, min(id_said), max(id_said) FROM mapped {same} ORDER BY own_id LIMIT 1"  # noqa: S608
    for own, one, another in db.execute(query).fetchall():
        raise UserError(
            f"{cells.table.path} has the ids {one!r} and {another!r}, which would both be {own!r} ({_CITED_BY}): "
            "give one of them another id."
        )


def _check_prices(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Notes prices that are none; raises UserError where they are written with the other decimal mark."""
    good = "FROM mapped WHERE reason IS NULL AND price_read IS NOT NULL"
    other = f"{good} AND regexp_full_match(price_read, {quoted(_OTHER_MARK)})"
    ((wrong, example),) = db.execute(f"SELECT count(*), first(price_said ORDER BY number) {other}").fetchall()
    if wrong:
        right = "." if cells.mapping.decimal == "," else ","
        raise UserError(
            f"{cells.table.path} has {_counted(wrong, 'price')} such as {example!r}, which decimal = "
            f"{cells.mapping.decimal!r} cannot read: write decimal = {right!r} in the mapping, or mend the file."
        )
    ((unread, example),) = db.execute(
        f"SELECT count(*), first(price_said ORDER BY number) {good} AND price IS NULL"
    ).fetchall()
    if unread:
        saved.notes.append(f"{_counted(unread, 'price')} unknown, such as {example[:_LONGEST_SHOWN]!a}")

    thousands = rf"{good} AND regexp_full_match(price_read, '\d{{1,3}}\.\d{{3}}')"
    ((odd, example),) = db.execute(f"SELECT count(*), first(price_said ORDER BY number) {thousands}").fetchall()
    if odd:
        other = "." if cells.mapping.decimal == "," else ","
        saved.notes.append(
            f"{_counted(odd, 'price')} with three decimals, such as {example!r}: where that means thousands, write "
            f"decimal = {other!r}"
        )


def _note_ratings(db: "DuckDBPyConnection", saved: Saved) -> None:
    """Notes ratings and numbers of them that are none."""
    rated = "coalesce(TRY_CAST(average_rating AS DOUBLE) BETWEEN 0 AND 5, false)"
    whole = r"coalesce(regexp_full_match(rating_number, '\d+(\.0+)?'), false)"
    for column, good, thing in (("rating_said", rated, "rating"), ("ratings_said", whole, "number")):
        query = f"SELECT count(*), first({column} ORDER BY number) FROM mapped WHERE reason IS NULL"  # noqa: S608
        ((unread, example),) = db.execute(f"{query} AND {column} IS NOT NULL AND NOT {good}").fetchall()
        if unread:
            things = f"{_counted(unread, thing)}{' of ratings' if thing == 'number' else ''}"
            saved.notes.append(f"{things} unknown, such as {example[:_LONGEST_SHOWN]!a}")


def _check_named_currencies(db: "DuckDBPyConnection", cells: Cells, currency: str) -> None:
    """Raises UserError for a price that names another currency: by its code, or by a sign that cannot be this one's."""
    named = f"regexp_extract(price_said, {quoted(_NAMED_CURRENCY)})"
    query = f"SELECT {named} AS named, count(*), first(price_said ORDER BY number) FROM mapped"  # noqa: S608
    counted = db.execute(f"{query} WHERE reason IS NULL AND price IS NOT NULL GROUP BY ALL ORDER BY named").fetchall()
    for name, rows, example in counted:
        # Pounds and dollars are many countries'.
        may_be = name in ("$", "£") and currency not in _SIGNS.values()
        if name and _SIGNS.get(name, name) != currency and not may_be:
            raise UserError(
                f"{cells.table.path} has {_counted(rows, 'price')} such as {example[:_LONGEST_SHOWN]!r}, and the "
                f"world's currency is {currency}: say another in the mapping, or convert those prices."
            )


def _currency(db: "DuckDBPyConnection", cells: Cells) -> str:
    """The one currency of all prices; raises UserError that counts them where there are several, or none is said."""
    if cells.mapping.products.currency is None:
        return cells.mapping.currency
    counted: list[tuple[Any, int]] = db.execute(
        "SELECT currency_said, count(*) AS n FROM mapped WHERE reason IS NULL AND price IS NOT NULL GROUP BY ALL "
        "ORDER BY n DESC, currency_said"
    ).fetchall()
    if len(counted) == 1 and (code := counted[0][0]) and len(code) == 3 and code.isascii() and code.isalpha():
        return code
    if not counted:
        return cells.mapping.currency
    found = _listed([("none" if code is None else code, rows) for code, rows in counted])
    raise UserError(
        f"{cells.table.path} has prices in {found}, and a world has one currency, told by its code of three letters: "
        "convert the others, or leave their rows out."
    )


def _check_statuses(db: "DuckDBPyConnection", cells: Cells) -> None:
    """Raises UserError that counts the statuses of which the mapping does not say what they are."""
    counted: list[tuple[str, int]] = db.execute(
        "SELECT status_said, count(*) AS n FROM mapped WHERE reason IS NULL AND status_said IS NOT NULL "
        "AND order_status IS NULL GROUP BY ALL ORDER BY n DESC, status_said"
    ).fetchall()
    if counted:
        found = _listed([(repr(word), rows) for word, rows in counted])
        raise UserError(
            f"{cells.table.path} has statuses that the mapping does not know: {found}. Write in [status] which of "
            f'{", ".join(ORDER_STATUSES)} each of them is, such as {counted[0][0] or ""!r} = "Delivered".'
        )


def _listed(counts: Sequence[tuple[str, int]]) -> str:
    """ "EUR (300), USD (12), …"."""
    named = [f"{name} ({rows:,})" for name, rows in counts[:_NAMED_VALUES]]
    return ", ".join([*named, *(["…"] if len(counts) > _NAMED_VALUES else [])])


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
