"""The tables of your own shop: the columns of a CSV file, and its rows by line."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from drretail.data_ingest.raw.columns import Mapping, OrderColumns, ProductColumns, columns_named, read_mapping
from drretail.data_ingest.raw.lines import Saved
from drretail.data_ingest.raw.sources import RawFile
from drretail.errors import UserError, nearest_names
from drretail.records.tables.figures import first_few
from drretail.records.tables.sheets import numbered_cells

_ENDINGS = (".csv", ".tsv", ".txt")
_NAMED_COLUMNS = 60
Cells = dict[str, str]
"""The cells of a row that are not empty, by their columns."""


def is_mapping(paths: Sequence[Path]) -> bool:
    """True if the paths are the one mapping file of your own shop."""
    return len(paths) == 1 and paths[0].suffix.lower() == ".toml"


def is_table(path: Path) -> bool:
    """True if the file's name has the ending of a table that is no form of the dataset."""
    return path.name.lower().endswith(_ENDINGS)


def shop_sources(path: Path) -> tuple[Mapping, list[RawFile]]:
    """The mapping in a file, and its tables as sources. Raises UserError if a named table or column is missing."""

    def table_of(part: ProductColumns | OrderColumns) -> Path:
        columns = columns_of(path.parent / part.file)
        for key, column in columns_named(part):
            if (count := columns.count(column)) != 1:
                nearest = [] if count else nearest_names(column, columns)
                hint = f" Did you mean {', '.join(map(repr, nearest))}?" if nearest else ""
                has = f"{count} columns of that name" if count else "no such column"
                raise UserError(
                    f"{path}: {key} = {column!r}, but {part.file} has {has}; it has "
                    f"{first_few(columns, _NAMED_COLUMNS)}.{hint}"
                )
        return (path.parent / part.file).absolute()

    mapping = read_mapping(path, lambda file: columns_of(path.parent / file))
    products = table_of(mapping.products)
    sources = [RawFile(products, packed=False, shape="products", layout="table", mapping=mapping)]
    if mapping.orders is not None:
        orders = table_of(mapping.orders)
        sources.append(RawFile(orders, False, "reviews", "table", mapping=mapping, beside=(products,)))
    return mapping, sources


def columns_of(path: Path) -> tuple[str, ...]:
    """The columns of a table. Raises UserError if it is empty, of another ending, or as ``numbered_cells``."""
    if not is_table(path):
        raise UserError(f"{path} is none of {', '.join(_ENDINGS)}.")
    heading = next((cells for _, cells in islice(numbered_cells(path), 1)), [])
    if not any(heading):
        raise UserError(f"{path} is empty, or its first line is.")
    return tuple(name.strip() for name in heading)


def table_rows(path: Path, columns: Iterable[str], saved: Saved) -> Iterator[tuple[int, Cells]]:
    """The line of each row with its cells in these columns that are not empty. Rejects rows of another width."""
    rows = numbered_cells(path)
    heading = [name.strip() for name in next(rows)[1]]
    places = [(name, heading.index(name)) for name in columns if name in heading]
    for line, cells in rows:
        if len(cells) == len(heading):
            yield line, {name: text for name, place in places if (text := cells[place].strip())}
        elif any("\n" in cell for cell in cells):
            raise UserError(f"{path}, line {line:,}: a quote is not closed, which hides the rows after it: close it.")
        elif cells:
            size = "more" if len(cells) > len(heading) else "fewer"
            saved.reject(line, f"{size} values than the header has columns")
