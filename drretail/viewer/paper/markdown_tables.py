"""The paper's tables as Markdown: readable as it is, in a terminal or a repository."""

from collections.abc import Iterator

from drretail.tables.markdown import markdown_table
from drretail.viewer.paper.published import PaperTable
from drretail.viewer.paper.tables import PaperView


def markdown_of(view: PaperView) -> str:
    """All tables, what differs from the paper first and what is missing last."""
    blocks = [f"# {view.name} beside the paper", "\n".join(f"- {sentence}" for sentence in view.settings)]
    blocks += ["\n\n".join(_table(table)) for table in view.tables]
    missing = [f"- {name}: {text}" for name, text in view.missing]
    blocks.append("## Missing here\n\n" + ("\n".join(missing) if missing else "Nothing."))
    return "\n\n".join(blocks) + "\n"


def _table(held: PaperTable) -> Iterator[str]:
    yield f"## {held.name}. {held.table.title}"
    if held.table.rows:
        yield markdown_table(held.table)
    if held.table.notes:
        yield " ".join(held.table.notes)
    if not held.here:
        yield "Nothing of this experiment: see the end."
