from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.structure import Structure, read_structure
from tests.grounding.shelf import ledger

REPORT = """\
# Title

Get **A** ($1.50) [P:B0SHELF001], vs. B. It holds 2.5 lb [P:B0SHELF002].

## Part

- one [P:B0SHELF003]
  - two

| Thing | Price |
|---|---|
| A [P:B0SHELF001] | $1 |

### Below

Text.

## Sources

[1] https://birds.example/poles
"""


def parts(structure: Structure) -> list[tuple[str, str]]:
    return [(unit.kind, structure.report[unit.start : unit.end].strip()) for unit in structure.units]


def test_a_report_is_read_as_headings_sentences_items_and_rows() -> None:
    assert parts(read_structure(REPORT, ledger())) == [
        ("heading", "# Title"),
        ("text", "Get **A** ($1.50) [P:B0SHELF001], vs. B."),
        ("text", "It holds 2.5 lb [P:B0SHELF002]."),
        ("heading", "## Part"),
        ("item", "one [P:B0SHELF003]"),
        ("item", "two"),
        ("row", "| A [P:B0SHELF001] | $1 |"),
        ("heading", "### Below"),
        ("text", "Text."),
    ]


def test_a_sentence_is_cut_behind_its_citations() -> None:
    sentence = read_structure(REPORT, ledger()).units[1]
    assert [(REPORT[piece.start : piece.end].strip(), piece.cited) for piece in sentence.pieces] == [
        ("Get **A** ($1.50) [P:B0SHELF001]", ("P:B0SHELF001",)),
        (", vs. B.", ()),
    ]


def test_a_cell_knows_what_stands_above_it() -> None:
    structure = read_structure(REPORT, ledger())
    row = next(unit for unit in structure.units if unit.kind == "row")
    assert [structure.header(cell) for cell in row.cells] == ["thing", "price"]


def test_a_section_knows_those_that_it_stands_in() -> None:
    structure = read_structure(REPORT, ledger())
    last = structure.units[-1]
    assert [section.title for section in structure.path(last.section)] == ["Below", "Part", "Title", ""]


def test_a_line_in_bold_is_a_heading_and_a_bold_sentence_is_not() -> None:
    structure = read_structure("**Phase 1: Feeders**\n\n**Buy it now.**\n", ())
    assert [unit.kind for unit in structure.units] == ["heading", "text"]


@given(st.text(alphabet="ab .!?#*|-\n[P:B0SHELF001]$5=+", max_size=300))
def test_units_and_pieces_lie_in_the_report_in_order_whatever_it_is(report: str) -> None:
    structure = read_structure(report, ledger())
    assert len(structure.text) == len(report)
    for one, two in zip(structure.units, structure.units[1:], strict=False):
        assert one.end <= two.start
    for unit in structure.units:
        assert 0 <= unit.start < unit.end <= len(report)
        assert all(unit.start <= piece.start < piece.end for piece in unit.pieces)
