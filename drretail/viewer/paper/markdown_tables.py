"""The paper's tables as Markdown: readable as it is, in a terminal or a repository."""

from collections.abc import Iterator, Sequence

from drretail.viewer.paper.published import Cell, Row, Spread, Table
from drretail.viewer.paper.tables import PaperView

UNKNOWN = "–"


def markdown_of(view: PaperView) -> str:
    """All tables, what differs from the paper first and what is missing last."""
    blocks = [f"# {view.name} beside the paper", "\n".join(f"- {sentence}" for sentence in view.settings)]
    blocks += ["\n\n".join(_table(table)) for table in view.tables]
    missing = [f"- {name}: {text}" for name, text in view.missing]
    blocks.append("## Missing here\n\n" + ("\n".join(missing) if missing else "Nothing."))
    return "\n\n".join(blocks) + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f"## {table.name}. {table.title}"
    if table.rows:
        yield _grid(["", "", *table.columns], [_cells(row, table.digits) for row in table.rows])
    if table.notes:
        yield " ".join(table.notes)
    if not any(row.source == "here" for row in table.rows):
        yield "Nothing of this experiment: see the end."


def _cells(row: Row, digits: int) -> list[str]:
    return [row.name, row.source, *(_told(cell, digits) for cell in row.cells)]


def _told(cell: Cell, digits: int) -> str:
    if cell is None:
        return UNKNOWN
    if isinstance(cell, bool):
        return "✓" if cell else "✗"
    if isinstance(cell, Spread):
        places = 0 if isinstance(cell.mean, int) else digits
        return f"{cell.mean:,.{places}f}" + ("" if cell.sd is None else f" ± {cell.sd:,.{places}f}")
    return cell if isinstance(cell, str) else f"{cell:,.{digits}f}"


def _grid(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with columns of equal width: names to the left, numbers to the right."""
    widths = [max(len(line[place]) for line in (headings, *rows)) for place in range(len(headings))]
    rule = [("-" * width if place < 2 else "-" * (width - 1) + ":") for place, width in enumerate(widths)]
    return "\n".join(_line(line, widths) for line in (headings, rule, *rows))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    sides = [
        cell.ljust(width) if place < 2 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(sides)} |"
