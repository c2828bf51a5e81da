"""A cell of a table as SQL: its text, its parts, a number, a moment, a piece of JSON, in each form of table."""

from collections.abc import Iterable
from dataclasses import dataclass

from drretail.data_ingest.raw.lines import LAST_MILLISECOND
from drretail.data_ingest.raw.mapping import Columns, Mapping
from drretail.data_ingest.raw.tables import Table

_SPACES = " \u00a0\u202f"
_CODE_OR_SIGN = r"\b[A-Z]{3}\b|[$€£¥₹]"


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a table. Every method gives SQL over the rows of ``rows``; what is empty there is NULL."""

    table: Table
    mapping: Mapping

    def rows(self) -> str:
        """The rows with their ``number``, from 1, which in CSV leaves out those that the engine refuses."""
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
        return f"SELECT row_number() OVER () AS number, * FROM {read}"  # noqa: S608 -- quoted

    def text(self, column: str) -> str:
        """Whole numbers without the ".0" that they have where a column is of floats."""
        raw = self._raw(column)
        if self.table.form == "csv":
            text = raw
        elif self.table.form == "jsonl":
            plain = f"({raw}->>'$')"
            text = f"CASE WHEN json_type({raw}) = 'DOUBLE' THEN {_whole(plain)} ELSE {plain} END"
        elif self._type(column) in ("DOUBLE", "FLOAT"):
            text = f"CASE WHEN isfinite({raw}) THEN {_whole(f'CAST({raw} AS VARCHAR)')} END"
        else:
            text = f"CAST({raw} AS VARCHAR)"
        return f"nullif(trim({text}, ' \t\r\n\u00a0'), '')"

    def citable(self, column: str) -> str:
        """Its text as an id of which reports can say where a claim is from: what is no letter or digit is a hyphen."""
        return f"nullif(ltrim(regexp_replace({self.text(column)}, '[^A-Za-z0-9_-]', '-', 'g'), '-_'), '')"

    def number(self, column: str) -> str:
        """Its text with a dot before the cents and commas between thousands, without sign or code of a currency."""
        text = self.text(column)
        plain = rf"trim(regexp_replace({text}, '{_CODE_OR_SIGN}', '', 'g'), '{_SPACES}')"
        plain = rf"regexp_replace({plain}, '(\d)[{_SPACES}''’](\d{{3}})\b', '\1\2', 'g')"
        if self.mapping.decimal == ".":
            return plain
        return f"CASE WHEN {self._is_text(column)} THEN translate({plain}, '.,', ',.') ELSE {plain} END"

    def parts(self, columns: Columns | None, separator: str | None = None) -> str:
        """A list of texts: the elements of lists, or what stands between separators, or the texts themselves."""
        if columns is None:
            return "CAST([] AS VARCHAR[])"
        lists = (self._list(column, separator) for column in ([columns] if isinstance(columns, str) else columns))
        return f"[trim(x) FOR x IN flatten([{', '.join(lists)}]) IF x IS NOT NULL AND trim(x) <> '']"

    def json(self, column: str) -> str:
        """As it stands, with its type; a text that is a JSON object as that object."""
        raw, text = self._raw(column), self.text(column)
        if self.table.form == "parquet" and self._type(column) != "VARCHAR":
            return f"CASE WHEN {raw} IS NOT NULL THEN to_json({raw}) END"
        plain = raw if self.table.form == "jsonl" else f"to_json({text})"
        is_object = f"{text} LIKE '{{%' AND json_valid({text})"
        return f"CASE WHEN {text} IS NULL THEN NULL WHEN {is_object} THEN CAST({text} AS JSON) ELSE {plain} END"

    def moment(self, column: str) -> str:
        """Milliseconds UTC from 1970 to the year 9998, else NULL."""
        text = self.text(column)
        if self._type(column).startswith(("TIMESTAMP", "DATE")):
            found = f"epoch_ms(CAST({self._raw(column)} AS TIMESTAMP))"
        elif self.mapping.date_format is not None:
            found = f"epoch_ms(try_strptime({text}, {quoted(self.mapping.date_format)}))"
        else:
            seconds, milliseconds = r"\d{9,11}(\.\d+)?", r"\d{12,14}"
            of_seconds = f"CAST(floor(CAST({text} AS DOUBLE) * 1000) AS BIGINT)"
            found = (
                f"CASE WHEN regexp_full_match({text}, '{milliseconds}') THEN CAST({text} AS BIGINT) "
                f"WHEN regexp_full_match({text}, '{seconds}') THEN {of_seconds} "
                f"ELSE epoch_ms(TRY_CAST({text} AS TIMESTAMPTZ)) END"
            )
        return f"list_extract([it FOR it IN [{found}] IF it BETWEEN 0 AND {LAST_MILLISECOND}], 1)"

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

    def _is_text(self, column: str) -> str:
        if self.table.form == "jsonl":
            return f"json_type({self._raw(column)}) = 'VARCHAR'"
        return "true" if self.table.form == "csv" or self._type(column) == "VARCHAR" else "false"

    def _list(self, column: str, separator: str | None) -> str:
        raw, text = self._raw(column), self.text(column)
        lone = f"[{text}]" if separator is None else f"string_split({text}, {quoted(separator)})"
        if self._type(column).endswith("[]"):
            return f"CAST({raw} AS VARCHAR[])"
        if self.table.form == "jsonl":
            return f"CASE WHEN json_type({raw}) = 'ARRAY' THEN CAST({raw} AS VARCHAR[]) ELSE {lone} END"
        return lone


def quoted(text: object) -> str:
    """A text for SQL."""
    return "'" + str(text).replace("'", "''") + "'"


def among(words: Iterable[str]) -> str:
    """Words as a list for IN."""
    return ", ".join(map(quoted, words))


def _whole(text: str) -> str:
    return rf"regexp_replace({text}, '\.0+$', '')"
