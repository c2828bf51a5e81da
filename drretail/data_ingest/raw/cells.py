"""SQL for a cell of a table, in each form of table: its text, parts, number, moment or JSON.

What can be read from a text alone is a macro of sql/duckdb/cells.sql.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drretail.data_ingest.raw.lines import LAST_MILLISECOND
from drretail.data_ingest.raw.mapping import Columns, Mapping, TableColumns, listed
from drretail.data_ingest.raw.tables import Table
from drretail.data_ingest.selection import sql_text
from drretail.errors import UserError
from drretail.records.shop import SIGNS

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
            raise UserError(f"{self.table.name} has no cells to fill down: leave fill_down out.")
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

    def number(self, columns: Columns | None) -> str:
        """The first text of these columns as a number: a dot before the cents, commas between
        thousands, no currency.
        """
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
