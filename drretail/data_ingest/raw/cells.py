"""A cell of a table as SQL (macros in sql/duckdb/cells.sql), checks of a table's rows, and the format of its dates.

What can be read from a text alone is a macro of sql/duckdb/cells.sql.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from babel.numbers import list_currencies

from drretail.data_ingest.raw.lines import LAST_MILLISECOND, LATER, LONGEST_SHOWN, SHOWN, Saved, numbered_rows
from drretail.data_ingest.raw.mapping import Columns, Mapping, TableColumns, listed
from drretail.data_ingest.raw.sources import open_binary
from drretail.data_ingest.raw.tables import Table, lines_of, not_utf8
from drretail.data_ingest.selection import sql_text
from drretail.errors import UserError
from drretail.records.shop import ORDER_STATUSES, SIGNS, USD
from drretail.records.tables.figures import counted, first_few

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def define_macros(db: "DuckDBPyConnection") -> None:
    """Defines the macros by which texts are read."""
    longest_first = sorted(SIGNS, key=len, reverse=True)
    signs = "|".join(re.escape(sign) for sign in longest_first if not sign.isalpha())
    words = "|".join(filter(str.isalpha, longest_first))
    macros = sql_text("duckdb/cells").replace("$signs", signs).replace("$words", words)
    db.execute(macros.replace("$last_millisecond", str(LAST_MILLISECOND)))


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a table. Every method returns SQL over the rows of ``rows``; empty cells are NULL."""

    table: Table
    mapping: Mapping

    def rows(self, part: TableColumns | None = None, key: str | None = None) -> str:
        """The rows with their ``number``, from 1. In CSV, rows that the engine refuses are not numbered.

        Empty cells are filled down as ``part`` says, within the rows of one ``key``.
        """
        file, packed = quoted(self.table.path), "gzip" if self.table.packed else "none"
        if self.table.form == "parquet":
            read = f"read_parquet({file})"
        elif self.table.form == "jsonl":
            options = "records = false, ignore_errors = true, columns = {json: 'JSON'}"
            read = f"read_json({file}, format = 'newline_delimited', compression = '{packed}', {options})"
        else:
            columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(self.table.columns)))
            dialect = f"delim = {quoted(self.table.separator)}, quote = '\"', escape = '\"', header = true"
            rejects = "auto_detect = false, store_rejects = true, rejects_limit = 0"
            read = f"read_csv({file}, {dialect}, columns = {{{columns}}}, compression = '{packed}', {rejects})"
        rows = f"SELECT row_number() OVER () AS number, * FROM {read}"  # noqa: S608 -- quoted
        wanted = part.fill_down if part else ()
        if wanted and self.table.form == "jsonl":
            raise UserError(f"{self.table.path} has no cells to fill down: leave fill_down out.")
        # The key is filled first, through the whole file; then the other columns, within the rows of one key.
        within = "" if key is None else f"PARTITION BY {self.text(key)} "
        of_key, others = ([column for column in wanted if (column == key) == is_key] for is_key in (True, False))
        for columns, partition in ((of_key, ""), (others, within)):
            filled: list[str] = []
            for raw in map(self._raw, columns):
                cell = f"nullif(trim({raw}), '')" if self.table.form == "csv" else raw
                above = f"last_value({cell} IGNORE NULLS) OVER ({partition}ORDER BY number)"
                filled.append(f"coalesce({cell}, {above}) AS {raw}")
            if filled:
                rows = f"SELECT * REPLACE ({', '.join(filled)}) FROM ({rows})"  # noqa: S608 -- quoted
        return rows

    def holds(self, words: dict[str, tuple[str, ...]]) -> list[str]:
        """One test per column: true if it holds one of its words, in any case. "" stands for an empty cell."""
        return [
            f"lower(coalesce({self.text(column)}, '')) IN ({', '.join(quoted(word.lower()) for word in known)})"
            for column, known in words.items()
        ]

    def text(self, column: str) -> str:
        """The trimmed text of a column. Whole numbers lose the ".0" that they have in a column of floats."""
        raw = self._raw(column)
        if self.table.form == "csv":
            text = raw
        elif self.table.form == "jsonl":
            plain = f"({raw}->>'$')"
            text = f"CASE WHEN json_type({raw}) = 'DOUBLE' THEN whole({plain}) ELSE {plain} END"
        elif self._type(column) in ("DOUBLE", "FLOAT"):
            text = f"CASE WHEN isfinite({raw}) THEN whole(CAST({raw} AS VARCHAR)) END"
        else:
            text = f"CAST({raw} AS VARCHAR)"
        if self.mapping.line_break is not None:
            text = f"replace({text}, {quoted(self.mapping.line_break)}, chr(10))"
        for nothing in ("", *self.mapping.empty):
            text = f"nullif(trim({text}, ' \t\r\n\u00a0'), {quoted(nothing)})"
        return text

    def first_text(self, columns: Columns | None) -> str:
        """The text of the first of these columns that is not empty."""
        return _first(self.text(column) for column in listed(columns))

    def first_id(self, columns: Columns | None) -> str:
        """The same of columns of ids: JSON's true and false are none."""
        is_id = "json_type({}) <> 'BOOLEAN'" if self.table.form == "jsonl" else "true"
        return _first(f"CASE WHEN {is_id.format(self._raw(key))} THEN {self.text(key)} END" for key in listed(columns))

    def number(self, columns: Columns | None) -> str:
        """The first text of these columns as a number: dot before the cents, commas between thousands, no currency."""
        return _first(self._number(column) for column in listed(columns))

    def _number(self, column: str) -> str:
        plain = f"read_number({self.text(column)})"
        if self.mapping.decimal == ".":
            return plain
        is_text = "true" if self.table.form == "csv" or self._type(column) == "VARCHAR" else "false"
        if self.table.form == "jsonl":
            is_text = f"json_type({self._raw(column)}) = 'VARCHAR'"
        return f"CASE WHEN {is_text} THEN translate({plain}, '.,', ',.') ELSE {plain} END"

    def paths(self, columns: Columns | None) -> str:
        """The parts of a category path, from the root on.

        Of several paths in one cell the longest counts, with the other paths' parts inserted after its root. A further
        column adds the parts that no column before it has: Shopify's "Type" mostly is the last part of the category.
        """
        between = self.mapping.category_list
        if between is None or len(listed(columns)) != 1:
            path, *others = (
                self.parts(column, self.mapping.category_separator) for column in listed(columns) or (None,)
            )
            for more in others:
                path = f"list_concat({path}, [x FOR x IN {more} IF NOT list_contains({path}, x)])"
            return path
        marks = f"{quoted(between)}, {quoted(self.mapping.category_separator)}"
        return f"merged_path(paths_in({self.first_text(columns)}, {marks}))"

    def parts(self, columns: Columns | None, separator: str | None = None) -> str:
        """A list of texts: the elements of lists, the parts between separators, or the texts themselves."""
        if columns is None:
            return "CAST([] AS VARCHAR[])"
        lists = (self._list(column, separator) for column in listed(columns))
        return f"[trim(x) FOR x IN flatten([{', '.join(lists)}]) IF x IS NOT NULL AND trim(x) <> '']"

    def json(self, column: str) -> str:
        """The cell as JSON, with its type. A text that is a JSON object becomes that object."""
        raw, text = self._raw(column), self.text(column)
        if self.table.form == "parquet" and self._type(column) != "VARCHAR":
            return f"CASE WHEN {raw} IS NOT NULL THEN to_json({raw}) END"
        plain = raw if self.table.form == "jsonl" else f"to_json({text})"
        is_object = f"{text} LIKE '{{%' AND json_valid({text})"
        return f"CASE WHEN {text} IS NULL THEN NULL WHEN {is_object} THEN CAST({text} AS JSON) ELSE {plain} END"

    def moment(self, columns: Columns) -> str:
        """Milliseconds UTC, from 1970 to the year 9998, of the first column that has a date; NULL if none has one."""
        return _first(self._moment(column) for column in listed(columns))

    def _moment(self, column: str) -> str:
        text = self.text(column)
        if self._type(column).startswith(("TIMESTAMP", "DATE")):
            return f"within_time(epoch_ms(CAST({self._raw(column)} AS TIMESTAMP)))"
        form = self.mapping.date_format
        return f"read_moment({text})" if form is None else f"moment_in({text}, {quoted(form)})"

    def _raw(self, column: str) -> str:
        place = self.table.columns.index(column)
        if self.table.form == "csv":
            return f"c{place}"
        if self.table.form == "parquet":
            return '"' + column.replace('"', '""') + '"'
        key = column.replace("\\", "\\\\").replace('"', '\\"')
        path = quoted(f'$."{key}"')
        return f"(json->{path})"

    def _type(self, column: str) -> str:
        return self.table.types[self.table.columns.index(column)] if self.table.types else ""

    def _list(self, column: str, separator: str | None) -> str:
        raw, text = self._raw(column), self.text(column)
        lone = f"[{text}]" if separator is None else f"string_split({text}, {quoted(separator)})"
        if self._type(column).endswith("[]"):
            return f"CAST({raw} AS VARCHAR[])"
        if self.table.form == "jsonl":
            elements = f"CAST({raw} AS VARCHAR[])"
            if separator is not None:
                elements = f"flatten([string_split(x, {quoted(separator)}) FOR x IN {elements}])"
            return f"CASE WHEN json_type({raw}) = 'ARRAY' THEN {elements} ELSE {lone} END"
        return lone


def quoted(text: object) -> str:
    """A text as an SQL literal, for statements that take no parameters (COPY, CREATE VIEW) or are made of parts."""
    return "'" + str(text).replace("'", "''") + "'"


def _first(texts: Iterable[str]) -> str:
    expressions = list(texts)
    return (
        f"coalesce({', '.join(expressions)})"
        if len(expressions) > 1
        else expressions[0]
        if expressions
        else "CAST(NULL AS VARCHAR)"
    )


CITED_BY = "reports cite by letters, digits, _ and -"
_NAMED_VALUES = 5
_REFUSED = {
    "TOO MANY COLUMNS": "more values than the header has columns",
    "MISSING COLUMNS": "fewer values than the header has columns",
    "UNQUOTED VALUE": "a quote that is not closed, or stands within a value",
    "LINE SIZE OVER MAXIMUM": "longer than 2 MB",
}
# A comma before the last one or two digits is a decimal mark, whatever the mapping says.
_OTHER_MARK = r".*\d,\d{1,2}"


def reject_rows(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Counts the bad rows, and reports the first of them by their lines.

    Raises UserError for bytes that are not UTF-8, and for a quote that is not closed on its line: the rows after it
    would vanish without a count.
    """
    refused: list[tuple[int, str]] = []
    if cells.table.form == "csv":
        # Errors in the tables beside this one must not count.
        errors = (
            f"reject_errors JOIN reject_scans USING (scan_id, file_id) WHERE file_path = {quoted(cells.table.path)}"
        )
        query = f"SELECT line, min(error_type) FROM {errors} GROUP BY line ORDER BY line"  # noqa: S608 -- quoted
        refused = db.execute(query).fetchall()
        goes_on = "error_type = 'UNQUOTED VALUE' AND contains(trim(csv_line, chr(10)), chr(10))"
        ((open_quote,),) = db.execute(f"SELECT min(line) FROM {errors} AND {goes_on}").fetchall()  # noqa: S608
        if open_quote is not None:
            _, (line,) = lines_of(cells.table, [], [open_quote], [ordinal for ordinal, _ in refused])
            raise UserError(
                f"{cells.table.path}, line {line:,}: a quote is not closed, which hides the rows after it; close it, "
                "or double the quotes that stand within values."
            )
    if any(problem == "INVALID ENCODING" for _, problem in refused):
        raise UserError(not_utf8(cells.table.path))
    late = f"count(*) FILTER (starts_with(reason, {quoted(LATER)}))"
    ((bad, late),) = db.execute(f"SELECT count(reason), {late} FROM mapped").fetchall()  # noqa: S608 -- a constant
    query = f"SELECT number, reason, written FROM mapped WHERE reason IS NOT NULL ORDER BY number LIMIT {SHOWN}"  # noqa: S608
    first = [
        (number, (reason if written is None else f"{reason}: {written[:LONGEST_SHOWN]!r}"))
        for number, reason, written in db.execute(query).fetchall()
    ]
    if first or refused:
        for line, problem in sorted(_with_lines(cells, first, refused)):
            saved.reject(line, problem)
    saved.bad, saved.late = bad + len(refused), late


def _with_lines(cells: Cells, first: list[tuple[int, str]], refused: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Line and problem of the first bad rows, given by their numbers, and of the first that the engine refused."""
    table, numbers = cells.table, [number for number, _ in first]
    if table.form == "csv":
        ordinals = [ordinal for ordinal, _ in refused]
        of_rows, of_refused = lines_of(table, numbers, ordinals[:SHOWN], ordinals)
        return [
            *zip(of_rows, (problem for _, problem in first), strict=True),
            *zip(of_refused, (_REFUSED.get(why, why.lower()) for _, why in refused[:SHOWN]), strict=True),
        ]
    if table.form == "parquet":
        return first
    lines = list[tuple[int, str]]()
    with open_binary(table.path, table.packed) as file:
        for (line, data), (_, problem) in zip(numbered_rows(file, numbers), first, strict=True):
            try:
                row = json.loads(data.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                row = None
            lines.append((line, problem if isinstance(row, dict) else "no JSON object"))
    return lines


def check_ids(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Notes ids that had to be changed. Raises UserError if two would become one."""
    other = "FROM mapped WHERE reason IS NULL AND own_id <> id_said"
    query = f"SELECT count(DISTINCT id_said), first(id_said ORDER BY number), first(own_id ORDER BY number) {other}"
    ((changed, example, own),) = db.execute(query).fetchall()
    if not changed:
        return
    saved.notes.append(
        f"{counted(changed, 'id')} written otherwise, such as {example[:LONGEST_SHOWN]!r} as {own!r}: {CITED_BY}"
    )
    same = (
        f"WHERE reason IS NULL AND own_id IN (SELECT own_id {other}) GROUP BY own_id HAVING count(DISTINCT id_said) > 1"
    )
    query = f"SELECT own_id, min(id_said), max(id_said) FROM mapped {same} ORDER BY own_id LIMIT 1"  # noqa: S608
    for own, one, another in db.execute(query).fetchall():
        raise UserError(
            f"{cells.table.path} has the ids {one!r} and {another!r}, which would both be {own!r} ({CITED_BY}): "
            "give one of them another id."
        )


def _counted(db: "DuckDBPyConnection", column: str, test: str) -> tuple[int, str]:
    """How many good rows meet a test, and the first one's text in a column."""
    query = f"SELECT count(*), first({column} ORDER BY number) FROM mapped WHERE reason IS NULL AND {test}"  # noqa: S608
    ((rows, example),) = db.execute(query).fetchall()
    return rows, example


def check_prices(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> None:
    """Notes prices that cannot be read. Raises UserError if they use the other decimal mark."""
    other = "." if cells.mapping.decimal == "," else ","
    wrong, example = _counted(db, "price_said", f"regexp_full_match(price_read, {quoted(_OTHER_MARK)})")
    if wrong:
        raise UserError(
            f"{cells.table.path} has {counted(wrong, 'price')} such as {example!r}, which decimal = "
            f"{cells.mapping.decimal!r} cannot read: write decimal = {other!r} in the mapping, or mend the file."
        )
    unread, example = _counted(db, "price_said", "price_read IS NOT NULL AND price IS NULL")
    if unread:
        saved.notes.append(f"{counted(unread, 'price')} unknown, such as {example[:LONGEST_SHOWN]!r}")
    odd, example = _counted(db, "price_said", r"regexp_full_match(price_read, '\d{1,3}\.\d{3}')")
    if odd:
        saved.notes.append(
            f"{counted(odd, 'price')} with three decimals, such as {example!r}: where that means thousands, write "
            f"decimal = {other!r}"
        )


def _named_currencies(db: "DuckDBPyConnection") -> list[tuple[tuple[str, ...], int, str]]:
    """The currencies that prices name, the most frequent first: the codes that may be meant, number, first price."""
    rows_of = db.execute(
        "SELECT named_currency(price_said) AS named, count(*) AS n, first(price_said ORDER BY number) FROM mapped "
        "WHERE reason IS NULL AND price IS NOT NULL GROUP BY ALL ORDER BY n DESC, named"
    ).fetchall()
    signs = {sign.casefold(): codes for sign, codes in SIGNS.items()}
    iso = list_currencies()
    known = (
        (signs.get((name or "").casefold(), (name,) if name in iso else ()), count, example)
        for name, count, example in rows_of
    )
    return [found for found in known if found[0]]


def currency_of(db: "DuckDBPyConnection", cells: Cells, saved: Saved) -> str:
    """The one currency of all prices. Notes it if nothing names it for sure.

    Raises UserError, with counts, if a column names several currencies or none; and if a price names another currency,
    by its code or by a sign that cannot mean this one.
    """
    named = _named_currencies(db)
    currency = cells.mapping.currency or (named[0][0][0] if named else USD)
    if cells.mapping.products.currency is not None:
        counts: list[tuple[Any, int]] = db.execute(
            "SELECT currency_said, count(*) AS n FROM mapped WHERE reason IS NULL AND price IS NOT NULL GROUP BY ALL "
            "ORDER BY n DESC, currency_said"
        ).fetchall()
        code = counts[0][0] if len(counts) == 1 else None
        if counts and not (code and len(code) == 3 and code.isascii() and code.isalpha()):
            found = _listed(("none" if code is None else code, rows) for code, rows in counts)
            raise UserError(
                f"{cells.table.path} has prices in {found}, and a world has one currency, named by its code of three "
                "letters: convert the others, or leave their rows out."
            )
        currency = code or currency
    elif cells.mapping.currency is None and not named:
        saved.notes.append(f'prices name no currency and are taken as {USD}: write currency = "EUR" in the mapping')
    elif cells.mapping.currency is None and all(len(codes) > 1 for codes, _, _ in named):
        codes, _, example = named[0]
        saved.notes.append(
            f"prices such as {example[:LONGEST_SHOWN]!r} are taken as {currency}: if they are in {codes[1]}, write "
            f'currency = "{codes[1]}" in the mapping'
        )
    for codes, rows, example in named:
        if currency not in codes:
            raise UserError(
                f"{cells.table.path} has {counted(rows, 'price')} such as {example[:LONGEST_SHOWN]!r}, and the "
                f"world's currency is {currency}: say another in the mapping, or convert those prices."
            )
    return currency


def check_statuses(db: "DuckDBPyConnection", cells: Cells) -> None:
    """Raises UserError, with counts, for statuses that the mapping does not explain."""
    counts: list[tuple[str, int]] = db.execute(
        "SELECT status_said, count(*) AS n FROM mapped WHERE reason IS NULL AND status_said IS NOT NULL "
        "AND order_status IS NULL GROUP BY ALL ORDER BY n DESC, status_said"
    ).fetchall()
    if counts:
        found = _listed((repr(word), rows) for word, rows in counts)
        raise UserError(
            f"{cells.table.path} has statuses that the mapping does not know: {found}. Write in [status] which of "
            f'{", ".join(ORDER_STATUSES)} each of them is, such as {counts[0][0] or ""!r} = "Delivered".'
        )


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    """ "EUR (300), USD (12), …"."""
    return first_few([f"{name} ({rows:,})" for name, rows in counts], _NAMED_VALUES)


_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%a, %d %b %Y"),
)
_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %H:%M:%S", ", %I:%M %p", " at %I:%M %p")


def read_dates(db: "DuckDBPyConnection", name: str, cells: Cells, saved: Saved) -> None:
    """Reads the dates of a table (date_said, timestamp) in the format that fits most of them, and notes the format.

    Does nothing if the mapping names a format, or if at least half of the dates are read already. Raises UserError if
    day and month may change places.
    """
    if cells.mapping.date_format is not None:
        return
    ((plain, there),) = db.execute(f"SELECT count(timestamp), count(date_said) FROM {name}").fetchall()  # noqa: S608
    if 2 * plain >= there:
        return
    unread = f"{name} WHERE timestamp IS NULL AND date_said IS NOT NULL"
    formats = [day + time for day, time in product(_DAYS, _TIMES)]
    counts = ", ".join(f"count(try_strptime(date_said, {quoted(form)}))" for form in formats)
    query = f"SELECT first(date_said ORDER BY number), {counts} FROM {unread}"  # noqa: S608 -- constants
    ((example, *read),) = db.execute(query).fetchall()
    if (most := max(read)) <= plain:
        return
    best = [form for form, count in zip(formats, read, strict=True) if count == most]
    first = f"try_strptime(date_said, {quoted(best[0])})"
    moved = ", ".join(f"count(*) FILTER (try_strptime(date_said, {quoted(form)}) <> {first})" for form in best)
    differing = db.execute(f"SELECT {moved} FROM {unread}").fetchone()  # noqa: S608 -- constants
    others = [form for form, count in zip(best, differing or (), strict=True) if count]
    if others:
        raise UserError(
            f"{cells.table.path} has dates such as {example!r}, which may be {best[0]} or {others[0]}: write "
            f"date_format = {best[0]!r} in the mapping, or the other."
        )
    shown = f"dates such as {example[:LONGEST_SHOWN]!r} were read as {best[0]}"
    saved.notes.append(f"{shown}: write date_format for another")
    db.execute(f"UPDATE {name} SET timestamp = coalesce(moment_in(date_said, {quoted(best[0])}), timestamp)")  # noqa: S608
